"""An image as a block that a model can look at."""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.tools.reading.source import Source
from patchkit.tools.result import Result

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
MOST_BYTES = 5 << 20  # as much as the model APIs take
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def mime_type(source: Source) -> str:
    """What kind of image a file named like one holds; '' when it holds none: a pointer of git-lfs, say.

    The content tells, not the name: an API refuses a JPEG that is announced as a PNG.
    """
    if not source.path.lower().endswith(SUFFIXES):
        return ""
    if source.head[:4] == b"RIFF" and source.head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for mark, kind in _SIGNATURES if source.head.startswith(mark)), "")


def image(source: Source, kind: str) -> Result:
    """The image as one block, in base64."""
    from base64 import b64encode

    if source.data is None or source.size > MOST_BYTES:
        size = f"{source.size / (1 << 20):.1f} MB of at most {MOST_BYTES >> 20}"
        raise PatchkitError("P618", file=source.path, reason=f"it is too large for an image ({size})")
    block = {"type": "image", "base64": b64encode(source.data).decode("ascii"), "mime_type": kind}
    return Result(
        "success",
        {"kind": "image", "blocks": [block]},
        f"{source.path}: {kind}, {source.size} bytes, as an image block",
    )
