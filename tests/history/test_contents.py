"""Hashes of contents, which decide whether a run may be undone, and edits between two contents."""

from __future__ import annotations

from zlib import crc32

from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.workspace.in_place import agreement
from patchkit.history import CHECKSUM, REMAINDER, Fingerprints, compared, fingerprint, is_known_by

KINDS = [REMAINDER, CHECKSUM]
PRIME = 2**90 - 41


def is_prime(number):
    """Whether a number is prime, by Fermat's test to many bases."""
    return all(pow(base, number - 1, number) == 1 for base in range(2, 200))


def hashed(content: bytes, kind: str) -> int:
    """The hash of a content as a number."""
    size, found = fingerprint([content], kind)
    assert (size, found[0]) == (str(len(content)), kind)
    return int(found[1:], 16)


def test_hashes_are_part_of_the_format_and_never_change():
    pieces = [b"one\n", b"two\n", b"x" * 20]

    assert [fingerprint([], kind) for kind in KINDS] == [["0", "r0"], ["0", "c00000000"]]
    assert [fingerprint(pieces, kind) for kind in KINDS] == [
        ["28", "raaa3cb4b790689a2e5b788"],
        ["28", "c41ea3a13"],
    ]


def test_a_record_has_remainders_for_a_little_and_crc_32_for_the_rest():
    fingerprints = Fingerprints()
    contents = [b"a" * 30_000, b"b" * 2_000, b"c" * 1_000, b"d"]

    assert [fingerprints.of([each])[1][0] for each in contents] == ["r", "r", "c", "c"]


@given(st.binary(max_size=20), st.binary(max_size=20), st.sampled_from(KINDS))
@examples(100)
def test_a_content_is_known_by_its_fingerprint_and_no_other_is(one, other, kind):
    assert is_known_by([one], fingerprint([one], kind))
    assert is_known_by([one], fingerprint([other], kind)) == (one == other)
    assert not is_known_by([one], [str(len(one)), ""])


def test_the_prime_is_one_for_which_no_power_of_256_repeats():
    assert is_prime(PRIME)
    assert is_prime(PRIME // 2)


@given(st.binary(max_size=300))
@examples(100)
def test_a_remainder_is_that_of_the_bytes_as_one_number(content):
    assert hashed(content, REMAINDER) == int.from_bytes(content, "big") % PRIME


@given(st.binary(max_size=300))
@examples(100)
def test_a_checksum_is_the_crc_32(content):
    assert hashed(content, CHECKSUM) == crc32(content)


@given(
    kind=st.sampled_from(KINDS),
    around=st.binary(max_size=300),
    at=st.integers(0, 300),
    old=st.binary(min_size=4, max_size=4),
    new=st.binary(min_size=4, max_size=4),
)
@examples(200)
def test_a_change_within_four_bytes_is_always_seen(kind, around, at, old, new):
    one, other = (around[:at] + middle + around[at:] for middle in (old, new))

    assert (hashed(one, kind) == hashed(other, kind)) == (old == new)


@given(kind=st.sampled_from(KINDS), length=st.integers(1, 500), between=st.integers(0, 500), behind=st.integers(0, 500))
@examples(100)
def test_two_parts_that_changed_places_are_seen(kind, length, between, behind):
    one, other, middle, rest = b"a" * length, b"b" * length, b"." * between, b"x" * behind

    assert hashed(one + middle + other + rest, kind) != hashed(other + middle + one + rest, kind)


@given(st.binary(max_size=40), st.binary(max_size=40))
@examples(100)
def test_the_compared_edit_turns_one_content_into_the_other(old, new):
    for start, stop, length in compared(old, new):
        assert old[:start] + new[start : start + length] + old[stop:] == new
    assert old[: agreement(old, new)] == new[: agreement(old, new)]
