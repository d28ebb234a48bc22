"""Whether a JSON value fits a JSON schema: the library `jsonschema`, held to a budget.

A schema comes from a client, or from a model that proposed a check. So nothing is fetched, a schema
that refers to itself comes to an end, and regular expressions are tried only where they are cheap.
What cannot be told within these limits is None, and never held against an answer.
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
"""Keywords that are looked at, over all items of the value."""
LARGEST_SCHEMA: Final = 100_000
"""Characters."""
LONGEST_LIST: Final = 500
"""Of items that must differ: each may be compared with each."""
LONGEST_PATTERN: Final = 200
_PATTERN_STEPS: Final = 100_000

_Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


class _Undecided(Exception):
    """Within the limits it cannot be told."""


def fits_schema(schema: object, value: object) -> bool | None:
    """None for a schema that is none, and for one that cannot be held to within the limits."""
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
        # What a metaschema lets pass and a keyword then trips over.
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
"""Look-arounds, back references, and what JavaScript and Python read differently."""
_REPEATS: Final = re.compile(r"(?<!\\)(?:[*+?]|\{\d*,?\d*\})")


def _pattern(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(value, str):
        return
    if not _is_cheap(wanted, value) or value.endswith("\n"):
        raise _Undecided
    if re.search(wanted, value, re.ASCII) is None:
        yield ValidationError("the text does not match")


def _is_cheap(pattern: str, value: str) -> bool:
    """No repeated groups, and so few repeats that trying every place stays within the budget."""
    if len(pattern) > LONGEST_PATTERN or _UNSURE_SYNTAX.search(pattern):
        return False
    if re.search(r"\)(?:[*+?]|\{)", pattern):
        return False
    repeats = len(_REPEATS.findall(pattern)) + (not pattern.startswith("^"))
    return float(max(2, len(value))) ** min(repeats, 50) <= _PATTERN_STEPS
