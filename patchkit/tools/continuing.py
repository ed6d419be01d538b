"""The call that goes on where an answer was cut.

Takes a Call and what has to be different; gives the arguments of the next call, and how the caller would spell it: a
command line for a person, a tool call for anybody else. Every cut names it, so that nobody has to guess.
"""

from __future__ import annotations

from patchkit.tools.calling import Call
from patchkit.tools.registry import Tool

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def continued(call: Call, changes: dict[str, object]) -> tuple[dict[str, object], str]:
    """The call with some arguments changed (None takes one out): its arguments, and how the caller would spell it."""
    arguments = {name: value for name, value in {**call.arguments, **changes}.items() if value is not None}
    return arguments, another(call, call.tool, arguments)


def another(call: Call, tool: Tool, arguments: dict[str, object]) -> str:
    """A call of any tool as the caller of this one would spell it."""
    if call.caller.by_hand:
        return " ".join(map(_quoted, _command(call, tool, arguments)))
    from json import dumps

    return f"{tool.name} {dumps(arguments, ensure_ascii=False)}"


def _command(call: Call, tool: Tool, arguments: dict[str, object]) -> list[str]:
    face = tool.face
    words = ["patchkit", tool.command]
    if call.caller.root is not None:
        words += ["--root", call.caller.root]
    if call.caller.start is not None:
        words += ["--start", call.caller.start]
    for name, value in arguments.items():
        if name not in face.positional and value is not False:
            option = face.options.get(name, "--" + name.replace("_", "-")).rpartition("/")[2]
            for each in value if isinstance(value, list) else [value]:
                words += [option] if each is True else [option, str(each)]
    given = [arguments[name] for name in face.positional if name in arguments]
    positional = [str(each) for value in given for each in (value if isinstance(value, list) else [value])]
    return [*words, *(["--"] if any(word.startswith("-") for word in positional) else []), *positional]


def _quoted(word: str) -> str:
    if word and _PLAIN.issuperset(word):
        return word
    if word.isprintable():
        return "'" + word.replace("'", "'\\''") + "'"
    # What cannot be seen is spelled as bash, zsh and ksh read it, so that the line can be copied and does no harm.
    inside = "".join(char if char.isprintable() and char not in "'\\" else _spelled(char) for char in word)
    return f"$'{inside}'"


def _spelled(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))
