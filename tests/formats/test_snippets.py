"""Parts of files, with comments in place of the rest, are merged where each piece has one place."""

from __future__ import annotations

import pytest

from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.errors import PatchkitError
from patchkit.formats.foreign import patch_of
from patchkit.sources import MemoryFiles

OLD = """\
import os


class Shop:
    def price(self, item):
        net = item.net
        return net

    def total(self, items):
        sums = [self.price(item) for item in items]
        return sum(sums)

    def close(self):
        self.open = False
        return self
"""


def applied(part: str, old: bytes | None = OLD.encode(), **options: object) -> bytes | None:
    files = MemoryFiles({} if old is None else {"a.py": old})
    made = plan(patch_of(f"a.py\n```\n{part}```\n", "snippet", files, Options(**options)), files)
    changes = [change for change in made.changes.values() if change.after is not None]
    return b"".join(changes[0].after) if changes else old


def refused(part: str, old: bytes | None = OLD.encode()) -> tuple[str, object, object]:
    with pytest.raises(PatchkitError) as caught:
        applied(part, old)
    return caught.value.code, caught.value.facts["patch_line"], caught.value.facts["found"]


PARTS = {
    "a changed line": (
        "# ... existing code ...\n    def price(self, item):\n        net = item.net * 2\n        return net\n# ...\n",
        ("net = item.net\n", "net = item.net * 2\n"),
    ),
    "heads of the definitions around it": (
        "class Shop:\n    # ...\n    def close(self):\n        log()\n        self.open = False\n        # unchanged\n",
        ("        self.open", "        log()\n        self.open"),
    ),
    "a line that the file has twice, next to others": (
        "// existing code\n        sums = [self.price(item) for item in items]\n        log(sums)\n"
        "        return sum(sums)\n\n    // ... other methods ...\n",
        ("        return sum", "        log(sums)\n        return sum"),
    ),
    "the ends of the file": (
        "import os\nimport sys\n\n\nclass Shop:\n    # ... rest of the code ...\n"
        "        self.open = False\n        return self\n\n\nSHOP = Shop()\n",
        ("import os\n", "import os\nimport sys\n"),
        ("        return self\n", "        return self\n\n\nSHOP = Shop()\n"),
    ),
    "lines that go": (
        "# ... existing code ...\n        net = item.net\n        return net\n\n"
        "    def close(self):\n        self.open = False\n# ...\n",
        (OLD[OLD.index("    def total") : OLD.index("    def close")], ""),
    ),
}


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_piece_replaces_what_the_file_has_between_its_ends(subtests, ending):
    for name, (part, *changes) in PARTS.items():
        with subtests.test(name):
            part = "import os\n" * part.startswith("class") + ("# ...\n" * part.startswith("class")) + part
            new = OLD
            for change in changes:
                assert new.count(change[0]) == 1
                new = new.replace(*change)
            old, wanted = (text.replace("\n", ending).encode() for text in (OLD, new))

            assert [applied(part, old, strict=strict) for strict in (False, True)] == [wanted, wanted]


DOUBTS = {
    "a new line below a comment": ("# ...\n        log()\n        return net\n# ...\n", 4, "log()"),
    "a new line above a comment": ("# ...\n    def price(self, item):\n        log()\n# ...\n", 5, "log()"),
    "another order": (
        "# ...\n    def close(self):\n        self.open = True\n        return self\n# ...\n"
        "    def price(self, item):\n        net = 1\n        return net\n# ...\n",
        8,
        "def price(self, item):",
    ),
    "nothing for what is above": ("    def close(self):\n        return self\n", 3, "def close(self):"),
    "nothing for what is below": ("import os\nimport sys\n", 4, "import sys"),
    "lines that go, and one line that says so": (
        "# ...\n        return net\n\n    def close(self):\n        self.open = False\n# ...\n",
        4,
        "return net",
    ),
    "a line that may be meant to move": (
        "# ...\n    def price(self, item):\n        sums = [self.price(item) for item in items]\n"
        "        net = item.net\n        return net\n# ...\n",
        4,
        "def price(self, item):",
    ),
    "nothing that the file lacks": ("# ...\n        net = item.net\n        return net\n# ...\n", 3, "# ..."),
    "dots that are no comment": ("import os\n...\n        return self\n", 4, "..."),
    "many lines that one line alone takes away": ("# ...\nimport os\n        return self\n# ...\n", 5, "return self"),
}


