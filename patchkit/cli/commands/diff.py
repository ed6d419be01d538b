"""`patchkit diff`: the patch from one file, tree, revision or index to another."""

from __future__ import annotations

import os
import stat
from contextlib import nullcontext

import click
from click.core import ParameterSource

from patchkit.cli import DONE, REFUSED, CommandLineError, columns, give, show, taken
from patchkit.cli.completion import revisions
from patchkit.cli.inputs import text_of_file, text_of_stream
from patchkit.cli.options import (
    ENCODING,
    FORMAT_NAMES,
    FORWARD,
    FROM,
    OVERWRITE,
    REVERSE,
    SKIP_UNSUPPORTED,
    STRICT,
    STRIP,
    planned,
)
from patchkit.cli.parameters import FILE, behind, command, options
from patchkit.cli.quick import ROOT, START, Flag
from patchkit.cli.statuses import of_apply
from patchkit.converting import Converted, write_changes
from patchkit.converting import convert as convert_text
from patchkit.core.changes import Options
from patchkit.core.workspace.root import Workspace
from patchkit.diffs.git_tree import GitTree
from patchkit.diffs.unique_hunks import is_binary
from patchkit.errors import Note, PatchkitError, raise_all, reason
from patchkit.formats.git_changes import TreeChanges, common_ancestor, git_changes, settled
from patchkit.formats.making import renames_between
from patchkit.formats.model import NAMES, Unsayable, shell_word
from patchkit.formats.reading import AUTO
from patchkit.report.diagnostics import error_spans
from patchkit.report.result import current_directory
from patchkit.report.spans import note_spans
from patchkit.report.stat import diff_spans, patch_spans

# `patchkit convert`: a text in one edit format as a text in another.
GIT_DIR = Flag("--git-dir", "the repository", " (default: the workspace's)", value="DIR")
PORTABLE = Flag("--portable", "write a patch that other programs for the patch language accept as well")
TO = Flag(
    "--to", "the edit format to write", f": {', '.join(NAMES)}", value="NAME", choices=tuple(NAMES), field="target"
)
SKIP = SKIP_UNSUPPORTED.but(
    about="leave out what the format cannot say; notes list it, and the exit status is then 1", group="Options"
)
_PLANNING = (
    FROM.but(about=f"the edit format of the text: {', '.join(FORMAT_NAMES)} (default: auto)"),
    STRIP,
    REVERSE.but(about="write what takes the text back, for files that have it applied"),
    *(STRICT, OVERWRITE, FORWARD, ENCODING),
)


@command()
@click.argument("file", metavar="[FILE|-]", default="-", type=FILE)
@options(TO.but(required=True), *(row.but(group="Options", more=row.more) for row in _PLANNING))
@click.option("--against", metavar="REV", help="take the files of a git commit; no work tree is needed")
@click.option("--no-files", is_flag=True, help="look at no files: line numbers stay as hints")
@options(ROOT, START, GIT_DIR, PORTABLE, SKIP)
def convert(
    file: str,
    target: str,
    against: str | None,
    git_dir: str | None,
    no_files: bool,
    root: str | None,
    start: str | None,
    portable: bool,
    **planning: object,
) -> int:
    """Write a text in one edit format as a text in another.

    FILE is the text, '-' or nothing is standard input. The result goes to standard output. With files at hand (the
    workspace, or a commit with '--against') the text is planned on them, and the result is proved by planning it, too.
    Nothing is written to the files.

      patchkit convert --to v4a x.diff
      patchkit convert --from search-replace --to unified answer.md
      patchkit convert --to v4a --against HEAD~3 x.diff
    """
    root_is_given = click.get_current_context().get_parameter_source("root") is ParameterSource.COMMANDLINE
    if no_files and (against or root_is_given):
        raise CommandLineError("option '--no-files' looks at no files: leave '--root' and '--against' out")
    if no_files and planning["reverse"]:
        raise CommandLineError("option '--reverse' needs the files: leave '--no-files' out")
    if git_dir and not against:
        raise CommandLineError("option '--git-dir' goes with '--against' only")
    how, text = planned(planning, Options(source=AUTO)), None
    try:
        text = text_of_stream() if file == "-" else text_of_file(file)
        files: Workspace | GitTree | None = None
        if against:
            files = GitTree(against, git_dir, root or None, start or None)
        elif not no_files:
            files = Workspace(root or None, start or None)
        with files or nullcontext():
            converted = convert_text(text, files, target, how, portable)
    except PatchkitError as error:
        for each in error.errors:
            each.facts["read_only"] = True
        show(2, error_spans(error.errors, text, columns(2), file if file != "-" else "patch"))
        return of_apply(error.code)
    return _shown(converted, target)


