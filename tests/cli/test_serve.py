"""`patchkit serve`: the page of changes over HTTP and in a real browser, and what it refuses."""

from __future__ import annotations

import http.client
import itertools
import re
import signal
import socket
import subprocess
import sys
import threading
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import patchkit
from patchkit.cli.commands.changes_view import page_of
from patchkit.cli.commands.serve import ChangesServer
from patchkit.history import tracked_workspace

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs"))
from browser import CHROMIUM, Browser

PATCH = """\
*** Begin Patch
*** Update File: a.txt
@@
-x
+y
*** Add File: <b>&.txt
+<script>alert(1)</script>
*** End Patch
"""
SECOND = "*** Begin Patch\n*** Update File: a.txt\n@@\n-y\n+z\n*** End Patch\n"


class Served:
    """A running server, and a client that sends exactly what it is asked to."""

    def __init__(self, address):
        parts = urlsplit(address)
        self.address, self.port, self.path = address, parts.port, parts.path

    def ask(self, name="", method="GET", body="", path=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.putrequest(method, self.path + name if path is None else path, skip_host=True)
        given = {"Host": f"127.0.0.1:{self.port}", **{key.replace("_", "-"): value for key, value in headers.items()}}
        if body or method == "POST":
            given.setdefault("Content-Length", str(len(body)))
        for key, value in given.items():
            if value is not None:
                connection.putheader(key, value)
        connection.endheaders(body.encode() if body else None)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer, text

    def post(self, verb, run, **headers):
        given = {"Origin": f"http://127.0.0.1:{self.port}", **headers}
        return self.ask(verb, "POST", f"id={run}", **given)


@pytest.fixture
def served(tree, monkeypatch):
    """A server of a tree in which a patch was applied, in this process."""
    monkeypatch.setenv("PATCHKIT_SESSION", "review-7")
    patchkit.apply(PATCH, tree, history=True)
    monkeypatch.delenv("PATCHKIT_SESSION")
    with ChangesServer(str(tree), 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield Served(server.address)
        server.shutdown()
        thread.join()


def run_of(served):
    return re.findall(r"undo\?id=(\w{8})", served.ask()[1])[0]


def test_the_page_shows_the_run_its_files_and_its_session(served):
    answer, page = served.ask()

    assert answer.status == 200
    assert "review-7" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert page.count("<script") == 1


def test_the_address_is_on_this_machine_and_every_answer_forbids_what_a_page_needs_not(served):
    answer, _page = served.ask()

    assert served.address.startswith("http://127.0.0.1:")
    assert len(served.path) == 34
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; ")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/", "/undo", "/wrong/", "/wrong/undo", "//", "/%2e%2e/", "/" + "x" * 32 + "/"])
def test_without_the_secret_there_is_nothing(served, path):
    assert served.ask(path=path)[0].status == 404


def test_the_secret_and_one_more_part_are_nothing(served):
    assert served.ask("undo/x")[0].status == 404
    assert served.ask("etc")[0].status == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "", None, "127.0.0.1:1"])
def test_a_request_that_names_another_host_is_refused(served, host):
    """A name that an attacker lets lead to 127.0.0.1 (DNS rebinding) is in the Host header."""
    assert served.ask(Host=host)[0].status == 421


def test_a_request_from_another_site_is_refused(served):
    assert served.ask(Sec_Fetch_Site="cross-site")[0].status == 403
    assert served.ask(Sec_Fetch_Site="same-origin")[0].status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None, "http://127.0.0.1:1"])
def test_an_undo_from_another_origin_is_refused(served, tree, origin):
    assert served.post("undo", run_of(served), Origin=origin)[0].status == 403
    assert (tree / "a.txt").read_bytes() == b"y\n"


def test_looking_at_the_confirmation_changes_nothing_and_shows_what_would_be_changed(served, tree):
    answer, page = served.ask(f"undo?id={run_of(served)}")

    assert answer.status == 200
    assert '<form class="decide" method="post" action="undo">' in page
    assert (tree / "a.txt").read_bytes() == b"y\n"


def test_an_undo_takes_the_run_back_and_a_redo_applies_it_again(served, tree):
    run = run_of(served)
    answer, _ = served.post("undo", run)

    assert (answer.status, answer.headers["Location"]) == (303, f"./?done=Undid+run+{run}#run-{run}")
    assert [path.name for path in tree.iterdir()] == ["a.txt"]
    assert (tree / "a.txt").read_bytes() == b"x\n"
    assert served.post("redo", run)[0].status == 303
    assert (tree / "a.txt").read_bytes() == b"y\n"


def test_newer_work_is_not_overwritten_and_the_page_says_why(served, tree):
    run = run_of(served)
    (tree / "a.txt").write_bytes(b"by hand\n")
    answer, page = served.post("undo", run)

    assert answer.status == 409
    assert "P323" in page
    assert (tree / "a.txt").read_bytes() == b"by hand\n"
    assert served.ask(f"undo?id={run}")[0].status == 409


