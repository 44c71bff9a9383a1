"""What the report's page is given to show: a network as plain data, variables by index."""

from __future__ import annotations

from importlib.metadata import version

from sidelight.explain.missing import found_by, rests_on_knowledge
from sidelight.explain.pair import pairs_said_apart
from sidelight.kinds.types import ColumnType, types_counted
from sidelight.network import Network
from sidelight.output.formats.evidence_json import write_missing
from sidelight.output.pictures.layout import NODE_HEIGHT, Layout, lay_out
from sidelight.output.report.html.evidence import edge_evidence, missing_edges, with_quick_evidence
from sidelight.output.report.html.stability import learned_once, stability
from sidelight.output.report.html.steps import steps_by_index
from sidelight.result.settings import LABELS
from sidelight.text.visible import visible

Data = dict[str, object]


def content(network: Network) -> Data:
    """Everything the page shows; texts have their invisible characters spelled out."""
    position = {name: i for i, name in enumerate(network.names)}
    layout = lay_out(network)
    spoken = network.by_position.edge_tests.short_names
    names = [str(name) for name in network.names]
    data = {
        "title": network.settings.table or "Learned network",
        "has_table": bool(network.settings.table),
        "version": version("sidelight"),
        "names": names,
        "spoken": None if spoken == names else spoken,
        **_drawn(layout),
        "edges": _edges(with_quick_evidence(learned_once(network)), layout),
        "boundaries": [sorted(position[y] for y in network.boundaries[name]) for name in network.names],
        **_separations(network),
        **missing_edges(network),
        **_knowledge(network),
        "steps": steps_by_index(network, position),
        **_background(network),
        **stability(network),
        "rows": network.n_rows,
        "types": [_type(column) for column in network.types],
        "types_words": types_counted(network.types),
    }
    shown = _visible(data)
    assert isinstance(shown, dict)
    return shown


def _type(column: ColumnType) -> Data:
    return {**column.as_dict(), "type": column.type_in_words}


def _drawn(layout: Layout) -> Data:
    return {
        "labels": layout.labels,
        "x": [round(x, 1) for x, _ in layout.centres],
        "y": [round(y, 1) for _, y in layout.centres],
        "widths": [round(width, 1) for width in layout.widths],
        "height": NODE_HEIGHT,
        "size": [round(side, 1) for side in layout.size],
        "across": layout.across,
    }


def _edges(network: Network, layout: Layout) -> list[Data]:
    directed = set(network.by_position.graph.directed_edges())
    return [
        {
            "tail": tail,
            "head": head,
            "directed": (tail, head) in directed,
            "route": [round(number) for point in route for number in point],
            **edge_evidence(network, network.names[tail], network.names[head]),
        }
        for (tail, head), route in sorted(layout.routes.items())
    ]


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
    sentences = list(dict.fromkeys(sentence for *_, found in pairs for sentence in found))
    position = {sentence: i for i, sentence in enumerate(sentences)}
    return {
        "known": [str(statement) for statement in network.settings.known.statements],
        "doubts": [str(doubt) for doubt in network.doubts],
        "said": sentences,
        "said_of": [
            [x, y, [position[sentence] for sentence in found], rests_on_knowledge(network, x, y)]
            for x, y, found in pairs
        ],
    }


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
        "trust": network.trust,
        "warnings": list(map(str, network.warnings)),
        "settings": [
            *([("Rows of the table", network.rows_in_words())] if network.n_rows is not None else []),
            *((LABELS[name], value) for name, value in network.settings.as_text().items()),
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


def _visible(data: object) -> object:
    """The same data with all texts made visible; line ends within code stay."""
    if isinstance(data, str):
        return "\n".join(visible(line) for line in data.split("\n"))
    if isinstance(data, dict):
        return {key: _visible(value) for key, value in data.items()}
    return [_visible(value) for value in data] if isinstance(data, list | tuple) else data
