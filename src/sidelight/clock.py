"""Seconds per phase of learning, and its progress passed on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

Progress = Callable[[str, int], None]


@dataclass
class Clock:
    """Seconds per phase, and the phases' progress passed on."""

    report: Progress
    seconds: dict[str, float] = field(default_factory=dict)
    _phase: str = ""
    _started: float = 0.0

    def start(self, phase: str) -> Callable[[], None]:
        """Begin a phase; the returned function is called at each of its steps."""
        self.stop()
        self._phase, self._started, done = phase, perf_counter(), 0
        self.report(phase, 0)

        def tick() -> None:
            nonlocal done
            done += 1
            self.report(phase, done)

        return tick

    def stop(self) -> dict[str, float]:
        """End the current phase."""
        if self._phase:
            self.seconds[self._phase] = perf_counter() - self._started
        self._phase = ""
        return self.seconds
