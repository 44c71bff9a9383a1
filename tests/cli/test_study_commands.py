import json

import networkx as nx
import pytest

import sidelight as sl
from sidelight.output import formats
from tests.cli.test_cli import run


def test_from_a_simulated_table_to_a_comparison(tmp_path):
    table, truth, graph = (str(tmp_path / name) for name in ("t.parquet", "truth.csv", "g.json"))
    simulated = run("simulate", "asia", "--rows", "5000", "--out", table, "--truth", truth, "--seed", "3")
    assert simulated.exit_code == 0
    assert "5000 rows of 8 variables with 8 edges" in simulated.stdout
    assert run("learn", table, "--out", graph, "--quiet").exit_code == 0
    compared = run("compare", graph, truth)
    assert compared.exit_code in (0, 1)
    for figure in ("F1", "SHD", "SID", "ALSS", "directions"):
        assert figure in compared.stdout
    figures = json.loads(run("compare", graph, truth, "--json").stdout)
    expected = sl.compare(sl.read(graph), sl.networks.load("asia")).as_dict()
    assert figures == json.loads(json.dumps(expected))


def test_a_graph_is_the_same_as_itself_and_differs_from_another(tmp_path):
    same = run("compare", "asia", "asia")
    assert (same.exit_code, "the same Markov equivalence class" in same.stdout) == (0, True)
    path = tmp_path / "other.csv"
    other = sl.networks.load("asia")
    other.remove_edge("smoke", "lung")
    formats.write(other, path)
    differs = run("compare", str(path), "asia")
    assert differs.exit_code == 1
    assert "smoke" in differs.stdout
    assert run("compare", str(path), "asia", "--quiet").stdout == ""


def test_names_that_are_numbers_are_compared_as_they_are_written(tmp_path):
    dag = nx.DiGraph([(0, 1), (2, 1)])
    formats.write(sl.learn(sl.DSeparation(dag)), tmp_path / "learned.json")
    formats.write(nx.relabel_nodes(dag, str), tmp_path / "truth.gml")
    assert run("compare", str(tmp_path / "learned.json"), str(tmp_path / "truth.gml")).exit_code == 0


@pytest.mark.parametrize("structure", ["erdos-renyi", "diamond-free", "clique:3", "treewidth:2"])
@pytest.mark.parametrize("kind", ["gaussian", "mixed", "discrete"])
def test_random_structures_can_be_simulated_from(tmp_path, structure, kind):
    table = tmp_path / "t.csv"
    result = run("simulate", structure, "--variables", "12", "--kind", kind, "--rows", "50", "--out", str(table))
    assert result.exit_code == 0
    assert table.read_text().count("\n") == 51


def test_a_bif_file_is_sampled_from_its_tables(tmp_path):
    bif = tmp_path / "coin.bif"
    variable = "variable coin { type discrete [ 2 ] { heads, tails }; }"
    bif.write_text(f"network n {{}} {variable} probability ( coin ) {{ table 1, 0; }}")
    assert run("simulate", str(bif), "--rows", "20", "--out", str(tmp_path / "t.csv"), "--quiet").exit_code == 0
    assert (tmp_path / "t.csv").read_text().split() == ['"coin"', *['"heads"'] * 20]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["simulate", "asai", "--out", "t.csv"],
            "or one of erdos-renyi, diamond-free, clique:M, treewidth:T; got 'asai'",
        ),
        (["simulate", "mine.dot", "--out", "t.csv"], "DOT files can be written but not read"),
        (["simulate", "asia", "--out", "t.xls"], "must end in one of .parquet, .csv, .feather, .arrow; got 't.xls'"),
        (["simulate", "asia", "--out", "t.csv", "--rows", "0"], "--rows must be a whole number, 1 or more; got 0"),
        (
            ["simulate", "asia", "--out", "t.csv", "--kind", "cubic"],
            "--kind must be one of 'auto', 'gaussian', 'discrete', 'mixed'; got 'cubic'",
        ),
        (["simulate", "clique:1", "--out", "t.csv"], "the clique number m must be at least 2; got 1"),
        (["simulate", "asia", "--out", "t.csv", "--seed", "-1"], "--seed must be 0 or more; got -1"),
        (
            ["simulate", "asia", "--out", "t.csv", "--variables", "9"],
            "--variables 9 is for random structures, which 'asia' is not",
        ),
        (["simulate", "asia", "--out", "t.csv", "--truth", "t.csv"], "give two names"),
        (["simulate", "asia", "--out", "t.csv", "--truth", "x.svg"], "the name of a graph must end in"),
        (["simulate", "clique:²", "--out", "t.csv"], "a random structure must be one of"),
        (
            ["simulate", "erdos-renyi", "--out", "t.csv", "--degree", "-5"],
            "--degree must be between 0 and 49 for 50 variables; got -5",
        ),
        (["simulate", "erdos-renyi", "--out", "t.csv", "--exponent", "-1"], "--exponent=-1"),
        (["simulate", "treewidth:2", "--out", "t.csv", "--max-parents", "-1"], "--max-parents=-1"),
        (["simulate", "clique:3", "--out", "t.csv", "--exponent", "0.5"], "--exponent 0.5: only erdos-renyi"),
        (["compare", "nothing", "asia"], "there is no file 'nothing'"),
        (["compare", "cancer", "asia"], "both graphs must be over the same names"),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_2(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(tmp_path.glob("*t.csv*"))


def test_an_existing_table_is_not_overwritten_unless_told_so(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("mine")
    assert run("simulate", "asia", "--out", str(table)).exit_code == 2
    assert table.read_text() == "mine"
    assert run("simulate", "asia", "--out", str(table), "--force", "--quiet").exit_code == 0


def test_a_small_random_structure_needs_no_further_options(tmp_path):
    result = run("simulate", "clique:3", "--variables", "3", "--out", str(tmp_path / "t.csv"), "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["variables"] == 3
