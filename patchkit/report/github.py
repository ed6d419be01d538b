"""A Report as GitHub shows it: annotations at the lines of a pull request, and the guard around what is only text.

Takes a Report; gives workflow commands, one a line. The runner executes commands that it finds in anything a step
prints, so text of a patch is never printed bare: `quoted` puts it between marks that switch commands off.
"""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError
from patchkit.report.checked import CheckedPatch, Report, counted
from patchkit.report.findings import findings_of
from patchkit.report.locations import FileLine, Locator
from patchkit.report.width import visible

SHOWN = 10  # of each kind: GitHub shows no more of one step
SUMMARY_BYTES = 1 << 20  # what GitHub takes as the summary of a step
Found = tuple[CheckedPatch | None, PatchkitError | Note]
_LEVELS = {"error": "error", "notice": "note"}


def render(report: Report, base: str = ".", with_notes: bool = True) -> str:
    """Errors, then notes as notices. Where there are more than GitHub shows, the last one counts the rest."""
    paths = Locator(report, base)
    found = [each for each in findings_of(report) if not each.accepted]
    errors: list[Found] = [(each.patch, each.what) for each in found if each.is_error]
    notes: list[Found] = [(None, note) for note in report.notes]  # of the run, and of no patch
    notes += [(each.patch, each.what) for each in found if not each.is_error]
    return "".join(_commands("error", errors, paths) + _commands("notice", notes if with_notes else [], paths))


def _commands(level: str, findings: list[Found], paths: Locator) -> list[str]:
    shown = findings if len(findings) <= SHOWN else findings[: SHOWN - 1]
    lines = [_annotation(level, finding, patch, paths) for patch, finding in shown]
    if len(findings) > len(shown):
        more = counted(len(findings) - len(shown), f"more {_LEVELS[level]}")
        lines.append(command(level, {"title": "patchkit"}, f"{more}: see the summary of this step"))
    return lines


def _annotation(level: str, finding: PatchkitError | Note, patch: CheckedPatch | None, paths: Locator) -> str:
    place = paths.main(patch, finding) if patch is not None else None
    properties = {"file": place.path, "line": str(place.line)} if place is not None else {}
    properties["title"] = f"patchkit {finding.code}"
    places = paths.in_the_tree(finding) if patch is not None else []
    return command(level, properties, "\n".join(_words(finding, places)))


def _words(finding: PatchkitError | Note, places: list[FileLine]) -> list[str]:
    """What an annotation says: the sentence, the closest place, the next step."""
    words = [visible(finding.message, 1000)]
    words += [f"{visible(place.path)}:{place.line}: {visible(place.words)}" for place in places if place.words]
    if isinstance(finding, PatchkitError) and finding.hint:
        words.append(f"help: {visible(finding.hint, 1000)}")
    return words


def command(name: str, properties: dict[str, str], message: str) -> str:
    """One workflow command. The runner decodes exactly these escapes, and in properties two more."""
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name}{' ' + listed if listed else ''}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def quoted(text: str, token: str) -> str:
    """Text that the runner prints without executing commands in it; its author cannot know the random token."""
    return f"::stop-commands::{token}\n{text}{'' if text.endswith(chr(10)) else chr(10)}::{token}::\n"
