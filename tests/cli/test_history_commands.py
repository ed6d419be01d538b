"""`patchkit log`, `undo`, `redo` and `recover` as a caller sees them."""

from __future__ import annotations

import json
import os
import re

import pytest

from patchkit.core.workspace.root import Workspace
from patchkit.errors import Note
from patchkit.tools import log as listing

PATCH = """\
*** Begin Patch
*** Update File: a.txt
@@
-x
+y
*** Add File: sub/n.txt
+new
*** End Patch
"""
X_TO_Y = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
MOVE = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n*** End Patch\n"


@pytest.fixture
def patchkit(run):
    """Runs `patchkit` with the words given."""

    def run_patchkit(*words, **options):
        return run(*words, name="patchkit", **options)

    return run_patchkit


@pytest.fixture
def applied(run, patchkit):
    """Applies PATCH; gives the id under which it is listed."""
    assert run("-q", PATCH).status == 0
    return patchkit("log").stdout[:8].decode()


def data(said):
    return json.loads(said.stdout)


# -- log -----------------------------------------------------------------------------------------


def test_log_lists_what_was_applied_newest_first(run, patchkit, applied):
    run("-q", MOVE)
    said = patchkit("log")

    times = re.sub(rb"(?m)^[0-9a-z]{8}  [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}$", b"RUN", said.stdout)
    assert (said.status, times, said.stderr) == (
        0,
        b"RUN\n  M a.txt => b.txt\nRUN\n  A sub/n.txt  +1\n  M a.txt  +1 -1\n",
        b"",
    )


def test_log_says_what_was_undone(patchkit, applied):
    patchkit("undo")

    listed = patchkit("log").stdout.decode()
    assert re.fullmatch(rf"{applied}  \S+ \S+  undone\n  A sub/n.txt  \+1\n  M a.txt  \+1 -1\n", listed)


def test_log_has_no_numbers_for_a_file_that_another_program_changed_since(patchkit, tree, applied):
    (tree / "a.txt").write_text("other\n")

    assert patchkit("log").stdout.decode().split("\n")[1:] == ["  A sub/n.txt  +1", "  M a.txt", ""]


def test_log_counts_the_lines_of_the_newest_runs_only(run, tree, applied, monkeypatch):
    run("-q", MOVE)
    monkeypatch.setattr(listing, "_COUNTED", 3)
    with Workspace(str(tree)) as files:
        known = listing.log(files)

    assert [[each.lines for each in run.files] for run in known] == [[(0, 0)], [None, None]]


def test_log_of_a_workspace_without_a_history_is_empty(patchkit):
    assert patchkit("log") == (0, b"", b"")


def test_log_may_be_cut_to_the_newest(run, patchkit, applied):
    run("-q", MOVE)

    assert patchkit("log", "-n", "1").stdout.decode().split("\n")[1:] == ["  M a.txt => b.txt", ""]
    assert patchkit("log", "-n", "0").stdout == b""


def test_log_as_json_has_the_same(run, patchkit, applied):
    run("-q", MOVE)
    said = data(patchkit("log", "--json"))

    assert [run["state"] for run in said["data"]["runs"]] == ["applied", "applied"]
    assert said["data"]["runs"][1]["id"] == applied
    assert said["data"]["runs"][0]["files"] == [
        {"path": "b.txt", "op": "move", "moved_from": "a.txt", "added": 0, "removed": 0}
    ]
    assert said["data"]["runs"][0]["reversible"] is True
    assert re.fullmatch(r"[0-9-]{10}T[0-9:.]{12}\+00:00", said["data"]["runs"][0]["time"])
    assert (said["status"], said["errors"]) == ("success", [])


# -- undo and redo -------------------------------------------------------------------------------


def test_undo_and_redo_report_which_files_they_changed(patchkit, contents, tree, applied):
    undone = f"Undid {applied}. Updated the following files:\nM a.txt\nD sub/n.txt\n".encode()
    redone = f"Redid {applied}. Updated the following files:\nA sub/n.txt\nM a.txt\n".encode()

    assert patchkit("undo") == (0, undone, b"")
    assert (contents(), os.listdir(tree)) == ({"a.txt": b"x\n"}, ["a.txt"])
    assert patchkit("redo") == (0, redone, b"")
    assert contents() == {"a.txt": b"y\n", "sub/n.txt": b"new\n"}


