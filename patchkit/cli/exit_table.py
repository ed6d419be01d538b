"""What every exit status means, as one table: the help of each command and docs/commands.md show it.

Takes the name of a command; gives its statuses with their meaning. What decides on a status is in `exit_status`.
"""

from __future__ import annotations

Statuses = dict[int, str]

_DONE = {0: "done, wholly or in part"}
_USAGE = {2: "usage: the command line or an argument is wrong"}
_READING = {
    **_DONE,
    1: "refused: not found, not unique, binary, too large",
    **_USAGE,
    3: "not allowed: outside the workspace, not read before, changed since, denied by a rule",
    4: "reading or writing failed; everything is as it was",
}
_MIXED = {5: "files may be mixed: run 'patchkit recover'"}
USUAL: Statuses = {**_READING, **_MIXED}
_PRINTING: Statuses = {**_DONE, **_USAGE}
_WRITING: Statuses = {
    0: "printed, or nothing to change",
    1: "refused; or something is left out, which a note names",
    **_USAGE,
}

# The commands that have other statuses than the usual ones.
OWN: dict[str, Statuses] = {
    "apply": {
        0: "applied, or nothing to change",
        1: "refused, nothing was written; or work is left, which a note names",
        **_USAGE,
        **_MIXED,
    },
    "check": {0: "all patches are good", 1: "some patches are refused", **_USAGE},
    "batch": {
        0: "every row has a verdict",
        1: "a row has a verdict or a code of '--fail-on', or the engine failed",
        **_USAGE,
        4: "the verdicts cannot be written; what is done is kept",
    },
    "study": {0: "printed", 1: "the page cannot be written", **_USAGE},
    "intercept": {
        0: "the command is one apply_patch call",
        1: "an apply_patch call that cannot be trusted",
        **_USAGE,
        10: "another command",
    },
    "hook": {0: "always: the answer is in the JSON"},
    "mcp": {0: "the input has ended, or the configuration is printed", **_USAGE},
    "grep": {0: "found", 1: "not found", 2: "an error"},
    "exec": {
        0: "that of the command, also other numbers",
        124: "the time was up",
        126: "refused: not run",
        127: "could not be started",
    },
    "policy": {0: "the call would be made", **_USAGE, 3: "the call would be refused"},
    **dict.fromkeys(("read", "ls", "glob", "session", "log", "grammar"), _READING),
    "serve": {0: "ended by Ctrl-C", **_USAGE, 3: "the workspace cannot be used", 4: "the port cannot be used"},
    **dict.fromkeys(("convert", "diff"), _WRITING),
    **dict.fromkeys(("schema", "prompt", "explain", "completion", "help"), _PRINTING),
    "doctor": {0: "patchkit can do its work", 1: "something keeps it from that", **_USAGE},
}
SIGNALS = (
    "A command that is interrupted rolls back and dies by the signal. "
    "A shell shows 128 plus the number of the signal: 130 for Ctrl-C."
)


def statuses_of(command: str) -> Statuses:
    """The statuses of a command."""
    return OWN.get(command, USUAL)
