"""The texts of every code: one sentence, one next step, the kind of error and its exit class.

Data only, loaded when an error or a note is rendered. `docs/errors.md` explains each code at length, and a
test compares the two lists. A sentence is lower case without a full stop, the problem first, names in
single quotes; the help is an imperative that can be followed at once.
"""
