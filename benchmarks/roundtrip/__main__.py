"""Round trips over whole histories: every format, forwards and backwards.

    python -m benchmarks.roundtrip [--commits N] [--only NAME] [--list OUTCOME] REPOSITORY...

For each commit the change is taken through formats and applied to the old files; the trips `to F` go from git's diff to
that format, as `patchkit convert` does. Outcomes: good; refused, where
the commit has binary content, modes, links or submodules, adds a line in place of code, or the format cannot say it;
needless, refused without such a cause; wrong, another tree; mode, applied without a word about a mode that changes;
crashed. The trip `commands` runs `patchkit diff REV..REV`, `apply_patch` and `apply_patch -R` on files with their
modes; it can also be silent, when something that the commit changes is not said, and dirty, when files changed
although it was refused.
"""

from __future__ import annotations

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.roundtrip.histories import Change, History, taken_back
from benchmarks.roundtrip.trees import by_commands
from benchmarks.roundtrip.unsayable import is_unsayable
from patchkit.applying import read_patch
from patchkit.converting import convert, trees_of, write_changes, write_plan
from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.core.language import AddFile, DeleteFile, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.errors import PatchkitError
from patchkit.formats.foreign import patch_of
from patchkit.formats.making import make_patch
from patchkit.formats.model import NAMES, CopyFile, Foreign, Unsayable
from patchkit.formats.reading import read_format
from patchkit.formats.reverse import reversed_patch
from patchkit.sources import MemoryFiles
from patchkit.writer import write


class ProgramLimitError(Exception):
    """Another program cannot do it, whatever diff says it."""


def applied(patch, before, strict=False, reverse=False):
    files = MemoryFiles(dict(before))
    if patch.sections:
        plan(patch, files, Options(strict=strict, reverse=reverse)).commit()
    return files.content


def by_unified(change, text, name="unified"):
    if not text.strip():
        return change.before  # nothing but modes, links or submodules
    return applied(patch_of(text, name, MemoryFiles(change.before), Options(sayable_only=True)), change.before)


def diff(change: Change, history: History):
    text = history.git("diff", "-M", "--binary", f"{change.commit}^", change.commit)
    return by_unified(change, text.decode("utf-8", "surrogateescape")), change.after


def mail(change: Change, history: History):
    text = history.git("format-patch", "--stdout", "-1", "--binary", change.commit)
    return by_unified(change, text.decode("utf-8", "surrogateescape")), change.after


def blind(change: Change, history: History):
    text = history.git("diff", "-M", f"{change.commit}^", change.commit).decode("utf-8", "surrogateescape")
    made = convert(text, None, "v4a", Options(source="unified")).text.decode("utf-8", "surrogateescape")
    tree = applied(parse(made), change.before)
    return tree, {path: declared_text(change, path, tree.get(path)) for path in change.after}


def declared_text(change: Change, path: str, found: bytes | None) -> bytes:
    """What a file should have when a patch of UTF-8 text is applied to it without knowing that its lines are bytes.

    That is what git has; where the file declares another encoding, the same characters in that.
    """
    wanted = change.after[path]
    if found is None or found == wanted or path not in change.other_encodings:
        return wanted
    olds = [change.before[path]] if path in change.before else [*change.before.values()]
    said = [re.search(rb"(?:coding|charset)[\s:=]\W*([-\w.]+)", data[:1024]) for data in olds]
    name = next((each for each in said if each is not None), None)
    lines, others = wanted.split(b"\n"), found.split(b"\n")
    if name is None or len(lines) != len(others):
        return wanted
    encoding = "cp1252" if name[1].lower() in (b"latin-1", b"iso-8859-1") else name[1].decode()
    same = [each if each == line else line.decode().encode(encoding) for line, each in zip(lines, others)]
    return b"\n".join(same)


def numstat(change: Change, history: History):
    """What our reader counts, and what `git apply --numstat` counts: added and removed lines by file."""
    text = history.git("diff", "-M", f"{change.commit}^", change.commit)
    words = ["git", "apply", "--numstat", "-z", "-"]
    run = subprocess.run(words, input=text, capture_output=True, cwd="/")
    if b"lacks filename information" in run.stderr:
        raise ProgramLimitError  # git does not read its own diff of a mode where a directory's name ends with a space
    run.check_returncode() if text else None
    said = run.stdout
    rows = [row.split(b"\t", 2) for row in said.split(b"\0") if row]
    foreign = read_format(text.decode("utf-8", "surrogateescape"), "unified") if text else Foreign("unified")
    odd = {each.path for each in foreign.sections if isinstance(each, Unsayable)}
    gone = [each for each in foreign.sections if isinstance(each, DeleteFile)]
    odd |= {each.path for each in gone if (each.path, each.line) not in foreign.deleted}  # binary files
    wanted = {os.fsdecode(path): (int(plus), int(minus)) for plus, minus, path in rows if plus != b"-"}
    found = {path: counts for path, counts in _counts(foreign).items() if path in wanted and path not in odd}
    return found, {path: counts for path, counts in wanted.items() if path in found or path not in odd}


