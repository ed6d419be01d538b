"""patchkit: apply patches exactly where they belong, or not at all.

    import patchkit

    patchkit.apply(text, root="repo")                  # all of it, or PatchkitError and nothing
    plan = patchkit.plan(text, {"a.py": b"x = 1\\n"})   # no disk at all
    plan.commit()

Names are loaded when they are first used, so importing patchkit costs next to nothing. docs/library.md explains them.
"""

__version__ = "0.1.0"
__all__ = [
    "__version__",
    "parse",
    "parse_stream",
    "plan",
    "Planner",
    "check",
    "apply",
    "undo",
    "convert",
    "make_patch",
    "write",
    "classify",
    "Patch",
    "AddFile",
    "DeleteFile",
    "UpdateFile",
    "Hunk",
    "Plan",
    "FileChange",
    "Entry",
    "Match",
    "Applied",
    "Converted",
    "FileResult",
    "HunkResult",
    "Note",
    "Reversed",
    "Arrival",
    "StreamedPatch",
    "Verdict",
    "Files",
    "MemoryFiles",
    "PatchkitError",
    "PatchSyntaxError",
    "PlacingError",
    "WorkspaceError",
    "InputOutputError",
    "UsageError",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.api import Planner, apply, check, convert, make_patch, parse, parse_stream, plan, undo
    from patchkit.applying import Applied
    from patchkit.converting import Converted
    from patchkit.core.changes import Entry, FileChange, Files, Plan
    from patchkit.core.language import AddFile, DeleteFile, Hunk, Patch, UpdateFile
    from patchkit.core.matching import Match
    from patchkit.errors import Note, PatchkitError
    from patchkit.exceptions import InputOutputError, PatchSyntaxError, PlacingError, UsageError, WorkspaceError
    from patchkit.results import FileResult, HunkResult
    from patchkit.shell.classifying import classify
    from patchkit.shell.verdict import Verdict
    from patchkit.sources import MemoryFiles
    from patchkit.streaming import Arrival, StreamedPatch
    from patchkit.tools.undo import Reversed
    from patchkit.writer import write
else:
    _HOMES = {
        "patchkit.api": "Planner apply check convert make_patch parse parse_stream plan undo",
        "patchkit.applying": "Applied",
        "patchkit.converting": "Converted",
        "patchkit.core.changes": "Entry FileChange Files Plan",
        "patchkit.results": "FileResult HunkResult",
        "patchkit.sources": "MemoryFiles",
        "patchkit.errors": "Note PatchkitError",
        "patchkit.exceptions": "PatchSyntaxError PlacingError WorkspaceError InputOutputError UsageError",
        "patchkit.core.language": "AddFile DeleteFile Hunk Patch UpdateFile",
        "patchkit.writer": "write",
        "patchkit.core.matching": "Match",
        "patchkit.shell.classifying": "classify",
        "patchkit.shell.verdict": "Verdict",
        "patchkit.streaming": "Arrival StreamedPatch",
        "patchkit.tools.undo": "Reversed",
    }

    def __getattr__(name):
        from importlib import import_module

        for home, names in _HOMES.items():
            if name in names.split():
                value = globals()[name] = getattr(import_module(home), name)
                return value
        raise AttributeError(f"module 'patchkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
