"""`apply -i`: ask of every hunk whether to apply it, like `git add -p`.

Takes the patch and a person's answers; applies what was chosen in one transaction and leaves the rest as a patch that
applies afterwards. The conversation is on the terminal; standard output holds nothing but the rest, so that
`patchkit apply -i < all.patch > rest.patch` does what it says. Nobody is kept from the workspace while a person thinks:
the lock is taken when all answers are there, and a file changed meanwhile is a refusal.
"""

from __future__ import annotations

import os

from patchkit.changes.apply import Applied
from patchkit.changes.options import Options
from patchkit.changes.planner import plan
from patchkit.changes.selection import Part, Selection
from patchkit.cli.arguments import Arguments, UsageError
from patchkit.cli.signals import finish_in_spite_of_signals
from patchkit.cli.streams import say, show
from patchkit.errors import Note, PatchkitError
from patchkit.language.model import Patch
from patchkit.language.parser import parse
from patchkit.language.writer import write
from patchkit.policy.settings_files import is_overseen
from patchkit.report.diagnostics import render_note
from patchkit.report.summary import summary
from patchkit.report.width import visible
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

_QUESTIONS = {
    "hunk": "Apply this hunk",
    "new name": "Give the file this name",
    "new file": "Add this file",
    "deletion": "Delete this file",
    "change": "Make these changes",
}
_HELP = """\
y - take this
n - leave this
a - take this and all that follows in the file
d - leave this and all that follows in the file
q - leave this and all that follows anywhere; what you took before is applied
? - show this help
"""


def converse(arguments: Arguments, text: str) -> int:
    """Asks, applies what was taken, tells it, and returns the exit status."""
    interview = Interview(arguments)
    with Workspace(arguments.root, arguments.directory) as files:
        files.on_commit = finish_in_spite_of_signals
        if is_overseen(arguments.agent, files.real):
            from patchkit.cli.apply_overseen import apply_overseen

            done = apply_overseen(text, files, arguments, interview.apply)
        else:
            done = interview.apply(text, files, arguments.options)
    interview.tell(done)
    return 0


class Interview:
    """A conversation about one patch."""

    def __init__(self, arguments: Arguments) -> None:
        self._quiet, self._color, self._rest = arguments.quiet, arguments.color, arguments.rest
        self._answers, self._screen = _terminal(from_stdin=arguments.patch in (None, "-"))
        self._left = Patch([])

    def apply(self, text: str, files: Workspace, options: Options) -> Applied:
        """Asks, and applies what was taken; `tell` says what came of it."""
        if self._rest is not None:
            _refuse_unwritable(self._rest)
        patch = parse(text, options.strict)
        files.prepare(options)
        notes = [*patch.notes, *files.begin(writing=False)]
        whole = plan(patch, files, options)
        self._tell_notes(notes)
        selection = Selection(whole, True if options.reading.final_newline else None)
        self._ask_all(selection.parts)
        self._left = selection.rest()
        self._left.environment_id = patch.environment_id
        return _commit(selection, files)

    def tell(self, done: Applied) -> None:
        """Says what was applied, and gives the rest."""
        if not self._quiet:
            self._show("summary", summary(done.sections) if done.applied else "Nothing was applied.\n")
        self._tell_notes(done.notes)
        rest = write(self._left) if self._left.sections else ""
        if self._rest is None:
            say(1, rest)
        else:
            _write(self._rest, rest)

    # -- the conversation ------------------------------------------------------------------------

    def _ask_all(self, parts: list[Part]) -> None:
        decided: dict[str, bool] = {}  # files of which all that follows is taken, or left
        for number, part in enumerate(parts, 1):
            if part.file not in decided:
                answer = self._ask(part, f"({number}/{len(parts)})")
                if answer == "q":
                    return
                part.taken = answer in "ya"
                if answer in "ad":
                    decided[part.file] = part.taken
            else:
                part.taken = decided[part.file]

    def _ask(self, part: Part, count: str) -> str:
        """One of 'y', 'n', 'a', 'd', 'q'; the end of the answers is a 'q'."""
        self._show("heading", f"{visible(part.file)}: {part.what} {visible(part.place)}".rstrip() + "\n")
        self._show("diff", part.diff())
        while True:
            self._show("question", f"{count} {_QUESTIONS[part.what]} [y,n,a,d,q,?]? ")
            answer = self._answers.readline()
            if not answer:
                say(self._screen, "\n")
                return "q"
            letter = answer.strip().decode("utf-8", "replace").lower()[:1]
            if letter and letter in "ynadq":
                return letter
            say(self._screen, _HELP)

    def _tell_notes(self, notes: list[Note]) -> None:
        if notes and not self._quiet:
            self._show("diagnostics", "".join(map(render_note, notes)))

    def _show(self, kind: str, words: str | bytes) -> None:
        show(self._screen, kind, words, self._color)


def _commit(selection: Selection, files: Workspace) -> Applied:
    done = Applied()
    taken = selection.taken()
    done.plans = [taken]
    if taken.effective:
        done.notes.extend(files.begin())  # whatever another run left while the person was thinking
        taken.commit()
        done.notes.extend(taken.notes)
        done.applied = True
    return done


# -- streams -------------------------------------------------------------------------------------


def _terminal(from_stdin: bool) -> tuple[BinaryIO, int]:
    """Where answers come from, and the stream that the questions go to."""
    if not from_stdin:
        return open(0, "rb", closefd=False), 2
    try:
        opened = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        raise UsageError("option '-i' needs a terminal to ask on, or the patch as an argument") from None
    return open(opened, "rb", buffering=0), 2 if os.isatty(2) else opened


def named_patch(word: str) -> bytes:
    """The patch that an argument is, or that is in the file it names: a person at a terminal gives a name."""
    if "\n" in word or not os.path.isfile(word):
        return os.fsencode(word)
    try:
        with open(word, "rb") as file:
            return file.read()
    except OSError as error:
        raise PatchkitError("P401", file=word, reason=str(error.strerror).lower()) from None


def _refuse_unwritable(path: str) -> None:
    """Finds out before the first question that the rest has nowhere to go."""
    home = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise PatchkitError("P402", file=path, reason="is a directory")
    if not os.access(path if os.path.exists(path) else home, os.W_OK):
        reason = "permission denied" if os.path.isdir(home) else "no such directory"
        raise PatchkitError("P402", file=path, reason=reason)


def _write(path: str, rest: str) -> None:
    """Writes the rest, nothing if there is none; where that fails it is printed, for it is nowhere else."""
    try:
        with open(path, "wb") as file:
            file.write(rest.encode("utf-8", "surrogateescape"))
    except OSError as error:
        say(2, f"cannot write '{visible(path)}': {str(error.strerror).lower()}; the rest of the patch follows\n")
        say(1, rest)
