"""Builds the wheel's `patchkit/_bundle_*.py`: for each command that answers at once, the modules it loads, in one file.

Finding and reading dozens of small files costs more than running what is in them. So the wheel carries them a
second time, one file for each command, which pip compiles like any other; the commands import theirs if it is there.
Nothing else knows of it: a checkout and an editable install have no bundle and import file by file.

Each module becomes the body of a class that is never made: its code is run with the module's own dictionary for
both globals and locals, which is how a module's code runs.

The modules are written for the reader, with their imports at the top. What a plain run does not need is left out here:
an import of a module that is not in the command's list moves to the statements that use it, so it is loaded when one
of them runs. `bundle` refuses where that cannot be done, because the name is used while the module loads.
"""

from __future__ import annotations

import ast
import os
from functools import cache
from pathlib import Path

# What each command loads of patchkit when all goes well. tests/test_bundle.py compares the lists with real runs.
# `workspace.transaction` rolls back: a run may fail for want of the files or the memory that an import would need.
LEAN = {
    "apply": """
        changes changes.apply changes.model changes.options changes.paths changes.planner changes.splice cli
        cli.apply_patch cli.arguments cli.exit_status cli.signals cli.streams errors language language._grammar
        language.model language.parser matching matching.locate matching.model policy policy.settings_files report
        report.summary text text.document values workspace workspace.directories workspace.entries workspace.history
        workspace.history.contents workspace.history.recording workspace.journal workspace.lock workspace.metadata
        workspace.root workspace.state workspace.transaction
    """,
    "read": """
        changes changes.model changes.paths cli.answer cli.exit_status cli.flags cli.plain_words cli.signals
        cli.streams errors policy policy.oversight policy.settings_files report report.result text text.document
        tools tools.arguments tools.calling tools.declaration tools.paths tools.read tools.reading
        tools.reading.content tools.reading.lines tools.reading.notebook tools.reading.page tools.reading.pdf
        tools.registry values workspace workspace.directories workspace.entries workspace.reading workspace.root
        workspace.session_file workspace.sessions workspace.state
    """,
    "write": """
        changes changes.model changes.paths cli.answer cli.exit_status cli.flags cli.plain_words cli.signals
        cli.streams errors language language.model policy policy.oversight policy.settings_files report
        report.result text text.document tools tools.arguments tools.calling tools.declaration tools.editing
        tools.editing.steps tools.editing.target tools.paths tools.registry tools.write values workspace
        workspace.directories workspace.entries workspace.history workspace.history.contents
        workspace.history.recording workspace.journal workspace.lock workspace.metadata workspace.root
        workspace.session_file workspace.sessions workspace.state workspace.transaction
    """,
    "edit": """
        changes changes.compare changes.diff changes.model changes.paths changes.splice cli.answer cli.exit_status
        cli.flags cli.plain_words cli.signals cli.streams errors language language.model policy policy.oversight
        policy.settings_files report report.result text text.document tools tools.arguments tools.calling
        tools.declaration tools.edit tools.editing tools.editing.snippet tools.editing.steps tools.editing.target
        tools.editing.text tools.paths tools.reading tools.reading.lines tools.reading.page tools.registry values
        workspace workspace.directories workspace.entries workspace.history workspace.history.contents
        workspace.history.recording workspace.journal workspace.lock workspace.metadata workspace.root
        workspace.session_file workspace.sessions workspace.state workspace.transaction
    """,
    "ls": """
        changes changes.model changes.paths cli.answer cli.exit_status cli.flags cli.plain_words cli.signals
        cli.streams errors globs globs.git globs.syntax policy policy.oversight policy.settings_files processes
        processes.child report report.result search search.ignoring search.query tools tools.arguments tools.calling
        tools.declaration tools.ls tools.paths tools.registry tools.searching values workspace workspace.directories
        workspace.entries workspace.reading workspace.root
    """,
    "glob": """
        changes changes.model changes.paths cli.answer cli.exit_status cli.flags cli.plain_words cli.signals
        cli.streams errors globs globs.git globs.names globs.paths globs.syntax policy policy.oversight
        policy.settings_files processes processes.child processes.fork report report.result search search.ignoring
        search.query search.walk tools tools.arguments tools.calling tools.declaration tools.glob tools.paths
        tools.registry tools.searching values workspace workspace.directories workspace.entries workspace.root
    """,
    "grep": """
        changes changes.model changes.paths cli.answer cli.exit_status cli.flags cli.plain_words cli.signals
        cli.streams errors globs globs.git globs.names globs.paths globs.syntax policy policy.oversight
        policy.settings_files processes processes.child report report.result search search.content search.file_types
        search.ignoring search.query search.ripgrep search.walk tools tools.arguments tools.calling
        tools.declaration tools.grep tools.paths tools.registry tools.searching values workspace
        workspace.directories workspace.entries workspace.reading workspace.root
    """,
    "mcp": """
        cli.exit_status cli.flags cli.mcp cli.signals policy processes processes.child runtimes runtimes.answers
        runtimes.mcp runtimes.mcp_protocol runtimes.prompt search search.query tools tools.apply_patch tools.check
        tools.checking tools.checking.run tools.declaration tools.edit tools.editing tools.editing.target tools.exec
        tools.glob tools.grep tools.ls tools.multi_edit tools.read tools.registry tools.searching tools.wording
        tools.write values
    """,
}
# Loaded by every interpreter before it runs a script: importing them again costs nothing.
_AT_HAND = {"os", "sys", "stat", "builtins", "marshal"}

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
    needed = {f"patchkit.{name}" for name in LEAN[command].split()}
    for name in sorted(needed):
        _follow(root, name, found, {"patchkit"}, needed)
    return found


