"""`patchkit convert`: a text in one edit format as a text in another."""

from __future__ import annotations

import os

from patchkit.changes.apply import read_patch
from patchkit.changes.converting import Converted, write_blind, write_plan
from patchkit.changes.options import Options
from patchkit.changes.planner import plan
from patchkit.cli import exit_status
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import (
    ENCODING,
    FORMAT_NAMES,
    FORWARD,
    FROM,
    OVERWRITE,
    ROOT,
    SKIP_UNSAYABLE,
    START,
    STRICT,
    Flag,
    argument,
)
from patchkit.cli.inputs import text_of_file, text_of_stream
from patchkit.cli.streams import columns, show, write
from patchkit.cli.subcommand import Subcommand
from patchkit.errors import Note, PatchkitError
from patchkit.formats.model import NAMES
from patchkit.formats.reading import AUTO, read_format
from patchkit.report.diagnostics import error_spans
from patchkit.report.notes import note_spans
from patchkit.workspace.git_tree import GitTree
from patchkit.workspace.root import Workspace

HELP = """Write a text in one edit format as a text in another.

FILE is the text, '-' or nothing is standard input. The result goes to standard output. With files at hand (the
workspace, or a commit with '--against') the text is planned on them, and the result is proved by planning it, too.
Nothing is written to the files.

  patchkit convert --to v4a x.diff
  patchkit convert --from search-replace --to unified answer.md
  patchkit convert --to v4a --against HEAD~3 x.diff
"""
AGAINST = Flag("--against", "against", "take the files of a git commit", "; no work tree is needed", value="REV")
GIT_DIR = Flag("--git-dir", "git_dir", "the repository", " (default: the workspace's)", value="DIR")
PORTABLE = Flag("--portable", "portable", "write a patch that other programs for the patch language accept as well")
TO = Flag("--to", "target", "the edit format to write", f": {', '.join(NAMES)}", value="NAME", choices=tuple(NAMES))
SKIP = SKIP_UNSAYABLE.saying("leave out what the format cannot say; notes list it, and the status is 1")
_TO = TO.saying(TO.about + TO.more)
_TO.required = True


def _main(**given: object) -> int:
    """Runs the command; returns its status."""
    if given["no_files"] and (given["against"] or given["root"]):
        raise CommandLineError("option '--no-files' looks at no files: leave '--root' and '--against' out")
    if given["git_dir"] and not given["against"]:
        raise CommandLineError("option '--git-dir' goes with '--against' only")
    try:
        converted = _converted(given)
    except PatchkitError as error:
        for each in error.errors:
            each.facts["read_only"] = True
        show(2, error_spans(error.errors, columns=columns(2)))
        return exit_status.of_apply(error.code)
    write(1, converted.text)
    if converted.notes:
        show(2, note_spans(converted.notes))
    return exit_status.REFUSED if any(note.code == "P983" for note in converted.notes) else exit_status.DONE


def _converted(given: dict[str, object]) -> Converted:
    file = str(given["file"] or "-")
    text = text_of_stream() if file == "-" else text_of_file(file)
    source, target, portable = str(given["source"] or AUTO), str(given["target"]), bool(given["portable"])
    skip = bool(given["skip_unsayable"])
    if given["no_files"]:
        foreign = read_format(text, source, bool(given["strict"]))
        return write_blind(foreign, target, portable)
    options = Options(
        check=True,
        allow_duplicate=True,  # nothing is written here: who applies the text is warned then
        source=source,
        strict=bool(given["strict"]),
        overwrite=bool(given["overwrite"]),
        forward=bool(given["forward"]),
        encoding=str(given["encoding"]) if given["encoding"] else None,
        skip_unsayable=skip,
    ).checked()
    with _files(given) as files:
        patch = read_patch(text, files, options)
        options.allow_placeholder = True  # as above; in a format that leaves code out, reading has refused them
        notes: list[Note] = list(patch.notes)
        if not patch.sections:
            return Converted(b"", notes)
        made = plan(patch, files, options)
        converted = write_plan(made, target, portable, skip)
    converted.notes = notes + made.notes + converted.notes
    return converted


def _files(given: dict[str, object]) -> Workspace | GitTree:
    root, start = (str(given[name]) if given[name] else None for name in ("root", "start"))
    if given["against"]:
        return GitTree(str(given["against"]), str(given["git_dir"]) if given["git_dir"] else None, root, start)
    return Workspace(root or os.environ.get("PATCHKIT_ROOT") or None, start)


convert = Subcommand(
    "convert",
    HELP,
    _main,
    (argument("file", "[FILE|-]"),),
    (
        FROM.saying(f"the edit format of the text: {', '.join(FORMAT_NAMES)} (default: auto)"),
        _TO,
        ROOT,
        START,
        AGAINST,
        GIT_DIR,
        Flag("--no-files", "no_files", "look at no files: line numbers stay as hints"),
        PORTABLE,
        SKIP,
        STRICT,
        OVERWRITE,
        FORWARD,
        ENCODING,
    ),
)
