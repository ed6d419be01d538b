"""Read unified diffs: of git, plain ones, series of mails, those of Subversion and Mercurial.

Takes the text; gives a Foreign. Only `diff --git`, or `---`, `+++` and `@@` in a row, begin a file: everything else
is text around it. A hunk outside of a file is that of the file named above it, or of the file before; no hunk is
passed over. What the patch language cannot say (binary content, modes, links, submodules) is given as
Unsayable with the command that does it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

from patchkit.core.language import AddFile, DeleteFile, Hunk, UpdateFile
from patchkit.core.language.lenience import quoted_line
from patchkit.errors import Note
from patchkit.formats.model import (
    BinaryPart,
    CopyFile,
    Foreign,
    ForeignOp,
    Rows,
    Unsayable,
    ordered,
    shell_word,
    unreadable,
)
from patchkit.formats.paths import is_path, named_by, plain, unquoted
from patchkit.formats.special_files import GitAdd, GitUpdate
from patchkit.values import Record, Value

# Texts, and not compiled: most diffs need none of them, and none is looked for before a plainer search finds a part.
_STEP = r"(From [0-9a-f]{40} |# HG changeset patch)"
# By Subversion, which adds `=====`; by Mercurial.
_NAMED = r"(?:Index: |diff -r [0-9a-f]{12} (?:-r [0-9a-f]{12} )?)(.+)"
_SUBMODULE = r"Submodule (.+) [0-9a-f]{7,}\.\.\.?([0-9a-f]{7,})\b"  # by 'git diff --submodule'
_CHANGE = r"\d+(,\d+)?[acd]\d+(,\d+)?\s*$"  # of a diff without context
_EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # git's id of an empty file
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
        self.foreign = Foreign("unified")
        self.names = HeaderNames(self.foreign, self.lines, strip)
        self.steps: list[list[ForeignOp]] = [[]]
        self.fenced = False  # whether a fence around the diff was noted
        self.ended = text.endswith("\n")
        self.within_message = False  # of a mail or of Mercurial, which may quote a diff
        self.path = ""  # of the file before
        self.behind = 0  # the line behind its last hunk
        self.named = ("", 0)  # the file of Subversion or Mercurial whose change is still to come, and its line

    def read(self) -> Foreign:
        while self.at < len(self.lines):
            self._read_line(self.lines[self.at])
        self._begin("")
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
            moved = {op.path for op in step if isinstance(op, UpdateFile) and op.move_to}  # deleted, too, by Subversion
            self.foreign.sections += ordered([op for op in step if type(op) is not DeleteFile or op.path not in moved])
        return self.foreign

    def _read_line(self, line: str) -> None:
        if line.startswith(("diff --cc ", "diff --combined ")):
            words = "it is a combined diff of a merge", "send the diff against one parent"
            raise unreadable("unified", self.at + 1, *words)
        if line.startswith("diff --git "):
            self._read_git_file()
        elif is_file_header(self.lines, self.at):
            header = FileHeader(self.at + 1)
            self._read_names(header)
            self._read_hunks(header)
        elif line.startswith("Property changes on: "):
            self._skip_properties(line)
        elif line.startswith("Submodule ") and (found := re.match(_SUBMODULE, line)) and not self.within_message:
            self.at += 1
            command = f"git -C {shell_word(found[1])} checkout {found[2]}"
            self._add(Unsayable(found[1], f"the submodule '{found[1]}'", command, self.at))
        elif line.startswith(("Binary files ", "Files ", "File ", "Symbolic links ")) and _unshown(line.rstrip()):
            self.at += 1
            old, new = _unshown(line.rstrip())
            path = self.names.stripped(header_name(old)[0], header_name(new)[0])[1]
            what = "binary content" if line.startswith("Binary") else "the change"
            command = f"cp {shell_word(header_name(new)[0])} {shell_word(path)}"
            self._add(Unsayable(path, f"{what} of '{path}'", command, self.at))
        elif line.startswith("Only in ") and ": " in line and line[8:9] not in ("", " "):
            directory, _, name = line[8:].rstrip().partition(": ")
            self.at += 1
            what = f"'{directory}/{name}', which only one side has, without its content"
            self._add(Unsayable(f"{directory}/{name}", what, "diff -ruN OLD NEW > FILE", self.at))
        elif line.startswith(("Index: ", "diff -r ")):
            self.at += 1
            found = re.match(_NAMED, line.rstrip("\r"))
            if found is not None and (line[0] == "d" or self._line(self.at).startswith("=" * 60)):
                self._begin(found[1])
        elif _is_step(line):
            self._begin("")
            self.steps.append([])
            self.within_message = True
            self.at += 1
        elif line.startswith("@@") and not self.within_message and self._is_hunk(self.at):
            self._read_hunks(self._header_above())
        else:  # text around the diff, where a fence is a slip
            self.within_message = self.within_message or line.startswith(("Subject: ", "From: "))
            if line.startswith(("```", "~~~")) and not self.within_message and not self.fenced:
                self.fenced = True
                self.foreign.lenient("outside-text", patch_line=self.at + 1, found=line.rstrip("\r"))
            self.at += 1

    def _begin(self, path: str) -> None:
        """Takes the name of a file that comes now. One before it without a change was binary, or empty."""
        before, line = self.named
        if before:
            what = f"the change of '{before}', which the diff does not have"
            self._add(Unsayable(before, what, f"cp NEW {shell_word(before)}", line))
        self.named = path, self.at

    def _line(self, at: int) -> str:
        return self.lines[at] if at < len(self.lines) else ""

    def _add(self, op: ForeignOp) -> None:
        self.steps[-1].append(op)
        self.named = ("", 0)

    def _read_names(self, header: FileHeader) -> None:
        """Takes the `---` and `+++` lines."""
        header.old, rest = header_name(self.lines[self.at][4:])
        header.old_epoch = is_epoch(rest)
        header.new, rest = header_name(self.lines[self.at + 1][4:])
        header.new_epoch, header.dated = is_epoch(rest), bool(rest)
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
                value = line[len(known) :].rstrip("\r")
                revised = known == "copy from " and self.named[0]  # by Subversion: 'copy from a.txt@12'
                header.said[known.strip()] = re.sub(r"@\d+$", "", value) if revised else value
            elif line.startswith("GIT binary patch") or (line.startswith("Binary files ") and "differ" in line):
                header.binary = line
                first = self.at = self.at + 1
                while self.at < len(self.lines) and not self._ends_binary(self.lines[self.at]):
                    self.at += 1
                if line.startswith("GIT"):
                    header.data = binary_parts(self.lines[first : self.at])
                break
            elif line.startswith("--- ") and self.at + 1 < len(self.lines) and self.lines[self.at + 1][:4] == "+++ ":
                self._read_names(header)
                break
            else:
                break
            self.at += 1
        self._read_hunks(header)

    def _ends_binary(self, line: str) -> bool:
        return line.startswith(("diff --git ", "-- ")) or _is_step(line) or is_file_header(self.lines, self.at)

    def _skip_properties(self, line: str) -> None:
        path, word = line[21:].strip(), shell_word(line[21:].strip())
        is_link = bool(self.steps[-1]) and isinstance(self.steps[-1][-1], GitAdd)  # which git's header says
        self._begin("")
        self.at, start, others = self.at + 1, self.at + 1, []
        while self.at < len(self.lines) and not self._line(self.at).startswith(("Index: ", "Property ch", "diff ")):
            said, _, name = self._line(self.at).partition(": ")
            self.at += 1
            if said in ("Added", "Deleted") and name == "svn:special" and not is_link:
                self._add(Unsayable(path, f"the symbolic link '{path}'", f"ln -sfn TARGET {word}", start))
            elif said in ("Added", "Modified", "Deleted") and name == "svn:executable":
                sign = "-x" if said == "Deleted" else "+x"
                self._add(Unsayable(path, f"the mode of '{path}'", f"chmod {sign} {word}", start))
            elif said in ("Added", "Modified", "Deleted"):
                others.append(name)
        if others:
            self.foreign.note("P999", patch_line=start, what=f"properties of '{path}': {', '.join(others)}")

    def _read_hunks(self, header: FileHeader) -> None:
        hunks: _Hunks = []
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
        if not hunks and not header.said and header.old:
            if self._line(self.at + 1).startswith("Property changes on: "):
                self.named = ("", 0)
                return
            raise unreadable("unified", header.line, "a file has no hunks", "send its '@@' lines and what they change")
        self.within_message = False
        self.behind = self.at
        self._add_file(header, hunks)

    def _read_hunk(self, line: str, start: int, hunks: _Hunks, counts_all: bool = False) -> None:
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
        begins = self.lines[at].rstrip().endswith("@@")  # a sentence may begin with two signs, but hardly end with them
        begins = begins or (at + 1 < len(self.lines) and self.lines[at + 1][:1] in ("+", "-", " "))
        return begins and any(line[0] in "+-" for line in read_body(self.lines, at + 1, head).lines)

    def _hunk_below(self) -> int:
        """Where the next hunk begins, below blank lines; 0 where something else is there."""
        at = self.at
        while at < len(self.lines) and not self.lines[at].strip():
            at += 1
        return at if at < len(self.lines) and is_hunk_header(self.lines[at]) else 0

    def _add_file(self, header: FileHeader, read: _Hunks) -> None:
        said = header.said
        old, new = self.names.of(header)
        mode = said.get("new file mode") or said.get("deleted file mode") or said.get("new mode") or ""
        mode = mode or said.get("index", "").partition(" ")[2]
        mode = "120000" if mode.startswith("12") else mode  # Subversion writes 120644
        modes = said.get("old mode", ""), said.get("new mode", "")
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
            self._add_blobs(path, header)
            gone = self._deleted(header, path, mode, read)
            if gone is not None:
                self.foreign.deleted[path, header.line] = gone
            return
        if header.git and path != path.strip() and (adds or old != new):
            what = f"whitespace at the ends of the name '{path}'"
            self._add(Unsayable(path, what, f"git apply --include={shell_word(path)} FILE", header.line))
            return
        is_binary = header.data[0] is not None and mode not in ("120000", "160000")
        if self._is_git_file(header, old, new, mode, adds, read):
            return
        if not is_binary and self._is_unsayable(header, path, mode, read):
            return
        hunks = [] if adds or is_binary else [as_hunk(head, body, number) for head, body, number in read]
        forward, backward = header.data if is_binary else exact_parts(read, is_blob_id(_blobs(header)[0]))
        if not _bare_endings(hunks, read):
            hunks = []
            if forward is None:
                what, command = f"changed line endings of '{path}'", f"git apply --include={shell_word(path)} FILE"
                self._add(Unsayable(path, what, command, header.line))
                return
        if adds:
            if any(line[0] != "+" for _, body, _ in read for line in body.lines):
                words = f"the new file '{path}' has lines without '+'", "send only '+' lines"
                raise unreadable("unified", read[0][2], *words)
            text = _text_of(read, "+")
            runs = mode == "100755"
            self._add(GitAdd(path, text, header.line, mode) if runs else AddFile(path, text, header.line))
            self._add_blobs(path, header)
        elif "copy to" in said:
            self._add(CopyFile(old, new, hunks, header.line, forward, said.get("new mode", "")))
            self._add_blobs(new, header)
        elif "old mode" in said or forward is not None:
            made = GitUpdate(old, new if old != new else None, hunks, header.line, modes)
            made.forward, made.backward, made.blobs = forward, backward, _blobs(header)
            self._add(made)
        elif hunks or old != new or len(set(_blobs(header))) > 1:
            if not hunks and "rename to" not in said:  # it was cut off there
                raise unreadable("unified", header.line, f"the change of '{path}' is not there", "send the whole diff")
            self._add(UpdateFile(old, new if old != new else None, hunks, header.line))
            self._add_blobs(old, header)

    def _is_git_file(self, header: FileHeader, old: str, new: str, mode: str, adds: bool, read: _Hunks) -> bool:
        """Whether the file is a link, or a new one whose binary content the diff holds; then it is given as that."""
        line = header.line
        if mode == "120000" and (read or adds) and not header.binary and "copy to" not in header.said:
            if adds:
                self._add(GitAdd(new, _text_of(read, "+"), line, mode))
                return True
            made = GitUpdate(old, new if old != new else None, [], line, (mode, mode))
            made.was, made.content = (_text_of(read, sign).encode("utf-8", "surrogateescape") for sign in "-+")
            self._add(made)
            return True
        if header.data[0] is None or mode in ("120000", "160000") or not adds:
            return False
        data = binary_content(header.data[0], b"", line)
        self._add(GitAdd(new, data.decode("utf-8", "surrogateescape"), line, mode, exact=True))
        return True

    def _deleted(self, header: FileHeader, path: str, mode: str, read: _Hunks) -> AddFile | None:
        """The section that brings a deleted file back; None where the diff does not have its content."""
        if header.binary:
            part = header.data[1]
            if part is None or part[0] != "literal" or not isinstance(part[1], bytes):
                return None
            return GitAdd(path, part[1].decode("utf-8", "surrogateescape"), header.line, mode, exact=True)
        blob = header.said.get("index", "").partition("..")[0]
        if mode == "160000" or (not read and blob and not _EMPTY_BLOB.startswith(blob)):
            return None  # 'git diff -D' leaves the content out
        text = _text_of(read, "-")
        special = mode in ("100755", "120000")
        return GitAdd(path, text, header.line, mode) if special else AddFile(path, text, header.line)

    def _add_blobs(self, path: str, header: FileHeader) -> None:
        """Keeps git's ids of the content before and after, '' where another program wrote the diff."""
        blobs = _blobs(header)
        if all(map(is_blob_id, blobs)) or header.dated:
            self.foreign.blobs[path, header.line] = blobs

    def _is_unsayable(self, header: FileHeader, path: str, mode: str, read: _Hunks) -> bool:
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
                what += ", which the diff does not have ('git diff --binary' writes it)"
                command = f"git cat-file blob {blob} > {word}" if is_blob_id(blob) else f"cp NEW {word}"
        self._add(Unsayable(path, what, command, header.line))
        return True


