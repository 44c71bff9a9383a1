"""Tables on a Dask cluster: the same network as in memory, whatever the partitions, also when a worker is killed."""

import gc
import os
import pathlib
import signal
import time

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.families.discrete import distinct, marginal_tables, statistics
from sidelight.simulation import networks
from sidelight.sources.cluster import KeptParts
from sidelight.text.message import in_command_words

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    """All frames are computed there once it is used: tests without a cluster come first, the one that kills last."""
    cluster = distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=":0")
    with cluster, distributed.Client(cluster) as found:
        yield found


def frame_of(kind, rows=3000):
    graph = networks.load_discrete("asia") if kind == "discrete" else networks.load("asia")
    return sl.simulate(graph, rows, kind=kind, seed=8).table.to_pandas()


def edges(net):
    return set(net.directed_edges), {frozenset(edge) for edge in net.undirected_edges}


def divided(frame, bounds):
    """Partitions of unequal sizes, one of them empty."""
    parts = [frame.iloc[start:stop] for start, stop in zip([0, *bounds], [*bounds, len(frame)], strict=True)]
    return dd.from_map(lambda part: part, parts, meta=frame.iloc[:0])


def test_a_frame_is_learned_from_without_a_cluster_too():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 3)), columns=[1, 2, 3])
    assert sl.learn(dd.from_pandas(frame, npartitions=2)).names == ("1", "2", "3")


def test_partitions_of_a_filtered_frame_have_no_column_more():
    frame = frame_of("gaussian")
    parts = dd.from_pandas(frame.assign(w=1.0), npartitions=2)
    assert sl.learn(parts[parts["asia"] > 0], weights="w").names == tuple(frame.columns)


@pytest.mark.parametrize("kind", ["gaussian", "discrete", "mixed"])
def test_a_frame_gives_the_same_network_as_in_memory(client, kind):
    frame = frame_of(kind, 1500 if kind == "mixed" else 3000)
    net, whole = sl.learn(divided(frame, [10, 700, 700])), sl.learn(frame)
    assert edges(net) == edges(whole)
    assert net.score == pytest.approx(whole.score, rel=1e-9)
    assert net.n_rows == len(frame)


def test_groups_that_are_spread_over_partitions_are_those_of_the_whole(client):
    frame = frame_of("gaussian", 1500).assign(who=np.random.default_rng(0).integers(0, 150, 1500))
    net, whole = (sl.learn(table, groups="who") for table in (divided(frame, [10, 700]), frame))
    assert edges(net) == edges(whole)
    assert net.score == pytest.approx(whole.score, rel=1e-9)


def test_gaps_rare_categories_and_constant_partitions_are_those_of_the_whole(client):
    frame = frame_of("discrete").sort_values(["smoke", "asia"], ignore_index=True)  # constant in most partitions
    frame.loc[2990:, "xray"] = "unknown"  # seen in the last partition only
    frame.loc[[5, 1700], "dysp"] = None
    parts = divided(frame, [1000, 2000])
    net, whole = sl.learn(parts, missing="drop"), sl.learn(frame, missing="drop")
    assert edges(net) == edges(whole)
    assert net.n_complete == whole.n_complete == len(frame) - 2
    assert [(c.name, c.n_values, c.n_missing) for c in net.types] == [
        (c.name, c.n_values, c.n_missing) for c in whole.types
    ]
    with pytest.raises(sl.InputError, match="column 'dysp' has 2 missing values, the first in row 6"):
        sl.learn(parts)


def test_workers_read_the_files_of_a_folder(client, tmp_path):
    frame = frame_of("gaussian")
    for number in range(3):
        frame[1000 * number : 1000 * (number + 1)].to_parquet(tmp_path / f"part-{number}.parquet")
    net = sl.learn(tmp_path, dask=client)
    assert edges(net) == edges(sl.learn(frame))
    assert "by the workers of a cluster" in net.warnings[0].text
    with pytest.raises(sl.InputError, match=r'^dask="tcp://127.0.0.1:1": no scheduler answers there') as refused:
        sl.learn(tmp_path, dask="tcp://127.0.0.1:1")
    assert in_command_words(str(refused.value)).startswith("--dask tcp://127.0.0.1:1: no scheduler")


def test_resamples_are_learned_from_by_the_workers_of_a_client(client):
    frame = frame_of("gaussian", 500)
    shares, alone = (sl.stability(frame, resamples=4, n_jobs=1, dask=dask).shares for dask in (client, None))
    assert shares.adjacency == alone.adjacency


def test_files_that_workers_do_not_find_are_named(client, tmp_path, monkeypatch):
    frame_of("gaussian", 50).to_parquet(tmp_path / "part.parquet")
    monkeypatch.setattr(pathlib.Path, "absolute", lambda path: pathlib.Path("/elsewhere", path.name))
    with pytest.raises(sl.InputError, match=r"'/elsewhere/part\.parquet': No such file .* under the same path as here"):
        sl.learn(tmp_path, dask=client)


