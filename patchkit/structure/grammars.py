"""Parse a source file with the grammar of its language, if that is installed.

Takes a path and the file's bytes; gives a syntax tree, or None: the suffix is not known, the grammar is not installed,
it is of a version that the parser does not take, or the file takes the parser too much work. Grammars are single
packages (extra `structure`), loaded when a file of their language is looked at.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

# language: package (of the extra `structure`), the function in it that gives the grammar, suffixes
_PACKAGES = {
    "bash": ("tree_sitter_bash", "language", "sh bash"),
    "c": ("tree_sitter_c", "language", "c h"),
    "c#": ("tree_sitter_c_sharp", "language", "cs"),
    "c++": ("tree_sitter_cpp", "language", "cc cpp cxx hh hpp hxx"),
    "go": ("tree_sitter_go", "language", "go"),
    "java": ("tree_sitter_java", "language", "java"),
    "javascript": ("tree_sitter_javascript", "language", "cjs js jsx mjs"),
    "json": ("tree_sitter_json", "language", "json"),
    "php": ("tree_sitter_php", "language_php", "php"),
    "python": ("tree_sitter_python", "language", "py pyi"),
    "ruby": ("tree_sitter_ruby", "language", "rb"),
    "rust": ("tree_sitter_rust", "language", "rs"),
    "toml": ("tree_sitter_toml", "language", "toml"),
    "tsx": ("tree_sitter_typescript", "language_tsx", "tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript", "cts mts ts"),
    "yaml": ("tree_sitter_yaml", "language", "yaml yml"),
}
LANGUAGES = {suffix: name for name, (_, _, suffixes) in _PACKAGES.items() for suffix in suffixes.split()}
_MOST_BYTES = 4 << 20
_PIECE = 4096  # bytes that the parser gets at a time
_MOST_READINGS = 8  # of a file, by the bytes that the parser asks for; source files take one to three
# Languages whose parsers keep both meanings of each `<` that is open; the sum of how many are open may be so much.
_ANGLED = ("c#", "c++", "java")
_NOT_ANGLES = bytes(set(range(256)) - set(b"<>;{}"))
_MOST_OPEN = 500_000
_MOST_HEREDOCS = 4_000  # of a script: the parser notes all that are open at each word
_parsers: dict[str, Parser | None] = {}


def language_of(path: str) -> str:
    """The language of a file by its suffix; '' where there is no grammar for it."""
    return LANGUAGES.get(path.rpartition("/")[2].rpartition(".")[2].lower(), "") if "." in path else ""


def parsed(path: str, data: bytes) -> Tree | None:
    """The syntax tree of a file; None where its language has no grammar here."""
    language = language_of(path)
    if not language or len(data) > _MOST_BYTES:
        return None
    parser = _parser_of(language)
    if parser is None or (language in _ANGLED and _is_knotted(data)):
        return None
    if language == "bash" and data.count(b"<<") > _MOST_HEREDOCS:
        return None
    return _bounded(parser, data)


def has_grammar(language: str) -> bool:
    """Whether files of a language can be parsed here."""
    return _parser_of(language) is not None


def _parser_of(language: str) -> Parser | None:
    if language not in _parsers:
        _parsers[language] = _parser(language)
    return _parsers[language]


def _bounded(parser: Parser, data: bytes) -> Tree | None:
    """The tree of some bytes; None if the parser reads them over and over.

    Comments and strings that are opened thousands of times and never closed take it time that grows with the square of
    their number: minutes for 50 KB. How often it reads is the same on every machine, unlike the time it takes.
    """
    left = _MOST_READINGS * (len(data) + _PIECE)

    def read(at: int, _point: object) -> bytes:
        nonlocal left
        left -= min(_PIECE, len(data) - at)
        return data[at : at + _PIECE] if left >= 0 else b""

    tree = parser.parse(read)
    return tree if left >= 0 else None


def _is_knotted(data: bytes) -> bool:
    """Whether `a<a<a<` goes on for so long that the parser would take gigabytes for it, and seconds."""
    depth = total = 0
    for sign in data.translate(None, _NOT_ANGLES):
        if sign == 60:  # <
            depth += 1
            total += depth
        elif sign == 62:  # >
            depth -= depth > 0
        else:
            depth = 0
    return total > _MOST_OPEN


def _parser(language: str) -> Parser | None:
    package, function, _ = _PACKAGES[language]
    try:
        grammar = getattr(import_module(package), function)()  # first: where it is missing, nothing else is loaded
        import tree_sitter

        return tree_sitter.Parser(tree_sitter.Language(grammar))
    except (ImportError, AttributeError, ValueError, TypeError, OSError):
        return None  # not installed, or made for another version of the parser
