"""A run that is stopped by anything goes on where it was: nothing is done twice, nothing is lost."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from batch_rows import COMMAND, row_of

FULL = os.environ.get("PATCHKIT_TESTS") == "full"
KILLS = 50 if FULL else 2


@pytest.fixture
def many(write_rows):
    """Rows enough for several chunks."""
    return write_rows([{**row_of(number), "filler": "x" * 20_000} for number in range(250)])


def children_of(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def lines_of(journal):
    with contextlib.suppress(FileNotFoundError):
        return journal.read_bytes().count(b"\n")
    return 0


@pytest.mark.skipif(not os.path.exists(f"/proc/{os.getpid()}/task/{os.getpid()}/children"), reason="needs /proc")
def test_a_run_that_is_killed_again_and_again_gives_what_an_undisturbed_one_gives(many, batch, tmp_path):
    started = time.monotonic()
    batch(many, "--jobs", "2", out="whole.jsonl")
    taken = time.monotonic() - started
    chance = random.Random(7)

    for number in range(KILLS):
        out = tmp_path / f"{number}.jsonl"
        command = [*COMMAND, str(many), "-o", str(out), "--jobs", "2", "--resume"]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(chance.uniform(0.1, taken))
        workers = children_of(running.pid) if number % 2 and running.poll() is None else []
        of_a_worker = bool(workers)
        with contextlib.suppress(ProcessLookupError):  # it was quicker
            os.kill(chance.choice(workers) if workers else running.pid, signal.SIGKILL)
        if of_a_worker:
            assert running.wait() == 0, running.stderr.read()  # the run goes on without the worker
        running.wait()
        running.stderr.close()
        batch(many, "--jobs", "2", "--resume", out=out.name)

        # A worker that was killed from outside is not the fault of a row: it is tried again and has its verdict.
        assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
        assert sorted(path.name for path in tmp_path.glob(f"{number}.jsonl*")) == [out.name]


def test_what_a_killed_run_has_done_is_not_done_again(many, batch, tmp_path):
    batch(many, out="whole.jsonl")
    whole = (tmp_path / "whole.jsonl").read_bytes()
    journal, partial = tmp_path / "out.jsonl.journal", tmp_path / "out.jsonl.partial"
    running = None
    while running is None or not journal.exists():  # again, where it was at its end before it was killed
        (tmp_path / "out.jsonl").unlink(missing_ok=True)
        running = subprocess.Popen([*COMMAND, str(many), "-o", "out.jsonl", "--jobs", "1"], cwd=tmp_path)
        while running.poll() is None and lines_of(journal) < 3:
            time.sleep(0.01)
        running.kill()
        running.wait()
    done = lines_of(journal) - 1
    journal.write_bytes(journal.read_bytes() + b"[9, 0")  # a line that was cut off
    partial.write_bytes(partial.read_bytes().replace(b'"row-1"', b'"ROW-1"') + b"half an answ")

    answers = batch(many, "--resume")

    assert "note[P975]: resumed: " in answers.stderr
    assert done >= 2
    assert (tmp_path / "out.jsonl").read_bytes() == whole.replace(b'"row-1"', b'"ROW-1"')


def test_an_output_is_not_overwritten(write_rows, batch, tmp_path):
    rows = write_rows([row_of(0)])
    (tmp_path / "out.jsonl").write_text("mine\n")

    assert "error[P697]: 'out.jsonl' exists already" in batch(rows, out="out.jsonl", status=2).stderr.replace(
        f"{tmp_path}/", ""
    )
    assert (tmp_path / "out.jsonl").read_text() == "mine\n"


def test_a_run_is_resumed_with_the_same_rows_and_options_only(write_rows, batch, tmp_path):
    rows = write_rows([row_of(0)])
    batch(rows)
    (tmp_path / "out.jsonl").rename(tmp_path / "out.jsonl.partial")
    (tmp_path / "out.jsonl.journal").write_text('{"form": 1, "rows": [], "request": {}}\n')

    assert "its rows, request differ" in batch(rows, "--resume", status=2).stderr


def test_a_run_that_is_finished_stays_as_it_is(write_rows, batch, tmp_path):
    rows = write_rows([row_of(number) for number in range(5)])
    batch(rows)
    before = (tmp_path / "out.jsonl").read_bytes()

    again = batch(rows, "--resume")

    assert (tmp_path / "out.jsonl").read_bytes() == before
    assert again.stdout.startswith("5 rows\n")


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        ("| head -c 0", "0\n"),  # it has read enough
        (
            "> /dev/full",
            "error[P402]: cannot write 'standard output': no space left on device\n"
            "  = help: fix the cause and try again; all files are unchanged\n4\n",
        ),
    ],
)
def test_a_run_to_standard_output_that_ends_early_is_not_said_to_be_resumable(many, reader, said):
    if "full" in reader and not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    line = f'{{ "$@"; echo $? >&2; }} {reader}'
    done = subprocess.run(["sh", "-c", line, "sh", *COMMAND, str(many), "-o", "-"], capture_output=True, check=False)

    assert done.stderr.decode() == said
