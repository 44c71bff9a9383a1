"""What columns seem to mean is said with an option to copy, and nothing is taken otherwise by itself."""

import shlex

import numpy as np
import pandas as pd

import sidelight as sl
from sidelight.text.message import in_command_words


def findings(source, kind, **options):
    return [finding for finding in sl.diagnose(source, **options).findings if finding.kind == kind]


def numbers(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.standard_normal((rows, 2)).round(3), columns=["a", "b"])


def answers(values, rows=200, seed=1):
    return np.random.default_rng(seed).choice(values, rows)


def test_all_ordered_scales_are_suggested_in_one_option():
    frame = numbers().assign(
        karnofsky=answers([50, 60, 70, 80, 90, 100], seed=1),
        opinion=answers([1, 2, 3, 4, 5, 6], seed=2),
        cut=answers(["Fair", "Good", "Very Good", "Premium", "Ideal"], seed=3),
        clarity=answers(["SI2", "SI1", "VS2", "VS1"], seed=4),
        improved=answers(["None", "Some", "Marked"], seed=5),
        city=answers(["Rome", "Bern", "Oslo"], seed=6),
        race=answers([1, 2, 3, 4, 5], seed=7),
        treated=answers([0, 1], seed=8),
    )
    (finding,) = findings(frame, "ordered scales")
    assert finding.severity == "note"
    expected = (
        "karnofsky=ordinal,opinion=ordinal,cut=Fair<Good<Very Good<Premium<Ideal,clarity=SI2<SI1<VS2<VS1,"
        "improved=None<Some<Marked"
    )
    assert expected in in_command_words(finding.remedy)
    assert not findings(frame, "ordered scales", types=expected)
    assert "ordered scales" not in [warning.kind for warning in sl.learn(frame).warnings]


def test_four_values_are_a_scale_where_several_columns_share_them():
    items = {f"item{i}": answers([1, 2, 3, 4], seed=i) for i in range(3)}
    assert len(findings(numbers().assign(**items), "ordered scales")[0].culprits) == 3
    assert not findings(numbers().assign(item0=items["item0"]), "ordered scales")


def test_counts_of_a_cross_table_are_suggested_as_weights():
    table = pd.MultiIndex.from_product([["no", "yes"], ["f", "m"], list("ABCDEF")], names=["admit", "sex", "dept"])
    frame = table.to_frame(index=False).assign(Freq=np.random.default_rng(0).integers(5, 300, 24))
    (finding,) = findings(frame, "counts")
    assert "--weights Freq" in in_command_words(finding.remedy)
    assert not findings(frame, "counts", weights="Freq")
    assert not findings(pd.concat([frame, frame]), "counts")  # a combination has two rows
    assert not findings(numbers().assign(n=answers([1, 2, 3])), "counts")


def test_a_time_beside_an_event_indicator_is_called_censored():
    frame = numbers().assign(time=answers(np.arange(1, 400)), status=answers([1, 2]))
    (finding,) = findings(frame, "censored times")
    assert finding.culprits == ("time", "status")
    assert not findings(frame.drop(columns="status"), "censored times")


def test_one_row_with_exchanged_values_is_named():
    """As row 12 of Davis: 166 kg and 57 cm, with which weight and height hardly depend on each other."""
    rng = np.random.default_rng(6)
    height = rng.normal(170, 9, 200).round()
    weight = (65 + 0.8 * (height - 170) + rng.normal(0, 8, 200)).round()
    height[11], weight[11] = 57, 166
    frame = pd.DataFrame({"weight": weight, "height": height})
    (finding,) = findings(frame, "influential rows", correlation="pearson")
    kept, every = (part.corr().iloc[0, 1] for part in (frame.drop(index=11), frame))
    assert (
        f"without row 12 the correlation of 'weight' and 'height' is {kept:.2f} instead of {every:.2f}" in finding.text
    )
    assert not findings(frame.drop(index=11).reset_index(drop=True), "influential rows", correlation="pearson")
    assert not findings(frame, "influential rows", correlation="normal-scores")  # of ranks no row is extreme


