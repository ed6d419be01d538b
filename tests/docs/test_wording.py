"""Plain words: no metaphors and no dialect in pages, messages, help, comments and docstrings.

Each finding is reported as file:line with the words around it. Code is not prose: fenced blocks and code spans of
pages, and names of variables, are not checked.
"""

from __future__ import annotations

import ast
import io
import os
import re
import sys
import tokenize
from pathlib import Path

import pytest
from forked_commands import FORKS

from patchkit.catalogue import sentences
from patchkit.catalogue.entries import ENTRIES

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "patchkit"
PAGES = [
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "action.yml")),
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if not path.name.startswith("_grammar")]

# What is not said, and what to say instead.
BANNED = {
    r"whoever|somebody|someone|nobody|anybody": "name the subject: the caller, another process, a person",
    r"stands?|stood": "is, is at line N, exists, means",
    r"tells?|told|telling": "reports, says, returns, is reported",
    r"heard": "is read, is used",
    r"blanks": "spaces, whitespace",
    r"(?<!there )(?:is|are|was|were) no(?! longer| more)": "is not a",
    r"at one stroke": "at once",
    r"affair": "is decided by",
    r"rooms?": "package, module, space",
    r"doors?": "entry point",
    r"roads?": "way, pipeline, path",
    r"houses?": "project",
    r"faces?": "output format",
    r"siblings?": "other tools",
    r"founding": "first, original",
}
PATTERN = re.compile(
    "|".join(rf"\b(?:{words})\b" for words in BANNED).replace(" ", r"\s+").replace(r"there\s+", "there "), re.IGNORECASE
)
# Technical uses, one by one: file, the words, why they are right there.
ALLOWED = {
    ("patchkit/core/language/lenience.py", "blanks"): "a value of the field `where`, explained in a comment",
}


def findings(path: Path, text: str, first: int = 1) -> list[str]:
    """What is not plain in a piece of prose that begins at a line of a file."""
    name = path.relative_to(REPOSITORY).as_posix()
    # A code span is replaced by as many characters, so that lines and columns stay.
    text = re.sub(r"``.*?``|`[^`\n]*`", lambda span: re.sub(r"[^\n]", "·", span[0]), text, flags=re.DOTALL)
    found = []
    for match in PATTERN.finditer(text):
        words = " ".join(match[0].lower().split())
        if (name, words) not in ALLOWED:
            line = first + text.count("\n", 0, match.start())
            around = " ".join(text[max(0, match.start() - 30) : match.end() + 30].split())
            found.append(f"{name}:{line}: '{words}' in '… {around} …'")
    return found


def prose(page: str) -> str:
    """A page with its fenced blocks emptied, so that line numbers stay."""
    lines, fence = [], ""
    for line in page.split("\n"):
        opening = re.match(r"`{3,}", line)
        if fence:
            fence = "" if line == fence else fence
            lines.append("")
        elif opening:
            fence = opening[0]
            lines.append("")
        else:
            lines.append(line)
    return "\n".join(lines)


# A comment, or a string, in which a '#' begins none.
COMMENT_OR_STRING = re.compile(
    r'''#[^\n]*|"""(?:[^"\\]|\\.|"(?!""))*"""|\'\'\'(?:[^'\\]|\\.|'(?!\'\'))*\'\'\''''
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*\'""",
    re.DOTALL,
)


def comments(source: str) -> list[tuple[int, str]]:
    """The comments of a module, those on lines that follow each other as one text."""
    found: list[tuple[int, str]] = []
    line, last, at = 1, -1, 0
    for match in COMMENT_OR_STRING.finditer(source):
        if not match[0].startswith("#"):
            continue
        line, at = line + source.count("\n", at, match.start()), match.start()
        text = match[0].lstrip("# ")
        if found and line == last + 1:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{text}")
        else:
            found.append((line, text))
        last = line
    return found


def test_comments_are_found_where_the_tokenizer_of_python_finds_them():
    source = Path(__file__).read_text(encoding="utf-8") + '\'#\'; b\'\\\'#\'  # one\n# two\nr""""#\\""""  # three'
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = [token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT]

    assert lines[-3:] == ["one", "two", "three"]
    assert [line for _, text in comments(source) for line in text.split("\n")] == lines


