"""One row, judged: its patch is read and planned on its files, and nothing is written.

Takes a row; gives an Answer, whatever is wrong with the row. The parser and the planner are those of apply.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from functools import lru_cache

from patchkit.applying import asks_for_nothing, planned_as_meant, read_patch
from patchkit.batch.request import APPLIES, FAILED, NO_BASE, REFUSED, UNREADABLE, BatchRequest
from patchkit.catalogue.sentences import label
from patchkit.core.changes import Files, Options, Plan
from patchkit.core.language.lenience import refuse_half_characters
from patchkit.core.language.parser import parse
from patchkit.core.matching import NAMES, Match
from patchkit.diffs.diff import unified
from patchkit.diffs.git_calls import run_git
from patchkit.diffs.git_tree import GitTree, Repository
from patchkit.errors import Note, PatchkitError
from patchkit.repair import planned
from patchkit.repair.corrections import CERTAIN
from patchkit.repair.near_miss import NearMiss
from patchkit.repair.suggestion import breaks_syntax, names_another_file, suggest
from patchkit.report.diagnostics import as_error, cause
from patchkit.sources import DocumentMemory, MemoryFiles
from patchkit.values import Record

Row = dict[str, object]


# Repair a prediction: a patch that `git apply` refuses, written again as one that it takes.
#
# Takes the text of a row and its files; gives the columns of the answer. What patchkit reads and places with certainty
# is written as a diff of the files, and git itself says whether it takes it. A patch that git takes stays as it is.
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
            missing, is_context = _missing_end(spelled)
            is_open = spelled[spelled.rfind("\n") + 1 :][:1] == "+"  # its last line may be whole, or cut off
            if is_open and self._sure != "likely":
                continue
            if missing and not is_context:  # what was cut off is not known, unless it was blank
                whole = spelled + "\n" + " \n" * missing
                if git_takes(whole, self._names(whole, files), files):
                    sure = "likely" if is_open else "certain"
                    return {column: whole, "repaired": ["blank-end"], "certainty": sure, "git_took_it": False}
                continue
            if missing:
                slip, spelled = f"{slip}+cut-off".lstrip("+"), spelled[: spelled.rfind("\n") + 1]
            found = self._planned(spelled, files)
            if found is None:
                continue
            made, repairs = found
            if _is_misread(spelled, repairs) or (is_open and (_is_cut(spelled) or breaks_syntax(made))):
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
        notes = [label(note.code, note.facts) for note in _told(patch.notes + made.notes)]
        return made, list(dict.fromkeys(notes))


def _is_cut(text: str) -> bool:
    """Whether the last line, an added one, says nothing, or is the beginning of a line that the text removes."""
    last = text[text.rfind("\n") + 2 :]
    return not last.strip() or re.search(r"(?m)^-" + re.escape(last) + ".", text) is not None


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


def _missing_end(text: str) -> tuple[int, bool]:
    """How many lines the last hunk lacks of those that its header says, in a text without a final newline.

    And whether these are context, and the last line, which may be cut off, too: no more of it comes than git writes
    below a change.
    """
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
        return 0, False
    below = next((row for row, line in enumerate(reversed(lines)) if line[:1] in ("+", "-")), len(lines))
    is_all = missing[0] == missing[1] and below + missing[0] <= _CONTEXT
    return max(missing), is_context and is_all


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
    from pathlib import Path  # where patches are repaired only
    from tempfile import TemporaryDirectory

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
        outside = {"GIT_CEILING_DIRECTORIES": "/", "GIT_DIR": f"{place}/.git", "HOME": place}  # of any repository
        data = text.encode("utf-8", "surrogateescape")
        return run_git(["-C", place], ["apply", "--check", "-"], data=data, env=outside).returncode == 0


# -- the files that the patch of a row is for ------------------------------------------------------
# Takes a row; gives its files: the mapping that the row brings itself, or the tree of a commit of one of the
# repositories below one directory. A repository is opened once in a process, by one `git cat-file`, and the latest few
# stay open.


_MOST_OPEN = 16  # repositories
_MOST_TREES = 1_000  # commits of a repository whose trees stay known
_MOST_LISTINGS = 20_000  # directories of a repository that stay known


class Bases:
    """What patches are planned on, in one process."""

    def __init__(self, request: BatchRequest) -> None:
        self._request = request
        self._repositories: dict[str, tuple[Repository, Callable[[str], Files]]] = {}  # the latest used is the last

    def order(self, row: Row | PatchkitError) -> tuple[str, str]:
        """What to sort rows by, so that those of one commit follow each other."""
        if isinstance(row, PatchkitError):
            return "", ""
        repo, commit = (self._request.column(row, name) for name in ("repo", "base_commit"))
        return str(row[repo]) if repo else "", str(row[commit]) if commit else ""

    def files(self, row: Row) -> Files:
        """The files of a row; raises P693 where it has none, and what git says of a commit that is not there."""
        column = self._request.column(row, "files")
        if column and row.get(column) is not None:
            return MemoryFiles(_mapping(row[column]))
        repo, commit = (self._request.column(row, name) for name in ("repo", "base_commit"))
        if not repo or not commit:
            raise PatchkitError("P693", reason="it has neither 'files' nor 'repo' and 'base_commit'")
        if self._request.repos is None:
            raise PatchkitError("P693", reason="no directory of repositories was given ('--repos')")
        name, revision = row[repo], row[commit]
        if not isinstance(name, str) or not isinstance(revision, str) or not revision:
            raise PatchkitError("P693", reason=f"'{repo}' and '{commit}' are not both texts")
        return self._tree(name, revision)

    def close(self) -> None:
        """Ends all git processes: after a row that was stopped, their answers belong to questions of that row."""
        for repository, _ in self._repositories.values():
            repository.close()
        self._repositories.clear()

    def _tree(self, name: str, revision: str) -> Files:
        known = self._repositories.pop(name, None)
        if known is None:
            git_dir = _git_dir(str(self._request.repos), name)
            opened = Repository(git_dir, git_dir)
            known = opened, lru_cache(_MOST_TREES)(lambda revision: GitTree(revision, git_dir, repository=opened))
            if len(self._repositories) >= _MOST_OPEN:
                oldest = next(iter(self._repositories))
                self._repositories.pop(oldest)[0].close()
        self._repositories[name] = known
        if len(known[0].listings) > _MOST_LISTINGS:
            known[0].listings.clear()
        return known[1](revision)


def _git_dir(repos: str, name: str) -> str:
    """The repository of a name such as 'owner/name' below a directory, with or without a work tree."""
    parts = name.split("/")
    if not name or name.startswith("/") or "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise PatchkitError("P693", reason=f"'{name}' is not the name of a repository")
    for written in (name, "__".join(parts), parts[-1]):
        for path in (os.path.join(repos, written, ".git"), os.path.join(repos, f"{written}.git")):
            if os.path.exists(path):
                return path
        path = os.path.join(repos, written)
        if os.path.exists(os.path.join(path, "HEAD")):
            return path
    raise PatchkitError("P693", reason=f"there is no repository '{name}' in the directory of '--repos'")


def _mapping(value: object) -> dict[str, bytes]:
    """The files of a row: a mapping of paths to texts, the same as JSON, or a list of pairs or of records."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise PatchkitError("P693", reason="its files are a text that is not JSON") from None
    pairs = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(pairs, (list, tuple)):
        raise PatchkitError("P693", reason="its files are not a mapping of paths to texts")
    found: dict[str, bytes] = {}
    for pair in pairs:
        path, content = _pair(pair)
        if content is None:
            continue  # Parquet gives every row all names that any row has
        if not isinstance(path, str) or not isinstance(content, (str, bytes)):
            raise PatchkitError("P693", reason="its files are not a mapping of paths to texts")
        try:
            found[path] = content.encode() if isinstance(content, str) else content
        except UnicodeEncodeError:
            raise PatchkitError("P693", reason=f"the text of '{path}' has half of a surrogate pair") from None
    return found


