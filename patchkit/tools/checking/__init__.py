"""What `check` is made of: where patches come from, what is asked of them, what came of it."""
