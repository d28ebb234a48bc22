"""Whether an answer is the JSON that was asked for.

The subset of JSON Schema that structured output uses (keywords as in the 2020-12 validation
vocabulary, json-schema.org/draft/2020-12). What is unknown here is never held against an answer:
a schema with an unknown keyword gives "cannot tell" for its part.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

Fit = bool | None
"""True: it fits; False: it surely does not; None: that cannot be told."""

MAX_DEPTH: Final = 64
MAX_CHECKS: Final = 50_000
"""Of parts of one answer; a schema that refers to itself twice could go on for ever."""
MAX_PATTERN: Final = 200
MAX_STEPS: Final = 1_000_000
"""Of a pattern on one text, estimated; a costlier pair is left undecided."""

_NOTES = frozenset(
    """title description default examples example $schema $id $comment $defs definitions deprecated
    readOnly writeOnly format contentEncoding contentMediaType""".split()  # noqa: SIM905
)
"""Keywords that say nothing about what fits; `format` is a note unless both sides agree on it."""


def parses(text: str) -> tuple[bool, object]:
    """Whether the text is JSON, whole and alone, and its value. Raises RecursionError for a text
    nested too deep to say."""

    def no_constant(name: str) -> object:
        raise ValueError(f"{name} is no JSON")

    try:
        return True, json.loads(text, parse_constant=no_constant)
    except ValueError:
        return False, None


def fits(schema: object, value: object) -> Fit:
    """Whether the value is what the schema allows."""
    return _Checker(schema).check(schema, value, 0)


class _Checker:
    def __init__(self, root: object) -> None:
        self._root = root
        self._checks = 0

    def check(self, schema: object, value: object, depth: int) -> Fit:
        self._checks += 1
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict) or depth > MAX_DEPTH or self._checks > MAX_CHECKS:
            return None
        if not schema.keys() <= _KEYWORDS.keys() | _NOTES:
            return None
        return _all(
            _KEYWORDS[keyword](self, schema, value, depth)
            for keyword in schema
            if keyword in _KEYWORDS
        )

    def ref(self, schema: Mapping[str, object], value: object, depth: int) -> Fit:
        target = schema["$ref"]
        if not isinstance(target, str) or not target.startswith("#"):
            return None
        place: object = self._root
        steps = target[1:].replace("~1", "\0").replace("~0", "~").split("/")[1:]
        for step in (step.replace("\0", "/") for step in steps):
            if not isinstance(place, dict) or step not in place:
                return None
            place = place[step]
        found = self.check(place, value, depth + 1)
        # Older drafts pass over what stands beside a reference; then only a fit is sure.
        return found if schema.keys() <= {"$ref"} | _NOTES or found is not False else None

    def any_of(self, schema: Mapping[str, object], value: object, depth: int) -> Fit:
        found = self._each(schema["anyOf"], value, depth)
        return None if found is None else _any(found)

    def all_of(self, schema: Mapping[str, object], value: object, depth: int) -> Fit:
        found = self._each(schema["allOf"], value, depth)
        return None if found is None else _all(found)

    def one_of(self, schema: Mapping[str, object], value: object, depth: int) -> Fit:
        found = self._each(schema["oneOf"], value, depth)
        if found is None:
            return None
        if found.count(True) > 1:
            return False
        return None if None in found else found.count(True) == 1

    def _each(self, schemas: object, value: object, depth: int) -> list[Fit] | None:
        if not isinstance(schemas, list) or not schemas:
            return None
        return [self.check(schema, value, depth + 1) for schema in schemas]

    def properties(self, schema: Mapping[str, object], value: object, depth: int) -> Fit:
        known = schema["properties"]
        if not isinstance(known, dict):
            return None
        if not isinstance(value, dict):
            return True
        return _all(self.check(known[k], v, depth + 1) for k, v in value.items() if k in known)

    def additional(self, schema: Mapping[str, object], value: object, depth: int) -> Fit:
        known = schema.get("properties", {})
        if not isinstance(known, dict):
            return None
        if not isinstance(value, dict):
            return True
        more = schema["additionalProperties"]
        return _all(self.check(more, v, depth + 1) for k, v in value.items() if k not in known)

    def items(self, schema: Mapping[str, object], value: object, depth: int) -> Fit:
        if not isinstance(value, list):
            return True
        return _all(self.check(schema["items"], item, depth + 1) for item in value)


def _all(found: Iterable[Fit]) -> Fit:
    sure = True
    for one in found:
        if one is False:
            return False
        sure = sure and one is True
    return True if sure else None


def _any(found: Iterable[Fit]) -> Fit:
    listed = list(found)
    return True if True in listed else None if None in listed else False


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Final[Mapping[str, Callable[[object], bool]]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "number": _is_number,
    "integer": lambda value: (
        _is_number(value) and (isinstance(value, int) or float(str(value)).is_integer())
    ),
}


def _type(schema: Mapping[str, object], value: object) -> Fit:
    named = schema["type"]
    names = named if isinstance(named, list) else [named]
    if not names or not all(isinstance(name, str) and name in _TYPES for name in names):
        return None
    return any(_TYPES[str(name)](value) for name in names)


def same(one: object, other: object) -> bool:
    """Equal as JSON: 1 is 1.0, but true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other


