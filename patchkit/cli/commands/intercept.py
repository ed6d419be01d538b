"""The `patchkit intercept` command: what a shell command turned out to be.

Takes an argument vector, the text of a script, or a runtime's tool calls as JSON; reports the verdict in text or JSON
and by the exit status, or applies the patch at once. It answers at once for a script that does not mention
`apply_patch`, so everything that looks at a script closer is imported where that begins.
"""

from __future__ import annotations

import os
import sys

from patchkit.cli import DONE, CommandLineError, write
from patchkit.cli.quick import AS_AGENT, BEHIND, ROOT, Flag, Given, QuickCommand
from patchkit.cli.statuses import of_verdict
from patchkit.shell.mention import is_bare_patch, mentions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.shell.verdict import Verdict

_ROWS = (
    Flag(
        "--script",
        "classify the text of a script instead of an argument vector",
        " ('-': from standard input)",
        value="FILE",
    ),
    Flag("--shell", "shell of that script", ": bash (default), zsh, dash or sh", value="NAME"),
    Flag(
        "--json-call",
        "read one JSON object from standard input",
        ': {"argv": [...], "cwd": ...} or {"command": [...] or "...", "workdir": ...}',
    ),
    Flag("--batch", "read one such object a line; print one verdict a line"),
    Flag(
        "-C --cwd",
        "directory that the command would run in",
        " (default: the current one)",
        value="DIR",
        field="directory",
    ),
    Flag("--json", "print the verdict as JSON"),
    Flag("--apply", "apply the patch at once", "; output and status are those of apply_patch"),
    ROOT,
    AS_AGENT,
)


def _run(given: Given) -> int:
    """Runs the command and returns its exit status."""
    _refuse_contradictions(given)
    if "batch" not in given:
        return _answer(given)
    from patchkit.shell.classifying import answer_lines

    for line in answer_lines(sys.stdin.buffer):
        write(1, line + "\n")
    return DONE


def _refuse_contradictions(given: Given) -> None:
    words: tuple[str, ...] = given.get("words", ())  # type: ignore[assignment]  # the reader gives texts
    if words:
        raise CommandLineError(f"put '--' before the command '{words[0]}'")
    if sum(1 for source in (BEHIND, "script", "json_call", "batch") if given.get(source, ()) != ()) != 1:
        raise CommandLineError("give one of: '-- ARGV...', '--script', '--json-call', '--batch'")
    if "batch" in given and ("apply" in given or "json" in given):
        raise CommandLineError("'--batch' answers with verdicts in JSON and does nothing else")
    if "shell" in given and "script" not in given:
        raise CommandLineError("'--shell' goes with '--script'")
    if "agent" in given and "apply" not in given:
        raise CommandLineError("'--as-agent' goes with '--apply'")


def _answer(given: Given) -> int:
    verdict = _verdict(given)
    if verdict is None:
        write(2, "other: the script does not mention 'apply_patch'\n")
        return of_verdict("other")
    if "apply" in given and verdict.verdict == "apply_patch":
        return _apply(given, verdict)
    if "json" in given:
        import json

        write(1, json.dumps(verdict.as_dict()) + "\n")
    else:
        _print(verdict)
    return of_verdict(verdict.verdict)


def _verdict(given: Given) -> Verdict | None:
    """The verdict; None for a script that does not mention the command, unless JSON was asked for."""
    where = str(given.get("directory") or ".")
    if "json_call" in given:
        from patchkit.shell.classifying import read_call

        return read_call(sys.stdin.buffer.read(), where)
    if "script" in given:
        text = _content(str(given["script"])).decode("utf-8", "surrogateescape")
        if not mentions(text) and not is_bare_patch(text) and "json" not in given:
            return None
        from patchkit.shell.classifying import classify_script

        return classify_script(text, where, shell=str(given.get("shell") or "bash"))
    from patchkit.shell.classifying import classify

    return classify(list(given[BEHIND]), where)  # type: ignore[call-overload]  # the reader gives texts


def _content(path: str) -> bytes:
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise CommandLineError(f"cannot read '{path}': {(error.strerror or str(error)).lower()}") from None


def _apply(given: Given, verdict: Verdict) -> int:
    from patchkit.cli import apply_patch

    if verdict.merged:
        os.dup2(1, 2)  # the command has 2>&1
    words = ["-C", str(verdict.workdir), *(["--root", str(given["root"])] if given.get("root") else [])]
    words += ["--as-agent"] if "agent" in given else []
    patch = str(verdict.patch).encode("utf-8", "surrogateescape")
    _note_doubt(verdict)
    return apply_patch.run([*words, "--json"] if "json" in given else words, patch)


def _print(verdict: Verdict) -> None:
    """The verdict in words; the patch alone goes to standard output."""
    if verdict.verdict == "apply_patch":
        write(2, f"apply_patch: in '{_visible(str(verdict.workdir))}'\n")
        _note_doubt(verdict)
        write(1, str(verdict.patch))
    elif verdict.verdict == "error":
        write(2, f"error[{verdict.code}]: {_visible(str(verdict.reason))}\n  = help: {_visible(str(verdict.help))}\n")
    else:
        write(2, f"other: {_visible(str(verdict.reason))}\n")
        if verdict.then is not None:
            when = "if it was applied" if verdict.then.operator == "&&" else "in any case"
            write(2, f"  = then: apply the patch first and run the rest {when} ('--json' has both)\n")


def _note_doubt(verdict: Verdict) -> None:
    if verdict.reason:
        write(2, f"note[P901]: {_visible(verdict.reason)}\n")


def _visible(text: str) -> str:
    """Text that cannot act on a terminal; the width of characters is loaded only where one of them needs it."""
    if text.isprintable():
        return text
    from patchkit.report.width import visible

    return visible(text, 1000)


INTERCEPT = QuickCommand(
    "intercept",
    """Report whether a command is exactly one apply_patch call, and with which patch.

In text the patch goes to standard output as it is, everything else to standard error.
""",
    _run,
    (
        Flag("", many=True, field="words"),  # of a command whose '--' is missing
        Flag("", many=True, field=BEHIND),
    ),
    _ROWS,
    (
        "patchkit intercept [OPTIONS] -- ARGV...",
        "patchkit intercept [OPTIONS] --script FILE|-",
        "patchkit intercept [OPTIONS] --json-call < CALL",
        "patchkit intercept --batch < CALLS",
    ),
)
quick = INTERCEPT.called
