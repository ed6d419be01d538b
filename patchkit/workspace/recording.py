"""Write down what a run did, so that it can be undone.

Takes a plan before its commit, and what became of it after; leaves one file in the state directory. It holds
what is needed to go back and no more: the replaced spans of changed files, the whole content of those
that are gone. Part of every plain apply, so it imports next to nothing and asks the system for
four calls; and a failure here is nobody's: the files are changed, and that is what was asked for.

A record is a head and one frame for each commit, every one a netstring of netstrings ('5:hello'), so that
a reader can tell a record that was cut short. `history` reads them.
"""

from __future__ import annotations

import os
import time
from _imp import source_hash

from patchkit.changes.model import FileChange, Plan, Section
from patchkit.workspace.directories import Parts
from patchkit.workspace.transaction import LinkChange

Edit = tuple[int, int, int]  # start and stop in the content at hand, and the length of what takes the place

HEAD = b"patchkit run 1"
ENDING = ".run"
MOST_KEPT = 16 << 20  # bytes of old content in one record
MOST_HASHED = 4 << 20  # bytes of a file that is also known by its content
TOO_LARGE = [b"lost", b"the content it replaced is too large to keep"]
_KEY = 0x70617463686B6974
_LONGEST = 160  # bytes of a path that is its own name; a file name has room for 255
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def home(root: str) -> str | None:
    """The directory for what is remembered of `root`; None where there is none, or where it would lie in the root."""
    base = os.environ.get("XDG_STATE_HOME") or ""
    if not base.startswith("/"):  # the standard says to ignore a relative one
        user = os.path.expanduser("~")
        if not user.startswith("/"):
            return None
        base = f"{user}/.local/state"
    if f"{base}/".startswith(root if root == "/" else f"{root}/"):
        return None
    return f"{base}/patchkit/{root_id(root)}"


def root_id(root: str) -> str:
    """A path as one file name: '/work/my-app' is '+work+my-app'. No two paths share one."""
    name = root.replace("=", "==").replace("+", "=+").replace("/", "+")
    if len(os.fsencode(name)) <= _LONGEST:
        return name
    from patchkit.workspace.state import short_id

    return short_id(root)


def directory_of(root: str) -> str | None:
    """Where the runs in `root` are recorded; None where nothing can be."""
    above = home(root)
    return f"{above}/history" if above is not None else None


def recorder_for(root: str) -> Recorder | None:
    """The recorder of a new run in `root`; None when none is wanted, or there is no place for its record."""
    directory = directory_of(root)
    if directory is None or os.environ.get("PATCHKIT_NO_HISTORY", "0") not in ("", "0"):
        return None
    return Recorder(root, directory)


