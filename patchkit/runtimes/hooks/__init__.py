"""Decide about a tool call before a runtime makes it.

Takes the event of a hook as it comes; returns the answer in that runtime's JSON, or nothing, which lets the call pass
as it is. A shell command that is one apply_patch call is planned against the workspace without writing: if it applies,
it is rewritten to call our command directly, and the runtime decides as it would about the command; else it is denied
with the reason. It is allowed only where a trusted rule says so, or where the event says that the runtime's own tool
for edits would not ask. Where there are no rules, no call is blocked because its event cannot be read; where there are,
what cannot be judged is asked for. `decide` does this; `approval` adds what rules say about any tool. The hook runs
before every tool call of an agent, so what most events do not need is imported where it is used.
"""

from __future__ import annotations

import os

from patchkit.errors import PatchkitError
from patchkit.policy import is_agent, settings_files, variable
from patchkit.runtimes.hooks.project import HookProject, inside, note_call, project, user_shell
from patchkit.shell.mention import BEGIN, mentions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.changes import Options
    from patchkit.runtimes.hooks.events import Decision, Event

_NAMES = (b'"tool_name"', b'"toolName"', b'"hook_event_name"', b'"agent_action_name"', b'"hookName"')
_NOT_OURS = ("P518", "P521")  # no command, or no directory to run it in: the runtime will say so itself


class Blocked(Exception):  # noqa: N818  # not an error: the answer is a status
    """A call that is denied, for a runtime that takes a status; the first argument is the reason."""


class UnreadableEvent(Exception):  # noqa: N818  # the caller reports it and lets the call pass
    """An event that is not one of those known here; the first argument says why."""


class _JudgedEvent(UnreadableEvent):
    """An event of an unknown form whose command or path was judged, and no rule is against it."""


def respond(data: bytes, program: list[str], root: str = "") -> str:
    """The answer to an event, '' to let the call pass; raises Blocked where the runtime takes a status instead."""
    try:
        return _answer(data, program, project(root))
    except (Blocked, _JudgedEvent):
        raise
    except Exception as error:  # the rules must hold whatever an event is, and whatever defect we have
        said = _unjudged(data, root, f"{type(error).__name__}: {str(error)[:80]}")
        if said:
            return said
        raise


def _answer(data: bytes, program: list[str], place: HookProject) -> str:
    note_call()
    ruled = bool(settings_files(os.path.realpath(place.root)))
    named = any(name in data for name in _NAMES)  # else it has to be decoded to say what is wrong with it
    if named and not ruled and not mentions(data) and BEGIN.encode() not in data:
        return ""
    import json

    from patchkit.runtimes.hooks.events import Decision, Event, read_event, unknown_event

    try:
        decoded = json.loads(data)
        found, problem = read_event(decoded), ""
        event = found if isinstance(found, Event) else None
        if isinstance(found, str) and isinstance(decoded, dict) and _has_rules(place):
            # An agent may have removed the directory it is in: what it does there is judged all the same.
            here = {**decoded, "cwd": place.root}
            again = read_event(here)
            event = again if isinstance(again, Event) else unknown_event(decoded) or unknown_event(here)
            problem = found if isinstance(again, Event) else ""
    except (ValueError, RecursionError) as error:
        raise UnreadableEvent(f"it is not JSON ({str(error)[:60]})") from None
    if event is None:
        raise UnreadableEvent(found)
    decision = _ruled(event, program, place) if ruled else decide(event, program, place)
    if problem and (decision is None or decision.verb != "deny"):
        decision = Decision("ask", f"the call cannot be judged: {problem}")
    decision = for_runtime(event, decision)
    if decision is None and isinstance(found, str):
        raise _JudgedEvent(found)
    return _said(event, decision)


def _said(event: Event, decision: Decision | None) -> str:
    """The decision in the words of the runtime; raises Blocked where it takes a status."""
    if decision is None:
        return ""
    if event.shape.answer is None:
        raise Blocked(decision.reason)
    import json

    return json.dumps(event.shape.answer(decision))


def _unjudged(data: bytes, root: str, problem: str) -> str:
    """The answer to an event that cannot be read, where there are rules; '' for one that is not about a call."""
    from patchkit.runtimes.hooks.events import Decision, unread_event

    event = unread_event(data)
    if event is None or not _has_rules(project(root)):
        return ""
    return _said(event, for_runtime(event, Decision("ask", f"the call cannot be judged ({problem})")))


def _has_rules(place: HookProject) -> bool:
    """Whether there are rules for a project, or settings that cannot be read and may have some."""
    if not settings_files(os.path.realpath(place.root)):
        return False
    from patchkit.policy.settings import settings

    try:
        return settings(place.root).has("permissions")
    except PatchkitError:
        return True


def _ruled(event: Event, program: list[str], place: HookProject) -> Decision | None:
    """The decision in a project with rules. A defect of ours must not open what they close."""
    from patchkit.runtimes.hooks.approval import approved
    from patchkit.runtimes.hooks.events import UNKNOWN, Decision

    try:
        decision = approved(event, decide(event, program, place) if event.shape is not UNKNOWN else None, place)
        if decision is None or decision.verb != "allow":
            return decision
        from patchkit.runtimes.hooks.rewriting import in_sandbox

        return in_sandbox(event, decision, program, place)
    except Exception as error:
        return Decision("ask", f"the rules could not be applied ({type(error).__name__}: {str(error)[:80]})")


