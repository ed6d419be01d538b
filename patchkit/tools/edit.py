"""Edit: replace one text in a file, where it occurs exactly once, or every occurrence.

`valid` and `execute` are for programs that edit texts by the same rules.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.formats.edits import EditStep, execute, valid
from patchkit.report.result import Json, Result
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields
from patchkit.tools.editing import target as targets
from patchkit.tools.editing.snippet import shown
from patchkit.tools.editing.target import Target, made, refuse_same, text_for

__all__ = ["TOOL", "valid", "execute"]

DESCRIPTION = """\
Replaces one text in a file by another.

Usage:
- file_path is relative to the current directory, or absolute. A path outside the workspace is refused
- You must use your `Read` tool at least once in the conversation before editing. This tool will error if you attempt an edit without reading the file
- When editing text from Read tool output, leave out what comes before the text of a line: the line number and the arrow ('     1→'). Keep the indentation after the arrow exactly (tabs and spaces)
- ALWAYS prefer editing existing files in the codebase. NEVER write new files unless explicitly required
- Only use emojis if the user explicitly requests it. Avoid adding emojis to files unless asked
- The edit will FAIL if `old_string` is not unique in the file. Either provide a larger string with more surrounding context to make it unique or use `replace_all` to change every instance of `old_string`
- Use `replace_all` for replacing and renaming strings across the file, for example to rename a variable
- LF in either text matches any line ending of the file, and added lines get the ending of the file; the file's other bytes stay as they are
- You can create a new file by providing an empty old_string"""  # noqa: E501  # one point, one line
SCHEMA: Json = fields(
    "file_path old_string new_string",
    file_path=field("string", "The path of the file to change, in the workspace"),
    old_string=field("string", "The text to replace"),
    new_string=field("string", "The text to replace it with (must be different from old_string)"),
    replace_all=field("boolean", "Replace all occurrences of old_string (default false)", default=False),
)
STRICT: Json = {
    "strict": field(
        "boolean",
        "Replace old_string only where it is exactly as given; else whitespace, typography and escapes "
        "may differ at the one place where it matches",
    )
}
EXTRAS: Json = {**STRICT, **targets.EXTRAS}
_OF_ONE: Json = {
    "expected_replacements": field(
        "integer", "Replace all places of old_string if there are exactly so many", minimum=1
    ),
    "symbol": field("string", "Change the definition of this name, such as Class.method, instead of old_string"),
    "mode": field(
        "string",
        "What new_string does to the definition of symbol (default replace)",
        enum=["replace", "before", "after", "delete"],
    ),
}
ALIASES = {
    "path": "file_path",
    "old_text": "old_string",
    "old_str": "old_string",
    "new_text": "new_string",
    "new_str": "new_string",
}


def run(call: ToolCall) -> Result:
    target = Target(call)
    expected = call.whole("expected_replacements", 0)
    step = EditStep(call.text("old_string"), call.text("new_string"), call.flag("replace_all"), expected=expected)
    if call.text("symbol"):
        step = _by_symbol(target, call)
    refuse_same(target, step)
    creates = not step.old and target.missing
    if step.old:
        target.refuse_missing()
        target.refuse_unseen()
    edited = made(target, None if target.missing else text_for(target, [step]), step)
    if step.old and step.expected > 1 and not step.everywhere:
        allowed = "1, because old_string has one place"
        raise PatchkitError("P603", field="expected_replacements", given=expected, allowed=allowed)
    after = edited.file_bytes()
    target.commit(after, edited)
    seen = shown(edited.document, edited.changes, target.path)
    if creates:
        words = f"File created successfully at: {target.shown}"
    elif step.everywhere:
        done = f"All occurrences of '{step.old}' were successfully replaced with '{step.new}'."
        words = f"The file {target.shown} has been updated. {done}"
    else:
        done = f"Here's the result of running `cat -n` on a snippet of the edited file:\n{seen.snippet}"
        words = f"The file {target.shown} has been updated. {done}"
    data = target.written(after)
    data.update({"created": creates, "replacements": edited.count, "line": seen.line, "pass": edited.level})
    return Result("success", {**data, "ui_extra": seen.diff}, words)


def _by_symbol(target: Target, call: ToolCall) -> EditStep:
    """The step that changes one definition, named by the caller."""
    from patchkit.tools.editing.symbols import edit_of, lines_of

    target.refuse_missing()
    target.refuse_unseen()
    mode = call.text("mode", "replace")
    if bool(call.text("new_string").strip()) == (mode == "delete"):
        allowed = "nothing, for 'delete'" if mode == "delete" else "the text of the definition"
        raise PatchkitError("P603", field="new_string", given="that", allowed=allowed)
    texts = text_for(target, [EditStep("", call.text("new_string"), False)]).document.texts
    found = lines_of(target.path, texts, call.text("symbol"))
    old, new = edit_of(texts, found, call.text("new_string"), mode)
    return EditStep(old, new, False)


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    extras={**EXTRAS, **_OF_ONE},
    aliases=ALIASES,
    instead={"symbol": ("old_string", "new_string")},
    command_line=FieldSpelling(
        positional=("file_path",),
        options={"old_string": "--old", "new_string": "--new", **targets.OPTIONS},
        from_file={"old_string": "--old-file", "new_string": "--new-file"},
    ),
    verb="edit",
    operation="update",
)
