"""Turn patch bytes into text, and patch text into a Patch.

A push parser: feed it text in any pieces and it gives the sections completed so far; `parse` is the
same parser fed once. Which line may follow which is decided by the tables generated from
grammar/apply_patch.lark and nowhere else. A line the tables refuse goes to `lenience` (unless the
parse is strict), and what that does not forgive is an error with its line, what was found and what may come there.
"""

from __future__ import annotations

from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.core.language._grammar import ACCEPTING, KINDS, STATES
from patchkit.core.text import WIDE_MARKS
from patchkit.errors import Note, PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.language.lenience import Where


def decode(data: bytes) -> str:
    """Returns the text of a patch: UTF-8, or what its byte order mark says.

    Bytes that are not UTF-8 become lone surrogates and are written back as they were.
    """
    if data[:1] in (b"\xff", b"\xfe", b"\x00"):
        for mark, codec in WIDE_MARKS:
            if data.startswith(mark):
                try:
                    return data.decode(codec)  # with its mark
                except UnicodeError:
                    raise PatchkitError("P111", encoding=codec[:6].upper()) from None
    return data.decode("utf-8", "surrogateescape")


SIGNS = {opening: name for name, opening, _ in KINDS if len(opening) == 1}
_WHOLE_LINES = {opening: name for name, opening, text in KINDS if text == "none"}
HEADED_LINES = {opening: name for name, opening, text in KINDS if text == "solid"}
_ADDED = SIGNS["+"]
_SIGNS = set(SIGNS)


def parse(text: str, strict: bool = False) -> Patch:
    """Returns the patch that `text` says; under `strict` only what the grammar allows."""
    parser = Parser(strict)
    if not strict and not _looks_plain(text):
        from patchkit.core.language.lenience import unwrap  # most texts are plainly a patch

        unwrapped = unwrap(text)
        text = unwrapped.text
        parser.closed = unwrapped.closed
        parser.notes.extend(unwrapped.notes)
    try:
        parser.feed(text)
        patch = parser.finish()
        for note in patch.notes:
            if note.facts.get("lenience") == "missing-plus":
                _refuse_a_lone_line(patch, note)
        return patch
    except PatchkitError as error:
        if error.code == "P101":
            better = without_patch(text)
            error.code = better.code
            error.facts.update(better.facts)
        raise


def _refuse_a_lone_line(patch: Patch, note: Note) -> None:
    """Refuses a new file whose only line has no plus: that may as well be prose behind a section without content."""
    for section in patch.sections:
        first = isinstance(section, AddFile) and section.line + 1 == note.facts["patch_line"]
        if isinstance(section, AddFile) and first and section.text.count("\n") == 1:
            place = {name: note.facts[name] for name in ("patch_line", "file", "found")}
            raise PatchkitError("P107", **place, column=1, expected=[_OPENINGS["ADDED"]])


def without_wrapping(text: str) -> str:
    """The text whose lines are counted: without what is around a patch, such as JSON or a margin."""
    if _looks_plain(text):
        return text
    from patchkit.core.language.lenience import unwrap  # as above

    return unwrap(text).text


def _looks_plain(text: str) -> bool:
    """Whether nothing can be around the patch, so that the usual patch loads no lenience at all."""
    return text.startswith("*** Begin Patch\n") and "\r" not in text


def kind_of(line: str) -> tuple[str, str]:
    """Returns a line's kind, '' for none, and the text after its opening words; the whole line if it has a sign."""
    start = line.find(": ") + 2 if line[:1] == "*" else 3  # where an opening ends, that of an anchor or another
    name = HEADED_LINES.get(line[:start])
    if name and line[start:].lstrip(" \t")[:1] not in ("", "\r"):
        return name, line[start:]
    whole = _WHOLE_LINES.get(line)
    return (whole, "") if whole else (SIGNS.get(line[:1], ""), line)


