"""Files that are more than lines: images, PDFs, notebooks."""

from __future__ import annotations

import base64
import json
import sys

import pytest

from patchkit.tools.reading import content as read_content
from patchkit.tools.reading import documents as read_pdf

IMAGES = {
    "a.png": (b"\x89PNG\r\n\x1a\n" + b"\0" * 20, "image/png"),
    "a.jpg": (b"\xff\xd8\xff\xe0" + b"\0" * 20, "image/jpeg"),
    "a.JPEG": (b"\xff\xd8\xff\xe1" + b"\0" * 20, "image/jpeg"),
    "a.gif": (b"GIF89a" + b"\0" * 20, "image/gif"),
    "a.webp": (b"RIFF\x10\0\0\0WEBPVP8 " + b"\0" * 20, "image/webp"),
    "wrong.png": (b"\xff\xd8\xff\xe0" + b"\0" * 20, "image/jpeg"),
}


def pdf(pages):
    """A small PDF with a line of text on each page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    for text in pages:
        number = len(objects) + 1
        kids.append(b"%d 0 R" % number)
        stream = b"BT /F1 12 Tf 72 720 Td (%b) Tj ET" % text.encode()
        font = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources %b >>"
            % (number + 1, font)
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
    objects[1] = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (b" ".join(kids), len(pages))
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)


# -- images --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_is_a_block_in_base64_with_the_type_of_its_content(file, use, name):
    data, kind = IMAGES[name]
    path = file(name, data)

    result = use("Read", file_path=path)

    assert result.data["blocks"] == [{"type": "image", "base64": base64.b64encode(data).decode(), "mime_type": kind}]
    assert result.text == f"{path}: {kind}, {len(data)} bytes, as an image block"


def test_a_file_that_is_only_named_like_an_image_is_read_as_what_it_is(file, use):
    pointer = "version https://git-lfs.github.com/spec/v1\n"

    assert use("Read", file_path=file("a.png", pointer), plain=True).text == f"     1→{pointer.strip()}"
    assert use("Read", file_path=file("b.png", b"\0\0", read=False)).errors[0]["code"] == "P614"


def test_an_image_too_large_to_be_looked_at_is_refused(file, use, monkeypatch):
    monkeypatch.setattr(read_content, "MOST_IMAGE_BYTES", 20)
    refused = use("Read", file_path=file("a.gif", IMAGES["a.gif"][0], read=False))

    assert refused.errors[0]["code"] == "P618"
    assert "it is too large for an image" in refused.errors[0]["message"]


# -- PDF -----------------------------------------------------------------------------------------


def test_a_pdf_without_the_package_for_it_names_the_extra(file, use, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    refused = use("Read", file_path=file("a.pdf", pdf(["one"]), read=False))

    assert (refused.errors[0]["code"], refused.errors[0]["hint"]) == (
        "P617",
        "install it: pip install pypdf",
    )


@pytest.fixture
def _pypdf():
    pytest.importorskip("pypdf", reason="the extra 'pdf' is not installed")


@pytest.mark.usefixtures("_pypdf")
def test_a_pdf_is_shown_page_by_page(file, use):
    result = use("Read", file_path=file("a.pdf", pdf(["one", "two"]), read=False))

    assert result.text == "--- page 1 of 2 ---\none\n\n--- page 2 of 2 ---\ntwo"
    assert (result.status, result.data["total_pages"], result.data["next_pages"]) == ("success", 2, None)
    assert result.data["pages"] == [{"page": 1, "text": "one"}, {"page": 2, "text": "two"}]


@pytest.mark.usefixtures("_pypdf")
@pytest.mark.parametrize(("pages", "shown"), [("1-5", [1, 2, 3, 4, 5]), ("3", [3]), (" 2 - 3 ", [2, 3])])
def test_pages_are_chosen_by_a_range(file, use, pages, shown):
    result = use("Read", file_path=file("a.pdf", pdf([f"page {n}" for n in range(1, 7)]), read=False), pages=pages)

    assert [each["page"] for each in result.data["pages"]] == shown


@pytest.mark.usefixtures("_pypdf")
def test_no_more_than_20_pages_are_shown_and_a_note_goes_on(file, use):
    path = file("a.pdf", pdf([f"page {n}" for n in range(1, 24)]), read=False)

    result = use("Read", file_path=path)

    assert (len(result.data["pages"]), result.status, result.data["next_pages"]) == (20, "partial", "21-23")
    again = f"Read {json.dumps({'file_path': path, 'pages': '21-23'})}"
    assert [note["message"] for note in result.notes] == [
        f"pages 21 to 23 of '{path}' are not shown; continue with: {again}"
    ]
    assert result.data["next"] == {"file_path": path, "pages": "21-23"}
    assert [each["page"] for each in use("Read", file_path=path, pages="21-23").data["pages"]] == [21, 22, 23]


@pytest.mark.usefixtures("_pypdf")
@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ("1-21", "that is more than 20 at once"),
        ("24", "it has 23 pages"),
        ("0", "that is not a range of pages"),
        ("5-3", "that is not a range of pages"),
        ("two", "that is not a range of pages"),
        ("1,2", "that is not a range of pages"),
        ("9" * 5000, "that is not a range of pages"),
        ("١", "that is not a range of pages"),
    ],
)
def test_pages_that_cannot_be_shown_are_refused_with_the_reason(file, use, pages, reason):
    path = file("a.pdf", pdf(["x"] * 23), read=False)

    refused = use("Read", file_path=path, pages=pages)

    assert (refused.errors[0]["code"], refused.errors[0]["message"]) == (
        "P619",
        f"cannot show pages '{pages}' of '{path}': {reason}",
    )


@pytest.mark.usefixtures("_pypdf")
@pytest.mark.parametrize("data", [b"%PDF-1.4\nnothing", b"%PDF-1.4\n" + b"\xff" * 500, pdf(["one"])[:200]])
def test_a_damaged_pdf_is_an_answer(file, use, data, capfd):
    refused = use("Read", file_path=file("a.pdf", data, read=False))

    assert refused.errors[0]["code"] in ("P618", "P614")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("while True: pass", "reading it takes more than 1 seconds"),
        ("import time; time.sleep(3600)", "reading it takes more than 1 seconds"),
        ("b'x' * (1 << 33)", "it takes more than 256 MB of memory"),
        ("import os; os.kill(os.getpid(), 9)", "the process that read it ended with status -9"),
        ("import os; os._exit(0)", "the process that read it ended with status 0"),
        ("raise RecursionError", "it is not a PDF that can be read (RecursionError)"),
    ],
)
def test_a_pdf_that_takes_all_there_is_is_an_answer(file, use, tmp_path, monkeypatch, code, why):
    (tmp_path / "pypdf.py").write_text(f"def PdfReader(data):\n    {code}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(read_pdf, "SECONDS", 1 if "seconds" in why else 600)
    monkeypatch.setattr(read_pdf, "MEMORY", 256 << 20)
    path = file("a.pdf", pdf(["one"]), read=False)

    assert use("Read", file_path=path).errors[0]["message"] == f"'{path}' cannot be shown: {why}"


@pytest.mark.usefixtures("_pypdf")
def test_the_workspace_brings_no_modules_for_reading_a_pdf(file, use, root, monkeypatch):
    (root / "pypdf.py").write_text("def PdfReader(data):\n    raise RecursionError\n")
    (root / "json.py").write_text("raise RecursionError\n")
    monkeypatch.chdir(root)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    monkeypatch.setitem(sys.modules, "pypdf", sys.modules["pypdf"])

    assert use("Read", file_path=file("a.pdf", pdf(["one"]), read=False)).text == "--- page 1 of 1 ---\none"


@pytest.mark.usefixtures("_pypdf")
def test_a_page_that_unfolds_into_too_much_text_is_an_answer(file, use, tmp_path, monkeypatch):
    (tmp_path / "pypdf.py").write_text(
        "class Page:\n    def extract_text(self):\n        return 'x' * 3_000_000\n"
        "class PdfReader:\n    is_encrypted = False\n    pages = [Page(), Page()]\n"
        "    def __init__(self, data):\n        pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    path = file("a.pdf", pdf(["one"]), read=False)

    refused = use("Read", file_path=path)

    assert refused.errors[0]["message"] == f"'{path}' cannot be shown: page 2 has more text than can be shown"


def test_pages_of_a_file_that_is_not_a_pdf_are_refused(file, use):
    refused = use("Read", file_path=file("a.txt", "a\n"), pages="1")

    assert refused.errors[0]["code"] == "P619"


# -- notebooks -----------------------------------------------------------------------------------

PNG = base64.b64encode(IMAGES["a.png"][0]).decode()
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "id": "m1", "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "execution_count": 3,
            "source": "print(1)",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["1\n", "2\n"]},
                {"output_type": "execute_result", "data": {"text/plain": "5", "text/html": "<b>5</b>"}},
                {"output_type": "display_data", "data": {"image/png": PNG, "text/plain": "<Figure>"}},
                {"output_type": "error", "ename": "E", "evalue": "oh", "traceback": ["\x1b[31mE\x1b[0m: oh"]},
            ],
        },
    ],
    "nbformat": 4,
}


def test_a_notebook_is_shown_as_its_cells_with_their_outputs(file, use):
    result = use("Read", file_path=file("a.ipynb", json.dumps(NOTEBOOK)))

    assert result.text == (
        "[cell 1: markdown]\n# Title\ntext\n\n"
        "[cell 2: code, run 3]\nprint(1)\n\n"
        "[output of cell 2]\n1\n2\n\n\n"
        "[output of cell 2]\n5\n\n"
        "[output of cell 2]\n(image/png, image block 1)\n\n"
        "[output of cell 2]\nE: oh"
    )
    assert result.data["blocks"] == [{"type": "image", "base64": PNG, "mime_type": "image/png"}]
    assert [cell["type"] for cell in result.data["cells"]] == ["markdown", "code"]


def test_a_notebook_with_a_window_is_the_text_it_is_kept_as(file, use):
    path = file("a.ipynb", json.dumps(NOTEBOOK, indent=1))

    assert use("Read", file_path=path, limit=2, plain=True).text == '     1→{\n     2→ "cells": ['


@pytest.mark.parametrize("content", ["{", "[]", '{"cells": 5}', '{"cells": [5]}', '{"a": ' * 5000, '"a"'])
def test_a_file_that_is_not_a_notebook_is_read_as_text_and_a_note_says_so(file, use, content):
    result = use("Read", file_path=file("a.ipynb", content))

    assert result.text.startswith("     1→" + content[:20])
    assert "P959" in [note["code"] for note in result.notes]


def test_a_strange_notebook_is_an_answer(file, use):
    cells = [
        {"cell_type": 5, "source": {"a": 1}, "outputs": "none", "execution_count": "x"},
        {"outputs": [5, {"data": []}, {"data": {}}, {"data": {"text/latex": 5}}, {"output_type": "error"}]},
    ]

    assert use("Read", file_path=file("a.ipynb", json.dumps({"cells": cells}))).status == "success"


def test_a_notebook_too_long_to_be_shown_is_refused_like_any_text(file, use):
    cells = [{"cell_type": "raw", "source": "x" * 70_000}]

    refused = use("Read", file_path=file("a.ipynb", json.dumps({"cells": cells}), read=False))

    assert refused.errors[0]["code"] == "P616"
