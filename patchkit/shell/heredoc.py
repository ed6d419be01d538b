"""Read heredocs by the shell's own rule.

Takes source text and a position; gives the delimiter after `<<` and, from the next line on, where the
body ends: at the line that is the delimiter and nothing else (`<<-` takes tabs off first). The grammar
would end it at any line that begins with the delimiter, so it is never asked. A script that ends before the closing
line is read as shells read it where the body is a whole patch: up to its end.
"""

from __future__ import annotations

import re

from patchkit.errors import PatchkitError
from patchkit.shell.mention import BEGIN
from patchkit.shell.shells import Shell
from patchkit.shell.tokens import Heredoc

# After these a dollar sign is an ordinary character in bash, dash and zsh alike, in double quotes and
# in heredocs. Everything else starts an expansion in at least one of them: zsh knows `$+x`, `$=x`,
# `$~x`, `$^x`, bash and zsh `$[1+1]`, and zsh takes letters beyond ASCII into names.
PLAIN_AFTER_DOLLAR = frozenset(" \t\n\r\"'%&),./:;<>]|}")
_PART = re.compile(r"""[^\s'"\\$`;&|<>()\x00-\x1f\x7f]+|\r""")
_TRIES = 1000
END = "*** End Patch"
_BEFORE_WIDE = re.compile(r"^([\x00-\x09\x0b-\x7f]+)[^\x00-\x7f]", re.MULTILINE)
_BLANK = re.compile(r"(?:[ \t]|\\\n)*")
_LIVE_DOLLAR = re.compile(rf"\$(?![{re.escape(''.join(sorted(PLAIN_AFTER_DOLLAR)))}])(?!\Z)")
_SETTLED = (("\\\\", "\0b"), ("\\\n", "\0j"), ("\\$", "\0d"), ("\\`", "\0t"))  # the pairs first: what is left is odd
_JOINED_LINE = re.compile(r"[^\n]*\0j[^\n]*")
_LEADING_TABS = re.compile(r"^\t+", re.MULTILINE)


def read_operator(source: str, at: int, tabs: bool) -> tuple[Heredoc, int]:
    """Reads the delimiter after `<<` or `<<-`: the heredoc, body still unknown, and the position after it."""
    spaces = _BLANK.match(source, at)
    at = spaces.end() if spaces else at
    parts: list[str] = []
    quoted, first = False, at
    while at < len(source):
        ch = source[at]
        if found := _PART.match(source, at):
            parts.append(found.group())
            at = found.end()
        elif source.startswith("\\\n", at):
            at += 2
        elif ch == "\\" and at + 1 < len(source):
            parts.append(source[at + 1])
            quoted, at = True, at + 2
        elif ch in "'\"":
            text, at = _quoted_part(source, at)
            parts.append(text)
            quoted = True
        elif ch in " \t\n;&|<>()":
            break
        else:
            raise PatchkitError("P514", what="a heredoc delimiter that is not plain text")
    delimiter = "".join(parts)
    if at == first or source[first] == "#" or "\n" in delimiter or (tabs and delimiter[:1] in ("", "\t")):
        raise PatchkitError("P514", what="a heredoc delimiter that is not plain text")
    return Heredoc(delimiter, quoted, tabs), at


def _quoted_part(source: str, at: int) -> tuple[str, int]:
    end = source.find(source[at], at + 1)
    text = source[at + 1 : end]
    # Inside double quotes these are read by the delimiter's own rules, and the shells differ on them.
    if end < 0 or (source[at] == '"' and ("$" in text or "`" in text or "\\" in text)):
        raise PatchkitError("P514", what="a heredoc delimiter that is not plain text")
    return text, end + 1


def find_body(source: str, heredoc: Heredoc, start: int) -> None:
    """Fills in the positions of the body that begins at `start`, the beginning of a line."""
    heredoc.start = start
    stop = _closing_line(source, heredoc, start)
    # A backslash at the end of the line before joins the closing line to it, unless the delimiter is quoted.
    tries = 0
    while stop >= 0 and not heredoc.quoted and _is_continued(source, stop, start):
        tries += 1
        if tries > _TRIES:
            raise PatchkitError("P515", what="too many lines look like the end of the heredoc")
        stop = _closing_line(source, heredoc, source.find("\n", stop) + 1 or len(source) + 1)
    if stop < 0:
        if not _is_whole_patch(source[start:]):
            raise PatchkitError("P502", delimiter=heredoc.delimiter)
        heredoc.closed = False
        heredoc.stop = heredoc.end = len(source)
        return
    heredoc.stop = stop
    line_end = source.find("\n", stop)
    heredoc.end = len(source) if line_end < 0 else line_end + 1