def _bare_endings(hunks: list[Hunk], read: _Hunks) -> bool:
    """Takes the CR off the lines of a file with CRLF; False where not all lines end alike, or a last one has a CR.

    In a file without any lines, they end as the diff says.
    """
    if not hunks or not any("\r" in "".join(body.lines) for _, body, _ in read):
        return True
    lines = [(line, index in body.unended) for _, body, _ in read for index, line in enumerate(body.lines)]
    returns = {line.endswith("\r") for line, unended in lines if not unended}
    if len(returns) > 1 or any(unended and "\r" in line for line, unended in lines):
        return False
    for hunk, (head, body, _) in zip(hunks, read):
        if True in returns and head.old != (0, 0):
            hunk.lines = [line if at in body.unended else line[:-1] for at, line in enumerate(hunk.lines)]
    return True


def _blobs(header: FileHeader) -> tuple[str, str]:
    """Git's ids of the content before and after, or their beginnings."""
    old, _, new = header.said.get("index", "").partition(" ")[0].partition("..")
    return old, new


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


def _none(read: _Hunks, side: int) -> bool:
    """Whether the old (0) or the new (1) file has no lines."""
    ranges = [(head.old, head.new)[side] for head, _, _ in read]
    return len(ranges) == 1 and ranges[0] is not None and ranges[0][1] == 0


