"""The redirects of one command, and which of them leave its meaning alone."""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.shell.verdict import NotOurs

_SILENT = (("", ">", "/dev/null"), ("1", ">", "/dev/null"))
_QUIET = (("2", ">", "/dev/null"), ("2", ">&", "1"))


class Redirects:
    """Texts for standard input, each with its form, and everything else as descriptor, operator and target."""

    def __init__(self) -> None:
        self.inputs: list[tuple[str, str]] = []
        self.others: list[tuple[str, str, str]] = []

    def merged(self, unread: bool = False) -> bool:
        """Whether `2>&1` is there; refuses every other redirect, but for `</dev/null` where input stays `unread`."""
        rest = [each for each in self.others if not (unread and each == ("", "<", "/dev/null"))]
        # One of each at most: zsh would write the errors twice.
        if rest not in ([], [("2", ">&", "1")]) or len(self.others) > len(rest) + 1:
            raise self.refusal()
        return bool(rest)

    def silences(self, both: bool) -> bool:
        """Whether standard output goes to /dev/null; refuses what does more than silence the command."""
        silent = [each for each in self.others if each in _SILENT or (both and each == ("", "&>", "/dev/null"))]
        if any(each not in silent and each not in _QUIET for each in self.others):
            raise self.refusal()
        if self.inputs:
            raise NotOurs("a text is given to a command that does not read it")
        return bool(silent)

    def refusal(self) -> PatchkitError:
        return PatchkitError("P506", redirect=" ".join("".join(each) for each in self.others)[:60] or "<<")
