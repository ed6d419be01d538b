"""Classify a command: an apply_patch call, something else, or a call that cannot be trusted.

Takes an argument vector or the text of a script, the directory it starts in and its environment; gives
a Verdict. The law: where the verdict is apply_patch, a real shell would have run `apply_patch` once, with
exactly that text, in that directory, and done nothing else. Reads directories for the sake of `cd`; runs
nothing, writes nothing, and never raises for any text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

from patchkit.errors import PatchkitError
from patchkit.shell.mention import BEGIN, CALL_NAMES, is_bare_patch, mentions
from patchkit.shell.shells import SHELLS, Invocation, read_argv, shell_of, without_wrappers
from patchkit.shell.verdict import NotOurs, Trailing, Verdict, refused, split_options
from patchkit.shell.walk import evaluate, start

# -- find the apply_patch call in a PowerShell command ---------------------------------------------
# Takes the arguments after `pwsh` or `powershell`; gives the text that a static here-string, and nothing
# else, pipes into apply_patch. There is no PowerShell grammar here, so exactly this one form is known.


_NAMES = ("pwsh", "powershell")
_SWITCHES = ("-noprofile", "-nologo", "-noninteractive")
_PIPED = r"""\s*@(['"])[ \t]*\r?\n(.*?)\r?\n\1@[ \t]*\|[ \t]*(?:apply_patch|applypatch)[ \t]*;?\s*"""


def script_of(argv: list[str]) -> str | None:
    """The script of `pwsh [switches] -Command SCRIPT`, None when it is not such a command."""
    name = argv[0].lower().removesuffix(".exe") if argv else ""
    if name not in _NAMES:
        return None
    at = 1
    while at < len(argv) and argv[at].lower() in _SWITCHES:
        at += 1
    return argv[at + 1] if len(argv) == at + 2 and argv[at].lower() in ("-command", "-c") else None


def piped(script: str, program: str) -> str:
    """The text that the script pipes into apply_patch."""
    found = re.fullmatch(_PIPED, script, re.DOTALL)
    if not found:
        raise NotOurs("only @'…'@ | apply_patch is known of PowerShell")
    quote, text = found.group(1), found.group(2)
    # The here-string ends at the first line that begins with its closing mark.
    if f"\n{quote}@" in "\n" + text:
        raise NotOurs("the here-string ends earlier")
    if quote == '"' and ("$" in text or "`" in text):
        raise PatchkitError("P504", word='the text inside @"…"@')
    if not text.isascii() and program.lower().startswith("powershell"):
        # Windows PowerShell sends what it pipes as ASCII and writes '?' for everything else.
        raise PatchkitError("P519", name="powershell", what="it pipes text as ASCII")
    return text + "\n"


def classify(argv: list[str], cwd: str, env: dict[str, str] | None = None, *, with_options: bool = False) -> Verdict:
    """Returns what running `argv` in `cwd` would be; `env` is its environment, by default that of this process.

    A call with options is a call only for callers who say that they honour them.
    """
    return _verdict(lambda: _of_argv(argv, cwd, dict(os.environ) if env is None else env), with_options)


def classify_script(
    script: str, cwd: str, env: dict[str, str] | None = None, shell: str = "bash", *, with_options: bool = False
) -> Verdict:
    """Returns what running the text `script` with `shell` (bash, zsh, dash or sh) in `cwd` would be."""

    def found() -> Verdict:
        known = SHELLS.get(shell)
        if known is None:
            raise NotOurs(f"the shell '{shell}' is not known here")
        return _of_script(Invocation(known, script, False), cwd, dict(os.environ) if env is None else env)

    return _verdict(found, with_options)


def _verdict(find: Callable[[], Verdict], with_options: bool) -> Verdict:
    try:
        verdict = find()
        if verdict.options and not with_options:
            if verdict.form == "direct":
                raise NotOurs("'apply_patch' is run with options")
            if verdict.form == "argument":
                raise PatchkitError("P511", what=f"{len(verdict.options) + 1} arguments")
            raise PatchkitError("P508", what="an argument and a text on standard input")
        return verdict
    except PatchkitError as error:
        return refused(error)
    except Trailing as more:
        return Verdict("other", reason=str(more), merged=more.merged, then=more.then)
    except NotOurs as other:
        return Verdict("other", reason=str(other))


def _of_argv(argv: list[str], cwd: str, env: dict[str, str]) -> Verdict:
    if not argv or not all(isinstance(word, str) for word in argv):
        raise NotOurs("there is no command")
    if len(argv) == 1:
        _refuse_bare_patch(argv[0])
    plain = without_wrappers(argv)
    if plain[0] in CALL_NAMES:
        return _direct(plain[1:], cwd, env)
    invocation = read_argv(plain)
    if invocation is not None:
        return _of_script(invocation, cwd, env)
    script = script_of(plain)
    if script is not None:
        return _of_powershell(script, plain[0], cwd, env)
    if shell_of(plain[0]) and any(map(mentions, plain)):
        raise NotOurs(f"'{plain[0]}' is run with options or in a way not known here")
    raise NotOurs("another program is run")


def _direct(words: list[str], cwd: str, env: dict[str, str]) -> Verdict:
    """`["apply_patch", PATCH]`."""
    options, rest = split_options(words)
    if len(rest) != 1:
        _refuse_options(words)
        raise PatchkitError("P511", what=f"{len(words)} arguments" if words else "neither")
    refuse_unsendable(rest[0])
    _refuse_without_patch(rest[0])
    return Verdict("apply_patch", rest[0], start(cwd, env).path, form="direct", options=options)


def _of_powershell(script: str, program: str, cwd: str, env: dict[str, str]) -> Verdict:
    _refuse_bare_patch(script)
    if not mentions(script):
        raise NotOurs("the script does not mention 'apply_patch'")
    refuse_unsendable(script)
    text = piped(script, program)
    _refuse_without_patch(text)
    return Verdict("apply_patch", text, start(cwd, env).path, shell="powershell", form="pipe")


def _of_script(invocation: Invocation, cwd: str, env: dict[str, str]) -> Verdict:
    _refuse_bare_patch(invocation.script)
    if not mentions(invocation.script):
        raise NotOurs("the script does not mention 'apply_patch'")
    refuse_unsendable(invocation.script)
    try:
        call = evaluate(invocation, start(cwd, env), env)
    except Trailing as more:
        _refuse_without_patch(more.then.patch)
        raise
    _refuse_without_patch(str(call.patch))
    return call


def _refuse_bare_patch(text: str) -> None:
    if is_bare_patch(text):
        raise PatchkitError("P501")


def refuse_unsendable(text: str) -> None:
    """Raises for a text that cannot be given to a shell."""
    if "\0" in text:
        raise PatchkitError("P522", what="a NUL character")
    try:
        if not text.isascii():
            text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise PatchkitError("P522", what="half of a surrogate pair") from None


def _refuse_options(words: list[str]) -> None:
    if any(word.startswith("-") and "\n" not in word for word in words):
        raise NotOurs("'apply_patch' is run with options")


def _refuse_without_patch(text: str) -> None:
    """A call without a patch in it would fail; say so at once, and how a patch begins."""
    if BEGIN not in text and "begin patch" not in text.lower():
        _refuse_options([text])
        # Here, because the parser would make each of its answers a tenth slower.
        from patchkit.core.language.parser import without_patch

        raise without_patch(text)


# Read requests as agent runtimes send them, and answer each with a Verdict.
#
# Takes JSON: `{"id", "argv", "cwd", "env"}`, or a tool call `{"command": [...] or "...", "workdir": "..."}` with an
# optional "shell" for a command given as one text (bash where it is not said). Gives a Verdict, or for a stream of
# lines one JSON object a line in the same order. A request that cannot be read is answered like any other, with an
# error.
def answer_lines(lines: Iterable[bytes | str], cwd: str | None = None) -> Iterator[str]:
    """Gives one line of JSON for every line that is not blank."""
    for line in lines:
        if line.strip():
            yield answer(line, cwd)


def answer(line: bytes | str, cwd: str | None = None) -> str:
    """The verdict on one request as a line of JSON without its line end, with the request's id in front."""
    try:
        request = _decoded(line)
        verdict = verdict_of_call(request, cwd)
    except PatchkitError as error:
        request, verdict = {}, refused(error)
    import json  # a command that is given by its words needs none of it

    return json.dumps({"id": request.get("id"), **verdict.as_dict()})


def read_call(text: bytes | str, cwd: str | None = None) -> Verdict:
    """The verdict on a single request, given as JSON."""
    try:
        return verdict_of_call(_decoded(text), cwd)
    except PatchkitError as error:
        return refused(error)


def verdict_of_call(request: dict[str, object], cwd: str | None = None, *, with_options: bool = False) -> Verdict:
    """The verdict on a decoded request; `cwd` is where a relative or missing directory starts."""
    command = request.get("argv", request.get("command", request.get("cmd")))
    where = request.get("cwd", request.get("workdir"))
    env, shell = request.get("env"), request.get("shell", "bash")
    problem = _problem(where, env, shell)
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        if not command or words != command:
            problem = "the command is not a list of strings"
    elif not isinstance(command, str):
        problem = "it has neither 'argv' nor 'command'"
    if problem:
        return refused(PatchkitError("P518", what=problem))
    begin = os.path.join(cwd or "", where if isinstance(where, str) else "") or "."
    known = {str(name): str(value) for name, value in env.items()} if isinstance(env, dict) else None
    if isinstance(command, str):
        return classify_script(command, begin, known, str(shell), with_options=with_options)
    return classify(words, begin, known, with_options=with_options)


def _decoded(line: bytes | str) -> dict[str, object]:
    import json

    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise PatchkitError("P518", what=f"it is not JSON ({str(error)[:60]})") from None
    if not isinstance(request, dict):
        raise PatchkitError("P518", what="it is not a JSON object")
    return request


def _problem(where: object, env: object, shell: object) -> str:
    if where is not None and (not isinstance(where, str) or "\0" in where):
        return "the directory is not a string"
    if env is not None and not isinstance(env, dict):
        return "'env' is not an object"
    return "" if shell is None or isinstance(shell, str) else "'shell' is not a string"
