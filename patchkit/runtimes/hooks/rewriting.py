"""Write a call of apply_patch in another way: our command by its full name, whatever PATH has.

Takes the command of an event and what was found in it; returns the input of the tool with the command rewritten. A
command that is one call is written in a plain form, with a heredoc or, where the patch is large, with a file. In any
other script only the name of the command is replaced, so that everything around it stays as it is. Gemini CLI refuses
a command with a backquote or `$(` in it, except in single quotes: there a patch is one argument.
"""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from shlex import join, quote

from patchkit.core.workspace import OUTPUTS, make, open_kept, state_directory, write_closing
from patchkit.policy.settings import Settings, settings
from patchkit.runtimes.hooks.events import Decision, Event, Json
from patchkit.runtimes.hooks.project import HookProject, user_shell
from patchkit.sandbox.choice import MODES, OFF
from patchkit.shell.inventory import by_grammar
from patchkit.shell.lexer import read
from patchkit.shell.mention import CALL_NAMES
from patchkit.shell.shells import SHELLS
from patchkit.shell.tokens import Heredoc, MaskedScript, Token, outermost
from patchkit.shell.verdict import Verdict

_LARGEST = 100_000  # bytes of a command; Linux takes no single argument of more than 131,072
_LONGEST_SCRIPT = 100_000  # characters that are read for the sake of a name in them
# Words after which a command begins; and those that make it unknown which command or directory is meant.
_OPENING = frozenset("{ if then else elif do while until ! time".split())
_CHANGING = frozenset("cd pushd popd alias unalias function source . eval exec trap set shopt".split())


def as_plain_call(event: Event, verdict: Verdict, program: list[str], place: HookProject) -> Json:
    """The input of the tool with the call in a plain form: our command by its full name, with a heredoc."""
    patch = str(verdict.patch)
    delimiter, lines = "PATCH", set(patch.split("\n"))
    while delimiter in lines:
        delimiter += "_"
    words = " ".join(quote(word) for word in [*program, "-C", str(verdict.workdir)])
    ending = "" if patch.endswith("\n") else "\n"
    errors = " 2>&1" if verdict.merged else ""
    if len(patch.encode("utf-8", "surrogateescape")) > _LARGEST and (file := _handed_over(patch + ending, place)):
        script = f"{words}{errors} < {quote(file)}\n"
    elif event.kind == "BeforeTool":
        script = f"{words}{errors} {_in_single_quotes(patch)}\n"
    else:
        script = f"{words}{errors} <<'{delimiter}'\n{patch}{ending}{delimiter}\n"
    return event.with_script(script)


