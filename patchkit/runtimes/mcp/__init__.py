"""A server of the Model Context Protocol over two streams: the tools of one workspace for one client.

Takes the lines that a client sends, one JSON message each; sends answers, out of order where calls take longer than
others. Calls run in a bounded number of threads, and commands in others, so that a slow command holds no read. A call
that the client cancels is stopped and not answered. At the end of the input the calls under way are answered, and
commands that still run are ended. Opening the streams and ending the process is left to `cli.commands.mcp`, the
shape of messages to `protocol`.
"""

from __future__ import annotations

import json
import os
import time
from _thread import allocate_lock, start_new_thread

from patchkit.errors import PatchkitError
from patchkit.policy import EXECUTE, READ, WRITE
from patchkit.report.result import Json, Result
from patchkit.runtimes.answers import Host, refusal
from patchkit.runtimes.mcp import protocol
from patchkit.runtimes.mcp.protocol import VERSIONS, ProtocolVersion
from patchkit.runtimes.prompt import with_own_names, words
from patchkit.tools.registry import TOOLS
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from patchkit.tools.declaration import Tool


# Where a server may work whose workspace was not named: in a project. Clients start servers in `/` or in the user's
# home: these, and what contains them, are never a project, whatever lies in them.
_MARKS = (
    *(".git", ".hg", ".svn", ".jj", ".patchkit.toml", "pyproject.toml", "setup.py", "package.json", "Cargo.toml"),
    *("go.mod", "pom.xml", "build.gradle", "CMakeLists.txt", "Makefile", "composer.json", "Gemfile", "mix.exs"),
    *(".mcp.json", "opencode.json", ".claude", ".codex", ".gemini", ".cursor", ".vscode", ".windsurf", ".zed", ".idea"),
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md"),
)
UNNAMED = "no project is around it, and it was not named as the workspace, so nothing is changed there"


def is_project(directory: str) -> bool:
    """Whether a directory is in a project: it or one above it has a mark, up to the user's home."""
    here, home = os.path.realpath(directory), os.path.realpath(os.path.expanduser("~"))
    while not _is_wide(here, home):
        if any(os.path.lexists(f"{here}/{mark}") for mark in _MARKS):
            return True
        here = os.path.dirname(here)
    return False


def warning(directory: str) -> str:
    """What a client reads first where a server may only read."""
    return (
        f"This server only reads: it was started in '{directory}', and {UNNAMED}. "
        "Ask the person to start it with '--root DIR', or with 'patchkit install'."
    )


def place_of(uri: object) -> str:
    """The directory that a root of a client names; '' where it is none, or one that is too wide."""
    from urllib.parse import unquote, urlsplit

    if not isinstance(uri, str) or not uri.startswith("file://"):
        return ""
    path = os.path.abspath(unquote(urlsplit(uri).path) or "/")
    home = os.path.realpath(os.path.expanduser("~"))
    return path if os.path.isdir(path) and not _is_wide(os.path.realpath(path), home) else ""


def _is_wide(directory: str, home: str) -> bool:
    """Whether a directory is the whole disk, the user's home, or contains it."""
    return directory == "/" or f"{home}/".startswith(f"{directory}/")


_MOST_THREADS = {READ: 32, WRITE: 1, EXECUTE: 32}  # calls at once
_LONGEST_LINE = 256 << 20  # bytes of one message
_BETWEEN_PROGRESS = 0.1  # seconds
_LONGEST_MESSAGE = 200  # characters of a line of output in a progress notification
_PATIENCE_FOR_ROOTS = 5.0  # seconds in which a client may say where it works
_ROOTS = "patchkit-roots"  # the id of our only request
_PATIENCE_AT_END, _PATIENCE_WITH_COMMANDS, _PATIENCE_AFTER_CANCEL = 1.0, 0.3, 1.6  # seconds; clients wait for two


class _CallUnderWay(Record):
    """A call of a tool that runs in its own thread."""

    runs_command: bool
    is_cancelled: bool = False
    unanswered: bool = False  # the client wants no answer any more
    is_answered: bool = False  # it may use the id again


class _CallQueue(list["Callable[[], None]"]):
    """Calls that wait for a thread, and how many threads there are.

    Commands, which are slow, have a queue of their own. So have changes: only one at a time has the lock of the
    workspace, and threads that try for it again and again could leave one waiting until it is refused.
    """

    threads = 0


