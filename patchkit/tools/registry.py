"""The tools by name.

Takes a name in any spelling that callers use; returns the Tool, or raises with the names there are. A row is data, so
that listing the tools imports none of them: the published name, the command of `patchkit`, the effect, the module with
the rest of the declaration (its `TOOL`), other names that callers use, and one line of help. The command line makes a
command of every row, so a new tool is its module and one row here.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.policy import EXECUTE, READ, WRITE
from patchkit.tools.declaration import Declaration, FieldSpelling, Tool

__all__ = ["TOOLS", "FieldSpelling", "Declaration", "Tool", "effect_and_name", "named"]

TOOLS = (
    Tool(
        "Read",
        "read",
        READ,
        "patchkit.tools.read",
        "read_file view view_file open_file",
        "Show a file, numbered and bounded.",
    ),
    Tool(
        *("Write", "write", WRITE, "patchkit.tools.write", "write_file create write_to_file create_file"),
        "Create or replace a whole file.",
    ),
    Tool(
        *("Edit", "edit", WRITE, "patchkit.tools.edit"),
        "edit_file str_replace replace search_replace replace_string_in_file replace_file_content "
        "str_replace_editor str_replace_based_edit_tool",
        "Replace one text in a file.",
    ),
    Tool(
        *("MultiEdit", "multi-edit", WRITE, "patchkit.tools.multi_edit"),
        "multi_edit multiedit multi_edit_file multi_replace_string_in_file multi_replace_file_content",
        "Make several replacements in a file: all, or none.",
    ),
    Tool(
        *("NotebookEdit", "notebook-edit", WRITE, "patchkit.tools.notebook_edit", "notebook_edit edit_notebook"),
        "Change a cell of a notebook.",
    ),
    Tool(
        *("Insert", "insert", WRITE, "patchkit.tools.insert", "insert_lines insert_text"),
        "Insert lines into a file.",
    ),
    Tool("Delete", "delete", WRITE, "patchkit.tools.delete", "delete_file remove", "Delete a file or a directory."),
    Tool("Move", "move", WRITE, "patchkit.tools.move", "move_file rename", "Give a file or a directory another name."),
    Tool("LS", "ls", READ, "patchkit.tools.ls", "list list_dir list_directory list_files", "List a directory."),
    Tool(
        "Glob",
        "glob",
        READ,
        "patchkit.tools.glob",
        "glob_files find_files file_search",
        "Find files by name, newest first.",
    ),
    Tool(
        "Grep",
        "grep",
        READ,
        "patchkit.tools.grep",
        "search grep_files grep_search search_file_content",
        "Find files by what is in them.",
    ),
    Tool(
        *(
            "Bash",
            "exec",
            EXECUTE,
            "patchkit.tools.exec",
            "execute shell run_command execute_command run_shell_command run_terminal_cmd",
        ),
        "Run a command in the workspace, within limits.",
    ),
    Tool(
        *("apply_patch", "apply", WRITE, "patchkit.tools.apply_patch", "applypatch patch"),
        "Apply a patch: all of it, or nothing.",
    ),
    Tool(
        "Undo", "undo", WRITE, "patchkit.tools.undo", "undo_edit", "Undo what was applied last, exactly, or not at all."
    ),
    Tool(
        "check",
        "check",
        READ,
        "patchkit.checking.tool",
        "check_patch",
        "Check whether patches apply, without changing files.",
    ),
)


def named(name: str, strict: bool = False) -> Tool:
    """The tool of this name: published, of the command line, or, unless `strict`, of another client, in any case."""
    asked = str(name).lower().replace("-", "_")
    for tool in TOOLS:
        own = tool.name.lower(), tool.command.replace("-", "_")
        if asked in own or (not strict and asked in tool.others):
            return tool
    raise PatchkitError("P602", tool=name, allowed=", ".join(tool.name for tool in TOOLS))


def effect_and_name(name: str) -> tuple[str, str]:
    """The effect and the published name of a tool; `policy` reads rules about tools with it."""
    tool = named(name)
    return tool.effect, tool.name
