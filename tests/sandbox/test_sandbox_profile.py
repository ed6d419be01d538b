"""What a sandboxed command may use besides the files of its root."""

from __future__ import annotations

from fnmatch import fnmatch

from patchkit.sandbox.profile import NEVER, readable

# -- what of a home directory is granted ---------------------------------------------------------

# An entry of the PATH, and what must stay closed with it.
CLOSED = {
    ".local/bin": ".local/share/keyrings/login.keyring .local/share/opencode/auth.json .local/state/other .local/x",
    "code/bin": "code/other/.env code/.git/config code/share/other/key",
    ".codex/bin": ".codex/auth.json .codex/config.toml .codex/sessions/1",
    ".codex": ".codex/auth.json .codex/history.jsonl",
    ".claude/local": ".claude/.credentials.json .claude/projects/1 .claude/settings.json",
    ".gemini/bin": ".gemini/oauth_creds.json",
    "bin": ".ssh/id_ed25519 .mozilla/firefox/logins.json .config/google-chrome/Cookies Documents/letter",
    "tools/.venv/bin": "tools/.env tools/.venv/notes",
    "site/node_modules/.bin": "site/.env",
}
# The same, and what its programs need.
OPEN = {
    ".local/bin": ".local/bin/tool .local/lib/tool.so .local/libexec/x .local/share/tool/data",
    "tools/.venv/bin": "tools/.venv/bin/python tools/.venv/lib/m.py tools/.venv/pyvenv.cfg",
    "site/node_modules/.bin": "site/node_modules/left-pad/index.js",
    "sdk/go1.22/bin": "sdk/go1.22/src/fmt.go sdk/go1.22/pkg/tool/link sdk/go1.22/VERSION",
    "jdk/bin": "jdk/lib/modules jdk/conf/net.properties jdk/release",
}


def home_with(tmp_path, monkeypatch, entry, names):
    home = tmp_path / "home"
    for name in (f"{entry}/tool", *names.split()):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("x")
    monkeypatch.setenv("HOME", str(home))
    return home


def is_granted(home, entry, name):
    granted = [path for path, _, _ in readable({"PATH": f"{home}/{entry}:/usr/bin"})]
    never = [f"{home}/{path}" for effect, paths, _ in NEVER if effect == "read" for path in paths.split()]
    under = [fnmatch(f"{home}/{name}", path) or fnmatch(f"{home}/{name}", f"{path}/*") for path in never]
    return not any(under) and any(f"{home}/{name}".startswith((f"{path}/", path)) for path in granted)


def test_of_the_directory_above_an_entry_of_the_path_only_parts_of_programs_are_granted(
    tmp_path, monkeypatch, subtests
):
    for number, (entry, names) in enumerate(CLOSED.items()):
        home = home_with(tmp_path / str(number), monkeypatch, entry, names)
        with subtests.test(entry):
            assert [name for name in names.split() if is_granted(home, entry, name)] == []
    for number, (entry, names) in enumerate(OPEN.items(), 100):
        home = home_with(tmp_path / str(number), monkeypatch, entry, names)
        with subtests.test(entry):
            assert [name for name in names.split() if not is_granted(home, entry, name)] == []


def test_the_environment_that_a_link_on_the_path_leads_to_is_granted_and_nothing_beside_it(tmp_path, monkeypatch):
    names = "pipx/venvs/black/bin/black pipx/venvs/black/pyvenv.cfg pipx/venvs/black/lib/m.py pipx/venvs/key pipx/key"
    home = home_with(tmp_path, monkeypatch, ".local/bin", names)
    (home / ".local/bin/black").symlink_to(home / "pipx/venvs/black/bin/black")

    granted = [name for name in names.split() if is_granted(home, ".local/bin", name)]

    assert granted == "pipx/venvs/black/bin/black pipx/venvs/black/pyvenv.cfg pipx/venvs/black/lib/m.py".split()