def _text_of(read: _Hunks, sign: str) -> str:
    """The text of a new or a deleted file: the lines with that sign."""
    rows = [(line, index in body.unended) for _, body, _ in read for index, line in enumerate(body.lines)]
    return "".join([line[1:] + ("" if unended else "\n") for line, unended in rows if line[0] == sign])


def _is_step(line: str) -> bool:
    """Whether a line begins the next patch of a mailbox or of Mercurial."""
    return line.startswith(("From ", "# HG ")) and re.match(_STEP, line) is not None


def _unshown(line: str) -> tuple[str, ...]:
    """Both names of a file whose change `diff -r` names and does not show; none where the line says something else."""
    if line.startswith("File "):  # 'File a/x is a fifo while file b/x is a regular file'
        names = [part.partition(" is a ")[0] for part in line[5:].split(" while file ")]
    else:
        words = line.partition("inks " if line[0] == "S" else "iles ")[2].removesuffix(" differ").split(" and ")
        half = len(words) // 2  # a name may have the word, and is there twice
        names = [" and ".join(words[:half]), " and ".join(words[half:])] if line.endswith(" differ") else []
    alike = line[0] == "B" or len({name.rpartition("/")[2] for name in names}) == 1
    return tuple(names) if len(names) == 2 and alike else ()


