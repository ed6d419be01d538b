"""A real browser, driven by a program: Chromium over its DevTools protocol, through two pipes. Needs no package.

    with Browser() as browser:
        page = browser.open("http://127.0.0.1:8000/", width=390, height=844)
        page.click("a.next")
        page.wait_for("document.title === 'Next'")
        page.picture(Path("next.png"))

Tests of pages use it, and the script that makes the pictures of docs/. `CHROMIUM` is None where there is no browser.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
WORDS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
]
WORDS += ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"]
PATIENCE = 600.0  # seconds until what is waited for counts as never: a busy machine takes its time


class Browser:
    """A browser of its own profile, which ends with the block."""

    def __enter__(self) -> Browser:
        assert CHROMIUM is not None, "no Chromium on this machine"
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (given, self._out), (self._in, taken) = os.pipe(), os.pipe()
        # The browser reads from 3 and writes to 4, and the ends of the pipes may have just these numbers: move them.
        theirs_in, theirs_out = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in (given, taken))
        os.close(given)
        os.close(taken)
        command = f'exec 3<&{theirs_in} 4>&{theirs_out}; exec "$0" "$@"'
        words = [CHROMIUM, *WORDS, f"--user-data-dir={self._profile.name}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", command, *words],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._number = 0
        self._rest = b""
        self.events: list[dict[str, Any]] = []
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.send("Browser.close")
            self._process.wait(10)
        except (OSError, EOFError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._profile.cleanup()

    def send(self, method: str, session: str = "", **values: object) -> dict[str, Any]:
        """Asks the browser for something; returns its answer. Events that come meanwhile are kept."""
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": values}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                found: dict[str, Any] = answer["result"]
                return found
            if "method" in answer:
                self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._in, 1 << 20)
            if not piece:
                raise EOFError("the browser has ended")
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def open(self, address: str, width: int = 1280, height: int = 900, dark: bool = False) -> Page:
        """Opens an address in a window of this size, on a light or dark screen."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        page.ask("Page.enable")
        page.ask("Runtime.enable")
        page.ask("Log.enable")
        page.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.ask("Emulation.setEmulatedMedia", features=[scheme, {"name": "prefers-reduced-motion", "value": "reduce"}])
        page.go(address)
        return page


class Page:
    """One page of a browser."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def ask(self, method: str, **values: object) -> dict[str, Any]:
        return self._browser.send(method, self._session, **values)

    def go(self, address: str) -> None:
        self.ask("Page.navigate", url=address)
        self.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, f"{script}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def wait_for(self, script: str) -> None:
        """Waits until an expression is true; fails with the expression when it never is."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if self.run(f"Boolean({script})"):
                    return
            except AssertionError:  # the page is being replaced
                pass
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}")

    def arrive(self, path: str) -> None:
        """Waits until the page of this path is loaded, after a click on a link."""
        self.wait_for(f"location.pathname === {json.dumps(path)} && document.readyState === 'complete'")

    def click(self, selector: str) -> None:
        """Clicks in the middle of the first element of this selector, as a person does: what lies above it gets it."""
        name = json.dumps(selector)
        self.wait_for(f"document.querySelector({name})?.checkVisibility()")
        self.run(f"document.querySelector({name}).scrollIntoView({{block: 'center', behavior: 'instant'}})")
        box = self.run(
            f"(b => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector({name}).getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def write(self, text: str) -> None:
        """Types text where the cursor is."""
        self.ask("Input.insertText", text=text)

    def text(self, selector: str = "body") -> str:
        return str(self.run(f"document.querySelector({json.dumps(selector)}).innerText"))

    def picture(self, path: Path, whole: bool = False) -> None:
        """Writes what is seen, or the whole page, as PNG."""
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def complaints(self) -> list[str]:
        """What the browser wrote to its console about this page: errors of scripts, policies, and files not found."""
        self.run("0")  # takes in what has come
        found = []
        for event in self._browser.events:
            if event.get("sessionId") != self._session:
                continue
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(event["params"]["exceptionDetails"].get("text")))
            elif event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(f"{event['params']['entry']['text']} {event['params']['entry'].get('url', '')}".strip())
        return found
