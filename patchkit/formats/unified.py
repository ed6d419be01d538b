"""Read unified diffs: of git, plain ones, series of mails, those of Subversion and Mercurial.

Takes the text; gives a Foreign. Only `diff --git`, or `---`, `+++` and `@@` in a row, begin a file: everything else
is text around it. A hunk outside of a file is that of the file named above it, or of the file before; no hunk is
passed over. What the patch language cannot say (binary content, modes, links, submodules) is given as
Unsayable with the command that does it.
"""

from __future__ import annotations

import re

from patchkit.core.language import AddFile, DeleteFile, Hunk, UpdateFile
from patchkit.core.language.lenience import quoted_line
from patchkit.formats.mails import without_transfer_encodings
from patchkit.formats.model import CopyFile, Foreign, ForeignOp, Unsayable, unreadable
from patchkit.formats.ordering import directories_that_become_files, ordered
from patchkit.formats.paths import named_by
from patchkit.formats.unified_endings import ends_as_the_file_does, has_lone_returns, has_no_endings
from patchkit.formats.unified_headers import NOWHERE, FileHeader, HeaderNames
from patchkit.formats.unified_hunks import HunkBody, HunkHeader, as_hunk, is_file_header, is_hunk_header, read_body
from patchkit.formats.unified_names import header_name, is_blob_id, is_epoch, shell_word, whole_name

# Texts, and not compiled: most diffs need none of them, and none is looked for before a plainer search finds a part.
_STEP = r"(From [0-9a-f]{40} |# HG changeset patch)"
_CHANGE = r"\d+(,\d+)?[acd]\d+(,\d+)?\s*$"  # of a diff without context
_EXTENDED = (
    *("index ", "old mode ", "new mode ", "deleted file mode ", "new file mode ", "copy from ", "copy to "),
    *("rename from ", "rename to ", "similarity index ", "dissimilarity index "),
)


def read_unified(text: str, strip: int | None = None) -> Foreign:
    """Returns what a unified diff says; raises P122 for one that is not whole.

    `strip` is how many leading parts its paths lose, None where its headers show what is a prefix.
    """
    return _UnifiedReader(_undone(text), strip).read()


def _undone(text: str) -> str:
    """The text without transfer encodings of mails, and without the CR of a text that has it in its headers, too."""
    if "ransfer-" in text:
        text = without_transfer_encodings(text)
    if "\r" not in text:
        return text
    heads = [line for line in text.split("\n") if line.startswith(("diff --git ", "--- ", "@@ "))][:50]
    if heads and all(line.endswith("\r") for line in heads):
        return text.replace("\r\n", "\n")
    return text


