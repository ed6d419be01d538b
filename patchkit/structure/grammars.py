"""Parse a source file with the grammar of its language, if that is installed.

Takes a path and the file's bytes; gives a syntax tree, or None: the suffix is not known, the grammar is not installed,
or it is of a version that the parser does not take. Grammars are single packages (extra `structure`), loaded when a
file of their language is looked at.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

# suffix: package, and the function in it that gives the grammar
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
_parsers: dict[str, Parser | None] = {}


def language_of(path: str) -> str:
    """The language of a file by its suffix; '' where there is no grammar for it."""
    return LANGUAGES.get(path.rpartition("/")[2].rpartition(".")[2].lower(), "") if "." in path else ""


def parsed(path: str, data: bytes) -> Tree | None:
    """The syntax tree of a file; None where its language has no grammar here."""
    language = language_of(path)
    if not language or len(data) > _MOST_BYTES:
        return None
    if language not in _parsers:
        _parsers[language] = _parser(language)
    parser = _parsers[language]
    return parser.parse(data) if parser is not None else None


def _parser(language: str) -> Parser | None:
    package, function, _ = _PACKAGES[language]
    try:
        import tree_sitter

        grammar = getattr(import_module(package), function)()
        return tree_sitter.Parser(tree_sitter.Language(grammar))
    except (ImportError, AttributeError, ValueError, TypeError, OSError):
        return None  # not installed, or made for another version of the parser
