"""A tool as a command, made from its declaration: fields become words and options.

Takes the words of a command line, or a Tool. What a field means and how it is checked is in the tool's schema alone, so
the command line, JSON calls and agent protocols cannot drift apart. The quick way looks up only those fields that the
words name; the whole command is made where click asks for it.
"""

from __future__ import annotations

import os

from patchkit.cli import (
    Interrupted,
    columns,
    finish_in_spite_of_signals,
    is_screen,
    roll_back_on_signals,
    show,
    write,
    write_json,
)
from patchkit.cli.quick import OF_CALLS, START, Flag, Given, QuickCommand, read
from patchkit.cli.statuses import of_tool
from patchkit.errors import PatchkitError
from patchkit.policy import READ, is_agent
from patchkit.report.result import Json, Result, failure
from patchkit.tools.answers import SECONDS
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import TOOLS, FieldSpelling, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.policy.permissions import Judge, Judged
    from patchkit.report.spans import Spans


Field = dict[str, object]
_FROM_FILE = "__file"  # behind the name of a field whose text an option takes from a file
_KINDS = {"number": "NUMBER", "integer": "N"}


def quick(words: list[str]) -> int | None:
    """Runs the command of a tool and returns its status; None where click has to read the words."""
    tool = next(tool for tool in TOOLS if tool.command == words[0])
    schema = tool.schema(extended=True)
    given = given_by(words[1:], schema, tool.declaration.command_line)
    return None if given is None else _run(tool, schema, given)


def given_by(words: list[str], schema: Json, spelling: FieldSpelling) -> Given | None:
    """The values that words give for the fields of a schema; None where click has to read them."""
    fields: dict[str, Field] = schema["properties"]

    def find(name: str) -> Flag | None:
        """The row of an option: of a field, of a file for a field, or of every tool."""
        field = name[2:].replace("-", "_") if name[:2] == "--" and "_" not in name else ""
        if field not in fields or field in spelling.options or field in spelling.positional:
            field = next((each for each, names in spelling.options.items() if name in names.split("/")), "")
        if field:
            return _row(name, field, fields[field])
        for each, spelled in spelling.from_file.items():
            if spelled == name:
                return Flag(name, value="FILE", field=each + _FROM_FILE)
        return next((row for row in OF_CALLS if name in row.names), None)

    given = read(words, find, _words(spelling, fields, schema))
    if given is None or any(name not in given for name in _required(schema, spelling)):
        return None
    return given


def declared(tool: Tool) -> QuickCommand:
    """The whole command that calls a tool."""
    schema, spelling = tool.schema(extended=True), tool.declaration.command_line
    fields: dict[str, Field] = schema["properties"]
    required = _required(schema, spelling)
    published = tool.schema()["properties"]
    rows = []
    for name, field in fields.items():
        if name not in spelling.positional:
            row = _row(" ".join(spelling.names(name)), name, field)
            row.required, row.brief = name in required, name in published
            about = _for_people(str(field.get("description", "")), list(fields), spelling).rstrip(".")
            row.about = about if about[1:2].isupper() else about[:1].lower() + about[1:]
            row.more = f": {', '.join(row.choices)}" if row.choices else ""
            rows.append(row)
    for name, spelled in spelling.from_file.items():
        about = f"take {_for_people(name, [name], spelling)} from this file"
        rows.append(Flag(spelled, about, value="FILE", field=name + _FROM_FILE))
    # grep has lines around a match for -C, as every grep has.
    taken = any(spelled.startswith("-C/") for spelled in spelling.options.values())
    start = START.but(names=("--start",)) if taken else START
    common = tuple(start if row is START else row for row in OF_CALLS)
    return QuickCommand(
        tool.command,
        _about(tool.summary, spelling),
        lambda given: _run(tool, schema, given),
        _words(spelling, fields, schema),
        (*rows, *common),
    )


def _run(tool: Tool, schema: Json, given: Given) -> int:
    caller, as_json = caller_of(given)
    caller.by_hand = True
    for field, needless in tool.declaration.instead.items():
        if given.get(field):
            schema["required"] = [name for name in schema.get("required", ()) if name not in needless]
    return answer(tool, lambda: _arguments(schema, tool.declaration.command_line, given), caller, as_json)


