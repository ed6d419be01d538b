"""Heads of definitions over several lines: found by their brackets, in languages without a keyword for functions."""

from __future__ import annotations

import random

import pytest
from definition_ends import ends

from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.core.matching.scopes.heads import LOST, MOST_LINES, Braces, end_of_head

HEADS = {
    "c": "static int\nadd(int a,\n    int b)\n{",
    "brace below": "int add(int a, int b)\n{",
    "java": "    public Map<String, URI> read(String name,\n            int size)\n            throws IOException {",
    "blank line above throws": "    void open(String name,\n            int size)\n\n        throws IOException\n    {",
    "generic method": "    <T extends Item> T find(long id)\n    {",
    "type on its own line": "    public static <T>\n            List<T> sorted(List<T> all)\n    {",
    "constructor of c++": "Job::Job(int id,\n         Queue* queue) noexcept\n    : id_(id),\n      queue_(queue)\n{",
    "members below a colon": "    Job(int id) :\n        id_(id)\n    {",
    "operator": "Job& Job::operator=(\n        const Job& other)\n{",
    "linkage": 'extern "C" void run(\n        int signal)\n{',
    "typescript": "  constructor(\n    private readonly a: A,\n    options: Options = {},\n  ) {",
    "members behind the parameters": "Job::Job(int id) : Base(id),\n    id_(id)\n{",
    "several exceptions": "    void run()\n        throws IOException,\n        JobException {",
    "braces in a type": "  all<T extends { [key: string]: boolean }>(\n    a: T,\n  ): T {",
    "type over several lines": "  size(\n    a: A):\n    | {",
    "parts of an object": "  constructor({\n    a,\n  }: {\n    a?: A\n  }) {",
    "types over several lines": "  async #all<\n    A,\n    B = C,\n  >(\n    a: A,\n  ): Promise<B> {",
    "types of parameters in old c": "add(a, b)\n    int a;\n    char *b[];\n{",
    "class above the method": "void Job::\n    run(int a) {",
    "attribute of c++": "[[noreturn]] static void run(int a,\n    int b) {",
    "body that is an expression": "    static Job Make(int a,\n        int b) =>",
    "types of the result": "  load(\n    a: A,\n  ):\n    | Promise<A>\n    | undefined {",
    "result over several lines": "  load(\n    a: A,\n  ): Promise<\n    A,\n    B\n  > {",
    "typed method": "  async load<T>(\n    name: string,\n  ): Promise<T> {",
}
OTHERS = {
    "call": "    add(a,\n        b);",
    "call without a semicolon": "    add(a,\n        b)\n    if (c) {",
    "call with a function": "    each(list,\n        function (item) {",
    "declaration": "int add(int a,\n        int b);",
    "assignment": "    total = add(a,\n        b) + {",
    "control": "    if (a &&\n        b) {",
    "anonymous class": "    new Job(a,\n        b) {",
    "method of an object": "    list.each(a,\n        b) {",
    "attribute": "#[job(name = 1)]\nfn run(a: A) {",
    "decorator": "@job(\n    1)\ndef run(): {",
    "statements in braces": "    add(a)\n    int b;\n    go();\n    {",
    "member without a semicolon": "  static a = 1\n  add(b) {",
    "typed member without a semicolon": "  private a: A\n  add(b) {",
    "prose": "A word (and more\nof it)\n\n{",
}


@pytest.mark.parametrize("text", HEADS.values(), ids=HEADS)
def test_a_head_ends_with_its_brace(text):
    lines = text.split("\n")

    assert end_of_head([*lines, "body", "}"], 0) == len(lines)


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_calls_and_statements_are_no_heads(text):
    assert end_of_head([*text.split("\n"), "body", "}"], 0) is None


