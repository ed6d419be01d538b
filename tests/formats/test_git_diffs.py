"""Every diff that git makes is applied as git applies it: modes, binary content, links, renames and copies."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

import patchkit
from patchkit.applying import read_patch
from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.core.workspace.root import Workspace
from patchkit.history import tracked_workspace
from patchkit.history.reading import runs
from patchkit.history.timeline import Held, changes_of
from patchkit.tools.undo import redo

Tree = dict[str, tuple[str, bytes]]  # by name its mode, and its content or target


def git(root: Path, *words: str, given: bytes | None = None) -> bytes:
    settings = ["-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "core.autocrlf=false"]
    return subprocess.run(["git", *settings, *words], cwd=root, input=given, check=True, capture_output=True).stdout


def tree_of(root: Path) -> Tree:
    """Every name with its mode, as git knows modes, and its content or target."""
    found = {}
    for directory, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git" and not os.path.islink(os.path.join(directory, name))]
        for name in [
            *names,
            *(each for each in os.listdir(directory) if os.path.islink(os.path.join(directory, each))),
        ]:
            path = os.path.join(directory, name)
            key = os.path.relpath(path, root)
            if os.path.islink(path):
                found[key] = ("120000", os.readlink(os.fsencode(path)))
            else:
                mode = "100755" if os.stat(path).st_mode & 0o100 else "100644"
                found[key] = (mode, Path(path).read_bytes())
    return found


def put(root: Path, tree: Tree) -> None:
    for name, (mode, data) in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if mode == "120000":
            os.symlink(data, os.fsencode(path))
        else:
            path.write_bytes(data)
            path.chmod(0o755 if mode == "100755" else 0o644)


def empty(root: Path) -> None:
    for path in root.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def diff_between(root: Path, before: Tree, after: Tree, *words: str) -> bytes:
    """git's diff of two trees; the first is what the root holds then."""
    trees = []
    for tree in (after, before):
        empty(root)
        put(root, tree)
        git(root, "add", "-A")
        trees.append(git(root, "write-tree").decode().strip())
    return git(root, "diff", "--binary", "-M", "-C", *words, *reversed(trees))


def content(chance: random.Random) -> bytes:
    if chance.random() < 0.4:
        return chance.randbytes(chance.choice([1, 50, 3000])) + b"\0"
    return b"".join(b"line %d\n" % chance.randrange(40) for _ in range(chance.randrange(1, 60)))


def changed(chance: random.Random, data: bytes) -> bytes:
    if b"\0" in data:
        at = chance.randrange(len(data))
        return data[:at] + chance.randbytes(5) + data[at + 3 :]
    lines = data.split(b"\n")
    lines.insert(chance.randrange(len(lines)), b"new %d" % chance.randrange(99))
    return b"\n".join(lines)


def entry(chance: random.Random) -> tuple[str, bytes]:
    if chance.random() < 0.2:
        return "120000", chance.choice([b"a", b"../b", b"d/e f", b"nowhere"])
    return chance.choice(["100644", "100755"]), content(chance)


def other_tree(chance: random.Random, tree: Tree) -> Tree:
    made = dict(tree)
    for name, (mode, data) in tree.items():
        what = chance.random()
        if what < 0.15:
            del made[name]
        elif what < 0.3:
            made[name] = entry(chance)
        elif what < 0.5 and mode != "120000":
            made[name] = (chance.choice(["100644", "100755"]), changed(chance, data))
        elif what < 0.6:
            made[f"moved/{name}"] = made.pop(name)
        elif what < 0.7:
            made[f"copy-of-{name.replace('/', '-')}"] = (mode, data)
    for number in range(chance.randrange(3)):
        made[f"new/{number} n"] = entry(chance)
    return made


@pytest.mark.parametrize("seed", range(12))
def test_a_diff_gives_the_tree_that_git_gives_and_undo_and_reverse_take_it_back(tmp_path, monkeypatch, seed):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    chance = random.Random(seed)
    root = tmp_path / "tree"
    root.mkdir()
    before = {f"{folder}f{number}": entry(chance) for number in range(8) for folder in ("", "d/")}
    after = other_tree(chance, before)
    put(root, before)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "a")
    empty(root)
    put(root, after)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "b")
    diff = git(root, "diff", "--binary", "-M", "-C", "--find-copies-harder", "HEAD~1", "HEAD")
    empty(root)
    put(root, before)
    if not diff:
        return
    patchkit.apply(diff, root, from_format="unified", history=True)

    assert tree_of(root) == after
    patchkit.undo(root)
    assert tree_of(root) == before


