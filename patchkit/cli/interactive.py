"""`apply -i`: asks for every hunk whether to apply it, like `git add -p`.

Takes the patch and a person's answers; applies what was chosen in one transaction and leaves the rest as a patch that
applies afterwards. The questions are on the terminal; standard output holds nothing but the rest, so that
`patchkit apply -i < all.patch > rest.patch` does what it says. Other runs are not kept waiting while a person thinks:
the lock is taken when all answers are there, and a file changed meanwhile is a refusal.
"""

from __future__ import annotations

import os
import re
import subprocess
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from patchkit.applying import Applied, read_patch, summary_spans
from patchkit.cli import CommandLineError, columns, give, show, write
from patchkit.cli.inputs import write_rest
from patchkit.core.changes import Files, Options, Plan
from patchkit.core.language import FileOp, Hunk, Patch
from patchkit.core.language.parser import parse, without_wrapping
from patchkit.core.workspace.root import Workspace
from patchkit.errors import Note, PatchkitError, reason
from patchkit.handles import OpenHandle
from patchkit.policy import EXECUTE
from patchkit.policy.permissions import MAY_WRITE, Judge, Judged
from patchkit.policy.trust import approve
from patchkit.repair import planned
from patchkit.repair.choices import Choice
from patchkit.repair.suggestion import names_another_file, suggest
from patchkit.report.correction import correction_spans
from patchkit.report.diagnostics import error_spans
from patchkit.report.spans import Spans, note_spans
from patchkit.report.stat import diff_spans
from patchkit.report.width import excerpt, visible
from patchkit.selecting import Chosen, OpenHunk, Part, Selection, open_hunks, with_chosen
from patchkit.writer import write as text_of

_QUESTIONS = {
    "hunk": "Apply this hunk",
    "new name": "Give the file this name",
    "new file": "Add this file",
    "deletion": "Delete this file",
    "change": "Make these changes",
}
_HELP = {
    "y": "apply this hunk",
    "n": "skip it",
    "a": "apply this and all that follow in the file",
    "d": "skip this and all that follow in the file",
    "j": "leave it undecided, and go to the next undecided one",
    "k": "leave it undecided, and go to the previous undecided one",
    "J": "go to the next one",
    "K": "go to the previous one",
    "/": "go to the next one whose lines match a regular expression",
    "s": "split it into smaller hunks",
    "e": "change its lines in an editor",
    "q": "skip this and all that follow in any file; what you chose before is applied",
    "?": "show this help",
}
_EDITED = """\
# The lines of the hunk: ' ' keeps a line of the file, '-' removes one, '+' adds one.
# Lines that begin with '#' are left out. An empty file leaves the hunk as it was.
"""
_ROUNDS = 8  # of questions: each settles some of what is wrong
_MOST_LINES = 6  # of the file that are shown of a place
_CORRECTION_HELP = """\
y - take the corrected patch, and ask about its hunks
n - apply nothing
"""


class Interview:
    """A conversation about one patch; `refused` says that it does not apply and the person left it so."""

    def __init__(self, questions: Questions, quiet: bool, rest: str | None) -> None:
        self._quiet, self._rest = quiet, rest
        self._questions = questions
        self._left = Patch([])
        self.refused = False

    def apply(self, text: str | Patch, files: Workspace, options: Options) -> Applied:
        """Asks, and applies what was chosen; `report` says what came of it."""
        if self._rest is not None:
            _refuse_unwritable(self._rest)
        given = read_patch(text, files, options) if isinstance(text, str) else text
        files.prepare(options)
        notes = [*given.notes, *files.begin(writing=False)]
        settling = Settling(self._questions, _quotable(text, options))
        try:
            patch, whole = settling.settle(given, files, options)
        except Declined:
            self.refused, self._left = True, given
            return Applied()
        skipped = [note for note in whole.notes if note.code == "P929"]  # which no question is about
        self._show_notes(notes + skipped)
        choosing = _Choosing(self._questions, patch, whole, files, options)
        choosing.ask_all()
        self._left = choosing.selection.rest()
        self._left.sections += settling.left
        self._left.environment_id = given.environment_id
        return _commit(choosing.selection, files)

    def report(self, done: Applied) -> None:
        """Says what was applied, and writes the rest."""
        if not self._quiet:
            none: Spans = [("Nothing was applied.", "good"), ("\n", "")]
            self._questions.show(summary_spans(done.updated, results=done.updated_files) if done.applied else none)
        self._show_notes(done.notes)
        rest = text_of(self._left) if self._left.sections else ""
        if self._rest is None:
            if rest and os.isatty(1):
                self._questions.say("Not applied; '--rest FILE' keeps it in a file:\n")
            give(rest)
        else:
            write_rest(self._rest, rest)

    def _show_notes(self, notes: list[Note]) -> None:
        if notes and not self._quiet:
            self._questions.show(note_spans(notes))


