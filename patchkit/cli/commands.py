"""The commands of `patchkit`, as a table: where each lives, and one line of help."""

# name: (module, function, one line of help). The help stands here so that listing imports no command.
COMMANDS = {
    "apply": ("patchkit.cli.apply_patch", "", "Apply a patch: all of it, or nothing (the same as apply_patch)."),
    # Tools: the second word is the tool's own, and the command is made from its declaration.
    "read": ("tool", "read", "Show a file, numbered and bounded."),
    "write": ("tool", "write", "Create or replace a whole file."),
    "edit": ("tool", "edit", "Replace one text in a file."),
    "multi-edit": ("tool", "multi-edit", "Make several replacements in a file: all, or none."),
    "ls": ("tool", "ls", "List a directory."),
    "glob": ("tool", "glob", "Find files by name, newest first."),
    "grep": ("tool", "grep", "Find files by what is in them."),
    "exec": ("patchkit.cli.exec", "exec_command", "Run a command in the workspace, within limits."),
    "intercept": ("patchkit.cli.intercept", "", "Say whether a shell command is exactly one apply_patch call."),
    "check": ("patchkit.cli.check", "check", "Say whether patches apply, and write nothing: for CI and for people."),
    "hook": ("patchkit.cli.hook", "", "Answer an agent runtime that is about to run a tool."),
    "call": ("patchkit.cli.call", "call", "Call any of these with its arguments as JSON."),
    "schema": ("patchkit.cli.call", "schema", "Print the tools as a model API or an agent protocol takes them."),
    "policy": ("patchkit.cli.policy", "policy", "Say what the rules decide about a call, without making it."),
    "prompt": ("patchkit.cli.prompt", "prompt", "Print what belongs into an agent's system prompt."),
    "session": ("patchkit.cli.session", "session", "Show which files were seen in this session, or forget them."),
    "diff": ("patchkit.cli.diff", "diff", "Print the patch that turns one file or tree into another."),
    "log": ("patchkit.cli.history", "log", "List what was applied in this workspace."),
    "undo": ("patchkit.cli.history", "undo", "Take back what was applied last, exactly, or not at all."),
    "redo": ("patchkit.cli.history", "redo", "Take back the last undo."),
    "recover": ("patchkit.cli.history", "recover", "Finish or undo what an interrupted run left behind."),
    "explain": ("patchkit.cli.explain", "explain", "Print what a code means, what causes it and what to do."),
    "completion": ("patchkit.cli.completion", "completion", "Print the script that lets a shell complete commands."),
    "grammar": ("patchkit.cli.grammar", "grammar", "Print the grammar of the patch language."),
}
