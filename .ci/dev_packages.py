"""Prints the packages of a dependency group of pyproject.toml, one a line: a pip before 25.1 has no '--group'.

python .ci/dev_packages.py [GROUP] | pip install -r /dev/stdin
"""

import sys
import tomllib
from pathlib import Path

GROUPS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
print("\n".join(GROUPS[sys.argv[1] if len(sys.argv) > 1 else "dev"]))