@pytest.mark.parametrize("given", ["", "nonsense", "../../x", "%00", "<b>"])
def test_a_run_that_does_not_exist_is_an_answer(served, given):
    assert served.post("undo", given)[0].status == 409


def test_other_methods_and_too_large_forms_are_refused(served):
    origin = f"http://127.0.0.1:{served.port}"

    assert served.ask(method="PUT")[0].status == 501
    assert served.ask("undo", "POST", Origin=origin, Content_Length="5000")[0].status == 413
    assert served.ask("undo", "POST", Origin=origin, Content_Length="x")[0].status == 413
    assert served.ask("", "POST", "id=x", Origin=origin)[0].status == 404
    assert served.ask(method="HEAD")[1] == ""


def test_a_search_shows_the_runs_with_these_words(served, tree):
    patchkit.apply(SECOND, tree, history=True)

    assert served.ask("?words=review-7")[1].count('<details class="patch run"') == 1
    assert served.ask("?words=a.txt&count=1")[1].count('<details class="patch run"') == 1
    assert "Nothing is like this." in served.ask("?words=zzz&state=applied")[1]
    assert served.ask("?words=%22%3E%3Cscript%3E")[1].count("<script") == 1


def test_runs_are_filtered_by_author_session_file_and_changed_text(served, tree, run):
    (tree / ".patchkit.toml").write_text('[permissions]\nwrite = { "**" = "allow" }\n')
    assert run("trust", name="patchkit").status == 0
    assert run("-q", "--as-agent", SECOND, PATCHKIT_SESSION="night").status == 0
    queries = "by=agent by=person session=night session=review-7 file=.txt file=b%3E words=alert words=nowhere"
    found = [served.ask(f"?{query}")[1].count('<details class="patch run"') for query in queries.split()]

    assert found == [1, 0, 1, 1, 2, 1, 1, 0]
    assert "Nothing is like this." in served.ask("?session=night&file=b%3E")[1]


def test_what_was_refused_is_beside_what_was_applied_with_its_reason(tree, run):
    (tree / ".patchkit.toml").write_text("[audit]\non = true\n")
    run("-q", PATCH)
    assert run("-q", "--as-agent", SECOND, PATCHKIT_SESSION="night").status == 1
    assert run("-q", SECOND.replace("-y", "-nowhere")).status == 1
    with tracked_workspace(str(tree)) as files:
        page = page_of(files, live=True)

    assert re.findall(r'<span class="pill bad">refused</span><h2>([^<]*)</h2><span class="why">([^<]*)', page) == [
        ("a.txt", "P201 hunk-not-found"),
        ("a.txt", "P652 needs-approval"),
    ]
    assert "<dt>refused</dt><dd>2</dd>" in page
    assert "hunk not found in 'a.txt'<" in unescape(page)


def test_a_closed_row_has_the_lines_that_were_added_and_removed(served):
    row = re.findall(r"<summary>(.*)</summary>", served.ask()[1])[0]

    assert '<span class="plus">+2</span> <span class="minus">−1</span>' in row


def test_the_question_about_an_undo_says_who_when_and_which_files(served):
    page = served.ask(f"undo?id={run_of(served)}")[1]
    head = re.sub("<[^>]*>", "", page[page.index("<h1>") : page.index("</header>")])

    assert head.startswith("Undo the change of &lt;b&gt;&amp;.txt, a.txt?\n")
    assert re.search(r"session review-7 · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+ · run \w{8} · ", head)