class McpServer:
    """The tools of a workspace for one client: all, or those of `names`, and of these perhaps only tools that read."""

    def __init__(
        self,
        host: Host,
        send: Callable[[bytes], object],
        read_only: bool = False,
        names: list[str] | None = None,
        structured: str = "",
        unsure: str = "",
    ) -> None:
        self._host = host
        self._send_line = send  # takes one message at a time, encoded, with its line end
        self._structured = structured  # which facts for programs a result has
        # Why nothing may be changed in the host's directory, which was not named as the workspace: then the client's
        # root counts if it has exactly one, and until then calls that change something are refused.
        self._unsure = unsure
        self._told = not unsure  # whether a result has said that nothing may be changed
        self._asks_until = 0.0  # when the client has to have said where it works
        chosen = [tool for tool in TOOLS if names is None or tool.name in names]
        self._tools: dict[str, Tool] = {tool.name: tool for tool in chosen if not read_only or tool.effect == READ}
        self._version: ProtocolVersion | None = None  # of the connection; not known before its first request
        self._sending, self._changing = allocate_lock(), allocate_lock()
        self._calls: dict[object, _CallUnderWay] = {}
        self._queues = {effect: _CallQueue() for effect in _MOST_THREADS}

    def serve(self, lines: Iterator[bytes]) -> None:
        """Answers every line until there are no more, and ends what is under way."""
        try:
            for line in lines:
                if line.strip():
                    self._take(line)
            # Calls that were read before the end are answered; a command gets less time than a file.
            self._wait(_PATIENCE_WITH_COMMANDS)
            self._cancel_all(commands_only=True)
            self._wait(_PATIENCE_AT_END)
        finally:
            self._cancel_all()
            self._wait(_PATIENCE_AFTER_CANCEL)

    def _cancel_all(self, commands_only: bool = False) -> None:
        """Ends the calls under way: commands with all that they started."""
        with self._changing:
            for each in self._calls.values():
                each.is_cancelled = each.is_cancelled or each.runs_command or not commands_only

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self._calls and time.monotonic() < deadline:
            time.sleep(0.005)

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._send(protocol.error(None, protocol.PARSE_ERROR, f"the message is not JSON: {str(error)[:100]}"))
            return
        if isinstance(message, list):
            self._take_batch(message)
        else:
            self._dispatch(message, lambda answer: self._send(answer) if answer is not None else None)

    def _take_batch(self, messages: list[object]) -> None:
        """Answers several messages with one array; a version without batches has none."""
        if not messages or (self._version is not None and not self._version.batches):
            wrong = "an empty array" if not messages else "this version of the protocol has no batches"
            self._send(protocol.error(None, protocol.INVALID_REQUEST, wrong))
            return
        answers: list[Json | None] = []
        expected = sum(1 for each in messages if not _is_notification(each))

        def gather(answer: Json | None) -> None:
            with self._changing:
                answers.append(answer)
                complete = len(answers) == expected
            wanted = [each for each in answers if each is not None]
            if complete and wanted:
                self._send(wanted)

        for each in messages:
            self._dispatch(each, gather)

    def _dispatch(self, message: object, reply: Callable[[Json | None], None]) -> None:
        """Answers one message, at once or from a thread."""
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            if isinstance(message, dict) and ("result" in message or "error" in message):
                if message.get("id") == _ROOTS:
                    self._take_roots(message.get("result"))
                return
            identity = message.get("id") if isinstance(message, dict) else None
            reply(protocol.error(identity, protocol.INVALID_REQUEST, "the message is not a request"))
            return
        method, params = message["method"], message.get("params")
        if "id" not in message:
            if method == "notifications/cancelled" and isinstance(params, dict):
                self._cancel(params.get("requestId"))
            if method == "notifications/initialized" and self._asks_until:
                self._send({"jsonrpc": "2.0", "id": _ROOTS, "method": "roots/list"})
            return
        identity = message["id"]
        if isinstance(identity, bool) or not isinstance(identity, (str, int)):
            reply(protocol.error(None, protocol.INVALID_REQUEST, "the id of a request is a string or a whole number"))
            return
        if message.get("jsonrpc") != "2.0":
            reply(protocol.error(identity, protocol.INVALID_REQUEST, "'jsonrpc' is '2.0'"))
            return
        if params is not None and not isinstance(params, dict):
            reply(protocol.error(identity, protocol.INVALID_PARAMS, "'params' is an object"))
            return
        answer = self._answer(identity, method, params or {}, reply)
        if answer is not None:
            reply(answer)

    def _answer(self, identity: Any, method: str, params: Json, reply: Callable[[Json | None], None]) -> Json | None:
        """The answer to a request; None for a call, which is answered from its thread."""
        if method == "initialize":
            return self._initialize(identity, params)
        version = self._version_of(params)
        if isinstance(version, tuple):
            return protocol.error(identity, *version)
        if method != "server/discover" and not version.handshake:  # who waits in vain for that goes on with a handshake
            self._version = self._version or version
        if method == "tools/call":
            return self._call(version, identity, params, reply)
        if method == "ping":
            return protocol.response(identity, protocol.complete(version, {}))
        if method == "server/discover" and not version.handshake:
            found = protocol.discovered(self.instructions)
        elif method == "tools/list":
            if params.get("cursor") is not None:
                return protocol.error(identity, protocol.INVALID_PARAMS, "the list of tools is whole: it has no cursor")
            found = protocol.listed(version, list(self._tools.values()), bool(self._structured))
        else:
            return protocol.error(identity, protocol.METHOD_NOT_FOUND, f"there is no method '{method[:100]}'")
        return protocol.response(identity, protocol.complete(version, found))

    @property
    def instructions(self) -> str:
        said = with_own_names(words(set(self._tools), markdown=False))
        return f"{self._unsure}\n\n{said}" if self._unsure and not self._asks_until else said

    def _initialize(self, identity: object, params: Json) -> Json:
        """Agrees on a version: the client's if it is known, else the newest one with a handshake."""
        asked = params.get("protocolVersion")
        if not isinstance(asked, str):
            return protocol.error(identity, protocol.INVALID_PARAMS, "'protocolVersion' is missing")
        if self._version is not None and not self._version.handshake:
            refused = {"supported": protocol.MODERN, "requested": asked}
            message = f"this connection speaks {self._version.name}, which has no 'initialize'"
            return protocol.error(identity, protocol.UNSUPPORTED_VERSION, message, refused)
        self._version = VERSIONS[asked if asked in protocol.HANDSHAKES else protocol.HANDSHAKES[-1]]
        self._know_client(params.get("clientInfo"))
        capabilities = params.get("capabilities")
        if self._unsure and isinstance(capabilities, dict) and "roots" in capabilities:
            self._asks_until = time.monotonic() + _PATIENCE_FOR_ROOTS
        return protocol.response(identity, protocol.initialized(self._version, self.instructions))

    def _version_of(self, params: Json) -> ProtocolVersion | tuple[int, str, object]:
        """The version of a request: its own, else that of the connection; or the error that it gets.

        A client that sends its requests without waiting for `initialize` gets the newest version with a handshake.
        """
        meta = params.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        given = meta.get(protocol.VERSION_KEY)
        if given is None:
            if self._version is not None and not self._version.handshake:
                return protocol.INVALID_PARAMS, f"'_meta' has no '{protocol.VERSION_KEY}'", None
            return self._version or VERSIONS[protocol.HANDSHAKES[-1]]
        if not isinstance(given, str):
            return protocol.INVALID_PARAMS, f"'{protocol.VERSION_KEY}' is a string", None
        if not isinstance(meta.get(protocol.CAPABILITIES_KEY), dict):
            return protocol.INVALID_PARAMS, f"'_meta' has no '{protocol.CAPABILITIES_KEY}', which is an object", None
        if given not in protocol.MODERN:
            refused = {"supported": protocol.MODERN, "requested": given}
            return protocol.UNSUPPORTED_VERSION, "this version of the protocol is not supported", refused
        self._know_client(meta.get(protocol.CLIENT_KEY))
        return VERSIONS[given]

    def _know_client(self, told: object) -> None:
        """Only Claude's own clients get its reminders."""
        name = told.get("name") if isinstance(told, dict) else None
        self._host.reminds = isinstance(name, str) and "claude" in name.lower()

    def _take_roots(self, result: object) -> None:
        """Takes the client's root as the workspace, if it has exactly one and that is a project's directory."""
        rows = result.get("roots") if isinstance(result, dict) else None
        found = rows if isinstance(rows, list) else []
        root = place_of(found[0].get("uri")) if len(found) == 1 and isinstance(found[0], dict) else ""
        if root and self._unsure:
            self._host.work_in(root)
            self._unsure, self._told = "", True
        self._asks_until = 0.0

    def _refused(self, tool: Tool) -> Result | None:
        """The refusal of a call that would change something in a workspace that was not named."""
        while self._asks_until and time.monotonic() < self._asks_until:
            time.sleep(0.01)
        if not self._unsure or tool.effect == READ:
            return None
        return refusal(PatchkitError("P312", root=self._host.root, reason=UNNAMED))

    def _call(
        self, version: ProtocolVersion, identity: object, params: Json, reply: Callable[[Json | None], None]
    ) -> Json | None:
        name = params.get("name")
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            allowed = ", ".join(self._tools)
            return protocol.error(identity, protocol.INVALID_PARAMS, f"unknown tool {name!r}; the tools are: {allowed}")
        under_way = _CallUnderWay(tool.effect == EXECUTE)
        with self._changing:
            known = self._calls.get(identity)
            if known is not None and not known.is_answered:
                return protocol.error(identity, protocol.INVALID_REQUEST, "a request with this id is under way")
            self._calls[identity] = under_way
        arguments = params.get("arguments")
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        token = token if isinstance(token, (str, int)) and not isinstance(token, bool) else None

        def work() -> None:
            try:
                self._answer_call(version, identity, tool, {} if arguments is None else arguments, token, reply)
            finally:
                with self._changing:
                    if self._calls.get(identity) is under_way:
                        del self._calls[identity]

        queue = self._queues[tool.effect]
        with self._changing:
            queue.append(work)
            if queue.threads >= _MOST_THREADS[tool.effect]:
                return None
            queue.threads += 1
        try:
            start_new_thread(self._work_off, (queue,))
        except RuntimeError:  # no thread is left: then the others wait
            self._work_off(queue)
        return None

    def _work_off(self, queue: _CallQueue) -> None:
        """Makes the calls of a queue, one after the other, until there is none."""
        while True:
            with self._changing:
                if not queue:
                    queue.threads -= 1
                    return
                work = queue.pop(0)
            work()

    def _answer_call(
        self,
        version: ProtocolVersion,
        identity: object,
        tool: Tool,
        arguments: object,
        token: str | int | None,
        reply: Callable[[Json | None], None],
    ) -> None:
        under_way = self._calls[identity]
        progress = _CallProgress(token, self._send, under_way) if token is not None else None
        try:
            result = self._refused(tool) or self._host.call(
                tool.name,
                arguments,
                cancelled=lambda: under_way.is_cancelled,
                on_output=progress.output if progress is not None else None,
                on_progress=progress.step if progress is not None else None,
            )
            if not self._told:
                self._told = True
                result.text = f"{self._unsure}\n{result.text}"
            called = protocol.called(version, result, self._structured)
            answer = protocol.response(identity, protocol.complete(version, called))
        except Exception as error:  # an internal error is an answer, too
            said = f"{type(error).__name__}: {error}"
            answer = protocol.error(identity, protocol.INTERNAL_ERROR, said)
        under_way.is_answered = True
        reply(None if under_way.unanswered else answer)

    def _cancel(self, identity: object) -> None:
        """Stops a call, which is then not answered; a request that is unknown or answered is ignored."""
        with self._changing:
            under_way = self._calls.get(identity) if isinstance(identity, (str, int)) else None
        if under_way is not None:
            under_way.is_cancelled = under_way.unanswered = True

    def _send(self, message: Json | list[Json]) -> None:
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        data = line.encode("utf-8", "backslashreplace") + b"\n"
        with self._sending:
            self._send_line(data)


