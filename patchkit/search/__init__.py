"""Find files by name and by content: ripgrep or `fallback`, a walk through directories, ignore rules."""
