"""Read and write edits in JSON: those of tools, OpenAI's patch operations, and whole files.

Takes the text, with or without a fence around it; gives a Foreign of TextEdits, WholeFiles or sections. The fields
may have the names that other clients give them (`fields`); tool calls around them, as JSON or as elements, are taken
off.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Callable
from functools import lru_cache

from patchkit.core.language import AddFile, DeleteFile, Patch, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.diffs.unique_hunks import is_unicode
from patchkit.errors import PatchkitError
from patchkit.formats.fields import calls_in, has_elements, meanings
from patchkit.formats.model import Foreign, TextEdit, WholeFile, unreadable
from patchkit.formats.paths import plain
from patchkit.writer import write_bare

_PATHS, _OLDS, _NEWS, _EVERY = "file_path", "old_string", "new_string", "replace_all"
_CONTENTS, _EDITS, _COUNT = "content", "edits", "expected_replacements"
_PATH_ENDS = ("path", "file", "filename")
_SHOWN = ("old_string", "oldString", "old_str", "oldText", "old_text", "content", "contents", "file_text")
_AROUND = dict.fromkeys(
    "input arguments args params parameters tool_input operation function "
    "functionCall function_call toolCall tool_call tool_calls parts".split()
)
_BESIDE = ("text", "thinking")  # types of what a message has beside its calls
_MOST_DEEP = 12
OPERATIONS = {"create_file": AddFile, "update_file": UpdateFile, "delete_file": DeleteFile}
_TYPES = (*OPERATIONS,)  # a type may be anything, also what cannot be looked up
_MARKERS = ("*** Add File:", "*** Update File:", "*** Delete File:")
_ENDS = ("*** End Patch", "*** End of File")
_HEADERS = ("diff --git ", "index ", "new file mode ", "old mode ", "new mode ", "--- ", "+++ ")
_NO_LINE_END = "\\ No newline at end of file"

Fields = dict[str, object]


def json_kind(text: str) -> str:
    """Which of the JSON formats a text is in; '' for none."""
    lower = text.lower()
    if not has_elements(text) and (
        "{" not in text or not any(f'{end}"' in lower or f'{end}\\"' in lower for end in _PATH_ENDS)
    ):
        return ""
    try:
        found = [kind for item in _items(text) for kind in [_kind(item)]]
    except PatchkitError:
        return ""
    kinds = {kind for kind in found if kind}
    if "json-edits" in kinds:
        kinds.discard("whole-file")  # edits, with the whole text of new files among them
    return kinds.pop() if len(kinds) == 1 and all(found) else ""


def looks_like_edits(text: str) -> bool:
    """Whether a text that cannot be read as JSON has the fields of edits, so that the fault of its JSON says more."""
    return text.strip()[:1] in ("{", "[") and any(f'"{each}"' in text for each in (*_SHOWN, *_TYPES))


def _kind(item: Fields) -> str:
    if item.get("type") in _TYPES and isinstance(item.get("path"), str):
        return "openai-ops"
    edits = edits_of(item)
    if edits and all(isinstance(each, dict) and _has(each, _OLDS) for each in edits):
        return "json-edits"
    if _has(item, _PATHS) and (_has(item, _OLDS) or _has(item, _NEWS)):
        return "json-edits"
    if _has(item, _PATHS) and item.get("command") in ("create", "str_replace", "insert", "write"):
        return "json-edits"
    return "whole-file" if _has(item, _PATHS) and _has(item, _CONTENTS) else ""


def _has(item: Fields, field: str) -> bool:
    return any(field in meanings(name) for name in item)


def _field(item: Fields, field: str) -> object:
    """What an object has under a name of ours, or under another that means it; ours comes first."""
    return item[field] if field in item else next((item[name] for name in item if field in meanings(name)), None)


def _text(item: Fields, field: str) -> str | None:
    value = _field(item, field)
    return value if isinstance(value, str) else None


def edits_of(item: Fields) -> list[object]:
    """The edits of an object: a list, a list in a string, or fields with numbers, as `old_str_1`; [] for none."""
    found = _field(item, _EDITS)
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except (ValueError, RecursionError):
            return []
    if isinstance(found, list):
        return found
    numbered: dict[str, Fields] = {}
    for name, value in item.items():
        bare, _, number = name.rpartition("_") if name[-1:].isdigit() else ("", "", "")
        if number.isdigit() and meanings(bare):
            numbered.setdefault(number, {})[bare] = value
    return [numbered[number] for number in sorted(numbered, key=int)]


@lru_cache(1)  # it is asked which format a text is in, and then for its edits
def _items(text: str) -> list[Fields]:
    """The objects of a text, each without the tool call around it."""
    bare = text.strip().removeprefix("\ufeff")
    elements = calls_in(text) if bare[:1] not in ("{", "[") else []
    if elements:
        values = [each for _, each in elements]
    elif bare[:1] not in ("{", "["):
        fenced = [found for found in map(str.strip, _fenced(text)) if found[:1] in ("{", "[")]
        if not fenced:
            raise unreadable("json-edits", 1, "it is not JSON", "send one JSON object, or a list of them")
        values = [value for each in fenced for value in _values(each)]
    else:
        values = _values(bare)
    found: list[Fields] = []
    for value in values:
        _flatten(value, found, 0)
    if not found:
        raise unreadable("json-edits", 1, "it has no object", "send one JSON object, or a list of them")
    return found


def _fenced(text: str) -> list[str]:
    """What is in the fences of a text; one that no fence of its length closes may end at a shorter one."""
    lines = text.split("\n")
    marks = {number: bare for number, line in enumerate(lines) if (bare := line.strip()).startswith("```")}
    closing: dict[int, list[int]] = {}
    for number, bare in marks.items():
        if not bare.strip("`"):
            closing.setdefault(len(bare), []).append(number)
    lengths = sorted(closing, reverse=True)
    found: list[str] = []
    behind = 0
    for number, bare in marks.items():
        if number < behind:
            continue
        width = len(bare) - len(bare.lstrip("`"))
        ends = (closing[length] for length in lengths if length <= width)
        stop = next((end[at] for end in ends if (at := bisect(end, number)) < len(end)), 0)
        if stop:
            found.append("\n".join(lines[number + 1 : stop]))
            behind = stop + 1
    return found


def _read_items(text: str) -> list[Fields]:
    """The same, where every text can be written to a file: `\\ud800` is half a character."""
    found = _items(text)
    if "\\ud" in text.lower():
        try:
            json.dumps(found, ensure_ascii=False).encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            raise unreadable("json-edits", 1, f"'{half}' alone is half a character", "send both halves") from None
    return found


def _values(text: str) -> list[object]:
    try:
        return [json.loads(text)]
    except RecursionError:
        raise unreadable("json-edits", 1, "it is nested too deep", "send the edits as a flat list") from None
    except ValueError as error:
        lines = [line for line in text.split("\n") if line.strip()]
        try:
            return [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            words = str(error)[:1].lower() + str(error)[1:]
            raise unreadable("json-edits", 1, words, "send one JSON object, or a list of them") from None


def _flatten(value: object, found: list[Fields], depth: int) -> None:
    if depth > _MOST_DEEP:
        raise unreadable("json-edits", 1, "it is nested too deep", "send the edits as a flat list")
    if isinstance(value, list):
        for each in value:
            _flatten(each, found, depth + 1)
    elif isinstance(value, dict):
        around = _AROUND if not _AROUND.keys().isdisjoint(value) else ()  # few objects have any of these
        inner = next((value[name] for name in around if isinstance(value.get(name), (dict, list, str))), None)
        if isinstance(inner, str):
            try:
                inner = json.loads(inner)
            except (ValueError, RecursionError):
                inner = None
        if isinstance(inner, (dict, list)) and not _kind(value):
            _flatten(inner, found, depth + 1)
        elif isinstance(value.get("operations"), list):
            _flatten(value["operations"], found, depth + 1)
        elif isinstance(value.get("content"), list) and not _kind(value):
            _flatten(value["content"], found, depth + 1)
        elif value.get("type") not in _BESIDE or _kind(value):
            found.append(value)


def _note_prose(text: str, foreign: Foreign) -> None:
    """Says what is around JSON in a fence."""
    first = text.strip().removeprefix("\ufeff").split("\n", 1)[0]
    if first[:1] not in ("{", "[") and not (first[:1] == "<" and has_elements(text)):
        foreign.lenient("outside-text", patch_line=1, found=first)


def read_json_edits(text: str) -> Foreign:
    """Returns the edits of a JSON text, in order."""
    foreign = Foreign("json-edits")
    _note_prose(text, foreign)
    path = ""
    for number, item in enumerate(_read_items(text), 1):
        edits = edits_of(item)
        path = _text(item, _PATHS) or next((_text(e, _PATHS) for e in edits if isinstance(e, dict)), None) or path
        if item.get("dryRun") is True or item.get("dry_run") is True:
            raise unreadable(
                "json-edits", 1, "it asks for a preview ('dryRun')", "leave 'dryRun' out, or use '--check'"
            )
        if not path:
            raise unreadable("json-edits", 1, f"edit {number} names no file", "add its path, as 'path'")
        for each in edits:
            if not isinstance(each, dict):
                raise unreadable("json-edits", 1, f"an edit of '{path}' is not an object", "send objects")
            _add_edit(foreign, _text(each, _PATHS) or path, each)
        if edits:
            continue
        _add_edit(foreign, path, item)
    if not foreign.sections and not foreign.notes:
        raise unreadable("json-edits", 1, "it has no edits", "send at least one")
    return foreign


def _add_edit(foreign: Foreign, path: str, item: Fields) -> None:
    command = item.get("command")
    if command == "view" or command == "undo_edit":
        raise unreadable("json-edits", 1, f"the command '{command}' changes nothing", "send edits only")
    old, new = _text(item, _OLDS), _text(item, _NEWS)
    content = _text(item, _CONTENTS)
    if content is not None and old is None and new is None and command != "insert":
        foreign.sections.append(WholeFile(path, content))
        return
    if command == "insert":
        after = _field(item, "line")
        new = new if new is not None else _text(item, "text")
        if not isinstance(after, int) or new is None:
            raise unreadable("json-edits", 1, f"an insert in '{path}' lacks its line or its text", "send both")
        edit = TextEdit(path, "", new)
        edit.after = after
        foreign.sections.append(edit)
        return
    if new is None and old is not None and command == "str_replace":
        new = ""  # the editor's new_str may be left out
    if old is None or new is None:
        lacks = "the old text" if old is None else "the new text"
        raise unreadable("json-edits", 1, f"an edit of '{path}' lacks {lacks}", "send both, as strings")
    edit = TextEdit(path, old, new, str(_field(item, _EVERY)).lower() == "true")  # a flag, or a string that says it
    count = _field(item, _COUNT)
    count = int(count) if isinstance(count, str) and count.isascii() and count.isdigit() else count
    edit.count = count if isinstance(count, int) and not isinstance(count, bool) and count > 1 else None
    foreign.sections.append(edit)


def read_json_files(text: str) -> Foreign:
    foreign = Foreign("whole-file")
    _note_prose(text, foreign)
    for item in _read_items(text):
        path, content = _text(item, _PATHS), _text(item, _CONTENTS)
        if path is None or content is None:
            raise unreadable("whole-file", 1, "a file lacks its path or its content", "send both, as strings")
        foreign.sections.append(WholeFile(path, content))
    return foreign


def write_json_edits(edits: list[TextEdit | WholeFile]) -> str:
    """Returns the text of edits with the fields of Claude's tools."""
    found = [
        {"file_path": each.path, "content": _sound(each.path, each.text)}
        if isinstance(each, WholeFile)
        else {
            "file_path": each.path,
            "old_string": _sound(each.path, each.old),
            "new_string": _sound(each.path, each.new),
        }
        for each in edits
    ]
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _sound(path: str, text: str) -> str:
    """The text, if JSON can say it: bytes that are not UTF-8 cannot be in a string."""
    if not is_unicode(text):
        what = f"bytes of '{path}' that are not UTF-8"
        raise PatchkitError("P112", file=path, what=what, instead="write it with '--to unified'")
    return text


