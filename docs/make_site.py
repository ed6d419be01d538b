"""Build the documentation site: prepare the pages, then run MkDocs strictly.

    python docs/make_site.py [DIRECTORY]

The pages of docs/ are written for a reader of the repository. For the site they get a page for each code, for each
command and for each example; the blocks of examples get a title; links to files outside docs/ lead to their pages.
Everything is made in DIRECTORY (dist by default): DIRECTORY/pages is what MkDocs reads, DIRECTORY/site is the site.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from patchkit.catalogue.entries import ENTRIES
from patchkit.catalogue.sentences import general, name_of
from patchkit.cli.group import grouped, page_named, summaries
from patchkit.cli.parameters import HelpPage

DOCS = Path(__file__).resolve().parent
REPOSITORY = DOCS.parent
Nav = list[dict[str, "str | Nav"]]

# Files outside docs/ that are pages of the site, by the name they have there.
OUTSIDE = {
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "benchmarks/accuracy/README.md": "accuracy.md",
}
NOT_PAGES = (
    "maintainers/seed-rows.md",
    "errors.md",
)  # a table for maintainers; and what the pages of codes are made of
GUIDES = ("guides/laptop.md", "guides/runtime.md", "guides/pipeline.md", "guides/dataset.md", "guides/watching.md")
REFERENCE = (
    *("language.md", "matching.md", "formats.md", "tools.md", "library.md"),
    *("agents.md", "shell.md", "mcp.md", "adapters.md"),
)
REFERENCE += ("ci.md", "permissions.md", "schemas/README.md")
PROJECT = (
    "safety.md",
    "performance.md",
    "accuracy.md",
    "architecture.md",
    "core.md",
    "decisions.md",
    "contributing.md",
)
PROJECT += ("changelog.md", "security.md")
# Blocks of examples (tests/docs/doc_examples.py): the language they are coloured as, and their title.
BLOCKS = {"files": ("text", "Files"), "patch": ("diff", "Patch"), "command": ("sh", "Command")}
BLOCKS |= {"after": ("text", "Files afterwards"), "output": ("text", "Output")}
FENCE = re.compile(r"(?P<ticks>`{3,}) *(?P<info>.*)")
LINK = re.compile(r"(?P<opening>\]\()(?P<target>[^)\s#]*)(?P<part>#[\w-]+)?\)")
CODE = re.compile(r"#p\d{3}")


def main() -> int:
    place = Path(sys.argv[1] if len(sys.argv) > 1 else REPOSITORY / "dist").resolve()
    place.mkdir(parents=True, exist_ok=True)
    pages = place / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    nav = prepare(pages)
    # JSON is YAML: no writer of YAML is needed here.
    config = {"INHERIT": os.path.relpath(REPOSITORY / "mkdocs.yml", place), "nav": nav}
    (place / "mkdocs.yml").write_text(json.dumps(config, indent=1), encoding="utf-8")
    # Material announces its successor in every build; docs/decisions.md says what was decided.
    settings = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", place / "mkdocs.yml"]
    # Not '--quiet': with it MkDocs does not count warnings, and '--strict' finds none.
    done = subprocess.run(command, env=settings, stderr=subprocess.PIPE, text=True, check=False)
    sys.stderr.write("".join(line for line in done.stderr.splitlines(True) if not line.startswith("INFO")))
    if done.returncode == 0:
        print(f"open {os.path.relpath(place / 'site' / 'index.html')}")
    return done.returncode


def prepare(pages: Path) -> Nav:
    """Writes every page for MkDocs; returns the navigation."""
    texts = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    texts = {name: text for name, text in texts.items() if name not in NOT_PAGES and not name.startswith("demo/")}
    for source, name in OUTSIDE.items():
        texts[name] = (REPOSITORY / source).read_text(encoding="utf-8")
    sources = {name: source for source, name in OUTSIDE.items()} | {
        name: f"docs/{name}" for name in texts if name not in OUTSIDE.values()
    }
    made = {**code_pages(), **command_pages(), **example_pages(), **argument_pages()}
    for name, text in {**texts, **made}.items():
        source = sources.get(name, "docs/errors.md" if name.startswith("codes/") else f"docs/{name}")
        target = pages / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(for_site(text, name, source), encoding="utf-8")
    for path in [*DOCS.rglob("*.svg"), *DOCS.rglob("*.png"), *DOCS.rglob("*.css"), *DOCS.rglob("*.js*")]:
        target = pages / path.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return navigation(texts, made)


def navigation(texts: dict[str, str], made: dict[str, str]) -> Nav:
    """The pages in order. A page that the tables above do not name comes at the end of the reference."""
    named = ("index.md", "commands.md", *GUIDES, *REFERENCE, *PROJECT)
    others = sorted(name for name in texts if name not in named)
    commands: Nav = [{title: [{name: f"commands/{name}.md"} for name in names]} for title, names in grouped().items()]
    codes: Nav = [{"All codes": "codes/index.md"}]
    for family, title in families().items():
        inside: Nav = [{code: f"codes/{code}.md"} for code in sorted(ENTRIES) if code.startswith(family)]
        codes.append({title: inside})
    return [
        {"Home": "index.md"},
        {"Guides": [{title_of(texts[name]): name} for name in GUIDES]},
        {
            "Reference": [
                {"Commands": ["commands.md", *commands]},  # type: ignore[list-item]  # the page of the section itself
                *({title_of(texts[name]): name} for name in [*REFERENCE, *others]),
                {"Arguments of tools": "schemas/arguments/index.md"},
                {"Examples": [{name[9:-3]: name} for name in made if name.startswith("examples/")]},
            ]
        },
        {"Codes": codes},
        {"Project": [{title_of(texts[name]): name} for name in PROJECT]},
    ]


def title_of(text: str) -> str:
    return text.split("\n", 1)[0].removeprefix("# ").strip()


# -- pages that are made -------------------------------------------------------------------------


def error_sections() -> dict[str, str]:
    """docs/errors.md by heading, in order; the text before the first code is under ''."""
    found, heading, fence = {"": ""}, "", ""
    for line in (DOCS / "errors.md").read_text(encoding="utf-8").split("\n"):
        opening = FENCE.fullmatch(line)
        if fence:
            fence = "" if line == fence else fence
        elif opening:
            fence = opening["ticks"]
        elif line.startswith(("# P", "## P")):
            heading = line.lstrip("# ")
            found[heading] = ""
            continue
        found[heading] += line + "\n"
    return found


def families() -> dict[str, str]:
    """The first two characters of codes, with the heading of their family."""
    return {heading[:2]: heading for heading in error_sections() if heading[1:4].endswith("xx")}


def code_pages() -> dict[str, str]:
    """A page for each code, and one that lists them all."""
    sections = error_sections()
    index = sections[""]
    pages = {}
    for family, title in families().items():
        index += f"\n## {title}\n\n{sections[title].strip()}\n\n| code | name | message |\n|---|---|---|\n"
        for code in (code for code in sorted(ENTRIES) if code.startswith(family)):
            _template, _, body = sections[code].strip().partition("\n")
            message = f"`{general(ENTRIES[code].sentence)}`"
            index += f"| [{code}](#{code.lower()}) | {name_of(code)} | {message} |\n"
            pages[f"codes/{code}.md"] = f"# {code}: {name_of(code)}\n\n{message}\n{body}\n"
    return {"codes/index.md": index, **pages}


def command_pages() -> dict[str, str]:
    """A page for each command, made from the same words as its help."""
    pages = {}
    for name in summaries():
        pages[f"commands/{name}.md"] = _page(f"patchkit {name}", page_named(name))
    return pages


def _page(name: str, page: HelpPage) -> str:
    parts = [f"# {name}", _words(page.summary), "```text\n" + "\n".join(page.usage) + "\n```"]
    for words in page.paragraphs:
        kept = "\n" in words.strip("\n")
        parts.append(f"```text\n{words.strip()}\n```" if kept else _words(words))
    for title, entries in page.lists:
        rows = [f"| {_cell(names)} | {_words(words)} |" for names, words in entries]
        head = "status" if title == "Exit status" else "option"
        parts.append(f"## {title}\n\n| {head} | meaning |\n|---|---|\n" + "\n".join(rows))
    if page.example:
        parts.append(f"## Example\n\n```sh\n{page.example.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def _cell(names: str) -> str:
    """The names of an option, each as one word of code: a line breaks between them."""
    return ", ".join(f"`{name}`" for name in names.replace("|", "\\|").split(", "))


def _words(text: str) -> str:
    """Words of a help as Markdown: nothing in them is markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", text)


