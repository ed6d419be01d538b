"""A workspace as a backend of deepagents: files and commands, `/` is the root.

    create_deep_agent(model, backend=Backend(root))

Takes virtual absolute paths and returns them; errors are values and nothing is raised. Line endings, encodings and
modes of files stay as they are, and edits of one file at the same time are all made. Large results, which the
middleware keeps under `/large_tool_results`, go to the state directory and not into the project. The class is loaded
when it is first asked for, because it is a class of the SDK.
"""

from __future__ import annotations

from patchkit.runtimes.answers import missing_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.runtimes.sdks.deepagents_backend import Backend

__all__ = ["Backend"]

if not TYPE_CHECKING:

    def __getattr__(name):
        if name != "Backend":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            from patchkit.runtimes.sdks.deepagents_backend import Backend
        except ImportError:
            raise missing_package("deepagents", "deepagents", "deepagents") from None
        return Backend
