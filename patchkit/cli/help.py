"""The help of a command: what it does, usage, options below their headings, exit status, an example.

Takes a click command; gives a HelpPage, from which the screen, the manual pages and the site are made.
"""

from __future__ import annotations

from inspect import cleandoc

import click

from patchkit.cli import columns, takes_colour
from patchkit.cli.statuses import MEANINGS
from patchkit.report.spans import Spans, on_screen, plain
from patchkit.report.width import filled
from patchkit.values import Record

_PIPED, _WIDEST = 80, 100
_FEW = 14  # options that the short help shows as well
_COLUMN = 21  # where the words about an option begin
STATUS = "Exit status"
Entries = list[tuple[str, str]]  # names, and the words about them


class HelpPage(Record):
    """What a help text has: a sentence, the lines of usage, paragraphs, lists below headings, an example.

    A paragraph that holds a line feed is printed as it is.
    """

    summary: str
    usage: list[str]
    paragraphs: list[str] = []
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
    click.echo(on_screen(spans, colour) if colour else plain(spans), nl=False, err=stream == 2, color=True)


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


def page_of(command: click.Command, ctx: click.Context, brief: bool = False) -> HelpPage:
    """The page of a command; a brief one has the usage and the common options."""
    summary, *paragraphs = [part.strip("\n") for part in cleandoc(command.help or "").split("\n\n") if part.strip()]
    usage = getattr(command, "usage", ()) or [" ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])]
    page = HelpPage(" ".join(summary.split()), list(usage))
    options = [each for each in command.get_params(ctx) if isinstance(each, click.Option) and not each.hidden]
    if brief:
        common = [each for each in options if getattr(each, "brief", False) or len(options) <= _FEW]
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
    name = "apply" if command.name == "apply_patch" else command.name or ""
    page.lists.append((STATUS, [(str(status), words) for status, words in MEANINGS[name].items()]))
    page.example = getattr(command, "example", "")
    return page


def _entries(options: list[click.Option]) -> Entries:
    return [(_names(each), f"{each.help}{getattr(each, 'more', '')}") for each in options]


def _names(option: click.Option) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    if option.is_flag:
        return names
    shown = option.metavar or "TEXT"
    return f"{names}[={shown}]" if getattr(option, "alone", "") else f"{names} {shown}"
