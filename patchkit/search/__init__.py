"""Finding files by name and by content: ripgrep, a directory walk of our own, ignore rules."""
