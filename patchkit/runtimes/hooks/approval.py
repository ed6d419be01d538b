"""What a project's rules say about a tool call that a runtime is about to make.

Takes a hook's event and the decision about it so far; returns the Decision with the rules applied, where the project
has any: where it has none, the runtime's own approvals stay as they are. A call outside the workspace is left to the
runtime, too.
"""

from __future__ import annotations

import json
import os
from shlex import join

from patchkit.core.language.parser import parse
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.globs.patterns import IgnoreRules
from patchkit.globs.rule_patterns import ANY, Pattern
from patchkit.policy import READ, WRITE
from patchkit.policy.audit import logs
from patchkit.policy.commands import of_script, unknown
from patchkit.policy.deeds import Deed, Deeds, leads_out
from patchkit.policy.permissions import Judge, Judgement
from patchkit.policy.rules import ALLOW, ASK, DENY
from patchkit.policy.settings import settings
from patchkit.policy.trust import remember_session
from patchkit.report.diagnostics import render_errors
from patchkit.runtimes.hooks.events import PLAIN_FIELDS, READ_ONLY, TOOL_NAMES, Decision, Event, texts_of
from patchkit.runtimes.hooks.project import HookProject, inside, user_shell
from patchkit.shell.mention import mentions
from patchkit.tools.registry import effect_and_name, named

# Tools that run something by a shell that is not read here, or type into a program that runs already.
_RUNNING = frozenset(
    "powershell pwsh write_stdin write_bash write_powershell write-process read_bash_input send_input".split()
)
_MANY = "read_many_files"  # whose fields hold patterns and directories
_SEARCHES = ("Grep", "Glob")
_IN_THE_WORKSPACE = (*_SEARCHES, "LS")  # tools that need no path
_READING = ("read", "view", "list", "search", "find", "get", "fetch", "show", "open")  # in names of tools


def approved(event: Event, decision: Decision | None, place: HookProject) -> Decision | None:
    """The decision under the rules of a project; None lets the call pass as it is."""
    try:
        ruled = _ruled(event, place)
    except PatchkitError as error:  # the rules cannot be read: a person has to know, and to decide
        ruled = Decision(ASK, render_errors(error.errors).rstrip("\n"))
    return _stricter(decision, ruled)


def _ruled(event: Event, place: HookProject) -> Decision | None:
    with Workspace(place.root) as files:
        known = settings(files.real)
        if not known.has("permissions"):
            return None
        protected = [log.path for log in logs(known, files.real)]
        judge = Judge(files, known, effect_and_name, protected, agent=True, session=event.session)
        try:
            found = _deeds(event, judge.deeds)
        except ValueError:  # a NUL, or half of a surrogate pair, in place of which the runtime may put something
            what = "a file with a name that none can have"
            found = [_any_file(READ, what), _any_file(WRITE, what), unknown(what)]
        deeds = [deed for deed in found if deed.trouble is None]
        judgement = judge.judge(_tool(event), deeds)
    if not deeds:
        return None
    if not _tool(event) and (judgement.decision == ALLOW or not _is_ruled(judgement)):
        return None  # what a tool does that is not known here is only guessed
    if judgement.decision == ALLOW and (_is_open(event, judge, deeds) or not _is_allowed_by_rule(judgement)):
        return None
    if judgement.decision == ASK:
        remember_session(judge.deeds.files.real, event.session)
    decision = Decision(judgement.decision, f"{judgement.reason}: {judgement.rule}")
    decision.by_default = not _is_ruled(judgement)
    decision.session = event.session if any(part.approved == "session" for part in judgement.parts) else ""
    against = [part for part in judgement.parts if part.decision != ALLOW]
    # Refused because the file may not be read: then no message may show how it differs.
    decision.hides = any(part.deed.looks and part.rule is not None and part.rule.effect == READ for part in against)
    return decision


def _is_allowed_by_rule(judgement: Judgement) -> bool:
    """Whether rules that count allow all of the call: what holds by default is left to the runtime."""
    ruled = [part.rule for part in judgement.parts if part.rule is not None]
    approved_before = any(part.approved for part in judgement.parts)
    return (bool(ruled) or approved_before) and not any(rule.is_default for rule in ruled)


