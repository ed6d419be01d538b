"""What each command that answers at once needs of patchkit, measured.

    python tests/lean_modules.py [--write]

prints lean.json, or writes it; hatch_build.py makes the bundles of the wheel from it. The figures come from real runs
of a copy of the package in which every import waits until it is used. So a module is listed only because a plain run of
the command needs it, and of each module the functions that such runs call.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from hatch_build import PARTS, lazy  # noqa: E402  # run as a script, the repository is not on the path before

PATH = "/usr/bin:/bin"
CONTENT = "one\ntwo\nthree\n"
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+zwei\n three\n*** End Patch\n"
# Other plain runs, whose functions count as well: new, deleted and moved files, several hunks, several files.
OTHERS = [
    "*** Begin Patch\n*** Add File: new/b.txt\n+one\n*** End Patch\n",
    "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: a.txt\n*** Move to: c.txt\n@@\n-one\n+eins\n@@\n three\n+four\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+eins\n*** Update File: d.txt\n@@\n-x\n+y\n*** End Patch\n",
]
DIFF = """diff --git a/a.txt b/a.txt
index 4cb29ea..ac6c6c6 100644
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
diff --git a/d.txt b/d.txt
index 587be6b..975fbec 100644
--- a/d.txt
+++ b/d.txt
@@ -1 +1 @@
-x
+y
diff --git a/e.txt b/e.txt
index 4cb29eb..ac6c6c7 100644
--- a/e.txt
+++ b/e.txt
@@ -1,4 +1,4 @@
-line 0
+Line 0
 line 1
-line 2
+Line 2
 line 3
@@ -10,5 +10,6 @@
 line 9
 line 10
+line 10 and a half
 line 11
 line 12
 line 13
"""
# What most diffs of programs have: new, deleted and renamed files, new functions, lines that are there several times.
CHANGES = """diff --git a/.new b/.new
new file mode 100644
index 0000000..3e75765
--- /dev/null
+++ b/.new
@@ -0,0 +1 @@
+new
\\ No newline at end of file
diff --git a/cups.py b/cups.py
index 342575d..36356a9 100644
--- a/cups.py
+++ b/cups.py
@@ -5,3 +5,3 @@ cup
 saucer
-spoon
+fork
 cup
diff --git a/spoon.py b/fork.py
similarity index 68%
rename from spoon.py
rename to fork.py
index f384549..dd35c86 100644
--- a/spoon.py
+++ b/fork.py
@@ -1,3 +1,3 @@
 handle
-bowl
+tines
 end
\\ No newline at end of file
diff --git a/mug.py b/mug.py
index 083ef16..e1e7042 100644
--- a/mug.py
+++ b/mug.py
@@ -1,3 +1,8 @@
 class Mug:
+    @washed
+    def fill(self, tea):
+        self.check()
+        self.tea = tea
+        return self
     @washed
     def drink(self):
@@ -4,3 +9,2 @@
         self.check()
-        self.tea = 0
         return self
diff --git a/old.py b/old.py
deleted file mode 100644
index 3367afd..0000000
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-old
diff --git a/tea.py b/tea.py
index 083ef15..e1e7041 100644
--- a/tea.py
+++ b/tea.py
@@ -1,4 +1,5 @@
+import os
 import sys
 #
-CUPS = 1
+CUPS = 2
 #
@@ -6,3 +7,9 @@ def boil(water):
     water += 1
+    return water
+#
+def cool(water):
+    while water > 60:
+        print("né")
+        water -= 1
     return water
 #
@@ -9,2 +16,6 @@ def boil(water):
 #
+def pour(tea):
+    for cup in range(CUPS):
+        print(cup, tea)
+#
 def main():
"""
TEA = """import sys
#
CUPS = 1
#
def boil(water):
    water += 1
    return water
#
#
def main():
    print("tea")
"""
MUG = """class Mug:
    @washed
    def drink(self):
        self.check()
        self.tea = 0
        return self
"""
FILES = {
    "a.txt": CONTENT,
    "d.txt": "x\n",
    "e.txt": "".join(f"line {number}\n" for number in range(20)),
    "a.patch": PATCH,
    "a.diff": DIFF,
    "cups.py": "cup\nsaucer\nspoon\n" * 3,
    "mug.py": MUG,
    "old.py": "old\n",
    "spoon.py": "handle\nbowl\nend",
    "tea.py": TEA,
    "changes.diff": CHANGES,
}
# The words behind each command; ROOT is the workspace.
CALLS = {
    "apply": "",
    "read": "a.txt --root ROOT",
    "write": "b.txt --content x --root ROOT",
    "edit": "a.txt --old two --new zwei --force --root ROOT",
    "ls": "--root ROOT",
    "glob": "*.txt --root ROOT",
    "grep": "two --root ROOT",
    "mcp": "--root ROOT",
    "check": "a.patch --root ROOT",
    "diff": "a.txt d.txt",
    "convert": "--to v4a a.diff --root ROOT",
    "log": "--root ROOT",
    "exec": "echo one --root ROOT",
    # Parts of the bundles: runs that load them, in a workspace with rules.
    "rules": "read a.txt --root ROOT",
    "commands": "exec echo one --root ROOT",
    "sandbox": "exec --sandbox echo one --root ROOT",
}
RULES = """\
[permissions]
read = { ".env*" = "deny", "secrets/**" = "deny" }
write = { "src/**" = "allow", ".env*" = "deny" }
"""
# Other calls of a command, whose modules and functions count as well.
MORE_CALLS = {
    "convert": [
        "--to v4a changes.diff --root ROOT",
        "--from unified --to unified a.diff --root ROOT",
        "--from unified --to v4a --no-files a.diff",
    ]
}
# What a client sends before its first call; the other commands get a patch, which only `apply` reads.
INPUTS = {
    "mcp": '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
}
# What the `patchkit` script loads to find its command, before any bundle.
STARTS = {"patchkit.cli", "patchkit.cli.main"}
# Called by a plain run now and then: the history is tidied by one run in a few dozen, a command may take its time.
OCCASIONAL = {
    *(f"patchkit.workspace.history.recording:{name}" for name in ("tidy", "_prune")),
    "patchkit.processes.running:_Watch.is_cancelled",
}
REPORT = """
import _thread, os, sys
end, calls = os._exit, set()
def report(status):
    sys.setprofile(None)
    names = [name for name in sys.modules if name.split(".")[0] == "patchkit"]
    os.write(2, ("\\n@" + " ".join(names) + "@" + " ".join(calls)).encode())
    end(status)