def test_a_mode_alone_is_changed_and_taken_back(tmp_path):
    (tmp_path / "run").write_text("x\n")
    (tmp_path / "run").chmod(0o640)
    diff = "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"
    patchkit.apply(diff, tmp_path, from_format="unified")
    there = (tmp_path / "run").stat().st_mode & 0o777
    patchkit.apply(diff, tmp_path, from_format="unified", reverse=True)

    assert (there, (tmp_path / "run").stat().st_mode & 0o777) == (0o750, 0o640)


def test_an_executable_file_that_a_diff_deletes_comes_back_executable(tmp_path):
    diff = "diff --git a/run.sh b/run.sh\ndeleted file mode 100755\n--- a/run.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-true\n"
    patchkit.apply(diff, tmp_path, from_format="unified", reverse=True)

    assert tree_of(tmp_path) == {"run.sh": ("100755", b"true\n")}


LINES = b"".join(b"line %d\n" % n for n in range(80))
# What only one of two trees has, and something else in its place.
ODD_FILES = {
    "an executable file": (("100755", b"true\n"), ("100755", b"true\nmine\n")),
    "binary content": (("100644", b"\0one"), ("100644", b"\0mine")),
    "a link": (("120000", b"here"), ("120000", b"mine")),
    "a copy": (("100644", LINES), ("100644", b"mine\n")),
    "a copy with changes": (("100644", LINES + b"more\n"), ("100644", b"mine\n")),
}


@pytest.mark.parametrize("what", ODD_FILES)
def test_a_file_goes_only_if_it_has_the_content_that_the_diff_names(tmp_path, what):
    ours, theirs = ODD_FILES[what]
    without = {"source": ("100644", LINES)}
    with_it, with_another = {**without, "x": ours}, {**without, "x": theirs}
    git(tmp_path, "init", "-q")
    deleted = diff_between(tmp_path, with_it, without, "--find-copies-harder")
    added = diff_between(tmp_path, without, with_it, "--find-copies-harder")
    for diff, back in ((deleted, False), (added, True)):
        empty(tmp_path)
        put(tmp_path, with_another)
        with pytest.raises(patchkit.PatchkitError) as raised:
            patchkit.apply(diff, tmp_path, from_format="unified", reverse=back)

        assert (raised.value.code, tree_of(tmp_path)) == ("P125", with_another)
        empty(tmp_path)
        put(tmp_path, with_it)
        patchkit.apply(diff, tmp_path, from_format="unified", reverse=back)

        assert tree_of(tmp_path) == without
    patchkit.apply(deleted, tmp_path, from_format="unified", reverse=True)

    assert tree_of(tmp_path) == with_it


def test_a_deletion_without_its_content_goes_by_the_id_and_does_not_come_back_empty(tmp_path):
    git(tmp_path, "init", "-q")
    diff = diff_between(tmp_path, {"x": ("100644", LINES)}, {}, "-D")
    (tmp_path / "x").write_bytes(b"mine\n")
    with pytest.raises(patchkit.PatchkitError) as changed_since:
        patchkit.apply(diff, tmp_path, from_format="unified")
    (tmp_path / "x").write_bytes(LINES)
    patchkit.apply(diff, tmp_path, from_format="unified")
    with pytest.raises(patchkit.PatchkitError) as unknown:
        patchkit.apply(diff, tmp_path, from_format="unified", reverse=True)

    assert (changed_since.value.code, unknown.value.code, tree_of(tmp_path)) == ("P125", "P112", {})


