"""A grammar of shell forms, sound and unsound ones mixed, as hypothesis strategies.

Every list has a sound part and an odd part. Half of the scripts are made of sound parts alone, so that
many are accepted; the others are one or two odd parts away from that, which is where mistakes would hide.
"""

from __future__ import annotations

from hypothesis import strategies as st

LINES = ("+plain text", " EOF", "+EOF ", "EOFX", "EOF;", "-", "", "+it's", '+say "hi"', "+# { } ( ) !", "+* ~ ? [a]")
ODD_LINES = (
    *[
        "\tEOF",
        "+\\",
        "+a \\\\",
        '+\\$x \\` \\" \\n \\\\',
        "+cost 5$ $, $) $' $\"",
        "+$HOME",
        "+${x}",
        "+$(id)",
        "+`id`",
    ],
    *[
        "+$x",
        "+$",
        "\t+\ttabs",
        "+é \u00a0 \u2028",
        "+\x01\x07\x7f",
        "+cr\r",
        "+%s %% %d",
        "+\\d\\.\\w",
        "+a\\",
        "+$\\",
    ],
)
DELIMITERS = (
    *[("'EOF'", "EOF"), ("'EOF'", "EOF"), ("EOF", "EOF"), ('"EOF"', "EOF"), ("\\EOF", "EOF"), ("E'O'F", "EOF")],
    *[(" 'EOF'", "EOF"), ("'E F'", "E F"), ("PATCH-1", "PATCH-1"), ("'EOF'\r", "EOF\r")],
)
ODD_DELIMITERS = (
    *[("'été'", "été"), ("'EOF'", "EOF "), ("'EOF'", " EOF"), ("EOF\r", "EOF\r"), ("'EOF'", "EOF\r")],
    *[("$EOF", "$EOF"), ("''", ""), ("EO\\\nF", "EOF"), ("'EOF'", "")],
)
NAMES = ("apply_patch", "apply_patch", "applypatch", "\\apply_patch", "command apply_patch", "env apply_patch")
ODD_NAMES = ("exec apply_patch", "timeout 9 apply_patch", "./apply_patch", "'apply_patch'", "command exec apply_patch")
TAILS = ("", "", "", " 2>&1", " || exit 1", " && true", "; exit", " # done")
ODD_TAILS = (" \\\n", " > out", " x", " &", " </dev/null", " | cat", " 2>&1 2>&1", ";;", " || true")
SETUPS = (
    *[
        "",
        "",
        "cd sub && ",
        "cd sub\n",
        "cd sub; ",
        "cd sub || exit 1\n",
        "cd sub &&\n",
        "cd 'my dir' && ",
        "cd my\\ dir\n",
    ],
    *["cd -- -dash && ", "cd link && cd .. && ", "cd link/.. && ", "cd sub/../other && ", "cd -P link\n", "set +x\n"],
    *[
        'cd "it\'s" && ',
        "cd 'a*b' && ",
        "cd été\n",
        "cd '~'; ",
        "cd '$HOME' && ",
        "cd sub # there\n",
        "cd sub\\\n/deep && ",
    ],
    *[
        "cd sub >/dev/null && ",
        "set -e\n",
        "set -eu; ",
        "# first\n\n",
        ": && ",
        "true; ",
        "mkdir -p sub && ",
        "(cd sub); ",
    ],
    *["{ cd sub; }; ", 'DIR=sub; cd "$DIR" && '],
)
ODD_SETUPS = (
    *[
        "pushd sub >/dev/null && ",
        "set -euo pipefail\n",
        "cd a*b && ",
        "cd ~ && ",
        "cd nope && ",
        "cd nope\n",
        "cd - && ",
    ],
    *[
        "cd -P nope/..\n",
        "mkdir -p new && ",
        "mkdir -p ''; ",
        "mkdir -p link/../sub; ",
        "mkdir -p; ",
        "echo hi; ",
        "X=1\n",
    ],
    *["PATH=/x\n", "false || ", "cd sub & ", "cd sub\r\n", "! ", "time ", "cd sub |", "cd sub\n&& ", "; "],
)
ENDINGS = ("", "", "", "\n", "exit\n", "exit $?\n", "# last\n", "rc=$?\nexit $rc\n", 'exit "$?"\n')
ODD_ENDINGS = ("\\\n", "; exit\n", "rc=$?\n", "exit 1\n")
REST = (
    *["exit 0\n", "true\n", "echo more\n", "touch file\n", "cat file.txt && false\n", "cd ..\n", "echo $?\n"],
    *["apply_patch x\n", "echo a | cat\n", "pwd\n", "(exit 3)\n", "cat <<'X' && pwd\nEOF\nX\n", "; exit\n"],
)


def part(sound: tuple, odd: tuple, mild: bool) -> st.SearchStrategy:
    return st.sampled_from(sound if mild else sound + odd)


