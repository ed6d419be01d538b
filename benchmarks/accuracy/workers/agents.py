"""Apply patches with openai-agents: JSON lines in, [succeeded, note] out.

Its `apply_diff` takes the body of one file's section, so the section is cut out here. The module is
loaded alone: the package around it would bring a whole client for a model API.
"""

import importlib.util
import json
import sys
import sysconfig
from pathlib import Path

PREFIX = "*** Update File: "


def load():
    path = Path(sysconfig.get_path("purelib"), "agents", "apply_diff.py")
    spec = importlib.util.spec_from_file_location("agents_apply_diff", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module.apply_diff


def apply(apply_diff, root, patch):
    header, end = patch.index(PREFIX), patch.rindex("*** End Patch")
    name, _, body = patch[header + len(PREFIX) : end].partition("\n")
    path = Path(root, name.rstrip("\r"))
    text = path.read_bytes().decode()
    # The last newline ends the last line; left in place it would read as one more, empty line.
    path.write_bytes(apply_diff(text, body.removesuffix("\n").removesuffix("\r")).encode())


def main():
    apply_diff = load()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            apply(apply_diff, request["root"], request["patch"])
            answer = [True, ""]
        except Exception as error:
            answer = [False, f"{type(error).__name__}: {error}"]
        print(json.dumps(answer), flush=True)


main()
