"""Edits whose old text does not match exactly: one place or none, its bytes kept, the pass reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.sources import MemoryFiles

CODE = "def f(user):\n        if user == nil {\n            return err\n        }\n    return 1\n"


def codes(result):
    return [each["code"] for each in [*result.errors, *result.notes]]


def test_an_edit_is_exact_unless_it_is_asked_to_forgive(file, use):
    path = file("a.py", CODE)

    refused = use("Edit", file_path=path, old_string="if user == nil {\nreturn err\n}", new_string="x")

    assert codes(refused) == ["P621"]


def test_text_without_its_indentation_finds_its_place_and_comes_in_indented(file, use):
    path = file("a.py", CODE)

    result = use(
        "Edit",
        file_path=path,
        old_string="if user == nil {\n    return err\n}",
        new_string="if user == nil {\n    log(err)\n    return err\n}",
    )

    assert Path(path).read_text() == CODE.replace("            return", "            log(err)\n            return")
    assert result.data["pass"] == "surrounding-space"
    assert [note["message"] for note in result.notes] == [
        f"old_string matched '{path}' at line 3 ignoring leading and trailing whitespace"
    ]


@pytest.mark.parametrize(
    ("content", "old", "new", "after", "level"),
    [
        ("a  \nb\n", "a\nb", "a\nc", "a  \nc\n", "trailing-space"),
        ("    a\n    b\n", "a\nb\n", "a\nc\n", "    a\n    c\n", "surrounding-space"),
        ("\ta\n\tb\n", "  a\n  b", "  a\n  c", "\ta\n\tc\n", "surrounding-space"),
        ("say “hi”\nb\n", 'say "hi"\nb', "x\ny", "x\ny\n", "typography"),
        ("a – b\nb\n", "a - b\nb", "a - b\ny", "a – b\ny\n", "typography"),
        ("先，后\n一\n", "先,后\n一", "先,后\n二", "先，后\n二\n", "typography"),
        ("(a – b) c\n", "a - b)", "a - d)", "(a – d) c\n", "typography"),
        ("x = 1\ny = 2\n", "\n\nx = 1\ny = 2\n\n", "\n\nx = 1\ny = 3\n\n", "x = 1\ny = 3\n", "blank-lines"),
        (
            "x = 1\ny = 2\n",
            "     1→x = 1\n     2→y = 2",
            "     1→x = 1\n     2→y = 3",
            "x = 1\ny = 3\n",
            "line-numbers",
        ),
        ("x\na\n\nb\n", "a \n\n", "c\n", "x\nc\nb\n", "trailing-space"),
        ("x\n\na\nb\n", "\na \nb", "c\n\na \nb", "x\nc\n\na\nb\n", "trailing-space"),
        ("a 'b'\nc\n", "a 'b' \\nc", "a 'b' \\nd", "a 'b'\nd\n", "escapes"),
        ("a 'b'\nc\n", "a 'b'\\nc", 'a \\"b\\"\\nd', 'a "b"\nd\n', "escapes"),
        ("call(a, b) + 1\n", "  call(a, b)  ", "  call(b)  ", "call(b) + 1\n", "surrounding-space"),
        ("  a\r\n  b\r\n", "a\nb", "a\nc\nd", "  a\r\n  c\r\n  d\r\n", "surrounding-space"),
    ],
)
def test_each_level_forgives_what_it_is_named_after(file, use, content, old, new, after, level):
    path = file("a.txt", content.encode())

    result = use("Edit", file_path=path, old_string=old, new_string=new)

    assert (Path(path).read_bytes(), result.data.get("pass")) == (after.encode(), level)


@pytest.mark.parametrize(
    ("content", "old", "new", "after", "line"),
    [
        ("x\na\nb\nc\n", "a\n", "a\nb\n", "x\na\nb\nb\nc\n", 2),
        ("x\na = 10\n", "a = 1", "a = 10", "x\na = 100\n", 2),
    ],
)
def test_an_edit_that_is_made_already_and_made_again_is_noted(file, use, content, old, new, after, line):
    path = file("a.txt", content)

    result = use("Edit", file_path=path, old_string=old, new_string=new)

    assert Path(path).read_text() == after
    assert [note["message"] for note in result.notes] == [
        f"new_string is in '{path}' already, at line {line}; what it adds was added once more"
    ]


def test_exact_text_needs_nothing_forgiven(file, use):
    path = file("a.txt", "a\n a\n")

    result = use("Edit", file_path=path, old_string=" a", new_string="b")

    assert (result.data["pass"], result.notes, Path(path).read_text()) == ("exact", [], "a\nb\n")


def test_two_places_are_refused_and_listed(file, use):
    path = file("a.txt", "  a\n  b\nx\n    a\n    b\n")

    refused = use("Edit", file_path=path, old_string="a \nb ", new_string="c")

    assert refused.text.startswith("<tool_use_error>Found 2 matches of the string to replace")
    assert refused.errors[0]["message"] == f"old_string matches 2 places in '{path}' (lines 1, 4)"


def test_a_text_with_a_line_end_is_not_a_part_of_a_line(file, use):
    path = file("a.py", "    for x in a(b):\n        pass\n")

    assert codes(use("Edit", file_path=path, old_string="for x in a(b)\n", new_string="for x in c(b):\n")) == ["P621"]


def test_a_text_does_not_end_within_a_run_of_dashes(file, use):
    path = file("a.md", "---\ntitle: x\ntext\n")

    assert codes(use("Edit", file_path=path, old_string="—-\ntitle: x", new_string="title: y")) == ["P621"]


def test_a_text_does_not_end_before_a_comma_that_the_new_one_has(file, use):
    path = file("a.py", """x = [\n    'a "3.12"',\n]\n""")

    assert codes(use("Edit", file_path=path, old_string='‘a "3.12"\'', new_string="'a \"3.11\"',")) == ["P621"]


def test_numbers_of_a_listing_that_the_file_does_not_prove_in_both_texts_are_not_written(file, use):
    path = file("a.txt", "".join(f"line {number}\n" for number in range(1, 9)))
    old = "2: line 2\n3:\n4: line 4\n5: line 5"

    assert codes(use("Edit", file_path=path, old_string=old, new_string=old.replace("5: line 5", "new"))) == ["P621"]


@pytest.mark.parametrize("old", ["  return x ", " turn xyz\n", "nowhere"])
def test_a_text_that_ends_inside_a_word_is_not_there(file, use, old):
    path = file("a.txt", "    return xyz\n")

    assert codes(use("Edit", file_path=path, old_string=old, new_string="z")) == ["P621"]


def test_an_edit_that_changes_nothing_is_refused(file, use):
    path = file("a.txt", "    a\n")

    assert codes(use("Edit", file_path=path, old_string="a ", new_string="a")) == ["P620"]


def test_replace_all_forgives_at_one_place_only(file, use):
    path = file("a.txt", "  a\n  b\n")

    assert use("Edit", file_path=path, old_string="a\nb", new_string="c", replace_all=True).status == "success"


def test_what_is_forgiven_can_be_undone(root, file, use):
    from patchkit.core.workspace.root import Workspace
    from patchkit.tools.undo import undo

    path = file("a.txt", "  a\n  b")
    use("Edit", file_path=path, old_string="a\nb\n", new_string="a\nc\nd")
    assert Path(path).read_text() == "  a\n  c\n  d"

    with Workspace(str(root)) as files:
        undo(files)
    assert Path(path).read_text() == "  a\n  b"


# -- indentation ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "old", "new", "after"),
    [
        # one margin is a shift, never a ratio
        (
            "def f(x):\n    go(x)\n    end()\n",
            "        go(x)\n        end()",
            "        if go(x):\n            stop()\n        end()",
            "def f(x):\n    if go(x):\n        stop()\n    end()\n",
        ),
        # a shift that all lines have in common holds for deeper lines, too
        (
            "class A:\n  def f(self):\n    go()\n  def g(self):\n    pass\n",
            "      go()\n    def g(self):",
            "      if self.x:\n        go()\n    def g(self):",
            "class A:\n  def f(self):\n    if self.x:\n      go()\n  def g(self):\n    pass\n",
        ),
        # two margins prove another width
        (
            "if a:\n  b()\n  if c:\n    d()\n",
            "if a:\n    b()\n    if c:\n        d()",
            "if a:\n    b()\n    if c:\n        if e:\n            d()",
            "if a:\n  b()\n  if c:\n    if e:\n      d()\n",
        ),
        # tabs for spaces, a level of the text being one tab
        ("\ta()\n\tb()\n", "    a()\n    b()", "    if a():\n        b()", "\tif a():\n\t\tb()\n"),
        ("    a()\n    b()\n", "\ta()\n\tb()", "\tif a():\n\t\tb()", "    if a():\n        b()\n"),
    ],
)
def test_new_lines_are_indented_as_the_matched_lines_show(file, use, content, old, new, after):
    path = file("a.py", content)

    use("Edit", file_path=path, old_string=old, new_string=new)

    assert Path(path).read_text() == after


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        # the lines show two shifts, and the new line is at neither depth
        ("a()\n    b()\n      c()\n", "  a()\n    b()\n    c()", "  a()\n      x()\n    b()\n    c()"),
        # the new line is to the left of what was shifted
        ("a()\nb()\n", "    a()\n    b()", "  x()\n    a()\n    b()"),
        # 8 spaces for a tab, and a step of 4 in the text
        ("\ta()\n\tb()\n", "        a()\n        b()", "        a()\n            x()\n        b()"),
    ],
)
def test_an_edit_is_refused_where_the_lines_do_not_show_the_indentation(file, use, content, old, new):
    path = file("a.py", content)

    assert codes(use("Edit", file_path=path, old_string=old, new_string=new)) == ["P621"]
    assert Path(path).read_text() == content


# -- quotes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "old", "new", "after"),
    [
        ("- a “good” one\n- b\n", '- a "good" one\n- b', '- a "good" one\n- c', "- a “good” one\n- c\n"),
        ('{"k": "say “x” now"}\n', '"say "x" now"', '"say "x" later"', '{"k": "say “x” later"}\n'),
        ("it’s\n", "it's", 'it\'s "so"', 'it’s "so"\n'),
        ('say "x"\n', "say “x”", "say “y”", 'say "y"\n'),
    ],
)
def test_quotes_may_differ_and_those_of_the_file_stay(file, use, content, old, new, after):
    path = file("a.md", content)

    result = use("Edit", file_path=path, old_string=old, new_string=new)

    assert (Path(path).read_text(), result.data["pass"], codes(result)) == (after, "typography", ["P921"])


def test_quotes_may_not_differ_at_two_places(file, use):
    path = file("a.md", "“x”\n„x”\n")

    assert codes(use("Edit", file_path=path, old_string='"x"', new_string="y")) == ["P622"]


def test_a_strict_edit_is_exact(file, use):
    path = file("a.md", "a – b\n")

    assert codes(use("Edit", file_path=path, old_string="a - b", new_string="y", strict=True)) == ["P621"]


GO = "func f() {\n\tif user == nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n"


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        (
            "if user == nil {\nreturn err\n}",
            "if user == nil {\nreturn fault(err)\n}",
            GO.replace("return err", "return fault(err)"),
        ),
        (
            "if user == nil {\nreturn err\n}",
            "if user == nil {\nlog(err)\nreturn err\n}",
            GO.replace("\t\treturn err", "\t\tlog(err)\n\t\treturn err"),
        ),
        (
            "return err\n}\nreturn nil",
            "return err\n}\nreturn user",
            GO.replace("return nil", "return user"),
        ),
    ],
)
def test_lines_that_lost_all_indentation_get_that_of_the_file(file, use, old, new, after):
    path = file("a.go", GO)

    assert codes(use("Edit", file_path=path, old_string=old, new_string=new)) == ["P921"]
    assert Path(path).read_text() == after


def test_a_depth_that_no_line_of_the_file_shows_is_refused(file, use):
    path = file("a.py", "def f():\n    if a:\n        b()\n    c()\n")

    refused = use("Edit", file_path=path, old_string="if a:\nb()\nc()", new_string="if a:\nb()\nd()\nc()")

    assert codes(refused) == ["P621"]


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ('print("hi")\n', 'print(\\"hi\\")', 'print(\\"ho\\")', 'print("ho")\n'),
        ('R=\\"--x\\"\n', 'R="--x"', 'R=""', 'R=\\"\\"\n'),
        ('a = "x"\nb = 2\n', 'a = \\"x\\"\\nb = 2', 'a = \\"y\\"\\nb = 3', 'a = "y"\nb = 3\n'),
        ("f:\n  a(1)\n  b(2)\n", "a(1)\\n  b(2)", "a(3)\\n  b(4)", "f:\n  a(3)\n  b(4)\n"),
    ],
)
def test_escapes_are_undone_in_both_texts(file, use, before, old, new, after):
    path = file("a.txt", before)

    assert codes(use("Edit", file_path=path, old_string=old, new_string=new)) == ["P921"]
    assert Path(path).read_text() == after


def test_a_part_of_a_line_with_another_margin_is_placed_as_such(file, use):
    path = file("a.js", "  const baseUrl = f();\n  g({\n    baseUrl,\n  });\n")

    use("Edit", file_path=path, old_string="\t  const baseUrl", new_string="\t  let baseUrl")

    assert Path(path).read_text() == "  let baseUrl = f();\n  g({\n    baseUrl,\n  });\n"


# -- line numbers on some lines ------------------------------------------------------------------

NUMBERED = "def f(x):\n    a(x)\n    b(x)\n    c(x)\n    return x\n"


def test_line_numbers_on_some_lines_are_removed_from_both_texts(file, use):
    path = file("a.py", NUMBERED)

    result = use(
        "Edit",
        file_path=path,
        old_string="    a(x)\n3    b(x)\n4    c(x)",
        new_string="    a(x)\n    n(x)\n4    b(x)\n5    c(x)\n6    d(x)",
    )

    assert Path(path).read_text() == NUMBERED.replace("    b(x)", "    n(x)\n    b(x)").replace(
        "    c(x)", "    c(x)\n    d(x)"
    )
    assert result.data["pass"] == "line-numbers"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    a(x)\n2    b(x)", "    a(x)\n2    d(x)"),  # not the number of the line
        ("    a(x)\n3    b(x)", "    a(x)\n7    d(x)"),  # a new line whose number is proved by nothing
    ],
)
def test_numbers_that_the_file_does_not_prove_are_not_removed(file, use, old, new):
    path = file("a.py", NUMBERED)

    assert codes(use("Edit", file_path=path, old_string=old, new_string=new)) == ["P621"]


# -- whole lines that are removed ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "old", "after", "noted"),
    [
        ("a\nb\nc\n", "b", "a\nc\n", ["P960"]),
        ("a\r\nb\r\nc\r\n", "a\nb", "c\r\n", ["P960"]),
        ("a\nb\nc\n", "b\n", "a\nc\n", []),
        ("a\nb b\nc\n", " b", "a\nb\nc\n", []),
        ("a\nb b\nc\n", "b ", "a\nb\nc\n", []),
        ("a\nb", "b", "a\n", []),
    ],
)
def test_whole_lines_are_removed_with_their_line_ending(file, use, content, old, after, noted):
    path = file("a.txt", content.encode())

    result = use("Edit", file_path=path, old_string=old, new_string="")

    assert (Path(path).read_bytes(), codes(result)) == (after.encode(), noted)


def test_a_text_that_is_removed_everywhere_takes_no_line_ending(file, use):
    path = file("a.txt", "a\nb\na\n")

    use("Edit", file_path=path, old_string="a", new_string="", replace_all=True)

    assert Path(path).read_text() == "\nb\n\n"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("a\nb\nc\n", "b", "", "a\nc\n"),  # whole lines go with their line ending
        ("a\r\nb\r\nc\r\n", "a\nb", "", "c\r\n"),
        ("a\nb b\nc\n", "b b", "", "a\nc\n"),
        ("a\nb b\nc\n", "b ", "", "a\nb\nc\n"),
        ("a\nb", "b", "", "a\n"),
        ("a\nb\n", "a\r\nb", "c\r\nd", "c\nd\n"),
        ("a\n  b = 1\nc\n", "\n\n  b = 1\n\n", "\n\n  b = 2\n\n", "a\n  b = 2\nc\n"),
    ],
)
def test_a_json_edit_does_what_edit_does(before, old, new, after, root, use, file):
    path = file("f.txt", before)
    files = MemoryFiles({"f.txt": before.encode()})

    use("Edit", file_path=path, old_string=old, new_string=new)
    apply(json.dumps({"path": "f.txt", "old_string": old, "new_string": new}), files, Options(source="auto"))

    assert (files.content["f.txt"].decode(), (root / "f.txt").read_bytes().decode()) == (after, after)
