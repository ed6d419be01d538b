"""`patchkit policy`: what the rules decide about a call, without making it."""

from __future__ import annotations

import click

from patchkit.cli.answer import print_result
from patchkit.cli.commands.call import named_tool
from patchkit.cli.completion import tool_names
from patchkit.cli.inputs import call_arguments
from patchkit.cli.parameters import command, options
from patchkit.cli.process import write, write_json
from patchkit.cli.quick import OF_TOOLS
from patchkit.cli.statuses import of_policy, of_result
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.policy.audit import logs
from patchkit.policy.permissions import Judge, Judgement
from patchkit.policy.rules import DENY
from patchkit.policy.settings import settings
from patchkit.report.result import failure
from patchkit.report.width import visible
from patchkit.tools.arguments import checked
from patchkit.tools.registry import Tool, effect_and_name

_WIDEST = 1000  # columns of a line; a path may be long, and the rule comes behind it


@command()
@click.argument("tool", metavar="TOOL", shell_complete=tool_names)
@click.argument("arguments", metavar="[JSON]", required=False)
@options(*OF_TOOLS)
def policy(tool: str, arguments: str | None, root: str | None, start: str | None, as_json: bool, agent: bool) -> int:
    """Report what the rules decide about a call (arguments as JSON, or on standard input), without making it.

    Every file a patch would touch and every command a script would run is judged; the strictest decides. The status is
    3 where the call would be refused: denied, or to be asked for and --as-agent.
    """
    found = named_tool(tool)
    try:
        judgement = _judged(found, call_arguments(arguments), root, start)
    except PatchkitError as error:
        result = failure(error)
        print_result(result, as_json)
        return of_result(result)
    if as_json:
        write_json(judgement.data())
    else:
        write(1, text(judgement))
    return of_policy(judgement.decision == DENY or bool(judgement.refusals(agent)))


def _judged(tool: Tool, given: object, root: str | None, start: str | None) -> Judgement:
    arguments = checked(tool, given)
    with Workspace(root or None, start) as files:
        known = settings(files.real)
        judge = Judge(files, known, effect_and_name, [log.path for log in logs(known, files.real)])
        return judge.judge(tool.name, tool.deeds(judge.deeds, arguments))


def text(judgement: Judgement) -> str:
    """A judgement as people read it: the decision about every part, then that about the call."""
    lines = [
        f"{part.decision:<5}  {part.deed.operation:<9}  {part.deed.what}  by {part.shown_rule}"
        for part in judgement.parts
    ]
    lines.append(f"{judgement.decision}: {judgement.reason}")
    return "".join(f"{visible(line, _WIDEST)}\n" for line in lines)
