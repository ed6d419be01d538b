"""Links between the reference pages lead to headings that are there."""

from __future__ import annotations

import re

import pytest
from doc_examples import DOCS, Page

NAMES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if "demo" not in path.parts)
PAGES = {name: Page(name) for name in NAMES}
LINK = re.compile(r"\]\((?P<page>[\w./-]*)(?:#(?P<part>[\w-]+))?\)")


def slug(heading: str) -> str:
    """The name under which a heading can be linked to."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_a_page_leads_to_a_heading(name):
    links = [link for prose in PAGES[name].prose.values() for link in LINK.finditer(prose)]
    headings = {DOCS / page: {slug(heading) for heading in PAGES[page].levels} for page in PAGES}
    lost = []
    for link in links:
        target = (DOCS / name).parent.joinpath(link["page"]).resolve() if link["page"] else DOCS / name
        if not target.exists() or (link["part"] and link["part"] not in headings.get(target, set())):
            lost.append(link[0])

    assert lost == []


def test_every_module_that_the_pages_for_maintainers_name_is_there():
    files = [
        path.relative_to(DOCS.parent).as_posix()
        for top in ("patchkit", "tests", "docs", "benchmarks")
        for path in (DOCS.parent / top).rglob("*.py")
    ]
    lost = [
        f"{page}: {name}"
        for page in ("architecture.md", "contributing.md", "core.md", "decisions.md")
        for name in re.findall(r"`([\w/]+\.py)`", (DOCS / page).read_text(encoding="utf-8"))
        if not re.search("[A-Z]{3}", name) and not any(f"/{file}".endswith(f"/{name}") for file in files)
    ]

    assert lost == []
