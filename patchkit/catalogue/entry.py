"""One row of the catalogue."""

from __future__ import annotations

from patchkit.values import Value


class Entry(Value):
    __slots__ = ("kind", "sentence", "advice")
    kind: str
    sentence: str
    advice: str

    def __init__(self, kind: str, sentence: str, advice: str = "") -> None:
        self.kind = kind
        self.sentence = sentence
        self.advice = advice
