"""Definitions and syntax errors of source files, by tree-sitter, where its grammars are installed."""
