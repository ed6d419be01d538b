"""A history of changes that are hard to say: made here, written into a git repository.

    python -m benchmarks.roundtrip.hostile DIRECTORY

Every change is two commits, the files before and the files after, so the steps between them are changes as well: most
of them replace all files.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

Files = dict[str, "bytes | tuple[str, bytes]"]  # content, or mode and content

LINES = b"".join(b"line %d of the file\n" % number for number in range(40))
MARKS = [
    *("*** Begin Patch", "*** End Patch", "*** Update File: a.txt", "*** Add File: b", "*** Delete File: c"),
    *("*** Move to: d", "*** End of File", "@@", "@@ def f():", "@@ -1,3 +1,4 @@", "@@@ -1 -1 +1 @@@", "-- ", "--"),
    *(
        "--- a/x",
        "+++ b/x",
        "--- /dev/null",
        "diff --git a/x b/x",
        "index 1234567..89abcde 100644",
        "new file mode 100755",
    ),
    *("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "------- SEARCH", "+++++++ REPLACE", "``", "```", "```python"),
    *(
        "~~~~",
        "\\ No newline at end of file",
        "\\<<<<<<< SEARCH",
        ":start_line:12",
        "From 0123456789012345678901234567890123456789 Mon",
    ),
    *("Index: x", "=====", "Only in a: b", "Binary files a and b differ", "GIT binary patch", "Property changes on: x"),
    *(
        "# HG changeset patch",
        "rename from a",
        "-- \n2.39.5",
        "EOF",
        "{",
        '{"path": "x", "content": "y"}',
        "...",
        "+",
        "-",
        " ",
    ),
]
NAMES = [
    *(
        "with space.txt",
        " leading",
        "trailing ",
        "tab\there",
        'quote"d',
        "single'd",
        "back\\slash",
        "-dash",
        "--",
        "ümlaut.txt",
    ),
    *(
        "日本.txt",
        "$HOME",
        "a;b",
        "a*b",
        "[x]",
        "#hash",
        "~tilde",
        "new\nline",
        "cr\rname",
        "a/b/c/d/e.txt",
        "dev/null",
        "a/x",
        "b/x",
    ),
    *(
        "b/b/b",
        "...",
        "x => y",
        "x (copy)",
        "bell\x07",
        "\udcff\udcfe.bin",
        "*** Add File",
        "@@",
        "NUL",
        "`tick`",
        "a&b",
        "x\u2028y",
    ),
]


def changes() -> list[tuple[str, Files, Files]]:
    """Names, and the files before and after."""
    found: list[tuple[str, Files, Files]] = []

    def add(name: str, before: Files, after: Files) -> None:
        found.append((name, before, after))

    middle = LINES.replace(b"line 20 ", b"row 20 ")
    add("mode only", {"run.sh": LINES}, {"run.sh": ("100755", LINES)})
    add("mode and content", {"run.sh": LINES}, {"run.sh": ("100755", middle)})
    add("mode away", {"run.sh": ("100755", LINES)}, {"run.sh": LINES})
    add("new executable", {}, {"run.sh": ("100755", LINES)})
    add("executable stays", {"run.sh": ("100755", LINES)}, {"run.sh": ("100755", middle)})
    add("executable renamed", {"run.sh": ("100755", LINES)}, {"go.sh": ("100755", middle)})
    add("executable goes", {"run.sh": ("100755", LINES)}, {})
    add("new link", {"a": LINES}, {"a": LINES, "l": ("120000", b"a")})
    add("link goes", {"a": LINES, "l": ("120000", b"a")}, {"a": LINES})
    add("link elsewhere", {"l": ("120000", b"a")}, {"l": ("120000", b"b/c")})
    add("link renamed", {"l": ("120000", b"a")}, {"m": ("120000", b"a")})
    add("link to file", {"l": ("120000", b"a"), "a": LINES}, {"l": LINES, "a": LINES})
    add("file to link", {"l": LINES, "a": LINES}, {"l": ("120000", b"a"), "a": LINES})
    add("link to directory of files", {"l": ("120000", b"a")}, {"l/x": LINES})
    add("submodule", {"a": LINES}, {"a": middle, "sub": ("160000", b"1" * 40)})
    add("submodule moves", {"sub": ("160000", b"1" * 40)}, {"sub": ("160000", b"2" * 40)})
    add("submodule to files", {"sub": ("160000", b"1" * 40)}, {"sub/x": LINES})
    add("file to directory", {"b": LINES}, {"b/b": LINES})
    add("file to directory, changed", {"b": LINES}, {"b/b": middle})
    add("directory to file", {"b/b": LINES, "b/c": b"x\n"}, {"b": middle})
    add("directory to file of another", {"b/b": LINES, "c": middle}, {"b": middle})
    add("rename", {"a": LINES}, {"z/y": LINES})
    add("rename with edits", {"a": LINES}, {"z/y": middle})
    add("swap", {"a": LINES, "b": b"other\n" * 5}, {"b": LINES, "a": b"other\n" * 5})
    add(
        "circle of three",
        {"a": LINES, "b": LINES + b"b\n", "c": LINES + b"c\nc\n"},
        {"b": LINES, "c": LINES + b"b\n", "a": LINES + b"c\nc\n"},
    )
    add("rename onto a deleted name", {"a": LINES, "b": b"old\n"}, {"b": LINES})
    add("copy", {"a": LINES}, {"a": middle, "b": LINES})
    add("case of a name", {"readme": LINES}, {"README": LINES})
    add("two alike renamed", {"a": LINES, "b": LINES}, {"c": LINES, "d": LINES})
    add("binary new", {}, {"x.bin": b"\0\1\2" * 50})
    add("binary changed", {"x.bin": b"\0\1\2" * 50}, {"x.bin": b"\0\1\3" * 50})
    add("binary goes", {"x.bin": b"\0\1\2" * 50}, {})
    add("binary renamed", {"x.bin": b"\0\1\2" * 50}, {"y.bin": b"\0\1\2" * 50})
    add("binary to text", {"x": b"\0\1\2" * 50}, {"x": LINES})
    add("NUL far behind", {"x": LINES * 300 + b"\0end\n"}, {"x": middle + LINES * 299 + b"\0end\n"})
    add("empty new", {}, {"e": b"", "d/__init__.py": b""})
    add("empty goes", {"e": b""}, {})
    add("empty renamed", {"e": b""}, {"f": b""})
    add("empty filled", {"e": b""}, {"e": LINES})
    add("emptied", {"e": LINES}, {"e": b""})
    add("filled without an end", {"e": b""}, {"e": b"x"})
    add("only a newline", {"e": b"\n"}, {"e": b"\n\n"})
    add("one line", {"e": b"x"}, {"e": b"y"})
    add("end comes", {"e": LINES + b"x"}, {"e": LINES + b"x\n"})
    add("end goes", {"e": LINES + b"x\n"}, {"e": LINES + b"x"})
    add("end goes and change", {"e": LINES + b"x\n"}, {"e": middle + b"y"})
    add("without an end, changed above", {"e": LINES + b"x"}, {"e": middle + b"x"})
    add("without an end, appended", {"e": LINES + b"x"}, {"e": LINES + b"x\ny"})
    add("without an end, cut", {"e": LINES + b"x\ny"}, {"e": LINES + b"x"})
    crlf = LINES.replace(b"\n", b"\r\n")
    add("crlf changed", {"w": crlf}, {"w": middle.replace(b"\n", b"\r\n")})
    add("crlf added", {"w": crlf}, {"w": crlf.replace(b"line 7 of the file\r\n", b"line 7 of the file\r\nx\r\ny\r\n")})
    add("crlf end goes", {"w": crlf}, {"w": crlf[:-2]})
    add("crlf end comes", {"w": crlf[:-2]}, {"w": crlf})
    add("crlf without an end, appended", {"w": crlf[:-2]}, {"w": crlf + b"x\r\ny"})
    add("crlf new", {}, {"w": crlf})
    add("crlf to lf", {"w": crlf}, {"w": LINES})
    add("one line to crlf", {"w": LINES}, {"w": LINES.replace(b"line 3 of the file\n", b"line 3 of the file\r\n")})
    mixed = LINES.replace(b"line 3 of the file\n", b"line 3 of the file\r\n")
    add("mixed changed at lf", {"w": mixed}, {"w": mixed.replace(b"line 20 ", b"row 20 ")})
    add("mixed changed at crlf", {"w": mixed}, {"w": mixed.replace(b"line 3 ", b"row 3 ")})
    add("lone cr", {"w": b"a\rb\rc\n" + LINES}, {"w": b"a\rB\rc\n" + LINES})
    add("only cr", {"w": b"a\rb\rc\r"}, {"w": b"a\rB\rc\r"})
    add("cr at the very end", {"w": LINES + b"x\r"}, {"w": LINES + b"y\r"})
    add("cr cr lf", {"w": LINES.replace(b"\n", b"\r\r\n")}, {"w": middle.replace(b"\n", b"\r\r\n")})
    odd = "a\x0cb\n\x0c\nx\u2028y\nz\u0085w\n\x1c\n\x0b\n".encode()
    add("form feeds and separators", {"o": odd + LINES}, {"o": odd.replace(b"z", b"Z") + LINES})
    add("new with separators", {}, {"o": odd})
    add("not utf-8", {"o": b"caf\xe9\n" + LINES}, {"o": b"caf\xe9s\n" + LINES})
    add(
        "not utf-8 context",
        {"o": b"\xff\xfe\xe9\n" + LINES},
        {"o": b"\xff\xfe\xe9\n" + LINES.replace(b"line 0", b"row 0")},
    )
    add("utf-16", {"o": LINES.decode().encode("utf-16")}, {"o": middle.decode().encode("utf-16")})
    add("mark comes", {"o": LINES}, {"o": b"\xef\xbb\xbf" + LINES})
    add("mark goes", {"o": b"\xef\xbb\xbf" + LINES}, {"o": LINES})
    add("mark stays", {"o": b"\xef\xbb\xbf" + LINES}, {"o": b"\xef\xbb\xbf" + LINES.replace(b"line 0", b"row 0")})
    add(
        "huge line",
        {"h": b"x" * 200_000 + b"\n" + LINES},
        {"h": b"x" * 100_000 + b"y" + b"x" * 100_000 + b"\n" + LINES},
    )
    add("huge line alone", {"h": b"var a=1;" * 50_000}, {"h": b"var a=1;" * 30_000 + b"var b=2;" * 20_000})
    add("whitespace only", {"s": LINES}, {"s": LINES.replace(b"line 9", b"  line 9").replace(b"file\n", b"file \n", 3)})
    add("tabs to spaces", {"s": b"\tx = 1\n" * 9}, {"s": b"    x = 1\n" * 9})
    add("blank lines", {"s": b"\n" * 30}, {"s": b"\n" * 31})
    add("blank lines with spaces", {"s": b"a\n \n\t\nb\n" * 3}, {"s": b"a\n\n\nb\n" * 3})
    add("the same line", {"s": b"same\n" * 50}, {"s": b"same\n" * 25 + b"other\n" + b"same\n" * 25})
    add("the same line, one less", {"s": b"same\n" * 50}, {"s": b"same\n" * 49})
    add(
        "blocks alike",
        {"s": b"if x:\n    a()\n    b()\n\n" * 20},
        {
            "s": b"if x:\n    a()\n    b()\n\n" * 9
            + b"if x:\n    a()\n    c()\n\n"
            + b"if x:\n    a()\n    b()\n\n" * 10
        },
    )
    add("a block more", {"s": b"if x:\n    a()\n    b()\n\n" * 20}, {"s": b"if x:\n    a()\n    b()\n\n" * 21})
    add("moved block", {"s": LINES}, {"s": b"".join(LINES.splitlines(True)[20:] + LINES.splitlines(True)[:20])})
    add("reversed", {"s": LINES}, {"s": b"".join(LINES.splitlines(True)[::-1])})
    code = b"import os\n\n\nclass A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n\n\n"
    add("a definition twice", {"m.py": code * 2}, {"m.py": code * 3})
    add(
        "a method twice",
        {"m.py": code},
        {"m.py": code.replace(b"    def g", b"    def f(self):\n        return 3\n\n    def g")},
    )
    add("one of two goes", {"m.py": code * 3}, {"m.py": code * 2})
    run = b"".join(b"'key %d' Text\n" % number for number in range(8))
    add("a run twice", {"t": LINES + run + LINES}, {"t": LINES + run.replace(b"key 5", b"word 5") + run + LINES})
    add(
        "placeholders",
        {"m.py": code},
        {"m.py": code.replace(b"        return 1\n", b"        # ... existing code ...\n        return 1\n")},
    )
    add("placeholder in a new file", {}, {"m.js": b"f();\n// ... rest of the code ...\ng();\n"})
    marks = "".join(mark + "\n" for mark in MARKS).encode()
    add("marks new", {}, {"k.txt": marks, "k.md": marks})
    add("marks go", {"k.txt": marks}, {"k.txt": b"x\n"})
    add("marks come", {"k.txt": LINES}, {"k.txt": LINES.replace(b"line 9", marks + b"line 9")})
    for number, mark in enumerate(MARKS):
        text = mark.encode() + b"\n"
        add(f"mark {number} as context", {"k": text + b"x\n" + text}, {"k": text + b"y\n" + text})
        add(
            f"mark {number} comes",
            {"k": LINES},
            {"k": LINES.replace(b"line 9 of the file\n", b"line 9 of the file\n" + text)},
        )
        add(
            f"mark {number} goes",
            {"k": LINES.replace(b"line 9 of the file\n", b"line 9 of the file\n" + text)},
            {"k": LINES},
        )
        add(f"mark {number} changes", {"k": b"a\n" + text + b"b\n"}, {"k": b"a\n" + text[:-1] + b"!\nb\n"})
    for name in NAMES:
        add(f"name {name!r} changed", {name: LINES}, {name: middle})
        add(f"name {name!r} new", {"a.txt": LINES}, {"a.txt": LINES, name: middle})
        add(f"name {name!r} goes", {"a.txt": LINES, name: middle}, {"a.txt": LINES})
        add(f"name {name!r} renamed", {name: LINES}, {"n/" + name: middle})
        add(f"name {name!r} renamed to", {"plain": LINES}, {name: middle})
    found += _by_chance(random.Random(7))
    return found


def _by_chance(chance: random.Random) -> list[tuple[str, Files, Files]]:
    """Small texts of few different lines, changed at random: here what is unique is rare."""
    words = [b"", b"a", b"b", b"}", b"    x", b"\tx", b"def f():", b"a ", b" a"]
    found: list[tuple[str, Files, Files]] = []
    for number in range(120):
        old = [chance.choice(words) for _ in range(chance.randrange(14))]
        new = list(old)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(new) + 1)
            new[at : at + chance.randrange(3)] = [chance.choice(words) for _ in range(chance.randrange(3))]
        sides = [b"\n".join(side) + chance.choice([b"\n", b"\n", b""]) if side else b"" for side in (old, new)]
        found.append((f"chance {number}", {"c.py": sides[0]}, {"c.py": sides[1]}))
    return found


def write(directory: Path) -> dict[str, str]:
    """Makes the repository; returns the names of its changes by their commits."""
    git = ["git", "-C", str(directory)]
    directory.mkdir(parents=True, exist_ok=True)
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    out: list[bytes] = []
    names: list[str] = []
    for name, before, after in changes():
        if before == after:
            continue
        for side, files in ((f"{name} (before)", before), (name, after)):
            names.append(side)
            words = side.encode("unicode_escape")
            out.append(b"commit refs/heads/main\nmark :%d\n" % len(names))
            out.append(b"committer n <e@x> %d +0000\ndata %d\n%s\ndeleteall\n" % (1e9 + len(names), len(words), words))
            for path, content in files.items():
                mode, data = content if isinstance(content, tuple) else ("100644", content)
                place = _quoted(path)
                if mode == "160000":
                    out.append(b"M 160000 %s %s\n" % (data, place))
                else:
                    out.append(b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), place, len(data), data))
    marks = directory / ".git" / "marks"
    subprocess.run([*git, "fast-import", "--quiet", f"--export-marks={marks}"], input=b"".join(out), check=True)
    rows = [row.split() for row in marks.read_text().split("\n") if row]
    return {commit: names[int(mark[1:]) - 1] for mark, commit in rows}


def _quoted(path: str) -> bytes:
    raw = path.encode("utf-8", "surrogateescape")
    return b'"' + b"".join(b"\\%03o" % byte for byte in raw) + b'"'


if __name__ == "__main__":
    write(Path(sys.argv[1]))
