"""A model on loopback that makes the calls of a script, one a turn, and then says a last word.

Speaks as much of four protocols as clients need: Anthropic's messages, OpenAI's responses and chat completions, and
Gemini's contents. Which call is next is told by the ids in the conversation, so a request that is repeated gets the
same answer; one that offers no tools, as for a title, gets a word. `results` has what a real model would have been
given back, by the number of the call.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
_CALL = re.compile(r"call_n(\d+)")
_LAST_WORD = "All done."
_USAGE = {"input_tokens": 1, "output_tokens": 1}


class Call:
    """A tool that the model calls; `namespace` is Codex's name for the server of a tool."""

    def __init__(self, tool: str, given: Json, namespace: str = "") -> None:
        self.tool, self.given, self.namespace = tool, given, namespace


class ScriptedModel:
    def __init__(self, script: list[Call]) -> None:
        self.script = script
        self.results: dict[int, str] = {}
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("content-length") or 0))
                if self.headers.get("transfer-encoding", "").lower() == "chunked":
                    data = b"".join(iter(self._chunk, b""))
                if self.headers.get("content-encoding") == "gzip":
                    data = gzip.decompress(data)
                said, is_stream = model.answer(self.path.partition("?")[0], json.loads(data or b"{}"))
                self.send_response(200)
                self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
                self.end_headers()
                self.wfile.write(said.encode())

            def _chunk(self) -> bytes:
                size = int(self.rfile.readline().split(b";")[0] or b"0", 16)
                data = self.rfile.read(size)
                self.rfile.readline()
                return data

            def do_GET(self) -> None:
                models = self.path.partition("?")[0].endswith("/models")
                self.send_response(200 if models else 404)
                self.send_header("content-type", "application/json")
                self.end_headers()
                self.wfile.write(b'{"object": "list", "data": [{"id": "scripted", "object": "model"}]}')

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, asked: Json) -> tuple[str, bool]:
        """What is sent, and whether it is a stream of events."""
        if "count" in path.lower():
            return json.dumps({"input_tokens": 1, "totalTokens": 1}), False
        for identity, text in _results(asked):
            known = _CALL.search(identity)
            if known:
                self.results.setdefault(int(known[1]), text)
        number = max([int(each) + 1 for each in _CALL.findall(json.dumps(asked))], default=0)
        has_tools = bool(asked.get("tools")) or '"tools"' in json.dumps(asked.get("input"))
        call = self.script[number] if has_tools and number < len(self.script) else None
        identity = f"call_n{number}"
        if path.endswith("/messages"):
            events = _messages(call, identity)
        elif path.endswith("/responses"):
            events = _responses(call, identity)
        elif path.endswith("/chat/completions"):
            if not asked.get("stream"):
                return json.dumps(_completion(call, identity)), False
            events = _chunks(call, identity)
        else:
            said = _contents(call, identity)
            if "stream" not in path:
                return json.dumps(said), False
            events = [said]
        lines = [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events if "type" in each]
        lines = lines or [f"data: {json.dumps(each)}\n\n" for each in events]
        return "".join(lines) + ("data: [DONE]\n\n" if path.endswith("/completions") else ""), True


def _results(asked: Json) -> list[tuple[str, str]]:
    """The results of calls in a conversation, with the ids of these."""
    found = []
    for message in asked.get("messages") or []:
        if message.get("role") == "tool":
            found.append((str(message.get("tool_call_id")), _text(message.get("content"))))
        blocks = message.get("content")
        for block in blocks if isinstance(blocks, list) else []:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                found.append((str(block.get("tool_use_id")), _text(block.get("content"))))
    items = asked.get("input")
    for item in items if isinstance(items, list) else []:
        if str(item.get("type")).endswith("_call_output"):
            found.append((str(item.get("call_id")), _text(item.get("output"))))
    for content in asked.get("contents") or []:
        for part in content.get("parts") or []:
            given = part.get("functionResponse")
            if given:
                found.append((str(given.get("id")), _text(given.get("response"))))
    return found


def _text(content: object) -> str:
    """All texts in a result, however it is nested."""
    if isinstance(content, dict):
        return "".join(_text(each) for each in content.values())
    return "".join(map(_text, content)) if isinstance(content, list) else str(content)


def _messages(call: Call | None, identity: str) -> list[Json]:
    block: Json = {"type": "text", "text": ""}
    delta: Json = {"type": "text_delta", "text": _LAST_WORD}
    if call:
        block = {"type": "tool_use", "id": identity, "name": call.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.given)}
    start = {"id": "m1", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    reason = "tool_use" if call else "end_turn"
    return [
        {"type": "message_start", "message": {**start, "stop_reason": None, "usage": _USAGE}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": _USAGE},
        {"type": "message_stop"},
    ]


def _responses(call: Call | None, identity: str) -> list[Json]:
    words = [{"type": "output_text", "text": _LAST_WORD, "annotations": []}]
    item: Json = {"type": "message", "role": "assistant", "id": "o1", "status": "completed", "content": words}
    if call:
        item = {"type": "function_call", "id": "o1", "call_id": identity, "name": call.tool, "status": "completed"}
        item |= {"arguments": json.dumps(call.given), **({"namespace": call.namespace} if call.namespace else {})}
    usage = {**_USAGE, "total_tokens": 2, "input_tokens_details": None, "output_tokens_details": None}
    done = {"id": "r1", "object": "response", "status": "completed", "output": [item], "usage": usage}
    return [
        {"type": "response.created", "response": {**done, "status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]


def _completion(call: Call | None, identity: str, kind: str = "message") -> Json:
    said: Json = {"role": "assistant", "content": None if call else _LAST_WORD}
    if call:
        function = {"name": call.tool, "arguments": json.dumps(call.given)}
        said["tool_calls"] = [{"index": 0, "id": identity, "type": "function", "function": function}]
    head = {"id": "c1", "created": 1, "model": "scripted", "object": "chat.completion"}
    choice = {"index": 0, kind: said, "finish_reason": "tool_calls" if call else "stop"}
    return {**head, "choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


def _chunks(call: Call | None, identity: str) -> list[Json]:
    whole = {**_completion(call, identity, "delta"), "object": "chat.completion.chunk"}
    (choice,) = whole["choices"]
    first = {**whole, "choices": [{**choice, "finish_reason": None}], "usage": None}
    return [first, {**whole, "choices": [{**choice, "delta": {}}]}]


def _contents(call: Call | None, identity: str) -> Json:
    part: Json = {"text": _LAST_WORD}
    if call:
        part = {"functionCall": {"id": identity, "name": call.tool, "args": call.given}, "thoughtSignature": "eA=="}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted", "responseId": "g1"}
