"""The texts of every code: one row each, with its name, its sentence, its next step, its kind and its exit class.

Data only, a module for each first digit, loaded when an error or a note is rendered. `docs/errors.md` explains each
code, and a test compares the two lists. A name is written by hand and never changes. A sentence is lower case without
a full stop, the problem first, names in single quotes; the help is an imperative that can be followed at once.
"""
