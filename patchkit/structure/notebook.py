"""A notebook as its cells, and the text it is kept in.

Takes the JSON text of a notebook; gives the cells as a reader sees them, and the text with other cells. Only what
changes is written anew: all other bytes, the order of keys, the indentation and the outputs stay as they are.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from hashlib import sha256

from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Span = tuple[int, int]

_MARK = "\ufeff"
_SPACE = " \t\r\n" + _MARK
_KINDS = ("code", "markdown", "raw")
_IDS_SINCE = (4, 5)  # the version of the format whose cells have ids
_DECODER = json.JSONDecoder()


class JsonList(Value):
    """Where the parts of a list or an object are: its elements, or the values of its members under their names."""

    __slots__ = ("start", "stop", "spans", "keys")
    spans: list[Span]
    keys: list[str]

    def __init__(self, text: str, at: int) -> None:
        """Reads the list or object that begins at `at`, in a text that is known to be valid JSON."""
        self.start = at
        self.spans = []
        self.keys = []
        closing = "]" if text[at] == "[" else "}"
        at = _solid(text, at + 1)
        while text[at] != closing:
            if closing == "}":
                key, at = _DECODER.raw_decode(text, at)
                self.keys.append(key)
                at = _solid(text, _solid(text, at) + 1)
            stop = _DECODER.raw_decode(text, at)[1]
            self.spans.append((at, stop))
            at = _solid(text, stop)
            at = _solid(text, at + 1) if text[at] == "," else at
        self.stop = at + 1

    def member(self, name: str) -> Span | None:
        """Where the value of a member is; of several of one name, the last, which counts."""
        found = [span for key, span in zip(self.keys, self.spans) if key == name]
        return found[-1] if found else None

    def edges(self, text: str) -> tuple[str, str, str]:
        """What is before the first element, between two, and behind the last; for a list that has some."""
        opening = text[self.start + 1 : self.spans[0][0]]
        between = "," + (opening if "\n" in opening else " ")
        if len(self.spans) > 1:
            between = text[self.spans[0][1] : self.spans[1][0]]
        return opening, between, text[self.spans[-1][1] : self.stop - 1]


def _solid(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


class Notebook:
    """The text of a notebook, and where its cells are in it. `cells` are their values."""

    def __init__(self, text: str, value: dict[str, Any]) -> None:
        self.text = text
        self.cells: list[dict[str, Any]] = value["cells"]
        self._version = (value.get("nbformat"), value.get("nbformat_minor"))
        span = JsonList(text, _solid(text, 0)).member("cells")
        assert span is not None, "the value has it"
        self._list = JsonList(text, span[0])
        self._ascii = text.removeprefix(_MARK).isascii() and "\\u" in text
        self._line_end = "\r\n" if "\r\n" in text else "\n"

    @classmethod
    def of(cls, data: bytes) -> Notebook | None:
        """The notebook of a content; None for one that is not a valid notebook."""
        try:
            text = data.decode("utf-8")
            value = json.loads(text.removeprefix(_MARK))
        except (ValueError, RecursionError):
            return None
        cells = value.get("cells") if isinstance(value, dict) else None
        return cls(text, value) if isinstance(cells, list) and all(map(_is_cell, cells)) else None

    @property
    def data(self) -> bytes:
        return self.text.encode()

    def number_of(self, cell_id: str) -> int | None:
        """The number, from 0, of the cell with an id."""
        return next((number for number, cell in enumerate(self.cells) if cell.get("id") == cell_id), None)

    def view(self) -> CellView | None:
        """The cells below each other, without their outputs; None where they cannot be written as text."""
        view = CellView()
        try:
            for number, cell in enumerate(self.cells):
                view.add(f"{heading(number, cell)}\n", joined(cell.get("source")))
        except UnicodeEncodeError:
            return None
        return view

    def escapes(self, *texts: str) -> bool:
        """Whether texts of a cell are not the same in the file: they have characters that are escaped there."""
        return any(json.dumps(each, ensure_ascii=self._ascii) != f'"{each}"' for each in texts)

    def with_changes(self, view: CellView, changes: Sequence[tuple[int, int, bytes]]) -> Notebook | None:
        """The notebook after changes of its view; None where one of them is not inside a cell, or is not text."""
        made: dict[int, list[tuple[int, int, bytes]]] = {}
        starts = [first for first, _last in view.regions]
        for start, stop, new in changes:
            number = bisect_right(starts, start) - 1
            if number < 0 or stop > view.regions[number][1]:
                return None
            made.setdefault(number, []).append((start, stop, new))
        data = view.data
        pieces: list[str] = []
        behind = 0
        for number in sorted(made):
            first, last = view.regions[number]
            region = bytearray(data[first:last])
            for start, stop, new in sorted(made[number], reverse=True):
                region[start - first : stop - first] = new
            try:
                source = region.decode("utf-8").removesuffix("\n")
            except UnicodeDecodeError:
                return None
            cell = JsonList(self.text, self._list.spans[number][0])
            start, stop = cell.member("source") or (0, 0)
            pieces += [self.text[behind:start], self._source(cell, source)]
            behind = stop
        return self._spliced(0, behind, "".join(pieces))

    def with_cell(self, number: int, source: str, kind: str = "", clear: bool = False) -> Notebook:
        """The notebook with another source of a cell; of another kind, and without its outputs, where that is asked."""
        start = self._list.spans[number][0]
        cell = JsonList(self.text, start)
        wanted: dict[str, str | None] = {"source": self._source(cell, source)}
        now = str(self.cells[number]["cell_type"])
        kind = kind or now
        if kind != now:
            wanted["cell_type"] = json.dumps(kind)
            run = None if kind != "code" else "null"
            wanted.update(execution_count=run, outputs=None if run is None else "[]")
        elif clear and kind == "code":
            wanted.update(execution_count="null", outputs="[]")
        return self._with_members(cell, wanted)

    def with_new_cell(self, after: int, source: str, kind: str) -> Notebook:
        """The notebook with a new cell behind the one of a number; -1 puts it at the beginning."""
        cell: dict[str, object] = {"cell_type": kind, "metadata": {}}
        if self._has_ids:
            cell["id"] = self._new_id(after, source)
        if kind == "code":
            cell.update(execution_count=None, outputs=[])
        cell["source"] = _lines(source)
        cell = {key: cell[key] for key in sorted(cell)}
        outer, inner = self._margins()
        indent = inner[len(outer) :] if inner else None
        written = json.dumps(cell, indent=indent or None, ensure_ascii=self._ascii)
        # The margins of its lines only: the source is in strings, which have no line ends.
        written = written.replace("\n", self._line_end + outer)
        spans, text = self._list.spans, self.text
        if not spans:
            rim = self._line_end + outer if inner else ""
            end = self._line_end + outer[: -len(indent)] if indent and outer else ""
            return self._spliced(self._list.start + 1, self._list.stop - 1, rim + written + end)
        between = self._list.edges(text)[1]
        at = spans[after][1] if after >= 0 else spans[0][0]
        return self._spliced(at, at, between + written if after >= 0 else written + between)

    def without_cell(self, number: int) -> Notebook:
        spans = self._list.spans
        if len(spans) == 1:
            return self._spliced(self._list.start + 1, self._list.stop - 1, "")
        if number + 1 < len(spans):
            return self._spliced(spans[number][0], spans[number + 1][0], "")
        return self._spliced(spans[number - 1][1], spans[number][1], "")

    def _spliced(self, start: int, stop: int, new: str) -> Notebook:
        made = Notebook.of((self.text[:start] + new + self.text[stop:]).encode())
        assert made is not None, "cells of the right form make a valid notebook"
        return made

    def _with_members(self, cell: JsonList, wanted: dict[str, str | None]) -> Notebook:
        """The notebook with other members of a cell; None takes one away."""
        present = {key: each for key, each in wanted.items() if key in cell.keys}
        if all(value is not None for value in wanted.values()) and len(present) == len(wanted):
            text = self.text
            for key, value in sorted(present.items(), key=lambda each: cell.member(each[0]) or (0, 0), reverse=True):
                start, stop = cell.member(key) or (0, 0)
                text = text[:start] + str(value) + text[stop:]
            return self._spliced(0, len(self.text), text)
        opening, between, closing = cell.edges(self.text)
        # `edges` is about values here: the key of the first member is in `opening`, and that of others in `between`.
        first = opening[: len(opening) - len(opening.lstrip())]
        colon = opening[opening.rindex(":") :]
        rest = between[: between.index(",") + 1] + (first or " ")
        values = {key: self.text[slice(*span)] for key, span in zip(cell.keys, cell.spans)}
        values.update({key: value for key, value in wanted.items() if value is not None})
        for key, value in wanted.items():
            if value is None:
                values.pop(key, None)
        keys = sorted(values) if cell.keys == sorted(cell.keys) else list(values)
        body = rest.join(f"{json.dumps(key)}{colon}{values[key]}" for key in keys)
        return self._spliced(cell.start + 1, cell.stop - 1, first + body + closing)

    def _source(self, cell: JsonList, source: str) -> str:
        """A source as the cell keeps its own: one string, or a list of lines, of which known ones stay as they are."""
        start, _stop = cell.member("source") or (0, 0)
        if self.text[start] != "[":
            return json.dumps(source, ensure_ascii=self._ascii)
        lines = _lines(source)
        if not lines:
            return "[]"
        old = JsonList(self.text, start)
        known = {json.loads(self.text[a:b]): self.text[a:b] for a, b in old.spans}
        written = [known.get(line) or json.dumps(line, ensure_ascii=self._ascii) for line in lines]
        if old.spans:
            opening, between, closing = old.edges(self.text)
        else:
            outer, margin = self._margins()
            unit = margin[len(outer) :]
            rim = self._line_end + margin
            opening, between, closing = (rim + unit, "," + rim + unit, rim) if margin else ("", ", ", "")
        return "[" + opening + between.join(written) + closing + "]"

    def _margins(self) -> tuple[str, str]:
        """The margins of a cell and of its members; '' for a notebook that is on one line."""
        if self._list.spans:
            start = self._list.spans[0][0]
            opening = self.text[self._list.start + 1 : start]
            inside = self.text[start + 1 : _solid(self.text, start + 1)]
            return (opening.rpartition("\n")[2], inside.rpartition("\n")[2]) if "\n" in inside else ("", "")
        return ("  ", "   ") if "\n" in self.text else ("", "")

    @property
    def _has_ids(self) -> bool:
        if self.cells:
            return any("id" in cell for cell in self.cells)
        return all(isinstance(each, int) for each in self._version) and self._version >= _IDS_SINCE

    def _new_id(self, after: int, source: str) -> str:
        """An id that no cell has, the same for the same call."""
        taken = {cell.get("id") for cell in self.cells}
        number = 0
        while True:
            found = sha256(f"{after}:{number}:{len(taken)}:{source}".encode("utf-8", "replace")).hexdigest()[:8]
            if found not in taken:
                return found
            number += 1


class CellView:
    """The cells of a notebook as text; `regions` are where the lines of each source are in `data`."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self.regions: list[Span] = []

    @property
    def data(self) -> bytes:
        return b"".join(self._pieces)

    def add(self, head: str, source: str) -> None:
        above, below = (b"\n" if self._pieces else b"") + head.encode(), source.encode() + b"\n"
        self._pieces += [above, below]
        self.regions.append((self._size + len(above), self._size + len(above) + len(below)))
        self._size += len(above) + len(below)


def heading(number: int, cell: dict[str, Any]) -> str:
    """The line above a cell: its number from 1, its kind, and its count of runs."""
    run = cell.get("execution_count")
    return f"[cell {number + 1}: {cell.get('cell_type', 'raw')}{f', run {run}' if isinstance(run, int) else ''}]"


def joined(text: object) -> str:
    """A text that a notebook keeps whole or line by line."""
    return text if isinstance(text, str) else "".join(map(str, text)) if isinstance(text, list) else ""


def breaks_notebook(before: bytes, after: bytes) -> bool:
    """Whether a content that is not a valid notebook takes the place of one that is."""
    return Notebook.of(after) is None and Notebook.of(before) is not None


def _is_cell(cell: object) -> bool:
    if not isinstance(cell, dict) or cell.get("cell_type") not in _KINDS:
        return False
    source = cell.get("source")
    whole = isinstance(source, str) or (isinstance(source, list) and all(isinstance(line, str) for line in source))
    return whole and isinstance(cell.get("metadata", {}), dict) and isinstance(cell.get("outputs", []), list)


def _lines(source: str) -> list[str]:
    *lines, last = source.split("\n")
    return [*(line + "\n" for line in lines), *([last] if last else [])]
