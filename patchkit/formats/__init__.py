"""Other edit formats: readers that give a Foreign, and writers that take edits."""
