"""The backend for deepagents: the contract of its protocol, with files compared byte by byte."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from child_processes import gone, number_in

pytest.importorskip("deepagents", reason="the package deepagents is not installed")

from deepagents.backends.protocol import SandboxBackendProtocol

from patchkit.runtimes.sdks.deepagents import Backend

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "a.py").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    (path / "d" / ".h").mkdir(parents=True)
    (path / "d" / "b.py").write_text("two\n")
    (path / "d" / ".h" / "c.py").write_text("two\n")
    return path


@pytest.fixture
def backend(root):
    return Backend(root)


def test_it_is_a_backend(backend):
    assert isinstance(backend, SandboxBackendProtocol)
    assert backend.id == backend.id


def test_lines_are_read_from_an_offset(backend):
    result = backend.read("/a.py", offset=1, limit=1)

    assert (result.error, result.file_data["content"]) == (None, "two\n")
    assert (result.start_line, result.end_line, result.next_offset, result.total_lines) == (2, 2, 2, 3)
    assert backend.read("/a.py", offset=-5).file_data["content"] == "one\ntwo\nthree\n"
    assert backend.read("/a.py", limit=0).no_lines_requested


def test_bytes_come_as_base64_and_long_lines_whole(backend, root):
    (root / "bin").write_bytes(b"\0\1")
    (root / "long").write_text("x" * 100_000)

    assert backend.read("/bin").file_data == {"content": "AAE=", "encoding": "base64"}
    assert backend.read("/long").file_data["content"] == "x" * 100_000


def test_an_edit_keeps_the_line_endings(backend, root):
    result = backend.edit("/a.py", "one\ntwo", "1\n2")

    assert (result.error, result.path, result.occurrences) == (None, "/a.py", 1)
    assert (root / "a.py").read_bytes() == b"1\r\n2\r\nthree\r\n"
    assert backend.edit("/a.py", "gone", "x").error is not None
    assert backend.edit("/a.py", "1", "1").error is not None
    assert backend.edit("/a.py", "", "x").error is not None


def test_edits_at_the_same_time_are_all_made(backend, root):
    (root / "many").write_text("".join(f"line {number}.\n" for number in range(30)))
    with ThreadPoolExecutor(30) as pool:
        results = list(pool.map(lambda n: backend.edit("/many", f"line {n}.", f"new {n}."), range(30)))

    assert [each.error for each in results] == [None] * 30
    assert (root / "many").read_text() == "".join(f"new {number}.\n" for number in range(30))


def test_writing_replaces_and_deleting_takes_trees_but_not_the_root(backend, root):
    assert backend.write("/a.py", "x").path == "/a.py"
    assert (root / "a.py").read_text() == "x"
    assert backend.delete("/d").error is None
    assert backend.delete("/").error is not None
    assert [each.name for each in root.iterdir()] == ["a.py"]


def test_names_are_found_at_any_depth(backend):
    def found(pattern, path=None):
        return [each["path"] for each in backend.glob(pattern, path).matches]

    assert found("*.py") == ["/a.py", "/d/.h/c.py", "/d/b.py"]
    assert found("**/*.py") == ["/a.py", "/d/b.py"]
    assert found("/*.py") == ["/a.py"]
    assert found("*.py", "/d") == ["/d/.h/c.py", "/d/b.py"]
    assert backend.glob("../*").error is not None


def test_all_matches_are_found(backend, root):
    for number in range(150):
        (root / f"m{number}").write_text("needle\n" * 3)

    assert len(backend.grep("needle").matches) == 450
    limited = backend.grep("needle", max_count=10)
    assert (len(limited.matches), limited.truncated) == (10, True)
    assert backend.grep("two", "/d", "*.py").matches[0]["path"].startswith("/d/")
    assert backend.grep("t.o").matches == []


def test_a_path_without_its_first_slash_is_below_the_root(backend, root):
    assert backend.read("d/b.py").file_data == backend.read("/d/b.py").file_data
    assert (backend.write("n", "x\n").path, (root / "n").read_text()) == ("/n", "x\n")
    assert backend.glob("").matches == backend.glob("d/").matches == []


def test_text_is_read_in_its_encoding_without_a_mark(backend, root):
    (root / "wide").write_bytes("é\nx\n".encode("utf-16"))
    (root / "marked").write_bytes(b"\xef\xbb\xbfa\n")

    assert [backend.read(name).file_data["content"] for name in ("/wide", "/marked")] == ["é\nx\n", "a\n"]


def test_a_search_leaves_version_control_out(backend, root):
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("needle\n")
    (root / ".hidden").write_text("needle\n")

    assert [each["path"] for each in backend.grep("needle").matches] == ["/.hidden"]


def test_arguments_of_a_wrong_type_are_errors_too(backend):
    results = [backend.write(None, "x"), backend.write("/n", 5), backend.glob(None), backend.read("/a.py", "1", None)]

    assert [each.error is not None for each in results] == [True] * 4


def test_a_large_result_that_is_written_again_is_replaced(backend, root):
    assert (backend.grep("x", "/large_tool_results").matches, backend.ls("/large_tool_results").entries) == ([], [])
    for text in ("one\n", "two\n"):
        backend.write("/large_tool_results/call 1", text)
    backend.upload_files([("/large_tool_results/up", b"bytes\n")])

    assert backend.read("/large_tool_results/call 1").file_data["content"] == "two\n"
    assert backend.download_files(["/large_tool_results/up"])[0].content == b"bytes\n"
    assert len(backend.ls("/large_tool_results/").entries) == 2
    assert not (root / "large_tool_results").exists()


def test_directories_are_listed(backend):
    assert {each["path"]: each["is_dir"] for each in backend.ls("/").entries} == {"/a.py": False, "/d/": True}
    assert [each["path"] for each in backend.ls("/d").entries] == ["/d/.h/", "/d/b.py"]


@pytest.mark.parametrize("path", ["/../x", "relative", "/d/../../x", "/gone"])
def test_errors_are_values(backend, path):
    assert backend.read(path).error is not None
    assert backend.edit(path, "a", "b").error is not None
    assert backend.delete(path).error is not None


def test_files_are_uploaded_and_downloaded_as_bytes(backend, root):
    up = backend.upload_files([("/n/x", b"\xff\0\r\n"), ("/../x", b"")])
    down = backend.download_files(["/n/x", "/gone", "/d", "/../x"])

    assert [each.error for each in up] == [None, "invalid_path"]
    assert (root / "n" / "x").read_bytes() == b"\xff\0\r\n"
    assert [each.error for each in down] == [None, "file_not_found", "is_directory", "invalid_path"]
    assert down[0].content == b"\xff\0\r\n"


def test_commands_run_in_the_workspace(backend):
    done = backend.execute("ls; exit 3")

    assert (done.exit_code, done.output.startswith("a.py\nd\n")) == (3, True)
    assert backend.execute("sleep 3600", timeout=1).exit_code == 124


def test_a_large_output_is_read_by_its_virtual_path(backend):
    done = backend.execute("seq 100000")
    path = next(word for word in done.output.split() if word.startswith("/large_tool_results/call_"))

    assert done.truncated is True
    assert backend.read(path, 99_999, 1).file_data["content"] == "100000\n"
    assert backend.grep("99999", path).matches == [{"path": path, "line": 99_999, "text": "99999"}]


def test_a_command_ends_with_the_task_that_waits_for_it(backend, root):
    async def run():
        task = asyncio.ensure_future(backend.aexecute("echo $$ > pid; exec sleep 3600"))
        while number_in(root / "pid") is None:
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert gone(number_in(root / "pid"))


def test_large_results_stay_out_of_the_project(backend, root):
    assert backend.write("/large_tool_results/call_1", "kept\n").path == "/large_tool_results/call_1"
    assert backend.read("/large_tool_results/call_1").file_data["content"] == "kept\n"
    assert not (root / "large_tool_results").exists()


def test_every_refusal_has_a_code(root):
    backend = Backend(root)
    (root / "a.txt").write_text("a\n")
    said = [
        backend.edit("/a.txt", "", "b").error,
        backend.edit("/a.txt", "none", "b").error,
        backend.edit("/../x", "a", "b").error,
        backend.read("/none").error,
        backend.read("/../x").error,
        backend.read("/a.txt", offset=9).error,
        backend.glob("../*").error,
        backend.grep("a", "/none").error,
        backend.write("/../x", "").error,
        backend.delete("/none").error,
        backend.ls("/none").error,
    ]

    assert [text for text in said if "[P" not in str(text)] == []
