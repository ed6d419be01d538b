"""Builds the wheel's `patchkit/_bundle.py`: the modules of a plain `apply_patch` in one file.

Finding and reading three dozen small files costs more than running what is in them. So the wheel carries them a
second time, as one file that pip compiles like any other; the commands load it if it is there, and the rooms stay as
they are. Nothing else knows of it: a checkout and an editable install have no bundle and import file by file.

Each module becomes the body of a class that is never made: its code is run with the module's own dictionary for
both globals and locals, which is just how a module's code runs.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path

# In the order they are loaded: nothing in this list imports, as it loads, what stands below it.
LEAN = """
patchkit.cli
patchkit.cli.signals
patchkit.cli.streams
patchkit.values
patchkit.errors
patchkit.report
patchkit.changes
patchkit.matching
patchkit.matching.model
patchkit.text
patchkit.text.document
patchkit.changes.splice
patchkit.language
patchkit.language.model
patchkit.changes.model
patchkit.report.summary
patchkit.tools
patchkit.changes.names
patchkit.matching.exact
patchkit.matching.locate
patchkit.changes.planner
patchkit.language._grammar
patchkit.language.parser
patchkit.tools.apply
patchkit.cli.apply_patch
patchkit.language.decoding
patchkit.workspace
patchkit.workspace.directories
patchkit.workspace.journal
patchkit.workspace.metadata
patchkit.workspace.root
patchkit.workspace.lock
patchkit.workspace.switching
patchkit.workspace.rollback
patchkit.workspace.transaction
patchkit.workspace.recording
""".split()

_OPENING = '''"""The modules of a plain apply_patch, put together by hatch_build.py. Edit those, not this."""

import sys


def load():
    """Puts every module below into `sys.modules`, as if it had been imported from its own file."""
    base = __file__.rpartition("/")[0]
    codes = [code for code in _.__code__.co_consts if code.__class__ is _CODE]
    for name, code in zip(_NAMES, codes):
        if name in sys.modules:
            continue
        module = sys.__class__(name)
        path = base + name[8:].replace(".", "/")
        above, _dot, leaf = name.rpartition(".")
        if name in _PACKAGES:
            module.__package__, module.__path__ = name, [path]
            module.__file__ = path + "/__init__.py"
        else:
            module.__package__ = above
            module.__file__ = path + ".py"
        sys.modules[name] = module
        setattr(sys.modules[above], leaf, module)
        exec(code, module.__dict__)


_CODE = load.__code__.__class__


def _():
    # Short names: every function inside carries the whole of them.
'''


def bundle(root: Path) -> str:
    """The text of the bundle for the package that stands under `root`."""
    parts, packages = [_OPENING], []
    for number, name in enumerate(LEAN):
        path = root.joinpath(*name.split("."))
        if path.is_dir():
            packages.append(name)
            path = path / "__init__"
        tree = _Bare().visit(ast.parse(path.with_suffix(".py").read_text(encoding="utf-8")))
        body = ast.unparse(ast.fix_missing_locations(tree)) or "pass"
        parts.append(f"    class m{number}:\n")
        parts.append("".join(f"        {line}\n" if line else "\n" for line in body.split("\n")))
    return "".join(parts) + f"\n\n_NAMES = {tuple(LEAN)!r}\n_PACKAGES = {tuple(packages)!r}\n"


class _Bare(ast.NodeTransformer):
    """Takes out what running the code does not need: docstrings, annotations, imports for the type checker."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = body[0] if body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                del body[0]
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not body:
            body.append(ast.Pass())
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:  # the visitor's own spelling
        return None if node.module == "__future__" else node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.AST]:
        self.generic_visit(node)
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return list(node.orelse)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        return self.generic_visit(ast.Assign([node.target], node.value)) if node.value else None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # imported by the tests, not by a build
    pass
else:

    class BundleHook(BuildHookInterface):  # type: ignore[type-arg]
        """Adds the bundle to a wheel; an editable install goes without, or edits would not be seen."""

        PLUGIN_NAME = "custom"

        def initialize(self, version: str, build_data: dict[str, object]) -> None:
            if version == "editable" or self.target_name != "wheel":
                return
            made = os.path.join(self.directory, "_bundle.py")
            os.makedirs(self.directory, exist_ok=True)
            with open(made, "w", encoding="utf-8") as file:
                file.write(bundle(Path(self.root)))
            build_data["force_include"][made] = "patchkit/_bundle.py"  # type: ignore[index]

        def finalize(self, version: str, build_data: dict[str, object], artifact_path: str) -> None:
            made = os.path.join(self.directory, "_bundle.py")
            if os.path.exists(made):
                os.unlink(made)