class _Choosing:
    """The questions about the parts of a plan, one after the other or in the order that the person likes."""

    def __init__(self, questions: Questions, patch: Patch, whole: Plan, files: Workspace, options: Options) -> None:
        self._questions = questions
        self._patch, self._files, self._options = patch, files, options
        self._final_newline = options.reading.final_newline or (False if options.reverse else None)
        self.selection = Selection(whole, self._final_newline)
        self._decided: set[int] = set()  # numbers of parts
        self._split: list[tuple[int, int]] = []  # keys of hunks

    def ask_all(self) -> None:
        """Asks until all parts are decided; those that are not at the end are skipped."""
        at: int | None = 0 if self.selection.parts else None
        while at is not None:
            parts = self.selection.parts
            keys = self._keys(at)
            answer = self._ask(parts[at], f"({at + 1}/{len(parts)})", keys)
            letter = answer[:1] if answer is not None else "q"
            if letter == "q":
                return
            if letter in "ynad":
                self._decide(at, letter)
                at = self._next_undecided(at, 1)
            elif letter in "jk":
                at = self._next_undecided(at, 1 if letter == "j" else -1)
            elif letter in "JK":
                at += 1 if letter == "J" else -1
            elif letter == "/":
                at = self._found(at, (answer or "")[1:].strip())
            elif letter == "s":
                self._split_part(at)
            elif letter == "e":
                at = self._edit(at)

    def _keys(self, at: int) -> list[str]:
        parts = self.selection.parts
        part = parts[at]
        others = [number for number in range(len(parts)) if number not in self._decided and number != at]
        useful = {
            "j": bool(others),
            "k": bool(others),
            "J": at + 1 < len(parts),
            "K": at > 0,
            "/": len(parts) > 1,
            "s": part.pieces > 1,
            "e": part.hunk is not None,
        }
        return [key for key in _HELP if key != "?" and useful.get(key, True)]

    def _ask(self, part: Part, count: str, keys: list[str]) -> str | None:
        """The answer, which begins with one of the keys; None at the end of the answers."""
        heading = f"{visible(part.file)}: {part.what} {visible(part.place)}".rstrip()
        self._questions.show([(heading, "strong"), ("\n", "")])
        self._questions.show(diff_spans(part.diff()))
        help_text = "".join(f"{key} - {_HELP[key]}\n" for key in [*keys, "?"])
        return self._questions.ask(f"{count} {_QUESTIONS[part.what]}", keys, help_text)

    def _decide(self, at: int, letter: str) -> None:
        """Takes or skips a part; with 'a' and 'd' also the undecided ones behind it in the file."""
        parts = self.selection.parts
        below = range(at + 1, len(parts)) if letter in "ad" else ()
        for number in [at, *below]:
            if number == at or (parts[number].file == parts[at].file and number not in self._decided):
                parts[number].taken = letter in "ya"
                self._decided.add(number)

    def _next_undecided(self, at: int, step: int) -> int | None:
        """The nearest undecided part in a direction, from the other end if there is none; None if all are decided."""
        total = len(self.selection.parts)
        around = [(at + step * distance) % total for distance in range(1, total + 1)]
        return next((number for number in around if number not in self._decided), None)

    def _found(self, at: int, expression: str) -> int:
        """The next part whose lines match a regular expression; the same part if there is none."""
        parts = self.selection.parts
        try:
            wanted = re.compile(expression)
        except re.error as error:
            self._questions.say(f"not a regular expression: {error}\n")
            return at
        around = [(at + distance) % len(parts) for distance in range(1, len(parts))]
        found = next((n for n in around if wanted.search(parts[n].diff().decode("utf-8", "replace"))), None)
        if not expression or found is None:
            self._questions.say("no other hunk matches\n" if expression else "give the expression behind the '/'\n")
            return at
        return found

    def _split_part(self, at: int) -> None:
        """Puts the pieces of a part in its place; none of them is decided."""
        part = self.selection.parts[at]
        self._split.append(part.key)
        more = part.pieces - 1
        self.selection.split(part)
        self._decided = {number + more if number > at else number for number in self._decided - {at}}

    def _edit(self, at: int) -> int | None:
        """Lets the person change a hunk; one that applies is taken, and the next is asked for."""
        part = self.selection.parts[at]
        assert part.hunk is not None, "the key is offered for hunks only"
        text = edited(_EDITED + "".join(f"{line}\n" for line in part.hunk.lines))
        lines = [line or " " for line in (text or "").rstrip("\n").split("\n") if line[:1] != "#"]
        unsigned = next((line for line in lines if line[0] not in " +-"), "")
        if not text or lines in ([], [" "]) or unsigned:
            why = f"a line has no sign: '{visible(unsigned)}'; " if unsigned else ""
            self._questions.say(f"{why}the hunk is as it was\n")
            return at
        try:
            self._plan_anew(part, part.hunk.with_lines(lines))
        except PatchkitError as error:
            self._questions.show(error_spans(error.errors, columns=self._questions.columns))
            return at
        changed = next((n for n, each in enumerate(self.selection.parts) if each.key == part.key), None)
        if changed is None:  # it changes nothing now
            return self._next_undecided(-1, 1) if self.selection.parts else None
        self._decide(changed, "y")
        return self._next_undecided(changed, 1)

    def _plan_anew(self, part: Part, hunk: Hunk) -> None:
        """Plans the patch with another hunk, and keeps what was decided about the other parts."""
        patch, _ = with_chosen(self._patch, {part.key: hunk})
        made = Selection(planned(patch, self._files, self._options), self._final_newline)
        for key in self._split:
            for each in [each for each in made.parts if each.key == key and each.what == "hunk"]:
                made.split(each)
        was = {_name(each): (each.taken, n in self._decided) for n, each in enumerate(self.selection.parts)}
        self._patch, self.selection, self._decided = patch, made, set()
        for number, each in enumerate(made.parts):
            each.taken, decided = was.get(_name(each), (False, False))
            if decided:
                self._decided.add(number)


