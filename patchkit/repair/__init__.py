"""A refusal becomes its explanation, the nearest place, and a correction: for patches, edits and blocks."""
