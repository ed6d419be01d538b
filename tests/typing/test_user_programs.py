"""What type checkers report to users of the library: nothing about right calls, and the line of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest
from user_programs import CHECKERS, is_installed, mistakes, programs

WRONG = {
    name: (Path(__file__).parent / "programs" / name).read_text(encoding="utf-8")
    for name in ("refused.py", "adapters.py")
}
checkers = pytest.mark.parametrize("checker", CHECKERS)


def skip_without(checker: str) -> None:
    if not is_installed(checker):
        pytest.skip(f"{checker} is not installed: pip install {CHECKERS[checker]}")


@checkers
def test_a_checker_reports_every_mistake_in_a_call_and_nothing_about_right_programs(checker):
    """The programs of the README, of pages and examples are right. One run for all: a checker starts slowly."""
    skip_without(checker)
    expected = {
        (name, number)
        for name, text in WRONG.items()
        for number, line in enumerate(text.splitlines(), 1)
        if "# mistake" in line
    }
    found = mistakes(checker, {**programs(), **WRONG})
    # An SDK that is not installed has no types, and some have not all of them.
    found = [each for each in found if "nknown" not in each[2] or not each[0].startswith(("adapters", "deepagents"))]

    assert [each for each in found if each[:2] not in expected] == []
    assert {each[:2] for each in found} == expected


def test_there_are_programs_of_every_kind():
    names = list(programs())

    assert {"host.py", "async_host.py", "virtual_files.py", "ci_check.py", "readme_1.py"} <= set(names)
    assert any(name.startswith("docs_library_") for name in names)
