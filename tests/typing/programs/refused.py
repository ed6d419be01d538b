"""Mistakes that both checkers report, each on its line."""

from __future__ import annotations

import patchkit

TEXT = "*** Begin Patch\n*** End Patch\n"

patchkit.apply(TEXT, ".", max_pas="exact")  # mistake: no such keyword
patchkit.apply(TEXT, ".", max_pass="exactly")  # mistake: no such pass
patchkit.plan(TEXT, ".", dialect="kodex")  # mistake: no such dialect
patchkit.check(TEXT, ".", forward="yes")  # mistake: not a bool
patchkit.apply(TEXT, {"a": "text"})  # mistake: not bytes
patchkit.apply(12, ".")  # mistake: not a patch
patchkit.aply(TEXT)  # mistake: no such function
print(patchkit.parse(TEXT).hunks)  # mistake: no such attribute
print(patchkit.apply(TEXT).plan)  # mistake: no such attribute


class Without(patchkit.Files):
    """A source that cannot be written to, and does not say so."""

    def find(self, path: str, follow: bool = True) -> patchkit.Entry:
        return patchkit.Entry(path, "missing")


patchkit.apply(TEXT, Without())  # mistake: no commit


class Alien:
    """Not a source of files."""

    def find(self, path: str) -> bytes:
        return path.encode()


patchkit.apply(TEXT, Alien())  # mistake: not Files
patchkit.apply(TEXT, {}, syntax="no")  # mistake: no such word
