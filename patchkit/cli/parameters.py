"""Click's side of the commands: their class, and parameters made from rows.

Takes rows (see `quick`); gives click's options and arguments. A command that is declared by rows as a whole becomes a
click command here; every other one is a function with decorators, some of them from rows: `@options(ROOT, JSON)`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from patchkit.cli import CommandLineError, columns, show
from patchkit.cli.help import HelpPage, page_of
from patchkit.cli.quick import BEHIND, Flag, QuickCommand
from patchkit.cli.statuses import of_code
from patchkit.errors import PatchkitError

Offers = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
Function = Callable[..., Any]
_BEHIND = "patchkit.behind"  # where a context keeps the words behind '--'


class Option(click.Option):
    """An option that knows its heading in help, whether the short help shows it, and the rest of its sentence."""

    def __init__(self, *names: Any, group: str = "Options", brief: bool = False, more: str = "", **settings: Any):
        super().__init__(*names, **settings)
        self.group = group
        self.brief = brief
        self.more = more
        self.alone = ""  # its value where it is given without one


class CliCommand(click.Command):
    """A command: `usage` are the lines of its own, `example` is shown below its options.

    One that `divides` gets the words behind '--' apart from the others: see `behind`.
    """

    def __init__(self, *words: Any, usage: Any = (), example: str = "", divides: bool = False, **settings: Any) -> None:
        super().__init__(*words, **{**settings, "add_help_option": False})
        self.usage: tuple[str, ...] = tuple(usage)
        self.example = example
        self.divides = divides

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*self.params, *HELP]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the words. One of several lines is never an option, and an option may be given without its value."""
        if self.divides and "--" in args:
            at = args.index("--")
            args, ctx.meta[_BEHIND] = args[:at], tuple(args[at + 1 :])
        known = {name: getattr(each, "alone", "") for each in self.params for name in each.opts}
        kept: dict[str, str] = {}
        for number, word in enumerate(args):
            if word == "--":
                break
            if word.startswith("-") and "\n" in word and word.partition("=")[0] not in known:
                args[number] = f"\0{number}"
                kept[args[number]] = word
            elif known.get(word):
                args[number] = f"{word}={known[word]}"
        try:
            rest = super().parse_args(ctx, args)
        except CommandLineError as error:  # in an environment variable
            raise click.UsageError(str(error), ctx) from None
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        for name, value in ctx.params.items() if kept else ():
            many = isinstance(value, tuple)
            found = tuple(kept.get(each, each) for each in (value if many else (value,)))
            ctx.params[name] = found if many else found[0]
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command and returns its status; an error that it does not report itself is reported here."""
        try:
            return super().invoke(ctx)
        except CommandLineError as error:
            raise click.UsageError(str(error), ctx) from None
        except PatchkitError as error:
            from patchkit.report.diagnostics import error_spans  # only for a refusal

            show(2, error_spans(error.errors, columns=columns(2)))
            return of_code(error.code)

    def page(self, ctx: click.Context, brief: bool = False) -> HelpPage:
        return page_of(self, ctx, brief)


def _show_help(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.command.page(ctx, param.name == "brief_help").show()  # type: ignore[attr-defined]  # a CliCommand or the group
        ctx.exit()


_EAGER: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False, "callback": _show_help}
HELP = (
    Option(["-h", "brief_help"], help="show the usage and the common options", brief=True, **_EAGER),
    Option(["--help", "full_help"], help="show all options and the exit statuses", brief=True, **_EAGER),
)
command = partial(click.command, cls=CliCommand)


def behind(ctx: click.Context) -> tuple[str, ...] | None:
    """The words behind '--' of a command that divides them; None where there is no '--'."""
    found: tuple[str, ...] | None = ctx.meta.get(_BEHIND)
    return found


class NumberText(click.ParamType[Any]):
    """A number as a row describes it."""

    name = "number"

    def __init__(self, row: Flag) -> None:
        self._row = row

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        taken = self._row.taken(value) if isinstance(value, str) else value
        if taken is None:
            at_least = f" of at least {self._row.least}" if self._row.least is not None else ""
            whole = "whole number" if self._row.kind == "N" else "number"
            self.fail(f"'{value}' is not a {whole}{at_least}", param, ctx)
        return taken


class Place(click.ParamType[str]):
    """The name of a file or a directory; it need not exist."""

    def __init__(self, kind: str) -> None:
        self.name = {"DIR": "dir"}.get(kind, "file")

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type=self.name)]


FILE, DIR = Place("FILE"), Place("DIR")


def parameter(row: Flag, **settings: Any) -> click.Parameter:
    """The option or the argument that a row declares."""
    settings = {"type": _type(row), "required": row.required, **settings}
    if not row.names:
        return click.Argument([row.field], metavar=row.value, nargs=-1 if row.many else 1, **settings)
    option = Option(
        [*row.names, row.field],
        help=row.about,
        more=row.more,
        metavar=row.value or None,
        is_flag=None if row.value else True,
        multiple=row.many,
        hidden=not row.about,
        group=row.group,
        brief=row.brief,
        **settings,
    )
    option.alone = row.alone
    return option


def _type(row: Flag) -> click.ParamType[Any]:
    if not row.names or row.value:
        if row.choices:
            return click.Choice(row.choices)
        if row.kind in ("N", "NUMBER"):
            return NumberText(row)
        return Place(row.kind) if row.kind else click.STRING
    return click.BOOL


def options(*rows: Flag) -> Callable[[Function], Function]:
    """Decorates a command with the options of rows, in their order."""

    def decorated(function: Function) -> Function:
        for row in reversed(rows):
            made = parameter(row, **({"default": row.unsaid} if row.variable else {}))
            known = function.__dict__.setdefault("__click_params__", [])
            known.append(made)
        return function

    return decorated


def command_of(declared: QuickCommand, offers: dict[str, Offers] | None = None) -> CliCommand:
    """The click command that a declaration by rows is; it gets the values that are given on the command line.

    `offers` is what a shell is offered for values, by their fields.
    """

    def answer(**values: Any) -> int:
        ctx = click.get_current_context()
        said = ParameterSource.COMMANDLINE
        given = {name: value for name, value in values.items() if ctx.get_parameter_source(name) is said}
        words = behind(ctx)
        return declared.run(given if words is None else {**given, BEHIND: words})

    divides = bool(declared.words) and declared.words[-1].field == BEHIND
    words = declared.words[:-1] if divides else declared.words
    return CliCommand(
        declared.name,
        params=[parameter(row, shell_complete=(offers or {}).get(row.field)) for row in (*declared.rows, *words)],
        callback=answer,
        help=declared.about,
        usage=declared.usage,
        example=declared.example,
        divides=divides,
        context_settings={"allow_interspersed_args": not divides},
    )
