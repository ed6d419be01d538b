"""Run a command so that the kernel keeps it within the rules."""
