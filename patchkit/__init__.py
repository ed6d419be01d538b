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
    from patchkit.changes.apply import Applied
    from patchkit.changes.converting import Converted
    from patchkit.changes.model import Entry, FileChange, Plan
    from patchkit.changes.results import FileResult, HunkResult
    from patchkit.changes.sources import Files, MemoryFiles
    from patchkit.changes.streaming import Arrival
    from patchkit.errors import Note, PatchkitError
    from patchkit.exceptions import InputOutputError, PatchSyntaxError, PlacingError, UsageError, WorkspaceError
    from patchkit.language.model import AddFile, DeleteFile, Hunk, Patch, UpdateFile
    from patchkit.language.writer import write
    from patchkit.matching.model import Match
    from patchkit.shell.classifying import classify
    from patchkit.shell.verdict import Verdict
    from patchkit.streamed import StreamedPatch
    from patchkit.tools.undo import Reversed
else:
    _HOMES = {
        "patchkit.api": "Planner apply check convert make_patch parse parse_stream plan undo",
        "patchkit.changes.apply": "Applied",
        "patchkit.changes.converting": "Converted",
        "patchkit.changes.model": "Entry FileChange Plan",
        "patchkit.changes.results": "FileResult HunkResult",
        "patchkit.changes.sources": "Files MemoryFiles",
        "patchkit.changes.streaming": "Arrival",
        "patchkit.errors": "Note PatchkitError",
        "patchkit.exceptions": "PatchSyntaxError PlacingError WorkspaceError InputOutputError UsageError",
        "patchkit.language.model": "AddFile DeleteFile Hunk Patch UpdateFile",
        "patchkit.language.writer": "write",
        "patchkit.matching.model": "Match",
        "patchkit.shell.classifying": "classify",
        "patchkit.shell.verdict": "Verdict",
        "patchkit.streamed": "StreamedPatch",
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
