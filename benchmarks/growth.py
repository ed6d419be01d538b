"""How the cost of patchkit grows with the work: processor time from 10 to 10,000 of each thing, and the exponent.

    python -m benchmarks.growth [--only WORDS] [--most N]

Every format and every kind of work is called in this process; every command that takes input of any size is run, and
the processor time of its start (of the smallest size) is taken off. GNU patch and git apply do the same beside it where
they can. Of a long line the number is its kilobytes. The exponent is that of the processor time between the two largest
sizes: 1 is linear. The smaller of them is measured ten times in a row, so that a busy machine slows both alike. A row
above 1.15 is measured again, up to three times, and the least exponent counts; one that stays above it fails the run.
Memory that is free again is kept: from some megabytes on glibc gives it back, and gets it anew for each copy of a text,
which is a step in the cost of a row and no growth. All rows take about ten minutes of processor time.
"""

import argparse
import ctypes
import gc
import json
import math
import os
import shutil
import sys
import tempfile
import time
import weakref
from functools import partial
from pathlib import Path

import patchkit
from benchmarks.speed.measure import run
from patchkit.core.workspace.root import Workspace
from patchkit.formats.model import NAMES
from patchkit.policy.permissions import Judge
from patchkit.policy.settings import settings
from patchkit.shell.classifying import classify
from patchkit.tools.arguments import checked
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import effect_and_name, named

SIZES = (10, 100, 1_000, 10_000)
MOST = 1.15
ROUNDS = 3  # for a row that is above it
LINES = 10  # of a file for each of its hunks or edits
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # of glibc's mallopt


# -- texts ---------------------------------------------------------------------------------------------


def row(number):
    return f"    value_{number} = compute({number * 7919 % 1_000_003})"


def file_of(count):
    return "".join(f"{row(number)}\n" for number in range(count * LINES)).encode()


def changed(count):
    rows = [row(number) for number in range(count * LINES)]
    rows[4::LINES] = [f"    changed_{number} = 0" for number in range(count)]
    return "".join(f"{each}\n" for each in rows).encode()


def hunk(number, old=row, header="@@"):
    at = number * LINES + 4
    return f"{header}\n {old(at - 1)}\n-{old(at)}\n+    changed_{number} = 0\n {old(at + 1)}\n"


def file_name(number):
    return f"f{number or ''}.py"


def v4a(hunks, name="f.py"):
    return f"*** Begin Patch\n*** Update File: {name}\n{''.join(hunks)}*** End Patch\n"


def hunks_of(count, old=row):
    return v4a(hunk(number, old) for number in range(count))


def unified(count):
    parts = (hunk(number, header=f"@@ -{number * LINES + 4},3 +{number * LINES + 4},3 @@") for number in range(count))
    return f"--- a/f.py\n+++ b/f.py\n{''.join(parts)}"


def blocks(count):
    return "".join(
        f"f.py\n<<<<<<< SEARCH\n{row(n * LINES + 4)}\n=======\n    changed_{n} = 0\n>>>>>>> REPLACE\n"
        for n in range(count)
    )


def edits(count):
    return [
        {"path": "f.py", "old_string": row(n * LINES + 4).strip(), "new_string": f"changed_{n} = 0"}
        for n in range(count)
    ]


def plain_edits(count):
    return [{name: value for name, value in each.items() if name != "path"} for each in edits(count)]


def operations(count):
    return json.dumps([{"type": "update_file", "path": "f.py", "diff": "".join(hunk(n) for n in range(count))}])


def tree_of(count):
    return {f"d{number % 10}/f{number}.py": f"x = {number}\ny = 1\n".encode() for number in range(count)}


def files_changed(count):
    parts = (f"*** Update File: {name}\n@@\n-y = 1\n+y = 2\n" for name in tree_of(count))
    return f"*** Begin Patch\n{''.join(parts)}*** End Patch\n"


def files_moved(count):
    """Every second file gets another name and a change, the others are deleted."""
    kinds = ("*** Update File: {0}\n*** Move to: new/{0}\n@@\n-y = 1\n+y = 2\n", "*** Delete File: {0}\n")
    parts = (kinds[number % 2].format(name) for number, name in enumerate(tree_of(count)))
    return f"*** Begin Patch\n{''.join(parts)}*** End Patch\n"


def files_half_stale(count):
    parts = (f"*** Update File: {name}\n@@\n-y = {at % 2}\n+y = 2\n" for at, name in enumerate(tree_of(count)))
    return f"*** Begin Patch\n{''.join(parts)}*** End Patch\n"


