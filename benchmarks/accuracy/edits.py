"""The nouns of the benchmark: Change, Edit, Line, Hunk, Case.

Takes nothing from disk and draws no lots; gives plain values that the distortions copy and alter.
Where edits come from is mining's work, how hunks are written down is the writer's.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256

LANGUAGES = {
    ".py": "python",
    ".pyi": "python",
    ".pyx": "python",
    ".pxd": "python",
    ".c": "c",
    ".h": "c",
    ".cc": "c",
    ".cpp": "c",
    ".hpp": "c",
    ".rs": "rust",
    ".js": "javascript",
    ".mjs": "javascript",
    ".jsx": "javascript",
    ".ts": "javascript",
    ".tsx": "javascript",
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".rst": "text",
    ".txt": "text",
    ".css": "css",
    ".toml": "toml",
    ".yml": "yaml",
    ".yaml": "yaml",
}


@dataclass(frozen=True)
class Change:
    """Lines start..stop of the file before become `new`; start == stop is an insertion."""

    start: int
    stop: int
    new: tuple


@dataclass(frozen=True)
class Edit:
    """One file of a release and what the next release made of it, whole or a run of its changes."""

    package: str
    releases: str
    path: str
    before: tuple
    changes: tuple

    @property
    def after(self):
        return splice(self.before, self.changes)

    @property
    def suffix(self):
        return "." + self.path.rsplit(".", 1)[-1].lower()

    @property
    def language(self):
        return LANGUAGES.get(self.suffix, "text")

    @cached_property
    def name(self):
        where = ",".join(str(change.start + 1) for change in self.changes)
        return f"{self.package} {self.releases} {self.path}:{where}"

    @property
    def half(self):
        """Decided by package and path alone, so no file has edits in both halves."""
        digest = sha256(f"{self.package}/{self.path}".encode()).digest()
        return "dev" if digest[0] % 2 == 0 else "held-out"


@dataclass(frozen=True)
class Line:
    """A line of a hunk. `raw` is what the patch shows where that is not op + text.

    The op of a line that is in the patch by mistake, and in no file, is '?'.
    """

    op: str
    text: str
    raw: str = None

    def __str__(self):
        return self.op + self.text if self.raw is None else self.raw


@dataclass(frozen=True)
class Hunk:
    """Lines to find at `start` of the file, with the `@@` texts in front of them."""

    lines: tuple
    start: int
    anchors: tuple = ()
    at_eof: bool = False

    @property
    def old(self):
        return [line.text for line in self.lines if line.op in " -"]

    @property
    def new_length(self):
        return sum(line.op in " +" for line in self.lines)

    @property
    def stop(self):
        return self.start + len(self.old)

    def with_lines(self, lines):
        return replace(self, lines=tuple(lines))

    def mapped(self, function, ops=" -+"):
        """The hunk with `function` applied to the text of every line whose op is in `ops`."""
        return self.with_lines(
            Line(line.op, function(line.text), line.raw) if line.op in ops else line for line in self.lines
        )


@dataclass
class Case:
    """A tree, a patch for it and the tree that must come out (None: the patch must be refused).

    `right` is the class's right outcome: apply, either (apply or refuse), refuse, or ambiguous.
    `diff` is the same hunks as a unified diff, where the class can be said in one.
    """

    kind: str
    right: str
    name: str
    half: str
    language: str
    before: dict
    patch: str
    expected: dict = None
    diff: str = None
    notes: list = field(default_factory=list)


def splice(lines, changes):
    """Returns the lines with every change made; positions refer to the lines as given."""
    result = list(lines)
    for change in sorted(changes, key=lambda c: c.start, reverse=True):
        result[change.start : change.stop] = change.new
    return tuple(result)


def text_of(lines, ending="\n"):
    return "".join(line + ending for line in lines)


def hunks_of(edit, context=3):
    """The edit as hunks with `context` lines around each change; hunks never share a line.

    None when a hunk would show no line of the file: such an insertion names no place.
    """
    groups = []
    for change in edit.changes:
        if groups and change.start - groups[-1][-1].stop <= 2 * context:
            groups[-1].append(change)
        else:
            groups.append([change])
    hunks = [_hunk(edit.before, group, context) for group in groups]
    return hunks if all(hunk.old for hunk in hunks) else None


def _hunk(before, changes, context):
    start = max(0, changes[0].start - context)
    at, lines = start, []
    for change in changes:
        lines += [Line(" ", text) for text in before[at : change.start]]
        lines += [Line("-", text) for text in before[change.start : change.stop]]
        lines += [Line("+", text) for text in change.new]
        at = change.stop
    lines += [Line(" ", text) for text in before[at : at + context]]
    return Hunk(tuple(lines), start)
