"""Find the apply_patch call in the text of a script.

Takes a script with its shell, a starting place and an environment; gives the Call, or raises: a
PatchkitError for a call that cannot be trusted, NotOurs for a script that is something else or something
more. The word is looked for first, then the text is read, and only a script with the word in a place
where it may be a command reaches the grammar.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.shell.directory import Place
from patchkit.shell.lexer import read
from patchkit.shell.mention import CALL_NAMES, mentions
from patchkit.shell.shells import Invocation, Shell, shell_of
from patchkit.shell.skeleton import Skeleton
from patchkit.shell.verdict import Call, NotOurs, Trailing

# Options that a bash started without a terminal has anyway, and those that a script may set itself.
_USUAL_OPTIONS = frozenset("braceexpand hashall interactive-comments errexit nounset pipefail noclobber noglob".split())
_USUAL_SHOPTS = frozenset(
    "checkwinsize cmdhist complete_fullquote extquote force_fignore globasciiranges globskipdots hostcomplete "
    "interactive_comments login_shell patsub_replacement progcomp promptvars sourcepath".split()
)
_RUN = frozenset(
    (*CALL_NAMES, *"cd pushd set true : exit false cat echo printf command exec env timeout bash sh dash zsh".split())
)


def evaluate(
    invocation: Invocation, place: Place, env: dict[str, str], stdin: tuple[str, str] | None = None, inner: bool = False
) -> Call:
    """Returns the one call that the script is."""
    script, shell = invocation.script, invocation.shell
    if not mentions(script):
        raise NotOurs("the script does not mention 'apply_patch'")
    skeleton = read(script, shell)
    if skeleton.broken:
        if any(word in CALL_NAMES for word in skeleton.command_words()):
            raise skeleton.broken
        raise NotOurs("the script mentions 'apply_patch' but is not seen to call it")
    if not _may_call(skeleton):
        raise NotOurs("the script mentions 'apply_patch' but is not seen to call it")
    from patchkit.shell import tree
    from patchkit.shell.walk import Walk

    root = tree.parse(skeleton.text)
    walk = Walk(skeleton, shell, place, env, invocation.errexit, inner)
    try:
        call = walk.program(root, stdin)
        check_environment(env, shell)
        return call
    except (PatchkitError, NotOurs) as refusal:
        if isinstance(refusal, Trailing):
            check_environment(env, shell)
        if walk.settled:
            raise
        raise tree.explained(root, refusal) from None


def _may_call(skeleton: Skeleton) -> bool:
    """Whether some word is the name of the command, or of a shell inside this one that may be told it."""
    words = [word for token in skeleton.tokens if token.kind == "word" and (word := token.static())]
    return any(word in CALL_NAMES or shell_of(word) for word in words)


def check_environment(env: dict[str, str], shell: Shell) -> None:
    """Refuses an environment that makes the shell read another file, run a function or know other options."""
    if shell.name == "bash" and env.get("BASH_ENV"):
        raise PatchkitError("P517", what="BASH_ENV")
    if shell.name not in ("bash", "sh"):
        return
    for name, usual in (("SHELLOPTS", _USUAL_OPTIONS), ("BASHOPTS", _USUAL_SHOPTS)):
        if not usual.issuperset(filter(None, env.get(name, "").split(":"))):
            raise PatchkitError("P517", what=name)
    for name in env:
        if name.startswith("BASH_FUNC_") and name[10:].removesuffix("%%").removesuffix("()") in _RUN:
            raise PatchkitError("P517", what=name)
