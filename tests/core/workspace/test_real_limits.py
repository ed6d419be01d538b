"""Limits the system itself sets: full disks, file sizes, handles, permissions. All old with a message, or all new."""

from __future__ import annotations

import ctypes
import os
import resource

import pytest
from fault_injection import as_nobody, attempt, through_command, through_library
from sample_trees import File, add, build, delete, empty_directories, envelope, seven, snapshot, state, update

import patchkit

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def root(place, everything_is_imported):
    return os.path.join(place, "root")


def after(first, work):
    """Work that begins with something else."""

    def both():
        first()
        return work()

    return both


def limit(which, most):
    resource.setrlimit(which, (most, resource.getrlimit(which)[1]))


def ended(run, root, case):
    """Exit status, state and empty directories; the message is on its own."""
    return run.status, state(root, case), empty_directories(root)


@pytest.mark.parametrize("size", [0, 1, 100, 1000, 4096, 65536, 80_000])
def test_a_limit_on_the_size_of_files_leaves_everything_old(root, place, size):
    case = seven(place)
    build(root, case.before)
    run = attempt(after(lambda: limit(resource.RLIMIT_FSIZE, size), through_command(root, case.patch)))

    assert ended(run, root, case) == (1, "old", [])
    assert "file too large" in run.words


def test_a_limit_on_open_files_leaves_all_old_or_all_new(root, place):
    case = seven(place)

    def with_handles(spare):
        build(root, case.before)

        def few_handles():
            highest = max(map(int, os.listdir("/proc/self/fd")))
            while os.open(os.devnull, os.O_RDONLY) <= highest:
                pass  # numbers are given out from the lowest that is free
            limit(resource.RLIMIT_NOFILE, highest + 2 + spare)

        run = attempt(after(few_handles, through_library(root, case.patch)))
        return (*ended(run, root, case), run.words)

    found = [with_handles(spare) for spare in range(16)]

    assert [each for each in found if each[:3] not in ((1, "old", []), (0, "new", []))] == []
    assert [each for each in found if ("too many open files" in each[3]) != (each[0] == 1)] == []
    assert (found[0][0], found[-1][0]) == (1, 0)


@needs_root
@pytest.mark.parametrize("kept", [".", "sub"])
def test_a_directory_that_may_not_be_written_leaves_everything_old(root, place, kept):
    case = seven(place)
    build(root, case.before)
    for directory, _, files in os.walk(root):
        for name in [".", *files]:
            os.chown(os.path.join(directory, name), 65534, 65534)
    os.chmod(os.path.join(root, kept), 0o555)

    run = attempt(as_nobody(through_library(root, case.patch)))

    assert ended(run, root, case) == (1, "old", [])
    assert "permission denied" in run.words


@needs_root
def test_a_single_file_can_be_changed_where_only_its_directory_may_be_written(root):
    build(root, {"sub/a.txt": File(b"one\n")})
    os.chown(os.path.join(root, "sub"), 65534, 65534)
    os.chown(os.path.join(root, "sub/a.txt"), 65534, 65534)

    run = attempt(as_nobody(through_library(root, envelope(update("sub/a.txt", ("one", "two"))))))

    assert (run.status, snapshot(root)) == (0, {"sub/a.txt": File(b"two\n")})


@needs_root
def test_a_file_that_may_not_be_read_is_refused(root):
    build(root, {"a.txt": File(b"one\n", 0o600)})

    run = attempt(as_nobody(through_library(root, envelope(update("a.txt", ("one", "two"))))))

    assert (run.status, run.words) == (1, "P401: cannot read 'a.txt': permission denied")


# -- file systems of our own, in a mount name space of the child's own -----------------------------

NEWNS, PRIVATE, BIND, READ_ONLY, REMOUNT = 0x20000, 0x44000, 0x1000, 1, 32


def mount(source, target, kind=b"none", flags=0, options=b""):
    """Mounts for this process alone; nothing of it is seen outside, and it is gone with the process."""
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = [os.fsencode(source), os.fsencode(target), kind, ctypes.c_ulong(flags), options]
    if libc.mount(*arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), target)


