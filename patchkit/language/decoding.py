"""Patch bytes to patch text: UTF-8, or what a byte order mark says, else carried byte for byte."""

from __future__ import annotations

from patchkit.errors import PatchkitError

_MARKS = (  # the longer mark first: UTF-32's begins with UTF-16's
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def decode(data: bytes) -> str:
    """Returns the text of a patch. Bytes that are no UTF-8 become lone surrogates and are written back as they were."""
    if data[:1] in (b"\xff", b"\xfe", b"\x00"):
        for mark, codec in _MARKS:
            if data.startswith(mark):
                try:
                    return "\ufeff" + data.decode(codec)
                except UnicodeError:
                    raise PatchkitError("P111", encoding=codec.upper()) from None
    return data.decode("utf-8", "surrogateescape")
