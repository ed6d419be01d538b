"""Examples on documentation pages, as values a test can run.

An example is a few fenced blocks that follow each other: `files` (the tree before; left out when it is
empty), `patch` or `command`, `after` (the whole tree afterwards, where that is worth showing) and
`output`. Anything else on a page is prose to this module.

A `files` or `after` block holds one entry for each line that begins with `=== `:

    === src/app.py                      a file; its lines follow
    === src/app.py (no final newline)   also (crlf), (bom), (utf-16), (latin-1), (FIFO)
    === current -> src/app.py           a symbolic link
    === copy.py = src/app.py            a second hard link
    === build/                          an empty directory

In all of them `␠` is a space at the end of a line and `␉` is a tab, because these would be invisible.
The info string of a `patch` block may name the form the patch is sent in (crlf, bom, utf-16, latin-1, cut)
and then the options of apply_patch. A `command` block is shell, typed in the tree. An `output`
block is everything on standard error, then everything on standard output.
"""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
EXAMPLES = REPOSITORY / "fixtures" / "diagnostics" / "examples.md"  # of codes whose page shows none
BLOCKS = ("files", "patch", "command", "after", "output")
ENTRY = re.compile(r"(?P<name>.+?)(?: (?P<relation>->|=) (?P<other>.+?))?(?: \((?P<form>[\w -]+)\))?")
FENCE = re.compile(r"(?P<ticks>`{3,}) *(?P<info>.*)")


class Block:
    """A fenced block: the words of its info string, its text, and the lines of the page it takes up."""

    def __init__(self, info: str, heading: str, first: int) -> None:
        self.kind, *self.words = info.split() or [""]
        self.heading = heading  # the nearest one above, without its marks
        self.first = first  # the page's line after the opening fence, from 0
        self.lines: list[str] = []

    @property
    def text(self) -> str:
        return "".join(line + "\n" for line in self.lines)


class Example:
    """What to build, what to run, and what that should say."""

    def __init__(self, number: int, blocks: list[Block]) -> None:
        by_kind = {block.kind: block for block in blocks}
        assert len(by_kind) == len(blocks), f"two blocks of one kind at line {blocks[0].first}"
        self.number = number
        self.heading = blocks[0].heading
        self.files = by_kind.get("files")
        self.call = by_kind.get("patch") or by_kind["command"]
        self.after = by_kind.get("after")
        self.output = by_kind["output"]

    @property
    def options(self) -> list[str]:
        """The words for the command line; the forms of a patch block come before them."""
        words = self.call.words
        start = next((n for n, word in enumerate(words) if word.startswith("-")), len(words))
        return words[start:]

    @property
    def patch(self) -> bytes:
        """The patch in the bytes it is sent in."""
        forms = self.call.words[: len(self.call.words) - len(self.options)]
        return encoded(self.call.text, forms)


class Page:
    """One file, named below docs/ or by its whole path: its examples, and its prose by heading."""

    def __init__(self, name: str | Path) -> None:
        self.path = DOCS / name
        self.prose: dict[str, str] = {"": ""}
        self.levels: dict[str, int] = {}
        self.blocks: list[Block] = []
        self._read(self.path.read_text(encoding="utf-8").split("\n"))
        self.examples = self._examples()

    def _read(self, lines: list[str]) -> None:
        heading, block, closing = "", None, ""
        for number, line in enumerate(lines):
            if block is not None:
                if line == closing:
                    block = None
                else:
                    block.lines.append(line)
                continue
            fence = FENCE.fullmatch(line)
            if fence:
                block, closing = Block(fence["info"], heading, number + 1), fence["ticks"]
                self.blocks.append(block)
            elif line.startswith("#"):
                marks, _, heading = line.partition(" ")
                assert heading not in self.prose, f"{self.path.name} has two headings '{heading}'"
                self.levels[heading] = len(marks)
                self.prose[heading] = ""
            else:
                self.prose[heading] += line + "\n"
        assert block is None, f"{self.path.name} ends inside a block"

    def _examples(self) -> list[Example]:
        examples, group = [], []
        for block in self.blocks:
            if block.kind in BLOCKS:
                group.append(block)
            if block.kind == "output":
                examples.append(Example(len(examples), group))
                group = []
        assert not group, f"{self.path.name} has an example without output under '{group[0].heading}'"
        return examples

    def rows(self, heading: str) -> list[list[str]]:
        """The rows of the first table under a heading, its head left out."""
        lines = [line for line in self.prose[heading].split("\n") if line.startswith("|")]
        # A bar inside a code span is written \| on the page.
        return [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def rewrite_output(page: Page, number: int, output: str) -> None:
    """Puts `output` into an example of a page. The lock lets tests of several processes do so at once."""
    with open(page.path, "r+", encoding="utf-8", newline="") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        block = Page(page.path).examples[number].output
        lines = file.read().split("\n")
        lines[block.first : block.first + len(block.lines)] = output.split("\n")[:-1]
        file.seek(0)
        file.truncate()
        file.write("\n".join(lines))


# -- trees ---------------------------------------------------------------------------------------


def encoded(text: str, forms: list[str]) -> bytes:
    """Text as bytes of the form a page names."""
    codec = next((form for form in forms if form in ("utf-16", "latin-1")), "utf-8")
    text = text.replace("␠", " ").replace("␉", "\t")
    if "crlf" in forms:
        text = text.replace("\n", "\r\n")
    if "bom" in forms:
        text = "\ufeff" + text
    data = text.encode(codec)
    return data[:-1] if "cut" in forms else data


def entries(block: Block | None) -> list[tuple[str, str, str, list[str], str]]:
    """The entries of a tree: name, how it relates to another, that other, its forms, its text."""
    found = []
    for part in re.split(r"^=== ", block.text, flags=re.MULTILINE)[1:] if block is not None else []:
        head, _, text = part.partition("\n")
        entry = ENTRY.fullmatch(head)
        assert entry, f"no entry of a tree: {head}"
        form = entry["form"] or ""
        if form == "no final newline":
            form, text = "", text[:-1]
        found.append((entry["name"].strip('"'), entry["relation"] or "", entry["other"] or "", form.split(), text))
    return found


def build(block: Block | None, tree: Path) -> None:
    """Makes the tree an example starts from."""
    tree.mkdir(parents=True)
    for name, relation, other, forms, text in entries(block):
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if relation == "->":
            path.symlink_to(other)
        elif relation == "=":
            path.hardlink_to(tree / other)
        elif forms == ["FIFO"]:
            os.mkfifo(path)
        elif name.endswith("/"):
            path.mkdir()
        else:
            path.write_bytes(encoded(text, forms))


def expected(block: Block) -> dict[str, object]:
    """The tree that an `after` block shows, as `seen` gives it."""
    tree: dict[str, object] = {}
    for name, relation, other, forms, text in entries(block):
        tree[name.rstrip("/")] = f"-> {other}" if relation == "->" else encoded(text, forms)
    return tree


def seen(tree: Path) -> dict[str, object]:
    """Every path of a tree except directories: bytes of a file, target of a link, None for anything else."""
    found: dict[str, object] = {}
    for path in tree.rglob("*"):
        name = path.relative_to(tree).as_posix()
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif not path.is_dir():
            found[name] = path.read_bytes() if path.is_file() else None
    return found
