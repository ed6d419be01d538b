"""What every adapter shares: a workspace as one runtime uses it, and its answers as they may be sent.

Takes calls as a runtime makes them; returns a Result whose strings can all be encoded, or text for a model. A name of a
file whose bytes are not UTF-8 is a string with lone surrogates in Python: a client that meets one drops the message or
the whole conversation, so such bytes are shown escaped. Every call goes through `tools.calling`; adapters translate and
nothing more.
"""

from __future__ import annotations

import os

from patchkit.core.text import Document
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.history.outputs import opened
from patchkit.policy import settings_files
from patchkit.policy.permissions import Judge
from patchkit.policy.rules import ASK
from patchkit.policy.settings import settings
from patchkit.reading import open_file
from patchkit.report.result import Json, Result, failure
from patchkit.tools.arguments import checked
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import effect_and_name, named
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from patchkit.host_input import Fix, Partial


class Host(Value):
    """A workspace as one runtime uses it: the root, whether an agent calls on its own, and the session of its reads."""

    __slots__ = ("root", "real", "agent", "session", "fix", "partial", "read_first", "reminds")

    def __init__(
        self,
        root: str | os.PathLike[str] = ".",
        agent: bool = False,
        session: str = "",
        *,
        fix: Fix = "",
        partial: Partial = "",
    ) -> None:
        self.work_in(root)
        self.agent = agent
        self.session = session or f"{os.getpid()}-{os.urandom(6).hex()}"
        self.fix = fix  # an option of apply_patch, where a call does not choose it itself
        self.partial = partial  # as above
        self.read_first = True  # whether files must have been read before they are changed; some contracts show them
        self.reminds = False  # the model is Claude: to others a reminder reads like something that the file says

    def work_in(self, root: str | os.PathLike[str]) -> None:
        """Fixes the workspace: the process may change its directory later, and a link may take its place."""
        self.root = os.path.abspath(os.fspath(root))
        self.real = os.path.realpath(self.root)

    @classmethod
    def of(cls, root: Root, agent: bool, session: str = "") -> Host:
        """The host of a workspace, or the one that was given in its place."""
        return root if isinstance(root, Host) else cls(root, agent, session)

    def call(
        self,
        name: str,
        arguments: object,
        *,
        cancelled: Callable[[], bool] | None = None,
        on_output: Callable[[bytes], None] | None = None,
        on_progress: Callable[[str, int, int], None] | None = None,
        without_limits: bool = False,
    ) -> Result:
        """Calls a tool and returns its Result, every string of which can be encoded; never raises PatchkitError."""
        if os.path.realpath(self.root) != self.real:
            reason = "it leads to another directory than when it was named"
            return refusal(PatchkitError("P312", root=self.root, reason=reason))
        chosen = {field: value for field in ("fix", "partial") if (value := getattr(self, field))}
        if chosen and name == "apply_patch" and isinstance(arguments, dict):
            arguments = {**chosen, **arguments}
        caller = Caller(self.root, self.root, self.agent)
        caller.session, caller.read_first = self.session, self.read_first
        caller.cancelled, caller.on_output, caller.by_hand = cancelled, on_output, without_limits
        caller.on_progress, caller.by_call, caller.reminds = on_progress, True, self.reminds
        return sendable(call(name, arguments, caller))

    def content(self, path: str) -> bytes:
        """The bytes of a file that a call has been allowed to read, or of a large result; raises PatchkitError."""
        with Workspace(self.root) as files:
            found = opened(files, path) if path.startswith("/") else None
            with found or open_file(files, path) as file:
                return file.content()

    def needs_approval(self, name: str, arguments: object) -> bool:
        """Whether a rule of the project, not a default, says that a person has to be asked about this call.

        An agent on its own is denied such a call. A call that cannot be judged is refused when it is made.
        """
        if self.agent or not settings_files(os.path.realpath(self.root)):
            return False
        try:
            tool = named(name)
            given = checked(tool, arguments)
            with Workspace(self.root) as files:
                judge = Judge(files, settings(files.real), effect_and_name, session=self.session)
                parts = judge.judge(tool.name, tool.deeds(judge.deeds, given)).parts
        except PatchkitError:
            return False
        return any(part.decision == ASK and part.rule is not None and not part.rule.is_default for part in parts)


Root = str | os.PathLike[str] | Host  # what an adapter takes: a workspace, or one with its own choices


def refusal(error: Exception) -> Result:
    """The answer of an adapter that refuses a call itself, or of one that failed: in words for a model."""
    from patchkit.report.diagnostics import as_error  # only for a refusal

    found = as_error(error)
    for each in found.errors:
        each.facts["by_call"] = (None,)
    return sendable(failure(found))


def sendable(result: Result) -> Result:
    """The result with every lone surrogate escaped, in its text, data, errors and notes."""
    for name in ("text", "data", "errors", "notes", "context"):
        setattr(result, name, clean(getattr(result, name)))
    return result


def clean(value: Any) -> Any:
    """A JSON value with every lone surrogate escaped, also in names of fields."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {clean(name): clean(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(each) for each in value]
    return value


def encodable(text: str) -> str:
    """A text that can be encoded: a byte that is not UTF-8 becomes `\\xNN`, half of a surrogate pair `\\uNNNN`."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join(map(_escaped, text))
    return text


def _escaped(char: str) -> str:
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    return f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char


def text_of(result: Result) -> str:
    """What a model is shown: the text of the tool, with a corrected patch where there is one, and the notes."""
    text = result.text if result.text.endswith("\n") else result.text + "\n"
    return text + "".join(f"note[{note['code']}]: {note['message']}\n" for note in result.notes)


def plain_lines(content: bytes) -> tuple[list[str], bool]:
    """The lines of a file as models are shown them, without a byte order mark; and whether the last one is ended."""
    document = Document(content)
    text = document.data.decode("utf-8", "replace").replace("\r\n", "\n")
    *lines, last = (text.replace("\r", "\n") if document.endings == "cr" else text).split("\n")
    return ([*lines, last], False) if last else (lines, bool(lines))


def images_of(result: Result) -> list[Json]:
    """The images in a result: blocks with `base64` and `mime_type`."""
    blocks = result.data.get("blocks") or []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == "image"]


def blocks_of(result: Result, text: str, image: Callable[[Json], Json]) -> str | list[Json]:
    """The text of a result; where it has images, a block of the type `text`, and what `image` makes of each of them."""
    images = [image(each) for each in images_of(result)]
    return [{"type": text, "text": text_of(result)}, *images] if images else text_of(result)


def data_address(image: Json) -> str:
    """An image as an address that holds it."""
    return f"data:{image['mime_type']};base64,{image['base64']}"


def plain_item(item: Any) -> Json:
    """An item of a response as a dictionary: one already, or a model of the SDK, also one that JSON cannot say."""
    if isinstance(item, dict):
        return item
    dump = getattr(item, "model_dump", None)
    for ways in ({"mode": "json"}, {}):
        try:
            shown = dump(**ways) if dump is not None else vars(item)
        except (TypeError, ValueError):
            continue
        return shown if isinstance(shown, dict) else {}
    return {}


def wrong(field: str, given: object, allowed: str) -> PatchkitError:
    return PatchkitError("P603", field=field, given=f"'{str(given)[:80]}'", allowed=allowed)


def missing_package(runtime: str, package: str, extra: str) -> PatchkitError:
    return PatchkitError("P647", runtime=runtime, package=package, extra=extra)
