"""Shell commands: is this one an apply_patch call?

`classify` takes an argument vector, `classify_script` the text of a script; both give a Verdict.
`verdict_of_call` takes a runtime's tool call as decoded JSON, `answer_lines` a stream of them. Importing
this costs little: the grammar loads when a script holds the word.
"""

from __future__ import annotations

from patchkit.shell.classify import classify, classify_script
from patchkit.shell.requests import answer_lines, read_call, verdict_of_call
from patchkit.shell.verdict import Then, Verdict

__all__ = ["Then", "Verdict", "answer_lines", "classify", "classify_script", "read_call", "verdict_of_call"]
