"""`patchkit convert`: a text in one edit format as a text in another."""

from __future__ import annotations

import click

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
from patchkit.cli.parameters import FILE, command, options
from patchkit.cli.process import DONE, REFUSED, CommandLineError, columns, show, write
from patchkit.cli.quick import ROOT, START, Flag
from patchkit.cli.statuses import of_apply
from patchkit.converting import Converted
from patchkit.converting import convert as convert_text
from patchkit.core.changes.options import Options
from patchkit.core.workspace.root import Workspace
from patchkit.diffs.git_tree import GitTree
from patchkit.errors import PatchkitError
from patchkit.formats.model import NAMES
from patchkit.formats.reading import AUTO
from patchkit.report.diagnostics import error_spans
from patchkit.report.spans import note_spans

GIT_DIR = Flag("--git-dir", "git_dir", "the repository", " (default: the workspace's)", value="DIR")
PORTABLE = Flag("--portable", "portable", "write a patch that other programs for the patch language accept as well")
TO = Flag("--to", "target", "the edit format to write", f": {', '.join(NAMES)}", value="NAME", choices=tuple(NAMES))
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
    if no_files and (against or _is_given("root")):
        raise CommandLineError("option '--no-files' looks at no files: leave '--root' and '--against' out")
    if no_files and planning["reverse"]:
        raise CommandLineError("option '--reverse' needs the files: leave '--no-files' out")
    if git_dir and not against:
        raise CommandLineError("option '--git-dir' goes with '--against' only")
    how, text = planned(planning, Options(source=AUTO)), None
    try:
        text = text_of_stream() if file == "-" else text_of_file(file)
        converted = _converted(text, target, portable, how, None if no_files else _files(root, start, against, git_dir))
    except PatchkitError as error:
        for each in error.errors:
            each.facts["read_only"] = True
        show(2, error_spans(error.errors, text, columns(2), file if file != "-" else "patch"))
        return of_apply(error.code)
    write(1, converted.text)
    if converted.notes:
        show(2, note_spans(converted.notes))
    return REFUSED if any(note.code == "P983" for note in converted.notes) else DONE


def _is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _converted(text: str, target: str, portable: bool, how: Options, files: Workspace | GitTree | None) -> Converted:
    if files is None:
        return convert_text(text, None, target, how, portable)
    with files:
        return convert_text(text, files, target, how, portable)


def _files(root: str | None, start: str | None, against: str | None, git_dir: str | None) -> Workspace | GitTree:
    if against:
        return GitTree(against, git_dir, root or None, start or None)
    return Workspace(root or None, start or None)
