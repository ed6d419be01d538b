"""A patch that is still arriving: what is reported, what is refused at once, and that nothing else is."""

from __future__ import annotations

import asyncio
import random
from functools import partial

import pytest
from scenario import NAMES, scenario

import patchkit
from patchkit import streaming
from patchkit.core.changes import Options
from patchkit.core.language.parser import decode, parse
from patchkit.core.matching.locate import locate
from patchkit.errors import PatchkitError
from patchkit.sources import MemoryFiles
from patchkit.streaming import PatchStream

FILES = {"a.py": b"def one():\n    return 1\n\n\ndef two():\n    return 2\n", "b.txt": b"x\ny\n"}
TEXTS = [name for name in NAMES if scenario(name).patch[:1] not in (b"\xff", b"\xfe")]
PATCH = """\
*** Begin Patch
*** Update File: a.py
@@ def one():
-    return 1
+    return 10
@@
-    return 2
+    return 20
*** Add File: new.txt
+hello
*** Delete File: b.txt
*** End Patch
"""


def in_pieces(text: str, chance: random.Random) -> list[str]:
    cuts = sorted(chance.randrange(len(text) + 1) for _ in range(chance.randrange(12)))
    return [text[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(text)])]


def outcome(work) -> object:
    """What a call returns, or the code of what it raises."""
    try:
        return work()
    except PatchkitError as error:
        return error.code


def streamed(pieces: list[str], files=None, strict: bool = False) -> object:
    def work() -> object:
        stream = patchkit.parse_stream(pieces, files, strict=strict)
        for _ in stream:
            pass
        return stream.patch

    return outcome(work)


def test_a_text_in_pieces_is_the_patch_of_the_whole_text(subtests):
    for name in TEXTS:
        with subtests.test(name):
            text, strict, chance = decode(scenario(name).patch), "--strict" in scenario(name).args, random.Random(name)
            whole = outcome(partial(parse, text, strict))
            for pieces in ([text], list(text) if len(text) < 2000 else [text], in_pieces(text, chance)):
                assert streamed(pieces, strict=strict) == whole


def test_nothing_that_applies_is_refused_early(subtests):
    for name in TEXTS:
        with subtests.test(name):
            case = scenario(name)
            text, files = decode(case.patch), dict(case.input)
            whole = outcome(partial(patchkit.check, text, dict(files)))
            early = streamed(in_pieces(text, random.Random(name)), files)
            assert isinstance(whole, str) or not isinstance(early, str), f"refused early with {early}"
            assert isinstance(early, str) or not isinstance(whole, str) or whole in ("P110",), f"{whole} was not found"


def test_sections_and_hunks_are_reported_as_they_arrive():
    stream = patchkit.parse_stream(root=dict(FILES))
    seen = {}
    for number, line in enumerate(PATCH.splitlines(keepends=True), 1):
        for each in stream.feed(line):
            seen.setdefault(number, []).append((each.what, each.op.path, each.hunk, each.line))
    assert seen == {
        2: [("opened", "a.py", None, None)],
        6: [("hunk", "a.py", 1, 2)],
        9: [("hunk", "a.py", 2, 6), ("section", "a.py", None, None), ("opened", "new.txt", None, None)],
        11: [("section", "new.txt", None, None), ("opened", "b.txt", None, None)],
        12: [("section", "b.txt", None, None)],
    }
    assert stream.patch is None
    assert stream.finish() == stream.patch == parse(PATCH)


