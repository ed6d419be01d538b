"""Plan a patch as its author is answered: with a parser's opinion, with doubts, and with refusals that are explained.

Takes a Patch and a source of files; gives the Plan, or raises with every fault. The planner knows what a patch does;
what a parser says about scopes, what is doubtful about a plan, and what is near to a hunk that has no place is asked
for here, for all that plan what a caller sent: apply, check, a batch, a stream.
"""

from __future__ import annotations

from patchkit.core.changes import Files, Options, Plan
from patchkit.core.changes.planner import plan
from patchkit.core.language import Patch, UpdateFile
from patchkit.core.matching import Miss
from patchkit.errors import PatchkitError
from patchkit.guards import doubts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.changes.planner import SecondOpinion


def planned(patch: Patch, files: Files, options: Options, doubting: bool = True) -> Plan:
    """Returns the plan of a patch; raises with all faults, and if `doubting` with what is doubtful, explained.

    Under `forward`, a hunk whose definitions the file has whole is left out, as one is whose lines are there.
    """
    done: dict[int, Miss] = {}
    while True:
        faults: list[PatchkitError] = []
        try:
            made = plan(patch, files, options, parsed_scopes, done)
        except PatchkitError as error:
            if not isinstance(error.plan, Plan):
                raise
            made, faults = error.plan, error.errors
        found = doubts(made, options) if doubting else []
        if not (found or faults):
            if any(note.facts.get("tolerance") == "context-line" for note in made.notes):
                from patchkit.repair.explain import name_ignored_lines  # of few patches

                name_ignored_lines(made)
            return made
        if any(op.path.endswith(".ipynb") for op in patch.sections):
            from patchkit.repair.cells import of_cells  # notebooks only

            cells = of_cells(patch, [*faults, *found], files, options)
            if cells is not None:
                made = planned(cells, files, options, doubting)
                made.notes[:0] = cells.notes
                return made
        again = _done(made) if options.forward else {}
        if again.keys() <= done.keys():
            from patchkit.repair.explain import raise_explained  # of refusals only

            doubted = {each.file for each in found}
            for section in made.sections:  # what is reported of a refused plan has no changes of doubted sections
                if section.op.path in doubted:
                    made.changes.pop(section.name, None)
                    made.changes.pop(section.source, None)
            raise_explained(made, faults, found, options, patch.sections)
        done.update(again)


def parsed_scopes() -> SecondOpinion:
    """What a parser says about scopes; its grammars are loaded when the first hunk needs them."""
    from patchkit.structure.parsed_scopes import ParsedScopes

    return ParsedScopes()


def _done(made: Plan) -> dict[int, Miss]:
    """The hunks, by `id`, whose definitions are in their files whole."""
    return {
        id(hunk): result
        for section in made.sections
        if isinstance(section.op, UpdateFile)
        for hunk, result in zip(section.op.hunks, section.results)
        if isinstance(result, Miss) and result.code == "P205" and result.facts.get("whole")
    }
