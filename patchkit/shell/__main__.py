"""Classify from the command line: `python -m patchkit.shell (--batch | --json-call | --script FILE|- | -- ARGV…)`.

Prints one verdict a line as JSON; the status is 0 for apply_patch, 10 for other, 1 for error, 2 for usage.
"""

from __future__ import annotations

import json
import os
import sys

from patchkit.shell import Verdict, answer_lines, classify, classify_script, read_call

_STATUS = {"apply_patch": 0, "other": 10, "error": 1}
_USAGE = "usage: python -m patchkit.shell (--batch | --json-call | --script FILE|- | -- ARGV...)\n"


def main(words: list[str]) -> int:
    if words == ["--batch"]:
        for line in answer_lines(sys.stdin.buffer):
            print(line, flush=True)
        return 0
    if words == ["--json-call"]:
        return _show(read_call(sys.stdin.buffer.read()))
    if len(words) == 2 and words[0] == "--script":
        try:
            with sys.stdin.buffer if words[1] == "-" else open(words[1], "rb") as file:
                text = file.read().decode("utf-8", "surrogateescape")
        except OSError as error:
            sys.stderr.write(f"cannot read '{words[1]}': {error.strerror}\n")
            return 2
        return _show(classify_script(text, os.getcwd()))
    if len(words) > 1 and words[0] == "--":
        return _show(classify(words[1:], os.getcwd()))
    sys.stderr.write(_USAGE)
    return 2


def _show(verdict: Verdict) -> int:
    print(json.dumps(verdict.as_dict()))
    return _STATUS[verdict.verdict]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
