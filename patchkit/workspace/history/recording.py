"""Write down what a run did, so that it can be undone.

Takes a plan before its commit, and what became of it after; leaves one file in the state directory. It holds
what is needed to go back and no more: the replaced spans of changed files, the whole content of those
that are gone. Part of every plain apply, so it imports next to nothing and asks the system for
four calls; and a failure here is nobody's: the files are changed, and that is what was asked for.

A record is a head and one frame for each commit, every one a netstring ('5:hello') of netstrings, so that a
reader can tell a record that was cut short. For each name there are two: what is told of it, with NUL between the
fields, and the old bytes, which are never copied on their way. `history` reads them.
"""

from __future__ import annotations

import os
import time
from _imp import source_hash

from patchkit.changes.model import Entry, FileChange, Plan, Section, Whole
from patchkit.workspace.directories import Parts, sign
from patchkit.workspace.metadata import NEW, Metadata, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.workspace.root import Workspace
    from patchkit.workspace.transaction import Transaction


Edit = tuple[int, int, int]  # start and stop in the content at hand, and the length of what takes the place
Way = tuple[list[str], bytes]  # back to old content: a word for the way, what it needs, and old bytes
HEAD = b"patchkit run 1"
ENDING = ".run"
MOST_KEPT = 16 << 20  # bytes of old content in one record
MOST_HASHED = 4 << 20  # bytes of a file that is also known by its content
THROUGH = "through"  # said of a file that was written to, so that going back does the same
TOO_LARGE = ["lost", "the content it replaced is too large to keep"], b""
_KEY = 0x70617463686B6974
_LONGEST = 160  # bytes of a path that is its own name; a file name has room for 255
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


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
    from patchkit.workspace.history.state import short_id

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


def committed(workspace: Workspace, plan: Plan, transaction: Transaction) -> None:
    """Writes down what a commit did: how to undo it, and what the files are now that a session has seen."""
    if workspace.recorder is not None:
        workspace.recorder.written_to = transaction.written_to
        workspace.recorder.write(plan, transaction.outcome, transaction.new_directories)
    if plan.sections and (workspace.tracked or _has_sessions(workspace)):  # what undoes a run has none
        try:
            from patchkit.workspace.sessions import after_commit

            after_commit(workspace, plan, transaction.outcome)
        except Exception:  # not only OSError, and loading it may fail, too: the files are changed all the same
            pass


def _has_sessions(workspace: Workspace) -> bool:
    """Whether the tools have written down here what they saw.

    One look in the state directory; a second one, in the root, only where no record of the run shows that to be in use.
    """
    above = home(workspace.real)
    if above is not None and os.path.exists(f"{above}/tracker"):
        return True
    recorded = workspace.recorder is not None and workspace.recorder.begun
    try:
        return not recorded and workspace.directories.status((), ".patchkit") is not None
    except OSError:
        return False  # the files are changed, and nothing from here on may fail