# What becomes of a file that gets another name: by its content before, which tells the files of a circle apart.
MOVED = {
    "text": (("100644", LINES), ("100644", LINES + b"more\n")),
    "mode": (("100644", LINES[::-1]), ("100755", LINES[::-1])),
    "mode away": (("100755", LINES.title()), ("100644", LINES.title() + b"more\n")),
    "endings": (("100644", LINES.upper()), ("100644", LINES.upper().replace(b" 7\n", b" 7\r\n"))),
    "binary": (("100644", b"\0one" * 90), ("100644", b"\0one" * 90 + b"two")),
    "link": (("120000", b"here"), ("120000", b"here")),
}


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("shift", range(len(MOVED)))
def test_files_that_take_each_others_names_are_what_git_makes_of_them_and_come_back(tmp_path, monkeypatch, size, shift):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "tree"
    root.mkdir()
    git(root, "init", "-q")
    kinds = [*MOVED.values()] * 2
    moved = dict(zip("abc", kinds[shift : shift + size]))
    before = {name: old for name, (old, _) in moved.items()}
    after = dict(zip([*moved][1:] + [*moved][:1], (new for _, new in moved.values())))
    diff = diff_between(root, before, after, "-B")
    for back, made, undone in ((False, after, before), (False, after, after), (True, before, after)):
        patchkit.apply(diff, root, from_format="unified", reverse=back, history=True)
        assert tree_of(root) == made
        if undone != made:
            patchkit.undo(root)
            assert tree_of(root) == undone


@pytest.mark.parametrize(("files", "code"), [({}, "P302"), ({"copy/x": b"a\n"}, "P305")])
def test_a_copy_that_is_not_there_or_is_a_directory_is_not_taken_back(files, code):
    diff = "diff --git a/source b/copy\nsimilarity index 100%\ncopy from source\ncopy to copy\n"
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(diff, {"source": b"a\n", **files}, from_format="unified", reverse=True)

    assert raised.value.code == code


@pytest.mark.parametrize("words", [["--no-prefix"], ["--no-prefix", "--no-renames"], []])
def test_a_backslash_in_a_name_that_git_quotes_parts_no_directories(tmp_path, words):
    before = {"one\\two": ("100644", LINES)}
    after = {"three\\four": ("100644", LINES + b"more\n"), "five\\six": ("100755", b"new\n")}
    git(tmp_path, "init", "-q")
    diff = diff_between(tmp_path, before, after, *words)
    patchkit.apply(diff, tmp_path, from_format="unified", strip=0 if words else None)

    assert tree_of(tmp_path) == after


@pytest.mark.parametrize("entry", [("100644", b"text\n"), ("100644", b"\0binary"), ("120000", b"here")])
def test_a_new_name_with_a_space_at_its_end_is_refused_whatever_it_names(tmp_path, entry):
    git(tmp_path, "init", "-q")
    diff = diff_between(tmp_path, {}, {"name ": entry})
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(diff, tmp_path, from_format="unified")

    assert (raised.value.code, tree_of(tmp_path)) == ("P112", {})


def test_binary_content_for_another_file_is_refused(tmp_path):
    root = tmp_path / "r"
    root.mkdir()
    git(root, "init", "-q")
    (root / "b").write_bytes(b"\0one" * 50)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "a")
    (root / "b").write_bytes(b"\0one" * 50 + b"two")
    diff = git(root, "diff", "--binary")
    (root / "b").write_bytes(b"\0other")
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(diff, root, from_format="unified")

    assert str(raised.value) == "P125: the diff changes another 'b' than the one that is there"
    assert (root / "b").read_bytes() == b"\0other"


@pytest.mark.parametrize(
    ("there", "code"), [(("120000", b"other"), "P125"), (("100644", b"x"), "P125"), (None, "P302")]
)
def test_a_link_that_leads_elsewhere_or_is_none_is_refused_as_that(tmp_path, there, code):
    head = "diff --git a/l b/l\nindex 1111111..2222222 120000\n--- a/l\n+++ b/l\n"
    mark = "\\ No newline at end of file\n"
    put(tmp_path, {"l": there} if there else {})
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(f"{head}@@ -1 +1 @@\n-one\n{mark}+two\n{mark}", tmp_path, from_format="unified")

    assert (raised.value.code, "deletes" in raised.value.message) == (code, False)


@pytest.mark.parametrize("meanwhile", [b"\0theirs", None], ids=["changed", "left"])
def test_a_binary_file_that_changes_between_plan_and_commit_is_kept_and_has_no_links_of_ours(tmp_path, meanwhile):
    before = {name: ("100644", b"\0old " + name.encode()) for name in ("a", "b")}
    after = {name: ("100644", b"\0new " + name.encode()) for name in ("a", "b")}
    root = tmp_path
    git(root, "init", "-q")
    diff = diff_between(root, before, after).decode("utf-8", "surrogateescape")
    with Workspace(root) as files:
        options = Options(source="unified")
        planned = plan(read_patch(diff, files, options), files, options)
        if meanwhile is None:
            planned.commit()
            assert (tree_of(root), planned.notes) == (after, [])
            return
        (root / "b").write_bytes(meanwhile)
        with pytest.raises(patchkit.PatchkitError) as refusal:
            planned.commit()

    assert (refusal.value.code, refusal.value.file) == ("P311", "b")
    assert tree_of(root) == {**before, "b": ("100644", meanwhile)}


