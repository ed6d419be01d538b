"""Builds the wheel's `patchkit/_bundle_*.py`: for each command that answers at once, the modules it loads, in one file.

Finding and reading dozens of small files costs more than running what is in them. So the wheel carries them a
second time, one file for each command, which pip compiles like any other; the commands import theirs if it is there.
Nothing else knows of it: a checkout and an editable install have no bundle and import file by file.

Each module becomes the body of a class that is never made: its code is run with the module's own dictionary for
both globals and locals, which is how a module's code runs.

The modules are written for the reader, with their imports at the top. What a plain run does not need is left out here,
for commands without a bundle, too: the modules of `cli` are in the wheel with every import where it is used.
An import of a module that is not in the command's list moves to the statements that use it, so it is loaded when one
of them runs; `bundles` refuses where that cannot be done, because the name is used while the module loads. A function
that a plain run does not call is in a second file, `_rest_*.py`, and a short one in its place loads that file.

What only some runs load in their middle is a part: one module of it is imported by others, and in the wheel that one
loads the rest of the part from one file first. So a part is loaded in any process, and only where it is used. A bundle
loads the file of the part itself before it imports that module, which is then there.
"""

from __future__ import annotations

import ast
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path

# What each command that answers at once needs of patchkit when all goes well: its modules, and of each the functions
# that run. Measured and written by tests/lean_modules.py.
LEAN: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("lean.json").read_text(encoding="utf-8"))
# The parts: the module that loads each, and what is loaded by then: the command that is measured, others that load
# the part as well, and other parts.
PARTS = {
    "rules": ("patchkit.policy.permissions", ("read", "exec")),
    "commands": ("patchkit.policy.commands", ("exec", "rules")),
    "sandbox": ("patchkit.tools.sandboxed", ("exec", "rules")),
}
_LOADING = "try:\n    import patchkit._bundle_{}\nexcept ImportError:\n    pass\n"
# Always whole: they roll back, and a run may fail for want of the files or the memory that loading the rest would
# need; or they run inside a signal handler.
_WHOLE = {
    *("patchkit.changes.model", "patchkit.cli.signals", "patchkit.errors", "patchkit.values"),
    *("patchkit.workspace.directories", "patchkit.workspace.entries", "patchkit.workspace.journal"),
    *("patchkit.workspace.metadata", "patchkit.workspace.state", "patchkit.workspace.transaction"),
    # These run in a process that is restricted already.
    *("patchkit.processes.landlock", "patchkit.processes.mounts", "patchkit.processes.sandbox"),
    *("patchkit.processes.seccomp", "patchkit.processes.system_calls"),
}
# Outside the bundles: the commands, and what a refusal or a note needs, mostly a small part of what it imports.
_LAZY = (
    *("cli/*", "catalogue/*", "report/*", "language/lenience", "language/wrapping", "workspace/looking_back"),
    *(f"matching/{name}" for name in ("candidates", "inexact", "placer", "search")),
    *(f"changes/{name}" for name in ("based", "corrections", "explain", "making", "parsed_scopes", "unique_hunks")),
    *("changes/selection", "changes/suggestion"),
)
# Outside the bundles as well: what a run of `apply` loads for new functions and for hunks that do not match exactly.
# Imports of what each such run has stay where they are: these functions run often, and an import in them takes time.
_BESIDE_APPLY = (
    *("changes/duplicates", "changes/line_numbers", "text/lines"),
    *(f"matching/{name}" for name in ("fast_tolerant", "indentation", "passes", "view")),
)
# Loaded by every interpreter before it runs a script, so importing them again costs nothing; and `fcntl`, because every
# change takes a lock.
_AT_HAND = {"os", "sys", "stat", "builtins", "marshal", "fcntl"}