class Recorder:
    """The record of one run, which grows with every commit of it."""

    def __init__(self, root: str, directory: str) -> None:
        self.root = root
        self.run = ""
        self.room = MOST_KEPT  # bytes of old content that may still be kept
        self.olds: dict[str, bytes] = {}  # the old content of the names at hand
        self.known: dict[tuple[str, str], list[Edit]] = {}  # edits from one name's content to another's, if known
        self.written_to: list[str] = []  # the names at hand whose files were not replaced
        self.carriers: dict[int, FileChange] | None = None  # what holds an old content now, if that was asked
        self._directory = directory
        self.begun = False  # whether something is written
        self._way_back: Callable[..., Way] | None = None  # what knows the rarer ways, once it is needed

    def look(self, plan: Plan) -> None:
        """Before the commit: makes sure of the old content, as far as that may be kept."""
        self.olds = {}
        unread = []
        for change in plan.effective:
            before = change.before
            if before.kind == "file":
                if before.is_read:
                    self.olds[before.name] = before.data
                else:  # to be deleted, or only renamed
                    unread.append(change)
        if unread:
            look_at_unread(self, plan, unread)

    def write(self, plan: Plan, made: list[tuple[FileChange, str]], directories: list[Parts]) -> None:
        """After the commit: writes down what was made, each change with the sign of the new file."""
        try:
            frame = self._frame(plan, made, directories)
            self.save([b"%d:" % sum(map(len, frame)), *frame])
        except Exception:  # not only OSError: the files are changed, and saying that the run failed would be wrong
            self._forget()

    def _frame(self, plan: Plan, made: list[tuple[FileChange, str]], directories: list[Parts]) -> list[bytes]:
        self.carriers = None
        makers: dict[str, Section | None] = {}  # the one section that touched a name; None when several did
        for section in plan.sections:
            name, source = section.name, section.source
            makers[name] = None if name in makers else section
            if source != name:
                makers[source] = None if source in makers else section
        pieces = [pack(os.fsencode("\0".join(["/".join(each) for each in directories])))]
        for change, new in made:
            way, content = self._old(change, made, makers)
            self.room -= len(content)
            if self.room < 0:
                way, content = TOO_LARGE
            before = change.before
            if before.name in self.written_to and way[0] == "spans":
                way = [*way, THROUGH]
            told = os.fsencode("\0".join([before.name, *_after(change, new), before.kind, *way]))
            pieces.append(b"%d:%b%d:" % (len(told), told, len(content)))
            if content:
                pieces.append(content)
        return pieces

    def _old(self, change: FileChange, made: list[tuple[FileChange, str]], makers: dict[str, Section | None]) -> Way:
        """How the old content is had again."""
        before = change.before
        if before.kind == "missing":
            return ["none"], b""
        old, maker = self.olds.get(before.name), makers.get(before.name)
        if old is not None and maker is not None and maker.name == maker.source and change.keeps is before:
            edits = edits_of(maker, len(old), sum(map(len, change.after or ())))
            if edits is not None:
                return spans(before.name, old, edits)
        if self._way_back is None:
            self._way_back = way_back
        return self._way_back(self, change, made, makers)

    # -- where -----------------------------------------------------------------------------------

    def save(self, frame: list[bytes]) -> None:
        if self.begun:
            append = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            return write_closing(os.open(self.path, append), *frame)
        now = time.time_ns()
        write_closing(self._open_new(now // 1_000_000), self.head("applied", now, now), *frame)
        self.begun = True
        if now // 1_000_000 % 32 == 0:  # now and then
            from patchkit.workspace.history.state import tidy

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
                from patchkit.workspace.history.state import make

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


def known_by(pieces: list[bytes]) -> list[str]:
    """What tells contents apart: the size, and eight bytes of hash unless it is too large to be read through.

    The hash is SipHash as the interpreter has it for its own files, because there is nothing to import for it.
    """
    if isinstance(pieces, Whole) and not pieces.entry.is_read:
        return [f"{pieces.entry.standing.status.st_size}", ""]  # type: ignore[attr-defined]
    size = sum(map(len, pieces))
    return [f"{size}", source_hash(_KEY, b"".join(pieces)).hex() if is_hashed(size) else ""]


def is_hashed(size: int) -> bool:
    return size <= MOST_HASHED


def write_closing(opened: int, *pieces: bytes) -> None:
    try:
        write_all(opened, list(pieces))
    finally:
        os.close(opened)


def _after(change: FileChange, new: str) -> list[str]:
    """What a name holds after the run: its kind, its sign, its size and hash, or where a link leads."""
    if change.after is None:
        return ["missing", "", "", ""]
    if change.is_link:
        return ["link", new, "", os.fsdecode(b"".join(change.after))]
    return ["file", new, *known_by(change.after)]


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
        return settled(edits, old_size, new_size)
    return edits


def _start(edit: Edit) -> int:
    return edit[0]


def spans(name: str, old: bytes, edits: list[Edit]) -> Way:
    """The way back over the content of `name`: where each edit stands in it, and the old bytes of all of them."""
    places, shift = [], 0
    for start, stop, length in edits:
        places.append(f"{start + shift} {length} {stop - start}")
        shift += length - (stop - start)
    olds = b"".join([old[start:stop] for start, stop, _ in edits])
    return ["spans", name, *known_by([old]), " ".join(places)], olds


# -- keeping: What to keep of a file that is gone, moved, replaced, or changed by several sections. The rest of
# `recording`, for all but the plain update of a file: loaded when there is something of the kind.


def look_at_unread(recorder: Recorder, plan: Plan, changes: list[FileChange]) -> None:
    """Reads files that the plan takes away unread, as far as there is room to keep them.

    One that stays whole under another name needs no room; it is read if it is small enough to be known by its hash.
    """
    room = recorder.room
    moved = {id(change.after.entry) for change in plan.effective if isinstance(change.after, Whole)}
    for change in changes:
        before = change.before
        size = before.standing.status.st_size  # type: ignore[attr-defined]
        if id(before) in moved:
            if is_hashed(size):
                _read(before)
            continue
        room -= size
        if room >= 0 and _read(before):
            recorder.olds[before.name] = before.data


def _read(before: Entry) -> bool:
    """Reads a file; False when it cannot be, or is no longer the one planned for."""
    standing = before.standing
    seen = standing.status  # type: ignore[attr-defined]
    try:
        _ = before.data
    except Exception:  # a file that cannot be read can be deleted all the same
        return False
    if sign(seen) != sign(standing.status):  # type: ignore[attr-defined]
        standing.status = seen  # type: ignore[attr-defined]  # for the commit to notice and refuse
        return False
    return True


def way_back(
    recorder: Recorder, change: FileChange, made: list[tuple[FileChange, str]], makers: dict[str, Section | None]
) -> Way:
    """How old content is had again: from where it was moved to, from what replaced it, or whole from here."""
    before = change.before
    if before.kind == "link":
        return ["link", before.target], b""
    if recorder.carriers is None:
        recorder.carriers = {id(each.keeps): each for each, _ in made if each.after is not None}
    carrier = recorder.carriers.get(id(before))
    if carrier is not None and isinstance(carrier.after, Whole):
        return ["spans", carrier.before.name, *known_by(carrier.after), ""], b""
    old = recorder.olds.get(before.name)
    if old is None:
        return ["lost", "the content it replaced could not be kept"], b""
    if carrier is None:
        return ["whole", *_told(before.standing.metadata)], old  # type: ignore[attr-defined]
    name, new = carrier.before.name, carrier.after or []
    size = sum(map(len, new))
    edits = recorder.known.get((before.name, name))
    maker = makers.get(before.name)
    if edits is None and maker is not None and maker is makers.get(name):
        edits = edits_of(maker, len(old), size)
    if edits is None and max(len(old), size) > MOST_KEPT:
        return TOO_LARGE
    return spans(name, old, compared(old, b"".join(new)) if edits is None else edits)


def settled(edits: list[Edit], old_size: int, new_size: int) -> list[Edit]:
    """The edits with one at the end that holds whatever happened there.

    Endings come and go at the end of a file after the replacements are made, so this edit reaches from a line
    ending before the first one that touches the end to the end itself.
    """
    first = min([each[0] for each in edits if each[1] == old_size] or [old_size]) - 2
    while edits and edits[-1][1] > first:
        first = min(first, edits.pop()[0])
    first = max(first, 0)
    moved = sum(length - (stop - start) for start, stop, length in edits)
    return [*edits, (first, old_size, new_size - first - moved)]


def _told(metadata: Metadata) -> list[str]:
    """Mode and owner, then names and values of attributes in turn."""
    status = metadata.status
    fields = [f"{status.st_mode} {status.st_uid} {status.st_gid}"]
    for name, value in metadata.attributes:
        fields.extend((name, value.hex()))
    return fields


def compared(old: bytes, new: bytes) -> list[Edit]:
    """The one edit that turns `old` into `new`: all but what both begin and end with."""
    if old == new:
        return []
    x, y = len(old), len(new)
    head = agreement(old, new)
    tail = _longest(min(x, y) - head, lambda a, b: old[x - b : x - a] == new[y - b : y - a])
    return [(head, x - tail, y - tail - head)]


def agreement(one: bytes, other: bytes) -> int:
    """How many bytes two contents have in common at their beginnings."""
    return _longest(min(len(one), len(other)), lambda a, b: one[a:b] == other[a:b])


def _longest(most: int, agree: Callable[[int, int], bool]) -> int:
    """How far two contents agree, found by halves: each byte is compared about once."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        if agree(low, middle):
            low = middle
        else:
            high = middle
    return low
