"""The audit log: a line for every call, none of them broken, none of them telling what is in a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256

import pytest

from patchkit.errors import PatchkitError
from patchkit.policy.audit import Log, logs, recorded
from patchkit.policy.settings import settings
from patchkit.tools.calling import Caller, call

PATCH = """\
*** Begin Patch
*** Update File: a.txt
@@
-one secret
+two secrets
*** Add File: n.txt
+third secret
*** End Patch
"""


@pytest.fixture
def log(tmp_path, monkeypatch):
    """The log that the environment names."""
    path = tmp_path / "audit.jsonl"
    monkeypatch.setenv("PATCHKIT_AUDIT", str(path))
    return path


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "project"
    path.mkdir()
    (path / "a.txt").write_text("one secret\n")
    return path


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def digest(text):
    return sha256(text.encode()).hexdigest()


def steady(entry):
    """An entry without what is different every time."""
    return {name: value for name, value in entry.items() if name not in ("time", "duration_ms")}


# -- what a line tells ---------------------------------------------------------------------------


def test_a_patch_is_recorded_with_every_file_and_its_hashes(root, log, monkeypatch):
    monkeypatch.setenv("PATCHKIT_SESSION", "s1")
    call("apply_patch", {"input": PATCH}, Caller(str(root)))
    (entry,) = lines(log)

    assert steady(entry) == {
        "session": "s1",
        "root": str(root),
        "caller": "person",
        "tool": "apply_patch",
        "effect": "write",
        "paths": [
            {
                "path": "a.txt",
                "operation": "update",
                "before": digest("one secret\n"),
                "after": digest("two secrets\n"),
            },
            {"path": "n.txt", "operation": "add", "before": None, "after": digest("third secret\n")},
        ],
        "commands": [],
        "decision": "ask",
        "rule": 'write."*" = "ask" (by default)',
        "status": "success",
        "code": None,
    }
    assert entry["time"].endswith("Z")
    assert entry["duration_ms"] >= 0


def test_a_read_is_recorded_without_hashes(root, log):
    call("Read", {"file_path": "./a.txt"}, Caller(str(root), agent=True))
    (entry,) = lines(log)

    assert entry["paths"] == [{"path": "a.txt", "operation": "read"}]
    assert (entry["caller"], entry["effect"], entry["decision"], entry["status"]) == (
        "agent",
        "read",
        "allow",
        "success",
    )


def test_a_call_that_is_refused_is_recorded_with_its_code_and_nothing_changed(root, log):
    call("apply_patch", {"input": PATCH}, Caller(str(root), agent=True))
    (entry,) = lines(log)

    assert (entry["status"], entry["code"], entry["decision"]) == ("error", "P652", "ask")
    assert [path.get("after") for path in entry["paths"]] == [None, None]


def test_a_call_that_fails_is_recorded_with_what_is_there_then(root, log):
    call("apply_patch", {"input": PATCH.replace("-one", "-won")}, Caller(str(root)))
    (entry,) = lines(log)

    assert (entry["status"], entry["code"]) == ("error", "P201")
    assert entry["paths"][0]["before"] == entry["paths"][0]["after"] == digest("one secret\n")


def test_a_call_with_wrong_arguments_is_recorded(root, log):
    call("Read", {"file": 3}, Caller(str(root)))
    (entry,) = lines(log)

    assert (entry["tool"], entry["effect"], entry["status"], entry["decision"]) == ("Read", "read", "error", None)


def test_a_call_of_no_tool_at_all_is_recorded(root, log):
    call("Telephone", {}, Caller(str(root)))
    (entry,) = lines(log)

    assert (entry["tool"], entry["effect"], entry["code"]) == ("Telephone", "", "P602")


def test_a_call_in_a_root_that_is_not_there_is_recorded(root, log):
    call("Read", {"file_path": "a"}, Caller(str(root / "gone")))
    (entry,) = lines(log)

    assert (entry["root"], entry["status"]) == (str(root / "gone"), "error")


def test_a_call_that_a_signal_ends_is_recorded(root, log, monkeypatch):
    from patchkit.tools import read

    def stopped(_call):
        raise KeyboardInterrupt

    monkeypatch.setattr(read.TOOL, "run", stopped)
    with pytest.raises(KeyboardInterrupt):
        call("Read", {"file_path": "a.txt"}, Caller(str(root)))
    (entry,) = lines(log)

    assert (entry["status"], entry["code"]) == ("error", "P406")


def test_a_command_is_recorded_by_the_names_of_its_programs(root, log):
    call("Bash", {"command": "printf 'hidden words' > out.txt; env FOO=secret true"}, Caller(str(root)))
    (entry,) = lines(log)

    assert entry["commands"] == ["printf", "env", "true"]
    assert entry["paths"] == [
        {"path": "out.txt", "operation": "write", "before": None, "after": digest("hidden words")},
    ]
    assert "hidden" not in log.read_text()
    assert "secret" not in log.read_text()


@pytest.mark.parametrize("agent", [False, True])
def test_no_content_of_a_file_is_in_the_log(root, log, agent):
    content = "Lorem ipsum dolor sit amet"
    (root / "b.txt").write_text(f"{content}\n")
    caller = Caller(str(root), agent=agent)
    patch = f"*** Begin Patch\n*** Update File: b.txt\n@@ {content}\n-{content}\n+{content.upper()}\n*** End Patch\n"
    call("Read", {"file_path": "b.txt"}, caller)
    call("Edit", {"file_path": "b.txt", "old_string": content, "new_string": content.title()}, caller)
    call("Write", {"file_path": "c.txt", "content": content}, caller)
    call("Write", {"file_path": "c.txt", "content": [content]}, caller)
    call("apply_patch", {"input": patch}, caller)
    call("apply_patch", {"input": patch.replace("-Lorem", "-Morel")}, caller)
    call("apply_patch", {"input": content}, caller)
    call("Bash", {"command": f"cat <<'EOF'\n{content}\nEOF"}, caller)
    call("Bash", {"command": f"echo '{content}'"}, caller)
    told = log.read_text().lower()

    assert len(lines(log)) >= 9
    assert [word for word in content.lower().split() if word in told] == []


# -- where it stands -----------------------------------------------------------------------------


def test_settings_turn_it_on_and_the_log_is_kept_outside_the_project(root, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (root / ".patchkit.toml").write_text("[audit]\non = true\n")
    call("Read", {"file_path": "a.txt"}, Caller(str(root)))
    (found,) = (tmp_path / "state").rglob("audit.jsonl")

    assert [entry["tool"] for entry in lines(found)] == ["Read"]
    assert found.stat().st_mode & 0o777 == 0o600


def test_one_project_has_one_log_wherever_in_it_calls_are_made(root, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (root / ".patchkit.toml").write_text("[audit]\n")
    (root / "sub").mkdir()
    call("Read", {"file_path": "a.txt"}, Caller(str(root)))
    call("Read", {"file_path": "x"}, Caller(str(root / "sub")))
    (found,) = (tmp_path / "state").rglob("audit.jsonl")

    assert [entry["root"] for entry in lines(found)] == [str(root), str(root / "sub")]


def test_settings_may_name_a_file_inside_the_project(root):
    (root / ".patchkit.toml").write_text('[audit]\nfile = "logs/calls.jsonl"\n')
    call("Read", {"file_path": "a.txt"}, Caller(str(root)))

    assert len(lines(root / "logs" / "calls.jsonl")) == 1


def test_settings_may_turn_it_off(root):
    (root / ".patchkit.toml").write_text('[audit]\non = false\nfile = "calls.jsonl"\n')
    call("Read", {"file_path": "a.txt"}, Caller(str(root)))

    assert not (root / "calls.jsonl").exists()


def test_the_environment_adds_a_log_and_takes_none_away(root, log):
    (root / ".patchkit.toml").write_text('[audit]\nfile = "calls.jsonl"\n')
    call("Read", {"file_path": "a.txt"}, Caller(str(root)))

    assert lines(root / "calls.jsonl") == lines(log)


def test_the_users_own_settings_may_name_any_file(root, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "patchkit").mkdir(parents=True)
    (tmp_path / "config" / "patchkit" / "config.toml").write_text(f'[audit]\nfile = "{tmp_path}/all.jsonl"\n')
    (root / ".patchkit.toml").write_text("[audit]\non = false\n")
    call("Read", {"file_path": "a.txt"}, Caller(str(root)))

    assert len(lines(tmp_path / "all.jsonl")) == 1


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ('file = "../out.jsonl"', "P653", 2),
        ('file = "/tmp/out.jsonl"', "P653", 2),
        ("file = 3", "P653", 2),
        ('on = "yes"', "P653", 2),
        ("enabled = true", "P655", 2),
    ],
)
def test_settings_that_are_not_allowed_are_reported_with_their_line(root, text, code, line):
    (root / ".patchkit.toml").write_text(f"[audit]\n{text}\n")
    error = call("Read", {"file_path": "a.txt"}, Caller(str(root))).errors[0]

    assert (error["code"], error["line"]) == (code, line)


def test_a_link_does_not_lead_the_log_of_a_project_out_of_it(root, tmp_path):
    (root / ".patchkit.toml").write_text('[audit]\nfile = "logs/calls.jsonl"\n')
    (tmp_path / "elsewhere").mkdir()
    (root / "logs").symlink_to(tmp_path / "elsewhere")
    result = call("apply_patch", {"input": PATCH}, Caller(str(root)))

    assert [error["code"] for error in result.errors] == ["P657"]
    assert os.listdir(tmp_path / "elsewhere") == []


def test_a_log_that_is_a_link_is_not_written_through(root, tmp_path):
    (root / ".patchkit.toml").write_text('[audit]\nfile = "calls.jsonl"\n')
    (tmp_path / "victim").write_text("mine\n")
    (root / "calls.jsonl").symlink_to(tmp_path / "victim")
    result = call("Read", {"file_path": "a.txt"}, Caller(str(root)))

    assert (result.status, [note["code"] for note in result.notes]) == ("success", ["P985"])
    assert (tmp_path / "victim").read_text() == "mine\n"


def test_a_fifo_with_the_name_of_the_log_blocks_no_call(root):
    (root / ".patchkit.toml").write_text('[audit]\nfile = "calls.jsonl"\n')
    os.mkfifo(root / "calls.jsonl")
    result = call("Read", {"file_path": "a.txt"}, Caller(str(root)))

    assert [note["code"] for note in result.notes] == ["P985"]


def test_a_pipe_without_a_reader_stops_changes_and_no_reads(root, tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv("PATCHKIT_AUDIT", str(tmp_path / "pipe"))
    read, change = (
        call("Read", {"file_path": "a.txt"}, Caller(str(root))),
        call("apply_patch", {"input": PATCH}, Caller(str(root))),
    )

    assert (read.status, [note["code"] for note in read.notes]) == ("success", ["P985"])
    assert read.notes[0]["message"].endswith("it is a pipe without a reader")
    assert [error["code"] for error in change.errors] == ["P657"]
    assert (root / "a.txt").read_text() == "one secret\n"


def test_a_pipe_with_a_reader_gets_every_line(root, tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    monkeypatch.setenv("PATCHKIT_AUDIT", str(tmp_path / "pipe"))
    call("Read", {"file_path": "a.txt"}, Caller(str(root)))
    line = os.read(reader, 1 << 16)
    os.close(reader)

    assert json.loads(line)["tool"] == "Read"


# -- where it cannot be written ------------------------------------------------------------------


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_blocks_no_read(root, monkeypatch):
    monkeypatch.setenv("PATCHKIT_AUDIT", "/dev/full")
    result = call("Read", {"file_path": "a.txt"}, Caller(str(root)))

    assert (result.status, [note["code"] for note in result.notes]) == ("success", ["P985"])
    assert "no space left on device" in result.notes[0]["message"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_change_stays_when_its_line_could_not_be_written(root, monkeypatch):
    monkeypatch.setenv("PATCHKIT_AUDIT", "/dev/full")
    result = call("apply_patch", {"input": PATCH}, Caller(str(root)))

    assert (result.status, [note["code"] for note in result.notes]) == ("success", ["P985"])
    assert (root / "a.txt").read_text() == "two secrets\n"


def test_nothing_is_changed_where_the_log_cannot_be_opened(root, tmp_path, monkeypatch):
    monkeypatch.setenv("PATCHKIT_AUDIT", str(tmp_path))
    result = call("apply_patch", {"input": PATCH}, Caller(str(root)))

    assert [error["code"] for error in result.errors] == ["P657"]
    assert (root / "a.txt").read_text() == "one secret\n"


# -- many at once, and what is left of a line ----------------------------------------------------

WRITER = """
import sys
from patchkit.tools.calling import Caller, call
for number in range(20):
    call("Read", {"file_path": f"file-{sys.argv[2]}-{number}"}, Caller(sys.argv[1]))
