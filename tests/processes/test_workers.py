"""Pieces of work for several processes: each is answered once, whatever becomes of a process."""

from __future__ import annotations

import operator
import os

import pytest

from patchkit.errors import PatchkitError
from patchkit.processes.workers import Workers

MAKE = "functools:partial"  # called with a function, gives what calls it


def no_parts(_piece):
    return []


def lost(piece, fate):
    return f"{piece} {fate}"


def test_every_piece_is_answered_once_and_pieces_are_taken_as_they_are_needed():
    taken = []

    def pieces():
        for number in range(40):
            taken.append(number)
            yield number

    workers = Workers(MAKE, operator.neg, 2, no_parts, lost)
    answers = workers.answers(pieces())
    first = next(answers)

    assert len(taken) <= 5  # two with each process, and the one that took the place of the first
    assert sorted(filter(None, [first, *answers])) == [(number, -number) for number in range(40)]


def test_a_process_that_dies_costs_the_piece_that_it_was_at():
    workers = Workers(MAKE, os._exit, 1, no_parts, lost)

    assert sorted(filter(None, workers.answers([7, 8]))) == [(7, "7 ended with status 7"), (8, "8 ended with status 8")]


def test_a_piece_that_kills_is_split_and_its_parts_are_tried_alone():
    workers = Workers(MAKE, sum, 2, lambda piece: [[each] for each in piece] if len(piece) > 1 else [], lost)

    assert sorted(workers.answers([[1, 2], [3, "x", 4]]), key=str) == [
        (["x"], "['x'] raised TypeError: unsupported operand type(s) for +: 'int' and 'str'"),
        ([1, 2], 3),
        ([3], 3),
        ([4], 4),
    ]


def test_processes_that_cannot_start_their_work_are_reported():
    with pytest.raises(PatchkitError, match="P699: the engine 'local' cannot be used: AttributeError"):
        list(Workers("functools:nothing", None, 1, no_parts, lost).answers([1]))
