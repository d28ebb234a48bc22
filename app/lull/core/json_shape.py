"""The part of JSON Schema that a proposed check may use: types, keys, items, choices, sizes.

What is not understood here is refused when the check is read, never passed over: a check that
looks at less than the user approved would be worse than none. Keywords as in JSON Schema 2020-12
(json-schema.org/draft/2020-12/json-schema-validation).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from lull.core.errors import SkillError
from lull.core.pattern import read_pattern

DEEPEST: Final = 12
_FENCE: Final = re.compile(r"\A```[\w-]*\s*\n(.*?)\n?```\Z", re.DOTALL)
_SAYS_NOTHING: Final = frozenset(("title", "description", "$schema", "examples", "default"))
_COUNTS: Final = (
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
)
_NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")


def parsed(text: str) -> object:
    """The JSON value that a text is. Raises ValueError, also for NaN and a key that comes twice."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def unfenced(text: str) -> str:
    """The text inside a code fence, where the whole text is one."""
    found = _FENCE.match(text.strip())
    return found.group(1) if found else text.strip()


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key comes twice")
    return value


def _no_number(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def check_shape(schema: object, depth: int = 0) -> None:
    """Raises SkillError for a schema that could not be held to whole."""
    if isinstance(schema, bool) and depth:
        return
    if not isinstance(schema, dict):
        raise _refused("a schema is an object")
    if depth > DEEPEST:
        raise _refused(f"it is nested more than {DEEPEST} deep")
    for key, value in schema.items():
        _check_keyword(key, value, depth)


def _check_keyword(key: str, value: object, depth: int) -> None:
    inner = _inner_schemas(key, value)
    for schema in inner or ():
        check_shape(schema, depth + 1)
    match key:
        case "type":
            names = value if isinstance(value, list) else [value]
            good = bool(names) and all(name in _TYPES for name in names)
        case "required":
            good = isinstance(value, list) and all(isinstance(name, str) for name in value)
        case "enum":
            good = isinstance(value, list) and bool(value)
        case "pattern":
            good = isinstance(value, str) and bool(read_pattern(value))
        case "uniqueItems":
            good = isinstance(value, bool)
        case _ if key in _COUNTS:
            good = type(value) is int and value >= 0
        case _ if key in _NUMBERS:
            good = type(value) in (int, float)
        case _:
            good = key == "const" or key in _SAYS_NOTHING or inner is not None
    if not good:
        raise _refused(f"'{key[:40]}' is not understood as it stands there")


def _inner_schemas(key: str, value: object) -> list[object] | None:
    """The schemas under a keyword that holds some; None for any other."""
    match key, value:
        case "properties", dict():
            return list(value.values())
        case "items" | "additionalProperties" | "not", _:
            return [value]
        case "anyOf" | "allOf" | "oneOf", [_, *_]:
            return list(value)
    return None


def fits(schema: object, value: object) -> bool:
    """Whether the value is what the schema describes. The schema has passed `check_shape`."""
    if not isinstance(schema, dict):
        return schema is True
    return all(_keyword_holds(key, wanted, schema, value) for key, wanted in schema.items())


def _keyword_holds(key: str, wanted: object, schema: Mapping[str, object], value: object) -> bool:
    match key, wanted:
        case "type", _:
            names = wanted if isinstance(wanted, list) else [wanted]
            return any(_is_a(str(name), value) for name in names)
        case "enum", list():
            return any(_same(choice, value) for choice in wanted)
        case "const", _:
            return _same(wanted, value)
        case "anyOf", list():
            return any(fits(inner, value) for inner in wanted)
        case "allOf", list():
            return all(fits(inner, value) for inner in wanted)
        case "oneOf", list():
            return sum(fits(inner, value) for inner in wanted) == 1
        case "not", _:
            return not fits(wanted, value)
    if isinstance(value, dict):
        return _object_holds(key, wanted, schema, value)
    if isinstance(value, list):
        return _list_holds(key, wanted, value)
    if isinstance(value, str):
        return _string_holds(key, wanted, value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number_holds(key, wanted, value)
    return True


def _object_holds(
    key: str, wanted: object, schema: Mapping[str, object], value: Mapping[str, object]
) -> bool:
    match key, wanted:
        case "properties", dict():
            return all(fits(inner, value[name]) for name, inner in wanted.items() if name in value)
        case "required", list():
            return all(name in value for name in wanted)
        case "additionalProperties", _:
            known = schema.get("properties")
            named = known if isinstance(known, dict) else {}
            return all(fits(wanted, inner) for name, inner in value.items() if name not in named)
        case "minProperties", int():
            return len(value) >= wanted
        case "maxProperties", int():
            return len(value) <= wanted
    return True


def _list_holds(key: str, wanted: object, value: list[object]) -> bool:
    match key, wanted:
        case "items", _:
            return all(fits(wanted, inner) for inner in value)
        case "minItems", int():
            return len(value) >= wanted
        case "maxItems", int():
            return len(value) <= wanted
        case "uniqueItems", True:
            spelled = {_spelled(inner) for inner in value}
            return len(spelled) == len(value)
    return True


def _string_holds(key: str, wanted: object, value: str) -> bool:
    match key, wanted:
        case "minLength", int():
            return len(value) >= wanted
        case "maxLength", int():
            return len(value) <= wanted
        case "pattern", str():
            return read_pattern(wanted).found_in(value)
    return True


def _number_holds(key: str, wanted: object, value: float) -> bool:
    if not isinstance(wanted, int | float):
        return True
    match key:
        case "minimum":
            return value >= wanted
        case "maximum":
            return value <= wanted
        case "exclusiveMinimum":
            return value > wanted
        case "exclusiveMaximum":
            return value < wanted
    return True


def _is_a(name: str, value: object) -> bool:
    if name in ("integer", "number"):
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        real = whole or (isinstance(value, float) and name == "number")
        return real and not isinstance(value, bool)
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    return isinstance(value, kinds[name])


def _same(one: object, other: object) -> bool:
    """Equal as JSON: 1 is 1.0, and true is not 1."""
    return _spelled(one) == _spelled(other)


def _spelled(value: object) -> str:
    def plain(inner: object) -> object:
        if isinstance(inner, float) and inner.is_integer():
            return int(inner)
        if isinstance(inner, dict):
            return {key: plain(each) for key, each in inner.items()}
        return [plain(each) for each in inner] if isinstance(inner, list) else inner

    return json.dumps(plain(value), sort_keys=True)


def _refused(why: str) -> SkillError:
    return SkillError(
        f"The check's JSON schema cannot be used: {why}.",
        hint="Types, properties, required, items, enum, const, sizes and patterns are known.",
    )