def _name(part: Part) -> tuple[object, ...]:
    """What a part is called, whatever its place: the same part has the same name in another plan."""
    piece = part.place.partition("part ")[2].partition(" ")[0] if part.hunk is None else ""
    return part.file, part.what, part.key, piece


def _quotable(text: str | Patch, options: Options) -> str | None:
    """The text that line numbers count in, where the patch was one in the language."""
    if not isinstance(text, str) or options.source:
        return None
    try:
        return text if options.strict else without_wrapping(text)
    except PatchkitError:
        return text


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


# -- a patch that is refused ------------------------------------------------------------------------


class Declined(Exception):  # noqa: N818  # it ends a conversation, and is caught where that began
    """The person wants none of a patch that is refused; the refusal was shown."""


class Settling:
    """A conversation about what is wrong with a patch; `left` is what was left out of it."""

    def __init__(self, questions: Questions, text: str | None) -> None:
        self._questions = questions
        self._text = text  # what line numbers count in
        self.left: list[FileOp] = []

    def settle(self, patch: Patch, files: Files, options: Options) -> tuple[Patch, Plan]:
        """The patch and its plan, as soon as it applies; raises the refusal, or Declined."""
        for _ in range(_ROUNDS):
            try:
                return patch, planned(patch, files, options)
            except PatchkitError as error:
                found = open_hunks(error.plan) if isinstance(error.plan, Plan) else []
                asked = [each for each in found if each.choices]
                patch = self._chosen(patch, asked) if asked else self._corrected(patch, error, files, options)
        return patch, planned(patch, files, options)

    def _chosen(self, patch: Patch, found: list[OpenHunk]) -> Patch:
        """The patch with each ambiguous hunk at the place that the person names, or without it."""
        chosen: Chosen = {}
        for number, each in enumerate(found, 1):
            self._questions.show(_hunk_spans(each))
            chosen[each.key] = None
            choice = self._which(each, f"({number}/{len(found)})")
            if choice is not None:
                chosen[each.key] = each.placed(choice)
        made, left = with_chosen(patch, chosen)
        self.left += left
        if not made.sections:
            raise Declined  # all of it was left out
        return made

    def _which(self, each: OpenHunk, count: str) -> Choice | None:
        """The place that the person chooses; None to leave the hunk out."""
        total = len(each.choices)
        places = f"1-{total}" if total > 1 else "1"
        help_text = (
            f"{places} - apply the hunk at this place\n"
            "n - leave the hunk out; it goes into the rest\n"
            "q - apply nothing\n"
        )
        while True:
            answer = self._questions.ask(f"{count} At which place", [places, "n", "q"], help_text)
            if answer is None or answer[0] == "q":
                raise Declined
            if answer[0] == "n":
                return None
            choice = each.choices[int(answer) - 1]
            if each.placed(choice) is not None:
                return choice
            self._questions.say("the lines around this place are the same as around others; choose another, or 'n'\n")

    def _corrected(self, patch: Patch, error: PatchkitError, files: Files, options: Options) -> Patch:
        """The corrected patch, if there is one and the person takes it."""
        better = suggest(patch, error, files, options, options.strict)
        if better is not None and names_another_file(error):
            error.suggestion, error.certainty = better.text, better.certainty
        if better is None or names_another_file(error):
            raise error
        wide = self._questions.columns
        self._questions.show(error_spans(error.errors, self._text, wide))
        self._questions.show(correction_spans(self._text, better.text, better.certainty, wide, "patch", {}))
        answer = self._questions.ask("Take the corrected patch", ["y", "n"], _CORRECTION_HELP)
        if answer is None or answer[0] == "n":
            raise Declined
        self._text = better.text
        return parse(better.text, options.strict)


