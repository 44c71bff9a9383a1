"""The study as one page: figures, tables, and frank words on what holds."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from sidelight.experiments.figures import Figure
from sidelight.experiments.study import Experiment, Scale
from sidelight.experiments.tables import LONG, Table


def report(shown: Sequence[tuple[Experiment, Scale, Sequence[Figure | Table]]]) -> str:
    """Markdown, with figures in ``figures/`` beside it."""
    introduction = files("sidelight.experiments").joinpath("reproduction.md").read_text()
    return "\n".join([introduction, *(_section(*part) for part in shown)])


def _section(experiment: Experiment, scale: Scale, outputs: Sequence[Figure | Table]) -> str:
    size = f"{scale.runs} runs for each point; sizes {', '.join(f'{size:,}' for size in scale.sizes)}"
    limit = f"; counts cut at {scale.max_tests:,} tests" if scale.max_tests else ""
    parts = [f"## {experiment.title}\n", f"    sidelight reproduce {experiment.name}\n", f"{experiment.words}\n"]
    parts += [f"({size}{limit}.)\n", *map(_shown, outputs)]
    return "\n".join(parts)


def _shown(output: Figure | Table) -> str:
    if isinstance(output, Figure):
        return f"![{output.title.replace('$', '')}](figures/{output.name}.svg)\n"
    if len(output.rows) > LONG:
        return f"{output.title}: `{output.place}/{output.name}.csv`.\n"
    return output.to_markdown()
