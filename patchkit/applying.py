"""Apply a patch: what `apply_patch`, `patchkit apply` and the library have in common.

Takes a patch and options; gives an Applied, or raises PatchkitError with nothing written (in the codex
dialect: nothing of the section that failed and of those after it).
"""

from __future__ import annotations

from patchkit.core.changes import ASKS_FOR_NOTHING, Files, Options, Plan, Section, listed_sections
from patchkit.core.language import Patch
from patchkit.core.language.parser import parse
from patchkit.errors import Note, PatchkitError
from patchkit.guards import may_break_syntax
from patchkit.repair import planned
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.results import FileResult


class Applied(Record):
    """What came of a patch: its plans (one; in the codex dialect one for each section), and all notes."""

    plans: list[Plan] = []
    notes: list[Note] = []
    applied: bool = False
    rest: str = ""  # what does not fit, as a patch, where `partial` was asked for
    errors: list[PatchkitError] = []  # and why
    left: list[Plan] = []  # and what is known of it

    @property
    def sections(self) -> list[Section]:
        return [section for each in self.plans for section in each.listed]

    @property
    def updated(self) -> list[Section]:
        """The sections that changed their files; of a check, those that would."""
        return [section for each in self.plans for section in each.updated]

    @property
    def files(self) -> list[FileResult]:
        """What was done to each file, in the patch's order; of a check, what would be done."""
        from patchkit.results import file_results

        return file_results(self.plans, written=self.applied)

    @property
    def updated_files(self) -> list[FileResult]:
        """What was done to the files of `updated`, one for each."""
        updates = [each.updates(section) for each in self.plans for section in each.listed]
        return [result for result, updated in zip(self.files, updates) if updated]

    def __repr__(self) -> str:
        return f"Applied({listed_sections(self.sections)}{'' if self.applied else '; not written'})"


def apply(
    text: str | Patch, files: Files, options: Options, before_commit: Callable[[Plan], None] | None = None
) -> Applied:
    """Applies the patch, each plan after `before_commit` has had it; raises with every fault found when it cannot."""
    patch = read_patch(text, files, options) if isinstance(text, str) else text
    done = Applied()
    done.notes.extend(patch.notes)
    files.prepare(options)
    done.notes.extend(files.begin(writing=not options.check))
    if asks_for_nothing(patch):
        done.notes.extend(notes_on_nothing(patch))
        return done
    parts = [patch]  # what is planned and committed together
    if options.reading.one_by_one and len(patch.sections) > 1:
        parts = [Patch([section]) for section in patch.sections]
    for part in parts:
        corrected = False
        try:
            made = planned_as_meant(part, files, options)
        except PatchkitError as error:
            if options.suggest or options.fix:
                left = patch.sections if options.check else patch.sections[len(done.plans) :]
                _add_suggestion(error, Patch(left, patch.environment_id), files, options)
            if options.source:
                name_format(error, patch, options)
            fits = _fitting(error, part, files, options, done) if options.partial else None
            made, corrected = fits or _fixed(error, part, files, options), True
            done.plans = [] if options.check else done.plans  # a check planned all of it anew
        if options.syntax not in ("", "off") and (options.syntax == "error" or may_break_syntax(made)):
            from patchkit.guards.syntax import check_syntax  # loads parsers

            check_syntax(made, options.syntax)
        done.plans.append(made)
        if options.remember:
            load_all(made)
        if before_commit is not None:
            before_commit(made)
        if not options.check:
            made.commit()
        done.notes.extend(made.notes)
        if corrected:
            break  # a corrected patch has all that was left
    if len(done.plans) > 1:  # that a section changes nothing is not said of the others
        done.notes = [note for note in done.notes if note.code != "P933"]
        done.notes += [] if any(each.effective for each in done.plans) else [Note("P933")]
    done.applied = not options.check
    return done


