"""Requests as runtimes send them: lines of JSON in, one verdict a line out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.shell import answer_lines, read_call

PATCH = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"
CALL = f"apply_patch <<'EOF'\n{PATCH}EOF\n"
KEYS = ["id", "verdict", "patch", "workdir", "reason", "code", "help", "shell", "form", "merged", "then"]


def answers(*requests: object) -> list[dict[str, object]]:
    return [json.loads(line) for line in answer_lines(json.dumps(request) for request in requests)]


def test_a_request_is_answered_with_its_id_and_the_whole_verdict(tmp_path):
    request = {"id": 7, "argv": ["bash", "-lc", CALL], "cwd": str(tmp_path), "env": {}}
    facts = dict.fromkeys(KEYS) | {"id": 7, "verdict": "apply_patch", "patch": PATCH, "workdir": str(tmp_path)}

    assert answers(request) == [facts | {"shell": "bash", "form": "heredoc", "merged": False}]


def test_answers_come_in_the_order_of_the_requests(tmp_path):
    found = answers(*[{"id": name, "argv": ["ls"], "cwd": str(tmp_path)} for name in "cab"])

    assert [answer["id"] for answer in found] == ["c", "a", "b"]


@pytest.mark.parametrize("command", [["bash", "-lc", CALL], CALL, ["apply_patch", PATCH]])
def test_a_tool_call_has_a_command_and_a_workdir(command, tmp_path):
    (tmp_path / "sub").mkdir()
    verdict = read_call(json.dumps({"command": command, "workdir": "sub"}), str(tmp_path))

    assert (verdict.verdict, verdict.patch, verdict.workdir) == ("apply_patch", PATCH, str(tmp_path / "sub"))


def test_a_command_given_as_text_may_name_its_shell(tmp_path):
    script = f"apply_patch <<< '{PATCH}'"

    assert read_call(json.dumps({"command": script, "shell": "zsh"}), str(tmp_path)).verdict == "apply_patch"
    assert read_call(json.dumps({"command": script, "shell": "dash"}), str(tmp_path)).code == "P516"


@pytest.mark.parametrize(
    "line",
    [
        *[
            "{",
            "[]",
            "null",
            '"apply_patch"',
            "{}",
            '{"argv": []}',
            '{"argv": [1]}',
            '{"command": {}}',
            '{"command": null}',
        ],
        *['{"argv": ["ls"], "cwd": 1}', '{"argv": ["ls"], "env": []}', '{"command": "ls", "shell": 1}', "[" * 100_000],
        b"\xff\xfe{}",
    ],
)
def test_a_request_that_cannot_be_read_is_answered_with_an_error(line):
    found = [json.loads(answer) for answer in answer_lines([line])]

    assert [(answer["verdict"], answer["code"]) for answer in found] == [("error", "P518")]


def test_a_request_that_cannot_be_read_does_not_stop_the_next():
    found = [json.loads(answer) for answer in answer_lines([b"{\n", b"\n", b'{"id": 1, "argv": ["ls"], "cwd": "/"}\n'])]

    assert [(answer["id"], answer["verdict"]) for answer in found] == [(None, "error"), (1, "other")]


def test_half_a_surrogate_pair_still_makes_an_answer(tmp_path):
    line = json.dumps({"id": "\ud800", "argv": ["ls"], "cwd": str(tmp_path)})

    assert json.loads(next(answer_lines([line])).encode())["id"] == "\ud800"


@examples(200)
@given(st.binary() | st.text().map(lambda text: json.dumps({"command": text, "workdir": text}).encode()))
def test_no_line_whatever_raises(line):
    for answer in answer_lines([line]):
        assert list(json.loads(answer)) == KEYS
