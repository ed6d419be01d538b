"""`patchkit policy`: what the rules say about a call, without making it."""

from __future__ import annotations

import sys

import click

from patchkit.cli.answer import status_of, tell
from patchkit.cli.call import named_tool, read_arguments
from patchkit.cli.tool_command import with_agent
from patchkit.errors import PatchkitError
from patchkit.policy.audit import logs
from patchkit.policy.permissions import Judge, Judgement
from patchkit.policy.rules import DENY
from patchkit.policy.settings import settings
from patchkit.report.width import visible
from patchkit.tools.arguments import checked
from patchkit.tools.registry import Tool
from patchkit.tools.result import failure
from patchkit.workspace.root import Workspace

_WIDEST = 1000  # columns of a line; a path may be long, and the rule stands behind it


@with_agent
@click.command()
@click.argument("tool")
@click.argument("arguments", required=False, metavar="[JSON]")
@click.option(
    "--root", metavar="DIR", envvar="PATCHKIT_ROOT", help="The workspace (default: PATCHKIT_ROOT, else here)."
)
@click.option("-C", "start", metavar="DIR", help="Where relative paths start, inside the workspace.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def policy(tool: str, arguments: str | None, root: str | None, start: str | None, as_json: bool, agent: bool) -> None:
    """Say what the rules decide about a call (arguments as JSON, or on standard input), without making it.

    Every file a patch would touch and every command a script would run is judged; the strictest decides. The status
    is 3 where the call would be refused: denied, or to be asked for and --as-agent.
    """
    found = named_tool(tool)
    try:
        judgement = _judged(found, read_arguments(arguments), root, start)
    except PatchkitError as error:
        result = failure(error)
        tell(result, as_json)
        sys.exit(status_of(result))
    _tell(judgement, as_json)
    sys.exit(3 if judgement.decision == DENY or judgement.refusals(agent) else 0)


def _judged(tool: Tool, given: object, root: str | None, start: str | None) -> Judgement:
    arguments = checked(tool, given)
    with Workspace(root or None, start) as files:
        known = settings(files.real)
        return Judge(files, known, [log.path for log in logs(known, files.real)]).call(tool, arguments)


def _tell(judgement: Judgement, as_json: bool) -> None:
    if as_json:
        import json

        words = json.dumps(judgement.data(), ensure_ascii=False, indent=2)
        sys.stdout.buffer.write(words.encode("utf-8", "backslashreplace") + b"\n")
        return
    sys.stdout.write(text(judgement))


def text(judgement: Judgement) -> str:
    """A judgement as people read it: the decision about every part, then that about the call."""
    lines = [
        f"{part.decision:<5}  {part.deed.operation:<9}  {part.deed.what}  by {part.shown_rule}"
        for part in judgement.parts
    ]
    lines.append(f"{judgement.decision}: {judgement.reason}")
    return "".join(f"{visible(line, _WIDEST)}\n" for line in lines)