def read_operations(text: str, strict: bool = False) -> Foreign:
    """Returns the operations of a JSON text as sections of a patch."""
    foreign = Foreign("openai-ops")
    _note_prose(text, foreign)
    for number, item in enumerate(_read_items(text), 1):
        path, kind = item.get("path"), item.get("type")
        if kind not in _TYPES or not isinstance(path, str):
            raise unreadable("openai-ops", 1, f"operation {number} lacks its type or its path", "send both")
        if kind == "delete_file":
            foreign.sections.append(DeleteFile(path))
            continue
        diff = item.get("diff")
        if not isinstance(diff, str):
            raise unreadable("openai-ops", 1, f"the operation on '{path}' has no diff", "send it as a string")
        patch = _operation(item, path, diff, strict, foreign)
        foreign.notes += patch.notes
        foreign.sections += patch.sections
    return foreign


def _operation(item: Fields, path: str, diff: str, strict: bool, foreign: Foreign) -> Patch:
    kind = OPERATIONS[str(item["type"])]
    if strict:
        word = "Add" if kind is AddFile else "Update"
        lines = diff.removesuffix("\n").split("\n") if diff else []
        text = _enveloped([f"*** {word} File: {path}", *lines])
    else:
        text = operation_text(kind, path, diff, _text(item, "move_to"))
        first, body = diff.split("\n", 1)[0].removesuffix("\r"), text.split("\n")[2:]
        if body[0] == f"+{first}":
            foreign.lenient("missing-plus", file=path, patch_line=0)
        elif first and first not in body:
            foreign.lenient("outside-text", patch_line=1, found=first)
    patch = parse(text, strict)
    for section in patch.sections:
        section.line = 0
        for hunk in section.hunks if isinstance(section, UpdateFile) else ():
            hunk.line = hunk.body_line = 0
    found = [(type(each), plain(each.path.strip())) for each in patch.sections]
    if found != [(kind, plain(path.strip()))]:
        reason = f"the diff of the operation on '{path}' speaks of another file"
        raise unreadable("openai-ops", 1, reason, "send one operation for each file")
    return patch


