"""Arguments, streams and exit codes."""
