"""Types of files: the names that `--type` means, with ripgrep and without it."""

from __future__ import annotations

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