def test_a_scope_ends_where_the_next_head_over_several_lines_begins():
    texts = [
        "class Shop {",
        "    void open(int a,",
        "            int b) {",
        "        go();",
        "    }",
        "    void close(int a,",
        "            int b)",
        "    {",
        "        go();",
        "    }",
        "}",
    ]
    anchors = Anchors(texts)

    assert [(each.line, each.end) for each in anchors.scopes(["void open(int a,"])] == [(1, 5)]
    assert [(each.line, each.end) for each in anchors.scopes(["void close"])] == [(5, 11)]
    assert anchors.enclosing(3).line == 1  # not the second line of the head


def test_a_definition_may_be_on_one_line():
    texts = ["typedef struct {", "} Job;", "typedef struct { int a; } Other;", "typedef int (*run)(void);"]

    assert ends(texts) == {0: 2, 2: 4}


def test_a_statement_of_python_closes_the_definition_above_it():
    nested = ["    def run():", "        go()"]
    texts = ["def run():", "    go()", "if windows:", *nested, "else:", *nested]

    assert ends(texts) == {0: 3, 3: 6, 6: 8}
    assert ends(["int run()", "{", '    go("', "try:", '    ");', "    use([] {", "    });", "}"]) == {0: 8, 5: 8}


def test_an_operator_may_be_below_its_type():
    assert ends(["void", "operator delete(void *a) noexcept {", "}", "int", "f(void) {", "}"]) == {
        0: 3,
        1: 3,
        3: 6,
        4: 6,
    }


def test_parameters_over_several_lines_do_not_end_a_function():
    texts = [
        "function pour({",
        "  a,",
        "}: Cup = {}): Tea<",
        "  A",
        "> {",
        "  const b = () => {",
        "  }",
        "}",
        "function f() {",
    ]

    assert ends(texts) == {0: 8, 5: 8, 8: 9}


def test_braces_in_strings_do_not_close_a_namespace():
    texts = [
        "namespace job {",
        "",
        'const char* end = "}";  // }',
        "int run(char c) {",
        "    c = '}';",
        "}",
        "}",
        "int f() {",
        "}",
    ]

    assert ends(texts) == {0: 7, 3: 7, 7: 9}


def test_the_language_of_a_linkage_is_no_name():
    assert ends(["int f() {", "}", 'extern "C" int run(int a) {', "}"]) == {0: 2, 2: 4}


@pytest.mark.parametrize(
    "type_line", ["PyObject *", "static struct item *", "bool", "std::map<int, Item>", "Job::State"]
)
def test_a_type_above_the_name_and_the_name_itself_have_the_same_scope(type_line):
    texts = [type_line, "Job::first(int a) {", "    go();", "}", "", type_line, "second(void)", "{", "    go();", "}"]
    anchors = Anchors(texts)

    assert [(each.line, each.end) for each in anchors.scopes([type_line])] == [(0, 5), (5, 10)]
    assert [(each.line, each.end) for each in anchors.scopes(["Job::first(int a) {"])] == [(1, 5)]
    assert [(each.line, each.end) for each in anchors.scopes(["second(void)"])] == [(6, 10)]
    assert next(each.lines for each in anchors.around(8)) == [5, 6]


@pytest.mark.parametrize("line", ["end", "return x", "a word.", "else", "go();", "  deeper", "x = y"])
def test_other_lines_above_a_block_are_no_types(line):
    assert Anchors([line, "run(x) {", "    go();", "}"]).definition_at(0) is None


def test_a_namespace_holds_what_is_not_indented_in_it():
    texts = ["namespace shop {", "", "void open() {", "}", "", "void close() {", "}", "", "}", "void other() {", "}"]

    assert [(each.line, each.end) for each in Anchors(texts).scopes(["namespace shop {"])] == [(0, 9)]


RUBY = """\
class Shop
  def open
    count do
      ring
    end
  end

  private
    def count
      1
    end

    ended = true
end
""".splitlines()


def test_the_word_end_closes_what_it_is_below():
    scopes = {line: Anchors(RUBY).definition_at(line).end for line in (0, 1, 8)}

    assert scopes == {0: 14, 1: 8, 8: 14}


