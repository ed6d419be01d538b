"""Where hunks with an anchor are placed, without grammars and with them.

    python -m benchmarks.scopes.hunks [--files N] [--list] DIRECTORY...

Takes definitions of the source files below the directories; where each ends is read from its layout (the first line
below at the depth of its head that closes a block; in Python by the module `ast`), so that neither the scopes nor the
parser judge themselves. A hunk replaces one line, under the first line of a definition as its anchor. Inside: the line
is in that definition once, and mostly elsewhere in the file, too; it is right at its own place. Outside: the line is
elsewhere only, and the anchor is a slip; it should be refused. Needs the grammars of the extra `structure`.
"""

from __future__ import annotations

import argparse
import ast
import collections
import random
import sys
from pathlib import Path

from patchkit.core.changes import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import Match
from patchkit.core.matching.locate import locate
from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.core.text import Document
from patchkit.structure.grammars import language_of
from patchkit.structure.parsed_scopes import ParsedScopes

from .definitions import definitions_of, is_minified

LARGEST = 300_000
DEFINITIONS = 12  # of a file
LEAST = 4  # lines of a definition
SHORTEST = 6  # characters of a line that a hunk replaces


def spans(path: str, data: bytes, texts: list[str]) -> list[tuple[int, int]]:
    """The first line of definitions and the line behind them."""
    if language_of(path) == "python":
        try:
            nodes = list(ast.walk(ast.parse(data)))
        except (SyntaxError, ValueError, RecursionError):
            return []
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return [(node.lineno - 1, node.end_lineno or 0) for node in nodes if isinstance(node, kinds)]
    heads = {each.line for each in definitions_of(path, data) or ()}
    known = [each.line for each in Anchors(texts)._all_definitions() if each.kind == "code"]
    heads.update(line for line in known if texts[line].rstrip().endswith(("{", " do")))
    closing = "end" if language_of(path) == "ruby" else "}"
    return [(head, end) for head in sorted(heads) if (end := end_by_layout(texts, head, closing)) is not None]


def end_by_layout(texts: list[str], head: int, closing: str) -> int | None:
    """The line behind the first one below a head that closes a block at its depth, if it has as many braces."""
    margin = len(texts[head]) - len(texts[head].lstrip())
    for line in range(head + 1, len(texts)):
        text = texts[line]
        if text[:margin].strip():
            return None
        if text[margin:].startswith(closing) and not text[margin + len(closing) :][:1].isalnum():
            whole = "\n".join(texts[head : line + 1])
            opens = closing == "end" or -1 < whole.find("{") < (whole.find(";") % len(whole))
            alone = "}" in texts[head] and texts[head].count("{") == texts[head].count("}")
            return line + 1 if opens and not alone and whole.count("{") == whole.count("}") else None
    return None


def hunks_of(texts: list[str], found: list[tuple[int, int]], chosen: random.Random):
    """For some definitions hunks with the line where they belong; None where their line is outside."""
    everywhere = collections.Counter(text.strip() for text in texts)
    for first, end in chosen.sample(found, min(DEFINITIONS, len(found))):
        if end - first < LEAST:
            continue
        inside = collections.Counter(text.strip() for text in texts[first:end])
        lines = [n for n in range(first + 1, end) if inside[texts[n].strip()] == 1 and is_telling(texts[n])]
        repeated = [n for n in lines if everywhere[texts[n].strip()] > 1]
        anchor = texts[first].strip()
        for line in chosen.sample(repeated, min(2, len(repeated))) + chosen.sample(lines, min(1, len(lines))):
            yield replacing(anchor, texts[line]), line, (first, end)
        others = [n for n, text in enumerate(texts) if text.strip() not in inside and is_telling(text)]
        for line in chosen.sample(others, min(1, len(others))):
            yield replacing(anchor, texts[line]), None, (first, end)


def is_telling(text: str) -> bool:
    return len(text.strip()) >= SHORTEST and any(map(str.isalnum, text))


def replacing(anchor: str, text: str) -> Hunk:
    return Hunk([anchor], ["-" + text, "+" + text + " changed"])


def verdict(result, line: int | None) -> str:
    if not isinstance(result, Match):
        return "refused"
    return "right" if result.line == line else "wrong"


def judged(path: str, data: bytes):
    """For each hunk: whether it is inside, the verdicts without and with grammars, its line, its definition."""
    document = Document(data)
    texts = document.texts
    parsed = ParsedScopes()
    for hunk, line, span in hunks_of(texts, spans(path, data, texts), random.Random(len(data))):
        plain = locate(document, [hunk], Options())
        again = parsed.placed(path, document, [hunk], plain, Options())
        yield line is not None, verdict(plain[0], line), verdict(again[0], line), line, span


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--files", type=int, default=60, help="files of each language in each directory")
    parser.add_argument(
        "--list", action="store_true", help="print hunks that a grammar puts elsewhere than they belong"
    )
    asked = parser.parse_args()
    counts: collections.Counter[tuple[str, bool, str, str]] = collections.Counter()
    for directory in asked.directories:
        taken: collections.Counter[str] = collections.Counter()
        for path in sorted(Path(directory).rglob("*.*")):
            language = language_of(str(path))
            if not language or not path.is_file() or taken[language] >= asked.files or path.stat().st_size > LARGEST:
                continue
            if is_minified(path.read_bytes()):
                continue
            taken[language] += 1
            for inside, plain, again, line, span in judged(str(path), path.read_bytes()):
                counts[language, inside, "without", plain] += 1
                counts[language, inside, "with", again] += 1
                if asked.list and plain != again == "wrong":
                    print(f"{path}:{(line or -1) + 1}, anchor at line {span[0] + 1}")
    print("right/wrong/refused: inside, without and with grammars; outside, without and with")
    for language in sorted({key[0] for key in counts}):
        rows = []
        for inside in (True, False):
            for how in ("without", "with"):
                rows.append(
                    "/".join(str(counts[language, inside, how, name]) for name in ("right", "wrong", "refused"))
                )
        print(f"{language:12} {'  '.join(f'{row:18}' for row in rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
