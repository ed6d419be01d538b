"""Edit: replace one text in a file, where it stands exactly once or wherever it stands."""

from __future__ import annotations

from patchkit.tools.calling import Call
from patchkit.tools.editing import target as targets
from patchkit.tools.editing.rules import execute, valid
from patchkit.tools.editing.snippet import counted_aside, shown
from patchkit.tools.editing.steps import Step, made, refuse_same
from patchkit.tools.editing.target import Target
from patchkit.tools.editing.text import Text
from patchkit.tools.registry import Face
from patchkit.tools.result import Result

__all__ = ["valid", "execute"]

DESCRIPTION = """\
Performs exact string replacements in files.

Performs exact string replacements in files. 

Usage:
- You must use your `Read` tool at least once in the conversation before editing. This tool will error if you attempt an edit without reading the file. 
- When editing text from Read tool output, ensure you preserve the exact indentation (tabs/spaces) as it appears AFTER the line number prefix. The line number prefix format is: spaces + line number + tab. Everything after that tab is the actual file content to match. Never include any part of the line number prefix in the old_string or new_string.
- ALWAYS prefer editing existing files in the codebase. NEVER write new files unless explicitly required.
- Only use emojis if the user explicitly requests it. Avoid adding emojis to files unless asked.
- The edit will FAIL if `old_string` is not unique in the file. Either provide a larger string with more surrounding context to make it unique or use `replace_all` to change every instance of `old_string`. 
- Use `replace_all` for replacing and renaming strings across the file. This parameter is useful if you want to rename a variable for instance.
- You can use this tool to create new files by providing an empty old_string."""  # noqa: E501, W291  # verbatim
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "file_path": {"type": "string", "description": "The absolute path to the file to modify"},
        "old_string": {"type": "string", "description": "The text to replace"},
        "new_string": {
            "type": "string",
            "description": "The text to replace it with (must be different from old_string)",
        },
        "replace_all": {
            "type": "boolean",
            "default": False,
            "description": "Replace all occurences of old_string (default false)",
        },
    },
    "required": ["file_path", "old_string", "new_string"],
    "additionalProperties": False,
}
FUZZY: dict[str, object] = {
    "fuzzy": {
        "type": "boolean",
        "description": "Where old_string is not there to the letter, take the one place where it is but for blanks",
    }
}
EXTRAS: dict[str, object] = {**FUZZY, **targets.EXTRAS}
ALIASES = {
    "path": "file_path",
    "old_text": "old_string",
    "old_str": "old_string",
    "new_text": "new_string",
    "new_str": "new_string",
}
FACE = Face(
    positional=("file_path",),
    options={"old_string": "--old", "new_string": "--new", **targets.OPTIONS},
    from_file={"old_string": "--old-file", "new_string": "--new-file"},
)
VERB = "edit"


def run(call: Call) -> Result:
    target = Target(call)
    step = Step(call.text("old_string"), call.text("new_string"), call.flag("replace_all"))
    refuse_same(target, step)
    creates = not step.old and target.missing
    if step.old:
        target.refuse_missing()
        target.refuse_unseen()
    edited = made(target, None if target.missing else Text(target.entry.data), step)
    after = edited.file_bytes()
    above = counted_aside(edited.document, edited.changes)
    try:
        target.commit(after, edited)
        seen = shown(edited.document, edited.changes, target.path, above)
    finally:
        if above is not None:
            above.stop()
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
