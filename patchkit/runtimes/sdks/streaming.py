"""Calls of apply_patch, looked at while a model still writes them.

Takes the events of a streamed response, of the OpenAI Responses API or the Anthropic Messages API, as dictionaries or
as models of the SDK; returns the text of a refusal as soon as the patch of a call cannot apply, so that a host can stop
the model and send the text back. Every look at files is a call of the tool that only checks, under the same rules.
Nothing is written.

    watch = StreamedCalls(root)
    for event in stream:
        if refusal := watch.take(event): ...
"""

from __future__ import annotations

import json
from typing import Any

from patchkit.catalogue.entries import ENTRIES
from patchkit.errors import PatchkitError
from patchkit.runtimes.answers import Host, Root, refusal, text_of
from patchkit.streaming import CERTAIN, Arrival, PatchStream
from patchkit.writer import write

_TOOL = "apply_patch"
# Faults of a section that is still arriving that no further text can mend: hunks that are nowhere, paths, permissions.
_SURE = CERTAIN | {code for code in ENTRIES if code[1] in "36"} - {"P303", "P304"}
_FIELDS = ("input", "patch")  # the argument that has the patch, where a call has arguments as JSON
_STARTS = {"response.output_item.added": "item", "content_block_start": "content_block"}
_DELTAS = {
    "response.custom_tool_call_input.delta": ("output_index", False),
    "response.function_call_arguments.delta": ("output_index", True),
    "content_block_delta": ("index", True),
}


class StreamedCalls:
    """The calls of one response. `arrived` lists what has been completed so far, in all of its patches."""

    def __init__(self, root: Root = ".", *, agent: bool = False) -> None:
        self._host = Host.of(root, agent)
        self._calls: dict[object, _StreamedCall] = {}
        self.arrived: list[Arrival] = []

    def take(self, event: Any) -> str | None:
        """The text for the model when an event makes a patch impossible; None for every other event."""
        kind = _field(event, "type")
        if kind in _STARTS:
            call = _field(event, _STARTS[kind])
            if _field(call, "name") == _TOOL:
                index = _field(event, "output_index" if kind.startswith("response") else "index")
                self._calls[index] = _StreamedCall(self._host)
            return None
        if kind not in _DELTAS:
            return None
        name, is_json = _DELTAS[kind]
        streamed = self._calls.get(_field(event, name))
        if streamed is None:
            return None
        delta = _field(event, "delta")
        if not isinstance(delta, str):
            delta = _field(delta, "partial_json")
        arrived, refused = streamed.take(delta if isinstance(delta, str) else "", is_json)
        self.arrived += arrived
        return refused


class _StreamedCall:
    """One call that is arriving."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._stream = PatchStream()
        self._argument = JsonArgument(_FIELDS)
        self._move_to: str | None = None  # of the section at hand, where that was looked at
        self._refused = False

    def take(self, delta: str, is_json: bool) -> tuple[list[Arrival], str | None]:
        """What the text completed, and the refusal if it made the patch impossible."""
        if self._refused:
            return [], None
        try:
            arrived = self._stream.feed(self._argument.feed(delta) if is_json else delta)
        except PatchkitError as error:
            self._refused = True
            return [], text_of(refusal(error))
        moves = self._move_to != self._stream.move_to
        self._move_to = self._stream.move_to
        found = self._check() if arrived or moves else None
        self._refused = found is not None
        return arrived, found

    def _check(self) -> str | None:
        """Asks whether what has arrived applies; faults that more text may mend do not count."""
        patch, open_path = self._stream.so_far()
        if not patch.sections:
            return None
        result = self._host.call(_TOOL, {"input": write(patch), "check": True})
        certain = [each for each in result.errors if each["file"] != open_path or each["code"] in _SURE]
        if not certain:
            return None
        result.errors = certain
        return text_of(result)


class JsonArgument:
    """The text of one field of a JSON object, decoded while the object is still arriving."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._rest = ""  # what is not decoded yet
        self._state = "before"  # the value; then 'inside' it, and 'done'

    def feed(self, piece: str) -> str:
        """The part of the field's text that the piece completes."""
        self._rest += piece
        if self._state == "before":
            self._begin()
        return self._decoded() if self._state == "inside" else ""

    def _begin(self) -> None:
        """Finds the beginning of the value: fields before it have to be whole."""
        text = self._rest.lstrip()
        if not text.startswith("{"):
            return
        decoder, at = json.JSONDecoder(), 1
        while True:
            while at < len(text) and text[at] in " \t\r\n,":
                at += 1
            try:
                name, at = decoder.raw_decode(text, at)
                while at < len(text) and text[at] in " \t\r\n:":
                    at += 1
                if name in self._names and text[at : at + 1] == '"':
                    self._state, self._rest = "inside", text[at + 1 :]
                    return
                _value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                return  # not all of it is there
            if at >= len(text):
                return

    def _decoded(self) -> str:
        at, text = 0, self._rest
        while at < len(text) and text[at] != '"':
            step = 1
            if text[at] == "\\":
                step = 6 if text[at + 1 : at + 2] == "u" else 2
                if step == 6 and text[at + 2 : at + 4].lower() in ("d8", "d9", "da", "db"):
                    step = 12  # the first half of a character
            if at + step > len(text):
                break
            at += step
        if text[at : at + 1] == '"':
            self._state = "done"
        self._rest = text[at:]
        try:
            return str(json.loads(f'"{text[:at]}"', strict=False))
        except ValueError:
            self._state = "done"  # not JSON: the whole call is refused when it is complete
            return ""


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)
