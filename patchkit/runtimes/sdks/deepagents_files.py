"""The files of a root by virtual paths, `/` is the root: what a backend of deepagents is made of.

Takes virtual absolute paths; calls the tools, and keeps large results in the state directory.
"""

from __future__ import annotations

import os

from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.history.outputs import announced, file_name, keep
from patchkit.runtimes.answers import Host, encodable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.result import Json, Result

LARGE_RESULTS = "/large_tool_results/"


class VirtualFiles:
    """The files of a root by virtual paths, through the tools; what the SDK's results are made from."""

    def __init__(self, root: str | os.PathLike[str], agent: bool) -> None:
        self.host = Host(root, agent)
        self.host.read_first = False

    def real(self, path: object) -> str:
        """A virtual path as a path from the root; raises for one that leaves the root. It may lack the first slash."""
        if not isinstance(path, str) or ".." in path.split("/") or "\0" in path:
            raise PatchkitError("P301", file=str(path), root="/")
        name = "/".join(part for part in path.split("/") if part and part != ".")
        kept = name.removeprefix(LARGE_RESULTS[1:])
        if kept != name:
            return LARGE_RESULTS + file_name(kept)
        return f"/{name}" if name == LARGE_RESULTS.strip("/") else name or "."

    def outputs(self, path: object) -> list[str] | None:
        """The names of large results where a path is their directory; None for any other path."""
        if not isinstance(path, str) or path.strip("/") != LARGE_RESULTS.strip("/"):
            return None
        with Workspace(self.host.root) as files:
            directory = announced(files, LARGE_RESULTS)
            return sorted(os.listdir(directory)) if directory is not None else []

    def call(self, tool: str, arguments: Json) -> Result:
        return self.host.call(tool, arguments, without_limits=True)

    def keep_output(self, path: str, content: bytes) -> None:
        """Keeps a large result in the state directory, where Read and Grep find it by its virtual path."""
        with Workspace(self.host.root) as files:
            file = keep(files, path.removeprefix(LARGE_RESULTS), replace=True)
            try:
                data = memoryview(content)
                while data:
                    data = data[os.write(file.fd, data) :]
            finally:
                os.close(file.fd)


def virtual(path: str) -> str:
    """The virtual path of a name from the root, or of a large result, which is outside of it."""
    if path.startswith("/"):
        return LARGE_RESULTS + encodable(path.rpartition("/")[2])
    return "/" + encodable(path.removeprefix("./").strip("/")).replace("./", "", path.startswith("./"))


def absolute(path: str) -> str:
    """A path of a caller as answers have it: from the root, because a relative one would pass by rules of the SDK."""
    return path if path.startswith("/") else "/" + path
