"""The hook and the server inside agent clients themselves, with a scripted model."""
