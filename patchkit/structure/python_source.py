"""Whether a Python source can be read, by the running interpreter itself: nothing has to be loaded for it."""

from __future__ import annotations

import _warnings  # type: ignore[import-not-found]  # has no stub
import sys

_ONLY_TREE = 0x400  # what `ast` calls PyCF_ONLY_AST


def fault(source: bytes) -> int:
    """The line of the first syntax error; 0 where there is none, or where the interpreter cannot tell."""
    filters = getattr(sys.modules.get("warnings"), "filters", _warnings.filters)
    kept = [*filters]
    filters.insert(0, ("ignore", None, Warning, None, 0))  # about escapes, for instance
    try:
        compile(source, "file", "exec", _ONLY_TREE, True)
    except SyntaxError as error:
        return error.lineno or 1
    except (ValueError, OverflowError, RecursionError, MemoryError):
        return 0  # NUL bytes, or more than this interpreter can read
    finally:
        filters[:] = kept
    return 0
