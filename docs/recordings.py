"""Make the recordings of docs/recordings: terminal sessions as SVG that plays by itself, without a script.

    python docs/recordings.py

Every session is really run, in a copy of its files. A command is typed, then its output appears; the whole takes some
seconds and plays once. A reader who asks for less motion sees the end at once.
"""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from pathlib import Path

from screenshots import HIGH, MARGIN, SGR, WIDE, row

DOCS = Path(__file__).resolve().parent
RECORDINGS = DOCS / "recordings"
WIDTH = 68  # columns: it can be read on a phone, too
TYPED, READ, LOOKED = 0.035, 0.7, 1.6  # seconds: a character, before an output, after it
RUN_ID, RUN = re.compile(r"(?:(?<=Undid )|^)(?:\x1b\[[\d;]*m)?[0-9a-z]{8}(?=\.|\s|\x1b)", re.MULTILINE), "m4zx81qp"
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
# The commands as a shell finds them, also where their scripts are not installed.
SHELL = """
apply_patch() { "$PYTHON" -c 'from patchkit.cli.apply_patch import main; main()' "$@"; }
patchkit() { "$PYTHON" -c 'from patchkit.cli.main import main; main()' "$@"; }
"""
APP = """\
class Retry:
    def again(self):
        x = 1
        return x

    def once(self):
        x = 1
        return x
"""
AMBIGUOUS = "*** Begin Patch\n*** Update File: app.py\n@@\n-        x = 1\n+        x = 2\n*** End Patch\n"
CLEAR = AMBIGUOUS.replace("@@\n", "@@ def once(self):\n")
STALE = AMBIGUOUS.replace("@@\n-        x = 1", "@@ def once(self):\n-        x = 7")
# Name and title of each recording, its files, and its commands.
SESSIONS = {
    "tour": (
        "An ambiguous patch is refused with the anchors that choose; the right one applies, and is undone",
        {"app.py": APP, "fix.patch": AMBIGUOUS, "better.patch": CLEAR},
        ["patchkit apply fix.patch", "patchkit apply --diff better.patch", "patchkit undo", "patchkit log"],
    ),
    "refusal": (
        "A patch that matches two places is refused; with the anchor that the message offers it applies",
        {"app.py": APP, "fix.patch": AMBIGUOUS, "better.patch": CLEAR},
        ["apply_patch < fix.patch", "apply_patch --diff < better.patch"],
    ),
    "undo": (
        "A patch is applied and taken back",
        {"app.py": APP, "fix.patch": CLEAR},
        ["patchkit apply fix.patch", "patchkit undo --show", "patchkit undo", "patchkit log"],
    ),
    "check": (
        "Three patches are checked, and the causes are counted",
        {"app.py": APP, "patches/1.patch": CLEAR, "patches/2.patch": AMBIGUOUS, "patches/3.patch": STALE},
        ["patchkit check patches --format concise", "patchkit check patches --statistics"],
    ),
}


def main() -> int:
    RECORDINGS.mkdir(exist_ok=True)
    for name in SESSIONS:
        (RECORDINGS / f"{name}.svg").write_text(recording(name), encoding="utf-8")
    return 0


def recording(name: str) -> str:
    """The SVG of a session, run now."""
    title, files, commands = SESSIONS[name]
    with tempfile.TemporaryDirectory() as directory:
        for path, text in files.items():
            target = Path(directory, "tree", path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        said = [(command, _said(Path(directory), command)) for command in commands]
    return drawn(title, said)


def _said(directory: Path, command: str) -> list[str]:
    settings = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(DOCS.parent), "PYTHONSAFEPATH": "1"}
    settings |= {"XDG_STATE_HOME": str(directory / "state"), "XDG_CONFIG_HOME": str(directory / "config")}
    settings |= {"TERM": "xterm-256color", "GITHUB_ACTIONS": ""}
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM_PROGRAM", "WT_SESSION", "VTE_VERSION"):
        settings.pop(name, None)
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, WIDTH, 0, 0))
    shell = ["sh", "-c", f"{SHELL}{command}"]
    where = directory / "tree"
    with subprocess.Popen(shell, cwd=where, env=settings, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs):
        os.close(theirs)
        said = "".join(_pieces(ours))
    os.close(ours)
    # What is different every time gets one value, so that the picture changes only when the output does.
    said = MOMENT.sub("2026-11-15 10:24:07", RUN_ID.sub(lambda found: found[0][:-8] + RUN, said.replace("\r\n", "\n")))
    return said.rstrip("\n").split("\n") if said else []


