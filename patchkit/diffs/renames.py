"""Which deleted and added files are one file with another name.

Takes files by path; gives pairs of paths.
"""

from __future__ import annotations

from patchkit.core.text import is_binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_ALIKE = 0.6  # share of common lines that makes a deleted and an added file one that was renamed
_RARE = 8  # files that a line may be in and still say which file another was


def renames_between(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """The old names of files that a patch between two trees gives another name, by their new ones."""
    gone = {path: before[path] for path in sorted(before) if path not in after}
    new = {path: after[path] for path in sorted(after) if path not in before}
    return {new_path: old_path for old_path, new_path in renames_of(gone, new)}


def renames_of(gone: dict[str, bytes], new: dict[str, bytes]) -> list[tuple[str, str]]:
    """Pairs of a deleted and an added file that are the same, or nearly.

    Equal ones are found by their content. For the others each line that few of the added files have speaks for
    those, and only the few that most lines speak for are compared: pairing all with all would be quadratic.
    """
    by_content: dict[bytes, list[str]] = {}
    for path in sorted(new, reverse=True):
        by_content.setdefault(new[path], []).append(path)
    found: dict[str, str] = {}
    for path, data in gone.items():
        same = by_content.get(data) if data else None
        if same:
            leaf = path.rpartition("/")[2]
            best = next((each for each in same if each.rpartition("/")[2] == leaf), same[-1])
            if not best.startswith(path + "/"):
                same.remove(best)
                found[path] = best
    taken = set(found.values())
    lines = {path: set(data.split(b"\n")) for path, data in new.items() if path not in taken and not is_binary(data)}
    holders: dict[bytes, list[str]] = {}
    for path, texts in lines.items():
        for text in texts:
            holders.setdefault(text, []).append(path)
    for path, data in gone.items():
        if path not in found and data and not is_binary(data):
            best = _most_alike(path, set(data.split(b"\n")), lines, holders, taken)
            if best:
                taken.add(best)
                found[path] = best
    return [(path, found[path]) for path in gone if path in found]


def _most_alike(
    path: str, mine: set[bytes], lines: dict[str, set[bytes]], holders: dict[bytes, list[str]], taken: set[str]
) -> str:
    votes: dict[str, int] = {}
    for text in mine:
        there = holders.get(text, ())
        for other in there if len(there) <= _RARE else ():
            votes[other] = votes.get(other, 0) + 1
    best, most = "", _ALIKE
    for other in sorted(votes, key=lambda each: -votes[each])[:_RARE]:
        theirs = lines[other]
        alike = len(mine & theirs) / max(len(mine), len(theirs))
        if alike >= most and other not in taken and not other.startswith(path + "/"):
            best, most = other, alike
    return best
