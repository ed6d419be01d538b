"""Doubts about a finished plan: what is defined twice, text that was left out, new syntax errors."""
