"""MultiEdit: several replacements in one file, each on the result of the one before, all of them or none."""

from __future__ import annotations

from patchkit.core.text import Document
from patchkit.errors import Note, PatchkitError
from patchkit.formats.edits import Edited, EditStep, Text
from patchkit.report.result import Json, Result
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields
from patchkit.tools.edit import ALIASES, EXTRAS
from patchkit.tools.editing import target as targets
from patchkit.tools.editing.snippet import shown
from patchkit.tools.editing.target import Target, judge, made, refuse_same, text_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.formats.foreign import EditedText

_FEW = 32  # edits, for each of which the whole file is searched

DESCRIPTION = """\
Makes several replacements in one file, in one operation. Prefer this tool over Edit when you need to make several changes to the same file.

Usage:
- file_path is relative to the current directory, or absolute. A path outside the workspace is refused
- Use the Read tool first. This tool will error if the file was not read, or changed since
- edits is a list of replacements. Each has old_string (the text to replace, which must match the file exactly, including whitespace and indentation), new_string (the text to replace it with) and optionally replace_all (replace every occurrence; default false)
- The edits are made in order, each on the result of the one before. Make sure that an earlier edit does not change the text that a later one looks for
- All edits are made, or none: if one fails, the file stays as it is
- An edit fails if old_string does not match, if it is not unique and replace_all is false, or if old_string and new_string are the same
- For a notebook (.ipynb), old_string is text of one cell as Read shows it; NotebookEdit changes whole cells
- Make sure that the code is correct after all edits; do not leave it in a broken state
- Only use emojis if the user explicitly requests it. Avoid adding emojis to files unless asked
- To create a file, give a new path, an empty old_string in the first edit and the content as its new_string; further edits change that content"""  # noqa: E501  # one point, one line
SCHEMA: Json = fields(
    "file_path edits",
    file_path=field("string", "The path of the file to change, in the workspace"),
    edits=field(
        "array",
        "Array of edit operations to perform sequentially on the file",
        items=fields(
            "old_string new_string",
            old_string=field("string", "The text to replace"),
            new_string=field("string", "The text to replace it with"),
            replace_all=field("boolean", "Replace all occurrences of old_string (default false).", default=False),
        ),
        minItems=1,
    ),
)


def run(call: ToolCall) -> Result:
    target = Target(call)
    steps = [
        EditStep(each["old_string"], each["new_string"], bool(each.get("replace_all")), number)
        for number, each in enumerate(call.get("edits"), 1)
    ]
    creates = target.missing and not steps[0].old
    if not creates:
        target.refuse_missing()
        if steps[0].old:  # an empty one is refused for what it is
            target.refuse_unseen()
    text = None if target.missing else text_for(target, steps)
    steps = _without_idle(target, text, steps)
    before = Document(b"") if text is None else text.document
    document, found = _made(target, text, steps)
    combined = Edited.between(before, document.data)
    if (before.bom, before.codec) != (document.bom, document.codec):
        combined.count = 0  # the changes are not all that differs
    after = b"".join(document.file_bytes([document.data]))
    same = not target.missing and after == target.entry.data
    target.commit([target.entry.data if same else after], combined)
    data = target.written([after])
    data.update(created=creates, edits=found)
    data["ui_extra"] = shown(combined.document, combined.changes, target.path).diff
    lines = [f'{step.number}. Replaced "{step.old}" with "{step.new}"' for step in steps]
    head = f"Applied {len(steps)} edit{'s' if len(steps) > 1 else ''} to {target.shown}:"
    return Result("success", data, "\n".join([head, *lines]))


def _made(target: Target, text: Text | None, steps: list[EditStep]) -> tuple[Document, list[Json]]:
    """The content after all steps, and what is said of each."""
    found: list[Json] = []
    many: EditedText | None = None  # so many that the whole file is not searched, and made anew, for each
    if text is not None and len(steps) > _FEW and not target.entry.name.endswith(".ipynb"):
        from patchkit.formats.foreign import EditedText  # thousands of edits are rare

        many = EditedText(text.document.data) if text.document.codec is None else None
    document = Document(b"") if text is None else text.document
    for step in steps:
        count, level = 1, "exact"
        if many is not None and step.old and step.new and many.replace_one_of_many(step.old, step.new):
            judge(target, step)
            text = None
        elif many is not None and step.old and (near := _made_near(target, many, step)) is not None:
            count, level, text = near.count, near.level, None
        else:
            if many is not None and text is None:
                text = Text(Document(b"".join(document.file_bytes([many.data]))))
            edited = made(target, text, step)
            count, level, document = edited.count, edited.level, edited.after()
            text = Text(document)
            if many is not None:
                many.put_data(document.data)
        found.append({"edit": step.number, "replacements": count, "pass": level})
    if many is not None and text is None:
        document = Document(b"".join(document.file_bytes([many.data])))
    return document, found


def _made_near(target: Target, many: EditedText, step: EditStep) -> Edited | None:
    """One of many edits whose old text is whole lines of one place, but for the space around each: made by the lines
    around it. None where it takes more, and nothing is changed.
    """
    stretch = many.around(step.old)
    if stretch is None or step.everywhere:
        return None
    notes = target.call.notes
    noted = len(notes)
    try:
        edited = made(target, Text(Document(many.content_of(stretch))), step)
        if many.put_around(stretch, edited.after().data):
            for note in notes[noted:]:
                if "line" in note.facts:
                    note.facts["line"] = int(str(note.facts["line"])) + stretch.above
            return edited
    except PatchkitError:
        pass  # and said again with the lines that the file has
    del notes[noted:]
    return None


def _without_idle(target: Target, text: Text | None, steps: list[EditStep]) -> list[EditStep]:
    """The steps that change something, with a note for each other; where none does, the first is refused for it."""
    kept = [step for step in steps if not step.old or step.old != step.new]
    if not kept:
        refuse_same(target, steps[0])
    added = "\0".join(each.new for each in kept) if len(kept) < len(steps) else ""
    there: dict[str, bool] = {}
    for step in steps if added else ():
        if step.old and step.old == step.new:
            if step.old not in there:
                there[step.old] = (text is not None and bool(text.places(step.old))) or step.old in added
            why = "no-change" if there[step.old] else "not-there"
            target.call.notes.append(Note("P929", why=why, file=target.path, what=f"edit {step.number}"))
    return kept


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    extras=EXTRAS,
    aliases=ALIASES,
    command_line=FieldSpelling(
        positional=("file_path",), options=targets.OPTIONS, from_file={"edits": "--edits-file"}, from_stdin="edits"
    ),
    verb="multi_edit",
    operation="update",
)
