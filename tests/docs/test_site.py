"""The documentation site: built strictly from docs/, and clicked through in a real browser."""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import sys
import threading

import pytest
from doc_examples import DOCS, REPOSITORY

from patchkit.catalogue.entries import ENTRIES
from patchkit.cli.group import summaries

sys.path.append(str(DOCS))
from browser import CHROMIUM, Browser

PHONE, DESK = (390, 844), (1280, 900)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
# A page of each kind: cards, the widest tables, long code.
KINDS = ("index.html", "commands/check.html", "codes/P201.html", "permissions.html")
MORE = tuple(f"{name}.html" for name in "guides/laptop codes/index performance library tools matching ci".split())
PAGES = (*KINDS, *MORE) if os.environ.get("PATCHKIT_TESTS") == "full" else KINDS
CONTRAST = """(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const part = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const over = ([r, g, b, a = 1], ground) => [r, g, b].map((value, n) => value * a + ground[n] * (1 - a));
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    const color = numbers(getComputedStyle(element).backgroundColor);
    return color[3] === 0 ? ground(element.parentElement) : over(color, ground(element.parentElement));
  };
  const found = [];
  for (const element of document.querySelectorAll('.md-content *')) {
    if (!element.checkVisibility({ opacityProperty: true }) || element.closest('.headerlink, .md-code__nav')) continue;
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const below = ground(element), own = over(numbers(getComputedStyle(element).color), below);
    const [high, low] = [light(own), light(below)].sort((a, b) => b - a);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) found.push(`${element.className} ${contrast.toFixed(1)}: ${element.innerText}`);
  }
  return found.slice(0, 5);
})()"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built by the command of `make docs`."""
    pytest.importorskip("material", reason="the packages of the group docs are not installed")
    place = tmp_path_factory.mktemp("site")
    settings = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, DOCS / "make_site.py", place]
    done = subprocess.run(command, env=settings, capture_output=True, text=True)

    assert done.stdout.endswith("/site/index.html\n")  # how to open it
    assert (done.returncode, done.stderr) == (0, "")  # strict: a broken link is a warning, and a warning is an error
    return place / "site"


@pytest.fixture(scope="module")
def address(site):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    with Browser() as browser:
        yield browser


def test_every_code_command_and_example_has_a_page(site):
    names = {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")}
    examples = {f"examples/{path.stem}" for path in (REPOSITORY / "examples").glob("*.py")}

    assert {f"codes/{code}" for code in ENTRIES} - names == set()
    assert {f"commands/{name}" for name in summaries()} - names == set()
    assert examples - names == set()


@needs_browser
def test_a_reader_clicks_from_the_first_page_to_a_guide_to_a_code_and_finds_another_by_searching(address, browser):
    page = browser.open(address, *DESK)
    page.click(".cards a[href='guides/laptop.html']")
    page.arrive("/guides/laptop.html")
    assert page.text("h1").startswith("On your own machine")

    page.click(".md-tabs a[href$='codes/index.html']")
    page.arrive("/codes/index.html")
    page.click(".md-content a[href$='P201.html']")
    page.arrive("/codes/P201.html")
    assert page.text("h1").startswith("P201: hunk-not-found")

    page.click("input.md-search__input")
    page.write("ambiguous")
    page.wait_for("document.querySelectorAll('.md-search-result__item').length > 1")
    page.run("document.querySelector(\".md-search-result__link[href*='P202']\").click()")
    page.arrive("/codes/P202.html")
    asked = page.run("performance.getEntriesByType('resource').map(each => each.name)")
    assert [name for name in asked if not name.startswith(address)] == []  # no other server learns who reads
    assert page.complaints() == []


@needs_browser
def test_the_site_works_from_disk_with_its_search(site, browser):
    page = browser.open((site / "index.html").as_uri(), *DESK)
    page.click(".cards a[href='guides/laptop.html']")
    page.wait_for("document.querySelector('h1').innerText.startsWith('On your own machine')")
    page.wait_for("document.readyState === 'complete'")  # before that, nothing listens to the field
    page.click("input.md-search__input")
    page.write("ambiguous")
    page.wait_for("document.querySelectorAll('.md-search-result__item').length > 1")


@needs_browser
def test_the_button_chooses_between_light_and_dark(address, browser):
    page = browser.open(address, *DESK)
    seen = [page.run("document.body.dataset.mdColorScheme")]
    for _ in range(3):
        page.click("form[data-md-component=palette] label:not([hidden])")
        seen.append(page.run("document.body.dataset.mdColorScheme"))

    assert seen == ["default", "default", "slate", "default"]


@needs_browser
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_page_is_wider_than_its_screen_and_every_text_can_be_read(address, browser, size, dark):
    page = browser.open(address, *size, dark=dark)
    wider, faint = [], {}
    for name in PAGES:
        page.go(address + name)
        page.arrive(f"/{name}")
        if page.run("document.documentElement.scrollWidth") > size[0]:
            wider.append(name)
        if found := page.run(CONTRAST):
            faint[name] = found

    assert (wider, faint) == ([], {})
