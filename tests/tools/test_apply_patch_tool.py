"""apply_patch as a tool among the tools, and what it shares with check."""

from __future__ import annotations

import pytest

from patchkit.runtimes.answers import Host
from patchkit.tools.registry import named

TEXT = "价格\n数量\n"
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-数量\n+数目\n*** End Patch\n"


def test_apply_patch_and_check_take_a_patch_with_the_same_fields():
    apply, check = named("apply_patch"), named("check")

    assert apply.schema() == check.schema()
    own = {tool.name: set(tool.schema(extended=True)["properties"]) for tool in (apply, check)}
    writing = {"format", "verify", "verify_timeout", "commit", "partial"}
    assert own["apply_patch"] ^ own["check"] == {"check", "fix", "syntax_only", *writing}


def test_a_file_in_an_older_encoding_is_patched_when_the_call_names_it(root, use):
    (root / "a.txt").write_bytes(TEXT.encode("gbk"))

    assert use("check", input=PATCH, encoding="gbk").status == "success"
    assert use("apply_patch", input=PATCH, encoding="gbk").status == "success"
    assert (root / "a.txt").read_bytes() == TEXT.replace("数量", "数目").encode("gbk")


def test_a_model_is_told_to_read_a_file_in_an_older_encoding_whose_lines_it_missed(root):
    (root / "a.txt").write_bytes(TEXT.encode("gbk"))
    host = Host(root)
    refused = host.call("apply_patch", {"input": PATCH.replace("-数量", "-数值")})
    shown = host.call("Read", {"file_path": "a.txt"}).data["content"]

    advice = "read a.txt, which is not UTF-8, and send the hunk with lines as they are shown; nothing was written"
    assert refused.text.rstrip().endswith(f"help: {advice}")
    assert shown == TEXT.rstrip()
    assert host.call("apply_patch", {"input": PATCH}).status == "success"


def test_the_nearest_line_of_a_file_in_an_older_encoding_is_shown_as_read_shows_it(root, use):
    (root / "a.txt").write_bytes(f"first\n{TEXT}".encode("gbk"))
    missed = use("apply_patch", input=PATCH.replace("@@\n", "@@\n 价格\n").replace("-数量", "-数值"))

    assert missed.text == (
        "error[P201]: hunk not found in 'a.txt'\n --> patch:5\n  |\n5 | -数值\n  | ^^^^^ no such line here\n  |\n"
        " ::: a.txt:3, closest place (1 of 2 lines agree)\n3 | 数量\n"
        "  |   - the file has '数量', the patch expects '数值'\n"
        "  = help: read a.txt lines 2-3 and send the hunk again; nothing was written\n"
    )


def test_an_encoding_that_is_left_empty_is_none(root, use):
    (root / "a.txt").write_text(TEXT, encoding="utf-8")

    assert use("apply_patch", input=PATCH, encoding="").status == "success"


@pytest.mark.parametrize("tool", ["apply_patch", "check"])
@pytest.mark.parametrize("encoding", ["klingon", "utf-16", "rot13", "\0", "idna"])
def test_an_encoding_that_cannot_be_used_is_refused(root, use, tool, encoding):
    (root / "a.txt").write_bytes(TEXT.encode("gbk"))

    refused = use(tool, input=PATCH, encoding=encoding)

    assert (refused.errors[0]["code"], (root / "a.txt").read_bytes()) == ("P601", TEXT.encode("gbk"))
