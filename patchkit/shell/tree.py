"""Ask tree-sitter-bash for the structure of a skeleton, and for the reasons of a refusal.

Takes the text of a Skeleton, small and plain ASCII by construction; gives the root node, or what the
queries of grammar/shell.scm find. Imported only for a script that holds the word: loading the grammar
costs more than most answers.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.shell._queries import QUERIES
from patchkit.shell.bindings import binding
from patchkit.shell.verdict import NotOurs, Trailing

TYPE_CHECKING = False
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