def test_a_run_is_named_by_its_id(run, patchkit, contents, applied):
    run("-q", "*** Begin Patch\n*** Add File: m.txt\n+m\n*** End Patch\n")

    assert patchkit("undo", applied).status == 0
    assert contents() == {"a.txt": b"x\n", "m.txt": b"m\n"}
    assert patchkit("redo", applied).status == 0
    assert contents() == {"a.txt": b"y\n", "m.txt": b"m\n", "sub/n.txt": b"new\n"}


def test_undo_refuses_to_lose_newer_work_and_names_every_file(patchkit, contents, tree, applied):
    (tree / "a.txt").write_bytes(b"mine\n")
    (tree / "sub/n.txt").write_bytes(b"mine\n")
    help_line = "  = help: undo the newer change first, or edit the file by hand; nothing was written\n"
    errors = "\n".join(
        f"error[P323]: cannot undo run {applied}: '{name}' has changed since\n{help_line}"
        for name in ("a.txt", "sub/n.txt")
    )

    assert patchkit("undo") == (1, b"", errors.encode())
    assert contents() == {"a.txt": b"mine\n", "sub/n.txt": b"mine\n"}


def test_undo_without_a_history_is_refused(patchkit, tree):
    message = (
        f"error[P321]: nothing to undo in '{tree}'\n  = help: list the runs of this workspace with 'patchkit log'\n"
    )

    assert patchkit("undo") == (1, b"", message.encode())


def test_undo_as_json_is_the_envelope(patchkit, tree, applied):
    said = data(patchkit("undo", "--json"))

    assert said["status"] == "success"
    assert said["data"] == {
        "id": applied,
        "files": [
            {"path": "a.txt", "op": "update", "moved_from": None},
            {"path": "sub/n.txt", "op": "delete", "moved_from": None},
        ],
    }
    assert said["context"] == {
        "cwd": str(tree),
        "params_input": {"root": None, "id": None},
        "path_resolved": os.path.realpath(tree),
    }


def test_a_refusal_as_json_is_the_envelope(patchkit, applied):
    said = patchkit("redo", applied, "--json")

    assert (said.status, data(said)["status"], data(said)["error"]["code"]) == (1, "error", "P325")


def test_a_root_that_is_not_there_is_a_matter_of_policy(patchkit):
    assert patchkit("undo", "--root", "missing").status == 3


def test_root_and_environment_choose_the_workspace(run, patchkit, contents, tmp_path, applied):
    assert patchkit("undo", "--root", "tree", cwd=tmp_path).status == 0
    assert contents() == {"a.txt": b"x\n"}
    assert patchkit("redo", cwd=tmp_path, PATCHKIT_ROOT="tree").status == 0
    assert contents() == {"a.txt": b"y\n", "sub/n.txt": b"new\n"}


def test_a_run_in_a_directory_below_is_another_history(patchkit, tree, applied):
    assert patchkit("log", cwd=tree / "sub") == (0, b"", b"")


@pytest.mark.parametrize(("words", "settings"), [(["--no-history"], {}), ([], {"PATCHKIT_NO_HISTORY": "1"})])
def test_history_can_be_switched_off(run, patchkit, words, settings):
    assert run("-q", *words, X_TO_Y, **settings).status == 0
    assert patchkit("log").stdout == b""


def test_a_state_directory_that_cannot_be_written_fails_no_run_and_is_reported(run, contents):
    said = run(X_TO_Y, XDG_STATE_HOME="/dev/null")

    assert (said.status, said.stdout) == (0, b"Success. Updated the following files:\nM a.txt\n")
    assert said.stderr.startswith(
        b"note[P962]: this run is not recorded and cannot be undone: not a directory ('/dev/null/patchkit/"
    )
    assert contents() == {"a.txt": b"y\n"}


# -- recover -------------------------------------------------------------------------------------


def test_recover_says_when_there_is_nothing_to_do(patchkit):
    assert patchkit("recover") == (0, b"Nothing to recover.\n", b"")


