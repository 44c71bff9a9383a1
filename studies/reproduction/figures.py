"""Figures: means with 80 % bands, one line for each algorithm, in colours that colour-blind readers can distinguish."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from sidelight.errors import InputError

BAND = 0.8
# Colours of Okabe and Ito, with a marker and a dash of its own for each line.
STYLES = (
    ("#D55E00", "o", "-"),
    ("#0072B2", "s", "-"),
    ("#009E73", "^", "--"),
    ("#CC79A7", "D", "--"),
    ("#E69F00", "v", "-."),
    ("#56B4E9", "P", "-."),
    ("#000000", "X", ":"),
)
LOOKS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e3e3e3",
    "svg.hashsalt": "sidelight",
    "svg.fonttype": "path",
}


@dataclass(frozen=True)
class Panel:
    """One set of axes: for each line, the runs at each x."""

    title: str
    x_label: str
    y_label: str
    lines: Mapping[str, Mapping[float, Sequence[float]]]
    log_x: bool = False
    log_y: bool = False
    y_limits: tuple[float, float] | None = None
    of_shares: bool = False  # runs that are 0 or 1: their band is Wilson's interval
    cut: Mapping[str, frozenset[float]] = field(default_factory=dict)  # where runs were stopped: drawn hollow


@dataclass(frozen=True)
class Figure:
    """Panels side by side under one legend."""

    name: str
    title: str
    panels: tuple[Panel, ...]

    def draw(self) -> dict[str, bytes]:
        """The picture by extension: SVG and PNG."""
        check_matplotlib()
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        with plt.rc_context(LOOKS):
            width = 4.6 * max(len(self.panels), 1.4)
            picture, axes = plt.subplots(1, len(self.panels), figsize=(width, 4.2), squeeze=False)
            order = _order(self.panels)
            for panel, ax in zip(self.panels, axes[0], strict=True):
                _draw_panel(panel, ax, order)
            picture.suptitle(self.title, y=0.985, fontsize=13, fontweight="bold")
            if len(order) > 1:
                _add_legend(picture, axes[0], order)
            if any(panel.cut for panel in self.panels):
                picture.text(0.99, 0.005, "hollow: runs stopped at the limit", ha="right", fontsize=9, color="#555555")
            picture.tight_layout(rect=(0, 0.09 if len(order) > 1 else 0, 1, 1.0))
            images = {extension: _saved(picture, extension) for extension in ("svg", "png")}
            plt.close(picture)
        return images


def check_matplotlib() -> None:
    """Raise when figures cannot be drawn."""
    if find_spec("matplotlib") is None:
        raise InputError("figures need matplotlib: pip install 'sidelight[plot]'")


def _add_legend(picture: Any, axes: Sequence[Any], order: list[str]) -> None:
    handles: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    shown = [handles[label] for label in order]
    picture.legend(shown, order, loc="lower center", ncol=len(order), frameon=False)


def _saved(picture: Any, extension: str) -> bytes:
    file = io.BytesIO()
    # Without the date, the same data give the same bytes.
    picture.savefig(file, format=extension, dpi=160, metadata={"Date": None} if extension == "svg" else {})
    return file.getvalue()


def _order(panels: tuple[Panel, ...]) -> list[str]:
    return list(dict.fromkeys(label for panel in panels for label in panel.lines))


def _draw_panel(panel: Panel, ax: Any, order: list[str]) -> None:
    for label, runs in panel.lines.items():
        place = order.index(label) % len(STYLES)
        colour, marker, dash = STYLES[place]
        xs = sorted(runs)
        band = share_and_band if panel.of_shares else _log_band if panel.log_y else mean_and_band
        bands = np.array([band(runs[x]) for x in xs])
        # Larger marks below smaller ones, so that lines that agree are seen to.
        size = 10 if place == 0 else 6
        ax.plot(xs, bands[:, 0], dash, color=colour, marker=marker, markersize=size, linewidth=2, label=label)
        hollow = [i for i, x in enumerate(xs) if x in panel.cut.get(label, ())]
        marks = {"linestyle": "none", "marker": marker, "markersize": size, "color": colour}
        ax.plot([xs[i] for i in hollow], bands[hollow, 0], markerfacecolor="white", markeredgewidth=1.6, **marks)
        ax.fill_between(xs, bands[:, 1], bands[:, 2], color=colour, alpha=0.15, linewidth=0)
    ax.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    if panel.log_x:
        ax.set_xscale("log")
    if panel.log_y:
        _plain_log_axis(ax)
    if panel.y_limits:
        ax.set_ylim(*panel.y_limits)
    xs = sorted({x for runs in panel.lines.values() for x in runs})
    ax.set_xticks(xs, [f"{x:,g}" for x in xs])
    ax.xaxis.minorticks_off()


def _plain_log_axis(ax: Any) -> None:
    """Numbers instead of powers, and enough of them where the axis spans little."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_yscale("log")
    low, high = ax.get_ylim()
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0,) if high / low > 100 else (1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.10g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def mean_and_band(runs: Sequence[float]) -> tuple[float, float, float]:
    """The mean, and an 80 % confidence interval for it by Student's t."""
    from scipy.stats import t

    mean = float(np.mean(runs))
    if len(runs) < 2:
        return mean, mean, mean
    half = float(t.ppf(0.5 + BAND / 2, len(runs) - 1) * np.std(runs, ddof=1) / np.sqrt(len(runs)))
    return mean, mean - half, mean + half


def share_and_band(runs: Sequence[float]) -> tuple[float, float, float]:
    """The share of ones, and Wilson's 80 % interval for it, which has a width also where all runs agree."""
    from scipy.stats import binomtest

    interval = binomtest(int(sum(runs)), len(runs)).proportion_ci(BAND, "wilson")
    return float(np.mean(runs)), float(interval.low), float(interval.high)


def _log_band(runs: Sequence[float]) -> tuple[float, float, float]:
    """The same for a logarithmic axis: what is not above 0 is not drawn, and the band ends a decade below the mean."""
    mean, low, high = mean_and_band(runs)
    return (mean, max(low, mean / 10), high) if mean > 0 else (np.nan, np.nan, np.nan)
