"""Draw docs/core.svg: the way of a patch through the core, and the rings around it.

python docs/core_picture.py
"""

from __future__ import annotations

import sys
from pathlib import Path

WIDE, HIGH = 880, 300
STYLE = (
    "text { font: 14px system-ui, sans-serif; fill: #1b1f27; text-anchor: middle }"
    ".name { font: 600 14px ui-monospace, Menlo, Consolas, monospace } .soft { fill: #59616e; font-size: 12px }"
    "rect { fill: #fff; stroke: #9aa5b3 } .core { fill: #eef3ff; stroke: #8ab4ff } .ring { fill: #f8f9fb }"
    "path { fill: none; stroke: #59616e; stroke-width: 1.5; marker-end: url(#tip) } marker path { fill: #59616e }"
    "@media (prefers-color-scheme: dark) { text { fill: #e7ebf0 } .soft { fill: #9aa5b3 }"
    "rect { fill: #171b21; stroke: #59616e } .core { fill: #141d2e; stroke: #35588f } .ring { fill: #1c2128 }"
    "path { stroke: #9aa5b3 } marker path { fill: #9aa5b3 } }"
)
# The packages of the core in the order of the pipeline: what each is called, and what it gives.
STEPS = (("language", "Patch"), ("text", "Document"), ("matching", "Match per hunk"), ("changes", "Plan"))
LAST = ("workspace", "files on disk")
RINGS = "repair · guards · formats · diffs · history · policy · tools · check · batch · runtimes · api · cli"


def box(x: int, y: int, name: str, gives: str) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="136" height="56" rx="8"/>'
        f'<text class="name" x="{x + 68}" y="{y + 24}">{name}</text>'
        f'<text class="soft" x="{x + 68}" y="{y + 44}">{gives}</text>\n'
    )


def drawn() -> str:
    lefts = [40 + 168 * number for number in range(len(STEPS))]
    boxes = "".join(box(left, 96, *step) for left, step in zip(lefts, STEPS, strict=True))
    arrows = "".join(f'<path d="M{left + 136} 124h28"/>' for left in lefts[:-1])
    last = lefts[-1]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" '
        'role="img" aria-label="bytes become a Patch, files become Documents, hunks get Matches, all become a Plan; '
        'the workspace reads the files and commits the Plan as one transaction">\n'
        f"<style>{STYLE}</style>\n"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z"/></marker></defs>\n'
        f'<rect class="ring" x="8" y="8" width="{WIDE - 16}" height="{HIGH - 16}" rx="14"/>'
        f'<text class="soft" x="{WIDE // 2}" y="{HIGH - 24}">rings: {RINGS}</text>\n'
        '<rect class="core" x="24" y="40" width="832" height="208" rx="12"/>'
        '<text class="name" x="64" y="66">core</text>'
        '<text class="soft" x="330" y="66">nothing is written until the Plan is complete; --check stops there</text>\n'
        f"{boxes}{arrows}{box(last, 180, *LAST)}"
        f'<path d="M{last + 68} 152v24"/>'
        f'<text class="soft" x="{last + 150}" y="170" style="text-anchor:start">commit</text>'
        f'<path d="M{last} 208H{lefts[1] + 68}V156"/>'
        f'<text class="soft" x="{lefts[2] + 40}" y="202">reads files</text>\n'
        "</svg>\n"
    )


if __name__ == "__main__":
    Path(__file__).with_name("core.svg").write_text(drawn(), encoding="utf-8")
    sys.exit(0)
