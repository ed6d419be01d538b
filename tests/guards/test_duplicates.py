"""What a patch must not add: what the file has already, and lines in place of code."""

from __future__ import annotations

import pytest

import patchkit
from patchkit.errors import PatchkitError

SHOP = b"""class Cart:
    def add(self, item):
        self.items.append(item)

    def total(self):
        return sum(self.items)


class Order:
    def total(self):
        return self.cart.total()
"""
NOTES = b"# Notes\n\n## Release two\n- faster start\n- fewer files\n- better words\n- less noise\n"


def update(*lines: str, path: str = "shop.py") -> str:
    return "\n".join(["*** Begin Patch", f"*** Update File: {path}", *lines, "*** End Patch", ""])


def outcome(text: str, files: dict[str, bytes], **options: object) -> str | dict[str, bytes]:
    """The code of the refusal, or the files afterwards."""
    tree = dict(files)
    try:
        patchkit.apply(text, tree, **options)
    except PatchkitError as error:
        return error.code
    return tree


SECOND_TOTAL = update(
    "@@", " class Cart:", "+    def total(self):", "+        return 0", "+", "     def add(self, item):"
)


def test_a_method_that_the_class_has_is_not_added_again():
    assert outcome(SECOND_TOTAL, {"shop.py": SHOP}) == "P216"


@pytest.mark.parametrize("max_pass", ["exact", "context-line"])
def test_no_tolerance_lets_a_second_definition_in(max_pass):
    assert outcome(SECOND_TOTAL, {"shop.py": SHOP}, max_pass=max_pass) == "P216"


def test_a_second_definition_can_be_allowed():
    after = outcome(SECOND_TOTAL, {"shop.py": SHOP}, allow_duplicate=True)

    assert isinstance(after, dict)
    assert after["shop.py"].count(b"    def total(self):\n") == 3


def test_one_more_of_a_definition_that_the_file_repeats_is_no_slip():
    twins = b"def a():\n    return 1\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n"
    third = update("@@", "+def a():", "+    return 3", "+", " def b():", path="twins.py")

    assert outcome(third, {"twins.py": twins}) == {
        "twins.py": twins.replace(b"def b", b"def a():\n    return 3\n\ndef b")
    }


def test_a_third_copy_of_all_lines_of_a_definition_is_a_slip():
    body = "def a(x):\n    x += 1\n    x *= 2\n    x -= 3\n    return x\n\n"
    twins = f"{body}{body}def b():\n    return 2\n".encode()
    copy = [f"+{line}" for line in body.splitlines()]

    assert outcome(update("@@", *copy, " def b():", path="t.py"), {"t.py": twins}) == "P205"
    assert outcome(update("@@", *copy, "+c = 3", " def b():", path="t.py"), {"t.py": twins}) == "P216"
    other = [line.replace("3", "4") for line in copy]
    assert outcome(update("@@", *other, " def b():", path="t.py"), {"t.py": twins}) == {
        "t.py": twins.replace(b"def b", body.replace("3", "4").encode() + b"def b")
    }


def test_one_more_method_in_a_class_that_the_file_repeats_is_no_slip():
    nested = b"class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n\n" * 2
    again = update(
        *("@@", "     def g(self):", "         return 2", " ", " class A:", "     def f(self):", "         return 1"),
        *(" ", "+    def f(self):", "+        return 3", "+", "     def g(self):", "         return 2"),
        path="a.py",
    )

    assert outcome(again, {"a.py": nested}) != "P216"


def test_a_definition_that_the_same_patch_takes_away_is_added():
    moved = update(
        *("@@", " class Cart:", "+    def total(self):", "+        return sum(self.items)", "+"),
        *("     def add(self, item):", "         self.items.append(item)", "@@", " "),
        *("-    def total(self):", "-        return sum(self.items)", "-", " ", " class Order:"),
    )

    assert isinstance(outcome(moved, {"shop.py": SHOP}), dict)


def test_the_same_method_of_another_class_is_another_definition():
    text = update("@@", " class Order:", "+    def add(self, item):", "+        self.cart.add(item)", "+")

    assert isinstance(outcome(text, {"shop.py": SHOP}), dict)


