"""Guards over the whole package: layers, circles, names, exported names, documented codes, sizes of files."""

from __future__ import annotations

import ast
import gc
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import patchkit
from patchkit.catalogue.entries import ENTRIES
from patchkit.catalogue.sentences import CatalogueEntry
from patchkit.structure import grammars
from patchkit.structure.parsed_scopes import DEFINES

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "patchkit"
MODULES = {
    ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}

FREE = {"errors", "exceptions", "values", "catalogue", "globs"}  # what the core may use, too


def is_core(module: str) -> bool:
    return module.split(".")[1:2] == ["core"]


# A package imports only packages before it here. `patchkit` itself imports none at run time.
LAYERS = [
    *("values", "errors", "exceptions", "catalogue", "globs", "core", "handles", "writer", "reading", "sources"),
    *("results", "shown_encoding", "diffs", "structure", "guards", "history", "repair", "formats"),
    *("selecting", "applying", "bases", "converting", "file_grammar"),
    *("shell", "report", "host_input", "streaming", "policy", "processes", "sandbox", "search"),
    *("tools", "checking", "batch", "api", "runtimes", "testing", "cli", "__main__"),
]
# An error loads its words when they are asked for.
BESIDE = {("errors", "catalogue")}
PURE = ["core", "globs", "diffs", "structure", "guards", "formats", "repair", "file_grammar"]
# Inside pure packages: what reads the disk or git.
READERS = ("patchkit.core.workspace", "patchkit.diffs.git_", "patchkit.formats.git_", "patchkit.repair.looking_back")
IMPURE = {"os", "sys", "time", "io", "pathlib", "subprocess", "random", "socket", "threading", "datetime", "locale"}


@pytest.fixture(scope="module", autouse=True)
def _trees_are_not_kept():
    """They are large, and a process of the tests that holds them takes longer to fork."""
    yield
    parsed.cache_clear()
    statements.cache_clear()


@cache
def parsed(path: Path) -> ast.Module:
    """The tree of a file."""
    gc.disable()  # it would look through all trees again and again while they grow
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.enable()


@cache
def statements(path: Path) -> list[ast.AST]:
    """All of a file but its expressions, in which no statement can be; each knows the one that it is in."""
    found: list[ast.AST] = [parsed(path)]
    for node in found:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
                child.within = node
                found.append(child)
    return found


@cache
def imports(path: Path, types: bool = True) -> list[tuple[str, bool]]:
    """Every module a file imports, and whether it does so when it is loaded; with or without those for types only."""
    found = []
    for node in statements(path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            base = node.module or ""
            names = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names]
        else:
            continue
        if types or not _for_types(node):
            found.extend((name, _at_once(node)) for name in names)
    return found


def _for_types(node: ast.AST) -> bool:
    while hasattr(node, "within"):
        node = node.within
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return True
    return False


def _at_once(node: ast.AST) -> bool:
    if _for_types(node):
        return False
    while hasattr(node, "within"):
        node = node.within
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return False
    return True


def package(module: str) -> str:
    """The package of a module: `patchkit.core.text` is in `core`; '' is patchkit itself."""
    return module.split(".")[1] if "." in module else ""


def ours(path: Path, types: bool = True) -> list[tuple[str, bool]]:
    return [(name, at_once) for name, at_once in imports(path, types) if name.split(".")[0] == "patchkit"]


# -- layers --------------------------------------------------------------------------------------


def test_every_module_is_in_a_known_package():
    assert sorted({package(module) for module in MODULES} - {"", *LAYERS}) == []


def test_a_package_imports_only_packages_before_it():
    wrong = [
        f"{module} imports {name}"
        for module, path in MODULES.items()
        for name, at_once in ours(path)
        if package(module) != package(name)
        and package(name)
        and (package(module), package(name)) not in BESIDE
        and (at_once if not package(module) else LAYERS.index(package(name)) > LAYERS.index(package(module)))
    ]

    assert wrong == []


def test_the_core_imports_no_ring():
    wrong = [
        f"{module} imports {name}"
        for module, path in MODULES.items()
        if is_core(module)
        for name, _at_once in ours(path)
        if not is_core(name) and package(name) not in FREE
    ]

    assert wrong == []


