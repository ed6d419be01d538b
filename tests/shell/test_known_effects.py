"""Commands that rules allow without a rule of the user change nothing and read nothing that a rule denies."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess

import pytest
from hostile_commands import FAMILIES, fragments, hostile, mutated

from patchkit.core.workspace.root import Workspace
from patchkit.policy.commands import of_script
from patchkit.policy.permissions import Judge
from patchkit.policy.settings import settings
from patchkit.policy.trust import trust_below
from patchkit.tools.registry import effect_and_name

RULES = '[permissions]\nread = { "*" = "allow", ".env*" = "deny", "secrets/**" = "deny" }\n'
REVIEWER = RULES + 'write = "deny"\nexecute = { "*" = "deny", "git log" = "allow" }\n'
SHELLS = [name for name in ("bash", "dash", "zsh") if shutil.which(name)]
FULL = os.environ.get("PATCHKIT_TESTS") == "full"


def tree(directory, rules=RULES):
    """A project with files that the rules name."""
    directory.mkdir()
    for name in ("evil", "secrets", "sub"):
        (directory / name).mkdir()
    (directory / ".patchkit.toml").write_text(rules)
    (directory / ".env").write_text("TOKEN=1\n")
    (directory / "secrets/key").write_text("key\n")
    (directory / "keep.txt").write_text("kept\n")
    (directory / "evil.sh").write_text("touch pwned\n")
    (directory / "evil/sleep").write_text("#!/bin/sh\ntouch pwned\n")
    (directory / "evil/sleep").chmod(0o755)
    (directory / "link").symlink_to(".env")
    return directory


class Decisions:
    """What is decided about commands under the rules of a project."""

    def __init__(self, root):
        self.files = Workspace(root)
        self.judge = Judge(self.files, settings(self.files.real), effect_and_name)

    def about(self, script, shell="bash"):
        return self.judge.judge("Bash", of_script(self.judge.deeds, script, self.files.real, shell)).decision


@pytest.fixture
def decisions(tmp_path):
    return Decisions(tree(tmp_path / "project"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "sh"])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_hostile_command_is_allowed(family, shell, decisions):
    allowed = [script for script in hostile(family) if decisions.about(script, shell) == "allow"]

    assert allowed == []


@pytest.mark.parametrize("family", FAMILIES)
def test_a_rule_that_denies_every_command_denies_hostile_ones(family, tmp_path):
    decisions = Decisions(tree(tmp_path / "project", REVIEWER))
    left = [script for script in hostile(family) if decisions.about(script) != "deny"]

    assert left == []


@pytest.mark.parametrize(
    "script",
    [
        "echo hello", "cd sub && pwd", 'if [ -f keep.txt ]; then echo "$HOME"; fi', "for f in a b; do echo $f; done",
        "printf '%s\\n' a b", "x=1; echo \"$x\"", "[[ $x == a* ]] || true",
        "echo \"$(<keep.txt)\"", "set -euo pipefail; true", "case $x in a) echo;; *) :;; esac", "bash -lc 'echo hi'",
        "timeout 5 true", "while false; do :; done", "echo hi > /dev/null 2>&1", ":",
        "echo $(echo a)", "true # comment", "(cd sub; pwd)", "command -v python", "exit $?", "sleep 0",
        "echo *.py ~", "command echo hi", "exec true", "nice echo hi",
    ],
)  # fmt: skip
def test_ordinary_commands_without_effect_need_no_rule(script, decisions):
    assert decisions.about(script) == "allow"


@pytest.mark.parametrize("shell", ["bash", "zsh", "sh"])
@pytest.mark.parametrize(
    "script",
    [
        "exec NAME", "timeout 5 NAME", "nice NAME", "nice -n 5 NAME", "setsid NAME", "stdbuf -oL NAME",
        "nice timeout 5 NAME", "command exec NAME", "builtin exec NAME", "eval 'exec NAME'", "bash -c 'exec NAME'",
        "exec command NAME", "nice exec NAME", "true | exec NAME", "zsh -c 'command NAME'", "sh -c 'time NAME'",
        "nice time NAME", "zsh -c '<keep.txt'", "zsh -c '>/dev/null'", "zsh -c '<<<x'", "zsh -c 'echo $(<<<x)'",
    ],
)  # fmt: skip
@pytest.mark.parametrize("link", [False, True])
def test_a_program_of_the_project_on_the_path_needs_a_rule(script, shell, link, tmp_path, monkeypatch):
    decisions = Decisions(tree(tmp_path / "project"))
    directory = tmp_path / "project/bin"
    directory.mkdir()
    monkeypatch.setenv("PATH", f"{directory}:/usr/bin:/bin")
    for name in ("echo", "true", "printf"):
        if link:
            (directory / name).symlink_to("/bin/sh")
        else:
            (directory / name).write_text("#!/bin/sh\n")
            (directory / name).chmod(0o755)
        assert decisions.about(script.replace("NAME", name), shell) != "allow"


@pytest.mark.parametrize("shell", ["bash", "zsh", "sh"])
@pytest.mark.parametrize(
    "operator", [">", ">>", ">|", ">!", ">>!", ">>|", ">&", ">&!", "&>", "&>!", "<>", "2>!", "1>", ">>&!"]
)
def test_a_redirect_in_any_spelling_reaches_no_file_that_is_denied(operator, shell, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    rules = RULES + 'write = { "*" = "allow", ".env*" = "deny", "secrets/**" = "deny" }\n'
    trust_below(str(tmp_path))
    decisions = Decisions(tree(tmp_path / "project", rules))
    spellings = [
        f"{operator}{space}{name}" for space in ("", " ") for name in (".env", "'.env'", "secrets/new", "link")
    ]
    scripts = [form.format(each) for each in spellings for form in ("echo x {}", ": {}", "{{ :; }} {}", "{}", "x=1 {}")]

    assert [script for script in scripts if decisions.about(script, shell) == "allow"] == []
    assert decisions.about("echo x >out", shell) == "allow"


# -- run for real --------------------------------------------------------------------------------

CALLS = "open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink"
CALLS += ",symlinkat,chmod,fchmodat,truncate,connect,execve,mknod,mknodat"
_CHANGES = re.compile(
    r"\d+ +(?:creat|unlink|rename|mkdir|rmdir|link|symlink|chmod|fchmod|truncate|mknod|connect)\w*\("
    r"|\d+ +open\w*\(.*(?:O_WRONLY|O_RDWR|O_CREAT)"
)
_READS = re.compile(r'\d+ +open\w*\([^"]*"(?:[^"]*/)?(?:\.env|key|link)"')
_FINE = re.compile(r'"/dev/(?:null|tty)"|"/tmp/(?:sh-thd|zsh)|sun_path="/var/run/nscd|= -1 ')


def traced(scripts, directory, shell, tmp_path):
    """The system calls of all these scripts, run in a shell."""
    names = []
    for number, script in enumerate(scripts):
        names.append(tmp_path / f"script{number}")
        names[-1].write_bytes(script.encode("utf-8", "surrogateescape"))
    driver = tmp_path / "driver.sh"
    options = "-f " if shell == "zsh" else ""
    program = shutil.which(shell)
    driver.write_text(
        "".join(
            f'/usr/bin/timeout 5 {program} {options}-c "$(/bin/cat {name})" </dev/null >/dev/null 2>&1\n'
            for name in names
        )
    )
    trace = tmp_path / "trace"
    subprocess.run(
        ["strace", "-f", "-qq", "-s", "200", "-e", f"trace={CALLS}", "-o", trace, "sh", driver],
        cwd=directory,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")},
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return trace.read_text(errors="replace").split("\n")


def effects(lines):
    """The calls that change something, or read what the rules deny."""
    found = []
    for line in lines:
        if '"/dev/null"' in line or _FINE.search(line):
            continue
        if _READS.match(line) or _CHANGES.match(line):
            found.append(line)
    return found


def can_trace():
    if shutil.which("strace") is None:
        return False
    return (
        subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], check=False, capture_output=True).returncode == 0
    )


@pytest.mark.skipif(not can_trace(), reason="there is no strace here, or it may not trace")
@pytest.mark.parametrize("shell", SHELLS)
def test_commands_that_are_allowed_without_a_rule_do_nothing_in_a_real_shell(shell, tmp_path, monkeypatch):
    directory = tree(tmp_path / "project")
    (directory / "bin").mkdir()
    for name in ("echo", "true", "printf", "test", "pwd", "cat", "pager", "more"):  # which shells have built in, or run
        (directory / "bin" / name).write_text("#!/bin/sh\n/usr/bin/touch pwned\n")
        (directory / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}/bin:/usr/bin:/bin")
    decisions = Decisions(directory)
    chance = random.Random(f"{shell}-{os.environ.get('PATCHKIT_SEED', '1')}")
    attacks = [script for family in FAMILIES for script in hostile(family)]
    allowed = set()
    for _ in range(20_000 if FULL else 1_500):
        script = fragments(chance) if chance.random() < 0.7 else mutated(chance, chance.choice(attacks))
        if "\0" not in script and decisions.about(script, shell) == "allow":
            allowed.add(script)
    scripts = sorted(allowed)
    before = sorted((str(path), path.lstat().st_mtime_ns) for path in directory.rglob("*"))
    assert len(scripts) > (250 if FULL else 25)
    for first in range(0, len(scripts), 200):
        some = scripts[first : first + 200]
        if effects(traced(some, directory, shell, tmp_path)):
            guilty = [each for each in some if effects(traced([each], directory, shell, tmp_path))]
            assert guilty == []
    assert sorted((str(path), path.lstat().st_mtime_ns) for path in directory.rglob("*")) == before
