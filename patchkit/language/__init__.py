"""The patch language: text to Patch and back."""
