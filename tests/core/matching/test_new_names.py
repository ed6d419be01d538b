"""A name that the patch adds shows the place of a hunk that uses it."""

from __future__ import annotations

import patchkit
from patchkit.errors import PatchkitError

CODE = b"""function send(params, body) {
  check(body);
  append(params, body);
}

function store(params, body) {
  append(params, body);
}
"""


def placed(*hunks: list[str], code: bytes = CODE) -> list[int] | str:
    """The lines of the hunks, from 1, or the code of the refusal."""
    lines = [line for hunk in hunks for line in ("@@", *hunk)]
    text = "\n".join(["*** Begin Patch", "*** Update File: a.js", *lines, "*** End Patch", ""])
    try:
        made = patchkit.plan(text, {"a.js": code})
    except PatchkitError as error:
        return error.code
    return [result.line + 1 for result in made.sections[0].results]


USES = ["-  append(params, body);", "+  append(params, cleaned);"]
DECLARES = ["-  check(body);", "+  const cleaned = check(body);"]


def test_a_hunk_goes_where_the_name_it_uses_is_added():
    assert placed(DECLARES, USES) == [2, 3]


def test_a_name_that_is_added_nowhere_shows_nothing():
    assert placed(["-  check(body);", "+  check(body, true);"], USES) == "P202"


def test_a_name_that_both_functions_get_shows_nothing():
    declares_too = ["-function store(params, body) {", "+function store(params, body, cleaned) {"]

    assert placed(DECLARES, declares_too, USES) == [2, 6, 7]  # by the order of the hunks alone


def test_a_name_that_the_other_function_knows_shows_nothing():
    code = CODE.replace(b"function store(params, body)", b"function store(params, body, cleaned)")

    assert placed(DECLARES, USES, code=code) == "P202"


def test_a_member_shows_nothing_because_all_methods_know_it():
    declares = ["-  check(body);", "+  this.cleaned = check(body);"]
    uses = ["-  append(params, body);", "+  append(params, this.cleaned);"]

    assert placed(declares, uses) == "P202"


def test_an_argument_that_is_named_shows_nothing():
    declares = ["-  check(body);", "+  check(body, cleaned=true);"]

    assert placed(declares, USES) == "P202"


def test_a_text_shows_nothing():
    declares = ["-  check(body);", "+  check(body, 'cleaned');"]

    assert placed(declares, USES) == "P202"