@pytest.mark.parametrize(
    ("patch", "code", "line"),
    [
        ("*** Begin Patch\n*** Update File: gone.py\n@@\n-x\n+y\n*** End Patch\n", "P302", 2),
        ("*** Begin Patch\n*** Update File: ../a.py\n@@\n-x\n+y\n*** End Patch\n", "P301", 2),
        ("*** Begin Patch\n*** Add File: b.txt\n+1\n+2\n*** End Patch\n", "P303", 5),
        ("*** Begin Patch\n*** Add File: .git/hooks/x\n+1\n+2\n*** End Patch\n", "P318", 2),
        (
            "*** Begin Patch\n*** Update File: a.py\n@@\n-    return 3\n+    return 4\n@@\n-x\n*** End Patch\n",
            "P201",
            6,
        ),
        ("*** Begin Patch\n*** Update File: a.py\n@@ def six():\n+    return 6\n@@\n-x\n*** End Patch\n", "P203", 5),
        ("*** Begin Patch\n*** Delete File: gone\n*** Add File: new\n+1\n+2\n*** End Patch\n", "P302", 3),
        ("*** Begin Patch\nprose\n*** Add File: new\n+1\n*** End Patch\n", "P103", 2),
    ],
)
def test_what_cannot_apply_is_refused_when_that_is_known(patch, code, line):
    stream = patchkit.parse_stream(root=dict(FILES))
    lines = patch.splitlines(keepends=True)
    for text in lines[: line - 1]:
        stream.feed(text)
    with pytest.raises(PatchkitError) as caught:
        stream.feed(lines[line - 1])
    assert caught.value.code == code
    assert stream.feed(lines[-1]) == []


def test_a_refused_hunk_has_its_place_in_the_patch_and_the_nearest_in_the_file():
    with pytest.raises(patchkit.PlacingError) as caught:
        list(patchkit.parse_stream([PATCH.replace("-    return 1\n", "-    return 7\n")], dict(FILES)))
    error = caught.value
    assert (error.code, error.file, error.hunk, error.patch_line) == ("P201", "a.py", 1, 3)
    assert "return 1" in error.render()


def test_a_placeholder_is_refused_unless_it_is_allowed():
    patch = "*** Begin Patch\n*** Update File: b.txt\n@@\n-x\n+# ... rest of the code\n*** End Patch\n"

    with pytest.raises(PatchkitError) as caught:
        list(patchkit.parse_stream([patch], dict(FILES)))
    stream = patchkit.parse_stream([patch], dict(FILES), allow_placeholder=True)

    assert (caught.value.code, [each.what for each in stream]) == ("P218", ["opened", "hunk", "section"])


def test_a_rename_that_is_made_already_is_skipped_with_forward_once_it_is_complete():
    move = "*** Begin Patch\n*** Update File: old.txt\n*** Move to: b.txt\n@@\n{}*** End Patch\n"
    stream = patchkit.parse_stream([move.format("-w\n+x\n")], dict(FILES), forward=True)

    assert [each.what for each in stream] == ["opened", "hunk", "section"]
    with pytest.raises(PatchkitError) as caught:
        list(patchkit.parse_stream([move.format("-x\n+z\n")], dict(FILES), forward=True))
    assert caught.value.code == "P302"


def test_an_earlier_section_counts_for_a_later_one():
    first, second = "*** Update File: b.txt\n@@\n-x\n+z\n", "*** Update File: b.txt\n@@\n-z\n+w\n@@\n-y\n+v\n"
    patch = f"*** Begin Patch\n{first}{second}*** End Patch\n"
    stream = patchkit.parse_stream([patch], dict(FILES))
    assert [each.what for each in stream][-1] == "section"


def test_several_places_are_left_until_the_section_is_complete():
    files = {"a.txt": b"x\n1\nx\n2\n"}
    body = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n@@\n-x\n+z\n*** End Patch\n"
    assert streamed([body], files) == parse(body)  # the order of two hunks decides
    one = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
    assert streamed([one], files) == "P202"


