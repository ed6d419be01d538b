"""Every file call of a run failed in turn, once or for good: all old with a message, or all new; nothing in between."""

from __future__ import annotations

import errno
import os

import pytest
from fault_injection import CAUSES, GROWING, Fault, attempt, every, through_command, through_library
from sample_trees import SMALL_CASES, build, empty_directories, seven, state, state_after_the_next_run

FULL = os.environ.get("PATCHKIT_TESTS") == "full"
CODES = sorted({code for codes in CAUSES.values() for code in codes}, key=errno.errorcode.get)


@pytest.fixture(autouse=True)
def _everything_is_imported(everything_is_imported):
    """No child counts what only loading a module does."""


@pytest.fixture
def root(place):
    return os.path.join(place, "root")


# -- once ----------------------------------------------------------------------------------------


class Failure:
    """A call that failed once: how the run ended, and what the tree is."""

    def __init__(self, root, case, work, at, code):
        build(root, case.before)
        run = attempt(work(root, case.patch), Fault(at, code=code))
        self.call = f"{run.struck or 'not reached'} {errno.errorcode[code]}"
        self.status = run.status
        self.words = run.words.strip().rpartition("\n")[2]
        self.state = state(root, case)
        self.empty = empty_directories(root)


def failures(place, case, work, codes):
    """Calls of a run failed in turn, with every errno of `codes` that fits: all, or some of each kind."""
    root = os.path.join(place, "root")
    build(root, case.before)
    calls = attempt(work(root, case.patch)).calls
    assert state(root, case) == "new"
    step = 1 if FULL or work is through_library else 3
    return [
        Failure(root, case, work, at, code)
        for at, kind in enumerate(calls, 1)
        for code in CAUSES[kind]
        if code in codes and calls[:at].count(kind) % step == 1 % step
    ]


FAILED = {
    **{f"seven files by the command, {errno.errorcode[code]}": (None, through_command, {code}) for code in CODES},
    **{name: (case, through_library, {errno.EIO}) for name, case in SMALL_CASES.items()},
}


@pytest.fixture(scope="module", params=FAILED)
def failed(request, wide_place, everything_is_imported):
    case, work, codes = FAILED[request.param]
    found = failures(wide_place, case if case is not None else seven(wide_place), work, codes)
    assert found
    return found


def is_closing(failure):
    return failure.call.split()[1] == "close"


def is_about_attributes(failure):
    return failure.call.split()[1] in ("listxattr", "getxattr")


def how_it_ended(failure):
    return failure.call, failure.status, failure.state, failure.words


def as_promised(failure):
    return (failure.status, failure.state) in ((0, "new"), (1, "old")) and (failure.status == 0 or failure.words)


def test_a_failure_of_any_call_leaves_all_old_with_a_message_or_all_new(failed):
    others = [each for each in failed if not is_closing(each) and not is_about_attributes(each)]

    assert [how_it_ended(each) for each in others if not as_promised(each)] == []


def test_a_failure_to_close_leaves_all_old_with_a_message_or_all_new(failed):
    assert [how_it_ended(each) for each in failed if is_closing(each) and not as_promised(each)] == []


def test_a_failure_to_read_attributes_never_loses_them(failed):
    assert [how_it_ended(each) for each in failed if is_about_attributes(each) and not as_promised(each)] == []


def test_a_failure_of_any_call_leaves_no_empty_directories(failed):
    assert [(each.call, each.empty) for each in failed if each.empty] == []


# -- for good -------------------------------------------------------------------------------------

OPENING = {"open", "creating open"}
LASTING = {
    "a full disk": (errno.ENOSPC, GROWING),
    "no more handles": (errno.EMFILE, OPENING),
    "data that never gets to the disk": (errno.EIO, {"fsync"}),
}
LASTING_CASES = ["update", "move", "small"]


