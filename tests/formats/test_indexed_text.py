"""A text in which many pieces are replaced: the same with an index of its lines as without."""

from __future__ import annotations

import random

import pytest
from counted_steps import steps

from patchkit.formats import indexed_text
from patchkit.formats.indexed_text import IndexedText


def replaced(text: str, piece: str, put: str) -> str | None:
    """The text with the piece replaced, if it is there once; None if not. Places that overlap are several."""
    at = text.find(piece)
    if not piece or at < 0 or text.find(piece, at + 1) >= 0:
        return None
    return text[:at] + put + text[at + len(piece) :]


def some_text(chance: random.Random, size: int) -> str:
    return "".join(chance.choice(["ab", "a", "b", "ba", " ", "\n", "(", "ü", "1", "12"]) for _ in range(size))


@pytest.mark.parametrize("seed", range(40))
def test_pieces_are_replaced_where_a_search_of_the_whole_text_finds_them_once(seed, monkeypatch):
    monkeypatch.setattr(indexed_text, "_FEW", seed % 3)
    monkeypatch.setattr(indexed_text, "_MOST_PARTS", 1 + seed % 7)
    monkeypatch.setattr(indexed_text, "_LINES", 1 + seed % 5)
    chance = random.Random(seed)
    text = some_text(chance, 120)
    indexed = IndexedText(text)
    done = []
    for _ in range(150):
        start = chance.randrange(len(text) + 1)
        piece = text[start : start + chance.randrange(12)] if chance.random() < 0.8 else some_text(chance, 3)
        put = chance.choice(["", piece + some_text(chance, 2), some_text(chance, 5), text[start : start + 15]])
        made = replaced(text, piece, put)

        assert indexed.has(piece) is (piece in text), piece
        assert indexed.replace(piece, put) is (made is not None), (piece, put)
        text = text if made is None else made
        assert chance.random() < 0.5 or indexed.whole == text
        done.append(made is not None)
    assert any(done)
    assert indexed.whole == text


def test_a_piece_costs_what_it_is_long_and_not_what_the_text_is(monkeypatch):
    def replacing(count):
        text = IndexedText("".join(f"line {number} of it\n" for number in range(10 * count)))
        for number in range(80):
            assert text.replace(f"line {number} of it\n", f"early {number}\n")
        monkeypatch.setattr(IndexedText, "_drop", lambda text, _: text._words is None or pytest.fail("it is dropped"))
        return steps(lambda: [text.replace(f"line {5 * number} of", f"new {number} of") for number in range(80, 180)])

    assert replacing(2_000) < 1.3 * replacing(500)