def binary_parts(lines: list[str]) -> tuple[BinaryPart | None, BinaryPart | None]:
    """The two parts of a 'GIT binary patch': from the old content to the new, and back; None for one that is broken."""
    parts: list[BinaryPart | None] = []
    at = 0
    while at < len(lines) and len(parts) < 2:
        kind, _, size = lines[at].rstrip("\r").partition(" ")
        at += 1
        if kind not in ("literal", "delta") or not size.isdecimal():
            break
        start = at
        while at < len(lines) and lines[at].strip():
            at += 1
        parts.append(_inflated(kind, int(size), lines[start:at]))
        at += 1
    parts += [None] * (2 - len(parts))
    return parts[0], parts[1]


_MOST_BINARY = 256 << 20  # bytes of one content


def _inflated(kind: str, size: int, lines: list[str]) -> BinaryPart | None:
    from base64 import b85decode
    from zlib import decompressobj, error

    pieces = []
    try:
        for line in lines:
            text = line.rstrip("\r")
            count = ord(text[0]) - (64 if text[0] < "a" else 70)
            pieces.append(b85decode(text[1:])[:count])
        data = decompressobj().decompress(b"".join(pieces), min(size, _MOST_BINARY) + 1)
    except (ValueError, IndexError, error):
        return None
    return (kind, data) if len(data) == size else None


def exact_parts(read: _Hunks, by_git: bool) -> tuple[BinaryPart | None, BinaryPart | None]:
    """Hunks as a change of bytes, and back; None without numbers, and for plain lines with others around them."""
    texts = ["\n" + "\n".join(body.lines) for _, body, _ in read]
    bytes_only = any("\r" in text or "\0" in text or (by_git and "\n " not in text) for text in texts)
    if not bytes_only or any(head.old is None for head, _, _ in read):
        return None, None
    return _exact_part(read, "-"), _exact_part(read, "+")


def _exact_part(read: _Hunks, removed: str) -> BinaryPart:
    """Hunks as a change of bytes from the lines with the sign `removed`."""
    rows: Rows = []
    for head, body, _ in read:
        sides: tuple[list[str], list[str]] = [], []
        for index, line in enumerate(body.lines):
            text = line[1:] + ("" if index in body.unended else "\n")
            for side, sign in zip(sides, (removed, {"-": "+", "+": "-"}[removed])):
                if line[0] in (" ", sign):
                    side.append(text)
        numbers = head.old if removed == "-" else head.new
        start = numbers[0] - bool(numbers[1]) if numbers is not None else 0
        old, new = ("".join(side).encode("utf-8", "surrogateescape") for side in sides)
        rows.append((start, old, new))
    return "lines", rows


_MOST_SOUGHT = 256 << 20  # bytes in which lines are looked for that are not at their numbers
_PER_PLACE = 200  # bytes that each place counts for


def _by_lines(rows: Rows, before: bytes) -> bytes:
    """The content with the lines of each hunk replaced, which have to be there byte for byte.

    They are at the end where nothing follows them in the diff, at their number, as far from it as those of the hunk
    above, or at one place only. A last line without an ending is the end of the file.
    """
    starts = [0, *(found.end() for found in re.finditer(b"\n", before))]
    made, at, moved, sought = bytearray(), 0, 0, 0
    for start, old, new in rows:
        numbers = [n for n in (start + moved, start) if 0 <= n < len(starts) and before.startswith(old, starts[n])]
        first = starts[numbers[0]] if numbers else -1
        mine, other = (side.removesuffix(b"\n").split(b"\n") for side in (old, new))
        if old and mine[0] == other[0] and mine[-1] != other[-1] and (b"\n" + before).endswith(b"\n" + old):
            first = len(before) - len(old)
        elif first < at and old and sought < _MOST_SOUGHT:
            places = [found.start() for found in re.finditer(b"^(?=" + re.escape(old) + b")", before, re.MULTILINE)]
            sought += len(before) + _PER_PLACE * len(places)
            if len(places) == 1:  # of several the hunks choose, with a note
                first, moved = places[0], bisect_left(starts, places[0]) - start
        stop = first + len(old)
        whole = all(side[-1:] in (b"", b"\n") for side in (old, new))
        if first < at or stop > len(before) or not (whole or stop == len(before)):
            raise ValueError("other lines")
        made += before[at:first] + new
        at = stop
    return bytes(made + before[at:])


