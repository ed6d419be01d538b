"""Agent runtimes and their protocols: hooks."""