class Parser:
    """Takes patch text in pieces; gives sections as they complete and the Patch at the end."""

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict
        self.number = 0  # of the line at hand, in the text as it was given
        self.notes: list[Note] = []
        self.last = ""  # kind of the last line taken
        self.section: FileOp | None = None
        self.hunk: Hunk | None = None
        self.blanks: list[str] = []  # blank lines without a sign, whose meaning the next line decides
        self.spaced = False  # whether blank lines were dropped just before
        self.wrapper = ""  # what closes the heredoc or fence around the patch, once seen
        self.closed = False  # whether the text came in a wrapper that shows where it ends
        self.outside_noted = False  # whether text outside the patch has been noted
        self.plus_missing = False  # whether lines of the AddFile at hand came without their plus
        self._state = self._given = 0
        self._hunks: list[Hunk] = []  # of the UpdateFile at hand
        self._sections: list[FileOp] = []
        self._environment_id: str | None = None
        self._partial, self._texts = list[str](), list[str]()  # a line without its end; lines of the AddFile at hand

    # -- the two calls ---------------------------------------------------------------------------

    def feed(self, text: str) -> list[FileOp]:
        """Takes more text and returns the sections that it completed."""
        cut = text.rfind("\n") + 1
        if cut:
            self._take(text[:cut] if not self._partial else "".join([*self._partial, text[:cut]]))
            self._partial = []
        if cut < len(text):
            self._partial.append(text[cut:])
        new = self._sections[self._given :]
        self._given = len(self._sections)
        return new

    def finish(self) -> Patch:
        """Ends the text and returns the whole Patch."""
        if self._partial:
            self._take("".join(self._partial) + "\n")
            self._partial = []
        if self._state not in ACCEPTING:
            self._end_early()
        return Patch(self._sections, self._environment_id, self.notes)

    # -- lines -----------------------------------------------------------------------------------

    def _take(self, text: str) -> None:
        """Takes whole lines. A body is everything up to the next line that opens with `***`."""
        position, size = 0, len(text)
        while position < size:
            if text.startswith("***", position):
                stop = text.find("\n", position) + 1
                self.number += 1
                self.take_line(text[position : stop - 1])
            else:
                stop = text.find("\n***", position) + 1 or size
                self._take_body(text[position:stop])
            position = stop

    def _take_added(self, text: str) -> bool:
        """Takes the body of an AddFile in one step; False when not every line of it is a plus line."""
        lines = text.split("\n+")
        bare = "".join(lines)  # has a line end inside where a line begins without its plus
        if self.blanks or text[0] != "+" or bare.find("\n") != len(bare) - 1:
            return False
        after = STATES[self._state].get(_ADDED)
        if after is None:
            return False
        self._state = STATES[after][_ADDED] if len(lines) > 1 else after
        self.number += len(lines)
        self.last = _ADDED
        lines[0] = lines[0][1:]
        self._texts.append("\n".join(lines))
        return True

    def _take_body(self, text: str) -> None:
        """Takes what is between two lines with stars: in one step where it can, else line by line."""
        if (self._state == 0 or self.ended) and not self.strict:
            from patchkit.core.language.lenience import skip_outside  # text around a patch is rare

            text = skip_outside(self, text)
        taken = not text or (self._take_added(text) if type(self.section) is AddFile else self._take_hunks(text))
        if not taken:
            self._take_lines(text[:-1].split("\n"))

    def _take_lines(self, lines: list[str]) -> None:
        """Takes line after line: signs are followed here, everything else in `take_line`."""
        for line in lines:
            self.number += 1
            kind = SIGNS.get(line[:1])
            if kind and self.hunk is not None and not self.blanks:
                after = STATES[self._state].get(kind)
                if after is not None:
                    self._state = after
                    self.last = kind
                    self.hunk.lines.append(line)
                    continue
            self.take_line(line)

    def _take_hunks(self, text: str) -> bool:
        """Takes hunks that are a bare `@@` and lines with their sign; False when there is anything else in the text.

        After a bare anchor signs may come in any order, and where the tables lead depends on the last one alone
        (a test asks them), so the lines need not be followed one by one.
        """
        if not text.startswith("@@\n") or self.blanks or self.hunk is not None or not self.allows("BARE_ANCHOR"):
            return False
        hunks, number = [], self.number + 1
        bodies = [body.split("\n") for body in text.split("\n@@\n")]
        del bodies[0][0], bodies[-1][-1]  # the first `@@`, and the nothing after the last line end
        if not all(bodies) or not {line[:1] for lines in bodies for line in lines} <= _SIGNS:
            return False
        for lines in bodies:
            hunk = Hunk([], lines, line=number)
            hunk.body_line = number + 1
            number += 1 + len(lines)
            hunks.append(hunk)
        hunks[0].bare, self.spaced = self.spaced, False
        self._hunks += hunks
        self.hunk, self.number = hunks[-1], number - 1
        self.last = SIGNS[hunks[-1].lines[-1][0]]
        self._state = STATES[STATES[self._state]["BARE_ANCHOR"]][self.last]
        return True

    def take_line(self, line: str) -> None:
        """Takes one line, as the grammar reads it or as a lenience does."""
        kind, text = kind_of(line)
        after = STATES[self._state].get(kind)
        if after is None:
            self._take_unexpected(line, kind)
            return
        if self.blanks:
            self._forgive("blanks", kind)
            self.blanks = []
            after = STATES[self._state][kind]
        self._state = after
        _ACTIONS[kind](self, text)
        self.last = kind

    def _forgive(self, case: Where, text: str) -> str | None:
        """What a lenience makes of a text; None where there is none for it."""
        from patchkit.core.language.lenience import forgive  # most patches need none

        return forgive(case, self, text)

    def _take_unexpected(self, line: str, kind: str) -> None:
        if not self.strict:
            if self.begun and not self.ended and not line.strip():
                # Whitespace is content; one space alone may be all that is left of a sign.
                self.blanks.append("" if line.rstrip("\r") in ("", " ") else line)
                return
            instead = self._forgive("line", line)
            if instead is not None:
                if instead:
                    self.take_line(instead)
                return
        raise unexpected(self, line, kind)

    # -- what a lenience may ask and do ----------------------------------------------------------

    def allows(self, kind: str) -> bool:
        return kind in STATES[self._state]

    def allows_line(self, line: str) -> bool:
        return self.allows(kind_of(line)[0])

    @property
    def expected(self) -> list[str]:
        """The kinds of line that may come next."""
        return list(STATES[self._state])

    @property
    def begun(self) -> bool:
        return self._state != 0

    @property
    def ended(self) -> bool:
        return self._state in ACCEPTING

    def drop_empty_hunk(self) -> None:
        """Forgets the hunk at hand, which has no lines; another one may follow."""
        self._hunks.pop()
        self.hunk, self.last = None, "MOVE_TO"
        self._state = STATES[STATES[STATES[0]["BEGIN_PATCH"]]["UPDATE_FILE"]]["MOVE_TO"]

    def begin_again(self) -> None:
        """Opens a further envelope: its sections join those of the first."""
        self._state = STATES[0]["BEGIN_PATCH"]

    def take_blanks(self) -> None:
        """Takes blank lines as lines of the body at hand."""
        if type(self.section) is AddFile:
            self._texts += [f"{text}\n" for text in self.blanks]
        elif self.hunk is not None:
            for _ in self.blanks:
                self._state = STATES[self._state]["KEPT"]
                self.hunk.lines.append(" ")

    # -- one action a kind of line ---------------------------------------------------------------

    def _close_section(self) -> None:
        section, self.section = self.section, None
        if section is None:
            return
        if type(section) is AddFile:
            section.text = "".join(self._texts)
            self._texts = []
        self.hunk = None
        self._sections.append(section)

    def _on_environment(self, text: str) -> None:
        self._environment_id = text.strip(" \t")

    def _on_add(self, text: str) -> None:
        self._close_section()
        self.section = AddFile(text, "", self.number)
        self.plus_missing = False

    def _on_delete(self, text: str) -> None:
        self._close_section()
        self.section = DeleteFile(text, self.number)

    def _on_update(self, text: str) -> None:
        self._close_section()
        self.spaced = False
        self.section = section = UpdateFile(text, line=self.number)
        self._hunks = section.hunks

    def _on_move(self, text: str) -> None:
        if isinstance(self.section, UpdateFile):  # it is: the grammar allows a Move nowhere else
            self.section.move_to = text
            self.section.move_line = self.number

    def _on_anchor(self, text: str) -> None:
        hunk = self.hunk if self.last == "ANCHOR" and self.hunk is not None else self._open_hunk()
        if not self.strict and (text.startswith(("-", ".")) or text.rstrip().endswith("@@")):
            anchor = self._forgive("anchor", text)
            text = text if anchor is None else anchor
        if text:
            hunk.anchors.append(text)
        hunk.body_line = self.number + 1

    def _on_bare_anchor(self, _text: str) -> None:
        self._open_hunk().body_line = self.number + 1

    def _open_hunk(self) -> Hunk:
        if self.hunk is not None and not self.strict and len(self.hunk.lines) == 2:
            self._forgive("hunk", "")
        self.hunk = hunk = Hunk([], [], line=self.number)
        hunk.bare, self.spaced = self.spaced, False
        self._hunks.append(hunk)
        return hunk

    def _on_body(self, line: str) -> None:
        if type(self.section) is AddFile:
            self._texts.append(line[1:] + "\n")
            return
        (self.hunk or self._open_hunk()).lines.append(line)

    def _on_no_newline(self, _text: str) -> None:
        if self.hunk is None:
            self._texts[-1] = self._texts[-1][:-1]
        elif self.last == "REMOVED":
            self.hunk.final_newline = self.hunk.was_unended = True
            self.hunk.at_eof = True
        elif self.last == "ADDED":
            self.hunk.final_newline = False
            self.hunk.at_eof = True

    def _on_end_of_file(self, _text: str) -> None:
        if self.hunk is not None:  # it is: the grammar allows this marker after a line of a hunk only
            self.hunk.at_eof = True

    def _on_end(self, _text: str) -> None:
        self._close_section()

    def _end_early(self) -> None:
        """The text is over and no End marker came."""
        if self.strict or self._forgive("end", "") is None:
            raise unended(self)
        self._close_section()


