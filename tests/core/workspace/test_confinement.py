"""Nothing outside the root is read, written or waited for, however a path spells it; inside, never the neighbour."""

from __future__ import annotations

import os
import socket
import subprocess

import pytest
from fault_injection import Fault, attempt, through_library
from sample_trees import File, Link, add, build, delete, envelope, snapshot, update

import patchkit
from patchkit.catalogue.sentences import label
from patchkit.core.changes.planner import plan
from patchkit.core.language import AddFile, DeleteFile, Hunk, Patch, UpdateFile
from patchkit.core.workspace.root import Workspace

SECRET = File(b"one\n")
CHANGE = ("one", "two")


@pytest.fixture
def outside(place):
    """A directory beside the root with a file that every patch here would fit."""
    path = os.path.join(place, "outside")
    build(path, {"a.txt": SECRET, "sub/a.txt": SECRET})
    return path


@pytest.fixture
def root(place, outside):
    path = os.path.join(place, "root")
    build(path, {"a.txt": SECRET, "sub/b.txt": SECRET})
    return path


@pytest.fixture(autouse=True)
def _nothing_outside_changes(outside):
    before = snapshot(outside)
    yield
    assert snapshot(outside) == before


def code_of(patch, root, **options):
    """The code of the refusal, after which the tree is what it was; 'applied' when there is none."""
    before = snapshot(root)
    try:
        if isinstance(patch, Patch):
            with Workspace(root) as files:
                plan(patch, files).commit()
        else:
            patchkit.apply(patch, root, **options)
    except patchkit.PatchkitError as error:
        assert snapshot(root) == before
        return error.code
    return "applied"


def every_operation(path):
    """The four ways to name a path in a patch."""
    return {
        "add": envelope(add(path, "fresh\n")),
        "update": envelope(update(path, CHANGE)),
        "delete": envelope(delete(path)),
        "move": envelope(update("sub/b.txt", CHANGE, move_to=path)),
    }


OPERATIONS = ["add", "update", "delete", "move"]
operations = pytest.mark.parametrize("operation", OPERATIONS)


# -- paths by their text -------------------------------------------------------------------------


@operations
@pytest.mark.parametrize(
    "path",
    [
        "../outside/a.txt",
        "../outside/new.txt",
        "sub/../../outside/a.txt",
        "sub/../../root/../outside/a.txt",
        "./../outside/a.txt",
        "nowhere/../../outside/a.txt",
        "..",
        "../root2/a.txt",
        "{outside}/a.txt",
        "{outside}/new.txt",
        "/{outside}/a.txt",
        "{root}/../outside/a.txt",
        "{root}x/a.txt",
        "{root}/sub/../../outside/a.txt",
        "/proc/self/cwd/a.txt",
        "/proc/self/root{outside}/a.txt",
        "/dev/shm/new.txt",
        "/dev/null",
        "/dev/stdin",
        "/dev/fd/0",
        "/etc/passwd",
        "/",
    ],
)
def test_a_path_that_leaves_the_root_is_refused(root, outside, path, operation):
    ordinary = "a.txt" if operation in ("update", "delete") else "sub/new.txt"
    assert code_of(every_operation(f"{root}/{ordinary}")[operation], root) == "applied"
    build(root, {"a.txt": SECRET, "sub/b.txt": SECRET})
    patch = every_operation(path.format(root=root, outside=outside))[operation]

    assert code_of(patch, root) == ("P116" if path == "/" and operation in ("add", "move") else "P301")


@pytest.mark.parametrize("path", ["../root/a.txt", "sub/../../root/a.txt"])
def test_a_path_that_leaves_the_root_and_comes_back_is_refused(root, path):
    assert code_of(envelope(update(path, CHANGE)), root) == "P301"


@pytest.mark.parametrize(
    "path",
    ["a.txt", "./a.txt", "sub/../a.txt", "nowhere/../a.txt", ".//a.txt", "{root}/a.txt", "{root}//sub/.././a.txt"],
)
def test_a_path_that_stays_inside_is_the_file_it_spells(root, path):
    assert code_of(envelope(update(path.format(root=root), CHANGE)), root) == "applied"
    assert snapshot(root) == {"a.txt": File(b"two\n"), "sub/b.txt": SECRET}


