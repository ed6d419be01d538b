"""The JUnit face: well-formed whatever a patch holds, one case a section."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from made_reports import HOSTILE, add, report_of, update
from strategies import examples

from patchkit.checking import annotations as junit


def suites(report):
    return list(ElementTree.fromstring(junit.render_junit(report).encode()))


def test_a_patch_is_a_suite_and_each_of_its_sections_a_case():
    moved = "*** Update File: a.py\n*** Move to: b.py\n@@\n-x = 1\n+x = 2\n"
    patch = add("new.py", "x").replace("*** End", moved + "*** Delete File: gone.py\n*** End")
    (suite,) = suites(report_of(patch, files={"a.py": b"x = 1\n"}))

    assert suite.attrib == {"name": "1.patch", "tests": "3", "failures": "1", "errors": "0"}
    assert [(case.attrib["name"], [part.tag for part in case]) for case in suite] == [
        ("Add new.py", []),
        ("Move b.py from a.py", ["system-out"]),
        ("Delete gone.py", ["failure"]),
    ]
    assert suite[1][0].text == "hunk 1 (patch line 6): applies at line 1\n"
    assert suite[2][0].attrib == {"type": "P302", "message": "file 'gone.py' does not exist"}


def test_a_patch_that_cannot_be_read_has_a_case_of_its_own():
    (suite,) = suites(report_of("hello\nworld\n"))

    assert [(case.attrib["name"], case[0].attrib["type"]) for case in suite] == [("the whole patch", "P101")]


def test_several_errors_of_a_section_are_one_failure():
    patch = update("a.py", "x", "y").replace("*** End", "@@\n-z\n+y\n*** End")
    (suite,) = suites(report_of(patch, files={"a.py": b"other\n"}))
    (failure,) = [part for part in suite[0] if part.tag == "failure"]

    assert failure.attrib == {"type": "P201", "message": "hunk not found in 'a.py' (and 1 more)"}
    assert failure.text.count("error[P201]") == 2


def test_the_whole_counts_what_its_suites_count():
    whole = ElementTree.fromstring(
        junit.render_junit(report_of(add("a", "x"), "x\ny\n", update("b", "x", "y"))).encode()
    )

    assert whole.attrib == {"name": "patchkit check", "tests": "3", "failures": "2", "errors": "0"}


@given(HOSTILE, HOSTILE)
@examples(60)
def test_any_text_makes_a_file_that_xml_readers_take(path, text):
    (suite, other) = suites(report_of(update(path, text, text + "x"), text))

    assert [suite.attrib["tests"], other.attrib["tests"]] == ["1", "1"]
