"""Facts as words."""
