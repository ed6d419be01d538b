"""A workspace as a backend of deepagents: files and commands, `/` is the root.

    create_deep_agent(model, backend=Backend(root))

Takes virtual absolute paths and returns them; errors are values and nothing is raised. Line endings, encodings and
modes of files stay as they are, and edits of one file at the same time are all made. Large results, which the
middleware keeps under `/large_tool_results`, go to the state directory and not into the project.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.history.outputs import announced, file_name, keep
from patchkit.report.result import Json, Result
from patchkit.runtimes.answers import Host, Root, encodable, missing_package, plain_lines, refusal, text_of
from patchkit.runtimes.sdks import in_thread

try:
    from deepagents.backends import protocol as sdk
except ImportError:
    raise missing_package("deepagents", "deepagents", "deepagents") from None


LARGE_RESULTS = "/large_tool_results/"
_WHOLE = ("P615", "P616")  # a file that Read shows only in parts
_ERRORS = {"P302": "file_not_found", "P310": "file_not_found", "P305": "is_directory", "P301": "invalid_path"}
_EVERYTHING = {"include_hidden": True, "include_ignored": True, "limit": 0, "timeout": 0}


def _refusal(error: PatchkitError | OSError | ValueError) -> str:
    """What a model reads of an error: with its code, whatever it is."""
    known = error if isinstance(error, PatchkitError) else PatchkitError("P401", file="", reason=str(error))
    return text_of(refusal(known))


def _wrong(field: str, given: object, allowed: str) -> str:
    return _refusal(PatchkitError("P603", field=field, given=f"'{encodable(str(given))[:80]}'", allowed=allowed))


class Backend(sdk.SandboxBackendProtocol):  # type: ignore[misc]  # its base is not known without the SDK
    """A workspace: its files, and commands in it."""

    def __init__(self, root: Root = ".", *, agent: bool = False) -> None:
        self._host = Host.of(root, agent)
        self._host.read_first = False

    @property
    def id(self) -> str:
        return f"patchkit-{sha256(os.fsencode(self._host.root)).hexdigest()[:12]}"

    def execute(self, command: str, *, timeout: int | None = None) -> Any:
        return self._executed(command, timeout)

    async def aexecute(self, command: str, *, timeout: int | None = None) -> Any:
        """As `execute`; the command ends when the run is cancelled."""
        return await in_thread(lambda cancelled: self._executed(command, timeout, cancelled))

    def _executed(self, command: str, timeout: int | None, cancelled: Callable[[], bool] | None = None) -> Any:
        arguments: Json = {"command": command}
        if timeout is not None and timeout > 0:
            arguments["timeout"] = min(int(timeout), 3600)
        result = self._host.call("Bash", arguments, cancelled=cancelled, without_limits=True)
        late = result.data.get("timed_out", False)
        code = result.data.get("exit_code", 126)
        cut, kept = bool(result.data.get("truncated", False)), result.data.get("output_file")
        text = text_of(result)
        if isinstance(kept, str):  # is read by its virtual path
            text = text.replace(kept, virtual(kept))
        return sdk.ExecuteResponse(output=text, exit_code=124 if late else code, truncated=cut)

    def ls(self, path: str) -> Any:
        kept = self._outputs(path)
        if kept is not None:
            return sdk.LsResult(entries=[{"path": LARGE_RESULTS + name, "is_dir": False} for name in kept])
        result = self._call("LS", {"path": path}, include_hidden=True, include_ignored=True, limit=0)
        if isinstance(result, str):
            return sdk.LsResult(error=result)
        entries = []
        for each in result.data["entries"]:
            is_directory = each["type"] == "directory"
            entries.append({"path": virtual(each["path"]) + "/" * is_directory, "is_dir": is_directory})
        return sdk.LsResult(entries=entries)

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> Any:
        for name, given_number in (("offset", offset), ("limit", limit)):
            if not isinstance(given_number, int):
                return sdk.ReadResult(error=_wrong(name, given_number, "a whole number"))
        if limit <= 0:
            empty = {"content": "", "encoding": "utf-8"}
            return sdk.ReadResult(file_data=empty, no_lines_requested=True)
        first = max(0, offset)
        given = {"offset": first + 1, "limit": limit, "plain": True}
        try:
            path = self._real(file_path)
            result = self._host.call("Read", {"file_path": path, **given}, without_limits=True)
            code = result.errors[0]["code"] if result.errors else ""
            if code and code not in ("P614", *_WHOLE):
                return sdk.ReadResult(error=text_of(result))
            content = self._host.content(path)
        except (PatchkitError, OSError) as error:  # the path, or the file is not there any more
            return sdk.ReadResult(error=_refusal(error))
        if code == "P614" or result.data.get("kind") in ("image", "pdf"):
            data = base64.b64encode(content).decode("ascii")
            return sdk.ReadResult(file_data={"content": data, "encoding": "base64"})
        return self._window(content, first, limit)

    def _window(self, content: bytes, first: int, limit: int) -> Any:
        """Lines of a file as they are; Read has allowed it, but would cut long ones."""
        lines, ended = plain_lines(content)
        if first >= max(1, len(lines)):
            said = f"Line offset {first} exceeds file length ({len(lines)} lines)"
            return sdk.ReadResult(error=f"{said}\n{_wrong('offset', first, f'less than {len(lines)}')}")
        shown = lines[first : first + limit]
        end = first + len(shown)
        joined = "\n".join(shown) + ("\n" if shown and (end < len(lines) or ended) else "")
        data = {"content": joined, "encoding": "utf-8"}
        if not shown:
            return sdk.ReadResult(file_data=data)
        following = end if end < len(lines) else None
        return sdk.ReadResult(
            file_data=data, total_lines=len(lines), start_line=first + 1, end_line=end, next_offset=following
        )

    def grep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> Any:
        if self._outputs(path) == []:
            return sdk.GrepResult(matches=[])
        more = {"glob": glob} if glob else {}
        result = self._call(
            "Grep", {"path": path or "/"}, **_EVERYTHING, **more, pattern=pattern, output_mode="content"
        )
        if isinstance(result, str):
            return sdk.GrepResult(error=result)
        matches = [{**each, "path": virtual(each["path"])} for each in result.data["matches"]]
        if "/.git" not in str(path):
            matches = [each for each in matches if "/.git/" not in each["path"]]
        cut = max_count is not None and len(matches) > max_count
        late = result.data["aborted_reason"] is not None
        return sdk.GrepResult(matches=matches[:max_count], truncated=cut or late)

    def glob(self, pattern: str, path: str | None = None) -> Any:
        if not isinstance(pattern, str) or ".." in pattern.split("/"):
            return sdk.GlobResult(error=_wrong("pattern", pattern, "a pattern that stays in the directory"))
        if not pattern or pattern.endswith("/"):
            return sdk.GlobResult(matches=[])  # only files match
        bare = "/" not in pattern
        given = {"pattern": f"**/{pattern}" if bare else pattern.lstrip("/"), "relative": True}
        options = {**_EVERYTHING, "include_hidden": bare}
        result = self._call("Glob", {"path": path or "/"}, **options, **given)
        if isinstance(result, str):
            return sdk.GlobResult(error=result)
        names = [virtual(each) for each in result.data["paths"]]
        hidden = pattern.startswith(".")
        found = [
            name
            for name in names
            if "/.git/" not in name and (not bare or hidden or "/." not in name[name.rindex("/") :])
        ]
        unreadable = bool(result.data["unreadable"])
        reason = "unreadable" if unreadable else None
        matches = [{"path": name, "is_dir": False} for name in sorted(found)]
        return sdk.GlobResult(matches=matches, truncated=unreadable, truncation_reason=reason)

    def write(self, file_path: str, content: str) -> Any:
        if isinstance(content, str) and self._is_large_result(file_path):
            said = self._kept(file_path, content.encode("utf-8", "surrogateescape"))
            return sdk.WriteResult(error=said) if said else sdk.WriteResult(path=file_path)
        result = self._call("Write", {"file_path": file_path}, content=content)
        return sdk.WriteResult(error=result) if isinstance(result, str) else sdk.WriteResult(path=absolute(file_path))

    def _is_large_result(self, path: object) -> bool:
        try:
            return self._real(path).startswith(LARGE_RESULTS)
        except PatchkitError:
            return False

    def _kept(self, path: str, content: bytes) -> str:
        """Keeps a large result in the state directory, where Read and Grep find it; returns what went wrong."""
        try:
            with Workspace(self._host.root) as files:
                kept = keep(files, self._real(path).removeprefix(LARGE_RESULTS), replace=True)
                with open(kept.fd, "wb") as file:
                    file.write(content)
        except (PatchkitError, OSError, ValueError) as error:
            return _refusal(error)
        return ""

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> Any:
        if not old_string:
            return sdk.EditResult(error=_wrong("old_string", old_string, "the text to replace"))
        texts = {"old_string": old_string, "new_string": new_string, "replace_all": replace_all}
        result = self._call("Edit", {"file_path": file_path}, **texts)
        if isinstance(result, str):
            return sdk.EditResult(error=result)
        return sdk.EditResult(path=absolute(file_path), occurrences=result.data["replacements"])

    def delete(self, file_path: str) -> Any:
        result = self._call("Delete", {"file_path": file_path}, recursive=True)
        return sdk.DeleteResult(error=result) if isinstance(result, str) else sdk.DeleteResult(path=absolute(file_path))

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[Any]:
        answers = []
        for path, data in files:
            if self._is_large_result(path):
                said = "permission_denied" if self._kept(path, data) else None
                answers.append(sdk.FileUploadResponse(path=path, error=said))
                continue
            text = data.decode("utf-8", "surrogateescape")
            code = self._code("Write", {"file_path": path}, content=text)
            answers.append(sdk.FileUploadResponse(path=path, error=code))
        return answers

    def download_files(self, paths: list[str]) -> list[Any]:
        answers = []
        for path in paths:
            code = self._code("Read", {"file_path": path}, offset=1, limit=1)
            content = None
            if code is None:
                try:
                    content = self._host.content(self._real(path))
                except (PatchkitError, OSError):  # it was there when it was read
                    code = "file_not_found"
            answers.append(sdk.FileDownloadResponse(path=path, content=content, error=code))
        return answers

    def _call(self, tool: str, paths: dict[str, str], **arguments: Any) -> Result | str:
        """The Result of a call; its text where it is a refusal."""
        result = self._called(tool, paths, **arguments)
        return text_of(result) if result.status == "error" else result

    def _called(self, tool: str, paths: dict[str, str], **arguments: Any) -> Result:
        try:
            given = {name: self._real(path) for name, path in paths.items()}
        except PatchkitError as error:
            return refusal(error)
        return self._host.call(tool, {**given, **arguments}, without_limits=True)

    def _code(self, tool: str, paths: dict[str, str], **arguments: Any) -> str | None:
        """The word of the SDK for what is wrong; None when nothing is. Bytes that Read does not show are fine."""
        result = self._called(tool, paths, **arguments)
        code = result.errors[0]["code"] if result.errors else ""
        shown_otherwise = tool == "Read" and code in ("P614", "P617", "P618", *_WHOLE)
        return None if not code or shown_otherwise else _ERRORS.get(code, "permission_denied")

    def _real(self, path: object) -> str:
        """A virtual path as a path from the root; raises for one that leaves the root. It may lack the first slash."""
        if not isinstance(path, str) or ".." in path.split("/") or "\0" in path:
            raise PatchkitError("P301", file=str(path), root="/")
        name = "/".join(part for part in path.split("/") if part and part != ".")
        kept = name.removeprefix(LARGE_RESULTS[1:])
        if kept != name:
            return LARGE_RESULTS + file_name(kept)
        return f"/{name}" if name == LARGE_RESULTS.strip("/") else name or "."

    def _outputs(self, path: object) -> list[str] | None:
        """The names of large results where a path is their directory; None for any other path."""
        if not isinstance(path, str) or path.strip("/") != LARGE_RESULTS.strip("/"):
            return None
        with Workspace(self._host.root) as files:
            directory = announced(files, LARGE_RESULTS)
            return sorted(os.listdir(directory)) if directory is not None else []


def virtual(path: str) -> str:
    """The virtual path of a name from the root, or of a large result, which is outside of it."""
    if path.startswith("/"):
        return LARGE_RESULTS + encodable(path.rpartition("/")[2])
    return "/" + encodable(path.removeprefix("./").strip("/")).replace("./", "", path.startswith("./"))


def absolute(path: str) -> str:
    """A path of a caller as answers have it: from the root, because a relative one would pass by rules of the SDK."""
    return path if path.startswith("/") else "/" + path
