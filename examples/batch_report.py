"""From a Parquet of patches to one page: which of them apply, and which slips they have.

    python examples/batch_report.py ROWS.parquet [GROUP_COLUMN]

The same in one command: patchkit batch ROWS.parquet -o verdicts.jsonl --group-by model --report html

Rows have an id, a patch and their files (or repo and base_commit, with `--repos`); docs/batch.md explains them. Without
an argument the program writes a small Parquet of its own first. It needs the extra 'batch': pyarrow.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FILE = "def area(side):\n    return side * side\n"
GOOD = """*** Begin Patch
*** Update File: shapes.py
@@ def area(side):
-    return side * side
+    return side**2
*** End Patch
"""
WRONG = GOOD.replace("-    return side * side", "-    return width * height")


def sample(path: Path) -> None:
    """Writes a few rows, as a model's answers might be."""
    import pyarrow
    import pyarrow.parquet

    numbers = range(20)
    columns = {
        "id": [f"task-{number}" for number in numbers],
        "model": [f"m{number % 2}" for number in numbers],
        "patch": [WRONG if number % 5 == 0 else GOOD for number in numbers],
        "files": pyarrow.array(
            [[("shapes.py", FILE)] for _ in numbers], pyarrow.map_(pyarrow.string(), pyarrow.string())
        ),
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


def main(words: list[str]) -> int:
    rows = Path(words[0]) if words else Path("rows.parquet")
    if not words:
        sample(rows)
    command = [sys.executable, "-m", "patchkit", "batch", str(rows), "-o", "verdicts.jsonl", "--report", "html"]
    return subprocess.run([*command, "--group-by", words[1] if len(words) > 1 else "model"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
