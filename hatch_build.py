"""Builds the wheel's `patchkit/_bundle_*.py`: for each command that answers at once, the modules it loads, in one file.

Finding and reading dozens of small files costs more than running what is in them. So the wheel carries them a
second time, one file a command, which pip compiles like any other; the commands import theirs if it is there, and the
rooms stay as they are. Nothing else knows of it: a checkout and an editable install have no bundle and import file by
file.

Each module becomes the body of a class that is never made: its code is run with the module's own dictionary for
both globals and locals, which is just how a module's code runs.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path

_TOOL = "patchkit.cli.plain_words patchkit.tools.{}"
_CHANGE = f"{_TOOL} patchkit.workspace.lock patchkit.workspace.transaction"
# What each command loads when all goes well: the modules named, and all that these import as they load.
ENTRIES = {
    "apply": "patchkit.cli.apply_patch patchkit.language.parser patchkit.workspace.lock "
    "patchkit.workspace.transaction patchkit.workspace.history.recording",
    "read": _TOOL.format("read") + "".join(f" patchkit.tools.reading.{kind}" for kind in ("image", "notebook", "pdf")),
    "write": _CHANGE.format("write"),
    "edit": _CHANGE.format("edit"),
    "ls": _TOOL.format("ls"),
    "glob": _TOOL.format("glob"),
    "grep": _TOOL.format("grep"),
}

_OPENING = '''"""What a command loads, put together by hatch_build.py. Edit the modules, not this."""

import sys


def _load():
    """Puts every module below into `sys.modules`, as if it had been imported from its own file."""
    loaded, make, base = sys.modules, sys.__class__, __file__.rpartition("/")[0]
    codes = [code for code in _.__code__.co_consts if code.__class__ is _CODE]
    for (name, above, leaf, file, place), code in zip(_MODULES, codes):
        if name in loaded:
            continue
        loaded[name] = module = make(name)
        module.__file__, module.__package__ = base + file, above
        if place:  # of a package
            module.__package__, module.__path__ = name, [base + place]
        try:
            exec(code, module.__dict__)
        except BaseException:
            del loaded[name]  # as importing does: what comes next meets the same error, and not half a module
            raise
        setattr(loaded[above], leaf, module)


_CODE = _load.__code__.__class__


def _():
    # Short names: every function inside carries the whole of them.
'''


def modules(root: Path, command: str) -> list[str]:
    """What a command's bundle holds, in the order in which the modules are done loading."""
    found: list[str] = []
    begun = {"patchkit"}
    for name in ENTRIES[command].split():
        _follow(root, name, found, begun)
    return found


def _follow(root: Path, name: str, found: list[str], begun: set[str]) -> None:
    """Adds a module behind all that it imports as it loads."""
    if name in begun:
        return
    begun.add(name)
    _follow(root, name.rpartition(".")[0], found, begun)
    for node in ast.parse(_file(root, name).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("patchkit"):
            for each in [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]:
                if _file(root, each).exists():
                    _follow(root, each, found, begun)
    found.append(name)


def _file(root: Path, name: str) -> Path:
    path = root.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def bundle(root: Path, command: str) -> str:
    """The text of a command's bundle for the package that stands under `root`."""
    parts, names = [_OPENING], modules(root, command)
    for number, name in enumerate(names):
        tree = _Bare().visit(ast.parse(_file(root, name).read_text(encoding="utf-8")))
        body = ast.unparse(ast.fix_missing_locations(tree)) or "pass"
        parts.append(f"    class m{number}:\n")
        parts.append("".join(f"        {line}\n" if line else "\n" for line in body.split("\n")))
    rows = "".join(f"    {_row(root, name)!r},\n" for name in names)
    return "".join(parts) + f"\n\n_MODULES = (\n{rows})\n\n_load()\n"


def _row(root: Path, name: str) -> tuple[str, str, str, str, str]:
    """What loading needs of a module: its name, the one above it and its own in that, its file, a package's place."""
    above, _, leaf = name.rpartition(".")
    file = f"/{_file(root, name).relative_to(root / 'patchkit')}"
    place, _, _ = file.rpartition("/__init__.py")
    return name, above, leaf, file, place


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
        """Adds the bundles to a wheel; an editable install goes without, or edits would not be seen."""

        PLUGIN_NAME = "custom"

        def initialize(self, version: str, build_data: dict[str, object]) -> None:
            if version == "editable" or self.target_name != "wheel":
                return
            os.makedirs(self.directory, exist_ok=True)
            for command in ENTRIES:
                with open(self._made(command), "w", encoding="utf-8") as file:
                    file.write(bundle(Path(self.root), command))
                build_data["force_include"][self._made(command)] = f"patchkit/_bundle_{command}.py"  # type: ignore[index]

        def finalize(self, version: str, build_data: dict[str, object], artifact_path: str) -> None:
            for made in filter(os.path.exists, map(self._made, ENTRIES)):
                os.unlink(made)

        def _made(self, command: str) -> str:
            return os.path.join(self.directory, f"_bundle_{command}.py")
