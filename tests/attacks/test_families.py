"""Every family of attacks, by what a user would lose: each first proves that an ordinary call is allowed there.

An arena in which nothing is allowed proves nothing. What needs more than a project and its rules (a kernel that
restricts, a server, a repository of git, power that fails) is in `ELSEWHERE`, with the test of each.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from git_repositories import git

from patchkit.cli.commands import mcp

ALL_BUT_PUSH = """read = { "*" = "allow", ".env*" = "deny" }
write = { "*" = "allow", ".env*" = "deny" }
execute = { "*" = "allow", "git push" = "deny" }"""
GIT_BUT_PUSH = """read = { "*" = "allow", ".env*" = "deny" }
[permissions.execute]
"git" = "allow"
"env" = "allow"
"uv" = "allow"
"npm" = "allow"
"git push" = "deny"
"npm publish" = "deny" """
READING = 'read = { "*" = "allow", ".env*" = "deny", "secrets/**" = "deny" }'

# -- scripts: rules, an ordinary script, and scripts that must not be allowed ----------------------

SCRIPTS = {
    "a denied subcommand behind an option": (
        GIT_BUT_PUSH,
        "git --no-pager log",
        r"""git -C . push
git -c a.b=c push
git --no-pager push
git -p push
git --git-dir=.git push
git --work-tree . push
npm --prefix . publish
npm -w x publish
git {push,origin}
git $'\x70ush'
git p*
env -S 'git push'
env -vS'git push'
env -iu X git push
set -- push; git "$@"
x=push; git $x
git push#; git push
! git push
coproc git push
bash -O extglob -c 'git push'""",
    ),
    "a denied subcommand by another command": (
        GIT_BUT_PUSH,
        "git bisect run make test",
        """git send-pack
git lfs push
git p
git bisect run git push
git submodule foreach 'git push'
git rebase -x 'git push' HEAD~1
git grep -O'git push' x
git -c core.pager='git push' log
git -c core.fsmonitor='git push' status
git config alias.p push
git config core.pager 'git push'
git --git-dir=src/evil log
git --exec-path=src/evil log
git clone ext::'sh -c x' y
npm exec -- npm publish
uv run git push""",
    ),
    "a denied file by a command that only reads": (
        READING,
        "cat src/a.py",
        r"""cat .env
cat ./src/../.env
cat .e''nv
cat .en*
cat {.env,}
cat $'\x2eenv'
cat /proc/self/cwd/.env
cd sub && cat ../.env
cat < .env
echo "$(<.env)"
while read l; do echo $l; done < .env
grep -r TOKEN
grep -rn TOKEN
grep . -regex x
grep -ne T .env
grep -f .env src/a.py
diff src sub
diff -r src sub
rg TOKEN
wc --files0-from=.env
git show HEAD:.env
git diff --no-index /dev/null .env""",
    ),
    "a command that no rule allows": (
        'execute = { "pytest" = "allow" }',
        "pytest -q",
        r"""[ -v 'a[$(touch pwned)]' ]
for x in 'a[$(touch pwned)]'; do [[ x -eq 0 ]]; done
printf -v 'a[$(touch pwned)]' x
set -- '$(touch pwned)'; echo "${1@P}"
echo '$('${x:-$(touch pwned)}
for PATH in ./evil:/bin; do pytest; done
printf -v PATH x; pytest
pytest <(touch pwned)
LD_PRELOAD=x pytest
\time -o x pytest
trap 'touch pwned' EXIT
./pytest
pytest; touch pwned""",
    ),
    "a text that git or npm runs, in a variable, an option or an address": (
        GIT_BUT_PUSH,
        "env git -c color.ui=never --no-pager log; npm install --global x; npm exec eslint -- -c x",
        r"""GIT_SSH_COMMAND='git push' git fetch
