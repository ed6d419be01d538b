"""Mine real edits: what the files of a release became in the next one.

Takes the list of packages and a cache directory; gives Edits of moderate size, a long difference
cut into several. Distorting them is the classes' work. The result is kept in the cache, because
comparing thousands of files takes longer than everything after it.
"""

import difflib
import hashlib
import json
import random
from pathlib import Path

from .edits import LANGUAGES, Change, Edit
from .releases import UnavailableError, release

VERSION = 3  # of what mining gives; a new number makes old caches unread
FEWEST_LINES, MOST_LINES = 12, 3000
LONGEST_LINE = 400
MOST_CHANGED = 40  # lines of one change, and of the changes of one edit together
MOST_CHANGES = 5
PER_FILE, PER_SUFFIX = 8, 90  # edits of one file; files of one kind in a pair of releases


def mine(packages, cache, say=print):
    """All edits of all packages, package by package in alphabetical order."""
    edits = []
    for name, versions in sorted(packages.items()):
        for old, new in zip(versions, versions[1:]):
            try:
                edits += _edits_between(name, old, new, cache)
            except UnavailableError as error:
                say(f"left out: {error}")
    return edits


def _edits_between(name, old, new, cache):
    store = Path(cache) / "edits" / f"{name}-{old}-{new}-v{VERSION}.json"
    if not store.exists():
        files = _changed_files(name, release(name, old, cache), release(name, new, cache))
        store.parent.mkdir(parents=True, exist_ok=True)
        partial = store.with_suffix(".part")
        partial.write_text(json.dumps(files), encoding="utf-8")
        partial.rename(store)
    files = json.loads(store.read_text(encoding="utf-8"))
    edits = []
    for path, before, changes in files:
        changes = [Change(start, stop, tuple(lines)) for start, stop, lines in changes]
        edits += _cut(name, f"{old}->{new}", path, tuple(before), changes)
    return edits


def _changed_files(name, old, new):
    by_suffix = {}
    for path in sorted(old, key=lambda path: hashlib.sha256(f"{name}/{path}".encode()).digest()):
        suffix = Path(path).suffix.lower()
        if suffix not in LANGUAGES or path not in new or old[path] == new[path]:
            continue
        if not _is_wanted(path):
            continue
        before, after = _lines(old[path]), _lines(new[path])
        taken = by_suffix.setdefault(suffix, [])
        if before and after and len(taken) < PER_SUFFIX:
            changes = [change for change in _changes(before, after) if _is_moderate(change)]
            if changes:
                taken.append((path, before, changes))
    return sorted(file for taken in by_suffix.values() for file in taken)


def _is_wanted(path):
    # Generated and bundled files change wholesale and hold what no person would patch.
    return not any(mark in path.lower() for mark in (".min.", "egg-info", "/vendor", "/locale/", "/node_modules/"))


def _lines(content):
    """The lines of a plain file; None for what could not be distinguished from the noise of other classes."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not text.endswith("\n") or "\r" in text or "\0" in text or text.startswith("\ufeff"):
        return None
    lines = text[:-1].split("\n")
    if not FEWEST_LINES <= len(lines) <= MOST_LINES or max(map(len, lines)) > LONGEST_LINE:
        return None
    return lines


def _changes(before, after):
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            yield i1, i2, after[j1:j2]


def _is_moderate(change):
    start, stop, new = change
    return stop - start + len(new) <= MOST_CHANGED and any(line.strip() for line in new) | (stop > start)


def _cut(package, releases, path, before, changes):
    """Runs of one to five neighbouring changes, so that one file gives several edits."""
    draw = random.Random(f"{package}/{releases}/{path}")
    edits, rest = [], list(changes)
    while rest and len(edits) < PER_FILE:
        run = rest[: draw.randint(1, MOST_CHANGES)]
        while len(run) > 1 and sum(c.stop - c.start + len(c.new) for c in run) > MOST_CHANGED:
            run.pop()
        edits.append(Edit(package, releases, path, before, tuple(run)))
        del rest[: len(run)]
    return edits
