"""Rules about subcommands: however the options of the program stand around them."""

from __future__ import annotations

import itertools
import os
import random
import shlex
import shutil
import subprocess

import pytest

from patchkit.core.workspace.root import Workspace
from patchkit.policy.commands import of_script
from patchkit.policy.permissions import Judge
from patchkit.policy.settings import Settings, SettingsFile
from patchkit.tools.registry import effect_and_name, named

SEED = os.environ.get("PATCHKIT_SEED", "1")
LINES = 20_000 if os.environ.get("PATCHKIT_TESTS") == "full" else 900
RULES = {
    "git": "allow",
    **dict.fromkeys(("git push", "git config", "git reset --hard", "git push -f"), "deny"),
    **dict.fromkeys(
        "npm docker cargo kubectl yarn helm pip terraform gh aws hg apt-get python env uv".split(), "allow"
    ),
    **dict.fromkeys(
        ("npm publish", "yarn publish", "helm uninstall", "docker run", "docker rm", "cargo publish", "kubectl delete"),
        "deny",
    ),
    **dict.fromkeys(("pip install", "terraform destroy", "gh pr merge", "aws s3 rm", "hg push"), "deny"),
    **dict.fromkeys(("apt-get install", "npm install"), "deny"),
}
DENIED = """
git push
git -C . push
git -c a.b=c push
git --no-pager push
git -p push
git --git-dir=.git push
git --git-dir .git push
git --work-tree . push
git --no-pager -C . -c a=b --bare push origin main
git -c x.y=z config a.b c
git -C . reset --hard
git reset -q --hard
git reset --har
git reset HEAD~1 --hard
git -C "a dir" push
git -C "$D" push
'git' -C . "push"
/usr/bin/git -C . push
./git --no-pager push
git-push
env git -C . push
command git -C . push
bash -c 'git -C . push'
X=1 git -C . push
git log && git --no-pager push
git -- push
npm --prefix . publish
npm -w x publish
npm -s publish
npm publis
npm i left-pad
npm --prefix=. -g i left-pad
docker --context x run y
docker -H x run y
docker -Hx run y
docker -D -H tcp://x run y
docker container run y
docker container rm y
cargo +nightly publish
cargo -q publish
cargo +nightly --config a=b -Z x publish
kubectl -n prod delete pod x
kubectl -nprod delete pod x
kubectl --namespace=prod delete pod x
pip -q install x
pip -qq --proxy x install y
pip3 install x
pip3.11 -q install x
python3 -m pip -q install x
python -Im pip install x
python -W x -mpip install x
yarn npm publish
helm delete x
helm -n y un x
terraform -chdir=x destroy
gh -R o/r pr merge
gh pr -R o/r merge 3
gh pr merge -R o/r
aws --profile x s3 --region y rm s3://b
hg -R x pus
apt-get -y install x
apt-get -o a=b -qq install x
git send-pack
git lfs push origin
git subtree push x
git bisect run git push
env -vS'git push'
env --split='git push' x
npm exec -- npm publish
npm x npm publish
uv run git push
poetry run -q git -C . push
bundle exec git push
""".strip().splitlines()
ASKED = """
git --not-known push
git --not-known x log
git $WHAT
git -C . $WHAT
git -C $D log
/usr/bin/git $WHAT
gh -R o/r pr $WHAT
git -c alias.p=push p
git -c ALIAS.p=push p
git -c include.path=x log
npm --userconf x publish
docker --not-known run
cargo --config alias.p=publish p
git p
git submodule foreach 'git push'
git rebase --exec 'git push' HEAD~1
git rebase -ix 'git push' HEAD~1
git difftool --extcmd='git push'
git grep -nO'git push' x
git fetch --upload-pack='git push' x
git clone ext::git%20push x
git -c core.pager='git push' log
git -c core.hooksPath=hooks commit
git -c filter.x.clean='git push' status
git clone -c core.sshCommand='git push' x y
git --exec-path=evil log
git --git-dir=evil log
npm explore x -- npm publish
alias g=git; g push
hash -p /usr/bin/git g; g push
""".strip().splitlines()
ALLOWED = """
git log
git --version
git --no-pager log -p
git -C . status
git -c color.ui=never diff
git commit -m push
git commit -am 'git push'
git log -- push
git -c core.pager=cat log
git -c user.name=x commit -m y
git rebase main
uv run pytest
npm test
npm --prefix . test
npm -w x run build
docker -H x ps
cargo +nightly build
cargo -q test
kubectl -n delete get pods
kubectl -n prod get pods
pip -q list
terraform -chdir=destroy plan
gh -R o/r pr view
gh pr view merge
aws --profile x s3 ls
""".strip().splitlines()


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """The decision about a script under the rules, which are trusted."""
    root = tmp_path_factory.mktemp("root")
    with pytest.MonkeyPatch.context() as patched, Workspace(root) as files:
        patched.setattr("patchkit.policy.rules.is_trusted", lambda source: True)
        source = SettingsFile(f"{files.real}/.patchkit.toml", "", {"permissions": {"execute": RULES}})
        judge = Judge(files, Settings([source], None), effect_and_name)
        yield lambda script: judge.judge("Bash", named("Bash").deeds(judge.deeds, {"command": script})).decision


def test_a_denied_subcommand_is_denied_behind_any_option(decided):
    assert {line: decided(line) for line in ALLOWED} == dict.fromkeys(ALLOWED, "allow")
    assert {line: decided(line) for line in DENIED} == dict.fromkeys(DENIED, "deny")