def test_a_diff_without_its_binary_content_is_refused_with_the_reason():
    diff = "diff --git a/b b/b\nindex 1111111..2222222 100644\nBinary files a/b and b/b differ\n"
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(diff, {"b": b"\0"}, from_format="unified")

    assert raised.value.code == "P112"
    assert "binary content" in raised.value.message


def test_another_format_refuses_what_it_cannot_say_and_leaves_it_out_by_name():
    diff = "diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n"
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.convert(diff, "v4a", {}, from_format="unified")
    made = patchkit.convert(diff, "v4a", {}, from_format="unified", skip_unsupported=True)

    assert raised.value.code == "P112"
    assert made.text == b"*** Begin Patch\n*** Add File: x\n+x\n*** End Patch\n"
    assert [note.facts["what"] for note in made.notes if note.code == "P983"] == ["the mode of 'x'"]


def test_copies_have_the_line_endings_that_git_gives_them(tmp_path):
    lines = [b"line %d\r\n" % number for number in range(20)]
    before = {"a": ("100644", b"".join(lines))}
    after = {
        **before,
        "same": ("100644", b"".join([*lines[:5], b"new\r\n", *lines[6:]])),
        "other": ("100644", b"".join([*lines[:5], b"line 5\n", b"line 6\n", *lines[7:]])),
    }
    put(tmp_path, before)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "a")
    put(tmp_path, after)
    git(tmp_path, "add", "-A")
    diff = git(tmp_path, "diff", "--cached", "-C", "--find-copies-harder")
    empty(tmp_path)
    put(tmp_path, before)
    patchkit.apply(diff, tmp_path, from_format="unified")

    assert diff.count(b"\ncopy to ") == 2
    assert tree_of(tmp_path) == after


def test_a_renamed_file_with_another_mode_has_the_line_endings_that_git_gives_it(tmp_path):
    lines = [b"line %d\r\n" % number for number in range(20)]
    before = {"a": ("100644", b"".join(lines))}
    after = {"b": ("100755", b"".join([*lines[:5], b"line 5\n", b"line 6\n", *lines[7:]]))}
    (tmp_path / "git").mkdir()
    git(tmp_path / "git", "init", "-q")
    diff = diff_between(tmp_path / "git", before, after)
    root = tmp_path / "tree"
    root.mkdir()
    put(root, before)
    patchkit.apply(diff, root, from_format="unified")
    made = tree_of(root)
    patchkit.apply(diff, root, from_format="unified", reverse=True)

    assert b"\nrename to " in diff
    assert (made, tree_of(root)) == (after, before)


def test_changed_line_endings_are_made_and_taken_back_byte_for_byte():
    diff = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n"
    files = {"x": b"a\r\nb\r\nc\r\n"}
    patchkit.apply(diff, files, from_format="unified")
    after = dict(files)
    patchkit.apply(diff, files, from_format="unified", reverse=True)

    assert (after, files) == ({"x": b"a\nb\nc\r\n"}, {"x": b"a\r\nb\r\nc\r\n"})


def test_files_below_a_link_that_the_diff_deletes_are_made_in_a_directory_of_its_name(tmp_path):
    put(tmp_path, {"real/a.txt": ("100644", b"a\n"), "link": ("120000", b"real")})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "1")
    (tmp_path / "link").unlink()
    put(tmp_path, {"link/a.txt": ("100644", b"b\n")})
    git(tmp_path, "add", "-A")
    diff = git(tmp_path, "diff", "--cached", "--binary")
    git(tmp_path, "reset", "-q", "--hard")
    patchkit.apply(diff, tmp_path, from_format="unified")

    assert tree_of(tmp_path) == {"real/a.txt": ("100644", b"a\n"), "link/a.txt": ("100644", b"b\n")}


# -- a name that is a directory on one side, and a file or a link on the other -----------------------

