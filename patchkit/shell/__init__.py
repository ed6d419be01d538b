"""Shell commands: is this one an apply_patch call?

`classify` takes an argument vector, `classify_script` the text of a script; both give a Verdict.
`verdict_of_call` takes a runtime's tool call as decoded JSON, `answer_lines` a stream of them. Names are loaded
when they are first used, and the grammar when a script holds the word.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.shell.classifying import answer_lines, classify, classify_script, read_call, verdict_of_call
    from patchkit.shell.verdict import Then, Verdict

__all__ = ["Then", "Verdict", "answer_lines", "classify", "classify_script", "read_call", "verdict_of_call"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'patchkit.shell' has no attribute {name!r}")
    from importlib import import_module

    home = "verdict" if name in ("Then", "Verdict") else "classifying"
    value = globals()[name] = getattr(import_module(f"patchkit.shell.{home}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
