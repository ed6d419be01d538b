"""Searching without ripgrep: the same answers, from a regular-expression engine of our own."""
