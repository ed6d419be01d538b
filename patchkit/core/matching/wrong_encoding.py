"""Lines of a hunk as a shell showed them in the wrong encoding, and how to undo it.

Takes the lines of a hunk that is nowhere and the lines of the file; gives the hunk with the file's own characters. A
line of the hunk, back in the bytes that it was read from, has to be a line of the file, byte by byte, but for
characters that were lost on the way. So the file itself proves it; nothing is taken for its likeness.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from functools import lru_cache
from unicodedata import name

from patchkit.core.matching import FEW, MOST_COMPARED

# UTF-8 text is read in these encodings by shells by default; `utf-8`: bytes that are not UTF-8 were
# read as UTF-8, which loses them. The words are those of the note.
READ_AS = {
    "gbk": "GBK",
    "cp1252": "Windows-1252",
    "cp932": "Shift_JIS",
    "cp949": "cp949",
    "cp437": "cp437",
    "utf-8": "UTF-8",
}
_LOST = "?\ufffd\u30fb"  # what decoders put in place of bytes that they cannot read
_INNER = bytes(range(0x80, 0xC0))  # bytes of a character in UTF-8 that are not its first

TYPE_CHECKING = False
if TYPE_CHECKING:
    Part = bytes | None  # the bytes of a character, None for a lost one


class MisreadLines:
    """The lines of a file, as they may have been shown."""

    __slots__ = ("_there", "_data", "_compared", "_scripts")

    def __init__(self, texts: list[str]) -> None:
        self._there = set(map(str.strip, texts))
        self._data: list[tuple[bytes, str]] | None = None  # lines with other characters than ASCII, as bytes
        self._compared = 0
        self._scripts: set[str] | None = None

    def undone(self, lines: list[str], codec: str, proven: bool = False) -> list[str] | None:
        """The lines of a hunk with what was read in a wrong encoding undone; None where the file does not prove it.

        Every old line that the file lacks and that has such characters has to be one line of the file, and there has to
        be one, unless another hunk of the file has `proven` the encoding. Added lines are repaired by the same step
        where that gives characters of scripts that the file has. None where one of them has lost characters that no old
        line has.
        """
        shown: dict[str, str] = {}  # old lines, stripped, and what they are in the file
        for line in lines:
            bare = line[1:].strip()
            if line[0] == "+" or bare.isascii() or bare in self._there or bare in shown:
                continue
            found = self._found(bare, codec)
            if found is None:
                return None
            shown[bare] = found
        if not shown and not proven:
            return None
        made = []
        for line in lines:
            bare = line[1:].strip()
            if line[0] != "+":
                new: str | None = shown.get(bare, bare)
            else:
                new = bare if bare.isascii() else _repaired(bare, codec, shown, self._known_scripts())
            if new is None:
                return None
            at = len(line) - len(line[1:].lstrip())
            made.append(line[:at] + new + line[at + len(bare) :])
        return made

    def read_as(self, old: list[str]) -> str:
        """The encoding in which one of these lines was read that is a line of the file; '' where none was."""
        other = [line.strip() for line in old if not line.isascii() and line.strip() not in self._there]
        return next((codec for codec in READ_AS for line in other if self._found(line, codec) is not None), "")

    def _known_scripts(self) -> set[str]:
        if self._scripts is None:
            self._scripts = {_script(char) for char in set("".join(self._there)) if not char.isascii()}
        return self._scripts

    def _found(self, line: str, codec: str) -> str | None:
        """The one line of the file that was shown so; or one that shows so what the patch has right."""
        parts = _parts(line, codec)
        if parts is not None and codec != "utf-8" and None not in parts:
            text = _decoded(b"".join(map(bytes, parts)))  # type: ignore[arg-type]  # none is lost
            if text in self._there:
                return text
        elif parts is not None and None in parts:
            return self._with_lost(parts, codec)
        try:
            back = line.encode().decode(codec)  # the file itself was written so, and the patch has it right
        except UnicodeError:
            return None
        return back if back in self._there else None

    def _with_lost(self, parts: list[Part], codec: str) -> str | None:
        if self._data is None:
            other = sorted(text for text in self._there if not text.isascii())
            self._data = [(text.encode("utf-8", "surrogateescape"), text) for text in other]
        runs = _runs(parts)
        known = max(runs, key=len)
        self._compared += len(self._data)
        if (codec != "utf-8" and all(map(bytes.isascii, runs))) or self._compared > MOST_COMPARED:
            return None  # nothing that was garbled is left of it
        likely = [(data, text) for data, text in self._data if known in data]
        self._compared += len(parts) * len(likely)
        if self._compared > MOST_COMPARED:
            return None
        texts = {text for data, text in likely if _behind(parts, data, codec) >> len(data)}
        return texts.pop() if len(texts) == 1 else None


def _parts(line: str, codec: str) -> list[Part] | None:
    """The bytes that each character of a line was read from; None for one that no bytes are read as."""
    known: dict[str, Part] = {}
    for char in set(line):
        if char == "\ufffd" or (char in _LOST and codec != "utf-8"):
            known[char] = None
            continue
        try:
            known[char] = char.encode(codec, "surrogateescape")
        except UnicodeError:
            if codec != "cp1252" or ord(char) > 0xFF:
                return None
            known[char] = char.encode("latin-1")  # what the code page leaves open is shown as a control character
    return [*map(known.__getitem__, line)]


def _runs(parts: list[Part]) -> list[bytes]:
    """The bytes between lost characters."""
    lost = [-1, *(at for at, part in enumerate(parts) if part is None), len(parts)]
    return [b"".join(filter(None, parts[at + 1 : stop])) for at, stop in zip(lost, lost[1:])]


@lru_cache(257)
def _digits(byte: int) -> bytes:
    """A table that makes 1 of a byte, and 0 of any other; -1: of those that are not ASCII."""
    return bytes([48 + (each == byte or (byte < 0 and each > 0x7F)) for each in range(256)])


def _behind(parts: list[Part], data: bytes, codec: str, places: int = 1) -> int:
    """Where in a line of the file the parts may end that begin at these places, which are the bits of a number."""
    if len(parts) * len(data) > MOST_COMPARED * FEW:
        return 0
    back = data[::-1]
    where = {byte: int(b"0" + back.translate(_digits(byte)), 2) for byte in {-1, *b"".join(filter(None, parts))}}
    others = where[-1]
    for part in parts:
        if part is not None:
            for byte in part:
                places = (places & where[byte]) << 1
        elif codec == "utf-8":  # one byte or more of those that are not ASCII
            places = (places & others) << 1
            places |= ((places & others) + others) ^ others
        else:  # a lost character may have taken the next one with it
            places = (places << 1 | places << 2 | places << 3) & ((2 << len(data)) - 1)
    return places


def _cut(head: list[Part], middle: list[Part], tail: list[Part], data: bytes, codec: str) -> tuple[bytes, bytes] | None:
    """The bytes of the head and of the tail where the line is the three of them; the longest head counts."""

    def before(parts: list[Part], places: int) -> int:
        """Where the parts may begin that end at one of these places, counted from the end as these are."""
        return _behind([part and part[::-1] for part in reversed(parts)], data[::-1], codec, places)

    def mirrored(places: int) -> int:
        return int(f"{places:0{len(data) + 1}b}"[::-1], 2)

    begins = before(tail, 1)
    stops = _behind(head, data, codec) & mirrored(before(middle, begins))
    if not stops:
        return None
    stop = stops.bit_length() - 1
    last = _behind(middle, data, codec, 1 << stop) & mirrored(begins)
    return data[:stop], data[last.bit_length() - 1 :]


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeError:
        return None


def _script(char: str) -> str:
    """The script of a letter, such as CJK or CYRILLIC; other characters have none."""
    return name(char, "?").split(" ")[0].split("-")[0] if char.isalpha() else ""


def _repaired(line: str, codec: str, shown: dict[str, str], scripts: set[str]) -> str | None:
    """An added line as it was meant: itself where it was not garbled; None where what it lost is not known."""
    parts = _parts(line, codec)
    if parts is None or (codec == "utf-8" and None not in parts):
        return line
    text = _decoded(b"".join([part or b"\xff" for part in parts]))
    if text is not None and {_script(char) for char in text if not char.isascii()} <= scripts | {""}:
        return text
    if not _is_garbled(parts, scripts) and "\ufffd" not in line:
        return line
    for seen, there in shown.items():
        new = _as_in(line, seen, there, codec, scripts)
        if new is not None:
            return new
    return None


def _is_garbled(parts: list[Part], scripts: set[str]) -> bool:
    """Whether what is left between lost characters is the beginning, or a part, of UTF-8 in the file's scripts."""
    for number, run in enumerate(_runs(parts)):
        data = run.lstrip(_INNER) if number else run  # the rest of a character of which the beginning was lost
        try:
            text = getincrementaldecoder("utf-8")().decode(data)
        except UnicodeError:
            continue
        if not data.isascii() and {_script(char) for char in text if not char.isascii()} <= scripts | {""}:
            return True
    return False


def _as_in(line: str, seen: str, there: str, codec: str, scripts: set[str]) -> str | None:
    """An added line that begins and ends as an old line was shown, with what the file has there."""
    most = min(len(line), len(seen))
    head = next((n for n in range(most) if line[n] != seen[n]), most)
    tail = next((n for n in range(most - head) if line[-1 - n] != seen[-1 - n]), most - head)
    parts = _parts(seen, codec)
    middle = line[head : len(line) - tail]
    if parts is None or head + tail == 0 or (not middle.isascii() and "\ufffd" in middle):
        return None
    cuts = parts[:head], parts[head : len(seen) - tail], parts[len(seen) - tail :]
    fits = _cut(*cuts, there.encode("utf-8", "surrogateescape"), codec)
    if fits is None:
        return None
    before, after = (data.decode("utf-8", "replace") for data in fits)
    new = middle if middle.isascii() else _repaired(middle, codec, {}, scripts)
    if new is None or "\ufffd" in before + after:
        return None
    return before + new + after