def decide(event: Event, program: list[str], place: HookProject) -> Decision | None:
    """What becomes of the call; None where it is not about a patch."""
    from patchkit.runtimes.hooks.events import EDITING_MODES, READ_ONLY, Decision

    if event.patches:
        return _own_tool(event, place)
    fields = event.fields
    command = event.command if len(fields) == 1 else None
    if command is None:
        return _with_several_commands(event, fields)
    if not isinstance(command, (str, list)):
        return None  # no runtime known here sends that
    from patchkit.shell.classifying import verdict_of_call

    directories = event.directories
    verdict = verdict_of_call({"command": command, "shell": user_shell()}, directories[0], with_options=True)
    if verdict.code in _NOT_OURS:
        return None
    if verdict.verdict == "error":
        return Decision("deny", f"error[{verdict.code}]: {verdict.reason}\n  = help: {verdict.help}")
    call = verdict.then or verdict
    if call.patch is None or call.workdir is None:
        return _named_in_full(event, program, place)
    from patchkit.runtimes.hooks.pending import Turn, place_of

    project_place, place = place, place_of(call.workdir, place)
    root, options = place.root, None
    try:
        root, options = _options(place, call.workdir, verdict.options)
        _plan(root, call.patch, call.workdir, options)
    except PatchkitError as error:
        # Earlier calls of the same turn may not have run yet: Codex and Gemini CLI ask about several at the same time.
        turn, waits = Turn(root, event.session), event.is_codex or event.kind == "BeforeTool"
        if options is None or not turn.allows(root, call.patch, call.workdir, options, waits):
            from patchkit.report.correction import refusal_for_model

            long = 5_000 if event.is_codex else 10_000  # Codex adds the command before it cuts
            return Decision("deny", refusal_for_model(error.errors, call.patch, long).rstrip("\n"))
    if event.mode == READ_ONLY or len(directories) > 1:
        return None
    if verdict.then is not None:
        return _named_in_full(event, program, place)
    from patchkit.runtimes.hooks.approval import ClientRules

    client = ClientRules(place)
    said, rule = client.about(call.patch, call.workdir)
    if said == "deny":
        return Decision("deny", f"the patch changes a file that the runtime's own rule '{rule}' denies")
    if client.are_about_the_command():
        return None  # the rule fits the command only as it is
    from patchkit.runtimes.hooks.rewriting import as_plain_call

    Turn(root, event.session).add(call.patch, call.workdir)
    at = verdict.options.index("--root") if "--root" in verdict.options else len(verdict.options)
    words = [*program, "--root", root, *verdict.options[:at], *verdict.options[at + 2 :]]
    given = as_plain_call(event, verdict, words, place)
    decision = Decision("", "the patch applies", given)
    edits_unasked = event.mode in EDITING_MODES or _asks_nothing(event)  # as the runtime's own tool would make them
    if not said and edits_unasked and _is_plain(place, call.patch, call.workdir):
        decision = Decision("allow", "the patch applies, and edits are not asked for in this mode", given)
    if place is not project_place and settings_files(os.path.realpath(place.root)):
        from patchkit.runtimes.hooks.approval import approved

        return approved(event, decision, place)  # an added directory may have rules of its own
    return decision


def _named_in_full(event: Event, program: list[str], place: HookProject) -> Decision | None:
    """A script with calls among other commands: only their name is replaced, unless our command is on PATH.

    The runtime decides about it all. Where it asks about nothing, that is said too, as some runtimes take another input
    in no other way.
    """
    from patchkit.runtimes.hooks.approval import ClientRules
    from patchkit.runtimes.hooks.events import READ_ONLY, Decision
    from patchkit.runtimes.hooks.rewriting import CallsInPlace

    client = ClientRules(place)
    entries = (os.environ.get("PATH") or "").split(":")
    ours = os.path.realpath(program[0])  # Codex puts one of its own on the PATH of hooks, which its shell does not have
    runs = event.kind != "BeforeTool" and any(os.path.realpath(f"{entry}/apply_patch") == ours for entry in entries)
    if runs or client.are_about_the_command():  # Gemini CLI refuses some heredocs, whichever command gets them
        return None
    found = CallsInPlace(event.command)
    if not found.calls or event.mode == READ_ONLY or len(event.directories) > 1:
        return None
    given = found.rewritten(event, [*program, "--root", place.root])
    patches = found.patches()
    said = [client.about(patch, event.directories[0]) for patch in patches or ()]
    for verb, rule in said:
        if verb == "deny":
            return Decision("deny", f"the patch changes a file that the runtime's own rule '{rule}' denies")
    plain = patches and all(_is_plain(place, patch, event.directories[0]) for patch in patches)
    if plain and _asks_nothing(event) and not any(verb for verb, _ in said):
        return Decision("allow", "commands are not asked for in this mode", given)
    return Decision("", "the call is written in full", given)


