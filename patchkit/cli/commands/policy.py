"""`patchkit policy`: what the rules decide about a call, without making it."""

from __future__ import annotations

import os

import click

from patchkit.cli.answer import print_result
from patchkit.cli.commands.call import named_tool
from patchkit.cli.completion import tool_names
from patchkit.cli.inputs import call_arguments
from patchkit.cli.parameters import command, options
from patchkit.cli.process import DONE, CommandLineError, write, write_json
from patchkit.cli.quick import OF_TOOLS
from patchkit.cli.statuses import of_policy, of_result
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.policy.audit import logs
from patchkit.policy.permissions import Judge, Judgement
from patchkit.policy.rules import DENY
from patchkit.policy.settings import settings
from patchkit.policy.trust import approvals, asking_session
from patchkit.report.result import Result, failure
from patchkit.report.width import visible
from patchkit.sandbox.choice import chosen
from patchkit.tools.arguments import checked
from patchkit.tools.registry import Tool, effect_and_name

_WIDEST = 1000  # columns of a line; a path may be long, and the rule comes behind it


@command()
@click.argument("tool", metavar="[TOOL]", required=False, shell_complete=tool_names)
@click.argument("arguments", metavar="[JSON]", required=False)
@click.option("--sandbox", is_flag=True, help="list what a sandboxed command may use, and why")
@options(*OF_TOOLS)
def policy(
    tool: str | None,
    arguments: str | None,
    sandbox: bool,
    root: str | None,
    start: str | None,
    as_json: bool,
    agent: bool,
) -> int:
    """Report what the rules decide about a call (arguments as JSON, or on standard input), without making it.

    Every file a patch would touch and every command a script would run is judged; the strictest decides. The status is
    3 where the call would be refused: denied, or to be asked for and --as-agent. Without TOOL, it lists what a person
    approved ('patchkit trust --for', or a key where --ask asked).
    """
    if sandbox and tool is not None:
        raise CommandLineError("name a tool, or give '--sandbox'")
    try:
        if tool is None:
            print_result(_granted(root, start, agent) if sandbox else _approvals(root, start), as_json)
            return DONE
        judgement = _judged(named_tool(tool), call_arguments(arguments), root, start, agent)
    except PatchkitError as error:
        result = failure(error)
        print_result(result, as_json)
        return of_result(result)
    if as_json:
        write_json(judgement.data())
    else:
        write(1, text(judgement))
    return of_policy(judgement.decision == DENY or bool(judgement.refusals(agent)))


def _judged(tool: Tool, given: object, root: str | None, start: str | None, agent: bool) -> Judgement:
    arguments = checked(tool, given)
    with Workspace(root or None, start) as files:
        known = settings(files.real)
        judge = Judge(files, known, effect_and_name, [log.path for log in logs(known, files.real)], agent)
        return judge.judge(tool.name, tool.deeds(judge.deeds, arguments))


def _approvals(root: str | None, start: str | None) -> Result:
    """What is approved in a workspace."""
    with Workspace(root or None, start) as files:
        found = approvals(files.real, asking_session(files.real))
    lines = [f"{each['scope']:<9}  {each['effect']:<7}  {visible(each['what'], _WIDEST)}\n" for each in found]
    return Result("success", {"approvals": found}, "".join(lines) or "Nothing is approved.\n")


def _granted(root: str | None, start: str | None, agent: bool) -> Result:
    """What a command in the sandbox of a workspace may use: each path with its rights and the reason."""
    from patchkit.sandbox import landlock  # it loads ctypes
    from patchkit.sandbox.prepared import SandboxedRun
    from patchkit.sandbox.profile import NEVER

    rights_said = {landlock.DEVICE: "use", landlock.RUN: "run", landlock.READ: "read", landlock.LIST: "list"}
    with Workspace(root or None, start) as files:
        known = settings(files.real)
        judge = Judge(files, known, effect_and_name, [log.path for log in logs(known, files.real)])
        choice = chosen(known, agent, None, None)
        run = SandboxedRun(choice, judge.rules, files.real, agent, judge.deeds.fold, judge.protected)
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
