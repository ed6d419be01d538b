"""Run a command in the workspace, within limits.

Takes a script and how long it may run; returns its merged output and how it ended: a status other than 0 is an answer
like any other. A command on the list of `shell.inventory` is refused before it runs, and a call of apply_patch is not
run by a shell but applied here. The command finds our own commands first on its PATH. Where a large output goes is
said in CommandOutput.
"""

from __future__ import annotations

import os
import sys
import time
from hashlib import sha256
from mmap import ACCESS_READ, mmap
from shlex import join, quote
from shutil import which
from tempfile import TemporaryFile

import patchkit
from patchkit import __version__
from patchkit.core.workspace import NEW, write_closing
from patchkit.core.workspace.root import Workspace
from patchkit.errors import Note, PatchkitError
from patchkit.history.outputs import OutputFile, keep, new_id, place
from patchkit.policy.commands import of_command
from patchkit.policy.settings import settings
from patchkit.processes.running import Ran, RunRequest
from patchkit.processes.running import run as run_command
from patchkit.report.result import Json, Result, error_data
from patchkit.sandbox.choice import OFF, chosen
from patchkit.shell.classifying import classify_script, refuse_unsendable
from patchkit.shell.inventory import danger
from patchkit.shell.mention import is_bare_patch, mentions
from patchkit.tools.calling import call as call_tool
from patchkit.tools.declaration import Caller, Declaration, FieldSpelling, ToolCall, field, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from patchkit.shell.verdict import Then, Verdict


# An output that is too large for the answer goes to a file of our state directory, and the answer has its path and a
# preview; beyond the limit of the file its beginning and its end are kept. Memory is bounded, whatever is written.
CHARS_PER_TOKEN = 4
TOKEN_LIMIT = 20_000
MOST_CHARS = CHARS_PER_TOKEN * TOKEN_LIMIT
MOST_KEPT = 64 << 20  # bytes of one output that go to its file
TAIL = 1 << 20  # bytes of the end that are kept beyond that

TOO_LARGE = """Tool result too large, the result of this tool call {tool_call_id}
was saved in the filesystem at: {file_path}

You can read the result using {reader} with offset and limit parameters.

Here is a preview showing the head and tail of the result:
{content_sample}
"""
_SAMPLE_LINES = 5  # at each end
_SAMPLE_WIDTH = 1000  # characters of each
_WHOLE = 4 * MOST_CHARS  # bytes that may still be no more than so many characters


