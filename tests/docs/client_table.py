"""The two tables of docs/agents.md about clients, made from what the code does with their events and files."""

from __future__ import annotations

import json
from pathlib import Path

from patchkit.runtimes.hooks import Blocked, respond
from patchkit.runtimes.hooks.events import UNASKED, Event, read_event
from patchkit.runtimes.setup.clients import CLIENTS, ClientSetup

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SEEN = json.loads((FIXTURES / "clients.json").read_text())  # what was run in the clients themselves
# Every client with the fixtures of its events, '' where it has no hooks.
EVENTS = {
    "Claude Code": "claude-code",
    "Codex": "codex",
    "Gemini CLI": "gemini-cli",
    "Copilot CLI": "copilot",
    "opencode": "opencode",
    "Cursor": "cursor-pre-tool-use",
    "VS Code": "vs-code",
    "Windsurf": "windsurf",
    "Cline": "cline-3",
    "Zed": "",
    "Droid": "droid",
    "Kiro": "kiro",
    "Goose": "goose",
    "Augment": "augment",
    "OpenHands": "openhands",
    "Qwen Code": "qwen-code",
}
YES, NO, WAS_SEEN = "yes", "–", "seen"
SERVED = ("patch", "refusal with correction", "undo")
FITS = "*** Update File: app.py\n@@\n-x = 1\n+x = 2\n"
FILE = "def load(path):\n    with open(path) as stream:\n        return stream.read()\n"
NEARLY = """\
*** Update File: near.py
@@ def load(path):
     with open(path) as strem:
-        return stream.read()
+        return stream.read().strip()
"""
HEAD = (
    *("client", "allow", "ask", "deny", "rewrite", "correction"),
    *("MCP without a person", "install", "seen in"),
)


def files() -> str:
    """Which files of a client have the hook and the server."""
    rows = []
    for client in CLIENTS.values():
        places: dict[str, list[str]] = {"hook": [], "mcp": []}
        for entry in client.entries(ClientSetup(["patchkit"], [], False)):
            names = [f"`{entry.place.project}`", f"`~/{entry.place.user}`"]
            shown = [name for name in names if name not in ("``", "`~/`")]
            places[entry.part] += [name for name in shown if name not in places[entry.part]]
        rows.append((f"`{client.name}`", *(", ".join(found) or NO for found in places.values())))
    return _table(("client", "hook", "MCP server"), rows)


def capabilities(project: Path) -> str:
    """What each client carries out, tried with its events in a project."""
    return _table(HEAD, [_row(title, slug, project) for title, slug in EVENTS.items()])


def _row(title: str, slug: str, project: Path) -> tuple[str, ...]:
    client = next((each for each in CLIENTS.values() if each.title == title), None)
    seen = SEEN.get(title, {"hook": [], "mcp": []})
    found = [WAS_SEEN if name in seen["hook"] else said for name, said in _carried_out(slug, project)]
    alone = NO
    if client is not None:
        approves = client.entries(ClientSetup([""], [], True)) != client.entries(ClientSetup([""], [], False))
        alone = "`--approve edits`" if approves else f"`{client.alone}`" if client.alone else "by itself or by hand"
        alone = "asks about nothing" if title == "opencode" else alone
    if len(seen["mcp"]) == len(SERVED):
        alone = f"{WAS_SEEN}: {alone}" if client else WAS_SEEN
    when = f"{seen['version']}, {seen['date']}" if title in SEEN else NO
    return (title, *found, alone, YES if client else NO, when)


def _carried_out(slug: str, project: Path) -> list[tuple[str, str]]:
    """What a client does with each answer, by its shape, or by what it is given for an event."""
    names = HEAD[1:6]
    if not slug:
        return [(name, NO) for name in names]
    text = (FIXTURES / "hooks" / f"{slug}-a-patch-that-applies.json").read_text().replace("{ROOT}", str(project))
    event = json.loads(text)["event"]
    read = read_event(event)
    assert isinstance(read, Event)
    verbs = read.shape.verbs
    asks = read.mode not in UNASKED and "ask" in verbs
    found = [
        YES if verb in verbs and (asks or verb != "ask") else "as deny" if verb == "ask" else NO for verb in names[:3]
    ]
    found.append(YES if "/opt/apply_patch" in _said(event) else NO)
    near = json.loads(json.dumps(event).replace(json.dumps(FITS)[1:-1], json.dumps(NEARLY)[1:-1]))
    found.append(YES if "strip()" in _said(near) else NO)
    return list(zip(names, found))


def unlike_the_record(project: Path) -> list[tuple[str, str]]:
    """Answers that a row says a client carries out and that were not seen in it, and the other way round."""
    return [
        (title, name)
        for title, slug in EVENTS.items()
        if title in SEEN
        for name, said in _carried_out(slug, project)
        if (said == YES) != (name in SEEN[title]["hook"])
    ]


def _said(event: object) -> str:
    try:
        return respond(json.dumps(event).encode(), ["/opt/apply_patch"])
    except Blocked as blocked:
        return str(blocked)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return (
        "".join("| " + " | ".join(line) + " |\n" for line in lines).replace("| --- ", "|---").replace("|--- |", "|---|")
    )
