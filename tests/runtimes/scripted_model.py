"""A model on loopback that says what a script says: one shell command, then a last word.

Speaks as much of two protocols as real clients need: Anthropic's messages (Claude Code) and OpenAI's responses (Codex),
both as streams of events. Every request is kept, so a test sees what a real model would have been given back.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_USAGE = {"input_tokens": 1, "output_tokens": 1}


class ScriptedModel:
    """Answers the first request that offers tools with a call of the shell, and those with its result with a word."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.results: list[str] = []  # what the client gave back about the call
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                asked = json.loads(self.rfile.read(size) or b"{}")
                events = model.messages(asked) if "/messages" in self.path else model.responses(asked)
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                for event in events:
                    self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

            def do_GET(self) -> None:
                self.send_response(404)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def messages(self, asked: dict[str, Any]) -> list[dict[str, Any]]:
        """The events of an answer in Anthropic's protocol."""
        blocks = [block for each in asked.get("messages", []) for block in _blocks(each["content"])]
        given = [block for block in blocks if block.get("type") == "tool_result"]
        self.results += [_text(block.get("content")) for block in given]
        calls = not given and any(tool.get("name") == "Bash" for tool in asked.get("tools") or [])
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta: dict[str, Any] = {"type": "text_delta", "text": "All done."}
        if calls:
            block = {"type": "tool_use", "id": "call_1", "name": "Bash", "input": {}}
            words = {"command": self.command, "description": "Change it"}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(words)}
        start = {"id": "m1", "type": "message", "role": "assistant", "model": "scripted", "content": []}
        reason = "tool_use" if calls else "end_turn"
        return [
            {"type": "message_start", "message": {**start, "stop_reason": None, "usage": _USAGE}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": _USAGE},
            {"type": "message_stop"},
        ]

    def responses(self, asked: dict[str, Any]) -> list[dict[str, Any]]:
        """The events of an answer in OpenAI's protocol."""
        given = [each for each in asked.get("input", []) if each.get("type") == "function_call_output"]
        self.results += [_text(each.get("output")) for each in given]
        item: dict[str, Any] = {
            "type": "message",
            "role": "assistant",
            "id": "o1",
            "content": [{"type": "output_text", "text": "All done."}],
        }
        if not given:
            words = json.dumps({"cmd": self.command})
            item = {
                "type": "function_call",
                "id": "o1",
                "call_id": "call_1",
                "name": "exec_command",
                "arguments": words,
            }
        usage = {**_USAGE, "total_tokens": 2, "input_tokens_details": None, "output_tokens_details": None}
        return [
            {"type": "response.created", "response": {"id": "r1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "r1", "usage": usage}},
        ]


def _blocks(content: object) -> list[dict[str, Any]]:
    return content if isinstance(content, list) else []


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(block.get("text", "")) for block in content)
    return str(content)