def _hunk_spans(each: OpenHunk) -> Spans:
    """An ambiguous hunk, and its places with the lines of the file there."""
    op = each.section.op
    more = f" (the first {len(each.choices)} are shown)" if each.count > len(each.choices) else ""
    heading = (
        f"{visible(op.path)}: hunk {each.index + 1} of {len(each.section.results)} matches {each.count} places{more}"
    )
    spans: Spans = [(heading, "strong"), ("\n", "")]
    for line in each.hunk.lines:
        spans += [(excerpt(line)[0], {"-": "removed", "+": "added"}.get(line[0], "")), ("\n", "")]
    for number, choice in enumerate(each.choices, 1):
        spans += _place_spans(number, choice, each)
    return spans


def _place_spans(number: int, choice: Choice, each: OpenHunk) -> Spans:
    inside = f", in '{visible(choice.inside)}'" if choice.inside else ""
    spans: Spans = [(f"{number}: line {choice.line}{inside}", "place"), ("\n", "")]
    first = max(1, choice.line - 1)
    last = min(len(each.texts), choice.line + max(1, len(each.hunk.old())))
    digits = len(str(last))
    for row in range(first, min(last, first + _MOST_LINES - 1) + 1):
        spans += [(f"  {row:>{digits}} |", "frame"), (f" {excerpt(each.texts[row - 1])[0]}".rstrip(), ""), ("\n", "")]
    return spans


def _refuse_unwritable(path: str) -> None:
    """Finds out before the first question that the rest has nowhere to go."""
    home = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise PatchkitError("P402", file=path, reason="is a directory")
    if not os.access(path if os.path.exists(path) else home, os.W_OK):
        reason = "permission denied" if os.path.isdir(home) else "no such directory"
        raise PatchkitError("P402", file=path, reason=reason)


