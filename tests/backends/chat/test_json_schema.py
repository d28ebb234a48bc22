"""Tests of checking a value against a JSON schema: bounded, and undecided where it cannot tell."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lull.backends.chat.json_schema import fits_schema as fits

UNTELLABLE: list[object] = [
    {"patternProperties": {"^x": {}}, "type": ["object", "null", "array", "string"]},
    {"$ref": "https://example.org/schema.json"},
    {"$ref": "#/$defs/missing"},
    {"type": "unheard-of"},
    {"type": ["string", "array", "object", "null"], "nullable": True},
    {"items": [{"type": "string"}]},
    {"pattern": "^(a+)+$"},
    {"pattern": "(?<=x)y"},
    {"pattern": "(["},
]


VALUES: list[object] = [None, {"y": 1}, ["a", 1], "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"]


def test_what_cannot_be_told_is_never_held_against_an_answer(subtests: pytest.Subtests) -> None:
    for schema, value in product(UNTELLABLE, VALUES):
        with subtests.test(schema=schema, value=value):
            assert fits(schema, value) is not False


@pytest.mark.parametrize(
    "pattern", ["(a|a)*b", "(a*)*b", "((a))*b", "a*a*a*a*a*b", "(?:a?){30}a{30}", "(.*)(.*)(.*)x"]
)
def test_a_costly_pattern_on_a_long_text_is_left_undecided(pattern: str) -> None:
    assert fits({"pattern": pattern}, "a" * 5000) is None


def test_a_schema_that_refers_to_itself_comes_to_an_end() -> None:
    tree = {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}
    assert fits(tree, 1) is None
    nested: dict[str, object] = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    assert fits(nested, {"next": {"next": {}}}) is True
    assert fits(nested, {"next": {"next": 3}}) is False


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.slow
@given(JSON, JSON)
@settings(max_examples=200, deadline=None)
def test_any_schema_and_any_value_can_be_compared(schema: object, value: object) -> None:
    assert fits(schema, value) in (True, False, None)
    assert fits({"const": value}, value) is True
    assert fits({"enum": [value]}, value) is True


def test_references_that_double_at_every_step_are_left_undecided() -> None:
    steps: dict[str, object] = {
        f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)
    }
    steps["a40"] = {}
    assert fits({"$defs": steps, "$ref": "#/$defs/a0"}, 1) is None


def test_a_schema_is_not_fetched_and_a_huge_one_not_read() -> None:
    assert fits({"$ref": "file:///etc/passwd"}, 1) is None
    assert fits({"enum": ["x" * 200_000]}, "x") is None
    assert fits({"uniqueItems": True}, list(range(1000))) is None


def test_what_is_no_schema_tells_nothing() -> None:
    assert fits([], 1) is None
    assert fits(None, 1) is None
    assert (fits(True, 1), fits(False, 1)) == (True, False)
