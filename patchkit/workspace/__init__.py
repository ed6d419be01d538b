"""The only package that touches the user's files: confinement, transaction, journal, history, sessions, git trees."""