def _shown(converted: Converted, target: str) -> int:
    """Prints text and notes; returns the status, which says whether a note names something that is left out."""
    taken(give(converted.text, {"v4a": patch_spans, "unified": diff_spans}.get(target)))
    if converted.notes:
        show(2, note_spans(converted.notes))
    return REFUSED if any(note.code == "P983" for note in converted.notes) else DONE


@command(divides=True, usage=["patchkit diff [OPTIONS] [OLD NEW | REV | REV..REV] [-- PATH]..."])
@click.argument("words", nargs=-1, shell_complete=revisions)
@click.option("--cached", "--staged", "cached", is_flag=True, help="compare with the index")
@options(GIT_DIR, TO, PORTABLE, SKIP)
@click.pass_context
def diff(
    ctx: click.Context,
    words: tuple[str, ...],
    cached: bool,
    git_dir: str | None,
    target: str | None,
    portable: bool,
    skip_unsupported: bool,
) -> int:
    """Print the patch that turns OLD into NEW.

      patchkit diff OLD NEW        two files, or two directories
      patchkit diff REV..REV       two revisions of a git repository
      patchkit diff REV...REV      the second one and the commit that both come from
      patchkit diff REV            a revision and the work tree
      patchkit diff --cached       HEAD (or REV) and the index
      patchkit diff REV -- PATH    only these paths

    A path that exists wins over a revision of that name; '--' decides. Every hunk is placed by exact text alone, in the
    old and in the new file, so the patch can be taken back. What the format cannot say is found before any comparison
    and refused with the command that does it. The status is 0 when there is nothing to change, too.
    """
    target = target or "v4a"
    try:
        changes = _changes(list(words), behind(ctx), cached, git_dir or None)
        converted = _written(changes, target, portable, skip_unsupported)
    except (PatchkitError, OSError) as error:
        if isinstance(error, OSError):
            error = PatchkitError("P401", file=error.filename, reason=reason(error))
        show(2, error_spans(error.errors, columns=columns(2)))
        return REFUSED
    return _shown(converted, target)


def _changes(words: list[str], paths: tuple[str, ...] | None, cached: bool, git_dir: str | None) -> TreeChanges:
    """The files that differ, as the words of the command line mean it."""
    if len(words) == 2 and not cached and git_dir is None and paths is None:
        if all(map(os.path.lexists, words)):
            return _between(*words)
        missing = next(word for word in words if not os.path.lexists(word))
        raise CommandLineError(f"'{missing}' does not exist; for revisions write '{words[0]}..{words[1]}'")
    if len(words) > 1:
        raise CommandLineError("give OLD and NEW, or REV, or REV..REV; paths go behind '--'")
    revision = words[0] if words else ""
    if revision.startswith("-"):
        raise CommandLineError(f"'{revision}' is not a revision")
    if revision and paths is None and git_dir is None and os.path.lexists(revision):
        raise CommandLineError(f"'{revision}' is a path: give two, or write '{revision} --' for a revision")
    here = current_directory() or "."
    source = ""  # the command that takes a whole file from the new side
    listing = ["-r", "-z", "--raw", "--no-renames", "--no-abbrev"]
    if cached:
        command = ["diff-index", "--cached", *listing, revision or "HEAD"]
        source = "git checkout-index -f --"
    elif ".." in revision:
        dots = "..." if "..." in revision else ".."
        old, _, new = revision.partition(dots)
        if dots == "...":
            old = common_ancestor(old or "HEAD", new or "HEAD", git_dir, here)
        command = ["diff-tree", *listing, old or "HEAD", new or "HEAD"]
        source = f"git checkout {shell_word(settled(new or 'HEAD', git_dir, here))} --"
    elif revision:
        command = ["diff-index", *listing, revision]
    else:
        raise CommandLineError("give OLD and NEW, or REV, or REV..REV")
    return git_changes(command, list(paths or ()), git_dir, here, source)