def note(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_flags & 2 and "/patchkit/" in code.co_filename and "<" not in code.co_qualname:
        calls.add(frame.f_globals["__name__"] + ":" + code.co_qualname)
def start(work, given, begin=_thread.start_new_thread):
    return begin(lambda *words: (sys.setprofile(note), work(*words)), given)
os._exit, _thread.start_new_thread = report, start
sys.setprofile(note)
"""


def script(command: str, root: Path, call: str) -> str:
    """The program that runs a command as its script would, and reports at its end what it loaded and called."""
    if command == "apply":
        words = ["apply_patch"]
    else:
        words = ["patchkit", *([] if command in PARTS else [command]), *call.replace("ROOT", str(root)).split()]
    name = words[0]
    text = (REPOSITORY / "scripts" / name).read_text(encoding="utf-8")
    return f"{REPORT}sys.argv[:] = {words!r}\n{text}"


def run(
    package: Path, command: str, root: Path, patch: str = PATCH, call: str | None = None
) -> tuple[int, set[str], set[str]]:
    """Runs a command with the package found under `package`: its status, the modules it loaded, what it called."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    for name, content in FILES.items():
        (root / name).write_text(content)
    if command in PARTS:
        (root / ".patchkit.toml").write_text(RULES)
        for name in ("src/inner", "secrets"):
            (root / name).mkdir(parents=True)
            (root / name / ".env").write_text("x\n")
            (root / name / "a.txt").write_text("x\n")
    environment = {"PATH": PATH, "PYTHONPATH": str(package), "XDG_STATE_HOME": str(package / "state")}
    if command in PARTS:
        trust = f"from patchkit.policy.trust import trust_below; trust_below({str(root.resolve())!r})"
        subprocess.run([sys.executable, "-c", trust], env=environment, check=True)
    done = subprocess.run(
        [sys.executable, "-c", script(command, root, CALLS[command] if call is None else call)],
        input=INPUTS.get(command, patch),
        capture_output=True,
        text=True,
        cwd=root,
        env=environment,
        check=False,
    )
    errors, _, found = done.stderr.partition("\n@")
    assert not errors or errors.startswith("note["), errors
    modules, _, calls = found.partition("@")
    return done.returncode, set(modules.split()), set(calls.split())


def lazy_copy(place: Path) -> Path:
    """A copy of the package in which every import waits until it is used."""
    for path in (REPOSITORY / "patchkit").rglob("*"):
        copy = place / path.relative_to(REPOSITORY)
        if path.suffix == ".py":
            name = ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(lazy(REPOSITORY, name, set()), encoding="utf-8")
        elif path.is_file() and "__pycache__" not in path.parts:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    return place


def measured(package: Path, command: str, root: Path) -> dict[str, str]:
    """The modules that a plain run of a command loads, and of each the functions that such runs call.

    The second run counts: the first may have to make a directory for its state.
    """
    run(package, "apply" if command == "log" else command, root)  # a log of something
    status, modules, calls = run(package, command, root)
    assert status == 0, (command, status)
    for patch in OTHERS if command == "apply" else ():
        status, _more, called = run(package, command, root, patch)
        assert status == 0, patch
        calls |= called
    for call in MORE_CALLS.get(command, ()):
        status, more, called = run(package, command, root, call=call)
        assert status == 0, (command, call)
        modules |= more
        calls |= called
    needed = modules - {"patchkit"} - (STARTS if command != "apply" else set())
    calls |= {call for call in OCCASIONAL if call.partition(":")[0] in needed}
    return {
        name.removeprefix("patchkit."): " ".join(
            sorted(call.partition(":")[2] for call in calls if call.startswith(f"{name}:"))
        )
        for name in sorted(needed)
    }


def part_of(found: dict[str, str], before: list[dict[str, str]]) -> dict[str, str]:
    """The modules of a part: what was loaded besides what was there before."""
    return {name: called for name, called in found.items() if not any(name in each for each in before)}


def lists() -> str:
    """The text of lean.json."""
    with tempfile.TemporaryDirectory() as place:
        package = lazy_copy(Path(place))
        found = {command: measured(package, command, Path(place, "work", command)) for command in CALLS}
    for part, (_, before) in PARTS.items():
        for held in (found[each] for each in before):
            for name in held.keys() & found[part].keys():  # what a run with the part calls besides
                held[name] = " ".join(sorted({*held[name].split(), *found[part][name].split()}))
    for part, (_, before) in PARTS.items():
        found[part] = part_of(found[part], [found[each] for each in before if each == before[0] or each in PARTS])
    return json.dumps(found, indent=1) + "\n"


def main() -> None:
    if sys.argv[1:] == ["--write"]:
        (REPOSITORY / "lean.json").write_text(lists(), encoding="utf-8")
    else:
        print(lists(), end="")


if __name__ == "__main__":
    main()
