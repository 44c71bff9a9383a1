"""What changes over significance levels: the same data, tested at each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace

from sidelight.errors import InputError
from sidelight.families import CITest
from sidelight.families.options import option
from sidelight.learning import Clock, learn_marks, learn_prepared
from sidelight.network import Network
from sidelight.options import Options, check_alpha, takes
from sidelight.prepare import Prepared, prepare
from sidelight.result.certainty import Levels
from sidelight.text.message import Message, OptionName, must_be

USUAL = (0.001, 0.01, 0.05)


@dataclass(frozen=True)
class LevelOptions(Options):
    """The significance levels, and how a network is learned at each."""

    _: KW_ONLY
    alphas: Sequence[float] = option(
        USUAL,
        "The significance levels to compare, two or more; ``alpha`` is that of the network which is returned.",
        "Compare these significance levels, commas between, such as 0.001,0.01,0.05.",
    )


@takes(LevelOptions)
def at_levels(source: object, options: LevelOptions) -> Network:
    """Learn a network, and what changes at other significance levels: its ``levels`` hold the edges at each.

    Args:
        source: what ``learn`` takes.
    """
    alphas = checked_alphas(options.alphas)
    if options.resamples:
        raise InputError(Message(OptionName("resamples"), " goes with learn and stability, which takes alphas too"))
    asked = of_learning(options)
    clock = Clock(asked.progress or (lambda phase, done: None))
    data = prepare(source, asked, clock.start)
    network = learn_prepared(source, data, asked, clock)
    return with_levels(network, data.test, asked, alphas)


def of_learning(options: Options) -> Options:
    """The options of ``learn`` alone, checked."""
    return Options(**{field.name: getattr(options, field.name) for field in fields(Options)}).checked()


def with_levels(network: Network, test: CITest, asked: Options, alphas: Iterable[float]) -> Network:
    """The network with what the same test gives at these levels."""
    options = replace(asked.for_test(bool(test.scores())), progress=None)
    known = options.constraints(network.names)
    graphs = {alpha: learn_marks(Prepared(test), replace(options, alpha=alpha), known) for alpha in alphas}
    if float(asked.alpha) in graphs:
        graphs[float(asked.alpha)] = network.by_position.marks
    return replace(network, levels=Levels.of(network.names, graphs))


def checked_alphas(alphas: object) -> tuple[float, ...]:
    """The levels as numbers, each once."""
    if isinstance(alphas, str) or not isinstance(alphas, Iterable):
        raise InputError(must_be("alphas", "several significance levels, such as 0.001 and 0.05", alphas))
    levels = list(alphas)
    for alpha in levels:
        check_alpha("alphas", alpha)
    if len(set(levels)) < 2:
        raise InputError(must_be("alphas", "two significance levels or more", levels))
    return tuple(sorted({float(alpha) for alpha in levels}))
