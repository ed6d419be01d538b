"""What `exec` is made of: where output goes, and our own commands for its child."""
