"""Runs the examples of documentation pages: in a tree of their own, with the commands of the installed wheel."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from doc_examples import Example, Page, build, expected, rewrite_output, seen
from forked_commands import Forks
from installation import Installation

PROJECT, RUN = "/home/you/project", "m4zx81qp"  # the tree's path and the id of a run, on pages
RUN_ID = re.compile(r"\b(undo|redo|run|Undid|Redid) [0-9a-z]{8}\b")
# Commands of ours that a shell would only start one after the other, with words that it takes as they are.
PLAIN = re.compile(
    r"""(?:patchkit|apply_patch)(?: +(?:[\w./:=,@%+-]+|'[^']*'|"[^"$`\\]*"))*(?P<quiet> > /dev/null)?\n"""
)
UPDATE = os.environ.get("PATCHKIT_UPDATE_DOCS") == "1"


class Said(NamedTuple):
    """How a command ended and all it said, standard error first."""

    status: int
    output: str


@pytest.fixture(scope="session")
def commands(installation):
    """Runs what a page shows with the commands of the installed wheel, in the current directory."""
    forks = Forks(installation.python)
    yield Commands(installation, forks)
    forks.close()


class Commands:
    def __init__(self, installation: Installation, forks: Forks) -> None:
        self._bin = installation.bin
        self._settings = installation.settings
        self._forks = forks

    def apply_patch(self, words: list[str], patch: bytes) -> Said:
        return self._started([([str(self._bin / "apply_patch"), *words], False)], self._settings(), patch)

    def _started(self, lines: list[tuple[list[str], bool]], settings: dict[str, str], given: bytes = b"") -> Said:
        """Runs commands of ours without a shell; with each is whether its output is not shown."""
        status, printed, complaints = 0, b"", b""
        for words, quiet in lines:
            status, out, err = self._forks.run(words, os.getcwd(), settings, given)
            printed, complaints = printed + (b"" if quiet else out), complaints + err
        return Said(status, (complaints + printed).decode("utf-8", "surrogateescape"))

    def shell(self, lines: str) -> Said:
        """Runs a few lines of shell."""
        settings = self._settings()
        if "patchkit trust" in lines:  # an example about trust begins with none
            settings["XDG_STATE_HOME"] = tempfile.mkdtemp()
        found = [*PLAIN.finditer(lines)]
        if "".join(match[0] for match in found) == lines:
            parts = [(shlex.split(match[0].removesuffix(" > /dev/null\n")), bool(match["quiet"])) for match in found]
            return self._started(
                [([str(self._bin / name), *words], quiet) for (name, *words), quiet in parts], settings
            )
        done = subprocess.run(
            ["sh", "-c", lines], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=settings
        )
        return Said(done.returncode, done.stderr + done.stdout)


@pytest.fixture
def try_out(tmp_path_factory, monkeypatch, commands):
    """Runs an example of a page and compares the result with the page; each in a tree of its own."""

    def try_out_example(page: Page, example: Example) -> Said:
        tree = tmp_path_factory.mktemp("in") / "project"  # short: long paths are shown cut
        build(example.files, tree)
        before = seen(tree)
        monkeypatch.chdir(tree)
        if example.call.kind == "command":
            status, output = commands.shell(example.call.text)
        else:
            status, output = commands.apply_patch(example.options, example.patch)
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
