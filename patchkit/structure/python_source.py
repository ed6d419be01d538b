"""Whether a Python source can be read, by the running interpreter itself: nothing has to be loaded for it."""

from __future__ import annotations

import _warnings

try:
    from _symtable import symtable  # type: ignore[import-not-found]  # it has no stub
except ImportError:  # another interpreter than CPython
    symtable = None

_ONLY_TREE = 0x400  # what `ast` calls PyCF_ONLY_AST


def fault(source: bytes) -> int:
    """The line of the first syntax error; 0 where there is none, or none is known."""
    kept = [*_warnings.filters]
    _warnings.filters.insert(0, ("ignore", None, Warning, None, 0))  # about escapes, for instance
    try:
        line = 0 if _is_sound(source) else _first_fault(source)
    finally:
        _warnings.filters[:] = kept
    if not line:
        return 0
    from warnings import catch_warnings, simplefilter  # a host may have made errors of all warnings

    with catch_warnings():
        simplefilter("ignore")
        return _first_fault(source)


def _is_sound(source: bytes) -> bool:
    """Whether the names of a source can be listed, which takes a sound one: `compile` first makes a class for each
    kind of node, and that takes longer than reading a small file."""
    try:
        return symtable is not None and symtable(source, "file", "exec") is not None
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return False  # perhaps for a fault in its names, which is not one of its syntax


def _first_fault(source: bytes) -> int:
    try:
        compile(source, "file", "exec", _ONLY_TREE, True)
    except SyntaxError as error:
        return error.lineno or 1
    except (ValueError, OverflowError, RecursionError, MemoryError):
        return 0  # NUL bytes, or more than this interpreter can read
    return 0
