"""Bytes and the lines in them."""
