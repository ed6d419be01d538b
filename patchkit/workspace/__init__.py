"""The only room that touches the user's files."""
