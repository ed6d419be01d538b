"""Patches, undos, redos, other people's edits and kills in any order, against a model that knows whole trees."""

from __future__ import annotations

import os
import shutil
import tempfile

from fault_injection import Fault, attempt, through_library
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sample_trees import do, recorded
from strategies import examples, outcome
from test_history import log, patched, snapshot

import patchkit
from patchkit import PatchkitError
from patchkit.history import tracked_workspace
from patchkit.tools.undo import redo, undo

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
            recorded(patch, self.root, **options)
        except PatchkitError:
            assert snapshot(self.root) == before
            return
        self.wanted = snapshot(self.root)
        if self.wanted != before:
            self.remember(before)

    def remember(self, before):
        """Adds the run that is newest in the history."""
        self.runs.append(ModelRun(before, self.wanted, self.tick()))
        self.runs[-1].id = do(log, self.root)[0].id

    @rule(data=st.data(), dialect=st.sampled_from(["safe", "safe", "codex"]))
    def change_some_files(self, data, dialect):
        patch = self.some_changes(data)
        if patch:
            self.apply(patch, dialect=dialect)

    def some_changes(self, data):
        """A patch for one to three files; '' when it would change nothing."""
        before, after = self.files(), self.files()
        for name in data.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)):
            lines = after.pop(name, b"").split(b"\n")
            if data.draw(st.booleans()):
                index = data.draw(st.integers(0, len(lines)))
                lines[index : index + data.draw(st.integers(0, 2))] = [b"line %d" % self.tick()]
                after[name] = b"\n".join(lines)
        try:
            return patchkit.make_patch(before, after) if before != after else ""
        except PatchkitError:
            return ""

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
                file.write(b"another %d\n" % self.tick())
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

    # -- kills -----------------------------------------------------------------------------------

    @rule(data=st.data(), at=st.integers(1, 90))
    def a_patch_is_killed(self, data, at):
        """The next run makes it all or nothing; it can be undone when it came as far as its record."""
        patch = self.some_changes(data)
        if not patch:
            return
        before, known = self.wanted, {run.id for run in do(log, self.root)}
        new = self.elsewhere(patch)
        attempt(through_library(self.root, patch), Fault(at, kill=True))
        self.recover()
        assert files_of(self.wanted) in (files_of(before), files_of(new))
        assert {*self.wanted} <= {*before, *new}
        if known != {run.id for run in do(log, self.root)}:
            assert files_of(self.wanted) == files_of(new)
            self.remember(before)

    @rule(data=st.data(), at=st.integers(1, 90))
    @precondition(lambda self: getattr(self, "runs", None))
    def an_undo_or_a_redo_is_killed(self, data, at):
        run = data.draw(st.sampled_from(self.runs))
        before = self.wanted
        new = self.expected(run) if self.is_what_it_left(run) else before
        verb = redo if run.undone else undo
        attempt(lambda: (0, outcome(do, verb, self.root, run.id).__class__.__name__), Fault(at, kill=True))
        self.recover()
        assert files_of(self.wanted) in (files_of(before), files_of(new))
        state = next(each.state for each in do(log, self.root) if each.id == run.id)
        if (state == "undone") != run.undone:
            assert files_of(self.wanted) == files_of(new)
            self.turned(run, before)

    def elsewhere(self, patch):
        """The tree that the patch makes of this one, tried on a copy."""
        copy = f"{self.place}/copy"
        shutil.copytree(self.root, copy, symlinks=True)
        outcome(patchkit.apply, patch, copy, history=False)
        made = snapshot(copy)
        shutil.rmtree(copy)
        return made

    def recover(self):
        with tracked_workspace(self.root) as files:
            files.begin()
        self.wanted = snapshot(self.root)
        assert not [name for name in self.wanted if ".patchkit" in name]

    # -- back and forth --------------------------------------------------------------------------

    @rule()
    def undo(self):
        applied = [run for run in self.runs if not run.undone]
        self.reverse(undo, max(applied, key=lambda run: run.since, default=None))

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
        same = run is not None and self.is_what_it_left(run)
        done = outcome(do, verb, self.root, *name)
        if not same:
            assert done.code == ("P321" if run is None else "P323")
            return
        assert done.run == run.id
        before = self.wanted
        self.wanted = self.expected(run)
        self.turned(run, before)

    def is_what_it_left(self, run):
        return all(_content(self.wanted.get(each)) == _content(run.left[each]) for each in run.left)

    def turned(self, run, before):
        """The run is in its other state now."""
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


def files_of(tree):
    return {name: held for name, held in tree.items() if held[0] != "directory"}


def names():
    return st.sampled_from(NAMES)


def _content(held):
    """What a name holds, without the mode: that may be changed and is not a reason to refuse."""
    return (held[0], held[-1]) if held is not None else None


Undoing.TestCase.settings = settings(examples(40), stateful_step_count=25)
TestUndoing = Undoing.TestCase
