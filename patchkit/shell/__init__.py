"""Shell commands: is this one an apply_patch call?

`classify` takes an argument vector, `classify_script` the text of a script; both give a Verdict.
`verdict_of_call` takes a runtime's tool call as decoded JSON, `answer_lines` a stream of them. Names are loaded
when they are first used, and the grammar when a script holds the word.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.shell.classifying import classify, classify_script
    from patchkit.shell.requests import answer_lines, read_call, verdict_of_call
    from patchkit.shell.verdict import Then, Verdict

__all__ = ["Then", "Verdict", "answer_lines", "classify", "classify_script", "read_call", "verdict_of_call"]
_HOMES = {
    "classify": "patchkit.shell.classifying",
    "classify_script": "patchkit.shell.classifying",
    "answer_lines": "patchkit.shell.requests",
    "read_call": "patchkit.shell.requests",
    "verdict_of_call": "patchkit.shell.requests",
    "Then": "patchkit.shell.verdict",
    "Verdict": "patchkit.shell.verdict",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'patchkit.shell' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