def circles() -> set[frozenset[str]]:
    """The groups of modules that import each other, by Tarjan's algorithm."""
    graph = {
        module: {name for name, _at_once in ours(path) if (package(module), package(name)) not in BESIDE}
        for module, path in MODULES.items()
    }
    found: set[frozenset[str]] = set()
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        waiting.append(module)
        for name in graph.get(module, ()):
            if name not in number:
                visit(name)
            if name in waiting:
                lowest[module] = min(lowest[module], lowest[name])
        if lowest[module] == number[module]:
            group = waiting[waiting.index(module) :]
            del waiting[waiting.index(module) :]
            if len(group) > 1:
                found.add(frozenset(name.removeprefix("patchkit.") for name in group))

    for module in graph:
        if module not in number:
            visit(module)
    return found


def test_no_modules_import_each_other_in_a_circle_for_types_neither():
    assert circles() == set()


def test_a_pure_package_imports_nothing_that_has_effects():
    wrong = [
        f"{module} imports {name}"
        for module, path in MODULES.items()
        if package(module) in PURE and not module.startswith(READERS)
        for name, _at_once in imports(path)
        if name.split(".")[0] in IMPURE
    ]

    assert wrong == []


def test_a_pure_package_neither_prints_nor_opens():
    wrong = [
        f"{module}:{node.lineno} calls {node.func.id}"
        for module, path in MODULES.items()
        if package(module) in PURE and not module.startswith(READERS)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in {"print", "open", "input", "exec", "eval", "breakpoint", "__import__"}
    ]

    assert wrong == []


# -- the start -----------------------------------------------------------------------------------


def test_importing_patchkit_loads_nothing_else_of_it():
    code = "import sys, patchkit; print(sorted(m for m in sys.modules if m.split('.')[0] == 'patchkit'))"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)

    assert done.stdout == "['patchkit']\n"


# -- exported names ------------------------------------------------------------------------------


def test_the_exported_names_are_these():
    functions = [
        "apply",
        "check",
        "classify",
        "convert",
        "make_patch",
        "parse",
        "parse_stream",
        "plan",
        "undo",
        "write",
    ]
    values = [
        *[
            "AddFile",
            "Applied",
            "Converted",
            "DeleteFile",
            "Entry",
            "FileChange",
            "FileResult",
            "Files",
            "Hunk",
            "HunkResult",
        ],
        *["Match", "MemoryFiles", "Note", "Patch", "Plan", "Planner", "Reversed", "UpdateFile", "Verdict"],
        *["Arrival", "StreamedPatch"],
    ]
    exceptions = [
        *["InputOutputError", "PatchSyntaxError", "PatchkitError", "PlacingError", "UsageError", "WorkspaceError"],
    ]

    assert sorted(patchkit.__all__) == sorted(["__version__", *functions, *values, *exceptions])


def test_every_exported_name_is_there():
    assert [name for name in patchkit.__all__ if getattr(patchkit, name, None) is None] == []
    assert sorted({*patchkit.__all__} - {*dir(patchkit)}) == []


def test_a_name_that_is_not_exported_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'patchkit' has no attribute 'patch'"):
        patchkit.patch  # noqa: B018  # asking is the test


def test_the_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").exists()


# -- codes ---------------------------------------------------------------------------------------

CODE = re.compile(r"\bP\d{3}\b")
USED = {
    code
    for module, path in MODULES.items()
    if not module.startswith("patchkit.catalogue")
    for code in CODE.findall(path.read_text(encoding="utf-8"))
}


def test_every_code_in_the_source_is_in_the_catalogue():
    assert sorted(USED - set(ENTRIES)) == []


def test_every_code_of_the_catalogue_is_used_in_the_source():
    assert sorted(set(ENTRIES) - USED) == []


def test_every_code_has_a_section_in_the_docs():
    path = REPOSITORY / "docs" / "errors.md"
    assert path.exists()
    headings = re.findall(r"^## (P\d{3})\b", path.read_text(encoding="utf-8"), re.MULTILINE)

    assert ({*headings} - {*ENTRIES}, {*ENTRIES} - {*headings}) == (set(), set())
    assert len(headings) == len(ENTRIES)


KINDS = {
    *["NOT_FOUND", "ACCESS_DENIED", "PERMISSION_DENIED", "INVALID_PARAM", "TIMEOUT", "INTERNAL_ERROR"],
    *["EXECUTION_ERROR", "CONFLICT", "IS_DIRECTORY", "BINARY_FILE"],
}


def _helps(entry: CatalogueEntry) -> bool:
    return entry.kind in KINDS and bool(entry.advice)


