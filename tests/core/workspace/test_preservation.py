"""What a patch does not speak of stays: modes, owners, attributes, access lists, and every byte outside the change."""

from __future__ import annotations

import os
import struct

import pytest
from fault_injection import as_nobody, attempt, through_library
from sample_trees import File, Link, add, attributes_are_kept, build, delete, envelope, snapshot, update

import patchkit

CHANGE = ("one", "two")
WAYS = {
    "update": (envelope(update("a.txt", CHANGE)), "a.txt"),
    "update in a transaction of two": (envelope(update("a.txt", CHANGE), add("b.txt", "b\n")), "a.txt"),
    "update twice": (envelope(update("a.txt", ("one", "1")), update("a.txt", ("1", "two"))), "a.txt"),
    "move": (envelope(update("a.txt", CHANGE, move_to="c.txt")), "c.txt"),
    "move into a new directory": (envelope(update("a.txt", CHANGE, move_to="n/d/c.txt")), "n/d/c.txt"),
    "move and update": (envelope(update("a.txt", move_to="c.txt"), update("c.txt", CHANGE)), "c.txt"),
    "delete and add": (envelope(delete("a.txt"), add("a.txt", "two\n")), "a.txt"),
}
ways = pytest.mark.parametrize("way", WAYS)
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def root(place):
    path = os.path.join(place, "root")
    build(path, {"a.txt": File(b"one\n")})
    return path


def changed(root, way):
    """Applies one way to change a.txt; the path the content has afterwards."""
    patch, name = WAYS[way]
    patchkit.apply(patch, root)
    path = os.path.join(root, name)
    with open(path, "rb") as file:
        assert file.read() == b"two\n"
    return path


# -- mode, owner, time -----------------------------------------------------------------------------


@ways
@pytest.mark.parametrize(
    "mode", [0o600, 0o644, 0o664, 0o755, 0o700, 0o444, 0o400, 0o4755, 0o2755, 0o1644, 0o6711], ids=oct
)
def test_a_file_keeps_its_mode(root, way, mode):
    os.chmod(os.path.join(root, "a.txt"), mode)

    assert oct(os.stat(changed(root, way)).st_mode & 0o7777) == oct(mode)


@ways
@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777], ids=oct)
def test_the_umask_is_for_new_files_and_not_for_old_ones(root, way, umask):
    os.umask(umask)

    assert oct(os.stat(changed(root, way)).st_mode & 0o7777) == "0o644"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0, 0o666)])
@pytest.mark.parametrize("name", ["n.txt", "n/d/e.txt"])
def test_a_new_file_obeys_the_umask(root, umask, mode, name):
    os.umask(umask)
    patchkit.apply(envelope(add(name, "x\n")), root)

    assert oct(os.stat(os.path.join(root, name)).st_mode & 0o7777) == oct(mode)


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o755), (0o077, 0o700), (0, 0o777)])
def test_a_new_directory_obeys_the_umask(root, umask, mode):
    os.umask(umask)
    patchkit.apply(envelope(add("n/d/e.txt", "x\n")), root)

    assert [oct(os.stat(os.path.join(root, name)).st_mode & 0o7777) for name in ("n", "n/d")] == [oct(mode)] * 2


def test_a_file_that_another_replaces_by_a_move_gives_way_to_the_movers_mode(root):
    build(root, {"a.txt": File(b"one\n", 0o755), "c.txt": File(b"old\n", 0o600)})
    patchkit.apply(envelope(update("a.txt", CHANGE, move_to="c.txt")), root, overwrite=True)

    assert snapshot(root) == {"c.txt": File(b"two\n", 0o755)}


@needs_root
@ways
@pytest.mark.parametrize("mode", [0o644, 0o6755], ids=oct)
def test_a_file_keeps_its_owner_and_group(root, way, mode):
    os.chown(os.path.join(root, "a.txt"), 1234, 5678)
    os.chmod(os.path.join(root, "a.txt"), mode)
    status = os.stat(changed(root, way))

    assert (status.st_uid, status.st_gid, oct(status.st_mode & 0o7777)) == (1234, 5678, oct(mode))