def _is_whole_patch(body: str) -> bool:
    """Whether a body that nothing closes begins and ends as a patch does: so nothing else can be in it."""
    bare = body.strip()
    return bare.startswith(BEGIN + "\n") and bare.endswith("\n" + END) and bare.count("\n" + END) == 1


def _closing_line(source: str, heredoc: Heredoc, start: int) -> int:
    """Where the first line at or after `start` begins that is the delimiter; -1 without one."""
    if start > len(source):
        return -1
    if heredoc.tabs:
        found = re.compile(r"\n\t*" + re.escape(heredoc.delimiter) + r"(?=\n|\Z)").search(source, start - 1)
        return found.start() + 1 if found else -1
    line = "\n" + heredoc.delimiter
    at = source.find(line + "\n", start - 1)
    if at >= 0:
        return at + 1
    last = len(source) - len(line)
    return last + 1 if heredoc.delimiter and last >= start - 1 and source.endswith(line) else -1


def _is_continued(source: str, line: int, start: int) -> bool:
    """Whether the line before the one at `line` ends with an odd number of backslashes."""
    at = line - 1
    while at > start and source[at - 1] == "\\":
        at -= 1
    return (line - 1 - at) % 2 == 1


def body_text(source: str, heredoc: Heredoc, shell: Shell) -> str:
    """The text a command reads from the heredoc; refuses a body the shell would change."""
    body = source[heredoc.start : heredoc.stop]
    if not heredoc.closed and shell.name == "bash" and not body.endswith("\n"):
        body += "\n"  # as bash does, and other shells do not
    if not shell.extended and not body.isascii() and _loses_bytes(body, heredoc):
        what = "how to read a line that begins like the delimiter and goes on beyond ASCII"
        raise PatchkitError("P516", shell=shell.name, what=what)
    if heredoc.quoted:
        return without_tabs(body) if heredoc.tabs else body
    # bash drops these two after a backslash: they are its own marks for quoted characters.
    marked = "\x01" in body or "\x7f" in body
    text = None if marked else unquoted_body(body, heredoc.delimiter, heredoc.tabs)
    if text is None:
        raise PatchkitError("P503", delimiter=heredoc.delimiter)
    return text


def _loses_bytes(body: str, heredoc: Heredoc) -> bool:
    """Whether dash, looking for the closing line, would swallow half of a character that follows a part of it."""
    for found in _BEFORE_WIDE.finditer(body):
        begins = found.group(1).lstrip("\t") if heredoc.tabs else found.group(1)
        if begins and heredoc.delimiter.startswith(begins):
            return True
    return False


def unquoted_body(body: str, delimiter: str, tabs: bool) -> str | None:
    """The text that the body of a heredoc with a bare delimiter means; None where the shell would change it.

    A backslash before `$`, a backtick, a backslash or a line end goes; a live dollar sign or backtick is unknown.
    """
    if "\\" in body:
        # NUL, which no script holds, marks what a backslash has settled.
        for written, mark in _SETTLED:
            body = body.replace(written, mark)
        if "\0j" in body and not _joins_plainly(body, delimiter, tabs):
            return None
    if tabs:
        body = without_tabs(body)  # a line that was joined to the one before keeps its tabs
    if "`" in body or ("$" in body and _LIVE_DOLLAR.search(body)):
        return None
    if "\0" in body:
        for written, mark in _SETTLED:
            body = body.replace(mark, "" if mark == "\0j" else written[1])
    return body


def without_tabs(body: str) -> str:
    """The body of a `<<-` heredoc without leading tabs."""
    return _LEADING_TABS.sub("", body)


def _joins_plainly(body: str, delimiter: str, tabs: bool) -> bool:
    """Whether all shells join the marked lines of `body` in the same way.

    They do not when joining makes the closing line, nor when `<<-` leaves nothing before the backslash.
    """
    for found in _JOINED_LINE.finditer(body):
        line = found.group().lstrip("\t") if tabs else found.group()
        if line.replace("\0j", "") == delimiter or (tabs and line.startswith("\0j")):
            return False
    return True
