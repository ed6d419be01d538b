"""docs/screenshots: the picture of the terminal is what the command prints today."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from doc_examples import DOCS

sys.path.append(str(DOCS))
import recordings
import screenshots

UPDATE = os.environ.get("PATCHKIT_UPDATE_DOCS") == "1"
PICTURE = DOCS / "screenshots" / "check-terminal.svg"


def test_the_picture_of_the_terminal_shows_what_the_command_prints(tmp_path):
    drawn = screenshots.terminal(screenshots.build(tmp_path))
    if UPDATE:
        PICTURE.write_text(drawn, encoding="utf-8")

    assert drawn == PICTURE.read_text(encoding="utf-8")


def test_the_picture_is_small_and_well_formed():
    pictures = {path.name: path.stat().st_size for path in (DOCS / "screenshots").iterdir() if path.is_file()}

    assert ElementTree.parse(PICTURE).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert {name: size for name, size in pictures.items() if size > 200_000} == {}


@pytest.mark.parametrize("name", recordings.SESSIONS)
def test_a_recording_shows_what_the_commands_print(name):
    path: Path = recordings.RECORDINGS / f"{name}.svg"
    drawn = recordings.recording(name)
    if UPDATE:
        path.write_text(drawn, encoding="utf-8")

    assert drawn == path.read_text(encoding="utf-8")
    assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("name", ["accuracy", "growth"])
def test_a_plot_has_colours_for_dark_screens(name):
    text = (DOCS / f"{name}.svg").read_text(encoding="utf-8")

    assert "@media(prefers-color-scheme:dark)" in text
    assert 'fill="#fff"' not in text