_OPENED = {"os", "stat", "sys"}  # what the bundle itself imports
_OPENING = '''"""What a command loads, put together by hatch_build.py. Edit the modules, not this."""

import os
import stat
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
        module._later, module._loaded = _later, loaded
        try:
            exec(code, module.__dict__)
        except BaseException:
            del loaded[name]  # as importing does: what comes next meets the same error, and not half a module
            raise
        setattr(loaded[above], leaf, module)


def _later(number):
    """Makes a function that takes the place of one that is in the second file."""

    def wait(*given, **named):
        return _rest()[number](*given, **named)

    return wait


def _rest():
    """The functions of the second file by their numbers."""
    if not _REST:
        _REST.update(__import__(__name__.replace("_bundle_", "_rest_"), fromlist=["load"]).load())
    return _REST


_REST = {}
_CODE = _load.__code__.__class__


def _():
    # Short names: every function inside carries the whole of them.
'''
_SECOND = '''"""What a plain run does not call, put together by hatch_build.py. Edit the modules, not this."""

import sys


def load():
    """Puts every function below where a short one waits for it; returns all of them by their numbers."""
    codes = [code for code in _.__code__.co_consts if code.__class__ is load.__code__.__class__]
    found, made = {}, {}
    for (name, parts), code in zip(_MODULES, codes):
        module, space = sys.modules[name], {}
        exec(code, module.__dict__, space)
        for number, owner, leaf in parts:
            real = vars(space[owner])[leaf] if owner else space[leaf]
            if owner:
                setattr(getattr(module, owner), leaf, real)
            else:
                made[getattr(module, leaf)] = real
            found[number] = getattr(real, "fget", None) or getattr(real, "__func__", real)
    for name, module in list(sys.modules.items()):
        if name.startswith("patchkit."):
            for key, value in list(vars(module).items()):
                if value.__class__ is load.__class__ and value in made:
                    setattr(module, key, made[value])
    return found


def _():
'''


def made(root: Path) -> dict[str, str]:
    """The files that a wheel has besides its modules, or in their place, by their names in it."""
    found = {
        f"patchkit/_{part}_{command}.py": text
        for command in LEAN
        for part, text in zip(("bundle", "rest"), bundles(root, command))
    }
    for part in PARTS:
        found |= _entry(root, part)
    of_apply = {"patchkit", *(f"patchkit.{name}" for name in LEAN["apply"])}
    for patterns, needed in ((_LAZY, set()), (_BESIDE_APPLY, of_apply)):
        for path in sorted(path for pattern in patterns for path in root.glob(f"patchkit/{pattern}.py")):
            name = path.relative_to(root)
            found[str(name)] = lazy(root, ".".join(name.with_suffix("").parts).removesuffix(".__init__"), needed)
    return found


def modules(root: Path, command: str) -> list[str]:
    """What a command's bundle holds, in the order in which the modules are done loading."""
    found: list[str] = []
    needed = {f"patchkit.{name}" for name in LEAN[command]}
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


def bundles(root: Path, command: str) -> tuple[str, str]:
    """The texts of a command's two files for the package under `root`: what a plain run needs, and the rest."""
    names, rest = modules(root, command), _Rest()
    needed = {"patchkit", *names}
    loaded = needed | _loaded_before(command)
    first, second = [_OPENING], [_SECOND]
    for number, name in enumerate(names):
        tree = _lazy_tree(root, name, loaded)
        if name not in _WHOLE:
            rest.take(name, tree, set(LEAN[command][name.removeprefix("patchkit.")].split()))
        tree.body = [each for statement in tree.body for each in _looked_up(statement, needed)]
        if command not in PARTS:
            tree = _WithParts().visit(tree)
        first += _as_class(number, tree)
    for number, (_, tree) in enumerate(rest.trees):
        second += _as_class(number, _WithParts().visit(tree))
    rows = "".join(f"    {_row(root, name)!r},\n" for name in names)
    parts = "".join(f"    {(name, tuple(rest.parts[name]))!r},\n" for name, _ in rest.trees)
    ending = f"\n\n_MODULES = (\n{parts})\n"
    packages = sorted({name.rpartition(".")[0] for name in names} - needed) if command in PARTS else []
    before = "".join(f"import {each}\n" for each in packages)
    closing = f"\n\n_MODULES = (\n{rows})\n\n{before}_load()\n"
    return "".join(first) + closing, "".join(second) + (ending if parts else "")