LONG = b"".join(b"line %d\n" % number for number in range(20))
KEPT = {"e/z": ("100644", b"z\n")}
PLACES = {
    "a directory becomes a link": (
        {"d/a": ("100644", b"x\n"), "d/s/b": ("100755", b"y\n"), **KEPT},
        {"d": ("120000", b"e"), **KEPT},
    ),
    "a directory becomes a link to nowhere inside": ({"d/a": ("100644", LONG)}, {"d": ("120000", b"/etc")}),
    "a directory becomes an executable file": (
        {"d/a": ("100644", b"x\n"), "d/s/b": ("100755", b"y\n"), **KEPT},
        {"d": ("100755", b"run\n"), **KEPT},
    ),
    "links and binary content in a directory": (
        {"d/l": ("120000", b"a"), "d/out": ("120000", b"/etc"), "d/a": ("100644", b"\0one")},
        {"d": ("100644", b"\0two")},
    ),
    "a file gets the name of its directory": ({"d/a": ("100755", LONG)}, {"d": ("100755", LONG)}),
    "a directory is moved, and a link leads there": (
        {"d/a": ("100644", LONG), "d/s/b": ("100755", LONG * 2)},
        {"n/a": ("100644", LONG), "n/s/b": ("100755", LONG * 2 + b"more\n"), "d": ("120000", b"n")},
    ),
    "a directory and a link change places": (
        {"a/x": ("100644", LONG), "b": ("120000", b"a")},
        {"b/x": ("100644", LONG), "a": ("120000", b"b")},
    ),
    "deep ones": (
        {"p/d/a": ("100644", b"x\n"), "p/d/s/t/b": ("120000", b"q"), "p/k": ("100644", b"k\n"), "l": ("120000", b"p")},
        {
            "p/d": ("120000", b"../o"),
            "o/n": ("100644", b"1\n"),
            "p/k": ("100644", b"kk\n"),
            "l/a/b": ("100644", b"l\n"),
        },
    ),
}


@pytest.mark.parametrize("backwards", [False, True])
def test_directories_links_and_files_take_each_others_places_as_with_git(tmp_path, monkeypatch, backwards):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root, judge = tmp_path / "tree", tmp_path / "judge"
    for each in (root, judge):
        each.mkdir()
        git(each, "init", "-q")
    wrong = []
    for name, trees in PLACES.items():
        before, after = reversed(trees) if backwards else trees
        diff = diff_between(judge, before, after)
        git(judge, "apply", "--whitespace=nowarn", given=diff)
        empty(root)
        put(root, before)
        found = []
        with pytest.raises(patchkit.PatchkitError, match="P648"):
            patchkit.apply(diff, root, from_format="unified", verify="false")
        found.append(tree_of(root) == before)
        patchkit.apply(diff, root, from_format="unified", history=True, verify="true")
        found.append(tree_of(root) == after == tree_of(judge))
        patchkit.undo(root)
        found.append(tree_of(root) == before)
        with tracked_workspace(root) as files:
            redo(files)
        found.append(tree_of(root) == after)
        if not all(found) or [*root.rglob(".patchkit*")]:
            wrong.append((name, found))

    assert wrong == []


@pytest.mark.parametrize("other", ["d/s/other.txt", "d/s/.gitignore"])
def test_a_directory_that_holds_another_file_is_not_replaced(tmp_path, other):
    git(tmp_path, "init", "-q")
    before, after = PLACES["a directory becomes a link"]
    diff = diff_between(tmp_path, before, after)
    (tmp_path / other).write_text("mine\n")
    there = tree_of(tmp_path)
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(diff, tmp_path, from_format="unified")

    assert (raised.value.code, raised.value.message) == ("P305", f"'d' is a directory that holds '{other}'")
    assert tree_of(tmp_path) == there


def test_a_commit_of_git_has_a_directory_that_became_a_link_and_log_shows_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "tree"
    root.mkdir()
    git(root, "init", "-q")
    before, after = PLACES["a directory becomes a link"]
    diff = diff_between(root, before, after)
    for words in (("user.name", "n"), ("user.email", "n@example.com")):
        git(root, "config", *words)
    git(root, "commit", "-qm", "base")
    patchkit.apply(diff, root, from_format="unified", history=True, commit="link")
    committed = git(root, "diff", "--raw", "--no-renames", "HEAD~1", "HEAD").decode().split("\n")[:-1]
    status = git(root, "status", "--porcelain")
    with tracked_workspace(root) as files:
        [found] = changes_of(runs(files.real), files).values()
    shown = [(each.path, each.before, each.after) for each in found]

    assert [line.split()[-2:] for line in committed] == [["A", "d"], ["D", "d/a"], ["D", "d/s/b"]]
    assert status == b""
    assert shown == [
        ("d/a", Held("file", b"x\n"), Held("missing")),
        ("d/s/b", Held("file", b"y\n"), Held("missing")),
        ("d", Held("missing"), Held("link", b"e")),
    ]


