"""Write hunks down, as a `*** Begin Patch` text or as a unified diff.

Takes hunks that may already be distorted and writes every line as it is: what is wrong with a
hunk is decided by the distortion. Independent of patchkit's own writer on purpose.
"""


def patch_text(files, first_header=True):
    """`files` is a list of (path, hunks); without `first_header` each file's first `@@` is left out."""
    lines = ["*** Begin Patch"]
    for path, hunks in files:
        lines.append(f"*** Update File: {path}")
        for number, hunk in enumerate(hunks):
            if number or first_header:
                lines += [f"@@ {anchor}" for anchor in hunk.anchors] or ["@@"]
            lines += [str(line) for line in hunk.lines]
            if hunk.at_eof:
                lines.append("*** End of File")
    lines.append("*** End Patch")
    return "\n".join(lines) + "\n"


def unified_diff(files, open_ends=()):
    """The same hunks with their true line numbers, in the order given.

    `open_ends` maps a path to the index of its last line when no newline follows that line.
    """
    open_ends = dict(open_ends)
    lines = []
    for path, hunks in files:
        lines += [f"--- a/{path}", f"+++ b/{path}"]
        starts = new_starts(hunks)
        for hunk, start in zip(hunks, starts):
            lines.append(f"@@ {ranges(hunk, start)} @@")
            lines += _body(hunk, open_ends.get(path))
    return "\n".join(lines) + "\n"


def ranges(hunk, new_start):
    return f"-{hunk.start + 1},{len(hunk.old)} +{new_start + 1},{hunk.new_length}"


def new_starts(hunks):
    """Where each hunk begins in the file afterwards, whatever order the hunks are given in."""
    shift, starts = 0, {}
    for hunk in sorted(hunks, key=lambda hunk: hunk.start):
        starts[id(hunk)] = hunk.start + shift
        shift += hunk.new_length - len(hunk.old)
    return [starts[id(hunk)] for hunk in hunks]


def _body(hunk, last):
    at = hunk.start
    for line in hunk.lines:
        if line.op == "?":
            continue
        yield str(line)
        if line.op in " -":
            if at == last:
                yield "\\ No newline at end of file"
            at += 1
