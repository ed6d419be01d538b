"""`patchkit install` and `uninstall`: our hook and our server in the configuration of an agent client."""

from __future__ import annotations

import os
import shutil
import subprocess
from difflib import unified_diff
from shlex import join

import click

from patchkit.cli import CommandLineError
from patchkit.cli.parameters import Function, command, options
from patchkit.cli.quick import JSON, ROOT
from patchkit.cli.statuses import of_result
from patchkit.cli.tools import print_result
from patchkit.errors import PatchkitError
from patchkit.policy import is_agent
from patchkit.report.result import Result
from patchkit.runtimes.setup import Edit, found_in, place_in, write
from patchkit.runtimes.setup import install as edits_of_install
from patchkit.runtimes.setup import uninstall as edits_of_uninstall
from patchkit.runtimes.setup.clients import CLIENTS, HOOK, MCP, Client, ClientSetup, our_command, shared_command

_CLIENT = click.argument("client", metavar="CLIENT", type=click.Choice(tuple(CLIENTS)))
_PARTS = (
    click.option("--hook", is_flag=True, help="only the hook, which the client asks before it runs a tool"),
    click.option("--mcp", is_flag=True, help="only the MCP server with the tools"),
    click.option("--project", is_flag=True, help="in the files of the project (the default)"),
    click.option("--user", is_flag=True, help="in the user's own files, for all projects"),
    click.option("--dry-run", "dry", is_flag=True, help="show what would be changed as a diff, and change nothing"),
)
APPROVALS = ("none", "edits", "all")


def _parts(function: Function) -> Function:
    for option in reversed(_PARTS):
        function = option(function)
    return options(ROOT.but(about="directory of the project", more=" (default: the current directory)"), JSON)(function)


@command()
@_CLIENT
@_parts
@click.option(
    "--approve",
    metavar="WHAT",
    type=click.Choice(APPROVALS),
    default="none",
    help="let calls of the server run without asking: none (the default), edits (all tools but Bash), all",
)
def install(client: str, approve: str, dry: bool, **given: object) -> int:
    """Put the hook and the MCP server into the configuration of an agent client.

    Entries are merged into the client's own files: comments, order and all other entries stay as they are, and what a
    file was before is kept. Installing again changes nothing. 'patchkit uninstall CLIENT' takes all of it back.
    """
    chosen = CLIENTS[client]

    def work(root: str, for_user: bool, parts: set[str]) -> Result:
        wanted = ClientSetup(our_command(), server_words(chosen, root, for_user, approve), approve != "none")
        team = wanted if for_user else ClientSetup(shared_command(chosen), wanted.server, wanted.approved)
        entries = [  # a team may share the files of a project, where the path of this machine is of no use
            shared if shared.place.project else own for own, shared in zip(chosen.entries(wanted), chosen.entries(team))
        ]
        place = place_in(root, for_user)
        placed = {entry.part for entry in entries if place(entry)}
        if any(given[part] for part in parts - placed):  # else it would look as if it were there already
            what, whose = " or ".join(sorted(parts - placed)), "the user" if for_user else "a project"
            raise CommandLineError(f"there is no {what} for {chosen.title} in the files of {whose}")
        edits = edits_of_install(chosen, entries, parts, place)
        edits, own = _by_itself(chosen, edits, for_user, [*wanted.command, "mcp", *wanted.server])
        result = _done(chosen, edits, own, dry)
        remarks = [*_of_path(root, edits, team.command), *_remarks(chosen, wanted, parts, approve)]
        result.text += "".join(f"note: {line}\n" for line in remarks)
        return result

    return _answer(chosen, work, given)


@command()
@_CLIENT
@_parts
def uninstall(client: str, dry: bool, **given: object) -> int:
    """Take the hook and the MCP server out of the configuration of an agent client.

    A file without changes since 'patchkit install' becomes what it was, to the byte; from any other file only our
    entries are removed.
    """
    chosen = CLIENTS[client]

    def work(root: str, for_user: bool, parts: set[str]) -> Result:
        edits = edits_of_uninstall(chosen, parts, place_in(root, for_user))
        edits, own = _by_itself(chosen, edits, for_user, [])
        result = _done(chosen, edits, own, dry)
        for edit in edits_of_uninstall(chosen, parts, place_in(root, for_user)) if edits and not dry else ():
            result.text += f"note: {edit.path} has the entry that was there before; uninstall again to remove it\n"
        return result

    return _answer(chosen, work, given)


