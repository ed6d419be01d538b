"""The corrected patch that a refusal carries: only when it is certain, and then it applies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Edit, edits, examples, file_bytes

import patchkit
from patchkit import PatchkitError
from patchkit.batch.judging import RowJudge
from patchkit.batch.request import BatchRequest
from patchkit.core.language import Hunk, Patch, UpdateFile
from patchkit.tools.calling import Caller, call
from patchkit.writer import write

GREETER = b"""\
import os

def greet(name, loud):
    text = "Hi " + name
    text = text.upper()
    print(text)
    return text

def part(name):
    print("Bye " + name)
"""


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def update(*lines: str, path: str = "app.py") -> str:
    return patch(f"*** Update File: {path}", *lines)


def suggestion(text: str, content: dict[str, bytes], **options: object) -> str | None:
    """What the refusal of a patch suggests."""
    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(text, dict(content), suggest=True, **options)
    return refusal.value.suggestion


def suggested(text: str, content: dict[str, bytes], **options: object) -> dict[str, bytes] | None:
    """The files after what the refusal of a patch suggests."""
    better = suggestion(text, content, **options)
    if better is None:
        return None
    patchkit.apply(better, content, **options)
    return content


# -- what is certain -----------------------------------------------------------------------------


def test_context_that_differs_is_replaced_by_the_files_own():
    hunk = [" def greet(name):", '     text = "Hello " + name', "     text = text.upper()", "-    print(text)"]

    assert suggestion(update("@@", *hunk, "+    log(text)", "     return text"), {"app.py": GREETER}) == update(
        "@@",
        " def greet(name, loud):",
        '     text = "Hi " + name',
        "     text = text.upper()",
        "-    print(text)",
        "+    log(text)",
        "     return text",
    )


def test_a_removed_line_may_differ_in_blanks_between_its_words():
    hunk = ['     text = "Hi "+name', "     text = text.upper()", "-    print( text )", "+    log(text)"]

    assert suggested(update("@@", *hunk, "     return text"), {"app.py": GREETER}) == {
        "app.py": GREETER.replace(b"print(text)", b"log(text)")
    }


def test_an_anchor_whose_definition_has_other_details_now_is_replaced():
    better = suggestion(update("@@ def greet(name):", "+    # hello"), {"app.py": GREETER})

    assert better == update("@@ def greet(name, loud):", "+    # hello")


def test_a_hunk_that_is_applied_already_is_left_out():
    done = ["@@", " def part(name):", '-    print("So long " + name)', '+    print("Bye " + name)']

    assert suggestion(update("@@", "-import os", "+import sys", *done), {"app.py": GREETER}) == update(
        "@@", "-import os", "+import sys"
    )


def test_a_new_file_that_is_there_already_is_left_out():
    text = patch("*** Add File: a.txt", "+a", "*** Delete File: b.txt")

    assert suggestion(text, {"a.txt": b"a\n", "b.txt": b"b\n"}, strict=True) == patch("*** Delete File: b.txt")


def test_a_mark_that_does_not_hold_is_left_out():
    hunk = ["@@", "-import os", "+import sys"]

    assert suggestion(update(*hunk, "*** End of File"), {"app.py": GREETER}) == update(*hunk)


def test_an_anchor_that_opens_nothing_and_stands_below_the_lines_is_left_out():
    hunk = ["-import os", "+import sys"]

    assert suggestion(update("@@     return text", *hunk), {"app.py": GREETER}) == update("@@", *hunk)


def test_a_path_that_is_spelled_otherwise_is_taken_for_the_one_file_that_it_means():
    files = {"src/app.py": GREETER, "lib/other.py": b"x\n", "lib/Other.py": b"y\n"}
    hunk = ["@@", "-import os", "+import sys"]
    for path in (
        "`src/app.py`",
        '"src/app.py"',
        "src\\app.py",
        "C:\\src\\app.py",
        "a/src/app.py",
        "Src/App.py",
        "/testbed/src/app.py",
    ):
        done = patchkit.apply(update(*hunk, path=path), dict(files))
        assert [(note.code, note.facts["paths"]) for note in done.notes] == [
            ("P939", f": '{path}' is taken for 'src/app.py'")
        ]
        assert [each.path for each in done.files] == ["src/app.py"], path
    elsewhere = ["../src/app.py", "LIB/OTHER.PY", "app.py", "packages/web/src/app.py"]
    for path, strict in [("`src/app.py`", True), *((each, False) for each in elsewhere)]:
        with pytest.raises(PatchkitError):
            patchkit.apply(update(*hunk, path=path), dict(files), strict=strict)
    assert patchkit.apply(update(*hunk, path="app.py"), dict(files), fix="likely").files[0].path == "src/app.py"


SPELLINGS = ["`src/app.py`", "src\\app.py", "a/src/app.py", "Src/App.py"]


@pytest.mark.parametrize("path", SPELLINGS)
def test_a_path_that_is_spelled_otherwise_is_taken_by_all_that_plan_a_patch(path, tmp_path):
    text = update("@@", "-import os", "+import sys", path=path)
    files = {"src/app.py": GREETER}
    (tmp_path / "src").mkdir()
    (tmp_path / "src/app.py").write_bytes(GREETER)
    row = RowJudge(BatchRequest(emit=("files",))).judge({"patch": text, "files": files})
    stream = patchkit.parse_stream([text], files)

    assert [arrival.what for arrival in stream] == ["opened", "hunk", "section"]
    assert (row.verdict, [*row.emitted["files_after"]], row.notes) == ("applies", ["src/app.py"], ["P939"])
    checked = call("check", {"input": text}, Caller(str(tmp_path)))
    assert (checked.status, checked.data["patches"][0]["files"][0]["hunks"][0]["line"]) == ("success", 1)
    converted = patchkit.convert(text, "v4a", files, from_format="v4a").text
    assert converted.decode() == text.replace(path, "src/app.py")
    patchkit.plan(text, files).commit()
    assert files == {"src/app.py": GREETER.replace(b"import os", b"import sys")}


@pytest.mark.parametrize("path", SPELLINGS)
def test_a_new_name_that_is_spelled_so_is_not_made_unasked(path):
    moved = path.replace("app", "new").replace("App", "new")
    new = [update(f"*** Move to: {moved}", "@@", "-import os", "+import sys", path=path)]
    new.append(update("@@", "-import os", "+import sys", f"*** Add File: {moved}", "+x", path=path))
    for text in new:
        files = {"src/app.py": GREETER}
        with pytest.raises(PatchkitError):
            patchkit.apply(text, files)
        patchkit.apply(text, files, fix="likely")
        assert "src/new.py" in files


def test_a_misspelt_path_is_replaced_by_the_one_that_comes_near():
    hunk = ["@@", "-import os", "+import sys"]

    assert suggestion(update(*hunk, path="src/ap.py"), {"src/app.py": GREETER}) is None
    assert suggestion(update(*hunk, path="src/greter.py"), {"src/greeter.py": GREETER}) == update(
        *hunk, path="src/greeter.py"
    )


def test_a_line_that_is_removed_and_added_again_is_left_as_the_file_has_it():
    text = update("@@", "-print('Bye ' + name)", "+print('Bye ' + name)", "+return name")

    assert suggestion(text, {"app.py": GREETER}) == update("@@", '     print("Bye " + name)', "+    return name")


@pytest.mark.parametrize(("sent", "meant"), [("lib/", ""), ("", "lib/"), ("old/lib/", "new/lib/")])
def test_a_new_file_goes_where_the_paths_beside_it_are(sent, meant):
    def text(folder):
        return patch(
            *(f"*** Update File: {folder}app.py", "@@", "-    text = text.upper()", "+    text = text.lower()"),
            *(f"*** Add File: {folder}new.py", "+x = 1"),
        )

    assert suggestion(text(sent), {f"{meant}app.py": GREETER}) == text(meant)


REPORT = "# Report\n\nThe guests come first. The staff reads the Übersicht twice. The end is near.\n\nnotes\n"
LIST = "# Plan\n- **A-1** write the reader\n- **A-2** write the writer\n"
CODE = "if (alpha && beta\n    && gamma) {\n  run();\n}\n"


def test_text_with_other_breaks_bullets_or_accents_is_changed_where_the_file_has_it_once():
    cases = [
        ("a part of a line", REPORT, ["-The guests come first.", "+The guests come last."], "come first", "come last"),
        ("accents", REPORT, ["-The staff reads the Ubersicht twice.", "+The staff skips it."], None, None),
        (
            "bullets",
            LIST,
            ["-**A-1** write the reader", "+**A-1** drop the reader"],
            "write the reader",
            "drop the reader",
        ),
        (
            "breaks",
            CODE,
            ["-if (alpha && beta && gamma) {", "+if (alpha) {", "   run();"],
            "alpha && beta\n    && gamma",
            "alpha",
        ),
        (
            "a bullet that more lines lack",
            LIST,
            ["-**A-1** write the reader", "+**A-1** a reader", "+**A-3** new"],
            "",
            "",
        ),
        ("a text that is there twice", REPORT * 2, ["-The guests come first.", "+x"], "", ""),
    ]
    for name, content, hunk, old, new in cases:
        wanted = (
            content.replace("The staff reads the Übersicht twice.", "The staff skips it.")
            if old is None
            else (content.replace(old, new) if old else None)
        )
        made = suggested(update("@@", *hunk), {"app.py": content.encode()})
        assert made == (None if wanted is None else {"app.py": wanted.encode()}), name


def test_a_line_that_differs_in_the_word_that_tells_such_lines_apart_is_another():
    calls = b"open()\nsend(kind='Result', id=1)\nsend(kind='Error', id=1)\nshut()\n"
    hunk = [" open()", "-send(kind='Patch', id=1)", "+send(kind='Patch', id=2)"]
    slip = [" open()", "-send(kind='Reslut', id=1)", "+send(kind='Result', id=2)"]

    assert suggestion(update("@@", *hunk), {"app.py": calls}) is None
    assert suggested(update("@@", *slip), {"app.py": calls}) == {
        "app.py": calls.replace(b"'Result', id=1", b"'Result', id=2")
    }


def test_each_added_line_is_put_where_the_one_is_that_it_replaces():
    content = b"head\nstep 1: read it\nstep 2: plan it\nnote one\nnote two\nstep 3: write it\n"
    hunk = ["-step 1: read it", "-step 2: plan it", "-step 3: write it"]
    hunk += ["+step 1: read all", "+step 2: plan all", "+step 3: write all"]

    assert suggested(update("@@", *hunk), {"app.py": content}) == {"app.py": content.replace(b" it", b" all")}


def test_nothing_is_suggested_where_what_is_added_is_nearly_there():
    block = b"mode = pick(\n    auto=Mode.AUTO,\n    fixed=Mode.FIXED,\n    other=Mode.OTHER,\n)\n"
    content = b"start(first_value)\n# mode\n" + block + b"finish(last_value)\n"
    added = ["+# mode selection", *("+" + line for line in block.decode().splitlines())]

    assert suggestion(update("@@", " start(first_value)", *added, " finish(last_value)"), {"app.py": content}) is None


def test_a_hunk_that_removes_what_it_adds_wants_that_where_the_file_has_an_earlier_form_of_it():
    content = (
        b"def colours(img):\n    hair = name_of(img, top)\n    eyes = name_of(img, middle)\n    return hair, eyes\n"
    )
    wish = ['    hair = name_of(img, top, mode="hair")', '    eyes = name_of(img, middle, mode="eyes")']
    hunk = [*("-" + line for line in wish), *("+" + line for line in wish)]
    better = content.replace(b"top)", b'top, mode="hair")').replace(b"middle)", b'middle, mode="eyes")')

    assert suggested(update("@@", *hunk), {"app.py": content}) == {"app.py": better}
    assert suggestion(update("@@", *hunk, "@@", "-import os", "+import sys"), {"app.py": b"import os\n"}) is None


def test_so_does_a_hunk_that_removes_most_of_what_it_adds():
    content = b"def draw(img):\n    hair(img, top(10, 20))\n    eyes(img, top(30, 40))\n    skin(img, top(50, 60))\n"
    earlier = ['    hair(img, top(10, 20), "a")', '    eyes(img, top(30, 40), "b")', '    skin(img, top(50, 50), "c")']
    wish = [*earlier[:2], '    skin(img, top(50, 60), "c")']
    better = b"def draw(img):\n" + "".join(line + "\n" for line in wish).encode()
    hunk = [*("-" + line for line in earlier), *("+" + line for line in wish)]

    assert suggested(update("@@", *hunk), {"app.py": content}) == {"app.py": better}


def test_nothing_is_suggested_where_left_out_lines_may_go_with_those_that_are_replaced():
    content = b"tree:\nbackend/\n  models/\n  services/\nfrontend/\n"

    assert suggestion(update("@@", " tree:", "-backend/", "+server/", " frontend/"), {"app.py": content}) is None


def test_a_path_and_a_hunk_are_corrected_one_after_the_other():
    hunk = ['     text = "Hello " + name', "     text = text.lower()", "-    print(text)", "+    log(text)"]
    hunk += ["     return text", " ", " def part(name):", '     print("Bye " + name)']
    better = suggestion(update("@@", *hunk, path="App.py"), {"app.py": GREETER})

    assert better is not None
    assert better.startswith("*** Begin Patch\n*** Update File: app.py\n@@\n-    print(text)\n")


def test_lines_are_written_as_they_stand_where_only_exact_text_counts():
    better = suggestion(update("@@", '-print("Bye " + name)', '+print("So long")'), {"app.py": GREETER}, strict=True)

    assert better == update("@@", '-    print("Bye " + name)', '+    print("So long")')


def test_a_missing_anchor_is_left_out_where_none_may_be_lost():
    hunk = ["-import os", "+import sys"]

    assert suggestion(update("@@ class Gone:", *hunk), {"app.py": GREETER}, strict=True) == update("@@", *hunk)


def test_the_codex_dialect_is_offered_what_is_not_committed_yet():
    text = patch(
        "*** Add File: new.txt", "+a", "*** Update File: app.py", "@@", "-import os", "+import sys", "*** End of File"
    )
    content = {"app.py": GREETER}
    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(text, content, suggest=True, dialect="codex")

    assert content == {"app.py": GREETER, "new.txt": b"a\n"}
    assert refusal.value.suggestion == update("@@", "-import os", "+import sys")


# -- what is not ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hunk",
    [
        ["@@", "-    print(1)", "+    log(1)", "     return text"],  # a removed line says something else
        ["@@", " nothing", " like it", "-    print(text)", "+    log(text)", " at all"],  # little agrees
        ["@@", " def meet(name):", "     text = text.upper()", "-    print(text)", "+x", " end"],  # another definition
        ["@@ def part(name):", "-    print(text)", "+    log(text)"],  # it may be the anchor that is right
        ["@@", "+    pass", "*** End of File", "@@ def gone(a):", "+    pass"],  # an anchor that names nothing
        ["@@", ' print("Bye " + name)', "   +x", "*** End of File"],
    ],
)
def test_nothing_is_suggested_where_something_else_may_be_meant(hunk):
    assert suggestion(update(*hunk), {"app.py": GREETER}) is None


def test_a_list_item_whose_mark_was_taken_for_its_sign_gets_it_back_in_the_added_line_too():
    content = {"todo.md": b"# To do\n- [ ] write the reader\n- [ ] write the writer\n"}
    marked = update("@@", "-[ ] write the writer", "+- [x] write the writer", path="todo.md")
    bare = update("@@", "-[ ] write the writer", "+[x] write the writer", path="todo.md")

    for text in (marked, bare):
        assert suggested(text, dict(content)) == {
            "todo.md": b"# To do\n- [ ] write the reader\n- [x] write the writer\n"
        }


def test_nothing_is_suggested_that_puts_in_again_what_the_file_has_elsewhere():
    added = ["+    seen = known(name)", "+    if not seen:", '+        print("Hi " + name)', "+        learn(name)"]
    text = update("@@", " def part(name, when):", *added, '     print("By " + name)')
    known = b"\ndef meet(name):\n    seen = known(name)\n    if not seen:\n        print('Ho')\n        learn(name)\n"

    assert suggestion(text, {"app.py": GREETER}) is not None
    assert suggestion(text, {"app.py": GREETER + known}) is None


def test_a_correction_leaves_out_no_line_that_the_patch_expects_beside_what_it_adds():
    before = b"function f() {\n  a();\n}\n\nfunction g() {\n  b();\n}\n"
    hunk = ["@@", " function f() {", "   a();", "+  if (x) {", "+    b();", "   }", " }"]

    assert suggestion(update(*hunk), {"app.py": before}) is None


def test_a_correction_leaves_out_no_line_that_lost_its_sign():
    hunk = ["@@", "     text = text.upper()", "+    text += mark", "    greeted += 1", "     print(text)"]

    assert suggestion(update(*hunk), {"app.py": GREETER}) is None


def test_an_anchor_with_a_method_of_the_same_name_below_it_is_kept():
    store = b"class Store:\n    def get(self, key):\n        return self.items[key]\n\n"
    cache = b"class Cache:\n    def get(self, key):\n        return self.items.get(key)\n"
    text = update("@@ class Store:", "     def get(self, key):", "-        return self.items.get(key)", "+        pass")

    changed = store.replace(b"return self.items[key]", b"pass")
    assert suggested(text, {"app.py": store + cache}) == {"app.py": changed + cache}


def test_a_short_line_that_is_only_like_one_of_the_file_is_not_recognised_without_an_anchor():
    before = b"alpha = 1\nbeta = 2\ngamma = 3\n"

    assert suggestion(update("@@", "-delta = 2", "+delta = 4"), {"app.py": before}) is None
    assert suggested(update("@@", "-Beta = 2", "+beta = 4"), {"app.py": before}) is not None


def test_a_line_that_the_file_has_is_not_taken_for_another_one_like_it():
    before = b"run() {\n  if (a) {\n    go();\n  }\n  if (b) {\n    go();\n  }\n}\n"
    text = update("@@", " run() {", "   if (b) {", "-    go();", "+    halt();", "   }")

    after = b"run() {\n  if (a) {\n    go();\n  }\n  if (b) {\n    halt();\n  }\n}\n"
    assert suggested(text, {"app.py": before}) == {"app.py": after}


def test_no_line_is_added_beside_the_same_line():
    text = update("@@", " import os", "+import sys", " import re")

    assert suggestion(text, {"app.py": b"import os\nimport sys\nx = 1\n"}) is None


def test_a_comma_at_the_end_of_a_short_line_may_differ():
    before = b'{\n  "b": {\n    "c": "red"\n  },\n  "d": 3\n}\n'
    text = update("@@", '     "c": "red"', "-  }", "+  },", '+  "e": 9,', '   "d": 3', path="a.json")

    after = b'{\n  "b": {\n    "c": "red"\n  },\n  "e": 9,\n  "d": 3\n}\n'
    assert suggested(text, {"a.json": before}) == {"a.json": after}


def test_a_line_that_was_changed_halfway_becomes_what_the_patch_wants():
    before = b"def run(job):\n    start(job)\n    if job.ready and job.owner['name']:\n        job.go()\n"
    text = update(
        "@@",
        "     start(job)",
        "-    if job.ready:",
        "+    if job.ready and job.owner.get('name'):",
        "         job.go()",
    )

    after = b"def run(job):\n    start(job)\n    if job.ready and job.owner.get('name'):\n        job.go()\n"
    assert suggested(text, {"app.py": before}) == {"app.py": after}


def test_another_number_is_taken_where_the_patch_puts_the_files_own():
    content = {"LICENSE": b"Copyright (c) 2024 Your Name\n"}
    text = update("@@", "-Copyright (c) 2023 Your Name", "+Copyright (c) 2024 A. Author", path="LICENSE")

    assert suggested(text, content) == {"LICENSE": b"Copyright (c) 2024 A. Author\n"}


def test_of_two_hunks_for_the_same_lines_the_later_one_is_suggested():
    text = update("@@", "-import os", "+import sys", "@@", "-import os", "+import os.path")

    assert suggested(text, {"app.py": b"import os\nrun()\n"}) == {"app.py": b"import os.path\nrun()\n"}


BOX = {"app.py": b"def draw():\n    left = 1\n    right = 2\n    top = 3\n    below = 4\n    show()\n    return 5\n"}


def test_of_two_hunks_that_overlap_the_later_one_counts_where_both_change_lines():
    first = [
        "@@",
        "     left = 1",
        "-    right = 2",
        "+    right = 20",
        "     top = 3",
        "-    below = 4",
        "+    below = 40",
    ]
    second = ["@@", "     right = 2", "     top = 3", "-    below = 4", "+    below = 41", "     show()"]

    assert suggested(update(*first, *second), dict(BOX)) == {
        "app.py": BOX["app.py"].replace(b"2", b"20").replace(b"4", b"41")
    }


def test_a_removed_line_between_lines_that_are_the_same_may_have_more_in_it():
    hunk = [
        "     left = 1",
        "-    right = 2",
        "-    top = 3",
        "-    below = 4 if the_box is None else 4",
        "-    show()",
    ]

    named = {"app.py": BOX["app.py"].replace(b"below = 4", b"below = 4 if box else 4")}
    assert suggested(update("@@", *hunk, "+    draw_all()", "     return 5"), named) == {
        "app.py": b"def draw():\n    left = 1\n    draw_all()\n    return 5\n"
    }


def test_a_line_that_is_gone_already_is_replaced_between_lines_that_follow_each_other():
    hunk = [
        "     left = 1",
        "     right = 2",
        "-    middle = 2.5",
        "+    middle = 2.7",
        "     top = 3",
        "     below = 4",
    ]

    assert suggested(update("@@", *hunk), dict(BOX)) == {
        "app.py": BOX["app.py"].replace(b"    top", b"    middle = 2.7\n    top")
    }


def test_a_line_at_the_end_of_a_hunk_is_not_gone_where_the_next_line_begins_like_it():
    hunk = ["     left = 1", "     right = 2", "-    top = (", "+    top = 30"]

    assert suggested(update("@@", *hunk), dict(BOX)) is None


def test_a_fence_at_the_end_of_a_hunk_is_that_of_the_answer():
    hunk = ["     below = 4", "     show()", "     return 5", "+", "+draw()", " ```"]

    assert suggested(update("@@", *hunk), dict(BOX)) == {"app.py": BOX["app.py"] + b"\ndraw()\n"}


def test_nothing_is_suggested_where_several_places_fit():
    assert suggestion(update("@@", "-x", "+y", path="a"), {"a": b"x\nm\nx\n"}) is None


def test_nothing_is_suggested_where_one_of_several_faults_has_no_correction():
    text = update("@@", "-import os", "+import sys", "*** End of File", "@@", "-nowhere at all", "+x")

    assert suggestion(text, {"app.py": GREETER}) is None


def test_nothing_is_suggested_where_nothing_would_be_left():
    assert suggestion(update("@@", "-import re", "+import os"), {"app.py": GREETER}) is None


def test_the_deletion_of_another_file_is_never_suggested():
    assert suggestion(patch("*** Delete File: greter.py"), {"greeter.py": GREETER}) is None


def test_a_path_is_not_replaced_for_hunks_that_would_fit_any_file():
    assert suggestion(update("@@", "+x = 1", path="greter.py"), {"greeter.py": GREETER}) is None


def test_nothing_is_worked_out_for_those_who_do_not_show_it():
    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(update("@@", "-import os", "*** End of File"), {"app.py": GREETER})

    assert refusal.value.suggestion is None


# -- where added lines go, and how alike lines are -----------------------------------------------


def test_a_long_line_is_as_like_the_same_with_a_comma_as_a_short_one():
    line = '    details: "look into the log for all that went wrong"'
    before = f"{{\n    code: 5,\n{line},\n}}\n".encode()

    hunk = ["@@", "     code: 5,", "-" + line, "+    details: none,", " }"]
    assert suggested(update(*hunk), {"app.py": before}) == {"app.py": b"{\n    code: 5,\n    details: none,\n}\n"}


def test_a_removed_line_may_have_one_more_number_in_the_file_and_no_other():
    before = b'<ul>\n  <li class="flex items-center gray-500">\n    one\n'
    hunk = ["@@", " <ul>", '-  <li class="flex items-center">', '+  <li class="flex items-end">', "     one"]

    after = before.replace(b"items-center gray-500", b"items-end")
    assert suggested(update(*hunk), {"app.py": before}) == {"app.py": after}
    other = [each.replace("items-center", "items-center gray-400") for each in hunk]
    assert suggestion(update(*other), {"app.py": before}) is None


def test_a_brace_below_lines_that_were_left_out_is_the_next_one_at_its_depth():
    before = b"def view(self):\n    return {\n        'domain': self.domain,\n        'limit': 5,\n    }\n"
    hunk = ["@@", "         'domain': self.domain,", "     }", "+", "+def other(self):", "+    pass"]

    added = b"\ndef other(self):\n    pass\n"
    assert suggested(update(*hunk), {"app.py": before}) == {"app.py": before + added}
    closed = before.replace(b"    }\n", b"    }.copy()\n\nx = {\n    }\n")
    assert suggestion(update(*hunk), {"app.py": closed}) is None


def test_a_line_that_alone_says_where_others_are_added_has_to_be_more_alike():
    before = b"const users = require('./routes/users')(config);\nconst rights = 1;\n"
    hunk = ["@@", " app.use('/api/users', checked, signed, require('./routes/users')(config));", "+app.use('/rights');"]

    assert suggestion(update(*hunk), {"app.py": before}) is None


def test_nothing_is_added_below_a_brace_between_lines_that_the_file_lacks():
    before = b"def init(\n    self,\n    first_data=None,\n    other_files=None,\n):\n    self.data = first_data\n"
    hunk = [
        "@@",
        " def init(",
        "     self,",
        "     first_data=None,",
        "     other_files=None,",
        "     how=None,",
        " ):",
    ]
    added = ["+    renderer = renderer or default()", "     super().init(data, files, renderer)"]

    assert suggestion(update(*hunk, *added), {"app.py": before}) is None


# -- laws ----------------------------------------------------------------------------------------

WORDS = st.sampled_from(["alpha = 1", "beta = 2", "gamma", "delta()", "", "  eps", "def f():", "def g():", "}"])


def refusal_of(hunks: list[Hunk], before: bytes) -> PatchkitError | None:
    try:
        patchkit.apply(write(Patch([UpdateFile("a", None, hunks)])), {"a": before}, suggest=True)
    except PatchkitError as error:
        return error
    return None


@st.composite
def slips(draw: st.DrawFn, kinds: list[str]) -> tuple[Edit, list[Hunk]]:
    """An edit, and its hunks with some of their context lines mistyped, left out or made up."""
    edit = draw(edits(WORDS))
    hunks = []
    for hunk in edit.hunks:
        lines: list[str] = []
        for line in hunk.lines:
            slip = draw(st.sampled_from(["none", "none", *kinds])) if line[0] == " " else "none"
            lines += {"none": [line], "mistyped": [line + "x"], "out": [], "extra": [line, " made up"]}[slip]
        if lines:
            hunks.append(Hunk([], lines, hunk.at_eof, hunk.final_newline))
    return edit, hunks


@given(slips(["mistyped"]))
@examples(200)
def test_a_suggestion_for_mistyped_context_makes_what_was_meant(case):
    edit, hunks = case
    before = file_bytes(edit.before)
    refusal = refusal_of(hunks, before)
    if not all(changes(hunk.lines) for hunk in hunks):
        return  # the odd line of a hunk that shows context alone is offered as an added one
    if refusal is not None and refusal.suggestion is not None and refusal.suggestion.count("@@") == len(hunks):
        content = {"a": before}
        patchkit.apply(refusal.suggestion, content)
        assert content == {"a": file_bytes(edit.after)}


@given(slips(["mistyped", "out", "extra"]))
@examples(200)
def test_a_suggestion_always_applies_and_adds_only_what_the_patch_adds(case):
    edit, hunks = case
    before = file_bytes(edit.before)
    refusal = refusal_of(hunks, before)
    if refusal is not None and refusal.suggestion is not None:
        patchkit.apply(refusal.suggestion, {"a": before})
        sent = [hunk.lines for hunk in patchkit.parse(refusal.suggestion).sections[0].hunks]
        # A hunk that shows context alone may have lost the plus of a line.
        asked = [changes(hunk.lines) or ["+" + line[1:] for line in hunk.lines] for hunk in hunks]
        assert [changes(lines) for lines in sent if not any(is_part(changes(lines), each) for each in asked)] == []


def is_part(some: list[str], lines: list[str]) -> bool:
    """Whether all of some changes are among others, those of a sign in order: what the file has already is left out."""
    others = {sign: iter([line for line in lines if line[0] == sign]) for sign in "+-"}
    return all(line in others[line[0]] for line in some)


def changes(lines: list[str]) -> list[str]:
    return [line for line in lines if line[0] != " "]


def test_a_change_that_two_hunks_ask_for_is_made_once_and_lines_that_one_has_are_not_anothers():
    plan = ["F1: Web", "F2: Mail", "F3: Print", "", "### Base", "Set up logs and secrets.", "Covers F1", ""]
    plan += ["## Base", "", "Set up logs and secrets."]
    content = {"plan.md": "".join(line + "\n" for line in plan).encode()}
    hunks = [
        *("@@", "-F2: Mail", "+F2: Post"),
        *("@@", " ### Base", "-Set up logs and secrets.", "+Set up logs.", " Covers F1"),
        *("@@", " F1: Web", "-F2: Mail", "+F2: Post", " F3: Print"),
        *("@@", "-### Base", "-", "-Set up logs and secrets.", "+### Base", "+", "+Set up logs."),
    ]

    made = suggested(update(*hunks, path="plan.md"), content)

    assert made is not None
    assert made["plan.md"].decode().split("\n") == [
        *("F1: Web", "F2: Post", "F3: Print", "", "### Base", "Set up logs.", "Covers F1", ""),
        *("## Base", "", "Set up logs.", ""),
    ]


def test_a_kept_line_that_lost_a_dash_is_known_where_all_that_is_added_has_one():
    content = {
        "spec.md": b"### Cases\n\n- What if a price is missing?\n-- What if nobody is active at all?\n\n## Rest\n"
    }
    hunk = [" ### Cases", " ", "-- What if a price is missing?", " - What if nobody is active at all?"]

    assert suggested(update("@@", *hunk, "+- What if two are?", path="spec.md"), content) == {
        "spec.md": b"### Cases\n\n-- What if nobody is active at all?\n- What if two are?\n\n## Rest\n"
    }


def test_a_hunk_that_shows_little_is_not_sent_without_the_context_that_showed_its_place():
    guide = b"**Monitor:**\n\n# Is it running?\nps\n\n## Other\n\n# Check logs\ntail\n"
    little = update("@@", " **Monitor:**", " # Is it running?", "@@", " # Check logs", "+more", path="guide.md")
    enough = little.replace("# Check logs", "# Check all logs of it")
    longer = guide.replace(b"# Check logs", b"# Check all logs of it")

    assert suggestion(little, {"guide.md": guide}) is None
    assert suggested(enough, {"guide.md": longer}) == {"guide.md": longer.replace(b"of it\n", b"of it\nmore\n")}


def test_a_hunk_of_which_most_that_it_removes_and_adds_again_is_nowhere_asks_for_an_earlier_patch():
    rows = [f"self.aux.set_item({n}, default_of_{n})" for n in range(4)]
    lines = [" def add_aux(self):", *("-" + row for row in rows), *("+" + row for row in rows), "+self.aux.show()"]
    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(update("@@", *lines), {"app.py": f"x = 1\n{rows[0]}\ny = 2\n".encode()})

    assert refusal.value.errors[0].facts.get("unmade") is True
    assert refusal.value.errors[0].facts.get("scattered") is None


def test_a_line_at_the_end_of_a_hunk_that_names_another_definition_does_not_keep_it_from_its_place():
    api = b"""\
