"""`patchkit convert`: a text in one edit format as a text in another."""

from __future__ import annotations

import os

from patchkit.changes.converting import Converted
from patchkit.changes.converting import convert as convert_text
from patchkit.changes.options import Options
from patchkit.cli import exit_status
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import (
    ENCODING,
    FORMAT_NAMES,
    FORWARD,
    FROM,
    OVERWRITE,
    REVERSE,
    ROOT,
    SKIP_UNSAYABLE,
    START,
    STRICT,
    STRIP,
    Flag,
    argument,
)
from patchkit.cli.inputs import text_of_file, text_of_stream
from patchkit.cli.streams import columns, show, write
from patchkit.cli.subcommand import Subcommand
from patchkit.errors import PatchkitError
from patchkit.formats.model import NAMES
from patchkit.formats.reading import AUTO
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
    if given["no_files"] and given["reverse"]:
        raise CommandLineError("option '--reverse' needs the files: leave '--no-files' out")
    if given["git_dir"] and not given["against"]:
        raise CommandLineError("option '--git-dir' goes with '--against' only")
    file, text = str(given["file"] or "-"), None
    try:
        text = text_of_stream() if file == "-" else text_of_file(file)
        converted = _converted(text, given)
    except PatchkitError as error:
        for each in error.errors:
            each.facts["read_only"] = True
        show(2, error_spans(error.errors, text, columns(2), file if file != "-" else "patch"))
        return exit_status.of_apply(error.code)
    write(1, converted.text)
    if converted.notes:
        show(2, note_spans(converted.notes))
    return exit_status.REFUSED if any(note.code == "P983" for note in converted.notes) else exit_status.DONE


def _converted(text: str, given: dict[str, object]) -> Converted:
    options = Options(
        source=str(given["source"] or AUTO),
        strict=bool(given["strict"]),
        overwrite=bool(given["overwrite"]),
        forward=bool(given["forward"]),
        encoding=str(given["encoding"]) if given["encoding"] else None,
        skip_unsayable=bool(given["skip_unsayable"]),
        reverse=bool(given["reverse"]),
    )
    options.strip = given["strip"]  # type: ignore[assignment]  # the reader gives a number, or None
    try:
        options.checked()
    except PatchkitError as error:
        raise CommandLineError(f"{error.message}; {error.hint}") from None
    target, portable = str(given["target"]), bool(given["portable"])
    if given["no_files"]:
        return convert_text(text, None, target, options, portable)
    with _files(given) as files:
        return convert_text(text, files, target, options, portable)


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
        STRIP,
        _TO,
        ROOT,
        START,
        AGAINST,
        GIT_DIR,
        Flag("--no-files", "no_files", "look at no files: line numbers stay as hints"),
        PORTABLE,
        SKIP,
        REVERSE.saying("write what takes the text back, for files that have it applied"),
        STRICT,
        OVERWRITE,
        FORWARD,
        ENCODING,
    ),
)
