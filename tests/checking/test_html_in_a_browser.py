"""The HTML report in a real browser: at phone and desk width, on light and dark screens."""

from __future__ import annotations

import html
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from golden_runs import golden, values

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs"))
from browser import Browser

SCRIPT = (Path(__file__).parent / "browser_page.js").read_text(encoding="utf-8")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
PHONE, DESK = 390, 1280
SCHEMES = {"light": 1, "dark": 0}  # as the browser's own setting calls them

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Measures the golden report under a colour scheme, in frames of both widths."""
    folder = tmp_path_factory.mktemp("browser")
    page = html.escape(golden("everything", "html").read_text(encoding="utf-8"))
    frames = "".join(f'<iframe width="{width}" height="900" srcdoc="{page}"></iframe>' for width in (PHONE, DESK))
    (folder / "page.html").write_text(
        f"<!DOCTYPE html><body>{frames}<script>{SCRIPT}</script></body>", encoding="utf-8"
    )

    def look(scheme):
        words = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / scheme}"]
        words += [f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", "--virtual-time-budget=20000"]
        command = [BROWSER, *words, "--dump-dom", (folder / "page.html").as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
        assert "measured[" in done.stdout, done.stderr[-2000:]
        return json.loads(html.unescape(done.stdout.split("measured")[1]))

    return {scheme: look(scheme) for scheme in SCHEMES}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_page_fits_its_screen_and_fetches_nothing(measured, scheme):
    assert [(each["width"], each["scrolls"], each["fetched"]) for each in measured[scheme]] == [
        (PHONE, 0, 0),
        (DESK, 0, 0),
    ]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_has_contrast_with_its_background(measured, scheme):
    assert [each for each in measured[scheme] if each["contrast"] < 4.5] == []


def test_the_page_is_light_on_light_screens_and_dark_on_dark_ones(measured):
    assert {scheme: found[0]["ground"] for scheme, found in measured.items()} == {
        "light": "rgb(244, 245, 247)",
        "dark": "rgb(15, 18, 22)",
    }


def test_the_file_is_beside_the_hunk_on_a_wide_screen_and_below_it_on_a_phone(measured):
    phone, desk = measured["light"]

    assert (phone["beside"], phone["below"]) == (False, True)
    assert (desk["beside"], desk["below"]) == (True, False)


def test_the_buttons_choose_which_patches_are_shown(measured):
    told = values(golden("everything", "jsonl").read_text(encoding="utf-8"))
    refused = sum(each.get("status") == "refused" for each in told)
    good = sum(each.get("status") == "applies" for each in told)

    assert [each["counts"] for each in measured["light"]] == 2 * [
        {"all": refused + good, "refused": refused, "good": good}
    ]
    assert [each["open"] for each in measured["light"]] == [0, 0]  # of many, each is opened by a click


def test_a_closed_row_names_the_file_and_the_reason():
    with Browser() as browser:
        page = browser.open(golden("everything", "html").as_uri(), 390, 844)
        row = "[...document.querySelectorAll('.group[open] .patch')].find(each => each.checkVisibility())"

        assert page.run(f"{row}.open") is False
        assert page.run(f"{row}.querySelector('.reason').checkVisibility()") is True
        assert page.run(f"{row}.querySelector('.reason').textContent") in page.run(f"{row}.textContent")
        page.run(f"{row}.open = true")
        assert page.run(f"{row}.querySelector('.reason').checkVisibility()") is False


def test_refused_patches_are_in_groups_and_a_search_hides_the_others():
    counts = "(group => [group.length, document.querySelectorAll('.patch:not([hidden])').length])"
    seen = "[...document.querySelectorAll('.group')].filter(each => each.checkVisibility()).map(each => each.id)"
    with Browser() as browser:
        page = browser.open(golden("everything", "html").as_uri())
        every, patches = page.run(f"{counts}({seen})")
        page.click(".find input")
        page.write("p202 ambiguous")
        found = page.run(seen)

        assert every > 5
        assert "code-P202" in found
        assert len(found) < every
        assert page.text(".find span").endswith(f" of {patches}")
        assert page.complaints() == []  # the policy of the page allows its own script
