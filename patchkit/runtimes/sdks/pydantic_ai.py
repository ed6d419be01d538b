"""The tools of a workspace as a toolset of Pydantic AI.

    Agent(model, toolsets=[Toolset(root)])

A refusal is the SDK's ToolFailed, which shows the model the whole diagnostic and, unlike a retry, leaves the run its
budget. Arguments are checked by patchkit alone: it knows other spellings, and its words name what is allowed. The class
is loaded when it is first asked for, because it is a class of the SDK.
"""

from __future__ import annotations

from patchkit.runtimes.answers import missing_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.runtimes.sdks.pydantic_ai_toolset import Toolset

__all__ = ["Toolset"]

if not TYPE_CHECKING:

    def __getattr__(name):
        if name != "Toolset":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            from patchkit.runtimes.sdks.pydantic_ai_toolset import Toolset
        except ImportError:
            raise missing_package("Pydantic AI", "pydantic-ai-slim", "pydantic-ai") from None
        return Toolset
