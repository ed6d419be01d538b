"""`patchkit completion`: what a shell needs to complete our commands, and the answers to a shell that asks.

A shell asks by an environment variable that names it, with the words so far in two others. The answers are made from
the flags of the commands. The scripts are those of click with three differences: where patchkit has nothing to offer,
the shell completes file names as it does without a script; descriptions are whole (fish); a value behind '=' is
completed as a file (`sarif=FILE`).
"""

from __future__ import annotations

import os
import shlex

from patchkit.catalogue.entries import ENTRIES
from patchkit.catalogue.names import general, name_of
from patchkit.cli.commands import command_named
from patchkit.cli.flags import APPLY, HELP, HOOK, INTERCEPT, MCP, ROOT, Flag, argument
from patchkit.cli.overview import summaries
from patchkit.cli.signals import end
from patchkit.cli.streams import write
from patchkit.cli.subcommand import Subcommand
from patchkit.errors import PatchkitError
from patchkit.report.formats import FORMATS
from patchkit.report.width import visible
from patchkit.tools.registry import TOOLS
from patchkit.workspace.history.reading import runs
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Offers = list[tuple[str, str]]  # words, and what is said about each

_APPLY_VARIABLE = "_APPLY_PATCH_COMPLETE"
# By which a shell asks what could be typed next.
VARIABLES = {"patchkit": "_PATCHKIT_COMPLETE", "apply_patch": _APPLY_VARIABLE, "applypatch": _APPLY_VARIABLE}
_FILES = argument("words", "FILE...", many=True, kind="FILE")
_OWN = {"apply": APPLY, "intercept": INTERCEPT, "hook": HOOK, "mcp": MCP}  # commands with a `main` of their own
_GROUP = (HELP, Flag("--version", "version", "show the version"))

_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' response completion type value
    response=$(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD %(complete_var)s=bash_complete $1 2>/dev/null)
    COMPREPLY=()
    for completion in $response; do
        IFS=',' read type value <<< "$completion"
        if [[ $type == 'dir' ]]; then
            compopt -o dirnames +o default +o bashdefault
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=($value)
        fi
    done
    return 0
}

complete -o nosort -o bashdefault -o default -F %(complete_func)s %(prog_name)s
"""
_ZSH = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a completions completions_with_descriptions response
    local type key descr
    (( ! $+commands[%(prog_name)s] )) && { _files; return }

    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) %(complete_var)s=zsh_complete \\
        %(prog_name)s 2>/dev/null)}")

    for type key descr in ${response}; do
        if [[ "$type" == "plain" ]]; then
            if [[ "$descr" == "_" ]]; then
                completions+=("$key")
            else
                completions_with_descriptions+=("$key":"$descr")
            fi
        elif [[ "$type" == "dir" ]]; then
            compset -P 1 '*='
            _path_files -/
            return
        fi
    done

    if (( $#completions_with_descriptions )); then
        _describe -V unsorted completions_with_descriptions -U
    fi
    if (( $#completions )); then
        compadd -U -V unsorted -a completions
    fi
    if (( ! $#completions && ! $#completions_with_descriptions )); then
        compset -P 1 '*='
        _files
    fi
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""
_FISH = """\
function %(complete_func)s
    set -l word (commandline -ct)
    set -l response (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp | string collect) \\
        COMP_CWORD="$word" %(prog_name)s 2>/dev/null)
    set -l offered 0

    for completion in $response
        set -l metadata (string split -m 1 "," -- $completion)
        if test $metadata[1] = "dir"
            __fish_complete_directories $metadata[2]
            set offered 1
        else if test $metadata[1] = "plain"
            echo $metadata[2]
            set offered 1
        end
    end

    if test $offered -eq 0
        set -l before (string match -r -- '.*=' "$word")
        for path in (__fish_complete_path (string replace -r -- '.*=' '' "$word"))
            echo "$before$path"
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def _print_script(shell: str) -> None:
    scripts = []
    for name, variable in VARIABLES.items():
        named = {"prog_name": name, "complete_func": f"_{name}_completion", "complete_var": variable}
        scripts.append(_SCRIPTS[shell] % named)
    write(1, "\n".join(scripts))


completion = Subcommand(
    "completion",
    """Print the script that lets a SHELL (bash, zsh or fish) complete patchkit and apply_patch.

  bash: echo 'eval "$(patchkit completion bash)"' >> ~/.bashrc
  zsh:  echo 'eval "$(patchkit completion zsh)"' >> ~/.zshrc      (below compinit)
  fish: patchkit completion fish > ~/.config/fish/completions/patchkit.fish
""",
    _print_script,
    (argument("shell", "SHELL", choices=tuple(_SCRIPTS), required=True),),
)


# -- what could be typed next ----------------------------------------------------------------------


def complete(program: str) -> None:
    """Answers a shell that asks what could be typed next on a command line of a program, and ends the process."""
    shell = os.environ[VARIABLES[program]].removesuffix("_complete")
    if shell not in _SCRIPTS:
        end(1)
    before, begun = _words(shell)
    lines = []
    for kind, offered, about in offers(program, before, begun):
        about = " ".join(about.split())
        if shell == "zsh":
            lines += [kind, offered.replace(":", "\\:") if about else offered, about or "_"]
        else:
            lines.append(f"{kind},{offered}" + (f"\t{about}" if about and shell == "fish" else ""))
    write(1, "".join(f"{line}\n" for line in lines))
    end(0)


