"""Generated from grammar/apply_patch.lark by grammar/compile.py; change the grammar, not this file."""

# The kinds of line: name, the words that open it, and whether text follows them
# ("none", "any", or "solid": at least one character that is not blank).
KINDS = (
    ("BEGIN_PATCH", "*** Begin Patch", "none"),
    ("ENVIRONMENT_ID", "*** Environment ID: ", "solid"),
    ("ADD_FILE", "*** Add File: ", "solid"),
    ("DELETE_FILE", "*** Delete File: ", "solid"),
    ("UPDATE_FILE", "*** Update File: ", "solid"),
    ("MOVE_TO", "*** Move to: ", "solid"),
    ("BARE_ANCHOR", "@@", "none"),
    ("ANCHOR", "@@ ", "solid"),
    ("KEPT", " ", "any"),
    ("REMOVED", "-", "any"),
    ("ADDED", "+", "any"),
    ("NO_NEWLINE", "\\ No newline at end of file", "none"),
    ("END_OF_FILE", "*** End of File", "none"),
    ("END_PATCH", "*** End Patch", "none"),
)

# One row a state: the kinds of line that may come next, and the state each leads to.
STATES: tuple[dict[str, int], ...] = (
    {"BEGIN_PATCH": 1},
    {"ENVIRONMENT_ID": 2, "ADD_FILE": 3, "DELETE_FILE": 2, "UPDATE_FILE": 4, "END_PATCH": 5},
    {"ADD_FILE": 3, "DELETE_FILE": 2, "UPDATE_FILE": 4, "END_PATCH": 5},
    {"ADD_FILE": 3, "DELETE_FILE": 2, "UPDATE_FILE": 4, "ADDED": 6, "END_PATCH": 5},
    {"MOVE_TO": 7, "KEPT": 8, "REMOVED": 9, "ADDED": 8, "BARE_ANCHOR": 10, "ANCHOR": 11},
    {},
    {"ADD_FILE": 3, "DELETE_FILE": 2, "UPDATE_FILE": 4, "ADDED": 6, "NO_NEWLINE": 2, "END_PATCH": 5},
    {"ADD_FILE": 3, "DELETE_FILE": 2, "UPDATE_FILE": 4, "KEPT": 8, "REMOVED": 9, "ADDED": 8, "BARE_ANCHOR": 10, "ANCHOR": 11, "END_PATCH": 5},
    {"ADD_FILE": 3, "DELETE_FILE": 2, "UPDATE_FILE": 4, "KEPT": 8, "REMOVED": 9, "ADDED": 8, "NO_NEWLINE": 12, "END_OF_FILE": 13, "BARE_ANCHOR": 10, "ANCHOR": 11, "END_PATCH": 5},
    {"ADD_FILE": 3, "DELETE_FILE": 2, "UPDATE_FILE": 4, "KEPT": 8, "REMOVED": 9, "ADDED": 8, "NO_NEWLINE": 14, "END_OF_FILE": 13, "BARE_ANCHOR": 10, "ANCHOR": 11, "END_PATCH": 5},
    {"KEPT": 8, "REMOVED": 9, "ADDED": 8},
    {"ANCHOR": 11, "KEPT": 8, "REMOVED": 9, "ADDED": 8},
    {"ADD_FILE": 3, "DELETE_FILE": 2, "UPDATE_FILE": 4, "END_OF_FILE": 13, "BARE_ANCHOR": 10, "ANCHOR": 11, "END_PATCH": 5},
    {"ADD_FILE": 3, "DELETE_FILE": 2, "UPDATE_FILE": 4, "BARE_ANCHOR": 10, "ANCHOR": 11, "END_PATCH": 5},
    {"ADD_FILE": 3, "DELETE_FILE": 2, "UPDATE_FILE": 4, "ADDED": 15, "END_OF_FILE": 13, "BARE_ANCHOR": 10, "ANCHOR": 11, "END_PATCH": 5},
    {"ADD_FILE": 3, "DELETE_FILE": 2, "UPDATE_FILE": 4, "ADDED": 15, "NO_NEWLINE": 12, "END_OF_FILE": 13, "BARE_ANCHOR": 10, "ANCHOR": 11, "END_PATCH": 5},
)

ACCEPTING = (5,)