class Recorder:
    """The record of one run, which grows with every commit of it."""

    def __init__(self, root: str, directory: str) -> None:
        self.root = root
        self.run = ""
        self.room = MOST_KEPT  # bytes of old content that may still be kept
        self.olds: dict[str, bytes] = {}  # the old content of the names at hand
        self.known: dict[tuple[str, str], list[Edit]] = {}  # edits from one name's content to another's, if known
        self.carriers: dict[int, FileChange] | None = None  # what holds an old content now, if that was asked
        self._directory = directory
        self._begun = False

    def look(self, plan: Plan) -> None:
        """Before the commit: makes sure of the old content, as far as that may be kept."""
        self.olds = {}
        room = self.room
        for change in plan.effective:
            before = change.before
            if before.kind == "file":
                if before.standing.metadata is None:  # type: ignore[attr-defined]  # not read: a delete never asks
                    from patchkit.workspace.keeping import read

                    room -= before.standing.status.st_size  # type: ignore[attr-defined]
                    if room < 0 or not read(before):
                        continue
                self.olds[before.name] = before.data

    def write(self, plan: Plan, made: list[tuple[FileChange, str]], directories: list[Parts]) -> None:
        """After the commit: writes down what was made, each change with the sign of the new file."""
        try:
            self.save(pack(self._frame(plan, made, directories)))
        except Exception:  # not only OSError: the files are changed, and saying that the run failed would be wrong
            self._forget()

    def _frame(self, plan: Plan, made: list[tuple[FileChange, str]], directories: list[Parts]) -> bytes:
        self.carriers = None
        makers: dict[str, Section | None] = {}  # the one section that touched a name; None when several did
        for section in plan.sections:
            for name in {section.name, section.source}:
                makers[name] = None if name in makers else section
        fields = [os.fsencode("\0".join("/".join(each) for each in directories))]
        for change, new in made:
            old = self._old(change, made, makers)
            self.room -= sum(map(len, old[1:]))
            if self.room < 0:
                old = TOO_LARGE
            fields.append(
                pack(os.fsencode(change.before.name), *_after(change, new), change.before.kind.encode(), *old)
            )
        return pack(*fields)

    def _old(
        self, change: FileChange, made: list[tuple[FileChange, str]], makers: dict[str, Section | None]
    ) -> list[bytes]:
        """How the old content is had again: a word for the way, and what the way needs."""
        before = change.before
        if before.kind == "missing":
            return [b"none"]
        old, maker = self.olds.get(before.name), makers.get(before.name)
        if old is not None and maker is not None and maker.name == maker.source and change.keeps is before:
            edits = edits_of(maker, len(old), sum(map(len, change.after or ())))
            if edits is not None:
                return spans(before.name, old, edits)
        from patchkit.workspace.keeping import way_back

        return way_back(self, change, made, makers)

    # -- where -----------------------------------------------------------------------------------

    def save(self, frame: bytes) -> None:
        if self._begun:
            append = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            return write_closing(os.open(self.path, append), frame)
        now = time.time_ns()
        write_closing(self._open_new(now // 1_000_000), self.head("applied", now, now) + frame)
        self._begun = True
        if now // 1_000_000 % 32 == 0:  # now and then
            from patchkit.workspace.state import tidy

            tidy(self._directory)
        return None

    def head(self, state: str, first: int, now: int) -> bytes:
        """What a record begins with: the state of the run, when it was first applied, when this was, the root."""
        return pack(pack(HEAD, state.encode(), b"%d %d" % (first, now), os.fsencode(self.root)))

    def _open_new(self, moment: int) -> int:
        """Opens a record under the first name that is free: the millisecond of the run, and a letter if need be."""
        for letter in ("", *_DIGITS[10:]):
            self.run = run_id(moment) + letter
            try:
                return os.open(self.path, NEW, 0o600)
            except FileExistsError:
                pass
            except FileNotFoundError:
                from patchkit.workspace.state import make

                make(self._directory)
                return os.open(self.path, NEW, 0o600)
        return self._open_new(moment + 1)

    @property
    def path(self) -> str:
        return f"{self._directory}/{self.run}{ENDING}"

    def _forget(self) -> None:
        """No record is better than one that tells half of what happened."""
        try:
            if self.run:
                os.unlink(self.path)
        except OSError:
            pass


def run_id(moment: int) -> str:
    """A time in milliseconds as eight digits and letters that sort like the time."""
    digits = ""
    for _ in range(8):
        moment, digit = divmod(moment, 36)
        digits = _DIGITS[digit] + digits
    return digits


def pack(*fields: bytes) -> bytes:
    return b"".join([b"%d:%b" % (len(field), field) for field in fields])


def known_by(pieces: list[bytes]) -> list[bytes]:
    """What tells contents apart: the size, and eight bytes of hash unless it is too large to be read through.

    The hash is SipHash as the interpreter has it for its own files, because there is nothing to import for it.
    """
    size = sum(map(len, pieces))
    return [b"%d" % size, source_hash(_KEY, b"".join(pieces)) if size <= MOST_HASHED else b""]


def write_closing(opened: int, data: bytes) -> None:
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(opened, view) :]
    finally:
        os.close(opened)


def _after(change: FileChange, new: str) -> list[bytes]:
    """What a name holds after the run: its kind, its sign, its size and hash, or where a link leads."""
    if change.after is None:
        return [b"missing", b"", b"", b""]
    if isinstance(change, LinkChange):
        return [b"link", new.encode(), b"", b"".join(change.after)]
    return [b"file", new.encode(), *known_by(change.after)]


# -- spans ---------------------------------------------------------------------------------------


def edits_of(section: Section, old_size: int, new_size: int) -> list[Edit] | None:
    """The edits that one section made of a file; None when its positions are not those of the file's bytes."""
    document = section.document
    if document is None or document.codec is not None:
        return None
    shift = len(document.bom)
    edits = [(each.start + shift, each.stop + shift, len(each.new)) for each in section.replacements]
    edits.sort(key=_start)  # stable: insertions at one place keep their order
    expected = old_size + sum([length - (stop - start) for start, stop, length in edits])
    if expected != new_size or (edits and edits[-1][1] == old_size):
        from patchkit.workspace.keeping import settled

        return settled(edits, old_size, new_size)
    return edits


def _start(edit: Edit) -> int:
    return edit[0]


def spans(name: str, old: bytes, edits: list[Edit]) -> list[bytes]:
    """The way back over the content of `name`: where each edit stands in it, and the old bytes of all of them."""
    places, shift = [], 0
    for start, stop, length in edits:
        places.append(b"%d %d %d" % (start + shift, length, stop - start))
        shift += length - (stop - start)
    olds = [old[start:stop] for start, stop, _ in edits]
    return [b"spans", os.fsencode(name), *known_by([old]), b" ".join(places), b"".join(olds)]