def lasting_failures(root, case, code, only):
    """A failure that stays from every call on; how each run ended, and the state after a next run without it."""

    def failed(fault):
        build(root, case.before)
        run = attempt(through_command(root, case.patch), fault)
        if not run.struck:
            return None
        ended = (run.status, state(root, case), bool(run.words.strip()))
        return run.struck, ended, state_after_the_next_run(root, case)[0]

    return every(lambda at: Fault(at, code=code, stays=True, only=only), failed)


@pytest.mark.parametrize("name", LASTING_CASES)
@pytest.mark.parametrize("cause", LASTING)
def test_a_failure_that_stays_leaves_all_old_with_a_message_or_all_new(root, cause, name):
    found = lasting_failures(root, SMALL_CASES[name], *LASTING[cause])

    assert [(call, ended) for call, ended, _ in found if ended not in ((0, "new", True), (1, "old", True))] == []
    assert found


def test_a_full_disk_at_any_moment_leaves_seven_files_all_old_or_all_new(root, place):
    found = lasting_failures(root, seven(place), *LASTING["a full disk"])

    assert [(call, ended) for call, ended, _ in found if ended not in ((0, "new", True), (1, "old", True))] == []
    assert len(found) > 20


HOPELESS = {
    "nothing can be renamed": (errno.EIO, {"rename"}),
    "nothing can be removed": (errno.EACCES, {"unlink", "rmdir"}),
    "the whole disk is gone": (errno.EIO, None),
}


@pytest.fixture(scope="module", params=[(cause, name) for cause in HOPELESS for name in LASTING_CASES], ids="-".join)
def hopeless(request, wide_place, everything_is_imported):
    """Runs in which not even rolling back works, and what the next run, without the trouble, makes of the tree."""
    cause, name = request.param
    return lasting_failures(os.path.join(wide_place, "root"), SMALL_CASES[name], *HOPELESS[cause])


def test_what_cannot_be_rolled_back_is_made_good_by_the_next_run(hopeless):
    assert [each for each in hopeless if each[2] not in ("old", "new")] == []


def test_what_cannot_be_rolled_back_is_neither_kept_silent_nor_called_old_or_new_when_it_is_not(hopeless):
    """Exit 0 means new and 1 means old, also now; 5 is what admits to anything else."""
    wrong = []
    for call, (status, found, reported), _ in hopeless:
        names = [each.rpartition(" ")[2].split("/") for each in found.split(", ") if ".patchkit" not in each]
        true = {0: "new", 1: "old"}.get(status)
        if not reported or (status != 5 and not all(true in each for each in names)):
            wrong.append((call, status, found))

    assert wrong == []


def test_a_run_that_ended_as_refused_is_not_applied_by_the_next_run(hopeless):
    assert [each for each in hopeless if each[1][0] == 1 and each[2] != "old"] == []


def test_a_run_that_ended_as_applied_is_not_undone_by_the_next_run(hopeless):
    assert [each for each in hopeless if each[1][0] == 0 and each[2] != "new"] == []


# -- what is waited for ----------------------------------------------------------------------------


def calls_of(root, case, **options):
    build(root, case.before)
    return attempt(through_library(root, case.patch, **options)).calls


def test_a_one_file_update_syncs_the_root_then_the_file_before_its_rename_and_the_directory_after_it(root):
    calls = calls_of(root, SMALL_CASES["update"])

    assert [call for call in calls if call in ("fsync", "rename")] == ["fsync", "fsync", "rename", "fsync"]


def test_a_run_over_many_files_syncs_all_data_before_its_point_of_no_return(root, place):
    """Six files are written, and the journal; the directories they are in are synced before it is in force.

    The root was synced before, too, so that the intent is on the disk before anything that it names.
    """
    before = calls_of(root, seven(place))
    before = before[: before.index("rename")]

    assert (before.count("creating open"), before.count("fsync")) == (7, 1 + 6 + 2 + 1)


def test_a_run_that_shall_not_wait_for_the_disk_syncs_nothing_and_keeps_its_journal(root):
    calls = calls_of(root, SMALL_CASES["small"], no_sync=True)

    assert (calls.count("fsync"), calls.count("rename")) == (0, calls_of(root, SMALL_CASES["small"]).count("rename"))
