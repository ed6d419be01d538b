"""`patchkit serve`: the page of changes in a browser, for one person, on this machine, until Ctrl-C.

The server answers requests from the loopback address. Every address has a secret in it, which only the person who
started the command knows. A page of another site cannot use it: such a page does not know the secret, its requests name
another host (DNS rebinding) or another origin, and the answers can be neither framed nor read by it. A GET changes
nothing; an undo is a POST from the page that asked for a confirmation.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import webbrowser
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import click

from patchkit import __version__
from patchkit.cli import DONE, raise_on_interrupt, write
from patchkit.cli.commands.changes_view import confirmation_of, mark_of, page_of, reader_of
from patchkit.cli.parameters import command, options
from patchkit.cli.quick import ROOT
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.handles import ReportedAs
from patchkit.history import tracked_workspace
from patchkit.policy import WRITE, is_agent
from patchkit.policy.oversight import Oversight
from patchkit.report.diagnostics import as_error
from patchkit.report.pages.changes_page import Wanted, error_page, served_policy
from patchkit.tools import undo as tool
from patchkit.tools.registry import effect_and_name

Make = Callable[[Workspace], str]
LOOPBACK = "127.0.0.1"
_LARGEST = 4096  # bytes of a form
_HEADERS = {
    "Content-Security-Policy": served_policy(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # not 'no-referrer': a form would then come without its origin
    "Cache-Control": "no-store",
}


@command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="listen on this port (default: any)"
)
@click.option("--open", "opens", is_flag=True, help="open the page in the browser")
@options(ROOT)
def serve(port: int, opens: bool, root: str | None) -> int:
    """Show what was changed in this workspace, in a browser: by whom, side by side, with a way to undo each run.

    The page renews itself, and shows what was refused, too, where calls are recorded. It is on this machine only
    (127.0.0.1), and its address has a secret in it that is new every time: do not pass it on. Ctrl-C ends it.
    'patchkit log --html FILE' writes the same page without undo.
    """
    with Workspace(root) as files:
        where = files.real
    with ReportedAs("P637", port=port):
        server = ChangesServer(where, port)
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
    return DONE


class ChangesServer(ThreadingHTTPServer):
    """Listens on the loopback address; `address` is what a person opens."""

    daemon_threads = True

    def __init__(self, root: str | None, port: int) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.root = root
        self.agent = is_agent()
        self.secret = secrets.token_urlsafe(24)
        self.at_work = threading.Lock()  # one request at a time; what ends the server waits for an undo
        self.hosts = [f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost")]

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/{self.secret}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that breaks is not reported: the browser closes them as it likes."""


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: ChangesServer
    server_version, sys_version = f"patchkit/{__version__}", ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # as the base class calls it
        """Writes nothing: the address has the secret in it."""

    def do_GET(self) -> None:
        name, query = self._asked()
        if name is None:
            return
        if name == "":
            asked = {name: query.get(name, "")[:200] for name in ("words", "state", "by", "session", "file")}
            wanted = Wanted(count=min(_number(query.get("count", ""), 50), 1000), **asked)
            message = query.get("done", "")[:200]
            self._work(lambda files: page_of(files, wanted, True, message, reader_of(files, self.server.agent)))
        elif name == "state":
            self._answer(HTTPStatus.OK, mark_of(self.server.root or "."), "text/plain")
        elif name in tool.VERBS:
            self._work(lambda files: confirmation_of(files, query.get("id", ""), name, name, self.server.agent))
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        name, _query = self._asked()
        if name is None:
            return
        length = _number(self.headers.get("Content-Length", ""), _LARGEST + 1)
        if self.headers.get("Origin") not in [f"http://{host}" for host in self.server.hosts]:
            self._refuse(HTTPStatus.FORBIDDEN)
        elif name not in tool.VERBS:
            self._refuse(HTTPStatus.NOT_FOUND)
        elif length > _LARGEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            form = _fields(self.rfile.read(length).decode("utf-8", "replace"))
            self._change(name, form.get("id", ""))

    def _asked(self) -> tuple[str | None, dict[str, str]]:
        """What is asked for, and its query; None, and the request is answered, where this server is not meant."""
        if self.headers.get("Host") not in self.server.hosts:
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST)
        elif self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            self._refuse(HTTPStatus.FORBIDDEN)
        else:
            parts = urlsplit(self.path)
            _, secret, *names = f"{parts.path}/".split("/")
            if hmac.compare_digest(secret.encode(), self.server.secret.encode()) and parts.path.count("/") == 2:
                return names[0], _fields(parts.query)
            self._refuse(HTTPStatus.NOT_FOUND)
        return None, {}

    def _work(self, make: Make) -> None:
        """Answers with a page. It is sent after the work: a reader that stops reading must not hold up others."""
        try:
            with self.server.at_work, tracked_workspace(self.server.root) as files:
                page = make(files)
        except Exception as error:
            self._answer(HTTPStatus.CONFLICT, error_page(as_error(error).errors))
        else:
            self._answer(HTTPStatus.OK, page)

    def _change(self, verb: str, run_id: str) -> None:
        """Undoes or redoes a run, as far as the rules allow it, and records it: as the command does."""
        watch = Oversight(verb, self.server.agent, self.server.root, WRITE, tool_names=effect_and_name)
        try:
            if not run_id:
                raise PatchkitError("P322", run=run_id, root=self.server.root or ".")
            with self.server.at_work, tracked_workspace(self.server.root) as files:
                done = tool.reversed_by(watch, files, run_id)
        except Exception as error:
            watch.record_failure(error)
            self._answer(HTTPStatus.CONFLICT, error_page(as_error(error).errors))
            return
        watch.record("success")
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", f"./?done={tool.VERBS[verb]}+run+{done.run}#run-{done.run}")
        self._end(0)

    def _answer(self, status: HTTPStatus, page: str, kind: str = "text/html") -> None:
        data = page.encode("utf-8", "backslashreplace")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self._end(len(data))
        if self.command != "HEAD":
            self.wfile.write(data)

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True  # the rest of the request is not read
        self._answer(status, f"{status.value} {status.phrase}\n", "text/plain")

    def _end(self, length: int) -> None:
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else otherwise


def _fields(text: str) -> dict[str, str]:
    """The fields of a query or a form, each once."""
    try:
        return {name: values[0] for name, values in parse_qs(text, max_num_fields=20).items()}
    except ValueError:
        return {}
