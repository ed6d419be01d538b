"""Patches, undos, redos and other people's edits in any order, against a model that knows whole trees."""

from __future__ import annotations

import os
import shutil
import tempfile

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from strategies import examples, outcome
from test_history import do, patched, snapshot

import patchkit
from patchkit import PatchkitError
from patchkit.tools.undo import log, redo, undo

NAMES = ["a", "b.sh", "d/c", "d/e/f", "g/h"]


class ModelRun:
    """A run as the model knows it: what its names held on either side, and the directories the last step made."""

    def __init__(self, before, after, order):
        names = {name for name in {**before, **after} if before.get(name) != after.get(name)}
        names = {name for name in names if "directory" not in (before.get(name, "?")[0], after.get(name, "?")[0])}
        self.left = {name: after.get(name) for name in names}
        self.other = {name: before.get(name) for name in names}
        self.made = [name for name in after if name not in before and after[name][0] == "directory"]
        self.undone = False
        self.applied_at = self.since = order
        self.id = ""


def directories(name):
    parts = name.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


class Undoing(RuleBasedStateMachine):
    """What a step should do is worked out from snapshots alone; the tree must then look exactly so."""

    @initialize()
    def begin(self):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.place = os.path.realpath(tempfile.mkdtemp(prefix="tests-", dir=memory))
        self.root = f"{self.place}/tree"
        self.state_before = os.environ["XDG_STATE_HOME"]
        os.environ["XDG_STATE_HOME"] = f"{self.place}/state"
        os.makedirs(f"{self.root}/d")
        self.clock = 0
        self.runs = []
        for name, mode, data in [("a", 0o644, b"1\n2\n3\n"), ("b.sh", 0o755, b"#!\r\nx"), ("d/c", 0o600, b"")]:
            with open(f"{self.root}/{name}", "wb") as file:
                file.write(data)
            os.chmod(f"{self.root}/{name}", mode)
        os.symlink("a", f"{self.root}/link")
        self.wanted = snapshot(self.root)

    def teardown(self):
        if hasattr(self, "place"):
            os.environ["XDG_STATE_HOME"] = self.state_before
            shutil.rmtree(self.place)

    def tick(self):
        self.clock += 1
        return self.clock

    def files(self):
        return {name: found[2] for name, found in self.wanted.items() if found[0] == "file"}

    @invariant()
    def the_tree_is_what_the_model_says(self):
        if hasattr(self, "wanted"):
            assert snapshot(self.root) == self.wanted

    # -- patches ---------------------------------------------------------------------------------

    def apply(self, patch, **options):
        before = self.wanted
        try:
            patchkit.apply(patch, self.root, **options)
        except PatchkitError:
            assert snapshot(self.root) == before
            return
        self.wanted = snapshot(self.root)
        if self.wanted != before:
            self.runs.append(ModelRun(before, self.wanted, self.tick()))
            self.runs[-1].id = do(log, self.root)[0].id

    @rule(data=st.data(), dialect=st.sampled_from(["safe", "safe", "codex"]))
    def change_some_files(self, data, dialect):
        before, after = self.files(), self.files()
        for name in data.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)):
            lines = after.pop(name, b"").split(b"\n")
            if data.draw(st.booleans()):
                index = data.draw(st.integers(0, len(lines)))
                lines[index : index + data.draw(st.integers(0, 2))] = [b"line %d" % self.tick()]
                after[name] = b"\n".join(lines)
        try:
            patch = patchkit.make_patch(before, after)
        except PatchkitError:
            return
        if before != after:
            self.apply(patch, dialect=dialect)

    @rule(data=st.data(), overwrite=st.booleans())
    def move_a_file(self, data, overwrite):
        old = data.draw(st.sampled_from([*sorted(self.files()), "missing"]))
        self.apply(patched(f"*** Update File: {old}", f"*** Move to: {data.draw(names())}"), overwrite=overwrite)

    @rule(name=st.sampled_from([*NAMES, "link"]))
    def put_a_new_file_in_the_place_of_an_old_one(self, name):
        self.apply(patched(f"*** Delete File: {name}", f"*** Add File: {name}", f"+new {self.tick()}"))

    @rule()
    def delete_the_link(self):
        self.apply(patched("*** Delete File: link"))

    # -- other people ----------------------------------------------------------------------------

    @rule(name=st.sampled_from(NAMES))
    def somebody_writes(self, name):
        if self.wanted.get(os.path.dirname(name), ("directory",))[0] == "directory" and self.is_free(name):
            os.makedirs(os.path.dirname(f"{self.root}/{name}"), exist_ok=True)
            with open(f"{self.root}/{name}", "wb") as file:
                file.write(b"somebody %d\n" % self.tick())
            self.wanted = snapshot(self.root)

    def is_free(self, name):
        return self.wanted.get(name, ("file",))[0] == "file"

    @rule(data=st.data())
    @precondition(lambda self: hasattr(self, "wanted") and self.files())
    def somebody_deletes(self, data):
        os.unlink(f"{self.root}/{data.draw(st.sampled_from(sorted(self.files())))}")
        self.wanted = snapshot(self.root)

    @rule(data=st.data())
    @precondition(lambda self: hasattr(self, "wanted") and self.files())
    def somebody_saves_without_a_change(self, data):
        path = f"{self.root}/{data.draw(st.sampled_from(sorted(self.files())))}"
        shutil.copy2(path, f"{path}~")
        os.utime(f"{path}~")
        os.rename(f"{path}~", path)

    # -- back and forth --------------------------------------------------------------------------

    @rule()
    def undo(self):
        standing = [run for run in self.runs if not run.undone]
        self.reverse(undo, max(standing, key=lambda run: run.since, default=None))

    @rule()
    def redo(self):
        newest = max((run.applied_at for run in self.runs), default=0)
        undone = [run for run in self.runs if run.undone and run.since > newest]
        self.reverse(redo, max(undone, key=lambda run: run.since, default=None))

    @rule(data=st.data())
    @precondition(lambda self: getattr(self, "runs", None))
    def undo_or_redo_one_by_name(self, data):
        run = data.draw(st.sampled_from(self.runs))
        self.reverse(redo if run.undone else undo, run, run.id)

    def reverse(self, verb, run, *name):
        """Undoes or redoes: exactly when every name of the run is what the run left there."""
        same = run is not None and all(_content(self.wanted.get(each)) == _content(run.left[each]) for each in run.left)
        done = outcome(do, verb, self.root, *name)
        if not same:
            assert done.code == ("P321" if run is None else "P323")
            return
        assert done.run == run.id
        before = self.wanted
        self.wanted = self.expected(run)
        run.left, run.other = run.other, run.left
        run.made = [each for each in self.wanted if each not in before and self.wanted[each][0] == "directory"]
        run.undone, run.since = not run.undone, self.tick()

    def expected(self, run):
        tree = dict(self.wanted)
        for name, held in run.other.items():
            tree.pop(name, None)
            if held is not None:
                tree[name] = held
                tree.update({each: ("directory", 0o755) for each in directories(name) if each not in tree})
        for made in sorted(run.made, reverse=True):
            if not any(name.startswith(f"{made}/") for name in tree):
                tree.pop(made, None)
        return tree


def names():
    return st.sampled_from(NAMES)


def _content(held):
    """What a name holds, without the mode: that may be changed and is no reason to refuse."""
    return (held[0], held[-1]) if held is not None else None


Undoing.TestCase.settings = settings(examples(40), stateful_step_count=25)
TestUndoing = Undoing.TestCase