def test_recover_cleans_up_after_a_run_that_changed_nothing(patchkit, contents, tree):
    (tree / ".patchkit-journal").write_bytes(b"patchkit journal 1\0intent\0.patchkit-1.tmp\0whole")

    said = patchkit("recover")

    assert said == (0, b"", b"note[P941]: cleaned up after an interrupted run\n")
    assert contents() == {"a.txt": b"x\n"}


def test_recover_ends_with_5_when_something_is_left_to_look_at(patchkit, tree):
    (tree / ".patchkit-journal").write_bytes(b"patchkit journal 1\0commit\0" + b"what is this? " * 9)

    said = patchkit("recover")

    note = Note("P943", file=".patchkit-journal.broken")
    assert said == (5, b"", f"note[P943]: {note.message}\n".encode())


def test_recover_as_json_has_the_same(patchkit, tree):
    (tree / ".patchkit-journal").write_bytes(b"")
    said = data(patchkit("recover", "--json"))

    assert (said["data"], [note["variant"] for note in said["notes"]]) == (
        {"recovered": True, "left": False},
        ["cleaned-up"],
    )


# -- what an agent sees of it --------------------------------------------------------------------

RULES = """\
[permissions]
read = { "*" = "allow", ".env*" = "deny" }
write = { "src/**" = "allow", ".env*" = "allow", "a.txt" = "allow" }
"""
SECRET = "*** Begin Patch\n*** Update File: .env\n@@\n-TOKEN=OLDSECRET\n+TOKEN=NEWSECRET\n*** End Patch\n"


@pytest.fixture
def secretive(run, tree, patchkit):
    """A tree whose rules hide a file that a person changed before."""
    (tree / ".env").write_text("TOKEN=OLDSECRET\n")
    (tree / "src").mkdir()
    assert run("-q", SECRET).status == 0
    assert run("-q", X_TO_Y).status == 0
    (tree / ".patchkit.toml").write_text(RULES)
    assert patchkit("trust").status == 0
    return tree


@pytest.mark.parametrize("agent", ["1", "true", "yes", "2"])
def test_the_page_of_changes_shows_an_agent_only_what_it_may_read(secretive, patchkit, agent):
    shown = patchkit("log", "--html", "-", PATCHKIT_AGENT=agent)
    written = patchkit("log", "--html", "src/x.html", PATCHKIT_AGENT=agent)
    page = (secretive / "src/x.html").read_text()

    assert (shown.status, written.status) == (0, 0)
    assert "SECRET" not in page + shown.stdout.decode()
    assert "a rule forbids to read it" in page
    assert "a.txt" in page
    assert "SECRET" in patchkit("log", "--html", "-").stdout.decode()  # a person sees it


def test_the_page_of_changes_is_a_write_of_an_agent(secretive, patchkit, tmp_path):
    refused = [
        patchkit("log", "--html", name, PATCHKIT_AGENT="1").status
        for name in ("x.html", ".git/hooks/x", f"{tmp_path}/x.html", "../x.html", "src/../x.html")
    ]

    assert refused == [3] * 5
    assert not list(tmp_path.rglob("x.html"))


def test_a_preview_of_an_undo_shows_nothing_that_may_not_be_read(secretive, patchkit, run):
    (secretive / ".patchkit.toml").unlink()
    assert run("-q", "*** Begin Patch\n*** Delete File: .env\n*** End Patch\n").status == 0
    (secretive / ".patchkit.toml").write_text(RULES)

    said = patchkit("undo", "--show", PATCHKIT_AGENT="1")

    assert (said.status, b"SECRET" in said.stdout + said.stderr) == (3, False)


def test_a_pipe_among_the_records_is_passed_over(applied, patchkit, tree):
    assert patchkit("log").stdout[:8].decode() == applied
    kept = os.environ["XDG_STATE_HOME"]
    directory = next(path for path, _, names in os.walk(kept) if any(name.startswith(applied) for name in names))
    name = next(name for name in os.listdir(directory) if name.startswith(applied))
    os.mkfifo(f"{directory}/{name.replace(applied, 'zzzzzzzz')}")

    assert patchkit("log").stdout[:8].decode() == applied
    os.mkfifo(f"{directory}/{name}.tmp")
    assert patchkit("undo").status in (0, 4)