@pytest.mark.parametrize("path", [".", "./", "sub", "sub/", "{root}", "sub/.."])
@operations
def test_a_directory_is_not_taken_for_a_file(root, path, operation):
    named = path.endswith("/") and operation in ("add", "move")  # as a directory, which is seen without looking

    assert code_of(every_operation(path.format(root=root))[operation], root) == ("P116" if named else "P305")


@operations
@pytest.mark.parametrize("path", ["a.txt/b", "a.txt/b/c", "sub/b.txt/c", "a.txt/../a.txt/b"])
def test_a_file_is_not_taken_for_a_directory(root, path, operation):
    assert code_of(every_operation(path)[operation], root) == "P310"


def test_a_relative_path_starts_at_the_given_directory(root):
    patchkit.apply(envelope(update("b.txt", CHANGE), update("../a.txt", CHANGE)), root, start=os.path.join(root, "sub"))

    assert snapshot(root) == {"a.txt": File(b"two\n"), "sub/b.txt": File(b"two\n")}


@pytest.mark.parametrize("start", ["..", "../outside", "/"])
def test_a_start_outside_the_root_is_refused(root, start):
    assert code_of(envelope(update("a.txt", CHANGE)), root, start=os.path.join(root, start)) == "P301"


def test_a_start_by_a_link_that_leaves_the_root_is_refused(root, outside):
    os.symlink(outside, os.path.join(root, "way"))

    assert code_of(envelope(update("a.txt", CHANGE)), root, start=os.path.join(root, "way")) == "P307"


# -- a root that is itself a link ------------------------------------------------------------------


@pytest.fixture
def alias(place, root):
    path = os.path.join(place, "alias")
    os.symlink("root", path)
    return path


@pytest.mark.parametrize("spelled", ["alias", "root"])
def test_an_absolute_path_is_fine_as_the_root_is_spelled_and_as_it_is_resolved(place, alias, root, spelled):
    path = os.path.join(place, spelled, "a.txt")

    assert code_of(envelope(update(path, CHANGE)), alias) == "applied"
    assert snapshot(root) == {"a.txt": File(b"two\n"), "sub/b.txt": SECRET}


def test_an_absolute_path_is_fine_as_the_shell_names_the_current_directory(place, alias, root, monkeypatch):
    monkeypatch.chdir(alias)
    patch = envelope(update(os.path.join(alias, "a.txt"), CHANGE))

    for named, code in ((place, "P301"), (os.path.join(root, "sub"), "P301"), (alias, "applied")):
        monkeypatch.setenv("PWD", named)
        assert code_of(patch, ".") == code
    assert code_of(envelope(update(os.path.join(alias, "../outside/secret.txt"), CHANGE)), ".") == "P301"


def test_the_directory_around_a_root_that_is_a_link_is_outside(alias, root):
    assert code_of(envelope(update("../root/a.txt", CHANGE)), alias) == "P301"


# -- links that stay inside ------------------------------------------------------------------------

INSIDE = {
    "a link beside the file": ({"l": Link("a.txt")}, "l", "a.txt"),
    "a link in another directory": ({"sub/l": Link("../a.txt")}, "sub/l", "a.txt"),
    "an absolute link": ({"l": Link("{root}/a.txt")}, "l", "a.txt"),
    "a chain of links": ({"l": Link("m"), "m": Link("sub/n"), "sub/n": Link("../a.txt")}, "l", "a.txt"),
    "a directory that is a link": ({"d": Link("sub")}, "d/b.txt", "sub/b.txt"),
    "a link behind a directory that is a link": ({"d": Link("sub"), "sub/l": Link("b.txt")}, "d/l", "sub/b.txt"),
    "a directory that is a chain of links": (
        {"d": Link("e/f"), "e": Link("."), "f": Link("sub")},
        "d/b.txt",
        "sub/b.txt",
    ),
    "a link to the root": ({"d": Link(".")}, "d/d/d/a.txt", "a.txt"),
    "a link with dots": ({"l": Link("./sub/.././a.txt")}, "l", "a.txt"),
    "a link out and in again by its text": ({"sub/l": Link("../sub/b.txt")}, "sub/l", "sub/b.txt"),
}


