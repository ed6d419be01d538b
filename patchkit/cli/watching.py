"""Word of how far a run of `apply_patch` is, for whoever watches it on a terminal. Loaded only there."""

from __future__ import annotations

from patchkit.cli.terminal import progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.progress import Progress

_MANY = 64  # files, before anybody could wonder what takes so long


class Watch:
    """Takes what is done, how many, of how many; says so once there is much to tell."""

    __slots__ = ("line",)

    def __init__(self) -> None:
        self.line: Progress | None = None

    def __call__(self, doing: str, number: int, total: int) -> None:
        if self.line is None:
            if total and number < _MANY:
                return
            self.line = progress(2)
        self.line(doing, number, total)

    def end(self) -> None:
        if self.line is not None:
            self.line.end()
