"""Where hunks belong."""
