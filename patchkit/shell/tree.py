"""Ask tree-sitter-bash for the structure of a script's masked text, and for the reasons of a refusal.

Takes the text of a MaskedScript, small and plain ASCII by construction; gives the root node, or why a script with such
a tree is refused. The grammar is loaded when it is first asked: that costs more than most answers.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder

from patchkit.errors import PatchkitError
from patchkit.shell.mention import CALL_NAMES
from patchkit.shell.verdict import NotOurs, Trailing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from tree_sitter import Language, Node, Parser


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


_loaded: list[tuple[type[Parser], Language]] = []


def parse(text: str) -> Node:
    if not _loaded:
        if TYPE_CHECKING:
            import tree_sitter
            import tree_sitter_bash
        else:
            tree_sitter, tree_sitter_bash = binding("tree_sitter"), binding("tree_sitter_bash")
        _loaded.append((tree_sitter.Parser, tree_sitter.Language(tree_sitter_bash.language())))
    parser, bash = _loaded[0]
    return parser(bash).parse(text.encode("ascii")).root_node


# -- why a command with 'apply_patch' in it is not taken as one apply_patch call --------------------
# A script that the walk has refused is looked through: whether 'apply_patch' is called at all, and what is in the way.
# That never accepts anything. Heredoc bodies, quoted text and comments are masked.

# The kinds of reasons in the order in which they are reported: the first one that is there explains the most.
_REASONS = ("function", "meaning", "privilege", "flow", "wrapper", "assignment", "background")
_KINDS = {
    "function_definition": "function",
    "variable_assignment": "assignment",
    "declaration_command": "assignment",
    "&": "background",
    # The call runs never, once or often.
    **dict.fromkeys("if_statement for_statement c_style_for_statement while_statement case_statement".split(), "flow"),
    **dict.fromkeys(("test_command", "negated_command"), "flow"),
}
# What can change the meaning of the name.
_MEANING = frozenset("alias unalias eval source . trap hash enable shopt unset setopt".split())
# The word right after one of these is run as a command too ('command -v apply_patch' is not).
_WRAPPERS = frozenset("command exec builtin env time nohup nice setsid stdbuf xargs eval".split())
# These take options of their own first, so the word may be anywhere after them.
_PRIVILEGES = frozenset("sudo doas su timeout".split())


def explained(root: Node, refusal: PatchkitError | NotOurs) -> PatchkitError | NotOurs:
    """The refusal to give for a script that the walk did not take, in the light of everything in it."""
    if isinstance(refusal, Trailing):
        return refusal
    found = _found(root)
    if "call" not in found or root.has_error:
        return NotOurs("the script mentions 'apply_patch' but is not seen to call it")
    if isinstance(refusal, PatchkitError):
        return refusal
    for kind in _REASONS:
        if kind in found:
            return _because(kind, found[kind].split()[0])
    return refusal


def _found(root: Node) -> dict[str, str]:
    """The first text of each kind: 'call' where apply_patch is called, any other for what is in the way."""
    found: dict[str, str] = {}
    nodes = [root]
    while nodes:
        node = nodes.pop()
        nodes.extend(reversed(node.children))
        if node.type in _KINDS:
            found.setdefault(_KINDS[node.type], _text(node))
        name = node.child_by_field_name("name") if node.type == "command" else None
        for kind in _kinds_of_command(_text(name), node) if name is not None else ():
            found.setdefault(kind, _text(name))
    return found


def _kinds_of_command(name: str, node: Node) -> list[str]:
    arguments = node.children_by_field_name("argument")
    calls = [each.type == "word" and _text(each) in CALL_NAMES for each in arguments]
    kinds = ["call"] if name in CALL_NAMES else []
    if name in _WRAPPERS and calls[:1] == [True]:
        kinds += ["call", "wrapper"]
    if name in _PRIVILEGES and any(calls):
        kinds += ["call", "privilege"]
    return [*kinds, "meaning"] if name in _MEANING else kinds


def _text(node: Node | None) -> str:
    return (node.text or b"").decode("ascii") if node is not None else ""


def _because(kind: str, word: str) -> PatchkitError | NotOurs:
    if kind == "function":
        return PatchkitError("P509", what="it defines a function")
    if kind == "meaning":
        return PatchkitError("P509", what=f"it uses '{word}'")
    if kind in ("privilege", "wrapper"):
        return PatchkitError("P510", name=word)
    if kind == "assignment":
        return PatchkitError("P505", name=word.partition("=")[0])
    if kind == "background":
        return PatchkitError("P507")
    return NotOurs(f"'apply_patch' is inside control flow ('{word}')")
