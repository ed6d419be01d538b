"""What a definition, a heading or a block is, by its words: how anchors narrow where a hunk may be."""