_ACTIONS = {
    "BEGIN_PATCH": lambda _parser, _text: None,
    "ENVIRONMENT_ID": Parser._on_environment,
    "ADD_FILE": Parser._on_add,
    "DELETE_FILE": Parser._on_delete,
    "UPDATE_FILE": Parser._on_update,
    "MOVE_TO": Parser._on_move,
    "BARE_ANCHOR": Parser._on_bare_anchor,
    "ANCHOR": Parser._on_anchor,
    "KEPT": Parser._on_body,
    "REMOVED": Parser._on_body,
    "ADDED": Parser._on_body,
    "NO_NEWLINE": Parser._on_no_newline,
    "END_OF_FILE": Parser._on_end_of_file,
    "END_PATCH": Parser._on_end,
}
_OPENINGS = {name: opening for name, opening, _ in KINDS}


# -- refusals ------------------------------------------------------------------------------------


def unexpected(parser: Parser, line: str, kind: str) -> PatchkitError:
    """The error for a line that cannot come here: its place, what was found, what may come."""
    section, hunk = parser.section, parser.hunk
    place: dict[str, object] = {"patch_line": parser.number, "column": 1, "found": line}
    if isinstance(section, (UpdateFile, AddFile)):
        place["file"] = section.path
    place["expected"] = [_OPENINGS[name] for name in parser.expected]
    for opening in HEADED_LINES:
        if line.rstrip() == opening.rstrip() and opening != "@@ ":
            return PatchkitError("P104", **{**place, "column": len(line.rstrip()) + 1})
    if not parser.begun:
        return PatchkitError("P101", **place)
    if parser.last in ("ANCHOR", "BARE_ANCHOR") and hunk is not None:
        return PatchkitError("P106", **{**place, "patch_line": hunk.body_line - 1})
    opens_or_ends = kind in ("ADD_FILE", "DELETE_FILE", "UPDATE_FILE", "END_PATCH")
    if parser.last == "UPDATE_FILE" and section is not None and opens_or_ends:
        return PatchkitError("P105", **{**place, "patch_line": section.line})
    if type(section) is AddFile and kind in ("", "KEPT", "REMOVED"):
        return PatchkitError("P107", **place)
    return PatchkitError("P103", **place)


