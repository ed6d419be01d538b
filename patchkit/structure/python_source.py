"""Whether a Python source can be read, by the running interpreter itself: nothing has to be loaded for it."""

from __future__ import annotations

import _warnings

_ONLY_TREE = 0x400  # what `ast` calls PyCF_ONLY_AST


def fault(source: bytes) -> int:
    """The line of the first syntax error; 0 where there is none, or none is known."""
    kept = [*_warnings.filters]
    _warnings.filters.insert(0, ("ignore", None, Warning, None, 0))  # about escapes, for instance
    try:
        line = _fault(source)
    finally:
        _warnings.filters[:] = kept
    if not line:
        return 0
    from warnings import catch_warnings, simplefilter  # a host may have made errors of all warnings

    with catch_warnings():
        simplefilter("ignore")
        return _fault(source)


def _fault(source: bytes) -> int:
    try:
        compile(source, "file", "exec", _ONLY_TREE, True)
    except SyntaxError as error:
        return error.lineno or 1
    except (ValueError, OverflowError, RecursionError, MemoryError):
        return 0  # NUL bytes, or more than this interpreter can read
    return 0
