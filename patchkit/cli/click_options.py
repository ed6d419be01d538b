"""Flags as click options, for the commands that click reads, and for completion."""

from __future__ import annotations

import click

from patchkit.cli.flags import AS_AGENT, JSON, ROOT, START, Flag
from patchkit.policy.settings_files import is_agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Decorator = Callable[[Callable[..., None]], Callable[..., None]]

_FIELDS = {"json": "as_json"}  # a parameter of that name would hide the module


class AloneOption(click.Option):
    """An option that may be given without its value, which is never the next word: '--fix' or '--fix=likely'."""

    alone = ""


def option(flag: Flag, names: tuple[str, ...] = (), words: str = "") -> click.Option:
    """The option that click makes of a flag; under some of its `names` only, where the others mean something else.

    `words` say what it does where the flag's own do not fit the command.
    """
    declared = [*(names or flag.names), _FIELDS.get(flag.field, flag.field)]
    words = words or flag.about + flag.more
    if not flag.value:
        return click.Option(declared, is_flag=True, help=words, default=is_agent if flag is AS_AGENT else False)
    made = (AloneOption if flag.alone else click.Option)(
        declared, type=_kind(flag), metavar=flag.value, help=words, envvar=flag.variable or None, show_choices=False
    )
    if isinstance(made, AloneOption):
        made.alone = flag.alone
    return made


def _kind(flag: Flag) -> click.ParamType[object]:
    if flag.choices:
        return click.Choice(flag.choices)
    if flag.value == "N":
        return click.IntRange(min=0)
    if flag.value in ("DIR", "FILE"):
        return click.Path(file_okay=flag.value == "FILE", dir_okay=flag.value == "DIR")
    return click.STRING


def with_flags(*flags: Flag) -> Callable[[click.Command], click.Command]:
    """Gives a command these flags, behind those it has."""

    def extended(command: click.Command) -> click.Command:
        command.params += [option(flag) for flag in flags]
        return command

    return extended


in_workspace = with_flags(ROOT, START, JSON)
by_agents = with_flags(AS_AGENT)
