"""The files of a commit are what a checkout of it has: same kinds, same names, same bytes, same refusals."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, outcome

from patchkit.core.workspace.root import Workspace
from patchkit.diffs.git_tree import GitTree
from patchkit.errors import PatchkitError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

FILES = {
    "a.txt": b"a\n",
    "deep/er/b.txt": b"b\r\n\x00\xff",
    "empty": b"",
    " blank .txt": b"blanks\n",
    "new\nline.txt": b"line\n",
    "ä\udcff.txt": b"bytes\n",
    "-rf": b"option\n",
}
LINKS = {
    "to-file": "a.txt",
    "to-directory": "deep",
    "deep/up": "../a.txt",
    "deep/over": "er/../../a.txt",
    "out": "../../etc/passwd",
    "absolute": "/etc/passwd",
    "nowhere": "missing.txt",
    "loop": "loop",
    "chain": "to-directory/up",
    "through": "to-file/x",
}
NAMES = ["a.txt", "deep", "er", "b.txt", "up", "over", "x", "..", ".", "", "missing", *FILES, *LINKS]


def git(*words, cwd, **settings):
    who = {f"GIT_{role}_{part}": "t@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", *words], cwd=cwd, env={**os.environ, **who, **settings}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A work tree with everything in it, committed."""
    top = tmp_path_factory.mktemp("repository") / "top"
    for name, data in FILES.items():
        path = top / "sub" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for name, target in LINKS.items():
        (top / "sub" / name).symlink_to(target)
    (top / "outside.txt").write_text("outside the root\n")
    (top / "sub" / "a.txt").chmod(0o755)
    git("init", "-q", "-b", "main", cwd=top)
    git("add", "-A", cwd=top)
    git("commit", "-q", "-m", "all", cwd=top)
    return top


@pytest.fixture(scope="module")
def both(repository):
    """The same root twice: the commit's, and the one on disk."""
    root = str(repository / "sub")
    with GitTree("HEAD", root=root) as commit, Workspace(root) as disk:
        yield commit, disk


def facts(found):
    """What a source of files says about a path."""
    if isinstance(found, PatchkitError):
        return found.code, found.facts.get("file")
    data = found.data if found.kind == "file" else None
    return found.name, found.kind, found.target, found.blocker, data


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5).map("/".join), st.booleans())
@examples(600)
def test_a_commit_says_of_every_path_what_its_checkout_says(both, path, follow):
    commit, disk = both

    assert facts(outcome(commit.find, path, follow)) == facts(outcome(disk.find, path, follow))


def test_a_path_may_be_absolute_where_it_lies_under_the_root(both, repository):
    commit, _disk = both

    assert facts(commit.find(str(repository / "sub" / "a.txt")))[0] == "a.txt"
    with pytest.raises(PatchkitError, match="P301"):
        commit.find(str(repository / "outside.txt"))


def test_a_name_with_a_nul_is_refused(both):
    with pytest.raises(PatchkitError, match="P309"):
        both[0].find("a\0b")


def test_relative_paths_may_start_further_down(repository):
    with GitTree("HEAD", root=str(repository), start="sub/deep") as commit:
        assert commit.find("er/b.txt").name == "sub/deep/er/b.txt"
        assert commit.find("../a.txt").data == b"a\n"


def test_the_mode_of_a_file_is_known(both):
    assert [both[0].find(name).location.status.st_mode for name in ("a.txt", "empty")] == [0o100755, 0o100644]


def test_a_bare_repository_will_do(repository, tmp_path):
    git("clone", "-q", "--bare", str(repository), str(tmp_path / "bare"), cwd=tmp_path)
    with GitTree("main", git_dir=str(tmp_path / "bare")) as commit:
        assert commit.find("sub/a.txt").data == b"a\n"
        assert commit.commit_id == git("rev-parse", "main", cwd=repository)