@pytest.mark.parametrize("name", INSIDE)
def test_an_update_goes_through_a_link_that_stays_inside_and_the_link_stays(root, name):
    links, path, real = INSIDE[name]
    links = {at: Link(link.target.format(root=root)) for at, link in links.items()}
    before = {"a.txt": SECRET, "sub/b.txt": SECRET, **links}
    build(root, before)

    assert code_of(envelope(update(path, CHANGE)), root) == "applied"
    assert snapshot(root) == {**before, real: File(b"two\n")}


def test_two_names_of_one_file_are_one_file(root):
    build(root, {"a.txt": File(b"one\ntwo\n"), "l": Link("a.txt")})

    assert code_of(envelope(update("l", ("one", "ONE")), update("a.txt", ("two", "TWO"))), root) == "applied"
    assert snapshot(root) == {"a.txt": File(b"ONE\nTWO\n"), "l": Link("a.txt")}


@pytest.mark.parametrize("target", ["d/../x", "{root}/d/../x", "./d/.././x", "d/../deep/../x"])
def test_the_dots_of_a_link_count_from_where_it_leads_and_not_from_where_it_is(root, target):
    """l -> d/../x with d -> sub/deep is sub/x, as everybody else sees it, and not the x beside it."""
    links = {"d": Link("sub/deep"), "l": Link(target.format(root=root))}
    before = {"x": SECRET, "sub/x": SECRET, "sub/deep/y": SECRET, **links}
    build(root, before)
    applied = code_of(envelope(update("l", CHANGE)), root)

    assert snapshot(root) == ({**before, "sub/x": File(b"two\n")} if applied == "applied" else before)


def test_an_add_goes_into_a_directory_that_is_a_link_inside(root):
    build(root, {"sub/b.txt": SECRET, "d": Link("sub")})

    assert code_of(envelope(add("d/new/c.txt", "x\n")), root) == "applied"
    assert snapshot(root) == {"sub/b.txt": SECRET, "d": Link("sub"), "sub/new/c.txt": File(b"x\n")}


# -- links that leave ------------------------------------------------------------------------------

LEAVING = {
    "a link to a file": ({"l": Link("../outside/a.txt")}, "l"),
    "an absolute link to a file": ({"l": Link("{outside}/a.txt")}, "l"),
    "a directory that is a link": ({"d": Link("../outside")}, "d/a.txt"),
    "an absolute directory link": ({"d": Link("{outside}")}, "d/a.txt"),
    "a chain": ({"l": Link("m"), "m": Link("../outside/a.txt")}, "l"),
    "a chain of directories": ({"d": Link("e"), "e": Link("sub/f"), "sub/f": Link("../../outside")}, "d/sub/a.txt"),
    "a link by way of the root": ({"l": Link("sub/../../outside/a.txt")}, "l"),
    "a link to the directory above": ({"d": Link("..")}, "d/outside/a.txt"),
    "a link to the top": ({"d": Link("/")}, "d{outside}/a.txt"),
    "a link through /proc": ({"d": Link("/proc/self/root")}, "d{outside}/a.txt"),
    "a link to the directory of the process": ({"l": Link("/proc/self/cwd/a.txt")}, "l"),
    "a link that comes back": ({"d": Link("../root")}, "d/a.txt"),
}


def leaving(root, outside, name):
    links, path = LEAVING[name]
    links = {at: Link(link.target.format(outside=outside)) for at, link in links.items()}
    build(root, {"a.txt": SECRET, "sub/b.txt": SECRET, **links})
    return path.format(outside=outside)


