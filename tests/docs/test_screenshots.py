"""docs/screenshots: the picture of the terminal is what the command prints today."""

from __future__ import annotations

import os
import sys
from xml.etree import ElementTree

from doc_examples import DOCS

sys.path.append(str(DOCS))
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