class _CallProgress:
    """Progress of a call: the bytes that a command has written with the last line of them, or steps over files."""

    def __init__(self, token: str | int, send: Callable[[Json], None], under_way: _CallUnderWay) -> None:
        self._token = token
        self._under_way = under_way
        self._send = send
        self._done = 0
        self._next = 0.0

    def output(self, data: bytes) -> None:
        if data:
            line = data.decode("utf-8", "replace").rstrip().rpartition("\n")[2]
            self._advance(len(data), line[:_LONGEST_MESSAGE])

    def step(self, doing: str, number: int, count: int) -> None:
        self._advance(1, f"{doing} file {number + 1} of {count}" if count else doing)

    def _advance(self, amount: int, message: str) -> None:
        self._done += amount
        now = time.monotonic()
        if now < self._next or self._under_way.is_cancelled:
            return
        self._next = now + _BETWEEN_PROGRESS
        params: Json = {"progressToken": self._token, "progress": self._done}
        params.update({"message": message} if message else {})
        self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


def _is_notification(message: object) -> bool:
    """Whether a message gets no answer: a notification, or itself an answer."""
    if not isinstance(message, dict):
        return False
    if not isinstance(message.get("method"), str):
        return "result" in message or "error" in message
    return "id" not in message


def lines_of(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """The lines that come through a stream, split at line feeds only; the last one may end with the stream."""
    rest: list[bytes] = []
    size = 0
    while piece := read(1 << 16):
        first, *others = piece.split(b"\n")
        rest.append(first)
        size += len(first)
        if others:
            yield b"".join(rest)
            yield from others[:-1]
            rest, size = [others[-1]], len(others[-1])
        if size > _LONGEST_LINE:
            rest, size = [b"\0"], 1  # with what is left of the line it is answered as one that is not JSON
    if size:
        yield b"".join(rest)