@pytest.mark.parametrize("name", LEAVING)
def test_an_update_through_a_link_that_leaves_the_root_is_refused(root, outside, name):
    path = leaving(root, outside, name)

    assert code_of(envelope(update(path, CHANGE)), root) == "P307"


@pytest.mark.parametrize("target", ["../outside/a.txt", "{outside}/a.txt"])
def test_the_refusal_of_a_link_that_leaves_names_where_it_leads(root, outside, target):
    target = target.format(outside=outside)
    build(root, {"l": Link(target)})
    with pytest.raises(patchkit.PatchkitError) as refusal:
        patchkit.apply(envelope(update("l", CHANGE)), root)

    assert refusal.value.message == f"'l' is a symbolic link to '{target}', which is outside the workspace"


@pytest.mark.parametrize("name", [name for name in LEAVING if "/" in LEAVING[name][1]])
@pytest.mark.parametrize("operation", ["add", "delete", "move"])
def test_nothing_is_made_or_removed_behind_a_directory_link_that_leaves_the_root(root, outside, name, operation):
    path = leaving(root, outside, name)

    assert code_of(every_operation(path)[operation], root) == "P307"


@pytest.mark.parametrize("name", ["l", "d/new.txt"])
def test_a_new_file_behind_a_link_that_leaves_the_root_is_refused(root, outside, name):
    build(root, {"d": Link(outside), "l": Link(f"{outside}/new.txt")})

    assert code_of(envelope(add(name, "x\n")), root) == ("P308" if name == "l" else "P307")


# -- links that lead nowhere -------------------------------------------------------------------------

NOWHERE = {
    "a loop of one": ({"l": Link("l")}, "l"),
    "a loop of two": ({"l": Link("m"), "m": Link("l")}, "l"),
    "a loop of directories": ({"d": Link("e/x"), "e": Link("d/x")}, "d/a.txt"),
    "a loop that grows": ({"d": Link("d/d")}, "d/a.txt"),
    "an empty-looking link": ({"l": Link("./")}, "l"),
}


@pytest.mark.parametrize("name", NOWHERE)
def test_links_in_a_circle_are_refused(root, name):
    links, path = NOWHERE[name]
    build(root, links)

    assert code_of(envelope(update(path, CHANGE)), root) in ("P307", "P305")


def test_an_update_of_a_link_to_nothing_is_refused(root):
    build(root, {"l": Link("nowhere")})

    assert code_of(envelope(update("l", CHANGE)), root) in ("P302", "P307")


def test_more_links_than_the_system_follows_are_refused(root):
    chain = {f"l{number}": Link(f"l{number + 1}") for number in range(60)}
    build(root, {**chain, "l60": SECRET})

    assert code_of(envelope(update("l0", CHANGE)), root) == "P307"


# -- what is at the end -------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["a.txt", "nowhere", "../outside/a.txt", "../outside/new.txt", "l", "sub"])
@pytest.mark.parametrize("options", [{}, {"overwrite": True}, {"dialect": "codex"}], ids=["safe", "overwrite", "codex"])
def test_an_add_never_goes_through_a_link(root, target, options):
    build(root, {"a.txt": SECRET, "sub/b.txt": SECRET, "l": Link(target)})

    assert code_of(envelope(add("l", "x\n")), root, **options) == "P308"


@pytest.mark.parametrize("target", ["nowhere", "../outside/a.txt", "../outside/new.txt", "sub", "a.txt"])
@pytest.mark.parametrize("options", [{}, {"overwrite": True}], ids=["safe", "overwrite"])
def test_a_move_never_goes_through_a_link(root, target, options):
    build(root, {"a.txt": SECRET, "sub/b.txt": SECRET, "l": Link(target)})

    assert code_of(envelope(update("sub/b.txt", CHANGE, move_to="l")), root, **options) == "P308"


@pytest.mark.parametrize("target", ["a.txt", "nowhere", "../outside/a.txt", "{outside}", "l", "sub"])
def test_a_delete_removes_the_link_and_not_what_it_leads_to(root, outside, target):
    build(root, {"a.txt": SECRET, "sub/b.txt": SECRET, "l": Link(target.format(outside=outside))})

    assert code_of(envelope(delete("l")), root) == "applied"
    assert snapshot(root) == {"a.txt": SECRET, "sub/b.txt": SECRET}


