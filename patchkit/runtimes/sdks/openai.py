"""Tool calls of the OpenAI Responses API, answered; needs no SDK.

Takes one item of a response's output, as a dictionary or as the SDK's model; returns the item to send back, or None
for an item that is not a call of ours. Never raises: a refusal is an answer that the model can read. A call changes the
one path that it names and a host has approved, whatever its diff says.

    answers = [item for call in response.output if (item := answer(call, root)) is not None]
"""

from __future__ import annotations

import json
import os

from patchkit.core.language.parser import parse
from patchkit.errors import PatchkitError
from patchkit.formats.json_edits import OPERATIONS, operation_text
from patchkit.report.result import Json, Result
from patchkit.runtimes import _grammar_text
from patchkit.runtimes.answers import Host, blocks_of, data_address, encodable, plain_item, refusal, text_of, wrong
from patchkit.runtimes.grammar import MOST_STARTS, WantedGrammar, grammar_for
from patchkit.tools.registry import TOOLS, named
from patchkit.tools.wording import published

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from openai.types.responses import CustomToolParam, FunctionToolParam, ResponseInputItemParam

    from patchkit.runtimes.answers import Root


def patch_of(operation: Json, root: str) -> str:
    """The patch that does one operation; raises where it would touch another path than the one a host has approved."""
    kind, path, diff = operation.get("type"), operation.get("path"), operation.get("diff") or ""
    move_to = operation.get("move_to")
    section = OPERATIONS.get(kind) if isinstance(kind, str) else None
    if section is None:
        raise wrong("type", kind, ", ".join(OPERATIONS))
    for name, value in (("path", path), ("move_to", move_to)):
        is_path = isinstance(value, str) and bool(value.strip()) and value.splitlines() == [value]
        if (value is not None or name == "path") and not is_path:
            raise wrong(name, value, "one path on one line")
    if not isinstance(diff, str):
        raise wrong("diff", diff, "the text of a diff")
    text = operation_text(section, str(path), diff, move_to)
    sections = parse(text).sections
    found = [(type(each), _place(each.path, root), _place(getattr(each, "move_to", None), root)) for each in sections]
    if found != [(section, _place(path, root), _place(move_to, root))]:
        raise wrong("diff", "one that names another file or operation", f"changes of '{path}' alone")
    return text


def _place(path: str | None, root: str) -> str | None:
    """A path as it can be compared: two spellings of one name are the same, a `..` stays as it is."""
    if path is None or ".." in path.split("/"):
        return path
    return os.path.normpath(os.path.join(root, path))


_NAMES = {tool.name for tool in TOOLS}
_NOT_RUN = 126  # the status of a command that was refused


def answer(item: Any, root: Root = ".", *, agent: bool = False) -> ResponseInputItemParam | None:
    """The output item for a call; None for an item that is not a call, or a call of another tool.

    `root` is the workspace, or a Host where several conversations share a process: each needs a session of its own for
    the rule that files are read before they are changed.
    """
    given = plain_item(item)
    respond = _ANSWERS.get(str(given.get("type")))
    if respond is None:
        return None
    host = Host.of(root, agent, _session())
    said: Any = respond(given, host)
    if said is None:
        return None
    said["call_id"] = given.get("call_id")
    if given.get("caller") is not None:  # a call made by a program is answered to that program
        said["caller"] = given["caller"]
    made: ResponseInputItemParam = said
    return made


def _session() -> str:
    """The session of a process that has one conversation and names none."""
    return f"openai-{os.getpid()}"


def tools(*names: str) -> list[FunctionToolParam]:
    """The declarations of tools as functions: of these, or of all."""
    found = [named(name) for name in names] if names else list(TOOLS)
    return [
        {"type": "function", "name": tool.name, "description": description, "parameters": schema, "strict": False}
        for tool in found
        for description, schema in [published(tool)]
    ]


