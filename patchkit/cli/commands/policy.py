"""`patchkit policy`: what the rules decide about a call, without making it."""

from __future__ import annotations

import os
from json import dumps
from typing import Any

import click

from patchkit.cli import DONE, CommandLineError, taken, write, write_json
from patchkit.cli.commands.call import named_tool
from patchkit.cli.completion import tool_names
from patchkit.cli.inputs import call_arguments
from patchkit.cli.parameters import command, one_of, options
from patchkit.cli.quick import OF_TOOLS
from patchkit.cli.statuses import of_policy
from patchkit.cli.tools import print_result
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.handles import ReportedAs
from patchkit.policy import EXECUTE
from patchkit.policy.audit import logs
from patchkit.policy.permissions import MAY_WRITE, Judge, Judgement, folding
from patchkit.policy.rules import DENY, rules_of
from patchkit.policy.settings import Settings, SettingsFile, settings
from patchkit.policy.trust import (
    SCOPES,
    all_approvals,
    approve,
    asking_session,
    clear_approvals,
    distrust,
    is_trusted,
    trust_below,
    trust_directory,
)
from patchkit.policy.trust import trust as trust_rules
from patchkit.report.result import Result
from patchkit.report.width import counted, visible
from patchkit.sandbox.choice import chosen
from patchkit.tools.arguments import checked
from patchkit.tools.registry import Tool, effect_and_name

_WIDEST = 1000  # columns of a line; a path may be long, and the rule comes behind it


@command()
@click.argument("tool", metavar="[TOOL]", required=False, shell_complete=tool_names)
@click.argument("arguments", metavar="[JSON]", required=False)
@click.option("--sandbox", is_flag=True, help="list what a sandboxed command may use, and why")
@options(*OF_TOOLS)
def policy(tool: str | None, arguments: str | None, sandbox: bool, as_json: bool, agent: bool, **place: Any) -> int:
    """Report what the rules decide about a call (arguments as JSON, or on standard input), without making it.

    Every file a patch would touch and every command a script would run is judged; the strictest decides. The status is
    3 where the call would be refused: denied, or to be asked for and --as-agent. Without TOOL, it lists what a person
    approved ('patchkit trust --for', or a key where --ask asked).
    """
    if sandbox and tool is not None:
        raise CommandLineError("name a tool, or give '--sandbox'")
    if tool is None:
        taken(print_result(_granted(agent, **place) if sandbox else _approvals(**place), as_json))
        return DONE
    judgement = _judged(named_tool(tool), call_arguments(arguments), agent, **place)
    if as_json:
        taken(write_json(judgement.data()))
    else:
        taken(write(1, text(judgement)))
    return of_policy(judgement.decision == DENY or bool(judgement.refusals(agent)))


def _judged(tool: Tool, given: object, agent: bool, root: str | None, start: str | None) -> Judgement:
    arguments = checked(tool, given)
    with Workspace(root or None, start) as files:
        judge = _judge(files, settings(files.real), agent)
        return judge.judge(tool.name, tool.deeds(judge.deeds, arguments))


def _judge(files: Workspace, known: Settings, agent: bool = False) -> Judge:
    return Judge(files, known, effect_and_name, [log.path for log in logs(known, files.real)], agent)


def _approvals(root: str | None, start: str | None) -> Result:
    """What is approved, all of which `trust --clear` ends; what holds elsewhere, or in another session, says where."""
    with Workspace(root or None, start) as files:
        here = ("", files.real, asking_session(files.real))
    found = all_approvals()
    lines = [
        f"{each['scope']:<9}  {each['effect']:<7}  {visible(each['what'], _WIDEST)}"
        f"{'' if each['where'] in here else ' (in ' + visible(each['where'], _WIDEST) + ')'}\n"
        for each in found
    ]
    return Result("success", {"approvals": found}, "".join(lines) or "Nothing is approved.\n")


