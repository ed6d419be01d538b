"""Make the pictures of docs/screenshots: a check on a terminal as SVG; its HTML report, the page of changes and the
documentation site as PNG.

    python docs/screenshots.py [--svg-only]

Checks docs/screenshots/patches against a copy of docs/demo/tree, and applies docs/demo/patch.txt there. The PNGs need
Chromium, and the pictures of the site the packages of the group docs; what is missing is left as it is.
"""

import functools
import html
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path

from browser import CHROMIUM, Browser

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "screenshots"
COMMAND = [sys.executable, "-c", "from patchkit.cli.main import main; main()", "check", "patches"]
LOOK = "patchkit check patches"

# A dark terminal: the sixteen colours that patchkit uses, and the size of a character.
COLOURS = {"1;31": "#ff8b96", "1;32": "#5fd38d", "1;36": "#6fd6e8", "1;34": "#8ab4ff", "1": "#ffffff"}
COLOURS |= {"32": "#5fd38d", "31": "#ff8b96", "33": "#e8bf5d", "36": "#6fd6e8", "2": "#8b949e"}
WIDE, HIGH, MARGIN = 8.4, 19, 20
SGR = re.compile(r"\x1b\[([\d;]*)m")


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        tree = build(Path(directory))
        (PICTURES / "check-terminal.svg").write_text(terminal(tree), encoding="utf-8")
        if "--svg-only" in sys.argv[1:]:
            return 0
        if CHROMIUM is None:
            print("no Chromium: the PNGs are not changed", file=sys.stderr)
            return 0
        said(tree, "--format", f"html={directory}/report.html")
        log_page(Path(directory))
        with Browser() as browser:
            report = browser.open((Path(directory) / "report.html").as_uri(), 1000, 1290)
            report.picture(PICTURES / "check-html.png")
            changes = browser.open((Path(directory) / "log.html").as_uri(), 1100, 1000)
            changes.picture(PICTURES / "log-page.png")
            if find_spec("material"):
                site(browser, Path(directory))
    return 0


def build(directory: Path) -> Path:
    """A tree and patches for it."""
    tree = directory / "tree"
    shutil.copytree(DOCS / "demo" / "tree", tree)
    shutil.copytree(PICTURES / "patches", tree / "patches")
    return tree


def said(tree: Path, *words: str) -> str:
    """What the command prints, in colour."""
    settings = {
        **os.environ,
        "PYTHONPATH": str(DOCS.parent),
        "GITHUB_ACTIONS": "",
        "XDG_CONFIG_HOME": str(tree / ".none"),
    }
    command = [*COMMAND, "--color", "always", *words]
    return subprocess.run(command, cwd=tree, env=settings, capture_output=True, text=True, timeout=60).stdout


# -- the terminal --------------------------------------------------------------------------------


def terminal(tree: Path) -> str:
    lines = [f"\x1b[2m$\x1b[0m \x1b[1m{LOOK}\x1b[0m", *said(tree).rstrip("\n").split("\n")]
    columns = max(len(SGR.sub("", line)) for line in lines)
    width, height = round(columns * WIDE + 2 * MARGIN), len(lines) * HIGH + 2 * MARGIN + 24
    rows = "".join(row(line, MARGIN + 24 + (number + 1) * HIGH - 5) for number, line in enumerate(lines))
    dots = "".join(f'<circle cx="{MARGIN + 18 * n}" cy="18" r="5.5" fill="#3a414b"/>' for n in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{LOOK}: two patches are refused, one applies">\n'
        f'<rect width="{width}" height="{height}" rx="10" fill="#0f1216"/>{dots}\n'
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" '
        f'fill="#d5dae1">\n{rows}</g>\n</svg>\n'
    )


def row(line: str, y: int) -> str:
    """One line: every piece of one colour has its own column, whatever the font is."""
    pieces, column, colour = [], 0, ""
    for number, part in enumerate(SGR.split(line)):
        if number % 2:
            colour = "" if part in ("", "0") else part
        elif part:
            pieces.append(piece(part, column, colour))
            column += len(part)
    return f'<text y="{y}">{"".join(pieces)}</text>\n'


def piece(text: str, column: int, colour: str) -> str:
    start = column + len(text) - len(text.lstrip(" "))
    words = text.strip(" ")
    if not words:
        return ""
    style = f' fill="{COLOURS[colour]}"' if colour else ""
    style += ' font-weight="600"' if colour.startswith("1") else ""
    place = f'x="{MARGIN + start * WIDE:.1f}" textLength="{len(words) * WIDE:.1f}"'
    shown = html.escape(words, quote=False).replace(" ", "\u00a0")  # several plain spaces would become one
    return f'<tspan {place} lengthAdjust="spacingAndGlyphs"{style}>{shown}</tspan>'


# -- the page ------------------------------------------------------------------------------------


def log_page(directory: Path) -> None:
    """Two runs of agents, one of them undone, as `log --html` writes them."""
    tree = directory / "watched"
    shutil.copytree(DOCS / "demo" / "tree", tree)
    (tree / ".patchkit.toml").write_text(RULES, encoding="utf-8")
    settings = {**os.environ, "PYTHONPATH": str(DOCS.parent), "XDG_STATE_HOME": str(directory / "state")}
    settings |= {"XDG_CONFIG_HOME": str(directory / "none"), "PATCHKIT_AUDIT": ""}

    def run(*words: str, patch: str = "", **more: str) -> None:
        command = [sys.executable, "-m", "patchkit", *words]
        subprocess.run(command, cwd=tree, env={**settings, **more}, input=patch, text=True, check=True, timeout=60)

    run("trust")
    patch = (DOCS / "demo" / "patch.txt").read_text(encoding="utf-8")
    run("apply", "--as-agent", "-q", patch=patch, PATCHKIT_SESSION="review-7")
    run("apply", "--as-agent", "-q", patch=SECOND, PATCHKIT_SESSION="night-build")
    run("undo")
    run("log", "--html", str(directory / "log.html"))
    page = (directory / "log.html").read_text(encoding="utf-8").replace(str(tree), "/home/you/shop")
    (directory / "log.html").write_text(page.replace('<details class="patch run"', '<details open class="patch run"'))


RULES = '[permissions]\nwrite = { "**" = "allow" }\n\n[audit]\non = true\n'
SECOND = "*** Begin Patch\n*** Add File: shop/notes.md\n+# Notes\n+\n+Prices are in cents.\n*** End Patch\n"


def site(browser: Browser, directory: Path) -> None:
    """The first page of the site at desk width, the page of a code on a phone with a dark screen."""
    subprocess.run([sys.executable, DOCS / "make_site.py", directory / "dist"], check=True, timeout=300)
    handler = functools.partial(Quiet, directory=directory / "dist" / "site")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        first = browser.open(address, 1280, 900)
        first.run("new Promise(done => setTimeout(done, 9000))")  # the recording plays
        first.picture(PICTURES / "site-desk.png")
        browser.open(f"{address}codes/P202.html", 390, 844, dark=True).picture(PICTURES / "site-phone.png")
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that does not write down what it was asked for."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # as the base class calls it
        pass


if __name__ == "__main__":
    sys.exit(main())
