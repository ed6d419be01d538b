"""Commands without a rule: what reads is allowed, what changes is asked for, what destroys is denied to an agent."""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
import subprocess

import pytest

from patchkit.core.workspace.root import Workspace
from patchkit.policy.commands import DANGERS, READERS
from patchkit.policy.permissions import Judge
from patchkit.policy.settings import Settings, SettingsFile
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import effect_and_name, named

ALLOWED = """
ls
ls -la src
cat src/a.py
cat -n ./src/a.py src/../src/a.py
head -n 3 src/a.py
head -20 src/a.py | wc -l
tail -c 10 src/a.py
wc -l src/a.py
rg foo
rg -n foo src | head -n 3
grep -rn foo src
find . -name '*.py' -type f
git status
git --no-pager diff HEAD~1..HEAD
git log --oneline -5
git show HEAD:src/a.py
git branch -a
git diff --stat --color
git log --since '2 days ago' -S foo -U 3
grep -n --color -C 3 -e foo src/a.py
ls --color=never src
diff -u src/a.py .env
sort -u src/a.py | uniq -c
if [ -f src/a.py ]; then cat src/a.py; fi
"""
ASKED = """
make
ls > listing
cat /etc/passwd
cat ../other
cat ~/.ssh/id
cat $FILE
cat link
ls -la /
cd src && cat a.py
X=1 cat src/a.py
./cat src/a.py
rm src/a.py
mv src/a.py b
git commit -m x
git push origin main
git log --output=x
git diff --no-index /etc/passwd src/a.py
git diff ../other
git branch new
git -c core.pager=x log
sort -o x src/a.py
uniq src/a.py written
rg --pre ./x foo
rg -f /etc/passwd
grep -f /etc/passwd src/a.py
find . -fprint x
find -- . -fprint x
find -- src -fprintf .git/config [core]
find . -exec cat {} ;
tail -f src/a.py
tree -o x
ls --color /etc
grep --color root /etc/passwd
grep -C root /etc/passwd
git diff --stat --output=x
git log --color --output=x
git log --pretty --output=x
git log --since --output=x
git log --help
diff src .
diff -r src .
"""
DENIED = """
rm -r src
rm -rf src
rm -f -R src
rm --recursive src
/bin/rm -rf src
git push --force
git push -uf origin main
git push origin +main
git push origin :main
git push --force-with-lease
git -C . push --forc
git reset -q --hard
git clean -fdx
git branch -D x
find . -name x -delete
chmod -R 777 .
npm publish
kubectl -n prod delete pod x
terraform -chdir=x destroy
sudo ls
dd if=/dev/zero of=x
ls && rm -rf src
"""


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """The decision about a script, for an agent or a person, under rules."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("x\n")
    (root / ".env").write_text("TOKEN=SECRET\n")
    (root / "link").symlink_to("/etc/passwd")
    (root / ".git").mkdir()
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(root)

    def decide(script, agent=True, **rules):
        with Workspace(root) as files:
            source = SettingsFile(f"{files.real}/.patchkit.toml", "", {"permissions": rules})
            judge = Judge(files, Settings([source] if rules else [], None), effect_and_name, agent=agent)
            return judge.judge("Bash", named("Bash").deeds(judge.deeds, {"command": script})).decision

    monkeypatch.setattr("patchkit.policy.rules.is_trusted", lambda source: True)
    decide.root = root
    return decide


def test_a_command_without_a_rule_is_decided_by_what_it_does(judged):
    wanted = {
        line: decision
        for lines, decision in ((ALLOWED, "allow"), (ASKED, "ask"), (DENIED, "deny"))
        for line in lines.strip().splitlines()
    }

    assert {line: judged(line) for line in wanted} == wanted


def test_what_destroys_is_asked_for_where_a_person_calls(judged):
    lines = DENIED.strip().splitlines()

    assert {line: judged(line, agent=False) for line in lines} == dict.fromkeys(lines, "ask")


def test_a_rule_decides_before_the_tier_of_a_command(judged):
    assert judged("rm -rf src", execute={"rm": "allow"}) == "allow"
    assert judged("rm -rf src", execute="ask") == "ask"
    assert judged("git push --force", execute={"git push": "ask"}) == "ask"
    assert judged("ls", execute="deny") == "deny"
    assert judged("cat src/a.py", execute={"cat": "ask"}) == "ask"


def test_a_command_that_reads_is_under_the_rules_about_reading(judged):
    hidden = {"*": "allow", ".env*": "deny"}

    assert judged("cat src/a.py", read=hidden) == "allow"
    assert judged("cat .env", read=hidden) == "deny"
    assert judged("cat ./src/../.env", read=hidden) == "deny"
    assert judged("rg TOKEN", read=hidden) == "ask"
    assert judged("rg --hidden -g.env TOKEN", read=hidden) == "ask"
    assert judged("rg --hidden --files-with-matches TOKEN", read=hidden) == "ask"
    assert judged("grep -r --files-with-matches TOKEN", read=hidden) == "ask"
    assert judged("grep -r TOKEN src", read=hidden) == "ask"
    assert judged("git show HEAD:.env", read=hidden) == "ask"
    assert judged("wc -l .env src/a.py", read={"*": "ask"}) == "ask"


def test_git_does_not_show_a_repository_that_is_not_the_workspaces(judged):
    (judged.root / ".git/HEAD").unlink()

    assert judged("git show HEAD:other/file") == "ask"  # of a repository above the root, or of one without '.git'
    (judged.root / ".git").rmdir()
    (judged.root / ".git").write_text("gitdir: /elsewhere/.git/worktrees/root\n")
    assert judged("git show HEAD:other/file") == "allow"


def test_a_program_in_the_project_is_not_taken_for_one_that_reads(judged, monkeypatch):
    (judged.root / "bin").mkdir()
    (judged.root / "bin/cat").write_text("#!/bin/sh\n")
    (judged.root / "bin/cat").chmod(0o755)
    monkeypatch.setenv("PATH", f"{judged.root}/bin:/usr/bin:/bin")

    assert judged("cat src/a.py") == "ask"


def test_an_agent_runs_what_reads_and_is_told_why_it_may_not_destroy(judged):
    def result(command):
        return call("Bash", {"command": command}, Caller(str(judged.root), str(judged.root), agent=True))

    assert result("cat src/a.py").data["output"] == "x\n"
    said = result("rm -rf src").errors[0]
    assert (said["code"], "removes everything below a directory" in said["message"]) == ("P651", True)
    assert result("mkdir new").errors[0]["code"] == "P652"


def test_no_row_that_reads_is_one_that_destroys(judged):
    assert [name for name in READERS if judged(name) == "deny"] == []
    assert [name for name in DANGERS if judged(name.replace("*", "x")) != "deny"] == []


# -- run for real --------------------------------------------------------------------------------

HOSTILE = """
--output=x --output -o -ox --no-index --ext-diff --textconv --pre=./x -exec -delete -fprint -f -f.env --file=.env -R -L
-X -O ./x -Ox --files0-from=.env --compress-program=./x --contents -m --reference=.env -newer --files-with-matches
--files --color --stat --pretty --format --unified -U -u -g.env -genv -te -A1 -C -ne -e -re --regexp -I -w -t -n -- -5
+1 src src/a.py src/outside src/outside/key src/away src/hidden .env ../other ../other/key TOKEN x . .. HEAD HEAD:../x
never 3
""".split()
AROUND = ["{}"] * 9 + ["{} | head -n 3", "timeout 5 {}", "cd ..; {}", "HOME=src; {}", "bash -c '{}'", "{} < src/a.py"]
CALLS = "open,openat,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,link,linkat,symlink,symlinkat,execve"


def command_line(chance):
    """A known form of a program that reads, with options and operands that may make it something else."""
    name = chance.choice([*READERS])
    own = sorted(READERS[name].options.flags | READERS[name].options.valued)
    words = [chance.choice(own if chance.random() < 0.4 else HOSTILE) for _ in range(chance.randrange(5))]
    return chance.choice(AROUND).format(" ".join([name, *words]))


def calls_of(trace):
    """The lines of a trace, each with the whole call: one that another process interrupts is in two parts."""
    begun = {}
    for line in trace.splitlines():
        number, _, text = line.partition(" ")
        if text.endswith("<unfinished ...>"):
            begun[number] = line.removesuffix("<unfinished ...>")
        elif " resumed>" in text:
            yield begun.pop(number, "") + text.partition(" resumed>")[2]
        else:
            yield line


def harm(line, base):
    """Whether a system call reaches what is outside, reads what is hidden, writes, or runs a file of the project."""
    if " = -1 " in line:
        return False
    made = re.search(r"= \d+<([^>]*)>$", line)
    path = made[1] if made else ""
    inside = f"{path}/".startswith(f"{base}/root/")
    if " execve(" in line:
        return f'execve("{base}' in line or 'execve("./' in line
    if re.search(r" open\w*\(", line):
        writes = re.search("O_WRONLY|O_RDWR|O_CREAT", line) and not re.search(r"/dev/|/\.git/index|^/tmp/sort", path)
        return writes or (path.startswith(str(base)) and not inside) or path == f"{base}/root/.env"
    return line.endswith("= 0") and "/.git/index" not in line


@pytest.mark.skipif(
    shutil.which("strace") is None or subprocess.run(["strace", "-qqo/dev/null", "true"], check=False).returncode != 0,
    reason="there is no strace here, or it may not trace",
)
def test_what_is_allowed_reads_inside_and_changes_nothing_when_it_runs(judged, tmp_path):
    root = judged.root
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/key").write_text("TOKEN\n")
    for name, target in (("outside", "../../other"), ("away", "../../other/key"), ("hidden", "../.env")):
        (root / "src" / name).symlink_to(target)
    chance = random.Random(os.environ.get("PATCHKIT_SEED", "1"))
    tried = {f"{name} {path}" for name in READERS for path in ("../other/key", "src/outside/key", "src/away")}
    tried |= {command_line(chance) for _ in range(20_000 if os.environ.get("PATCHKIT_TESTS") == "full" else 200)}
    allowed = sorted(each for each in tried if judged(each, read={"*": "allow", ".env": "deny"}) == "allow")
    allowed += sorted(
        each for each in tried if each.startswith("git") and ".env" not in each and judged(each) == "allow"
    )
    assert len(allowed) > len(tried) / 30

    trace, script = root / ".git/trace", root / ".git/script"
    script.write_text("".join(f"true {at}; timeout 5 bash -c {shlex.quote(each)}\n" for at, each in enumerate(allowed)))
    subprocess.run(
        ["strace", "-fqqyo", trace, "-s", "300", "-e", f"trace={CALLS}", "sh", "-x", script],
        cwd=root, check=False, stdin=subprocess.DEVNULL, capture_output=True, env={**os.environ, "HOME": "/nowhere"},
    )  # fmt: skip
    harmful = [line for line in calls_of(trace.read_text(errors="replace")) if harm(line, tmp_path)]
    assert harmful == []
