"""Run a command in the workspace, within limits.

Takes a script and how long it may run; gives its merged output and how it ended: a status other than 0 is an answer
like any other. A command on the list of `shell.dangers` is refused before it runs, and a call of apply_patch is not
run by a shell at all but applied here. Where a large output goes is said in `executing.output`.
"""

from __future__ import annotations

import os
import time

from patchkit.errors import Note, PatchkitError
from patchkit.policy.deeds import script_of
from patchkit.processes.running import RunRequest
from patchkit.processes.running import run as run_command
from patchkit.tools.calling import Call, Caller
from patchkit.tools.calling import call as call_tool
from patchkit.tools.executing.output import Output
from patchkit.tools.registry import Face
from patchkit.tools.result import Result, error_data
from patchkit.workspace.outputs import new_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.processes.running import Ran
    from patchkit.shell.verdict import Then, Verdict


DEFAULT_TIMEOUT, MOST_TIMEOUT = 120, 3600
_LONGEST_ARGUMENT = 100_000  # bytes of a script given with '-c'; the system takes a little more
DESCRIPTION = """\
Runs a command with bash in the workspace and returns what it writes, standard output and errors in one.
The command has no terminal and no input. It may run for 120 seconds unless you give a timeout, in seconds, of up to \
3600; then it is ended with everything it started, and what it wrote until then is returned. A command that ends with \
another status than 0 is no error of this tool: read what it says. Start servers and watchers in the background, with \
their output in a file.
You MUST avoid using search commands like find and grep. Instead use the grep, glob tools to search. You MUST avoid \
read tools like cat, head, tail, and use read_file to read files.
Change files with apply_patch: alone in the command, as "apply_patch <<'EOF'", the patch on the next lines, and 'EOF' \
alone on the last line.
When a tool result is too large, it may be offloaded into the filesystem instead of being returned inline. In those \
cases, use read_file to inspect the saved result in chunks, or use grep within /large_tool_results/ if you need to \
search across offloaded tool results."""
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "command": {
            "type": ["string", "array"],
            "items": {"type": "string"},
            "description": "The command, as the text of a bash script or as a list of words",
        },
        "timeout": {
            "type": "integer",
            "description": f"Seconds it may run (default {DEFAULT_TIMEOUT}, at most {MOST_TIMEOUT})",
            "minimum": 1,
        },
    },
    "required": ["command"],
    "additionalProperties": False,
}
EXTRAS: dict[str, object] = {
    "cwd": {"type": "string", "description": "Where it runs, inside the workspace (default: where paths start)"},
    "tool_call_id": {"type": "string", "description": "The id under which a large output is kept"},
    "no_intercept": {"type": "boolean", "description": "Leave calls of apply_patch to the shell"},
    "description": {"type": "string", "description": "What the command is for, in a few words"},
}
ALIASES = {"cmd": "command", "script": "command", "workdir": "cwd", "directory": "cwd"}
FACE = Face(positional=("command",))


def run(call: Call) -> Result:
    script, timeout = script_of(call.get("command")), call.number("timeout", DEFAULT_TIMEOUT)
    if timeout > MOST_TIMEOUT:
        said = f"Error: timeout {timeout}s exceeds maximum allowed ({MOST_TIMEOUT}s)."
        raise PatchkitError("P643", timeout=timeout, most=MOST_TIMEOUT, said=said)
    where = _directory(call)
    _refuse_unsendable(script)
    _refuse_danger(script)
    env = _environment(call)
    verdict = _verdict(call, script, where, env)
    job = _Job(call, where, env, timeout)
    if verdict is None:
        return job.run(script)
    if verdict.verdict == "error":
        return _refused(call, verdict)
    if verdict.verdict == "apply_patch":
        return job.apply(str(verdict.patch), str(verdict.workdir))
    return job.apply_then_run(verdict.then)  # type: ignore[arg-type]  # else it would have been None


def remarks(data: dict[str, object]) -> str:
    """What there is to say of a command besides what it wrote, on lines of its own."""
    if data["timed_out"]:
        late = _late(data["timeout"])
        return f"error[{late.code}]: {late.message}\n  = help: {late.hint}\n"
    if data["signal"]:
        return f"[ended by {data['signal']}]\n"
    return f"[exit status {data['exit_code']}]\n" if data["exit_code"] else ""


def _late(timeout: object) -> PatchkitError:
    return PatchkitError("P641", seconds=timeout, most=MOST_TIMEOUT)


# -- before it runs ------------------------------------------------------------------------------
def _directory(call: Call) -> str:
    """Where the command runs: a directory inside the workspace."""
    path = call.text("cwd", ".")
    entry = call.files.find(path)
    if entry.kind == "missing":
        raise PatchkitError("P302", file=path)
    if entry.kind != "directory":
        raise PatchkitError("P319", file=path)
    return os.path.join(call.files.root, entry.name) if entry.name != "." else call.files.root


def _refuse_unsendable(script: str) -> None:
    if "\0" in script:
        raise PatchkitError("P522", what="a NUL character")
    try:
        script.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise PatchkitError("P522", what="half of a surrogate pair") from None


def _refuse_danger(script: str) -> None:
    from patchkit.shell.dangers import danger

    found = danger(script)
    if found:
        raise PatchkitError("P642", command=found, said="Error: Dangerous command blocked")