def _counts(foreign: Foreign) -> dict[str, tuple[int, int]]:
    """Added and removed lines by file; a rename may go through another name."""
    found: dict[str, tuple[int, int]] = {}
    for each in foreign.sections:
        if isinstance(each, AddFile):
            found[each.path] = _line_count(each.text), 0
        elif isinstance(each, DeleteFile):
            gone = foreign.deleted.get((each.path, each.line))
            found[each.path] = 0, _line_count(gone.text) if gone is not None else 0
        elif isinstance(each, (UpdateFile, CopyFile)):
            signs = "".join(line[0] for hunk in each.hunks for line in hunk.lines)
            to = each.to if isinstance(each, CopyFile) else each.move_to or each.path
            before = found.pop(each.path, (0, 0)) if isinstance(each, UpdateFile) and each.move_to else (0, 0)
            found[to] = before[0] + signs.count("+"), before[1] + signs.count("-")
    return found


def _line_count(text: str) -> int:
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def without_lines(change: Change, history: History) -> set[str]:
    """The files whose lines git's diff does not show."""
    said = history.git("diff", "--no-renames", "--numstat", "-z", f"{change.commit}^", change.commit)
    return {os.fsdecode(row[4:]) for row in said.split(b"\0") if row.startswith(b"-\t-\t")}


def has_diff_in_message(change: Change, history: History) -> bool:
    """Whether git, too, reads another diff in the mail of a commit than the commit is: its message has one."""
    mail = history.git("format-patch", "--stdout", "-1", "--binary", change.commit)
    diff = history.git("diff", "-M", "--binary", f"{change.commit}^", change.commit)
    words = ["git", "apply", "--numstat", "-z", "-"]
    read = [subprocess.run(words, input=text, capture_output=True, cwd="/").stdout for text in (mail, diff)]
    return read[0] != read[1]


def parsed(text: str):
    """The patch of a text, which is the same with leniences."""
    patch = parse(text, True)
    assert patch == parse(text), "read in another way with leniences"
    return patch


def made(change: Change, history: History):
    return applied(parsed(write(make_patch(change.before, change.after))), change.before, True), change.after


def back(change: Change, history: History):
    patch = parsed(write(make_patch(change.before, change.after)))
    files = MemoryFiles(dict(change.after))
    tree = applied(reversed_patch(patch, files), change.after, True, True)
    return tree, as_taken_back(change, tree)


def as_taken_back(change: Change, tree: dict[str, bytes]) -> dict[str, bytes]:
    """The old files, as a patch can give them back."""
    found = {path: tree.get(path, b"") for path in change.before}
    return {path: taken_back(data, found[path], change.after.get(path)) for path, data in change.before.items()}


def through(name):
    def trip(change: Change, history: History):
        text = write_changes(change.before, change.after, name).text.decode("utf-8", "surrogateescape")
        return by_unified(change, text, name), change.after

    return trip


def converted(name):
    """git's diff as `patchkit convert` writes it in a format; a patch that deletes nothing is taken back as well."""

    def trip(change: Change, history: History):
        diff = history.git("diff", "-M", "--binary", f"{change.commit}^", change.commit)
        if not diff.strip():
            return change.before, change.after
        files = MemoryFiles(dict(change.before))
        options = Options(allow_duplicate=True, source="unified", sayable_only=True)
        patch = read_patch(diff.decode("utf-8", "surrogateescape"), files, options)
        options.allow_placeholder = True
        text = write_plan(plan(patch, files, options), name).text.decode("utf-8", "surrogateescape")
        if name != "v4a" or not text:
            return by_unified(change, text, name), change.after
        patch = parsed(text)
        tree = applied(patch, change.before, True)
        if tree == change.after and not any(isinstance(each, DeleteFile) for each in patch.sections):
            again = applied(reversed_patch(patch, MemoryFiles(dict(tree))), tree, True, True)
            assert again == as_taken_back(change, again), "not taken back"
        return tree, change.after

    return trip


def git_apply(change: Change, history: History):
    return _by_program(change, ["git", "apply", "--whitespace=nowarn", "-"])


def gnu_patch(change: Change, history: History):
    return _by_program(change, ["patch", "-p1", "--quiet", "--binary", "--no-backup-if-mismatch"])


