"""Does the answer to a refused patch help? Measured on patches whose author's next try is known.

    python -m benchmarks.answers CASES.jsonl[.gz]

A case is one line of JSON: `text`, the patch that was refused then; `before`, the files as they were; `retry_text` and
`retry`, the next try and the files after it. The project has none: such data belong to those who wrote them.

An answer **helps** if what is applied, or offered as a correction, changes the places that the next try changes: all of
them, or no others where the next try does more; or if the lines that it says to read hold such a place. It **harms** if
it points elsewhere only, or changes other places. A fault of the text itself (P1xx) points at no place, nor does the
word that nothing of a hunk is in the file. A next try that has no changed line in common with the patch says nothing
about it, and is not counted. Each harm has to be read: the next try may still mean something else.
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


APART = ("there already", "with a next try for something else")


def kind_of(case):
    """Whether the answer to a case helps, and by what."""
    before, wanted = encoded(case["before"]), changed(encoded(case["before"]), encoded(case["retry"]))
    if not wanted or not said_by(case["text"]) & said_by(case["retry_text"]):
        return APART[1]
    tree = dict(before)
    try:
        patchkit.apply(case["text"].encode("utf-8", "surrogatepass"), tree, suggest=True)
    except patchkit.PatchkitError as error:
        if {each.code for each in error.errors} == {"P205"}:
            return APART[0]
        if error.suggestion is None and all(each.code < "P2" for each in error.errors):
            return "neither: names a fault of the text"
        if error.suggestion is None:
            read = [place for each in error.errors for place in places_of(each)]
            if not read:
                return "neither: says that nothing of it is there"
            hits = any(
                path == other and a <= last and first <= b for path, first, last in read for other, a, b in wanted
            )
            return "helps: says what to read" if hits else "harms: points elsewhere"
        patchkit.apply(error.suggestion, tree)
        return f"helps: corrected ({error.certainty})" if covers(tree, before, wanted) else "harms: corrected otherwise"
    return "helps: applied" if covers(tree, before, wanted) else "harms: applied otherwise"


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
    return [(path, 0, 1 << 30)]  # it says to read the file


def encoded(tree):
    return {name: text.encode("utf-8", "surrogatepass") for name, text in tree.items() if text is not None}


def changed(before, tree):
    """Runs of old lines that a tree changes, as (path, first, last); an insertion touches both neighbours."""
    runs = []
    for path in sorted({*before, *tree}):
        old, new = (each.get(path, b"").splitlines() for each in (before, tree))
        codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if old != new else ()
        runs += [(path, a - 1, b) for tag, a, b, _, _ in codes if tag != "equal"]
    return runs


def covers(tree, before, wanted):
    """Whether a tree changes something at every place where the next try does, or only at such places."""
    ours = changed(before, tree)
    return any(
        all(any(path == p and first <= b and a <= last for p, a, b in others) for path, first, last in some)
        for some, others in ((wanted, ours), (ours, wanted))
    )


def said_by(text):
    """The lines with words that a patch adds or removes."""
    return {line[1:].strip() for line in text.split("\n") if line[:1] in ("+", "-") and any(map(str.isalnum, line))}


if __name__ == "__main__":
    main()
