"""What a script would do, one deed at a time: commands it runs, files its redirects read and write, patches it applies.

Takes the text of a script and where it would run; gives Deeds. A command is known by its words, also by the bare name
of its program; what only running shows may be anything. A script with a part whose effect is not known has one deed
more, which only a rule about every command covers. Nothing is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from posixpath import basename

from patchkit.errors import PatchkitError
from patchkit.globs.rule_patterns import ANY, Pattern, command_pattern, literal
from patchkit.policy import EXECUTE, READ, WRITE
from patchkit.policy.deeds import Deed, Deeds, leads_out
from patchkit.policy.subcommands import Program, SubcommandLine, invocations, without_plain_options
from patchkit.shell.classifying import classify_script, refuse_unsendable
from patchkit.shell.inventory import inventory
from patchkit.shell.mention import mentions
from patchkit.shell.shells import SHELLS
from patchkit.shell.wrappers import Command, Live, commands_run_by

# How dangerous a command is where no rule says anything: one that only reads, one that changes, one that destroys.
#
# Takes the words of a command and where it runs; gives the names that a known form of it reads, or why it is dangerous.
# What only reads inside the workspace needs no rule but those about reading. What removes without a way back is denied
# to an agent. Everything else is asked for. The tables are data; a command in another form than its row is asked for.
PATHS, PATTERN, WORDS, TREE = "paths", "pattern", "words", "tree"  # what the operands of a reader are


class Reader:
    """A program that only reads, with these options: what its operands are, and what it reads without one.

    `deep` are options with which it reads everything below a directory; '*' where it always does.
    """

    def __init__(
        self, operands: str, flags: str = "", valued: str = "", default: str = "", deep: str = "", most: int = 1000
    ) -> None:
        self.options = Program(valued, flags)
        self.operands = operands
        self.default = default
        self.deep = deep.split()
        self.most = most  # operands


_GREP = Reader(
    PATTERN,
    "-r -n -i -v -l -L -c -o -w -x -E -F -P -G -H -h -s -q -I -a --line-number --ignore-case --recursive --count "
    "--files-with-matches --only-matching --word-regexp --fixed-strings --extended-regexp --no-messages --color",
    "-e -m -A -B -C --include --exclude --exclude-dir --max-count --regexp",
    deep="-r --recursive",
)
_CONTENT = (
    "-p -u --patch --no-patch -w -b --stat --shortstat --numstat --name-only --name-status --color --no-color -M "
)
_CONTENT += "-C --no-ext-diff --no-textconv --word-diff --minimal --find-renames --summary --check --raw -z"
_COMMITS = "--oneline --graph --all --decorate --no-decorate --reverse --merges --no-merges --first-parent --follow "
_COMMITS += "--abbrev-commit --branches --tags"
_OF_COMMITS = "-n -S -G -L --since --until --after --before --author --grep --format --pretty --date --max-count "
_OF_COMMITS += "--skip -U --unified --diff-filter --color --stat --word-diff"
# program, or program and subcommand: its form
READERS = {
    "ls": Reader(
        PATHS,
        "-a -A -l -h -1 -t -r -S -R -d -F -p -s -i -n -o -g -G -k -m -x -C -X -U -u -c --all --almost-all --reverse "
        "--human-readable --recursive --directory --classify --group-directories-first --full-time --color",
        "--sort --time --time-style --ignore",
        default=".",
    ),
    "cat": Reader(PATHS, "-n -b -s -A -E -T -v -e -t -u --number"),
    "head": Reader(PATHS, "-q -v", "-n -c --lines --bytes"),
    "tail": Reader(PATHS, "-q -v", "-n -c --lines --bytes"),
    "wc": Reader(PATHS, "-l -w -c -m -L --lines --words --bytes"),
    "nl": Reader(PATHS, "-ba", "-b -w -s"),
    "tac": Reader(PATHS),
    "sort": Reader(PATHS, "-n -r -u -f -h -b -V -g -s -c", "-k -t"),
    "uniq": Reader(PATHS, "-c -d -u -i", "-f -s -w", most=1),  # the second operand is written
    "cut": Reader(PATHS, "-s", "-d -f -c -b"),
    "tr": Reader(WORDS, "-d -s -c"),
    "diff": Reader(PATHS, "-u -q -w -b -B -N -i -y -s --brief", "-U"),
    "cmp": Reader(PATHS, "-s -l -b"),
    "stat": Reader(PATHS, "-L -t", "-c --format --printf"),
    "file": Reader(PATHS, "-b -i --mime --mime-type --brief"),
    "du": Reader(PATHS, "-s -h -a -c -k -m", "-d --max-depth", default="."),
    "tree": Reader(PATHS, "-a -d -f -i -s -h -p -D -F --dirsfirst --noreport", "-L -I -P --filelimit", default="."),
    "find": Reader(
        PATHS,
        "-print -print0 -empty -not -o -a -or -and -prune -ls -true -false",
        "-name -iname -path -ipath -type -maxdepth -mindepth -size -mtime -mmin -regex -perm",
        default=".",
    ),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": Reader(
        PATTERN,
        "-n -N -i -S -s -v -l -c -o -w -x -F -U -P -H -I -p -u -uu --files --hidden --no-ignore --json --stats "
        "--heading --no-heading --line-number --no-line-number --vimgrep --count --files-with-matches --ignore-case "
        "--smart-case --fixed-strings --word-regexp --only-matching --no-config --trim --multiline",
        "-e -g -t -T -A -B -C -m -d --type --glob --max-count --max-depth --sort --color --context --regexp",
        default=".",
        deep="*",
    ),
    "basename": Reader(WORDS, "-a", "-s"),
    "dirname": Reader(WORDS),
    "which": Reader(WORDS, "-a"),
    "uname": Reader(WORDS, "-a -s -n -r -v -m -o"),
    "whoami": Reader(WORDS, most=0),
    "nproc": Reader(WORDS, "--all", most=0),
    "seq": Reader(WORDS, "-w", "-s -f"),
    "git status": Reader(
        TREE, "-s -b -sb -z --short --branch --porcelain --ignored --show-stash --long -v", "-u --porcelain"
    ),
    "git diff": Reader(
        TREE, f"{_CONTENT} --cached --staged --merge-base", "-U --unified --diff-filter --stat --color -S -G"
    ),
    "git log": Reader(TREE, f"{_CONTENT} {_COMMITS}", _OF_COMMITS),
    "git show": Reader(TREE, f"{_CONTENT} {_COMMITS} -s", _OF_COMMITS),
    "git blame": Reader(TREE, "-w -s -e -l -M -C --porcelain", "-L"),
    "git ls-files": Reader(TREE, "-c -d -m -o -s -z --cached --deleted --modified --others --exclude-standard --stage"),
    "git rev-parse": Reader(
        TREE, "--short --abbrev-ref --show-toplevel --show-prefix --git-dir --is-inside-work-tree --verify --quiet -q"
    ),
    "git describe": Reader(TREE, "--tags --always --dirty --all --long", "--abbrev --match"),
    "git branch": Reader(TREE, "-a -r -v -vv --list --show-current --all --remotes", most=0),
    "git tag": Reader(TREE, "-l -n --list", most=0),
    "git remote": Reader(TREE, "-v --verbose", most=0),
    "git stash list": Reader(TREE, most=0),
    "git shortlog": Reader(TREE, "-s -n -e --summary --numbered"),
    "git grep": Reader(TREE, "-n -i -l -c -w -E -F -P -v -h -H", "-e -A -B -C"),
}
# As rules are written: what has no way back, or is seen by others at once; denied to an agent unless a rule allows it.
_HARMS = {
    "removes everything below a directory": "rm -r|rm -R|rm --recursive",
    "replaces what others may have": "git push --force|git push -f|git push --force-with-lease|git push --mirror|"
    "git push +*",
    "removes a branch that others may have": "git push --delete|git push -d|git push :*",
    "discards changes that are not committed": "git reset --hard|git checkout --force|git checkout -f|"
    "git stash drop|git stash clear",
    "removes files that are not committed": "git clean -f|git clean --force",
    "removes commits that are nowhere else": "git branch -D|git reflog expire|git update-ref -d",
    "replaces the history": "git filter-branch",
    "removes files": "find -delete",
    "changes everything below a directory": "chmod -R|chmod --recursive|chown -R|chown --recursive",
    "destroys files": "shred",
    "destroys a file system": "mkfs*|wipefs",
    "writes to any place": "dd",
    "is seen by others at once": "npm publish|pnpm publish|yarn publish|cargo publish|twine upload|gem push",
    "removes what others may use": "npm unpublish|cargo yank|gh release delete|terraform destroy|"
    "terraform apply -destroy|tofu destroy|kubectl delete|helm uninstall",
    "removes a repository": "gh repo delete",
    "removes images and data": "docker system prune",
    "removes data": "docker volume rm|docker volume prune|aws s3 rb|aws s3 rm --recursive",
    "runs as another user": "sudo|doas|su",
    "ends the machine": "shutdown|reboot",
}
DANGERS = {command: why for why, commands in _HARMS.items() for command in commands.split("|")}
_PATTERNS = [(pattern, why) for text, why in DANGERS.items() if (pattern := command_pattern(text)) is not None]
_REVISION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./@~^-]*")  # no shell expands a '~' inside of a word
_COUNT = re.compile(r"-[0-9]+")
_COUNTED = ("-A", "-B", "-C", "-m")  # of grep; some versions take no further word, so that a path could be behind it


def danger_of(words: Sequence[str]) -> str:
    """Why a command, by the bare name of its program, is not for an agent; '' where it is like any other."""
    if not words or isinstance(words[0], Live):
        return ""
    lines = invocations(words) or [SubcommandLine(words[0], words[1:], Program())]  # which has its options anywhere
    for pattern, why in _PATTERNS:
        if any(line.within(pattern) for line in lines):
            return why
    return ""


def reads_of(deeds: Deeds, words: Sequence[str], where: str) -> list[Pattern] | None:
    """The names that a command reads, all inside the workspace; None where it is not known to do only that.

    `where` is the directory that it runs in, '' where that is not known.
    """
    words = [str(word) if isinstance(word, Live) and _REVISION.fullmatch(word) else word for word in words]
    if any(isinstance(word, Live) or "\0" in word for word in words):
        return None
    words = without_plain_options(words)
    for count in (3, 2, 1):
        reader = READERS.get(" ".join(words[:count])) if len(words) >= count else None
        if reader is not None:
            found = _operands(reader, words[count:])
            return None if found is None else _names(deeds, reader, *found, where)
    return None


def _operands(reader: Reader, words: Sequence[str]) -> tuple[list[str], bool, bool] | None:
    """The operands, whether an option asks for everything below, and whether an option gives the pattern."""
    operands: list[str] = []
    deep = patterned = False
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--" and reader is not READERS["find"]:  # which goes on to read its expression behind it
            operands += words[at:]
            break
        if word[:1] != "-" or word == "-":
            operands.append(word)
            continue
        if _COUNT.fullmatch(word):
            continue
        takes = reader.options.takes(word)
        if takes is None:
            return None
        if reader.operands == PATTERN and word in _COUNTED and not "".join(words[at : at + 1]).isdigit():
            return None
        if reader.operands == TREE:
            # Whether git takes the next word for the value differs between options and versions: it is read by itself.
            takes = 0
            if word == "--help":
                return None  # which runs the viewer that settings name
        deep = deep or any(
            word == each or (len(each) == 2 and each[1] in word[1:] and word[1] != "-") for each in reader.deep
        )
        patterned = patterned or _gives_the_pattern(reader.options, word)
        at += takes
    return (operands, deep or reader.deep == ["*"], patterned) if len(operands) <= reader.most else None


def _gives_the_pattern(options: Program, word: str) -> bool:
    """Whether no operand is the pattern with this option, which may be among others: in 'grep -ne x FILE' it is x."""
    if word.startswith("--"):
        return word.partition("=")[0] in ("--regexp", "--files")
    letters = word[1:]
    valued = next((at for at, letter in enumerate(letters) if f"-{letter}" in options.valued), len(letters))
    return letters[valued : valued + 1] == "e"


def _names(
    deeds: Deeds, reader: Reader, operands: list[str], deep: bool, patterned: bool, where: str
) -> list[Pattern] | None:
    root = deeds.files.real
    whole = Pattern([*deeds.name_of(root).parts, ANY])
    if reader.operands == WORDS:
        return []
    if reader.operands == TREE:
        leaving = any(word.startswith(("/", "~", "-")) or ".." in word.split("/") for word in operands)
        return [whole] if where and not leaving and _has_its_repository(where, root) else None
    if reader.operands == PATTERN and not patterned:
        if not operands:
            return None
        operands = operands[1:]
    names = []
    default = reader.default or ("." if deep and reader is _GREP else "")
    for path in operands or ([default] if default else []):
        if path == "-" or (reader is READERS["find"] and path in ("!", "(", ")")):
            continue
        full = os.path.join(where, path)
        if path.startswith("~") or not where or leads_out(deeds.files, full):
            return None
        if os.path.normpath(full).startswith(("/proc/", "/dev/")):
            return None  # it may lead another process to another file, also behind a link
        real = os.path.realpath(full)
        if real != root and not real.startswith(f"{root.rstrip('/')}/"):
            return None
        if reader is READERS["diff"] and os.path.isdir(real):
            return None  # it follows the links in there
        name, spelled = deeds.name_of(real), deeds.name_of(os.path.normpath(os.path.join(where, path)))
        names += [Pattern([*name.parts, ANY]) if deep and os.path.isdir(real) else name, spelled]
    return names


def _has_its_repository(directory: str, root: str) -> bool:
    """Whether git would find the repository of a directory at or below the root, and not by a file HEAD in a directory.

    An agent that may write files can make one of the latter, whose settings name programs; git shows all of a
    repository, also what is outside of a root that is below its top.
    """
    while directory == root or directory.startswith(f"{root.rstrip('/')}/"):
        if os.path.isfile(f"{directory}/.git") or os.path.lexists(f"{directory}/.git/HEAD"):
            return True
        if os.path.lexists(f"{directory}/HEAD") or directory == root:
            return False
        directory = directory.rpartition("/")[0]
    return False


# Variables of which a program runs the value, or reads from there what it runs; and values that run nothing of note.
_RUN = (
    "BASH_ENV PS4 PROMPT_COMMAND PAGER *_PAGER MANPAGER EDITOR *_EDITOR VISUAL BROWSER *_ASKPASS GIT_SSH* GIT_DIR "
    "GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_CONFIG* GIT_EXEC_PATH GIT_TEMPLATE_DIR LESSOPEN LESSCLOSE *_RSH "
    "NPM_CONFIG_*SHELL NPM_CONFIG_*CONFIG NPM_CONFIG_NODE_OPTIONS"
).split()
_PLAIN_VALUES = frozenset(("", "0", "1", ":", "true", "cat", "less", "more", "none", ".git", "/dev/null"))
_DECLARING = frozenset(("export", "declare", "typeset", "readonly", "local"))
_MOVING = frozenset(("cd", "pushd", "popd"))
_STREAMS = frozenset("/dev/null /dev/stdin /dev/stdout /dev/stderr /dev/tty".split())


def of_command(deeds: Deeds, script: str, cwd: str) -> list[Deed]:
    """Everything a command would do in a directory of the workspace; one that cannot run there is one refused deed."""
    try:
        return of_script(deeds, script, os.path.join(deeds.files.root, *deeds.files.parts(cwd)))
    except PatchkitError as error:
        return [Deed(EXECUTE, "run", script, [], recorded="?", trouble=error)]


def of_script(deeds: Deeds, script: str, where: str, shell: str = "bash") -> list[Deed]:
    """Everything a script would do in the directory `where`. A call of apply_patch in it is what the patch would do."""
    try:
        refuse_unsendable(script)
    except PatchkitError:
        return [unknown("its text cannot be given to a shell")]
    verdict = classify_script(script, where, dict(os.environ), shell) if mentions(script) else None
    if verdict is not None and verdict.verdict == "apply_patch":
        made = _patched(deeds, str(verdict.patch), str(verdict.workdir))
    elif verdict is not None and verdict.then is not None:
        then = verdict.then
        rest = _listed(deeds, f"{then.setup}\n{then.rest}", where, shell)
        made = [*_patched(deeds, then.patch, then.workdir), *rest]
    else:
        made = _listed(deeds, script, where, shell)
    for deed in made:
        deed.script = script.strip()
    return made


def _patched(deeds: Deeds, patch: str, workdir: str) -> list[Deed]:
    """What apply_patch would do; rules may name that tool."""
    found = deeds.of_patch(patch, start=workdir)
    for deed in found:
        deed.tool = "apply_patch"
    return found


def unknown(why: str) -> Deed:
    """Something of which it is not known what it does: what rules say of every command holds for it."""
    return Deed(EXECUTE, "run", f"a command that is not known ({why})", [Pattern([ANY])], recorded="?")


def _listed(deeds: Deeds, script: str, where: str, shell: str) -> list[Deed]:
    found = inventory(script, SHELLS[shell], os.environ)
    moves = any(command.words and command.words[0] in _MOVING for command in found.commands)
    made = [deed for command in found.commands for deed in _run(deeds, command, "" if moves else where)]
    if found.unknown:
        made.append(unknown(found.unknown))
    for effect, paths in ((READ, found.read), (WRITE, found.written)):
        made += [_redirected(deeds, effect, path, where, moves) for path in paths if path not in _STREAMS]
    for deed in made:
        deed.alone = not moves and not any(sign in script for sign in "|<$`")
    return made


def _run(deeds: Deeds, command: Command, where: str) -> list[Deed]:
    """The command, and where only running shows which subcommand it is, one that is not known."""
    words = [*command.assignments, *command.words]
    deed = Deed(EXECUTE, "run", " ".join(words), [_pattern(without_plain_options(words))])
    made = [deed]
    if command.words:
        plain = [_bare(command.words[0]), *command.words[1:]]
        found = invocations(plain)
        inner = [words for each in found for nested in each.nested() for words in _nested(nested)]
        others = [plain, *(each.canonical for each in found), *inner]
        deed.possible = [*found, *(_pattern(each) for each in others if each != words)]
        deed.possible += [line for each in inner for line in invocations(each)]
        if any(each.evaluates() for each in found):
            deed.possible.append(Pattern([ANY]))  # what a rule forbids may be in it
        made += [unknown(f"which subcommand '{deed.what[:60]}' is") for each in found if each.is_unsure]
    declared = command.words[1:] if command.words and command.words[0] in _DECLARING else []
    if any(map(_sets_what_runs, [*command.assignments, *declared])):
        deed.possible = [*deed.possible, Pattern([ANY])]
    deed.recorded = "?" if not command.words or isinstance(command.words[0], Live) else _bare(command.words[0])
    if command.words:
        deed.danger = next(filter(None, map(danger_of, [plain, *inner])), "")
        if not command.assignments and "/" not in command.words[0] and _is_outside(deeds, command.words[0]):
            deed.reads = reads_of(deeds, command.words, where)
    deed.harmless = bool(command.known) and _is_outside(deeds, command.program)
    return made


def _nested(words: list[str]) -> list[list[str]]:
    """A command behind another one, and what it runs in turn, by the bare names of the programs."""
    found = [words]
    for run in commands_run_by(words):
        found += [run.words] if isinstance(run, Command) else [each.words for each in inventory(run).commands]
    return [[_bare(each[0]), *each[1:]] for each in found if each]


def _sets_what_runs(assignment: str) -> bool:
    """Whether a variable is set of which the value is run, by whichever program reads it."""
    name, _, value = assignment.partition("=")
    if not isinstance(assignment, Live) and ("$(" in value or "`" in value):
        return True  # which was quoted, so that another shell reads it
    return value not in _PLAIN_VALUES and any(fnmatchcase(name.upper().rstrip("+"), each) for each in _RUN)


def _bare(word: str) -> str:
    return word if isinstance(word, Live) else basename(word) or word


def _is_outside(deeds: Deeds, program: str) -> bool:
    """Whether a program on which a known form depends is found, and not inside the project, where a call may write."""
    if not program or "/" in program:
        return True  # it depends on none, or on one of the usual places
    for directory in (os.environ.get("PATH") or os.defpath).split(os.pathsep):
        if not directory.startswith("/"):
            return False
        path = os.path.join(directory, program)
        if os.access(path, os.X_OK):  # the directory counts, too: a link in it can be replaced
            places = (os.path.realpath(directory), os.path.realpath(path))
            root = deeds.files.real.rstrip("/")
            return not root or not any(f"{place}/".startswith(f"{root}/") for place in places)
    return False


def _pattern(words: list[str]) -> Pattern:
    """Words as rules see them; a word that is known only at run time may be any number of words."""
    return Pattern([ANY if isinstance(word, Live) else literal([word])[0] for word in words])


def _redirected(deeds: Deeds, effect: str, path: str, where: str, moves: bool) -> Deed:
    """The file that a redirect reads or writes: any file, where its name or its place only shows when the script runs.

    A file outside the workspace is never read without a rule that says so: no tool of ours would read it.
    """
    if isinstance(path, Live) or (moves and not path.startswith("/")):
        return Deed(effect, effect, path, [Pattern([ANY])], unsure=True)
    real = os.path.realpath(os.path.join(where, path))
    inside = real.startswith(f"{deeds.files.real.rstrip('/')}/")
    recorded = os.path.relpath(real, deeds.files.real) if inside else real
    return Deed(effect, effect, path, [deeds.name_of(real)], recorded=recorded, unsure=not inside)