def grammar_tool(
    name: str = "apply_patch",
    *,
    files: Sequence[str] | None = None,
    root: Root = ".",
    lines: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    seen: bool = False,
    delete: bool = False,
    add: Sequence[str] = (),
    move: Mapping[str, str] | None = None,
    end_of_file: bool = False,
    max_starts: int = MOST_STARTS,
) -> CustomToolParam:
    """A tool that takes a whole patch, several files all or nothing, as text that follows the grammar.

    With `files`, or `seen` for those that were read in the session of a Host, the grammar is one for these files: hunks
    can show only lines that are there now. `lines` has for a path the first and last lines that hunks may show.
    `delete`, `add` and `move` are what a patch may do besides: new names may have one star. Raises PatchkitError.
    """
    definition = _grammar_text.FOR_MODEL
    if files is not None or seen:
        host = Host.of(root, False, _session())
        wanted = WantedGrammar(list(files or ()), lines or {}, seen)
        wanted.deletes, wanted.added, wanted.moves, wanted.ends = delete, add, move or {}, end_of_file
        wanted.most, wanted.agent, wanted.session = max_starts, host.agent, host.session
        try:
            definition, _notes = grammar_for(host.root, wanted, host.root)
        except PatchkitError as error:
            for each in error.errors:
                each.for_library = True
            raise
    description, _ = published(named("apply_patch"))
    grammar: Any = {"type": "grammar", "syntax": "lark", "definition": definition}
    return {"type": "custom", "name": name, "description": description, "format": grammar}


def operated(operation: Any, host: Host, cancelled: Callable[[], bool] | None = None) -> Result:
    """The Result of one operation: a dictionary with type, path, diff and perhaps move_to. Never raises."""
    try:
        patch = patch_of(operation, host.root)
    except Exception as error:  # also where it is not an operation at all
        return refusal(error)
    return host.call("apply_patch", {"input": patch}, cancelled=cancelled)


def _apply_patch(given: Json, host: Host) -> Json:
    result = operated(plain_item(given.get("operation")), host)
    status = "failed" if result.status == "error" else "completed"
    return {"type": "apply_patch_call_output", "status": status, "output": text_of(result)}


def _shell(given: Json, host: Host) -> Json | None:
    environment = given.get("environment")
    if isinstance(environment, dict) and environment.get("type") not in (None, "local"):
        return None  # it is run elsewhere
    action = plain_item(given.get("action"))
    commands, most = action.get("commands"), action.get("max_output_length")
    commands = commands if isinstance(commands, list) else [commands]
    outputs = [ran(command, action.get("timeout_ms"), most, host) for command in commands]
    said: Json = {"type": "shell_call_output", "output": outputs, "status": "completed"}
    return {**said, "max_output_length": most} if most is not None else said


def ran(
    command: object, timeout_ms: object, most: object, host: Host, cancelled: Callable[[], bool] | None = None
) -> Json:
    """What came of one command; both of its streams are in `stdout`, in the order they were written."""
    arguments: Json = {"command": command}
    if isinstance(timeout_ms, (int, float)) and not isinstance(timeout_ms, bool) and timeout_ms > 0:
        arguments["timeout"] = max(1, min(3600, -(-int(timeout_ms) // 1000)))
    result = host.call("Bash", arguments, cancelled=cancelled)
    limit = most if isinstance(most, int) and not isinstance(most, bool) and most >= 0 else None
    if "exit_code" not in result.data:
        return {"stdout": "", "stderr": text_of(result)[:limit], "outcome": {"type": "exit", "exit_code": _NOT_RUN}}
    late = result.data["timed_out"]
    text = str(result.data["output"])
    if limit is not None and isinstance(result.data.get("output_file"), str):
        text = _beginning(result.data["output_file"], limit)  # of the output itself, not of the words about it
    outcome: Json = {"type": "timeout"} if late else {"type": "exit", "exit_code": result.data["exit_code"]}
    return {"stdout": encodable(text[:limit]), "stderr": "", "outcome": outcome}


def _beginning(path: str, limit: int) -> str:
    """The first characters of an output that was kept because of its size."""
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read(limit)
    except OSError:
        return ""


def _custom(given: Json, host: Host) -> Json | None:
    if given.get("name") != "apply_patch":
        return None
    result = host.call("apply_patch", {"input": given.get("input")})
    return {"type": "custom_tool_call_output", "output": text_of(result)}


def _called(given: Json, host: Host) -> Json | None:
    name = given.get("name")
    if name not in _NAMES:
        return None
    arguments = given.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            pass  # the tool refuses text with its own words
    result = host.call(str(name), arguments)
    return {"type": "function_call_output", "output": content_of(result)}


def content_of(result: Result) -> str | list[Json]:
    """The output of a function: text, or content where there is an image."""
    return blocks_of(
        result, "input_text", lambda found: {"type": "input_image", "image_url": data_address(found), "detail": "auto"}
    )


_ANSWERS = {
    "apply_patch_call": _apply_patch,
    "shell_call": _shell,
    "custom_tool_call": _custom,
    "function_call": _called,
}