@st.composite
def patches(draw: st.DrawFn, mild: bool) -> str:
    lines = draw(st.lists(part(LINES, ODD_LINES, mild), max_size=4))
    ends = draw(part(("\n",), ("\n", "\r\n"), mild))
    return ends.join(["*** Begin Patch", "*** Add File: a", *lines, "*** End Patch", ""])


@st.composite
def heredocs(draw: st.DrawFn, mild: bool, before: str, after: str = "") -> str:
    """`before <<D after`, the body and the line that should close it."""
    operator = draw(part(("<<", "<<", "<<-"), ("0<<", "3<<"), mild))
    delimiter, line = draw(part(DELIMITERS, ODD_DELIMITERS, mild))
    body = draw(patches(mild))
    if operator == "<<-" and draw(st.booleans()):
        body = "".join("\t" + each for each in body.splitlines(keepends=True))
        line = "\t" + line
    body += draw(part(("",), ("", "", "", "EOF\n", "EO\\\nF\n", "x\\\n", "\t\\\n"), mild))
    return f"{before}{operator}{delimiter}{after}\n{body}{line}" + draw(st.sampled_from(("\n", "\n", "")))


def single(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def double(text: str) -> str:
    return '"' + "".join("\\" + ch if ch in '"\\$`' else ch for ch in text) + '"'


def ansi(text: str) -> str:
    return "$'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


@st.composite
def words(draw: st.DrawFn, mild: bool) -> str:
    quote = draw(part((single, double), (ansi, lambda each: f'"{each}"'), mild))
    return quote(draw(patches(mild))) + draw(st.sampled_from(("", "", "", "''", '""', "x")))


@st.composite
def substitutions(draw: st.DrawFn, mild: bool) -> str:
    return f"$({draw(heredocs(mild, 'cat ')).rstrip(chr(10))}\n)"


FORMS = ("heredoc", "heredoc", "cat", "argument", "printf", "echo", "$()", "P", "sh")


@st.composite
def calls(draw: st.DrawFn, mild: bool) -> str:
    """One way of giving a patch to the command, with what may follow it on the line."""
    name, tail = draw(part(NAMES, ODD_NAMES, mild)), draw(part(TAILS, ODD_TAILS, mild))
    form = draw(part(FORMS, ("here-string",), mild))
    if form == "heredoc":
        return draw(heredocs(mild, f"{name} ", tail))
    if form == "cat":
        return draw(heredocs(mild, "cat ", f" | {name}{tail}"))
    if form == "argument":
        return f"{name} {draw(words(mild))}{tail}"
    if form == "here-string":
        return f"{name} <<< {draw(words(mild))}{tail}"
    if form == "printf":
        return f"printf {draw(part(('%s ',), ('%b ', ''), mild))}{draw(words(mild))} | {name}{tail}"
    if form == "echo":
        return f"echo {draw(part(('',), ('-n ', '-e ', '-E '), mild))}{draw(words(mild))} | {name}{tail}"
    if form == "$()":
        return f'{name} "{draw(substitutions(mild))}"{tail}'
    if form == "P":
        return f'P={draw(substitutions(mild))}\n{name} "$P"{tail}'
    shell = draw(st.sampled_from(("bash", "dash", "zsh", "sh")))
    return f"{shell} -c {single(draw(heredocs(mild, 'apply_patch ')))}{tail}"


@st.composite
def scripts(draw: st.DrawFn) -> str:
    mild = draw(st.booleans())
    script = "".join(draw(st.lists(part(SETUPS, ODD_SETUPS, mild), max_size=2))) + draw(calls(mild))
    around = draw(st.integers(0, 9))
    if around == 0:
        script = "(" + script + draw(part(("\n)",), (")",), mild))
    elif around == 1:
        script = "{ " + script + draw(part(("\n}",), ("; }", " }"), mild))
    if not script.endswith("\n"):
        script += draw(part(("\n",), (" ",), mild))
    return script + draw(part(ENDINGS, ODD_ENDINGS + REST, mild))


@st.composite
def longer_scripts(draw: st.DrawFn) -> str:
    """A heredoc call with more to do after it, by '&&', '||' or on the next line."""
    mild = draw(st.booleans())
    setup, rest = draw(part(SETUPS, ODD_SETUPS, mild)), draw(st.sampled_from(REST))
    line, _, body = draw(heredocs(mild, "apply_patch ")).partition("\n")
    joined = draw(st.sampled_from(("", " && ", " || exit 1", " 2>&1")))
    if joined == " && ":
        first, _, more = rest.partition("\n")
        return f"{setup}{line}{joined}{first}\n{body.rstrip(chr(10))}\n{more}"
    return f"{setup}{line}{joined}\n{body.rstrip(chr(10))}\n{rest}"
