"""Draw the figures: one stacked bar per applier, and one per applier and class below.

Takes the summary that tables counts; gives SVG text, written by hand so that nothing need be
installed to draw it.
"""

from xml.sax.saxutils import escape

from .classes import CLASSES
from .outcomes import GOOD

PARTS = (
    ("good", "right outcome", "#2f6fb2"),
    ("needlessly refused", "refused, though the place is certain", "#c3cad3"),
    ("dirty", "failed, but changed the tree", "#e8a33d"),
    ("silently wrong", "reported success, wrong tree", "#c8324b"),
)
LEFT, BAR, GAP, ROW = 190, 150, 22, 20
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1f2733}.ground{fill:#fff}.track{fill:#f2f4f7}"
    ".h{font-weight:600}.s{fill:#5b6675}.t{font-size:16px;font-weight:600}"
    "@media(prefers-color-scheme:dark){text{fill:#dfe5ec}.s{fill:#a3adb9}.ground{fill:#14181d}.track{fill:#262c34}}"
)
# What the appliers are called where people read of them.
TITLES = {"codex": "Codex", "agents": "openai-agents", "patch": "GNU patch"}
FOOT = "ambiguous enters no average: refusing is right there, and what is left pale was luck"


def svg(whole, title):
    names = list(whole)
    kinds = [kind for kind in CLASSES if any(kind.name in whole[name]["classes"] for name in names)]
    width = LEFT + len(names) * (BAR + GAP) + 10
    top = 128 + len(names) * 30
    height = top + 46 + len(kinds) * ROW + 36
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" class="ground"/>',
        _text(16, 28, title, "t"),
        *_legend(54),
        *_overall(whole, names, width),
        *_by_class(whole, names, kinds, top),
        _text(16, height - 14, FOOT, "s"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text(x, y, text, style="", anchor="start"):
    return f'<text x="{x}" y="{y}" class="{style}" text-anchor="{anchor}">{escape(text)}</text>'


def _legend(y):
    x, drawn = 16, []
    for _, words, colour in PARTS:
        drawn.append(f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{colour}"/>')
        drawn.append(_text(x + 18, y, words))
        x += 40 + 6.4 * len(words)
    return drawn


def _overall(whole, names, width):
    drawn = [_text(16, 88, "average over classes", "h")]
    space = width - LEFT - 120
    for number, name in enumerate(names):
        y = 100 + number * 30
        shares = [whole[name]["averages"][key] or 0 for key, _, _ in PARTS]
        drawn.append(_text(LEFT - 12, y + 15, TITLES.get(name, name), "", "end"))
        drawn += _stack(LEFT, y, space, 20, shares)
        drawn.append(_text(LEFT + space + 10, y + 15, f"{shares[0]:.1f} % right"))
    return drawn


def _by_class(whole, names, kinds, top):
    drawn = [_text(16, top + 26, "by class", "h")]
    for column, name in enumerate(names):
        drawn.append(_text(LEFT + column * (BAR + GAP), top + 26, TITLES.get(name, name), "h"))
    for row, kind in enumerate(kinds):
        y = top + 38 + row * ROW
        drawn.append(_text(LEFT - 12, y + 11, kind.name, "", "end"))
        for column, name in enumerate(names):
            x = LEFT + column * (BAR + GAP)
            counts = whole[name]["classes"].get(kind.name)
            if counts:
                drawn += _stack(x, y, BAR, 13, class_shares(kind, counts))
            else:
                drawn.append(_text(x, y + 11, "can not be asked", "s"))
    return drawn


def class_shares(kind, counts):
    """Per cent in the order of PARTS; luck with an ambiguous patch is neither a right outcome nor a wrong tree."""
    needless = 0 if "refused" in GOOD[kind.right] else counts["refused"]
    shares = (counts["good"], needless, counts["dirty"], counts["wrong"])
    return [share * 100 / counts["cases"] for share in shares]


def _stack(x, y, width, height, shares):
    drawn = [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" class="track"/>']
    for share, (_, _, colour) in zip(shares, PARTS):
        long = width * share / 100
        if share > 0:
            drawn.append(f'<rect x="{x:.1f}" y="{y}" width="{long:.1f}" height="{height}" fill="{colour}"/>')
        x += long
    return drawn
