"""The corrections that are offered for search/replace blocks, whose new text is wanted as a whole."""

from __future__ import annotations

import pytest

import patchkit
from patchkit import PatchkitError
from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.sources import MemoryFiles

SYNC = """\
def sync(store, remote):
    changes = store.changes_since(remote.cursor)
    for change in changes:
        remote.send(change)
    remote.commit(store.version)
    return len(changes)
"""


def block(search: str, replace: str, path: str = "app.py") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


def suggested(text: str, content: dict[str, str]) -> dict[str, str] | None:
    """The files after what the refusal of a text suggests; None where it suggests nothing."""
    files = {path: each.encode() for path, each in content.items()}
    with pytest.raises(PatchkitError) as refusal:
        apply(text, MemoryFiles(dict(files)), Options(source="search-replace", suggest=True))
    if refusal.value.suggestion is None:
        return None
    patchkit.apply(refusal.value.suggestion, files)
    return {path: each.decode() for path, each in files.items()}


# -- the file has an earlier form of the new text --------------------------------------------------


def test_a_change_that_is_made_already_is_left_out_of_a_block_with_others():
    before = SYNC.replace("    for change in changes:\n        remote.send(change)\n", "    remote.send_all()\n")
    wanted = before.replace("    return len(changes)\n", "    remote.close()\n    return len(changes)\n")

    assert suggested(block(SYNC, wanted), {"app.py": before}) == {"app.py": wanted}


def test_lines_of_both_texts_that_the_file_lacks_are_put_between_lines_that_follow_each_other():
    shown = SYNC.replace("    for change", "    if not changes:\n        remote.ping()\n    for change")
    wanted = SYNC.replace(
        "    for change", "    remote.open()\n    if not changes:\n        remote.ping()\n    for change"
    )

    assert suggested(block(shown, wanted), {"app.py": SYNC}) == {"app.py": wanted}


def test_an_earlier_form_of_the_added_lines_is_replaced_by_them():
    before = SYNC.replace("in changes:", "in sorted(changes):")
    wanted = before.replace("    return", "    if changes:\n        store.mark_as_sent(changes, remote)\n    return")
    before = before.replace("    return", "    store.mark_as_sent(changes)\n    return")

    assert suggested(block(SYNC, wanted), {"app.py": before}) == {"app.py": wanted}


def test_lines_are_moved_into_a_block_of_which_the_file_lacks_the_head():
    before = SYNC.replace("    for change in changes:\n        remote.send(change)\n", "    remote.send(changes)\n")
    shown = before.replace("    remote.send(changes)\n", "    if changes:\n        remote.send(changes)\n")
    wanted = shown.replace("        remote.send(changes)\n", "        remote.send(changes)\n        remote.flush()\n")

    assert suggested(block(shown, wanted), {"app.py": before}) == {"app.py": wanted}


def test_lines_at_either_end_are_changed_where_they_are_there():
    before = SYNC.replace("in changes:", "in sorted(changes):")
    wanted = before.replace("def sync(store, remote):", "def push(store, remote):").replace("len(changes)", "changes")

    assert suggested(block(SYNC, wanted), {"app.py": before}) == {"app.py": wanted}
    moved = before.replace("def sync(store, remote):", "def run(store):")
    assert suggested(block(SYNC, wanted), {"app.py": moved}) is None


def test_no_line_that_neither_text_shows_is_replaced():
    before = SYNC.replace("    for change", "    metrics.start('sync')\n    for change")
    shown = SYNC.replace("    for change", "    if not changes:\n        remote.ping()\n    for change")
    wanted = shown.replace("    if not", "    remote.open()\n    if not")

    assert suggested(block(shown, wanted), {"app.py": before}) is None


def test_a_removed_line_is_not_left_where_the_file_has_another_in_its_place():
    before = SYNC.replace("    remote.commit(store.version)\n", "    audit(remote)\n")
    shown = SYNC.replace("    for change", "    if not changes:\n        remote.ping()\n    for change")
    wanted = shown.replace("    remote.commit(store.version)\n", "")

    assert suggested(block(shown, wanted), {"app.py": before}) is None


