"""How much a search may cost: seconds, and names looked at. What is over budget stops, and says so."""

from __future__ import annotations

import time

_ENDLESS = float("inf")


class Budget:
    """Counts from the moment it is made; 0 seconds or visits stand for as many as it takes."""

    __slots__ = ("started", "seconds", "visits", "deadline")

    def __init__(self, seconds: float = 0, visits: int = 0) -> None:
        self.started = time.monotonic()
        self.seconds = seconds
        self.visits = visits
        self.deadline = self.started + seconds if seconds else _ENDLESS

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds that are left, never less than nothing; endless where there is no limit."""
        return max(self.deadline - time.monotonic(), 0) if self.seconds else _ENDLESS

    def late(self) -> bool:
        return self.seconds > 0 and time.monotonic() >= self.deadline