const api = {
  removeVersion(tree: string) {
    return request("/trees/" + tree, "DELETE");
  },

  exportTree(tree: string) {
    return request("/trees/" + tree + "/export", "POST");
  },

  importTree(body: Body) {
    return request("/trees/import", "POST");
  },
};
"""
    hunk = [
        *("   restoreVersion(tree: string) {", '     return request("/trees/" + tree, "DELETE");', "   },"),
        *("   exportTree(tree: string) {", '     return request("/trees/" + tree + "/export", "POST");', "   },"),
        *("+  askTree(tree: string) {", '+    return request("/trees/" + tree + "/ask", "POST");', "+  },"),
    ]

    made = suggested(update("@@", *hunk, path="api.ts"), {"api.ts": api})

    added = b'  askTree(tree: string) {\n    return request("/trees/" + tree + "/ask", "POST");\n  },\n'
    head, _, tail = api.partition(b"\n  importTree")
    assert made == {"api.ts": head + added + b"\n  importTree" + tail}


# -- which of several places ---------------------------------------------------------------------

STEPS = [*("def step_one():", "    call(1)"), *("def step_two():", "    call()", ""), *["#"] * 9]
STEPS += ["def step_three():", "    call()"]


def test_a_hunk_with_several_places_goes_to_the_one_that_is_clearly_nearest_below_the_hunk_above():
    text = update("@@", "-    call(1)", "+    call(one)", "@@", "-    call()", "+    call(two)")
    files = {"app.py": "\n".join([*STEPS, ""]).encode()}
    far = {"app.py": files["app.py"].replace(b"step_two():\n", b"step_two():\n" + b"    #\n" * 12)}

    assert suggestion(text, files) == update(
        *("@@", "-    call(1)", "+    call(one)", "@@ def step_two():", "-    call()", "+    call(two)")
    )
    assert suggestion(text, far) is None
    assert suggestion(update("@@", "-    call()", "+    call(two)"), files) is None


SETTINGS = """\
[copy]
source = local disk
target = remote disk
retries = 3
timeout = 30 seconds

