"""The `apply_patch` command: arguments, streams and the exit status.

Reads a patch from its one argument or from standard input, applies it under the workspace, prints the summary; with
'-i' asks a person about every hunk first. Where settings have rules or a log, or an agent calls, the run is overseen:
asked about before, recorded after. What is imported here is what a plain successful run needs. Everything else is
loaded at a few places: the table of options where there are words, click where they are not plainly right, `refusals`
where there is more to print than the summary.
"""

from __future__ import annotations

import os
import sys

from patchkit.applying import Applied, apply, joined_patch, summary_spans, written_patch
from patchkit.cli import (
    DONE,
    REFUSED,
    USAGE,
    CommandLineError,
    Interrupted,
    complain,
    crashed,
    end,
    finish_in_spite_of_signals,
    progress,
    roll_back_on_signals,
    show,
    write,
)
from patchkit.core.changes import OPTIONS, Options
from patchkit.core.language import Patch
from patchkit.core.language.parser import decode
from patchkit.core.workspace.root import Workspace
from patchkit.errors import Note, PatchkitError, reason
from patchkit.history import tracked_workspace
from patchkit.policy import WRITE, is_agent, is_overseen, variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.bases import PatchBases
    from patchkit.cli.quick import Given, QuickCommand
    from patchkit.policy.permissions import Judge, Judgement

    Work = Callable[[str | Patch, Workspace, Options], Applied]
    WorkOnTexts = Callable[[str | list[str], Workspace, Options], Applied]

MOST_PATCH_BYTES = 64 << 20  # the same as in `options`, which a run without arguments has no need to load
_LEFT = ("P982", "P983")  # notes on work that is left: conflicts to decide, changes to make by a command
_kept: list[object] = []  # what was made: releasing it at the end of the process would cost more than the patch
_ONE_ARGUMENT = "apply_patch accepts exactly one argument."  # Codex's words, to the byte
_ONE_PATCH = "give the text of one patch, or the names of files; with -i that of one file"
_USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n"
_NAMED_USAGE = "Usage: patchkit apply FILE…\n       patchkit apply < FILE\n"
_EXAMPLE = """\
apply_patch <<'EOF'
*** Begin Patch
*** Update File: src/app.py
@@ def greet():
-    print("Hi")
+    print("Hello, world!")
*** End Patch
EOF
"""


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    try:
        status = run(sys.argv[1:] if words is None else words)
    except Exception as error:
        status = crashed(error)
    end(status)


def quick(words: list[str]) -> int | None:
    """`patchkit apply`, which takes the names of files."""
    return run(words[1:], by_name=True)


def run(words: list[str], patch: bytes | None = None, by_name: bool = False) -> int:
    """Runs the command and returns its status; `patch` if the caller has read it, `by_name` for `patchkit apply`."""
    asks_for_completion = "_APPLY_PATCH_COMPLETE" in os.environ and not by_name
    if not words and not asks_for_completion:
        return _run({}, patch, by_name)
    command = declared(by_name, patch)
    status = None if asks_for_completion else command.quick(words)
    if status is not None:
        return status
    from patchkit.cli.group import run_declared  # which loads click

    return run_declared(command, words, _program(by_name))


def declared(by_name: bool, patch: bytes | None = None) -> QuickCommand:
    """What the command line of the command is; `by_name` for `patchkit apply`."""
    from patchkit.cli.options import APPLY, FILES, PATCHES, TOGETHER
    from patchkit.cli.quick import QuickCommand

    def answer(given: Given) -> int:
        return _run(given, patch, by_name)

    about = "Apply a '*** Begin Patch' … '*** End Patch' text: all of it, or nothing."
    if not by_name:
        usage = ("apply_patch [OPTIONS] 'PATCH'", "apply_patch [OPTIONS] < FILE", "apply_patch [OPTIONS] -")
        return QuickCommand("apply_patch", about, answer, PATCHES, APPLY, usage, _EXAMPLE)
    about += (
        "\n\nSeveral files are applied one after the other. 'apply_patch' does the same with a patch as its argument."
    )
    usage = ("patchkit apply [OPTIONS] FILE…", "patchkit apply [OPTIONS] < FILE", "patchkit apply [OPTIONS] 'PATCH'")
    example = "patchkit apply --check --diff fix.patch\npatchkit apply fix.patch\n"
    return QuickCommand("apply", about, answer, FILES, (*APPLY, TOGETHER), usage, example)