def docstrings(source: str) -> list[tuple[int, str]]:
    """The docstrings of a module, its classes and its functions, with their first lines."""
    found = []
    nodes: list[ast.AST] = [ast.parse(source)]
    for node in nodes:
        # Definitions are in statements, and no statement is in an expression.
        kinds = (ast.stmt, ast.excepthandler, ast.match_case)
        nodes += [child for child in ast.iter_child_nodes(node) if isinstance(child, kinds)]
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            value = first.value if isinstance(first, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                found.append((first.lineno, value.value))
    return found


def test_all_pages_are_written_in_plain_words():
    assert [each for page in PAGES for each in findings(page, prose(page.read_text(encoding="utf-8")))] == []


def test_the_comments_and_docstrings_of_all_modules_are_written_in_plain_words():
    sources = {module: module.read_text(encoding="utf-8") for module in MODULES}

    assert [
        each
        for module, source in sources.items()
        for line, text in [*docstrings(source), *comments(source)]
        for each in findings(module, text, line)
    ] == []


def test_the_sentences_and_the_help_of_all_codes_are_written_in_plain_words():
    texts = {
        code: "\n".join(
            words
            for each in (row, *row.variants)
            for words in (each.sentence, *map(each.advice_for, ("person", "program", "model")))
        )
        for code, row in ENTRIES.items()
    }

    assert [f"{code}: {match[0]}" for code, text in texts.items() for match in PATTERN.finditer(text)] == []
    assert [code for code, text in texts.items() if "docs/" in text] == [], "a wheel has no such pages"
    of_tools = [code for code, text in texts.items() if "section" in text and code[:2] == "P3"]
    assert of_tools == [], "tools refuse by these codes as well, and have no sections"


OPTION = re.compile(r"--[a-z]|\b\w+=(?:True|False|'|NAME)|set '\w+' to|leave '\w+' out")


def test_the_next_step_of_every_code_is_something_that_its_reader_can_do():
    """A person may type options; a model gets what it can send, and never the name of an option."""
    rows = [(code, each) for code, row in ENTRIES.items() for each in (row, *row.variants)]
    rows += [("of facts", each) for each in sentences._OF_FACTS]
    named = [(code, each.advice_for("model")) for code, each in rows if OPTION.search(each.advice_for("model"))]
    lost = [code for code, row in ENTRIES.items() if row.kind and not row.advice_for("person")]

    general = {each.fact for each in sentences._OF_FACTS}
    twice = [f"{code}: {each.fact}" for code, row in ENTRIES.items() for each in row.variants if each.fact in general]

    assert (named, lost, twice) == ([], [], []), "a fact has one meaning, or the wrong step is taken for it"


def test_the_help_of_all_commands_is_written_in_plain_words(tmp_path):
    script = Path(sys.executable).with_name("patchkit")
    if not script.exists():
        pytest.skip("the patchkit script is not installed beside this interpreter")

    def help_of(*words):
        return FORKS.run([str(script), *words, "--help"], tmp_path, dict(os.environ), b"")[1].decode()

    listed = help_of()
    commands = re.findall(r"^  ([a-z][a-z-]+)  ", listed, re.MULTILINE)
    texts = {"patchkit": listed, **{command: help_of(command) for command in commands}}

    assert len(commands) > 20
    assert [
        f"{command} --help: '{match[0]}' in '{text[max(0, match.start() - 40) : match.end() + 40]}'"
        for command, text in texts.items()
        for match in PATTERN.finditer(text)
    ] == []
    assert [command for command, text in texts.items() if "docs/" in text] == [], "a wheel has no such pages"


def test_a_finding_names_the_file_and_the_line():
    text = "one line\nwhat nobody\nsees"

    assert findings(REPOSITORY / "README.md", text) == ["README.md:2: 'nobody' in '… one line what nobody sees …'"]


@pytest.mark.parametrize(
    "text", ["there is no file", "it is no longer read", "`told`", "a standard surface", "a blank line"]
)
def test_the_words_of_the_trade_are_left_alone(text):
    assert findings(REPOSITORY / "README.md", text) == []


@pytest.mark.parametrize(
    "text", ["it is\nno JSON", "The File Stands here", "whoever calls", "two blanks", "the tool tells"]
)
def test_the_words_that_are_not_used_are_found(text):
    assert len(findings(REPOSITORY / "README.md", text)) == 1


def test_every_allowed_use_is_still_there():
    gone = [
        f"{name}: {words}"
        for name, words in ALLOWED
        if words not in " ".join((REPOSITORY / name).read_text(encoding="utf-8").lower().split())
    ]

    assert gone == []


def test_the_pages_are_short():
    """The page of codes has a limit of its own (test_error_pages); what is for maintainers alone does not count."""
    texts = {path.relative_to(REPOSITORY / "docs").as_posix(): path for path in (REPOSITORY / "docs").rglob("*.md")}
    words = {name: len(path.read_text(encoding="utf-8").split()) for name, path in texts.items()}
    counted = {name: count for name, count in words.items() if name != "errors.md" and "maintainers/" not in name}

    assert sum(counted.values()) <= 36_000
    assert [name for name in ("matching.md", "safety.md", "permissions.md") if words[name] >= 2_500] == []
