"""The grammar's extension modules, loaded without the packages around them and shared with a host that uses those."""

from __future__ import annotations

import subprocess
import sys

import pytest


def said(*lines: str) -> str:
    """What a program of these lines prints, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_packages_themselves_are_not_loaded():
    heavy = "('tree_sitter', 'tree_sitter_bash', 'typing', 'importlib.resources')"

    lines = ["import sys, patchkit.shell.tree as tree", "tree.parse('a')"]

    assert said(*lines, f"print([name for name in sys.modules if name in {heavy}])") == "[]"


@pytest.mark.parametrize("first", ["import tree_sitter", "root = patchkit.shell.tree.parse('a')"])
def test_a_host_that_uses_the_package_shares_its_classes(first):
    lines = ["import patchkit.shell.tree", first, "import tree_sitter", "root = patchkit.shell.tree.parse('a')"]

    assert said(*lines, "print(type(root) is tree_sitter.Node)") == "True"


def test_where_the_extension_cannot_be_found_alone_the_package_is_used():
    lines = [
        "from patchkit.shell import tree",
        "tree.PathFinder = type('Nothing', (), {'find_spec': staticmethod(lambda *_: None)})",
        "from patchkit.shell import classify_script",
        "verdict = classify_script('for i in 1; do apply_patch; done', '/', {})",
        "import sys; print('tree_sitter' in sys.modules, verdict.reason)",
    ]

    assert said(*lines) == "True 'apply_patch' is inside control flow ('for')"
