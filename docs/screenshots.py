"""Make the pictures of docs/screenshots: a check on a terminal as SVG, its HTML report as PNG.

    python docs/screenshots.py [--svg-only]

Checks docs/screenshots/patches against a copy of docs/demo/tree. The PNG needs Chromium; without it, the PNG is not
changed.
"""

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "screenshots"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
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
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            print("no Chromium: the PNG is not changed", file=sys.stderr)
            return 0
        said(tree, "--format", f"html={directory}/report.html")
        picture(browser, Path(directory), 1000, 1290)
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


def picture(browser: str, directory: Path, width: int, height: int) -> None:
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{height}"]
    words += [f"--user-data-dir={directory / 'browser'}", f"--screenshot={PICTURES / 'check-html.png'}"]
    page = (directory / "report.html").as_uri()
    subprocess.run([browser, *words, page], check=True, capture_output=True, timeout=100)


if __name__ == "__main__":
    sys.exit(main())
