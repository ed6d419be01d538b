"""What a call would do, one deed at a time: which files it would read or write, which commands it would run.

Takes paths, patches and sections of patches, and the workspace; returns Deeds under real names, so that a path is the
same deed however it is spelled. Which of these a tool does is declared by the tool. Deeds of scripts are in
`commands`. Nothing is changed and nothing is decided here.
"""

from __future__ import annotations

import os

from patchkit.core.language import AddFile, DeleteFile, Patch
from patchkit.core.language.parser import parse
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.globs.rule_patterns import Pattern, known, names_of
from patchkit.policy import READ, WRITE
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from patchkit.core.language import FileOp
    from patchkit.diffs.git_tree import GitTree
    from patchkit.policy.subcommands import SubcommandLine

Tree: TypeAlias = "Workspace | GitTree"  # where paths lead: on disk, or in a commit


_WORDS = {
    "read": "reading {}",
    "list": "listing {}",
    "search": "searching {}",
    "check": "reading {}",
    "write": "writing {}",
    "add": "adding {}",
    "update": "updating {}",
    "delete": "deleting {}",
    "move_from": "moving {}",
    "move_to": "moving a file to {}",
    "run": "running {}",
}


class Deed(Record):
    """One thing a call would do.

    One that `looks` changes what is there and shows some of it: where a hunk nearly matches, what a diff removes, what
    is at a new name. It has to be allowed as a read, too.
    """

    effect: str
    operation: str
    what: str
    names: list[Pattern]  # the real names of what it is done to, all of which count
    recorded: str  # what the log may say about it: the path from the root, or the name of a program
    tool: str = ""  # that does it, '' for the one that was called
    possible: list[Pattern | SubcommandLine] = []  # what it may be besides
    trouble: PatchkitError | None = None  # why it will not happen, whatever the rules say
    harmless: bool = False  # whether it needs no rule that allows it
    looks: bool = False
    unsure: bool = False  # whether it may leave the workspace: what is allowed by default is asked for then
    spelled: str = ""  # the path as the call has it, '' for what is not a file
    reads: list[Pattern] | None = None  # all that a command reads which does nothing else: rules about reading count
    danger: str = ""  # why a command is denied to an agent without a rule
    script: str = ""  # the whole of which it is a part
    alone: bool = False  # whether its words are all that matters: no variable, input or directory of the script

    def __init__(self, effect: str, operation: str, what: str, names: list[Pattern], **more: object) -> None:
        super().__init__(effect, operation, what, names, **{"recorded": what, **more})

    def under(self, name: Pattern) -> Deed:
        """The same deed, done to what has another name."""
        return Deed(self.effect, self.operation, self.what, [name], tool=self.tool, looks=self.looks)

    @property
    def words(self) -> str:
        """What is done, as the beginning of a sentence."""
        shown = self.what if len(self.what) <= 120 else self.what[:117] + "…"
        return _WORDS[self.operation].format(f"'{shown}'")


class Deeds(Record):
    """Finds the deeds of calls in one workspace. `fold` makes names equal that its file system takes for one."""

    files: Tree
    fold: Callable[[str], str]

    def of_patch(self, text: str | Patch, strict: bool = False, check: bool = False, start: str = "") -> list[Deed]:
        """What a patch would do to every file in it; a check only reads them. A text that is not a patch does nothing.

        Its paths count from `start`, or from where those of the workspace do.
        """
        try:
            sections = text.sections if isinstance(text, Patch) else parse(text, strict).sections
        except PatchkitError:
            return []  # it will be refused for that
        return [deed for section in sections for deed in self.of_section(section, check, start)]

    def of_section(self, section: FileOp, check: bool = False, start: str = "") -> list[Deed]:
        """What one section of a patch would do, to both of its files where it moves one."""
        return [
            self.at(READ if check else WRITE, "check" if check else operation, path, start)
            for operation, path in _operations(section)
        ]

    def of_paths(self, operations: Iterable[tuple[str, str]]) -> list[Deed]:
        """Changes that are known by what happens to which path."""
        return [self.at(WRITE, operation, path) for operation, path in operations]

    def at(self, effect: str, operation: str, path: str, start: str = "") -> Deed:
        """The deed at a path: about that name, and about the target if it is a link."""
        deed = Deed(effect, operation, path, [], spelled=os.path.join(start, path))
        try:
            entry = self.files.find(os.path.join(start, path), follow=False)
            deed.names.append(self.name(entry.name))
            spelled = self.name("/".join(self.files.parts(deed.spelled)))
            deed.possible = [spelled] if spelled != deed.names[0] else []  # a directory on the way is a link
            # What takes a name for itself, or takes it away, does so to the link and never goes through it.
            if entry.kind == "link" and operation not in ("add", "move_to", "delete"):
                entry = self.files.find(os.path.join(start, path))
                deed.names.append(self.name(entry.name))
            deed.recorded = entry.name
            deed.looks = effect == WRITE and entry.kind in ("file", "link")
        except PatchkitError as error:
            deed.trouble = error
        return deed

    def name(self, name: str) -> Pattern:
        """The absolute name of what the workspace calls `name`."""
        return self.name_of(os.path.join(self.files.real, "" if name == "." else name))

    def name_of(self, path: str) -> Pattern:
        """A real absolute path as rules see it."""
        return known([self.fold(each) for each in names_of(path)])


def leads_out(files: Tree, path: str) -> bool:
    """Whether a path leaves the workspace on its way, also where it comes back into it."""
    try:
        files.find(path)
    except PatchkitError as error:
        return error.code in ("P301", "P307")
    return False


def _operations(section: FileOp) -> list[tuple[str, str]]:
    if isinstance(section, AddFile):
        return [("add", section.path)]
    if isinstance(section, DeleteFile):
        return [("delete", section.path)]
    if section.move_to is None:
        return [("update", section.path)]
    return [("move_from", section.path), ("move_to", section.move_to)]