[mail]
server = mail.example
sender = robot@mail.example
port = 25
"""
NOTES = """\
The importer reads one file after the other and writes what it has read
to the store.

It stops at the first file that cannot be read, and says which one it is.
"""


def offered(text: str, content: str, path: str = "app.txt") -> tuple[str | None, str | None]:
    """How sure the correction of a patch is, and the file after it."""
    files = {path: content.encode()}
    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(text, dict(files), suggest=True)
    if refusal.value.suggestion is None:
        return None, None
    patchkit.apply(refusal.value.suggestion, files)
    return refusal.value.certainty, files[path].decode()


def test_a_correction_is_certain_where_no_other_place_and_no_other_order_can_be_meant():
    more_retries = SETTINGS.replace("retries = 3", "retries = 5")
    user = SETTINGS.replace("port = 25\n", "port = 25\nuser = robot\n")
    other_breaks = [" It stops at the first file that cannot be", " read, and says which one it is."]
    there_already = [" [copy]", "-source = network", "+source = local disk", " target = remote disk"]
    quick = NOTES.replace("\n\nIt stops", "\n\nIt is quick.\n\nIt stops")
    cases = {
        "what is removed is there once": (
            [" [copies]", " sources = here", "-retries = 3", "+retries = 5", " timeout = 30 seconds"],
            ("certain", more_retries),
        ),
        "only line breaks differ": (
            [" writes what it has read", " to the store.", " ", "+It is quick.", "+", *other_breaks],
            ("certain", quick),
        ),
        "a hunk without changes is nowhere": (
            [" [archive]", " keep = 10 days", "@@", " port = 25", "+user = robot"],
            ("certain", user),
        ),
        "a change is said twice": (
            ["-retries = 3", "+retries = 5", "@@", " target = remote disk", "-retries = 3", "+retries = 5"],
            ("certain", more_retries),
        ),
        "bytes were lost of lines above the change": (
            [
                " [c\ufffdpy]",
                " sour\ufffde = l\ufffdcal disk",
                " t\ufffdrget = remote disk",
                "-retries = 3",
                "+retries = 5",
            ],
            ("certain", more_retries),
        ),
        "a line was left out beside what is added": (
            [" server = mail.example", "+user = robot", " port = 25"],
            ("likely", SETTINGS.replace("sender", "user = robot\nsender")),
        ),
        "a line that alone shows the place is another": (
            [" sender = robot@mail.example.com", " port = 25", "+user = robot"],
            ("likely", user),
        ),
        "the text of a hunk without changes is in a line": (
            ["-retries = 3", "+retries = 5", "@@", " mail.example"],
            ("likely", more_retries),
        ),
        "another hunk passes over a line": (
            [*there_already, "@@", " [mail]", " server = mail.example", " port = 25", "+user = robot"],
            ("likely", user),
        ),
    }
    found = {
        name: offered(update("@@", *lines, path="app.txt"), NOTES if "breaks" in name else SETTINGS)
        for name, (lines, _) in cases.items()
    }

    assert found == {name: wanted for name, (_, wanted) in cases.items()}


def test_a_line_that_is_there_is_not_added_again_beside_the_lines_that_were_left_out():
    imports = "import { first } from './first'\nimport { second } from './second'\nimport { third } from './third'\n"
    hunk = ["@@", *(f" import {{ {each} }} from './{each}'" for each in ("first", "third"))]
    added = [f"+import {{ {each} }} from './{each}'" for each in ("second", "fourth")]

    assert offered(update(*hunk, *added, path="app.js"), imports, "app.js") == (
        "likely",
        imports + "import { fourth } from './fourth'\n",
    )


def test_a_line_that_has_all_of_the_one_that_was_left_out_and_more_takes_its_place():
    roles = "roles = {\nguest: ['read'],\nclerk: ['read', 'write'],\nowner: ['read', 'write'],\nrobot: ['run'],\n}\n"
    hunk = [" clerk: ['read', 'write'],", "+owner: ['read', 'write', 'grant'],", " robot: ['run'],"]

    assert offered(update("@@", *hunk, path="app.js"), roles, "app.js") == (
        "likely",
        roles.replace("owner: ['read', 'write']", "owner: ['read', 'write', 'grant']"),
    )


def test_nothing_is_suggested_that_breaks_the_syntax_of_the_file():
    before = '{\n  "name": "app",\n  "version": "1.0",\n  "license": "MIT"\n}\n'
    hunk = ['   "name": "app",', '-  "version": "1.0",', '+  "version": "1.1",', '+  "private": true', " }"]

    assert offered(update("@@", *hunk, path="app.json"), before, "app.json") == (None, None)


def test_nothing_is_suggested_where_another_line_is_in_place_of_a_removed_one():
    before = ["def read(path):", "    handle = open(path)", "    skip_mark(handle)", "    data = handle.read()"]
    hunk = ["     handle = open(path)", "-    handle.seek(start_of_text)", "-    data = handle.read()"]
    wanted = ["-    handle.close()", "+    data = path.read_bytes()", "     return data"]

    text = "\n".join([*before, "    handle.close()", "    return data", ""])
    assert offered(update("@@", *hunk, *wanted), text, "app.py") == (None, None)


def test_nothing_is_suggested_that_is_elsewhere_than_the_closest_place():
    opened = ["    int fd = open_to_append(arg);", "    if (fd < 0) {", "        report(arg);", "        *space = ' ';"]
    head = [*opened, "        return -1;", "    }", "    *space = ' ';"]
    size, buffer = "    size_t size = strlen(space + 1);", "    char *buffer = allocate(size + 1);"
    first = ["int append(char *arg) {", *head, size, "    write(fd, space + 1, size);", "}"]
    between = [*(f"int number_{number}(void);" for number in range(9)), "void clear(void) {", buffer, "}"]
    second = ["int append_line(char *arg) {", *head, size, buffer, "    write(fd, buffer, size + 1);", "}", ""]
    shown = [" " + line for line in (*head, buffer, size)]
    shown[3:4] = ["-        *space = ' ';", "+        if (space) *space = ' ';"]

    text = "\n".join([*first, *between, *second])
    assert offered(update("@@", *shown, path="app.c"), text, "app.c") == (None, None)


def test_a_line_that_lost_its_margin_gets_that_of_the_one_which_it_replaces():
    before = "- 3a: The ticket cannot be stored.\n  - 3a1: The system shows an error and logs it.\n- 7a: No right.\n"
    hunk = ["-- 3a: The ticket cannot be stored.", "-- 3a1: The system shows an error and logs it."]
    wanted = ["+- 3a: The ticket cannot be stored.", "+- 3a1: The system shows an error.", "+- 2a: It comes twice."]

    assert offered(update("@@", *hunk, *wanted, path="app.md"), before, "app.md") == (
        "likely",
        before.replace("an error and logs it.", "an error.\n- 2a: It comes twice."),
    )


MEMBERS = """\
add = (club, name) => {
  verify('add', [club, name])
  club = club.trim()
  return put(club, name)
}
drop = (club, name) => {
  verify('drop', [club, name])
  club = club.trim()
  return remove(club, name)
}
"""


def test_an_anchor_that_names_another_place_than_the_hunk_shows_makes_nothing_certain():
    change = ["-  club = club.trim()", "+  club = known(club)"]
    wrong_anchor = ["@@ add = (club, name) => {", " drop = (club, name) => {", "   verify('drop', [club, name]),"]
    in_drop = "known(club)".join(MEMBERS.rsplit("club.trim()", 1))
    in_add = MEMBERS.replace("club.trim()", "known(club)", 1)

    shows_two_lines = update(*wrong_anchor, *change, "   return remove(club, name)", path="app.txt")
    shows_one_line = update(wrong_anchor[0], "   verify('drop', [club, name])", *change, path="app.txt")
    assert offered(shows_two_lines, MEMBERS) == ("likely", in_drop)
    assert offered(shows_one_line, MEMBERS) == ("likely", in_add)


def test_a_line_that_is_only_like_one_behind_others_makes_nothing_certain():
    rules = "#name {\n  padding: 4px;\n  sizing: border-box;\n}\n#send {\n  padding: 4px;\n  sizing: border-box;\n}\n"
    hunk = ["@@", "-  padding: 4px;", "+  padding: 8px;", "   sizing: border-box;", "   sizing2: border-box;"]

    assert offered(update(*hunk, path="app.txt"), rules) == ("likely", rules.replace("4px", "8px", 1))


@pytest.mark.parametrize(
    ("there", "old", "new", "wanted"),
    [
        ("depends on the value of the", "depends on the value of", "depends on all of the", "depends on all of the"),
        ("In fact it needs a good store", "it needs a good store", "In fact it is one", "In fact it is one"),
        ("give(value = of(this, one))", "value = of(this, one)", "value = of(all(one))", "give(value = of(all(one)))"),
    ],
)
def test_what_is_around_a_part_of_a_line_is_not_put_there_twice(there, old, new, wanted):
    text = update("@@", "-" + old, "+" + new, path="app.txt")

    assert offered(text, f"first\n{there}\nlast\n") == ("certain", f"first\n{wanted}\nlast\n")


def test_a_correction_is_not_certain_where_the_hunk_shows_a_twin_of_its_place():
    ports = "".join(
        f"{name} {{\n  device one\n  mixer digital\n  jack mic\n}}\n\n" for name in ("value_old", "value_new")
    )
    done = ports.replace("value_new", "value_raw") + "[end]\n" * 4 + ports.split("\n\n")[1].replace("  jack mic\n", "")
    removed = update("@@", " value_new {", "   device one", "   mixer digital", "-  jack mic", " }", path="app.txt")
    twice = ["@@", "   t: (key) => key,", "   t: (key) => key,", "   locale: 'en',", "+  other: 'en',"]
    texts = "one({\n  t: (key) => key,\n  locale: 'en',\n}),\ntwo({\n  t: (key) => key,\n  locale: 'en',\n}),\n"

    for text, content in ((removed, done), (update(*twice, path="app.txt"), texts)):
        assert offered(text, content)[0] != "certain"


def test_nothing_is_suggested_that_is_right_below_already():
    content = (
        '"scripts": {\n  "before": 1,\n  "after": 2,\n  "prepare": "it",\n  "test": "tap",\n  "test": "tap-next",\n}\n'
    )
    hunk = ["@@", ' "scripts": {', '   "prepare": "it",', '   "test": "tap",', '+  "test": "tap-next",']

    assert offered(update(*hunk, path="app.txt"), content) == (None, None)
    assert offered(update(*hunk[:-1], '+  "lint": "all",', path="app.txt"), content)[0] == "certain"