def test_a_line_that_is_neither_the_old_one_nor_the_new_one_is_not_replaced():
    before = SYNC.replace("in changes:", "in sorted(changes):").replace("store.version)", "store.versions[2])")
    wanted = SYNC.replace("in changes:", "in sorted(changes):").replace("store.version)", "store.versions[1])")

    assert suggested(block(SYNC.replace("store.version)", "store.versions[0])"), wanted), {"app.py": before}) is None


def test_lines_that_the_file_lacks_are_not_put_at_the_end_of_what_it_has():
    shown = SYNC + "\n\ndef stop(remote):\n    remote.close()\n"
    wanted = shown.replace("    return len(changes)\n", "    return changes\n").replace("close()", "close(now=True)")

    assert suggested(block(shown, wanted), {"app.py": SYNC}) is None


def test_little_that_is_the_same_shows_no_earlier_form():
    before = "def sync(store):\n    remote.commit(store.version)\n    return 1\n"
    shown = before.replace("    remote", "    if not store.is_open:\n        remote.ping()\n    remote")
    wanted = shown.replace("    if not", "    remote.open()\n    if not")

    assert suggested(block(shown, wanted), {"app.py": before}) is None


@pytest.mark.parametrize("unfit", ["    ...", "    name = 'caf\ufffd'"])
def test_no_line_that_no_file_should_get_is_added(unfit):
    shown = SYNC.replace("    for change", unfit + "\n    for change")
    wanted = SYNC.replace("    for change", f"    remote.open()\n{unfit}\n    for change")

    assert suggested(block(shown, wanted), {"app.py": SYNC}) is None


def test_an_earlier_form_of_a_definition_has_its_name():
    before = SYNC + "\n\ndef stop_all(remote):\n    remote.close()\n    remote.forget()\n"
    shown = before.replace("def stop_all(", "def halt_now(").replace("in changes", "in sorted(changes)")
    wanted = shown.replace("    remote.close()\n", "    remote.close(now=True)\n    remote.close()\n")

    assert suggested(block(shown, wanted), {"app.py": before}) is None


def test_context_that_a_patch_shows_and_the_file_lacks_is_not_added():
    lines = ["     changes = store.changes_since(remote.cursor)", "     if not changes:", "+        remote.ping()"]
    rest = ["     for change in changes:", "         remote.send(change)", "     remote.commit(store.version)"]
    patch = "\n".join(["*** Begin Patch", "*** Update File: app.py", "@@", *lines, *rest, "*** End Patch", ""])
    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(patch, {"app.py": SYNC.encode()}, suggest=True)

    assert refusal.value.suggestion is None


# -- a part of a line ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("there", "search", "replace", "made"),
    [
        ("- [ ] write the reader", "[ ] write the reader", "[x] write the reader", "- [x] write the reader"),
        ("from a import one, two, and_three, x", "from a import one, two, and_three,", "from a import one,", None),
    ],
)
def test_a_removed_line_that_is_a_part_of_the_files_keeps_what_is_around_it(there, search, replace, made):
    content = {"todo.md": f"# Plan\n{there}\n# End\n"}
    made = made or replace + " x"

    assert suggested(block(search + "\n", replace + "\n", "todo.md"), content) == {
        "todo.md": f"# Plan\n{made}\n# End\n"
    }


def test_a_part_that_cuts_a_word_is_the_line_with_a_slip():
    content = {"a.txt": "start the first machines now\n"}

    made = suggested(block("start the first machines no\n", "stop the first machines\n", "a.txt"), content)
    assert made == {"a.txt": "stop the first machines\n"}


def test_what_is_around_a_part_is_not_put_there_twice():
    content = {"todo.md": "# Plan\n- [ ] write the reader\n"}

    made = suggested(block("[ ] write the reader\n", "- [x] write the reader\n", "todo.md"), content)
    assert made == {"todo.md": "# Plan\n- [x] write the reader\n"}


def test_a_part_is_not_completed_where_more_lines_take_its_place():
    content = {"todo.md": "# Plan\n- [ ] write the reader\n"}
    text = block("[ ] write the reader\n", "[x] write the reader\n[ ] write the writer\n", "todo.md")

    assert suggested(text, content) is None
