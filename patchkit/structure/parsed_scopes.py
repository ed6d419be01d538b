"""Place hunks whose anchors reach too far, or not far enough, by what a parser says about the definitions.

Takes the hunks of one file of which some were refused because of their scope: several places in it, or none. Where a
grammar is installed for the file, an anchor that is the head of one definition gets the scope that the parser sees; a
hunk with exactly one place in that is placed there, with a note. Otherwise the results stay as they were.
"""

from __future__ import annotations

from patchkit.core.changes import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import OF_SCOPES, Match, Miss
from patchkit.core.matching.candidates import Candidates
from patchkit.core.matching.indentation import margin_of
from patchkit.core.matching.passes import INVISIBLE, PASSES
from patchkit.core.matching.placer import HunkPlacer
from patchkit.core.matching.scopes.anchors import Anchors, Scope
from patchkit.core.text import Document
from patchkit.errors import Note
from patchkit.structure.grammars import has_grammar, language_of, parsed
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    Results = list[Match | Miss]
    _Scopes = dict[tuple[str, ...], list[Scope]]
    from tree_sitter import Node, Tree


# How far definitions of a source file reach, as a parser sees them.
#
# Takes a path and the file's lines; gives for a line the lines of the definition whose head it is in, where the parser
# is sure of it. A definition with errors in it or next to it is in doubt, and so is one whose last line is not at the
# depth of its first. Lines are counted from 0.
_MOST_ABOVE = 100  # nodes around a line that are looked at
_MOST_BELOW = 200  # nodes in which a function is looked for
_MOST_STATEMENTS = 20_000  # of a function of C, to see whether it is read rightly