@needs_root
def test_a_file_keeps_its_group_in_a_directory_that_gives_its_own(root):
    os.chown(root, 0, 4321)
    os.chmod(root, 0o2755)
    os.chown(os.path.join(root, "a.txt"), 0, 5678)

    assert os.stat(changed(root, "update")).st_gid == 5678


@needs_root
@pytest.mark.parametrize("way", ["update", "move", "delete and add"])
def test_an_owner_that_cannot_be_kept_is_refused(root, way):
    os.chmod(root, 0o777)
    os.chown(os.path.join(root, "a.txt"), 1234, 5678)
    before = snapshot(root)
    run = attempt(as_nobody(through_library(root, WAYS[way][0])))
    name = WAYS[way][1]

    words = f"P317: '{name}' belongs to 1234:5678, and the new file cannot be given to that owner"
    assert (run.status, run.words, snapshot(root)) == (1, words, before)


@needs_root
def test_a_group_that_the_user_is_not_in_is_refused(root):
    os.chown(root, 65534, 65534)
    os.chown(os.path.join(root, "a.txt"), 65534, 5678)
    run = attempt(as_nobody(through_library(root, WAYS["update"][0])))

    assert (run.status, run.words.partition(":")[0]) == (1, "P317")


# -- attributes and access lists ---------------------------------------------------------------------


@pytest.fixture
def attributes(root):
    if not attributes_are_kept(root):
        pytest.skip("the file system has no extended attributes")
    return {"user.note": b"kept", "user.bytes": bytes(range(256)), "user.empty": b""}


@ways
def test_a_file_keeps_its_extended_attributes(root, attributes, way):
    for name, value in attributes.items():
        os.setxattr(os.path.join(root, "a.txt"), name, value)
    path = changed(root, way)

    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == attributes


def test_a_new_file_has_no_extended_attributes(root, attributes):
    os.setxattr(os.path.join(root, "a.txt"), "user.note", b"kept")
    patchkit.apply(envelope(add("n.txt", "x\n"), update("a.txt", CHANGE)), root)

    assert os.listxattr(os.path.join(root, "n.txt")) == []


USER_OBJ, USER, GROUP_OBJ, MASK, OTHER = 1, 2, 4, 16, 32