def test_a_link_can_be_replaced_by_a_file_when_the_patch_deletes_it_first(root, outside):
    build(root, {"l": Link(f"{outside}/a.txt")})

    assert code_of(envelope(delete("l"), add("l", "x\n")), root) == "applied"
    assert snapshot(root) == {"l": File(b"x\n")}


def test_a_link_is_not_moved(root):
    build(root, {"a.txt": SECRET, "l": Link("a.txt")})

    assert code_of(envelope(update("l", CHANGE, move_to="m")), root) == "P314"


def a_fifo(path):
    os.mkfifo(path)


def a_socket(path):
    here = os.getcwd()
    os.chdir(os.path.dirname(path))  # the name of a socket may not be long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.basename(path))
    finally:
        os.chdir(here)


def a_device(path):
    if os.geteuid() != 0:
        pytest.skip("needs root, to make a device")
    try:
        os.mknod(path, 0o20666, os.makedev(1, 5))  # /dev/zero: endless to read
    except PermissionError:
        pytest.skip("devices cannot be made here")


@operations
@pytest.mark.parametrize("make", [a_fifo, a_socket, a_device])
def test_what_is_not_a_regular_file_is_refused_without_waiting_for_it(root, make, operation):
    make(os.path.join(root, "odd"))

    assert code_of(every_operation("odd")[operation], root) == "P306"


@pytest.mark.parametrize("make", [a_fifo, a_socket, a_device])
def test_what_is_not_a_regular_file_is_refused_behind_a_link_too(root, make):
    make(os.path.join(root, "odd"))
    os.symlink("odd", os.path.join(root, "l"))

    assert code_of(envelope(update("l", CHANGE)), root) == "P306"


@operations
def test_a_fifo_is_not_taken_for_a_directory(root, operation):
    os.mkfifo(os.path.join(root, "odd"))

    assert code_of(every_operation("odd/a.txt")[operation], root) == "P310"


# -- odd names -----------------------------------------------------------------------------------


def as_patches(name):
    """A patch for each operation, made of values: some names cannot be written in a line of text."""
    return {
        "add": Patch([AddFile(name, "fresh\n")]),
        "update": Patch([UpdateFile(name, None, [Hunk([], ["-one", "+two"])])]),
        "delete": Patch([DeleteFile(name)]),
        "move": Patch([UpdateFile("a.txt", name, [Hunk([], ["-one", "+two"])])]),
    }


ODD_NAMES = {
    "newline": "x\ny",
    "carriage return": "x\ry",
    "dash": "-rf",
    "option": "--help",
    "backslash": "x\\y",
    "quote": "x'y\"z",
    "star": "*",
    "tilde": "~",
    "variable": "$HOME",
    "colon": "x:y",
    "dot": ".x",
    "three dots": "...",
    "escape": "\x1b[2J",
    "invalid UTF-8": "x\udcff\udcfe",
    "composed": "\u00e9",
    "decomposed": "e\u0301",
    "255 bytes": "n" * 255,
    "almost ours": ".patchkit.toml",
}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_file_of_an_odd_name_is_updated_and_no_other(root, name):
    odd = ODD_NAMES[name]
    build(root, {odd: SECRET, "a.txt": SECRET})

    assert code_of(as_patches(odd)["update"], root) == "applied"
    assert snapshot(root) == {odd: File(b"two\n"), "a.txt": SECRET}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_file_of_an_odd_name_is_added_moved_to_and_deleted(root, name):
    odd = ODD_NAMES[name]
    build(root, {"a.txt": SECRET})
    found = []
    for operation in ("add", "delete", "move"):
        assert code_of(as_patches(odd)[operation], root) == "applied"
        found.append(snapshot(root))

    assert found == [{"a.txt": SECRET, odd: File(b"fresh\n")}, {"a.txt": SECRET}, {odd: File(b"two\n")}]


