"""Click commands in the style of patchkit: the layout of help, one line for a mistake, what was perhaps meant.

Takes click's commands and errors; gives help pages and one-line messages. The options themselves are in
`click_options`.
"""

from __future__ import annotations

import click

from patchkit.cli import exit_status
from patchkit.cli.click_options import AloneOption
from patchkit.cli.help import HelpPage, page_width, status_entries
from patchkit.cli.mistakes import unknown_option
from patchkit.cli.streams import show, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class StyledCommand(click.Command):
    """A command whose help looks like that of all others."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the arguments. An option that may be alone takes no other word: click would take the next one."""
        return super().parse_args(ctx, spelled_out(args, self.get_params(ctx)))

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(page_of(self, ctx).text(page_width(1)))

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        found = super().get_help_option(ctx)
        if found is not None:
            found.help = "show this text"
            found.callback = _show_help
        return found


def spelled_out(words: list[str], parameters: list[click.Parameter]) -> list[str]:
    """The words of a command line, with the value of an option that is alone behind it."""
    values = {name: each.alone for each in parameters if isinstance(each, AloneOption) for name in each.opts}
    end = words.index("--") if "--" in words else len(words)
    return [f"{word}={values[word]}" if word in values else word for word in words[:end]] + words[end:]


def command(name: str | None = None) -> Callable[[Callable[..., Any]], StyledCommand]:
    """Makes a command of a function, as `click.command` does."""
    return click.command(name, cls=StyledCommand)


def _show_help(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        show(1, page_of(ctx.command, ctx).spans(page_width(1)))
        ctx.exit()


def page_of(found: click.Command, ctx: click.Context) -> HelpPage:
    """The help page of a click command: its first paragraph is the summary, the others follow the usage."""
    summary, *paragraphs = _paragraphs(found.help or "")
    page = HelpPage(summary, [" ".join([ctx.command_path, *found.collect_usage_pieces(ctx)])])
    page.paragraphs = paragraphs
    options = [each for each in found.get_params(ctx) if isinstance(each, click.Option) and not each.hidden]
    page.lists = [
        ("Options", [_entry(each, ctx) for each in options]),
        ("Exit status", status_entries(found.name or "")),
    ]
    return page


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a docstring; one that begins with click's mark keeps its lines."""
    parts = [part.strip("\n") for part in text.replace("\f", "").split("\n\n")]
    return [part[2:] + "\n" if part.startswith("\b\n") else " ".join(part.split()) for part in parts if part.strip()]


def _entry(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    names = ", ".join([*option.opts, *option.secondary_opts])
    words = _small(option.help or "").rstrip(".")
    kind = option.type
    if isinstance(option, AloneOption):
        names += f"[={option.metavar}]"
    elif not option.is_flag:
        names += f" {option.metavar or _value(kind)}"
    if isinstance(kind, click.Choice) and not option.metavar:
        words = f"{words}{': ' if words else ''}{', '.join(map(str, kind.choices))}"
    if option.show_default and option.default is not None:
        words += f" (default: {option.default})"
    return names, words


def _value(kind: click.ParamType[Any]) -> str:
    if isinstance(kind, click.Choice):
        return "NAME"
    if isinstance(kind, click.Path):
        return "FILE" if kind.file_okay else "DIR"
    return "N" if kind.name in ("integer", "number", "integer range") else "TEXT"


def _small(words: str) -> str:
    """Words as they follow a name: the first letter is small, unless the word is a name itself."""
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]


# -- mistakes --------------------------------------------------------------------------------------


def complain(error: click.ClickException) -> int:
    """Reports a mistake on one line; returns the exit status."""
    words = _message(error).rstrip(".")
    context = getattr(error, "ctx", None)
    if isinstance(error, click.UsageError) and context is not None and "--help" not in words:
        words += f"; '{context.command_path} --help' has its usage"
    write(2, f"Error: {words}\n")
    return exit_status.USAGE


def _message(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        options = [
            name for each in error.ctx.command.get_params(error.ctx) for name in [*each.opts, *each.secondary_opts]
        ]
        return unknown_option(error.option_name, [name for name in options if name.startswith("--")])
    message = error.format_message()
    return message[:1].lower() + message[1:]
