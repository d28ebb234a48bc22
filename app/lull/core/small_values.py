"""What small code may do with values: a few operators, builtins and methods, each within bounds.

Whatever Python itself would fail at, and whatever would grow beyond the bounds, is Refused.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final

LARGEST: Final = 2_000
"""Items of a value, and bits of a number."""


class Refused(Exception):
    """The code does what is not run here, or fails as Python would."""


BINARY: Final[Mapping[type[ast.operator], Callable[..., object]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
UNARY: Final[Mapping[type[ast.unaryop], Callable[..., object]]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
COMPARED: Final[Mapping[type[ast.cmpop], Callable[..., object]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: operator.contains(b, a),
    ast.NotIn: lambda a, b: not operator.contains(b, a),
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
BUILTINS: Final[Mapping[str, Callable[..., object]]] = {
    **{f.__name__: f for f in (abs, all, any, bool, chr, dict, divmod, enumerate, float, int)},
    **{f.__name__: f for f in (len, list, max, min, ord, reversed, round, set, sorted, str)},
    **{f.__name__: f for f in (sum, tuple, zip)},
}
METHODS: Final[Mapping[type, frozenset[str]]] = {
    str: frozenset(
        {"capitalize", "count", "endswith", "find", "index", "isalnum", "isalpha", "isdigit"}
        | {"islower", "isspace", "isupper", "join", "lower", "lstrip", "replace", "rstrip"}
        | {"split", "splitlines", "startswith", "strip", "swapcase", "title", "upper"}
    ),
    list: frozenset(
        ("append", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort")
    ),
    dict: frozenset(("copy", "get", "items", "keys", "pop", "setdefault", "update", "values")),
    set: frozenset(
        {"add", "copy", "difference", "discard", "intersection", "isdisjoint", "issubset"}
        | {"issuperset", "remove", "union", "update"}
    ),
    tuple: frozenset(("count", "index")),
}
VALUES: Final = (bool, int, float, str, list, tuple, set, dict, type(None))


def guarded(act: Callable[[], object]) -> object:
    """What Python itself does, where its failure is the code's."""
    try:
        return act()
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise Refused(str(error)) from error


def bounded(value: object) -> object:
    if isinstance(value, str | list | tuple | set | dict) and len(value) > LARGEST:
        raise Refused("too large")
    if isinstance(value, int) and value.bit_length() > LARGEST:
        raise Refused("too large")
    return value


def items(value: object) -> list[object]:
    if not isinstance(value, str | list | tuple | set | dict):
        raise Refused("there is nothing to go through")
    return list(value)


def binary(op: ast.operator, left: object, right: object) -> object:
    if isinstance(op, ast.Pow):
        return _power(left, right)
    act = BINARY.get(type(op))
    if act is None or (isinstance(op, ast.Mod) and isinstance(left, str)):
        raise Refused(f"{type(op).__name__} is not run here")
    if isinstance(op, ast.Mult):
        _small_enough(left, right)
    return guarded(lambda: act(left, right))


def _small_enough(left: object, right: object) -> None:
    """A text or a list so many times."""
    if not any(isinstance(value, str | list | tuple) for value in (left, right)):
        return
    if _size(left) * _size(right) > LARGEST:
        raise Refused("too large")


def _size(value: object) -> int:
    if isinstance(value, str | list | tuple):
        return len(value)
    return value if isinstance(value, int) else 0


def _power(left: object, right: object) -> object:
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        raise Refused("no numbers")
    if abs(right) > 512 or (isinstance(left, int) and left.bit_length() * abs(right) > LARGEST):
        raise Refused("too large")
    return guarded(lambda: left**right)


def taken(held: object, key: object) -> object:
    """An item, or a part where `key` is a slice."""
    if not isinstance(held, str | list | tuple | dict):
        raise Refused("nothing is to be had there")
    if isinstance(key, slice) and isinstance(held, dict):
        raise Refused("a dictionary is not cut")
    return guarded(lambda: held[key])  # type: ignore[index,call-overload]


def put(held: object, key: object, value: object) -> None:
    if not isinstance(held, list | dict) or isinstance(key, slice):
        raise Refused("nothing is put there")
    guarded(lambda: operator.setitem(held, key, value))  # type: ignore[arg-type]


def counted(arguments: Sequence[object]) -> object:
    """Python's range, as a list."""
    if not all(isinstance(one, int) for one in arguments):
        raise Refused("no whole numbers")
    made: object = guarded(lambda: range(*arguments))  # type: ignore[call-overload]
    if not isinstance(made, range) or len(made) > LARGEST:
        raise Refused("too large")
    return list(made)


def built_in(name: str, arguments: Sequence[object], named: Mapping[str, object]) -> object:
    if not set(named) <= {"reverse", "default", "start"}:
        raise Refused("such a name is not known here")
    if name == "int" and any(isinstance(one, str) and len(one) > 300 for one in arguments):
        raise Refused("too large")
    made = guarded(lambda: BUILTINS[name](*arguments, **named))
    return made if isinstance(made, VALUES) else list(made)  # type: ignore[call-overload]


def method(
    held: object, name: str, arguments: Sequence[object], named: Mapping[str, object]
) -> object:
    if name not in METHODS.get(type(held), frozenset()) or (named and name != "sort"):
        raise Refused(f"{name} is not called here")
    made = guarded(lambda: getattr(held, name)(*arguments, **named))
    return made if isinstance(made, VALUES) else list(made)  # type: ignore[call-overload]
