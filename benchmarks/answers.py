"""Does the answer to a refused patch help? Measured on patches whose author's next try is known.

    python -m benchmarks.answers CASES.jsonl[.gz]

A case is one line of JSON: `text`, the patch that was refused then; `before`, the files as they were; `retry`, the
files after the next try. The project has none: such data belong to those who wrote them. An answer
**helps** if the patch is applied, or its correction is, where the next try made its changes, or if the lines that it
says to read hold a place where the next try changed something. It **harms** if it points elsewhere only, or if what is
applied or offered leaves out a place that the next try changes. The next try may do something else altogether, so each
harm has to be read.
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
    counted = [(case, kind) for case, kind in found if kind != "there already"]
    print(f"{len(counted)} cases; {len(found) - len(counted)} more have the change already")
    for kind in dict.fromkeys(sorted(kind for _, kind in counted)):
        share = 100 * sum(each == kind for _, each in counted) / len(counted)
        print(f"{share:5.1f} %  {kind}")
    for case, kind in counted if asked.list else ():
        if kind.startswith("harms"):
            print(case["id"], kind)


def kind_of(case):
    """Whether the answer to a case helps, and by what."""
    before, wanted = encoded(case["before"]), changed(encoded(case["before"]), encoded(case["retry"]))
    tree = dict(before)
    try:
        patchkit.apply(case["text"].encode("utf-8", "surrogatepass"), tree, suggest=True)
    except patchkit.PatchkitError as error:
        if {each.code for each in error.errors} == {"P205"}:
            return "there already"
        if error.suggestion is None:
            read = [place for each in error.errors for place in places_of(each)]
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
    """Whether a tree changes something at every place where the next try does."""
    ours = changed(before, tree)
    return all(any(path == p and first <= b and a <= last for p, a, b in ours) for path, first, last in wanted)


if __name__ == "__main__":
    main()