def _by_itself(
    client: Client, edits: list[Edit], for_user: bool, server: list[str]
) -> tuple[list[Edit], list[list[str]]]:
    """The edits without that of a file which the client changes by its own command, and the words of that command."""
    own = client.own.split()
    if not (for_user and own and shutil.which(own[0])):
        return edits, []
    place = place_in("/", for_user)
    served = {place(entry) for entry in client.entries(ClientSetup([""], [], False)) if entry.part == MCP}
    rest = [edit for edit in edits if edit.path not in served]
    is_there = any(each.path in served and each.words == server for each in found_in(client, "/"))
    if is_there or len(rest) == len(edits):
        return rest, []
    return rest, [[own[0], "mcp", "remove", *own[3:6]], *([[*own, *server]] if server else [])]


def server_words(client: Client, root: str, for_user: bool, approve: str) -> list[str]:
    words = ["--no-bash"] if client.sandboxes or approve == "edits" else []
    if client.variable:
        words += ["--root", client.variable]
    elif client.starts_elsewhere and not for_user:
        words += ["--root", root]
    return words


def _answer(client: Client, work: object, given: dict[str, object]) -> int:
    if given["project"] and given["user"]:
        raise CommandLineError("--project and --user exclude each other")
    parts = {part for part in (HOOK, MCP) if given[part]} or {HOOK, MCP}
    root = os.path.abspath(str(given["root"] or "."))
    if is_agent():
        deed, rule = f"changing the configuration of {client.title}", "that only a person sets up clients"
        raise PatchkitError("P652", action=deed, rule=rule)
    if not os.path.isdir(root):
        raise PatchkitError("P312", root=root, reason="it is not a directory")
    result: Result = work(root, bool(given["user"]), parts)  # type: ignore[operator]  # one of the two above
    print_result(result, bool(given["as_json"]))
    return of_result(result)


def _done(client: Client, edits: list[Edit], own: list[list[str]], dry: bool) -> Result:
    """Writes the edits and runs the client's own commands, or shows both."""
    files = [{"path": edit.path, "removed": edit.after is None} for edit in edits]
    lines = [*map(_diff, edits), *(f"would run: {join(words)}\n" for words in own)] if dry else []
    for edit, row, backup in zip(edits, files, write(edits)) if not dry else ():
        row["backup"] = backup or None
        kept = f" (what it was: {backup})" if backup else ""
        lines.append(f"{'Removed' if edit.after is None else 'Wrote'} {edit.path}{kept}\n")
    for words in own if not dry else ():
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, errors="replace")
        if done.returncode and "remove" not in words:
            raise PatchkitError("P402", file=words[0], reason=(done.stderr or done.stdout).strip()[:200])
        lines.append(f"Ran {join(words)}\n")
    data = {"client": client.name, "changed": bool(lines) and not dry, "files": files}
    return Result("success", data, "".join(lines) or "Nothing to change.\n")


def _diff(edit: Edit) -> str:
    before, after = (
        (data or b"").decode("utf-8", "replace").splitlines(keepends=True) for data in (edit.before, edit.after)
    )
    names = ("/dev/null" if edit.before is None else edit.path, "/dev/null" if edit.after is None else edit.path)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in unified_diff(before, after, *names))


def _of_path(root: str, edits: list[Edit], command: list[str]) -> list[str]:
    """How files that a team may share name our command, which others have to find as well."""
    if not any(edit.path.startswith(f"{os.path.realpath(root)}/") for edit in edits):
        return []
    if command == ["patchkit"]:
        return ["the project's files say 'patchkit' without a path: who shares them needs it on the PATH"]
    return [f"the project's files have a path of this machine, {command[0]}: others install for themselves"]


def _remarks(client: Client, wanted: ClientSetup, parts: set[str], approve: str) -> list[str]:
    """What a person should know: what happens to calls that no setting approves, and what is not offered."""
    found = []
    if HOOK in parts and client.trust:
        found.append(f"{client.title} runs the hook once {client.trust}")
    if MCP not in parts:
        return found
    can_approve = client.entries(ClientSetup(wanted.command, wanted.server, False)) != client.entries(wanted)
    alone = f"; without a person: {client.program} {client.alone}" if client.alone else ""
    if approve == "none":
        found.append(f"no call is approved: {client.title} {client.unapproved}{alone}")
    elif not can_approve:
        found.append(f"{client.title} has no setting that approves calls: it {client.unapproved}{alone}")
    if client.sandboxes:
        found.append(f"the tool Bash is not offered: {client.title} has a shell of its own, in a sandbox of its own")
    if "--root" in wanted.server and client.starts_elsewhere:
        found.append(f"{client.title} has one server for all projects: it is for {wanted.server[-1]} now")
    elif client.starts_elsewhere:
        found.append(f"{client.title} does not say where it works: without its roots the server only reads")
    return found
