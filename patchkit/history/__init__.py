"""What was done in a workspace: runs, undo and redo, sessions, kept outputs."""
