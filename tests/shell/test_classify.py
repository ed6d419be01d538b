"""Behaviours that a script alone does not show: argument vectors, directories, environments, odd input."""

from __future__ import annotations

import os
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_shells import SHELLS, missing
from strategies import examples

from patchkit.catalogue.shell import ENTRIES
from patchkit.shell import Verdict, classify, classify_script
from patchkit.shell.lexer import read
from patchkit.shell.shells import BASH

PATCH = "*** Begin Patch\n*** Add File: a\n+one\n*** End Patch\n"
CALL = f"apply_patch <<'EOF'\n{PATCH}EOF\n"


def said(verdict: Verdict) -> tuple[str, str | None]:
    return verdict.verdict, verdict.code


# -- argument vectors ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv",
    [
        *[
            ["bash", "-c"],
            ["bash", "-lc"],
            ["bash", "-l", "-c"],
            ["/bin/bash", "-cl"],
            ["bash", "-euo", "pipefail", "-c"],
        ],
        *[["bash", "--norc", "--noprofile", "-c"], ["bash", "-c", "--"], ["zsh", "-fc"], ["/usr/bin/zsh", "-lc"]],
        *[["sh", "-ec"], ["dash", "-o", "errexit", "-c"], ["env", "bash", "-c"], ["timeout", "60", "bash", "-lc"]],
    ],
)
def test_a_shell_with_its_usual_options_is_read(argv, tmp_path):
    verdict = classify([*argv, CALL], str(tmp_path), {})

    assert (verdict.verdict, verdict.patch, verdict.workdir) == ("apply_patch", PATCH, str(tmp_path))


@pytest.mark.parametrize(
    "argv",
    [
        *[
            ["bash", "-x", "-c"],
            ["bash", "-ic"],
            ["bash", "-nc"],
            ["bash", "-c", "-v"],
            ["bash", "-O", "extglob", "-c"],
        ],
        *[["sh", "-o", "pipefail", "-c"], ["./bash", "-c"], ["/tmp/bash", "-c"], ["BASH", "-c"], ["fish", "-c"]],
        *[
            ["env", "-i", "bash", "-c"],
            ["env", "A=1", "bash", "-c"],
            ["sudo", "bash", "-c"],
            ["timeout", "-k", "1", "bash"],
        ],
    ],
)
def test_a_shell_run_in_another_way_is_something_else(argv, tmp_path):
    assert said(classify([*argv, CALL], str(tmp_path), {})) == ("other", None)


def test_words_after_the_script_are_its_parameters(tmp_path):
    assert said(classify(["bash", "-c", CALL, "name", "one"], str(tmp_path), {})) == ("apply_patch", None)


def test_strict_options_of_the_shell_count_like_set_e(tmp_path):
    verdict = classify(["bash", "-ec", CALL + "git status\n"], str(tmp_path), {})

    assert verdict.then is not None
    assert verdict.then.operator == "&&"


@pytest.mark.parametrize("argv", [[], [""], ["ls"], ["apply_patch.sh", PATCH], ["/usr/bin/apply_patch", PATCH]])
def test_another_program_is_something_else(argv, tmp_path):
    assert said(classify(argv, str(tmp_path), {})) == ("other", None)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["--check", PATCH]])
def test_the_command_with_options_answers_for_itself(words, tmp_path):
    assert said(classify(["apply_patch", *words], str(tmp_path), {})) == ("other", None)


def test_an_argument_without_a_patch_is_an_error(tmp_path):
    assert said(classify(["apply_patch", "change.patch"], str(tmp_path), {})) == ("error", "P109")


# -- directories ---------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path):
    top = tmp_path.resolve()
    (top / "work" / "sub").mkdir(parents=True)
    (top / "far" / "inner").mkdir(parents=True)
    (top / "work" / "link").symlink_to(top / "far" / "inner")
    return top


