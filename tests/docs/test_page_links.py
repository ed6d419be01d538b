"""Links between the reference pages lead to headings that are there."""

from __future__ import annotations

import re

import pytest
from doc_examples import DOCS, Page

NAMES = sorted(path.name for path in DOCS.glob("*.md"))
PAGES = {name: Page(name) for name in NAMES}
LINK = re.compile(r"\]\((?P<page>[\w.]*)(?:#(?P<part>[\w-]+))?\)")


def slug(heading: str) -> str:
    """The name under which a heading can be linked to."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_a_page_leads_to_a_heading(name):
    links = [link for prose in PAGES[name].prose.values() for link in LINK.finditer(prose)]
    headings = {page: {slug(heading) for heading in PAGES[page].levels} for page in PAGES}
    lost = [
        link[0]
        for link in links
        if not (DOCS / (link["page"] or name)).exists()
        or (link["part"] and link["part"] not in headings.get(link["page"] or name, set()))
    ]

    assert lost == []
