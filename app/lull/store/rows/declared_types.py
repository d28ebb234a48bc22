"""Checks that a value read from the database has the types that its class declares, everywhere
inside it: JSON with a text where a number belongs makes a dataclass as well as the right JSON does,
and would fail only where somebody shows it.
"""

from __future__ import annotations

import collections.abc
import functools
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

_LARGEST: Final = 2**63
"""No number of Lull's is as large, and neither SQLite nor most readers of JSON could hold it."""

_Fits = Callable[[Any], bool]


def check_types(value: object) -> None:
    """Raise TypeError if a field of this dataclass, or of one inside it or in this tuple, is not of
    its declared type.
    """
    if isinstance(value, tuple):
        for one in value:
            check_types(one)
    elif is_dataclass(value) and not isinstance(value, type):
        for name, fits in _fields(type(value)):
            if not fits(getattr(value, name)):
                raise TypeError(f"its {name.rstrip('_')} is not what Lull wrote")


@functools.cache
def _fields(kind: type) -> tuple[tuple[str, _Fits], ...]:
    hints = get_type_hints(kind)
    return tuple((field.name, _test_of(hints[field.name])) for field in fields(kind))


def _test_of(hint: Any) -> _Fits:
    """Return the test of whether a value is of a declared type; of a type that no row is read as,
    every value is.
    """
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        tests = [_test_of(one) for one in args]
        return lambda value: any(fits(value) for fits in tests)
    if origin is Literal:
        return lambda value: value in args
    if origin is tuple:
        return _tuple_of(args)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key, inner = map(_test_of, args)
        return lambda value: (
            isinstance(value, Mapping) and all(key(k) and inner(v) for k, v in value.items())
        )
    if isinstance(origin, type) and issubclass(origin, collections.abc.Iterable):
        (of_each,) = map(_test_of, args)
        return lambda value: isinstance(value, origin) and all(map(of_each, value))
    return _plain(hint) if isinstance(hint, type) else lambda _: True


def _tuple_of(args: tuple[Any, ...]) -> _Fits:
    if len(args) == 2 and args[1] is ...:
        of_each = _test_of(args[0])
        return lambda value: isinstance(value, tuple) and all(map(of_each, value))
    tests = [_test_of(one) for one in args]
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(tests)
        and all(fits(one) for fits, one in zip(tests, value, strict=True))
    )


def _plain(kind: type) -> _Fits:
    """Return the test for a type without parameters. A whole number is a float too; true is no
    number.
    """

    def whole(value: Any) -> bool:
        return type(value) is int and abs(value) < _LARGEST

    if kind is int:
        return whole
    if kind is float:
        return lambda value: math.isfinite(value) if type(value) is float else whole(value)
    if is_dataclass(kind):
        return lambda value: (
            isinstance(value, kind)
            and all(fits(getattr(value, name)) for name, fits in _fields(type(value)))
        )
    if kind is object or getattr(kind, "_is_protocol", False):
        return lambda _: True
    return lambda value: isinstance(value, kind)