class _UnifiedReader:
    def __init__(self, text: str, strip: int | None) -> None:
        self.lines = text.split("\n")
        if self.lines and not self.lines[-1]:
            self.lines.pop()
        self.at = 0
        self.has_returns = "\r" in text
        self.foreign = Foreign("unified")
        self.names = HeaderNames(self.foreign, self.lines, strip)
        self.steps: list[list[ForeignOp]] = [[]]
        self.fenced = False  # whether a fence around the diff was noted
        self.ended = text.endswith("\n")
        self.within_message = False  # of a mail or of Mercurial, which may quote a diff
        self.path = ""  # of the file before
        self.behind = 0  # the line behind its last hunk

    def read(self) -> Foreign:
        while self.at < len(self.lines):
            self._read_line(self.lines[self.at])
        if all(isinstance(op, Unsayable) for step in self.steps for op in step) and is_other_diff(self.lines):
            words = "it is a diff in another format", "make it with 'diff -u', or apply it with 'patch'"
            raise unreadable("unified", 1, *words)
        if not any(self.steps):
            quoted = quoted_line(self.lines)
            if quoted:
                error = unreadable("unified", quoted, "its lines are quoted", "")
                error.facts["quoted"] = True
                raise error
            raise unreadable("unified", 1, "it has no file and no hunk", "send the whole diff, with its headers")
        for step in self.steps:
            self.foreign.sections += ordered(step)
            for path in directories_that_become_files(step):
                what = f"the directory '{path}', which becomes a file"
                self.foreign.sections.append(Unsayable(path, what, "git apply FILE"))
        return self.foreign

    def _read_line(self, line: str) -> None:
        if line.startswith(("diff --cc ", "diff --combined ")):
            raise unreadable(
                "unified", self.at + 1, "it is a combined diff of a merge", "send the diff against one parent"
            )
        if line.startswith("diff --git "):
            self._read_git_file()
        elif is_file_header(self.lines, self.at):
            self._read_hunks(self._plain_header())
        elif line.startswith("Property changes on: "):
            self._skip_properties(line)
        elif line.startswith("Binary files ") and line.rstrip().endswith(" differ"):
            self.at += 1
            old, _, new = line.rstrip()[13:-7].partition(" and ")
            path = self.names.stripped(header_name(old)[0], header_name(new)[0])[1]
            self._add_unsayable(path, "binary content", f"cp {shell_word(header_name(new)[0])} {shell_word(path)}")
        elif line.startswith("Only in ") and ": " in line and line[8:9] not in ("", " "):
            directory, _, name = line[8:].rstrip().partition(": ")
            self.at += 1
            what = f"'{directory}/{name}', which only one side has, without its content"
            self._add(Unsayable(f"{directory}/{name}", what, "diff -ruN OLD NEW > FILE", self.at))
        elif _is_step(line):
            self.steps.append([])
            self.within_message = True
            self.at += 1
        elif line.startswith("@@") and not self.within_message and self._is_hunk(self.at):
            self._read_hunks(self._header_above())
        else:
            self._pass(line)

    def _pass(self, line: str) -> None:
        """Goes behind a line of text around the diff; a fence is a slip."""
        if line.startswith(("Subject: ", "From: ")):
            self.within_message = True
        if line.startswith(("```", "~~~")) and not self.within_message and not self.fenced:
            self.fenced = True
            self.foreign.lenient("outside-text", patch_line=self.at + 1, found=line.rstrip("\r"))
        self.at += 1

    def _add(self, op: ForeignOp) -> None:
        self.steps[-1].append(op)

    def _add_unsayable(self, path: str, what: str, command: str) -> None:
        self._add(Unsayable(path, f"{what} of '{path}'", command, self.at))

    # -- headers -----------------------------------------------------------------------------------

    def _plain_header(self) -> FileHeader:
        header = FileHeader(self.at + 1)
        self._read_names(header)
        return header

    def _read_names(self, header: FileHeader) -> None:
        """Takes the `---` and `+++` lines."""
        header.old, rest = header_name(self.lines[self.at][4:])
        header.old_epoch = is_epoch(rest)
        header.new, rest = header_name(self.lines[self.at + 1][4:])
        header.new_epoch = is_epoch(rest)
        self.at += 2

    def _header_above(self) -> FileHeader:
        """The header of a hunk that has none: of the file that a line above it names, or of the one before."""
        header = FileHeader(self.at + 1)
        number = self.at - 1
        while number >= self.behind and (
            not self.lines[number].strip() or self.lines[number].startswith(("```", "~~~"))
        ):
            number -= 1
        line = self.lines[number].rstrip("\r") if number >= self.behind else ""
        if line.startswith(("--- ", "+++ ")):
            header.new = header_name(line[4:])[0]
            header.old = {"a/": "b/", "b/": "a/"}.get(header.new[:2], header.new[:2]) + header.new[2:]
        else:
            header.old = header.new = named_by(line)
            header.bare = True
        if header.new and header.new != NOWHERE:
            self.foreign.lenient(
                "path-spelling", file=self.names.of(header)[1], found=line.strip(), patch_line=number + 1
            )
        elif self.path:
            header.old = header.new = self.path
            header.bare = True
            self.foreign.lenient("no-file-name", file=self.path, patch_line=self.at + 1)
        else:
            reason = "a hunk has no file above it"
            raise unreadable("unified", self.at + 1, reason, "write '--- a/PATH', '+++ b/PATH' above it")
        return header

    def _read_git_file(self) -> None:
        header = FileHeader(self.at + 1)
        header.git = self.lines[self.at][11:]
        self.at += 1
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.startswith(_EXTENDED):
                known = next(words for words in _EXTENDED if line.startswith(words))
                header.said[known.strip()] = line[len(known) :].rstrip("\r")
            elif line.startswith("GIT binary patch") or (line.startswith("Binary files ") and "differ" in line):
                header.binary = line
                self._skip_binary()
                break
            elif line.startswith("--- ") and self.at + 1 < len(self.lines) and self.lines[self.at + 1][:4] == "+++ ":
                self._read_names(header)
                break
            else:
                break
            self.at += 1
        self._read_hunks(header)

    def _skip_binary(self) -> None:
        """Goes behind the data of a binary change."""
        self.at += 1
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.startswith(("diff --git ", "-- ")) or _is_step(line) or is_file_header(self.lines, self.at):
                return
            self.at += 1

    def _skip_properties(self, line: str) -> None:
        path = line[21:].strip()
        self.at += 1
        start = self.at
        while self.at < len(self.lines) and not self.lines[self.at].startswith(
            ("Index: ", "Property changes on: ", "diff ")
        ):
            self.at += 1
        words = [
            each for each in self.lines[start : self.at] if each.startswith(("Added: ", "Modified: ", "Deleted: "))
        ]
        for each in words:
            if each.endswith("svn:executable"):
                sign = "-x" if each.startswith("Deleted") else "+x"
                self._add(Unsayable(path, f"the mode of '{path}'", f"chmod {sign} {shell_word(path)}", start))
        others = [each.partition(": ")[2] for each in words if not each.endswith("svn:executable")]
        if others:
            self.foreign.note("P999", patch_line=start, what=f"properties of '{path}': {', '.join(others)}")

    # -- a file --------------------------------------------------------------------------------------

    def _read_hunks(self, header: FileHeader) -> None:
        hunks: list[tuple[HunkHeader, HunkBody, int]] = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.startswith("@@@"):
                raise unreadable("unified", self.at + 1, "it is a combined diff of a merge", "diff against one parent")
            if is_hunk_header(line):
                by_git = is_blob_id(header.said.get("index", "").partition("..")[0])
                self._read_hunk(line.rstrip("\r"), self.at + 1, hunks, by_git)
            elif not hunks and header.old and line[:1] in ("+", "-", " ") and line.strip():
                self._read_hunk("", self.at, hunks)
            else:
                below = self._hunk_below() if not line.strip() else 0
                if not below:
                    break
                self.at = below
        if not hunks and not header.git and header.old:
            raise unreadable("unified", header.line, "a file has no hunks", "send its '@@' lines and what they change")
        self.within_message = False
        self.behind = self.at
        self._add_file(header, hunks)

    def _read_hunk(
        self, line: str, start: int, hunks: list[tuple[HunkHeader, HunkBody, int]], counts_all: bool = False
    ) -> None:
        """Reads the hunk whose lines begin at `start`, below its header, or below the names of a file without one.

        `counts_all` says that git wrote it: where the text ends within a line, and before all lines are there, it was
        cut off. A model that writes a diff often counts wrong.
        """
        head, number = HunkHeader(line or "@@"), self.at + 1
        body = read_body(self.lines, start, head)
        if not body.lines:
            raise unreadable("unified", number, "a hunk has no lines", "send the whole hunk")
        if head.old is None:
            self.foreign.lenient("no-line-numbers", patch_line=number, found=line or self.lines[self.at].rstrip("\r"))
        elif not body.counted:
            self.foreign.lenient("hunk-counts", patch_line=number, found=line)
        self.foreign.notes += body.notes[:1]
        hunks.append((head, body, number))
        self.at = body.stop
        if counts_all and self.at == len(self.lines) and not self.ended and _is_short(head, body):
            raise unreadable("unified", self.at, "it ends inside a hunk", "send the whole diff")
        if self.at == len(self.lines) and not self.ended and self.at - 1 not in body.unended:
            self.foreign.lenient("unended-line", patch_line=self.at, found=self.lines[-1])

    def _is_hunk(self, at: int) -> bool:
        """Whether the line begins a hunk, and not text: it has numbers, or lines that change something below it."""
        if not is_hunk_header(self.lines[at]):
            return False
        head = HunkHeader(self.lines[at].rstrip("\r"))
        if head.old is not None:
            return True
        signed = at + 1 < len(self.lines) and self.lines[at + 1][:1] in ("+", "-", " ")
        return signed and any(line[0] in "+-" for line in read_body(self.lines, at + 1, head).lines)

    def _hunk_below(self) -> int:
        """Where the next hunk begins, below blank lines; 0 where something else is there."""
        at = self.at
        while at < len(self.lines) and not self.lines[at].strip():
            at += 1
        return at if at < len(self.lines) and is_hunk_header(self.lines[at]) else 0

    def _add_file(self, header: FileHeader, read: list[tuple[HunkHeader, HunkBody, int]]) -> None:
        said = header.said
        old, new = self.names.of(header)
        mode = said.get("new file mode") or said.get("deleted file mode") or said.get("new mode") or ""
        mode = mode or said.get("index", "").partition(" ")[2]
        adds = "new file mode" in said or header.old == NOWHERE or (header.old_epoch and _none(read, 0))
        deletes = "deleted file mode" in said or header.new == NOWHERE or (header.new_epoch and _none(read, 1))
        path = old if deletes else new
        self.path = path
        if header.git and read and not header.old:
            self.foreign.lenient("path-spelling", file=path, found=f"diff --git {header.git}", patch_line=header.line)
        if not path:
            raise unreadable("unified", header.line, "a file has no name", "write '--- a/PATH', '+++ b/PATH'")
        if deletes and not adds:
            self._add(DeleteFile(path, header.line))
            if not header.binary and mode not in ("120000", "160000"):
                self.foreign.deleted[path, header.line] = _text_of(read, "-")
            return
        if self._is_unsayable(header, path, mode, adds, read):
            return
        if header.git and path != path.strip() and (adds or old != new):
            what = f"whitespace at the ends of the name '{path}'"
            self._add(Unsayable(path, what, f"git apply --include={shell_word(path)} FILE", header.line))
            return
        if any(head.old == (1, 1) and has_lone_returns(body.lines, body.unended) for head, body, _ in read):
            what = f"lines of '{path}' that end with CR alone"
            self._add(Unsayable(path, what, f"git apply --include={shell_word(path)} FILE", header.line))
            return
        hunks = [] if adds else [as_hunk(head, body, number) for head, body, number in read]
        if adds:
            if any(line[0] != "+" for _, body, _ in read for line in body.lines):
                raise unreadable(
                    "unified", read[0][2], f"the new file '{path}' has lines without '+'", "send only '+' lines"
                )
            self._add(AddFile(path, _text_of(read, "+"), header.line))
            self._add_blobs(path, header)
        elif "copy to" in said:
            self._add(CopyFile(old, new, hunks, header.line))
        elif hunks or old != new:
            if not hunks and not (header.old and header.new) and "rename to" not in said:  # it was cut off there
                reason = f"a header names '{old}' and '{new}' and no change"
                raise unreadable("unified", header.line, reason, "send the whole diff")
            moved = new if old != new else None
            if self._bare_endings(path, hunks, header.line, read):
                self._add(UpdateFile(old, moved, hunks, header.line))
                self._add_blobs(old, header)
        if (mode == "100755" and adds) or "old mode" in said:
            sign = "+x" if mode == "100755" else "-x"
            self._add(Unsayable(path, f"the mode of '{path}'", f"chmod {sign} {shell_word(path)}", header.line))

    def _add_blobs(self, path: str, header: FileHeader) -> None:
        """Keeps git's ids of the content before and after, where it gives them."""
        old, _, new = header.said.get("index", "").partition(" ")[0].partition("..")
        if is_blob_id(old) and is_blob_id(new):
            self.foreign.blobs[path, header.line] = old, new

    def _is_unsayable(
        self, header: FileHeader, path: str, mode: str, adds: bool, read: list[tuple[HunkHeader, HunkBody, int]]
    ) -> bool:
        """Whether the file as a whole cannot be said; then it is given as that."""
        if not header.binary and mode not in ("160000", "120000"):
            return False
        word = shell_word(path)
        new = _text_of(read, "+")
        if mode == "160000":
            commit = new.strip().rpartition(" ")[2]
            what, command = f"the submodule '{path}'", f"git -C {word} checkout {commit or 'COMMIT'}"
        elif mode == "120000":
            what, command = f"the symbolic link '{path}'", f"ln -sfn {shell_word(new) if new else 'TARGET'} {word}"
            if not new and "rename to" in header.said:
                command = f"mv {shell_word(whole_name(header.said['rename from']))} {word}"
        elif header.said.get("similarity index") == "100%":
            return False
        else:
            what, command = f"the binary content of '{path}'", f"git apply --include={word} FILE"
            blob = header.said.get("index", "").partition(" ")[0].rpartition("..")[2]
            if not header.binary.startswith("GIT"):  # the diff has no content, but may name it
                command = f"git cat-file blob {blob} > {word}" if is_blob_id(blob) else f"cp NEW {word}"
        self._add(Unsayable(path, what, command, header.line))
        return True

    def _bare_endings(
        self, path: str, hunks: list[Hunk], line: int, read: list[tuple[HunkHeader, HunkBody, int]]
    ) -> bool:
        """Takes the CR off the lines of a file with CRLF; False, and it is given as unsayable, where endings change.

        In a file without any ending, lines end as the diff says.
        """
        if not self.has_returns or not any(each.endswith("\r") for hunk in hunks for each in hunk.lines):
            return True
        for hunk, (head, body, _) in zip(hunks, read):
            without = body.unended  # the last lines of files, which have no ending
            if not ends_as_the_file_does(hunk.lines, without):
                command = f"git apply --include={shell_word(path)} FILE"
                self._add(Unsayable(path, f"changed line endings of '{path}'", command, line))
                return False
            if head.old in ((0, 0), (1, 1)) and has_no_endings(hunk.lines, without):
                continue
            hunk.lines = [
                each if index in without else each.removesuffix("\r") for index, each in enumerate(hunk.lines)
            ]
        return True


