"""What a tool is, and what its handler gets.

A Tool is a row of the table and, loaded when it is first used, the Declaration of its module (`TOOL`): description,
schema, how the command line spells its fields, what it would do (for rules), and the handler. A handler takes a
ToolCall, which says what is asked for and who asks (Caller), and returns a Result or raises PatchkitError.
"""

from __future__ import annotations

import sys

from patchkit.errors import Note, PatchkitError
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from patchkit.core.workspace.root import Workspace
    from patchkit.policy.deeds import Deed, Deeds
    from patchkit.policy.permissions import Judge, Judged
    from patchkit.report.result import Json, Result


def field(kind: str, description: str, **more: object) -> Json:
    """The JSON Schema of a field."""
    return {"type": kind, **more, "description": description}


def fields(required: str | None, **properties: Json) -> Json:
    """The JSON Schema of an object that has these fields and no others; `required` are names of some of them."""
    needed = {} if required is None else {"required": required.split()}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


class FieldSpelling(Record):
    """How the command line spells a tool's fields; a field not named here is `--its-name`."""

    positional: tuple[str, ...] = ()  # fields that are given without a name, in this order
    options: dict[str, str] = {}
    from_file: dict[str, str] = {}  # options that take a field's text from a file
    from_stdin: str = ""  # the field that standard input gives when nothing else does

    def names(self, field: str) -> list[str]:
        """The options of a field; the last one is the one that is written out."""
        return self.options.get(field, "--" + field.replace("_", "-")).split("/")


class Declaration(Record):
    """What the module of a tool declares, as its `TOOL`."""

    description: str  # what an agent reads about the tool
    schema: Json  # the JSON Schema of its arguments, as it is published
    run: Callable[[ToolCall], Result]
    extras: Json = {}  # further properties that calls may use, and that `schema --extended` publishes
    aliases: dict[str, str] = {}  # other spellings of its fields
    command_line: FieldSpelling = FieldSpelling()
    verb: str = ""  # for tools of one file: the word for what they do to it, part of some error texts
    operation: str = ""  # the word for what it does to the paths it names, for rules and logs; its effect if empty
    deeds: Callable[[Deeds, Json], list[Deed]] | None = None  # for tools that do more than that: all a call would do
    instead: dict[str, tuple[str, ...]] = {}  # fields that make others needless, which the schema requires


class Tool(Record):
    """One tool: its row of the table, and through that the declaration in its module."""

    name: str
    command: str
    effect: str
    summary: str
    names: str  # that other clients have for it
    place: str = ""  # the module, where it has not the name of the command

    @property
    def module(self) -> str:
        return self.place or f"patchkit.tools.{self.command.replace('-', '_')}"

    @property
    def others(self) -> list[str]:
        return self.names.split()

    @property
    def declaration(self) -> Declaration:
        """What the tool's module declares; the module is loaded when this is first asked for."""
        # Not importlib, which would be one more package to load. Also where the module is in memory: another thread may
        # still be loading it, and importing waits for that.
        module = self.module
        __import__(module)
        declared: Declaration = sys.modules[module].TOOL
        return declared

    def schema(self, extended: bool = False) -> Json:
        """The schema of its arguments as published; `extended` has the further fields that calls may use."""
        schema = dict(self.declaration.schema)
        if extended:
            schema["properties"] = {**schema["properties"], **self.declaration.extras}
        return schema

    def deeds(self, deeds: Deeds, arguments: Json) -> list[Deed]:
        """Everything a call with these checked arguments would do, in its order."""
        declared = self.declaration
        if declared.deeds is not None:
            return declared.deeds(deeds, arguments)
        one = path_in(arguments)
        paths = [*([one] if one else []), *arguments.get("paths", [])]
        return [deeds.at(self.effect, declared.operation or self.effect, path) for path in paths or ["."]]


class Caller(Record):
    """Who calls, and from where."""

    root: str | None = None  # the workspace
    start: str | None = None  # where relative paths start in it
    agent: bool = False  # no person approved this call
    may_fork: bool = False  # this process, for long work: the commands allow that, and a host has to
    by_hand: bool = False  # it is a command line, on which a limit of 0 means no limit
    stdin: int | None = None  # a descriptor that a command reads from
    on_output: Callable[[bytes], object] | None = None  # takes pieces of output as they come
    on_commit: Callable[[], None] | None = None  # is called when all changes are in place
    on_progress: Callable[[str, int, int], None] | None = None  # what is done with how many of how many files
    session: str | None = None  # that reads and writes count for; else PATCHKIT_SESSION, else the workspace
    read_first: bool = True  # a file must have been read before it is changed; some contracts have no such rule
    cancelled: Callable[[], bool] | None = None  # once true, the call ends with P646, and nothing more is committed
    sandbox: str | None = None  # how a command is run, see `sandbox.choice`; None leaves it to the user's settings
    network: str | None = None  # as above
    streams: tuple[int, int] | None = None  # descriptors that a command writes to itself, its output and its errors
    owns_process: bool = False  # the process ends with the call, as that of a command: it may be restricted for good
    by_call: bool = False  # a model sends arguments: the next step of a refusal names these, not options
    reminds: bool = True  # a model gets the fixed reminders of the tools' first specification
    strict: bool = False  # arguments have to be just as the schema has them
    approves: Callable[[Judge, list[Judged], str], bool] | None = None  # asks a person: see `policy.oversight`


def path_in(arguments: Json) -> object:
    """The one path that a call is about, whatever its field is called; None for a call without one."""
    return next((arguments[name] for name in ("file_path", "notebook_path", "path") if name in arguments), None)


def addressed(error: PatchkitError, caller: Caller, tool: Tool | None = None) -> PatchkitError:
    """The error with words for a caller: for a model, with the arguments that the tool declares."""
    if caller.by_call or (caller.agent and error.kind != "PERMISSION_DENIED"):
        for each in error.errors:
            each.facts["by_call"] = tuple(tool.schema()["properties"]) if tool is not None else (None,)
    return error


class ToolCall(Record):
    """What a handler gets: the checked arguments, the workspace, and who asks."""

    tool: Tool
    arguments: Json
    files: Workspace
    caller: Caller
    notes: list[Note] = []
    may_read: Callable[[str], bool] | None = None  # whether a name that a search finds may be shown; None: all may
    judge: Judge | None = None  # knows the rules; None where there are none

    def get(self, field: str, otherwise: object = None) -> Any:
        """An argument as it was given; the schema was checked, so its type is the one declared there."""
        return self.arguments.get(field, otherwise)

    def text(self, field: str, otherwise: str = "") -> str:
        text: str = self.arguments.get(field, otherwise)
        return text

    def number(self, field: str, otherwise: int) -> int:
        """A number as it was given; one that the schema calls an integer is whole."""
        number: int = self.arguments.get(field, otherwise)
        return number

    def whole(self, field: str, otherwise: int) -> int:
        """A number without its fraction, for counts that a published schema calls numbers."""
        return int(self.number(field, otherwise))

    def flag(self, field: str) -> bool:
        return bool(self.arguments.get(field, False))

    def addressed(self, error: PatchkitError) -> PatchkitError:
        """The error with words for this caller."""
        return addressed(error, self.caller, self.tool)

    def refuse_cancelled(self) -> None:
        """Raises P646 when the caller has cancelled the call."""
        if self.caller.cancelled is not None and self.caller.cancelled():
            raise PatchkitError("P646", tool=self.tool.name)