def binary_content(part: BinaryPart, before: bytes, line: int) -> bytes:
    """The content that a part makes of another; raises P122 for a part that is broken."""
    kind, data = part
    try:
        if isinstance(data, list):
            return _by_lines(data, before)
        return data if kind == "literal" else _patched(data, before)
    except (IndexError, ValueError):
        if kind == "lines":
            words = "it changes line endings of lines that are not there", "diff anew"
        else:
            words = "a binary delta is broken, or for another content", "send it anew"
        raise unreadable("unified", line, *words) from None


def _patched(delta: bytes, before: bytes) -> bytes:
    """Git's delta: the sizes of both contents, then runs to copy from the old one and runs that are new."""
    old, at = _size(delta, 0)
    new, at = _size(delta, at)
    if old != len(before) or new > _MOST_BINARY:
        raise ValueError("another content")
    made = bytearray()
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            start = length = 0
            for bit in range(7):
                if code >> bit & 1:
                    if bit < 4:
                        start |= delta[at] << 8 * bit
                    else:
                        length |= delta[at] << 8 * (bit - 4)
                    at += 1
            length = length or 0x10000
            if start + length > len(before):
                raise ValueError("outside")
            made += before[start : start + length]
        elif code and at + code <= len(delta):
            made += delta[at : at + code]
            at += code
        else:
            raise ValueError("no such instruction")
        if len(made) > new:
            raise ValueError("too long")
    if len(made) != new:
        raise ValueError("too short")
    return bytes(made)


