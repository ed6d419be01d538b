"""The profile for macOS, as text: read here as macOS is documented to read it, and compared with the rules."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples
from test_grants import decided, names, permissions, rules

from patchkit.errors import PatchkitError
from patchkit.globs.rule_patterns import ANY, glob, literal
from patchkit.sandbox.seatbelt import SeatbeltRule, in_order, profile

LINE = re.compile(r'\((allow|deny) (file-read\*|file-write\*) \((literal|subpath|regex) #?"(.*)"\)\)')


@pytest.fixture(scope="module", autouse=True)
def trusted():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("patchkit.policy.rules.is_trusted", lambda source: True)
        yield


def judged(text: str, path: str) -> tuple[bool, bool]:
    """Whether a path may be read and written: of the lines that match it, the last one decides."""
    found = {"file-read*": True, "file-write*": False}
    for line in text.splitlines():
        match = LINE.fullmatch(line)
        if match is None:
            continue
        verb, effect, kind, place = match.groups()
        if kind == "regex":
            hit = re.fullmatch(place.removeprefix("^").removesuffix("$"), path) is not None
        else:
            hit = path == place or (kind == "subpath" and (path + "/").startswith(place.rstrip("/") + "/"))
        if hit:
            found[effect] = verb == "allow"
    return found["file-read*"], found["file-write*"]


@given(permissions, permissions, st.booleans(), st.lists(names, min_size=1, max_size=4))
@examples(100)
def test_the_profile_decides_as_the_rules_do_or_is_refused(project, own, agent, path):
    found = rules("/p", project, own)
    place = "/".join(["/p", *path])
    try:
        text = profile(in_order(found, agent, []), [], False)
    except PatchkitError:
        return  # these rules have no order

    assert judged(text, place) == decided(found, place, agent)


def test_rules_have_an_order_as_long_as_they_are_not_crossed():
    found = rules("/p", {"read": {".env*": "deny"}, "write": {"src/**": "allow", "src/gen/**": "deny"}})

    assert len(in_order(found, True, [])) > 50


def test_an_exception_of_the_users_own_rules_is_refused():
    found = rules("/p", {}, {"read": {"*": "deny", "src/**": "allow"}})

    with pytest.raises(PatchkitError) as refused:
        in_order(found, True, [])

    assert refused.value.code == "P673"


TEXT = """\
(allow file-write* (subpath "/p/a \\"b\\""))
(deny file-write* (literal "/p/a \\"b\\"/c"))
(deny file-write-unlink (literal "/p"))
(deny file-write-unlink (literal "/p/a \\"b\\""))
(deny file-read* (regex #"^/p(/[^/]+)*/\\.env[^/][^/]*$"))
(deny file-write-unlink (literal "/p"))
(allow file-read* file-write* (subpath "/private/tmp/run"))
(deny network*)
"""


def test_a_profile_is_this_text():
    text = profile(
        [
            SeatbeltRule("write", True, [*literal(["p", 'a "b"']), ANY]),
            SeatbeltRule("write", False, literal(["p", 'a "b"', "c"])),
            SeatbeltRule("read", False, [*literal(["p"]), ANY, glob(".env?*")]),
        ],
        ["/private/tmp/run"],
        network=False,
    )

    assert text.split('(literal "/dev/tty"))\n')[1] == TEXT