def test_a_definition_that_the_patch_moves_is_not_a_second_one():
    removed = ["@@", "-    def total(self):", "-        return sum(self.items)", " ", " ", " class Order:"]
    added = ["@@", " class Cart:", "+    def total(self):", "+        return sum(self.items)", "+"]
    text = update(*added, "     def add(self, item):", *removed)

    assert isinstance(outcome(text, {"shop.py": SHOP}), dict)


@pytest.mark.parametrize("mark", ["@overload", "@total.setter", "#[cfg(unix)]"])
def test_a_definition_with_other_marks_above_it_is_another_one(mark):
    text = update(
        "@@", "         self.items.append(item)", " ", f"+    {mark}", "+    def total(self):", "+        ..."
    )

    assert isinstance(outcome(text, {"shop.py": SHOP}), dict)


def test_an_overload_beside_others_is_another_definition():
    before = b"@overload\ndef f(\n    a: int,\n): ...\n\ndef f(a):\n    return a\n"
    text = update(" ): ...", " ", "+@overload", "+def f(", "+    a: str,", "+): ...", "+", " def f(a):", path="a.py")

    assert isinstance(outcome(text, {"a.py": before}), dict)
    assert outcome(text.replace("a: str", "a: int"), {"a.py": before}) == "P216"


def test_a_mark_above_the_added_lines_belongs_to_the_definition_they_open():
    before = b"@slow\n@each(1)\ndef test_a():\n    pass\n\n\n@slow\ndef test_b():\n    pass\n"
    text = update(
        *(" ", " ", " @slow", "+@each(1)", "+def test_a():", "+    return", "+", "+", "+@slow", " def test_b():"),
        path="a.py",
    )

    assert outcome(text, {"a.py": before}) == "P216"
    assert isinstance(outcome(text.replace("each(1)", "each(2)"), {"a.py": before}), dict)


def test_lines_that_the_patch_moves_up_are_not_there_twice():
    lines = ["one = 1", "two = 2", "three = 3", "four = 4"]
    kept = [f" {line}" for line in ["head = 0", "tail = 9"]]
    added = ["+zero = 0", *("+" + line for line in lines)]
    text = update("@@", kept[0], *added, " middle = 5", *("-" + line for line in lines), kept[1], path="a.txt")
    before = "\n".join(["head = 0", "middle = 5", *lines, "tail = 9", ""]).encode()

    assert isinstance(outcome(text, {"a.txt": before}), dict)


def test_the_refusal_names_both_lines():
    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(SECOND_TOTAL, {"shop.py": SHOP})

    assert (refusal.value.facts["line"], refusal.value.facts["other"]) == (2, 5)


ADDED = ["+## Release two", "+- faster start", "+- fewer files", "+- new colours", "+- new names", "+"]


def test_lines_of_which_a_third_is_right_below_are_not_added():
    text = update("@@", " # Notes", " ", *ADDED, path="notes.md")

    assert outcome(text, {"notes.md": NOTES}) == "P217"
    assert isinstance(outcome(text, {"notes.md": NOTES}, allow_duplicate=True), dict)


def test_lines_that_the_patch_moves_up_from_right_below_are_not_a_copy():
    body = ["+import a", "+import b", "+import c", "+import d", "+import e", "+", " # ours"]
    text = update("@@", *body, "-import a", "-import b", "-import e", "-import c", "-import d", path="f.py")
    before = b"# ours\nimport a\nimport b\nimport e\nimport c\nimport d\n"

    assert outcome(text, {"f.py": before}) == {"f.py": b"import a\nimport b\nimport c\nimport d\nimport e\n\n# ours\n"}


def test_a_test_much_like_the_next_one_is_not_a_copy():
    head = ["+@slow", "+@needs('db')", "+@owner('us')"]
    added = [*head, "+def test_two():", "+    rows = load('two')", "+    check(rows)", "+"]
    before = b"@slow\n@needs('db')\n@owner('us')\ndef test_one():\n    rows = load('one')\n    check(rows)\n"

    assert isinstance(outcome(update("@@", *added, " @slow", path="t.py"), {"t.py": before}), dict)


