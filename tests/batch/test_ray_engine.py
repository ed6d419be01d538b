"""Ray for real: two nodes on this machine, one of which is killed during the run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from batch_rows import row_of

from patchkit.batch.running import part_name

REPOSITORY = Path(__file__).resolve().parents[2]
PYTHON = os.environ.get("PATCHKIT_RAY", "")  # an interpreter with Ray
PORT = 6391


def test_every_part_has_a_name_of_its_own():
    names = [
        part_name("/in", f"/in/{name}") for name in ("a.jsonl", "a.jsonl.gz", "a.parquet", "b/a.jsonl", "b%2Fa.jsonl")
    ]

    assert names == ["a.jsonl.jsonl", "a.jsonl-gz.jsonl", "a.parquet.jsonl", "b%2Fa.jsonl.jsonl", "b%252Fa.jsonl.jsonl"]


@pytest.fixture
def nodes(tmp_path):
    """A head and a second node, each with one processor; gives the process of the second."""
    if os.environ.get("PATCHKIT_TESTS") != "full" or not PYTHON:
        pytest.skip("needs PATCHKIT_TESTS=full and an interpreter with Ray in PATCHKIT_RAY")
    ray = str(Path(PYTHON).with_name("ray"))
    settings = {**os.environ, "PYTHONPATH": str(REPOSITORY), "RAY_USAGE_STATS_ENABLED": "0"}
    common = ["--num-cpus=1", "--object-store-memory=100000000", "--disable-usage-stats", "--block"]
    head = [ray, "start", "--head", f"--port={PORT}", "--include-dashboard=false", *common]
    second = [ray, "start", f"--address=127.0.0.1:{PORT}", *common]
    running = []
    try:
        for command in (head, second):
            log = open(tmp_path / f"node{len(running)}.log", "wb")
            running.append(subprocess.Popen(command, env=settings, stdout=log, stderr=log, start_new_session=True))
            log.close()
            time.sleep(15)
        yield running[1]
    finally:
        for each in running:
            try:
                os.killpg(each.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            each.wait()


def test_a_run_on_two_nodes_survives_the_death_of_one_and_is_resumed_by_parts(nodes, tmp_path):
    parts = tmp_path / "parts"
    parts.mkdir()
    for part in range(24):
        rows = [row_of(part * 150 + number) for number in range(150)]
        (parts / f"{part:02}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = {**os.environ, "PYTHONPATH": str(REPOSITORY), "RAY_ADDRESS": f"127.0.0.1:{PORT}"}
    command = [PYTHON, "-m", "patchkit", "batch", str(parts), "-o", str(tmp_path / "out"), "--engine", "ray", "--json"]
    run = subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while run.poll() is None and len(list(tmp_path.glob("out/*.jsonl"))) < 4:
        time.sleep(0.1)
    os.killpg(nodes.pid, signal.SIGKILL)
    stdout, stderr = run.communicate()

    assert run.returncode == 0, stderr.decode()
    assert json.loads(stdout)["rows"] == 24 * 150
    lone = [PYTHON, "-m", "patchkit", "batch", str(parts), "-o", str(tmp_path / "lone.jsonl")]
    subprocess.run(lone, env=settings, check=True, capture_output=True)
    answers = [json.loads(line) for line in (tmp_path / "lone.jsonl").read_text().splitlines()]
    found = [
        json.loads(line)
        for part in range(24)
        for line in (tmp_path / "out" / f"{part:02}.jsonl.jsonl").read_text().splitlines()
    ]
    assert [(a["id"], a["verdict"], a["code"]) for a in found] == [(a["id"], a["verdict"], a["code"]) for a in answers]
    gone = tmp_path / "out" / "07.jsonl.jsonl"
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("out/*.jsonl")}
    gone.unlink()
    subprocess.run([*command, "--resume"], env=settings, check=True, capture_output=True)
    after = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("out/*.jsonl")}
    assert {name for name in after if after[name] != before[name]} == {gone.name}
