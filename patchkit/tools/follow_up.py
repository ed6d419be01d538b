"""The call that continues where an answer was cut.

Takes a ToolCall and the arguments that have to differ; returns a FollowUp: the arguments of the next call, and how the
caller would write it, a command line for a person and a tool call for everyone else. Every cut names its follow-up, so
that a caller does not have to work it out.
"""

from __future__ import annotations

from json import dumps

from patchkit.tools.declaration import Tool, ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.result import Json

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


class FollowUp:
    """A call to make next: `arguments`, and as a str its text, which is made when it is asked for."""

    __slots__ = ("arguments", "_call", "_tool")

    def __init__(self, call: ToolCall, tool: Tool, arguments: Json) -> None:
        """A call of any tool, written as the caller of `call` would write it."""
        self.arguments = arguments
        self._call = call
        self._tool = tool

    def __str__(self) -> str:
        if self._call.caller.by_hand:
            return " ".join(map(_quoted, _words(self._call, self._tool, self.arguments)))
        return f"{self._tool.name} {dumps(self.arguments, ensure_ascii=False)}"


def follow_up(call: ToolCall, changes: Json) -> FollowUp:
    """The same call with some arguments changed; None takes one out."""
    arguments = {name: value for name, value in {**call.arguments, **changes}.items() if value is not None}
    return FollowUp(call, call.tool, arguments)


def _words(call: ToolCall, tool: Tool, arguments: Json) -> list[str]:
    """The words of the command line."""
    spelling = tool.command_line
    words = ["patchkit", tool.command]
    if call.caller.root is not None:
        words += ["--root", call.caller.root]
    if call.caller.start is not None:
        words += ["--start", call.caller.start]
    for name, value in arguments.items():
        if name not in spelling.positional and value is not False:
            option = spelling.options.get(name, "--" + name.replace("_", "-")).rpartition("/")[2]
            for each in value if isinstance(value, list) else [value]:
                words += [option] if each is True else [option, str(each)]
    given = [arguments[name] for name in spelling.positional if name in arguments]
    positional = [str(each) for value in given for each in (value if isinstance(value, list) else [value])]
    return [*words, *(["--"] if any(word.startswith("-") for word in positional) else []), *positional]


def _quoted(word: str) -> str:
    if word and _PLAIN.issuperset(word):
        return word
    if word.isprintable():
        return "'" + word.replace("'", "'\\''") + "'"
    # What cannot be seen is written as bash, zsh and ksh read it, so that the line can be copied and does no harm.
    inside = "".join(char if char.isprintable() and char not in "'\\" else _escaped_bytes(char) for char in word)
    return f"$'{inside}'"


def _escaped_bytes(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))
