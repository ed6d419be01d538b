"""`patchkit serve`: the page of changes in a browser, until Ctrl-C."""

from __future__ import annotations

import webbrowser

from patchkit.cli import exit_status
from patchkit.cli.answer import print_result
from patchkit.cli.changes_server import ChangesServer
from patchkit.cli.flags import ROOT, Flag
from patchkit.cli.signals import end, raise_on_interrupt
from patchkit.cli.streams import write
from patchkit.cli.subcommand import Subcommand
from patchkit.errors import PatchkitError
from patchkit.report.result import failure
from patchkit.workspace.root import Workspace


def _serve(port: int, opens: bool, root: str | None) -> None:
    try:
        with Workspace(root) as files:
            where = files.real
        server = _listening(where, port)
    except PatchkitError as error:
        result = failure(error)
        print_result(result)
        end(exit_status.of_result(result))
    raise_on_interrupt()
    with server:
        write(1, f"{server.address}\n")
        write(2, f"what was changed in {where}; Ctrl-C ends this\n")
        if opens:
            webbrowser.open(server.address)
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            pass
        with server.at_work:  # an undo that is under way is finished first
            pass


def _listening(root: str, port: int) -> ChangesServer:
    try:
        return ChangesServer(root, port)
    except OSError as error:
        raise PatchkitError("P637", port=port, reason=str(error.strerror).lower()) from None


serve = Subcommand(
    "serve",
    """Show what was changed in this workspace, in a browser: by whom, side by side, with a way to undo each run.

The page is on this machine only (127.0.0.1), and its address has a secret in it that is new every time: do not pass it
on. Ctrl-C ends it. 'patchkit log --html FILE' writes the same page without undo.
""",
    _serve,
    flags=(
        Flag("--port", "port", "listen on this port", " (default: any)", value="N", default=0, most=65535),
        Flag("--open", "opens", "open the page in the browser"),
        ROOT,
    ),
)
