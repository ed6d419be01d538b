"""Show patchkit doing its main job: one patch over four files of a small tree, with the diff.

    python docs/demo.py [APPLY_PATCH]

Works on a copy of docs/demo/tree, so it can be run as often as you like, and leaves nothing behind: '--no-history'
records nothing for a tree that will be gone.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DEMO = Path(__file__).resolve().parent / "demo"


def main():
    command = str(Path(sys.argv[1] if len(sys.argv) > 1 else "apply_patch").absolute())
    patch = (DEMO / "patch.txt").read_text()
    with tempfile.TemporaryDirectory() as directory:
        tree = Path(directory) / "tree"
        shutil.copytree(DEMO / "tree", tree)
        print("$ apply_patch --diff <<'EOF'", flush=True)
        print(patch + "EOF", flush=True)
        first = subprocess.run([command, "--diff", "--no-history"], input=patch, cwd=tree, text=True)
        print("\nThe same patch again is refused, and nothing is written:\n", flush=True)
        again = subprocess.run([command, "--no-history"], input=patch, cwd=tree, text=True)
    return 0 if (first.returncode, again.returncode) == (0, 1) else 1


if __name__ == "__main__":
    sys.exit(main())