def _granted(agent: bool, root: str | None, start: str | None) -> Result:
    """What a command in the sandbox of a workspace may use: each path with its rights and the reason."""
    from patchkit.sandbox import landlock  # it loads ctypes
    from patchkit.sandbox.prepared import SandboxedRun
    from patchkit.sandbox.profile import NEVER

    rights_said = {landlock.DEVICE: "use", landlock.RUN: "run", landlock.READ: "read", landlock.LIST: "list"}
    with Workspace(root or None, start) as files:
        known = settings(files.real)
        judge = _judge(files, known)
        run = SandboxedRun(
            chosen(known, agent, None, None), judge.rules, files.real, agent, judge.deeds.fold, judge.protected
        )
        rows = [
            {"path": path, "rights": rights_said.get(rights, "write"), "why": why}
            for path, rights, why in run.granted(dict(os.environ))
        ]
    never = [
        {"path": f"~/{path}", "effect": effect, "why": why} for effect, paths, why in NEVER for path in paths.split()
    ]
    lines = [f"{row['rights']:<5}  {row['path']}  {row['why']}" for row in rows]
    lines += [f"never  {row['effect']:<5}  {row['path']}  {row['why']}" for row in never]
    shown = "".join(f"{visible(line, _WIDEST)}\n" for line in lines)
    return Result("success", {"granted": rows, "never": never}, shown)


def text(judgement: Judgement) -> str:
    """A judgement as people read it: the decision about every part, then that about the call."""
    lines = [
        f"{part.decision:<5}  {part.deed.operation:<9}  {part.deed.what}  by {part.shown_rule}"
        for part in judgement.parts
    ]
    lines.append(f"{judgement.decision}: {judgement.reason}")
    return "".join(f"{visible(line, _WIDEST)}\n" for line in lines)


# `patchkit trust`: show the rules of a project that allow something, and let them count.
@command()
@click.option("--show", is_flag=True, help="only show the rules, and whether they are trusted")
@click.option("--below", is_flag=True, help="trust all rules in the workspace and below it, now and later")
@click.option("--revoke", is_flag=True, help="take the trust back")
@one_of("--for scope", "approve COMMAND for", SCOPES, metavar="SCOPE")
@click.option("--clear", "clears", is_flag=True, help="end every approval of a command")
@click.argument("line", metavar="[COMMAND]", required=False)
@options(*OF_TOOLS)
def trust(scope: str | None, clears: bool, line: str | None, as_json: bool, agent: bool, **asked: Any) -> int:
    """Show the rules of this project that allow something, and let them count from now on.

    Rules that come with a repository can always deny and ask. What they allow counts once a person trusts them, as they
    are then: after a change of the rules they have to be trusted again. Trust is kept in the user's state directory.
    With --for, the command that is given is allowed from now on, word for word, where it would be asked for. A session
    is that of PATCHKIT_SESSION, else the one in which an agent asked for something last.
    """
    if (scope is None) != (line is None):
        raise CommandLineError("'--for' goes with a command, and a command with '--for'")
    if agent and not asked["show"]:
        raise PatchkitError("P658")
    kept = ReportedAs("P402", file=trust_directory() or "the state directory")
    with Workspace(asked.pop("root") or None, asked.pop("start")) as files, kept:
        if scope is not None or clears:
            result = _approved(files.real, line or "", scope or "")
        else:
            result = _answered(files.real, **asked)
    print_result(result, as_json)
    return DONE


def _approved(root: str, line: str, scope: str) -> Result:
    """Approves a command, or ends all approvals where there is none."""
    if not scope:
        count = clear_approvals()
        return Result("success", {"cleared": count}, f"Ended {counted(count, 'approval')}.")
    session = asking_session(root)
    if scope == "session" and not session:
        raise CommandLineError("'--for session' needs a session: set PATCHKIT_SESSION")
    approve(EXECUTE, line.strip(), scope, root, session)
    said = f"'{visible(line, 200)}' is approved: {scope}. In a sandbox {MAY_WRITE}."
    return Result("success", {"command": line, "scope": scope}, said)


def _answered(root: str, show: bool, below: bool, revoke: bool) -> Result:
    known = settings(root)
    source = known.source("permissions") or known.source("apply")
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
    trusted = is_trusted(source)
    data = {"file": source.path, "trusted": trusted, "rules": allowing}
    return Result("success", data, _text(source, allowing, trusted))


def _text(source: SettingsFile, allowing: list[str], trusted: bool) -> str:
    lines = [f"  {visible(text, 200)}" for text in allowing] or ["  (none of its rules allows anything)"]
    state = "are trusted" if trusted else "are not trusted: they deny and ask, but allow nothing"
    return "\n".join([f"The rules of '{visible(os.path.relpath(source.path), 200)}' {state}.", *lines])
