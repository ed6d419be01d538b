"""Where settings stand, which of them hold, and what is said about those that cannot be."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

from patchkit.errors import PatchkitError
from patchkit.policy import settings_files
from patchkit.policy.settings import SettingsFile, settings


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Makes a repository without files, and the user's own settings where their text is given."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def make(user=None):
        if user is not None:
            put(tmp_path, "config/patchkit/config.toml", user)
        root = tmp_path / "project"
        put(root, ".git/HEAD", "ref: refs/heads/main\n")
        return root

    return make


def put(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def refusal(root):
    with pytest.raises(PatchkitError) as caught:
        settings(str(root))
    return caught.value


# -- where they stand ----------------------------------------------------------------------------


def test_without_a_file_every_table_is_empty(project):
    known = settings(str(project()))

    assert (known.path, known.table("permissions"), known.table("check")) == (None, {}, {})


def test_a_file_of_our_own_may_name_its_tables_shortly(project):
    root = project()
    put(root, ".patchkit.toml", '[permissions]\nread = "deny"\n')

    assert settings(str(root)).table("permissions") == {"read": "deny"}


def test_a_file_of_our_own_may_name_its_tables_in_full(project):
    root = project()
    put(root, ".patchkit.toml", '[tool.patchkit.permissions]\nread = "deny"\n')

    assert settings(str(root)).table("permissions") == {"read": "deny"}


def test_a_pyproject_file_has_them_under_tool_patchkit(project):
    root = project()
    put(root, "pyproject.toml", '[project]\nname = "x"\n[tool.patchkit.permissions]\nread = "deny"\n')
    known = settings(str(root))

    assert (known.path, known.table("permissions")) == (f"{root}/pyproject.toml", {"read": "deny"})


def test_a_pyproject_file_that_only_mentions_us_holds_no_settings(project):
    root = project()
    put(root, "pyproject.toml", '[project]\ndependencies = ["patchkit"]\n')

    assert settings(str(root)).path is None


def test_they_are_found_from_a_directory_further_down(project):
    root = project()
    put(root, ".patchkit.toml", '[permissions]\nread = "deny"\n')
    (root / "src" / "deep").mkdir(parents=True)

    assert settings(str(root / "src" / "deep")).table("permissions") == {"read": "deny"}


def test_the_search_ends_where_the_repository_does(project):
    root = project()
    put(root.parent, ".patchkit.toml", '[permissions]\nread = "deny"\n')

    assert settings(str(root)).path is None


def test_the_search_goes_on_to_the_top_where_there_is_no_repository(tmp_path):
    put(tmp_path, ".patchkit.toml", '[permissions]\nread = "deny"\n')
    (tmp_path / "a" / "b").mkdir(parents=True)

    assert settings(str(tmp_path / "a" / "b")).table("permissions") == {"read": "deny"}


def test_a_root_that_is_a_link_is_looked_for_where_it_leads(project, tmp_path):
    root = project()
    put(root, ".patchkit.toml", '[permissions]\nread = "deny"\n')
    (tmp_path / "way").symlink_to(root)

    assert settings(str(tmp_path / "way")).table("permissions") == {"read": "deny"}


def test_the_nearest_file_with_a_table_has_the_say_about_it(project):
    root = project()
    put(root, ".patchkit.toml", '[permissions]\nread = "deny"\n[check]\nmax-files = 5\n')
    put(root, "inner/pyproject.toml", "[tool.patchkit.check]\nmax-files = 7\n")
    known = settings(str(root / "inner"))

    assert (known.table("check"), known.table("permissions")) == ({"max-files": 7}, {"read": "deny"})


def test_beside_each_other_our_own_file_comes_before_pyproject(project):
    root = project()
    put(root, ".patchkit.toml", '[permissions]\nread = "deny"\n')
    put(root, "pyproject.toml", '[tool.patchkit.permissions]\nread = "allow"\n')

    assert settings(str(root)).table("permissions") == {"read": "deny"}


def test_settings_of_check_need_no_table(project):
    root = project()
    put(root, "pyproject.toml", "[tool.patchkit]\nmax-files = 3\n[tool.patchkit.check]\nmax-lines = 4\n")

    assert settings(str(root)).table("check") == {"max-files": 3, "max-lines": 4}


# -- the user's own ------------------------------------------------------------------------------


def test_the_users_own_file_adds_keys_and_replaces_none(project):
    root = project(user='[check]\nmax-files = 1\nmax-lines = 2\n[permissions]\nwrite = "deny"\n')
    put(root, ".patchkit.toml", "[check]\nmax-files = 5\n")
    known = settings(str(root))

    assert known.table("check") == {"max-files": 5, "max-lines": 2}
    assert known.table("permissions") == {"write": "deny"}


def test_a_config_home_that_is_relative_is_ignored(project, monkeypatch, tmp_path):
    root = project()
    put(tmp_path, "home/.config/patchkit/config.toml", "[check]\nmax-files = 1\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", "somewhere")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    assert settings(str(root)).table("check") == {"max-files": 1}


def test_without_any_home_there_are_no_settings_of_the_user(project, monkeypatch):
    root = project()
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.delenv("HOME", raising=False)

    assert settings_files(str(root)) == []


# -- what cannot be ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[permissions]\nread = maybe\n", 2),
        ("[permissions\n", 1),
        ("a = 1\na = 2\n", 2),
        ('[permissions]\nread = "deny\n', 2),
        ("\n\nread", 3),
        ("x = " + "[" * 5000, 1),
    ],
)
def test_text_that_is_not_toml_is_reported_with_its_line(project, text, line):
    root = project()
    put(root, ".patchkit.toml", text)
    error = refusal(root)

    assert (error.code, error.line, error.file.rpartition("/")[2]) == ("P650", line, ".patchkit.toml")
    assert "(at " not in error.message


def test_bytes_that_are_not_utf_8_are_reported_with_their_line(project):
    root = project()
    (root / ".patchkit.toml").write_bytes(b"# fine\n# \xff\n")
    error = refusal(root)

    assert (error.code, error.line, error.facts["reason"]) == ("P650", 2, "it is not UTF-8")


@pytest.mark.parametrize("text", ["[permission]\nread = 1\n", "[tool.patchkit]\nread = 1\n", "verbose = true\n"])
def test_a_name_that_means_nothing_is_an_error(project, text):
    root = project()
    put(root, ".patchkit.toml", text)

    assert refusal(root).code == "P655"


def test_a_table_of_another_type_is_an_error(project):
    root = project()
    put(root, ".patchkit.toml", '\npermissions = "deny"\n')
    error = refusal(root)

    assert (error.code, error.line, error.facts["key"]) == ("P653", 2, "permissions")


def test_tool_patchkit_of_another_type_is_an_error(project):
    root = project()
    put(root, "pyproject.toml", "[tool]\npatchkit = 3\n")
    error = refusal(root)

    assert (error.code, error.line, error.facts["key"]) == ("P653", 2, "tool.patchkit")


def test_one_table_under_two_names_is_an_error(project):
    root = project()
    put(root, ".patchkit.toml", '[permissions]\nread = "deny"\n[tool.patchkit.permissions]\nwrite = "deny"\n')

    assert (refusal(root).code, refusal(root).line) == ("P656", 1)


def test_a_fifo_is_not_a_settings_file_and_is_not_waited_for(project):
    root = project()
    os.mkfifo(root / ".patchkit.toml")

    assert (refusal(root).code, refusal(root).facts["reason"]) == ("P654", "it is not a regular file")


def test_a_fifo_called_pyproject_is_reported_too(project):
    root = project()
    os.mkfifo(root / "pyproject.toml")

    assert refusal(root).code == "P654"


@pytest.mark.parametrize("name", [".patchkit.toml", "pyproject.toml"])
def test_rules_behind_a_link_are_refused_because_their_target_may_be_written(project, name):
    root = project()
    put(root, "notes.toml", "[tool.patchkit.permissions]\nwrite = 'deny'\n")
    (root / name).symlink_to("notes.toml")

    assert (refusal(root).code, refusal(root).facts["reason"]) == ("P654", "it is a link")


def test_the_users_own_settings_may_be_behind_a_link(project, tmp_path):
    root = project()
    put(tmp_path, "dotfiles/config.toml", "[permissions]\nwrite = 'deny'\n")
    (tmp_path / "config/patchkit").mkdir(parents=True)
    (tmp_path / "config/patchkit/config.toml").symlink_to(tmp_path / "dotfiles/config.toml")

    assert settings(str(root)).has("permissions")


def test_a_settings_file_that_is_too_large_is_reported(project):
    root = project()
    with open(root / "pyproject.toml", "wb") as file:
        file.truncate(1 << 40)

    assert (refusal(root).code, refusal(root).facts["reason"]) == ("P654", "it is larger than 4 MB")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_reported(project):
    root = project()
    put(root, "pyproject.toml", "")
    (root / "pyproject.toml").chmod(0)

    assert refusal(root).code == "P654"


@pytest.mark.parametrize("name", [".patchkit.toml", "pyproject.toml"])
def test_a_disk_that_does_not_say_whether_there_are_rules_is_reported(project, monkeypatch, name):
    root = project()

    def failing(call):
        def called(path, *rest, **more):
            if str(path) == f"{root}/{name}":
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return call(path, *rest, **more)

        return called

    assert settings(str(root)).table("permissions") == {}
    monkeypatch.setattr(os, "lstat", failing(os.lstat))
    monkeypatch.setattr(os, "open", failing(os.open))
    error = refusal(root)
    assert (error.code, error.facts["reason"]) == ("P654", "input/output error")


def test_a_broken_file_of_the_user_is_reported(project):
    root = project(user="nonsense")

    assert (refusal(root).code, refusal(root).line) == ("P650", 1)


# -- where a key stands --------------------------------------------------------------------------

TEXT = """\
# a comment with write = "x"
[tool.patchkit.permissions]
read = "allow"
write = { "docs/**" = "allow", "*" = "ask" }