# A file with what makes places doubtful, and hunks of every kind: exact, below an anchor, twice there, only adding,
# already there, with other blanks, at the file's end, with context alone.
ROWS = [f"    value_{n} = {n}" if n % 5 else f"def f{n}():" for n in range(40)] + ["    twice", "    twice", "    end"]
HUNKS = [
    *(f"@@\n     value_{n} = {n}\n-    value_{n + 1} = {n + 1}\n+    new\n" for n in (1, 6, 11)),
    "@@ def f5():\n-    value_7 = 7\n+    new\n",
    "@@ def f5():\n-    value_12 = 12\n+    new\n",
    "@@\n-    twice\n+    once\n",
    "@@\n     value_8 = 8\n+    new\n",
    "@@\n     value_8 = 8\n+    value_9 = 9\n",
    "@@\n-value_13 = 13\n+new\n",
    "@@\n     end\n+    new\n*** End of File\n",
    "@@\n     value_18 = 18\n     value_19 = 19\n",
    "@@\n-    value_21 = 21\n+    größe\n",
]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff", "grün\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_a_hunk_is_at_the_same_line_behind_others_as_alone(ending, start, last):
    data = (start + "\n".join(ROWS) + last).replace("\n", ending).encode()

    def lines(hunks: list[str]) -> list[object]:
        stream = PatchStream(MemoryFiles({"a.py": data}), Options())
        text = "".join(["*** Begin Patch\n*** Update File: a.py\n", *hunks, "@@\n x\n"])
        return outcome(lambda: [each.line for each in stream.feed(text) if each.what == "hunk"])

    for hunk in HUNKS:
        assert lines([HUNKS[0], HUNKS[1], hunk]) in ([*lines(HUNKS[:2]), *lines([hunk])], lines([hunk])), hunk


def test_hunks_that_stand_at_one_place_are_looked_up_and_not_searched_for(monkeypatch):
    searched = []
    monkeypatch.setattr(
        streaming, "locate", lambda document, hunks, policy: searched.append(hunks) or locate(document, hunks, policy)
    )
    rows = [f"line {n}" for n in range(2_000)]
    hunks = [f"@@\n {rows[n]}\n-{rows[n + 1]}\n+new\n" for n in range(0, 2_000, 10)]
    pieces = ["*** Begin Patch\n*** Update File: a\n", *hunks, "*** End Patch\n"]
    stream = patchkit.parse_stream(pieces, {"a": "\n".join([*rows, ""]).encode()})

    assert [each.line for each in stream if each.what == "hunk"] == [*range(1, 2_000, 10)]
    assert len(searched) == 1


def test_bytes_may_be_cut_inside_a_character():
    text = "*** Begin Patch\n*** Add File: ü.txt\n+größe €\n*** End Patch\n"
    data = text.encode()
    stream = patchkit.parse_stream([data[index : index + 1] for index in range(len(data))])
    assert [each.op.path for each in stream] == ["ü.txt", "ü.txt"]
    assert stream.patch == parse(text)


def test_pieces_may_come_asynchronously():
    async def pieces():
        for start in range(0, len(PATCH), 7):
            await asyncio.sleep(0)
            yield PATCH[start : start + 7]

    async def run() -> list[str]:
        stream = patchkit.parse_stream(pieces(), dict(FILES))
        return [f"{each.what} {each.op.path}" async for each in stream]

    assert asyncio.run(run())[-1] == "section b.txt"


def test_nothing_is_written(tmp_path):
    (tmp_path / "b.txt").write_bytes(b"x\n")
    patch = "*** Begin Patch\n*** Delete File: b.txt\n*** Add File: c.txt\n+1\n*** End Patch\n"
    list(patchkit.parse_stream([patch], tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["b.txt"]


def test_a_piece_that_is_not_text_is_refused():
    with pytest.raises(PatchkitError, match="P601"):
        patchkit.parse_stream().feed(3)


def test_a_stream_without_files_reports_the_same():
    stream = PatchStream()
    assert [each.what for each in stream.feed(PATCH)] == ["opened", "hunk", "hunk", "section"] + [
        "opened",
        "section",
    ] * 2


def test_text_before_a_patch_is_read_once_however_small_its_pieces_are(monkeypatch):
    joined = []
    monkeypatch.setattr(PatchStream, "text", property(lambda stream: joined.append(1) or "".join(stream._texts)))
    stream, text = PatchStream(), "hello\n" * 400 + PATCH

    found = [each for start in range(0, len(text), 3) for each in stream.feed(text[start : start + 3])]

    assert [each.what for each in found][:2] == ["opened", "hunk"]
    assert len(joined) == 1
