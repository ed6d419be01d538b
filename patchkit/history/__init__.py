"""What was done in a workspace: runs, undo and redo, sessions, kept outputs."""

from __future__ import annotations

import os
import time

from patchkit.core.changes import Entry, FileChange, Plan, RewrittenChange, Section, Whole, is_executable
from patchkit.core.workspace import (
    HISTORY,
    INSIDE,
    NEW,
    SESSIONS,
    Directories,
    Metadata,
    Parts,
    location_of,
    make,
    metadata_of,
    open_kept,
    same,
    state_directory,
    write_closing,
)
from patchkit.core.workspace.root import Workspace
from patchkit.core.workspace.transaction import Transaction
from patchkit.errors import Note
from patchkit.values import Record

# -- record what the commits of a workspace do: how to undo them, and what a session has seen of the files
# Takes a root; gives a Workspace with an observer of its commits. The tracker is loaded where sessions have seen files.
# A failure to record is not a failure of the commit.


def tracked_workspace(
    root: str | os.PathLike[str] | None = None, start: str | os.PathLike[str] | None = None
) -> Workspace:
    """A workspace whose commits can be undone, and are known to the sessions that have seen its files."""
    return Workspace(root, start, CommitRecords())


class CommitRecords(Record):
    """The records of a workspace's commits; `recorder` has the history of the run under way, once there is any."""

    recorder: Recorder | None = None

    def begin(self) -> None:
        self.recorder = None

    def is_in_git(self, files: Workspace, run: str, names: list[str]) -> bool:
        """Whether a run that was interrupted while it was put into a commit is in one."""
        from patchkit.history.git_runs import finish

        return finish(files.real, run, names)

    def before(self, files: Workspace, changes: list[FileChange]) -> None:
        """Takes down what undoing will need, while it is there."""
        is_off = os.environ.get("PATCHKIT_NO_HISTORY", "0") not in ("", "0")
        if self.recorder is None and files.history and not is_off:
            self.recorder = Recorder(files.real, directory_of(files.real))
            self.recorder.author = files.author
        if self.recorder is not None:
            self.recorder.look(changes)

    def after(self, files: Workspace, plan: Plan, done: Transaction) -> None:
        """Records how to undo a commit, and the new content of files that a session has seen."""
        recorder = self.recorder
        if recorder is not None:
            recorder.written_to = done.written_to
            recorder.remarks = recorder.remarks or files.remarks
            recorder.write(plan, done.outcome, done.new_directories)
            if recorder.failure:
                plan.notes.append(Note("P962", reason=recorder.failure))
        try:
            recorded = recorder is not None and recorder.begun
            # The plan of an undo has no sections, and sessions are updated by its caller.
            if plan.sections and (files.tracked or has_sessions(files.real, files.directories, recorded)):
                from patchkit.history.sessions import after_commit

                after_commit(files, plan, done.outcome)
        except Exception:  # not only OSError, as importing may fail, too: the files are changed all the same
            pass


def has_sessions(root: str, directories: Directories, outside_is_used: bool) -> bool:
    """Whether tools have recorded here which files they saw."""
    above = state_directory(root)
    if above is not None and os.path.exists(f"{above}/{SESSIONS}"):
        return True
    try:
        return not outside_is_used and directories.status((), INSIDE) is not None
    except OSError:
        return False


# -- record what a run did, so that it can be undone ----------------------------------------------------------------
# Takes a plan before its commit, and the result of the commit after it; leaves one file in the state directory. It
# holds what undoing needs and no more: the replaced spans of changed files, and the whole content of those that are
# gone. It is part of every plain apply, so it makes four calls to the system. A failure here is not a failure of the
# run: the files are changed, and that is what was asked for.
#
# A record is a head and one frame for each commit. Each is a netstring ('5:hello') of netstrings, so a reader notices a
# record that was cut short. For each name there are two: a description, with NUL between its fields, and the old bytes,
# which are never copied on their way. `reading` reads them.


# -- what a record says about contents: the fingerprint of one, and how one is made of another -----
# Takes contents as bytes, or as the pieces that were written; gives fingerprints and edits. It opens no files.


Edit = tuple[int, int, int]  # start and stop in one content, and the length of what replaces that in another
MOST_HASHED = 4 << 20  # bytes of a file that is also known by the hash of its content
REMAINDER, CHECKSUM = "r", "c"  # the kinds of hashes, by their first letter
_CHEAP = 32 << 10  # bytes whose remainders cost less than importing zlib
# A safe prime, so that no power of 256 repeats: moving a part of a content always changes the remainder.
_PRIME = (1 << 90) - 41


