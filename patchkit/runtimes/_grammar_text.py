"""Generated from grammar/apply_patch.lark by grammar/compile.py; change the grammar, not this file."""

SOURCE = r"""// The apply_patch language, defined once.
//
// Every terminal is one whole line, so a patch is a sequence of line kinds and the rules below say
// which kind may follow which. `grammar/compile.py` turns them into the tables that drive the parser
// (patchkit/core/language/_grammar.py); a runtime may hand this file to a model API as a tool grammar.
//
// The file keeps to what Python `lark` and `llguidance` both read: no imports, no look-around, no
// zero-width terminals, no lazy or anchored patterns. What the parser forgives beyond these rules is
// not here: each lenience has a name of its own in patchkit/core/language/lenience.py.

start: BEGIN_PATCH ENVIRONMENT_ID? section* END_PATCH

// What a model should be held to: at least one section, every hunk headed by `@@`, no empty file,
// no environment line. `patchkit grammar --for-model` prints this rule under the name `start`.
model: BEGIN_PATCH model_section+ END_PATCH

section: add_file | delete_file | update_file
model_section: model_add_file | delete_file | model_update_file

// A new file: its lines, each after a plus. No line at all makes an empty file; the marker after
// the last line leaves the final newline out.
add_file: ADD_FILE (ADDED+ NO_NEWLINE?)?
model_add_file: ADD_FILE ADDED+

delete_file: DELETE_FILE

// A change to a file, a new name for it, or both; never neither.
update_file: UPDATE_FILE (MOVE_TO hunks? | hunks)
model_update_file: UPDATE_FILE (MOVE_TO hunk* | hunk+)

// Only the first hunk may do without its `@@` line.
hunks: body hunk* | hunk+
hunk: (BARE_ANCHOR | ANCHOR+) body

// The lines of a hunk. `\ No newline at end of file` speaks of the line above it, which must be the
// last of the old text, of the new text, or of both.
body: (KEPT | REMOVED | ADDED)* last END_OF_FILE?
last: KEPT NO_NEWLINE?
    | ADDED NO_NEWLINE?
    | REMOVED (NO_NEWLINE (ADDED+ NO_NEWLINE?)?)?

BEGIN_PATCH: "*** Begin Patch\n"
ENVIRONMENT_ID: "*** Environment ID: " /[ \t]*[^ \t\r\n][^\n]*/ "\n"
ADD_FILE: "*** Add File: " /[ \t]*[^ \t\r\n][^\n]*/ "\n"
DELETE_FILE: "*** Delete File: " /[ \t]*[^ \t\r\n][^\n]*/ "\n"
UPDATE_FILE: "*** Update File: " /[ \t]*[^ \t\r\n][^\n]*/ "\n"
MOVE_TO: "*** Move to: " /[ \t]*[^ \t\r\n][^\n]*/ "\n"
BARE_ANCHOR: "@@\n"
ANCHOR: "@@ " /[ \t]*[^ \t\r\n][^\n]*/ "\n"
KEPT: " " /[^\n]*/ "\n"
REMOVED: "-" /[^\n]*/ "\n"
ADDED: "+" /[^\n]*/ "\n"
NO_NEWLINE: "\\ No newline at end of file\n"
END_OF_FILE: "*** End of File\n"
END_PATCH: "*** End Patch" /\n?/
"""

# What the grammar for a model leaves out; its start rule is `model`.
_LEFT_OUT = ("start", "section", "add_file", "update_file", "hunks", "ENVIRONMENT_ID")
_LINES = [line for line in SOURCE.splitlines() if line and not line.startswith("//")]
FOR_MODEL = "".join(f"{line}\n" for line in _LINES if line.partition(":")[0] not in _LEFT_OUT)
FOR_MODEL = FOR_MODEL.replace("model:", "start:", 1)
