"""Repair a prediction: a patch that `git apply` refuses, written again as one that it takes.

Takes the text of a row and its files; gives the columns of the answer. What patchkit reads and places with certainty is
written as a diff of the files, and git itself says whether it takes it. A patch that git takes stays as it is.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from patchkit.applying import asks_for_nothing, read_patch
from patchkit.catalogue.sentences import label
from patchkit.core.changes import Plan
from patchkit.core.changes.options import Options
from patchkit.core.language.parser import parse
from patchkit.diffs.diff import unified
from patchkit.errors import PatchkitError
from patchkit.repair import planned
from patchkit.repair.suggestion import names_another_file, suggest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.changes import Files

# Where containers of benchmarks have the repository: a path below it is one of the repository.
_MOUNTED = re.compile(r"(?m)^((?:diff --git|---|\+\+\+|\*\*\* \w+ (?:File|to):|\*\*\* Move to:) .*)$")
_PLACES = ("/testbed/", "/workspace/", "/repo/", "/app/")


class Repairing:
    """Repairs patches one after the other; `sure` says how sure a repair has to be: 'certain' or 'likely'."""

    def __init__(self, sure: str, options: Options) -> None:
        self._sure = sure
        self._options = options

    def repaired(self, text: str, files: Files, column: str) -> dict[str, object]:
        """The patch as git takes it, what was repaired (None where it was not), and how sure that is."""
        unchanged: dict[str, object] = {column: text, "repaired": None, "certainty": None, "git_took_it": True}
        names = self._names(text, files)
        if names is not None and git_takes(text, names, files):
            return {**unchanged, "repaired": []}
        unchanged["git_took_it"] = False
        for slip, spelled in _spellings(text).items():
            found = self._planned(spelled, files)
            if found is None:
                continue
            made, repairs, certainty = found
            diff = unified(made).decode("utf-8", "surrogateescape")
            if diff and git_takes(diff, [*made.changes], files):
                repairs = [*([slip] if slip else []), *repairs] or ["rewritten"]
                return {column: diff, "repaired": repairs, "certainty": certainty, "git_took_it": False}
        return unchanged

    def _names(self, text: str, files: Files) -> list[str] | None:
        found = self._planned(text, files)
        return [*found[0].changes] if found is not None else None

    def _planned(self, text: str, files: Files) -> tuple[Plan, list[str], str] | None:
        """The plan of what a text means, what had to be forgiven for it, and how sure it is."""
        options = self._options
        try:
            patch = read_patch(text, files, options)
            if asks_for_nothing(patch):
                return None
            made = planned(patch, files, options)
        except PatchkitError as error:
            if not isinstance(error.plan, Plan):
                return None
            better = suggest(patch, error, files, options, options.strict)
            if (
                better is None
                or names_another_file(error)
                or (better.certainty != "certain" and self._sure != "likely")
            ):
                return None
            try:
                return planned(parse(better.text), files, options), [error.code], better.certainty
            except PatchkitError:
                return None
        notes = [label(note.code, note.facts) for note in patch.notes + made.notes if note.code != "P990"]
        return made, list(dict.fromkeys(notes)), "certain"


def _spellings(text: str) -> dict[str, str]:
    """The text as it is, and as it was meant if it has a slip of its own: by the name of the slip."""
    found = {"": text}
    if "\\n" in text and "\n" not in text.strip():
        found["escaped"] = text.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "\t")
    for slip, each in list(found.items()):
        bare = _unmounted(each)
        if bare != each:
            found[f"{slip}+path-prefix".lstrip("+")] = bare
    return found


def _unmounted(text: str) -> str:
    """The text with paths that begin where benchmarks mount a repository, without that."""

    def bare(found: re.Match[str]) -> str:
        line = found[1]
        for place in _PLACES:
            line = line.replace(f" a{place}", " a/").replace(f" b{place}", " b/").replace(f" {place}", " ")
        return line

    return _MOUNTED.sub(bare, text)


def git_takes(text: str, names: list[str], files: Files) -> bool:
    """Whether `git apply` takes a patch, on the files of these names."""
    with TemporaryDirectory(prefix="patchkit-") as place:
        for name in names:
            try:
                entry = files.find(name, False)
                if entry.kind != "file":
                    continue
                path = Path(place, *files.parts(name))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(entry.data)
            except (PatchkitError, OSError):
                return False
        ran = subprocess.run(
            ["git", "apply", "--check", "-"],
            cwd=place,
            input=text.encode("utf-8", "surrogateescape"),
            capture_output=True,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CEILING_DIRECTORIES": "/", "HOME": place, "LC_ALL": "C"},
            check=False,
        )
        return ran.returncode == 0
