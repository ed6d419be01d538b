"""How `apply_patch` tells of a refusal: words or JSON, and the exit status. Loaded when there is one."""

from __future__ import annotations

from patchkit.cli.apply_patch import Arguments
from patchkit.cli.streams import show
from patchkit.cli.terminal import columns
from patchkit.errors import PatchkitError
from patchkit.language.lenience import unwrap
from patchkit.report.diagnostics import render_errors, render_help

CORRECTED = "or send the patch as it should be: the same call with '--check --json' has it, under 'data.suggestion'"


def refuse(arguments: Arguments, error: PatchkitError, text: str | None) -> int:
    """Tells what is wrong with a patch, `text` if it could be read; gives the status to end with."""
    if text is not None and not arguments.options.strict:
        try:
            text = unwrap(text).text  # line numbers speak of the text without what was around it
        except PatchkitError:
            pass  # what is around it is the trouble
    if arguments.json:
        from patchkit.cli.apply_output import print_json

        print_json(arguments, None, error.errors, text)
    else:
        words = render_errors(error.errors, text, columns(2))
        if error.errors[0].suggestion is not None:
            words += render_help(CORRECTED, columns(2))
        show(2, "diagnostics", words, arguments.color)
    return 5 if error.code == "P404" else 1