def _in_single_quotes(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _handed_over(patch: str, place: HookProject) -> str:
    """A file with a patch that is too large for an argument, in the state directory; '' where there is none."""
    base = state_directory(os.path.realpath(place.root))
    if base is None:
        return ""
    data = patch.encode("utf-8", "surrogateescape")
    path = f"{base}/{OUTPUTS}/patch-{sha256(data).hexdigest()[:32]}"
    try:
        make(os.path.dirname(path))
        write_closing(open_kept(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), data)
    except OSError:
        return ""
    return path


class CallsInPlace:
    """The calls of apply_patch in a script, each at its place; none where the script is not read for certain."""

    def __init__(self, script: object) -> None:
        self.calls: list[Token] = []
        self._source = ""
        self._tokens: list[Token] = []
        if not isinstance(script, str) or len(script) > _LONGEST_SCRIPT:
            return
        masked = read(script, SHELLS[user_shell()])
        commands = by_grammar(masked)
        if commands is None or any(each.words and each.words[0] in _CHANGING for each in commands):
            return
        self._source, self._tokens = masked.source, masked.tokens
        self.calls = [token for token in _openings(masked) if script[token.begin : token.finish] in CALL_NAMES]

    def rewritten(self, event: Event, program: list[str]) -> Json:
        """The input of the tool with our command by its full name in the place of each call."""
        script = str(event.command)
        words = " ".join(quote(word) for word in program)
        edits = [(token.begin, token.finish, words) for token in self.calls]
        for token in self.calls if event.kind == "BeforeTool" else ():
            edits += self._as_argument(token)
        for begin, finish, text in sorted(edits, reverse=True):
            script = script[:begin] + text + script[finish:]
        return event.with_script(script)

    def _as_argument(self, call: Token) -> list[tuple[int, int, str]]:
        """What makes the heredoc right after a call one argument, for the same reason as in a plain call."""
        found = self._heredoc(call)
        if found is None:
            return []
        token, heredoc = found
        body = self._source[heredoc.start : heredoc.stop]
        is_next = not self._source[call.finish : token.begin].strip(" \t")
        is_small = len(body.encode("utf-8", "surrogateescape")) <= _LARGEST
        if heredoc.tabs or not heredoc.closed or not is_next or not is_small:
            return []
        return [(token.begin, token.finish, _in_single_quotes(body)), (heredoc.start, heredoc.end, "")]

    def patches(self) -> list[str] | None:
        """The texts that the calls get by quoted heredocs; None where one gets its text in another way."""
        found = [each[1] for each in map(self._heredoc, self.calls) if each is not None]
        texts = [self._source[heredoc.start : heredoc.stop] for heredoc in found]
        return texts if len(texts) == len(self.calls) else None

    def _heredoc(self, call: Token) -> tuple[Token, Heredoc] | None:
        """The quoted heredoc of a call, with the word that opens it; None where it gets its text in another way."""
        for token in self._tokens:
            if token.start <= call.start:
                continue
            if token.heredoc is not None and token.heredoc.quoted and token.heredoc.stop >= 0:
                return token, token.heredoc
            if token.kind in ("operator", "newline", "redirect"):
                return None
        return None


def _openings(masked: MaskedScript) -> list[Token]:
    """The words that begin a command, outside of substitutions."""
    found, opens = [], True
    for token in outermost(masked.tokens):
        if token.kind == "word":
            if opens and token.text not in _OPENING:
                found.append(token)
            opens = opens and token.text in _OPENING
        elif token.kind in ("operator", "newline"):
            opens = True
    return found


# An allowed command runs in our sandbox where the settings say `[hook] sandbox = "auto"` or "require", for a client
# that has none of its own: in the same directory, with the same environment, and its two streams go where they would go
# without it. A project can turn this on and not off: of its settings and the user's the stricter counts.
_LONGEST_RUN = "3600"  # seconds: the client has a limit of its own


def in_sandbox(event: Event, decision: Decision, program: list[str], place: HookProject) -> Decision:
    """The decision, with the command in a sandbox; `program` is how our apply_patch is run."""
    mode = mode_of(settings(place.root))
    fields, directories = event.fields, event.directories
    if mode == OFF or decision.input is not None or len(fields) != 1 or event.command is None or len(directories) != 1:
        return decision
    given = event.command
    words = ["env", f"PATCHKIT_SESSION={decision.session}"] if decision.session else []  # what was approved for it
    words += [*_patchkit(program), "exec", f"--sandbox={mode}", "--passthrough", "--timeout", _LONGEST_RUN]
    words += ["--root", place.root, "-C", directories[0], "--"]
    made = event.with_script(join([*words, str(given)]))
    made = {**event.input, fields[0]: [*words, *given]} if isinstance(given, list) else made
    return Decision(decision.verb, f"{decision.reason}; it runs in a sandbox", made)


def mode_of(known: Settings) -> str:
    """What the settings say about commands of clients; raises where they say nothing that can be."""
    found = OFF
    for source in (*known.project, *([known.user] if known.user is not None else [])):
        table = source.table("hook") or {}
        for key, value in table.items():
            if key != "sandbox":
                raise source.unknown(f"hook.{key}", ("sandbox",))
            if value not in MODES:
                raise source.wrong("hook.sandbox", value, " or ".join(f"'{each}'" for each in MODES))
            found = max(found, value, key=MODES.index)
    return found


def _patchkit(program: list[str]) -> list[str]:
    """How a shell that may not find it runs our main command."""
    if len(program) == 1 and program[0].endswith("/apply_patch"):
        return [program[0].removesuffix("apply_patch") + "patchkit"]
    return [sys.executable, "-P", "-m", "patchkit"]
