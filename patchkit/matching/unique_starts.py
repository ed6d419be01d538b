"""How many lines it takes from each line of a file until they are found nowhere else in it.

Takes the texts of all lines; gives a number for each line, 0 where there is none. A hunk that shows so many lines from
there on, word for word, has one place by exact text. Choosing places is left to the other modules.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 40  # lines that a hunk has to show at most; a start that needs more is not worth offering


def lines_needed(texts: Sequence[str], most: int = MOST) -> list[int]:
    """For each line the number of lines from it on that are together only there; 0 where more than `most` are needed.

    Lines that look alike so far are one class; each step splits the classes by the line that follows, and those with
    a class of their own are done. Most lines are after one to three steps.
    """
    needed = [0] * len(texts)
    alike: dict[object, list[int]] = {}
    for start, text in enumerate(texts):
        alike.setdefault(text, []).append(start)
    for size in range(1, most + 1):
        further: dict[object, list[int]] = {}
        for number, starts in enumerate(alike.values()):
            if len(starts) == 1:
                needed[starts[0]] = size
                continue
            for start in starts:
                if start + size < len(texts):  # else the file ends with what is elsewhere as well
                    further.setdefault((number, texts[start + size]), []).append(start)
        alike = further
    return needed
