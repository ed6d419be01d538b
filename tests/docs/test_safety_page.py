"""What docs/safety.md says about kept files, compared with the constants of the code."""

from __future__ import annotations

from pathlib import Path

from patchkit import history
from patchkit.core.workspace import HISTORY, OUTPUTS, SESSIONS, root_id
from patchkit.history import bounds, outputs
from patchkit.history import sessions as session_file

PAGE = " ".join(Path(__file__).parents[2].joinpath("docs", "safety.md").read_text(encoding="utf-8").split())
DAY, MEBIBYTE = 86400, 1 << 20


def test_the_page_says_where_the_history_is():
    assert f"$XDG_STATE_HOME/patchkit/ROOT/{HISTORY}/" in PAGE
    assert f"`/work/my-app` is `{root_id('/work/my-app')}`" in PAGE
    assert f"one `{history.ENDING}` file for each run" in PAGE


def test_the_page_says_how_much_history_is_kept_and_for_how_long():
    runs, size, age = bounds._MOST_RUNS, bounds._MOST_BYTES // MEBIBYTE, bounds._OLDEST // DAY

    assert f"the newest {runs} runs of a workspace, at most {size} MiB, at most {age} days" in PAGE
    assert f"At most {history.MOST_KEPT // MEBIBYTE} MiB for one run" in PAGE
    assert f"files above {history.MOST_HASHED // MEBIBYTE} MiB" in PAGE


def test_the_page_says_what_else_is_kept():
    files, size, age = outputs._MOST_FILES, outputs._MOST_BYTES // MEBIBYTE, bounds._OLDEST // DAY

    assert f"`{SESSIONS}/` (which files a session has read" in PAGE
    assert f"no content; {session_file._OLDEST // DAY} days)" in PAGE
    assert f"`{OUTPUTS}/` (outputs that were too large to show: {files} files, {size} MiB, {age} days)" in PAGE