def _follow(root: Path, name: str, found: list[str], begun: set[str], needed: set[str]) -> None:
    """Adds a module behind all those of the list that it imports as it loads."""
    if name in begun or name in found or name not in needed:
        return
    begun.add(name)
    _follow(root, name.rpartition(".")[0], found, begun, needed)
    for node in ast.parse(_file(root, name).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("patchkit"):
            for each in [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]:
                _follow(root, each, found, begun, needed)
    found.append(name)


def _file(root: Path, name: str) -> Path:
    path = root.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def bundle(root: Path, command: str) -> str:
    """The text of a command's bundle for the package that stands under `root`."""
    parts, names = [_OPENING], modules(root, command)
    needed = {"patchkit", *names}
    for number, name in enumerate(names):
        body = lazy(root, name, needed)
        parts.append(f"    class m{number}:\n")
        parts.append("".join(f"        {line}\n" if line else "\n" for line in body.split("\n")))
    rows = "".join(f"    {_row(root, name)!r},\n" for name in names)
    return "".join(parts) + f"\n\n_MODULES = (\n{rows})\n\n_load()\n"


def lazy(root: Path, name: str, needed: set[str]) -> str:
    """The text of a module with every import moved that the modules `needed` do not make pointless."""
    tree = _Bare().visit(ast.parse(_file(root, name).read_text(encoding="utf-8")))
    return ast.unparse(ast.fix_missing_locations(_Lazy(root, name, needed).rewrite(tree))) or "pass"


@cache
def _taken(root: Path) -> frozenset[tuple[str, str]]:
    """Every name that a module of the package takes from another, and the module it takes it from."""
    nodes = [
        node
        for path in (root / "patchkit").rglob("*.py")
        if not path.name.startswith("_bundle_")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
    ]
    return frozenset((str(node.module), alias.name) for node in nodes for alias in node.names)


def _row(root: Path, name: str) -> tuple[str, str, str, str, str]:
    """What loading needs of a module: its name, the one above it and its own in that, its file, a package's place."""
    above, _, leaf = name.rpartition(".")
    file = f"/{_file(root, name).relative_to(root / 'patchkit')}"
    place, _, _ = file.rpartition("/__init__.py")
    return name, above, leaf, file, place


class _Lazy:
    """Moves imports of modules that a run can do without to the statements that use them.

    A name is imported in front of the statement that uses it, in the same block, so the module is loaded when that
    statement is reached and not before. A name that is used while the module itself loads cannot wait. `needed` are the
    modules that are loaded anyway; with none, everything waits that can.
    """

    def __init__(self, root: Path, name: str, needed: set[str]) -> None:
        self._root = root
        self._name = name
        self._needed = needed
        self._waiting: dict[str, ast.stmt] = {}  # the name in this module -> the statement that imports it alone

    def rewrite(self, tree: ast.Module) -> ast.Module:
        """Returns the module with every import that can wait moved; raises where one of ours cannot."""
        at_once = set().union(*map(_used_while_loading, tree.body))
        tree.body = [kept for statement in tree.body for kept in self._without(statement, at_once)]
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.If | ast.Try):
                for block in _blocks(node):
                    for function in block:
                        if isinstance(function, ast.FunctionDef):
                            self._function(function)
        return tree

    def _without(self, statement: ast.stmt, at_once: set[str]) -> list[ast.stmt]:
        """The statement, or what is left of an import whose names can wait."""
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            return [statement]
        stays = []
        for alias in statement.names:
            name = (alias.asname or alias.name).partition(".")[0]
            if (self._name, name) in _taken(self._root) or not self._can_wait(statement, alias):
                stays.append(alias)
            elif name not in at_once:
                self._waiting[name] = type(statement)(**{**vars(statement), "names": [alias]})
            elif self._needed and ast.unparse(statement).startswith("from patchkit"):
                raise ValueError(f"{self._name} uses '{name}' while it loads: list its module for this command, too")
            else:
                stays.append(alias)
        statement.names = stays
        return [statement] if stays else []

    def _can_wait(self, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
        if isinstance(statement, ast.Import):
            return alias.name.partition(".")[0] not in _AT_HAND
        module = str(statement.module)
        if not module.startswith("patchkit"):
            return module.partition(".")[0] not in _AT_HAND
        inner = f"{module}.{alias.name}"
        return (inner if _file(self._root, inner).exists() else module) not in self._needed

    def _function(self, function: ast.FunctionDef) -> None:
        own = _bound(function)
        function.body = self._block(function.body, frozenset(self._waiting) - own, frozenset())

    def _block(self, block: list[ast.stmt], names: frozenset[str], known: frozenset[str]) -> list[ast.stmt]:
        """The statements with imports in front of those that need them; `known` is imported on every way here."""
        result = []
        for statement in block:
            wanted = sorted((_loaded_first(statement) & names) - known)
            result += [self._waiting[name] for name in wanted]
            known |= set(wanted)
            if isinstance(statement, ast.FunctionDef):
                self._function(statement)
            else:
                for inner in _blocks(statement):
                    inner[:] = self._block(inner, names, known)
            result.append(statement)
        return result


def _blocks(statement: ast.AST) -> list[list[ast.stmt]]:
    """The blocks of statements inside one."""
    found = [getattr(statement, field) for field in ("body", "orelse", "finalbody") if getattr(statement, field, None)]
    found += [handler.body for handler in getattr(statement, "handlers", [])]
    return found + [case.body for case in getattr(statement, "cases", [])]


def _used_while_loading(statement: ast.stmt) -> set[str]:
    """The names that run when the module is loaded: all but those inside functions."""
    if isinstance(statement, ast.FunctionDef):
        outside: list[ast.AST] = [*statement.decorator_list, *statement.args.defaults, *statement.args.kw_defaults]
        return set().union(*map(_names, filter(None, outside)))
    if isinstance(statement, ast.ClassDef):
        found = set().union(*map(_names, [*statement.decorator_list, *statement.bases]))
    else:
        found = _loaded_first(statement)
    return found.union(*(_used_while_loading(inner) for block in _blocks(statement) for inner in block))


def _loaded_first(statement: ast.stmt) -> set[str]:
    """The names that a statement uses outside its inner blocks."""
    if isinstance(statement, ast.FunctionDef):
        return _used_while_loading(statement)
    inside = {id(each) for block in _blocks(statement) for each in block}
    waiting: list[ast.AST] = [statement]
    found: set[str] = set()
    while waiting:
        node = waiting.pop()
        if id(node) not in inside:
            if isinstance(node, ast.Name):
                found.add(node.id)
            waiting.extend(ast.iter_child_nodes(node))
    return found


def _names(part: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}


def _bound(function: ast.FunctionDef) -> frozenset[str]:
    """The names that a function gives a value of its own."""
    arguments = function.args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    found = {each.arg for each in listed if each is not None}
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return frozenset(found)


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
            for command in LEAN:
                with open(self._made(command), "w", encoding="utf-8") as file:
                    file.write(bundle(Path(self.root), command))
                build_data["force_include"][self._made(command)] = f"patchkit/_bundle_{command}.py"  # type: ignore[index]

        def finalize(self, version: str, build_data: dict[str, object], artifact_path: str) -> None:
            for made in filter(os.path.exists, map(self._made, LEAN)):
                os.unlink(made)

        def _made(self, command: str) -> str:
            return os.path.join(self.directory, f"_bundle_{command}.py")
