"""Click's side of the commands: their class, and parameters made from rows.

Takes rows (see `quick`); gives click's options and arguments. A command that is declared by rows as a whole becomes a
click command here; every other one is a function with decorators, some of them from rows: `@options(ROOT, JSON)`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from inspect import cleandoc
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from patchkit.cli import CommandLineError, columns, refused, taken, takes_colour, write
from patchkit.cli.quick import BEHIND, Flag, QuickCommand
from patchkit.cli.statuses import MEANINGS
from patchkit.errors import PatchkitError
from patchkit.report.spans import Spans, on_screen, plain
from patchkit.report.width import filled
from patchkit.values import Record

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
    """A command: `usage` are the lines of its own, `example` is shown below its options."""

    def __init__(self, *words: Any, usage: Any = (), example: str = "", divides: bool = False, **settings: Any) -> None:
        super().__init__(*words, **{**settings, "add_help_option": False})
        self.usage: tuple[str, ...] = tuple(usage)
        self.example = example
        self.divides = divides  # it gets the words behind '--' apart from the others: see `behind`

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
            return refused(error, bool(ctx.params.get("as_json")), ctx.params.get("color") or "auto")

    def page(self, ctx: click.Context, brief: bool = False) -> HelpPage:
        """The page of a command; a brief one has the usage and the common options."""
        summary, *paragraphs = [part.strip("\n") for part in cleandoc(self.help or "").split("\n\n") if part.strip()]
        usage = self.usage or [" ".join([ctx.command_path, *self.collect_usage_pieces(ctx)])]
        page = HelpPage(" ".join(summary.split()), list(usage))
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option) and not each.hidden]
        if brief:
            few = len(options) <= _FEW
            common = [each for each in options if few or each.required or getattr(each, "brief", False)]
            page.lists = [("Options", _entries(common))]
            return page
        for part in paragraphs:  # one that is indented is shown line by line, without its indentation
            lines = part.split("\n") if part.startswith("  ") else []
            page.paragraphs.append("".join(f"{line[2:]}\n" for line in lines) or " ".join(part.split()))
        groups: dict[str, list[click.Option]] = {}
        for each in options:
            groups.setdefault(getattr(each, "group", "Options"), []).append(each)
        own = groups.pop("Options")
        first = {} if len(own) > 4 else groups  # the options for help alone come below the others
        page.lists = [(title, _entries(found)) for title, found in first.items()]
        page.lists.append(("Options", _entries(own)))
        page.lists += [(title, _entries(found)) for title, found in groups.items() if not first]
        name = "apply" if self.name == "apply_patch" else self.name or ""
        page.lists.append((STATUS, [(str(status), words) for status, words in MEANINGS[name].items()]))
        page.example = self.example
        return page


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


def one_of(
    names: str, about: str, choices: Sequence[str], more: str = "", **settings: Any
) -> Callable[[Function], Function]:
    """Decorates a command with an option whose value is one of some words, which its help lists."""
    said = f"{about}: {', '.join(choices)}{more}"
    return click.option(*names.split(), **{"metavar": "NAME", "type": click.Choice(choices), "help": said, **settings})


def command_of(declared: QuickCommand, offers: dict[str, Offers] | None = None) -> CliCommand:
    """The click command of a declaration by rows; `offers` is what a shell is offered for values, by their fields."""

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


# -- the help of a command, from which the screen, the manual pages and the site are made -------------


_PIPED, _WIDEST = 80, 100
_FEW = 14  # options that the short help shows as well
_COLUMN = 21  # where the words about an option begin
STATUS = "Exit status"
Entries = list[tuple[str, str]]  # names, and the words about them


class HelpPage(Record):
    """What a help text has: a sentence, the lines of usage, paragraphs, lists below headings, an example."""

    summary: str
    usage: list[str]
    paragraphs: list[str] = []  # one that holds a line feed is printed as it is
    lists: list[tuple[str, Entries]] = []
    example: str = ""

    def spans(self, width: int) -> Spans:
        """The page, no line of its prose wider than `width`."""
        out: Spans = [(_paragraph(self.summary, width), "strong"), ("\n", "")]
        for number, line in enumerate(self.usage):
            out += [("       ", "")] if number else [("Usage:", "strong"), (" ", "")]
            out.append((f"{line}\n", ""))
        for words in self.paragraphs:
            out.append((f"\n{_paragraph(words, width)}", ""))
        longest = max([len(names) for title, entries in self.lists if title != STATUS for names, _ in entries] or [0])
        for title, entries in self.lists:
            below = listed(entries, width, 0 if title == STATUS else longest)
            out += [("\n", ""), (f"{title}:", "strong"), ("\n", ""), *below]
        if self.example:
            lines = "".join(f"  {line}\n" for line in self.example.splitlines())
            out += [("\n", ""), ("Example:", "strong"), (f"\n{lines}", "")]
        return out

    def show(self, stream: int = 1) -> None:
        echo(stream, self.spans(page_width(stream)))


def echo(stream: int, spans: Spans) -> None:
    """Prints spans by click, so that a test's runner finds them."""
    colour = takes_colour(stream)
    text = on_screen(spans, colour) if colour else plain(spans)
    if stream == 1 and sys.stdout is None:  # it is closed, and click would say nothing
        taken(write(1, text))
    try:
        click.echo(text, nl=False, err=stream == 2, color=True)
    except BrokenPipeError:
        pass  # a reader that is gone has read enough
    except OSError as error:
        taken(str(error.strerror).lower())


def page_width(stream: int) -> int:
    """How wide prose on a stream may be: as the terminal, but not so wide that it is hard to read."""
    return min(columns(stream) or _PIPED, _WIDEST)


def _paragraph(words: str, width: int) -> str:
    if "\n" in words:
        return words
    return "".join(f"{line}\n" for line in filled(words.split(), width))


def listed(entries: Entries, width: int, longest: int = 0) -> Spans:
    """Names below each other on the left, the words about each on the right, behind the `longest` name."""
    column = min(_COLUMN, (longest or max(len(names) for names, _words in entries)) + 4)
    out: Spans = []
    for names, words in entries:
        head, *rest = filled(words.split(), max(width - column, 20)) or [""]
        out += [("  ", ""), (names, "place")]
        if len(names) + 4 > column and head:
            rest, head = [head, *rest], ""
        out.append((f"{'':{max(column - len(names) - 2, 0)}}{head}".rstrip() + "\n", ""))
        out += [(f"{'':{column}}{line}\n", "") for line in rest]
    return out


def _entries(options: list[click.Option]) -> Entries:
    return [(_names(each), f"{each.help}{getattr(each, 'more', '')}") for each in options]


def _names(option: click.Option) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    if option.is_flag:
        return names
    shown = option.metavar or "TEXT"
    return f"{names}[={shown}]" if getattr(option, "alone", "") else f"{names} {shown}"