"""


def test_many_processes_write_whole_lines(root, log):
    running = [subprocess.Popen([sys.executable, "-c", WRITER, str(root), str(number)]) for number in range(6)]

    assert [each.wait() for each in running] == [0] * 6
    told = sorted(entry["paths"][0]["path"] for entry in lines(log))
    assert told == sorted(f"file-{writer}-{number}" for writer in range(6) for number in range(20))


def test_long_lines_of_many_processes_are_whole_too(tmp_path):
    code = (
        "import sys; from patchkit.policy.audit import Log\n"
        "for number in range(20): assert Log(sys.argv[1]).append(sys.argv[2].encode() * 100_000 + b'\\n') == ''"
    )
    path = tmp_path / "log"
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), letter]) for letter in "abcd"]

    assert [each.wait() for each in running] == [0] * 4
    assert sorted(path.read_text().split("\n")[:-1]) == sorted(letter * 100_000 for letter in "abcd" for _ in range(20))


def test_a_line_that_was_cut_short_costs_no_other_line(root, log):
    call("Read", {"file_path": "a.txt"}, Caller(str(root)))
    whole = log.read_bytes()
    log.write_bytes(whole[:50] + whole + b"nonsense\n" + b'{"time": "2026-01-01T00:00:00"}\n' + b"[]\n\xff\n")
    found, broken = recorded([Log(str(log))])

    assert ([each.data for each in found], broken) == ([json.loads(whole)], 4)


def test_a_short_write_is_reported(tmp_path):
    path = tmp_path / "log"
    code = (
        "import resource, signal, sys; from patchkit.policy.audit import Log\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)); print(Log(sys.argv[1]).append(b'x' * 50))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)

    assert done.stdout == "the disk is full\n"


def test_reading_a_log_that_is_not_there_gives_nothing(tmp_path):
    assert recorded([Log(str(tmp_path / "none"))]) == ([], 0)


def test_reading_a_log_that_is_not_a_file_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path):
        with pytest.raises(PatchkitError) as caught:
            recorded([Log(str(path))])

        assert caught.value.code == "P401"


def test_calls_are_listed_newest_first(root, log):
    for name in ("a.txt", "b.txt", "c.txt"):
        call("Read", {"file_path": name}, Caller(str(root)))
    found, _ = recorded([Log(str(log))])
    times = [each.time for each in found]

    assert times == sorted(times, reverse=True)
    assert len(found) == 3


def test_a_file_that_a_script_writes_is_looked_at_where_the_script_runs(root, log):
    (root / "sub").mkdir()
    (root / "a.txt").write_text("not this one\n")
    call("Bash", {"command": "echo made > a.txt", "cwd": "sub"}, Caller(str(root)))
    (entry,) = lines(log)

    assert entry["paths"] == [{"path": "sub/a.txt", "operation": "write", "before": None, "after": digest("made\n")}]


# -- without settings ------------------------------------------------------------------------------


def test_calls_of_an_agent_are_recorded_by_default_and_those_of_a_person_are_not(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("PATCHKIT_AUDIT", raising=False)
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("x\n")
    for agent in (False, True):
        call("Read", {"file_path": "a.txt"}, Caller(str(root), str(root), agent))

    kept = logs(settings(str(root)), str(root), agent=True)
    assert [(each.tool, each.caller) for each in recorded(kept)[0]] == [("Read", "agent")]
    assert logs(settings(str(root)), str(root)) == []
    (root / ".patchkit.toml").write_text("[audit]\non = false\n")
    assert logs(settings(str(root)), str(root), agent=True) == []


def test_a_log_that_is_kept_by_default_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("patchkit.policy.audit._MOST_BYTES", 1000)
    log = Log(str(tmp_path / "audit.jsonl"), by_default=True)
    for number in range(100):
        assert log.append(b'{"time": %d, "more": "%s"}\n' % (number, b"x" * 100)) == ""

    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert {*sizes} - {"audit.jsonl"} == {"audit.jsonl.1"}
    assert max(sizes.values()) < 1300


def test_a_default_log_that_cannot_be_written_stops_no_call(tmp_path, monkeypatch):
    (tmp_path / "state").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("PATCHKIT_AUDIT", raising=False)
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("x\n")

    result = call("Read", {"file_path": "a.txt"}, Caller(str(root), str(root), agent=True))

    assert (result.status, [note["code"] for note in result.notes]) == ("success", ["P985"])
