"""A patch applied without a shell leaves what the shell would have left: files, output and status are the same."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shell_forms import double, single

from patchkit.tools.calling import Caller, call

FITS = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
STALE = FITS.replace("-x", "-gone")
ADDS = "*** Begin Patch\n*** Add File: new/b.txt\n+it's $5 \\ and `more`\n*** End Patch\n"
BEFORE = [
    "",
    "cd sub\n",
    "cd sub && ",
    "cd ./sub/../sub; ",
    "set -e\n",
    "set -euo pipefail\ncd sub\n",
    "# a comment\n",
    "true\n",
]
AFTER = [
    "",
    "echo after\n",
    "cat a.txt; pwd\n",
    "exit 4\n",
    "false\n",
    "exit\n",
    "ls | sort\necho $((1 + 1))\n",
    "cd ..; pwd\n",
]


@st.composite
def scripts(draw: st.DrawFn) -> str:
    patch, before, after = (
        draw(st.sampled_from([FITS, STALE, ADDS])),
        draw(st.sampled_from(BEFORE)),
        draw(st.sampled_from(AFTER)),
    )
    form = draw(st.sampled_from(["heredoc", "cat", "printf", "argument"]))
    joined = draw(st.sampled_from(["\n", " && ", " 2>&1\n", " || exit 1\n"]))
    first, _, more = after.partition("\n")
    if joined == " && " and not first:
        joined = "\n"
    line = first if joined == " && " else ""
    rest = more if joined == " && " else after
    if form == "heredoc":
        return f"{before}apply_patch <<'EOF'{joined.rstrip(chr(10))}{line}\n{patch}EOF\n{rest}"
    if form == "cat":
        return f"{before}cat <<'EOF' | apply_patch{joined.rstrip(chr(10))}{line}\n{patch}EOF\n{rest}"
    quote = draw(st.sampled_from([single, double]))
    called = f"printf '%s' {quote(patch)} | apply_patch" if form == "printf" else f"apply_patch {quote(patch)}"
    return f"{before}{called}{joined}{line}\n{rest}" if line else f"{before}{called}{joined}{rest}"


def built(root: Path) -> Path:
    shutil.rmtree(root, ignore_errors=True)
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_text("x\n")
    (root / "sub" / "a.txt").write_text("x\n")
    return root


def left(root: Path, script: str, **more: object) -> tuple[object, ...]:
    """All that a script leaves behind."""
    result = call("Bash", {"command": script, **more}, Caller(str(built(root))))
    files = {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}
    return result.data["exit_code"], result.data["output"], files


@settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=600 if os.environ.get("PATCHKIT_TESTS") == "full" else 25,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(scripts())
def test_with_or_without_a_shell_the_same_is_left(tmp_path, script):
    if shutil.which("bash") is None:
        pytest.skip("there is no bash here")
    root = tmp_path.resolve() / "tree"

    assert left(root, script) == left(root, script, no_intercept=True)
