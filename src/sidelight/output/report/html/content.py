"""What the report's page is given to show: a network as plain data, variables by index.

Edges have sentences of their own, and p-values as far as they can be had quickly. Pairs that are not adjacent are too
many for that: the page has what it takes to make their sentences.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from importlib.metadata import version
from itertools import combinations, islice
from math import ceil, inf, isfinite

from sidelight.consistency.knowledge import by_statement, meaning_of
from sidelight.effects.asking_marked import has_effects
from sidelight.effects.paths import possible_descendants
from sidelight.effects.shown import ShownEffect, shown_effect, shown_with_hidden_causes
from sidelight.explain import explain
from sidelight.explain.direction import OVERRULED_SHOWN
from sidelight.explain.marks import mark_facts
from sidelight.explain.missing import chance_level, found_by, rests_on_boundaries, rests_on_knowledge
from sidelight.explain.pair import NOT_ASKED, pairs_said_apart
from sidelight.explain.phrases import PHRASES
from sidelight.graphs.dag import PartialDag
from sidelight.graphs.separating_sets import Pair
from sidelight.kinds.types import types_counted
from sidelight.network import NO_HIDDEN_CAUSES, Network
from sidelight.output.formats.evidence_json import write_missing
from sidelight.output.pictures.layout import Layout, lay_out
from sidelight.output.pictures.sizes import Size, sizes
from sidelight.output.pictures.strokes import MEANING, Stroke, legend, measured_in_words, strokes
from sidelight.result.certainty import BACKWARD, FORWARD, UNDIRECTED, Shares, consensus_graph
from sidelight.result.evidence import TestedEdges, quick_strengths
from sidelight.result.marked_shares import NO_EDGE, at_ends
from sidelight.result.settings import LABELS
from sidelight.text.sentences import NAMES_SHOWN
from sidelight.text.visible import visible_lines

Data = dict[str, object]
DIGITS = 4  # of effect sizes
MOST_EFFECTS = 600  # pairs of variables; more would make the page large
STEP = 5  # of the threshold on shares, in percent
STEPS = tuple(range(STEP, 101, STEP))


def content(network: Network) -> Data:
    """Everything the page shows; texts have their invisible characters spelled out."""
    position = {name: i for i, name in enumerate(network.names)}
    layout = lay_out(network)
    spoken = network.by_position.edge_tests.short_names
    names = [str(name) for name in network.names]
    data = {
        "title": network.settings.table or "Learned network",
        "has_table": bool(network.settings.table),
        **({"marks": _meanings(network)} if network.is_pag else {}),
        "version": version("sidelight"),
        "names": names,
        "spoken": None if spoken == names else spoken,
        **_drawn(layout),
        "legend": legend(network),
        "measure": measured_in_words(quick_strengths(network.edge_strengths).values()),
        "edges": _edges(_for_edges(network), layout, _uncertain(network)),
        "boundaries": [sorted(position[y] for y in network.boundaries[name]) for name in network.names],
        **_separations(network),
        **_missing_edges(network),
        **_knowledge(network),
        "steps": [
            {
                "removed": position[step.removed],
                "boundary": [position[y] for y in step.boundary],
                "neighbours": [position[y] for y in step.neighbours],
                "tests": list(step.tests.items()),
                "fallback": step.fallback,
                "undecided": step.undecided,
            }
            for step in network.steps
        ],
        **_background(network),
        "effects": _effects(network),
        **_stability(network),
        "rows": network.n_rows,
        "types": [{**column.as_dict(), "type": column.type_in_words} for column in network.types],
        "types_words": types_counted(network.types),
    }
    shown = _visible(data)
    assert isinstance(shown, dict)
    return shown


def _drawn(layout: Layout) -> Data:
    return {
        "labels": layout.labels.texts,
        "lines": layout.labels.lines,
        "x": [round(x, 1) for x, _ in layout.centres],
        "y": [round(y, 1) for _, y in layout.centres],
        "widths": [round(width, 1) for width in layout.labels.widths],
        "height": layout.labels.height,
        "size": [round(side, 1) for side in layout.size],
        "across": layout.across,
    }


def _uncertain(network: Network) -> set[Pair]:
    position = {name: i for i, name in enumerate(network.names)}
    return {(position[tail], position[head]) for tail, head in network.uncertain_arrows}


def _edges(network: Network, layout: Layout, uncertain: set[Pair]) -> list[Data]:
    marks, drawn = network.by_position.marks, {} if network.is_pag else strokes(network, layout)
    numbers = sizes(drawn, layout)
    return [
        {
            "tail": tail,
            "head": head,
            "directed": marks.edge(tail, head).symbol == "→",
            **(_marked(network, tail, head) if network.is_pag else {}),
            "uncertain": (tail, head) in uncertain,
            **(_size(drawn[tail, head], numbers[tail, head]) if (tail, head) in numbers else {}),
            "route": [round(number) for point in route for number in point],
            **_edge_evidence(network, network.names[tail], network.names[head]),
        }
        for (tail, head), route in sorted(layout.routes.items())
    ]


def _size(stroke: Stroke, size: Size) -> Data:
    """The sign of the effect, and the number on the line with where along the line it stands."""
    return {"tint": stroke.sign, "number": size.text, "along": size.along}


def _marked(network: Network, a: int, b: int) -> Data:
    """Of an edge of a PAG the marks, as a sign, and what they say."""
    facts = mark_facts(network, a, b)
    sign = network.by_position.marks.edge(a, b).symbol
    return {"sign": sign, "visible": facts["visible"], "meaning": facts["meaning"]}


def _meanings(network: Network) -> list[tuple[str, str]]:
    """What each kind of edge says, for the legend: all that there are, in the order in which they are listed."""
    return [(symbol, MEANING[symbol]) for symbol in dict.fromkeys(symbol for _, symbol, _ in network.edges)]


def _for_edges(network: Network) -> Network:
    """The network without resamples, of which the page speaks apart, and without what would take long to compute."""
    slow = isinstance(network.edge_evidence, TestedEdges) and not network.edge_evidence.is_quick
    evidence = {} if slow else network.edge_evidence
    return replace(network, shares=None, edge_evidence=evidence, edge_strengths=quick_strengths(network.edge_strengths))


def _edge_evidence(network: Network, a: Hashable, b: Hashable) -> Data:
    """Why the two are adjacent, in sentences, the largest p-value of the tests behind the edge, and its effect size."""
    pair = frozenset((a, b))
    evidence, effect = network.edge_evidence.get(pair), network.edge_strengths.get(pair)
    return {
        "words": list(explain(network, a, b).sentences),
        **({} if evidence is None else {"weakest_p": evidence.weakest_p}),
        **({} if effect is None else {"effect": round(effect.size, DIGITS), "effect_name": effect.shown_name}),
    }


def _missing_edges(network: Network) -> Data:
    """What the page needs, beside separating sets and steps, to say of a missing edge what ``explain`` says."""
    return {
        "phrases": PHRASES,
        "names_shown": NAMES_SHOWN,
        "dismissed": {"overruled": network.by_position.overruled, "failed": network.by_position.from_failed_sets},
        "overruled_shown": OVERRULED_SHOWN,
        "rests_on_boundaries": rests_on_boundaries(network),
        "by_score": network.score is not None,
        "alpha": network.settings.alpha,
        "alpha_shown": f"{network.settings.alpha:g}",
        "chance_level": chance_level(network),
        "n_missing": len(network.separating_sets),
    }


def _separations(network: Network) -> Data:
    """What ``SeparatingSets.between`` looks up; the page looks it up in the same way."""
    removals, left_out, explicit = network.separating_sets.parts()
    return {
        "removals": removals,
        "left_out": [[*pair, members] for pair, members in left_out],
        "explicit": [[*pair, members, found_by(network, *pair)] for pair, members in explicit],
        "missing_p": write_missing(network),
    }


def _knowledge(network: Network) -> Data:
    """What was said of the structure, what the data say to that, and what was said of pairs that are not adjacent."""
    pairs = list(pairs_said_apart(network))
    pairs += [(x, y, [NOT_ASKED]) for x, y in combinations(sorted(network.separating_sets.given), 2)]
    sentences = list(dict.fromkeys(sentence for *_, found in pairs for sentence in found))
    position = {sentence: i for i, sentence in enumerate(sentences)}
    return {
        "known": [str(statement) for statement in network.settings.known.statements],
        "doubts": [f"{said}: {'; '.join(reasons)}" for said, reasons in by_statement(network.doubts).items()],
        "meaning_of_doubts": meaning_of(network.doubts),
        "said": sentences,
        "said_of": [
            [x, y, [position[sentence] for sentence in found], _only_said(network, x, y)] for x, y, found in pairs
        ],
    }


def _only_said(network: Network, x: int, y: int) -> bool | str:
    """Is what was said all there is to say of the pair? Of a pair that was not asked about, nothing else is."""
    return "not asked" if {x, y} <= network.separating_sets.given else rests_on_knowledge(network, x, y)


def _background(network: Network) -> Data:
    """What the network rests on, and how it was learned."""
    status, heading = network.certificate.status, network.certificate.heading
    calls = [
        ("Command", network.settings.command()),
        ("Python", f"import sidelight as sl\n\nnet = {network.settings.python_call()}"),
    ]
    return {
        "certificate": {
            "status": status,
            "heading": heading[0].upper() + heading[1:],
            "sentence": network.certificate.sentence,
        },
        "trust": "; ".join(filter(None, (network.trust, "" if network.is_pag else NO_HIDDEN_CAUSES))),
        "warnings": list(map(str, network.warnings)),
        "settings": [
            *([("Rows of the table", network.rows_in_words())] if network.n_rows is not None else []),
            *((LABELS[name], value) for name, value in network.settings.as_text().items()),
            *([("Over time", str(network.over_time))] if network.settings.time_order is not None else []),
            *([("Search, score in nats", network.search_in_words())] if network.search_steps else []),
        ],
        "calls": [call for call in calls if call[1]],
        "tests_by_size": [[size, count] for size, count in sorted(network.tests_by_size.items())],
        "tests_by_phase": list(network.tests_by_phase.items()),
        "boundary_tests": network.boundary_tests,
        "check_tests": network.check_tests,
        "has_order": bool(network.steps),
        "is_oracle": network.settings.is_oracle,
        "seconds": [(phase, round(seconds, 3)) for phase, seconds in network.seconds.items()],
    }


def _effects(network: Network) -> list[Data]:
    """What the page says of the effect of one variable on another, where a path may be causal; not of too many pairs.

    Intervals over resamples take long for so many pairs, and are left to ``net.effect``.
    """
    if network.settings.time_order is not None:
        return []
    if network.is_pag:
        return _marked_effects(network)
    graph, alone = network.by_position.graph, replace(network, shares=None)
    pairs = [(x, y) for x in range(len(network.names)) for y in sorted(possible_descendants(graph, [x]) - {x})]
    if len(pairs) > MOST_EFFECTS:
        return []
    return [_effect(x, y, shown_effect(alone, x, y)) for x, y in pairs]


def _effect(x: int, y: int, found: ShownEffect) -> Data:
    return {"cause": x, "on": y, "words": list(found.words), "causal": found.causal, "open": found.open_path}


def _marked_effects(network: Network) -> list[Data]:
    """The same of a PAG, by the graph alone; nothing of one that a limit left unfinished, or of selected rows."""
    if not has_effects(network):
        return []
    shown = list(islice(shown_with_hidden_causes(network), MOST_EFFECTS + 1))
    if len(shown) > MOST_EFFECTS:
        return []
    return [_effect(*each) for each in shown]


def _visible(data: object) -> object:
    """The same data with all texts made visible; line ends within code stay."""
    if isinstance(data, str):
        return visible_lines(data)
    if isinstance(data, dict):
        return {key: _visible(value) for key, value in data.items()}
    return [_visible(value) for value in data] if isinstance(data, list | tuple) else data


# Resamples and significance levels.


def _stability(network: Network) -> Data:
    """Shares and levels; nothing for a network that was learned once."""
    found: Data = {}
    if network.shares is not None and network.shares.n_resamples:
        shares = network.shares
        found["shares"] = _mark_shares(network, shares) if network.is_pag else _shares(network, shares)
    if network.levels is not None:
        found["levels"] = {
            "counts": [[f"{alpha:g}", edges, directed] for alpha, edges, directed in network.levels.counts()],
            "changes": [[*pair, ways] for pair, ways in network.levels.changes()],
        }
    return found


def _shares(network: Network, shares: Shares) -> Data:
    """Counts of all pairs that are ever adjacent, the most frequent first, and their edges at each threshold."""
    pairs = shares.chosen(0)
    known = network.by_position.known
    graphs = [consensus_graph(shares, step / 100, known).graph for step in STEPS]
    return {
        "resamples": shares.n_resamples,
        "method": shares.method,
        "pairs": [[*pair, *map(int, shares.counts[pair])] for pair in pairs],
        "ways": ["".join(_way(graph, pair) for pair in pairs).rstrip(NO_EDGE) for graph in graphs],
        "step": STEP,
        "start": _nearest_step(shares.threshold),
        "choice": _choice(shares),
        "false_edges": [_bound(shares, step / 100) for step in STEPS],
    }


def _mark_shares(network: Network, shares: Shares) -> Data:
    """Of PAGs: how often each pair is adjacent, with which marks, how far they disagree, and that in words."""
    spoken = network.by_position.edge_tests.short_names

    def about(pair: Pair) -> list[object]:
        counts = shares.of(*pair)
        ends = (list(end.values()) for end in at_ends(counts))
        doubt = round(shares.doubt(*pair), DIGITS)
        return [*pair, counts.adjacent, *ends, shares.in_words(*pair, spoken), doubt]

    return {"resamples": shares.n_resamples, "method": shares.method, "pairs": list(map(about, shares.chosen(0)))}


def _way(graph: PartialDag, pair: Pair) -> str:
    x, y = pair
    if y in graph.undirected[x]:
        return UNDIRECTED
    return FORWARD if y in graph.children[x] else BACKWARD if y in graph.parents[x] else NO_EDGE


def _nearest_step(threshold: float) -> int:
    return min(STEPS, key=lambda step: (abs(step / 100 - min(threshold, 1)), -step))


def _choice(shares: Shares) -> str:
    """How the threshold was chosen, and what it is exactly."""
    exact, most = f"{100 * shares.threshold:.3g} %", shares.max_false_edges
    if most is None:
        return f"chosen from the data: {exact}"
    if shares.threshold == inf:
        return f"no threshold keeps the expected number of false edges at {most:g}"
    return f"chosen for at most {most:g} expected false edges: {exact}"


def _bound(shares: Shares, threshold: float) -> str | None:
    """The bound on the expected number of false edges, rounded up; None where there is none."""
    bound = shares.false_edges(threshold) if shares.method == "complementary-pairs" else inf
    return f"{ceil(10 * bound - 1e-9) / 10:.1f}" if isfinite(bound) else None
