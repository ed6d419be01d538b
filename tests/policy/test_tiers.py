"""Commands without a rule: what reads is allowed, what changes is asked for, what destroys is denied to an agent."""

from __future__ import annotations

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
find . -exec cat {} ;
tail -f src/a.py
tree -o x
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
    assert judged("grep -r TOKEN src", read=hidden) == "ask"
    assert judged("git show HEAD:.env", read=hidden) == "ask"
    assert judged("wc -l .env src/a.py", read={"*": "ask"}) == "ask"


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
