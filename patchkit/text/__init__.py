"""Bytes and the lines in them: documents, encodings, the line endings of new files."""
