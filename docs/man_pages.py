"""Writes the manual pages of all commands, made from the same declarations as their help.

python docs/man_pages.py DIRECTORY
"""

from __future__ import annotations

import sys
from pathlib import Path

from patchkit import __version__
from patchkit.cli.group import page_named, summaries
from patchkit.cli.parameters import HelpPage
from patchkit.cli.statuses import SIGNALS


def pages() -> dict[str, str]:
    """The text of every page by the name of its file."""
    found = {name: page_named(name) for name in ("patchkit", "apply_patch")}
    found.update({f"patchkit-{name}": page_named(name) for name in summaries()})
    also = [name for name in found if name != "patchkit"]
    return {
        f"{name}.1": manual(name, page, also if name == "patchkit" else ["patchkit"]) for name, page in found.items()
    }


def manual(name: str, page: HelpPage, also: list[str]) -> str:
    """A help page as a manual page (man-pages(7))."""
    parts = [f'.TH "{name.upper()}" 1 "" "patchkit {__version__}" "patchkit"', ".SH NAME"]
    parts.append(f"{escaped(name)} \\- {escaped(page.summary[:1].lower() + page.summary[1:].rstrip('.'))}")
    parts += [".SH SYNOPSIS", ".nf", *map(escaped, page.usage), ".fi"]
    if page.paragraphs:
        parts.append(".SH DESCRIPTION")
        for words in page.paragraphs:
            kept = "\n" in words.strip("\n")
            parts += [".PP", *([".nf", *map(escaped, words.splitlines()), ".fi"] if kept else [escaped(words)])]
    for title, entries in page.lists:
        parts.append(f".SH {escaped(title.upper())}")
        for names, words in entries:
            parts += [".TP", f".B {escaped(names)}", escaped(words)]
    parts += [".PP", escaped(SIGNALS)]
    if page.example:
        parts += [".SH EXAMPLE", ".nf", *map(escaped, page.example.splitlines()), ".fi"]
    parts += [".SH SEE ALSO", ", ".join(f"{escaped(each)}(1)" for each in also)]
    return "\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Text that troff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("`", "\\(ga")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def main() -> None:
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "dist/man")
    target.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (target / name).write_text(text, encoding="utf-8")
    print(f"{len(pages())} manual pages in {target}")


if __name__ == "__main__":
    main()