GIT_EXTERNAL_DIFF='git push' git diff
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='git push' git -p log
GIT_EXEC_PATH=./evil git status
env GIT_SSH_COMMAND='git push' git fetch
env -u X GIT_PAGER='git push' git -p log
env -a x GIT_DIR=./evil git status
env PATH=./evil:/bin git log
env -i LD_PRELOAD=./x.so git log
env NODE_OPTIONS='--require ./x' npm test
env npm_config_script_shell='git push' npm test
BASH_ENV='$(git push)' npm test
export GIT_SSH_COMMAND='git push'; git fetch
declare -x GIT_PAGER='git push'; git log
set -a; GIT_PAGER='git push'; git log
for GIT_PAGER in 'git push'; do git log; done
: ${GIT_PAGER:='git push'}; git log
env -S 'git\tpush'
env -S '${X}'
env --argv0 x git push
git -c gc.recentObjectsHook='git push' gc
git -c branch.main.remote='ext::git push' fetch
git -c url.ext::sh.insteadOf=https fetch https
git -c credential.helper='!git push' fetch
git -c core.alternateRefsCommand='git push' fetch
git --config-env=core.pager=X log
git config branch.main.remote 'ext::git push'
git config set --append core.pager 'git push'
git remote add x 'ext::git push'
git remote set-url --add origin 'ext::git push'
git clone --depth 1 --branch x 'ext::git push'
git archive --remote='ext::git push' HEAD
git grep --open='git push' x
git fetch --upload=./x
git clone -qu ./x . y
git clone --conf=core.fsmonitor=./x . y
git bisect run sh -c 'git push'
git bisect run env X=1 git -C . push
npm --script-shell='git push' test
npm test --script-shell 'git push'
npm --node-options='--require ./x' test
npm --userconfig ./x test
npm exec -c 'git push'
npm x --call='git push'
npm config set script-shell 'git push'
npm pkg set scripts.x='git push'
npx -c 'npm publish'
npx -p x --call='git push'
npx npm publish""",
    ),
    "a text that runs, where all but one command is allowed": (
        ALL_BUT_PUSH,
        "PAGER=cat BROWSER=none ENV=dev X=$(date) make; npx eslint -c x .; trap 'rm -f x' EXIT; env -S 'a b'",
        r"""GIT_SSH=./x git fetch
GIT_PAGER='git push' git -p log
EDITOR='git push' crontab
VISUAL=x make
ENV='$(git push)' make
PS4='$(git push)' make
LESSOPEN='|git push' less x
RSYNC_RSH='git push' rsync x y
npm_config_script_shell='git push' npm test
env BASH_ENV='$(git push)' make
typeset -x GIT_EDITOR='git push'; make
GIT_ASKPASS='git push'; git fetch
env -S 'git\tpush'
trap 'git push' EXIT
trap -- 'git push' 0
alias p='git push'; p
alias a=b p='git -C . push'""",
    ),
    "an option of a program that only reads": (
        "",
        "rg -n foo src | sort -u | head -n 3",
        r"""rg --pre ./x foo src
rg --hostname-bin=./x foo
rg -z x src
rg -L root .
git diff --ext-diff
git diff -pO/etc/passwd
git log -p --textconv
git log -S --textconv
git log --outpu=x
git grep -lOless x
git grep --no-index x
git blame -L --contents=/etc/passwd src/a.py
git status -u --help
git -c core.excludesfile=/etc/shadow status
sort -nox src/a.py
sort -S1 --compress-program=./x src/a.py
uniq -f 1 src/a.py x
find . -o -fprint x
find -L . -name x
find . -execdir sh -c id \;
find -files0-from src/a.py
sed -n 'w x' src/a.py
awk 'BEGIN { system("id") }'
tar cf - --to-command=sh src
less +!id src/a.py
man -P ./x ls
date -s 12:00
xargs -a src/a.py echo
env -S 'cat src/a.py'
column -t /etc/passwd
tree -R -o x
file -C -m x
file -f src/a.py
diff --to-file=src/a.py /etc/passwd
head --line 3 /etc/passwd
wc --files0-from=src/a.py
ls -w 3 /etc
command -p cat /etc/passwd
cat /proc/self/root/etc/passwd
cat /proc/self/fd/3
cat /dev/fd/3
cat by_proc/a.py
cat < /dev/tcp/127.0.0.1/80
cat <<< "$(id)"
cat <(id)
cat ~+/../x
ls {fd}> x
alias ls=touch; ls x
ls() { id; }; ls
hash -p ./evil ls; ls
enable -f ./x.so ls; ls
PS4='$(id)'; set -x; ls
LS_COLORS=x ls
bash --rcfile src/a.py -ic ls
echo ${x:=$(id)}
printf %d 'a[$(id)]'""",
    ),
    "what destroys, without a rule": (
        READING,
        "ls -la",
        """rm -rf src