def _environment(call: Call) -> dict[str, str]:
    """The environment of the command: ours, our commands first on its PATH, and its workspace for them."""
    from patchkit.tools.executing.commands import commands_directory

    env = dict(os.environ)
    directory = commands_directory(call.files)
    if directory is not None:
        env["PATH"] = f"{directory}:{env.get('PATH') or os.defpath}"
    env["PATCHKIT_ROOT"] = call.files.root
    if call.caller.agent:
        env["PATCHKIT_AGENT"] = "1"
    return env


def _verdict(call: Call, script: str, where: str, env: dict[str, str]) -> Verdict | None:
    """What the script is, where it is a matter of apply_patch; None when a shell shall run it as it is."""
    from patchkit.shell.mention import is_bare_patch, mentions

    if call.flag("no_intercept") or not (mentions(script) or is_bare_patch(script)):
        return None
    from patchkit.shell.classifying import classify_script

    verdict = classify_script(script, where, env)
    return None if verdict.verdict == "other" and verdict.then is None else verdict


def _refused(call: Call, verdict: Verdict) -> Result:
    """A call of apply_patch that cannot be trusted: why, and how to write it."""
    call.notes.append(Note("P974"))
    error = PatchkitError(str(verdict.code))
    result = Result("error", {}, f"error[{verdict.code}]: {verdict.reason}\n  = help: {verdict.help}\n")
    result.errors = [{**error_data(error), "message": verdict.reason, "hint": verdict.help}]
    return result


# -- running -------------------------------------------------------------------------------------
class _Job:
    """One command under way: where it runs, how long it may, and what has been said so far."""

    def __init__(self, call: Call, where: str, env: dict[str, str], timeout: int) -> None:
        self.call = call
        self.where = where
        self.env = env
        self.timeout = timeout
        self.output = Output(call.files, call.text("tool_call_id") or new_id(), call.caller.on_output)
        self.applied: dict[str, object] | None = None
        self.started = time.monotonic()

    def run(self, script: str) -> Result:
        """Lets a shell run the script."""
        plan = RunRequest([*_shell(), "-c", script], self.where, self.env, self.timeout)
        if self.call.caller.stdin is not None:
            plan.stdin = self.call.caller.stdin
        text = script.encode("utf-8", "surrogateescape")
        if len(text) <= _LONGEST_ARGUMENT:
            return self._told(run_command(plan, self.output.take))
        from tempfile import TemporaryFile

        with TemporaryFile(buffering=0) as file:  # too long for an argument
            file.write(text)
            file.seek(0)
            plan.argv, plan.passed = [*_shell(), f"/dev/fd/{file.fileno()}"], [file.fileno()]
            return self._told(run_command(plan, self.output.take))

    def apply(self, patch: str, workdir: str) -> Result:
        """Applies the patch of a script that is nothing but the call."""
        return self._told(self._apply(patch, workdir, last=True))

    def apply_then_run(self, then: Then) -> Result:
        """Applies the patch and lets a shell run the rest, in any case or only if it was applied."""
        status = self._apply(then.patch, then.workdir, last=False)
        if status and then.operator == "&&":
            return self._told(status)
        return self.run(f"{then.setup}\n{then.rest}" if then.setup else then.rest)

    def _apply(self, patch: str, workdir: str, last: bool) -> int:
        """Applies a patch as the command would, says what it would say, and gives its exit status."""
        asking = self.call.caller
        caller = Caller(self.call.files.root, workdir, asking.agent)
        if last:  # else signals must still end what runs afterwards
            caller.on_commit = asking.on_commit
        result = call_tool("apply_patch", {"input": patch}, caller)
        said = result.text if result.text.endswith("\n") else result.text + "\n"
        notes = "".join(f"note[{note['code']}]: {note['message']}\n" for note in result.notes)
        self.output.take((said + notes).encode("utf-8", "surrogateescape"))
        self.applied = {"status": result.status, "errors": result.errors, **result.data}
        if not result.errors:
            return 0
        return 5 if result.errors[0]["code"] == "P404" else 1

    def _told(self, ran: Ran | int) -> Result:
        """The Result: what was said, and how it ended."""
        text = self.output.close()
        data: dict[str, object] = {
            "exit_code": ran if isinstance(ran, int) else ran.status,
            "signal": None if isinstance(ran, int) else ran.signal,
            "timed_out": not isinstance(ran, int) and ran.timed_out,
            "timeout": self.timeout,
            "duration_ms": round((time.monotonic() - self.started) * 1000),
            "output": text,
            "truncated": self.output.truncated,
            "output_file": self.output.path,
            "output_bytes": self.output.size,
            "cwd": self.where,
            "patch": self.applied,
        }
        self.call.notes.extend(self.output.notes)
        if not isinstance(ran, int) and ran.left:
            self.call.notes.append(Note("P971"))
        result = Result("partial" if data["timed_out"] else "success", data, _shown(text, data))
        if data["timed_out"]:
            result.errors = [error_data(_late(self.timeout))]
        return result


def _shown(text: str, data: dict[str, object]) -> str:
    """The output with the remarks below it; without any, that it is so."""
    if not text:
        text = "No output.\n" if remarks(data) else "The command succeeded with no output.\n"
    return (text if text.endswith("\n") or not remarks(data) else text + "\n") + remarks(data)


def _shell() -> list[str]:
    from shutil import which

    return [which("bash") or "sh"]
