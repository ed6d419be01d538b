"""What a sandboxed command reads beside the entries of its PATH: nothing but what programs need."""

from __future__ import annotations

import os

import pytest

SECRETS = {
    ".local/bin": ".local/share/keyrings/login.keyring .local/share/opencode/auth.json .local/secret",
    "code/bin": "code/other/.env",
    ".codex/bin": ".codex/auth.json",
    ".claude/local": ".claude/.credentials.json",
}


@pytest.mark.usefixtures("layer")
def test_a_directory_above_an_entry_of_the_path_stays_closed(place, inside, monkeypatch, subtests):
    home = place.parent / "home"
    for entry, names in SECRETS.items():
        for name in (f"{entry}/tool", *names.split()):
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text("#!/bin/sh\necho SECRET\n")
        (home / entry / "tool").chmod(0o755)
        monkeypatch.setenv("PATH", f"{home}/{entry}:{os.environ['PATH']}")
        with subtests.test(entry):
            assert inside("tool").data["output"] == "SECRET\n"  # an ordinary program there runs
            for name in names.split():
                assert "SECRET" not in inside(f"cat {home}/{name}").data["output"]
