"""`patchkit completion SHELL`: what bash, zsh and fish need to complete our commands.

The scripts and the answers to them are click's. `apply_patch` has its own reader of arguments, which knows nothing of
click; here its options are told to click once more, from the same tables and with the words of its help.
"""

from __future__ import annotations

import os
import re
import sys

import click
from click.shell_completion import CompletionItem, get_completion_class, shell_complete

from patchkit.changes.options import DIALECTS
from patchkit.cli.arguments import COLORS, FLAGS, VALUES
from patchkit.cli.help import apply_patch_help
from patchkit.cli.streams import say
from patchkit.matching.model import NAMES

_VARIABLE = "_APPLY_PATCH_COMPLETE"
_KINDS: dict[str, click.ParamType[object]] = {
    "dialect": click.Choice(list(DIALECTS)),
    "max_pass": click.Choice(NAMES),
    "color": click.Choice(COLORS),
    "root": click.Path(file_okay=False),
    "directory": click.Path(file_okay=False),
    "rest": click.Path(dir_okay=False),
}


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that lets a SHELL complete patchkit and apply_patch.

    \b
    bash: echo 'eval "$(patchkit completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(patchkit completion zsh)"' >> ~/.zshrc      (below compinit)
    fish: patchkit completion fish > ~/.config/fish/completions/patchkit.fish
    """
    from patchkit.cli.group import patchkit

    script = get_completion_class(shell)
    if script is None:
        raise click.ClickException(f"this version of click has no completion for {shell}")
    names = {"patchkit": "_PATCHKIT_COMPLETE", "apply_patch": _VARIABLE, "applypatch": _VARIABLE}
    say(1, "\n".join(script(patchkit, {}, name, variable).source() for name, variable in names.items()))


def complete_apply() -> None:
    """Answers a shell that asks what could be typed next on a command line of `apply_patch`."""
    command = click.Command("apply_patch", params=apply_parameters(), add_help_option=False)
    sys.exit(shell_complete(command, {}, "apply_patch", _VARIABLE, os.environ[_VARIABLE]))


def apply_parameters() -> list[click.Parameter]:
    """The options of `apply_patch` as click sees options, and its one argument."""
    words = _descriptions(apply_patch_help())
    parameters: list[click.Parameter] = []
    for tables, is_flag in ((FLAGS, True), (VALUES, False)):
        for name in dict.fromkeys(tables.values()):
            spelled = [option for option, meant in tables.items() if meant == name]
            about = next((words[option] for option in spelled if option in words), "")
            kind = None if is_flag else _KINDS.get(name, click.STRING)
            parameters.append(click.Option([*spelled, name], is_flag=is_flag, type=kind, help=about))
    return [*parameters, click.Argument(["patch"], required=False, shell_complete=_complete_patch)]


def _complete_patch(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The patch is text that nobody types; with '-i' it may be a file."""
    return [CompletionItem(incomplete, type="file")] if context.params.get("interactive") else []


def _descriptions(text: str) -> dict[str, str]:
    """What a help text says of each option, without examples and asides."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in text.split("\n"):
        option = re.fullmatch(r"  (-\S+(?:, -\S+)*)( [A-Z]+)?(?: {2,}(.*))?", line)
        if option:
            names = option[1].split(", ")
            found.update(dict.fromkeys(names, option[3] or ""))
        elif line.startswith(" " * 20) and names:
            found.update(dict.fromkeys(names, f"{found[names[0]]} {line.strip()}".strip()))
        else:
            names = []
    return {name: re.split(r"[;:(]", words)[0].strip() for name, words in found.items()}