def test_entries_that_only_begin_and_end_alike_are_not_the_same():
    names = [("left", 1), ("right", 2), ("top", 3)]
    entries = [f"[[package]]\nname = '{n}'\nhash = 'a{v}'\nsource = 'index'\nneeds = []\n" for n, v in names]
    added = ["+" + line for line in entries[1].split("\n")]
    text = update("@@", " needs = []", " ", *added, " [[package]]", " name = 'top'", path="lock")
    before = "\n".join([entries[0], entries[2]]).encode()

    assert outcome(text, {"lock": before}) == {"lock": "\n".join(entries).encode()}


def test_a_name_may_be_declared_again_in_c():
    text = update("@@", " int one(void);", "+struct state;", path="a.h")

    assert isinstance(outcome(text, {"a.h": b"struct state;\nint one(void);\n"}), dict)


@pytest.mark.parametrize(
    ("before", "below", "head"),
    [
        (b"func init() {\n\tone()\n}\nvar a int\n", "var a int", "func init() {"),
        (b"package A;\nsub new {\n  1\n}\npackage B;\n1;\n", "package B;", "sub new {"),
        (
            b"interface\nfunction f(a: Integer): Integer;\nimplementation\n",
            "implementation",
            "function f(a: Integer): Integer;",
        ),
    ],
)
def test_some_languages_have_a_name_again(before, below, head):
    assert isinstance(outcome(update("@@", f" {below}", f"+{head}", "+  two", path="a"), {"a": before}), dict)


def test_the_same_package_has_a_name_once():
    text = update("@@", " 1;", "+sub new {", "+  2", "+}", path="a.pm")

    assert outcome(text, {"a.pm": b"package B;\nsub new {\n  1\n}\n1;\n"}) == "P216"


def test_few_lines_may_be_like_those_below():
    text = update("@@", " # Notes", " ", "+## One", "+- faster start", "+", path="notes.md")

    assert isinstance(outcome(text, {"notes.md": NOTES}), dict)


@pytest.mark.parametrize(
    "line",
    [
        "# ... rest of the code ...",
        "// … existing code …",
        "/* ... unchanged ... */",
        "# rest of the method",
        "...existing code...",
        "...(rest of the method)",
        "# ... all other methods of the class remain unchanged and are as before",
    ],
)
def test_a_line_in_place_of_code_is_not_added(line):
    text = update("@@", "-        return sum(self.items)", f"+        {line}")

    assert outcome(text, {"shop.py": SHOP}) == "P218"
    assert isinstance(outcome(text, {"shop.py": SHOP}, allow_placeholder=True), dict)


@pytest.mark.parametrize(
    "line",
    [
        "# wait for the other thread...",
        "print('rest of ...')",
        "...",
        "# see the rest of it",
        "# ... then it should be the same as the first one",
        "## The rest of the words",
        "...existing,",
        "...(previous.existing ?? []),",
        "...await existing()",
        "/// takes an existing value and Args...",
        "* Rest of the file:",
        "# variant with the name omitted and a class: @make(Made, ...)",
    ],
)
def test_an_ordinary_line_with_dots_is_added(line):
    text = update("@@", "-        return sum(self.items)", f"+        {line}")

    assert isinstance(outcome(text, {"shop.py": SHOP}), dict)


def test_a_new_file_has_no_line_in_place_of_code():
    text = "*** Begin Patch\n*** Add File: a.js\n+start()\n+// ... existing code ...\n*** End Patch\n"

    assert outcome(text, {}) == "P218"


def test_a_file_with_such_a_line_may_get_another():
    text = update("@@", "-b", "+# ... rest of the list ...", path="a.txt")

    assert outcome(text, {"a.txt": b"# ... rest of it ...\nb\n"}) == {
        "a.txt": b"# ... rest of it ...\n# ... rest of the list ...\n"
    }


BRANCHES = b"""#include <x.h>
#if ONE
struct state *get(void) {
    return one;
}
#if TWO
#endif
#endif
int last;
"""


GETS = ["+struct state *get(void) {", "+    return two;", "+}"]


@pytest.mark.parametrize(
    ("context", "added", "expected"),
    [
        ("#endif", ["+#else", *GETS], dict),  # a branch comes with it
        ("int last;", [*GETS], dict),  # outside the branch
        ("#if TWO", [*GETS], dict),  # in one within it
        ("#if ONE", [*GETS], str),  # in the same
    ],
)
def test_a_definition_may_be_in_another_branch_of_a_preprocessor(context, added, expected):
    lines = [*added, f" {context}"] if context == "#endif" else [f" {context}", *added]
    anchor = [" #if TWO"] if context == "#endif" else []

    assert isinstance(outcome(update("@@", *anchor, *lines, path="a.c"), {"a.c": BRANCHES}), expected)