git push --force
git push origin +main
git -C . reset --hard
git clean -fdx
find . -delete
uv run rm -rf src
sudo ls""",
    ),
}


@pytest.mark.parametrize("family", SCRIPTS)
def test_no_script_of_a_family_is_allowed(family, arena):
    rules, ordinary, attacks = SCRIPTS[family]
    (arena.root / "by_proc").symlink_to("/proc/self/cwd/src")  # of whichever process reads it
    arena.rule(rules)
    assert arena.decided(ordinary) == "allow"

    assert [line for line in attacks.splitlines() if arena.decided(line) == "allow"] == []


# -- events: rules, an ordinary call, and calls that must not pass ---------------------------------

EVENTS = {
    "a command of a client's own tool": [
        ("write_stdin", {"session_id": 1, "chars": "git push\n"}),
        ("write_bash", {"sessionId": "1", "input": "git push{enter}"}),
        ("PowerShell", {"command": "git push"}),
        ("powershell", {"command": "git push"}),
        ("exec", {"command": "git push"}),
        ("Bash", {"code": "git push"}),
        ("Execute", {"params": {"command": "git push"}}),
        ("run_terminal_cmd", {"command": "git", "args": ["push"]}),
        ("mcp__x__run", {"arguments": '{"command": "git push"}'}),
        ("mcp__x__run", {"program": "git", "argv": ["push"]}),
        ("mcp__x__run", {"args": ["git", "push"]}),
        ("local_shell", {"action": {"command": ["git", "push"]}}),
        ("Bash", {"command": "cat <<'A'\nx\nA\ngit push"}),
        ("Bash", {"command": "make\r\ngit push\r\n"}),
    ],
    "a file of a client's own tool": [
        ("read_many_files", {"paths": [".env"]}),
        ("read_many_files", {"include": ["**/*"]}),
        ("view_image", {"path": ".env"}),
        ("rg", {"pattern": "x", "path": ".env"}),
        ("Read", {"FilePath": ".env"}),
        ("Read", {"uri": ".env"}),
        ("Read", {"file_path": "/proc/self/cwd/.env"}),
        ("Read", {"file_path": "file:///proc/self/cwd/%2Eenv"}),
        ("Read", {"file_path": "by_proc/.env"}),
        ("Read", {"files": [{"path": "src/a.py"}, {"path": "sub/../.env"}]}),
        ("mcp__files__read", {"it": ".env\nx"}),
        ("LS", {"uri": "./.env"}),
        ("mcp__files__read", {"uri": ".env"}),
        ("mcp__files__read", {"where": [{"it": "sub/../.env"}]}),
        ("mcp__files__move", {"source": "src/a.py", "destination": ".env"}),
    ],
    "one field of several": [
        ("Bash", {"command": "make", "cmd": "git push"}),
        ("Read", {"file_path": "src/a.py", "absolute_path": ".env"}),
        ("Edit", {"file_path": "src/a.py", "path": ".env"}),
        ("Bash", {"command": "make > .env", "cwd": "src", "workdir": "."}),
    ],
}


@pytest.mark.parametrize("family", EVENTS)
def test_no_call_of_a_client_passes_by_the_rules(family, arena):
    arena.rule(ALL_BUT_PUSH)
    (arena.root / ".env\nx").write_text("TOKEN=SECRET\n")
    (arena.root / "by_proc").symlink_to("/proc/self/cwd")
    assert arena.hooked("Bash", {"command": "make"}) == "allow"
    assert arena.hooked("Read", {"file_path": "src/a.py"}) == "allow"

    assert [call for call in EVENTS[family] if arena.hooked(*call) not in ("ask", "deny")] == []


def test_an_event_that_cannot_be_judged_does_not_pass(arena):
    arena.rule(ALL_BUT_PUSH)
    assert arena.hooked("Bash", {"command": "make"}) == "allow"
    event = {"hook_event_name": "PreToolUse", "cwd": str(arena.root), "tool_name": "Bash"}
    push = {**event, "tool_input": {"command": "git push"}}
    text, deep = json.dumps(push), "[" * 3000 + "]" * 3000
    attacks = [
        json.dumps({**push, "cwd": "/gone"}),
        json.dumps({**push, "cwd": f"{arena.root}/.env"}),
        text.replace('"tool_input": {', '"tool_input": {"timeout": ' + "9" * 5000 + ","),
        text.replace('"tool_input": {', f'"tool_input": {{"more": {deep},'),
        text[:-1] + f', "more": {deep}}}',
        text.replace("push", "push \\ud800"),
        text[:-3],
    ]

    assert [each[:200] for each in attacks if arena.answered(each.encode()) not in ("ask", "deny")] == []


def test_a_name_that_no_file_can_have_is_judged_as_any_file(arena):
    arena.rule('read = { "*" = "allow", ".env*" = "deny" }\nwrite = "allow"\nexecute = "allow"')
    assert arena.hooked("Read", {"file_path": "src/a.py"}) == "allow"
    event = {"hook_event_name": "PreToolUse", "cwd": str(arena.root)}
    fields = {"Read": "file_path", "Edit": "file_path", "Grep": "path", "LS": "path", "NotebookEdit": "notebook_path"}
    said = [
        arena.patchkit("hook", given=json.dumps({**event, "tool_name": tool, "tool_input": {field: name}}))[1]
        for tool, field in fields.items()
        for name in ("src/\ud800", f"{arena.root}/.en\udcff\ud800v")
    ]

    assert [each for each in said if "reading 'a file with a name that none can have' needs approval" not in each] == []


@pytest.mark.parametrize("mode", ["bypassPermissions", "dontAsk", "auto", "auto-low", "auto-medium", "auto-high"])
def test_what_a_rule_asks_for_is_denied_where_the_runtime_does_not_ask(mode, arena):
    arena.rule('execute = { "pytest" = "allow", "make deploy" = "ask" }')
    assert arena.hooked("Bash", {"command": "pytest"}, permission_mode=mode) == "allow"

    assert arena.hooked("Bash", {"command": "make deploy"}, permission_mode=mode) == "deny"
    assert arena.hooked("Bash", {"command": "make deploy"}) == "ask"
    assert arena.hooked("Bash", {"command": "mkdir x"}, permission_mode=mode) == "ask"  # no rule is about it


# -- commands of ours ------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["1", "true", "yes", "2"])
def test_whatever_says_that_an_agent_calls_makes_it_one(agent, arena, monkeypatch):
    arena.rule('write = { "*" = "ask", "src/**" = "allow" }\nread = "allow"')
    write = json.dumps({"file_path": "src/new.txt", "content": "x"})
    assert arena.patchkit("call", "Write", write, PATCHKIT_AGENT=agent)[0] == 0
    other = json.dumps({"file_path": "new.txt", "content": "x"})
    assert arena.patchkit("call", "Write", other, PATCHKIT_AGENT=agent)[0] == 3

    monkeypatch.setenv("PATCHKIT_AGENT", agent)
    monkeypatch.setattr(mcp, "_serve", lambda host, **_: host.agent)
    assert mcp._run({"root": str(arena.root)}) is True


def test_an_agent_sees_nothing_of_a_denied_file_in_the_history(arena):
    patch = "*** Begin Patch\n*** Update File: .env\n@@\n-TOKEN=SECRET\n+TOKEN=SECRET2\n*** End Patch\n"
    assert arena.patchkit("apply", given=patch)[0] == 0
    arena.rule('read = { "*" = "allow", ".env*" = "deny" }\nwrite = { "src/**" = "allow" }')

    commands = ("log --html -", "log --json", "log --all", "undo --show", "undo --show --json")
    shown = {words: arena.patchkit(*words.split(), PATCHKIT_AGENT="1") for words in commands}
    assert [status for status, _ in shown.values()] == [0, 0, 0, 3, 3]
    assert arena.patchkit("log", "--html", "src/x.html", PATCHKIT_AGENT="1")[0] == 0
    assert "SECRET" not in (arena.root / "src/x.html").read_text() + str(shown)
    assert "SECRET" in arena.patchkit("log", "--html", "-")[1]  # to a person
    assert arena.patchkit("log", "--html", "x.html", PATCHKIT_AGENT="1")[0] == 3


def test_a_check_in_another_format_shows_nothing_of_a_denied_file(arena):
    arena.rule('read = { "*" = "allow", ".env*" = "deny" }')
    copy = "diff --git a/{0} b/src/b\nsimilarity index 90%\ncopy from {0}\ncopy to src/b\n--- a/{0}\n+++ b/src/b\n"
    copy += "@@ -1 +1 @@\n-TOKEN=SECRT\n+y\n"
    part = "{0}\n```\nTOKEN=SECRT\n# ... existing code ...\n```\n"
    (arena.root / "src/a.py").write_text("TOKEN=SECRET\n")

    for name, text in {"unified": copy, "snippet": part}.items():
        status, said = arena.patchkit("check", "--from", name, "-", given=text.format("src/a.py"), PATCHKIT_AGENT="1")
        assert (status, "P651" in said) == (1, False), said
        status, said = arena.patchkit("check", "--from", name, "-", given=text.format(".env"), PATCHKIT_AGENT="1")
        assert (status, "reading '.env' is denied" in said, "SECRET" in said) == (1, True, False), said


def test_a_rule_about_a_name_holds_where_a_directory_of_that_name_is_a_link(arena):
    arena.rule('read = { "*" = "allow", ".secrets" = "deny" }\nwrite = { "*" = "ask", "sub/**" = "allow" }')
    (arena.root / "sub/key").write_text("SECRET\n")
    for name in ("plain", ".secrets", ".claude"):
        (arena.root / name).symlink_to("sub")
    assert arena.patchkit("call", "Read", '{"file_path": "plain/key"}', PATCHKIT_AGENT="1")[0] == 0
    write = '{{"file_path": "{}/new", "content": "x"}}'.format
    assert arena.patchkit("call", "Write", write("plain"), PATCHKIT_AGENT="1")[0] == 0

    assert arena.decided("cat plain/key") == "allow"

    assert [arena.decided(f"{words} .secrets{rest}") for words, rest in (("cat", "/key"), ("grep -r S", ""))] == [
        "deny",
        "deny",
    ]
    status, said = arena.patchkit("call", "Read", '{"file_path": ".secrets/key"}', PATCHKIT_AGENT="1")
    assert (status, "SECRET" in said) == (3, False)
    assert [
        arena.patchkit("call", "Write", write(name), PATCHKIT_AGENT="1")[0] for name in (".secrets", ".claude")
    ] == [3, 3]


UPDATE = "*** Begin Patch\n*** Update File: {}\n@@\n-TOKEN=SECRT\n+y\n*** End Patch\n"


def test_a_base_shows_nothing_of_a_denied_file(arena):
    """By another directory, by a link in an older revision, by a hash, and where a base is looked for."""
    (arena.root / ".git/HEAD").unlink()
    (arena.root / "old/secrets").mkdir(parents=True)
    for name in ("old/secrets/a", "old/a", "src/b"):
        (arena.root / name).write_text("TOKEN=SECRET\n")
    (arena.root / "was").symlink_to(".env")
    (arena.root / "gone").write_text("1\n" * 9)
    git(arena.root, "init", "-q")
    git(arena.root, "add", "-A")
    git(arena.root, "commit", "-qm", "one")
    (arena.root / "was").unlink()
    for name in ("a", "was"):
        (arena.root / name).write_text("x\n")
    git(arena.root, "mv", "gone", ".env2")
    git(arena.root, "add", "-A")
    git(arena.root, "commit", "-qm", "two")
    arena.rule('read = { "*" = "allow", ".env*" = "deny", "old/secrets/**" = "deny" }\nwrite = "allow"')
    copy = "diff --git a/.env b/src/c\nsimilarity index 90%\ncopy from .env\ncopy to src/c\n--- a/.env\n+++ b/src/c\n"
    copy += "@@ -1 +1 @@\n-TOKEN=SECRT\n+y\n"
    blob = git(arena.root, "rev-parse", "HEAD:.env").decode().strip()
    hashed = f"diff --git a/a b/a\nindex {blob}..1111111 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-TOKEN=SECRT\n+y\n"
    shown = {}
    for command in ("apply", "check"):
        for base, text in {
            "old": UPDATE.format("a"),
            "old/secrets": UPDATE.format("a"),
            "HEAD~1": UPDATE.format("was"),
            "auto": copy,
            "auto ": hashed,
            "auto  ": UPDATE.format("gone"),
        }.items():
            words = [command, "--base", base.strip(), "--from", "auto", "-"]
            status, said = arena.patchkit(*words, given=text, PATCHKIT_AGENT="1")
            assert status == 1, said
            shown[command, base] = "SECRET" in said or ".env2" in said
    assert [key for key, leaks in shown.items() if leaks] == [("apply", "old"), ("check", "old")]


def test_a_tree_that_is_named_by_its_id_shows_nothing_of_a_denied_file(arena):
    """Its names begin inside the tree, so that a rule about a path does not fit them."""
    (arena.root / ".git/HEAD").unlink()
    (arena.root / "vault").mkdir()
    for name in ("vault/a", "a"):
        (arena.root / name).write_text("TOKEN=SECRET\n" if "/" in name else "x\n")
    git(arena.root, "init", "-q")
    git(arena.root, "add", "-A")
    git(arena.root, "commit", "-qm", "one")
    tree = git(arena.root, "rev-parse", "HEAD:vault").decode().strip()
    arena.rule('read = { "*" = "allow", "vault/**" = "deny" }\nwrite = "allow"')
    for words in (["check", "--against", tree], ["check", "--base", tree], ["apply", "--base", tree]):
        status, said = arena.patchkit(*words, "-", given=UPDATE.format("a"), PATCHKIT_AGENT="1")
        assert (status > 0, "P651" in said, "SECRET" in said) == (True, True, False), said


def test_patches_that_are_applied_as_one_show_nothing_of_a_denied_file(arena):
    arena.rule('read = { "*" = "allow", ".env*" = "deny" }\nwrite = "allow"')
    (arena.root / "src/a.py").write_text("TOKEN=SECRET\n")
    (arena.root / "1").write_text(UPDATE.format("src/a.py").replace("SECRT", "SECRET"))
    for name, leaks in {"src/a.py": True, ".env": False}.items():
        (arena.root / "2").write_text(UPDATE.format(name))
        status, said = arena.patchkit("apply", "--together", "2", "1", PATCHKIT_AGENT="1")
        assert (status, "SECRET" in said, "P651" in said) == (1, leaks, not leaks), said


def test_a_directory_does_not_say_which_hidden_file_it_holds(arena):
    arena.rule('read = { "*" = "allow", ".env*" = "deny" }\nwrite = "allow"')
    for name in (".env.prod", "plain"):
        (arena.root / "dir").mkdir(exist_ok=True)
        (arena.root / "dir" / name).write_text("x\n")
        status, said = arena.patchkit(
            "call", "Move", '{"source": "src/a.py", "destination": "dir"}', PATCHKIT_AGENT="1"
        )
        assert (status, name in said) == (1, name == "plain"), said
        (arena.root / "dir" / name).unlink()


def test_every_spelling_of_a_denied_file_is_denied_to_every_tool(arena):
    arena.rule('read = { "*" = "allow", ".env*" = "deny" }\nwrite = { "*" = "allow", ".env*" = "deny" }')
    (arena.root / "link").symlink_to(".env")
    (arena.root / "here").symlink_to(".")
    spellings = ".env ./.env sub/../.env .//.env link here/.env here/here/.env sub/../here/.env".split()
    spellings += [str(arena.root / ".env"), "/proc/self/cwd/.env", f"{arena.root}/sub/../.env"]
    calls: dict[str, dict[str, object]] = {
        "Read": {},
        "Grep": {"pattern": "T", "output_mode": "content"},
        "Edit": {"old_string": "TOKEN", "new_string": "x"},
        "Write": {"content": "x"},
        "Insert": {"line": 1, "text": "x"},
        "Delete": {},
    }
    (arena.root / "src/a.py").write_text("TOKEN\n")
    (arena.root / "end\n").mkdir()
    for name in (".env\nx", "end\n/.env"):
        (arena.root / name).write_text("TOKEN=SECRET\n")
        spellings.append(name)
    for tool, given in calls.items():
        ordinary = json.dumps({**given, ("path" if tool == "Grep" else "file_path"): "src/a.py"})
        assert arena.patchkit("call", tool, ordinary, PATCHKIT_AGENT="1")[0] == 0

    shown = []
    for tool, given in calls.items():
        for path in spellings:
            name = "path" if tool == "Grep" else "file_path"
            status, said = arena.patchkit("call", tool, json.dumps({**given, name: path}), PATCHKIT_AGENT="1")
            is_removed_link = (tool, path) == ("Delete", "link")  # which is not the file
            if "SECRET" in said or (status == 0 and not is_removed_link):
                shown.append((tool, path, said))
    assert shown == []
    assert {path.read_text() for path in arena.root.rglob(".env*")} == {"TOKEN=SECRET\n"}


def test_a_file_that_steers_is_not_written_by_permission_to_write_everywhere(arena):
    arena.rule('write = "allow"')
    assert arena.hooked("Write", {"file_path": "src/new.py", "content": ""}) == "allow"
    names = """CLAUDE.local.md AGENTS.override.md QWEN.md WARP.md .github/instructions/x .github/prompts/x