def operation_text(section: type, path: str, diff: str, move_to: str | None) -> str:
    """The patch of one operation on one file.

    Its diff comes in many forms: hunks alone, with the header of a unified diff, in a code fence, as a section with its
    marker, or as a whole patch. It may speak of another file, too: those who read the patch compare the paths.
    """
    lines = _unfenced(diff.replace("\r\n", "\n").removesuffix("\n").split("\n"), section)
    if lines[0].lstrip().startswith("*** Begin Patch"):
        return "\n".join(lines) + "\n"
    if lines[0].startswith(_MARKERS):  # the section with its marker
        return _enveloped(lines if lines[-1] != _ENDS[0] else lines[:-1])
    if section is DeleteFile:
        return _enveloped([f"*** Delete File: {path}"])
    if lines[-1] == _ENDS[0]:
        del lines[-1]
    if section is AddFile:
        return _enveloped([f"*** Add File: {path}", *_added(path, lines)])
    head = [f"*** Update File: {path}"]
    if move_to is not None and not (lines and lines[0].startswith("*** Move to:")):
        head.append(f"*** Move to: {move_to}")
    return _enveloped(head + (_without_header(lines) if lines != [""] else []))


def _enveloped(lines: list[str]) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def _added(path: str, lines: list[str]) -> list[str]:
    """The lines of a new file, each after a plus: as they came, or of a text that has none."""
    if lines and lines[-1] == _ENDS[1]:
        lines = lines[:-1]
    if any(line.startswith("*** ") for line in lines):
        raise unreadable("openai-ops", 1, f"the text of '{path}' has markers of a patch", "send each line after a '+'")
    if lines in ([], [""]):
        return []
    body = _without_header(lines)
    if body[0].startswith("@@"):
        body = body[1:]
    body = [line for line in body if line != _NO_LINE_END]
    if len(body) < len(lines) and any(body) and all(line.startswith("+") or not line for line in body):
        return body  # the header of a hunk, and added lines only
    return lines if any(line.startswith("+") for line in lines) else [f"+{line}" for line in lines]


