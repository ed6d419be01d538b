"""Take the transfer encodings off mails, so that the diffs in them can be read.

Takes the text of one or many mails; gives it with the decoded bodies of those that are encoded in base64 or as
quoted-printable, or have such parts. A diff is bytes: the character set that a mail names is that of its message, and
is left alone, as git does.
"""

from __future__ import annotations

import re
from email import message_from_bytes

from patchkit.formats.model import unreadable

_ENCODED = re.compile(r"(?im)^content-transfer-encoding:\s*(?:quoted-printable|base64)")
_PARTS = re.compile(r"(?im)^content-type:\s*multipart/")
# The line above each mail in a mailbox.
_FIRST = re.compile(r"(?m)^From (?:[0-9a-f]{40} |\S{1,300} .{0,40}\d:\d\d:\d\d .{0,20}\d{4}$)")
_NESTING = re.compile(r"(?im)^content-type:\s*(?:multipart|message)/.*(?:\n[ \t].*)*")
_MOST_NESTED = 16  # mails and lists of parts in one mail: each line is compared with the end of every open one
_LONGEST_HEADER = 20_000  # characters; the library reads some headers again for each of their parameters


def without_transfer_encodings(text: str) -> str:
    """Returns the text with every encoded mail decoded; raises P122 for one that no mail program makes."""
    if _ENCODED.search(text) is None:
        return text
    starts = [0, *(found.start() for found in _FIRST.finditer(text) if found.start())]
    lines, before, mails = 1, 0, []
    for start, stop in zip(starts, [*starts[1:], len(text)]):
        lines, before = lines + text.count("\n", before, start), start
        mails.append(_decoded(text[start:stop], lines))
    return "".join(mails)


def _decoded(mail: str, line: int) -> str:
    head = mail.partition("\n\n")[0]
    if not _ENCODED.search(mail if _PARTS.search(head) else head):
        return mail
    nested = list(_NESTING.finditer(mail.replace("\r\n", "\n").replace("\r", "\n")))  # as the library ends lines
    if len(nested) > _MOST_NESTED:
        raise unreadable("unified", line, "a mail has too many parts in parts", "send the diff alone")
    if any(len(found[0]) > _LONGEST_HEADER for found in nested):
        raise unreadable("unified", line, "a header of a mail is too long", "send the diff alone")
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