class Fingerprints:
    """Makes the fingerprints of one record: with remainders while these are cheap, then with CRC-32.

    Both kinds protect against accidents: another content of the same size has the same hash with a probability of
    2^-90, or of 2^-32 for CRC-32, and never if all that differs lies within 4 bytes. Contents with the same hash can be
    made on purpose. Not `hashlib`, and for a small run not `zlib`: importing them takes 3.6 and 0.4 ms, and all that is
    ours in a small run takes 4.7. But a remainder takes fifteen times as long as a CRC-32.
    """

    def __init__(self) -> None:
        self._room = _CHEAP

    def of(self, pieces: list[bytes]) -> list[str]:
        """What a content is known by, see `fingerprint`."""
        if not isinstance(pieces, Whole) or pieces.entry.is_read:
            self._room -= sum(map(len, pieces))
        return fingerprint(pieces, REMAINDER if self._room >= 0 else CHECKSUM)

    def mark(self, pieces: list[bytes]) -> str:
        """The hash of a part of the record itself, of whatever size: after a power cut it may hold zeros."""
        self._room -= sum(map(len, pieces))
        return _hash(pieces, REMAINDER if self._room >= 0 else CHECKSUM)


def is_marked_by(content: bytes, mark: str) -> bool:
    """Whether this is the part of a record that a mark was made of."""
    return _hash([content], mark[:1]) == mark


def is_known_by(pieces: list[bytes], known: list[str]) -> bool:
    """Whether a content is the one that a fingerprint was made of."""
    return fingerprint(pieces, known[1][:1]) == known


def fingerprint(pieces: list[bytes], kind: str) -> list[str]:
    """The size of a content and its hash, which is '' for a file too large to be read for that; part of the format."""
    if isinstance(pieces, Whole) and not pieces.entry.is_read:
        return [f"{pieces.entry.size}", ""]
    size = sum(map(len, pieces))
    return [f"{size}", _hash(pieces, kind) if is_hashed(size) else ""]


def is_hashed(size: int) -> bool:
    return size <= MOST_HASHED


def _hash(pieces: list[bytes], kind: str) -> str:
    """The bytes as one number modulo a prime, or their CRC-32."""
    if kind == REMAINDER:
        return f"{REMAINDER}{int.from_bytes(b''.join(pieces), 'big') % _PRIME:x}"
    import zlib  # for more than a few files; its names by `from` take seven times as long in each call

    found = 0
    for piece in pieces:  # which are not joined for this: there may be many megabytes of them
        found = zlib.crc32(piece, found)
    return f"{CHECKSUM}{found:08x}"


def edits_of(section: Section, old_size: int, new_size: int) -> list[Edit] | None:
    """The edits that one section made of a file; None when its positions are not those of the file's bytes."""
    document = section.document
    if document is None or document.codec is not None:
        return None
    shift = len(document.bom)
    edits = [(each.start + shift, each.stop + shift, len(each.new)) for each in section.replacements]
    edits.sort(key=lambda each: each[0])  # stable: insertions at one place keep their order
    expected = old_size + sum([length - (stop - start) for start, stop, length in edits])
    if expected != new_size or (edits and edits[-1][1] == old_size):
        return _with_end(edits, old_size, new_size)
    return edits


def _with_end(edits: list[Edit], old_size: int, new_size: int) -> list[Edit]:
    """The edits with a last one that covers whatever happened at the end of the file.

    Endings are added and removed at the end of a file after the replacements are made, so this edit reaches from a line
    ending before the first one that touches the end to the end itself.
    """
    first = min([each[0] for each in edits if each[1] == old_size] or [old_size]) - 2
    while edits and edits[-1][1] > first:
        first = min(first, edits.pop()[0])
    first = max(first, 0)
    moved = sum(length - (stop - start) for start, stop, length in edits)
    return [*edits, (first, old_size, new_size - first - moved)]


def compared(old: bytes, new: bytes) -> list[Edit]:
    """The one edit that turns `old` into `new`: all but what both begin and end with."""
    if old == new:
        return []
    from patchkit.core.workspace.in_place import agreement, longest  # hunks say what changed; this is for the rest

    x, y = len(old), len(new)
    head = agreement(old, new)
    tail = longest(min(x, y) - head, lambda a, b: old[x - b : x - a] == new[y - b : y - a])
    return [(head, x - tail, y - tail - head)]


Restoring = tuple[list[str], bytes]  # how old content is restored: a word, what that needs; and old bytes
HEAD = b"patchkit run 5"
ENDING = ".run"
MOST_KEPT = 16 << 20  # bytes of old content in one record
IN_PLACE = "in-place"  # said of a file that was written in place, so that undoing does the same
EXECUTABLE, PLAIN = "executable", "plain"  # said of a file that was so before, where the run changed that
# What is written of each name, in this order; what restoring needs follows.
FIELDS = ("name", "after", "sign", "size", "hash", "before", "way")
_TOO_LARGE = ["lost", "the content it replaced is too large to keep"], b""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def directory_of(root: str) -> str | None:
    """The directory of the records of `root`; None where nothing can be recorded."""
    above = state_directory(root)
    return f"{above}/{HISTORY}" if above is not None else None


