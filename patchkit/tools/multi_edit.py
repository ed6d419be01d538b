"""MultiEdit: several replacements in one file, each on the result of the one before, all of them or none."""

from __future__ import annotations

from patchkit.text.document import Document
from patchkit.tools import edit
from patchkit.tools.calling import Call
from patchkit.tools.editing import target as targets
from patchkit.tools.editing.snippet import shown
from patchkit.tools.editing.steps import Step, made
from patchkit.tools.editing.target import Target
from patchkit.tools.editing.text import Change, Edited, Text
from patchkit.tools.registry import Face
from patchkit.tools.result import Result
from patchkit.workspace.history.contents import compared

DESCRIPTION = """\
This is a tool for making multiple edits to a single file in one operation. It is built on top of the Edit tool and allows you to perform multiple find-and-replace operations efficiently. Prefer this tool over the Edit tool when you need to make multiple edits to the same file.

Before using this tool:

1. Use the Read tool to understand the file's contents and context
2. Verify the directory path is correct

To make multiple file edits, provide the following:
1. file_path: The absolute path to the file to modify (must be absolute, not relative)
2. edits: An array of edit operations to perform, where each edit contains:
   - old_string: The text to replace (must match the file contents exactly, including all whitespace and indentation)
   - new_string: The edited text to replace the old_string
   - replace_all: Replace all occurences of old_string. This parameter is optional and defaults to false.

IMPORTANT:
- All edits are applied in sequence, in the order they are provided
- Each edit operates on the result of the previous edit
- All edits must be valid for the operation to succeed - if any edit fails, none will be applied
- This tool is ideal when you need to make several changes to different parts of the same file
- For Jupyter notebooks (.ipynb files), use the NotebookEdit instead

CRITICAL REQUIREMENTS:
1. All edits follow the same requirements as the single Edit tool
2. The edits are atomic - either all succeed or none are applied
3. Plan your edits carefully to avoid conflicts between sequential operations

WARNING:
- The tool will fail if edits.old_string doesn't match the file contents exactly (including whitespace)
- The tool will fail if edits.old_string and edits.new_string are the same
- Since edits are applied in sequence, ensure that earlier edits don't affect the text that later edits are trying to find

When making edits:
- Ensure all edits result in idiomatic, correct code
- Do not leave the code in a broken state
- Always use absolute file paths (starting with /)
- Only use emojis if the user explicitly requests it. Avoid adding emojis to files unless asked.
- Use replace_all for replacing and renaming strings across the file. This parameter is useful if you want to rename a variable for instance.

If you want to create a new file, use:
- A new file path, including dir name if needed
- First edit: empty old_string and the new file's contents as new_string
- Subsequent edits: normal edit operations on the created content"""  # noqa: E501  # verbatim
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "file_path": {"type": "string", "description": "The absolute path to the file to modify"},
        "edits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "old_string": {"type": "string", "description": "The text to replace"},
                    "new_string": {"type": "string", "description": "The text to replace it with"},
                    "replace_all": {
                        "type": "boolean",
                        "default": False,
                        "description": "Replace all occurences of old_string (default false).",
                    },
                },
                "required": ["old_string", "new_string"],
                "additionalProperties": False,
            },
            "minItems": 1,
            "description": "Array of edit operations to perform sequentially on the file",
        },
    },
    "required": ["file_path", "edits"],
    "additionalProperties": False,
}
EXTRAS: dict[str, object] = {**edit.FUZZY, **targets.EXTRAS}
ALIASES = edit.ALIASES
FACE = Face(positional=("file_path",), options=targets.OPTIONS, from_file={"edits": "--edits-file"}, from_stdin="edits")
VERB = "multi_edit"


def run(call: Call) -> Result:
    target = Target(call)
    steps = _steps(call)
    creates = target.missing and not steps[0].old
    if not creates:
        target.refuse_missing()
        if steps[0].old:  # an empty one is refused for what it is
            target.refuse_unseen()
    text = None if target.missing else Text(target.entry.data)
    edits = []
    for step in steps:
        edits.append(made(target, text, step))
        text = Text(b"".join(edits[-1].file_bytes()))
    after = b"".join(edits[-1].file_bytes())
    together = _together(edits[0].document, Document(after))
    same = not target.missing and after == target.entry.data
    target.commit([target.entry.data if same else after], together)
    data = target.written([after])
    data.update(created=creates, edits=[_told(step, edit) for step, edit in zip(steps, edits)])
    data["ui_extra"] = shown(together.document, together.changes, target.path).diff
    lines = [f'{step.number}. Replaced "{step.old}" with "{step.new}"' for step in steps]
    head = f"Applied {len(steps)} edit{'s' if len(steps) > 1 else ''} to {target.shown}:"
    return Result("success", data, "\n".join([head, *lines]))


def _steps(call: Call) -> list[Step]:
    given: list[dict[str, object]] = call.get("edits")  # type: ignore[assignment]
    return [
        Step(str(each["old_string"]), str(each["new_string"]), bool(each.get("replace_all")), number)
        for number, each in enumerate(given, 1)
    ]


def _told(step: Step, edited: Edited) -> dict[str, object]:
    return {"edit": step.number, "replacements": edited.count, "pass": edited.level}


def _together(before: Document, after: Document) -> Edited:
    """All edits as one: whatever lies between the first and the last difference."""
    spans = compared(before.data, after.data)
    changes = [Change(start, stop, after.data[start : start + length]) for start, stop, length in spans]
    alike = (before.bom, before.codec) == (after.bom, after.codec)
    return Edited(before, [after.data], changes, len(changes) if alike else 0)  # else the changes do not tell it all
