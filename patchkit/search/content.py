"""Find files by what is in them, the newest first: with ripgrep where it is installed, else with `fallback`.

Takes a query, where to begin and how many lines are wanted; gives what was found and whether the search came to its
end. Which files match is asked first, for all of them: only then is it known which are the newest. Lines are read only
from the files that will be shown, through handles opened here.
"""

from __future__ import annotations

import os
import stat
from errno import ELOOP, ENOENT, ENOTDIR

from patchkit.search.fallback import PythonSearch
from patchkit.search.query import CONTENT, FoundLine, Hit, Query, SearchBudget, Start
from patchkit.search.ripgrep import Ripgrep, Sieve, UnusableError, programs
from patchkit.search.walk import DEEPEST, TOO_DEEP
from patchkit.values import Value
from patchkit.workspace.directories import READING, close, reason
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from patchkit.search.ripgrep import OnProgress

    Engine = Ripgrep | PythonSearch

_BATCH = 400  # files open at a time, where so many may be


class Findings(Value):
    """What a search found: `hits` are all files that match, `lines` the lines wanted, `more` that there are others.

    `late` says that time ran out, `fallback` why ripgrep was not used ('' if it was), `unreadable` what could not be
    read, `left_out` how many lines were too long to be shown.
    """

    __slots__ = ("hits", "lines", "more", "late", "fallback", "unreadable", "left_out")
    hits: list[Hit]
    lines: list[FoundLine]
    more: bool
    late: bool
    fallback: str
    unreadable: list[tuple[str, str]]
    left_out: int

    def __init__(self, hits: list[Hit], fallback: str = "") -> None:
        self.hits = hits
        self.lines = []
        self.more = self.late = False
        self.fallback = fallback
        self.unreadable = []
        self.left_out = 0


def search(
    files: Workspace,
    starts: list[Start],
    query: Query,
    budget: SearchBudget,
    most: int,
    may_read: Callable[[str], bool] | None = None,
    on_progress: OnProgress | None = None,
) -> Findings:
    """Searches all starts, and gives `most` of the lines that match (0: all) with those around them.

    `may_read` says which paths may be shown. `on_progress` is called with what is done and how many files of how many;
    only ripgrep can say that.
    """
    engine, hits, why = _found(files, starts, query, budget, on_progress)
    if may_read is not None:
        hits = [hit for hit in hits if may_read(hit.path)]
    found = _completed(files, Findings(hits, why), engine, query, most)
    if may_read is not None:
        found.unreadable = [(path, why) for path, why in found.unreadable if may_read(path)]
    return found


def _found(
    files: Workspace, starts: list[Start], query: Query, budget: SearchBudget, on_progress: OnProgress | None
) -> tuple[Engine, list[Hit], str]:
    """What found them, all files that match, and why that was not ripgrep ('' if it was)."""
    why = "PATCHKIT_RG names none" if "PATCHKIT_RG" in os.environ else "it is not installed"
    for program in programs() if _is_text(query.pattern) else []:
        engine = Ripgrep(program, query, budget, on_progress)
        try:
            return engine, _found_by_ripgrep(files, starts, query, engine), ""
        except UnusableError as error:
            why = f"'{program}' {error}"
        except OSError as error:
            why = f"'{program}' cannot be run, {reason(error)}"
    own = PythonSearch(files, query, budget)
    hits = {hit.path: hit for start in starts if start.handle < 0 for hit in own.below(start.parts)}
    _add_named(hits, starts, own)
    return own, list(hits.values()), why if _is_text(query.pattern) else "the pattern holds bytes that are not text"


def _is_text(pattern: str) -> bool:
    """Whether a pattern can be an argument of ripgrep."""
    return not any("\ud800" <= char <= "\udfff" for char in pattern)


def _found_by_ripgrep(files: Workspace, starts: list[Start], query: Query, engine: Ripgrep) -> list[Hit]:
    counts: dict[str, int] = {}
    for start in starts:
        if start.handle < 0:
            sieve = Sieve(files, start.parts, query)
            above = "".join(f"{part}/" for part in start.parts)
            for path, count in engine.below(files.directories.handle(start.parts), files.real, above):
                if sieve.admits(path[len(above) :]):
                    counts[path] = count
    hits = {hit.path: hit for hit in _dated(files, counts, engine)}
    _add_named(hits, starts, engine)
    return list(hits.values())


def _add_named(hits: dict[str, Hit], starts: list[Start], engine: Engine) -> None:
    """Adds the files that the caller named, where they match and were not found already."""
    named = {start.path: start.handle for start in starts if start.handle >= 0}
    if named:
        for path, count in engine.among(list(named.items())):
            modified = os.fstat(named[path]).st_mtime
            hits.setdefault(path, Hit(path, modified, count, named[path]))


def _dated(files: Workspace, counts: dict[str, int], engine: Ripgrep) -> Iterator[Hit]:
    """The files ripgrep named, with the time of their change; one that is not a plain file by now is left out."""
    for path in sorted(counts):  # so that each directory is opened once
        above, _, name = path.rpartition("/")
        parts = tuple(above.split("/")) if above else ()
        if len(parts) > DEEPEST:
            engine.unreadable.append((path, TOO_DEEP))
            continue
        try:
            status = os.stat(name, dir_fd=files.directories.handle(parts), follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode):
            yield Hit(path, status.st_mtime, counts[path])


# -- lines ---------------------------------------------------------------------------------------


def _completed(files: Workspace, found: Findings, engine: Engine, query: Query, most: int) -> Findings:
    """Puts the newest first, and reads the lines of those that are wanted."""
    found.hits.sort(key=lambda hit: (-hit.modified, hit.path))
    if query.mode == CONTENT:
        batch = min(_BATCH, max(os.sysconf("SC_OPEN_MAX") // 2, 10), most + 1 if most else _BATCH)
        for at in range(0, len(found.hits), batch):
            _read(files, found, found.hits[at : at + batch], engine, most)
            if found.more or engine.late:
                break
    found.late = engine.late
    found.left_out = engine.left_out
    found.unreadable = engine.unreadable
    return found


def _read(files: Workspace, found: Findings, hits: list[Hit], engine: Engine, most: int) -> None:
    """Adds the lines of some files, until one more than wanted is there: so it is known that there are more."""
    opened = _opened(files, hits, engine)
    matching = sum(line.matches for line in found.lines)
    lines = engine.lines([(hit.path, handle) for hit, handle in opened], most + 1 if most else 0)
    try:
        for line in lines:
            found.lines.append(line)
            matching += line.matches
            if most and matching > most:
                found.more = True
                break
    except UnusableError as error:  # it found the files, and then failed at their lines
        engine.unreadable.append((hits[0].path, f"ripgrep {error}"))
    finally:
        lines.close()
        for hit, handle in opened:
            if hit.handle < 0:
                close(handle)


def _opened(files: Workspace, hits: list[Hit], engine: Engine) -> list[tuple[Hit, int]]:
    """The open files of hits; what is gone, or not a plain file any more, is left out."""
    opened: list[tuple[Hit, int]] = []
    for hit in hits:
        *above, name = hit.path.split("/")
        try:
            handle = hit.handle
            if handle < 0:
                handle = os.open(name, READING, dir_fd=files.directories.handle(tuple(above)))
        except OSError as error:
            if error.errno not in (ENOENT, ENOTDIR, ELOOP):
                engine.unreadable.append((hit.path, reason(error)))
            continue
        if hit.handle >= 0 or stat.S_ISREG(os.fstat(handle).st_mode):
            opened.append((hit, handle))
        else:
            close(handle)
    return opened
