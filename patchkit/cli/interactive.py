"""`apply -i`: asks for every hunk whether to apply it, like `git add -p`.

Takes the patch and a person's answers; applies what was chosen in one transaction and leaves the rest as a patch that
applies afterwards. The questions are on the terminal; standard output holds nothing but the rest, so that
`patchkit apply -i < all.patch > rest.patch` does what it says. Other runs are not kept waiting while a person thinks:
the lock is taken when all answers are there, and a file changed meanwhile is a refusal.
"""

from __future__ import annotations

import os

from patchkit.changes.apply import Applied, read_patch
from patchkit.changes.options import Options
from patchkit.changes.planner import plan
from patchkit.changes.selection import Part, Selection
from patchkit.cli.arguments import ApplyArguments
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.streams import show, write
from patchkit.errors import Note, PatchkitError
from patchkit.language import writer
from patchkit.language.model import Patch
from patchkit.report.diagnostics import note_spans
from patchkit.report.stat import diff_spans
from patchkit.report.summary import summary_spans
from patchkit.report.width import visible
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from patchkit.report.spans import Spans

_QUESTIONS = {
    "hunk": "Apply this hunk",
    "new name": "Give the file this name",
    "new file": "Add this file",
    "deletion": "Delete this file",
    "change": "Make these changes",
}
_HELP = """\
y - apply this hunk
n - skip it
a - apply this and all that follow in the file
d - skip this and all that follow in the file
q - skip this and all that follow in any file; what you chose before is applied
? - show this help
"""


class Interview:
    """A conversation about one patch."""

    def __init__(self, arguments: ApplyArguments) -> None:
        self._quiet, self._color, self._rest = arguments.quiet, arguments.color, arguments.rest
        self._answers, self._screen = _terminal(from_stdin=arguments.patch in (None, "-"))
        self._left = Patch([])

    def apply(self, text: str | Patch, files: Workspace, options: Options) -> Applied:
        """Asks, and applies what was chosen; `report` says what came of it."""
        if self._rest is not None:
            _refuse_unwritable(self._rest)
        patch = read_patch(text, files, options) if isinstance(text, str) else text
        files.prepare(options)
        notes = [*patch.notes, *files.begin(writing=False)]
        whole = plan(patch, files, options)
        self._show_notes(notes)
        selection = Selection(whole, True if options.reading.final_newline else None)
        self._ask_all(selection.parts)
        self._left = selection.rest()
        self._left.environment_id = patch.environment_id
        return _commit(selection, files)

    def report(self, done: Applied) -> None:
        """Says what was applied, and writes the rest."""
        if not self._quiet:
            self._show(summary_spans(done.sections) if done.applied else [("Nothing was applied.", "good"), ("\n", "")])
        self._show_notes(done.notes)
        rest = writer.write(self._left) if self._left.sections else ""
        if self._rest is None:
            write(1, rest)
        else:
            _write(self._rest, rest)

    # -- the questions ---------------------------------------------------------------------------

    def _ask_all(self, parts: list[Part]) -> None:
        decided: dict[str, bool] = {}  # files of which all that follows is applied, or skipped
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
        heading = f"{visible(part.file)}: {part.what} {visible(part.place)}".rstrip()
        self._show([(heading, "strong"), ("\n", "")])
        self._show(diff_spans(part.diff()))
        while True:
            self._show([(f"{count} {_QUESTIONS[part.what]} [y,n,a,d,q,?]?", "frame"), (" ", "")])
            answer = self._answers.readline()
            if not answer:
                write(self._screen, "\n")
                return "q"
            letter = answer.strip().decode("utf-8", "replace").lower()[:1]
            if letter and letter in "ynadq":
                return letter
            write(self._screen, _HELP)

    def _show_notes(self, notes: list[Note]) -> None:
        if notes and not self._quiet:
            self._show(note_spans(notes))

    def _show(self, spans: Spans) -> None:
        show(self._screen, spans, self._color)


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
        raise CommandLineError("option '-i' needs a terminal to ask on, or the patch as an argument") from None
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
        write(2, f"cannot write '{visible(path)}': {str(error.strerror).lower()}; the rest of the patch follows\n")
        write(1, rest)
