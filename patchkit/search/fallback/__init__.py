"""Search without ripgrep: the same answers from a walk, a scan of each file and regular expressions in linear time."""