def test_a_subcommand_that_is_not_known_is_asked_for(decided):
    found = {line: decided(line) for line in ASKED}

    assert {line: said for line, said in found.items() if said == "allow"} == {}
    assert {line: said for line, said in found.items() if said == "deny"} == {
        "git --not-known push": "deny",
        "npm --userconf x publish": "deny",
        "docker --not-known run": "deny",
    }


# -- by what a program really receives -----------------------------------------------------------

# The options of each program before a subcommand, spelled as words (all of them true), and subcommands.
TRUE_OPTIONS = {
    "git": (
        "-C .|-c color.ui=never|--no-pager|-P|-p|--bare|--git-dir=.git|--git-dir .git|--work-tree .|--namespace n",
        "push log",
    ),
    "npm": (
        "--prefix .|--prefix=.|-w x|-g|-s|--silent|--loglevel silent|--registry=http://x|--offline",
        "publish test",
    ),
    "docker": ("-H x|-Hx|--host=x|-D|--context x|-l debug|--tls|--config=d|-DH x", "run ps"),
    "cargo": ("+nightly|-q|-v|--config a=b|-Z x|-Zx|--offline|--color never|--frozen", "publish build"),
    "kubectl": ("-n p|-np|-n=p|--namespace p|--context=c|--kubeconfig k|-v 3|-s x|--as a", "delete get"),
    "pip": ("-q|-qq|-v|--proxy p|--proxy=p|--no-input|--cert c|--isolated|--timeout=3", "install list"),
    "terraform": ("-chdir=x|-chdir=destroy", "destroy plan"),
    "gh": ("-R o/r|--repo o/r|--repo=o/r|-Ro/r|--hostname h", "pr:merge pr:view"),
    "aws": ("--profile p|--region=r|--output json|--debug|--no-cli-pager|--endpoint-url u", "s3:rm s3:ls"),
}
DENIED_WORDS = {"push", "publish", "run", "delete", "install", "destroy", "pr:merge", "s3:rm"}
STUB = '#!/bin/sh\n{ printf "%s\\1" "${0##*/}" "$@"; printf "\\n"; } >> "$RECEIVED"\n'
SHELLS = [name for name in ("bash", "dash", "zsh") if shutil.which(name)]


def spelled(word, chance):
    """A word in one of the ways that all three shells read as the same."""
    ways = [word, shlex.quote(word), f'"{word}"', f"'{word}'", f'{word[:1]}""{word[1:]}', f"{word[:1]}'{word[1:]}'"]
    if word[0].isalpha():
        ways.append(f"\\{word}")
    return chance.choice(ways)


def generated(chance):
    """A line, the words that the program gets, and whether a rule denies them."""
    program = chance.choice([*TRUE_OPTIONS])
    options, subcommands = TRUE_OPTIONS[program]
    subcommand = chance.choice(subcommands.split())
    some = [chance.choice(options.split("|")).split(" ") for _ in range(chance.randrange(4))]
    if program == "terraform":
        some = some[:1]
    between = [chance.choice(options.split("|")).split(" ")] if ":" in subcommand and chance.random() < 0.3 else []
    first, *more = subcommand.split(":")
    words = [*itertools.chain(*some), first, *itertools.chain(*between), *more]
    words += chance.choice([[], ["x"], ["--", "x"], ["-f"], ["a", "--long=b"]])
    called = chance.choice(
        ["{}", "{}", "{}", "command {}", "env {}", "exec {}", "true && {}", "( {} )", "if {}; then :; fi"]
    )
    line = called.format(" ".join(spelled(word, chance) for word in [program, *words]))
    return line, [program, *words], subcommand in DENIED_WORDS


def test_what_a_program_gets_is_never_allowed_where_a_rule_denies_it(tmp_path, monkeypatch):
    """The generator for rules about subcommands: programs, options, spellings and shells."""
    rows = [generated(random.Random(f"{SEED} {number}")) for number in range(LINES)]
    (tmp_path / "bin").mkdir()
    for name in TRUE_OPTIONS:
        (tmp_path / f"bin/{name}").write_text(STUB)
        (tmp_path / f"bin/{name}").chmod(0o755)
    wrong = []
    counted = {"allow": 0, "ask": 0, "deny": 0}
    monkeypatch.setattr("patchkit.policy.rules.is_trusted", lambda source: True)
    with Workspace(tmp_path) as files:
        source = SettingsFile(f"{files.real}/.patchkit.toml", "", {"permissions": {"execute": RULES}})
        judge = Judge(files, Settings([source], None), effect_and_name)
        for number, shell in enumerate(SHELLS):
            mine = rows[number :: len(SHELLS)]
            for (line, words, denied), got in zip(mine, received(tmp_path, shell, mine), strict=True):
                assert got == words, line  # else the generator is wrong
                said = judge.judge("Bash", of_script(judge.deeds, line, files.real, shell)).decision
                counted[said] += 1
                if (said == "allow") == denied:
                    wrong.append((shell, said, line))

    assert wrong == []
    assert counted["ask"] == 0
    assert min(counted["allow"], counted["deny"]) > LINES // 4


def received(place, shell, rows):
    """The words that the programs get when a shell runs each line."""
    log = place / f"received-{shell}"
    script = "".join(f"( {line} )\n" for line, _, _ in rows)
    settings = {"PATH": f"{place}/bin:/usr/bin:/bin", "RECEIVED": str(log), "HOME": str(place)}
    subprocess.run([shutil.which(shell), "-s"], input=script.encode(), env=settings, cwd=place, check=False)
    return [row.split("\1")[:-1] for row in log.read_text().splitlines()]