def test_an_error_has_a_kind_and_advice_and_a_note_has_neither():
    odd = [
        code
        for code, entry in ENTRIES.items()
        if ((entry.kind, entry.advice) != ("", "") if code.startswith("P9") else not _helps(entry))
    ]

    assert odd == []


def test_a_sentence_is_lower_case_without_a_full_stop():
    odd = [
        code
        for code, entry in ENTRIES.items()
        if entry.sentence.endswith(".") or entry.sentence[:1] != entry.sentence[:1].lower()
    ]

    assert odd == ["P110"]  # what Codex says, to the letter


def test_every_lenience_has_its_sentence_in_the_catalogue():
    from patchkit.core.language.lenience import LENIENCES

    said = {each.value for each in ENTRIES["P901"].variants}

    assert [each.name for each in LENIENCES if each.name not in said] == []


# -- files ---------------------------------------------------------------------------------------


def test_a_class_name_means_one_thing_in_the_whole_package():
    defined: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                defined.setdefault(node.name, []).append(module)

    assert {name: modules for name, modules in defined.items() if len(modules) > 1} == {}


def test_a_default_that_is_made_anew_for_each_record_is_empty():
    filled = [
        f"{module}:{node.lineno}"
        for module, path in MODULES.items()
        for node in statements(path)
        if isinstance(node, ast.AnnAssign) and isinstance(node.within, ast.ClassDef)
        if any(getattr(node.value, part, None) for part in ("elts", "keys", "args", "keywords"))
        if not isinstance(node.value, ast.Tuple)
    ]

    assert filled == []


IGNORE = re.compile(r"# type: ignore\b(\[[^\]]*\])?(?P<reason>.*)")


def test_every_type_ignore_gives_its_reason_and_they_are_few():
    found = [
        (f"{module}:{number}", match["reason"].strip(" #"))
        for module, path in MODULES.items()
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if (match := IGNORE.search(line))
    ]

    assert [place for place, reason in found if not reason] == []
    assert len(found) < 60


def test_every_module_opens_with_what_it_is_for():
    written = {m: path for m, path in MODULES.items() if not m.rpartition(".")[2].startswith("_")}  # not generated
    documented = {m: ast.get_docstring(parsed(path)) for m, path in written.items()}

    assert [module for module, words in documented.items() if not words] == []


# Names that a base class of the standard library calls (http.server).
GIVEN_NAMES = {"do_GET", "do_HEAD", "do_POST", "handle_error"}


def test_nothing_has_a_name_that_says_nothing():
    words = ("utils", "helpers", "manager", "handle_", "process_", "do_")
    defined = [
        f"{module}.{node.name}"
        for module, path in MODULES.items()
        for node in statements(path)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name not in GIVEN_NAMES
    ]
    names = [*defined, *MODULES]

    assert [name for name in names if name.rpartition(".")[2].lower().lstrip("_").startswith(words)] == []


# -- SDKs ----------------------------------------------------------------------------------------

SDKS = {"agents", "anthropic", "claude_agent_sdk", "deepagents", "langchain_core", "mcp", "openai", "pydantic_ai"}


# Modules with classes of an SDK.
OF_SDKS = {f"runtimes.sdks.{name}" for name in ("anthropic_tools", "deepagents", "pydantic_ai")}


def test_an_sdk_of_a_runtime_is_imported_inside_a_function_of_its_adapter_only():
    wrong = [
        f"{module} imports {name}"
        for module, path in MODULES.items()
        for name, at_once in imports(path, types=False)
        if name.split(".")[0] in SDKS or name.removeprefix("patchkit.") in OF_SDKS
        if (at_once and module.removeprefix("patchkit.") not in OF_SDKS) or package(module) != "runtimes"
    ]

    assert wrong == []


# -- languages -----------------------------------------------------------------------------------


def test_every_grammar_of_a_language_is_a_package_of_the_extra_structure():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["optional-dependencies"]["structure"], *project["dependencies"]]
    packages = {re.split("[>=<]", each)[0].replace("-", "_") for each in declared}

    assert sorted({package for package, _, _ in grammars._PACKAGES.values()} - packages) == []
    assert sorted({*DEFINES} - {*grammars._PACKAGES}) == []


def test_git_is_called_in_one_place_but_for_the_commit_that_a_person_asks_for():
    found = [module for module, path in MODULES.items() if '["git"' in path.read_text(encoding="utf-8")]

    assert found == ["patchkit.diffs.git_calls", "patchkit.tools.proving"]
