"""The tools by name.

Takes a name in any spelling that callers use; returns the Tool, or raises with the names there are. A row is data, so
that listing the tools imports none of them: the published name, the command of `patchkit`, the effect, one line of
help, other names that callers use, and the module with the rest of the declaration (its `TOOL`) where that has not the
name of the command. The command line makes a command of every row, so a new tool is its module and one row here.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.policy import EXECUTE, READ, WRITE
from patchkit.tools.declaration import Declaration, FieldSpelling, Tool

__all__ = ["TOOLS", "FieldSpelling", "Declaration", "Tool", "effect_and_name", "named"]

TOOLS = (
    Tool("Read", "read", READ, "Show a file, numbered and bounded.", "read_file view view_file open_file"),
    Tool("Write", "write", WRITE, "Create or replace a whole file.", "write_file create write_to_file create_file"),
    Tool(
        *("Edit", "edit", WRITE, "Replace one text in a file."),
        "edit_file str_replace replace search_replace replace_string_in_file replace_file_content "
        "str_replace_editor str_replace_based_edit_tool",
    ),
    Tool(
        *("MultiEdit", "multi-edit", WRITE, "Make several replacements in a file: all, or none."),
        "multi_edit multiedit multi_edit_file multi_replace_string_in_file multi_replace_file_content",
    ),
    Tool(*("NotebookEdit", "notebook-edit", WRITE, "Change a cell of a notebook."), "notebook_edit edit_notebook"),
    Tool("Insert", "insert", WRITE, "Insert lines into a file.", "insert_lines insert_text"),
    Tool("Delete", "delete", WRITE, "Delete a file or a directory.", "delete_file remove"),
    Tool("Move", "move", WRITE, "Give a file or a directory another name.", "move_file rename"),
    Tool("LS", "ls", READ, "List a directory.", "list list_dir list_directory list_files"),
    Tool("Glob", "glob", READ, "Find files by name, newest first.", "glob_files find_files file_search"),
    Tool(
        *("Grep", "grep", READ, "Find files by what is in them."), "search grep_files grep_search search_file_content"
    ),
    Tool(
        *("Bash", "exec", EXECUTE, "Run a command in the workspace, within limits."),
        "execute shell run_command execute_command run_shell_command run_terminal_cmd",
    ),
    Tool(
        *("apply_patch", "apply", WRITE, "Apply a patch: all of it, or nothing.", "applypatch patch"),
        "patchkit.tools.apply_patch",
    ),
    Tool("Undo", "undo", WRITE, "Undo what was applied last, exactly, or not at all.", "undo_edit"),
    Tool(
        *("check", "check", READ, "Check whether patches apply, without changing files.", "check_patch"),
        "patchkit.checking.tool",
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
