"""The scopes that anchors have, beside the definitions of a parser.

    python -m benchmarks.scopes [--files N] [--list] DIRECTORY...

Takes source files below the directories, except minified ones; for every definition of four lines or more its first
line is taken as an anchor. Right: its scope holds the whole definition and ends before the next one that is not inside
it. Too far: it runs into that one. Too short: it ends before the definition does. Needs the grammars of the extra
`structure`.
"""

from __future__ import annotations

import argparse
import collections
import sys
from pathlib import Path

from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.core.text import Document
from patchkit.structure.grammars import language_of, parsed

from .definitions import definitions_of, is_minified

LEAST = 4


def judged(path: str, data: bytes):
    """For each definition: whether its head is on one line, the verdict, and its line."""
    found = definitions_of(path, data)
    tree = parsed(path, data)
    if not found or tree is None or tree.root_node.has_error:
        return  # what the parser does not understand shows nothing
    anchors = Anchors(Document(data).texts)
    for number, each in enumerate(found):
        if each.end - each.line < LEAST:
            continue
        following = next((other.line for other in found[number + 1 :] if other.line >= each.end), None)
        known = anchors.definition_at(each.line)
        end = known.end if known is not None else len(anchors._texts)
        verdict = "right"
        if end < each.end:
            verdict = "too short"
        elif following is not None and end > following:
            verdict = "too far"
        yield each.body <= each.line + 1 and not _is_split(anchors._texts, each), verdict, each.line


def _is_split(texts, each):
    head = texts[each.line]
    return each.body > each.line and head.count("(") > head.count(")")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--files", type=int, default=60, help="files of each language in each directory")
    parser.add_argument("--list", action="store_true", help="print the definitions whose scope is not right")
    asked = parser.parse_args()
    counts: dict[tuple[str, bool], collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for directory in asked.directories:
        taken: collections.Counter[str] = collections.Counter()
        for path in sorted(Path(directory).rglob("*.*")):
            language = language_of(str(path))
            if not language or not path.is_file() or taken[language] >= asked.files or path.stat().st_size > 300_000:
                continue
            if is_minified(path.read_bytes()):
                continue
            taken[language] += 1
            for single, verdict, line in judged(str(path), path.read_bytes()):
                counts[language, single][verdict] += 1
                if asked.list and verdict != "right":
                    print(f"{path}:{line + 1}: {verdict}")
    for (language, single), found in sorted(counts.items()):
        total = sum(found.values())
        shares = ", ".join(f"{name} {100 * found[name] / total:.1f} %" for name in ("right", "too far", "too short"))
        print(f"{language:12} {'one line' if single else 'several lines':14} {total:6}: {shares}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