def unended(parser: Parser) -> PatchkitError:
    """The error for a text that ends before the patch does, or before it begins."""
    if not parser.begun:
        return PatchkitError("P101", patch_line=1, column=1, found="", expected=[_OPENINGS["BEGIN_PATCH"]])
    return PatchkitError("P102", patch_line=parser.number, column=1, found="", expected=[_OPENINGS["END_PATCH"]])


# What begins a line of another edit format, or is in its JSON, with the name of the format and the words for it.
_LINES_OF: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("diff --git ",), "unified", "a unified diff"),
    (("<<<<<<< SEARCH", "------- SEARCH"), "search-replace", "an answer with search/replace blocks"),
)
_FIELDS_OF: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (('"create_file"', '"update_file"', '"delete_file"'), "openai-ops", "an OpenAI patch operation"),
    (('"old_string"', '"oldString"', '"old_str"', '"oldText"', '"before"'), "json-edits", "an edit in JSON"),
)


def without_patch(text: str) -> PatchkitError:
    """The refusal that helps most when the text has no Begin marker at all."""
    from patchkit.core.language.lenience import quoted_line

    bare = text.strip()
    if not bare:
        return PatchkitError("P101", empty=True)
    lines = bare.split("\n", 400)
    if any(line.startswith("--- ") for line in lines) and any(line.startswith("+++ ") for line in lines):
        return PatchkitError("P108", format="unified", what="a unified diff")
    for marks, name, words in _LINES_OF:
        if any(line.startswith(marks) for line in lines):
            return PatchkitError("P108", format=name, what=words)
    for marks, name, words in _FIELDS_OF if bare[:1] in ("{", "[") else ():
        if any(mark in bare for mark in marks):
            return PatchkitError("P108", format=name, what=words)
    quoted = quoted_line(text.split("\n"))
    if quoted:
        return PatchkitError("P101", patch_line=quoted, quoted=True)
    if len(lines) == 1 and len(bare) < 4096 and "***" not in bare:
        is_word = bare.isprintable() and not any(char in " '\"\\$&;|<>()*?[]`!{}~" for char in bare)
        return PatchkitError("P109", **({"name": bare} if is_word else {}))
    return PatchkitError("P101")