def test_a_revision_may_be_anything_git_can_name(repository):
    identity = git("rev-parse", "HEAD", cwd=repository)
    for revision in (identity, identity[:10], "HEAD~0", "main", "HEAD^{tree}"):
        with GitTree(revision, root=str(repository)) as commit:
            assert commit.find("outside.txt").data == b"outside the root\n"


def test_a_submodule_is_not_a_directory_of_files(tmp_path):
    git("init", "-q", cwd=tmp_path)
    commit = "0123456789012345678901234567890123456789"
    git("update-index", "--add", "--cacheinfo", f"160000,{commit},module", cwd=tmp_path)
    git("commit", "-q", "-m", "module", cwd=tmp_path)
    with GitTree("HEAD", root=str(tmp_path)) as tree:
        assert tree.find("module").kind == "submodule"
        with pytest.raises(PatchkitError, match="'module/a' is a path inside a submodule, not a regular file"):
            tree.find("module/a")


@pytest.mark.parametrize("revision", ["nope", "-x", "--help", "HEAD\nmain", "a b", "", "HEAD:a.txt", "@{-1}"])
def test_a_revision_that_is_none_is_refused_and_never_an_option(repository, revision):
    with pytest.raises(PatchkitError, match="P666"):
        GitTree(revision, root=str(repository))


def test_a_root_that_the_commit_does_not_have_is_refused(repository):
    (repository / "later").mkdir(exist_ok=True)
    with pytest.raises(PatchkitError, match=r"P312: .* commit 'HEAD' has no such directory"):
        GitTree("HEAD", root=str(repository / "later"))


def test_a_directory_that_is_not_a_repository_is_refused_with_gits_own_words(tmp_path):
    with pytest.raises(PatchkitError, match="P667: cannot read the repository: not a git repository"):
        GitTree("HEAD", root=str(tmp_path))


def test_where_git_is_missing_that_is_said(repository, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(PatchkitError, match="P667: cannot read the repository: git cannot be run"):
        GitTree("HEAD", root=str(repository))


def test_content_that_the_repository_lacks_is_an_error_of_that_file(tmp_path):
    git("init", "-q", cwd=tmp_path)
    (tmp_path / "a.txt").write_text("a\n")
    git("add", "-A", cwd=tmp_path)
    git("commit", "-q", "-m", "all", cwd=tmp_path)
    blob = git("rev-parse", "HEAD:a.txt", cwd=tmp_path)
    (tmp_path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with GitTree("HEAD", root=str(tmp_path)) as tree, pytest.raises(PatchkitError, match=r"P401: cannot read 'a\.txt'"):
        _ = tree.find("a.txt").data


def test_a_repository_of_the_longer_ids_is_read_too(tmp_path):
    git("init", "-q", "--object-format=sha256", cwd=tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.txt").write_text("a\n")
    git("add", "-A", cwd=tmp_path)
    git("commit", "-q", "-m", "all", cwd=tmp_path)
    with GitTree("HEAD", root=str(tmp_path)) as tree:
        assert (tree.find("d/a.txt").data, len(tree.commit_id)) == (b"a\n", 64)


def test_new_files_end_their_lines_as_settings_of_the_commit_say(tmp_path):
    git("init", "-q", cwd=tmp_path)
    (tmp_path / "real").write_text("[*.bat]\nend_of_line = crlf\n")
    (tmp_path / ".editorconfig").symlink_to("real")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / ".gitattributes").write_text("*.txt eol=crlf\n")
    git("add", "-A", cwd=tmp_path)
    git("commit", "-q", "-m", "settings", cwd=tmp_path)
    (tmp_path / "real").write_text("[*]\nend_of_line = cr\n")  # in the work tree alone

    with GitTree("HEAD", root=str(tmp_path)) as tree:
        endings = [tree.new_ending(name) for name in ("a.bat", "a.txt", "d/a.bat", "d/a.txt", "d/e/a.txt", "x/y")]

    assert endings == [b"\r\n", b"\n", b"\r\n", b"\r\n", b"\r\n", b"\n"]
