"""What a shell offers for codes, runs, tools and formats; and `patchkit completion`, which prints click's scripts.

Each function is the `shell_complete` of a parameter: it takes the word that is begun and gives what it could become.
Each loads what it lists: commands load this module, and hardly one of them completes anything.
"""

from __future__ import annotations

import os

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from patchkit.cli.parameters import Offers, command, echo
from patchkit.errors import PatchkitError
from patchkit.report.width import visible
from patchkit.tools.registry import TOOLS

# The programs, and the variable by which a shell asks each what could be typed next.
_PROGRAMS = {
    "patchkit": "_PATCHKIT_COMPLETE",
    "apply_patch": "_APPLY_PATCH_COMPLETE",
    "applypatch": "_APPLY_PATCH_COMPLETE",
}
_SHELLS = ("bash", "zsh", "fish")


@command()
@click.argument("shell", metavar="SHELL", type=click.Choice(_SHELLS))
def completion(shell: str) -> None:
    """Print the script that lets a SHELL (bash, zsh or fish) complete patchkit and apply_patch.

      bash: echo 'eval "$(patchkit completion bash)"' >> ~/.bashrc
      zsh:  echo 'eval "$(patchkit completion zsh)"' >> ~/.zshrc      (below compinit)
      fish: patchkit completion fish > ~/.config/fish/conf.d/patchkit.fish

    New shells have it then.
    """
    found = get_completion_class(shell)
    assert found is not None, "click knows these shells"
    for program, variable in _PROGRAMS.items():
        source = found(click.Command(program), {}, program, variable).source()
        # Descriptions have commas; click's script for fish would cut them there.
        source = source.replace('(string split "," $completion)', '(string split -m 1 "," -- $completion)')
        echo(1, [(f"{source}\n", "")])


class _BashComplete(BashComplete):
    """Completion for bash, which takes '--format=sa' apart into three words."""

    def get_completion_args(self) -> tuple[list[str], str]:
        words, begun = super().get_completion_args()
        return (words[:-1] if words[-1:] == ["="] else words), begun


add_completion_class(_BashComplete, "bash")


def offered_words(words: dict[str, str], begun: str) -> list[CompletionItem]:
    """The words that begin so, with what is said about each."""
    return [CompletionItem(word, help=about or None) for word, about in words.items() if word.startswith(begun)]


def codes(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Codes, and where the word does not begin like one the names of codes."""
    from patchkit.catalogue.entries import ENTRIES
    from patchkit.catalogue.sentences import general, name_of

    by_name = begun[:1] not in ("", "P", "p")
    known = {name_of(code) if by_name else code: general(ENTRIES[code].sentence) for code in ENTRIES}
    return offered_words(known, begun if by_name else begun.upper())


def tool_names(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """The tools, by their published names and by those of the command line."""
    return offered_words({name: tool.summary for tool in TOOLS for name in (tool.name, tool.command)}, begun)


def format_names(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    from patchkit.checking.report import FORMATS

    return offered_words(dict.fromkeys(FORMATS, ""), begun)


def revisions(ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Branches and tags, behind '..' too, where a word is begun; names of files are left to the shell."""
    from patchkit.diffs.git_calls import run_git
    from patchkit.diffs.git_tree import git_place

    before = begun[: begun.rfind("..") + 2] if ".." in begun else ""
    offered = [CompletionItem(begun, type="file")]
    if not begun:
        return offered
    try:
        listed = run_git(git_place(ctx.params.get("git_dir"), "."), ["for-each-ref", "--format=%(refname:short)"])
    except PatchkitError:
        return offered
    names = ["HEAD", *listed.stdout.decode("utf-8", "replace").split()]
    return offered_words({f"{before}{name}": "" for name in names}, begun) or offered


def _runs(state: str) -> Offers:
    """Offers the runs of the workspace in this state, with the files that each changed."""

    def offered(ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
        from patchkit.core.workspace.root import Workspace
        from patchkit.history.reading import runs

        try:
            with Workspace(ctx.params.get("root") or os.environ.get("PATCHKIT_ROOT") or None) as files:
                known = [run for run in runs(files.real) if run.state == state]
        except PatchkitError:
            return []
        return offered_words({run.id: ", ".join(visible(each.path) for each in run.touched) for run in known}, begun)

    return offered


applied_runs, undone_runs = _runs("applied"), _runs("undone")

OFFERS: dict[str, Offers] = {"ignore": codes, "fail_on": codes, "formats": format_names}  # by the field of a row
