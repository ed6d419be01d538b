"""The arguments of a tool call, checked against the tool's schema.

Takes what a caller gave and the declaration of a tool; returns the arguments under their own names, or raises naming
the field, what was given and what is allowed. Knows as much of JSON Schema as the tools' schemas use (`KEYWORDS`), and
is more tolerant: a field that is null counts as left out, because callers of strict schemas must name every field, and
a field may come under one of its aliases. Unless a caller is strict, what models send beyond the schema is taken with a
note: names of other clients, numbers, flags and lists in a string, and fields that there are not, which are ignored.
"""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError
from patchkit.tools.declaration import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from patchkit.report.result import Json

KEYWORDS = frozenset(
    "type properties required additionalProperties items minItems enum minimum maximum default description".split()
)
_WORDS = {
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
_LONGEST_SHOWN = 80
_PREVIEWS = ("dryrun", "preview", "previewonly")  # a caller who asks for these does not want anything written


def checked(tool: Tool, given: object, notes: list[Note] | None = None, strict: bool = False) -> Json:
    """The arguments of a call, aliases resolved; raises P603 to P606 where they are not what the schema says.

    `notes` get what was taken beyond the schema; under `strict`, as where the field of that name says so, nothing is.
    """
    if not isinstance(given, dict):
        raise _wrong("arguments", given, "an object with the tool's fields")
    schema = tool.schema(extended=True)
    needless = [each for field, names in tool.declaration.instead.items() if given.get(field) for each in names]
    if needless:
        schema["required"] = [name for name in schema.get("required", ()) if name not in needless]
    reader = _Reader(tool, [] if notes is None else notes, strict or given.get("strict") is True)
    return reader.fields(given, schema, "")


class _Reader:
    """Takes the arguments of one call, and notes what is not as the schema has it."""

    def __init__(self, tool: Tool, notes: list[Note], strict: bool) -> None:
        self._tool = tool
        self._notes = notes
        self._strict = strict
        self._noted: set[tuple[str, str]] = set()
        self._file: object = None  # that the call is about; objects inside it may name it again

    def fields(self, given: Json, schema: Json, path: str) -> Json:
        fields: dict[str, Json] = schema["properties"]
        named = self._under_their_names(given, fields, path)
        for name in schema.get("required", ()):
            if named.get(name) is None and not self._strict and not path:
                named[name] = _named_inside(named, name)
            if named.get(name) is None:
                raise PatchkitError("P606", field=path + name, allowed=_allowed(fields[name]))
        self._file = self._file if path else named.get("file_path")
        return {name: self.value(each, fields[name], path + name) for name, each in named.items() if each is not None}

    def _under_their_names(self, given: Json, fields: dict[str, Json], path: str) -> Json:
        named: Json = {}
        for name, value in given.items():
            field = name if name in fields else self._tool.declaration.aliases.get(name, name)
            if field not in fields:
                field = self._meant(str(name), value, given, fields, path)
            if field in named and named[field] != value:
                raise PatchkitError("P604", field=path + field, other=name)
            if field:
                named[field] = value
        return named

    def _meant(self, name: str, value: object, given: Json, fields: dict[str, Json], path: str) -> str:
        """The field that a name of another client means; '' for one that is ignored."""
        if not self._strict:
            from patchkit.formats.fields import meanings, plain_name  # most callers use our names

            found = [field for field in meanings(name) if field in fields and field not in given]
            if found:
                self._note("renamed", path + name, meant=path + found[0])
                return found[0]
            same = next((field for field in meanings(name) if field in given and field in fields), "")
            if same and given[same] != value and given[same] is not None:
                raise PatchkitError("P604", field=path + same, other=path + name)
            if same or (path and "file_path" in meanings(name) and value == self._file):
                return ""
            other_file = path and "file_path" in meanings(name)
            if not other_file and (plain_name(name) not in _PREVIEWS or value in (False, None)):
                self._note("ignored", path + name)
                return ""
        raise PatchkitError("P605", field=path + name, allowed="one of the fields " + ", ".join(fields))

    def value(self, given: object, schema: Json, path: str) -> object:
        kinds = _kinds(schema)
        value = next((taken for kind in kinds if (taken := _TAKEN[kind](given)) is not None), None)
        if value is None and isinstance(given, str) and not self._strict:
            read = _in_text(given)
            value = next((taken for kind in kinds if (taken := _TAKEN[kind](read)) is not None), None)
            if value is None and "array" in kinds and schema.get("items", {}).get("type") == "string":
                value = [given]  # one text for a list of texts
            if value is not None:
                self._note("text", path, given=shown(given))
        if value is None:
            raise _wrong(path, given, _allowed(schema))
        if isinstance(value, list) and "items" in schema:
            least = schema.get("minItems", 0)
            if len(value) < least:
                raise _wrong(path, value, f"a list of at least {least}")
            return [self.value(each, schema["items"], f"{path}[{at}]") for at, each in enumerate(value)]
        if isinstance(value, dict) and "properties" in schema:
            return self.fields(value, schema, f"{path}.")
        if not _within(value, schema):
            raise _wrong(path, given, _allowed(schema))
        return value

    def _note(self, lenience: str, field: str, **facts: str) -> None:
        if (lenience, field.rpartition(".")[2]) not in self._noted:  # each of many edits has the same
            self._noted.add((lenience, field.rpartition(".")[2]))
            self._notes.append(Note("P956", lenience=lenience, field=field, tool=self._tool.name, **facts))


def _named_inside(named: Json, wanted: str) -> object:
    """What all objects of a list have for a field of the call, where it is the same; None where they have not."""
    from patchkit.formats.fields import meanings

    for value in named.values():
        items = _in_text(value) if isinstance(value, str) else value
        if isinstance(items, list) and items and all(isinstance(each, dict) for each in items):
            found = [next((each[name] for name in each if wanted in meanings(str(name))), None) for each in items]
            if all(each == found[0] for each in found):
                return found[0]
    return None


def _in_text(given: str) -> object:
    """The number, flag, list or object that a string holds; None for any other text."""
    bare = given.strip()
    if bare.lower() in ("true", "false"):
        return bare.lower() == "true"
    if bare[:1] in ("[", "{", "-") or bare[:1].isdigit():
        import json  # for a list or a flag that came as a text

        try:
            return json.loads(bare)
        except (ValueError, RecursionError):
            return None
    return None


def _kinds(schema: Json) -> list[str]:
    """The types a value may have: the schema names one, or a list of them."""
    kinds = schema["type"]
    return [str(kind) for kind in kinds] if isinstance(kinds, list) else [str(kinds)]


def _number(given: object) -> int | float | None:
    """A finite number; JSON writes 5 as 5.0 where a language has only one kind of number."""
    if isinstance(given, bool) or not isinstance(given, int | float) or given != given or given in (_INF, -_INF):
        return None
    return int(given) if given == int(given) else given


def _whole(given: object) -> int | None:
    number = _number(given)
    return number if isinstance(number, int) else None


_INF = float("inf")
_TAKEN: dict[str, Callable[[object], Any]] = {
    "string": lambda given: given if isinstance(given, str) else None,
    "number": _number,
    "integer": _whole,
    "boolean": lambda given: given if isinstance(given, bool) else None,
    "array": lambda given: given if isinstance(given, list) else None,
    "object": lambda given: given if isinstance(given, dict) else None,
}


def _within(value: Any, schema: Json) -> bool:
    if "enum" in schema and value not in schema["enum"]:
        return False
    least, most = schema.get("minimum"), schema.get("maximum")
    if isinstance(value, str):
        return True  # bounds are for numbers; a field that may also be text has them for when it is one
    return (least is None or value >= least) and (most is None or value <= most)


def _allowed(schema: Json) -> str:
    """What a field may be, in words."""
    if "enum" in schema:
        return "one of " + ", ".join(f"'{each}'" for each in schema["enum"])
    words = " or ".join(_WORDS[kind] for kind in _kinds(schema))
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f"{words} between {least} and {most}"
    if most is not None:
        return f"{words} of at most {most}"
    return words if least is None else f"{words} of at least {least}"


def _wrong(field: str, given: object, allowed: str) -> PatchkitError:
    return PatchkitError("P603", field=field, given=shown(given), allowed=allowed)


def shown(given: object) -> str:
    """A value as JSON would write it, text in single quotes, as much of it as helps."""
    if isinstance(given, str):
        return f"'{given}'" if len(given) <= _LONGEST_SHOWN else f"'{given[:_LONGEST_SHOWN]}…'"
    if isinstance(given, dict | list):
        words = f"{'an object' if isinstance(given, dict) else 'a list'} of {len(given)}"
    elif given is None or isinstance(given, bool):
        words = "null" if given is None else "true" if given else "false"
    else:
        words = repr(given)
    return words if len(words) <= _LONGEST_SHOWN else words[:_LONGEST_SHOWN] + "…"
