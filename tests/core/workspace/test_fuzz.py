"""Twenty-four thousand patches that a careless or broken writer might send: a result or a refusal, never anything else.

The inputs come from a small grammar of the language with mistakes let in at every level, and from one seed: the
same in every run. Some hundreds more are applied to a real tree as well.
"""

from __future__ import annotations

import json
import os
import random
import sys

import pytest
from sample_trees import File, build, snapshot

import patchkit
from patchkit.report.diagnostics import render_errors
from patchkit.report.spans import note_spans

COUNT, CHUNKS, ON_DISK = 24_000 if os.environ.get("PATCHKIT_TESTS") == "full" else 6_000, 8, 600
FILES = {
    "a.txt": b"one\ntwo\nthree\none\ntwo\nfour\n",
    "b.py": b"class A:\n    def f(self):\n        return 1\n    def g(self):\n        return 1\n\ndef f():\n x\n",
    "dir/c.txt": b"x\r\ny\r\nz\r\n",
    "dir/deep/d": b"last line without an end",
    "empty": b"",
    "bytes": b"\x00\xff\nok\n\xe2\x82\n",
}
NAMES = [
    *["a.txt", "b.py", "dir/c.txt", "dir/deep/d", "empty", "bytes"] * 10,
    *["new.txt", "new/er.txt", "dir/new", "dir", "", " ", "a.txt ", " a.txt", "a.txt/x", "./a.txt"],
    *["../a.txt", "dir/../a.txt", "/etc/passwd", "/", "..", ".git/config", ".patchkit-journal", "x\ty", "-x"],
    *["ä€", "\udcff"],
]
TEXTS = [
    *["one", "two", "three", "four", "x", "y", "z", "", " ", "\t", "class A:", "    def f(self):", "        return 1"],
    *["def f():", "    return 1", "return 1", "last line without an end", "ok", "nothing like it", "ä€𝄞", "a\x0cb"],
    *["*** End Patch", "*** Update File: a.txt", "@@", "@@ f", "+", "-", "\\ No newline at end of file"],
    *["\udcff", "\x00"],
]
ANCHORS = ["", "one", "class A:", "def f", "def f(self):", "f", "nowhere", "-1,2 +1,2 @@", "-1 +1 @@ def f", "  ", "@@"]
STRAY = [
    *["", " ", "@@", "@@ -1,3 +1,3 @@", "***", "*** ", "*** Begin Patch", "*** End Patch", "*** End of File", "EOF"],
    *["```", "*** Add File: x", "*** Update File:", "*** Delete File: a.txt", "*** Move to: y", "--- a/a.txt"],
    *["+++ b/a.txt", "\\ No newline at end of file", "diff --git a/x b/x", "<<<<<<< ours", "one", "+one", "-one"],
    *[" one", "\x00", "\u2028"],
]
OPTIONS = [{}, {}, {}, {"strict": True}, {"overwrite": True}, {"check": True}, {"dialect": "codex"}]


