"""`patchkit completion`: what a shell needs to complete our commands, and the answers to a shell that asks.

The scripts are click's with three differences: where patchkit has nothing to offer, the shell completes file names as
it does without a script; descriptions are whole (fish); a value behind '=' is completed as a file (`sarif=FILE`).
`apply_patch` and `intercept` read their own arguments, so their flags become click options here.
"""

from __future__ import annotations

import os
import sys

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    shell_complete,
)

from patchkit.cli.click_commands import command
from patchkit.cli.click_options import option
from patchkit.cli.flags import APPLY, Flag
from patchkit.cli.streams import write

_APPLY_VARIABLE = "_APPLY_PATCH_COMPLETE"  # by which a shell asks what could be typed next
_VARIABLES = {"patchkit": "_PATCHKIT_COMPLETE", "apply_patch": _APPLY_VARIABLE, "applypatch": _APPLY_VARIABLE}

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


class _Bash(BashComplete):
    source_template = _BASH

    @staticmethod
    def _check_version() -> None:
        """The script is for the shell that reads it, which need not be the first bash on the path."""


class _Zsh(ZshComplete):
    source_template = _ZSH

    def format_completion(self, item: CompletionItem[str]) -> str:
        return super().format_completion(_on_one_line(item))


class _Fish(FishComplete):
    source_template = _FISH

    def format_completion(self, item: CompletionItem[str]) -> str:
        return super().format_completion(_on_one_line(item))


def _on_one_line(item: CompletionItem[str]) -> CompletionItem[str]:
    return CompletionItem(item.value, item.type, " ".join(item.help.split()) if item.help else None)


_SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}
for _name, _class in _SHELLS.items():
    add_completion_class(_class, _name)


@command()
@click.argument("shell", type=click.Choice(list(_SHELLS)), metavar="SHELL")
def completion(shell: str) -> None:
    """Print the script that lets a SHELL (bash, zsh or fish) complete patchkit and apply_patch.

    \b
    bash: echo 'eval "$(patchkit completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(patchkit completion zsh)"' >> ~/.zshrc      (below compinit)
    fish: patchkit completion fish > ~/.config/fish/completions/patchkit.fish
    """
    empty = click.Command("patchkit")
    write(1, "\n".join(_SHELLS[shell](empty, {}, name, variable).source() for name, variable in _VARIABLES.items()))


def complete_apply() -> None:
    """Answers a shell that asks what could be typed next on a command line of `apply_patch`."""
    found = click.Command("apply_patch", params=lean_parameters(APPLY), add_help_option=False)
    sys.exit(shell_complete(found, {}, "apply_patch", _APPLY_VARIABLE, os.environ[_APPLY_VARIABLE]))


def lean_parameters(flags: tuple[Flag, ...]) -> list[click.Parameter]:
    """Flags as click sees options, and the words beside them, which are names of files."""
    options: list[click.Parameter] = [option(flag, words=flag.about) for flag in flags]
    return [*options, click.Argument(["words"], nargs=-1, type=click.Path())]
