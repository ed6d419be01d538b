"""`apply_patch` when something is wrong: the command line, a stream, the patch, the files."""

from __future__ import annotations

import json
import os
import pty

import pytest

from patchkit.core.changes import _CHOICES, DIALECTS
from patchkit.policy import _VARIABLES
from patchkit.tools.wording import WORDINGS

X_TO_Y = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
ADD_N = "*** Begin Patch\n*** Add File: n.txt\n+new\n*** End Patch\n"
SUCCESS = b"Success. Updated the following files:\n"
USAGE = b"Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n"


FULL_DISK = pytest.param(
    ">/dev/full", marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
)

# -- usage -------------------------------------------------------------------------------------


def test_empty_standard_input_shows_the_usage(run):
    assert run() == (2, b"", USAGE)
    assert run("-") == (2, b"", USAGE)


def test_two_patches_are_an_error_of_usage(run, contents):
    assert run(X_TO_Y, ADD_N) == (2, b"", b"Error: apply_patch accepts exactly one argument.\n")
    assert contents() == {"a.txt": b"x\n"}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--frobnicate"], b"--frobnicate"),
        (["-x", X_TO_Y], b"-x"),
        (["--check=yes", X_TO_Y], b"option '--check' does not take a value"),
        (["--root"], b"--root"),
        ([X_TO_Y, "-C"], b"-C"),
        (["--dialect", "latin", X_TO_Y], b"latin"),
    ],
)
def test_a_wrong_command_line_is_named_and_ends_with_status_2(run, contents, words, named):
    done = run(*words)

    assert (done.status, done.stdout, done.stderr.count(b"\n")) == (2, b"", 2)
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.endswith(b"\n  = help: 'apply_patch --help' explains its use\n")
    assert named in done.stderr
    assert contents() == {"a.txt": b"x\n"}


@pytest.mark.parametrize("variable", ["PATCHKIT_DIALECT", "PATCHKIT_SYNTAX"])
def test_an_unknown_word_in_the_environment_is_refused_by_the_name_of_its_variable(run, tree, variable):
    (tree / "x.patch").write_text(X_TO_Y)
    called = ("call", "apply_patch", json.dumps({"input": X_TO_Y}))
    for words, name in [((X_TO_Y,), "apply_patch"), (("check", "x.patch"), "patchkit"), (called, "patchkit")]:
        done = run(*words, name=name, **{variable: "latin"})

        assert (done.status, done.stdout) == (2, b"")
        assert f"variable '{variable}' cannot be 'latin'" in done.stderr.decode()


def test_the_values_of_variables_are_those_of_the_packages_that_use_them():
    for name, known in [("DIALECT", DIALECTS), ("SYNTAX", _CHOICES["syntax"]), ("WORDING", WORDINGS)]:
        assert {*_VARIABLES[f"PATCHKIT_{name}"]} == {*known} - {""}


def test_a_terminal_on_standard_input_gets_the_usage_and_no_wait(run):
    ours, theirs = pty.openpty()
    try:
        assert run(stdin=theirs) == (2, b"", USAGE)
    finally:
        os.close(ours)
        os.close(theirs)


# -- streams that fail -------------------------------------------------------------------------