def diffs_of_files(count):
    return "".join(f"--- a/{name}\n+++ b/{name}\n@@ -2 +2 @@\n-y = 1\n+y = 2\n" for name in tree_of(count))


def blocks_of_files(count):
    return "".join(f"{name}\n<<<<<<< SEARCH\ny = 1\n=======\ny = 2\n>>>>>>> REPLACE\n" for name in tree_of(count))


def edits_of_files(count):
    return json.dumps([{"path": name, "old_string": "y = 1", "new_string": "y = 2"} for name in tree_of(count)])


def operations_on_files(count):
    return json.dumps(
        [{"type": "update_file", "path": each, "diff": "@@\n-y = 1\n+y = 2\n"} for each in tree_of(count)]
    )


def absent(at):
    return f"    absent_{at} = 0"


def stale(at):
    return row(at).replace("7", "8")


def long_line(count):
    return "".join(f"key{number}: {number * 7919 % 100_003}, " for number in range(count * 64))


def functions(count, sign="+"):
    return "".join(f"def f{n}(x):\n    y = x {sign} {n}\n    return y * {n}\n\n\n" for n in range(count))


def snippet(count):
    left_out = "# ... existing code ...\n\n\n"
    pieces = functions(count, "-").split("def ")[1::2]
    return f"f.py\n```\n{left_out}{''.join(f'def {piece}{left_out}' for piece in pieces)}```\n"


def notebook(count):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**cell, "id": f"c{number}", "source": [f"x = {number}\n", "y = 2"]} for number in range(count)]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def rules(count):
    paths, commands = (", ".join(f'"{word}{n}" = "deny"' for n in range(count)) for word in ("dir", "command"))
    return f"[permissions]\nwrite = {{ {paths} }}\nexecute = {{ {commands} }}\n"


def script(count):
    return "".join(f"grep -n word{number} file{number} | head -n 3 > out{number}\n" for number in range(count))


def wholes(count):
    return "".join(f"{name}\n```\nx = 0\ny = 2\n```\n\n" for name in tree_of(count))


def heredoc(count):
    return f"apply_patch <<'EOF'\n{hunks_of(count)}EOF\n"


# -- work in this process --------------------------------------------------------------------------------
# By name, what makes the work of a size: a call without arguments.


def checking(text, files, **options):
    return lambda: patchkit.check(text, files, **options)


def refusing(text, files, **options):
    def work():
        try:
            patchkit.check(text, files, **options)
        except patchkit.PatchkitError:
            return
        raise AssertionError("it was not refused")

    return work


def streaming(text, files):
    def work():
        for _ in patchkit.parse_stream((text[at : at + 64] for at in range(0, len(text), 64)), files):
            pass

    return work


def on_disk(files, work):
    """The work on a directory with these files, which is removed when the work is not held any more."""
    directory = tempfile.mkdtemp()
    write(files, directory)
    made = partial(work, directory)
    weakref.finalize(made, shutil.rmtree, directory, ignore_errors=True)
    return made


def using(tool, files, refused=False, **arguments):
    """A call of a tool on fresh files."""

    def work(directory):
        write(files, directory)
        result = call(tool, arguments, Caller(root=directory, read_first=False, by_hand=True))
        if (result.status == "error") != refused:
            raise AssertionError(result.text[:1000])

    return on_disk(files, work)


def judging(tool, files, **arguments):
    def work(directory):
        with Workspace(directory) as workspace:
            judge = Judge(workspace, settings(workspace.real), effect_and_name, [])
            judge.judge(tool, named(tool).deeds(judge.deeds, checked(named(tool), arguments)))

    return on_disk(files, work)


def undoing(text, files):
    def work(directory):
        patchkit.apply(text, directory, history=True, no_sync=True)
        patchkit.undo(directory)

    return on_disk(files, work)


