"""What ``Effect`` says in words: what is compared, why it is identified or not, and what limits trust in it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise

from sidelight.effects.adjustment import Given
from sidelight.effects.linear import LinearEstimator
from sidelight.effects.paths import Directions, Path, undecided_path
from sidelight.effects.possible import Candidate
from sidelight.effects.question import Answer, Asked
from sidelight.effects.reading import Estimator
from sidelight.effects.standardised import RowsEstimator
from sidelight.network import Network
from sidelight.text.sentences import counted, listed

FEW_ROWS_EACH, FEW_ROWS = 10, 50  # rows for each coefficient, and in all, below which an effect says so
UNSUPPORTED = 0.01  # of the rows
ASSUMES = "Assumes no hidden common causes"


def named(network: Network, given: Given) -> tuple[Hashable, ...]:
    """The names of a set, in column order."""
    return tuple(network.names[v] for v in sorted(given))


def unit_in_words(network: Network, asked: Asked, has_units: bool) -> str:
    """What is compared with what."""
    names, estimator = network.names, asked.estimator
    target = str(names[asked.target])
    if isinstance(estimator, RowsEstimator) and estimator.category is not None:
        target = f"probability of {target} = {estimator.variables[asked.target].categories[estimator.category]}"
    else:
        target = f"mean of {target}" if has_units else f"mean of {target}, in its standard deviations,"
    each = [_change_in_words(network, asked, i, has_units) for i in range(len(asked.causes))]
    return f"change of the {target} {listed(each)}"


def _change_in_words(network: Network, asked: Asked, i: int, has_units: bool) -> str:
    x, (first, last) = asked.causes[i], asked.changes[i]
    name = network.names[x]
    if isinstance(asked.estimator, RowsEstimator) and asked.estimator.variables[x].kind.is_coded:
        categories = asked.estimator.variables[x].categories
        return f"if {name} is set to {categories[int(last)]} instead of {categories[int(first)]}"
    if isinstance(asked.estimator, RowsEstimator) and last - first != 1:
        return f"if {name} is set to {last:g} instead of {first:g}"
    unit = ("unit" if has_units else "standard deviation") + ("" if last - first == 1 else "s")
    amount = "one" if last - first == 1 else f"{last - first:g}"
    return f"if {name} is raised by {amount} {unit}"


def path_in_words(graph: Directions, names: Sequence[Hashable], path: Path) -> str:
    """``a ← b — c``, edges as the graph has them."""
    words = [str(names[path[0]])]
    for a, b in pairwise(path):
        edge = "→" if b in graph.children[a] else "←" if b in graph.parents[a] else "—"
        words.append(f"{edge} {names[b]}")
    return " ".join(words)


def why(network: Network, asked: Asked, found: Sequence[Candidate], answers: Sequence[Answer]) -> str:
    """Whether the effect is identified, and by what."""
    linear = isinstance(asked.estimator, LinearEstimator)
    assumes = f" {ASSUMES}{' and linear effects' if linear else ''}."
    graph = network.by_position.graph
    if len(found) > 1:
        path = undecided_path(graph, asked.causes, asked.target)
        assert path is not None
        shown = path_in_words(graph, network.names, path)
        return f"Not identified: the data leave open whether {shown} is a causal path.{assumes}"
    answer = answers[0]
    if answer.is_zero:
        causes, on = listed(network.names[x] for x in asked.causes), network.names[asked.target]
        none = f"Identified: no path from {causes} to {on} can be causal"
        return f"{none}, so the effect is 0 in all DAGs of the learned class.{assumes}"
    if answer.given is None:
        how = "by no adjustment set, but from the regressions of all variables between on their parents"
    elif answer.given:
        how = f"by adjusting for {listed(named(network, answer.given))}"
    else:
        how = "without adjusting for anything"
    return f"Identified {how}: all DAGs of the learned class agree on it.{assumes}"


def doubts(network: Network, asked: Asked, answers: Sequence[Answer]) -> Iterator[str]:
    """What limits trust in the effect, beside what its interval says."""
    n_rows = asked.estimator.n_rows
    most = max((len(answer.given) for answer in answers if answer.given is not None), default=0)
    if n_rows < max(FEW_ROWS, FEW_ROWS_EACH * (most + len(asked.causes) + 1)):
        yield f"Estimated from {counted(int(n_rows), 'row')}, which is few for {counted(most, 'adjusting variable')}."
    yield from doubts_of_source(network, asked.estimator)
    if network.shares is None:
        yield "Edges are taken as known, and directions but for those left open; resamples show how sure they are."
    if isinstance(asked.estimator, RowsEstimator):
        shares = [asked.estimator.unsupported(asked.causes, a.given, asked.settings) for a in answers if a.given]
        if max(shares, default=0.0) > UNSUPPORTED:
            yield (
                f"For {max(shares):.0%} of the rows, none alike in what is adjusted for has one of the values "
                "compared; there the estimate rests on the prior alone."
            )


def doubts_of_source(network: Network, estimator: Estimator) -> Iterator[str]:
    """What limits trust in every effect: a graph that may be wrong, weights that are not there."""
    if network.certificate.status == "violated":
        yield "The certificate of this network says *violated*: the graph, and so the effect, may be wrong."
    column = network.settings.weights_column
    if column is not None and estimator.has_rows and not estimator.is_weighted:
        yield f"The network was learned with weights in {str(column)!r}; these data have no such column: no weights."
    groups = network.settings.given.get("groups")
    if groups is not None and network.settings.given.get("variation") is None:
        yield from _doubts_of_groups(str(groups), estimator)


def _doubts_of_groups(groups: str, estimator: Estimator) -> Iterator[str]:
    """What is not as it was when the network was learned within groups."""
    if isinstance(estimator, RowsEstimator):
        yield (
            f"With categories, rows of all groups by {groups!r} are compared: what differs between groups and acts on "
            "both is not adjusted for."
        )
    if estimator.has_rows and not estimator.in_groups:
        lost = "these data have no such column: rows are taken as independent."
        yield f"The network was learned within groups by {groups!r}; {lost}"


def too_few_rows(estimator: Estimator) -> Iterator[str]:
    """That there are few rows for any effect."""
    if estimator.n_rows < FEW_ROWS:
        yield f"Estimated from {counted(int(estimator.n_rows), 'row')}, which is few."
