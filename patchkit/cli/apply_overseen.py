"""`apply_patch` under rules or with an audit log. Loaded where settings ask for it, or an agent calls."""

from __future__ import annotations

from patchkit.changes.apply import Applied, apply
from patchkit.changes.options import Options
from patchkit.cli.arguments import Arguments
from patchkit.policy import WRITE
from patchkit.policy.oversight import Oversight
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Work = Callable[[str, Workspace, Options], Applied]


def apply_overseen(text: str, files: Workspace, arguments: Arguments, work: Work = apply) -> Applied:
    """Applies the patch if the rules let it, and records what came of it."""
    options = arguments.options
    watch = Oversight("apply_patch", arguments.agent, arguments.root, WRITE)
    try:
        with watch.over(files, lambda judge: judge.patch(text, options.strict, options.check)):
            done = work(text, files, options)
    except BaseException as error:
        watch.record_failure(error)
        raise
    done.notes += watch.record("success")
    return done
