"""Power cuts, simulated: the file calls of a real run, and the states that a disk may hold after a cut.

`Recorder` records every call by which a run changes files under a root. `disk_states` builds what may be on the disk
when the power fails after so many of these calls, under one of three models. `Recorder.restore` makes such a state
real again, with the same inodes, so that a recovery can be run on it.

What a sync covers is on the disk. What none covers yet may be there or not, within these rules:

- `ordered` (ext4 with its defaults): names, new files and links reach the disk in the order of the calls, and a sync of
  anything brings along all earlier ones. Data comes whenever it likes: a new file may be empty or short, and pages of
  a file that is written in place come in any order.
- `directories`: names in one directory reach the disk in the order of the calls, those in different directories in
  any order. Only a sync of the directory covers them. Pages come in any order; a file may be long enough and hold
  zeros.
- `names`: every call that changes a name reaches the disk or not, by itself; else as before.

In all of them a rename is one step, and a symbolic link exists with its target or not at all. A disk that reports a
sync as done and loses it is not simulated.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

PAGE = 4096
MODELS = ("ordered", "directories", "names")
_REAL = {name: getattr(os, name) for name in dir(os)}
_ROOT = 0  # the number of the root directory; every other file has the number of its inode's second name


class Content(NamedTuple):
    """What an inode holds: bytes of a file or the target of a link, mode, and time of change; None for a directory."""

    data: bytes | None
    mode: int
    changed: int
    is_link: bool = False


class Disk(NamedTuple):
    """Directories by number, each with the numbers behind its names; and what every number holds."""

    names: dict[int, dict[str, int]]
    contents: dict[int, Content]


class Call(NamedTuple):
    """One call: the names that it sets (0: removes) in directories; or a number with its new content; or a sync."""

    what: str  # 'names', 'content' or 'sync'
    number: int = 0
    names: tuple[tuple[int, str, int | None], ...] = ()
    content: Content | None = None
    before: Content | None = None  # of a file whose content changes
    by: str = ""  # the function of `os`


class Recorder:
    """The calls that change files under `root`, from the moment of its making; `vault` keeps every inode alive.

    `fails` names functions of `os` that fail, with the number of the first call that does: a run that rolls back, or a
    file system that has no links.
    """

    def __init__(self, root: str, vault: str, fails: dict[str, int] | None = None) -> None:
        self.root, self.vault = root, vault
        self._fails = dict(fails or {})
        self.calls: list[Call] = []
        self._numbers: dict[int, int] = {}  # of inodes as they are now
        self._next = 1
        shutil.rmtree(vault, ignore_errors=True)
        os.mkdir(vault)
        self.disk = Disk({}, {})
        self._enter(root, _ROOT)

    def _enter(self, directory: str, number: int) -> None:
        status = os.stat(directory)
        self._numbers[status.st_ino] = number
        self.disk.contents[number] = Content(None, status.st_mode, 0)
        self.disk.names[number] = {}
        for name in sorted(os.listdir(directory)):
            path = os.path.join(directory, name)
            status = os.lstat(path)
            known = self._numbers.get(status.st_ino)
            below = known if known is not None else self._number(status.st_ino)
            self.disk.names[number][name] = below
            if stat.S_ISDIR(status.st_mode):
                self._enter(path, below)
            elif known is None:
                _REAL["link"](path, self._kept(below), follow_symlinks=False)
                self.disk.contents[below] = _content(self._kept(below))

    def _number(self, inode: int) -> int:
        self._numbers[inode] = self._next
        self._next += 1
        return self._numbers[inode]

    def _kept(self, number: int) -> str:
        return os.path.join(self.vault, str(number))

    # -- recording -------------------------------------------------------------------------------

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Records the calls of this process; what is known as the disk stays what it was before them."""
        self.calls = []
        recorders: dict[str, Callable[..., Any]] = {
            **dict.fromkeys(["open"], self._open),
            **dict.fromkeys(["write", "writev", "pwrite", "ftruncate", "fchmod"], self._change),
            **dict.fromkeys(["fsync", "fdatasync"], self._sync),
            **dict.fromkeys(["link", "symlink", "mkdir"], self._set),
            **dict.fromkeys(["rename", "replace"], self._move),
            **dict.fromkeys(["unlink", "remove", "rmdir"], self._remove),
        }
        for name, recorder in recorders.items():
            setattr(os, name, self._wrapped(name, recorder))
        try:
            yield
        finally:
            for name in recorders:
                setattr(os, name, _REAL[name])

    def _wrapped(self, name: str, recorder: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            left = self._fails.get(name)
            if left is not None:
                self._fails[name] = left - 1
                if left == 1 or (left < 1 and name != "rename"):  # a rename fails once: putting names back must work
                    raise OSError(errno.EOPNOTSUPP, "not here")
            before = len(self.calls)
            result = recorder(_REAL[name], *given, **named)
            self.calls[before:] = [each._replace(by=name) for each in self.calls[before:]]
            return result

        return call

    def _directory(self, handle: int | None) -> int | None:
        """The number of an open directory under the root; None for what is outside."""
        return self._numbers.get(os.fstat(handle).st_ino) if handle is not None else None

    def _open(self, real: Callable[..., int], name: str, flags: int, *given: Any, **named: Any) -> int:
        opened = real(name, flags, *given, **named)
        directory = self._directory(named.get("dir_fd"))
        if directory is not None and flags & os.O_CREAT and os.fstat(opened).st_ino not in self._numbers:
            self._made(directory, name, named["dir_fd"])
        return opened

    def _made(self, directory: int, name: str, handle: int) -> None:
        """Notes a new inode under a name, and gives it a second name in the vault."""
        status = os.stat(name, dir_fd=handle, follow_symlinks=False)
        number = self._number(status.st_ino)
        if stat.S_ISDIR(status.st_mode):
            content = Content(None, status.st_mode, 0)
        else:
            _REAL["link"](name, self._kept(number), src_dir_fd=handle, follow_symlinks=False)
            content = _content(self._kept(number))
        self.calls.append(Call("names", number, ((directory, name, number),), content))

    def _change(self, real: Callable[..., Any], opened: int, *given: Any, **named: Any) -> Any:
        number = self._numbers.get(os.fstat(opened).st_ino)
        before = _content(self._kept(number)) if number else None
        result = real(opened, *given, **named)
        if number:
            self.calls.append(Call("content", number, content=_content(self._kept(number)), before=before))
        return result

    def _sync(self, real: Callable[..., None], opened: int) -> None:
        number = self._numbers.get(os.fstat(opened).st_ino)
        if number is not None:  # the real sync would only take time
            self.calls.append(Call("sync", number))

    def _set(self, real: Callable[..., None], *given: Any, **named: Any) -> None:
        real(*given, **named)
        handle = named.get("dst_dir_fd", named.get("dir_fd"))
        directory = self._directory(handle)
        if directory is None or handle is None:
            return
        name = os.fsdecode(given[-1]) if isinstance(given[-1], (str, bytes)) else given[0]
        inode = os.stat(name, dir_fd=handle, follow_symlinks=False).st_ino
        if real is _REAL["link"]:
            self.calls.append(Call("names", names=((directory, name, self._numbers[inode]),)))
        else:
            self._made(directory, name, handle)

    def _move(self, real: Callable[..., None], old: str, new: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        source, target = self._directory(src_dir_fd), self._directory(dst_dir_fd)
        number = self._numbers.get(os.stat(old, dir_fd=src_dir_fd, follow_symlinks=False).st_ino)
        same = os.path.exists(f"/proc/self/fd/{dst_dir_fd}/{new}") and os.path.samestat(
            os.stat(old, dir_fd=src_dir_fd, follow_symlinks=False),
            os.stat(new, dir_fd=dst_dir_fd, follow_symlinks=False),
        )
        real(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        if source is not None and target is not None and not same:  # two names of one inode: nothing happens
            self.calls.append(Call("names", names=((target, new, number), (source, old, None))))

    def _remove(self, real: Callable[..., None], name: str, *, dir_fd: int | None = None) -> None:
        real(name, dir_fd=dir_fd)
        directory = self._directory(dir_fd)
        if directory is not None:
            self.calls.append(Call("names", names=((directory, name, None),)))

    # -- restoring -------------------------------------------------------------------------------

    def restore(self, disk: Disk) -> None:
        """Makes the tree under the root what a disk holds; the next recording begins there."""
        for name in os.listdir(self.root):
            path = os.path.join(self.root, name)
            (shutil.rmtree if os.path.isdir(path) and not os.path.islink(path) else os.unlink)(path)
        self.disk = disk
        self._numbers = {os.stat(self.root).st_ino: _ROOT}
        self._fill(self.root, _ROOT)

    def _fill(self, directory: str, number: int) -> None:
        for name, below in self.disk.names.get(number, {}).items():
            path, content = os.path.join(directory, name), self.disk.contents[below]
            if content.data is None:
                os.mkdir(path)
                self._numbers[os.stat(path).st_ino] = below
                self._fill(path, below)
                continue
            kept = self._kept(below)
            os.link(kept, path, follow_symlinks=False)
            self._numbers[os.lstat(path).st_ino] = below
            if not content.is_link:
                with open(kept, "r+b") as file:
                    file.write(content.data)
                    file.truncate(len(content.data))
                os.chmod(kept, stat.S_IMODE(content.mode))
                os.utime(kept, ns=(content.changed, content.changed))


def _content(path: str) -> Content:
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return Content(os.fsencode(os.readlink(path)), status.st_mode, status.st_mtime_ns, is_link=True)
    with open(path, "rb") as file:
        return Content(file.read(), status.st_mode, status.st_mtime_ns)


# -- what may be on the disk ---------------------------------------------------------------------


def disk_states(disk: Disk, calls: list[Call], model: str, chance: random.Random, most: int) -> Iterator[Disk]:
    """States that may be found when the power fails after all of `calls`.

    The first has nothing that no sync covers, the second has all of it, and the others are samples.
    """
    certain, uncertain = _sorted_by_sync(calls, model)
    choices: list[Callable[[], float]] = [lambda: 0.0, lambda: 1.0]
    choices += [lambda: chance.choice((0.0, 0.3, 0.7, 1.0))] * max(0, most - 2)
    if not uncertain and not _unsynced(calls):
        choices = choices[:1]  # everything is covered by a sync
    for choose in choices:
        chosen = certain | _chosen(calls, uncertain, model, chance, choose())
        yield _disk(disk, calls, chosen, model, chance, choose())


def _sorted_by_sync(calls: list[Call], model: str) -> tuple[set[int], list[int]]:
    """The calls that change names: those that a sync covers, and the others."""
    certain: set[int] = set()
    for at, call in enumerate(calls):
        if call.what != "sync":
            continue
        for earlier in range(at):
            covered = model == "ordered" or any(each[0] == call.number for each in calls[earlier].names)
            if calls[earlier].what == "names" and covered:
                certain.add(earlier)
    return certain, [at for at, call in enumerate(calls) if call.what == "names" and at not in certain]


def _unsynced(calls: list[Call]) -> set[int]:
    """Numbers whose content no sync covers to its last change."""
    found: set[int] = set()
    for call in calls:
        if call.what == "content":
            found.add(call.number)
        elif call.what == "sync":
            found.discard(call.number)
    return found


def _chosen(calls: list[Call], uncertain: list[int], model: str, chance: random.Random, share: float) -> set[int]:
    """Which of the calls that no sync covers have reached the disk: about this share of them."""
    if model == "names":
        return {at for at in uncertain if chance.random() < share}
    lists: dict[int, list[int]] = {}
    for at in uncertain:
        lists.setdefault(0 if model == "ordered" else calls[at].names[0][0], []).append(at)
    chosen: set[int] = set()
    for each in lists.values():
        length = round(share * len(each)) if share in (0.0, 1.0) else chance.randint(0, len(each))
        chosen.update(each[:length])
    return chosen


def _disk(disk: Disk, calls: list[Call], chosen: set[int], model: str, chance: random.Random, share: float) -> Disk:
    names = {number: dict(below) for number, below in disk.names.items()}
    contents = dict(disk.contents)
    for at, call in enumerate(calls):
        if call.what != "names":
            continue
        if call.content is not None:
            contents[call.number] = call.content
            if call.content.data is None:
                names.setdefault(call.number, {})
        if at in chosen:
            for directory, name, number in call.names:
                if number is None:
                    names.setdefault(directory, {}).pop(name, None)
                else:
                    names.setdefault(directory, {})[name] = number
    open_ones = _unsynced(calls)
    for number in {call.number for call in calls if call.what == "content"}:
        last = [call for call in calls if call.what == "content" and call.number == number][-1].content
        assert last is not None
        if number not in open_ones:
            contents[number] = last
        else:
            contents[number] = _torn(_synced_content(calls, number), last, model, chance, share)
    return Disk(names, contents)


def _synced_content(calls: list[Call], number: int) -> Content:
    """What a file held at its last sync, or before its first change."""
    held: Content | None = None
    now: Content | None = None
    for call in calls:
        if call.number == number and call.what == "content":
            held, now = held if held is not None else call.before, call.content
        elif call.number == number and call.what == "sync" and now is not None:
            held = now
    assert held is not None
    return held


def _torn(old: Content, new: Content, model: str, chance: random.Random, share: float) -> Content:
    """A file between two contents: some of its pages, one of several lengths, either time."""
    if share in (0.0, 1.0):
        return (old, new)[int(share)]
    before, after = old.data or b"", new.data or b""
    lengths = [len(before), len(after)]
    lengths += [at for at in range(0, max(lengths), PAGE) if min(lengths) < at]
    length = chance.choice(lengths)
    pages = []
    for at in range(0, length, PAGE):
        grows = length > len(before) and at + PAGE > len(before)
        page = after if chance.random() < share or (grows and model == "ordered") else before
        pages.append(page[at : at + PAGE].ljust(PAGE, b"\0"))
    data = b"".join(pages)[:length].ljust(length, b"\0")
    source = chance.choice((old, new))
    return Content(data, chance.choice((old, new)).mode, source.changed)
