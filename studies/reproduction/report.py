"""The study as one page of Markdown, a section for each experiment, with its figures and tables."""

from __future__ import annotations

from collections.abc import Sequence

from studies.reproduction.figures import Figure
from studies.reproduction.study import Experiment, Scale
from studies.reproduction.tables import LONG, ResultTable

HEAD = "# Figures and tables\n\nMade by `python -m studies.reproduction`.\n"


def section(experiment: Experiment, scale: Scale, outputs: Sequence[Figure | ResultTable]) -> str:
    """What an experiment has shown; figures and tables are in folders beside the page."""
    size = f"{scale.runs} runs for each point; sizes {', '.join(f'{size:,}' for size in scale.sizes)}"
    limit = f"; runs stopped at {scale.max_tests:,} tests" if scale.max_tests else ""
    command = f"    python -m studies.reproduction {experiment.name}\n"
    parts = [f"## {experiment.title}\n", command, f"{experiment.words}\n", f"({size}{limit}.)\n"]
    return "\n".join([*parts, *map(_shown, outputs)])


def _shown(output: Figure | ResultTable) -> str:
    if isinstance(output, Figure):
        return f"![{output.title.replace('$', '')}](figures/{output.name}.svg)\n"
    if len(output.rows) > LONG:
        place = f"{output.place}/{output.name}.csv"
        return f"{output.title}: [{place}]({place}).\n"
    return output.to_markdown()