def _run(given: Given, patch: bytes | None, by_name: bool) -> int:
    text: str | None = None
    try:
        arguments = ApplyArguments(given, by_name)
    except CommandLineError as error:
        if str(error) == _ONE_ARGUMENT:
            write(2, f"Error: {error}\n")
            return USAGE
        return complain(str(error), _program(by_name))
    try:
        roll_back_on_signals()
        if arguments.named:
            return _apply_files(arguments)
        data = _read_patch(arguments) if patch is None else _within_limit(arguments, patch)
        if data is None or (not data and patch is None and arguments.patch in (None, "-")):
            if data is not None and (by_name or os.isatty(2)):
                write(2, "error: no patch: standard input is empty\n")
            write(2, _usage(by_name))
            return USAGE
        text = decode(data or b"")
        return _apply(arguments, text)
    except CommandLineError as error:
        return complain(str(error), _program(by_name))
    except (Exception, Interrupted) as error:  # also a defect of ours is reported in one line
        return _refuse(arguments, error, text)


def _refuse(
    arguments: ApplyArguments, error: BaseException, text: str | None, source: str = "patch", before: int | None = None
) -> int:
    """Reports why a patch was not applied; returns the status."""
    from patchkit.cli.refusals import refuse  # all that a refusal needs

    if isinstance(error, PatchkitError) and error.code == "P109":
        is_argument = source == "patch" and arguments.patch not in (None, "-")
        if not is_argument and (source != "patch" or "name" not in error.facts):
            error.code = "P101"  # the advice to name the file would lead to the same answer
    return refuse(arguments, error, text, source, before)


def _program(by_name: bool) -> str:
    return "patchkit apply" if by_name else "apply_patch"


def _usage(by_name: bool) -> str:
    """How to call it; the two lines of Codex in a pipe, with a word about help for a person."""
    if by_name:
        return _NAMED_USAGE + "'patchkit apply --help' lists the options.\n"
    return _USAGE + ("'apply_patch --help' lists the options.\n" if os.isatty(2) else "")


class ApplyArguments:
    """The command line, read: `options` is what to apply and how, the rest is the command's own."""

    patch: str | None = None
    root: str | None
    start: str | None = None
    agent: bool
    diff = stat = numstat = as_json = quiet = interactive = together = False
    color = "auto"
    rest: str | None = None
    max_patch_bytes = MOST_PATCH_BYTES
    named: tuple[str, ...] = ()  # files with patches, where the command takes names
    base_name: str | None = None
    bases: PatchBases | None = None  # the base of that name, once it is opened

    def __init__(self, given: Given, by_name: bool = False) -> None:
        self.options = Options()
        self.root = os.environ.get("PATCHKIT_ROOT") or None
        self.agent = is_agent()
        if given:
            self._take(given, by_name)
        self.shows_changes = self.diff or self.stat or self.numstat  # and not only where they are
        self.only_numbers = self.numstat and not self.stat and not self.diff  # a program reads them
        self.options.remember = self.as_json or self.shows_changes
        self.options.suggest = True
        try:
            if "dialect" not in given:
                self.options.dialect = variable("PATCHKIT_DIALECT")
            self.options.syntax = self.options.syntax or variable("PATCHKIT_SYNTAX")
            self.options.checked()
        except PatchkitError as error:
            raise CommandLineError(f"{error.message}; {error.hint}") from None
        if self.interactive and (self.options.remember or self.options.check):
            raise CommandLineError(
                "option '-i' goes with none of '--check', '--json', '--diff', '--stat' and '--numstat'"
            )
        if self.rest is not None and not self.interactive and not self.options.partial:
            raise CommandLineError("option '--rest' goes with '-i' and '--partial' only")
        if self.interactive and self.options.partial:
            raise CommandLineError("option '--partial' does not go with '-i'")
        if self.options.conflicts and self.base_name is None:
            raise CommandLineError("option '--conflicts' goes with '--base' only")
        if self.interactive and len(self.named) > 1:
            raise CommandLineError("option '-i' takes one patch at a time")
        if os.isatty(1) and not self.quiet:
            self.options.remember = True  # a person is shown how many lines were changed

    def _take(self, given: Given, by_name: bool) -> None:
        for field, value in given.items():
            if field == "no_history":
                self.options.history = False
            elif field == "commit":
                self.options.commit = "" if value == "-" else str(value)
            elif field != "patches":
                setattr(self.options if field in OPTIONS else self, field, value)
        patches: tuple[str, ...] = given.get("patches", ())  # type: ignore[assignment]  # the reader gives texts
        if by_name and patches and not any("\n" in word for word in patches) and not self.interactive:
            self.named = patches
        elif len(patches) > 1:
            raise CommandLineError(_ONE_PATCH if by_name else _ONE_ARGUMENT)
        elif patches:
            self.patch = patches[0]