def _loaded_before(command: str) -> set[str]:
    """What is needed besides the modules of a part: what all its commands have, and the parts before it."""
    if command not in PARTS:
        return set()
    entry, before = PARTS[command]
    shared = set.intersection(*(set(LEAN[each]) for each in before if each not in PARTS))
    shared.update(name for each in before if each in PARTS for name in LEAN[each])
    return {entry, *(f"patchkit.{name}" for name in shared)}


def _entry(root: Path, part: str) -> dict[str, str]:
    """The module that loads a part, as the wheel has it: before it imports anything, it loads the part."""
    name, _ = PARTS[part]
    names = modules(root, part)
    first = "".join(_LOADING.format(each) for each in _parts_up_to(part))
    needed = {"patchkit", name, *names} | _loaded_before(part)
    return {str(_file(root, name).relative_to(root)): first + lazy(root, name, needed)}


def _parts_up_to(part: str) -> list[str]:
    """A part, behind those that it needs."""
    return [*(each for each in PARTS[part][1] if each in PARTS), part] if part else []


class _WithParts(ast.NodeTransformer):
    """Loads the file of a part where its module is imported."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> object:  # the visitor's own spelling
        part = next((part for part, (entry, _) in PARTS.items() if node.module == entry), "")
        return [ast.parse(_LOADING.format(each)).body[0] for each in _parts_up_to(part)] + [node]


def _as_class(number: int, tree: ast.Module) -> list[str]:
    body = ast.unparse(ast.fix_missing_locations(tree)) or "pass"
    return [f"    class m{number}:\n", *(f"        {line}\n" if line else "\n" for line in body.split("\n"))]


def _looked_up(statement: ast.stmt, needed: set[str]) -> list[ast.stmt]:
    """An import of modules that are loaded by then, as one assignment a name: that takes a tenth of the time."""
    found = []
    if isinstance(statement, ast.ImportFrom) and statement.module in needed:
        for alias in statement.names:
            inner = f"{statement.module}.{alias.name}"
            value = f"_loaded[{inner!r}]" if inner in needed else f"_loaded[{statement.module!r}].{alias.name}"
            found.append(f"{alias.asname or alias.name} = {value}")
    elif isinstance(statement, ast.Import) and all(alias.name in _OPENED for alias in statement.names):
        found = [f"{alias.asname or alias.name} = _loaded[{alias.name!r}]" for alias in statement.names]
    return ast.parse("\n".join(found)).body if found else [statement]


class _Rest:
    """The functions that a plain run does not call: `trees` has them by module, `parts` their numbers and places."""

    def __init__(self) -> None:
        self.trees: list[tuple[str, ast.Module]] = []
        self.parts: dict[str, list[tuple[int, str, str]]] = {}
        self._count = 0

    def take(self, name: str, tree: ast.Module, called: set[str]) -> None:
        """Takes the functions that are not in `called` out of a module, and leaves short ones in their places."""
        self.parts[name] = []
        taken: list[ast.stmt] = []
        for index, statement in enumerate(tree.body):
            if isinstance(statement, ast.FunctionDef) and statement.name not in called and not statement.decorator_list:
                tree.body[index] = self._stub(name, "", statement)
                taken.append(statement)
            elif isinstance(statement, ast.ClassDef):
                methods = self._methods(name, statement, called)
                if methods:
                    taken.append(ast.ClassDef(statement.name, [], [], methods, []))
        if taken:
            self.trees.append((name, ast.Module(taken, [])))

    def _methods(self, name: str, owner: ast.ClassDef, called: set[str]) -> list[ast.stmt]:
        taken: list[ast.stmt] = []
        for index, method in enumerate(owner.body):
            if not isinstance(method, ast.FunctionDef) or f"{owner.name}.{method.name}" in called:
                continue
            if _may_wait(method, owner):
                owner.body[index] = self._stub(name, owner.name, method)
                taken.append(method)
        return taken

    def _stub(self, name: str, owner: str, function: ast.FunctionDef) -> ast.stmt:
        """`NAME = _later(NUMBER)`, as the property or class method that it was."""
        self.parts[name].append((self._count, owner, function.name))
        value = f"_later({self._count})"
        for decorator in function.decorator_list:
            value = f"{ast.unparse(decorator)}({value})"
        self._count += 1
        return ast.parse(f"{function.name} = {value}").body[0]


def _may_wait(method: ast.FunctionDef, owner: ast.ClassDef) -> bool:
    """Whether a method means the same when it is made outside its class and put there later."""
    simple = [each.id for each in method.decorator_list if isinstance(each, ast.Name)]
    others = (each for each in owner.body if isinstance(each, ast.FunctionDef) and each is not method)
    used = {name for other in others for decorator in other.decorator_list for name in _names(decorator)}
    return (
        len(simple) == len(method.decorator_list)
        and set(simple) <= {"property", "staticmethod", "classmethod"}
        and method.name not in {"__new__", "__del__", *used}  # `@size.setter` needs the property itself
        and not {"super", "__class__"} & _names(method)
    )


def lazy(root: Path, name: str, needed: set[str]) -> str:
    """The text of a module with every import moved that the modules `needed` do not make pointless."""
    return ast.unparse(ast.fix_missing_locations(_lazy_tree(root, name, needed))) or "pass"


def _lazy_tree(root: Path, name: str, needed: set[str]) -> ast.Module:
    tree = _Bare().visit(ast.parse(_file(root, name).read_text(encoding="utf-8")))
    return _Lazy(root, name, needed).rewrite(tree)


@cache
def _taken(root: Path) -> frozenset[tuple[str, str]]:
    """Every name that a module of the package takes from another, and the module it takes it from."""
    nodes = [
        node
        for path in (root / "patchkit").rglob("*.py")
        if not path.name.startswith(("_bundle_", "_rest_"))
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
        for function in _functions(tree) if self._waiting else ():
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
        used = _names(function) & set(self._waiting)
        if used:
            function.body = self._block(function.body, frozenset(used) - _bound(function), frozenset())

    def _block(self, block: list[ast.stmt], names: frozenset[str], known: frozenset[str]) -> list[ast.stmt]:
        """The statements with imports in front of those that need them; `known` is imported on every way here."""
        result = []
        for each in block:
            statement = _written_out(each, names)
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


def _written_out(statement: ast.stmt, names: frozenset[str]) -> ast.stmt:
    """A statement as `if` and `else` whose value is a choice between such that need names and such that may not."""
    value = getattr(statement, "value", None)
    if not isinstance(statement, ast.Assign | ast.Expr | ast.Return) or not isinstance(value, ast.IfExp):
        return statement
    if not (_names(value.body) | _names(value.orelse)) & names:
        return statement
    body, orelse = (type(statement)(**{**vars(statement), "value": each}) for each in (value.body, value.orelse))
    return ast.If(value.test, [body], [orelse])


def _functions(node: ast.AST) -> list[ast.FunctionDef]:
    """The functions of a module, those of its classes, and those in the branches of its statements."""
    found = []
    for statement in (statement for block in _blocks(node) for statement in block):
        found += [statement] if isinstance(statement, ast.FunctionDef) else _functions(statement)
    return found


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

    def visit(self, node: ast.AST) -> object:
        return node if isinstance(node, ast.expr) else super().visit(node)  # no expression has any of it

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
        """Adds what is made to a wheel; an editable install goes without, or edits would not be seen."""

        PLUGIN_NAME = "custom"
        _place = ""

        def initialize(self, version: str, build_data: dict[str, object]) -> None:
            if version == "editable" or self.target_name != "wheel":
                return
            self._place = tempfile.mkdtemp()  # outside the project: else a file does not take the place of its module
            for number, (target, text) in enumerate(made(Path(self.root)).items()):
                path = Path(self._place, f"{number}.py")
                path.write_text(text, encoding="utf-8")
                build_data["force_include"][str(path)] = target  # type: ignore[index]

        def finalize(self, version: str, build_data: dict[str, object], artifact_path: str) -> None:
            if self._place:
                shutil.rmtree(self._place)
