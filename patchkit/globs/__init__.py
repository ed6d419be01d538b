"""Patterns of names and paths: one reader, one matcher, four syntaxes (git, search, editorconfig, rules)."""