class Writer:
    """Writes patches of every degree of brokenness."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def patch(self):
        lines = ["*** Begin Patch"]
        for _ in range(self.random.choice([1, 1, 1, 1, 1, 2, 2, 3, 6, 0])):
            lines += self.section()
        lines.append("*** End Patch")
        for _ in range(self.random.choice([0, 0, 0, 0, 0, 1, 2, 5])):
            self.spoil(lines)
        return self.wrapped("\n".join(lines) + self.random.choice(["\n", "\n", "\n", "", "\n\n"]))

    def section(self):
        name = self.random.choice(NAMES)
        kind = self.random.choice(["Add", "Update", "Update", "Update", "Update", "Delete"])
        lines = [f"*** {kind} File: {name}"]
        if kind == "Add":
            lines += ["+" + self.random.choice(TEXTS) for _ in range(self.random.randrange(4))]
        elif kind == "Update":
            if self.random.random() < 0.2:
                lines.append(f"*** Move to: {self.random.choice(NAMES)}")
            for _ in range(self.random.choice([1, 1, 1, 1, 2, 4, 0])):
                lines += self.hunk(name)
        return lines

    def hunk(self, name):
        lines = ["@@"] if self.random.random() < 0.6 else []
        for _ in range(self.random.choice([1, 1, 2, 0]) if not lines or self.random.random() < 0.1 else 0):
            lines.append(f"@@ {self.random.choice(ANCHORS)}")
        data = FILES.get(name, FILES["a.txt"]).decode("utf-8", "surrogateescape").split("\n")
        start = self.random.randrange(len(data))
        for text in data[start : start + self.random.choice([1, 2, 3, 4, 0])]:
            text = text.rstrip("\r") if self.random.random() < 0.95 else self.random.choice(TEXTS)
            lines.append(self.random.choice("   --" if self.random.random() < 0.9 else "+*@\\") + text)
        lines += ["+" + self.random.choice(TEXTS) for _ in range(self.random.choice([0, 1, 1, 2]))]
        if self.random.random() < 0.1:
            lines.append("*** End of File")
        return lines

    def spoil(self, lines):
        """One mistake: a line lost, doubled, moved, cut, changed, or one that does not belong."""
        at = self.random.randrange(len(lines) + 1)
        line = lines[at - 1] if at else ""
        here = self.random.randrange(len(line) + 1)
        mistake = self.random.randrange(8)
        if mistake == 0:
            del lines[at : at + 1]
        elif mistake == 1:
            lines.insert(at, line)
        elif mistake == 2:
            self.random.shuffle(lines)
        elif mistake == 3:
            lines[at:] = []
        elif mistake == 4:
            lines[at:at] = [self.random.choice(STRAY)]
        elif mistake == 5 and at:
            lines[at - 1] = line[:here]
        elif mistake == 6 and at:
            lines[at - 1] = line[:here] + self.random.choice(" \t*@+-\r\x00\ufeffé") + line[here:]
        elif mistake == 7 and at:
            lines[at - 1] = self.random.choice([" ", "    ", "\t", "> "]) + line

    def wrapped(self, text):
        """Mostly the bare text; sometimes as it comes out of a chat, a shell or an editor."""
        return self.random.choice(
            [lambda: text] * 24
            + [
                lambda: text.replace("\n", "\r\n"),
                lambda: f"```\n{text}```\n",
                lambda: f"apply_patch <<'EOF'\n{text}EOF\n",
                lambda: json.dumps({"input": text}),
                lambda: text.replace("\n", "\\n"),
                lambda: "    " + text.replace("\n", "\n    "),
                lambda: "\ufeff" + text,
                lambda: f"Here it is:\n\n{text}\nDone.\n",
                lambda: text + text,
                lambda: text[: self.random.randrange(len(text) + 1)],
                lambda: "",
            ]
        )()

    def options(self):
        return self.random.choice(OPTIONS)


def tried(patch, files, options):
    """What came of a patch: a word or a code, and all there is to say about it can be said; anything else is raised."""
    try:
        done = patchkit.apply(patch.encode("utf-8", "surrogateescape"), files, **options)
    except patchkit.PatchkitError as error:
        refusal = error
    else:
        for note in done.notes:
            note_spans([note])
        return "applied" if done.applied else "checked"
    render_errors(refusal.errors, patch)
    assert all(each.message and each.hint for each in refusal.errors)
    return refusal.code


def inputs(chunk, count=COUNT // CHUNKS):
    for number in range(count):
        writer = Writer(f"{chunk} {number}")
        yield f"{chunk} {number}", writer.patch(), writer.options()


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_any_patch_ends_in_a_result_or_a_refusal_that_changes_nothing(chunk):
    assert tried("*** Begin Patch\n*** Add File: new\n+x\n*** End Patch\n", dict(FILES), {}) == "applied"
    wrong = []
    for seed, patch, options in inputs(chunk):
        files = dict(FILES)
        try:
            outcome = tried(patch, files, options)
        except Exception as error:
            wrong.append((seed, repr(error), patch))
            continue
        if outcome != "applied" and files != FILES and options.get("dialect") != "codex":
            wrong.append((seed, f"{outcome}, and yet changed", patch))

    assert wrong == []


def test_the_patches_are_of_all_kinds():
    """A fuzzer that is only refused, or refused for one reason, would prove nothing."""
    outcomes = [tried(patch, dict(FILES), options) for _, patch, options in inputs("kinds", 1000)]
    codes = {outcome for outcome in outcomes if outcome.startswith("P")}

    assert outcomes.count("applied") > len(outcomes) // 15
    assert {"P101", "P102", "P103", "P201", "P202", "P301", "P302", "P303", "P305", "P310"} <= codes


def test_the_patches_are_the_same_in_every_run():
    first = [patch for _, patch, _ in inputs(3, 50)]

    assert first == [patch for _, patch, _ in inputs(3, 50)]
    assert len(set(first)) > 40


def test_no_patch_takes_more_steps_than_its_size_explains():
    """Counted, not timed: calls of functions, which no input of a few dozen lines needs many of."""
    steps = 0

    def count(_frame, event, _argument):
        nonlocal steps
        if event in ("call", "c_call"):
            steps += 1

    most = {}
    for seed, patch, options in inputs("counted", 600):
        steps = 0
        sys.setprofile(count)
        try:
            tried(patch, dict(FILES), options)
        finally:
            sys.setprofile(None)
        most[seed] = steps / (len(patch) + 1000)

    assert {seed: ratio for seed, ratio in most.items() if ratio > 60} == {}


@pytest.mark.parametrize("chunk", range(4))
def test_any_patch_on_a_real_tree_does_what_it_does_in_memory(place, chunk):
    """The same outcome and the same files; and after a refusal the tree is what it was, with nothing of ours in it."""
    root, before = os.path.join(place, "root"), {name: File(data) for name, data in FILES.items()}
    build(root, before)
    wrong, fresh = [], True
    for seed, patch, options in inputs(f"disk {chunk}", ON_DISK // 4):
        if options.get("dialect") == "codex":
            continue
        if not fresh:
            build(root, before)
        files = dict(FILES)
        expected = tried(patch, files, options)
        outcome = tried(patch, root, options)
        after = snapshot(root)
        fresh = after == before
        if (outcome, {name: what.data for name, what in after.items() if what != "directory"}) != (expected, files):
            wrong.append((seed, expected, outcome, patch))

    assert wrong == []
