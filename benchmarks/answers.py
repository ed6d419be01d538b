"""Does the answer to a refused patch help? Measured on patches whose author's next try is known.

    python -m benchmarks.answers CASES.jsonl[.gz]

A case is one line of JSON: `text`, the patch that was refused then; `before`, the files as they were; `retry_text` and
`retry`, the next try and the files after it. The project has none: such data belong to those who wrote them.

The places that were meant are those that the next try changes and at which it removes or adds a line that the patch
removes or adds, too: a next try often does something more, which no answer to the patch can know. Where the answer only
says what to read, the lines of the hunks that it refuses count. A case without such a place says nothing about the
answer, and is not counted; nor is one whose files have most of what the patch adds already.

An answer **helps** if what is applied, or offered as a correction, changes all of these places, or if the lines that it
says to read hold one. It **harms** if it points elsewhere only, or if what it applies or offers leaves one of them out.
A fault of the text itself (P1xx) points at no place, nor does the word that nothing of a hunk is in the file. Each harm
has to be read: the next try may still mean something else.
"""

import argparse
import difflib
import gzip
import json

import patchkit


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases")
    parser.add_argument("--list", action="store_true", help="print the ids of the cases whose answer harms")
    asked = parser.parse_args()
    opened = gzip.open if asked.cases.endswith(".gz") else open
    with opened(asked.cases, "rt", encoding="utf-8", errors="surrogatepass") as lines:
        cases = [json.loads(line) for line in lines]
    cases = [case for case in cases if case.get("before") is not None and case.get("retry") is not None]
    found = [(case, kind_of(case)) for case in cases]
    counted = [(case, kind) for case, kind in found if kind not in APART]
    apart = ", ".join(f"{sum(each == kind for _, each in found)} {kind}" for kind in APART)
    print(f"{len(counted)} cases; apart: {apart}")
    for kind in dict.fromkeys(sorted(kind for _, kind in counted)):
        share = 100 * sum(each == kind for _, each in counted) / len(counted)
        print(f"{share:5.1f} %  {kind}")
    for case, kind in counted if asked.list else ():
        if kind.startswith("harms"):
            print(case["id"], kind)


WHOLE = 1 << 30  # a line that no file has
FEW = 2  # lines that a file may have by chance
APART = ("there already", "with a next try for something else")


def kind_of(case):
    """Whether the answer to a case helps, and by what."""
    before = encoded(case["before"])
    wanted = meant(case, before, said_by(case["text"]))
    if not wanted:
        return APART[1]
    if has_most(before, case["text"]):
        return APART[0]
    tree = dict(before)
    try:
        patchkit.apply(case["text"].encode("utf-8", "surrogatepass"), tree, suggest=True)
    except patchkit.PatchkitError as error:
        if {each.code for each in error.errors} == {"P205"}:
            return APART[0]
        if error.suggestion is None and all(each.code < "P2" for each in error.errors):
            return "neither: names a fault of the text"
        if error.suggestion is None:
            said = set().union(*[said_by(hunk_at(case["text"], each.patch_line)) for each in error.errors])
            wanted = meant(case, before, said)
            if not wanted:
                return APART[1]
            read = [place for each in error.errors for place in places_of(each)]
            if not read:
                return "neither: says that nothing of it is there"
            hits = any(
                path == other and a <= last and first <= b for path, first, last in read for other, a, b in wanted
            )
            whole = any(last == WHOLE for _, _, last in read)
            return f"helps: says what to read{' (the file)' * whole}" if hits else "harms: points elsewhere"
        patchkit.apply(error.suggestion, tree)
        return f"helps: corrected ({error.certainty})" if covers(tree, before, wanted) else "harms: corrected otherwise"
    return "helps: applied" if covers(tree, before, wanted) else "harms: applied otherwise"


def meant(case, before, said):
    """The places that the next try changes by one of the lines that were said."""
    return [place for place, lines in changed(before, encoded(case["retry"])) if not said.isdisjoint(lines)]


def hunk_at(text, number):
    """The text from a line of a patch to the next hunk or section; all of it where the line is not known."""
    lines = text.split("\n")[max(0, (number or 1) - 1) :]
    ends = [at for at, line in enumerate(lines) if at and line.startswith(("@@", "***"))] if number else []
    return "\n".join(lines[: ends[0]] if ends else lines)


def places_of(error):
    """The lines that an answer says to read, as (path, first, last), from 0."""
    facts, path = error.facts, error.file
    if facts.get("elsewhere"):
        path, line = facts["elsewhere"]
        return [(path, line - 1, line + 30)]
    if facts.get("near") is not None:
        return [(path, facts["near"].line, facts["near"].line + facts["near"].total)]
    if facts.get("scattered"):
        return [(path, first - 1, last) for first, last in facts["scattered"]]
    if facts.get("unmade") or facts.get("absent"):
        return []
    if facts.get("candidates"):
        return [(path, line - 1, line + 12) for line in facts["candidates"]]
    return [(path, 0, WHOLE)]  # it says to read the file


def encoded(tree):
    return {name: text.encode("utf-8", "surrogatepass") for name, text in tree.items() if text is not None}


def changed(before, tree):
    """Runs of old lines that a tree changes, as (path, first, last), and the lines that are removed and added.

    An insertion touches both neighbours.
    """
    runs = []
    for path in sorted({*before, *tree}):
        old, new = (each.get(path, b"").splitlines() for each in (before, tree))
        codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if old != new else ()
        runs += [((path, a - 1, b), worded(old[a:b] + new[c:d])) for tag, a, b, c, d in codes if tag != "equal"]
    return runs


def covers(tree, before, wanted):
    """Whether a tree changes something at every place that was meant."""
    ours = [place for place, _ in changed(before, tree)]
    return all(any(path == p and first <= b and a <= last for p, a, b in ours) for path, first, last in wanted)


def has_most(before, text):
    """Whether files have most of what a patch adds, and does not remove elsewhere."""
    new = said_by(text, "+") - said_by(text, "-")
    there = new & {line.strip() for data in before.values() for line in data.splitlines()}
    return len(there) > FEW and 2 * len(there) > len(new)


def said_by(text, signs="+-"):
    """The lines with words that a patch adds or removes."""
    return worded(line[1:].encode("utf-8", "surrogatepass") for line in text.split("\n") if line[:1] in [*signs])


def worded(lines):
    return {line.strip() for line in lines if any(map(str.isalnum, line.decode("utf-8", "surrogateescape")))}


if __name__ == "__main__":
    main()