def _size(delta: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, at = delta[at], at + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at
        if shift > 63:
            raise ValueError("too long")


# -- the lines that name a file ----------------------------------------------------------------------
NOWHERE = "/dev/null"
_PAIRS = {"ab", "ba", "iw", "wi", "ci", "ic", "cw", "wc", "ow", "wo", "oi", "12", "21"}
_RELEASE = r"[-_]v?\d+\.\d"  # in a directory such as `zlib-1.2.13`, as archives have it


def _without_parts(name: str, count: int, line: int, literal: bool = False) -> str:
    """The path without its first parts, as `patch` counts them: each ends with slashes."""
    path = name if literal or "/" in name else name.replace("\\", "/")
    for _ in range(count):
        path = path.partition("/")[2].lstrip("/")
        if not path:
            reason = f"the path '{name}' has too few parts to remove {count}"
            raise unreadable("unified", line, reason, "give a smaller number of parts to remove")
    return path if literal else plain(path)


class FileHeader(Record):
    """What is known of one file of a diff before its hunks: names as written, git's own lines, and the line."""

    line: int
    data: tuple[BinaryPart | None, BinaryPart | None] = (None, None)  # a binary change, forward and backward
    old: str = ""
    new: str = ""
    git: str = ""  # the text behind `diff --git `
    binary: str = ""
    said: dict[str, str] = {}  # git's own lines
    old_epoch: bool = False
    new_epoch: bool = False
    dated: bool = False  # whether something is behind the name, which people leave out
    bare: bool = False  # whether the names are paths already, and not as a header writes them

    @property
    def literal(self) -> bool:
        """Whether git has put the names in quotes: a backslash in them is none that parts directories."""
        return self.git.startswith('"')


class HeaderNames(Record):
    """The paths that the headers of one diff mean; `strip` is how many leading parts they lose, where that is known."""

    foreign: Foreign
    lines: list[str]
    strip: int | None = None

    def of(self, header: FileHeader) -> tuple[str, str]:
        said = header.said
        for word in ("rename", "copy"):
            if f"{word} from" in said and f"{word} to" in said:
                old, new = whole_name(said[f"{word} from"]), whole_name(said[f"{word} to"])
                if self.strip is None or self.strip < 2:
                    return old, new
                less = self.strip - 1  # git writes no prefix there
                return _without_parts(old, less, header.line), _without_parts(new, less, header.line)
        old, new = header.old, header.new
        if header.git and not (old and new):
            old, new = git_names(header.git)
        if self.strip is not None:
            return (old, new) if header.bare else self.stripped(old, new, header)
        if NOWHERE in (old, new) and header.git:
            first, second = (name.partition("/") for name in git_names(header.git))
            named = second if old == NOWHERE else first
            if first == second and "".join(named) in (old, new):  # by '--no-prefix': else git writes two prefixes
                return "".join(named), "".join(named)
            if first[2] and first[2] == second[2] and first[0] != second[0]:
                path = self._kept("".join(named), len(named[0]) + 1)
                self.foreign.preferred[path] = path
                return path, path
        paths = self.stripped(old, new, header)
        if old != new and paths[0] == paths[1] and header.git.rstrip("\r") == f"{old} {new}":
            self.foreign.preferred[paths[1]] = paths[1]  # git writes two prefixes, or one name twice
        return paths

    def stripped(self, old: str, new: str, header: FileHeader | None = None) -> tuple[str, str]:
        if self.strip is not None:
            line, literal = (header.line, header.literal) if header is not None else (1, False)
            paths = [_without_parts(name, self.strip, line, literal) for name in (old, new) if name != NOWHERE]
            return self._either(paths[0], paths[-1], header)
        spelled = str if header is not None and header.literal else plain
        if NOWHERE in (old, new):
            one = new if old == NOWHERE else old
            if one[:2] in ("a/", "b/"):
                path = self._kept(one, 2)
            elif one.partition("/")[0] in self._prefixes_of_others:
                path = one.partition("/")[2]
            else:
                path = self._unpacked(spelled(one))
            return path, path
        pair = old[:1] + new[:1]
        if pair in _PAIRS and old[1:2] == new[1:2] == "/":
            return self._kept(old, 2), self._kept(new, 2)
        if (old[:2] == "a/" and old[2:] == new) or (new[:2] == "b/" and new[2:] == old):
            self.foreign.lenient("one-prefix", found=old, other=new)
            path = self._kept(old if old[:2] == "a/" and old[2:] == new else new, 2)
            return path, path
        first, _, rest = old.partition("/")
        other, _, also = new.partition("/")
        if rest and rest == also and first != other:
            return self._kept(old, len(first) + 1), self._kept(new, len(other) + 1)
        if old != new and header is not None and not header.bare:
            return self._either(spelled(old), spelled(new), header)
        return (self._unpacked(spelled(new)),) * 2

    def _either(self, old: str, new: str, header: FileHeader | None) -> tuple[str, str]:
        """The path of a file whose two names are not one path behind prefixes.

        A name is that of a copy if it is the other one with something behind it, such as `a.c.orig`, `a.c.new` and
        `a.c~`, or in another directory. Else the files show which of the two is meant.
        """
        if old == new:
            return old, old
        if header is not None and header.old_epoch != header.new_epoch:  # one of the files does not exist
            return (new if header.old_epoch else old,) * 2
        path, other = sorted((old, new), key=lambda name: (name[:1] == "/", name.count("/"), len(name)))
        if other.endswith("/" + path) or (other.startswith(path) and "/" not in other[len(path) :]):
            return (path if self.strip is not None else self._unpacked(path),) * 2
        self.foreign.spelled.setdefault(path, other)
        self.foreign.preferred.setdefault(path, "")
        return path, path

    def _kept(self, written: str, count: int) -> str:
        """The path without its first component, which is remembered with it."""
        path = written[count:]
        if ".." not in path.split("/"):  # or a path that leaves the prefix would be one that stays inside
            self.foreign.spelled.setdefault(path, written)
        return path

    def _unpacked(self, path: str) -> str:
        """The path without the directory that an archive is unpacked to, if the files are in that directory."""
        first, _, rest = path.partition("/")
        if not rest or re.search(_RELEASE, first) is None:
            return path
        inner = self._kept(path, len(first) + 1)
        self.foreign.preferred[inner] = path
        return inner

    @cached_property
    def _prefixes_of_others(self) -> set[str]:
        """The first components that other files of the diff have on one side only: `zlib.orig/` and `zlib/`.

        The name of a new file is that of one side, and does not show by itself what is a prefix.
        """
        found: set[str] = set()
        for at, line in enumerate(self.lines[:-1]):
            if line.startswith("--- ") and self.lines[at + 1].startswith("+++ "):
                old, new = (header_name(each[4:])[0].partition("/") for each in self.lines[at : at + 2])
                if old[2] and old[2] == new[2] and old[0] != new[0]:
                    found |= {old[0], new[0]}
        return found


# Not compiled: most names need it not.
_EPOCH = r"\b1970-01-01 |\bJan 0?1 00:00:00 1970|\b1969-12-31 "


def header_name(text: str) -> tuple[str, str]:
    """The name in a header line, and what is behind it: a date, a revision."""
    text = text.rstrip("\r")
    quoted = unquoted(text) if text.startswith('"') else None
    if quoted is not None:
        return quoted
    name, tab, rest = text.partition("\t")
    return (name, rest) if tab or name.split() == [name] else _dated(name)


def _dated(name: str) -> tuple[str, str]:
    """A name and a date or words in brackets that only spaces part from it."""
    found = re.match(r"^(\S+)\s+(\d{4}-\d\d-\d\d.*|\(.*\))$", name)
    return (found[1], found[2]) if found is not None else (name.rstrip(), "")


def whole_name(text: str) -> str:
    """The name that is all of a line of git's, in quotes or not."""
    quoted = unquoted(text) if text.startswith('"') else None
    return text if quoted is None else quoted[0]


def git_names(text: str) -> tuple[str, str]:
    """Both names of a `diff --git` line: in quotes, or the same but for their first component."""
    text = text.rstrip("\r")
    quoted = unquoted(text) if text.startswith('"') else None
    if quoted is not None:
        return quoted[0], whole_name(quoted[1][1:])
    if text.endswith('"') and ' "' in text:
        at = text.index(' "')
        return text[:at], whole_name(text[at + 1 :])
    at = _space_between(text)
    return (text[:at], text[at + 1 :]) if at >= 0 else (text, "")


def _space_between(text: str) -> int:
    """Where the space between two names is that are the same but for their first component; else the first space.

    Names are compared only where what is behind their first slashes is equally long, which is so at one space at most.
    """
    half = len(text) // 2
    if text[half : half + 1] == " " and text[:half] == text[half + 1 :]:
        return half
    first = second = text.find("/")
    at = text.find(" ", first + 1) if first >= 0 else -1
    while at >= 0:
        second = second if second > at else text.find("/", at)
        if second < 0:
            break
        length = at - first - 1
        if 0 < length == len(text) - second - 1 and text[first + 1 : at] == text[second + 1 :]:
            return at
        at = text.find(" ", at + 1)
    return text.find(" ")


def is_epoch(rest: str) -> bool:
    """Whether what is behind a name says that there is no file."""
    return bool(rest) and (re.search(_EPOCH, rest) is not None or "(nonexistent)" in rest)


def is_blob_id(word: str) -> bool:
    return 7 <= len(word) <= 40 and not word.strip("0123456789abcdef")


_MOST_DIGITS = 15  # digits of a number
_SIGNS = (" ", "-", "+")
NOT_ENDED = "\\ No newline at end of file"


class HunkHeader(Value):
    """What an `@@` line says: where the old lines begin and how many there are, the same of the new, and a text."""

    __slots__ = ("old", "new", "text")
    old: tuple[int, int] | None
    new: tuple[int, int] | None

    def __init__(self, line: str) -> None:
        ranges, mark, text = line[4:].partition(" @@")
        old, plus, new = ranges.partition(" +")
        self.old = self.new = None
        if mark and plus and line.startswith("@@ -"):
            self.old, self.new = _range(old), _range(new)
        if self.old is None or self.new is None:
            self.old = self.new = None
            text = line[2:].strip()
            text = text[:-2] if text.endswith("@@") else text
        self.text = text.strip()


def _range(text: str) -> tuple[int, int] | None:
    """`12,3` as two numbers; a missing count is 1."""
    start, comma, count = text.partition(",")
    if not comma:
        count = "1"
    for number in (start, count):
        if not (number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS):
            return None
    return int(start), int(count)


def is_hunk_header(line: str) -> bool:
    return line.startswith("@@") and not line.startswith("@@@") and (line[2:3] in ("", " ", "-", "."))


def is_file_header(lines: list[str], at: int) -> bool:
    """Whether `--- `, `+++ ` and a hunk follow each other here, which is what begins a file of a diff."""
    if not lines[at].startswith("--- ") or at + 1 >= len(lines) or not lines[at + 1].startswith("+++ "):
        return False
    if at + 2 >= len(lines) or is_hunk_header(lines[at + 2]) or not lines[at + 2].strip():
        return True
    return lines[at + 2][0] in _SIGNS and _name_one_file(lines[at], lines[at + 1])


def _name_one_file(old: str, new: str) -> bool:
    """Whether both lines are names of one file, so that they are a header even if its `@@` line is missing."""
    names = [header_name(line[4:])[0] for line in (old, new)]
    if "/dev/null" in names:
        names.remove("/dev/null")
    if not names or not all(is_path(name.replace(" ", "_")) for name in names):
        return False
    bare = [name.partition("/")[2] if name[:2] in ("a/", "b/") else name for name in names]
    return bare[0] == bare[-1]


def is_boundary(lines: list[str], at: int) -> bool:
    """Whether a line can only be outside of a hunk's body."""
    line = lines[at]
    if is_hunk_header(line) or line.startswith(("diff --git ", "diff -r ", "Index: ", "Property changes on: ", "```")):
        return True
    if line.startswith("--- ") and is_file_header(lines, at):
        return True
    if line.startswith("--") and line.rstrip() == "--":
        return at + 1 >= len(lines) or re.match(r"\d+\.\d+", lines[at + 1]) is not None
    return line.startswith("From ") and re.match(r"From [0-9a-f]{40} ", line) is not None


class HunkBody(Record):
    """The body of one hunk, read: its lines with their signs, the line behind it, and which lines end without LF."""

    stop: int
    lines: list[str] = []
    unended: set[int] = set()  # indices into `lines`
    notes: list[Note] = []
    counted: bool = True  # whether the header's counts are those of the body


_Hunks = list[tuple[HunkHeader, HunkBody, int]]  # of one file: each with the number of its first line


def read_body(lines: list[str], at: int, header: HunkHeader) -> HunkBody:
    """Reads the lines below an `@@` line at `at` - 1."""
    body = _by_counts(lines, at, header)
    if body is None:
        body = _by_look(lines, at)
        body.counted = header.old is None
    return body


def _by_counts(lines: list[str], at: int, header: HunkHeader) -> HunkBody | None:
    """The body that the counts measure out; None where they do not fit what is there."""
    if header.old is None or header.new is None:
        return None
    old, new = header.old[1], header.new[1]
    body = HunkBody(at)
    lost_sign = False
    while old > 0 or new > 0:
        if at >= len(lines):
            return None
        line = lines[at]
        sign = line[:1]
        if sign == "\\" and body.lines:
            body.unended.add(len(body.lines) - 1)
        elif sign in ("", "\r", " ") or (sign not in (*_SIGNS, "\\") and not is_boundary(lines, at)):
            if old == 0 or new == 0 or (not sign and at == len(lines) - 1):
                return None
            old, new = old - 1, new - 1
            lost_sign = lost_sign or sign not in ("", "\r", " ")
            if sign != " ":
                body.notes.append(Note("P901", lenience="missing-sign", patch_line=at + 1, found=line.rstrip("\r")))
                line = " " + line
            body.lines.append(line)
        elif sign == "-" and old:
            old -= 1
            body.lines.append(line)
        elif sign == "+" and new:
            new -= 1
            body.lines.append(line)
        else:
            return None
        at += 1
    if at < len(lines) and lines[at].startswith("\\") and body.lines:
        body.unended.add(len(body.lines) - 1)
        at += 1
    body.stop = at
    if at < len(lines) and lines[at][:1] in _SIGNS and not is_boundary(lines, at) and not _is_signature(lines, at):
        return None  # more lines follow: the counts are too small
    changes = any(line[0] != " " for line in body.lines)
    if lost_sign and at < len(lines) and not is_boundary(lines, at) and (lines[at].strip() or not changes):
        return None  # and nothing else shows where the body ends
    return body if body.lines else None


def _is_signature(lines: list[str], at: int) -> bool:
    """Whether the line `-- ` ends a mail here."""
    return lines[at].rstrip() == "--" and all(not line[:1] or line[0] not in "-+@" for line in lines[at + 1 : at + 3])


def _by_look(lines: list[str], at: int) -> HunkBody:
    """The body as far as its lines look like one: to the next header, or to text that no signed line follows."""
    stop = at
    while stop < len(lines) and not is_boundary(lines, stop):
        stop += 1
    last = at - 1  # the last line that is surely the body's
    for number in range(at, stop):
        sign = lines[number][:1]
        if sign in ("-", "+") or (sign == "\\" and last >= at) or (sign == " " and lines[number].strip()):
            last = number
    lost = any(line.strip() and line[:1] not in (*_SIGNS, "\\") for line in lines[at:last])
    if lost and stop < len(lines) and is_hunk_header(lines[stop]):
        last = stop - 1  # what is above the next hunk is context that has lost its sign, too
    body = HunkBody(last + 1)
    for number in range(at, last + 1):
        line = lines[number]
        if line[:1] == "\\":
            if body.lines:
                body.unended.add(len(body.lines) - 1)
            continue
        if line[:1] not in _SIGNS:
            body.notes.append(Note("P901", lenience="missing-sign", patch_line=number + 1, found=line.rstrip("\r")))
            line = " " + line
        body.lines.append(line)
    while body.lines and not body.lines[-1].strip() and not body.unended:
        body.lines.pop()  # blank lines between the hunk and what follows
    return body


def as_hunk(header: HunkHeader, body: HunkBody, line: int) -> Hunk:
    """The hunk of an update. The numbers stay as a hint; text behind numbers is git's and is not an anchor."""
    anchors = [header.text] if header.old is None and header.text.strip(" .") else []
    hunk = Hunk(anchors, body.lines, line=line)
    hunk.body_line = line + 1
    if header.old is not None and header.new is not None:
        hunk.hint = header.old[0]
        hunk.numbers = *header.old, *header.new
    for index in sorted(body.unended):
        sign = body.lines[index][0]
        hunk.at_eof = True
        if sign == "-":
            hunk.final_newline = hunk.was_unended = True
        elif sign == "+":
            hunk.final_newline = False
    return hunk


# A diff in a mail is bytes: the character set that the mail names is that of its message, and is left alone.
_ENCODED = r"(?im)^content-transfer-encoding:\s*(?:quoted-printable|base64)"
_MULTIPART = r"(?im)^content-type:\s*multipart/"
# The line above each mail in a mailbox.
_MAIL = r"(?m)^From (?:[0-9a-f]{40} |\S{1,300} .{0,40}\d:\d\d:\d\d .{0,20}\d{4}$)"
_NESTING = r"(?im)^content-type:\s*(?:multipart|message)/.*(?:\n[ \t].*)*"
_MOST_NESTED = 16  # mails and lists of parts in one mail: each line is compared with the end of every open one
_LONGEST_HEADER = 20_000  # characters; the library reads some headers again for each of their parameters


def without_transfer_encodings(text: str) -> str:
    """Returns the text with every encoded mail decoded; raises P122 for one that no mail program makes."""
    if re.search(_ENCODED, text) is None:
        return text
    starts = [0, *(found.start() for found in re.finditer(_MAIL, text) if found.start())]
    lines, before, mails = 1, 0, []
    for start, stop in zip(starts, [*starts[1:], len(text)]):
        lines, before = lines + text.count("\n", before, start), start
        mails.append(_decoded(text[start:stop], lines))
    return "".join(mails)


def _decoded(mail: str, line: int) -> str:
    head = mail.partition("\n\n")[0]
    if not re.search(_ENCODED, mail if re.search(_MULTIPART, head) else head):
        return mail
    nested = list(re.finditer(_NESTING, mail.replace("\r\n", "\n").replace("\r", "\n")))  # as the library ends lines
    if len(nested) > _MOST_NESTED:
        raise unreadable("unified", line, "a mail has too many parts in parts", "send the diff alone")
    if any(len(found[0]) > _LONGEST_HEADER for found in nested):
        raise unreadable("unified", line, "a header of a mail is too long", "send the diff alone")
    from email import message_from_bytes  # hardly any diff needs it, and it loads thirty modules

    first, _, rest = mail.partition("\n") if mail.startswith("From ") else ("", "", mail)
    try:
        message = message_from_bytes(rest.encode("utf-8", "surrogateescape"))
        texts = [part for part in message.walk() if not part.is_multipart() and part.get_content_subtype() != "html"]
        parts = [part.get_payload(decode=True) for part in texts]
    except RecursionError:
        raise unreadable("unified", line, "a mail has too many parts in parts", "send the diff alone") from None
    except (ValueError, LookupError, AttributeError):  # the library raises these for headers that contradict each other
        return mail
    body = b"\n".join(part for part in parts if isinstance(part, bytes))
    return f"{first}\n\n" + body.decode("utf-8", "surrogateescape") + "\n"
