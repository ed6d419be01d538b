"""The one idiom for values: a class with `__slots__`, and equality and repr from here.

Not dataclasses: importing them costs more than applying a small patch does.
"""

from __future__ import annotations

_COMPARED: dict[type, tuple[str, ...]] = {}  # by class, the names whose values make two records equal


class Value:
    """A plain record. Names in `_place` say where a thing was found, not what it is: equality skips them."""

    __slots__ = ()
    _place: tuple[str, ...] = ()

    def _fields(self) -> list[str]:
        return [name for cls in reversed(type(self).__mro__) for name in getattr(cls, "__slots__", ())]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = _COMPARED.get(type(self))
        if names is None:
            names = _COMPARED[type(self)] = tuple(name for name in self._fields() if name not in self._place)
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # type: ignore[assignment]  # records hold lists; nothing here is a key

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in self._fields())})"