def planned_as_meant(patch: Patch, files: Files, options: Options, doubting: bool = True) -> Plan:
    """The plan of a patch; a path that is only spelled otherwise than that of one file is taken for it."""
    try:
        return planned(patch, files, options, doubting)
    except PatchkitError as error:
        if options.strict or not all(each.facts.get("spelled") for each in error.errors):
            raise
        from patchkit.repair.suggestion import respelled  # few paths are

        return respelled(patch, error, files, options, doubting)


def read_patch(text: str, files: Files, options: Options) -> Patch:
    """The patch that a text means for these files: in the language, or in the edit format that the options name."""
    if options.reverse:
        return _taken_back(text, files, options)
    if options.base is None and not options.source:
        return parse(text, options.strict)  # nearly always
    where = options.base if options.base is not None else files
    patch = written_patch(text, where, options)
    if options.base is None:
        return patch
    from patchkit.repair.based import based_patch  # with a base only

    return based_patch(patch, options.base, files, options)


def written_patch(text: str, files: Files, options: Options) -> Patch:
    """The patch that a text is, not taken back and not carried over."""
    if not options.source:
        return parse(text, options.strict)
    from patchkit.formats.foreign import patch_of  # other formats only

    return patch_of(text, options.source, files, options)


def _taken_back(text: str, files: Files, options: Options) -> Patch:
    """The patch that takes a text back: by itself, or with the base that it was made for.

    A base that has the patch already is taken as what came of it.
    """
    from patchkit.repair.based import based_patch, taken_back_patch

    if options.base is None:
        return _turned_round(text, files, options)
    whole = options.limited_to(options.max_pass, None)
    whole.forward = False  # or a base that has the patch would count as one that it was made for
    try:
        patch = written_patch(text, options.base, whole)
        planned(patch, options.base, whole)
    except PatchkitError as error:
        try:
            patch = _turned_round(text, options.base, options)
            planned(patch, options.base, options)
        except PatchkitError:
            raise error from None
        return based_patch(patch, options.base, files, options)
    return taken_back_patch(patch, options.base, files, options)


def _turned_round(text: str, files: Files, options: Options) -> Patch:
    """The patch that takes a text back, by what the text says and the files that have it."""
    from patchkit.formats.foreign import resolved_patch
    from patchkit.formats.reading import read_format
    from patchkit.formats.reverse import reversed_foreign, reversed_patch

    if options.source:
        foreign = read_format(text, options.source, options.strict, options.strip)
        if foreign.name != "v4a":
            return resolved_patch(reversed_foreign(foreign), files, options)
        return reversed_patch(resolved_patch(foreign, files, options), files)
    return reversed_patch(parse(text, options.strict), files)


def name_format(error: PatchkitError, patch: Patch, options: Options) -> None:
    """Puts the edit format of the text into a refusal: its next step is in the words of that format."""
    from patchkit.formats.model import TITLES

    read = next((note.facts["format"] for note in patch.notes if note.code == "P990"), None)
    name = next((name for name, title in TITLES.items() if title == read), options.source)
    if name in ("v4a", "auto"):
        return
    for each in error.errors:
        each.facts["edit_format"] = name
        if name != "openai-ops":  # whose hunks have anchors
            choices = each.facts.get("choices")
            for choice in choices if isinstance(choices, list) else ():
                choice.add = []


def asks_for_nothing(patch: Patch) -> bool:
    """Whether all that a text says is what the files have already, or is left out: no fault, and nothing to plan."""
    return not patch.sections and any(note.code in ASKS_FOR_NOTHING for note in patch.notes)


def notes_on_nothing(patch: Patch) -> list[Note]:
    """What is noted of a patch that asks for nothing; one that left something out does not say that all is there."""
    return [] if any(note.code == "P983" for note in patch.notes) else [Note("P933")]


def joined_patch(
    texts: list[str], files: Files, options: Options, plan: Callable[[Patch, Files, Options], Plan] = planned
) -> Patch:
    """Several texts as one patch: each is read and planned, by `plan`, on what those before it leave.

    A refusal has the number of the text that it is about, as the fact `part`.
    """
    from patchkit.sources import Overlay

    below = Overlay(files)
    joined = Patch([])
    for number, text in enumerate(texts):
        patch = joined
        try:
            patch = read_patch(text, below, options)
            plan(patch, below, options).commit()
        except PatchkitError as error:
            for each in error.errors:
                each.facts["part"] = number
            if options.source and patch is not joined:
                name_format(error, patch, options)
            raise
        joined.sections += patch.sections
        joined.notes += patch.notes
    return joined


