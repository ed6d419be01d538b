"""The arguments of a tool call, held against the tool's schema.

Takes what a caller gave and the declaration of a tool; gives the arguments under their own names, or raises naming the
field, what was given and what is allowed. Knows as much of JSON Schema as the tools' schemas use.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.tools.registry import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Schema = dict[str, object]
_WORDS = {
    "string": "a string",
    "number": "a whole number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def checked(tool: Tool, given: object) -> dict[str, object]:
    """The arguments of a call, aliases resolved; raises P603 where they are not what the schema says."""
    if not isinstance(given, dict):
        raise _wrong("arguments", given, "an object with the tool's fields")
    schema = tool.schema(extended=True)
    named = _under_their_names(given, schema["properties"], tool.aliases)  # type: ignore[arg-type]
    return _object(named, schema, "")


def _under_their_names(given: dict[str, object], fields: Schema, aliases: dict[str, str]) -> dict[str, object]:
    named: dict[str, object] = {}
    for name, value in given.items():
        field = name if name in fields else aliases.get(name, name)
        if field in named and named[field] != value:
            raise PatchkitError("P604", field=field, other=name)
        named[field] = value
    return named


def _object(given: dict[str, object], schema: Schema, path: str) -> dict[str, object]:
    fields: dict[str, Schema] = schema["properties"]  # type: ignore[assignment]
    for name in given:
        if name not in fields:
            allowed = "one of the fields " + ", ".join(fields)
            raise PatchkitError("P605", field=path + name, allowed=allowed)
    for name in schema.get("required", ()):  # type: ignore[attr-defined]
        if given.get(name) is None:
            raise PatchkitError("P606", field=path + name, allowed=_allowed(fields[name]))
    # A field that is null was left out: callers of strict schemas must name every field.
    return {name: _value(value, fields[name], path + name) for name, value in given.items() if value is not None}


def _value(given: object, schema: Schema, path: str) -> object:
    kind = str(schema["type"])
    value = _TAKEN[kind](given)
    if value is None:
        raise _wrong(path, given, _allowed(schema))
    if kind == "array":
        items: Schema = schema["items"]  # type: ignore[assignment]
        return [_value(each, items, f"{path}[{at}]") for at, each in enumerate(_enough(value, schema, path))]
    if kind == "object":
        return _object(value, schema, f"{path}.")  # type: ignore[arg-type]
    if not _within(value, schema):
        raise _wrong(path, given, _allowed(schema))
    return value


def _enough(value: object, schema: Schema, path: str) -> list[object]:
    least: int = schema.get("minItems", 0)  # type: ignore[assignment]
    if len(value) < least:  # type: ignore[arg-type]
        raise _wrong(path, value, f"a list of at least {least}")
    return value  # type: ignore[return-value]


def _whole(given: object) -> int | None:
    """A whole number; JSON writes 5 as 5.0 where a language has only one kind of number."""
    if isinstance(given, bool) or not isinstance(given, int | float) or given != given or given in (_INF, -_INF):
        return None
    return int(given) if given == int(given) else None


_INF = float("inf")
_TAKEN: dict[str, Callable[[object], object]] = {
    "string": lambda given: given if isinstance(given, str) else None,
    "number": _whole,
    "integer": _whole,
    "boolean": lambda given: given if isinstance(given, bool) else None,
    "array": lambda given: given if isinstance(given, list) else None,
    "object": lambda given: given if isinstance(given, dict) else None,
}


def _within(value: object, schema: Schema) -> bool:
    if "enum" in schema and value not in schema["enum"]:  # type: ignore[operator]
        return False
    least, most = schema.get("minimum"), schema.get("maximum")
    return (least is None or value >= least) and (most is None or value <= most)  # type: ignore[operator]


def _allowed(schema: Schema) -> str:
    """What a field may be, in words."""
    if "enum" in schema:
        return "one of " + ", ".join(f"'{each}'" for each in schema["enum"])  # type: ignore[attr-defined]
    words = _WORDS[str(schema["type"])]
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f"{words} between {least} and {most}"
    return words if least is None else f"{words} of at least {least}"


def _wrong(field: str, given: object, allowed: str) -> PatchkitError:
    shown = repr(given) if not isinstance(given, str) else f"'{given}'"
    return PatchkitError("P603", field=field, given=shown if len(shown) <= 80 else shown[:77] + "…", allowed=allowed)