.github/agents/x .github/chatmodes/x mcp.json .trae/x .augment/x .rules Jenkinsfile .travis.yml azure-pipelines.yml
bitbucket-pipelines.yml .gitea/workflows/x .forgejo/workflows/x .buildkite/x .woodpecker.yml .drone.yml
x.code-workspace .helix/x .vim/x .lazy.lua .githooks/x .git-hooks/x .overcommit.yml .pdbrc .Rprofile .irbrc .psqlrc
.git/hooks/pre-commit .patchkit.toml""".split()

    assert [name for name in names if arena.hooked("Write", {"file_path": name, "content": ""}) != "ask"] == []


def test_git_is_asked_for_in_a_repository_that_an_agent_may_have_made(arena):
    def asked_in(directory):
        return arena.hooked("Bash", {"command": "git status"}, cwd=str(arena.root / directory))

    arena.rule('write = "allow"')
    assert (arena.decided("git status"), asked_in("src")) == ("allow", None)  # as the runtime decides
    (arena.root / "src/evil").mkdir()
    (arena.root / "src/evil/HEAD").write_text("ref: refs/heads/main\n")

    assert (arena.decided("git -C src/evil status"), asked_in("src/evil")) == ("ask", "ask")


def test_every_family_that_needs_another_arena_has_its_test():
    top = Path(__file__).parents[2]
    rows = re.findall(r"^(\S+): (\w+)$", ELSEWHERE, re.MULTILINE)
    texts = {file: (top / f"tests/{file}.py").read_text() for file, _ in rows}

    assert [row for row in rows if f"\ndef {row[1]}(" not in texts[row[0]]] == []
    assert len(rows) == len(ELSEWHERE.split("\n\n"))


# A family, and the file and the test that shows an ordinary call there, too: most begin with it. Of the sandbox's
# attacks and of git's configurations another test of the file shows that they succeed without us; the program of the
# attacks is itself what runs in the sandbox. Where a call fails or power does, runs that end with all new are among
# those that are judged, and writers at once, generated subcommands and random scripts count what was done or allowed.
ELSEWHERE = """\
a directory above an entry of PATH
sandbox/test_places_of_the_path: test_a_directory_above_an_entry_of_the_path_stays_closed

