"""Compile grammar/apply_patch.lark into the tables of patchkit/core/language/_grammar.py.

    python grammar/compile.py [--check]

Every terminal of the grammar is one line, so its rules describe a regular language over line kinds.
They are read by lark's own loader, turned into a state machine (Thompson's construction, then the
subset construction) and written down as plain tuples and dictionaries; the parser knows no other
rules. A second module holds the grammar's text, for runtimes that hand it to a model.
With --check nothing is written: the status is 1 when the generated files are not what they should be.
"""

import ast
import sys
from pathlib import Path

from lark import Token
from lark.grammar import NonTerminal, Terminal
from lark.load_grammar import load_grammar

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "apply_patch.lark"
LANGUAGE = HERE.parent / "patchkit" / "core" / "language"
RUNTIMES = HERE.parent / "patchkit" / "runtimes"

BLANK_TEXT = r"/[^\n]*/"
SOLID_TEXT = r"/[ \t]*[^ \t\r\n][^\n]*/"
OPTIONAL_END = r"/\n?/"


class Machine:
    """A nondeterministic machine under construction: edges by kind, and edges for nothing."""

    def __init__(self, rules):
        self.rules = rules
        self.edges = []
        self.free = []

    def state(self):
        self.edges.append({})
        self.free.append(set())
        return len(self.edges) - 1

    def build(self, node, begin):
        """Adds what `node` accepts from `begin`; returns the state it ends in."""
        if isinstance(node, Terminal):
            end = self.state()
            self.edges[begin].setdefault(node.name, set()).add(end)
            return end
        if isinstance(node, NonTerminal):
            return self.build(self.rules[node.name], begin)
        if node.data == "expansions":
            end = self.state()
            for choice in node.children:
                self.free[self.build(choice, begin)].add(end)
            return end
        if node.data == "expr":
            return self.repeat(node.children[0], str(node.children[1]), begin)
        for child in node.children:  # expansion, value: one after the other
            begin = self.build(child, begin)
        return begin

    def repeat(self, node, operator, begin):
        enter = self.state()
        self.free[begin].add(enter)
        leave = self.build(node, enter)
        end = self.state()
        self.free[leave].add(end)
        if operator in "?*":
            self.free[enter].add(end)
        if operator in "*+":
            self.free[leave].add(enter)
        return end

    def closure(self, states):
        found, todo = set(states), list(states)
        while todo:
            for follower in self.free[todo.pop()] - found:
                found.add(follower)
                todo.append(follower)
        return frozenset(found)

    def determine(self, begin, end):
        """Returns the deterministic table from `begin`, and the set of states that accept."""
        start = self.closure({begin})
        numbers, table, todo = {start: 0}, [], [start]
        for group in todo:  # grows while it runs
            row = {}
            for kind in dict.fromkeys(k for s in sorted(group) for k in self.edges[s]):
                target = self.closure({t for s in group for t in self.edges[s].get(kind, ())})
                if target not in numbers:
                    numbers[target] = len(todo)
                    todo.append(target)
                row[kind] = numbers[target]
            table.append(row)
        return table, sorted(number for group, number in numbers.items() if end in group)


def merge_equal_states(table, accepting):
    """Returns the smallest table that accepts the same: states are split only where they differ."""
    part = [int(s in accepting) for s in range(len(table))]
    while True:
        signs = [(part[s], tuple(sorted((k, part[t]) for k, t in table[s].items()))) for s in range(len(table))]
        order = {sign: n for n, sign in enumerate(dict.fromkeys(signs))}
        finer = [order[sign] for sign in signs]
        if finer == part:
            break
        part = finer
    rows = {}
    for state, row in enumerate(table):
        rows.setdefault(part[state], {kind: part[target] for kind, target in row.items()})
    return [rows[n] for n in range(len(rows))], sorted({part[s] for s in accepting})


