"""What calls may do: rules, settings, the audit log, limits. Knows deeds, and no tool."""

READ, WRITE, EXECUTE = "read", "write", "execute"  # what a tool does to the world