def _enum(schema: Mapping[str, object], value: object) -> Fit:
    allowed = schema["enum"]
    return any(same(one, value) for one in allowed) if isinstance(allowed, list) else None


def _const(schema: Mapping[str, object], value: object) -> Fit:
    return same(schema["const"], value)


def _required(schema: Mapping[str, object], value: object) -> Fit:
    names = schema["required"]
    if not isinstance(names, list):
        return None
    return not isinstance(value, dict) or all(name in value for name in names)


def _bound(keyword: str, holds: Callable[[float, float], bool]) -> _Rule:
    def rule(schema: Mapping[str, object], value: object) -> Fit:
        bound = schema[keyword]
        if not isinstance(bound, int | float) or isinstance(bound, bool):
            return None
        if not isinstance(value, int | float) or isinstance(value, bool):
            return True
        return holds(value, bound)

    return rule


def _size(keyword: str, of: type, holds: Callable[[float, float], bool]) -> _Rule:
    def rule(schema: Mapping[str, object], value: object) -> Fit:
        bound = schema[keyword]
        if not isinstance(bound, int) or isinstance(bound, bool):
            return None
        if not isinstance(value, of) or not isinstance(value, str | list):
            return True
        return holds(len(value), bound)

    return rule


_UNSURE_SYNTAX = re.compile(r"\(\?(?!:)|\\[1-9AZzGkpPbBuxcQE]|\[\[|\[\^\[|--|&&|~~|\|\|")
"""Look-arounds, back references, and what JavaScript and Python read differently."""
_REPEATED_GROUP = re.compile(r"\)(?:[*+?]|\{)")
_REPEATS = re.compile(r"(?<!\\)(?:[*+?]|\{\d*,\d*\})")


def _pattern(schema: Mapping[str, object], value: object) -> Fit:
    pattern = schema["pattern"]
    if not isinstance(pattern, str):
        return None
    if not isinstance(value, str):
        return True
    if not _is_cheap(pattern, value) or value.endswith("\n"):
        return None
    try:
        return re.search(pattern, value, re.ASCII) is not None
    except (re.error, OverflowError, RecursionError):
        return None


def _is_cheap(pattern: str, value: str) -> bool:
    """Each repeat may try every place of the text, and so may the search; repeats within repeats
    are not reckoned with at all."""
    if len(pattern) > MAX_PATTERN or _UNSURE_SYNTAX.search(pattern):
        return False
    if _REPEATED_GROUP.search(pattern) and not _flat_groups(pattern):
        return False
    repeats = len(_REPEATS.findall(pattern)) + (not pattern.startswith("^"))
    return float(min(max(2, len(value)), MAX_STEPS)) ** min(repeats, 50) <= MAX_STEPS


def _flat_groups(pattern: str) -> bool:
    """No group that is repeated holds a repeat, a choice or another group."""
    return all(
        not re.search(r"[*+?|({]", group.removeprefix("?:"))
        for group in re.findall(r"\(([^()]*)\)(?:[*+?]|\{)", pattern)
    ) and not re.search(r"\)\)(?:[*+?]|\{)|\([^()]*\([^()]*\)[^()]*\)(?:[*+?]|\{)", pattern)


def _unique(schema: Mapping[str, object], value: object) -> Fit:
    if not isinstance(schema["uniqueItems"], bool):
        return None
    if not schema["uniqueItems"] or not isinstance(value, list):
        return True
    if len(value) > 500:
        return None
    return not any(same(one, other) for i, one in enumerate(value) for other in value[:i])


_Rule = Callable[[Mapping[str, object], object], Fit]
_Keyword = Callable[[_Checker, Mapping[str, object], object, int], Fit]


def _plain(rule: _Rule) -> _Keyword:
    return lambda checker, schema, value, depth: rule(schema, value)


_KEYWORDS: Final[Mapping[str, _Keyword]] = {
    "$ref": _Checker.ref,
    "anyOf": _Checker.any_of,
    "allOf": _Checker.all_of,
    "oneOf": _Checker.one_of,
    "properties": _Checker.properties,
    "additionalProperties": _Checker.additional,
    "items": _Checker.items,
    "type": _plain(_type),
    "enum": _plain(_enum),
    "const": _plain(_const),
    "required": _plain(_required),
    "minimum": _plain(_bound("minimum", lambda v, b: v >= b)),
    "maximum": _plain(_bound("maximum", lambda v, b: v <= b)),
    "exclusiveMinimum": _plain(_bound("exclusiveMinimum", lambda v, b: v > b)),
    "exclusiveMaximum": _plain(_bound("exclusiveMaximum", lambda v, b: v < b)),
    "minItems": _plain(_size("minItems", list, lambda v, b: v >= b)),
    "maxItems": _plain(_size("maxItems", list, lambda v, b: v <= b)),
    "minLength": _plain(_size("minLength", str, lambda v, b: v >= b)),
    "maxLength": _plain(_size("maxLength", str, lambda v, b: v <= b)),
    "pattern": _plain(_pattern),
    "uniqueItems": _plain(_unique),
}
