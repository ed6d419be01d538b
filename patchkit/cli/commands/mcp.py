"""The `patchkit mcp` command: the streams of the server, and the configuration that makes a client start it.

A client waits for the server at the beginning of every session, so the quick reader reads its arguments. The
protocol's messages go through copies of standard input and output that no child inherits; the originals become
nothing and standard error, so that no command can read from the protocol or write into it.
"""

from __future__ import annotations

import os
import select
import signal

from patchkit.cli import DONE, CommandLineError, Interrupted, roll_back_on_signals, taken, write
from patchkit.cli.quick import AS_AGENT, ROOT, Flag, Given, QuickCommand
from patchkit.errors import PatchkitError
from patchkit.policy import is_agent
from patchkit.runtimes.answers import Host
from patchkit.runtimes.mcp import McpServer, is_project, lines_of, warning
from patchkit.tools.registry import TOOLS, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


MCP_CLIENTS = (*("claude", "codex", "gemini", "copilot", "opencode", "cursor", "vscode", "windsurf", "cline", "zed"),)


def _run(given: Given) -> int:
    """Serves until the input ends; returns the exit status."""
    names = _tools(given)
    root, unsure = _root(given)
    if "install" in given:
        return _install(str(given["install"]), _options(given))
    agent = bool(given.get("agent")) or is_agent()
    serves = {"read_only": bool(given.get("read_only")), "names": names, "unsure": unsure}
    return _serve(Host(root, agent), structured=str(given.get("structured") or ""), **serves)


def _serve(host: Host, **serves: Any) -> int:
    incoming, outgoing = _own_streams()
    # Where the client is gone, the end of the input follows.
    server = McpServer(host, lambda data: write(outgoing, data), **serves)
    try:
        roll_back_on_signals()
        server.serve(lines_of(_interruptible(incoming)))
    except (Interrupted, OSError):
        pass  # the server has ended its calls; or the input is broken, and no more requests can come
    return DONE


def _interruptible(stream: int) -> Callable[[int], bytes]:
    """Reads a stream so that a signal is noticed at once; one right before a plain read would wait for more input."""
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    events = select.poll()
    for each in (stream, woken):
        events.register(each, select.POLLIN)

    def read(size: int) -> bytes:
        while True:
            ready = [each for each, _ in events.poll()]
            if woken in ready:
                os.read(woken, size)  # whatever the signal means has happened by now
            if stream in ready:
                return os.read(stream, size)

    return read


def _own_streams() -> tuple[int, int]:
    """Copies of standard input and output that no child inherits; children get nothing and standard error."""
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
    if nothing > 2:
        os.close(nothing)
    return incoming, outgoing


def _root(given: Given) -> tuple[str, str]:
    """The workspace, and why nothing may be changed in it; '' where it is named, or is a project."""
    named = given.get("root") or os.environ.get("PATCHKIT_ROOT")
    root = os.path.abspath(str(named or os.getcwd()))
    if not os.path.isdir(root):
        raise CommandLineError(f"the workspace '{root}' is not a directory")
    return root, "" if named or is_project(root) else warning(root)


def _tools(given: Given) -> list[str] | None:
    """The published names of the tools that are offered; None for all."""
    if "tools" not in given:
        return [tool.name for tool in TOOLS if tool.name != "Bash"] if given.get("no_bash") else None
    try:
        names = [named(name.strip()).name for name in str(given["tools"]).split(",") if name.strip()]
        return [name for name in names if name != "Bash" or not given.get("no_bash")]
    except PatchkitError as error:
        raise CommandLineError(f"{error.message}; {error.hint}") from None


def _options(given: Given) -> list[str]:
    """The options as a client has to give them."""
    words = ["--root", os.path.abspath(str(given["root"]))] if "root" in given else []
    words += [word for word, field in (("--read-only", "read_only"), ("--no-bash", "no_bash")) if given.get(field)]
    words += ["--tools", str(given["tools"])] if "tools" in given else []
    return [*words, "--as-agent"] if given.get("agent") else words


def _install(client: str, options: list[str]) -> int:
    """Prints what belongs into the client's configuration, and on standard error which file that is."""
    from patchkit.cli.commands.install import server_words
    from patchkit.runtimes.setup.clients import CLIENTS, ClientSetup, our_command

    chosen = CLIENTS[client]
    words = server_words(chosen, os.getcwd(), "--root" in options, "none")
    words = words[: words.index("--root")] if "--root" in options and "--root" in words else words
    where, text = chosen.configuration(ClientSetup(our_command(), [*words, *options], False))
    taken(write(1, text))
    alone = f"patchkit mcp: headless: {chosen.program} {chosen.alone}\n" if chosen.alone else ""
    write(2, f"patchkit mcp: put this into {where}\npatchkit mcp: or run: patchkit install {client} --mcp\n{alone}")
    return DONE


MCP = QuickCommand(
    "mcp",
    """Serve the tools to an agent by the Model Context Protocol.

Serves the tools of one workspace on standard input and output, until the input ends. The workspace is fixed when the
server starts.
""",
    _run,
    rows=(
        ROOT,
        Flag("--read-only", "offer only tools that change nothing"),
        Flag("--tools", "offer only these tools", ", separated by commas", value="A,B"),
        Flag("--no-bash", "do not offer Bash", ": for clients that run commands in a sandbox of their own"),
        Flag(
            "--structured",
            "add facts for programs to each result",
            " (all: with hashes and everything else)",
            value="WHAT",
            alone="facts",
            choices=("facts", "all"),
        ),
        AS_AGENT,
        Flag(
            "--install",
            "print the configuration for a client",
            " and where it goes; 'patchkit install' writes it",
            value="CLIENT",
            choices=MCP_CLIENTS,
        ),
    ),
    usage=("patchkit mcp [OPTIONS]", "patchkit mcp [OPTIONS] --install CLIENT"),
)
quick = MCP.called