def _apply(arguments: ApplyArguments, text: str | list[str]) -> int:
    if arguments.interactive:
        from patchkit.cli.interactive import Interview, Questions

        questions = Questions(arguments.patch in (None, "-"), arguments.color)
        interview = Interview(questions, arguments.quiet, arguments.rest)
        interview.report(_applied(arguments, text, interview.apply))
        return REFUSED if interview.refused else DONE
    done = _applied(arguments, text, apply)
    _kept[:] = [done]
    if arguments.as_json:
        from patchkit.cli.refusals import print_json

        print_json(arguments, done, [], text if isinstance(text, str) else None)
    else:
        _print(arguments, done)
    if done.rest:
        from patchkit.cli.refusals import give_back

        give_back(arguments, done, text if isinstance(text, str) else None)
        return REFUSED
    return REFUSED if any(note.code in _LEFT for note in done.notes) else DONE


def _joined(arguments: ApplyArguments, texts: list[str], files: Workspace) -> Patch:
    """Several texts as one patch for the files; with a base, carried over from there as a whole."""
    from patchkit.bases import AUTO, PatchBases
    from patchkit.repair.based import based_patch, planner_for

    options = arguments.options
    if arguments.base_name is None:
        return joined_patch(texts, files, options)
    if options.reverse:
        raise CommandLineError("options '--base', '--reverse' and '--together' exclude each other")
    sections = []
    if arguments.base_name == AUTO:
        sections = [section for text in texts for section in written_patch(text, files, options).sections]
    base = PatchBases(arguments.base_name).base_of(Patch(sections), files, options)
    return based_patch(joined_patch(texts, base, options, planner_for(base)), base, files, options)


def _apply_files(arguments: ApplyArguments) -> int:
    """Applies files with patches in order: each a patch of its own, or all of them as one."""
    texts = [decode(_within_limit(arguments, _named(name))) for name in arguments.named]
    if arguments.together and len(texts) > 1:
        try:
            return _apply(arguments, texts)
        except PatchkitError as error:
            part = error.errors[0].facts.get("part")
            if not isinstance(part, int):
                raise
            return _refuse(arguments, error, texts[part], arguments.named[part])
    status = DONE
    for number, (name, text) in enumerate(zip(arguments.named, texts)):
        try:
            if number:
                roll_back_on_signals()  # a signal may have come when the files of the one before were new
            status = _apply(arguments, text) or status
            if arguments.bases is not None:
                arguments.bases.add(text)
        except (PatchkitError, Interrupted) as error:
            status = _refuse(arguments, error, text, name if name != "-" else "patch", number)
            if len(texts) > 1:
                show(2, [(f"stopped at '{name}'; applied before it: {number} of {len(texts)}\n", "")])
            return status
    return status


def _named(name: str) -> bytes:
    """The bytes of a file with a patch; '-' is standard input."""
    from patchkit.cli.inputs import text_of_file, text_of_stream

    text = text_of_stream() if name == "-" else text_of_file(name)
    return text.encode("utf-8", "surrogateescape")