def example_pages() -> dict[str, str]:
    """A page for each program in examples/."""
    pages = {}
    for path in sorted((REPOSITORY / "examples").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        pages[f"examples/{path.stem}.md"] = f"# {path.name}\n\n```python\n{text.rstrip()}\n```\n"
    return pages


def argument_pages() -> dict[str, str]:
    """The list of the schemas of arguments, which the page about schemas leads to."""
    files = sorted(path.name for path in (DOCS / "schemas" / "arguments").glob("*.json"))
    rows = "".join(f"- [{name}]({name})\n" for name in files)
    return {"schemas/arguments/index.md": f"# Arguments of tools\n\n{rows}"}


# -- a page for the site -------------------------------------------------------------------------


def for_site(text: str, name: str, source: str) -> str:
    """A page with titles on its blocks, one heading of the first level, and links that lead to pages of the site.

    `source` is where its text is in the repository: its links are relative to that place.
    """
    lines, fence, kind, tops = [], "", "", 0
    several = len(re.findall(r"(?m)^# ", without_blocks(text))) > 1
    for line in text.split("\n"):
        opening = FENCE.fullmatch(line)
        if fence:
            lines.append(line)
            fence = "" if line == fence else fence
        elif opening:
            fence = opening["ticks"]
            kind, *words = opening["info"].split() or [""]
            lines.append(f"{fence}{_opening(kind, words)}" if kind in BLOCKS else line)
        elif line.startswith("#"):
            tops += line.startswith("# ")
            lines.append(f"#{line}" if several and (tops > 1 or not line.startswith("# ")) else line)
        else:
            lines.append(LINK.sub(lambda link: _link(link, name, source), line))
    return "\n".join(lines)


def without_blocks(text: str) -> str:
    return re.sub(r"(?ms)^(`{3,}).*?^\1$", "", text)


def _opening(kind: str, words: list[str]) -> str:
    language, title = BLOCKS[kind]
    more = f" ({' '.join(words)})" if words else ""
    return f' {{ .{language} title="{title}{more}" }}'


def _link(link: re.Match[str], name: str, source: str) -> str:
    target, part = link["target"], link["part"] or ""
    if re.match(r"\w+:", target):
        return link[0]
    here = os.path.dirname(source)
    path = os.path.normpath(os.path.join(here, target)) if target else source
    if path == "docs/errors.md":
        page = f"codes/{part[1:].upper()}.md" if CODE.fullmatch(part) else "codes/index.md"
        part = "" if page != "codes/index.md" else part
    else:
        page = site_name(path)
    same = page == name
    return f"](#{part[1:]})" if same and part else f"]({os.path.relpath(page, os.path.dirname(name) or '.')}{part})"


def site_name(path: str) -> str:
    """The page of the site that shows a file of the repository."""
    if path in OUTSIDE:
        return OUTSIDE[path]
    if path.startswith("examples/"):
        return f"{path.removesuffix('.py')}.md"
    if path in ("examples", "README.md"):
        return "examples/host.md" if path == "examples" else "index.md"
    if path == "docs/schemas/arguments":
        return "schemas/arguments/index.md"
    if path == "CONTRIBUTING.md":
        return "contributing.md"
    return path.removeprefix("docs/")


if __name__ == "__main__":
    sys.exit(main())
