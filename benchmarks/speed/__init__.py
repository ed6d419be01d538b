"""Speed of patchkit beside other tools, as ratios taken in one run: `python -m benchmarks.speed`."""