def caller_of(given: Given) -> tuple[Caller, bool]:
    """Takes what every tool's command has out of the values: where the workspace is, who calls, JSON or text."""
    values = (given.pop(row.field) if row.field in given else row.unsaid() for row in OF_CALLS)
    root, start, as_json, agent, asks = values
    caller = Caller(str(root) if root else None, None if start is None else str(start), bool(agent))
    # Where the environment says that an agent calls, the terminal may be one that the agent types into.
    caller.approves = _approves if asks and not is_agent() else None
    return caller, bool(as_json)


def _approves(judge: Judge, asked: list[Judged], session: str) -> bool:
    from patchkit.cli.interactive import approves  # most calls ask nothing

    return approves(judge, asked, session)


def _required(schema: Json, spelling: FieldSpelling) -> list[str]:
    """The fields that the command line has to give."""
    return [
        name for name in schema.get("required", ()) if name not in spelling.from_file and name != spelling.from_stdin
    ]


def _words(spelling: FieldSpelling, fields: dict[str, Field], schema: Json) -> tuple[Flag, ...]:
    required = _required(schema, spelling)
    rows = []
    for name in spelling.positional:
        many = fields[name]["type"] == "array"
        shown = name.removesuffix("s").upper() if many else name.upper()
        shown = shown if name in required else f"[{shown}]..." if many else f"[{shown}]"
        rows.append(Flag("", value=shown, kind="FILE", many=many, required=name in required, field=name))
    return tuple(rows)


def _row(names: str, name: str, field: Field) -> Flag:
    kind = str(field["type"])
    if kind == "boolean":
        return Flag(names, field=name)
    choices: tuple[str, ...] = tuple(field.get("enum", ()))  # type: ignore[arg-type]  # a schema has texts there
    items = _items(field).get("type")
    value = "NAME" if choices else "N" if kind in _KINDS else "JSON" if items == "object" else "TEXT"
    many = kind == "array" and items == "string"
    return Flag(names, value=value, kind=_KINDS.get(kind, ""), choices=choices, many=many, least=None, field=name)


def _items(field: Field) -> Field:
    found = field.get("items")
    return found if isinstance(found, dict) else {}


def _about(summary: str, spelling: FieldSpelling) -> str:
    """What the tool does, and what it reads from standard input."""
    field = spelling.from_stdin
    if not field:
        return summary
    names = [spelling.names(field)[0], *filter(None, [spelling.from_file.get(field)])]
    return f"{summary}\n\nWithout {' and '.join(repr(name) for name in names)} standard input is read."


def _for_people(words: str, fields: list[str], spelling: FieldSpelling) -> str:
    """The words about a field with the options of the command line for the names of fields, and no advice to models."""
    words = words.partition(". Only provide if")[0]
    for field in fields:
        if "_" in field and field not in spelling.positional:
            words = words.replace(field, f"'{spelling.names(field)[-1]}'")
    return words


def _arguments(schema: Json, spelling: FieldSpelling, given: dict[str, object]) -> dict[str, object]:
    """The command line as the arguments of a call: what was not given is left out."""
    found = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value is not None and value is not False and value != ()
    }
    for field, name in spelling.from_file.items():
        path = found.pop(field + _FROM_FILE, None)
        if path is not None and field in found:
            raise PatchkitError("P604", field=spelling.names(field)[-1], other=name)
        if path is not None:
            from patchkit.cli.inputs import text_of_file

            found[field] = text_of_file(str(path))
    if spelling.from_stdin and found.get(spelling.from_stdin) in (None, "-"):
        found.pop(spelling.from_stdin, None)
        if not os.isatty(0):
            from patchkit.cli.inputs import text_of_stream

            found[spelling.from_stdin] = text_of_stream()
    for name, spelled in spelling.from_file.items():
        if name in schema.get("required", ()) and name not in found:
            raise PatchkitError("P606", field=spelling.names(name)[-1], allowed=f"a text, or '{spelled}' and a file")
    fields: dict[str, Field] = schema["properties"]
    return {name: _listed(value, fields[name]) for name, value in found.items()}


def _listed(value: object, field: Field) -> object:
    """The value; of a field that is a list of objects, the value of its JSON."""
    items = _items(field)
    if not isinstance(value, str) or items.get("type") != "object":
        return value
    from patchkit.cli.inputs import from_json

    names: list[str] = list(items.get("required", ()))  # type: ignore[call-overload]  # a schema has texts there
    return from_json(value, "[{" + ", ".join(f'"{name}": "…"' for name in names) + "}]")


# -- a tool that is called: what came of it goes to the streams, and the status says the same ---------
# Tags and reminders in a text are for models: they are printed by `patchkit call` and for `--as-agent`, and not to a
# person, in a pipe neither.