class Recorder:
    """The record of one run, which grows with every commit of it."""

    def __init__(self, root: str, directory: str | None) -> None:
        self.run = ""
        self.begun = False  # whether anything is written yet
        self.failure = "" if directory else "there is no state directory outside the workspace"
        self.known: dict[tuple[str, str], list[Edit]] = {}  # that make one name's content of another's
        self.written_to: list[str] = []  # names that were written in place
        self.author: list[str] = []  # where that is known: 'agent' or 'person', the session, the tool
        self.remarks: list[str] = []
        self._moment = 0  # for which the id of the run is reserved, in milliseconds
        self._fingerprints = Fingerprints()
        self._root = root
        self._directory = directory or ""
        self._room = MOST_KEPT  # bytes of old content that may still be kept
        self._olds: dict[str, bytes] = {}  # the old content of the names at hand
        self._carriers: dict[int, FileChange] = {}  # by the id of an entry: the change that has its content now

    def look(self, changes: list[FileChange]) -> None:
        """Before the commit: reads the old content, as far as that can be kept."""
        self._olds = {}
        if not self._directory:
            return
        unread = []
        for change in changes:
            before = change.before
            if before.kind == "file":
                if before.is_read:
                    self._olds[before.name] = before.data
                else:  # to be deleted, or only renamed
                    unread.append(before)
        if unread:
            self._look_at_unread(changes, unread)

    def _look_at_unread(self, changes: list[FileChange], entries: list[Entry]) -> None:
        """Reads files that the plan removes unread, as far as they may be kept."""
        room = self._room
        moved = {id(change.after.entry) for change in changes if isinstance(change.after, Whole)}
        for before in entries:
            size = before.size
            if id(before) in moved:  # it only gets another name
                if is_hashed(size):
                    _read(before)
                continue
            room -= size
            if room >= 0 and _read(before):
                self._olds[before.name] = before.data

    def write(self, plan: Plan, made: list[tuple[FileChange, str]], directories: list[Parts]) -> None:
        """After the commit: records what was made, each change with the sign of the new file."""
        if not self._directory:
            return
        try:
            frame = self._frame(plan, made, directories)
            frame.append(pack(self._fingerprints.mark(frame).encode()))
            self.save([b"%d:" % sum(map(len, frame)), *frame])
        except Exception as error:  # not only OSError: the files are changed, and reporting a failed run would be wrong
            reason = str(error.strerror).lower() if isinstance(error, OSError) else type(error).__name__
            self.failure = f"{reason} ('{self._directory}')"
            self._remove()

    def _frame(self, plan: Plan, made: list[tuple[FileChange, str]], directories: list[Parts]) -> list[bytes]:
        # Where a new file takes the name of a moved one, both may keep what they can of it: the moved one has it.
        kept = [each for each, _ in made if each.after is not None]
        whole = [each for each in kept if isinstance(each.after, Whole)]
        self._carriers = {id(each.keeps): each for each in [*kept, *whole]}
        makers: dict[str, Section | None] = {}  # the one section that touched a name; None when several did
        for section in plan.sections:
            name, source = section.name, section.source
            makers[name] = None if name in makers else section
            if source != name:
                makers[source] = None if source in makers else section
        pieces = [pack(os.fsencode("\0".join(["/".join(each) for each in directories])))]
        for change, new in made:
            way, content = self._restoring(change, makers)
            self._room -= len(content)
            if self._room < 0:
                way, content = _TOO_LARGE
            before = change.before
            if way[0] == "spans":
                if before.name in self.written_to:
                    way.append(IN_PLACE)
                carrier = self._carriers.get(id(before), change)  # under another name, where names swap
                if carrier.executable is not None:
                    way.append(EXECUTABLE if is_executable(before) else PLAIN)
            fields = os.fsencode("\0".join([before.name, *self._after(change, new), before.kind, *way]))
            pieces.append(b"%d:%b%d:" % (len(fields), fields, len(content)))
            if content:
                pieces.append(content)
        return pieces

    def _after(self, change: FileChange, new: str) -> list[str]:
        """What a name holds after the run: its kind, its sign, its size and hash, or where a link leads."""
        if change.after is None:
            return ["missing", "", "", ""]
        if change.is_link:
            return ["link", new, "", os.fsdecode(b"".join(change.after))]
        return ["file", new, *self._fingerprints.of(change.after)]

    def _restoring(self, change: FileChange, makers: dict[str, Section | None]) -> Restoring:
        """From what replaced it, from where it was moved to, or whole from the record."""
        before = change.before
        if before.kind == "missing":
            status = location_of(before).status  # of a directory that is replaced
            return ["none"] if status is None else ["none", f"{status.st_mode & 0o777}"], b""
        if before.kind == "link":
            return ["link", before.target], b""
        old, maker = self._olds.get(before.name), makers.get(before.name)
        plain = maker is not None and maker.name == maker.source and not isinstance(change, RewrittenChange)
        if old is not None and maker is not None and plain and change.keeps is before:
            edits = edits_of(maker, len(old), sum(map(len, change.after or ())))
            if edits is not None:  # the plain update of a file
                return self._spans(before.name, old, edits)
        carrier = self._carriers.get(id(before))
        if carrier is not None and isinstance(carrier.after, Whole):
            return ["spans", carrier.before.name, ""], b""
        if old is None:
            return ["lost", "the content it replaced could not be kept"], b""
        if carrier is None:
            return ["whole", *_metadata_fields(metadata_of(before))], old
        return self._spans_of_carrier(before.name, old, carrier, makers)

    def _spans_of_carrier(
        self, name: str, old: bytes, carrier: FileChange, makers: dict[str, Section | None]
    ) -> Restoring:
        """The way back from the content that took over an old one, under the same name or another."""
        other, new = carrier.before.name, carrier.after or []
        size = sum(map(len, new))
        edits = self.known.get((name, other))
        maker = makers.get(name)
        rewritten = isinstance(carrier, RewrittenChange)
        if edits is None and maker is not None and maker is makers.get(other) and not rewritten:
            edits = edits_of(maker, len(old), size)
        if edits is None and max(len(old), size) > MOST_KEPT:
            return _TOO_LARGE
        return self._spans(other, old, compared(old, b"".join(new)) if edits is None else edits)

    def _spans(self, name: str, old: bytes, edits: list[Edit]) -> Restoring:
        """The way back from the content of `name`: where each edit is in it, and the old bytes of all of them."""
        places, shift = [], 0
        for start, stop, length in edits:
            places.append(f"{start + shift} {length} {stop - start}")
            shift += length - (stop - start)
        olds = b"".join([old[start:stop] for start, stop, _ in edits])
        return ["spans", name, " ".join(places)], olds

    def save(self, frame: list[bytes]) -> None:
        if self.begun:
            return write_closing(open_kept(self.path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW), *frame)
        now = time.time_ns()
        write_closing(self._open_new(self._moment or now // 1_000_000), self.head("applied", now, now), *frame)
        self.begun = True
        if now // 1_000_000 % 32 == 0:
            from patchkit.history.bounds import tidy  # once in 32 runs

            tidy(self._directory)
        return None

    def head(self, state: str, first: int, now: int) -> bytes:
        """What a record begins with: the state of the run, when it was first applied and when that began, the root."""
        fields = [HEAD, state.encode(), b"%d %d" % (first, now), os.fsencode(self._root)]
        session = os.environ.get("PATCHKIT_SESSION")
        if self.author or session or self.remarks:
            fields.append(os.fsencode("\0".join(self.author or ["", session or "", ""])))
        if self.remarks:
            fields.append(os.fsencode("\0".join(self.remarks)))
        return pack(pack(*fields))

    def reserve(self) -> str:
        """The id that the run will have: the lock of the root is held, so no other run takes it."""
        self._moment = time.time_ns() // 1_000_000
        while os.path.lexists(f"{self._directory}/{run_id(self._moment)}{ENDING}"):
            self._moment += 1
        return run_id(self._moment)

    def _open_new(self, moment: int) -> int:
        """Opens a record under the first name that is free: the millisecond of the run, and a letter if need be."""
        for letter in ("", *_DIGITS[10:]):
            self.run = run_id(moment) + letter
            try:
                return os.open(self.path, NEW, 0o600)
            except FileExistsError:
                pass
            except FileNotFoundError:
                make(self._directory)
                return os.open(self.path, NEW, 0o600)
        return self._open_new(moment + 1)

    @property
    def path(self) -> str:
        return f"{self._directory}/{self.run}{ENDING}"

    def _remove(self) -> None:
        """Removes the record: none is better than one that holds half of what happened."""
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


def _metadata_fields(metadata: Metadata) -> list[str]:
    """Mode and owner, then names and values of attributes in turn."""
    status = metadata.status
    fields = [f"{status.st_mode} {status.st_uid} {status.st_gid}"]
    for name, value in metadata.attributes:
        fields.extend((name, value.hex()))
    return fields


def _read(before: Entry) -> bool:
    """Reads a file; False when that fails, or when it is no longer the one planned for."""
    location = location_of(before)
    seen = location.status
    try:
        _ = before.data
        if seen is not None and same(location.status, seen):
            return True
    except Exception:  # a file that cannot be read can be deleted all the same
        pass
    location.status = seen  # the commit notices and refuses another file
    return False
