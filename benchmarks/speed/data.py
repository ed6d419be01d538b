"""The files and patches that are measured: made by rule, the same on every machine.

A case is a directory with `tree/` (the files before), `patch` and, where the result is known beforehand, `after/`.
"""

import os
import shutil

_KEPT = 3  # lines of context above and below a change


def line(number, salt=0):
    """A line of source-like text; every ninth is one that occurs again and again."""
    if number % 9 == 5:
        return ("", "    }", "        return result", "    # ---")[number // 9 % 4]
    value = (number * 7919 + salt * 104729) % 1000003
    return f'    value_{number:07d} = compute({value}, "{value:06x}") - offset[{number % 17}]'


def drifted(text, how):
    """The line as the file has it where the patch has `text`."""
    if how == "trailing":
        return text + "   "
    if how == "indent":
        return "    " + text if text else text
    if how == "unicode":
        return text.replace('"', "\u201d").replace(" - ", " \u2013 ")
    return text


def one_file(directory, lines, hunks, how="exact"):
    """A file of so many lines and a patch with so many hunks, each a line changed between three kept on either side."""
    plain = [line(number) for number in range(lines)]
    before = [drifted(text, how) for text in plain]
    after = list(before)
    patch = ["*** Begin Patch", "*** Update File: big.txt"]
    step = lines // hunks
    for hunk in range(hunks):
        at = hunk * step + step // 2
        while at % 9 in (5, 4, 6):
            at += 1
        changed = f"    changed_{at:07d}()"
        body = [f" {text}" for text in plain[at - _KEPT : at]]
        body += [f"-{plain[at]}", f"+{changed}"]
        body += [f" {text}" for text in plain[at + 1 : at + 1 + _KEPT]]
        patch += ["@@", *body]
        after[at] = ("    " + changed) if how == "indent" else changed
    _write(f"{directory}/tree/big.txt", before)
    _write(f"{directory}/after/big.txt", after)
    _write(f"{directory}/patch", [*patch, "*** End Patch"])


def repetitive(directory, lines):
    """A file of one line over and over, and a hunk half as long as the file, which fits at its end alone."""
    before = ["x = 1"] * (lines - 1) + ["end"]
    half = lines // 2
    body = [" x = 1"] * (half - 1) + ["-x = 1", "+x = 2", " end"]
    _write(f"{directory}/tree/big.txt", before)
    _write(f"{directory}/after/big.txt", [*before[:-2], "x = 2", "end"])
    _write(f"{directory}/patch", ["*** Begin Patch", "*** Update File: big.txt", "@@", *body, "*** End Patch"])


def many_files(directory, count):
    """So many files of 200 lines: updated, added, deleted and moved with a change, in turn."""
    patch = ["*** Begin Patch"]
    for number in range(count):
        path = f"d{number // 100:03d}/f{number:05d}.txt"
        lines = [line(row, number) for row in range(200)]
        hunk = ["@@", f" {lines[99]}", f"-{lines[100]}", "+    changed()", f" {lines[101]}"]
        after = [*lines[:100], "    changed()", *lines[101:]]
        kind = number % 4
        if kind != 1:
            _write(f"{directory}/tree/{path}", lines)
        if kind == 0:
            patch += [f"*** Update File: {path}", *hunk]
            _write(f"{directory}/after/{path}", after)
        elif kind == 1:
            patch += [f"*** Add File: {path}", *(f"+{text}" for text in lines)]
            _write(f"{directory}/after/{path}", lines)
        elif kind == 2:
            patch += [f"*** Delete File: {path}"]
        else:
            patch += [f"*** Update File: {path}", f"*** Move to: m/{path}", *hunk]
            _write(f"{directory}/after/m/{path}", after)
    _write(f"{directory}/patch", [*patch, "*** End Patch"])


def adds(directory, megabytes):
    """A patch that adds so many files of a megabyte."""
    os.makedirs(f"{directory}/tree")
    rows = [line(row) for row in range(20_000)]
    patch = ["*** Begin Patch"]
    for number in range(megabytes):
        patch += [f"*** Add File: new/{number:03d}.txt", *(f"+{text}" for text in rows)]
        _write(f"{directory}/after/new/{number:03d}.txt", rows)
    _write(f"{directory}/patch", [*patch, "*** End Patch"])


def heredoc(path, megabytes):
    """A script that hands a patch of so many megabytes to apply_patch."""
    rows = [f"+{line(row)}" for row in range(megabytes * 20_000)]
    _write(path, ["cd . && apply_patch <<'EOF'", "*** Begin Patch", "*** Add File: a", *rows, "*** End Patch", "EOF"])


def text(path, megabytes):
    """A file of so many megabytes; returns how many lines it has."""
    block = "".join(f"{line(row)}\n" for row in range(20_000))
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(megabytes):
            file.write(block)
        file.write("the only line of its kind\n")
    return megabytes * 20_000 + 1


def tree(directory, files):
    """A tree of so many small files in many directories, one in a hundred of which has the word that is looked for."""
    body = "\n".join(line(row) for row in range(150))
    for number in range(files):
        folder = f"{directory}/p{number // 500:03d}/q{number // 50 % 10}"
        if number % 50 == 0:
            os.makedirs(folder, exist_ok=True)
        word = "needle_in_the_hay" if number % 100 == 7 else "nothing"
        with open(f"{folder}/f{number:05d}.{('py', 'txt', 'js')[number % 3]}", "w", encoding="utf-8") as file:
            file.write(f"{body}\n{word} = {number}\n{body[:2000]}\n")


def fresh(case, work):
    """A new copy of a case's tree to work on."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(f"{case}/tree", work)


def _write(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("\n".join(lines) + "\n")