def _with_several_commands(event: Event, fields: list[str]) -> Decision | None:
    """Which of several commands a runtime runs is not known: a patch in one of them is not rewritten, but refused."""
    from patchkit.runtimes.hooks.events import Decision

    if not any(mentions(str(event.input[name])) for name in fields):
        return None
    named = ", ".join(f"'{name}'" for name in fields)
    return Decision(
        "deny", f"the call has several commands ({named}); send one\n  = help: use one field for the command"
    )


def _own_tool(event: Event, place: HookProject) -> Decision | None:
    """A runtime's own tool for patches: refused where the patch fits several places, as the tool takes the first."""
    from patchkit.core.changes import Options
    from patchkit.report.diagnostics import render_errors
    from patchkit.runtimes.hooks.events import Decision

    for patch in event.patches:
        try:
            _plan(place.root, patch, event.cwd, Options(check=True))
        except PatchkitError as error:
            if any(each.code == "P202" for each in error.errors):
                return Decision("deny", render_errors(error.errors, patch).rstrip("\n"))
    return None


def for_runtime(event: Event, decision: Decision | None) -> Decision | None:
    """The decision as far as the runtime takes it. Where no person can be asked, asking is a refusal with its reason.

    What a runtime carries out is in its shape. Codex takes another input only with "allow", and "allow" only with
    another input. Gemini CLI ends a run without a terminal in silence when it is to ask. A call that wants
    more than to run its command, such as to run it outside of the runtime's sandbox, is left to the runtime: a rule
    about the command does not allow that. In a mode in which a runtime does not ask, what a rule asks for is refused.
    """
    from shlex import quote

    from patchkit.runtimes.hooks.events import UNASKED, Decision

    if decision is None:
        return None
    if decision.verb == "allow" and event.asks_for_more:
        decision = Decision("", decision.reason, decision.input)
    shape = event.shape
    if decision.input is not None and "rewrite" not in shape.verbs:
        decision = Decision(decision.verb, decision.reason)
    alone = is_agent() or (event.kind == "BeforeTool" and not _has_terminal())
    alone = alone or "ask" not in shape.verbs or (event.mode in UNASKED and not decision.by_default)
    if decision.verb == "ask" and alone:
        said, once = decision.reason, " or by 'patchkit trust --for session COMMAND'" if event.is_shell else ""
        said = said if "= help: " in said else f"{said}\n  = help: ask a person to allow it by a rule{once}"
        decision = Decision("deny", said)
    if decision.verb == "deny" and event.kind == "tool_call" and len(event.fields) == 1:
        # Cline ends the run when a call is cancelled, and its model learns nothing: a command can say why and fail.
        return Decision("", decision.reason, event.with_script(f"printf '%s\\n' {quote(decision.reason)} >&2; exit 1"))
    if decision.verb == "allow" and "allow" not in shape.verbs:
        decision = Decision("", decision.reason, decision.input)
    if not decision.verb and decision.input is None:
        return None
    if event.is_codex and decision.verb != "deny" and (decision.verb == "allow") != (decision.input is not None):
        return None
    return decision


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
        return True
    except OSError:
        return False


def _options(place: HookProject, workdir: str, words: list[str]) -> tuple[str, Options]:
    """The root and the options of a call, as its own words have them; a root outside the project is refused."""
    from patchkit.core.changes import Options

    root = place.root
    options = Options(check=True, dialect=variable("PATCHKIT_DIALECT"), suggest=True)
    rest = iter(words)
    for word in rest:
        if word == "--root":
            root = os.path.normpath(os.path.join(workdir, next(rest, "")))
            if not inside(root, place.root):
                raise PatchkitError("P301", file=root, root=place.root)
        elif word == "--max-pass":
            options.max_pass = next(rest, "")
        elif word.startswith("--fix"):
            options.fix = word.partition("=")[2] or "certain"
        else:
            setattr(options, word.removeprefix("--").replace("-", "_"), True)
    return root, options.checked()


def _plan(root: str, patch: str, workdir: str, options: Options) -> None:
    """Raises why the patch would not apply. Nothing is written."""
    from patchkit.applying import apply
    from patchkit.core.workspace.root import Workspace

    with Workspace(root, workdir) as files:
        apply(patch, files, options)


def _asks_nothing(event: Event) -> bool:
    """Whether the runtime runs every command unasked; Copilot says it to its hooks by a variable."""
    return event.mode == "bypassPermissions" or (not event.mode and "COPILOT_ALLOW_ALL" in os.environ)


def _is_plain(place: HookProject, patch: str, workdir: str) -> bool:
    """Whether a patch is about plain files where the runtime works, and none that steers agents, shells or editors."""
    from patchkit.policy.steering import steers
    from patchkit.runtimes.hooks.approval import paths_of

    paths = paths_of(patch)
    for path in paths or ():
        real = os.path.realpath(os.path.join(workdir, path))
        if not inside(real, place.directory) or steers(os.path.relpath(real, os.path.realpath(place.root))):
            return False
        if steers(os.path.normpath(path)):
            return False
    return paths is not None