# -- questions on a terminal: what is shown, what is asked, and the answers ---------------------------


class Questions:
    """Asks a person, and reads the answers line by line; the end of the answers is None."""

    def __init__(self, from_stdin: bool, color: str) -> None:
        self._answers, self._screen = _terminal(from_stdin)
        self._color = color

    def show(self, spans: Spans) -> None:
        show(self._screen, spans, self._color)

    def say(self, text: str) -> None:
        write(self._screen, text)

    @property
    def columns(self) -> int | None:
        """How wide the terminal is; None where there is none."""
        return columns(self._screen)

    def ask(self, question: str, keys: list[str], help_text: str) -> str | None:
        """The line that answers a question, which begins with one of the keys; '?' and everything else shows help.

        Letters may be small or large, unless the question has both; a range such as `1-9` among the keys means numbers.
        """
        while True:
            self.show([(f"{question} [{','.join(keys)},?]?", "frame"), (" ", "")])
            answer = self._answers.readline()
            if not answer:
                self.say("\n")
                return None
            line = answer.strip().decode("utf-8", "replace")
            letter = line[:1] if line[:1] in keys else line[:1].lower()
            if letter and letter in keys:
                return letter + line[1:]
            if line.isdecimal() and _is_among(int(line), keys):
                return line
            self.say(help_text)


_KEYS = {"y": ("this call", ""), "s": ("this session", "session"), "d": ("this workspace", "directory")}
_KEYS["a"] = ("always", "always")


def approves(judge: Judge, asked: list[Judged], session: str) -> bool:
    """Whether a person approves the parts of a call, on the terminal; an answer may hold longer than for the call."""
    try:
        questions = Questions(True, "")
    except CommandLineError:
        return False  # there is no terminal
    for part in asked:
        questions.say(f"{visible(part.reason, 1000)}: {visible(part.shown_rule, 1000)}\n")
    if any(part.deed.effect == EXECUTE for part in asked):
        questions.say(f"In a sandbox {MAY_WRITE}.\n")
    kept = [judge.approvable(part.deed) for part in asked]
    offered = [key for key in _KEYS if key == "y" or (all(what for _, what in kept) and (session or key != "s"))]
    helped = "".join(f"{key}: allow it, {_KEYS[key][0]}\n" for key in offered) + "n: no\n"
    answer = questions.ask("Allow it", [*offered, "n"], helped) or "n"
    scope = _KEYS.get(answer[0], ("", ""))[1]
    for effect, what in kept if scope else ():
        try:
            approve(effect, what, scope, judge.deeds.files.real, session)
        except OSError as error:
            questions.say(f"it holds for this call only: {reason(error)}\n")
    return answer[0] in offered


def _is_among(number: int, keys: list[str]) -> bool:
    ends = [key.partition("-") for key in keys if key[0].isdecimal()]
    return any(int(first) <= number <= int(last or first) for first, _, last in ends)


def edited(text: str) -> str | None:
    """A text as a person has changed it in an editor; None where the editor failed."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with NamedTemporaryFile("w+", suffix=".patch", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
        file.flush()
        # The variable may hold options, so a shell splits it; the terminal is where a person types.
        try:
            terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            terminal = os.dup(0)
        with OpenHandle(terminal):
            ran = subprocess.run(["sh", "-c", f'{editor} "$1"', "sh", file.name], stdin=terminal, stdout=2, check=False)
        if ran.returncode:
            return None
        with open(file.name, encoding="utf-8", errors="surrogateescape", newline="") as changed:
            return changed.read()


def _terminal(from_stdin: bool) -> tuple[BinaryIO, int]:
    """Where answers come from, and the stream that the questions go to."""
    if not from_stdin:
        return open(0, "rb", closefd=False), 2
    try:
        opened = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        raise CommandLineError("option '-i' needs a terminal to ask on, or the patch as an argument") from None
    return open(opened, "rb", buffering=0), 2 if os.isatty(2) else opened