def _without_header(lines: list[str]) -> list[str]:
    """The lines from the first hunk on, where nothing but the header of a unified diff is before it."""
    for number, line in enumerate(lines):
        if line.startswith("@@"):
            return lines[number:]
        if not line.startswith(_HEADERS):
            break
    return lines


def _unfenced(lines: list[str], section: type) -> list[str]:
    """The lines inside a code fence, where all of them have the signs of a diff."""
    if len(lines) < 3 or not lines[0].startswith("```") or lines[-1].strip() != "```":
        return lines
    inside = lines[1:-1]
    signs = ("+", "@@", "*** ") if section is AddFile else ("+", "-", " ", "@@", "*** ", *_HEADERS)
    return inside if all(line.startswith(signs) or not line for line in inside) else lines


def write_operations(patch: Patch) -> str:
    """Returns the operations of a patch; a section that moves a file must be taken apart before."""
    found = []
    for section in patch.sections:
        if isinstance(section, DeleteFile):
            found.append({"type": "delete_file", "path": section.path})
            continue
        body = write_bare(Patch([section])).split("\n")[2:-2]
        kind = "create_file" if isinstance(section, AddFile) else "update_file"
        diff = "".join(_sound(section.path, line) + "\n" for line in body)
        found.append({"type": kind, "path": section.path, "diff": diff})
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


