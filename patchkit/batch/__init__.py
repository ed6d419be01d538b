"""Rows with a patch and a base in, verdicts out: on this machine or on Ray."""
