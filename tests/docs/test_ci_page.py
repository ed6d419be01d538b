"""docs/ci.md: its examples run, its tables are those of the code, its snippets are what the services take."""

from __future__ import annotations

import re
import tomllib

import jsonschema
import pytest
from doc_examples import DOCS, Page
from stored_schemas import stored_schema

from patchkit.checking.limits import project
from patchkit.checking.report import FORMATS, CheckedHunk
from patchkit.checking.text import outcome
from patchkit.cli.commands.check import CHECK
from patchkit.policy.settings import CHECK_KEYS

PAGE = Page("ci.md")
GITLAB = "https://gitlab.com/gitlab-org/gitlab/-/raw/master/app/assets/javascripts/editor/schema/ci.json"


def blocks(kind: str, heading: str) -> list[str]:
    return [block.text for block in PAGE.blocks if (block.kind, block.heading) == (kind, heading)]


def read_yaml(text: str) -> object:
    return pytest.importorskip("yaml").safe_load(text)


@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: example.heading)
def test_an_example_does_what_the_page_of_ci_shows(example, try_out):
    assert try_out(PAGE, example).status == 1


def test_the_output_formats_on_the_page_are_those_of_the_code_in_order():
    assert [row[0] for row in PAGE.rows("Output formats")] == [f"`{name}`" for name in FORMATS]


def test_the_outcomes_on_the_page_are_what_a_report_says():
    for words, status, _ in PAGE.rows("A first check"):
        data = {"status": status.strip("`"), "line": "N", "pass": "exact", "candidates": [], "candidate_count": "N"}
        said = outcome(CheckedHunk(data))

        assert said.replace("several", "N") == words


def test_the_settings_on_the_page_are_all_there_are_and_can_be_read(tmp_path):
    (text,) = blocks("toml", "Limits")
    (tmp_path / "pyproject.toml").write_text(text)
    found = project(str(tmp_path))

    assert sorted(tomllib.loads(text)["tool"]["patchkit"]["check"]) == sorted(CHECK_KEYS)
    assert (found.max_pass, found.max_files, found.max_lines) == ("surrounding-space", 20, 500)


def test_every_option_that_the_page_names_exists():
    known = {name for row in CHECK.rows for name in row.names}
    named = set(re.findall(r"`(--[\w-]+)", "\n".join(PAGE.prose.values())))

    assert sorted(named - known) == []


def test_the_pictures_on_the_page_are_there():
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", "\n".join(PAGE.prose.values()))

    assert pictures != []
    assert [picture for picture in pictures if not (DOCS / picture).is_file()] == []


def test_the_job_for_gitlab_is_one():
    (text,) = blocks("yaml", "GitLab")

    jsonschema.Draft7Validator(stored_schema(GITLAB)).validate(read_yaml(text))


def test_the_settings_for_pre_commit_are_some_and_name_a_hook_there_is():
    (text,) = blocks("yaml", "pre-commit")
    config = read_yaml(text)
    hooks = read_yaml((DOCS.parent / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))

    jsonschema.Draft7Validator(stored_schema("https://json.schemastore.org/pre-commit-config.json")).validate(config)
    assert {hook["id"] for hook in config["repos"][0]["hooks"]} <= {hook["id"] for hook in hooks}


def test_the_workflow_gives_the_action_only_what_it_takes():
    workflow = read_yaml(blocks("yaml", "GitHub")[0])
    action = read_yaml((DOCS.parent / "action.yml").read_text(encoding="utf-8"))
    (step,) = [step for step in workflow["jobs"]["patches"]["steps"] if "patchkit" in step["uses"]]

    assert set(step["with"]) <= set(action["inputs"])


def test_every_piece_takes_patchkit_from_where_the_page_puts_it():
    text = (DOCS / "ci.md").read_text(encoding="utf-8")
    folder = re.findall(r"git submodule add ADDRESS (\S+)", text)

    assert folder == ["tools/patchkit"]
    assert re.findall(r"(?:- uses|pip install|- repo): ?(\S*patchkit\S*)", text) == ["./tools/patchkit"] * 2
    assert "pip install ./tools/patchkit" in blocks("yaml", "GitLab")[0]
