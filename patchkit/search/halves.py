"""A long walk shared by two processes.

Takes a Walk and what to do in each directory; gives everything that was found, in no certain order. Where there is no
second process to be had, this one walks alone and finds the same.
"""

from __future__ import annotations

from patchkit.search.aside import begun, may_fork
from patchkit.search.walk import Folder, Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Found = list[tuple[object, ...]]  # plain values, which `marshal` carries from process to process
    Take = Callable[[Folder], Found]

_ENOUGH = 64  # directories to come: so many can be dealt out evenly, and are worth a fork


def gather(walk: Walk, take: Take, shared: bool = True) -> Found:
    """Everything `take` finds in the directories of a walk, which is `shared` where it can be."""
    try:
        found: Found = []
        shared = shared and may_fork()
        for folder in walk:
            found += take(folder)
            if shared and walk.to_come >= _ENOUGH:
                return found + _in_two(walk, take)
        return found
    finally:
        walk.close()


def _in_two(walk: Walk, take: Take) -> Found:
    """Walks one half here and the other in a fork; alone where there is none to be had."""
    other = begun(lambda: _other_half(walk, take))
    if other is None:
        return _walked(walk, take)
    left = walk.leave_half()
    try:
        found = _walked(walk, take)
    except BaseException:
        other.stop()
        raise
    told: tuple[Found, tuple[object, ...]] = other.value() or ([], (0, "killed", [], left))  # type: ignore[assignment]
    walk.add(told[1])
    return found + told[0]


def _other_half(walk: Walk, take: Take) -> tuple[Found, tuple[object, ...]]:
    walk.take_half()
    return _walked(walk, take), walk.account()


def _walked(walk: Walk, take: Take) -> Found:
    found: Found = []
    for folder in walk:
        found += take(folder)
    found.sort()  # here and there at the same time: whoever sorts all of it afterwards has only to merge
    return found