def _pieces(terminal: int) -> Iterator[str]:
    """What is written to a terminal, until its last writer has ended."""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # Linux answers so at the end
            return
        if not piece:
            return
        yield piece.decode("utf-8")


def drawn(title: str, session: list[tuple[str, list[str]]]) -> str:
    lines = [line for command, output in session for line in (f"$ {command}", *output)]
    columns = max(len(SGR.sub("", line)) for line in lines)
    width, height = round((columns + 1) * WIDE + 2 * MARGIN), (len(lines) + 1) * HIGH + 2 * MARGIN + 24
    parts, at, clock = [], 1, 0.4
    for command, output in session:
        y = MARGIN + 24 + at * HIGH - 5
        typed = _typed(command, y, clock)
        # The next prompt is there when the output before it has been read.
        hidden = f'<g class="later" style="animation-delay:{clock - LOOKED / 2:.2f}s">\n{typed}</g>\n'
        parts.append(hidden if at > 1 else typed)
        clock += TYPED * len(command) + READ
        below = "".join(row(line, y + number * HIGH) for number, line in enumerate(output, 1))
        parts.append(f'<g class="later" style="animation-delay:{clock:.2f}s">\n{below}</g>\n')
        clock += LOOKED
        at += 1 + len(output)
    prompt = f'<text y="{MARGIN + 24 + at * HIGH - 5}" x="{MARGIN}" fill="#8b949e">$</text>'
    parts.append(f'<g class="later" style="animation-delay:{clock - LOOKED / 2:.2f}s">{prompt}</g>\n')
    dots = "".join(f'<circle cx="{MARGIN + 18 * n}" cy="18" r="5.5" fill="#3a414b"/>' for n in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{title}">\n<title>{title}</title>\n<style>{STYLE}</style>\n'
        f'<rect width="{width}" height="{height}" rx="10" fill="#0f1216"/>{dots}\n'
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" '
        f'fill="#d5dae1">\n{"".join(parts)}</g>\n</svg>\n'
    )


STYLE = (
    "@media (prefers-reduced-motion: no-preference) {"
    ".later { opacity: 0; animation: show .01s linear forwards }"
    ".cover { animation: uncover linear forwards; transform-origin: right; transform-box: fill-box }"
    "} @media (prefers-reduced-motion: reduce) { .cover { display: none } }"
    "@keyframes show { to { opacity: 1 } } @keyframes uncover { to { transform: scaleX(0) } }"
)


def _typed(command: str, y: int, clock: float) -> str:
    """A command that appears character by character: a cover of the background's colour shrinks in steps."""
    x, wide, long = MARGIN + 2 * WIDE, len(command) * WIDE, len(command)
    cover = (
        f'<rect class="cover" x="{x:.1f}" y="{y - HIGH + 5}" width="{wide:.1f}" height="{HIGH}" fill="#0f1216" '
        f'style="animation-delay:{clock:.2f}s;animation-duration:{long * TYPED:.2f}s;'
        f'animation-timing-function:steps({long},end)"/>'
    )
    return row(f"\x1b[2m$\x1b[0m \x1b[1m{command}\x1b[0m", y) + cover + "\n"


if __name__ == "__main__":
    sys.exit(main())