def _fitting(error: PatchkitError, patch: Patch, files: Files, options: Options, done: Applied) -> Plan | None:
    """The plan of what fits of a refused patch; None where nothing does. The rest is kept in `done`."""
    from patchkit.selecting import fitting
    from patchkit.writer import write

    if not isinstance(error.plan, Plan):
        return None
    found = fitting(patch, files, options)
    if found.plan is None or not found.rest.sections:
        return None
    if options.source:
        for each in found.errors:
            name_format(each, patch, options)
    done.rest, done.errors, done.left = write(found.rest), found.errors, [found.left]
    return found.plan


def load_all(plan: Plan) -> None:
    """Reads the content of every file that will be gone or other afterwards."""
    for change in plan.changes.values():
        if change.before.kind == "file":
            _ = change.before.data


def _add_suggestion(error: PatchkitError, left: Patch, files: Files, options: Options) -> None:
    """Puts the corrected patch beside the refusal, for those who show it; `left` is what is not committed yet."""
    from patchkit.repair.suggestion import suggest

    if any(each.facts.get("cells") for each in error.errors):
        from patchkit.repair.cells import cells_for  # notebooks only

        files = cells_for(error, files)
    if options.remember and isinstance(error.plan, Plan):
        try:
            load_all(error.plan)
        except PatchkitError:
            pass  # the refusal counts, not what could not be read beside it
    better = suggest(left, error, files, options, options.strict)
    if better is not None:
        error.suggestion, error.certainty = better.text, better.certainty


def _fixed(error: PatchkitError, part: Patch, files: Files, options: Options) -> Plan:
    """The plan of the corrected patch, where it is asked for and sure enough; raises the error where not."""
    if error.suggestion is None or not (options.fix == "likely" or (options.fix and error.certainty == "certain")):
        raise error
    from patchkit.repair.suggestion import corrected

    return corrected(part, parse(error.suggestion, options.strict), error, files, options)


# -- the lines that say which files changed: as plain text to the byte what Codex prints -----------
# Spans, as `report` has them: each a text and the name of its style.


_STYLES = {"A": "added", "M": "changed", "D": "removed"}


def summary(sections: list[Section], checked: bool = False) -> str:
    return "".join([text for text, _style in summary_spans(sections, checked)])


def summary_spans(
    sections: list[Section], checked: bool = False, results: list[FileResult] | None = None
) -> list[tuple[str, str]]:
    """Added, then modified, then deleted files, each in the patch's order and spelling.

    With `results`, one for each section, it is for a person's terminal: of a moved file it shows where it was, and of
    every file how many lines were added and removed, which Codex does not.
    """
    if not sections:
        return [("Nothing to change.\n", "")]
    spans = [("Patch applies.", "good"), (" It would update the following files:\n", "")] if checked else _APPLIED[:]
    for letter, style in _STYLES.items():
        for number, section in enumerate(sections):
            if section.letter == letter:
                name = section.path.strip(" \t")
                if results is None:
                    spans += [(f"{letter} ", style), (f"{name}\n", "")]
                    continue
                old = f"{section.moved_from.strip(' ')} => " if section.moved_from else ""
                lines = (results[number].added, results[number].removed or 0)
                spans += [(f"{letter} ", style), (old + name, ""), *lines_spans(lines), ("\n", "")]
    return spans


def lines_spans(lines: tuple[int, int]) -> list[tuple[str, str]]:
    """How many lines were added and removed, behind the name of a file; nothing where none was."""
    shown = [(f"{sign}{count}", style) for sign, count, style in zip("+-", lines, ("added", "removed")) if count]
    return [span for number, each in enumerate(shown) for span in ((" " if number else "  ", ""), each)]


_APPLIED = [("Success.", "good"), (" Updated the following files:\n", "")]