# -- edits of another format inside the JSON of a call -----------------------------------------------
_TEXTS = (
    "input",
    "patch",
    "patchText",
    "diff",
    "content",
    "text",
    "arguments",
    "command",
)  # fields whose strings may be edits
_OTHERS = ("user", "system", "developer", "tool", "tool_result", "thinking", "reasoning")  # do not ask for an edit
_JSON = ("{", "[", '"')


def text_in_calls(text: str, is_text: Callable[[str], bool]) -> str:
    """The texts in the JSON of calls, one below the other, '' where there is none; `is_text` says what is one.

    The path beside a text is the line above it.
    """
    if text.strip()[:1] not in _JSON:
        return ""
    found: list[str] = []
    try:
        whole = _collect(json.loads(text), "", is_text, found, 0)
    except (ValueError, RecursionError):
        return ""
    return "\n\n".join(found) if whole else ""


def _collect(value: object, path: str, is_text: Callable[[str], bool], found: list[str], depth: int) -> bool:
    """Adds the texts in a value; False where some of its edits would be left out."""
    if depth > _MOST_DEEP:
        return False
    if isinstance(value, str):
        try:
            inner = json.loads(value) if value.strip()[:1] in _JSON else None
        except ValueError:
            inner = None
        if inner is not None:
            return _collect(inner, path, is_text, found, depth + 1)
        written = f"{path}\n{value}" if path else value
        if is_text(written):
            found.append(written)
        return True
    if isinstance(value, dict):
        if value.get("role") in _OTHERS or value.get("type") in _OTHERS:
            return True
        if _kind(value):
            return False  # an edit, an operation or a whole file by itself
        path = _text(value, _PATHS) or ""
        parts = [each for name, each in value.items() if name in _TEXTS or isinstance(each, (dict, list))]
    else:
        parts = value if isinstance(value, list) else []
    return all(_collect(each, path, is_text, found, depth + 1) for each in parts)