class CommandOutput:
    """What a command has written so far."""

    def __init__(
        self,
        files: Workspace,
        call_id: str,
        on_output: Callable[[bytes], object] | None = None,
        reader: str = "read_file",
    ) -> None:
        self.call_id = call_id
        self._reader = reader  # the name of the tool that reads a large output
        self.size = 0
        self.lines = 0
        self.notes: list[Note] = []
        self._files = files
        self._on_output = on_output
        self._head: list[bytes] = []  # all of it, until it is too much
        self._tail = bytearray()
        self._kept: OutputFile | None = None
        self._written = 0
        self._ends_line = True
        self.truncated = False  # too large for the answer

    def take(self, data: bytes) -> None:
        """Takes one piece of output, and passes it to `on_output`."""
        if self._on_output is not None:
            self._on_output(data)
        self.size += len(data)
        self.lines += data.count(b"\n")
        self._ends_line = data.endswith(b"\n")
        if not self.truncated:
            self._head.append(data)
            if self.size > _WHOLE:
                self._grow()
        else:
            self._write(data)
            self._remember(data)

    @property
    def path(self) -> str | None:
        """The file with the whole output, where it was too large for the answer."""
        return self._kept.path if self._kept is not None else None

    def close(self) -> str:
        """Ends the output: returns the text of the answer."""
        if not self.truncated:
            text = _decoded(b"".join(self._head))
            if len(text) <= MOST_CHARS:
                return text
            self._grow()
        if self._kept is None:
            return self._cut()
        self._write_end()
        sample = self._sample(self._kept.fd)
        os.close(self._kept.fd)
        told = {"tool_call_id": self.call_id, "file_path": self._kept.path, "reader": self._reader}
        return TOO_LARGE.format(**told, content_sample=sample)

    def _grow(self) -> None:
        """Moves the output from memory to a file; only its beginning and its end stay in memory."""
        self.truncated = True
        whole = b"".join(self._head)
        self._head = [whole[:_WHOLE]]
        self._remember(whole[-TAIL:])
        try:
            self._kept = keep(self._files, self.call_id)
        except OSError as error:
            self._note_loss(error)
        self._write(whole)

    def _write(self, data: bytes) -> None:
        if self._kept is None:
            return
        data = data[: MOST_KEPT - self._written]
        try:
            while data:
                count = os.write(self._kept.fd, data)
                self._written += count
                data = data[count:]
        except OSError as error:  # the disk is full: half a file must not pass for the whole output
            os.close(self._kept.fd)
            self._kept = None
            self._note_loss(error)

    def _write_end(self) -> None:
        """Writes what was beyond the limit of the file: how much is missing, and the end."""
        beyond = self.size - self._written
        if self._kept is None or beyond <= 0:
            return
        tail = bytes(self._tail[-min(TAIL, beyond) :])
        missing = beyond - len(tail)
        self.notes.append(Note("P972", saved="part", kept=self._written, tail=len(tail), size=self.size))
        try:
            os.write(self._kept.fd, f"\n... [{missing} bytes omitted] ...\n".encode() + tail)
        except OSError:
            pass  # the note says that the end is not there

    def _note_loss(self, error: OSError) -> None:
        self.notes.append(Note("P972", saved="nothing", reason=(error.strerror or str(error)).lower()))

    def _remember(self, data: bytes) -> None:
        self._tail += data
        if len(self._tail) > 2 * TAIL:
            del self._tail[:-TAIL]

    def _sample(self, fd: int) -> str:
        """The first and the last lines, and how many are between them."""
        total = self.lines + (not self._ends_line)
        head = min(_SAMPLE_LINES, total)
        tail = min(_SAMPLE_LINES, total - head)
        with mmap(fd, 0, access=ACCESS_READ) as content:
            shown = [*_first_lines(content, head), *_last_lines(content, tail)]
        between = total - head - tail
        if between:
            shown.insert(head, f"... [{between} line{'s' if between > 1 else ''} omitted] ...")
        return "\n".join(shown)

    def _cut(self) -> str:
        """The beginning and the end as text, where there is no file."""
        head = _decoded(b"".join(self._head))[: MOST_CHARS // 2]
        tail = _decoded(bytes(self._tail))[-(MOST_CHARS // 2) :]
        missing = (
            self.size - len(head.encode("utf-8", "surrogateescape")) - len(tail.encode("utf-8", "surrogateescape"))
        )
        return f"{head}\n... [{missing} bytes omitted] ...\n{tail}"


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _first_lines(content: mmap, count: int) -> Iterator[str]:
    at = 0
    for _ in range(count):
        end = content.find(b"\n", at)
        end = len(content) if end < 0 else end
        yield _line(content, at, end)
        at = end + 1


def _last_lines(content: mmap, count: int) -> list[str]:
    end = len(content) - (content[-1:] == b"\n")
    found: list[str] = []
    for _ in range(count):
        start = content.rfind(b"\n", 0, end) + 1
        found.append(_line(content, start, end))
        end = start - 1
    return found[::-1]


def _line(content: mmap, start: int, end: int) -> str:
    """One line of a preview; of one that is too long its beginning."""
    text = _decoded(content[start : min(end, start + 4 * _SAMPLE_WIDTH)])[:_SAMPLE_WIDTH]
    cut = end - start - len(text.encode("utf-8", "surrogateescape"))
    return f"{text} ... [{cut} more bytes in this line]" if cut else text


DEFAULT_TIMEOUT, MOST_TIMEOUT = 120, 3600
_LONGEST_ARGUMENT = 100_000  # bytes of a script given with '-c'; the system takes a little more
DESCRIPTION = """\
Runs a command with bash in the workspace and returns what it writes, standard output and errors in one.
The command has no terminal and no input. It may run for 120 seconds unless you give a timeout, in seconds, of up to \
3600; then it is ended with everything it started, and what it wrote until then is returned. A command that ends with \
another status than 0 is not an error of this tool: read what it says. Start servers and watchers in the background, \
with their output in a file.
You MUST avoid using search commands like find and grep. Instead use the grep, glob tools to search. You MUST avoid \
read tools like cat, head, tail, and use read_file to read files.
Change files with apply_patch: alone in the command, as "apply_patch <<'EOF'", the patch on the next lines, and 'EOF' \
alone on the last line.
When a tool result is too large, it may be offloaded into the filesystem instead of being returned inline. In those \
cases, use read_file to inspect the saved result in chunks, or use grep within /large_tool_results/ if you need to \
search across offloaded tool results."""
SCHEMA: Json = fields(
    "command",
    command={
        "type": ["string", "array"],
        "items": {"type": "string"},
        "description": "The command, as the text of a bash script or as a list of words",
    },
    timeout={
        "type": "integer",
        "description": f"Seconds it may run (default {DEFAULT_TIMEOUT}, at most {MOST_TIMEOUT})",
        "minimum": 1,
    },
)
EXTRAS: Json = {
    "cwd": field("string", "Where it runs, in the workspace (default: where relative paths start)"),
    "tool_call_id": field("string", "The id under which a large output is kept"),
    "no_intercept": field("boolean", "Leave calls of apply_patch to the shell"),
    "description": field("string", "What the command is for, in a few words"),
}
_MAINS = {
    "apply_patch": "patchkit.cli.apply_patch",
    "applypatch": "patchkit.cli.apply_patch",
    "patchkit": "patchkit.cli.main",
}
# -P: a package 'patchkit' in the directory where the command runs must not be taken for ours.
_SCRIPT = '#!/bin/sh\nexec {python} -P -c {code} "$@"\n'
_CODE = "import sys; sys.path.append({home!r}); from {main} import main; main()"


def run(call: ToolCall) -> Result:
    script, timeout = _script_of(call.get("command")), call.number("timeout", DEFAULT_TIMEOUT)
    if timeout > MOST_TIMEOUT:
        said = f"Error: timeout {timeout}s exceeds maximum allowed ({MOST_TIMEOUT}s)."
        raise PatchkitError("P643", timeout=timeout, most=MOST_TIMEOUT, said=said)
    where = _directory(call)
    refuse_unsendable(script)
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
    assert verdict.then is not None, "any other verdict would have been None"
    return job.apply_then_run(verdict.then)


def _script_of(command: str | list[str]) -> str:
    """The text of the script: as it was given, or the words it was given as, quoted."""
    return join(command) if isinstance(command, list) else command


def remarks(data: Json) -> str:
    """Remarks about how a command ended, on lines of their own."""
    if data["timed_out"]:
        late = _late(data["timeout"])
        return f"error[{late.code}]: {late.message}\n  = help: {late.hint}\n"
    if data["signal"]:
        return f"[ended by {data['signal']}]\n"
    return f"[exit status {data['exit_code']}]\n" if data["exit_code"] else ""


def _late(timeout: object) -> PatchkitError:
    return PatchkitError("P641", seconds=timeout, most=MOST_TIMEOUT)


def _directory(call: ToolCall) -> str:
    """Where the command runs: a directory inside the workspace."""
    path = call.text("cwd", ".")
    entry = call.files.find(path)
    if entry.kind == "missing":
        raise PatchkitError("P302", file=path)
    if entry.kind != "directory":
        raise PatchkitError("P319", file=path)
    return os.path.join(call.files.root, entry.name) if entry.name != "." else call.files.root


def _refuse_danger(script: str) -> None:
    found = danger(script)
    if found:
        raise PatchkitError("P642", command=found, said="Error: Dangerous command blocked")


def _environment(call: ToolCall) -> dict[str, str]:
    """The environment of the command: ours, our commands first on its PATH, and its workspace for them."""
    env = dict(os.environ)
    if call.caller.agent:  # whose rules name commands, and not files of the workspace
        env["PATH"] = _without_relative(env.get("PATH") or os.defpath)
    directory = _commands_directory(call.files)
    if directory is not None:
        env["PATH"] = f"{directory}:{env.get('PATH') or os.defpath}"
    env["PATCHKIT_ROOT"] = call.files.root
    if call.caller.agent:
        env["PATCHKIT_AGENT"] = "1"
    if call.caller.session:
        env["PATCHKIT_SESSION"] = call.caller.session
    return env


def _verdict(call: ToolCall, script: str, where: str, env: dict[str, str]) -> Verdict | None:
    """What the script is, where it calls apply_patch; None when a shell runs it as it is."""
    if call.flag("no_intercept") or not (mentions(script) or is_bare_patch(script)):
        return None
    verdict = classify_script(script, where, env)
    return None if verdict.verdict == "other" and verdict.then is None else verdict


def _refused(call: ToolCall, verdict: Verdict) -> Result:
    """A call of apply_patch that cannot be trusted: why, and how to write it."""
    call.notes.append(Note("P974"))
    error = PatchkitError(str(verdict.code))
    result = Result("error", {}, f"error[{verdict.code}]: {verdict.reason}\n  = help: {verdict.help}\n")
    result.errors = [{**error_data(error), "message": verdict.reason, "hint": verdict.help}]
    return result


def _run_as_chosen(
    call: ToolCall, plan: RunRequest, take: Callable[[bytes], object], lock: int | None = None
) -> tuple[Ran, Json | None]:
    """Runs a command, in a sandbox where that was chosen; returns how it ended, and what its sandbox was.

    It holds the `lock`, but not in a sandbox: a handle of the root would lead out of that.
    """
    known = call.judge.settings if call.judge is not None else settings(call.files.real)
    choice = chosen(known, call.caller.agent, call.caller.sandbox, call.caller.network)
    if choice.mode == OFF:
        plan.passed = [*plan.passed, lock] if lock is not None else plan.passed
        return run_command(plan, take), None
    from patchkit.tools.sandboxed import run_in_sandbox  # most commands have none, and it loads ctypes

    ran, sandbox, notes = run_in_sandbox(call, choice, plan, take)
    call.notes.extend(notes)
    return ran, sandbox


def run_line(call: ToolCall, script: str, timeout: int, take: Callable[[bytes], object], words: list[str]) -> Ran:
    """Runs one line in the root for a run that is under way, with these arguments; `take` gets its output.

    It holds the lock of the run: should we be killed, no other run begins before it has ended.
    """
    refuse_unsendable(script)
    _refuse_danger(script)
    plan = RunRequest([*_shell_of(script), "bash", *words], call.files.root, _environment(call), timeout)
    plan.cancelled, plan.ends_group = call.caller.cancelled, True
    return _run_as_chosen(call, plan, take, call.files.lend_lock())[0]


class _Job:
    """One command: where it runs, how long it may run, and its output so far."""

    def __init__(self, call: ToolCall, where: str, env: dict[str, str], timeout: int) -> None:
        self.call = call
        self.where = where
        self.env = env
        self.timeout = timeout
        reader = "Read" if call.caller.by_call else "read_file"
        self.output = CommandOutput(call.files, call.text("tool_call_id") or new_id(), call.caller.on_output, reader)
        self.applied: Json | None = None
        self.sandbox: Json | None = None
        self.started = time.monotonic()

    def run(self, script: str) -> Result:
        plan = RunRequest(_shell_of(script), self.where, self.env, self.timeout)
        plan.cancelled, plan.streams = self.call.caller.cancelled, self.call.caller.streams
        if self.call.caller.stdin is not None:
            plan.stdin = self.call.caller.stdin
        text = script.encode("utf-8", "surrogateescape")
        if len(text) <= _LONGEST_ARGUMENT:
            return self._result(self._ran(plan))
        with _unnamed() as file:  # too long for an argument
            file.write(text)
            file.seek(0)
            plan.argv, plan.passed = [_shell(), f"/dev/fd/{file.fileno()}"], [file.fileno()]
            return self._result(self._ran(plan))

    def _ran(self, plan: RunRequest) -> Ran:
        ran, self.sandbox = _run_as_chosen(self.call, plan, self.output.take)
        return ran

    def apply(self, patch: str, workdir: str) -> Result:
        """Applies the patch of a script that only calls apply_patch."""
        return self._result(self._apply(patch, workdir, last=True))

    def apply_then_run(self, then: Then) -> Result:
        """Applies the patch and runs the rest in a shell: always, or only if the patch was applied."""
        status = self._apply(then.patch, then.workdir, last=False)
        if status and then.operator == "&&":
            return self._result(status)
        return self.run(f"{then.setup}\n{then.rest}" if then.setup else then.rest)

    def _apply(self, patch: str, workdir: str, last: bool) -> int:
        """Applies a patch as the command would, writes what it would write, and returns its exit status."""
        asking = self.call.caller
        caller = Caller(self.call.files.root, workdir, asking.agent, asking.may_fork)
        caller.session, caller.cancelled = asking.session, asking.cancelled
        if last:  # else signals must still end the rest of the script
            caller.on_commit = asking.on_commit
        result = call_tool("apply_patch", {"input": patch}, caller)
        said = result.text if result.text.endswith("\n") else result.text + "\n"
        notes = "".join(f"note[{note['code']}]: {note['message']}\n" for note in result.notes)
        self.output.take((said + notes).encode("utf-8", "surrogateescape"))
        self.applied = {"status": result.status, "errors": result.errors, **result.data}
        if not result.errors:
            return 0
        return 5 if result.errors[0]["code"] == "P404" else 1

    def _result(self, ran: Ran | int) -> Result:
        """The Result: the output, and how the command ended."""
        text = self.output.close()
        if not isinstance(ran, int):
            self.call.refuse_cancelled()
        data: Json = {
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
            "sandbox": self.sandbox,
        }
        self.call.notes.extend(self.output.notes)
        if not isinstance(ran, int) and ran.left:
            self.call.notes.append(Note("P971"))
        result = Result("partial" if data["timed_out"] else "success", data, _shown(text, data))
        if data["timed_out"]:
            result.errors = [error_data(_late(self.timeout))]
        return result


def _shown(text: str, data: Json) -> str:
    """The output with the remarks below it; a sentence where there is no output."""
    if not text:
        text = "No output.\n" if remarks(data) else "The command succeeded with no output.\n"
    return (text if text.endswith("\n") or not remarks(data) else text + "\n") + remarks(data)


def _unnamed() -> BinaryIO:
    """A file without a name: in memory where that can be, which a sandboxed command can open, too."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("script"), "r+b", buffering=0)
    return TemporaryFile(buffering=0)


def _shell() -> str:
    return which("bash", path=_without_relative(os.environ.get("PATH") or os.defpath)) or "/bin/sh"


def _shell_of(script: str) -> list[str]:
    dashed = ["--"] if script[:1] in ("-", "+") else []  # else it would be read as an option
    return [_shell(), "-c", *dashed, script]


def _without_relative(path: str) -> str:
    """A PATH without entries that count from the current directory: a file there is not a command of the system."""
    return ":".join(entry for entry in path.split(":") if entry.startswith("/"))


def _commands_directory(files: Workspace) -> str | None:
    """A directory with our commands and nothing else, for the PATH of a command; None where there is none.

    Not the directory we are installed in: that has a Python too, and a command would find it instead of its own. The
    small scripts are made once, in the state directory; where that cannot be written, the installed ones are used.
    """
    scripts = {name: _script(main) for name, main in _MAINS.items()}
    mark = sha256("".join(scripts.values()).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    try:
        directory = place(files, f"bin-{__version__}-{mark}")
        for name, text in scripts.items():
            _write(directory, name, text)
        return directory
    except OSError:
        beside = os.path.dirname(os.path.abspath(sys.executable or sys.argv[0]))
        return beside if os.path.exists(f"{beside}/apply_patch") else None


def _script(main: str) -> str:
    home = os.path.dirname(os.path.dirname(os.path.abspath(patchkit.__file__)))
    return _SCRIPT.format(python=quote(sys.executable or "python3"), code=quote(_CODE.format(home=home, main=main)))


def _write(directory: str, name: str, text: str) -> None:
    """Writes a script unless it exists: the name of its directory is a hash of what is in it."""
    path = f"{directory}/{name}"
    if os.access(path, os.X_OK):
        return
    staged = f"{path}.{os.getpid()}"
    write_closing(os.open(staged, NEW, 0o700), text.encode("utf-8", "surrogateescape"))
    os.replace(staged, path)


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    extras=EXTRAS,
    aliases={"cmd": "command", "script": "command", "workdir": "cwd", "directory": "cwd"},
    command_line=FieldSpelling(positional=("command",)),
    deeds=lambda deeds, given: of_command(deeds, _script_of(given["command"]), given.get("cwd", ".")),
)
