"""Read requests as agent runtimes send them, and answer each with a Verdict.

Takes JSON: `{"id", "argv", "cwd", "env"}`, or a tool call `{"command": [...] or "...", "workdir": "..."}`
with an optional "shell" for a command given as one text (bash where it is not said). Gives a Verdict, or
for a stream of lines one JSON object a line in the same order. A request that cannot be read is answered
like any other, with an error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator

from patchkit.errors import PatchkitError
from patchkit.shell.classifying import classify, classify_script
from patchkit.shell.verdict import Verdict, refused


def answer_lines(lines: Iterable[bytes | str], cwd: str | None = None) -> Iterator[str]:
    """Gives one line of JSON for every line that is not blank."""
    for line in lines:
        if line.strip():
            yield answer(line, cwd)


def answer(line: bytes | str, cwd: str | None = None) -> str:
    """The verdict on one request as a line of JSON without its line end, with the request's id in front."""
    try:
        request = _decoded(line)
        verdict = verdict_of_call(request, cwd)
    except PatchkitError as error:
        request, verdict = {}, refused(error)
    return json.dumps({"id": request.get("id"), **verdict.as_dict()})


def read_call(text: bytes | str, cwd: str | None = None) -> Verdict:
    """The verdict on a single request, given as JSON."""
    try:
        return verdict_of_call(_decoded(text), cwd)
    except PatchkitError as error:
        return refused(error)


def verdict_of_call(request: dict[str, object], cwd: str | None = None, *, with_options: bool = False) -> Verdict:
    """The verdict on a decoded request; `cwd` is where a relative or missing directory starts."""
    command = request.get("argv", request.get("command", request.get("cmd")))
    where = request.get("cwd", request.get("workdir"))
    env, shell = request.get("env"), request.get("shell", "bash")
    problem = _problem(where, env, shell)
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        if not command or words != command:
            problem = "the command is not a list of strings"
    elif not isinstance(command, str):
        problem = "it has neither 'argv' nor 'command'"
    if problem:
        return refused(PatchkitError("P518", what=problem))
    start = os.path.join(cwd or "", where if isinstance(where, str) else "") or "."
    known = {str(name): str(value) for name, value in env.items()} if isinstance(env, dict) else None
    if isinstance(command, str):
        return classify_script(command, start, known, str(shell), with_options=with_options)
    return classify(words, start, known, with_options=with_options)


def _decoded(line: bytes | str) -> dict[str, object]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise PatchkitError("P518", what=f"it is not JSON ({str(error)[:60]})") from None
    if not isinstance(request, dict):
        raise PatchkitError("P518", what="it is not a JSON object")
    return request


def _problem(where: object, env: object, shell: object) -> str:
    if where is not None and (not isinstance(where, str) or "\0" in where):
        return "the directory is not a string"
    if env is not None and not isinstance(env, dict):
        return "'env' is not an object"
    return "" if shell is None or isinstance(shell, str) else "'shell' is not a string"