@pytest.mark.parametrize("name", [b"x\xff\xfe", b"-rf", "\u00e9".encode(), b"  inner  blank"])
def test_a_name_in_a_patch_of_bytes_is_those_bytes(root, name):
    path = os.path.join(os.fsencode(root), name.strip())
    with open(path, "wb") as file:
        file.write(b"one\n")
    patch = b"*** Begin Patch\n*** Update File: " + name + b"\n@@\n-one\n+two\n*** End Patch\n"

    assert code_of(patch, root) == "applied"
    with open(path, "rb") as file:
        assert file.read() == b"two\n"


@operations
@pytest.mark.parametrize("name", ["x\0y", "\0", "sub/\0/x"])
def test_a_name_with_a_nul_is_refused(root, name, operation):
    assert code_of(as_patches(name)[operation], root) == "P309"


@operations
@pytest.mark.parametrize(
    "name", ["n" * 256, "sub/" + "n" * 300, "n" * 5000, "é" * 200], ids=["256", "nested", "5000", "bytes"]
)
def test_a_name_that_is_too_long_is_refused(root, name, operation):
    assert code_of(every_operation(name)[operation], root) == "P309"


@pytest.mark.parametrize("operation", ["add", "move"])
def test_a_name_that_is_too_long_in_a_new_directory_is_refused(root, operation):
    assert code_of(every_operation("fresh/" + "n" * 256)[operation], root) in ("P309", "P402")


def test_a_path_longer_than_the_system_takes_in_one_piece_is_fine_in_many(root):
    deep = "/".join(["d" * 200] * 30)

    patchkit.apply(envelope(add(f"{deep}/x", "1\n")), root)
    patchkit.apply(envelope(update(f"{deep}/x", ("1", "2"))), root)
    directory = os.open(root, os.O_RDONLY)
    for part in deep.split("/"):
        below = os.open(part, os.O_RDONLY, dir_fd=directory)
        os.close(directory)
        directory = below
    with open(os.open("x", os.O_RDONLY, dir_fd=directory)) as file:
        assert file.read() == "2\n"
    os.close(directory)


# -- names that no patch may change ----------------------------------------------------------------


@operations
@pytest.mark.parametrize(
    "path", [".git/config", ".git/hooks/new", "sub/.git/config", ".hg/hgrc", ".svn/entries", ".patchkit/x"]
)
def test_the_insides_of_version_control_and_what_is_ours_are_refused(root, path, operation):
    build(root, {path: SECRET, "sub/b.txt": SECRET} if operation in ("update", "delete") else {"sub/b.txt": SECRET})

    assert code_of(every_operation(path)[operation], root, dialect="codex") == "P318"


@pytest.mark.parametrize("links", [{"l": Link(".git/config")}, {"l": Link("m"), "m": Link("./sub/../.git/config")}])
def test_the_insides_of_version_control_are_refused_behind_a_link_too(root, links):
    build(root, {".git/config": SECRET, "sub/b.txt": SECRET, **links})

    assert code_of(envelope(update("l", CHANGE)), root) == "P318"


def test_a_directory_link_does_not_lead_into_version_control(root):
    build(root, {".git/config": SECRET, "d": Link(".git")})

    assert [code_of(patch, root) for patch in every_operation("d/config").values()][1:3] == ["P318", "P318"]
    assert code_of(envelope(add("d/hooks/new", "x\n")), root) == "P318"


@pytest.mark.parametrize(
    "name",
    [
        ".GIT",
        ".git.",
        ".git ",
        ".git. .",
        ".git::$INDEX_ALLOCATION",
        "git~1",
        "GIT~1",
        ".g\u200cit",
        "\ufeff.git",
        ".Hg.",
    ],
)
def test_version_control_is_protected_under_every_name_that_some_file_system_takes_for_it(root, name):
    assert code_of(envelope(add(f"{name}/hooks/x", "x\n")), root) == "P318"
    assert code_of(envelope(update("a.txt", move_to=f"sub/{name}/config")), root) == "P318"