@pytest.mark.parametrize("redirections", [">&-", FULL_DISK, ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_lost_standard_output_does_not_undo_success(run, contents, redirections):
    assert run(X_TO_Y, shell=f'exec "$@" {redirections}') == (0, b"", b"")
    assert contents() == {"a.txt": b"y\n"}


def test_a_lost_standard_output_does_not_hide_the_notes(run, contents):
    done = run(X_TO_Y.replace("\n", "\n\n", 1), shell='exec "$@" >&-')

    assert (done.status, done.stderr[:12]) == (0, b"note[P901]: ")
    assert contents() == {"a.txt": b"y\n"}


def test_a_reader_that_went_away_does_not_undo_success(run, contents):
    reading, writing = os.pipe()
    os.close(reading)
    done = run(X_TO_Y, stdout=writing)
    os.close(writing)

    assert done == (0, b"", b"")
    assert contents() == {"a.txt": b"y\n"}


@pytest.mark.parametrize("redirections", ["2>&-", ">&- 2>&-"])
def test_a_lost_standard_error_does_not_turn_a_refusal_into_success(run, contents, redirections):
    assert run(X_TO_Y.replace("-x", "-z"), shell=f'exec "$@" {redirections}') == (1, b"", b"")
    assert contents() == {"a.txt": b"x\n"}


def test_a_lost_standard_output_does_not_silence_a_refusal(run):
    done = run(X_TO_Y.replace("-x", "-z"), shell='exec "$@" >&-')

    assert (done.status, done.stderr[:13]) == (1, b"error[P201]: ")


def test_a_closed_standard_input_is_said_to_be_unreadable(run, contents):
    done = run(shell='exec "$@" <&-')

    assert (done.status, done.stdout, done.stderr[:13]) == (1, b"", b"error[P403]: ")
    assert contents() == {"a.txt": b"x\n"}


# -- refusals ----------------------------------------------------------------------------------


def test_a_refusal_shows_the_place_in_the_patch_and_the_next_step(run):
    text = "\n".join(
        [
            "error[P302]: file 'b.txt' does not exist",
            " --> patch:2",
            "  |",
            "2 | *** Delete File: b.txt",
            "  |",
            "  = help: check the path; nothing was written\n",
        ]
    )

    assert run("*** Begin Patch\n*** Delete File: b.txt\n*** End Patch\n") == (1, b"", text.encode())


def test_an_ambiguous_hunk_is_reported_with_every_place(run, tree):
    (tree / "a.txt").write_bytes(b"x\n1\nx\n2\nx\n")
    first, _, rest = run(X_TO_Y).stderr.decode().partition("\n")

    assert first == "error[P202]: hunk matches 3 places in 'a.txt' (lines 1, 3, 5)"
    assert "nothing was written" in rest


HOSTILE = {
    "nothing but blanks": b"  \n\n",
    "prose": b"please change x to y\nthank you\n",
    "a file name": b"fix.patch",
    "a unified diff": b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n",
    "a cut-off patch": X_TO_Y[:-20].encode(),
    "an unknown header": X_TO_Y.replace("*** Update", "*** Improve").encode(),
    "a missing file": X_TO_Y.replace("a.txt", "b.txt").encode(),
    "a hunk that is not there": X_TO_Y.replace("-x", "-z").encode(),
    "an escape": X_TO_Y.replace("a.txt", "../a.txt").encode(),
    "a name with a NUL": X_TO_Y.replace("a.txt", "a\0.txt").encode(),
    "a name of a thousand parts": X_TO_Y.replace("a.txt", "d/" * 1000 + "a.txt").encode(),
    "a name that is too long": ADD_N.replace("n.txt", "n" * 5000).encode(),
    "a name of control characters": X_TO_Y.replace("a.txt", "\x1b[31m\x07.txt").encode(),
    "a name that is no UTF-8": X_TO_Y.encode().replace(b"a.txt", b"\xff\xfe.txt"),
    "the root itself": X_TO_Y.replace("a.txt", ".").encode(),
    "random bytes": bytes(range(256)) * 8,
    "half of a UTF-16 character": b"\xff\xfe*\0*\0*\0 \0B",
    "JSON of the wrong shape": b'{"input": {"*** Begin Patch": [1, 2]}}',
    "deep JSON": b"[" * 100_000 + b"*** Begin Patch",
    "only a Begin marker": b"*** Begin Patch\n",
    "a lone surrogate in JSON": b'{"input": "*** Begin Patch\\n*** Add File: \\ud800\\n+x\\n*** End Patch\\n"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_is_refused_in_words_and_without_a_traceback(run, contents, name):
    done = run(stdin=HOSTILE[name])

    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"error[P")
    assert b"P499" not in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"\x1b" not in done.stderr
    assert contents() == {"a.txt": b"x\n"}


@pytest.mark.parametrize("operation", ["Update", "Add", "Delete"])
def test_a_fifo_is_refused_and_never_waited_for(run, tree, operation):
    os.mkfifo(tree / "pipe")
    body = {"Update": "@@\n-x\n+y\n", "Add": "+x\n", "Delete": ""}[operation]
    done = run(f"*** Begin Patch\n*** {operation} File: pipe\n{body}*** End Patch\n")

    assert (done.status, done.stdout, done.stderr[:13]) == (1, b"", b"error[P306]: ")


@pytest.mark.parametrize("words", [["--json"], ["--check", "--json"], ["--diff"], ["--stat"], ["-i"]])
def test_no_option_stumbles_over_a_current_directory_that_is_gone(run, tmp_path, words):
    gone = tmp_path / "gone"
    gone.mkdir()
    done = run(*words, X_TO_Y, cwd=gone, shell='rmdir "$PWD"; exec "$@"')

    assert done.status == 1
    assert b"Traceback" not in done.stderr + done.stdout
    assert b"P312" in done.stderr + done.stdout


def test_a_current_directory_that_is_gone_is_said_so(run, tmp_path):
    (tmp_path / "gone").mkdir()
    done = run(ADD_N, shell='rmdir "$PWD"; exec "$@"', cwd=tmp_path / "gone")

    assert (done.status, done.stdout, done.stderr[:13]) == (1, b"", b"error[P312]: ")


def test_a_file_with_several_names_is_replaced_and_a_note_says_so(run, contents, tree):
    os.link(tree / "a.txt", tree / "other.txt")
    done = run(X_TO_Y)

    assert (done.status, done.stdout, done.stderr[:12]) == (0, SUCCESS + b"M a.txt\n", b"note[P932]: ")
    assert contents() == {"a.txt": b"y\n", "other.txt": b"x\n"}


def test_a_new_file_follows_the_umask(run, tree):
    assert run(ADD_N, shell='umask 027; exec "$@"') == (0, SUCCESS + b"A n.txt\n", b"")
    assert (tree / "n.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("way", ["call", "apply --as-agent", "apply --json --as-agent"])
def test_an_agent_gets_words_without_options(run, tree, way):
    (tree / "a.txt").write_text("x\n")
    (tree / ".patchkit.toml").write_text('[permissions]\nwrite = "allow"\n')
    run("trust", name="patchkit")
    add = "*** Begin Patch\n*** Add File: a.txt\n+y\n*** End Patch\n"
    if way == "call":
        done = run("call", "apply_patch", json.dumps({"input": add}), name="patchkit")
    else:
        done = run(*way.split(), name="patchkit", stdin=add.encode())
    said = done.stderr.decode() if "--json" not in way else json.loads(done.stdout)["text"]

    assert said == (
        "error[P303]: cannot add 'a.txt': it already exists\n --> patch:2\n  |\n2 | *** Add File: a.txt\n  |\n"
        "  = help: change it with '*** Update File: a.txt', or replace it: '*** Delete File: a.txt' and '*** Add File: "
        "a.txt' in one patch; nothing was written\n"
    )
