"""What a script would do, one deed at a time: commands it runs, files its redirects read and write, patches it applies.

Takes the text of a script and where it would run; gives Deeds. A command is known by its words, also by the bare name
of its program; what only running shows may be anything. A script with a part whose effect is not known has one deed
more, which only a rule about every command covers. Nothing is run.
"""

from __future__ import annotations

import os
from posixpath import basename

from patchkit.errors import PatchkitError
from patchkit.globs.rule_patterns import ANY, Pattern, literal
from patchkit.policy import EXECUTE, READ, WRITE
from patchkit.policy.deeds import Deed, Deeds
from patchkit.policy.subcommands import invocations, without_plain_options
from patchkit.policy.tiers import danger_of, reads_of
from patchkit.shell.classifying import classify_script
from patchkit.shell.mention import mentions
from patchkit.shell.scripts.effects import Command, Live
from patchkit.shell.scripts.inventory import inventory
from patchkit.shell.shells import SHELLS

_MOVING = frozenset(("cd", "pushd", "popd"))
_STREAMS = frozenset("/dev/null /dev/stdin /dev/stdout /dev/stderr /dev/tty".split())


def of_command(deeds: Deeds, script: str, cwd: str) -> list[Deed]:
    """Everything a command would do in a directory of the workspace; one that cannot run there is one refused deed."""
    try:
        return of_script(deeds, script, os.path.join(deeds.files.root, *deeds.files.parts(cwd)))
    except PatchkitError as error:
        return [refused(script, error)]


def of_script(deeds: Deeds, script: str, where: str, shell: str = "bash") -> list[Deed]:
    """Everything a script would do in the directory `where`. A call of apply_patch in it is what the patch would do."""
    if not _can_be_sent(script):
        return [unknown("its text cannot be given to a shell")]
    verdict = classify_script(script, where, dict(os.environ), shell) if mentions(script) else None
    if verdict is not None and verdict.verdict == "apply_patch":
        return _patched(deeds, str(verdict.patch), str(verdict.workdir))
    if verdict is not None and verdict.then is not None:
        then = verdict.then
        rest = _listed(deeds, f"{then.setup}\n{then.rest}", where, shell)
        return [*_patched(deeds, then.patch, then.workdir), *rest]
    return _listed(deeds, script, where, shell)


def _can_be_sent(script: str) -> bool:
    try:
        return b"\0" not in script.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair
        return False


def _patched(deeds: Deeds, patch: str, workdir: str) -> list[Deed]:
    """What apply_patch would do; rules may name that tool."""
    found = deeds.of_patch(patch, start=workdir)
    for deed in found:
        deed.tool = "apply_patch"
    return found


def refused(script: str, error: PatchkitError) -> Deed:
    """A script that will not run whatever the rules say."""
    deed = Deed(EXECUTE, "run", script, [])
    deed.recorded = "?"
    deed.trouble = error
    return deed


def unknown(why: str) -> Deed:
    """Something of which it is not known what it does: what rules say of every command holds for it."""
    deed = Deed(EXECUTE, "run", f"a command that is not known ({why})", [Pattern([ANY])])
    deed.recorded = "?"
    return deed


def _listed(deeds: Deeds, script: str, where: str, shell: str) -> list[Deed]:
    found = inventory(script, SHELLS[shell], os.environ)
    moves = any(command.words and command.words[0] in _MOVING for command in found.commands)
    made = [deed for command in found.commands for deed in _run(deeds, command, "" if moves else where)]
    if not found.clear:
        made.append(unknown(found.unknown))
    for effect, paths in ((READ, found.read), (WRITE, found.written)):
        made += [_redirected(deeds, effect, path, where, moves) for path in paths if path not in _STREAMS]
    return made


def _run(deeds: Deeds, command: Command, where: str) -> list[Deed]:
    """The command, and where only running shows which subcommand it is, one that is not known."""
    words = [*command.assignments, *command.words]
    deed = Deed(EXECUTE, "run", " ".join(words), [_pattern(without_plain_options(words))])
    made = [deed]
    if command.words:
        plain = [_bare(command.words[0]), *command.words[1:]]
        found = invocations(plain)
        inner = [[_bare(nested[0]), *nested[1:]] for each in found for nested in each.nested()]
        others = [plain, *(each.canonical for each in found), *inner]
        deed.possible = [*found, *(_pattern(each) for each in others if each != words)]
        deed.possible += [line for each in inner for line in invocations(each)]
        if any(each.evaluates() for each in found):
            deed.possible.append(Pattern([ANY]))  # what a rule forbids may be in it
        made += [unknown(f"which subcommand '{deed.what[:60]}' is") for each in found if each.is_unsure]
    deed.recorded = "?" if not command.words or isinstance(command.words[0], Live) else _bare(command.words[0])
    if command.words:
        deed.danger = next(filter(None, map(danger_of, [plain, *inner])), "")
        if not command.assignments and "/" not in command.words[0] and _is_outside(deeds, command.words[0]):
            deed.reads = reads_of(deeds, command.words, where)
    deed.harmless = bool(command.known) and _is_outside(deeds, command.program)
    return made


def _bare(word: str) -> str:
    return word if isinstance(word, Live) else basename(word) or word


def _is_outside(deeds: Deeds, program: str) -> bool:
    """Whether a program on which a known form depends is found, and not inside the project, where a call may write."""
    if not program:
        return True
    if "/" in program:
        return True  # it is one of the usual places
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
    deed = Deed(effect, effect, path, [])
    if isinstance(path, Live) or (moves and not path.startswith("/")):
        deed.names = [Pattern([ANY])]
        deed.unsure = True
        return deed
    real = os.path.realpath(os.path.join(where, path))
    deed.names = [deeds.name_of(real)]
    inside = real.startswith(f"{deeds.files.real.rstrip('/')}/")
    deed.recorded = os.path.relpath(real, deeds.files.real) if inside else real
    deed.unsure = not inside
    return deed