def one_line(name: str, old: str | None, new: str | None) -> str:
    """A section of git that adds, changes or deletes a file of one line."""
    mode = "new file mode 100644\n" if old is None else "deleted file mode 100644\n" if new is None else ""
    names = f"--- {'/dev/null' if old is None else f'a/{name}'}\n+++ {'/dev/null' if new is None else f'b/{name}'}\n"
    counts = f"@@ -{'0,0' if old is None else '1'} +{'0,0' if new is None else '1'} @@\n"
    lines = "".join(f"{sign}{text}\n" for sign, text in (("-", old), ("+", new)) if text is not None)
    return f"diff --git a/{name} b/{name}\n{mode}{names}{counts}{lines}"


def test_an_update_stays_behind_the_add_that_it_is_for_where_a_delete_frees_the_name():
    added = [one_line("x", None, "new"), one_line("x", "new", "newer")]
    renamed = "diff --git a/p b/q\nsimilarity index 100%\nrename from p\nrename to q\n"
    both = {"q": b"p\n", "x": b"newer\n"}
    inside = [one_line("x/y", None, "new"), one_line("x/y", "new", "newer"), one_line("x", "old", None)]
    cases = [
        ("".join([*added, one_line("x", "old", None)]), {"x": b"old\n"}, {"x": b"newer\n"}),
        ("".join([*added, one_line("x/y", "old", None)]), {"x/y": b"old\n"}, {"x": b"newer\n"}),
        ("".join(inside), {"x": b"old\n"}, {"x/y": b"newer\n"}),
        ("".join([*added, one_line("x", "newer", None)]), {"x": b"new\n"}, "P125"),
        ("".join([renamed, *added, one_line("x", "newer", None)]), {"p": b"p\n", "x": b"new\n"}, "P125"),
        ("".join([renamed, *added, one_line("x", "old", None)]), {"p": b"p\n", "x": b"old\n"}, both),
    ]
    found = []
    for text, files, _ in cases:
        content = dict(files)
        try:
            patchkit.apply(text, content, from_format="unified")
            found.append(content)
        except patchkit.PatchkitError as error:
            found.append(error.code)

    assert found == [wanted for _, _, wanted in cases]


# -- a mail speaks of what those before it made ------------------------------------------------------

ONE, TWO, LEADS = ("100644", LONG), ("100755", LONG * 2), ("120000", b"one")
SERIES: dict[str, list[Tree]] = {
    "a link is made, and gets another name": [{}, {"l": LEADS}, {"m": LEADS}],
    "a link is made and copied, and the copy gets another name": [
        {},
        {"l": LEADS},
        {"l": LEADS, "m": LEADS},
        {"l": LEADS, "n": LEADS},
    ],
    "a link becomes a file, which is changed": [{"l": LEADS}, {"l": ONE}, {"l": ("100644", LONG + b"more\n")}],
    "a link goes, and a file of its name is changed": [
        {"l": LEADS},
        {},
        {"l": ("100644", b"\0" * 99)},
        {"l": ("100644", b"\0" * 99 + b"1")},
    ],
    "a file is made and copied": [{}, {"two": TWO}, {"two": TWO, "m": TWO}],
    "a file gets a mode and is copied": [
        {},
        {"one": ("100755", LONG)},
        {"one": ("100755", LONG), "m": ("100755", LONG)},
    ],
    "a file gets a mode, goes, and comes without it": [
        {},
        {"two": ("100644", LONG * 2)},
        {"two": TWO},
        {},
        {"two": ("100644", LONG * 2)},
    ],
    "an executable file goes, and comes as another one": [{"two": TWO}, {}, {"two": ("100644", LONG * 2)}],
    "a link becomes a file, which is copied": [{"l": LEADS}, {"l": TWO}, {"l": TWO, "m": TWO}],
}