def _is_ruled(judgement: Judgement) -> bool:
    """Whether a rule, and no default, is against some of the call."""
    against = [part.rule for part in judgement.parts if part.decision != ALLOW]
    return any(rule is not None and not rule.is_default for rule in against)


def _is_open(event: Event, judge: Judge, deeds: list[Deed]) -> bool:
    """Whether a call is left to the runtime although no rule is against it.

    A search by the runtime itself may find files that a rule hides: we cannot prevent that they are shown.
    """
    if event.mode == READ_ONLY and any(deed.effect != READ for deed in deeds):
        return True
    tool = _tool(event)
    return tool in _SEARCHES and judge.rules.restricts(READ, tool)


def _tool(event: Event) -> str:
    """The tool of ours that does the same; '' where there is none."""
    if event.is_shell or event.tool.lower() in _RUNNING:
        return "Bash"
    if event.patches:
        return "apply_patch"
    try:
        return named(TOOL_NAMES.get(event.tool.lower(), event.tool)).name
    except PatchkitError:
        return ""


def _deeds(event: Event, deeds: Deeds) -> list[Deed]:
    """What the call may do, by all fields that may say so.

    A tool that is not known here may run what looks like a command, and may read what looks like a path, or change it
    unless its name says that it reads.
    """
    if event.tool.lower() in _RUNNING:
        texts = [text for text in event.input.values() if isinstance(text, str) and text.strip()]
        found = [deed for text in texts for deed in of_script(deeds, text, event.cwd)]
        return [*found, unknown(f"'{event.tool}'")] if texts else []
    tool = _tool(event)
    commands: list[Deed] = []
    if tool in ("Bash", ""):
        commands = [
            deed
            for name, command in event.commands
            for directory in event.directories
            for script in _scripts(event, name, command)
            for shell in dict.fromkeys((user_shell(), "bash"))  # some runtimes start bash whatever the user's shell is
            for deed in (of_script(deeds, script, directory, shell) if script else [unknown(f"'{name}'")])
        ]
    if tool == "Bash":
        others = [name for name, value in event.input.items() if isinstance(value, (str, list, dict)) and value]
        is_read = commands or not set(others) - PLAIN_FIELDS
        return commands if is_read else [unknown(f"no known field of '{event.tool}' has it")]
    if tool == "apply_patch":
        return [deed for text in event.patches for deed in _patched(deeds, text, event.cwd)]
    if not tool:
        reads = any(word in event.tool.lower() for word in _READING)
        named_files = dict.fromkeys(_placed(event, path, deeds) for path in [*event.paths, *event.existing])
        commands += [deed for text in event.bare_patches for deed in _patched(deeds, text, event.cwd)]
        effects = [(READ, "read")] if reads else [(WRITE, "write"), (READ, "read")]
        return commands + [deeds.at(effect, name, path) for path in named_files for effect, name in effects]
    if tool in ("check", "Undo"):
        return []
    given = event.paths
    if event.tool.lower() == _MANY:
        given += texts_of(event.input.get("include"))
    if not given and tool in _IN_THE_WORKSPACE:
        given = (event.existing if tool == "LS" else []) or ["."]
    if not given:
        return [_any_file(named(tool).effect, f"a file that no known field of '{event.tool}' names")]
    paths = [_placed(event, path, deeds) for path in given]
    if event.tool.lower() == _MANY:  # a path may be a pattern, or a directory with everything in it
        wide = {path for path in paths if any(sign in path for sign in "*?[{") or os.path.isdir(path)}
        return [_any_file(READ, path) if path in wide else deeds.at(READ, "read", path) for path in paths]
    return [deed for path in paths for deed in named(tool).deeds(deeds, {"file_path": path})]


def _placed(event: Event, path: str, deeds: Deeds) -> str:
    """Where a path leads: the real place, where it comes into the workspace by a link from outside, as of /proc."""
    spelled = os.path.join(event.cwd, path)
    comes_in = inside(spelled, deeds.files.real) and leads_out(deeds.files, spelled)
    return os.path.realpath(spelled) if comes_in else spelled


def _any_file(effect: str, what: str) -> Deed:
    """A file that is not known: what rules say of any file may hold for it."""
    return Deed(effect, "read" if effect == READ else "write", what, [Pattern([ANY])])


