"""The line endings of new files: `.editorconfig` and `.gitattributes`, compared with the tools that read them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import examples

import patchkit
from patchkit.globs import conventions
from patchkit.globs.conventions import Conventions, EditorConfig, GitAttributes, states

CRLF, LF = b"\r\n", b"\n"


def ending(files, name):
    return Conventions(lambda path: files[path].encode() if path in files else None).ending(name)


# -- which file decides --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "name", "wanted"),
    [
        ({}, "a.txt", LF),
        ({".editorconfig": "[*]\nend_of_line = crlf\n"}, "a.txt", CRLF),
        ({".editorconfig": "[*]\nend_of_line = crlf\n"}, "d/e/a.txt", CRLF),
        ({".editorconfig": "[*]\nend_of_line = cr\n"}, "a.txt", b"\r"),
        ({".editorconfig": "[*]\nend_of_line = CRLF\n"}, "a.txt", CRLF),
        ({".editorconfig": "[*]\r\nEnd_Of_Line: crlf ; as ever\r\n"}, "a.txt", CRLF),
        ({".editorconfig": "[*.md]\nend_of_line = crlf\n"}, "a.txt", LF),
        ({".editorconfig": "[*]\nend_of_line = crlf\n[*.sh]\nend_of_line = lf\n"}, "a.sh", LF),
        ({".editorconfig": "end_of_line = crlf\n"}, "a.txt", LF),  # in no section
        ({".editorconfig": "[*]\nend_of_line = crlf\n", "d/.editorconfig": "[*]\nend_of_line = lf\n"}, "d/a", LF),
        ({".editorconfig": "[*]\nend_of_line = crlf\n", "d/.editorconfig": "[*]\nindent_size = 2\n"}, "d/a", CRLF),
        ({".editorconfig": "[*]\nend_of_line = crlf\n", "d/.editorconfig": "root = true\n"}, "d/a", LF),
        ({".editorconfig": "[*]\nend_of_line = crlf\n", "d/.editorconfig": "[*]\nroot = true\n"}, "d/a", CRLF),
        ({".editorconfig": "[*]\nend_of_line = crlf\n", "d/.editorconfig": "[*]\nend_of_line = unset\n"}, "d/a", LF),
        ({"d/.editorconfig": "[*]\nend_of_line = crlf\n"}, "a.txt", LF),
        ({".gitattributes": "* text=auto eol=crlf\n"}, "a.txt", CRLF),
        ({".gitattributes": "* eol=crlf\n*.sh eol=lf\n"}, "d/a.sh", LF),
        ({".gitattributes": "*.bat eol=crlf\n", "d/.gitattributes": "*.bat -text\n"}, "d/a.bat", LF),
        ({".gitattributes": "* eol=crlf\n*.png binary\n"}, "a.png", LF),
        ({".gitattributes": "* text=auto\n"}, "a.txt", LF),
        ({".gitattributes": "* eol=lf\n", ".editorconfig": "[*]\nend_of_line = crlf\n"}, "a.txt", CRLF),
        ({".gitattributes": "* eol=crlf\n", ".editorconfig": "[*.c]\nend_of_line = lf\n"}, "a.txt", CRLF),
    ],
)
def test_the_nearest_setting_decides(files, name, wanted):
    assert ending(files, name) == wanted


def test_a_new_file_has_the_ending_of_its_place(tmp_path):
    (tmp_path / ".editorconfig").write_text("[*.bat]\nend_of_line = crlf\n")
    (tmp_path / "sub").mkdir()
    patch = "*** Begin Patch\n*** Add File: sub/new/a.bat\n+one\n+two\n*** Add File: b.txt\n+one\n*** End Patch\n"
    memory = {".editorconfig": b"[*.bat]\nend_of_line = crlf\n"}
    patchkit.apply(patch, tmp_path)
    patchkit.apply(patch, memory)

    assert (tmp_path / "sub/new/a.bat").read_bytes() == memory["sub/new/a.bat"] == b"one\r\ntwo\r\n"
    assert (tmp_path / "b.txt").read_bytes() == memory["b.txt"] == b"one\n"


def test_a_new_file_that_exists_already_counts_as_applied_with_its_own_endings(tmp_path):
    (tmp_path / ".gitattributes").write_text("* eol=crlf\n")
    patch = "*** Begin Patch\n*** Add File: a\n+one\n*** End Patch\n"
    patchkit.apply(patch, tmp_path)

    assert [note.code for note in patchkit.apply(patch, tmp_path, forward=True).notes] == ["P929", "P933"]


def test_settings_behind_a_link_count_when_it_stays_inside(tmp_path):
    root = tmp_path / "root"
    (root / "conf").mkdir(parents=True)
    (tmp_path / "outside").write_text("[*]\nend_of_line = crlf\n")
    (root / "conf/editor").write_text("[*]\nend_of_line = crlf\n")
    (root / "in").mkdir()
    (root / "out").mkdir()
    os.symlink("../conf/editor", root / "in/.editorconfig")
    os.symlink("../../outside", root / "out/.editorconfig")
    patchkit.apply("*** Begin Patch\n*** Add File: in/a\n+1\n*** Add File: out/a\n+1\n*** End Patch\n", root)

    assert [(root / name).read_bytes() for name in ("in/a", "out/a")] == [b"1\r\n", b"1\n"]


@pytest.mark.parametrize(
    "broken", [b"\xff\xfe[*\n", b"[", b"=\n:\n", b"[*]\nend_of_line", b"\0" * 100, b"[attr] crlf\n"]
)
def test_broken_settings_are_ignored(tmp_path, broken):
    for name in (".editorconfig", ".gitattributes"):
        (tmp_path / name).write_bytes(broken + b"cr")
    patchkit.apply("*** Begin Patch\n*** Add File: a\n+1\n*** End Patch\n", tmp_path)

    assert (tmp_path / "a").read_bytes() == b"1\n"


@pytest.mark.parametrize("pattern", ["*a" * 500, "{a,b}" * 150, "{" * 400 + "}" * 400, "[a-z]*" * 160, "**/" * 300])
def test_patterns_made_to_be_slow_are_answered_in_time(pattern):
    """Followed one way after the other, these would outlast any test's time."""
    name = "a" * 500 + "/" + "b" * 200
    editor = EditorConfig(f"[{pattern}]\nend_of_line = crlf\n".encode()).value("end_of_line", name)
    git = states([(name, GitAttributes(f"{pattern} eol=crlf\n".encode(), top=True))])

    assert (editor, git) == (("crlf", {"eol": "crlf"}) if pattern.startswith("[") else (None, {}))