def _applied(arguments: ApplyArguments, text: str | list[str], work: Work) -> Applied:
    """What came of the work in the workspace, overseen where that is asked for."""
    line = None

    def work_on_base(text: str | list[str], files: Workspace, options: Options) -> Applied:
        """The work, begun by what reads files itself: the rules are asked before it."""
        if isinstance(text, list):
            return work(_joined(arguments, text, files), files, options)
        if arguments.base_name is not None:
            from patchkit.bases import PatchBases

            arguments.bases = arguments.bases or PatchBases(arguments.base_name)
            options.base = arguments.bases.base_of(text, files, options)
        return work(text, files, options)

    with tracked_workspace(arguments.root, arguments.start) as files:
        if arguments.start is not None:
            from patchkit.cli.inputs import check_start

            check_start(arguments.start)
        files.on_commit = finish_in_spite_of_signals
        if os.isatty(2) and not arguments.quiet and not arguments.interactive:
            files.on_progress = line = progress(2)
        try:
            if is_overseen(arguments.agent, files.real):
                return _overseen(text, files, arguments, work_on_base)
            if arguments.options.format or arguments.options.verify or arguments.options.commit is not None:
                _prove(files, arguments, None)
            return work_on_base(text, files, arguments.options)
        except PatchkitError as error:
            from patchkit.cli.refusals import explain

            explain(error, files, arguments.options)
            raise
        finally:
            if line is not None:
                line.end()


def _overseen(text: str | list[str], files: Workspace, arguments: ApplyArguments, work: WorkOnTexts) -> Applied:
    """Applies the patch if the rules allow it, and records what came of it."""
    from patchkit.policy.oversight import Oversight
    from patchkit.tools.registry import effect_and_name

    options = arguments.options
    watch = Oversight("apply_patch", arguments.agent, arguments.root, WRITE, tool_names=effect_and_name)
    try:
        asked: list[str | Patch] = [*text] if isinstance(text, list) else [text]
        if options.source:
            from patchkit.formats.foreign import paths_of

            asked = [paths_of(str(each), options.source, options) for each in asked]
        from patchkit.tools.proving import deeds_of_proof

        def judged(judge: Judge) -> Judgement:
            deeds = [each for one in asked for each in judge.deeds.of_patch(one, options.strict, options.check)]
            proof = [] if options.check else deeds_of_proof(judge.deeds, options, deeds)
            return judge.judge("apply_patch", [*deeds, *proof])

        with watch.over(files, judged):
            notes = _prove(files, arguments, watch.judge)
            done = work(text, files, options)
            done.notes += notes
    except BaseException as error:
        watch.record_failure(error)
        raise
    done.notes += watch.record("success")
    return done


def _prove(files: Workspace, arguments: ApplyArguments, judge: Judge | None) -> list[Note]:
    """Has the run proved by the commands that are asked for; returns notes about settings that do not count."""
    from patchkit.tools.declaration import Caller
    from patchkit.tools.proving import call_for, prepare

    caller = Caller(arguments.root, arguments.start, arguments.agent, may_fork=True)
    call = call_for(files, caller, judge)
    prepare(call, arguments.options)
    return call.notes


def _read_patch(arguments: ApplyArguments) -> bytes | None:
    """The patch as bytes; None where standard input is a terminal, which is a matter of usage."""
    word = arguments.patch
    if word is not None and word != "-":
        is_name = arguments.interactive and "\n" not in word and os.path.isfile(word)  # a person may name a file
        return _within_limit(arguments, _named(word) if is_name else os.fsencode(word))
    try:
        if os.isatty(0) and word is None:
            return None
        pieces, size = [], 0
        at_once = max(min(os.fstat(0).st_size, arguments.max_patch_bytes) + 1, 1 << 16)  # all of a file, a pipe's fill
        while size <= arguments.max_patch_bytes and (piece := os.read(0, at_once)):
            pieces.append(piece)
            size += len(piece)
    except OSError as error:
        raise PatchkitError("P403", reason=reason(error)) from None
    return _within_limit(arguments, b"".join(pieces))


def _within_limit(arguments: ApplyArguments, data: bytes) -> bytes:
    if len(data) > arguments.max_patch_bytes:
        raise PatchkitError("P115", limit=arguments.max_patch_bytes)
    return data


def _print(arguments: ApplyArguments, done: Applied) -> None:
    person = os.isatty(1)
    if not arguments.quiet and not arguments.only_numbers:
        updated = done.updated
        spans = summary_spans(updated, arguments.options.check, done.updated_files if person and updated else None)
        show(1, spans, arguments.color)
    if arguments.shows_changes:
        from patchkit.cli.refusals import print_changes

        print_changes(arguments, done)
    if done.notes and not arguments.quiet:
        from patchkit.report.spans import note_spans

        show(2, note_spans(done.notes, few=os.isatty(2)), arguments.color)
