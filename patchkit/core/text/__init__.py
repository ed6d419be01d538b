"""A file's text as lines that remember their endings.

Takes the bytes of a file and gives them back unchanged but for the spans that are replaced. Lines end
at LF or CRLF; at a lone CR only in files that use nothing else. Nothing is decoded until a caller
asks for text: bytes that are not UTF-8 pass through, and an exact match never needs to split a file.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from patchkit.core.text.lines import LazyLines

UTF8_BOM = b"\xef\xbb\xbf"
# Bytes; the lines of a larger file are decoded when they are used: a list of all is six times the file.
LARGE = 32 << 20
_FEW = 4  # lines that are counted up to one by one
_SHARE = 20  # of so many lines one has to be asked for before all are counted at once
WIDE_MARKS = (  # the longer mark first: UTF-32's begins with UTF-16's
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

ENDINGS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}  # by `Document.endings`; those of a 'mixed' file differ by line


def is_utf8(data: bytes) -> bool:
    """Whether all bytes of a content are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_surely_utf8(data: bytes) -> bool:
    """Whether a file is UTF-8 beyond doubt; one of ASCII characters alone may be declared as something else."""
    if data.isascii():
        return b"coding" not in data[:1024] and b"charset" not in data[:1024]
    return is_utf8(data)


