"""Patches that are older than the file they are applied to."""
