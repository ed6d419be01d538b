"""Ask tree-sitter-bash for the structure of a script's masked text, and for the reasons of a refusal.

Takes the text of a MaskedScript, small and plain ASCII by construction; gives the root node, or what the
queries of grammar/shell.scm find. The grammar is loaded when it is first asked: that costs more than most answers.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder

from patchkit.errors import PatchkitError
from patchkit.shell._queries import QUERIES
from patchkit.shell.verdict import NotOurs, Trailing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from tree_sitter import Node


# -- load the extension module of a tree-sitter package without the rest of the package ------------
# Takes the name of a package whose `_binding` is a compiled module; gives that module. The packages themselves import
# `typing` and `importlib.resources` for what is not needed here, which costs four times as much as all our own work on
# a usual command. The module is registered under its own name, so a host that uses the package shares it.


def binding(package: str) -> ModuleType:
    """The package's `_binding`; the package itself where that cannot be found on its own."""
    name = f"{package}._binding"
    if name in sys.modules:
        return sys.modules[name]
    home = PathFinder.find_spec(package)
    found = PathFinder.find_spec(name, home.submodule_search_locations) if home else None
    if found is None or found.loader is None:
        return import_module(package)
    from importlib.util import module_from_spec

    module = sys.modules[name] = module_from_spec(found)
    found.loader.exec_module(module)
    return module


# In the order in which they are reported: the first one that is there explains the most.
_CAPTURES = ("function", "meaning", "privilege", "flow", "wrapper", "assignment", "background")


class _Grammar:
    """The grammar of bash, and the classes that read text by it."""

    def __init__(self) -> None:
        if TYPE_CHECKING:
            import tree_sitter
            import tree_sitter_bash
        else:
            tree_sitter, tree_sitter_bash = binding("tree_sitter"), binding("tree_sitter_bash")
        self.bash = tree_sitter.Language(tree_sitter_bash.language())
        self.parser, self.query, self.cursor = tree_sitter.Parser, tree_sitter.Query, tree_sitter.QueryCursor


_loaded: list[_Grammar] = []


def _grammar() -> _Grammar:
    if not _loaded:
        _loaded.append(_Grammar())
    return _loaded[0]


def parse(text: str) -> Node:
    grammar = _grammar()
    return grammar.parser(grammar.bash).parse(text.encode("ascii")).root_node


def explained(root: Node, refusal: PatchkitError | NotOurs) -> PatchkitError | NotOurs:
    """The refusal to give for a script that the walk did not take, in the light of everything in it."""
    grammar = _grammar()
    captures = grammar.cursor(grammar.query(grammar.bash, QUERIES)).captures(root)
    found = {name: nodes[0] for name, nodes in captures.items()}
    if isinstance(refusal, Trailing):
        return refusal
    if "call" not in found or root.has_error:
        return NotOurs("the script mentions 'apply_patch' but is not seen to call it")
    if isinstance(refusal, PatchkitError):
        return refusal
    for name in _CAPTURES:
        if name in found:
            return _because(name, (found[name].text or b"").decode("ascii"))
    return refusal


def _because(capture: str, text: str) -> PatchkitError | NotOurs:
    word = text.split()[0]
    if capture == "function":
        return PatchkitError("P509", what="it defines a function")
    if capture == "meaning":
        return PatchkitError("P509", what=f"it uses '{word}'")
    if capture in ("privilege", "wrapper"):
        return PatchkitError("P510", name=word)
    if capture == "assignment":
        return PatchkitError("P505", name=word.partition("=")[0])
    if capture == "background":
        return PatchkitError("P507")
    return NotOurs(f"'apply_patch' is inside control flow ('{word}')")