def test_a_single_line_that_the_piece_adds_again_takes_nothing_away():
    old = b"#[test]\nfn one() {\n    one();\n}\n\n/// Two.\nfn two() {\n    two();\n}\n"
    new = "#[test]\nfn new() {\n    new();\n}\n\n#[test]\nfn more() {\n    more();\n}\n\n/// Two.\nfn two() {\n"

    assert refused(f"// ...\n{new}// ...\n", old) == ("P127", 4, "#[test]")


def test_a_line_without_a_certain_place_is_named(subtests):
    for name, (part, line, found) in DOUBTS.items():
        with subtests.test(name):
            assert refused(part) == ("P127", line, found)


def test_a_piece_that_may_be_at_two_places_is_refused():
    old = b"a()\nx = 1\nb()\na()\nx = 1\nb()\n"

    assert refused("# ...\na()\nx = 2\nb()\n# ...\n", old) == ("P127", 4, "a()")


def test_a_whole_block_replaces_one_block_of_the_file():
    old = b"func a() {\n\tone()\n}\n\nfunc b() {\n\ttwo()\n}\n\nfunc c() {\n\tone()\n}\n"
    part = "// ...\nfunc a() {\n\tlog()\n\tthree()\n}\n// ...\n"

    assert applied(part, old) == old.replace(b"\tone()\n", b"\tlog()\n\tthree()\n", 1)


def test_a_piece_below_the_head_of_a_definition_is_in_that_definition():
    old = b"def a():\n    x = 1\n    y = 1\n    return x\n\n\ndef b():\n    x = 1\n    y = 1\n    return x\n"
    part = "# ...\ndef b():\n    # ...\n    y = 1\n    log(y)\n    return x\n"

    assert applied(part, old) == old.removesuffix(b"    return x\n") + b"    log(y)\n    return x\n"


def test_a_file_keeps_its_mixed_endings_and_its_missing_final_newline():
    part = "# ...\ntwo\nnew\nthree\n# ...\n"

    assert applied(part, b"one\r\ntwo\nthree\r\nfour") == b"one\r\ntwo\nnew\nthree\r\nfour"


def test_a_new_file_has_no_lines_that_a_comment_can_stand_for():
    assert applied("x = 1\n", None) == b"x = 1\n"
    with pytest.raises(PatchkitError, match="in place of code"):
        applied("x = 1\n# ... existing code ...\n", None)


def test_a_piece_that_may_replace_an_item_or_come_after_it_is_refused():
    item = "<item>\n<name>{}</name>\n<kind>list</kind>\n<scope>test</scope>\n</item>\n"
    old = f"<items>\n{item.format('a')}{item.format('b')}</items>\n\n<build>\n</build>\n"
    part = f"# ... existing code ...\n<scope>test</scope>\n</item>\n{item.format('c')}</items>\n\n<build>\n# ...\n"

    assert refused(part, old.encode()) == ("P127", 4, "<scope>test</scope>")


def test_of_two_places_apart_the_one_that_has_more_of_the_lines_at_one_end_is_taken():
    step = "uses: x\nwith: {}\nname: {}\nrun: b\nlast: c\n"
    old = "one\n" + step.format(1, "a") + "two\n" + step.format(2, "z") + "three\n"

    made = applied("# ...\n" + step.format(2, "new") + "# ...\n", old.encode())

    assert made == old.replace("name: z", "name: new").encode()
