"""The arguments of a tool call, checked against the tool's schema.

Takes what a caller gave and the declaration of a tool; returns the arguments under their own names, or raises naming
the field, what was given and what is allowed. Knows as much of JSON Schema as the tools' schemas use (`KEYWORDS`), and
is more tolerant in two points: a field that is null counts as left out, because callers of strict schemas must name
every field, and a field may come under one of its aliases.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
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


def checked(tool: Tool, given: object) -> Json:
    """The arguments of a call, aliases resolved; raises P603 to P606 where they are not what the schema says."""
    if not isinstance(given, dict):
        raise _wrong("arguments", given, "an object with the tool's fields")
    schema = tool.schema(extended=True)
    needless = [each for field, names in tool.declaration.instead.items() if given.get(field) for each in names]
    if needless:
        schema["required"] = [name for name in schema.get("required", ()) if name not in needless]
    return _object(given, schema, tool.aliases, "")


def _object(given: Json, schema: Json, aliases: dict[str, str], path: str) -> Json:
    fields: dict[str, Json] = schema["properties"]
    named = _under_their_names(given, fields, aliases, path)
    for name in schema.get("required", ()):
        if named.get(name) is None:
            raise PatchkitError("P606", field=path + name, allowed=_allowed(fields[name]))
    return {
        name: _value(value, fields[name], aliases, path + name) for name, value in named.items() if value is not None
    }


def _under_their_names(given: Json, fields: dict[str, Json], aliases: dict[str, str], path: str) -> Json:
    named: Json = {}
    for name, value in given.items():
        field = name if name in fields else aliases.get(name, name)
        if field not in fields:
            raise PatchkitError("P605", field=f"{path}{name}", allowed="one of the fields " + ", ".join(fields))
        if field in named and named[field] != value:
            raise PatchkitError("P604", field=path + field, other=name)
        named[field] = value
    return named


def _value(given: object, schema: Json, aliases: dict[str, str], path: str) -> object:
    for kind in _kinds(schema):
        value = _TAKEN[kind](given)
        if value is not None:
            break
    else:
        raise _wrong(path, given, _allowed(schema))
    if kind == "array" and "items" in schema:
        least = schema.get("minItems", 0)
        if len(value) < least:
            raise _wrong(path, value, f"a list of at least {least}")
        return [_value(each, schema["items"], aliases, f"{path}[{at}]") for at, each in enumerate(value)]
    if kind == "object" and "properties" in schema:
        return _object(value, schema, aliases, f"{path}.")
    if not _within(value, schema):
        raise _wrong(path, given, _allowed(schema))
    return value


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