_C = "function_definition struct_specifier enum_specifier union_specifier"
_JAVASCRIPT = "function_declaration generator_function_declaration class_declaration method_definition"
_TYPESCRIPT = f"{_JAVASCRIPT} abstract_class_declaration interface_declaration enum_declaration internal_module module"
# The types of nodes that define something with a body.
DEFINES = {
    "bash": "function_definition",
    "c": _C,
    "c#": "class_declaration struct_declaration interface_declaration enum_declaration method_declaration "
    "constructor_declaration namespace_declaration record_declaration property_declaration",
    "c++": f"{_C} class_specifier namespace_definition",
    "go": "function_declaration method_declaration",
    "java": "class_declaration interface_declaration enum_declaration method_declaration constructor_declaration "
    "record_declaration annotation_type_declaration compact_constructor_declaration",
    "javascript": _JAVASCRIPT,
    "php": "function_definition method_declaration class_declaration interface_declaration trait_declaration "
    "enum_declaration",
    "python": "function_definition class_definition",
    "ruby": "method singleton_method class module",
    "rust": "function_item impl_item trait_item struct_item enum_item mod_item union_item",
    "tsx": _TYPESCRIPT,
    "typescript": _TYPESCRIPT,
}
# Functions and types without a name of their own, and what holds and names them: a variable, a member, a call. With
# their decorators, templates and the like, definitions are held, too.
_UNNAMED = frozenset("arrow_function function_expression do_block func_literal struct_type interface_type".split())
_HOLDERS = frozenset(
    "decorated_definition template_declaration type_definition declaration export_statement lexical_declaration "
    "variable_declaration expression_statement pair field_definition public_field_definition call assignment "
    "type_declaration var_declaration short_var_declaration linkage_specification".split()
)
_OF_CPP = ("class ", "namespace ", "template", "using ")  # what a line of a header begins with that is not of C
_BODIES = ("body", "accessors")
# What has the head of a function and no body.
_DECLARES = frozenset(
    "method_declaration function_declaration function_signature method_signature "
    "abstract_method_signature function_signature_item".split()
)
# What a statement of C is, or is in, without being in an expression.
_STATEMENTS = ("statement", "clause", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif")


class SourceSpan(Record):
    """Lines of a definition from one of its head, to behind its last; without a body it is a declaration."""

    line: int
    end: int
    has_body: bool


class SyntaxScopes:
    """The definitions of one source file, each looked for when it is asked for."""

    def __init__(self, path: str, texts: list[str]) -> None:
        self._texts = texts
        if path.endswith(".h") and any(text.lstrip().startswith(_OF_CPP) for text in texts):
            path += "pp"
        self._language = language_of(path)
        self._types = frozenset(DEFINES.get(self._language, "").split())
        self._tree = self._parsed(path) if self._types else None
        self._found: dict[int, SourceSpan | None] = {}

    def _parsed(self, path: str) -> Tree | None:
        """The tree of the lines, whose rows are those of the file whatever ends its lines."""
        text = "\n".join(self._texts)
        if text.count("\n") >= max(1, len(self._texts)):
            return None
        return parsed(path, text.encode("utf-8", "replace"))

    def span_of(self, line: int) -> SourceSpan | None:
        """The definition or declaration in whose head a line is; None where it is in none, or in one in doubt."""
        if line not in self._found:
            self._found[line] = self._span_of(line)
        return self._found[line]

    def _span_of(self, line: int) -> SourceSpan | None:
        if self._tree is None or not self._texts[line].strip():
            return None
        column = len(margin_of(self._texts[line]).encode("utf-8", "replace"))
        first = around = self._tree.root_node.descendant_for_point_range((line, column), (line, column + 1))
        for _ in range(_MOST_ABOVE):
            if first is None or around is None or around.parent is None:
                return None
            defined = self._defined(around, line)
            if defined is not None and first.start_byte < _body(defined).start_byte:
                doubtful = self._language in ("c", "c++") and _has_functions(defined)
                return None if doubtful else self._span(around, line, True)
            if defined is None and _declares(around) and around.start_point[0] == line:
                return self._span(around, line, False)
            around = around.parent
        return None

    def _span(self, node: Node, line: int, has_body: bool) -> SourceSpan | None:
        row, column = node.end_point
        end = row + (column > 0)
        first, last = self._texts[node.start_point[0]], self._texts[end - 1]
        # A brace that the parser takes for the last one of the definition, and that is not, is deeper.
        in_line = not has_body or self._language == "python" or margin_of(first) == margin_of(last)
        return SourceSpan(line, end, has_body) if in_line and _is_sound(node) else None

    def _defined(self, node: Node, line: int) -> Node | None:
        """The definition that a node is, or that it holds from its first lines to its last."""
        if node.type in self._types and _body(node) != node:
            return node
        if node.type not in _HOLDERS:
            return None
        waiting, found = [node], []
        for _ in range(_MOST_BELOW):
            if not waiting:
                break
            each = waiting.pop()
            if (each.type in self._types or each.type in _UNNAMED) and _body(each) != each:
                found.append(each)
            else:
                inner = each.named_children
                waiting += [child for child in inner[:-1] if child.start_point[0] == line] + inner[-1:]
        largest = max(found, key=lambda each: each.end_byte, default=None)
        return largest if largest is not None and largest.end_point[0] == node.end_point[0] else None


def _body(node: Node) -> Node:
    """The body of a definition; the node itself where it has none."""
    for name in _BODIES:
        body = node.child_by_field_name(name)
        if body is not None:
            return body
    if node.type in ("struct_type", "interface_type"):  # of Go
        return node.children[-1]
    return node


def _declares(node: Node) -> bool:
    """Whether a node is the declaration of a function; in C a variable has the same type of node."""
    if node.type not in ("declaration", "field_declaration"):
        return node.type in _DECLARES
    inner: Node | None = node
    for _ in range(_MOST_ABOVE):
        inner = inner.child_by_field_name("declarator") if inner is not None else None
        if inner is not None and inner.type == "function_declarator":
            return True
    return False


def _is_sound(node: Node) -> bool:
    """Whether the parser found errors neither in a node nor next to it or to what is around it."""
    if node.has_error:
        return False
    beside = [node.prev_sibling, node.next_sibling]
    if any(each is not None and each.has_error for each in beside):
        return False
    around = node.parent
    for _ in range(_MOST_ABOVE):
        if around is None:
            return True
        beside = [around.prev_sibling, around.next_sibling]
        if around.is_error or any(each is not None and (each.is_error or each.is_missing) for each in beside):
            return False
        around = around.parent
    return False


def _has_functions(node: Node) -> bool:
    """Whether a function has functions among its statements: in C it has none, and a macro is not understood."""
    if node.type != "function_definition":
        return False
    waiting = [_body(node)]
    for _ in range(_MOST_STATEMENTS):
        if not waiting:
            return False
        for child in waiting.pop().named_children:
            if child.type == "function_definition":
                return True
            if child.type.endswith(_STATEMENTS):
                waiting.append(child)
    return True


_MOST_BYTES = 1 << 20  # parsed for one plan
_MOST_LINES = 20  # that are an anchor
_STRICT = [each.name for each in PASSES[: INVISIBLE + 1]]


class ParsedScopes:
    """The parsed files of one plan: each version is parsed once, and all together are not too large."""

    def __init__(self) -> None:
        self._left = _MOST_BYTES
        self._known: dict[tuple[str, bytes], SyntaxScopes] = {}

    def placed(self, path: str, document: Document, hunks: list[Hunk], results: Results, options: Options) -> Results:
        """The results with all hunks placed, if the parser's scopes lead to that; else the results as they are."""
        if options.strict or not language_of(path) or not all(map(_may_help, hunks, results)):
            return results
        refused = [tuple(hunk.anchors) for hunk, each in zip(hunks, results) if isinstance(each, Miss)]
        scopes = self._scopes(path, document, refused)
        if scopes is None:
            return results
        placer = HunkPlacer(document, hunks, options, scopes)
        places = [each.places[:] if isinstance(each, Candidates) else [] for each in placer.results]
        again = placer.place()
        for before, after, only in zip(results, again, places):
            if isinstance(after, Miss) or (isinstance(before, Match) and before.line != after.line):
                return results
            # Elsewhere the lines may fit better than by one more tolerance here.
            if isinstance(before, Miss) and (only != [after.line] or after.pass_name not in _STRICT):
                return results
        for number, (hunk, before, after) in enumerate(zip(hunks, results, again), 1):
            if isinstance(before, Miss) and isinstance(after, Match):
                known = scopes[tuple(hunk.anchors)]
                scope = next((each for each in known if after.line < each.end), known[-1])  # or right behind its end
                lines = {"line": after.line + 1, "first": scope.line + 1, "last": scope.end}
                after.evidence.append("parsed-scope")
                facts = {"hunk": number, "patch_line": hunk.line, "anchor": scope.anchor, **lines}
                after.notes.append(Note("P937", evidence="parsed-scope", **facts))
        return again

    def _scopes(self, path: str, document: Document, named: list[tuple[str, ...]]) -> _Scopes | None:
        """The scope of each of these stacks of anchors, None where one of them has none."""
        try:
            parsed = self._parsed(path, document)
            if parsed is None:
                return None
            anchors, found = Anchors(document.texts), {}
            for key in dict.fromkeys(named):
                scopes = _stacked(anchors, key, parsed, len(document.texts))
                if scopes is None:
                    return None
                found[key] = scopes
            return found
        except Exception:  # whatever a parser from elsewhere raises, the patch is refused as without it
            return None

    def _parsed(self, path: str, document: Document) -> SyntaxScopes | None:
        key = path.rpartition(".")[2], document.data
        if key not in self._known:
            if len(document.data) > self._left or not has_grammar(language_of(path)):
                return None
            self._left -= len(document.data)
            self._known[key] = SyntaxScopes(path, document.texts)
        return self._known[key]


def _may_help(hunk: Hunk, result: Match | Miss) -> bool:
    """Whether a hunk has its place, or was refused because of the scope of its anchors."""
    return isinstance(result, Match) or (result.code in OF_SCOPES and bool(hunk.anchors) and hunk.hint is None)


def _stacked(anchors: Anchors, named: tuple[str, ...], parsed: SyntaxScopes, stop: int) -> list[Scope] | None:
    """The scopes of stacked anchors, of which each is in the head of one definition inside the one before.

    Its declarations may have the same line. Any other line like it, of a string or a comment, may be what is meant.
    """
    scopes: list[Scope] = []
    outer, start = None, 0
    for anchor in named:
        lines, how = anchors.lines_like(anchor, start, stop)
        spans = [parsed.span_of(line) for line in lines[:_MOST_LINES]]
        known = [each for each in spans if each is not None]
        defined = [each for each in known if each.has_body]
        if len(known) < len(lines) or len(defined) != 1:
            return None
        scopes = [Scope(anchor, each.line, each.end, how, anchors.definition_at(each.line)) for each in known]
        for each in scopes:
            each.outer = outer
        outer = next(each for each in scopes if each.line == defined[0].line)
        start, stop = outer.line + 1, outer.end
    return scopes