def _pair(pair: object) -> tuple[object, object]:
    if isinstance(pair, dict):
        content = next((pair[name] for name in ("content", "text", "contents") if name in pair), None)
        return pair.get("path", pair.get("name")), content
    return (pair[0], pair[1]) if isinstance(pair, (list, tuple)) and len(pair) == 2 else (None, "")


MEMORY = 16 << 20  # bytes that a worker takes to remember files
_MOST_ERRORS = 10  # of a row that are written
# The text was read; what it says cannot be done by a patch, or does not fit the files.
_READ = ("P112", "P123", "P124", "P125", "P127", "P128")
_OF_GIT = ("P401", "P666", "P667")
_NO_BASE = (*_OF_GIT, "P693")
_OURS = ("P405", "P499", "P694", "P695")


class Answer(Record):
    """What came of one row. `passes` counts the hunks that matched by each pass."""

    verdict: str = APPLIES
    code: str | None = None
    passes: dict[str, int] = {}
    errors: list[dict[str, object]] = []
    notes: list[str] = []
    emitted: dict[str, object] = {}

    @property
    def most_tolerant(self) -> str:
        """The pass that was needed; '' where no hunk matched."""
        return max(self.passes, key=NAMES.index, default="")

    def values(self) -> dict[str, object]:
        about: dict[str, object] = {"verdict": self.verdict, "code": self.code, "pass": self.most_tolerant or None}
        return {**about, "passes": self.passes, "errors": self.errors, "notes": self.notes, **self.emitted}