def test_the_command_serves_until_ctrl_c_and_an_undo_from_its_page_is_in_the_audit_log(tree, run):
    (tree / ".patchkit.toml").write_text("[audit]\non = true\n")
    assert run("-q", PATCH).status == 0
    script = Path(sys.executable).with_name("patchkit")
    with subprocess.Popen(
        [script, "serve"], cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        served = Served(process.stdout.readline().strip())
        page = served.ask()[1]
        assert served.post("undo", run_of(served))[0].status == 303
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    lines = run("log", "--all", name="patchkit").stdout.decode().splitlines()

    assert ["person" in page, "audit log" in page] == [True, True]
    assert [line.split()[2:5] for line in lines] == [
        ["person", "undo", "success"],
        ["person", "apply_patch", "success"],
    ]


def test_a_port_that_is_taken_is_reported(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = run("serve", "--port", str(taken.getsockname()[1]), name="patchkit")

    assert said.status == 4
    assert said.stderr.startswith(b"error[P637]: cannot listen on port ")


def test_a_root_that_does_not_exist_is_reported(run):
    assert run("serve", "--root", "nope", name="patchkit").status == 3


def test_log_writes_the_same_page_to_a_file(run, tree, tmp_path):
    assert run("-q", PATCH).status == 0
    page = tmp_path / "page.html"
    said = run("log", "--html", str(page), name="patchkit")

    assert (said.status, said.stdout) == (0, f"Wrote {page}\n".encode())
    text = page.read_text()
    assert "&lt;script&gt;" in text
    assert "<form" not in text
    assert run("log", "--html", "-", name="patchkit").stdout.decode() == text
    assert run("log", "--html", "/nope/x.html", name="patchkit").status == 4
    assert run("log", "--html", "x", "--all", name="patchkit").status == 2


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_person_undoes_a_run_in_a_browser_after_a_confirmation(served, tree):
    with Browser() as browser:
        page = browser.open(served.address, 390, 844, dark=True)
        assert page.run("document.documentElement.scrollWidth") == 390
        page.click("a.button")
        page.wait_for("document.querySelector('button.go')")
        assert (tree / "a.txt").read_bytes() == b"y\n"
        page.click("button.go")
        page.wait_for("document.querySelector('.done')")

        assert page.text(".done").startswith("Undid run ")
        assert (tree / "a.txt").read_bytes() == b"x\n"
        assert page.text(".pill.undone") == "undone"
        wide = browser.open(served.address, 1280, 900)
        left, right = wide.run(
            "[...document.querySelectorAll('tr:has(.removed) td.line')].map(cell => cell.getBoundingClientRect().x)"
        )
        assert left < right
        assert page.complaints() + wide.complaints() == []


# -- a reader that is slow, and numbers that are long ----------------------------------------------


def test_a_reader_that_stops_reading_holds_up_nobody(served, tree):
    assert served.ask("?count=1")[0].status == 200
    removed = "".join(f"-line {number} {'x' * 80}\n" for number in range(300))
    for number in range(40):
        (tree / f"large{number}.txt").write_text(removed.replace("-line", "line"))
    sections = "".join(f"*** Update File: large{number}.txt\n@@\n{removed}+x\n" for number in range(40))
    patchkit.apply(f"*** Begin Patch\n{sections}*** End Patch\n", tree, history=True)
    assert len(served.ask("")[1]) > 1_000_000  # which no buffer holds
    slow = socket.create_connection(("127.0.0.1", served.port))
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.sendall(f"GET {served.path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode())
    assert slow.recv(10)  # the page is being sent, and the rest of it is never read

    answer, _text = served.ask("?count=1")

    assert answer.status == 200
    slow.close()


def test_numbers_of_many_digits_are_answered(served):
    digits = "9" * 9000
    assert served.ask("?count=1")[0].status == 200

    assert served.ask(f"?count={digits}")[0].status == 200
    answer, _ = served.ask("undo", "POST", Origin=f"http://127.0.0.1:{served.port}", Content_Length=digits)
    assert answer.status == 413


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_an_open_page_shows_a_new_run_by_itself_and_obeys_keys(served, tree):
    with Browser() as browser:
        page = browser.open(served.address, 1280, 900)
        page.run("document.querySelector('#list > details').open = false")
        patchkit.apply(SECOND, tree, history=True)
        page.wait_for("document.querySelectorAll('#list > details').length === 2")
        key = "dispatchEvent(new KeyboardEvent('keydown', {{key: '{}'}}))"

        assert page.run(
            "[...document.querySelectorAll('#list > details')].map(row => row.classList.contains('fresh'))"
        ) == [
            True,
            False,
        ]
        assert page.run("document.querySelectorAll('#list > details')[1].open") is False
        seen = []
        for letter in "jjjkj":
            page.run(key.format(letter))
            seen.append(page.run("[...document.querySelectorAll('#list summary')].indexOf(document.activeElement)"))
        assert seen == [0, 1, 1, 0, 1]
        page.run(key.format("k"))
        page.run(key.format("u"))
        page.wait_for("document.title.startsWith('Undo run')")
        assert page.complaints() == []


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_code_has_colours_that_can_be_read_and_the_page_fits(tree, served):
    (tree / "app.py").write_text('# a remark\nLIMIT = 10\ndef f(x):\n    return "text" + str(12)\n')
    edit = '*** Begin Patch\n*** Update File: app.py\n@@\n-# a remark\n+# another\n@@\n-    return "text" + str(12)\n'
    patchkit.apply(f'{edit}+    return "word" + str(13)  # new\n*** End Patch\n', tree, history=True)
    with Browser() as browser:
        for width, dark in itertools.product((390, 1280), (False, True)):
            page = browser.open(served.address, width, 900, dark=dark)
            classes = "[...document.querySelectorAll('.lines i')].map(each => each.className)"

            assert page.run(f"[...new Set({classes})].sort()") == ["c", "d", "s", "w"]
            assert page.run(f"({CONTRAST})()") >= 4.5, (width, dark)
            assert page.run("document.documentElement.scrollWidth") == width


# The least contrast between a coloured word and what is behind it.
CONTRAST = """() => {
  const part = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const ground = (element) => {
    const color = numbers(getComputedStyle(element).backgroundColor);
    return color.length < 4 || color[3] ? color : ground(element.parentElement);
  };
  return Math.min(...[...document.querySelectorAll(".lines i, .why, .who, .delta span")].map((each) => {
    const both = [light(numbers(getComputedStyle(each).color)), light(ground(each))].sort((a, b) => a - b);
    return (both[1] + 0.05) / (both[0] + 0.05);
  }));
}"""
