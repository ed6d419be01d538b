"""How often appliers of `*** Begin Patch` texts edit the right place: real edits, distorted on purpose.

Run it with `python -m benchmarks.accuracy` from the root of the repository; README.md beside this
file says what the figures mean.
"""
