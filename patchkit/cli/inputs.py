"""What a command reads besides its words: files, standard input, JSON texts, the directory it starts in.

Takes a descriptor, a path or a text; gives what is in it, or raises PatchkitError.
"""

from __future__ import annotations

import os

from patchkit.cli import give, show
from patchkit.errors import PatchkitError, reason
from patchkit.handles import OpenHandle, ReportedAs

MOST_BYTES = 256 << 20  # of a text that comes from a file or from standard input
_EXAMPLE = '{"file_path": "a.py"}'


def text_of_file(path: str) -> str:
    """The text of a file; bytes that are not UTF-8 are kept as surrogates."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise PatchkitError("P401", file=path, reason=reason(error) + _meant(path)) from None
    with OpenHandle(opened):
        return text_of_stream(opened, path)


def _meant(path: str) -> str:
    """Which file a name that is not there was perhaps meant for."""
    from difflib import get_close_matches  # only for a mistake

    place, name = os.path.split(path)
    try:
        near = get_close_matches(name, os.listdir(place or "."), 1, 0.75) if not os.path.lexists(path) else []
    except OSError:
        return ""
    return f" (did you mean '{os.path.join(place, near[0])}'?)" if near else ""


def text_of_stream(stream: int = 0, name: str = "standard input") -> str:
    """All that a stream gives, to its end; one that has no end is refused when it has given too much."""
    pieces = []
    room = MOST_BYTES
    with ReportedAs("P401", file=name):
        while piece := os.read(stream, 1 << 20):
            pieces.append(piece)
            room -= len(piece)
            if room < 0:
                raise PatchkitError("P401", file=name, reason=f"it has more than {MOST_BYTES >> 20} MB")
    return b"".join(pieces).decode("utf-8", "surrogateescape")


def call_arguments(text: str | None, strict: bool = True) -> object:
    """The arguments of a call from a JSON text, from standard input where that is None or '-'.

    Unless `strict`, a text that begins with an element is given as it is: a model may have written the whole call.
    """
    if text is None or text == "-":
        text = "{}" if os.isatty(0) else text_of_stream()
    return text if not strict and text.lstrip().startswith("<") else from_json(text, _EXAMPLE)


def from_json(text: str, example: str) -> object:
    """The value of a JSON text; `example` is shown where the text is not JSON."""
    import json  # slower to load than reading a text takes

    try:
        return json.loads(text, object_pairs_hook=_fields)
    except RecursionError:
        reason = "it is nested too deep"
    except json.JSONDecodeError as error:
        reason = str(error)[:1].lower() + str(error)[1:]
    except ValueError:
        reason = "a number in it has too many digits"
    raise PatchkitError("P607", reason=reason, example=example)


def _fields(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The fields of an object. A field that is there twice with two values is a mistake: either could be meant."""
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found and found[name] != value:
            raise PatchkitError("P604", field=name, other=name)
        found[name] = value
    return found


def check_start(start: str | None) -> None:
    """Raises P326 unless `start` is a directory: a wrong one would look like missing files."""
    if start is None or os.path.isdir(start or "."):
        return
    reason = "is not a directory" if os.path.lexists(start) else "does not exist"
    raise PatchkitError("P326", start=start, reason=reason)


def write_rest(path: str, rest: str) -> None:
    """Writes the rest, nothing if there is none; where that fails it is printed, for it is nowhere else."""
    try:
        with open(path, "wb") as file:
            file.write(rest.encode("utf-8", "surrogateescape"))
    except OSError as error:
        show(2, [(f"cannot write '{path}': {reason(error)}; the rest of the patch follows\n", "")])
        give(rest)
