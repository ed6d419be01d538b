"""Edit by definition: replace, insert before and after, delete, by a name that one definition has."""

from __future__ import annotations

import pytest

from patchkit.tools.calling import Caller, call

PYTHON = """\
class A:
    @property
    def one(self):
        return 1

    def two(self):
        return 2


class B:
    def two(self):
        return 2


def two():
    return 22
"""
GO = "package p\n\n// One is first.\nfunc One() int {\n\treturn 1\n}\n\nfunc Two() int {\n\treturn 2\n}\n"
JAVASCRIPT = """\
class Store {
  /**
   * Saves.
   */
  async save(x) {
    if (x) {
      return x;
    }
  }

  static make() {
    return new Store();
  }
}

function plain(
  a,
) {
  return "}";
}
module.exports = { Store, plain };

function odd() {
  return `{`;
}

function last() {}
"""
RECEIVERS = """\
package p

type Store struct {
\ta int
}

// Save saves.
func (s *Store) Save() int {
\treturn 1
}

func (o Other) Save() int {
\treturn 2
}
"""
TYPED = "#ifdef X\nstatic int\nfoo(int a)\n{\n\treturn a;\n}\n#endif\nint z = 3;\n"
RUBY = "class A\n  # saves\n  def save(x = {})\n    x.each do |y|\n      y\n    end\n  end\n\n  attr_reader :a\nend\n"


@pytest.fixture
def edit(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "tree"
    root.mkdir()
    (root / "a.py").write_text(PYTHON)
    (root / "a.go").write_text(GO)
    for name, text in {"a.js": JAVASCRIPT, "b.go": RECEIVERS, "a.c": TYPED, "a.rb": RUBY}.items():
        (root / name).write_text(text)
    caller = Caller(str(root))

    def edited(name: str, **fields):
        call("Read", {"file_path": name}, caller)
        result = call("Edit", {"file_path": name, **fields}, caller)
        return (root / name).read_text() if not result.errors else result.errors[0]

    return edited


def test_a_definition_is_replaced_with_its_decorators(edit):
    new = "def one(self):\n    return 11"

    assert edit("a.py", symbol="A.one", new_string=new) == PYTHON.replace(
        "    @property\n    def one(self):\n        return 1\n", "    def one(self):\n        return 11\n", 1
    )


def test_one_of_equal_definitions_is_found_by_the_names_around_it(edit):
    made = edit("a.py", symbol="B.two", new_string="    def two(self):\n        return 3")

    assert made == PYTHON.replace(
        "class B:\n    def two(self):\n        return 2", "class B:\n    def two(self):\n        return 3"
    )


def test_text_goes_before_and_after_a_definition_and_a_definition_away(edit):
    assert edit("a.go", symbol="Two", mode="before", new_string="func Mid() {}\n") == GO.replace(
        "func Two", "func Mid() {}\n\nfunc Two"
    )
    assert edit("a.go", symbol="One", mode="delete") == GO.replace(
        "// One is first.\nfunc One() int {\n\treturn 1\n}\n\n", "func Mid() {}\n\n"
    )
    assert str(edit("a.go", symbol="Two", mode="after", new_string="func End() {}")).endswith("}\n\nfunc End() {}\n")


def test_a_name_of_several_definitions_is_refused_with_the_candidates(edit):
    error = edit("a.py", symbol="A.three", new_string="x")
    several = edit("a.py", symbol="wo", new_string="x")

    assert (error["code"], several["code"]) == ("P628", "P628")
    assert "'A.two' (line 6)" in error["hint"]


def test_the_whole_name_wins_over_a_part(edit):
    assert edit("a.py", symbol="two", new_string="def two():\n    return 0\n") == PYTHON.replace(
        "return 22", "return 0"
    )


@pytest.mark.parametrize(
    ("name", "symbol", "whole", "gone"),
    [
        ("a.js", "Store.make", JAVASCRIPT, "  static make() {\n    return new Store();\n  }\n"),
        ("a.js", "plain", JAVASCRIPT, 'function plain(\n  a,\n) {\n  return "}";\n}\n'),
        ("a.js", "last", JAVASCRIPT, "function last() {}\n"),
        ("b.go", "Store", RECEIVERS, "type Store struct {\n\ta int\n}\n\n"),
        ("b.go", "Store.Save", RECEIVERS, "// Save saves.\nfunc (s *Store) Save() int {\n\treturn 1\n}\n\n"),
        ("a.c", "foo", TYPED, "static int\nfoo(int a)\n{\n\treturn a;\n}\n"),
        ("a.rb", "A.save", RUBY, RUBY[8 : RUBY.index("  attr")]),
    ],
)
def test_nothing_goes_but_the_definition_itself(edit, name, symbol, whole, gone):
    assert gone in whole
    assert edit(name, symbol=symbol, mode="delete") == whole.replace(gone, "", 1)


def test_a_definition_whose_braces_do_not_say_where_it_ends_is_refused(edit):
    assert edit("a.js", symbol="odd", mode="delete")["code"] == "P628"


def test_the_comments_above_stay_unless_the_new_text_has_some(edit):
    new = "async save(x) {\n  return 1;\n}"
    old = "    if (x) {\n      return x;\n    }\n"

    assert edit("a.js", symbol="save", new_string=new) == JAVASCRIPT.replace(old, "    return 1;\n")
    assert edit("a.js", symbol="save", new_string=f"// Saves x.\n{new}") == JAVASCRIPT.replace(
        old, "    return 1;\n"
    ).replace("  /**\n   * Saves.\n   */\n", "  // Saves x.\n")


def test_spaces_of_the_new_text_become_tabs_where_the_definition_has_tabs(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("class A:\n\tdef f(self):\n\t\treturn 1\n")
    new = "def f(self):\n    if self:\n        return 9"
    done = call(
        "Edit", {"file_path": str(path), "symbol": "A.f", "new_string": new, "force": True}, Caller(str(tmp_path))
    )

    assert (done.errors, path.read_text()) == ([], "class A:\n\tdef f(self):\n\t\tif self:\n\t\t\treturn 9\n")
