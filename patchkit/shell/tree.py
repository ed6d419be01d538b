"""Ask tree-sitter-bash for the structure of a skeleton, and for the reasons of a refusal.

Takes the text of a Skeleton, small and plain ASCII by construction; gives the root node, or what the
queries of grammar/shell.scm find. Imported only for a script that holds the word: loading the grammar
costs more than most answers.
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


# -- bindings: Load the extension module of a tree-sitter package without the rest of the package. Takes the name
# of a package whose `_binding` is a compiled module; gives that module. The packages themselves
# import `typing` and `importlib.resources` for things nobody needs here, which costs four times as
# much as all our own work on a usual command. The module is registered under its own name, so a host
# that uses the package shares it.


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


if TYPE_CHECKING:
    import tree_sitter
    import tree_sitter_bash
    from tree_sitter import Node
else:
    tree_sitter, tree_sitter_bash = binding("tree_sitter"), binding("tree_sitter_bash")
_BASH = tree_sitter.Language(tree_sitter_bash.language())
# In the order in which they are told: the first one that is there explains the most.
_CAPTURES = ("function", "meaning", "privilege", "flow", "wrapper", "assignment", "background")


def parse(text: str) -> Node:
    return tree_sitter.Parser(_BASH).parse(text.encode("ascii")).root_node


def explained(root: Node, refusal: PatchkitError | NotOurs) -> PatchkitError | NotOurs:
    """The refusal to give for a script that the walk did not take, in the light of all that stands in it."""
    found = {
        name: nodes[0]
        for name, nodes in tree_sitter.QueryCursor(tree_sitter.Query(_BASH, QUERIES)).captures(root).items()
    }
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
    return NotOurs(f"'apply_patch' stands inside control flow ('{word}')")
