"""`patchkit serve`: the page of changes in a browser, until Ctrl-C."""

from __future__ import annotations

import webbrowser

import click

from patchkit.cli import exit_status
from patchkit.cli.answer import print_result
from patchkit.cli.changes_server import ChangesServer
from patchkit.cli.click_commands import command
from patchkit.cli.click_options import with_flags
from patchkit.cli.flags import ROOT
from patchkit.cli.signals import end, raise_on_interrupt
from patchkit.cli.streams import write
from patchkit.errors import PatchkitError
from patchkit.report.result import failure
from patchkit.workspace.root import Workspace


@with_flags(ROOT)
@command()
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=0, help="Listen on this port (default: any)."
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
def serve(port: int, opens: bool, root: str | None) -> None:
    """Show what was changed in this workspace, in a browser: by whom, side by side, with a way to undo each run.

    The page is on this machine only (127.0.0.1), and its address has a secret in it that is new every time: do not pass
    it on. Ctrl-C ends it. 'patchkit log --html FILE' writes the same page without undo.
    """
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
