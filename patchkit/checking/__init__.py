"""Check patches for people and CI: what each would do, what is wrong with it, and the outputs for it."""
