"""Apply patches with aider-chat's PatchCoder: JSON lines in, [succeeded, note] out.

Only the coder itself is loaded. Its base class talks to models and terminals, so a substitute gives it
what parsing and applying need: a root, and text files read and written as aider does by default.
"""

import importlib
import json
import os
import sys
import sysconfig
import types
from pathlib import Path

PACKAGE = Path(sysconfig.get_path("purelib"), "aider")


class Files:
    """aider's io: UTF-8 with universal newlines in, the platform's newlines out."""

    def read_text(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def write_text(self, path, content):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)

    def tool_output(self, *args):
        """aider reports to the user; here the text is dropped."""

    tool_warning = tool_error = tool_output


class Coder:
    def __init__(self, root, response):
        self.root = root
        self.io = Files()
        self.partial_response_content = response

    def abs_root_path(self, path):
        return os.path.join(self.root, path)


def load():
    for name, folder in (("aider", PACKAGE), ("aider.coders", PACKAGE / "coders")):
        module = types.ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module
    base = types.ModuleType("aider.coders.base_coder")
    base.Coder = Coder
    sys.modules[base.__name__] = base
    return importlib.import_module("aider.coders.patch_coder").PatchCoder


def main():
    coder_class = load()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            coder = coder_class(request["root"], request["patch"])
            edits = coder.get_edits()
            coder.apply_edits(edits)
            answer = [bool(edits), "" if edits else "no edits in the text"]
        except Exception as error:
            answer = [False, f"{type(error).__name__}: {error}"]
        print(json.dumps(answer), flush=True)


main()