@pytest.mark.parametrize("name", [".gitignore", ".github/x.yml", "git/config", ".gitattributes"])
def test_what_only_looks_like_version_control_is_a_file_like_any_other(root, name):
    build(root, {name: SECRET})

    assert code_of(envelope(update(name, CHANGE)), root) == "applied"


# -- spaces at the ends of a name ------------------------------------------------------------------


def codes_of_notes(patch, root):
    return [label(note.code, note.facts) for note in patchkit.apply(patch, root).notes]


@pytest.mark.parametrize("spaces", [" ", "  ", "\t"])
def test_a_name_with_spaces_that_exists_as_written_is_that_file(root, spaces):
    build(root, {f"t.txt{spaces}": SECRET})

    assert codes_of_notes(envelope(update(f"t.txt{spaces}", CHANGE)), root) == []
    assert snapshot(root) == {f"t.txt{spaces}": File(b"two\n")}


@pytest.mark.parametrize("spaces", [" ", "  ", "\t"])
def test_a_name_with_spaces_that_only_exists_without_them_is_that_file_with_a_note(root, spaces):
    build(root, {"t.txt": SECRET})

    assert codes_of_notes(envelope(update(f"t.txt{spaces}", CHANGE)), root) == ["P901:spaces-around-name"]
    assert snapshot(root) == {"t.txt": File(b"two\n")}


@operations
def test_a_name_with_spaces_of_which_both_exist_is_refused(root, operation):
    build(root, {"t.txt": SECRET, "t.txt ": SECRET, "sub/b.txt": SECRET})

    assert code_of(every_operation("t.txt ")[operation], root) == "P313"


def test_a_name_without_spaces_is_never_the_one_with_them(root):
    build(root, {"t.txt ": SECRET})

    assert code_of(envelope(update("t.txt", CHANGE)), root) == "P302"


def test_an_added_name_with_spaces_is_made_without_them_with_a_note(root):
    build(root, {})

    assert codes_of_notes(envelope(add("t.txt ", "x\n")), root) == ["P901:spaces-around-name"]
    assert snapshot(root) == {"t.txt": File(b"x\n")}


def test_a_name_with_spaces_does_not_get_behind_the_check_for_leaving(root, outside):
    assert code_of(envelope(update(" ../outside/a.txt ", CHANGE)), root) == "P301"
    assert code_of(envelope(update(f" {outside}/a.txt ", CHANGE)), root) == "P301"


# -- long names --------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [2000, 50_000])
def test_a_path_of_too_many_directories_is_refused(root, depth):
    assert code_of(envelope(add(f"{'d/' * depth}x", "1\n")), root) == "P309"
    assert code_of(envelope(update("a.txt", move_to=f"{'d/' * depth}x")), root) == "P309"


@pytest.mark.parametrize("killed", [False, True])
def test_a_file_below_more_directories_than_python_may_call_itself_is_changed_and_recovered(root, killed):
    name = f"{'d/' * 1100}x"
    apply = through_library(root, envelope(add(name, "one\n"), update("a.txt", CHANGE)), no_sync=True, history=False)
    run = attempt(apply, Fault(30, only={"mkdir"}, kill=True) if killed else None)
    with Workspace(root) as files:
        notes = [note.code for note in files.begin()]
        found = files.find(name).data

    assert (run.status, notes, found) == (-9 if killed else 0, ["P941"] if killed else [], b"one\n")
    assert sorted(os.listdir(root)) == ["a.txt", "d", "sub"]
    subprocess.run(["rm", "-r", f"{root}/d"], check=True)  # Python would call itself too often


# -- the root itself -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["missing", "file", "link to nothing"])
def test_a_root_that_is_not_a_directory_is_refused(place, kind):
    path = os.path.join(place, "strange")
    if kind == "file":
        with open(path, "wb"):
            pass
    elif kind == "link to nothing":
        os.symlink("nowhere", path)

    with pytest.raises(patchkit.PatchkitError) as refusal:
        patchkit.apply(envelope(add("x", "1\n")), path)
    assert refusal.value.code == "P312"