def own_mounts():
    if ctypes.CDLL(None, use_errno=True).unshare(NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    mount("none", "/", flags=PRIVATE)


def may_mount():
    def trial():
        own_mounts()
        mount("none", "/dev/shm", b"tmpfs")
        return 0, ""

    return os.geteuid() == 0 and os.path.isdir("/dev/shm") and attempt(trial).status == 0


@pytest.fixture(scope="module")
def _mounts():
    if not may_mount():
        pytest.skip("needs to be allowed to mount")


needs_mounts = pytest.mark.usefixtures("_mounts")


def on_a_small_disk(place, case, options):
    """The case on a tmpfs of its own, made in the child: what the child reports about its end."""
    root = os.path.join(place, "small")
    os.makedirs(root, exist_ok=True)

    def work():
        own_mounts()
        mount("none", root, b"tmpfs", options=options)
        inner = os.path.join(root, "root")
        build(inner, case.before)
        status, words = through_library(inner, case.patch)()
        named = "no space left" in words or "disk quota" in words
        return 0, repr((status, state(inner, case), empty_directories(inner), named))

    return attempt(work).words


@needs_mounts
def test_a_disk_that_is_really_full_leaves_all_old_or_all_new(place):
    case = seven(place)
    need = sum(len(what.data) // 4096 + 1 for what in case.before.values())
    found = [
        on_a_small_disk(place, case, b"size=%d" % ((need + spare) * 4096)) for spare in [*range(12), 60, 75, 90, 200]
    ]
    good = repr((1, "old", [], True)), repr((0, "new", [], False))

    assert [each for each in found if each not in good] == []
    assert (found[0], found[-1]) == good


@needs_mounts
def test_a_disk_without_free_inodes_leaves_all_old_or_all_new(place):
    case = seven(place)
    found = [on_a_small_disk(place, case, b"nr_inodes=%d" % (10 + spare)) for spare in range(20)]
    good = repr((1, "old", [], True)), repr((0, "new", [], False))

    assert [each for each in found if each not in good] == []
    assert (found[0], found[-1]) == good


@needs_mounts
def test_a_read_only_disk_leaves_everything_old(root, place):
    case = seven(place)
    build(root, case.before)

    def read_only():
        own_mounts()
        mount(root, root, flags=BIND)
        mount(root, root, flags=BIND | REMOUNT | READ_ONLY)

    run = attempt(after(read_only, through_library(root, case.patch)))

    assert ended(run, root, case) == (1, "old", [])
    assert "read-only file system" in run.words


@needs_mounts
def test_a_patch_over_two_disks_is_applied(root, place):
    build(root, {"a.txt": File(b"one\n")})

    def work():
        own_mounts()
        os.mkdir(os.path.join(root, "other"))
        mount("none", os.path.join(root, "other"), b"tmpfs")
        with open(os.path.join(root, "other/b.txt"), "wb") as file:
            file.write(b"two\n")
        move = update("a.txt", ("one", "ONE"), move_to="other/a.txt")
        status, words = through_library(root, envelope(move, update("other/b.txt", ("two", "TWO"))))()
        return status, words or repr({name: what.data for name, what in sorted(snapshot(root).items())})

    run = attempt(work)

    assert (run.status, run.words) == (0, repr({"other/a.txt": b"ONE\n", "other/b.txt": b"TWO\n"}))


@needs_mounts
def test_a_file_that_is_a_mount_point_is_refused_and_nothing_changes(root, place):
    build(root, {"a.txt": File(b"one\n"), "b.txt": File(b"two\n")})
    other = os.path.join(place, "other.txt")
    with open(other, "wb") as file:
        file.write(b"one\n")

    def work():
        own_mounts()
        mount(other, os.path.join(root, "a.txt"), flags=BIND)
        patch = envelope(update("b.txt", ("two", "TWO")), update("a.txt", ("one", "ONE")), add("n/c.txt", "three\n"))
        status, words = through_library(root, patch)()
        return status, repr((words, sorted(snapshot(root).items()), sorted(os.listdir(root))))

    run = attempt(work)
    words = "P402: cannot write 'a.txt': device or resource busy"
    files = [("a.txt", File(b"one\n")), ("b.txt", File(b"two\n"))]

    assert (run.status, run.words) == (1, repr((words, files, ["a.txt", "b.txt"])))


# -- streams -------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", ["/dev/full", "closed"])
def test_a_summary_that_cannot_be_written_is_not_a_failure(root, place, stream):
    case = seven(place)
    build(root, case.before)

    def work():
        from patchkit.cli.apply_patch import run

        if stream == "closed":
            os.close(1)
            os.close(2)
        else:
            for number in (1, 2):
                os.dup2(os.open(stream, os.O_WRONLY), number)
        return run(["--root", root, case.patch]), ""

    assert ended(attempt(work), root, case) == (0, "new", [])


def test_a_run_that_succeeds_leaves_nothing_but_the_files(root, place):
    case = seven(place)
    build(root, case.before)
    patchkit.apply(case.patch, root)
    patchkit.apply(envelope(delete("script.sh")), root)
    left = {name: what for name, what in case.after.items() if name != "script.sh"}

    assert (snapshot(root), sorted(set(os.listdir(place)) - {"state"})) == (left, ["root"])
