"""The tools there are: each declared once, here and in its own module.

Takes a name in any spelling the founding documents use; gives the Tool. The table is data, so that listing the
tools imports none of them. A tool's module holds the rest of its declaration:

    DESCRIPTION   what an agent is told, verbatim where it is given
    SCHEMA        the JSON Schema of its arguments, published as it stands
    EXTRAS        further properties that calls may use and `schema --extended` publishes
    ALIASES       other spellings of its fields
    FACE          how the command line spells the fields
    VERB          what it does to its one file, for the words it owes when it cannot; only tools of one file have it
    run(call)     the handler: takes a Call, gives a Result or raises PatchkitError
"""

from __future__ import annotations

import sys

from patchkit.errors import PatchkitError
from patchkit.policy import EXECUTE, READ, WRITE
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.tools.calling import Call
    from patchkit.tools.result import Result


class Face(Value):
    """How a command line spells a tool's fields; a field not named here is `--its-name`.

    `positional` fields are given without a name, in this order. `from_file` names options that take a field's text
    from a file, `from_stdin` the field that standard input gives when nothing else does.
    """

    __slots__ = ("positional", "options", "from_file", "from_stdin")
    positional: tuple[str, ...]
    options: dict[str, str]
    from_file: dict[str, str]
    from_stdin: str

    def __init__(
        self,
        positional: tuple[str, ...] = (),
        options: dict[str, str] | None = None,
        from_file: dict[str, str] | None = None,
        from_stdin: str = "",
    ) -> None:
        self.positional = positional
        self.options = options or {}
        self.from_file = from_file or {}
        self.from_stdin = from_stdin


class Tool(Value):
    """One row: the published name, the command, what it does to the world, its module, its other names."""

    __slots__ = ("name", "command", "effect", "home", "others", "summary")
    name: str
    command: str
    effect: str
    home: str
    others: tuple[str, ...]
    summary: str

    def __init__(self, name: str, command: str, effect: str, home: str, others: str, summary: str) -> None:
        self.name = name
        self.command = command
        self.effect = effect
        self.home = home
        self.others = tuple(others.split())
        self.summary = summary

    def part(self, name: str, *otherwise: object) -> object:
        """A part of the declaration in the tool's own module, which is loaded for it; `otherwise` where it has none."""
        __import__(self.home)  # importlib, which is for this, is a package to load of its own
        return getattr(sys.modules[self.home], name, *otherwise)

    @property
    def description(self) -> str:
        return self.part("DESCRIPTION")  # type: ignore[return-value]

    @property
    def face(self) -> Face:
        return self.part("FACE")  # type: ignore[return-value]

    @property
    def aliases(self) -> dict[str, str]:
        return self.part("ALIASES")  # type: ignore[return-value]

    def schema(self, extended: bool = False) -> dict[str, object]:
        """The schema of its arguments as published; `extended` has the further fields that calls may use."""
        schema: dict[str, object] = dict(self.part("SCHEMA"))  # type: ignore[call-overload]
        if extended:
            schema["properties"] = {**schema["properties"], **self.part("EXTRAS")}  # type: ignore[dict-item]
        return schema

    def run(self, call: Call) -> Result:
        return self.part("run")(call)  # type: ignore[operator, no-any-return]


TOOLS = (
    Tool("Read", "read", READ, "patchkit.tools.read", "read_file view", "Show a file, numbered and bounded."),
    Tool("Write", "write", WRITE, "patchkit.tools.write", "write_file create", "Create or replace a whole file."),
    Tool("Edit", "edit", WRITE, "patchkit.tools.edit", "edit_file str_replace", "Replace one text in a file."),
    Tool(
        *("MultiEdit", "multi-edit", WRITE, "patchkit.tools.multi_edit", "multi_edit multiedit multi_edit_file"),
        "Make several replacements in a file: all, or none.",
    ),
    Tool("LS", "ls", READ, "patchkit.tools.ls", "list list_dir list_directory", "List a directory."),
    Tool("Glob", "glob", READ, "patchkit.tools.glob", "glob_files find_files", "Find files by name, newest first."),
    Tool("Grep", "grep", READ, "patchkit.tools.grep", "search grep_files", "Find files by what is in them."),
    Tool(
        *("Bash", "exec", EXECUTE, "patchkit.tools.exec", "execute shell run_command execute_command"),
        "Run a command in the workspace, within limits.",
    ),
    Tool(
        *("apply_patch", "apply", WRITE, "patchkit.tools.apply_patch", "applypatch patch"),
        "Apply a patch: all of it, or nothing.",
    ),
    Tool("check", "check", READ, "patchkit.tools.check", "check_patch", "Say whether a patch applies; write nothing."),
)


def named(name: str) -> Tool:
    """The tool of this name: published, of the command line, or another spelling, in any case."""
    asked = str(name).lower()
    for tool in TOOLS:
        if asked in (tool.name.lower(), tool.command, *tool.others):
            return tool
    raise PatchkitError("P602", tool=name, allowed=", ".join(tool.name for tool in TOOLS))
