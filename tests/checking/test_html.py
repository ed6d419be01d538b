"""The HTML face as text: one file, no way out of a quotation, nothing fetched. What it looks like, a browser says."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from html.parser import HTMLParser

import pytest
from golden_runs import RUNS, golden
from hypothesis import given
from made_reports import HOSTILE, MISSED, NEARLY, add, report_of, update
from strategies import examples

from patchkit.checking import page as html
from patchkit.checking.page import GROUP_STYLE, line
from patchkit.report.pages.page import STYLE

ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "a", "div", "header", "main", "footer", "section", "article"),
    *(
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "b",
        "i",
        "code",
        "span",
        "mark",
        "ul",
        "li",
        "dl",
        "dt",
        "dd",
        "details",
        "summary",
    ),
    *("figure", "figcaption", "table", "tbody", "tr", "td", "fieldset", "legend", "label", "input"),
}
EMPTY = {"meta", "input"}


class Reader(HTMLParser):
    """The elements of a page, whether they are closed in order, and what they refer to."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.open: list[str] = []
        self.crossed: list[str] = []
        self.references: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        self.references += [value for name, value in attributes if name in ("src", "href", "srcset", "action", "data")]
        self.crossed += [name for name, _value in attributes if name.startswith("on")]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


@given(HOSTILE, HOSTILE)
@examples(60)
def test_no_patch_can_add_an_element_to_the_page(path, text):
    files = {"a.py": (text + "z\n").encode("utf-8", "surrogateescape")}
    page = read(html.render(report_of(update(path, text, "x"), update("a.py", text, "y"), add("n", text), files=files)))

    assert (page.names - ALLOWED, page.open, page.crossed) == (set(), [], [])
    assert [each for each in page.references if not re.fullmatch(r"#patches|#code-P\d{3}", each)] == []


@pytest.mark.parametrize("run", RUNS)
def test_the_page_refers_to_nothing_but_itself(run):
    text = golden(run, "html").read_text(encoding="utf-8")

    assert all(re.fullmatch(r"#patches|#code-P\d{3}", each) for each in read(text).references)
    assert re.findall(r"https?:|url\(|@import|<script src|<img|<link", text) == []
    assert "default-src 'none'; style-src 'unsafe-inline'" in text


def test_the_only_script_of_a_page_is_the_search_whose_hash_its_policy_names():
    text = golden("everything", "html").read_text(encoding="utf-8")
    (script,) = re.findall(r"(?s)<script>(.*?)</script>", text)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

    assert f"; script-src 'sha256-{digest}'\">" in text
    assert "<script" not in golden("strict", "html").read_text(encoding="utf-8")  # few patches need no search


def test_every_class_that_is_used_is_styled_or_says_what_a_row_is():
    used = {
        name for text in _classes(golden("everything", "html").read_text(encoding="utf-8")) for name in text.split()
    }
    styled = set(re.findall(r"\.([a-z]+)", STYLE + GROUP_STYLE))

    assert sorted(used - styled) == []


def _classes(text: str) -> list[str]:
    return re.findall(r'class="([^"]*)"', text.partition("</style>")[2])


def test_what_differs_is_marked_and_whitespace_that_differs_is_visible():
    assert line("x = 1", 4, 5) == "x = <mark>1</mark>"
    assert line("x  y", 1, 3) == "x<mark>··</mark>y"
    assert line("x\ty", 1, 2) == "x<mark>⇥\t</mark>y"
    assert line("same", 4, 4) == "same"


def test_a_very_long_line_is_cut_around_what_differs():
    shown = line("a" * 5000 + "b" + "c" * 5000, 5000, 5001)

    assert shown == "…" + "a" * 200 + "<mark>b</mark>" + "c" * 199 + "…"


def test_the_closest_place_is_beside_the_hunk_row_by_row():
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n def f():\n+    x = 0\n-    return 1\n*** End Patch\n"
    page = html.render(report_of(patch, files={"a.py": b"import os\ndef f():\n    return 2\nend\n"}))
    (pair,) = re.findall(r'<div class="pair two">(.*?)</div>', page, re.DOTALL)
    rows = [
        re.findall(r"<tr(?: class=\"(\w+)\")?><td class=\"number\">(\d*)</td>", side) for side in pair.split("<figure>")
    ]

    assert rows[1:] == [
        [("gap", ""), ("", "4"), ("added", "5"), ("differs", "6")],
        [("around", "1"), ("", "2"), ("gap", ""), ("differs", "3"), ("around", "4")],
    ]
    assert "closest place, line 2 (1 of 2 lines agree)" in pair


def test_a_corrected_patch_is_on_the_page_whole():
    report = report_of(MISSED, files=NEARLY)
    report.patches[0].suggestion = MISSED.replace("return 1", "return 3 " + "<" * 600)
    (text,) = re.findall(r"<pre>(.*?)</pre>", html.render(report), re.DOTALL)

    assert unescape(text) + "\n" == report.patches[0].suggestion


def test_of_very_many_good_patches_only_the_first_are_drawn():
    page = html.render(report_of(*[add("a.py", "x")] * 310))

    assert (page.count('<details class="patch'), page.count('class="row"')) == (300, 10)
    assert page.count('<details class="steps"><summary>Show ') == 15
    assert "Show 20 more of 290" in page