def test_rows_of_normal_distributions_are_not_called_influential():
    rng = np.random.default_rng(7)
    for rows in (30, 200, 2000):
        values = rng.standard_normal((rows, 8)) @ rng.standard_normal((8, 8))
        assert not findings(pd.DataFrame(values, columns=list("abcdefgh")), "influential rows")


def test_none_in_quotes_is_a_category_and_without_quotes_one_if_types_says_so(tmp_path):
    rows = [("None", 3.5), ("Some", 4.1), ("Marked", 2.0), ("None", 2.2), ("Some", 2.1), ("Marked", 2.6)] * 10
    quoted, bare = tmp_path / "quoted.csv", tmp_path / "bare.csv"
    quoted.write_text('"","improved","dose"\n' + "".join(f'"{i}","{a}",{b}\n' for i, (a, b) in enumerate(rows)))
    bare.write_text("improved,dose\n" + "".join(f"{a},{b}\n" for a, b in rows))

    def values(path, **options):
        return {c.name: (c.n_values, c.n_missing) for c in sl.diagnose(path, **options).types}["improved"]

    assert values(quoted) == (3, 0)
    assert values(bare) == (2, 20)
    (finding,) = findings(bare, "words for missing")
    assert "20 of 60 in 'improved'" in finding.text
    order = {"improved": ["None", "Some", "Marked"]}
    assert values(bare, types=order) == (3, 0)
    assert not findings(bare, "words for missing", types=order)
    net = sl.learn(bare, types=order)
    assert net.fit(bare).n_rows == 60


def suggested(frame):
    """The statement in Python and for the command."""
    (finding,) = [finding for finding in sl.diagnose(frame).notes if finding.kind == "background knowledge"]
    return str(finding.remedy).removeprefix("if that is so: "), in_command_words(finding.remedy).split(": ", 1)[1]


def test_what_is_settled_before_all_else_is_suggested_as_a_statement_that_works():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"income": rng.normal(size=200), "age": rng.normal(40, 9, 200), "sex": rng.integers(0, 2, 200)}
    )
    frame["income"] += 0.1 * frame["age"] + frame["sex"]
    python, command = suggested(frame)
    assert python == "side=sl.Tiers(['age', 'sex'], ['*'])"
    option, text = shlex.split(command)
    assert option == "--knowledge"
    said = eval(python.removeprefix("side="), {"sl": sl})  # the doctor's own text
    by_python, by_command = sl.learn(frame, said), sl.learn(frame, knowledge=text)
    assert by_python.directed_edges == by_command.directed_edges == [("age", "income"), ("sex", "income")]


def test_waves_and_lags_are_suggested_in_the_order_of_time():
    values = np.random.default_rng(0).normal(size=(100, 4))
    waves = pd.DataFrame(values, columns=["mood_t1", "mood_t2", "sleep_t1", "sleep_t2"])
    assert suggested(waves)[0] == "side=sl.Tiers(['mood_t1', 'sleep_t1'], ['mood_t2', 'sleep_t2'])"
    years = pd.DataFrame(values, columns=["gdp2011", "gdp1999", "life2011", "life1999"])
    assert suggested(years)[0] == "side=sl.Tiers(['gdp1999', 'life1999'], ['gdp2011', 'life2011'])"
    lags = pd.DataFrame(values, columns=["a_l1", "a_l2", "b_l1", "b_l2"])
    assert suggested(lags)[0] == "side=sl.Tiers(['a_l2', 'b_l2'], ['a_l1', 'b_l1'])"


def test_numbered_items_are_no_waves():
    items = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 4)), columns=["A1", "A2", "C1", "C2"])
    assert not any(finding.kind == "background knowledge" for finding in sl.diagnose(items).notes)
