"""How far the scopes of anchors reach, beside what a parser says."""