def _by_program(change, command):
    """The change as a patch, that patch as a unified diff, and that diff applied by another program."""
    patch = write(make_patch(change.before, change.after))
    if not parse(patch).sections:
        return change.before, change.after  # nothing but modes, links or submodules
    files = MemoryFiles(dict(change.before))
    made = plan(patch_of(patch, "v4a", files, Options()), files, Options())
    text = write_changes(*trees_of(made), "unified").text
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for path, data in change.before.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        done = subprocess.run(command, input=text, cwd=root, capture_output=True)
        tree = {
            str(path.relative_to(root)): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and not path.is_symlink()
        }
    if b"Invalid file name" in done.stdout and change.has_new_directory:
        raise ProgramLimitError  # `patch` does not take that from git, either
    if done.returncode:
        raise AssertionError(f"{command[0]}: {(done.stderr or done.stdout).decode('utf-8', 'replace')[:200]}")
    return tree, change.after


TRIPS = {
    "diff": diff,
    "mail": mail,
    "blind": blind,
    "numstat": numstat,
    "made": made,
    "reverse": back,
    "git-apply": git_apply,
    "patch": gnu_patch,
    **{name: through(name) for name in NAMES if name != "v4a"},
    **{f"to {name}": converted(name) for name in NAMES},
}
ALL = (*TRIPS, "commands")
READS_GIT = ("diff", "mail", "blind", *(f"to {name}" for name in NAMES))


def outcome(trip: str, change: Change, history: History) -> str:
    if trip == "commands":
        return by_commands(change, history)
    try:
        tree, wanted = TRIPS[trip](change, history)
    except PatchkitError as error:
        if all(each.code == "P112" and is_unsayable(trip, change, each.file) for each in error.errors):
            return "refused"
        if trip in READS_GIT and {each.file for each in error.errors} <= without_lines(change, history):
            return "refused"  # the attributes of the repository say that git shows the file as binary
        if trip == "mail" and has_diff_in_message(change, history):
            return "refused"
        if error.code == "P122" and (change.is_binary or (trip in READS_GIT and change.modes)):
            return "refused"
        if trip in READS_GIT and {each.file for each in error.errors} <= set(change.modes):
            return "refused"  # a link or a submodule, which is not among the files here
        if error.code == "P209" and trip in ("reverse", "to v4a") and b"" in change.after.values():
            return "refused"  # nothing is left that says where the lines were
        if error.code in ("P210", "P215") and trip in ("blind", "reverse", "to v4a") and change.other_encodings:
            return "refused"  # the patch, or the file that it is taken back from, does not say that its lines are bytes
        if error.code in ("P127", "P218") and change.has_placeholder:
            return "refused"
        if error.code in ("P205", "P216") and trip.removeprefix("to ") in ("search-replace", "json-edits"):
            return "refused"  # a text beside the same definition may mean to replace that
        return f"needless {error.code} ({error.file}: {error.message})"
    except ProgramLimitError:
        return "refused"
    except AssertionError as error:
        return f"wrong ({error})"
    except Exception as error:  # a defect: it is counted, and the run goes on
        return f"crashed ({error!r})"
    if tree != wanted:
        return "wrong"
    return "mode" if trip in READS_GIT and change.modes else "good"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--only", action="append", choices=ALL)
    parser.add_argument(
        "--list", action="append", default=[], help="print the commits of outcomes that begin with this"
    )
    asked = parser.parse_args()
    for repository in asked.repositories:
        if subprocess.run(
            ["git", "-C", repository, "rev-parse", "--verify", "-q", "HEAD"], capture_output=True
        ).returncode:
            parser.error(f"'{repository}' is not a git repository with a commit")
    counts: dict[str, collections.Counter[str]] = {trip: collections.Counter() for trip in asked.only or ALL}
    spent: collections.Counter[str] = collections.Counter()
    for repository in asked.repositories:
        history = History(repository)
        for commit in history.commits(asked.commits):
            change = history.change(commit)
            if not change.before and not change.after and not change.modes:
                continue
            for trip in counts:
                began = time.process_time()
                found = outcome(trip, change, history)
                spent[trip] += time.process_time() - began
                counts[trip][found.partition(" (")[0]] += 1
                if asked.list and found.startswith(tuple(asked.list)):
                    print(trip, repository, commit[:12], found, flush=True)
        history.close()
    for trip, found in counts.items():
        total = sum(found.values())
        words = ", ".join(f"{name} {number}" for name, number in found.most_common())
        print(f"{trip:15} {total:6} commits: {words}; {1000 * spent[trip] / max(total, 1):.1f} ms each")
    return int(any(name not in ("good", "refused") for found in counts.values() for name in found))


if __name__ == "__main__":
    sys.exit(main())