def test_a_missing_working_directory_is_an_error(tree):
    assert said(classify(["apply_patch", PATCH], str(tree / "gone"), {})) == ("error", "P521")


def test_a_working_directory_with_a_nul_is_an_error(tree):
    assert said(classify(["apply_patch", PATCH], "\0", {})) == ("error", "P521")


def test_dots_in_the_working_directory_are_followed_as_the_system_does(tree):
    verdict = classify(["apply_patch", PATCH], str(tree / "work" / "link" / ".."), {})

    assert verdict.workdir == str(tree / "far")


def test_going_up_from_a_working_directory_reached_by_a_link_is_not_certain(tree):
    assert said(classify(["bash", "-c", "cd .. && " + CALL], str(tree / "work" / "link"), {})) == ("error", "P512")


def test_going_down_from_a_working_directory_reached_by_a_link_is_certain(tree):
    (tree / "far" / "inner" / "deep").mkdir()
    verdict = classify(["bash", "-c", "cd deep && " + CALL], str(tree / "work" / "link"), {})

    assert os.path.realpath(verdict.workdir or "") == str(tree / "far" / "inner" / "deep")


def test_a_directory_that_may_not_be_entered_is_refused(tree):
    (tree / "work" / "sub").chmod(0o600)
    if os.access(tree / "work" / "sub", os.X_OK):
        pytest.skip("this user may enter every directory")

    assert said(classify(["bash", "-c", "cd sub && " + CALL], str(tree / "work"), {})) == ("error", "P512")


@pytest.mark.parametrize("path", ["gone/..", "file/..", "sub/gone/..", "gone/../sub"])
@pytest.mark.parametrize("option", ["", "-P ", "-L "])
def test_every_part_of_a_path_must_be_there(option, path, tree):
    (tree / "work" / "file").touch()

    assert said(classify(["bash", "-c", f"cd {option}{path} && {CALL}"], str(tree / "work"), {})) == ("error", "P512")


# -- the environment -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "env",
    [
        {"BASH_ENV": "/tmp/env.sh"},
        {"SHELLOPTS": "braceexpand:xtrace"},
        {"BASHOPTS": "cmdhist:xpg_echo"},
        {"BASH_FUNC_apply_patch%%": "() { :; }"},
        {"BASH_FUNC_cd%%": "() { :; }"},
    ],
)
def test_an_environment_that_changes_bash_is_refused(env, tmp_path):
    assert said(classify(["bash", "-c", CALL], str(tmp_path), env)) == ("error", "P517")


@pytest.mark.parametrize(
    "env", [{"SHELLOPTS": "braceexpand:hashall"}, {"BASH_FUNC_which%%": "() { :; }"}, {"BASH_ENV": ""}, {"ENV": "x"}]
)
def test_an_environment_that_changes_nothing_here_is_not(env, tmp_path):
    assert said(classify(["bash", "-c", CALL], str(tmp_path), env)) == ("apply_patch", None)


@pytest.mark.parametrize(
    ("path", "verdict"), [("sub", "error"), ("./sub", "apply_patch"), ("../work/sub", "apply_patch")]
)
def test_cdpath_makes_a_plain_cd_uncertain(path, verdict, tree):
    found = classify(["bash", "-c", f"cd {path} && {CALL}"], str(tree / "work"), {"CDPATH": "/tmp"})

    assert found.verdict == verdict


def test_a_variable_of_the_environment_is_not_set_in_passing(tmp_path):
    script = f"PATCH='{PATCH}'\napply_patch \"$PATCH\"\n"

    assert said(classify_script(script, str(tmp_path), {})) == ("apply_patch", None)
    assert said(classify_script(script, str(tmp_path), {"PATCH": "x"})) == ("error", "P505")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("env", [{"CDPATH": "other"}, {"CDPATH": ""}, {"PWD": "/"}, {"POSIXLY_CORRECT": "1"}])
