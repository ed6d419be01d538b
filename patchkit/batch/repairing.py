"""Repair a prediction: a patch that `git apply` refuses, written again as one that it takes.

Takes the text of a row and its files; gives the columns of the answer. What patchkit reads and places with certainty is
written as a diff of the files, and git itself says whether it takes it. A patch that git takes stays as it is.
"""

from __future__ import annotations

import json
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
from patchkit.guards.syntax import check_syntax
from patchkit.repair import planned
from patchkit.repair.corrections import CERTAIN
from patchkit.repair.suggestion import names_another_file, suggest
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.changes import Files

# Where containers of benchmarks have the repository: a path below it is one of the repository.
_MOUNTED = re.compile(r"(?m)^((?:diff --git|---|\+\+\+|\*\*\* \w+ (?:File|to):|\*\*\* Move to:) .*)$")
_PLACES = ("/testbed/", "/workspace/", "/repo/", "/app/")
_HUNK = re.compile(r"(?m)^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@.*\n")
_NAMED = re.compile(r"(?m)^(?:--- (?:\w/)?|(?:rename|copy) from )([^\t\n]+)")
_CONTEXT = 3  # lines that git writes below a change
_DIFF_LINE = re.compile(r"[-+ @\\]|diff |index |new |old |deleted |rename |copy |similarity |dissimilarity |\*\*\* |$")


class Repairing:
    """Repairs patches one after the other; `sure` says how sure a repair has to be: 'certain' or 'likely'.

    Likely is that a patch whose last line has no newline is whole, and was not cut off within that line.
    """

    def __init__(self, sure: str, options: Options) -> None:
        self._sure = sure
        self._options = options

    def repaired(self, text: str, files: Files, column: str) -> dict[str, object]:
        """The patch as git takes it, what was repaired (None where it was not), and how sure that is."""
        unchanged: dict[str, object] = {column: text, "repaired": None, "certainty": None, "git_took_it": True}
        if git_takes(text, self._names(text, files), files):
            return {**unchanged, "repaired": []}
        unchanged["git_took_it"] = False
        for slip, spelled in _spellings(text).items():
            end = _end(spelled)
            is_open = spelled[spelled.rfind("\n") + 1 :][:1] == "+"  # its last line may be whole, or cut off
            if is_open and self._sure != "likely":
                continue
            if end.missing and not end.is_context:  # what was cut off is not known, unless it was blank
                whole = spelled + "\n" + " \n" * end.missing
                if git_takes(whole, self._names(whole, files), files):
                    sure = "likely" if is_open else "certain"
                    return {column: whole, "repaired": ["blank-end"], "certainty": sure, "git_took_it": False}
                continue
            if end.missing:
                slip, spelled = f"{slip}+cut-off".lstrip("+"), spelled[: spelled.rfind("\n") + 1]
            found = self._planned(spelled, files)
            if found is None:
                continue
            made, repairs = found
            if _is_misread(spelled, repairs) or (is_open and (_is_cut(spelled) or _breaks_syntax(made))):
                continue
            certainty = "likely" if is_open else "certain"
            diff = unified(made).decode("utf-8", "surrogateescape")
            if diff and git_takes(diff, [*made.changes], files):
                repairs = [*([slip] if slip else []), *repairs] or ["rewritten"]
                return {column: diff, "repaired": repairs, "certainty": certainty, "git_took_it": False}
        return unchanged

    def _names(self, text: str, files: Files) -> list[str]:
        """The files that git may ask for: those of the plan, and those that the text names where there is none."""
        found = self._planned(text, files)
        return [*found[0].changes] if found is not None else [*{*_NAMED.findall(text)} - {"/dev/null"}]

    def _planned(self, text: str, files: Files) -> tuple[Plan, list[str]] | None:
        """The plan of what a text means for certain, and what had to be forgiven for it."""
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
            if better is None or better.certainty != CERTAIN or names_another_file(error):
                return None
            try:
                return planned(parse(better.text), files, options), [error.code]
            except PatchkitError:
                return None
        notes = [label(note.code, note.facts) for note in patch.notes + made.notes if note.code != "P990"]
        return made, list(dict.fromkeys(notes))


def _is_cut(text: str) -> bool:
    """Whether the last line, an added one, says nothing, or is the beginning of a line that the text removes."""
    last = text[text.rfind("\n") + 2 :]
    return not last.strip() or re.search(r"(?m)^-" + re.escape(last) + ".", text) is not None


def _breaks_syntax(made: Plan) -> bool:
    check_syntax(made, "note")
    return any(note.code == "P967" for note in made.notes)


def _spellings(text: str) -> dict[str, str]:
    """The text as it is, and as it was meant if it has a slip of its own: by the name of the slip."""
    found = {"": text}
    if "\\n" in text and "\n" not in text.strip():
        bare = _unescaped(text.strip())
        if all(map(_DIFF_LINE.match, bare.split("\n"))):  # or a line has a '\n' of its own
            found = {"escaped": bare}
    for slip, each in list(found.items()):
        bare = _unmounted(each)
        if bare != each:
            found[f"{slip}+path-prefix".lstrip("+")] = bare
    return found


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:  # its quotes are not escaped
        return text.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "\t")


class _End(Value):
    """How a text ends that has no final newline: how many lines its last hunk lacks of those that its header says.

    With `is_context` these are context, and so is the last line, which may be cut off: no more of it comes than git
    writes below a change.
    """

    __slots__ = ("missing", "is_context")
    missing: int
    is_context: bool

    def __init__(self, missing: int = 0, is_context: bool = False) -> None:
        self.missing = missing
        self.is_context = is_context


def _is_misread(text: str, repairs: list[str]) -> bool:
    """Whether context lines lost their space, and one of them was taken for a change or for the end of the diff.

    The headers show it: they count other lines than were read.
    """
    headers = [*_HUNK.finditer(text)]
    has_counts, lost = True, False
    for header, stop in zip(headers, [*[each.start() for each in headers[1:]], len(text)]):
        lines = re.split(r"(?m)^diff --git |^--- ", text[header.end() : stop])[0].removesuffix("\n").split("\n")
        lost = lost or any(line[:1] not in ("", " ", "+", "-", "\\") for line in lines)
        if any(int(said or 1) != sum(line[:1] != sign for line in lines) for said, sign in zip(header.groups(), "+-")):
            has_counts = False
    is_shortened = "P901:outside-text" in repairs
    return lost and (has_counts == is_shortened or (has_counts and "P901:hunk-counts" in repairs))


def _end(text: str) -> _End:
    headers = [*_HUNK.finditer(text)]
    lines = text[headers[-1].end() :].split("\n") if headers else [""]
    is_context = lines[-1][:1] == " "
    if is_context:
        lines.pop()
    missing = [
        int(said or 1) - sum(line[:1] != sign for line in lines)
        for said, sign in zip(headers[-1].groups() if headers else (), "+-")
    ]
    if text.endswith("\n") or not headers or max(missing) <= is_context:
        return _End()
    below = next((row for row, line in enumerate(reversed(lines)) if line[:1] in ("+", "-")), len(lines))
    is_all = missing[0] == missing[1] and below + missing[0] <= _CONTEXT
    return _End(max(missing), is_context and is_all)


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