class Document:
    """The text of one file, without its byte order mark, as ASCII-compatible bytes.

    `codec` names the encoding the file is kept in where the data are its text in UTF-8 instead: a wide one with its
    mark, or one that a caller knows to be that of the file; None for data that are the file's own bytes. `separator`
    is the byte that ends a line; `endings` says how lines end: 'lf', 'crlf', 'mixed' (LF and CRLF), or 'cr'.
    """

    __slots__ = ("bom", "data", "codec", "separator", "endings", "_texts", "_offsets", "_asked", "known")
    bom: bytes
    data: bytes
    codec: str | None
    separator: bytes
    endings: str
    _texts: Sequence[str] | None
    _offsets: list[int] | None
    _asked: int  # how many single lines were counted up to, without counting all
    known: object  # what matching keeps of a document that is searched again and again; None for most

    def __init__(self, raw: bytes, codec: str | None = None) -> None:
        self.bom = b""
        self.codec = codec
        self.data = raw
        if codec is not None:
            self.data = raw.decode(codec).encode()
        elif raw[:1] in (b"\xef", b"\xff", b"\xfe", b"\x00"):
            self._take_off_mark(raw)
        self._texts = None
        self._offsets = None
        self._asked = 0
        self.known = None
        self.separator = b"\n"
        self.endings = "lf"
        data = self.data
        if b"\r" in data:
            ends = data.count(b"\n")
            pairs = data.count(b"\r\n")
            if not ends:
                self.separator, self.endings = b"\r", "cr"
            elif pairs:
                self.endings = "crlf" if pairs == ends else "mixed"

    def __repr__(self) -> str:
        return f"Document({len(self.data)} bytes, {self.encoding}, {self.endings})"

    def _take_off_mark(self, raw: bytes) -> None:
        if raw.startswith(UTF8_BOM):
            self.bom, self.data = UTF8_BOM, raw[3:]
            return
        for mark, codec in WIDE_MARKS:
            if raw.startswith(mark):
                body = raw[len(mark) :]
                if b"\n" in body and b"\0" not in body:
                    return  # every line end of a wide encoding has one, so these are line ends of another
                try:
                    narrow = body.decode(codec, "surrogatepass").encode("utf-8", "surrogatepass")
                    if narrow.decode("utf-8", "surrogatepass").encode(codec, "surrogatepass") != body:
                        return
                except UnicodeError:
                    return  # not what the mark says: kept as the bytes it is
                self.bom, self.data, self.codec = mark, narrow, codec
                return

    @classmethod
    def with_mark_as_text(cls, raw: bytes) -> Document:
        """A UTF-8 document whose byte order mark is part of its first line, for changes that are about the mark."""
        document = cls(b" " + raw)  # behind anything else, a mark is text
        document.data = raw
        return document

    new_ending: bytes | None = None  # of all new lines; None where each takes that of the line it replaces

    @property
    def kept(self) -> bytes:
        """The bytes that stay where nothing is replaced."""
        return self.data

    # -- bytes out -------------------------------------------------------------------------------

    def file_bytes(self, pieces: list[bytes]) -> list[bytes]:
        """Returns the pieces of this document's text as the bytes of a file of its kind."""
        if self.codec:
            text = b"".join(pieces).decode("utf-8", "surrogatepass")
            pieces = [text.encode(self.codec, "surrogatepass")]
        return [self.bom, *pieces] if self.bom else pieces

    def encode(self, text: str) -> bytes:
        """Returns patch text as bytes of this document; only UTF-8 can hold bytes that are not text.

        Raises UnicodeEncodeError for a character that the file's encoding lacks.
        """
        if self.codec:
            text.encode(self.codec)
        return text.encode("utf-8", "strict" if self.codec else "surrogateescape")

    @property
    def encoding(self) -> str:
        """The name of the file's encoding, for messages."""
        if self.codec is None:
            return "UTF-8"
        return self.codec[:6].upper() if self.codec.startswith("utf") else self.codec

    # -- lines -----------------------------------------------------------------------------------

    @property
    def texts(self) -> list[str]:
        """Every line's text without its ending; bytes that are not UTF-8 become lone surrogates."""
        if self._texts is None:
            self._texts = self.lazy_texts() if len(self.data) > LARGE else self.texts_of(self.data)
        return self._texts  # type: ignore[return-value]  # lazy lines serve as a list

    @property
    def has_lines(self) -> bool:
        """Whether the lines were asked for."""
        return self._texts is not None

    def forget_lines(self) -> None:
        """Leaves out what was worked out about the lines, until it is asked for again."""
        self._texts = self._offsets = None

    def lazy_texts(self) -> LazyLines:
        """The same texts, decoded when they are used and then forgotten."""
        from patchkit.core.text.lines import LazyLines, LineBlocks

        return LazyLines(LineBlocks(self.data, self.separator, self.texts_of))

    def texts_of(self, data: bytes | memoryview) -> list[str]:
        """The texts of some whole lines of this document, given as the bytes of its data."""
        text = str(data, "utf-8", "surrogateescape")
        lines = text.split("\r" if self.endings == "cr" else "\n")
        ended = not lines[-1]
        if ended:
            lines.pop()
        if self.endings in ("crlf", "mixed"):
            unended = "" if ended or not lines else lines.pop()
            lines = [line[:-1] if line[-1:] == "\r" else line for line in lines]
            if unended:
                lines.append(unended)
        return lines

    def start(self, line: int) -> int:
        """Where a line begins; of a large file not all are worth counting."""
        from patchkit.core.text.lines import LazyLines

        if self._offsets is None and len(self.data) > LARGE:
            self._texts = self._texts or self.lazy_texts()
            if isinstance(self._texts, LazyLines):
                return self._texts.offset(line)
        if self._offsets is None and self._asked < _FEW and self.endings != "mixed":
            self._asked += 1
            return self.starts([line])[0] if line < len(self.texts) else len(self.data)
        return self.offsets[line]

    @property
    def offsets(self) -> list[int]:
        """Where each line begins, and after the last line the length of the data."""
        if self._offsets is None:
            from itertools import accumulate  # an exact match of text needs no offsets

            lines = self.data.split(self.separator)
            if not lines[-1]:
                lines.pop()
            starts = list(accumulate(map((1).__add__, map(len, lines)), initial=0))  # each line and its one-byte end
            starts[-1] = len(self.data)
            self._offsets = starts
        return self._offsets

    def starts(self, lines: list[int]) -> list[int]:
        """Where these lines begin, the uppermost first: a few of them cost less than all."""
        if len(lines) * _SHARE > len(self.texts) and len(self.data) <= LARGE:
            offsets = self.offsets
            return [offsets[line] for line in lines]
        if self._offsets is not None or self.endings == "mixed" or len(self.data) > LARGE:
            return [self.start(line) for line in lines]
        texts, width = self.texts, 2 if self.endings == "crlf" else 1
        found, above, offset = [], 0, 0
        for line in lines:
            between = "".join(texts[above:line])
            size = len(between) if between.isascii() else len(between.encode("utf-8", "surrogateescape"))
            offset += size + width * (line - above)
            above = line
            found.append(offset)
        return found

    def boundaries(self, offset: int, count: int, line: int | None = None) -> list[int]:
        """Where each of `count` lines from `offset` begins, and where the last one ends.

        `line` is the number of the first of them, where that is known.
        """
        if self._offsets is not None:
            if line is None:
                from bisect import bisect_left  # a plain run has no offsets

                line = bisect_left(self._offsets, offset)
            return self._offsets[line : line + count + 1]
        data, separator, found = self.data, self.separator, [offset]
        for _ in range(count):
            offset = data.find(separator, offset) + 1 or len(data)
            found.append(offset)
        return found

    @property
    def terminated(self) -> bool:
        """Whether the last line has its ending; an empty file has no line that lacks one."""
        return not self.data or self.data.endswith(self.separator)

    def ending_of(self, start: int, stop: int) -> bytes:
        """The ending of the line between two boundaries, b'' for an unterminated last line."""
        if not self.data.endswith(self.separator, start, stop):
            return b""
        return b"\r\n" if self.data.endswith(b"\r\n", start, stop) else self.separator

    def ending_near(self, offset: int) -> bytes:
        """The ending an inserted line takes at `offset`: the line's above, else the one's below."""
        data, separator = self.data, self.separator
        above = data.rfind(separator, 0, offset)
        end = above if above >= 0 else data.find(separator, offset)
        if end < 0:
            return separator
        return b"\r\n" if separator == b"\n" and data[end - 1 : end] == b"\r" else separator
