"""What a whole script would run, read and write, as rules need it."""