class RowJudge:
    """Judges rows, one after the other, in one process."""

    def __init__(self, request: BatchRequest) -> None:
        self.request = request
        self.bases = Bases(request)
        self._options = request.planning()
        self._source = self._options.source
        self._options.memory = DocumentMemory(MEMORY)

    def judge(self, row: dict[str, object]) -> Answer:
        """Judges one row. Raises nothing that a row can cause, but for what stops it: a time-out."""
        try:
            answer = self._judged(row)
        except PatchkitError as error:
            answer = refusal(error)
        except Exception as error:  # an internal error is the answer for the row that met it
            return refusal(as_error(error))
        if self.request.repair:
            self._repair(answer, row)
        given = self.request.repos if answer.code in _OF_GIT else None
        for each in answer.errors if given is not None else ():
            # Repositories are named as rows do: an answer, and a page of it, may be read on another machine.
            for directory in (os.path.realpath(str(given)), os.path.abspath(str(given)), str(given)):
                each["message"] = str(each["message"]).replace(os.path.join(directory, ""), "")
        return answer

    def _repair(self, answer: Answer, row: dict[str, object]) -> None:
        """Writes a patch that git refuses back as one that it takes, where that is sure enough."""
        column = self.request.column(row, "patch")
        text = row.get(column) if column else None
        if not isinstance(text, str):
            return
        try:
            self._options.source = self._format(text)
            repairing = Repairing(self.request.repair, self._options)
            answer.emitted.update(repairing.repaired(text, self.bases.files(row), column))
        except PatchkitError:
            return  # it has no files
        except Exception as error:
            answer.errors += refusal(as_error(error)).errors

    def _judged(self, row: dict[str, object]) -> Answer:
        column = self.request.column(row, "patch")
        text = row.get(column) if column else None
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogateescape")
        elif isinstance(text, str):
            refuse_half_characters(text)
        else:
            raise PatchkitError("P692", reason="it has no patch")
        files = self.bases.files(row)
        self._options.source = self._format(text)
        patch = read_patch(text, files, self._options)
        answer = Answer()
        try:
            made = Plan(files) if asks_for_nothing(patch) else planned_as_meant(patch, files, self._options)
        except PatchkitError as error:
            if not isinstance(error.plan, Plan):
                raise
            made = error.plan
            answer = refusal(error, REFUSED)
            if self._options.partial:
                from patchkit.selecting import fit_words  # where it is asked for

                answer.emitted["fits"] = fit_words(patch, files, self._options)
            if "suggestion" in self.request.emit:
                better = suggest(patch, error, files, self._options, self._options.strict)
                answer.emitted["suggestion"] = better.text if better is not None else None
                answer.emitted["certainty"] = better.certainty if better is not None else None
        else:
            if "diff" in self.request.emit:
                answer.emitted["diff"] = unified(made).decode("utf-8", "replace")
            if "files" in self.request.emit:
                after = {change.before.name: change.after for change in made.effective}
                answer.emitted["files_after"] = {
                    name: b"".join(pieces).decode("utf-8", "replace") if pieces is not None else None
                    for name, pieces in after.items()
                }
        answer.notes = list(dict.fromkeys([label(note.code, note.facts) for note in _told(patch.notes + made.notes)]))
        for section in made.sections:
            for result in section.results:
                if isinstance(result, Match):
                    answer.passes[result.pass_name] = answer.passes.get(result.pass_name, 0) + 1
        return answer

    def _format(self, text: str) -> str:
        """The edit format to read a text in; '' for the patch language, which most texts show at once."""
        source = self._source
        plain = source == "v4a" or (source == "auto" and text.startswith("*** Begin Patch\n"))
        return "" if plain else source


def _told(notes: list[Note]) -> list[Note]:
    """The notes that say something about the patch: that it is in another format is not a slip."""
    return [note for note in notes if note.code != "P990"]


def refusal(error: PatchkitError, verdict: str = "") -> Answer:
    """The answer for a row with this error; the verdict follows from the code unless it is known."""
    answer = Answer(verdict or _verdict(error.code))
    answer.code = error.code
    for each in error.errors[:_MOST_ERRORS]:
        facts: dict[str, object] = {"code": each.code, "message": each.message, "file": each.file, "hunk": each.hunk}
        facts.update(patch_line=each.patch_line, line=each.line)
        near = each.facts.get("near")
        if isinstance(near, NearMiss):
            facts["agree"], facts["total"] = near.agree, near.total
            facts["cause"] = cause(near.expected, near.found, near.column)
        answer.errors.append(facts)
    return answer


def _verdict(code: str) -> str:
    if code in _NO_BASE:
        return NO_BASE
    if code in _OURS:
        return FAILED
    return UNREADABLE if code == "P692" or (code.startswith("P1") and code not in _READ) else REFUSED