def _written(changes: TreeChanges, target: str, portable: bool, skip: bool) -> Converted:
    """The changes in the format; what it cannot say is found first."""
    moves = target in ("v4a", "unified") and changes.runs_elsewhere()
    changes.leave_modes(renames_between(changes.before, changes.after) if moves else {})
    unsayable = changes.unsayable + _binaries(changes)
    if unsayable and not skip:
        raise_all([each.error() for each in unsayable])
    for each in unsayable:
        if "content" in each.what:
            changes.before.pop(each.path, None)
            changes.after.pop(each.path, None)
    converted = write_changes(changes.before, changes.after, target, portable, skip)
    left = [Note("P983", file=each.path, what=each.what, command=each.command) for each in unsayable]
    converted.notes = left + converted.notes
    return converted


def _binaries(changes: TreeChanges) -> list[Unsayable]:
    """Binary files that would have to be written; one that is only deleted or renamed can be said."""
    kept = set(changes.before.values())
    found = []
    for path, data in changes.after.items():
        old = changes.before.get(path)
        if data != old and (is_binary(data) or (old is not None and is_binary(old))) and (old or data not in kept):
            found.append(Unsayable(path, f"the binary content of '{path}'", changes.taking(path)))
    return found


def _between(old: str, new: str) -> TreeChanges:
    if os.path.isdir(old) != os.path.isdir(new):
        raise CommandLineError("OLD and NEW must both be files or both be directories")
    changes = TreeChanges()
    changes.directory = os.path.abspath(new)
    if not os.path.isdir(old):
        changes.source = f"cp {shell_word(new)}"
        changes.add(_name(old), _read(old, follow=True), _read(new, follow=True))
        return changes
    before, after = _names(old), _names(new)
    for name in sorted(before | after):
        sides = [
            _read(os.path.join(root, name)) if name in names else ("", b"")
            for root, names in ((old, before), (new, after))
        ]
        if sides[0] != sides[1]:
            changes.add(name, sides[0], sides[1])
    return changes


def _name(path: str) -> str:
    """The name of a file in a patch: its path from the current directory, if it is below that."""
    if os.path.isabs(path):
        here = (current_directory() or "/").rstrip("/") + "/"
        path = os.path.normpath(path).removeprefix(here)
    return os.path.normpath(path)


def _names(root: str) -> set[str]:
    """Every file and link under a directory by its path in it; version control folders are left out."""
    found = set()
    for directory, names, files in os.walk(root):
        links = [name for name in names if os.path.islink(os.path.join(directory, name))]
        names[:] = sorted(name for name in names if name not in (".git", ".hg", ".svn") and name not in links)
        for name in [*files, *links]:
            found.add(os.path.relpath(os.path.join(directory, name), root))
    return found


def _read(path: str, follow: bool = False) -> tuple[str, bytes]:
    """The mode that git would give a path, and its content; of a link, where it leads. Other types have no content."""
    status = os.stat(path) if follow else os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return "120000", os.fsencode(os.readlink(path))
    if not stat.S_ISREG(status.st_mode):
        return "", b""
    with open(path, "rb") as file:
        return ("100755" if status.st_mode & 0o100 else "100644"), file.read()