def test_a_worker_with_another_version_is_refused_by_its_name(client):
    def pretend(version):
        import sys

        package = sys.modules.pop("aside", None) or __import__("sidelight")
        package.__version__ = version
        sys.modules.update(aside=package, sidelight=package if version else None)

    worker, ours = next(iter(client.run(os.getpid))), sl.__version__
    frame = frame_of("gaussian", 50)
    for theirs, what in (("0.0.9", "sidelight 0.0.9"), ("", "no sidelight")):
        client.run(pretend, theirs, workers=[worker])
        refusal = f"^the worker {worker} has {what}, and this is sidelight {ours}: install sidelight {ours} there"
        for call in (lambda: sl.learn(divided(frame, [])), lambda: sl.stability(frame, resamples=4, dask=client)):
            with pytest.raises(sl.InputError, match=refusal):
                call()
        client.run(pretend, ours, workers=[worker])


@pytest.fixture
def kept_by_workers(monkeypatch):
    """Coded rows that hardly repeat stay with the workers, who count."""
    monkeypatch.setattr(distinct, "WORTH_IT", 0.0)
    monkeypatch.setattr(statistics, "BROUGHT_HERE", 0)
    monkeypatch.setattr(marginal_tables, "ROWS_PER_CELL", 1)  # so that some questions have few combinations, some not


def sachs(rows=4000):
    return sl.simulate(networks.load_discrete("sachs"), rows, kind="discrete", seed=8).table.to_pandas()


@pytest.mark.usefixtures("kept_by_workers")
@pytest.mark.parametrize("weights", [None, "weight"])
def test_workers_that_keep_coded_rows_give_the_same_network_and_forget_them(client, weights):
    frame = sachs()
    if weights:
        frame["weight"] = 1 + (np.arange(len(frame)) % 100 == 1) - (np.arange(len(frame)) % 100 == 2)
    net = sl.learn(divided(frame, [10, 700, 700]), weights=weights, n_jobs=2)
    whole = sl.learn(frame, weights=weights)
    assert edges(net) == edges(whole)
    assert net.n_tests == whole.n_tests
    assert net.score == pytest.approx(whole.score, rel=1e-9)
    assert dict(net.missing_p_values) == pytest.approx(dict(whole.missing_p_values))  # the workers are asked again
    assert client.futures
    del net
    gc.collect()
    client.who_has()  # what was said before is done
    assert not client.futures


@pytest.mark.usefixtures("kept_by_workers")
def test_a_client_that_was_made_for_an_address_is_closed_with_the_network(client, tmp_path):
    def n_clients():
        return len(client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.clients)))

    sachs(1000).to_parquet(tmp_path / "part.parquet")
    before = n_clients()
    net = sl.learn(tmp_path, dask=client.scheduler.address)
    assert n_clients() == before + 1
    assert distributed.default_client() is client
    del net
    gc.collect()
    assert n_clients() == before


def test_rows_of_a_cluster_that_is_closed_are_said_to_be_gone(client):
    with distributed.Client(client.scheduler.address, set_as_default=False) as other:
        kept = KeptParts([dask.delayed(1)], other, lambda: None)
        assert list(kept.each(str)) == ["1"]
    with pytest.raises(sl.InputError, match="the cluster whose workers keep the rows is closed"):
        kept.each(str)


def slow(part):
    time.sleep(0.2)
    return part


def test_a_worker_that_is_killed_changes_nothing(client):
    """Each partition is counted once, whoever computes it."""
    frame = frame_of("gaussian")
    parts = divided(frame, [500, 1000, 1500, 2000, 2500]).map_partitions(slow, meta=frame.iloc[:0])
    victims = list(client.run(os.getpid).values())[:1]

    def progress(phase, done):
        if phase == "reading" and done == 1 and victims:
            os.kill(victims.pop(), signal.SIGKILL)

    net = sl.learn(parts, progress=progress)
    assert not victims
    assert net.n_rows == len(frame)
    assert edges(net) == edges(sl.learn(frame))


@pytest.mark.usefixtures("kept_by_workers")
def test_a_worker_that_is_killed_while_it_counts_changes_nothing(client):
    frame = sachs()
    victims = list(client.run(os.getpid).values())[:1]

    def progress(phase, done):
        if phase == "boundaries" and victims:
            os.kill(victims.pop(), signal.SIGKILL)

    net = sl.learn(divided(frame, [1000, 2000]), progress=progress)
    assert not victims
    assert edges(net) == edges(sl.learn(frame))


def test_a_part_at_which_workers_die_is_said_to_take_too_much(client):
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    frame = frame_of("gaussian", 50)
    parts = dd.from_map(lambda part: os.kill(os.getpid(), signal.SIGKILL), [0], meta=frame.iloc[:0])
    with pytest.raises(sl.InputError, match=r"^1 worker died at the same part of the work, .*: give workers more"):
        sl.learn(parts)