MARKED = b"""class Line:
    @property
    def first(self):
        return self.leaves[0]

    @property
    def last(self):
        return self.leaves[-1]
"""


def test_a_definition_has_the_marks_that_are_above_the_added_lines():
    added = [
        "+    def last(self):",
        "+        return self.leaves.pop()",
        "+",
        "+    @property",
        "     def first(self):",
    ]

    assert outcome(update("@@", " class Line:", "     @property", *added), {"shop.py": MARKED}) == "P216"


STUBS = b"""class One:
    def make(self): ...
    def add(self, item): ...
    def total(self): ...
"""


def test_a_class_may_be_shown_from_the_middle_of_the_one_above():
    shown = ["+    def add(self, item): ...", "+    def total(self): ...", "+class Two:", "+    def build(self): ..."]
    text = update("@@", "     def make(self): ...", *shown, "     def add(self, item): ...")

    assert outcome(text, {"shop.py": STUBS}) == {
        "shop.py": STUBS + b"class Two:\n" + STUBS.replace(b"make", b"build").partition(b"\n")[2]
    }


def test_the_class_that_it_goes_on_with_may_not_be_there_already():
    shown = ["+    def add(self, item): ...", "+    def total(self): ...", "+class One:", "+    def build(self): ..."]
    text = update("@@", "     def make(self): ...", *shown, "     def add(self, item): ...")

    assert outcome(text, {"shop.py": STUBS}) == "P216"


def test_a_run_that_leaves_its_block_is_a_copy_where_most_of_it_is_there():
    page = b"Use it:\n\n    def run(self):\n        begin(self)\n\nNote::\n\n   It takes long.\n   It does not stop.\n"
    page += b"   It is old now.\n"
    again = ["+    def run(self):", "+        begin(self)", "+", "+Note::", "+", "+   It takes long."]
    again += ["+   It does not stop.", "+   It is old."]

    assert outcome(update("@@", " Use it:", " ", *again, path="a.txt"), {"a.txt": page}) == "P217"


LOADER = b"""import json


def save(path, data):
    path.write_text(json.dumps(data))


def load(path):
    text = path.read_text()
    if not text:
        return None
    log(path)
    return json.loads(text)
"""
ADDS_LOAD = ["@@", " import json", " ", "+", "+def load(path):", "+    text = path.read_text()"]
ADDS_LOAD += ["+    if not text:", "+        return None", "+    return json.loads(text)", "+", " "]


def test_a_definition_of_which_the_file_has_every_line_is_there_already():
    assert outcome(update(*ADDS_LOAD), {"shop.py": LOADER}) == "P205"


def test_a_definition_that_is_there_already_is_left_out_on_request():
    other = ["@@", "-    path.write_text(json.dumps(data))", "+    path.write_text(json.dumps(data, indent=2))"]

    assert outcome(update(*ADDS_LOAD, *other), {"shop.py": LOADER}, forward=True) == {
        "shop.py": LOADER.replace(b"(data)", b"(data, indent=2)")
    }


def test_a_correction_leaves_out_the_definition_that_is_there_already():
    other = ["@@", "-    path.write_text(json.dumps(data))", "+    path.write_text(json.dumps(data, indent=2))"]
    with pytest.raises(PatchkitError) as caught:
        patchkit.apply(update(*ADDS_LOAD, *other), {"shop.py": LOADER}, suggest=True)

    assert (caught.value.suggestion, caught.value.certainty) == (update(*other), "certain")


@pytest.mark.parametrize(
    "changed",
    [
        LOADER.replace(b"        return None\n", b""),  # a line that would be lost
        LOADER.replace(b"    if not text", b"fail()\n    if not text"),  # another block begins between its lines
        LOADER.replace(b"    return json.loads(text)\n", b"def other():\n    return json.loads(text)\n"),
    ],
)
def test_a_definition_with_other_lines_is_another_one(changed):
    assert outcome(update(*ADDS_LOAD), {"shop.py": changed}) == "P216"
