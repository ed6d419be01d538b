"""The page of changes: what is on it, and that nothing out of names and files is markup."""

from __future__ import annotations

import html.parser
import re

import pytest

from patchkit.history.reading import Touched
from patchkit.history.timeline import Changed, Held
from patchkit.report.pages.changes_page import ShownRun, Wanted, changes_page, confirmation_page

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "</table></details><script>",
    "<!--",
    "&lt;b&gt;",
    "\x1b[31mred\x1b[0m",
    "\u202egnp.exe",
    "a\udcff.txt",
    "javascript:alert(1)",
]
ELEMENTS = set(
    "html head meta title style body div header p h1 code dl dt dd main details summary h2 h3 span time a section "
    "table tbody tr td mark footer form input button label select option kbd i".split()
)


class Reader(html.parser.HTMLParser):
    """Reads a page as a browser does: its elements, their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.attributes, self.text = set(), [], ""
        ours = r"(?s)<style>.*?</style>|<script>\n\(\(\) => \{\n  const list = .*?</script>\n</body>"
        self.feed(re.sub(ours, "", page))

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def run(path="a.txt", before=b"one\n", after=b"two\n", **more):
    made = ShownRun("m4zx81qp", "2026-11-15 10:24:07", "applied")
    made.touched = [Touched("M", path)]
    made.changes = [Changed(path, Held("file", before), Held("file", after))]
    for name, value in more.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("where", ["path", "content", "author", "root", "words", "message"])
def test_nothing_out_of_names_and_files_is_markup(text, where):
    data = text.encode("utf-8", "surrogateescape")
    made = run(
        path=text if where == "path" else "a.txt",
        after=data if where == "content" else b"two\n",
        author=[("session", text)] if where == "author" else [],
    )
    root = text if where == "root" else "/project"
    message = text if where == "message" else ""
    wanted = Wanted(text if where == "words" else "")
    pages = [changes_page(root, [made], wanted, live="1", message=message)]
    pages.append(confirmation_page(root, made, "undo", "undo", made.changes))
    for page in pages:
        seen = Reader(page)

        assert seen.elements - ELEMENTS == set()
        assert [name for name, _ in seen.attributes if name.startswith("on")] == []
        assert {value for name, value in seen.attributes if name == "href"} <= {
            "./",
            "undo?id=m4zx81qp",
        }
        assert "\x1b" not in page
        assert "\u202e" not in page


def test_both_texts_are_beside_each_other_with_what_differs_marked():
    page = changes_page("/project", [run(before=b"a\nx = one\nb\n", after=b"a\nx = two\nb\nc\n")])
    rows = [row.split("</tr>")[0] for row in page.split("<tr>")[1:]]

    assert rows[1:] == [
        '<td class="number removed">2</td><td class="line removed">x = <mark>one</mark></td>'
        '<td class="number added">2</td><td class="line added">x = <mark>two</mark></td>',
        '<td class="number ">3</td><td class="line ">b</td><td class="number same">3</td><td class="line same">b</td>',
        '<td class="number void"></td><td class="line void"></td>'
        '<td class="number added">4</td><td class="line added">c</td>',
    ]


def test_a_moved_file_is_compared_with_what_it_was_under_its_old_name():
    moved = run(touched=[Touched("M", "b.txt", "a.txt")])
    moved.changes = [
        Changed("a.txt", Held("file", b"same\none\n"), Held("missing")),
        Changed("b.txt", Held("missing"), Held("file", b"same\ntwo\n")),
    ]
    seen = Reader(changes_page("/project", [moved]))

    assert "a.txt → b.txt" in seen.text
    assert "1same1same\n2one2two\n" in seen.text


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (Held("file", b"\0"), Held("file", b"xy"), "Binary, or too large to be shown: 1 bytes before, 2 bytes after"),
        (Held("missing"), Held("link", b"/etc"), "nothing → a link to /etc"),
        (Held("file", b"x\n"), Held("file", b"x\n"), "The text is the same."),
    ],
)
def test_what_is_not_text_is_described(before, after, words):
    made = run()
    made.changes = [Changed("a.txt", before, after)]

    assert words in Reader(changes_page("/project", [made])).text


def test_a_run_whose_contents_are_not_known_shows_what_it_replaced():
    made = run()
    made.changes = [Changed("a.txt", None, None, "the file was changed since", b"old line\n")]
    seen = Reader(changes_page("/project", [made]))

    assert "Not shown: the file was changed since." in seen.text
    assert "old line" in seen.text


def test_a_long_change_is_cut():
    page = changes_page("/project", [run(before=b"", after=b"line\n" * 1000)])

    assert page.count("<tr>") == 400
    assert "… 600 more lines" in page


def test_words_and_state_choose_runs():
    runs = [run("src/a.py", author=[("session", "review")]), run("src/b.py"), run("c.md", state="undone")]

    def found(words, state=""):
        return [each.touched[0].path for each in runs if Wanted(words, state).takes(each)]

    assert found("") == ["src/a.py", "src/b.py", "c.md"]
    assert found("SRC review") == ["src/a.py"]
    assert found("", "undone") == ["c.md"]
    assert found("m4zx") == ["src/a.py", "src/b.py", "c.md"]


def test_a_page_in_a_file_has_no_links_and_no_forms():
    seen = Reader(changes_page("/project", [run()]))

    assert seen.elements & {"a", "form", "input", "button", "script"} == set()
