"""The results as a table in Markdown and as growth curves in SVG."""

import math

_COLOURS = ("#3f83c8", "#c2603a", "#3b8f5a")
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1f2733}.t{font-size:15px;font-weight:600}"
    ".ground{fill:#fff}.grid{stroke:#e3e7ec}"
    "@media(prefers-color-scheme:dark){text{fill:#dfe5ec}.ground{fill:#14181d}.grid{stroke:#323a44}}"
)


class Line:
    """One row measured: its ratio, or why there is none."""

    def __init__(self, row, ratio=None, ours=None, theirs=None, why=""):
        self.row, self.ratio, self.ours, self.theirs, self.why = row, ratio, ours, theirs, why

    @property
    def verdict(self):
        if self.ratio is None:
            return "not measured"
        if self.row.goal is None:
            return ""
        return "met" if self.ratio <= self.row.goal else "missed"


def table(lines):
    """The table: the work, the ratio, the goal, and both costs behind the ratio."""
    out = [
        "| work | against | ratio | goal | | patchkit | the other |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in lines:
        row = line.row
        ratio = f"{line.ratio:.3g} {row.of}" if line.ratio is not None else line.why
        goal = f"≤ {row.goal}" if row.goal is not None else ""
        costs = [_cost(row.of, each) for each in (line.ours, line.theirs)]
        out.append(f"| {row.name} | {row.against} | {ratio} | {goal} | {line.verdict} | {costs[0]} | {costs[1]} |")
    return "\n".join(out) + "\n"


def _cost(of, value):
    if value is None:
        return ""
    if of == "memory":
        return f"{value / (1 << 20):.0f} MB"
    return f"{value * 1000:.1f} ms" if value < 10 else f"{value:.1f} s"


def exponent(points):
    """The slope of a curve between its two greatest sizes: 1 is linear."""
    (small, less), (large, more) = sorted(points)[-2:]
    return math.log(more / less) / math.log(large / small)


def chart(curves):
    """Growth curves, both axes logarithmic: patchkit solid, the other dashed. `curves` is name: (ours, theirs)."""
    width, height, left, bottom = 760, 420, 70, 50
    points = [point for pair in curves.values() for side in pair for point in side]
    low_x, high_x = (f(math.log10(x) for x, _ in points) for f in (min, max))
    low_y, high_y = (f(math.log10(y) for _, y in points) for f in (min, max))

    def place(point):
        x = left + (math.log10(point[0]) - low_x) / (high_x - low_x) * (width - left - 170)
        y = height - bottom - (math.log10(point[1]) - low_y) / (high_y - low_y) * (height - bottom - 50)
        return f"{x:.1f},{y:.1f}"

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{width}" height="{height}" class="ground"/>',
        f'<text x="{left}" y="24" class="t">CPU time as the work grows (solid: patchkit, dashed: Codex)</text>',
    ]
    for power in range(math.ceil(low_x), math.floor(high_x) + 1):
        x = place((10**power, 10**low_y)).split(",")[0]
        out.append(f'<line x1="{x}" y1="40" x2="{x}" y2="{height - bottom}" class="grid"/>')
        out.append(f'<text x="{x}" y="{height - bottom + 18}" text-anchor="middle">{10**power:,}</text>')
    for power in range(math.ceil(low_y), math.floor(high_y) + 1):
        y = place((10**low_x, 10**power)).split(",")[1]
        out.append(f'<line x1="{left}" y1="{y}" x2="{width - 170}" y2="{y}" class="grid"/>')
        label = f"{10**power:g} s" if power >= 0 else f"{10 ** (power + 3):g} ms"
        out.append(f'<text x="{left - 8}" y="{y}" text-anchor="end" dy="4">{label}</text>')
    for index, (name, pair) in enumerate(curves.items()):
        for side, dash in zip(pair, ("", ' stroke-dasharray="5 4"')):
            path = " ".join(map(place, side))
            colour = _COLOURS[index % len(_COLOURS)]
            out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        y = 60 + 20 * index
        out.append(
            f'<line x1="{width - 155}" y1="{y}" x2="{width - 130}" y2="{y}" stroke="{colour}" stroke-width="2"/>'
        )
        out.append(f'<text x="{width - 124}" y="{y + 4}">{name}</text>')
    out.append(f'<text x="{(width - 100) / 2}" y="{height - 10}" text-anchor="middle">lines, or files</text>')
    return "\n".join([*out, "</svg>", ""])
