"""What belongs in an agent's system prompt so that it uses the tools well.

Takes the names of tools; returns the text for them. The words are data: each sentence is kept with the tools it is for.
Three of the sentences are quoted from the prompts that agents are commonly given, word for word. `patchkit prompt`
prints them, and the MCP server sends them as its instructions.
"""

from __future__ import annotations

# The order in which to reach for them, and what each is for.
PURPOSES = {
    "LS": "to see what a directory holds",
    "Glob": "to find files by name",
    "Grep": "to find files by what is in them",
    "Read": "to see a file before you change it",
    "Edit": "to change one place in a file",
    "MultiEdit": "to change several places in one file",
    "NotebookEdit": "to change a cell of a notebook",
    "Insert": "to add lines to a file",
    "Write": "to create a file, or to replace all of it",
    "Delete": "to delete a file or a directory",
    "Move": "to give a file or a directory another name",
    "check": "to ask whether a patch would apply, without writing",
    "apply_patch": "to change several places or files at once: all of it, or nothing",
    "Undo": "to take back what was changed last, exactly",
    "Bash": "last, to build, test and run; not for cat, grep, find",
}
CHANGING = ("Edit", "MultiEdit", "Insert", "Write")
PATCHING = ("check", "apply_patch")
READ_FIRST = (
    "You must read the file before editing. This tool will error if you attempt an edit without reading the file first."
)
NOT_BY_SHELL = (
    "You MUST avoid using search commands like find and grep. Instead use the grep, glob tools to search. "
    "You MUST avoid read tools like cat, head, tail, and use read_file to read files."
)
LARGE_RESULTS = (
    "When a tool result is too large, it may be offloaded into the filesystem instead of being returned inline. "
    "In those cases, use read_file to inspect the saved result in chunks, "
    "or use grep within /large_tool_results/ if you need to search across offloaded tool results."
)
LANGUAGE = (
    "A patch has sections: Add File (every line begins with '+'), Delete File, and Update File (then, for a new name, "
    "Move to; then hunks). A hunk opens with '@@', best followed by the class or function line above the place; its "
    "lines begin with ' ' (kept), '-' (removed) or '+' (added). Give about three lines of context; no line numbers."
)
EXAMPLE = """\
*** Begin Patch
*** Add File: hello.txt
+Hello world
*** Update File: src/app.py
*** Move to: src/main.py
@@ def greet():
-    print("Hi")
+    print("Hello, world!")
*** Delete File: obsolete.txt
*** End Patch"""


# How the quoted sentences name tools, and how a server names them that offers these.
_QUOTED = {
    "use read_file": "use Read",
    "the grep, glob tools": "the Grep, Glob tools",
    "use grep within": "use Grep within",
}


def with_own_names(text: str) -> str:
    """A text of ours with the names that the tools are offered under."""
    for quoted, name in _QUOTED.items():
        text = text.replace(quoted, name)
    return text


def words(wanted: set[str], markdown: bool) -> str:
    """The prompt for a set of tools, by their published names."""
    purposes = [(name, purpose) for name, purpose in PURPOSES.items() if name in wanted]
    tick = "`" if markdown else ""
    parts = [
        "Reach for the tools in this order:\n\n"
        + "\n".join(f"{number}. {tick}{name}{tick} {purpose}" for number, (name, purpose) in enumerate(purposes, 1))
    ]
    changing = [name for name in CHANGING if name in wanted]
    if changing:
        parts.append(f"{', '.join(changing)}: {READ_FIRST}")
    if "Bash" in wanted:
        parts += [f"Bash: {NOT_BY_SHELL}", LARGE_RESULTS]
    if not wanted.isdisjoint(PATCHING):
        parts += [LANGUAGE, f"```\n{EXAMPLE}\n```" if markdown else EXAMPLE]
    return "\n\n".join(parts) + "\n"
