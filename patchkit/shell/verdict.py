"""What a command turned out to be.

A Verdict is 'apply_patch' (with the patch, the directory and what was around it), 'other' (run it as
it is; a reason where the word was seen) or 'error' (it is meant for apply_patch but cannot be trusted:
code, reason, how to write it). Values, and the exceptions by which the walk reports the last two.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.values import Record


class Then(Record):
    """A call that is sound in itself, with more to run after it.

    A runtime may apply `patch` in `workdir` and then run `setup`, a line end and `rest` in one shell started
    where the command was to start: always for the operator ';', and for '&&' only if the patch was applied.
    """

    patch: str
    workdir: str
    operator: str
    setup: str
    rest: str


class Verdict(Record):
    """`form` is how the patch was passed: direct, argument, heredoc, here-string or pipe. `merged` is for `2>&1`."""

    verdict: str
    patch: str | None = None
    workdir: str | None = None
    reason: str | None = None
    code: str | None = None
    help: str | None = None
    shell: str | None = None
    form: str | None = None
    merged: bool = False
    then: Then | None = None
    options: list[str] = []  # of the call, for callers who asked for calls with options

    def as_dict(self) -> dict[str, object]:
        known = {name: getattr(self, name) for name in self._names if name != "options"}
        known["then"] = dict(vars(self.then)) if self.then else None
        return known


class NotOurs(Exception):  # noqa: N818  # it is an answer, not an error
    """The script does something else, or something more; the first argument says what."""


class Trailing(NotOurs):
    """The script calls apply_patch soundly and then does more."""

    def __init__(self, reason: str, then: Then, merged: bool) -> None:
        super().__init__(reason)
        self.then = then
        self.merged = merged


def refused(error: PatchkitError) -> Verdict:
    return Verdict("error", reason=error.message, code=error.code, help=error.hint)


# Options that our own messages advise, and whether a value follows.
_OPTIONS = {
    "--forward": False,
    "--overwrite": False,
    "--strict": False,
    "--allow-vcs": False,
    "--allow-owner-change": False,
    "--allow-duplicate": False,
    "--allow-placeholder": False,
    "--fix": False,
    "--fix=certain": False,
    "--fix=likely": False,
    "--root": True,
    "--max-pass": True,
}


def split_options(words: list[str]) -> tuple[list[str], list[str]]:
    """The options at the beginning of the words after `apply_patch`, and the rest of them."""
    at = 0
    while at < len(words) and words[at] in _OPTIONS:
        at += 1 + _OPTIONS[words[at]]
    return words[:at], words[at:]
