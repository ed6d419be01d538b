"""The words that tools are published with: those of the document the tools were first specified in, or their own.

Takes a Tool and a wording; returns its description and the schema of its arguments. `seed`, the default, keeps the
words of the first specification of Read, Edit and MultiEdit to the byte. `own` says more of these tools: paths may be
relative, nothing outside the workspace is reached, LS lists directories. `full` is that with all further fields.
"""

from __future__ import annotations

from copy import deepcopy

from patchkit.policy import variable
from patchkit.report.result import Json
from patchkit.tools.declaration import Tool

SEED, OWN, FULL = WORDINGS = ("seed", "own", "full")


def published(tool: Tool, extended: bool = False, wording: str = "") -> tuple[str, Json]:
    """The description and the schema of a tool as a model gets them; `wording` may be what PATCHKIT_WORDING says."""
    chosen = wording or variable("PATCHKIT_WORDING")
    schema = tool.schema(extended or chosen == FULL)
    if chosen != SEED:
        return tool.declaration.description, schema
    schema = deepcopy(schema)
    for path, words in _SEED_FIELDS.get(tool.name, {}).items():
        field = schema
        for step in path.split("."):
            field = field["properties"][step] if "properties" in field else field["items"]["properties"][step]
        field["description"] = words
    return _SEED_DESCRIPTIONS.get(tool.name, tool.declaration.description), schema


_SEED_FIELDS = {
    "Read": {"file_path": "The absolute path to the file to read"},
    "Edit": {
        "file_path": "The absolute path to the file to modify",
        "replace_all": "Replace all occurences of old_string (default false)",
    },
    "MultiEdit": {
        "file_path": "The absolute path to the file to modify",
        "edits.replace_all": "Replace all occurences of old_string (default false).",
    },
}
_READ = """\
Reads a file from the local filesystem. You can access any file directly by using this tool.
Assume this tool is able to read all files on the machine. If the User provides a path to a file assume that path is valid. It is okay to read a file that does not exist; an error will be returned.

Usage:
- The file_path parameter must be an absolute path, not a relative path
- By default, it reads up to 2000 lines starting from the beginning of the file
- You can optionally specify a line offset and limit (especially handy for long files), but it's recommended to read the whole file by not providing these parameters
- Any lines longer than 2000 characters will be truncated
- Results are returned using cat -n format, with line numbers starting at 1
- This tool can only read files, not directories. To read a directory, use an ls command via the Bash tool.
- You have the capability to call multiple tools in a single response. It is always better to speculatively read multiple files as a batch that are potentially useful. 
- If you read a file that exists but has empty contents you will receive a system reminder warning in place of file contents."""  # noqa: E501, W291  # verbatim
_EDIT = """\
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
_MULTI_EDIT = """\
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
_SEED_DESCRIPTIONS = {"Read": _READ, "Edit": _EDIT, "MultiEdit": _MULTI_EDIT}
