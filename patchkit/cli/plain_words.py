"""A tool's command line, read without click where it is a plain one.

Takes the words behind a tool's command; gives the arguments of the call and what is the command's own, or None for
anything that is not plain: help, mistakes, joined options, values that need a second look. Those are left to click,
which knows the same options from the same declaration; loading it costs more than most calls do. A test compares what
the two make of the same words.
"""

from __future__ import annotations

import gc
import os

from patchkit.cli.answer import answer
from patchkit.cli.flags import AS_AGENT, JSON, ROOT, START
from patchkit.policy.settings_files import is_agent
from patchkit.tools.calling import Caller
from patchkit.tools.registry import TOOLS, Tool
from patchkit.values import Value

Field = dict[str, object]


class Plain(Value):
    """A command line, read."""

    __slots__ = ("arguments", "root", "start", "agent", "as_json")
    arguments: dict[str, object]
    root: str | None
    start: str | None
    agent: bool
    as_json: bool

    def __init__(self) -> None:
        self.arguments = {}
        self.root = os.environ.get("PATCHKIT_ROOT") or None
        self.start = None
        self.agent = is_agent()
        self.as_json = False


class _UnclearError(Exception):
    """Words that are left to click."""


def read(tool: Tool, words: list[str]) -> Plain | None:
    """The command line that plain words make, None where they are not plain."""
    try:
        return _Words(tool).read(words)
    except _UnclearError:
        return None


def answer_if_plain(words: list[str]) -> None:
    """Answers a tool's command and ends the process; returns where click has to read the words."""
    tool = next((tool for tool in TOOLS if tool.command == words[0]), None)
    plain = read(tool, words[1:]) if tool is not None else None
    if tool is not None and plain is not None:
        gc.disable()  # a call is short, and what it makes is in use to its end
        caller = Caller(plain.root, plain.start, plain.agent)
        caller.by_hand = True
        answer(tool, lambda: plain.arguments, caller, plain.as_json)


class _Words:
    """Reads the words of one tool, from left to right."""

    def __init__(self, tool: Tool) -> None:
        schema = tool.schema(extended=True)
        fields: dict[str, Field] = schema["properties"]
        self._spelling = tool.command_line
        self._fields = fields
        self._required: list[str] = schema.get("required", [])
        self._options = {
            spelling: field
            for field in fields
            if field not in self._spelling.positional
            for spelling in self._spelling.options.get(field, "--" + field.replace("_", "-")).split("/")
        }
        self._plain = Plain()

    def read(self, words: list[str]) -> Plain:
        rest = words[::-1]
        positional: list[str] = []
        while rest:
            word = rest.pop()
            if word == "--":
                positional += rest[::-1]
                break
            if word.startswith("-") and word != "-":
                self._option(word, rest)
            else:
                positional.append(word)
        self._place(positional)
        if self._spelling.from_stdin and self._plain.arguments.get(self._spelling.from_stdin) in (None, "-"):
            raise _UnclearError
        return self._plain

    def _option(self, word: str, rest: list[str]) -> None:
        name, equals, value = word.partition("=")
        if equals and not name.startswith("--"):
            raise _UnclearError
        if word in JSON.names:
            self._plain.as_json = True
            return
        if word in AS_AGENT.names:
            self._plain.agent = True
            return
        if self._fields.get(self._options.get(name, ""), {}).get("type") == "boolean":
            if equals:
                raise _UnclearError
            self._plain.arguments[self._options[name]] = True
            return
        if not equals:
            if not rest:
                raise _UnclearError
            value = rest.pop()
        self._take(name, value)

    def _take(self, name: str, value: str) -> None:
        if name in self._options:
            self._set(self._options[name], value)
        elif name in ROOT.names:
            self._plain.root = value or None
        elif name in START.names:
            self._plain.start = value
        else:
            raise _UnclearError

    def _set(self, field: str, value: str) -> None:
        about = self._fields[field]
        kind = about["type"]
        given = self._plain.arguments
        if kind in ("number", "integer"):
            if not (value.isascii() and value.isdigit()):
                raise _UnclearError
            given[field] = int(value)
        elif kind == "array":
            if about["items"] != {"type": "string"}:
                raise _UnclearError
            given[field] = [*_listed(given.get(field)), value]
        elif kind == "string" and value in (_listed(about.get("enum")) or [value]):
            given[field] = value
        else:
            raise _UnclearError

    def _place(self, positional: list[str]) -> None:
        """Gives the words without an option to the fields that take them."""
        for field in self._spelling.positional:
            many = self._fields[field]["type"] == "array"
            taken, positional = (positional, []) if many else (positional[:1], positional[1:])
            if field in self._required and not taken:
                raise _UnclearError
            for word in taken:
                self._set(field, word)
        named = (field in self._plain.arguments or field in self._spelling.positional for field in self._required)
        if positional or not all(named):
            raise _UnclearError


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []
