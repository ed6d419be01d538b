"""Calls of apply_patch that a model still writes: refused when their patch cannot apply, and not before."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchkit.runtimes.sdks.streaming import JsonArgument, StreamedCalls

GOOD = "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+1\n@@\n-two\n+2\n*** Add File: b.py\n+x\n*** End Patch\n"
LOST = GOOD.replace("-one", "-uno").replace("+x\n", "+x\n" * 40)
GONE = GOOD.replace("a.py", "gone.py")


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "root"
    path.mkdir()
    (path / "a.py").write_text("one\ntwo\nthree\n")
    return path


def custom(patch: str) -> list[dict]:
    """A custom tool call as the Responses API streams it, a few characters an event."""
    item = {"type": "custom_tool_call", "id": "i", "call_id": "c", "name": "apply_patch", "input": ""}
    kind = "response.custom_tool_call_input.delta"
    deltas = [{"type": kind, "output_index": 1, "item_id": "i", "delta": each} for each in cut(patch)]
    return [{"type": "response.output_item.added", "output_index": 1, "item": item}, *deltas]


def function(patch: str) -> list[dict]:
    item = {"type": "function_call", "id": "i", "call_id": "c", "name": "apply_patch", "arguments": ""}
    kind = "response.function_call_arguments.delta"
    deltas = [{"type": kind, "output_index": 0, "delta": each} for each in cut(json.dumps({"input": patch}))]
    return [{"type": "response.output_item.added", "output_index": 0, "item": item}, *deltas]


def tool_use(patch: str) -> list[object]:
    """A call as the Messages API streams it, as objects."""
    block = SimpleNamespace(type="tool_use", id="t", name="apply_patch", input={})
    deltas = [
        SimpleNamespace(
            type="content_block_delta",
            index=2,
            delta=SimpleNamespace(type="input_json_delta", partial_json=each),
        )
        for each in cut(json.dumps({"input": patch}))
    ]
    return [SimpleNamespace(type="content_block_start", index=2, content_block=block), *deltas]


def cut(text: str) -> list[str]:
    return [text[start : start + 5] for start in range(0, len(text), 5)]


def watched(root, events) -> tuple[int, str]:
    """At which event a refusal comes, from 1, and its text; 0 where none comes."""
    watch = StreamedCalls(root)
    for number, event in enumerate(events, 1):
        refusal = watch.take(event)
        if refusal is not None:
            return number, refusal
    return 0, ""


@pytest.mark.parametrize("events", [custom, function, tool_use])
def test_a_patch_that_applies_is_not_refused(root, events):
    watch = StreamedCalls(root)
    assert {watch.take(event) for event in events(GOOD)} == {None}
    assert [(each.what, each.op.path) for each in watch.arrived] == [
        ("opened", "a.py"),
        ("hunk", "a.py"),
        ("hunk", "a.py"),
        ("section", "a.py"),
        ("opened", "b.py"),
        ("section", "b.py"),
    ]
    assert (root / "a.py").read_text() == "one\ntwo\nthree\n"


@pytest.mark.parametrize("events", [custom, function, tool_use])
def test_a_hunk_that_is_nowhere_is_refused_before_the_end(root, events):
    given_events = events(LOST)
    number, text = watched(root, given_events)
    assert 0 < number < len(given_events) / 2
    assert "P201" in text
    assert "patch:3" in text


def test_a_file_that_does_not_exist_is_refused_at_its_header(root):
    number, text = watched(root, custom(GONE))
    assert "P302" in text
    assert number == 1 + -(-len(GONE.partition("@@")[0]) // 5)


def test_text_that_is_not_a_patch_is_refused(root):
    number, text = watched(root, custom("*** Begin Patch\nsomething else\n"))
    assert number > 0
    assert "P103" in text


def test_rules_hold_for_what_is_looked_at(root):
    (root / ".patchkit.toml").write_text('[permissions]\nread = { "a.py" = "deny" }\n')
    assert "P651" in watched(root, custom(LOST))[1]


def test_other_calls_and_events_are_not_looked_at(root):
    events = custom(LOST)
    events[0]["item"]["name"] = "other"
    assert watched(root, [{"type": "response.created"}, {}, None, *events]) == (0, "")


def test_a_refusal_comes_once(root):
    watch = StreamedCalls(root)
    assert len([text for event in custom(LOST) if (text := watch.take(event)) is not None]) == 1


@given(st.text(), st.lists(st.integers(0, 200), max_size=8), st.booleans(), st.booleans())
def test_an_argument_is_decoded_from_any_pieces(text, cuts, escaped, first):
    fields = {"input": text, "n": [1, {"a": "}"}]} if first else {"n": [1, {"a": '"'}], "input": text}
    written = json.dumps(fields, ensure_ascii=escaped)
    at = sorted({min(each, len(written)) for each in cuts})
    argument = JsonArgument(("input",))
    pieces = [written[start:stop] for start, stop in zip([0, *at], [*at, len(written)])]
    assert "".join(map(argument.feed, pieces)) == text


def test_a_path_is_judged_when_its_line_is_complete(root):
    """Not when its file is: a long one would be written in vain."""
    for path, code in (("../../etc/x", "P301"), ("/etc/x", "P301"), (".git/hooks/x", "P318")):
        patch = f"*** Begin Patch\n*** Add File: {path}\n" + "+line\n" * 400 + "*** End Patch\n"
        watch, events = StreamedCalls(root), custom(patch)
        stopped = next(number for number, event in enumerate(events) if watch.take(event))
        header = patch.index("+line")
        assert stopped <= header // 5 + 2, (path, stopped)
        assert code in str(StreamedCalls(root).take(events[0]) or first_refusal(root, events))


def first_refusal(root, events) -> str:
    watch = StreamedCalls(root)
    return next(said for event in events if (said := watch.take(event)))


def test_a_new_name_is_judged_when_its_line_is_complete(root):
    patch = GOOD.replace("a.py\n", "a.py\n*** Move to: ../b.py\n")
    number, refusal = watched(root, custom(patch))

    assert "error[P301]: path '../b.py' is outside the workspace" in refusal
    assert number == 1 + len(cut(patch.partition("@@")[0]))


def test_a_new_file_that_may_be_the_one_that_is_there_is_not_refused_early(root):
    patch = "*** Begin Patch\n*** Add File: a.py\n+one\n+two\n+three\n*** End Patch\n"
    watch = StreamedCalls(root)

    assert [watch.take(event) for event in custom(patch)] == [None] * len(custom(patch))