_SEARCHES = ("Grep", "Glob")
_LISTS = ("Grep", "Glob", "LS")
_SNIPPET = " Here's the result of running `cat -n` on a snippet of the edited file:\n"
_HUNG = " " * len("  = help: ")  # before the further lines of a help
_WIDEST = 2000  # characters of a note: some of them name a whole call


def answer(tool: Tool, arguments: Callable[[], object], caller: Caller, as_json: bool, name: str = "") -> int:
    """Calls the tool, by another `name` of it if one is given, prints what came of it, and returns the status."""
    caller.on_commit = finish_in_spite_of_signals
    caller.may_fork = caller.owns_process = True  # the process is ours alone
    try:
        roll_back_on_signals()
        if caller.start is not None:
            from patchkit.cli.inputs import check_start

            check_start(caller.start)
        given = arguments()
        if tool.name in _SEARCHES and os.isatty(2):
            result = _waited_for(tool, given, caller)
        else:
            result = call(name or tool.name, given, caller)
        if tool.name in _LISTS and is_screen(1) and caller.by_hand and result.status != "error":
            from patchkit.cli.search_looks import looks  # only for a terminal

            result.for_people = lambda _columns: looks(tool.name, result, given)
        elif caller.by_hand and not caller.agent:
            _address_person(result, tool)
    except PatchkitError as error:  # the arguments could not be read
        result = failure(error)
    except Interrupted as signal:
        result = failure(PatchkitError("P406", signal=str(signal)))
    why = print_result(result, as_json, tags=not caller.by_hand or caller.agent)
    if why and tool.effect == READ:  # a tool that changed files did so, whether that could be printed or not
        result = failure(PatchkitError("P402", file="standard output", reason=why))
        write(2, result.text)
    return of_tool(tool.name, result)


def _address_person(result: Result, tool: Tool) -> None:
    """Puts what is said to a model into a person's words: no `cat -n`, options in the place of fields."""
    said = result.for_people
    if result.status != "error":
        if said is None and _SNIPPET in result.text:
            result.for_people = lambda _columns: [(result.text.replace(_SNIPPET, "\n", 1), "")]
    elif said is not None:
        spelling = tool.declaration.command_line
        fields = [field for field in tool.schema(extended=True)["properties"] if "_" in field]
        names = {field: spelling.names(field)[-1] for field in fields if field not in spelling.positional}

        def in_options(spans: Spans) -> Spans:
            found: Spans = []
            helps = False  # whether these are the words of help: other plain words are lines of files
            for text, style in spans:
                helps = style == "help" or (helps and not style and text.startswith((": ", _HUNG, "\n")))
                place, comma, words = text.rpartition(", ") if found[-1:] == [(" :::", "frame")] else ("", "", text)
                for field, option in names.items() if helps or comma or style in ("strong", "there") else ():
                    words = f" {words}".replace(f" {field}", f" '{option}'")[1:]
                found.append((place + comma + words, style))
            return found

        result.for_people = lambda columns: in_options(said(columns))


def _waited_for(tool: Tool, given: object, caller: Caller) -> Result:
    """Calls a tool that searches, with a line on the terminal that says how far it is."""
    from patchkit.cli.search_looks import Waiting  # only for a terminal

    most = given.get("timeout", SECONDS) if isinstance(given, dict) else SECONDS
    waiting = Waiting("searching", most if isinstance(most, (int, float)) else SECONDS)
    try:
        return call(tool.name, given, caller)
    finally:
        waiting.end()


def print_result(result: Result, as_json: bool = False, tags: bool = False) -> str:
    """Prints a Result: the envelope, or its text on standard output (an error's on standard error) and its notes.

    `tags` keeps what is meant for models. Returns the reason why standard output did not take it, '' when it did.
    """
    if as_json:
        return write_json(result.envelope())
    stream = 2 if result.status == "error" else 1
    # Onto a terminal it goes as spans: the content and the names of files must not act on it.
    spans = [(result.text, "")] if tags or result.for_people is None else result.for_people(columns(stream))
    if not any(style for _text, style in spans):
        text = "".join([text for text, _style in spans])
        spans = [(text if text.endswith("\n") or not text else text + "\n", "")]
    why = show(stream, spans)
    if result.notes:
        from patchkit.report.spans import note_line  # only where there is a note
        from patchkit.report.width import visible

        lines = [note_line(str(note["code"]), visible(str(note["message"]), _WIDEST)) for note in result.notes]
        show(2, [span for line in lines for span in line])
    return why if stream == 1 else ""
