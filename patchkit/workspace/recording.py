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
from patchkit.workspace.directories import Parts, sign
from patchkit.workspace.transaction import LinkChange

Edit = tuple[int, int, int]  # start and stop in the content at hand, and the length of what takes the place

HEAD = b"patchkit run 1"
ENDING = ".run"
MOST_KEPT = 16 << 20  # bytes of old content in one record
MOST_HASHED = 4 << 20  # bytes of a file that is also known by its content
_TOO_LARGE = [b"lost", b"the content it replaced is too large to keep"]
_KEY = 0x70617463686B6974
_LONGEST = 160  # bytes of a path that is its own name; a file name has room for 255
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


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
    from hashlib import sha256

    kept = os.fsencode(root)[-60:].decode("utf-8", "ignore").replace("/", "+")
    return f"{sha256(os.fsencode(root)).hexdigest()[:32]}={kept}"


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
    """The record of one run: new, or that of an earlier run which is now being undone or redone.

    `time` is when the run was first applied, `since` the least that the record says of now: the clock may stand
    still, the order of what happened must not. Both are nanoseconds.
    """

    def __init__(
        self, root: str, directory: str, run: str = "", state: str = "applied", time: int = 0, since: int = 0
    ) -> None:
        self.root = root
        self.run = run
        self.state = state
        self.time = time
        self.since = since
        self.known: dict[tuple[str, str], list[Edit]] = {}  # edits from one name's content to another's, known before
        self._directory = directory
        self._renews = bool(run)
        self._begun = False
        self._room = MOST_KEPT
        self._olds: dict[str, bytes] = {}

    def look(self, plan: Plan) -> None:
        """Before the commit: reads what will be gone after it, as far as that may be kept."""
        room = self._room
        self._olds = {}
        for change in plan.effective:
            before = change.before
            if before.kind != "file":
                continue
            standing = before.standing
            if standing.metadata is None:  # type: ignore[attr-defined]  # not read yet: a delete never asks
                seen = standing.status  # type: ignore[attr-defined]
                room -= seen.st_size
                if room < 0:
                    continue
                try:
                    _ = before.data
                except Exception:  # a file that cannot be read can be deleted all the same
                    continue
                if sign(seen) != sign(standing.status):  # type: ignore[attr-defined]
                    standing.status = seen  # type: ignore[attr-defined]  # for the commit to notice and refuse
                    continue
            self._olds[before.name] = before.data

    def write(self, plan: Plan, made: list[tuple[FileChange, str]], directories: list[Parts]) -> None:
        """After the commit: writes down what was made, each change with the sign of the new file."""
        try:
            self._save(pack(self._frame(plan, made, directories)))
        except Exception:  # not only OSError: the files are changed, and saying that the run failed would be wrong
            self._forget()

    # -- what is written -------------------------------------------------------------------------

    def _frame(self, plan: Plan, made: list[tuple[FileChange, str]], directories: list[Parts]) -> bytes:
        carriers = {id(change.keeps): change for change, _ in made if change.after is not None}
        makers: dict[str, list[Section]] = {}
        for section in plan.sections:
            for name in {section.name, section.source}:
                makers.setdefault(name, []).append(section)
        fields = [os.fsencode("\0".join("/".join(each) for each in directories))]
        for change, new in made:
            old = self._old(change, carriers.get(id(change.before)), makers)
            self._room -= sum(map(len, old[1:]))
            if self._room < 0:
                old = _TOO_LARGE
            fields.append(
                pack(os.fsencode(change.before.name), *_after(change, new), change.before.kind.encode(), *old)
            )
        return pack(*fields)

    def _old(self, change: FileChange, carrier: FileChange | None, makers: dict[str, list[Section]]) -> list[bytes]:
        """How the old content is had again: a word for the way, and what the way needs."""
        before = change.before
        if before.kind == "missing":
            return [b"none"]
        if before.kind == "link":
            return [b"link", os.fsencode(before.target)]
        old = self._olds.get(before.name)
        if old is None:
            return [b"lost", b"the content it replaced could not be kept"]
        if carrier is None:
            from patchkit.workspace.keeping import metadata_bytes

            return [b"whole", metadata_bytes(before.standing.metadata), old]  # type: ignore[attr-defined]
        name = carrier.before.name
        new: list[bytes] = carrier.after  # type: ignore[assignment]
        size = sum(map(len, new))
        edits = self.known.get((before.name, name))
        if edits is None:
            sections = [*makers.get(before.name, ()), *(makers.get(name, ()) if name != before.name else ())]
            one = sections[0] if sections and all(each is sections[0] for each in sections) else None
            edits = _edits_of(one, len(old), size) if one is not None else None
        if edits is None:
            if max(len(old), size) > MOST_KEPT:
                return _TOO_LARGE
            from patchkit.workspace.keeping import compared

            edits = compared(old, b"".join(new))
        return [b"spans", os.fsencode(name), *known_by([old]), *_spans(old, edits)]

    # -- where -----------------------------------------------------------------------------------

    def _save(self, frame: bytes) -> None:
        if self._begun:
            opened = os.open(self._path(), os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
            return _write(opened, frame)
        now = max(time.time_ns(), self.since)
        times = b"%d %d" % (self.time or now, now)
        record = pack(pack(HEAD, self.state.encode(), times, os.fsencode(self.root))) + frame
        if self._renews:
            temporary = f"{self._path()}.tmp"
            _write(os.open(temporary, _NEW & ~os.O_EXCL | os.O_TRUNC, 0o600), record)
            os.rename(temporary, self._path())
        else:
            _write(self._open_new(now // 1_000_000), record)
            if now // 1_000_000 % 32 == 0:  # now and then
                from patchkit.workspace.state import prune

                prune(self._directory)
        self._begun = True
        return None

    def _open_new(self, moment: int) -> int:
        """Opens a record under the first name that is free: the millisecond of the run, and a letter if need be."""
        while True:
            for letter in ("", *_DIGITS[10:]):
                self.run = run_id(moment) + letter
                try:
                    return os.open(self._path(), _NEW, 0o600)
                except FileExistsError:
                    pass
                except FileNotFoundError:
                    from patchkit.workspace.state import make

                    make(self._directory)
                    return os.open(self._path(), _NEW, 0o600)
            moment += 1

    def _path(self) -> str:
        return f"{self._directory}/{self.run}{ENDING}"

    def _forget(self) -> None:
        """No record is better than one that tells half of what happened."""
        try:
            if self.run:
                os.unlink(self._path())
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


def _write(opened: int, data: bytes) -> None:
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


def _edits_of(section: Section, old_size: int, new_size: int) -> list[Edit] | None:
    """The edits that one section made of a file; None when its positions are not those of the file's bytes."""
    document = section.document
    if document is None or document.codec is not None:
        return None
    shift = len(document.bom)
    edits = [(each.start + shift, each.stop + shift, len(each.new)) for each in section.replacements]
    edits.sort(key=_start)  # stable: insertions at one place keep their order
    expected = old_size + sum(length - (stop - start) for start, stop, length in edits)
    if (edits and edits[-1][1] == old_size) or expected != new_size:
        # Endings come and go at the end of a file after the replacements are made, so the last edit
        # reaches from a line ending before the first one that touches the end to the end itself.
        first = min([each[0] for each in edits if each[1] == old_size] or [old_size]) - 2
        while edits and edits[-1][1] > first:
            first = min(first, edits.pop()[0])
        first = max(first, 0)
        moved = sum(length - (stop - start) for start, stop, length in edits)
        edits.append((first, old_size, new_size - first - moved))
    return edits


def _start(edit: Edit) -> int:
    return edit[0]


def _spans(old: bytes, edits: list[Edit]) -> list[bytes]:
    """The way back: for each edit its place in the new content and the size of the old, and the old bytes of all."""
    places, shift = [], 0
    for start, stop, length in edits:
        places.append(b"%d %d %d" % (start + shift, length, stop - start))
        shift += length - (stop - start)
    return [b" ".join(places), b"".join([old[start:stop] for start, stop, _ in edits])]
