"""Runs the examples of documentation pages: in a tree of their own, with real standard streams."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from doc_examples import REPOSITORY, Example, Page, build, expected, rewrite_output, seen

from patchkit.cli.apply_patch import run

PROJECT, RUN = "/home/you/project", "m4zx81qp"  # the tree's path and the id of a run, on pages
RUN_ID = re.compile(r"\b(undo|redo|run|Undid|Redid) [0-9a-z]{8}\b")
UPDATE = os.environ.get("PATCHKIT_UPDATE_DOCS") == "1"
# The commands as a shell finds them, also where their scripts are not installed.
SHELL = """
apply_patch() { "$PYTHON" -c 'from patchkit.cli.apply_patch import main; main()' "$@"; }
patchkit() { "$PYTHON" -c 'from patchkit.cli.main import main; main()' "$@"; }
"""
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Said(NamedTuple):
    """How a command ended and all it said, standard error first."""

    status: int
    output: str


def apply_here(words: list[str], patch: bytes) -> Said:
    """Runs apply_patch in this process, in the current directory."""
    handlers = {number: signal.getsignal(number) for number in STOPPING}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(patch)
        given.seek(0)
        saved = [os.dup(number) for number in range(3)]
        try:
            for number, stream in enumerate((given, out, err)):
                os.dup2(stream.fileno(), number)
            status = run(words)
        finally:
            for number, was in enumerate(saved):
                os.dup2(was, number)
                os.close(was)
            for number, handler in handlers.items():
                signal.signal(number, handler)
        out.seek(0)
        err.seek(0)
        return Said(status, (err.read() + out.read()).decode("utf-8", "surrogateescape"))


def command_here(lines: str) -> Said:
    """Runs a few lines of shell in the current directory."""
    settings = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(REPOSITORY), "PYTHONSAFEPATH": "1"}
    if "patchkit trust" in lines:  # an example about trust begins with none
        settings["XDG_STATE_HOME"] = tempfile.mkdtemp()
    command = ["sh", "-c", SHELL + lines]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=settings)
    return Said(done.returncode, done.stderr + done.stdout)


@pytest.fixture
def try_out(tmp_path, monkeypatch):
    """Runs an example of a page and compares the result with the page."""
    tree = tmp_path / "project"

    def try_out_example(page: Page, example: Example) -> Said:
        build(example.files, tree)
        before = seen(tree)
        monkeypatch.chdir(tree)
        if example.call.kind == "command":
            status, output = command_here(example.call.text)
        else:
            status, output = apply_here(example.options, example.patch)
        output = _as_on_a_page(output, tree)

        if UPDATE and output != example.output.text:
            rewrite_output(page, example.number, output)
        else:
            assert output == example.output.text
        if example.after is not None:
            assert seen(tree) == expected(example.after)
        elif status and "codex" not in example.options:
            assert seen(tree) == before
        return Said(status, output)

    return try_out_example


def _as_on_a_page(output: str, tree: Path) -> str:
    """The output without what is different every time."""
    for place in {str(tree), os.path.realpath(tree)}:
        output = output.replace(place, PROJECT)
    return RUN_ID.sub(rf"\1 {RUN}", output)