def _scripts(event: Event, name: str, command: object) -> list[str]:
    """The scripts that a field may mean; '' for one that cannot be read. A list is one command or, perhaps, several."""
    if isinstance(command, str):
        return [command]
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        return [""]
    if event.shape.runtime == "Cline":
        return command
    return [join(command), *(command if name == "commands" else ())]


def _patched(deeds: Deeds, text: str, cwd: str) -> list[Deed]:
    """What a runtime's own tool would do with a patch; a text that we cannot read may be one that the tool can."""
    return deeds.of_patch(text, start=cwd) or [unknown("a patch that cannot be read")]


def _stricter(decision: Decision | None, ruled: Decision | None) -> Decision | None:
    """Both in one: the stricter of them, with the input that was rewritten for it."""
    if ruled is None or (decision is not None and decision.verb == DENY and ruled.verb != DENY and not ruled.hides):
        return decision
    if decision is None or ruled.verb == DENY or ruled.hides:
        return ruled
    return Decision(ruled.verb, ruled.reason, decision.input)


# What a person forbade in Claude Code's own settings, which a rewritten command must not bypass. Claude Code decides
# about a command as the hook rewrote it: a rule about `apply_patch` would no longer fit, and rules about its tools for
# edits never fit a command. So a call that a rule about commands names is not rewritten, and a patch is judged by the
# rules about edits. Rules that allow are Claude Code's own business. Copilot reads the same settings.
_FILES = (".claude/settings.json", ".claude/settings.local.json")
_EDITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_MOST = 1 << 20


class ClientRules:
    """The rules that deny and those that ask, as pairs of a tool and a pattern ('' for all)."""

    def __init__(self, place: HookProject) -> None:
        self._place = place
        self.deny: list[tuple[str, str]] = []
        self.ask: list[tuple[str, str]] = []
        bases = dict.fromkeys([place.root, place.directory, os.path.expanduser("~")])
        for path in [os.path.join(base, name) for base in bases for name in _FILES]:
            self._read(path)

    def _read(self, path: str) -> None:
        try:
            if os.path.getsize(path) > _MOST:
                return
            with open(path, encoding="utf-8") as file:
                found = json.load(file)["permissions"]
            for name, rules in (("deny", self.deny), ("ask", self.ask)):
                rules += [_split(text) for text in found.get(name, []) if isinstance(text, str)]
        except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
            pass  # what Claude Code makes of such a file is its own business

    def are_about_the_command(self) -> bool:
        """Whether a rule names apply_patch as a command: only the command as it was sent is seen by it."""
        return any(tool == "Bash" and mentions(pattern) for tool, pattern in [*self.deny, *self.ask])

    def about(self, patch: str, workdir: str) -> tuple[str, str]:
        """'deny' or 'ask' with the rule, where one about edits fits a file of the patch; '' where none does."""
        names = [os.path.realpath(os.path.join(workdir, path)) for path in paths_of(patch) or ()]
        for verb, rules in (("deny", self.deny), ("ask", self.ask)):
            for tool, pattern in rules:
                if tool in _EDITING and any(self._fits(pattern, name) for name in names):
                    return verb, f"{tool}({pattern})" if pattern else tool
        return "", ""

    def _fits(self, pattern: str, name: str) -> bool:
        """Whether a pattern covers a file. It counts from the settings or the current directory: both are tried."""
        if not pattern:
            return True
        base = {os.path.realpath(each) for each in (self._place.root, self._place.directory)}
        if pattern.startswith("//"):
            base, pattern = {"/"}, pattern[1:]
        elif pattern.startswith("~/"):
            base, pattern = {os.path.expanduser("~")}, pattern[1:]
        rules = IgnoreRules([pattern.removeprefix("./")])
        below = [os.path.relpath(name, each) for each in base]
        return any(not path.startswith("..") and rules.ignores_file(path) for path in below)


def paths_of(patch: str) -> list[str] | None:
    """The paths that a patch names; None for a text that is not a patch."""
    try:
        sections = parse(patch).sections
    except PatchkitError:
        return None
    return [path for each in sections for path in (each.path, getattr(each, "move_to", None)) if path]


def _split(text: str) -> tuple[str, str]:
    tool, _, pattern = text.partition("(")
    return tool.strip(), pattern.removesuffix(")").strip()
