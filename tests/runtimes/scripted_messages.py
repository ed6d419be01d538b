"""A model on loopback that speaks the Messages API and follows a script: for clients that are programs of their own."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ScriptedModel:
    """Answers every conversation that is offered a tool of the script with the calls of the script, one a turn.

    A turn is a name and an input. `results` has the content of every result that came back, by turn.
    """

    def __init__(self, turns: list[tuple[str, dict]]) -> None:
        self.turns = turns
        self.results: dict[int, object] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):  # the name of the base
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                events = outer._events(body) if self.path.startswith("/v1/messages?") or body.get("stream") else None
                self.send_response(200)
                if events is None:
                    data = b'{"input_tokens": 1}'
                    self.send_header("Content-Type", "application/json")
                else:
                    lines = [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events]
                    data = "".join(lines).encode()
                    self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _events(self, body: dict) -> list[dict]:
        contents = [each["content"] for each in body["messages"] if isinstance(each["content"], list)]
        blocks = [block for content in contents for block in content if block.get("type") == "tool_result"]
        for block in blocks:
            self.results[int(block["tool_use_id"].removeprefix("toolu_"))] = block.get("content")
        done = len(blocks)
        if done < len(self.turns) and len(body.get("tools", [])) > 3:  # not a title or a summary
            name, given = self.turns[done]
            block = {"type": "tool_use", "id": f"toolu_{done}", "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(given)}
            reason = "tool_use"
        else:
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
            reason = "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": []}
        return [
            {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage},
            {"type": "message_stop"},
        ]
