"""What a command turned out to be.

A Verdict is 'apply_patch' (with the patch, the directory and what was around it), 'other' (run it as
it is; a reason where the word was seen) or 'error' (it is meant for apply_patch but cannot be trusted:
code, reason, how to write it). Values, and the exceptions by which the walk reports the last two.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.shell.directory import ShellDirectory
from patchkit.values import Value


class PatchCall(Value):
    """The call as found: the text it gets, how it gets it, where it runs, and whether `2>&1` is there.

    `options` are words before the text, all of them options that our own messages advise. `doubt` is what a shell
    would warn of, '' where it is silent.
    """

    __slots__ = ("text", "directory", "form", "merged", "options", "doubt")
    text: str
    directory: ShellDirectory
    form: str
    merged: bool
    options: list[str]
    doubt: str

    def __init__(
        self, text: str, directory: ShellDirectory, form: str, merged: bool, options: list[str] | None = None
    ) -> None:
        self.text = text
        self.directory = directory
        self.form = form
        self.merged = merged
        self.options = options or []
        self.doubt = ""


class Then(Value):
    """A call that is sound in itself, with more to run after it.

    A runtime may apply `patch` in `workdir` and then run `setup`, a line end and `rest` in one shell started
    where the command was to start: always for the operator ';', and for '&&' only if the patch was applied.
    """

    __slots__ = ("patch", "workdir", "operator", "setup", "rest")
    patch: str
    workdir: str
    operator: str
    setup: str
    rest: str

    def __init__(self, patch: str, workdir: str, operator: str, setup: str, rest: str) -> None:
        self.patch = patch
        self.workdir = workdir
        self.operator = operator
        self.setup = setup
        self.rest = rest

    def as_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


class Verdict(Value):
    """`form` is how the patch was passed: direct, argument, heredoc, here-string or pipe. `merged` is for `2>&1`.

    `options` are those of the call, for callers who asked for calls with options; there are none for others.
    """

    __slots__ = ("verdict", "patch", "workdir", "reason", "code", "help", "shell", "form", "merged", "then", "options")
    verdict: str
    patch: str | None
    workdir: str | None
    reason: str | None
    code: str | None
    help: str | None
    shell: str | None
    form: str | None
    merged: bool
    then: Then | None
    options: list[str]

    def __init__(self, verdict: str, reason: str | None = None) -> None:
        self.verdict = verdict
        self.reason = reason
        self.patch = self.workdir = self.code = self.help = self.shell = self.form = None
        self.merged = False
        self.then = None
        self.options = []

    def as_dict(self) -> dict[str, object]:
        known = {name: getattr(self, name) for name in self.__slots__ if name != "options"}
        known["then"] = self.then.as_dict() if self.then else None
        return known


class NotOurs(Exception):  # noqa: N818  # it is an answer, not an error
    """The script does something else, or something more; the first argument says what."""


class Trailing(NotOurs):
    """The script calls apply_patch soundly and then does more."""

    def __init__(self, reason: str, then: Then, merged: bool) -> None:
        super().__init__(reason)
        self.then = then
        self.merged = merged


def accepted(patch: str, workdir: str, form: str, shell: str | None = None, merged: bool = False) -> Verdict:
    verdict = Verdict("apply_patch")
    verdict.patch = patch
    verdict.workdir = workdir
    verdict.form = form
    verdict.shell = shell
    verdict.merged = merged
    return verdict


def refused(error: PatchkitError) -> Verdict:
    verdict = Verdict("error")
    verdict.code = error.code
    verdict.reason, verdict.help = (error.message, error.hint)
    return verdict


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
