"""Tools with streams that are closed, full or endless: an answer and a status, and never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from child_processes import HANG, wait_until

READS = [(["read", "a.txt"], 4), (["ls"], 4), (["ls", "--json"], 4), (["glob", "*"], 4), (["grep", "x"], 2)]
READS += [
    (words.split(), 4)
    for words in (
        *("schema", "grammar", "explain", "explain P201 --json", "doctor", "session"),
        *("help", "help statuses", "edit -h", "completion bash", "--version", "policy", "policy --sandbox --json"),
    )
]


@pytest.fixture
def patchkit(run):
    return lambda *words, **more: run(*words, name="patchkit", **more)


@pytest.mark.parametrize(("words", "status"), READS)
def test_a_tool_that_only_reads_fails_where_standard_output_is_closed(patchkit, words, status):
    said = patchkit(*words, shell='"$@" >&-')

    assert (said.status, said.stdout, said.stderr.decode()) == (
        status,
        b"",
        "error[P402]: cannot write 'standard output': bad file descriptor\n"
        "  = help: fix the cause and try again; all files are unchanged\n",
    )


@pytest.mark.parametrize(("words", "status"), READS)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_behind_standard_output_is_reported(patchkit, words, status):
    said = patchkit(*words, shell='"$@" > /dev/full')

    assert (said.status, said.stderr.split(b"\n")[0]) == (
        status,
        b"error[P402]: cannot write 'standard output': no space left on device",
    )


@pytest.mark.parametrize("shell", ['"$@" > /dev/full', '"$@" >&-'])
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_diff_that_cannot_be_printed_is_reported(patchkit, tree, shell):
    (tree / "b.txt").write_text("y\n")

    assert patchkit("diff", "a.txt", "b.txt", shell=shell).status == 4


@pytest.mark.parametrize("shell", ['"$@" >&-', '"$@" <&- >&- 2>&-', '"$@" 2>&-', '"$@" | head -c 0'])
def test_a_write_succeeds_whether_or_not_it_can_be_reported(patchkit, contents, shell):
    said = patchkit("write", "new.txt", "--content", "n\n", shell=shell)

    assert (said.status, contents()["new.txt"]) == (0, b"n\n")


@pytest.mark.parametrize("words", [words for words, _ in READS])
def test_a_reader_that_has_read_enough_is_not_a_failure(patchkit, words):
    said = patchkit(*words, shell='{ "$@"; echo $? >&2; } | head -c 0')

    assert said.stderr == b"0\n"


@pytest.mark.parametrize("words", [["read", "nope"], ["edit", "nope", "--old", "a", "--new", "b"]])
@pytest.mark.parametrize("shell", ['"$@" 2>&-', '"$@" <&- >&- 2>&-'])
def test_a_refusal_that_cannot_be_printed_keeps_its_status(patchkit, words, shell):
    assert patchkit(*words, shell=shell).status == 1


@pytest.mark.parametrize(
    ("words", "source"),
    [
        (["write", "new.txt"], "standard input"),
        (["call", "Read"], "standard input"),
        (["edit", "a.txt", "--new", "y", "--old-file", "/dev/zero"], "/dev/zero"),
    ],
)
def test_an_endless_text_is_refused(patchkit, contents, words, source):
    with open("/dev/zero", "rb") as endless:
        said = patchkit(*words, stdin=endless)

    assert (said.status, said.stderr.split(b"\n")[0]) == (
        4,
        f"error[P401]: cannot read '{source}': it has more than 256 MB".encode(),
    )
    assert contents() == {"a.txt": b"x\n"}


def test_a_signal_ends_a_read_and_what_it_runs(tree, tmp_path):
    """A PDF is read by a child; the package in its place here writes its process id and sleeps."""
    told = tmp_path / "told"
    (tmp_path / "pypdf.py").write_text(
        f"import os, time\nopen('{told}.new', 'w').write(str(os.getpid()))\nos.rename('{told}.new', '{told}')\n"
        "time.sleep(3600)\n"
    )
    (tree / "a.pdf").write_bytes(b"%PDF-1.4\n")
    settings = {**os.environ, "PYTHONPATH": str(tmp_path)}
    code = f"from patchkit.tools.reading import documents; documents.SECONDS = {HANG}; import patchkit.__main__"
    words = [sys.executable, "-c", code, "read", "a.pdf"]
    process = subprocess.Popen(words, cwd=tree, env=settings, stderr=subprocess.PIPE)
    wait_until(told.exists, "the PDF is read")
    process.send_signal(signal.SIGTERM)
    _, complaint = process.communicate()

    assert (process.returncode, complaint.split(b"\n")[0]) == (
        -signal.SIGTERM,
        b"error[P406]: stopped by SIGTERM before it finished",
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)


def test_names_that_would_act_on_a_terminal_are_printed_with_escapes(patchkit, tree):
    name = "e\x1b[31m\n.txt"
    (tree / name).write_text("x\n" * 2100)

    said = patchkit("read", name, "--plain")
    again = said.stderr.decode().partition("continue with: ")[2].strip()

    assert said.stderr.decode() == (
        "note[P951]: lines 2001 to 2100 of 'e\\x1b[31m\\n.txt' are not shown; "
        "continue with: patchkit read --plain --offset 2001 $'e\\x1b[31m\\x0a.txt'\n"
    )
    assert patchkit("edit", name, "--old", "nowhere", "--new", "x").stderr.isascii()
    assert b"\x1b" not in patchkit("write", name, "--content", "x").stdout
    bash = subprocess.run(["bash", "-c", f"printf %s {again.rpartition('2001 ')[2]}"], capture_output=True)
    assert bash.stdout.decode() == name