def test_a_real_shell_agrees_whatever_the_environment(shell, env, recorder):
    if missing(shell):
        pytest.skip(missing(shell))
    for path in ("sub", "./sub", "deep", "..", "link/..", "../tree/sub"):
        argv = [shell, "-c", f"cd {path} && {CALL}"]
        verdict = recorder.classify(argv, env)
        if verdict.verdict == "apply_patch":
            assert recorder.broken_law(argv, verdict, env) == []


# -- odd input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["\0", "\ud800"])
def test_what_no_command_line_can_carry_is_an_error(text, tmp_path):
    assert said(classify(["apply_patch", PATCH + text], str(tmp_path), {})) == ("error", "P522")
    assert said(classify_script(CALL + text, str(tmp_path), {})) == ("error", "P522")


def test_bytes_that_are_no_text_are_kept(tmp_path):
    script = CALL.replace("+one", "+\udce9t\udce9")

    assert classify_script(script, str(tmp_path), {}).patch == PATCH.replace("+one", "+\udce9t\udce9")


def test_an_argument_longer_than_the_system_takes_is_refused(tmp_path):
    long = PATCH.replace("one", "o" * 131_072)

    assert said(classify_script(f"apply_patch '{long}'", str(tmp_path), {})) == ("error", "P520")
    assert said(classify_script(f"apply_patch <<'EOF'\n{long}EOF\n", str(tmp_path), {})) == ("apply_patch", None)


def test_windows_powershell_pipes_only_ascii(tmp_path):
    script = "@'\n" + PATCH.replace("one", "été") + "'@ | apply_patch"

    assert said(classify(["powershell.exe", "-Command", script], str(tmp_path), {})) == ("error", "P519")
    assert said(classify(["pwsh", "-Command", script], str(tmp_path), {})) == ("apply_patch", None)


def test_an_unknown_shell_for_a_script_is_something_else(tmp_path):
    assert said(classify_script(CALL, str(tmp_path), {}, "fish")) == ("other", None)


def test_without_an_environment_that_of_this_process_counts(tmp_path, monkeypatch):
    monkeypatch.setenv("BASH_ENV", "/tmp/env.sh")

    assert said(classify(["bash", "-c", CALL], str(tmp_path))) == ("error", "P517")


NOISE = st.text(st.sampled_from("ab \t\n\r\\'\"$`(){}[]<>|&;#=!~*?-0é\ufeff\0\udc80")) | st.text()
PIECES = st.sampled_from(["apply_patch", "<<", "'EOF'", "\nEOF\n", "cd ", "$(", ")", "bash -c ", "cat ", "\\\n", PATCH])


@examples(400)
@given(st.lists(NOISE | PIECES, max_size=12), st.sampled_from(SHELLS))
def test_no_text_whatever_raises(pieces, shell):
    verdict = classify([shell, "-c", "".join(pieces)], "/", {})

    assert verdict.verdict in ("apply_patch", "other", "error")
    assert (verdict.verdict == "error") == (verdict.code is not None)


@examples(300)
@given(st.lists(NOISE | PIECES, max_size=12))
def test_a_skeleton_is_plain_ascii_and_its_tokens_follow_each_other(pieces):
    skeleton = read("".join(pieces), BASH)
    starts = [token.start for token in skeleton.tokens]

    assert skeleton.text.isascii()
    assert starts == sorted(set(starts))
    assert all(token.start <= token.end <= len(skeleton.text) for token in skeleton.tokens if not skeleton.broken)


def test_every_code_has_its_words_and_every_fact_a_place():
    facts = "delimiter word name redirect what path shell size limit".split()
    for code, entry in ENTRIES.items():
        fields = [name for text in (entry.sentence, entry.advice) for _, name, _, _ in string.Formatter().parse(text)]
        assert code[:2] == "P5"
        assert entry.sentence[0] in string.ascii_lowercase + "'"
        assert {name for name in fields if name} <= set(facts)
