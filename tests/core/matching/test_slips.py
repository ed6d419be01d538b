"""Slips that people and models make, each with what a careful reader would do: the meant file, or a refusal."""

from __future__ import annotations

import pytest

import patchkit


def outcome(before: str, body: str) -> str:
    """The file after the hunks, or the code of the refusal."""
    files = {"f": before.encode()}
    try:
        patchkit.apply(f"*** Begin Patch\n*** Update File: f\n{body}*** End Patch\n", root=files)
    except patchkit.PatchkitError as error:
        return str(error.code)
    return files["f"].decode()


CASES = {
    "every sign has a space behind it, in a file of tabs": (
        "\ta\n\t\tb\n\tz\n",
        "@@\n  \ta\n- \t\tb\n+ \t\tc\n+ \t\t\td\n  \tz\n",
        "\ta\n\t\tc\n\t\t\td\n\tz\n",
    ),
    "a line lost its plus, right below the one that it replaces": (
        "one = 1\ntwo = 2\nwide = a\nfour = 4\nfive = 5\n",
        "@@\n one = 1\n two = 2\n-wide = a\n wide = b\n four = 4\n five = 5\n",
        "P201",
    ),
    "a line lost its plus, and the next one is not shown": (
        "one = 1\ntwo = 2\nwide = a\nfour = 4\nfive = 5\n",
        "@@\n one = 1\n two = 2\n-wide = a\n wide = b\n",
        "P201",
    ),
    "two kept lines changed places above a removed one": (
        "one = 1\ntwo = 2\nwide = a\nfour = 4\nfive = 5\n",
        "@@\n two = 2\n one = 1\n-wide = a\n+wide = b\n four = 4\n five = 5\n",
        "one = 1\ntwo = 2\nwide = b\nfour = 4\nfive = 5\n",
    ),
    "the line that an insertion shows above is there, with another line below it": (
        "first\nalpha = 1\nbeta = 2\ngamma = 3\ndelta = 4\n",
        "@@\n alpha = 1\n+new = 0\n gamma = 3\n-delta = 4\n+delta = 5\n",
        "P201",
    ),
    "a line that is left out is added as well": (
        "<nav>\n<button a>\n<a href>\n<div>\n<ul>\n",
        "@@\n <nav>\n-<button a>\n+<button b>\n+<a href>\n <div>\n",
        "P201",
    ),
    "the first line that is added is in place of a blank one": (
        "b {\n}\na.one,\na.two {\n  left: 5px;\n}\n",
        "@@\n \n-a.two {\n+a.one,\n+a.three {\n   left: 5px;\n",
        "P201",
    ),
    "context lines have no signs, so one between removed lines is context": (
        "top\na\nb\nc\nend\n",
        "@@\ntop\n-a\nb\n-c\n+C\nend\n",
        "top\nb\nC\nend\n",
    ),
    "indented context lines have no signs, so one between removed lines is context": (
        "def f(\n    a,\n    b,\n    c,\n) -> bytes:\n    one()\n    two()\n",
        "@@\n    a,\n    b,\n-    c,\n) -> bytes:\n-    one()\n+    1\n    two()\n",
        "def f(\n    a,\n    b,\n) -> bytes:\n    1\n    two()\n",
    ),
    "one line between removed ones has no sign, others have": (
        "top\na\nb\nc\nend\n",
        "@@\n top\n-a\nb\n-c\n+C\n end\n",
        "top\nC\nend\n",
    ),
    "quotes were escaped on their way": (
        'say("hi")\nsay("ho")\n',
        '@@\n-say(\\"hi\\")\n+say(\\"hello\\")\n say(\\"ho\\")\n',
        'say("hello")\nsay("ho")\n',
    ),
    "quotes were escaped on their way, and not the line end in a text": (
        'say("ho")\nsay("hi")\n',
        '@@\n say(\\"ho\\")\n-say(\\"hi\\")\n+say(\\"hi\\n\\")\n',
        'say("ho")\nsay("hi\\n")\n',
    ),
    "a listing has another quote, and the new line no number": (
        "    one = 'a'\n    two = 2\n    three = 3\n",
        "@@\n   1|    one = \u2018a\u2019\n-   2|    two = 2\n+    two = 4\n    3|    three = 3\n",
        "    one = 'a'\n    two = 4\n    three = 3\n",
    ),
    "a listing lost the space behind the mark of a blank line": (
        "one\n\ntwo\n",
        "@@\n 1 | one\n 2 |\n-3 | two\n+3 | three\n",
        "one\n\nthree\n",
    ),
    "the last context line below a new one is wrong, at two places alike": (
        "one\n# why is this\n# a trailing blank\n#\ntwo\n# why is this\n# a trailing blank\n#\nthree\n",
        "@@\n+new\n # why is this\n # a trailing blank\n # parent\n",
        "P201",
    ),
    "what a hunk removes is above the hunk before it, and below with another margin": (
        '"""\na\nb\n    """\nc\n',
        '@@\n-a\n+A\n@@\n-"""\n',
        "P202",
    ),
    "the file has escaped quotes": (
        'say("a \\"b\\"")\n',
        '@@\n-say("a \\"b\\"")\n+say("a \\"c\\"")\n',
        'say("a \\"c\\"")\n',
    ),
    "a removed line has a wrong margin, and the line for it has the same": (
        "for i in x:\n    go(i)\n    stop(i)\ndone()\n",
        "@@\n for i in x:\n-go(i)\n+run(i)\n     stop(i)\n",
        "P212",
    ),
    "a removed line has a wrong margin, and the line for it has the file's": (
        "for i in x:\n    go(i)\n    stop(i)\ndone()\n",
        "@@\n for i in x:\n-go(i)\n+    run(i)\n     stop(i)\n",
        "for i in x:\n    run(i)\n    stop(i)\ndone()\n",
    ),
    "a context line differs, and what is added is in the file already": (
        "def first(x):\n    check(x)\n    store(x)\n    notify(x)\n    count(x)\n    finish(x)\n\n"
        "def second(x, y):\n    begin(x)\n    done(x)\n",
        "@@\n def second(x):\n     begin(x)\n"
        "+    check(x)\n+    store(x)\n+    notify(x)\n+    count(x)\n+    finish(x)\n     done(x)\n",
        "P201",
    ),
    "a brace was left out above a context line, which is nearly so below it": (
        "for name in names {\n  greet(name);\n}\nfor title in titles, all {\n  greet(title);\n}\n",
        "@@\n for name in names {\n   greet(name);\n+for new in news {\n+  greet(new);\n+}\n for title in titles {\n",
        "P201",
    ),
    "a context line differs, what is added is in the file already, and what is removed is still there": (
        "def first(x):\n    check(x)\n    store(x)\n    notify(x)\n    count(x)\n    finish(x)\n\n"
        "def second(x, y):\n    begin(x)\n    wait(x)\n    done(x)\n",
        "@@\n def second(x):\n     begin(x)\n-    wait(x)\n"
        "+    check(x)\n+    store(x)\n+    notify(x)\n+    count(x)\n+    finish(x)\n     done(x)\n",
        "def first(x):\n    check(x)\n    store(x)\n    notify(x)\n    count(x)\n    finish(x)\n\n"
        "def second(x, y):\n    begin(x)\n    check(x)\n    store(x)\n    notify(x)\n    count(x)\n    finish(x)\n"
        "    done(x)\n",
    ),
    "the last hunk has a blank line past the end, with which it matches above the hunk before it": (
        "if a:\n    go = 1\n\nname = 1\nif a:\n    go = 1\n",
        "@@\n-name = 1\n+name = 2\n@@\n if a:\n-    go = 1\n+    go = 2\n \n",
        "if a:\n    go = 1\n\nname = 2\nif a:\n    go = 2\n",
    ),
    "a hunk fits the end of the file but for a blank line past it, and another place with other margins": (
        "def a():\n        try:\n    go = 1\nend\n\ndef b():\n    try:\n    go = 1\nend\n",
        "@@\n     try:\n-    go = 1\n+    go = 2\n end\n \n",
        "def a():\n        try:\n    go = 1\nend\n\ndef b():\n    try:\n    go = 2\nend\n",
    ),
    "a hunk fits but for a second blank line, and the end of the file with other margins": (
        "def a():\n        try:\n    go = 1\nend\n\ndef b():\n    try:\n    go = 1\nend\n",
        "@@\n         try:\n-    go = 1\n+    go = 2\n end\n \n \n",
        "def a():\n        try:\n    go = 2\nend\n\ndef b():\n    try:\n    go = 1\nend\n",
    ),
    "kept lines lost their signs, and added lines have margins of their own": (
        "    code\n    more\n\nold\n\nend\n",
        "@@\n    code\n    more\n\n-old\n+new\n+   list\n\nend\n",
        "    code\n    more\n\nnew\n   list\n\nend\n",
    ),
    "a context line differs, and what is added is new": (
        "def first(x):\n    check(x)\n\ndef second(x, y):\n    begin(x)\n    done(x)\n",
        "@@\n def second(x):\n     begin(x)\n+    check(x)\n+    store(x)\n+    notify(x)\n     done(x)\n",
        "def first(x):\n    check(x)\n\n"
        "def second(x, y):\n    begin(x)\n    check(x)\n    store(x)\n    notify(x)\n    done(x)\n",
    ),
    "a blank line between added ones lost its plus": (
        "a = 1\nb = 2\n",
        "@@\n a = 1\n+x = 1\n\n+y = 1\n b = 2\n",
        "a = 1\nx = 1\n\ny = 1\nb = 2\n",
    ),
    "a copy of what two hunks share stands below": (
        "start\na\nb\nc\nd\nother\nb\nc\nd\n",
        "@@\n start\n-a\n+A\n b\n c\n@@\n b\n c\n-d\n+D\n",
        "P202",
    ),
    "hunks share lines and there is no copy": (
        "start\na\nb\nc\nd\nother\n",
        "@@\n start\n-a\n+A\n b\n c\n@@\n b\n c\n-d\n+D\n",
        "start\nA\nb\nc\nD\nother\n",
    ),
    "a copy of what two drifted hunks share stands below": (
        "start \na \nb \nc \nd \nother \nb \nc \nd \n",
        "@@\n start\n-a\n+A\n b\n c\n@@\n b\n c\n-d\n+D\n",
        "P202",
    ),
    "an insertion sent twice": (
        "a\nb\nc\n",
        "@@\n a\n+x\n b\n@@\n a\n+x\n b\n",
        "P204",
    ),
    "an anchor that stands twice over an insertion": (
        "class A:\n    class Meta:\n        def f(self): ...\n\nclass B:\n    class Meta:\n        x = 1\n",
        "@@ class Meta:\n+        y = 2\n",
        "P208",
    ),
    "lines one column short that all came with their sign": (
        '[[package]]\n "a",\n "b",\n]\n',
        '@@\n "a",\n+"aa",\n "b",\n',
        '[[package]]\n "a",\n "aa",\n "b",\n]\n',
    ),
    "context that lost its signs beside an added line that did not": (
        "def f():\n    a()\n    b()\n",
        "@@\n    a()\n+    x()\n    b()\n",
        "def f():\n    a()\n    x()\n    b()\n",
    ),
    "context that lost its signs beside added lines of many depths": (
        "  f(\n    a\n  )\n  /**\n   * x\n",
        "@@\n  f(\n    a\n+  )\n+  /**\n+   * new\n+   */\n+  g(\n  )\n  /**\n   * x\n",
        "  f(\n    a\n  )\n  /**\n   * new\n   */\n  g(\n  )\n  /**\n   * x\n",
    ),
    "context that lost its signs beside a removed line that did not": (
        "  /**\n  * Makes it.\n  */\n  f()\n",
        "@@\n  /**\n-  * Makes it.\n+   * Makes it.\n  */\n+ g()\n  f()\n",
        "  /**\n   * Makes it.\n  */\n g()\n  f()\n",
    ),
    "blank lines at the end of the file": (
        "a\n\n\n\n",
        "@@\n \n \n+b\n*** End of File\n",
        "a\n\n\n\nb\n",
    ),
    "a listing with a blank behind its numbers": (
        "use a;\nuse b;\nfn x() {}\n",
        "@@\n-1: use a;\n-2: use b;\n+use per::{\n+    A,\n+};\n",
        "use per::{\n    A,\n};\nfn x() {}\n",
    ),
    "a listing without one": (
        "  a {\n  }\n",
        "@@\n 1:  a {\n-2:  }\n+2:  };\n",
        "  a {\n  };\n",
    ),
    "a dedented append that was made before": (
        "class A:\n    def a(self): ...\n    def b(self): ...\n    def h(self): ...\n",
        "@@\n def a(self): ...\n def b(self): ...\n+def h(self): ...\n",
        "P205",
    ),
    "an insertion made before that begins like the line below it": (
        "## 24\n\n### 24.1\n\n- Fix\n\n### 24.0\n\nold\n",
        "@@\n ## 24\n+\n+### 24.1\n+\n+- Fix\n+\n+### 24.0\n \n",
        "P205",
    ),
    "an insertion made before that ends like the line above it": (
        "a\n\nnew\n\n#[cfg(test)]\n",
        "@@\n \n+new\n+\n #[cfg(test)]\n",
        "P205",
    ),
    "a change made before whose old lines stand, further in, in its result": (
        "    on(function(){\n        if (a) {\n            b();\n        }\n    });\n",
        "@@\n-    if (a) {\n-        b();\n-    }\n"
        "+    on(function(){\n+        if (a) {\n+            b();\n+        }\n+    });\n",
        "P205",
    ),
    "one of two blank lines removed before": (
        "- list\n\n## Role\ntext\n",
        "@@\n - list\n-\n \n ## Role\n text\n",
        "P201",
    ),
    "blank lines around an insertion, of which the file has one": (
        "For\n## 25\n\nNew:\n- a\n",
        "@@\n For\n ## 25\n \n+### 25.1\n \n New:\n",
        "P201",
    ),
    "a place of braces and rules alone": (
        "int a() {\n}\n}  // ns\n\n\n// ====\nint c() {\n}\n\n// ====\n",
        "@@\n }\n+new();\n \n \n // ====\n",
        "P201",
    ),
    "the same body in another definition": (
        "def bar(x):\n    y = x\n    return y\n",
        "@@\n def foo(x):\n-    y = x\n+    y = x + 1\n     return y\n",
        "P201",
    ),
    "a definition whose name has a slip": (
        "def compute(x):\n    y = x\n    return y\n",
        "@@\n def comput(x):\n-    y = x\n+    y = x + 1\n     return y\n",
        "def compute(x):\n    y = x + 1\n    return y\n",
    ),
    "one kept line of several with another margin": (
        "def f():\n    a = 1\n    if a:\n        b = 2\n        c = 3\n    # d\n    e = 5\n",
        "@@\n def f():\n+    new = 0\n     a = 1\n     if a:\n         b = 2\n         c = 3\n"
        "         # d\n     e = 5\n",
        "def f():\n    new = 0\n    a = 1\n    if a:\n        b = 2\n        c = 3\n    # d\n    e = 5\n",
    ),
    "a line beside the change that has other quotes": (
        "def f():\n    x = 1\n    log('begin', x)\n    y = 2\n    z = 3\n",
        '@@\n def f():\n     x = 1\n     log("begin", x)\n-    y = 2\n+    y = 4\n     z = 3\n',
        "def f():\n    x = 1\n    log('begin', x)\n    y = 4\n    z = 3\n",
    ),
    "a removal made before, with a twin that still has the line": (
        "post\n    add\n    tab\n    args(\n        ds,\n\n"
        "put\n    edit\n    tab\n    args(\n        actor,\n        ds,\n",
        "@@\n     add\n     tab\n     args(\n-        actor,\n         ds,\n",
        "P201",
    ),
    "an insertion whose only neighbour is another line": (
        "import os, re\nimport tarfile\nfrom a import b, c\nfrom d import e\n",
        "@@\n+import json\n import os, re\n-from a import b, c\n+from a import b\n from d import e\n",
        "P201",
    ),
    "a line number that speaks for another place than the order": (
        "x\nmid\nx\n",
        "@@ -3,1 +3,1 @@\n-x\n+y\n@@ -2,1 +2,1 @@\n-mid\n+MID\n",
        "P202",
    ),
    "a line number that speaks for a place which fits less well": (
        "  x\nmid\nx\n",
        "@@ -1,1 +1,1 @@\n-x\n+y\n",
        "  x\nmid\ny\n",
    ),
    "two equal places, and a header that points at neither with the number that stands for none": (
        "top\na\nx\nb\nc\nd\ne\nf\ng\nx\n",
        "@@ -1,1 +1,1 @@\n-x\n+y\n",
        "P202",
    ),
    "two equal places, and a header with wrong counts that is further off than the hunk is long": (
        "top\n" * 9 + "x\n" + "mid\n" * 20 + "x\n",
        "@@ -5,4 +5,4 @@\n-x\n+y\n",
        "P202",
    ),
    "two equal places, and a header with wrong counts that is next to one of them": (
        "top\n" * 9 + "x\n" + "mid\n" * 20 + "x\n",
        "@@ -9,4 +9,4 @@\n-x\n+y\n",
        "top\n" * 9 + "y\n" + "mid\n" * 20 + "x\n",
    ),
    "two equal places, and numbers that are all off by the same": (
        "top\na\nx\n" + "mid\n" * 4 + "x\nb\nend\n",
        "@@ -5,1 +5,1 @@\n-a\n+A\n@@ -6,1 +6,1 @@\n-x\n+y\n@@ -12,1 +12,1 @@\n-b\n+B\n",
        "top\nA\ny\n" + "mid\n" * 4 + "x\nB\nend\n",
    ),
    "two equal places, a number at one of them, and others that are all off by the way to the other": (
        "top\na\nx\n" + "mid\n" * 4 + "x\n" + "mid\n" * 4 + "b\nend\n",
        "@@ -7,1 +7,1 @@\n-a\n+A\n@@ -8,1 +8,1 @@\n-x\n+y\n@@ -18,1 +18,1 @@\n-b\n+B\n",
        "P202",
    ),
    "the two lines above an insertion are in another order": (
        "first_call()\nsecond_call()\nif third:\n    fourth()\nfifth()\n",
        "@@\n first_call()\n second_call()\n     fourth()\n if third:\n+else:\n+    other()\n",
        "P201",
    ),
    "a space is behind the signs of all changed lines": (
        "class A:\n    def f(self):\n        one()\n    x = 1\n",
        "@@\n     def f(self):\n-         one()\n+         two()\n     x = 1\n",
        "class A:\n    def f(self):\n        two()\n    x = 1\n",
    ),
    "a space is behind a plus alone": (
        "1. one\n- two\n  - three\n",
        "@@\n 1. one\n+   - four\n",
        "1. one\n   - four\n- two\n  - three\n",
    ),
    "a space is behind the signs of all changed lines, and tabs follow": (
        "f() {\n\tone();\n\ttwo();\n}\n",
        "@@\n f() {\n- \tone();\n+ \tthree();\n+ \tfour();\n \ttwo();\n",
        "f() {\n\tthree();\n\tfour();\n\ttwo();\n}\n",
    ),
    "a margin of one in a file without any is meant": (
        "Name: a\nText: b\n",
        "@@\n Text: b\n+ and more\n",
        "Name: a\nText: b\n and more\n",
    ),
    "an odd margin that the file has is meant": (
        "def f(a,\n      b):\n    if a:\n     pass\n    c()\n",
        "@@\n     c()\n+     d()\n",
        "def f(a,\n      b):\n    if a:\n     pass\n    c()\n     d()\n",
    ),
    "the removed line alone has another margin, and the added one has that of the file": (
        "def f():\n    if a:\n        one()\n",
        "@@\n-            one()\n+        two()\n",
        "def f():\n    if a:\n        two()\n",
    ),
    "the removed line lost its margin, and the added ones have that of the file": (
        "def f():\n    if a:\n        one()\n",
        "@@\n-one()\n+        if b:\n+            two()\n",
        "def f():\n    if a:\n        if b:\n            two()\n",
    ),
    "a margin that is a level of no width": (
        "Intro\n    so it\n    the rest\n",
        "@@\n         so it\n         the rest\n+        .. note::\n+           This.\n",
        "Intro\n    so it\n    the rest\n    .. note::\n       This.\n",
    ),
}


@pytest.mark.parametrize(("before", "body", "meant"), CASES.values(), ids=list(CASES))
def test_a_slip_comes_to_what_a_careful_reader_makes_of_it(before, body, meant):
    assert outcome(before, body) == meant