def test_a_file_full_of_slow_patterns_is_given_up():
    name = "a" * 2000
    slow = "*a" * 500 + "b"
    editor = EditorConfig(f"[{slow}]\nend_of_line = crlf\n".encode() * 500)
    git = GitAttributes(f"{slow} eol=crlf\n".encode() * 500, top=True)

    assert (editor.value("end_of_line", name), states([(name, git)])) == (None, {})


# -- compared with git -----------------------------------------------------------------------------

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
NAMES = ["text", "eol", "crlf", "mine", "binary"]
PATHS = ["a", "a.c", "b.c", "d/a.c", "d/b", "d/e/a.c", "d/e/f.txt", "é.c", "d/[x].c", "a b.c", "-x", "A.C"]


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    root = tmp_path_factory.mktemp("git")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "LC_ALL": "C"}
    subprocess.run(["git", "init", "-q", root], check=True, env=environment)
    (root / "d/e").mkdir(parents=True)

    def ask(files):
        for name in (".gitattributes", "d/.gitattributes"):
            (root / name).write_bytes(files.get(name, b""))
        done = subprocess.run(
            ["git", "check-attr", "-z", "--stdin", *NAMES],
            cwd=root,
            env=environment,
            input=b"".join(path.encode() + b"\0" for path in PATHS),
            capture_output=True,
            check=True,
        )
        fields = done.stdout.split(b"\0")[:-1]
        return {(a.decode(), b.decode()): c.decode() for a, b, c in zip(fields[::3], fields[1::3], fields[2::3])}

    return ask