system calls and places that the sandbox holds
sandbox/test_attacks: test_no_attack_succeeds_with_mounts

programs that a repository's configuration names
diffs/test_git_calls: test_no_command_of_ours_runs_what_a_configuration_names

the protocol of the MCP server
runtimes/test_mcp: test_a_command_in_the_sandbox_of_an_agent_cannot_write_into_the_protocol

2,000 calls at once
runtimes/test_mcp: test_two_thousand_calls_at_once_have_few_threads_and_are_all_answered

a reader of a page that stops reading
cli/test_serve: test_a_reader_that_stops_reading_holds_up_nobody

numbers of 9,000 digits
cli/test_serve: test_numbers_of_many_digits_are_answered

a pipe among the records
cli/test_history_commands: test_a_pipe_among_the_records_is_passed_over

a link that turns after the decision
policy/test_turning_links: test_a_link_that_turns_shows_nothing_of_a_denied_file

rules that come with a repository
runtimes/test_hook_attacks: test_rules_of_a_repository_allow_nothing_until_they_are_trusted

subcommands by programs, options, spellings and shells
policy/test_subcommands: test_what_a_program_gets_is_never_allowed_where_a_rule_denies_it

ways out of the root
core/workspace/test_confinement: test_a_path_that_leaves_the_root_is_refused

a kill before every call
core/workspace/test_kills: test_a_kill_before_any_call_is_made_good_by_the_next_run

an error of every call
core/workspace/test_faults: test_a_failure_of_any_call_leaves_all_old_with_a_message_or_all_new

a disk that is full
core/workspace/test_real_limits: test_a_disk_that_is_really_full_leaves_all_old_or_all_new

power that fails
core/workspace/test_power_loss: test_a_power_cut_leaves_nothing_torn_and_nothing_of_ours

writers at once
core/workspace/test_concurrency: test_no_update_is_lost

mutated patches
core/workspace/test_fuzz: test_any_patch_ends_in_a_result_or_a_refusal_that_changes_nothing

hunks that change nothing
core/workspace/test_limits: test_a_great_many_empty_hunks_are_refused

random scripts in real shells
shell/test_differential: test_a_real_shell_does_what_an_apply_patch_verdict_says"""