def _words(shell: str) -> tuple[list[str], str]:
    """The words behind the program that are typed already, and the one that is begun."""
    words = _split(os.environ.get("COMP_WORDS", ""))
    at = os.environ.get("COMP_CWORD", "")
    if shell == "fish":  # which gives the word itself
        begun = (_split(at) or [""])[0]
        return (words[1:-1] if begun and words[-1:] == [begun] else words[1:]), begun
    number = int(at) if at.isdecimal() else len(words)
    return words[1:number], words[number] if number < len(words) else ""


def _split(line: str) -> list[str]:
    """The words of a line as a shell takes them; a quote may be open at its end."""
    for quote in ("", "'", '"'):
        try:
            return shlex.split(line + quote)
        except ValueError:
            pass
    return line.split()


def offers(program: str, before: list[str], begun: str) -> list[tuple[str, str, str]]:
    """What could be typed: 'plain' words, or 'dir' for directories, with what is said about each."""
    if program == "apply_patch":
        return _offered((*APPLY, _FILES), before, begun)
    if before and not before[0].startswith("-"):
        return _offered(_flags_of(before[0]), before[1:], begun)
    named = [("plain", *each) for each in summaries().items() if each[0].startswith(begun) and not before]
    return [*named, *_offered(_GROUP, before, begun)]


def _flags_of(name: str) -> tuple[Flag, ...]:
    """The flags and words of a command; none where there is no such command."""
    if name in _OWN:
        return (*_OWN[name], _FILES)
    found = command_named(name)
    return (*found.flags, *found.words) if found is not None else ()


def _offered(flags: tuple[Flag, ...], before: list[str], begun: str) -> list[tuple[str, str, str]]:
    """What the flags and words of a command offer for a word that is begun."""
    known = {name: flag for flag in flags for name in flag.names}
    name, equals, value = begun.partition("=")
    dashes = "--" in before
    if not dashes and name in known and equals:
        return _values(known[name], value, before)
    previous = known.get(before[-1]) if before and not dashes else None
    if previous is not None and previous.value and not previous.alone:
        return _values(previous, "" if begun == "=" else begun, before)
    if not dashes and begun.startswith("-"):
        given = {known[word].field for word in (each.partition("=")[0] for each in before) if word in known}
        return [
            ("plain", name, flag.about)
            for name, flag in known.items()
            if name.startswith(begun) and flag.about and (flag.many or flag.field not in given)
        ]
    words = [flag for flag in flags if not flag.names]
    typed = _count_of_words(before, known)
    slot = words[min(typed, len(words) - 1)] if words else None
    return _values(slot, begun, before) if slot is not None and (typed < len(words) or slot.many) else []


def _count_of_words(before: list[str], known: dict[str, Flag]) -> int:
    """How many of the typed words are not flags, nor values of flags."""
    count, rest = 0, before[::-1]
    while rest:
        each = rest.pop()
        flag = known.get(each)
        if each == "--":
            return count + len(rest)
        if flag is not None and flag.value and not flag.alone and rest:
            rest.pop()
        elif not each.startswith("-") or each == "-":
            count += 1
    return count


def _values(flag: Flag, begun: str, before: list[str]) -> list[tuple[str, str, str]]:
    if flag.kind == "DIR":
        return [("dir", begun, "")]
    if flag.choices:
        return [("plain", choice, "") for choice in flag.choices if choice.startswith(begun)]
    if not flag.offers:
        return []  # the shell completes file names
    offered = _OFFERS[flag.offers](begun, before)
    begun = begun.upper() if flag.offers == "codes" and begun[:1] == "p" else begun
    return [("plain", word, about) for word, about in offered if word.startswith(begun)]


def _codes(begun: str, _before: list[str]) -> Offers:
    """Codes, and where the word does not begin like one the names of codes."""
    by_name = begun[:1] not in ("", "P", "p")
    return [(name_of(code) if by_name else code, general(ENTRIES[code].sentence)) for code in ENTRIES]


def _commands(_begun: str, _before: list[str]) -> Offers:
    return list(summaries().items())


def _tools(_begun: str, _before: list[str]) -> Offers:
    """The tools, by their published names and by those of the command line."""
    return list({name: tool.summary for tool in TOOLS for name in (tool.name, tool.command)}.items())


def _formats(_begun: str, _before: list[str]) -> Offers:
    return [(name, "") for name in FORMATS]


def _runs(state: str, before: list[str]) -> Offers:
    """The runs of the workspace in this state, with the files that each changed."""
    given = [words[1] for words in zip(before, before[1:]) if words[0] in ROOT.names]
    try:
        with Workspace(given[-1] if given else os.environ.get(ROOT.variable) or None) as files:
            known = runs(files.real)
    except PatchkitError:
        return []
    return [(run.id, ", ".join(visible(each.path) for each in run.touched)) for run in known if run.state == state]


_OFFERS: dict[str, Callable[[str, list[str]], Offers]] = {
    "codes": _codes,
    "commands": _commands,
    "tools": _tools,
    "formats": _formats,
    "applied": lambda _begun, before: _runs("applied", before),
    "undone": lambda _begun, before: _runs("undone", before),
}
