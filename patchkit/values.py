"""The one idiom for values: a class of named fields, with equality and repr from here.

The fields of a Record are annotations, each with its default beside it; they are given by place or by name:

    class Excerpt(Record):
        line: int
        texts: list[str] = []

A Value of which very many are made has `__slots__` and an `__init__` of its own. Not dataclasses: importing them costs
more than applying a small patch does.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, dataclass_transform
else:

    def dataclass_transform():
        return lambda cls: cls


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


@dataclass_transform()
class Record(Value):
    """A Value whose fields are its annotations. A list, a set, a dictionary or a record as default is made anew."""

    _names: ClassVar[tuple[str, ...]] = ()
    _needed: ClassVar[tuple[str, ...]] = ()  # those without a default
    _least: ClassVar[int] = 0  # values in order that give all of these
    _fresh: ClassVar[tuple[tuple[str, type], ...]] = ()

    def __init_subclass__(cls) -> None:
        own, given = cls.__annotations__, vars(cls)
        cls._names = (*cls._names, *own)
        cls._needed = (*cls._needed, *[name for name in own if name not in given])
        cls._least = cls._names.index(cls._needed[-1]) + 1 if cls._needed else 0
        made = [(name, type(given[name])) for name in own if name in given]
        cls._fresh = (*cls._fresh, *[each for each in made if issubclass(each[1], (list, set, dict, Record))])

    def __init__(self, *values: object, **named: object) -> None:
        for name, make in self._fresh:
            setattr(self, name, make())
        for name, value in zip(self._names, values):  # not by __dict__: that slows down each look at a field
            setattr(self, name, value)
        if not named and self._least <= len(values) <= len(self._names):
            return  # nearly always, and rows of a batch make thousands
        held = self.__dict__
        held.update(named)
        if len(values) > len(self._names) or not set(named) <= set(self._names):
            raise TypeError(f"{type(self).__name__}() takes {', '.join(self._names)}")
        lost = [name for name in self._needed if name not in held]
        if lost:
            raise TypeError(f"{type(self).__name__}() lacks {', '.join(lost)}")

    def _fields(self) -> list[str]:
        return list(self._names)