def test_the_word_end_closes_nothing_above_a_line_that_is_not_deeper():
    texts = ["class Shop", "def open", "end", "  def close", "  end", "end"]

    assert [Anchors(texts).definition_at(line).end for line in (0, 1, 3)] == [1, 3, 6]


def test_a_local_function_is_a_definition():
    texts = ["local function open(x)", "  return x", "end", "  local function close()", "  end", "local t = 1"]

    assert [(each.line, each.end) for each in Anchors(texts).scopes(["local function open(x)"])] == [(0, 3)]


def test_a_definition_that_is_found_alone_is_the_one_that_is_found_with_all_others():
    typed = "PyObject *\nrun(void) {"
    texts = [
        line
        for text in (typed, *HEADS.values(), *OTHERS.values())
        for line in [*text.split("\n"), "    body();", "}", ""]
    ]
    together = Anchors(texts)
    together.enclosing(0)  # finds all definitions

    for line in range(len(texts)):
        assert Anchors(texts).definition_at(line) == together.definition_at(line), (line, texts[line])


def test_a_type_or_a_sign_may_follow_modifiers():
    texts = [
        "class Shop {",
        "    public static <T> T first(List<T> all) {",
        "    }",
        "    public @interface Slow {",
        "    }",
        "    async *pages() {",
        "    }",
        "}",
    ]

    assert ends(texts) == {0: 8, 1: 3, 3: 5, 5: 8}


def test_a_brace_closes_a_definition_before_deeper_ones():
    texts = [
        "function f() {",
        "    function g({",
        "        a,",
        "    }) {",
        "        function inner() {",
        "        }",
        "    }",
        "    g.name = 1;",
        "    return wrapped(",
        "        {",
        "            read() {",
        "            },",
        "        },",
        "    );",
        "}",
    ]

    assert ends(texts) == {0: 15, 1: 10, 4: 10, 10: 15}


def test_a_brace_on_its_own_line_opens_the_block_that_another_closes():
    texts = [
        "class Shop",
        "{",
        "    void open()",
        "    {",
        "    }",
        "}",
        "static Shop shop =",
        "    new Shop() {",
        "        void open() {",
        "        }",
        "    };",
    ]

    assert ends(texts) == {0: 7, 2: 7, 7: 11, 8: 11}


def test_words_above_a_head_are_followed_a_few_lines_only():
    assert end_of_head(["static"] * 4 + ["int f(int a) {"], 0) == 5
    assert end_of_head(["static"] * 5_000 + ["int f(int a) {"], 0) is None


def test_brackets_that_stay_open_are_followed_for_some_heads_of_a_file_only(monkeypatch):
    lines = ["int f(int a,"] * (MOST_LINES + 5_000)
    followed = []

    def counted(texts, line, any_name):
        followed.append(line)
        return end_of_head(texts, line, any_name)

    monkeypatch.setattr("patchkit.core.matching.scopes.anchors.end_of_head", counted)
    assert end_of_head(lines, 0) == LOST
    assert Anchors(lines).enclosing(9) is None
    assert len(followed) == 400 + len(lines) // 20


@pytest.mark.parametrize("seed", range(20))
def test_a_brace_is_closed_where_as_many_are_open_as_before_it(seed):
    chance = random.Random(seed)
    texts = [chance.choice(["{", "}", "x", "} {", "{{", "}}", '"{"', "namespace a {"]) for _ in range(40)]
    braces = Braces(texts)

    def closed(line):
        counts = [text.replace('"{"', "").count("{") - text.count("}") for text in texts]
        found = [at for at in range(line + 2, len(texts)) if sum(counts[line : at + 1]) <= 0]
        return found[0] if found else line

    assert [braces.end(line) for line in range(len(texts))] == [closed(line) for line in range(len(texts))]


def test_a_long_line_of_escaped_quotes_that_no_quote_closes_is_read_once():
    """Each of them could open a string; reading on from each would take an hour."""
    assert Braces(["namespace a {", '{"' + '\\"' * 200_000, "}", "}", "x"]).end(0) == 3
