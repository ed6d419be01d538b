"""The line that says how far a long run is."""

from __future__ import annotations

import pytest

from patchkit.report import progress
from patchkit.report.progress import Progress


class Clock:
    """A clock that only moves when a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


@pytest.fixture
def written():
    return []


@pytest.fixture
def line(clock, written):
    return Progress(written.append, 40)


def test_a_run_of_less_than_a_second_says_nothing(clock, line, written):
    for number in range(1000):
        clock.now = number / 1001
        line("writing", number, 1000)
    line.end()

    assert written == []


def test_a_longer_run_says_what_it_does_and_takes_the_line_away(clock, line, written):
    clock.now = 1.0
    line("writing", 2500, 10_000)
    line.end()

    assert written == ["\rwriting: 2,500 of 10,000 files (25 %)\x1b[K", "\r\x1b[K"]


def test_the_line_changes_a_few_times_a_second_only(clock, line, written):
    for number in range(1000):
        clock.now = 1 + number / 1000
        line("writing", number, 1000)

    assert len(written) == 10


def test_what_has_no_end_in_sight_has_no_numbers(clock, line, written):
    clock.now = 2.0
    line("waiting for another run", 0, 0)

    assert written == ["\rwaiting for another run …\x1b[K"]


def test_the_line_stays_on_one_line_of_the_terminal(clock, written):
    line = Progress(written.append, 12)
    clock.now = 1.0
    line("writing", 2500, 10_000)

    assert written == ["\rwriting: 2,\x1b[K"]


def test_a_line_that_was_taken_away_is_not_taken_away_again(clock, line, written):
    clock.now = 1.0
    line("reading", 1, 2)
    line.end()
    line.end()

    assert len(written) == 2


def test_a_wide_line_has_a_bar_and_the_time_that_is_left(clock, written):
    line = Progress(written.append, 100)
    line("writing", 0, 10_000)
    clock.now = 5.0
    line("writing", 2500, 10_000)

    bar = f"[{'=' * 7}{' ' * 23}]"
    assert written == [f"\r{bar} writing: 2,500 of 10,000 files (25 %), 15 s left\x1b[K"]


@pytest.mark.parametrize(
    ("done", "words"),
    [(5000, ", 1 s left"), (120, ", 82 s left"), (90, ", 2 min left"), (1, ", 3 h left"), (0, "")],
)
def test_the_time_that_is_left_is_said_in_the_unit_that_fits(clock, written, done, words):
    line = Progress(written.append, 70)
    line("reading", 0, 10_000)
    clock.now = 1.0
    line("reading", done, 10_000)

    assert written[0].partition(" %)")[2] == f"{words}\x1b[K"


def test_the_next_step_of_a_run_is_measured_by_itself(clock, written):
    line = Progress(written.append, 60)
    line("reading", 0, 100)
    clock.now = 50.0
    line("writing", 0, 100)
    clock.now = 52.0
    line("writing", 50, 100)

    assert written[-1].endswith("writing: 50 of 100 files (50 %), 2 s left\x1b[K")
