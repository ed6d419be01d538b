"""`patchkit trust`: show the rules of a project that allow something, and let them count."""

from __future__ import annotations

import os
from json import dumps

import click

from patchkit.cli.answer import print_result
from patchkit.cli.parameters import command, options
from patchkit.cli.process import CommandLineError
from patchkit.cli.quick import OF_TOOLS
from patchkit.cli.statuses import of_result
from patchkit.core.workspace import reason
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.policy import EXECUTE
from patchkit.policy.permissions import folding
from patchkit.policy.rules import rules_of
from patchkit.policy.settings import SettingsFile, settings
from patchkit.policy.trust import SCOPES, approve, asking_session, clear_approvals, distrust, is_trusted, trust_below
from patchkit.policy.trust import trust as trust_rules
from patchkit.report.result import Result, failure
from patchkit.report.width import counted, visible
from patchkit.tools.registry import effect_and_name


@command()
@click.option("--show", is_flag=True, help="only show the rules, and whether they are trusted")
@click.option("--below", is_flag=True, help="trust all rules in the workspace and below it, now and later")
@click.option("--revoke", is_flag=True, help="take the trust back")
@click.option(
    "--for", "scope", type=click.Choice(SCOPES), metavar="SCOPE", help="approve COMMAND for: " + ", ".join(SCOPES)
)
@click.option("--clear", "clears", is_flag=True, help="end every approval of a command")
@click.argument("line", metavar="[COMMAND]", required=False)
@options(*OF_TOOLS)
def trust(
    show: bool,
    below: bool,
    revoke: bool,
    scope: str | None,
    clears: bool,
    line: str | None,
    root: str | None,
    start: str | None,
    as_json: bool,
    agent: bool,
) -> int:
    """Show the rules of this project that allow something, and let them count from now on.

    Rules that come with a repository can always deny and ask. What they allow counts once a person trusts them, as they
    are then: after a change of the rules they have to be trusted again. Trust is kept in the user's state directory.
    With --for, the command that is given is allowed from now on, word for word, where it would be asked for. A session
    is that of PATCHKIT_SESSION, else the one in which an agent asked for something last.
    """
    if (scope is None) != (line is None):
        raise CommandLineError("'--for' goes with a command, and a command with '--for'")
    try:
        if agent and not show:
            raise PatchkitError("P658")
        with Workspace(root or None, start) as files:
            if scope is not None or clears:
                result = _approved(files.real, line or "", scope or "")
            else:
                result = _answered(files.real, show, below, revoke)
    except PatchkitError as error:
        result = failure(error)
    print_result(result, as_json)
    return of_result(result)


def _approved(root: str, line: str, scope: str) -> Result:
    """Approves a command, or ends all approvals where there is none."""
    try:
        if not scope:
            count = clear_approvals()
            return Result("success", {"cleared": count}, f"Ended {counted(count, 'approval')}.")
        session = asking_session(root)
        if scope == "session" and not session:
            raise CommandLineError("'--for session' needs a session: set PATCHKIT_SESSION")
        approve(EXECUTE, line, scope, root, session)
    except OSError as error:
        raise PatchkitError("P401", file=root, reason=reason(error)) from None
    return Result("success", {"command": line, "scope": scope}, f"'{visible(line, 200)}' is approved: {scope}.")


def _answered(root: str, show: bool, below: bool, revoke: bool) -> Result:
    known = settings(root)
    source = known.source("permissions") or known.source("apply")
    try:
        if below:
            trust_below(root)
            return Result("success", {"directory": root}, f"All rules below '{root}' are trusted.")
        if source is None:
            raise PatchkitError("P659", root=root)
        rules = list(dict.fromkeys(rule.text for rule in rules_of(known, root, folding(root), effect_and_name).general))
        allowing = [text for text in rules if text.endswith('"allow"') and text != 'read = "allow"']
        allowing += [f"apply.{kind} = {dumps(given)}" for kind, given in (source.table("apply") or {}).items()]
        if revoke:
            distrust(source)
        elif not show:
            trust_rules(source)
    except OSError as error:
        raise PatchkitError("P401", file=source.path if source else root, reason=reason(error)) from None
    trusted = is_trusted(source)
    data = {"file": source.path, "trusted": trusted, "rules": allowing}
    return Result("success", data, _text(source, allowing, trusted))


def _text(source: SettingsFile, allowing: list[str], trusted: bool) -> str:
    lines = [f"  {visible(text, 200)}" for text in allowing] or ["  (none of its rules allows anything)"]
    state = "are trusted" if trusted else "are not trusted: they deny and ask, but allow nothing"
    return "\n".join([f"The rules of '{visible(os.path.relpath(source.path), 200)}' {state}.", *lines])