def write(files, directory):
    for name, content in files.items():
        path = Path(directory, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def reading(text, of=file_of):
    """Texts in another format, read and planned."""
    return lambda size: checking(text(size), {"f.py": of(size)}, from_format="auto")


def from_files(text):
    return lambda size: checking(text(size), tree_of(size), from_format="auto")


def writing(name):
    return lambda size: partial(patchkit.convert, hunks_of(size), name, {"f.py": file_of(size)})


def writing_files(name):
    return lambda size: partial(patchkit.convert, files_changed(size), name, tree_of(size))


WORK = {
    "parse, hunks": lambda n: partial(patchkit.parse, hunks_of(n)),
    "check, hunks": lambda n: checking(hunks_of(n), {"f.py": file_of(n)}),
    "check, lines": lambda n: checking(hunks_of(1), {"f.py": file_of(n)}),
    "check, files": lambda n: checking(files_changed(n), tree_of(n)),
    "check, equal lines": lambda n: checking(
        v4a(["@@\n", " x = 1\n" * (n // 2), "-x = 1\n+y\n end\n"]), {"f.py": b"x = 1\n" * n + b"end\n"}
    ),
    "check, equal places refused": lambda n: refusing(
        v4a(["@@\n", " x = 1\n" * (n // 2), "+y\n"]), {"f.py": b"x = 1\n" * n}
    ),
    "check, anchors": lambda n: checking(
        v4a(f"@@ def f{m}():\n-    return {m}\n+    return 0\n" for m in range(n)),
        {"f.py": "".join(f"def f{m}():\n    return {m}\n\n" for m in range(n)).encode()},
    ),
    "check, context alone": lambda n: checking(
        v4a([*(f"@@\n {row(m * LINES)}\n {row(m * LINES + 1)}\n" for m in range(n - 1)), hunk(n - 1)]),
        {"f.py": file_of(n)},
    ),
    "check, hunks already there": lambda n: checking(hunks_of(n), {"f.py": changed(n)}, forward=True),
    "check, reverse": lambda n: checking(hunks_of(n), {"f.py": changed(n)}, reverse=True),
    "check, notes": lambda n: checking(hunks_of(n, lambda at: row(at) + "  "), {"f.py": file_of(n)}),
    "check, refusals": lambda n: refusing(hunks_of(n, absent), {"f.py": file_of(n)}),
    "check, stale lines": lambda n: refusing(hunks_of(n, stale), {"f.py": file_of(n)}),
    "check, missing files": lambda n: refusing(files_changed(n), {}),
    "check, hundreds of lines": lambda n: checking(v4a([hunk(n)]), {"f.py": file_of(10 * n)}),
    "check, a refusal in a large file": lambda n: refusing(v4a([hunk(n, absent)]), {"f.py": file_of(n)}),
    "check, a long line": lambda n: checking(
        v4a([f"@@\n-{long_line(n)}\n+short\n"]), {"f.py": long_line(n).encode() + b"\n"}
    ),
    "check, a stale long line": lambda n: refusing(
        v4a([f"@@\n-{long_line(n).replace('7', '8')}\n+short\n"]), {"f.py": long_line(n).encode() + b"\n"}
    ),
    "check, another margin": lambda n: checking(hunks_of(n, lambda at: row(at)[4:]), {"f.py": file_of(n)}),
    "check, ten sections of a file": lambda n: checking(
        v4a(hunk(0) if not at else f"*** Update File: {file_name(at // 10)}\n{hunk(at % 10)}" for at in range(n)),
        {file_name(number): file_of(10) for number in range(n // 10)},
    ),
    "check, files added": lambda n: checking(
        v4a([hunk(0), *(f"*** Add File: new{number}\n+x\n" for number in range(n))]), {"f.py": file_of(1)}
    ),
    "check, files moved": lambda n: checking(files_moved(n), tree_of(n)),
    "check, ambiguous hunks": lambda n: refusing(v4a(["@@\n-x = 1\n+y\n"] * n), {"f.py": b"x = 1\n" * 3 * n}),
    "check, partial, hunks": lambda n: checking(
        v4a(hunk(number, absent if number % 2 else row) for number in range(n)), {"f.py": file_of(n)}, partial="hunks"
    ),
    "check, partial, files": lambda n: checking(files_half_stale(n), tree_of(n), partial="files"),
    "check, fixed hunks": lambda n: refusing(hunks_of(n, stale), {"f.py": file_of(n)}, fix="likely"),
    "check, base, hunks": lambda n: checking(hunks_of(n), {"f.py": file_of(n) + b"more\n"}, base={"f.py": file_of(n)}),
    "parse_stream, hunks": lambda n: streaming(hunks_of(n), {"f.py": file_of(n)}),
    "parse_stream, files": lambda n: streaming(files_changed(n), tree_of(n)),
    "from unified, hunks": reading(unified),
    "from search-replace, blocks": reading(blocks),
    "from json-edits, edits": reading(lambda n: json.dumps(edits(n))),
    "from openai-ops, hunks": reading(operations),
    "from snippet, pieces": lambda n: checking(snippet(n), {"f.py": functions(n).encode()}, from_format="snippet"),
    "from unified, files": from_files(diffs_of_files),
    "from search-replace, files": from_files(blocks_of_files),
    "from json-edits, files": from_files(edits_of_files),
    "from openai-ops, files": from_files(operations_on_files),
    "from whole-file, files": from_files(wholes),
    "from whole-file, lines": reading(lambda n: f"f.py\n```\n{changed(n).decode()}```\n"),
    **{f"to {name}, hunks": writing(name) for name in NAMES},
    **{f"to {name}, files": writing_files(name) for name in NAMES},
    "make_patch, places": lambda n: partial(patchkit.make_patch, {"f": file_of(n)}, {"f": changed(n)}),
    "make_patch, files": lambda n: partial(
        patchkit.make_patch, tree_of(n), {name: data + b"z\n" for name, data in tree_of(n).items()}
    ),
    "make_patch, files moved": lambda n: partial(
        patchkit.make_patch, tree_of(n), {f"new/{name}": data for name, data in tree_of(n).items()}
    ),
    "make_patch, a long line": lambda n: partial(
        patchkit.make_patch, {"f": long_line(n).encode()}, {"f": b"x" + long_line(n).encode()}
    ),
    "intercept, hunks": lambda n: partial(classify, heredoc(n), "/"),
    "intercept, commands": lambda n: partial(classify, script(n) + heredoc(1), "/"),
    "policy, rules, a tenth": lambda n: judging("Write", {".patchkit.toml": rules(n // 10)}, file_path="f", content=""),
    "policy, files": lambda n: judging(
        "apply_patch", {".patchkit.toml": rules(10), **tree_of(n)}, input=files_changed(n)
    ),
    "policy, commands, a tenth": lambda n: judging("Bash", {".patchkit.toml": rules(10)}, command=script(n // 10)),
    "undo, files": lambda n: undoing(files_changed(n), tree_of(n)),
    "Edit, definitions": lambda n: using(
        "Edit", {"f.py": functions(n)}, file_path="f.py", symbol=f"f{n // 2}", new_string="def new():\n    pass\n"
    ),
    "Edit, a refusal in lines": lambda n: using(
        "Edit", {"f.py": file_of(n)}, file_path="f.py", refused=True, old_string="absent line", new_string="x"
    ),
    "Edit, a refusal in a long line": lambda n: using(
        "Edit", {"f.py": long_line(n)}, file_path="f.py", refused=True, old_string="absent line", new_string="x"
    ),
    "MultiEdit, edits": lambda n: using("MultiEdit", {"f.py": file_of(n)}, file_path="f.py", edits=plain_edits(n)),
    "MultiEdit, edits with another margin": lambda n: using(
        "MultiEdit",
        {"f.py": file_of(n)},
        file_path="f.py",
        edits=[{**each, "old_string": f"\t{each['old_string']} "} for each in plain_edits(n)],
    ),
    "MultiEdit, each on the one before": lambda n: using(
        "MultiEdit",
        {"f.py": b"line 0\n" + file_of(n)},
        file_path="f.py",
        edits=[{"old_string": f"line {at}\n", "new_string": f"line {at + 1}\n"} for at in range(n)],
    ),
    "NotebookEdit, cells": lambda n: using(
        "NotebookEdit", {"n.ipynb": notebook(n)}, notebook_path="n.ipynb", cell_id=f"c{n // 2}", new_source="z"
    ),
    "Insert, lines": lambda n: using("Insert", {"f.py": file_of(n)}, file_path="f.py", insert_line=n, new_str="x"),
}


# -- commands ----------------------------------------------------------------------------------------------
# By name, the words of a command, what makes its input of a size in a directory: {path: content}, in which `stdin` is
# its standard input, and the words of a command that is run before it.


def tree_and(**inputs):
    return lambda n: {**tree_of(n), **{name: make(n) for name, make in inputs.items()}}


def file_and(**inputs):
    return lambda n: {"f.py": file_of(n), **{name: make(n) for name, make in inputs.items()}}


def rows_of(count):
    small = {"patch": hunks_of(2), "files": {"f.py": file_of(2).decode()}}
    return "".join(json.dumps({"id": number, **small}) + "\n" for number in range(count))


def patches_of(count):
    return {
        **tree_of(count),
        **{f"p/{n}.patch": v4a(["@@\n-y = 1\n+y = 2\n"], name) for n, name in enumerate(tree_of(count))},
    }


def calls_of(count):
    def message(number, method, params):
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"

    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "growth", "version": "1"}}
    read = {"name": "Read", "arguments": {"file_path": "a"}}
    return "".join([message(0, "initialize", about), *(message(n + 1, "tools/call", read) for n in range(count))])


def event_of(command):
    return json.dumps(
        {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "session_id": "s"}
    )


def answers_of(count):
    errors = [{"code": "P201", "message": "hunk not found in 'f.py'"}]
    good = {"verdict": "applies", "code": None, "pass": "exact", "passes": {"exact": 1}, "errors": [], "notes": []}
    bad = {**good, "verdict": "refused", "code": "P201", "errors": errors}
    return "".join(json.dumps({"id": n, "row": n, **(bad if n % 3 else good)}) + "\n" for n in range(count))


PATCHKIT = [sys.executable, "-m", "patchkit"]
COMMANDS = {
    "patchkit apply, hunks": ([*PATCHKIT, "apply", "p"], file_and(p=hunks_of)),
    "patchkit apply, files": ([*PATCHKIT, "apply", "p"], tree_and(p=files_changed)),
    "patchkit apply, moves and deletions": ([*PATCHKIT, "apply", "p"], tree_and(p=files_moved)),
    "patchkit check, hunks": ([*PATCHKIT, "check", "p"], file_and(p=hunks_of)),
    "patchkit check, hunks of a diff": ([*PATCHKIT, "check", "--from", "auto", "p"], file_and(p=unified)),
    "git apply --check, hunks of a diff": (["git", "apply", "--check", "p"], file_and(p=unified)),
    "patch --dry-run, hunks of a diff": (["patch", "--dry-run", "-p1", "-i", "p"], file_and(p=unified)),
    "patchkit convert, hunks": ([*PATCHKIT, "convert", "--to", "unified", "p"], file_and(p=hunks_of)),
    "patchkit diff, places": ([*PATCHKIT, "diff", "f.py", "g.py"], file_and(**{"g.py": changed})),
    "patchkit intercept, hunks": ([*PATCHKIT, "intercept", "--script", "p"], lambda n: {"p": heredoc(n)}),
    "patchkit batch, rows": (
        [*PATCHKIT, "batch", "rows.jsonl", "-o", "out.jsonl", "--jobs", "1"],
        lambda n: {"rows.jsonl": rows_of(n)},
    ),
    "patchkit read, lines": ([*PATCHKIT, "read", "f.py", "--offset", "30", "--limit", "50"], file_and()),
    "patchkit grep, files": ([*PATCHKIT, "grep", "x = 7", "."], tree_of),
    "patchkit glob, files": ([*PATCHKIT, "glob", "**/*.py"], tree_of),
    "patchkit ls, files": ([*PATCHKIT, "ls", "."], lambda n: {f"f{number}": "" for number in range(n)}),
    "patchkit edit, lines": ([*PATCHKIT, "edit", "f.py", "--old", row(4), "--new", "x", "--force"], file_and()),
    "patchkit multi-edit, edits": (
        [*PATCHKIT, "multi-edit", "f.py", "--edits-file", "e", "--force"],
        file_and(e=lambda n: json.dumps(plain_edits(n))),
    ),
    "patchkit write, lines": ([*PATCHKIT, "write", "new"], lambda n: {"stdin": file_of(n)}),
    "patchkit delete, files": (
        [*PATCHKIT, "delete", "-r", "old"],
        lambda n: {f"old/{each}": "" for each in tree_of(n)},
    ),
    "patchkit move, files": ([*PATCHKIT, "move", "old", "new"], lambda n: {f"old/{each}": "" for each in tree_of(n)}),
    "patchkit grep --regex, files": ([*PATCHKIT, "grep", "--regex", "x = [0-9]*$", "."], tree_of),
    "patchkit check, patches": ([*PATCHKIT, "check", "p"], patches_of),
    "patchkit check --sequence, patches": ([*PATCHKIT, "check", "--sequence", "p"], patches_of),
    "patchkit check --fix, hunks": (
        [*PATCHKIT, "check", "--fix=likely", "--exit-zero", "p"],
        file_and(p=lambda n: hunks_of(n, stale)),
    ),
    "patchkit undo, files": ([*PATCHKIT, "undo"], tree_and(p=files_changed), [*PATCHKIT, "apply", "p"]),
    "patchkit log, files": ([*PATCHKIT, "log"], tree_and(p=files_changed), [*PATCHKIT, "apply", "p"]),
    "patchkit mcp, calls": ([*PATCHKIT, "mcp", "--root", "."], lambda n: {"a": "a\n", "stdin": calls_of(n)}),
    "patchkit hook, commands, a tenth": (
        [*PATCHKIT, "hook"],
        lambda n: {".patchkit.toml": rules(10), "stdin": event_of(script(n // 10))},
    ),
    "patchkit policy, commands, a tenth": (
        [*PATCHKIT, "policy", "Bash"],
        lambda n: {".patchkit.toml": rules(10), "stdin": json.dumps({"command": script(n // 10)})},
    ),
    "patchkit study, rows": ([*PATCHKIT, "study", "out.jsonl"], lambda n: {"out.jsonl": answers_of(n)}),
}


# -- measuring ----------------------------------------------------------------------------------------------


def spent(make, size, times):
    """The processor time of a call, the mean of some."""
    work = make(size)
    gc.collect()
    begin = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - begin) / times


def spent_by_command(row, size, times, directory):
    """The same of a command, on fresh files each time."""
    words, files, *before = row
    environment = {"PATH": os.environ["PATH"], "HOME": directory, "PYTHONPATH": str(Path(__file__).parents[1])}
    environment |= {"XDG_STATE_HOME": f"{directory}/state", "PYTHONPYCACHEPREFIX": f"{directory}/compiled"}
    tree, made, spent = Path(directory, "tree"), files(size), 0.0
    for _ in range(times):
        write(made, tree)
        for each in before:
            run(each, str(tree), environment=environment)
        cost = run(words, str(tree), "stdin" if "stdin" in made else None, environment=environment)
        shutil.rmtree(tree)
        if cost.status:
            raise SystemExit(f"{' '.join(words)} ended with status {cost.status} for {size}")
        spent += cost.cpu
    return spent / times


def measured(name, sizes, directory):
    """The cost of each size."""
    found = []
    for size in sizes:
        times = max(1, min(10, sizes[-1] // size))
        if name in WORK:
            WORK[name](sizes[0])()  # loads what it needs
            found.append(spent(WORK[name], size, times))
        else:
            found.append(spent_by_command(COMMANDS[name], size, times, directory))
    return found


def exponent(name, sizes, costs):
    """How the cost grows between the two largest sizes; 0 where both are too small to say."""
    below, above = (cost - (0 if name in WORK else costs[0]) for cost in costs[-2:])
    if above < 0.02:
        return 0.0
    return math.log(above / max(below, 0.001)) / math.log(sizes[-1] / sizes[-2])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="rows whose name has these words")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest size")
    asked = parser.parse_args()
    sizes = [size for size in SIZES if size <= asked.most]
    failed = []
    keep_memory()
    print("| work | " + " | ".join(f"{size:,}" for size in sizes) + " | exponent |")
    print("|---|" + "--:|" * (len(sizes) + 1))
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as directory:
        for name in [*WORK, *COMMANDS]:
            if asked.only not in name:
                continue
            if name not in WORK and shutil.which(COMMANDS[name][0][0]) is None:
                continue
            costs = measured(name, sizes, directory)
            found = exponent(name, sizes, costs)
            for _ in range(ROUNDS if words_of_ours(name) else 0):  # a busy machine, or really?
                if found > MOST:
                    again = measured(name, sizes, directory)
                    found, costs = min((found, costs), (exponent(name, sizes, again), again))
            if found > MOST and words_of_ours(name):
                failed.append(f"{name}: {found:.2f}")
            print(
                f"| {name} | " + " | ".join(f"{1000 * cost:,.1f}" for cost in costs) + f" | {found:.2f} |", flush=True
            )
    if failed:
        raise SystemExit(f"grows faster than n^{MOST}: {'; '.join(failed)}")


def keep_memory():
    """Lets the allocator keep memory that is free, where it is glibc's."""
    if (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        mallopt(TRIM_THRESHOLD, 2**31 - 1)
        mallopt(MMAP_THRESHOLD, 32 << 20)  # the most that it takes


def words_of_ours(name):
    return name in WORK or COMMANDS[name][0][0] == sys.executable


if __name__ == "__main__":
    main()