def line_kinds(grammar):
    """Returns (name, opening words, text) of each terminal; text is 'none', 'any' or 'solid'."""
    for name, (tree, _priority) in grammar.term_defs:
        parts = [str(token) for token in tree.scan_values(lambda value: isinstance(value, Token))]
        opening = ast.literal_eval(parts[0])
        if parts[1:] in ([], [OPTIONAL_END]):
            yield name, opening.rstrip("\n"), "none"
        elif parts[1:] == [BLANK_TEXT, r'"\n"']:
            yield name, opening, "any"
        elif parts[1:] == [SOLID_TEXT, r'"\n"']:
            yield name, opening, "solid"
        else:
            raise SystemExit(f"{SOURCE.name}: {name} is not a line this compiler knows")


# A rule that is left out for a model is on one line.
SELECTING = """
# What the grammar for a model leaves out; its start rule is `model`.
_LEFT_OUT = {}
_LINES = [line for line in SOURCE.splitlines() if line and not line.startswith("//")]
FOR_MODEL = "".join(f"{{line}}\\n" for line in _LINES if line.partition(":")[0] not in _LEFT_OUT)
FOR_MODEL = FOR_MODEL.replace("model:", "start:", 1)
"""


def needed_for_model(grammar):
    """Returns the names of the rules and terminals that `model` uses."""
    uses = {}
    for name, _params, tree, _options in grammar.rule_defs:
        uses[str(name)] = {str(s.name) for s in tree.scan_values(lambda v: isinstance(v, (Terminal, NonTerminal)))}
    needed, todo = set(), ["model"]
    while todo:
        name = todo.pop()
        if name not in needed:
            needed.add(name)
            todo.extend(uses.get(name, ()))
    return needed


def named(line):
    """The name of the rule or terminal that begins on a line; '' where none does."""
    return line.split(":")[0] if line[:1].isalpha() else ""


def generate():
    text = SOURCE.read_text(encoding="utf-8")
    grammar, _ = load_grammar(text, SOURCE.name, [], False)
    machine = Machine({str(name): tree for name, _params, tree, _options in grammar.rule_defs})
    begin = machine.state()
    end = machine.build(NonTerminal("start"), begin)
    table, accepting = merge_equal_states(*machine.determine(begin, end))
    rows = ",\n".join("    " + render(row) for row in table)
    kinds = ",\n".join(f"    ({name!r}, {opening!r}, {wants!r})" for name, opening, wants in line_kinds(grammar))
    header = f'"""Generated from grammar/{SOURCE.name} by grammar/compile.py; change the grammar, not this file."""\n'
    tables = (
        f"{header}\n"
        "# The kinds of line: name, the words that open it, and whether text follows them\n"
        "# ('none', 'any', or 'solid': at least one character that is not blank).\n"
        f"KINDS = (\n{kinds},\n)\n\n"
        "# One row a state: the kinds of line that may come next, and the state each leads to.\n"
        f"STATES: tuple[dict[str, int], ...] = (\n{rows},\n)\n\n"
        f"ACCEPTING = {tuple(accepting)!r}\n"
    )
    left_out = [name for name in map(named, text.splitlines()) if name and name not in needed_for_model(grammar)]
    selecting = SELECTING.format(str(tuple(left_out)).replace("'", '"'))
    texts = f"{header}\nSOURCE = {quoted(text)}\n{selecting}"
    return {LANGUAGE / "_grammar.py": tables, RUNTIMES / "_grammar_text.py": texts}


def render(row):
    return "{" + ", ".join(f'"{kind}": {target}' for kind, target in row.items()) + "}"


def quoted(text):
    return 'r"""' + text + '"""'


def main():
    stale = []
    for path, wanted in generate().items():
        wanted = wanted.replace("'", '"') if path.name == "_grammar.py" else wanted
        if not path.exists() or path.read_text(encoding="utf-8") != wanted:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(wanted, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"not fresh: {', '.join(stale)}; run 'python grammar/compile.py'")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
