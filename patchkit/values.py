"""The idioms for values: equality and repr from here, with `__slots__` or with fields that are declared once.

Not dataclasses: importing them costs more than applying a small patch does.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, dataclass_transform
else:

    def dataclass_transform():
        """Type checkers see a dataclass in every Declared; at run time loading `typing` would take too long."""
        return lambda cls: cls


_COMPARED: dict[type, tuple[str, ...]] = {}  # by class, the names whose values make two records equal
_DECLARED: dict[type, list[str]] = {}  # by class, the names of its fields
_DEFAULTS: dict[type, tuple[dict[str, Any], list[str]]] = {}  # and their defaults, with the names of those to copy


class Value:
    """A plain record. Names in `_place` say where a thing was found, not what it is: equality skips them.

    With `__slots__` and an `__init__` of its own: for what is made by the thousand, and where every plain patch is.
    """

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


@dataclass_transform()
class Declared:
    """A thing whose annotations are its fields, and the parameters that it is made with, in their order.

    A default that can be changed, such as a list, is copied for each.
    """

    if not TYPE_CHECKING:

        def __init__(self, *values, **named):
            fields = self._fields()
            defaults, copied = _DEFAULTS[type(self)]
            known = vars(self)
            known.update(defaults)
            for name in copied:
                known[name] = defaults[name].copy()
            known.update(zip(fields, values), **named)
            if len(values) > len(fields) or known.keys() != set(fields):
                raise TypeError(f"{type(self).__name__}() takes {', '.join(fields)}")

    def _fields(self) -> list[str]:
        fields = _DECLARED.get(type(self))
        if fields is None:
            classes = [cls for cls in reversed(type(self).__mro__) if issubclass(cls, Declared)]
            fields = list(dict.fromkeys(name for cls in classes for name in cls.__annotations__))
            defaults = {name: getattr(type(self), name) for name in fields if hasattr(type(self), name)}
            copied = [name for name, default in defaults.items() if isinstance(default, (list, dict, set))]
            _DEFAULTS[type(self)] = defaults, copied
            _DECLARED[type(self)] = fields
        return fields


class Record(Declared, Value):
    """A Value of declared fields."""