[tool.patchkit.permissions.execute]
"git push" = "deny"
'make *' = "allow"

[tool.other]
write = 1
"""


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("permissions.read", 3),
        ("permissions.write", 4),
        ("permissions.write.docs/**", 4),
        ("permissions.execute.git push", 7),
        ("permissions.execute.make *", 8),
        ("permissions.execute", 6),
        ("permissions.execute.nothing", 6),
        ("permissions", 2),
        ("audit.on", 1),
    ],
)
def test_a_key_is_found_on_its_line(key, line):
    assert SettingsFile("f", TEXT, {}).line(key) == line


def test_a_wrong_value_is_reported_with_file_line_and_key(project):
    root = project()
    put(root, "pyproject.toml", "[tool.patchkit]\nmax-files = 'x'\n")
    known = settings(str(root))
    error = known.wrong("check.max-files", "x", "a whole number")

    assert (error.code, error.line, error.facts["key"], error.facts["given"]) == ("P653", 2, "max-files", "'x'")


def test_a_wrong_value_of_the_users_own_file_is_told_there(project):
    root = project(user='[check]\nmax-lines = "x"\n')
    put(root, ".patchkit.toml", "[check]\nmax-files = 5\n")
    error = settings(str(root)).wrong("check.max-lines", "x", "a whole number")

    assert (error.file.endswith("patchkit/config.toml"), error.line) == (True, 2)


# -- what it costs -------------------------------------------------------------------------------


def test_where_no_file_speaks_of_us_the_reader_of_toml_is_not_loaded(project):
    root = project()
    put(root, "pyproject.toml", "[project]\nname = 'x'\n")
    code = "import sys; import patchkit.policy.settings as s; s.settings(sys.argv[1]); print('tomllib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    "text",
    [
        '[tool.patchkit.permissions]\nread = "deny"\n',
        '[ tool . "patchkit" . permissions ]\nread = "deny"\n',
        "[tool]\r\n'patchkit'.permissions.read = 'deny'\r\n",
        '[tool]\n\tpatchkit = { permissions = { read = "deny" } }\n',
        'tool.patchkit.permissions.read = "deny"\n',
        'tool = { patchkit = { permissions = { read = "deny" } } }\n',
        'tool = { other = 1, "patchkit".permissions.read = "deny" }\n',
        '[project]\nname = "patchkit"\n[tool.patchkit]\npermissions.read = "deny"\n',
    ],
)
def test_our_table_is_found_in_a_pyproject_file_however_it_is_written(project, text):
    root = project()
    put(root, "pyproject.toml", text)

    assert settings(str(root)).table("permissions") == {"read": "deny"}


@pytest.mark.parametrize(
    "text", ['[project]\nname = "patchkit"\n', '[project]\ndependencies = [\n  "patchkit",\n]\n', "# see patchkit\n"]
)
def test_a_pyproject_file_with_the_word_elsewhere_is_not_read(project, text):
    root = project()
    put(root, "pyproject.toml", text)

    assert settings_files(str(root)) == []
