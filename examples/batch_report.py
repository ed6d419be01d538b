"""From a Parquet of patches to one page: which of them apply, and which slips they have.

    python examples/batch_report.py ROWS.parquet [GROUP_COLUMN]

The same in one command: patchkit batch ROWS.parquet -o verdicts.jsonl --group-by model --report html

Rows have an id, a patch and their files (or repo and base_commit, with `--repos`); docs/batch.md explains them. Parquet
needs the extra 'batch': pyarrow.
"""

from __future__ import annotations

import subprocess
import sys


def main(words: list[str]) -> int:
    if not words:
        print("usage: batch_report.py ROWS.parquet [GROUP_COLUMN]", file=sys.stderr)
        return 2
    rows, group = words[0], words[1] if len(words) > 1 else "model"
    command = [sys.executable, "-m", "patchkit", "batch", rows, "-o", "verdicts.jsonl", "--report", "html"]
    return subprocess.run([*command, "--group-by", group], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
