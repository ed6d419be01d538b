"""Everything a script would run: the forms one by one, and a shell that runs what was listed and nothing else."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patchkit.shell.inventory import inventory
from patchkit.shell.wrappers import Live


def listed(script, clear=True):
    """The commands of a script, a word that only running shows as None."""
    found = inventory(script)
    assert (not found.unknown) == clear, found.unknown
    return [
        [*each.assignments, *(None if isinstance(word, Live) else word for word in each.words)]
        for each in found.commands
    ]


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        ("", []),
        ("# nothing\n", []),
        ("make -j 2 'a b'", [["make", "-j", "2", "a b"]]),
        ("a && b || c; d\ne | f & g", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
        ("(a; { b; })", [["a"], ["b"]]),
        ("if a; then b; else c; fi", [["a"], ["b"], ["c"]]),
        ("for x in 1 2; do a; done; while b; do c; done", [["for", "x", "in", "1", "2"], ["a"], ["b"], ["c"]]),
        ("case $x in a) b;; *) c;; esac", [["case", None, "in"], ["b"], ["c"]]),
        ("case a in (a|'b c') b;; esac > d", [["case", "a", "in"], ["b"]]),
        ("[[ -f a ]] && [ $? -eq 0 ]", [["[[", "-f", "a", "]]"], ["[", None, "-eq", "0", "]"]]),
        ("! a", [["a"]]),
        ('a "$(b)"', [["b"], ["a", None]]),
        ('a "$(b; $(c))$(d)"', [["b"], ["c"], [None], ["d"], ["a", None]]),
        ("x=$(a)", [["a"], ["x=$(a)"]]),
        ("A=1 B=2 a b", [["A=1", "B=2", "a", "b"]]),
        ("export A=b", [["export", "A=b"]]),
        ("a *.txt ~ $x", [["a", None, None, None]]),
        ("cat <<'E'\n$(a)\nE", [["cat"]]),
        ("bash -lc 'a; b'", [["bash", "-lc", "a; b"], ["a"], ["b"]]),
        ("sh -c \"bash -c 'a'\"", [["sh", "-c", "bash -c 'a'"], ["bash", "-c", "a"], ["a"]]),
        ("env A=1 nice a", [["env", "A=1", "nice", "a"], ["A=1", "nice", "a"], ["A=1", "a"]]),
        ("trap 'a b' EXIT; alias c='d e'", [["trap", "a b", "EXIT"], ["a", "b"], ["alias", "c=d e"], ["d", "e", None]]),
        ("eval 'a b'", [["eval", "a b"], ["a", "b"]]),
        ("x | xargs a b", [["x"], ["xargs", "a", "b"], ["a", "b", None]]),
        (r"find . -exec a {} \;", [["find", ".", "-exec", "a", "{}", ";"], ["a", None]]),
        ("> out a b", [["a", "b"]]),
        ("echo 'sudo x'", [["echo", "sudo x"]]),
    ],
)  # fmt: skip
def test_every_command_of_a_script_is_listed(script, commands):
    assert listed(script) == commands


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        ("f() { a; }; f", [["a"], ["f"]]),
        ("a $(b `c`)", [["a", None], ["b", None], ["c"]]),
        ("x=$(cat <<E\n$(a)\nE\n)", [["x=$(cat <<E\n$(a)\nE\n)"], ["cat"], ["a"]]),
        ("a ${x:-$(b)}", [["a", None], ["b"]]),
        ("a {b,c}", [["a", None]]),
        ("a <(b) >(c)", [["a", None, None], ["b"], ["c"]]),
        ("cat <<E\n$(a)\nE", [["cat"], ["a"]]),
        ("bash <<'E'\na\nE", [["bash", "-c", "a\n"], ["a"]]),
        ("f() { a &>b >c d e; }", [["a", "d", "e"], ["d", "e"]]),
    ],
)  # fmt: skip
def test_what_can_be_seen_of_an_unknown_script_is_listed(script, commands):
    assert listed(script, clear=False) == commands


@pytest.mark.parametrize(
    ("script", "written"),
    [
        ("a > b", ["b"]),
        ("a >> b 2> c", ["b", "c"]),
        ("a &> b", ["b"]),
        ("a 2>&1 >&2", []),
        ("a >| 'b c'", ["b c"]),
        ("a < b", []),
        ("a <> b", ["b"]),
        ("> b", ["b"]),
        ("{ a; } > b", ["b"]),
        ("a $(b > c)", ["c"]),
        ("bash -c 'a > b'", ["b"]),
        ("a >& b", ["b"]),
    ],
)
def test_the_files_that_redirects_write_are_listed(script, written):
    assert inventory(script).written == written


@pytest.mark.parametrize(
    ("script", "read"),
    [
        ("a < b", ["b"]),
        ("< b", ["b"]),
        ('a "$(<b)"', ["b"]),
        ("a <> b", ["b"]),
        ("while a; do c; done < b", ["b"]),
        ("a <<< b", []),
        ("a <&0", []),
        ("bash -c 'a < b'", ["b"]),
        ("((x)) < b", ["b"]),
    ],
)
def test_the_files_that_redirects_read_are_listed(script, read):
    assert inventory(script).read == read


@pytest.mark.parametrize("script", ["if", "a 'b", "a $(b", "cat <<E\nx", "a " * 40_000, "a; " + "(" * 3000])
def test_what_cannot_be_read_for_certain_is_said(script):
    assert inventory(script).unknown


def test_scripts_inside_each_other_end_somewhere():
    script = "a"
    for _ in range(40):
        script = f"eval '{script}'" if "'" not in script else f"eval {script}"

    assert inventory("x=" + "$(eval " * 100 + "a" + ")" * 100).unknown
    assert inventory(script).unknown
    assert inventory("nice " * 2000 + "a").unknown
    assert inventory("(" * 60 + "a" + ")" * 60).unknown


# -- against a real shell ------------------------------------------------------------------------

STUBS = ["stub0", "stub1", "stub2"]
WORDS = st.sampled_from(["1", "'a b'", '"c"', "d\\ e"])
SIMPLE = st.tuples(st.sampled_from(STUBS), st.lists(WORDS, max_size=2)).map(lambda each: " ".join([each[0], *each[1]]))
FORMS = [
    "{} && {}",
    "{}; {}",
    "{} | {}",
    "({}; {})",
    "{{ {}; {}; }}",
    "if {}; then {}; fi",
    "for i in 1 2; do {}; {}; done",
    "echo $({}) `{}`",
    "f() {{ {}; }}; f; {}",
    "echo \"$({})\" && {}",
    "cat <<EOF >/dev/null\n$({})\nEOF\n{}",
    "bash <<'EOF'\n{}\nEOF\n{}",
    "{} > /dev/null; ! {}",
    "env {}; {}",
    "x=$({}); {}",
    "case a in a) {};; esac; {}",
    "until {}; do break; done; {}",
    "echo ${{x:-$({})}}; {}",
    "echo $(echo `{}`; {})",
    "x=$(cat <<EOF\n$({})\nEOF\n); {}",
    'echo "$(echo "${{x:-`{}`}}")"; {}',
]  # fmt: skip
SCRIPTS = st.recursive(
    SIMPLE,
    lambda inner: st.tuples(st.sampled_from(FORMS), inner, inner).map(lambda each: each[0].format(*each[1:])),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    """Runs a script in a bash that finds the stubs; gives the words each was called with, or None if it failed."""
    program = shutil.which("bash")
    if program is None:
        pytest.skip("there is no bash here")
    directory = tmp_path_factory.mktemp("stubs")
    calls = directory / "calls"
    for name in STUBS:
        path = directory / name
        # One write a call: those of a pipeline run at the same time.
        path.write_text(f"#!{program}\nprintf -v line '%s\\x1f' {name} \"$@\"; printf '%s\\n' \"$line\" >> {calls}\n")
        path.chmod(0o755)

    def run(script):
        calls.write_text("")
        done = subprocess.run(
            [program, "-c", script],
            env={"PATH": f"{directory}:/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert b"syntax error" not in done.stderr, script
        return [line.split("\x1f")[:-1] for line in calls.read_text().split("\n")[:-1]]

    return run


@settings(max_examples=40, deadline=None)
@given(SCRIPTS)
def test_whatever_a_shell_runs_is_listed(bash, script):
    found = inventory(script)
    words = [each.words for each in found.commands]

    assert found.unknown or [ran for ran in bash(script) if ran not in words] == []