def ours(files):
    """The same answers from our reading of the same files."""
    top = GitAttributes(files.get(".gitattributes", b""), top=True)
    below = GitAttributes(files.get("d/.gitattributes", b""), top=False)
    answers = {}
    for path in PATHS:
        near = [(path[2:], below)] if path.startswith("d/") else []
        found = states([*near, (path, top)])
        for name in NAMES:
            state = found.get(name)
            words = {True: "set", False: "unset", None: "unspecified"}
            answers[path, name] = state if isinstance(state, str) else words[state]
    return answers


patterns = st.one_of(
    st.sampled_from(
        [
            *[
                "*",
                "*.c",
                "a.*",
                "**",
                "**/a.c",
                "d/**",
                "d/*",
                "/a",
                "/d/**/a.c",
                "d/",
                "d",
                "?.c",
                "[a-b].c",
                "[!a].c",
            ],
            *[
                "[^a].c",
                "[]a].c",
                "[a",
                "*.[ch]",
                "d/**/",
                "**/e/**",
                "***.c",
                "a**c",
                "d/e/*.txt",
                '"a b.c"',
                '"\\303\\251.c"',
            ],
            *[
                "é.c",
                "?.[c]",
                "??.c",
                "[[:alpha:]].c",
                "[[:upper:]].[[:upper:]]",
                "[[:bad:]]",
                "\\a.c",
                "a.c\\",
                "!a.c",
                "d/\\[x].c",
            ],
            *[
                "*/a.c",
                "*/*/a.c",
                "*/",
                "//a",
                "./a",
                "[a-",
                "[z-a].c",
                "[\\]].c",
                "-x",
                "[--x]x",
                "d/[[]x[]].c",
                "*.C",
                "#a",
                '"a',
            ],
        ]
    ),
    st.text("ab.cd/*?[]!-\\", min_size=1, max_size=7),
)
attributes = st.lists(
    st.sampled_from(
        [
            *[
                "text",
                "-text",
                "!text",
                "text=auto",
                "eol=crlf",
                "eol=lf",
                "!eol",
                "-eol",
                "eol",
                "crlf",
                "-crlf",
                "crlf=input",
            ],
            *["binary", "-binary", "!binary", "mine", "-mine", "mine=x", "bad!name", "=x", "-", "--text", "a.b-c_d"],
        ]
    ),
    max_size=4,
)
lines = st.one_of(
    st.tuples(patterns, attributes).map(lambda each: " ".join([each[0], *each[1]])),
    attributes.map(lambda each: " ".join(["[attr]mine", *each])),
    st.sampled_from(["", "# eol", "  *.c\teol=crlf  ", "[attr]", "[attr]bad!name text", "*.c  text\r"]),
)
contents = st.lists(lines, max_size=5).map(lambda each: "\n".join(each).encode())


@needs_git
@given(top=contents, below=contents)
@examples(150)
def test_attributes_are_what_git_says(repository, top, below):
    files = {".gitattributes": top, "d/.gitattributes": below}

    assert ours(files) == repository(files)


# -- compared with the reference implementation of EditorConfig ------------------------------------

