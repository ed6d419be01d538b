"""What a script would do, one deed at a time: commands it runs, files its redirects write, patches it applies.

Takes the text of a script and where it would run; returns Deeds. A command is known by its words, and by the bare name
of its program; a word that is known only when the script runs may be anything. Nothing is run.
"""

from __future__ import annotations

import os
from posixpath import basename

from patchkit.errors import PatchkitError
from patchkit.globs.rule_patterns import ANY, Pattern, literal
from patchkit.policy import EXECUTE, WRITE
from patchkit.policy.deeds import Deed, Deeds
from patchkit.shell.classifying import classify_script
from patchkit.shell.dangers import danger
from patchkit.shell.inventory import Command, Inventory, Live, inventory
from patchkit.shell.mention import mentions
from patchkit.shell.shells import read_argv

# Commands that touch nothing but the shell they run in, and its output.
_HARMLESS = frozenset(
    "cd pushd popd pwd true false : exit return break continue set echo printf test [ sleep wait".split()
)
# Commands that only run the command after them, which is judged itself.
_PASSING = frozenset("command builtin exec nohup setsid time nice stdbuf timeout".split())
_MOVING = frozenset(("cd", "pushd", "popd"))
_STREAMS = frozenset("/dev/null /dev/stdout /dev/stderr /dev/tty".split())


def of_command(deeds: Deeds, script: str, cwd: str) -> list[Deed]:
    """Everything a command would do in a directory of the workspace; one that cannot run there is one refused deed."""
    try:
        return of_script(deeds, script, os.path.join(deeds.files.root, *deeds.files.parts(cwd)))
    except PatchkitError as error:
        return [refused(script, error)]


def of_script(deeds: Deeds, script: str, where: str) -> list[Deed]:
    """Everything a script would do in the directory `where`. A call of apply_patch in it is what the patch would do."""
    found = danger(script)
    if found:
        return [refused(found, PatchkitError("P642", command=found))]
    verdict = classify_script(script, where, dict(os.environ)) if mentions(script) else None
    if verdict is not None and verdict.verdict == "apply_patch":
        return _patched(deeds, str(verdict.patch), str(verdict.workdir))
    if verdict is not None and verdict.then is not None:
        then = verdict.then
        rest = _listed(deeds, inventory(f"{then.setup}\n{then.rest}"), where)
        return [*_patched(deeds, then.patch, then.workdir), *rest]
    return _listed(deeds, inventory(script), where)


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


def _listed(deeds: Deeds, found: Inventory, where: str) -> list[Deed]:
    made = [_run(command) for command in found.commands]
    if not found.clear:
        unclear = Deed(EXECUTE, "run", "a script that cannot be read for certain", [Pattern([ANY])])
        unclear.recorded = "?"
        made.append(unclear)
    moves = any(command.words and command.words[0] in _MOVING for command in found.commands)
    return made + [_write(deeds, path, where, moves) for path in found.written if path not in _STREAMS]


def _run(command: Command) -> Deed:
    words = [*command.assignments, *command.words]
    deed = Deed(EXECUTE, "run", " ".join(words), [_pattern(words)])
    if command.words:
        plain = [_bare(command.words[0]), *command.words[1:]]
        deed.possible = [_pattern(plain)] if plain != words else []
    deed.recorded = "?" if not command.words or isinstance(command.words[0], Live) else _bare(command.words[0])
    deed.harmless = not command.assignments and _is_harmless(command)
    return deed


def _bare(word: str) -> str:
    return word if isinstance(word, Live) else basename(word) or word


def _is_harmless(command: Command) -> bool:
    if not command.words or isinstance(command.words[0], Live):
        return False
    name = command.words[0]
    if name in _HARMLESS:
        return True
    if not command.runs:
        return False
    return name in _PASSING or read_argv(command.words) is not None


def _pattern(words: list[str]) -> Pattern:
    """Words as rules see them; a word that is known only at run time may be any number of words."""
    return Pattern([ANY if isinstance(word, Live) else literal([word])[0] for word in words])


def _write(deeds: Deeds, path: str, where: str, moves: bool) -> Deed:
    """The file that a redirect writes: any file, where its name or directory is known only at run time."""
    deed = Deed(WRITE, "write", path, [])
    if isinstance(path, Live) or (moves and not path.startswith("/")):
        deed.names = [Pattern([ANY])]
        return deed
    real = os.path.realpath(os.path.join(where, path))
    deed.names = [deeds.name_of(real)]
    deed.recorded = os.path.relpath(real, deeds.files.real) if real.startswith(f"{deeds.files.real}/") else real
    return deed
