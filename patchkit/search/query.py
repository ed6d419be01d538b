"""What a search for content asks and what it finds: values that ripgrep, the search without it and Grep share."""

from __future__ import annotations

from patchkit.core.workspace import Parts
from patchkit.values import Record

FILES, CONTENT, COUNT = "files_with_matches", "content", "count"
_BEYOND_ASCII = r"[^\x00-\x7f]|(?<!\\)(?:\\\\)*(?:\.|\[\^|\\[DSWPpuwx])"


class Query(Record):
    """A text or an expression to look for, in which files, and how many lines around each match."""

    pattern: str
    mode: str = FILES
    regex: bool = False
    ignore_case: bool = False
    before: int = 0
    after: int = 0
    hidden: bool = False
    ignored: bool = False  # whether hidden and ignored names are searched too
    glob: str = ""
    type: str = ""
    encoding: str = ""  # of files that are not UTF-8, '' for what each declares or most probably has


class Hit(Record):
    """A file in which the query was found: its path from the root, when it was changed, how many lines match."""

    path: str
    modified: float = 0
    count: int = 0
    handle: int = -1  # the open file, where a caller named one outside of every directory searched
    encoding: str = ""  # what ripgrep has to read it in, '' for UTF-8


class FoundLine(Record):
    """A line of a file: one that matches, or one around it. `clipped` says that it is longer than its text."""

    path: str
    number: int
    text: str
    matches: bool = True
    clipped: bool = False


class Start(Record):
    """Where a search begins: a directory by its components from the root, or a single open file."""

    parts: Parts
    path: str = ""
    handle: int = -1


LONGEST = 500  # characters of a line
_BEFORE = 100  # of them in front of the match


def shown(line: bytes, at: int, encoding: str | None = None) -> tuple[str, bool]:
    """The text of a line, of a long one what is around the match at the byte `at`; and whether it was clipped."""
    if encoding is not None:
        at = len(line[:at].decode(encoding, "replace").encode())
        line = line.decode(encoding, "replace").encode()
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    if len(line) <= LONGEST:
        return line.decode("utf-8", "replace"), False
    # Of a line of a gigabyte only the surroundings are decoded. A character takes at most four bytes.
    first = max(at - 4 * LONGEST, 0)
    before = line[first:at].decode("utf-8", "replace")
    after = line[at : at + 4 * LONGEST].decode("utf-8", "replace")
    start = max(len(before) - _BEFORE, 0) if len(before) + len(after) > LONGEST else 0
    text = (before + after)[start : start + LONGEST]
    cut_before = start > 0 or first > 0
    cut_after = len(before) + len(after) - start > LONGEST or at + 4 * LONGEST < len(line)
    if not (cut_before or cut_after):
        return text, False
    return ("…" if cut_before else "") + text + ("…" if cut_after else ""), True


# -- types of files ------------------------------------------------------------------------------

# As in ripgrep 15. Its releases differ in what belongs to a type, so every search passes these names to it.
TYPES = {
    "c": "*.[chH] *.[chH].in *.cats",
    "cmake": "*.cmake CMakeLists.txt",
    "cpp": "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh *.hh.in *.inl",
    "cs": "*.cs",
    "csharp": "*.cs",
    "css": "*.css *.scss",
    "dart": "*.dart",
    "docker": "*Dockerfile*",
    "elixir": "*.eex *.ex *.exs *.heex *.leex *.livemd",
    "erlang": "*.erl *.hrl",
    "go": "*.go",
    "graphql": "*.graphql *.graphqls",
    "haskell": "*.c2hs *.cpphs *.hs *.hsc *.lhs",
    "html": "*.ejs *.htm *.html",
    "java": "*.java *.jsp *.jspx *.properties",
    "js": "*.cjs *.js *.jsx *.mjs *.vue",
    "json": "*.json *.sarif composer.lock",
    "julia": "*.jl",
    "kotlin": "*.kt *.kts",
    "lua": "*.lua",
    "make": "*.mak *.mk Makefile.* [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in [Mm]akefile "
    "[Mm]akefile.am [Mm]akefile.in",
    "markdown": "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
    "md": "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
    "perl": "*.PL *.perl *.pl *.plh *.plx *.pm *.t",
    "php": "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml",
    "protobuf": "*.proto",
    "py": "*.py *.pyi",
    "python": "*.py *.pyi",
    "r": "*.R *.Rmd *.Rnw *.r *.rmd *.rnw",
    "ruby": "*.gemspec *.rake *.rb *.rbw .irbrc Gemfile Rakefile config.ru",
    "rust": "*.rs",
    "scala": "*.sbt *.scala",
    "sql": "*.psql *.sql",
    "svelte": "*.svelte *.svelte.ts",
    "swift": "*.swift",
    "toml": "*.toml Cargo.lock",
    "ts": "*.cts *.mts *.ts *.tsx",
    "txt": "*.txt",
    "typescript": "*.cts *.mts *.ts *.tsx",
    "vue": "*.vue",
    "xml": "*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt",
    "yaml": "*.yaml *.yml",
    "zig": "*.zig",
}


def patterns_of(name: str) -> list[str]:
    """The names that files of a type have; none for a type that is not in the table."""
    return TYPES.get(name, "").split()


def may_match_others(query: Query) -> bool:
    """Whether a line may match only by characters beyond ASCII: its own, or those that an expression takes for any."""
    if not query.regex or not query.pattern.isascii():
        return not query.pattern.isascii()
    from re import search  # a plain text does not need it

    return search(_BEYOND_ASCII, query.pattern) is not None