# Without what the reference leaves out of the specification, such as a backslash before a wildcard.
sections = st.sampled_from(
    [
        *[
            "*",
            "*.c",
            "a.*",
            "**",
            "**.c",
            "d/**",
            "d/*",
            "/a",
            "/d/**/a.c",
            "d",
            "?.c",
            "[ab].c",
            "[!a].c",
            "**/a.c",
            "**/e/*",
        ],
        *[
            "{a,b}.c",
            "*.{c,txt}",
            "{a.c,d/b}",
            "{a,{b,f}}.*",
            "{single}",
            "{single}.b",
            "{",
            "}",
            "{a,b",
            "a,b",
            "d/e/f.txt",
        ],
        *["{1..3}.c", "f{1..12}", "{-2..2}", "[a-c].c", "[a/b].c", "*/a.c", "d/e/*", "é.c", "?.{c,d}", "*.C"],
    ]
)
# Without '?' and '[!a]', which match a slash in the reference.
composed = st.lists(
    st.sampled_from(
        [
            *["a", "b", "d", "e", ".c", "1", ",", "-", "/", "*", "**", "/**/", "[ab]", "[a-d]"],
            *["{a,b}", "{a,{b,e}}", "{d/a,b}", "{,a}"],
        ]
    ),
    min_size=1,
    max_size=5,
).map("".join)
values = st.sampled_from(["lf", "crlf", "cr", "CRLF", "unset", ""])
settings_lines = st.one_of(
    st.one_of(sections, composed).map("[{}]".format),
    values.map("end_of_line = {}".format),
    values.map("  end_of_line={}  ; why".format),
    st.sampled_from(["root = true", "root = false", "; note", "# note", "", "indent_size = 2", "END_OF_LINE: crlf"]),
)
editor_files = st.lists(settings_lines, max_size=8).map("\n".join)
EDITOR_PATHS = [
    *PATHS,
    "1.c",
    "3.c",
    "9.c",
    "f1",
    "f12",
    "f13",
    "-1",
    "0",
    "{single}",
    "single.b",
    "{single}.b",
    "a*",
    "d/e/d",
]


@given(top=editor_files, below=editor_files)
@examples(150)
def test_sections_are_what_the_reference_says(tmp_path_factory, top, below):
    # The package matches `d**` against the whole path, with the directories above the file that says so.
    assume(not re.search(r"(?m)^\[[^/\n]*\*\*[^/\n]*\]$", f"{top}\n{below}"))
    editorconfig = pytest.importorskip("editorconfig")
    root = tmp_path_factory.mktemp("editor")
    (root / ".editorconfig").write_text("root = true\n" + top)  # no file above counts
    (root / "d").mkdir()
    (root / "d/.editorconfig").write_text(below)
    files = {".editorconfig": "root = true\n" + top, "d/.editorconfig": below}
    wanted = {
        path: {"crlf": CRLF, "cr": b"\r"}.get(editorconfig.get_properties(str(root / path)).get("end_of_line"), LF)
        for path in EDITOR_PATHS
    }

    assert {path: ending(files, path) for path in EDITOR_PATHS} == wanted


# -- what many names may cost --------------------------------------------------------------------


ADDS = "*** Begin Patch\n" + "".join(f"*** Add File: d{n}/f{n}.z\n+a\n" for n in range(60)) + "*** End Patch\n"


def test_a_plan_reads_the_settings_files_once_for_all_new_files():
    class Counted(dict):
        asked = []

        def get(self, name, default=None):
            self.asked.append(name)
            return super().get(name, default)

    content = Counted({".editorconfig": b"[*.z]\nend_of_line = crlf\n"})
    made = patchkit.plan(ADDS, patchkit.MemoryFiles(content))

    assert [b"".join(change.after) for change in made.effective] == [b"a\r\n"] * 60
    assert content.asked.count(".editorconfig") == 1


def test_more_patterns_than_so_many_names_can_be_compared_with_are_refused(monkeypatch):
    monkeypatch.setattr(conventions, "_MOST_COMPARED", 1_000)
    sections, rules = "[{}]\nend_of_line = crlf\n", "{} text eol=crlf\n"
    for name, text in ((".editorconfig", sections), (".gitattributes", rules)):
        suffixes = "".join(text.format(f"*.x{n}") for n in range(50))  # of which a name has one
        patchkit.plan(ADDS, patchkit.MemoryFiles({name: suffixes.encode()}))
        with pytest.raises(patchkit.PatchkitError) as caught:
            patchkit.plan(ADDS, patchkit.MemoryFiles({name: suffixes.replace("*.", "x*").encode()}))
        assert caught.value.errors[0].code == "P117", name
        assert caught.value.errors[0].facts["file"] == "d20/f20.z", name


def test_choices_within_choices_are_compared_without_writing_all_of_them_out():
    files = {".editorconfig": f"[{'{a,b}' * 60}]\nend_of_line = crlf\n"}

    assert [ending(files, "d/" + "ab" * 30), ending(files, "d/" + "ac" * 30)] == [CRLF, LF]