@pytest.mark.parametrize("what", SERIES)
def test_a_series_of_mails_gives_the_tree_that_git_has_and_undo_takes_it_back(tmp_path, monkeypatch, what):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "r"
    root.mkdir()
    git(root, "init", "-q")
    trees = [{"one": ONE, **tree} for tree in SERIES[what]]
    for tree in trees:
        for name in tree_of(root):
            (root / name).unlink()
        put(root, tree)
        git(root, "add", "-A")
        git(root, "commit", "-qm", "x")
    mails = git(root, "format-patch", "--stdout", "--binary", "-M", "-C", "--find-copies-harder", f"-{len(trees) - 1}")
    git(root, "reset", "-q", "--hard", f"HEAD~{len(trees) - 1}")
    patchkit.apply(mails, root, from_format="unified", history=True)

    assert tree_of(root) == trees[-1]
    patchkit.undo(root)
    assert tree_of(root) == trees[0]


@pytest.mark.parametrize("mode", [0o644, 0o755])
@pytest.mark.parametrize("words", [[], ["-C", "--find-copies-harder"]])
def test_a_new_file_of_git_may_say_that_code_is_left_out(tmp_path, mode, words):
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("def f():\n    a = 1\n    # ... rest of the code ...\n    return a\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "x")
    shutil.copy(tmp_path / "a.py", tmp_path / "b.py")
    (tmp_path / "b.py").chmod(mode)
    git(tmp_path, "add", "-A")
    diff = git(tmp_path, "diff", "--cached", *words)
    git(tmp_path, "reset", "-q", "--hard")
    patchkit.apply(diff, tmp_path, from_format="unified")

    assert (tmp_path / "b.py").read_bytes() == (tmp_path / "a.py").read_bytes()


def test_a_file_that_takes_the_place_of_a_link_is_changed_itself(tmp_path):
    put(tmp_path, {"one": ("100644", b"a\nb\n"), "l": LEADS})
    sections = "*** Delete File: l\n*** Add File: l\n+a\n+b\n*** Update File: l\n@@\n a\n-b\n+c\n"
    patchkit.apply(f"*** Begin Patch\n{sections}*** End Patch\n", tmp_path)

    assert tree_of(tmp_path) == {"one": ("100644", b"a\nb\n"), "l": ("100644", b"a\nc\n")}


def test_a_link_that_the_patch_has_deleted_is_not_there(tmp_path):
    put(tmp_path, {"one": ("100644", b"a\nb\n"), "l": LEADS})
    sections = "*** Delete File: l\n*** Update File: l\n@@\n a\n-b\n+c\n"
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(f"*** Begin Patch\n{sections}*** End Patch\n", tmp_path)

    assert raised.value.code == "P302"


NEW = {
    "an executable file": ("100755", LONG),
    "a link": ("120000", b"one"),
    "binary content": ("100644", b"\0\1"),
    "a copy": ("100644", LONG * 2),
}


@pytest.mark.parametrize("what", NEW)
def test_a_new_file_that_is_there_already_is_left_out_and_one_with_another_mode_is_refused(tmp_path, what):
    git(tmp_path, "init", "-q")
    before: Tree = {"one": ("100644", LONG * 2)}
    after = {**before, "new": NEW[what]}
    diff = diff_between(tmp_path, before, after, "--find-copies-harder")
    empty(tmp_path)
    put(tmp_path, after)
    done = patchkit.apply(diff, tmp_path, from_format="unified", forward=True)
    assert ([note.code for note in done.notes], tree_of(tmp_path)) == (["P929", "P933"], after)

    if what == "an executable file":
        (tmp_path / "new").chmod(0o644)
        with pytest.raises(patchkit.PatchkitError, match="P303"):
            patchkit.apply(diff, tmp_path, from_format="unified", forward=True)


@pytest.mark.parametrize("folder", ["a", "b", "zlib-1.2"])
def test_a_diff_without_prefixes_makes_and_deletes_the_files_that_it_names(tmp_path, folder):
    git(tmp_path, "init", "-q")
    other: Tree = {"f": ("100644", LONG)}
    mine = {**other, f"{folder}/f": ("100644", LONG)}
    for before, after in ((other, mine), (mine, other)):
        diff = diff_between(tmp_path, before, after, "--no-prefix", "--no-renames")
        patchkit.apply(diff, tmp_path, from_format="unified")
        assert tree_of(tmp_path) == after