def _is_short(head: HunkHeader, body: HunkBody) -> bool:
    """Whether a hunk has fewer lines than its header says."""
    return any(
        numbers is not None and sum(line[0] in signs for line in body.lines) < numbers[1]
        for numbers, signs in ((head.old, " -"), (head.new, " +"))
    )


def is_other_diff(lines: list[str]) -> bool:
    """Whether a text is a diff with context marks, or one without context."""
    for at, line in enumerate(lines[:-1]):
        if line.startswith("***************") and lines[at + 1].startswith("*** "):
            return True
        if line[:1].isdecimal() and lines[at + 1][:2] in ("< ", "> ") and re.match(_CHANGE, line):
            return True
    return False


def _none(read: list[tuple[HunkHeader, HunkBody, int]], side: int) -> bool:
    """Whether the old (0) or the new (1) file has no lines."""
    ranges = [(head.old, head.new)[side] for head, _, _ in read]
    return len(ranges) == 1 and ranges[0] is not None and ranges[0][1] == 0


def _text_of(read: list[tuple[HunkHeader, HunkBody, int]], sign: str) -> str:
    """The text of a new or a deleted file: the lines with that sign."""
    found = []
    for _, body, _ in read:
        for index, line in enumerate(body.lines):
            if line[0] == sign:
                found.append(line[1:] + ("" if index in body.unended else "\n"))
    return "".join(found)


def _is_step(line: str) -> bool:
    """Whether a line begins the next patch of a mailbox or of Mercurial."""
    return _begins_step(line) if line.startswith(("From ", "# HG ")) else False


def _begins_step(line: str) -> bool:
    return re.match(_STEP, line) is not None
