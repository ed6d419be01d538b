"""The Model Context Protocol as data: versions, error codes, and tools and results as it writes them.

Takes tools and Results; returns the objects of the protocol, for the version that a client speaks. Nothing is read or
sent here. What a version has is in `VERSIONS`: a new one is a new row.
"""

from __future__ import annotations

from patchkit import __version__
from patchkit.policy import EXECUTE, READ
from patchkit.report.result import Json, Result
from patchkit.runtimes.answers import images_of, text_of
from patchkit.runtimes.prompt import with_own_names
from patchkit.tools.declaration import Tool
from patchkit.tools.wording import published
from patchkit.values import Record

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED_VERSION = -32022
_META = "io.modelcontextprotocol/"
CLIENT_KEY = f"{_META}clientInfo"
VERSION_KEY, CAPABILITIES_KEY = f"{_META}protocolVersion", f"{_META}clientCapabilities"
SERVER_KEY = f"{_META}serverInfo"
SERVER = {"name": "patchkit", "title": "patchkit", "version": __version__}
CAPABILITIES: Json = {"tools": {"listChanged": False}}
_CACHED = {"ttlMs": 3_600_000, "cacheScope": "public"}  # the list of tools never changes while the server runs


class ProtocolVersion(Record):
    """One revision of the protocol, and what it has."""

    name: str
    handshake: bool = True  # a connection begins with `initialize`; else every request says its version itself
    annotations: bool = True  # tools have hints
    structured: bool = True  # tools have titles and output schemas, and results structured content
    batches: bool = False  # several messages may come as one array


VERSIONS = {
    version.name: version
    for version in (
        ProtocolVersion("2024-11-05", annotations=False, structured=False),
        ProtocolVersion("2025-03-26", structured=False, batches=True),
        ProtocolVersion("2025-06-18"),
        ProtocolVersion("2025-11-25"),
        ProtocolVersion("2026-07-28", handshake=False),
    )
}
HANDSHAKES = [version.name for version in VERSIONS.values() if version.handshake]
MODERN = [version.name for version in VERSIONS.values() if not version.handshake]


def response(identity: object, result: Json) -> Json:
    return {"jsonrpc": "2.0", "id": identity, "result": result}


def error(identity: object, code: int, message: str, data: object = None) -> Json:
    said: Json = {"code": code, "message": message}
    if data is not None:
        said["data"] = data
    return {"jsonrpc": "2.0", "id": identity, "error": said}


def initialized(version: ProtocolVersion, instructions: str) -> Json:
    """The answer to `initialize`."""
    return {
        "protocolVersion": version.name,
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER if version.structured else {name: SERVER[name] for name in ("name", "version")},
        "instructions": instructions,
    }


def discovered(instructions: str) -> Json:
    """The answer to `server/discover`."""
    return {"supportedVersions": MODERN, "capabilities": CAPABILITIES, "instructions": instructions, **_CACHED}


def complete(version: ProtocolVersion, result: Json) -> Json:
    """A result with what the version wants in every one of them."""
    if version.handshake:
        return result
    return {**result, "resultType": "complete", "_meta": {**result.get("_meta", {}), SERVER_KEY: SERVER}}


# Repeating a call changes nothing more.
_IDEMPOTENT = ("Write", "Delete")
# Tools that only add: they neither replace nor remove anything.
_ADDITIVE = ("Insert",)
# What errors and successes have in common, for programs that ask for it: one for all tools.
OUTPUT_SCHEMA: Json = {
    "type": "object",
    "properties": {
        "status": {"enum": ["success", "partial", "error"]},
        "error": {"type": "object", "required": ["code", "message"]},
        "data": {"type": "object"},
    },
    "required": ["status"],
}
# Fields beyond the published ones that the texts of a tool name: some clients send only what is declared.
_NAMED = {"Grep": ("regex", "timeout"), "Glob": ("timeout",), "LS": ("timeout",)}


def listed(version: ProtocolVersion, tools: list[Tool], structured: bool = False) -> Json:
    """The answer to `tools/list`."""
    rows = [declared(version, tool, structured) for tool in tools]
    return {"tools": rows, **({} if version.handshake else _CACHED)}


def declared(version: ProtocolVersion, tool: Tool, structured: bool = False) -> Json:
    description, schema = published(tool)
    known = tool.schema(extended=True)["properties"]
    fields = {**schema["properties"], **{name: known[name] for name in _NAMED.get(tool.name, ())}}
    shown: Json = {"name": tool.name, "description": with_own_names(description)}
    shown["inputSchema"] = {**schema, "properties": fields}
    if version.structured:
        shown["title"] = tool.summary.rstrip(".")
    if version.structured and structured:
        shown["outputSchema"] = OUTPUT_SCHEMA
    if version.annotations:
        shown["annotations"] = hints_of(tool)
    return shown


def hints_of(tool: Tool) -> Json:
    """What a host may assume about the tool; a host that trusts it does not ask before a read."""
    reads = tool.effect == READ
    hints: Json = {"title": tool.summary.rstrip("."), "readOnlyHint": reads}
    if not reads:
        hints["destructiveHint"] = tool.name not in _ADDITIVE
        hints["idempotentHint"] = tool.name in _IDEMPOTENT
    hints["openWorldHint"] = tool.effect == EXECUTE
    return hints


# Fields of data that only repeat the text, and those that are given on request only.
_REPEATED = frozenset("content output blocks ui_extra paths matches context entries suggestion near_miss next".split())
_ON_REQUEST = frozenset(("sha256_before", "sha256_after", "sha256"))
FACTS, ALL = "facts", "all"  # what a program may ask for


def called(version: ProtocolVersion, result: Result, structured: str = "") -> Json:
    """The answer to `tools/call`: one text block with everything, and images.

    The text is one block that ends its own lines, because clients join blocks in different ways. Facts for programs
    come only where they are asked for: some clients show a model nothing but the structured content, and some show it
    both.
    """
    content: list[Json] = [{"type": "text", "text": text_of(result)}]
    content += [{"type": "image", "data": each["base64"], "mimeType": each["mime_type"]} for each in images_of(result)]
    answer: Json = {"content": content, "isError": result.status == "error"}
    if version.structured and structured:
        answer["structuredContent"] = facts_of(result, structured == ALL)
    return answer


def facts_of(result: Result, everything: bool) -> Json:
    """What a program needs to know of a result: nothing that the text says, unless everything is asked for."""
    said: Json = {"status": result.status}
    if result.errors:
        first = result.errors[0]
        said["error"] = (
            first if everything else {name: first[name] for name in _OF_ERRORS if first.get(name) is not None}
        )
    data = result.data if everything else _small(result.data)
    return {**said, "data": data} if data else said


_OF_ERRORS = ("code", "kind", "message", "file", "line", "hunk", "patch_line")


def _small(value: object) -> object:
    """A value without what repeats the text, hashes and empty fields."""
    if isinstance(value, dict):
        kept = {name: _small(each) for name, each in value.items() if name not in _REPEATED | _ON_REQUEST}
        return {name: each for name, each in kept.items() if each not in (None, [], {}, "")}
    return [_small(each) for each in value] if isinstance(value, list) else value
