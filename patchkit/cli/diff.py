"""`patchkit diff OLD NEW`: the patch from one file or tree to another."""

from __future__ import annotations

import os
import sys

import click

from patchkit.changes.making import make_patch
from patchkit.cli import exit_status
from patchkit.cli.click_commands import command
from patchkit.cli.streams import columns, show, write
from patchkit.errors import PatchkitError
from patchkit.language import writer
from patchkit.report.diagnostics import error_spans
from patchkit.tools.calling import current_directory


@command()
@click.argument("old", type=click.Path(exists=True))
@click.argument("new", type=click.Path(exists=True))
def diff(old: str, new: str) -> None:
    """Print the patch that turns OLD into NEW (two files, or two directories).

    Every hunk is placed by exact text alone. The status is 0 when there is nothing to change, too.
    """
    if os.path.isdir(old) != os.path.isdir(new):
        raise click.UsageError("OLD and NEW must both be files or both be directories")
    try:
        if os.path.isdir(old):
            patch = make_patch(_tree(old), _tree(new))
        else:
            name = _name(old)
            patch = make_patch({name: _content(old)}, {name: _content(new)})
        if patch.sections:
            write(1, writer.write(patch))
    except (PatchkitError, OSError) as error:
        if isinstance(error, OSError):
            error = PatchkitError("P401", file=error.filename, reason=str(error.strerror).lower())
        show(2, error_spans(error.errors, columns=columns(2)))
        sys.exit(exit_status.REFUSED)


def _name(path: str) -> str:
    """The name of a file in a patch: its path from the current directory, if it is below that."""
    if os.path.isabs(path):
        here = (current_directory() or "/").rstrip("/") + "/"
        path = os.path.normpath(path).removeprefix(here)
    return os.path.normpath(path)


def _tree(root: str) -> dict[str, bytes]:
    """Every regular file under a directory by its path in it; version control folders are left out."""
    found = {}
    for directory, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in (".git", ".hg", ".svn"))
        for name in files:
            path = os.path.join(directory, name)
            if os.path.isfile(path) and not os.path.islink(path):
                found[os.path.relpath(path, root)] = _content(path)
    return found


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