def access_list(*entries):
    """An access list as the kernel keeps it: (kind, permissions, whose)."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", kind, bits, whose) for kind, bits, whose in entries)


NOBODY_IN_PARTICULAR = 0xFFFFFFFF
ACL = access_list(
    (USER_OBJ, 6, NOBODY_IN_PARTICULAR),
    (USER, 6, 1234),
    (GROUP_OBJ, 4, NOBODY_IN_PARTICULAR),
    (MASK, 6, NOBODY_IN_PARTICULAR),
    (OTHER, 0, NOBODY_IN_PARTICULAR),
)


def set_acl(path, name):
    try:
        os.setxattr(path, f"system.posix_acl_{name}", ACL)
    except OSError as error:
        pytest.skip(f"the file system has no access lists ({error.strerror})")


@ways
def test_a_file_keeps_its_access_list(root, way):
    set_acl(os.path.join(root, "a.txt"), "access")
    path = changed(root, way)

    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == {"system.posix_acl_access": ACL}


@ways
def test_a_file_without_an_access_list_gets_none_from_its_directory(root, way):
    """A directory may give its access list to new files; a file that is only changed is not a new file."""
    set_acl(root, "default")
    os.chmod(os.path.join(root, "a.txt"), 0o640)
    path = changed(root, way)

    assert (os.listxattr(path), oct(os.stat(path).st_mode & 0o7777)) == ([], "0o640")


def test_a_new_file_takes_the_access_list_its_directory_hands_down(root):
    set_acl(root, "default")
    patchkit.apply(envelope(add("n.txt", "x\n")), root)

    assert os.listxattr(os.path.join(root, "n.txt")) == ["system.posix_acl_access"]


# -- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3])
def test_a_file_with_hard_links_is_replaced_with_a_note(root, count):
    for number in range(1, count):
        os.link(os.path.join(root, "a.txt"), os.path.join(root, f"b{number}.txt"))
    done = patchkit.apply(envelope(update("a.txt", CHANGE)), root)

    others = {f"b{number}.txt": File(b"one\n") for number in range(1, count)}
    assert [(note.code, note.facts) for note in done.notes] == [("P932", {"file": "a.txt", "count": count})]
    assert snapshot(root) == {"a.txt": File(b"two\n"), **others}


def test_a_hard_link_to_outside_keeps_its_content(root, place):
    os.link(os.path.join(root, "a.txt"), os.path.join(place, "outside.txt"))
    patchkit.apply(envelope(update("a.txt", CHANGE)), root)

    with open(os.path.join(place, "outside.txt"), "rb") as file:
        assert file.read() == b"one\n"


@pytest.mark.parametrize("patch", [envelope(delete("a.txt")), envelope(update("a.txt", move_to="c.txt"))])
def test_a_hard_link_that_only_loses_a_name_is_worth_no_note(root, patch):
    os.link(os.path.join(root, "a.txt"), os.path.join(root, "b.txt"))

    assert patchkit.apply(patch, root).notes == []


@pytest.mark.parametrize("code", [None, "EPERM", "EMLINK", "EOPNOTSUPP"])
def test_a_file_system_without_hard_links_does_as_well(root, monkeypatch, code):
    import errno

    build(root, {"a.txt": File(b"one\n", 0o640), "gone.txt": File(b"x\n"), "m.txt": File(b"y\n", 0o755)})
    if code is not None:

        def no_links(*_, **__):
            raise OSError(getattr(errno, code), code)

        monkeypatch.setattr(os, "link", no_links)
    sections = [update("a.txt", CHANGE), delete("gone.txt"), update("m.txt", move_to="n/m.txt"), add("b.txt", "b\n")]
    patchkit.apply(envelope(*sections), root)

    after = {"a.txt": File(b"two\n", 0o640), "n/m.txt": File(b"y\n", 0o755), "b.txt": File(b"b\n")}
    assert snapshot(root) == after


def test_a_symbolic_link_keeps_its_very_self(root):
    os.symlink("a.txt", os.path.join(root, "l"))
    before = os.lstat(os.path.join(root, "l"))
    patchkit.apply(envelope(update("l", CHANGE)), root)
    after = os.lstat(os.path.join(root, "l"))

    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert snapshot(root) == {"a.txt": File(b"two\n"), "l": Link("a.txt")}


def test_a_patch_that_changes_nothing_leaves_the_file_as_it_was_in_every_way(root):
    before = os.stat(os.path.join(root, "a.txt"))
    patchkit.apply("*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+one\n*** End Patch\n", root)
    after = os.stat(os.path.join(root, "a.txt"))

    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


# -- bytes ---------------------------------------------------------------------------------------


def applied(root, before, *changes, **options):
    """The bytes of a.txt after an update of these lines."""
    with open(os.path.join(root, "a.txt"), "wb") as file:
        file.write(before)
    patchkit.apply(envelope(update("a.txt", *changes)), root, **options)
    with open(os.path.join(root, "a.txt"), "rb") as file:
        return file.read()


EVERY = bytes(range(10)) + b"\n%b\n" + bytes(range(14, 256)).replace(b"%", b"%%")
BYTES = {
    "LF": (b"zero\none\ntwo\n", b"zero\nnew\ntwo\n"),
    "CRLF": (b"zero\r\none\r\ntwo\r\n", b"zero\r\nnew\r\ntwo\r\n"),
    "CR": (b"zero\rone\rtwo\r", b"zero\rnew\rtwo\r"),
    "mixed, the line CRLF": (b"zero\none\r\ntwo\n", b"zero\nnew\r\ntwo\n"),
    "mixed, the line LF": (b"zero\r\none\ntwo\r\n", b"zero\r\nnew\ntwo\r\n"),
    "no final newline": (b"zero\none\ntwo", b"zero\nnew\ntwo"),
    "no final newline, the last line": (b"zero\none", b"zero\nnew"),
    "no final newline, CRLF": (b"zero\r\none\r\ntwo", b"zero\r\nnew\r\ntwo"),
    "one line": (b"one", b"new"),
    "blank lines at the end": (b"one\n\n\n\n", b"new\n\n\n\n"),
    "byte order mark": (b"\xef\xbb\xbfzero\none\n", b"\xef\xbb\xbfzero\nnew\n"),
    "byte order mark on the line": (b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbfnew\ntwo\n"),
    "UTF-16": ("\ufeffzero\none\ntwo\n".encode("utf-16-le"), "\ufeffzero\nnew\ntwo\n".encode("utf-16-le")),
    "UTF-16, big end first": ("\ufeffzero\none\n".encode("utf-16-be"), "\ufeffzero\nnew\n".encode("utf-16-be")),
    "NUL bytes": (b"z\0ro\none\nt\0\0o\n", b"z\0ro\nnew\nt\0\0o\n"),
    "no UTF-8": (b"z\xff\xfero\none\n\x80\x81\n", b"z\xff\xfero\nnew\n\x80\x81\n"),
    "half a character at the end": (b"one\n\xe2\x82", b"new\n\xe2\x82"),
    "form feed": (b"z\x0cero\none\nt\x0bwo\n", b"z\x0cero\nnew\nt\x0bwo\n"),
    "other line separators": ("z\u2028ero\none\nt\x85wo\n".encode(), "z\u2028ero\nnew\nt\x85wo\n".encode()),
    "whitespace at the ends of lines": (b"zero  \none\n\t\n two \n", b"zero  \nnew\n\t\n two \n"),
    "tabs": (b"\tzero\none\n\t\ttwo\n", b"\tzero\nnew\n\t\ttwo\n"),
    "every byte": (
        bytes(range(10)) + b"\none\n" + bytes(range(14, 256)),
        bytes(range(10)) + b"\nnew\n" + bytes(range(14, 256)),
    ),
}


@pytest.mark.parametrize("name", BYTES)
def test_every_byte_outside_the_change_stays(root, name):
    before, after = BYTES[name]

    assert applied(root, before, ("one", "new")) == after


@pytest.mark.parametrize("name", BYTES)
def test_every_byte_stays_when_a_file_is_only_moved(root, name):
    before, _ = BYTES[name]
    with open(os.path.join(root, "a.txt"), "wb") as file:
        file.write(before)
    patchkit.apply(envelope(update("a.txt", move_to="n/c.txt")), root)

    assert snapshot(root) == {"n/c.txt": File(before)}


@pytest.mark.parametrize("name", ["LF", "CRLF", "CR"])
def test_added_lines_end_as_the_lines_around_them(root, name):
    before, _ = BYTES[name]
    end = {"LF": b"\n", "CRLF": b"\r\n", "CR": b"\r"}[name]

    assert applied(root, before, ("one", "new\nnewer")) == end.join([b"zero", b"new", b"newer", b"two", b""])


def test_a_file_of_one_long_line_is_kept_to_the_byte(tmp_path):
    """20 MB without a line end, and a short last line that is changed."""
    long = os.urandom(1 << 16).replace(b"\n", b"-").replace(b"\r", b"-") * 320
    before = long + b"\none\n"

    assert applied(tmp_path, before, ("one", "new")) == long + b"\nnew\n"


def test_a_line_of_many_megabytes_can_itself_be_changed(tmp_path):
    long = "x" * (20 << 20)
    before, after = (f"zero\n{long}{number}\ntwo\n".encode() for number in (1, 2))

    assert applied(tmp_path, before, (f"{long}1", f"{long}2")) == after


def test_a_file_of_many_changes_is_kept_to_the_byte_between_them(root):
    lines = [b"keep %d \xff\x00\r\n" % number if number % 3 else b"change %d\n" % number for number in range(3000)]
    changes = [(f"change {number}", f"changed {number}") for number in range(0, 3000, 3)]
    expected = b"".join(line.replace(b"change ", b"changed ") for line in lines)

    assert applied(root, b"".join(lines), *changes) == expected
