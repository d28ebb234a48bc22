"""Validates a JSON value against a schema with the `jsonschema` library, giving up if that takes
too much work.

Schemas come from clients or from models' proposed checks, so nothing is fetched, recursion is
bounded, and only cheap regular expressions are tried. The result is None if it gives up; that
never counts against an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker, validators
from jsonschema.exceptions import SchemaError, ValidationError
from referencing.exceptions import Unresolvable

MOST_STEPS: Final = 5_000
"""Most schema keywords evaluated for one JSON value."""
LARGEST_SCHEMA: Final = 100_000
"""Most characters of a JSON schema."""
LONGEST_LIST: Final = 500
"""Most list items that are checked for uniqueness, which compares every pair."""
LONGEST_PATTERN: Final = 200
"""Most characters of a regular expression in a schema."""
_PATTERN_STEPS: Final = 100_000
"""Most estimated steps of matching a regular expression."""

_Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


class _Undecided(Exception):
    """Raised when the limits on effort do not allow a decision."""


def fits_schema(schema: object, value: object) -> bool | None:
    """Return whether a JSON value fits a JSON schema.

    None if the schema is invalid or checking would take too much effort.
    """
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, dict):
        return None
    try:
        if len(json.dumps(schema)) > LARGEST_SCHEMA:
            return None
        known: Any = validators.validator_for(schema, default=Draft202012Validator)
        known.check_schema(schema, format_checker=FormatChecker(formats=()))
        return not any(_within_budget(known)(schema).iter_errors(value))
    except (_Undecided, SchemaError, Unresolvable, RecursionError):
        return None
    except (ValueError, TypeError, OverflowError, AttributeError, KeyError, re.error):
        # Values that pass the metaschema but break a keyword.
        return None


def _within_budget(known: Any) -> Any:
    left = [MOST_STEPS]

    def counted(keyword: _Keyword) -> _Keyword:
        def run(validator: Any, wanted: Any, value: Any, schema: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise _Undecided
            return keyword(validator, wanted, value, schema)

        return run

    keywords = {name: counted(keyword) for name, keyword in known.VALIDATORS.items()}
    keywords["pattern"] = counted(_pattern)
    keywords["patternProperties"] = counted(_undecided)
    keywords["uniqueItems"] = counted(_unique(known.VALIDATORS.get("uniqueItems", _undecided)))
    extend: Any = validators.extend
    return extend(known, keywords)


def _undecided(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    raise _Undecided


def _unique(compare: _Keyword) -> _Keyword:
    def run(validator: Any, wanted: Any, value: Any, schema: Any) -> Any:
        if isinstance(value, list) and len(value) > LONGEST_LIST:
            raise _Undecided
        return compare(validator, wanted, value, schema)

    return run


# -- regular expressions -----------------------------------------------------------------------

_UNSURE_SYNTAX: Final = re.compile(r"\(\?(?!:)|\\[1-9AZzGkpPbBuxcQE]|\[\[|\[\^\[|--|&&|~~|\|\|")
"""Matches lookarounds, back references, and syntax that JavaScript and Python read differently."""
_REPEATS: Final = re.compile(r"(?<!\\)(?:[*+?]|\{\d*,?\d*\})")


def _pattern(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(value, str):
        return
    if not _is_cheap(wanted, value) or value.endswith("\n"):
        raise _Undecided
    if re.search(wanted, value, re.ASCII) is None:
        yield ValidationError("the text does not match")


def _is_cheap(pattern: str, value: str) -> bool:
    """Return whether the pattern has no repeated groups and so few repeats that matching stays
    within budget."""
    if len(pattern) > LONGEST_PATTERN or _UNSURE_SYNTAX.search(pattern):
        return False
    if re.search(r"\)(?:[*+?]|\{)", pattern):
        return False
    repeats = len(_REPEATS.findall(pattern)) + (not pattern.startswith("^"))
    return float(max(2, len(value))) ** min(repeats, 50) <= _PATTERN_STEPS
