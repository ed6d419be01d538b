"""What was applied in a workspace: recording it, reading the records, undoing a run."""
