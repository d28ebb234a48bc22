"""A check proposed with a skill: read strictly, told in words, cheap on any answer."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lull.core.check import Check, holds, in_words, parse, to_json
from lull.core.errors import SkillError
from lull.core.pattern import Pattern

MENU = {"type": "object", "properties": {"menu": {"type": "array"}}, "required": ["menu"]}


def check(**fields: object) -> Check:
    return parse(json.dumps(fields))


@pytest.mark.parametrize(
    ("fields", "good", "bad"),
    [
        ({"kind": "pattern", "value": "(?m)^- "}, "Here:\n- one", "one - two"),
        ({"kind": "pattern", "value": "!", "must": False}, "Calm.", "Hey!"),
        ({"kind": "words", "at_most": 3}, "just three words", "one two three four"),
        ({"kind": "words", "at_least": 2, "at_most": 2}, "two words", "one"),
        ({"kind": "words", "at_most": 2, "must": False}, "at last three", "two words"),
        ({"kind": "starts", "value": "Dear "}, "\n Dear Anna", "Hello, Dear"),
        ({"kind": "ends", "value": "sugar\n"}, "apple | sugar\n", "sugar | apple"),
        ({"kind": "contains", "value": " | "}, "apple | river", "apple and river"),
        ({"kind": "json_schema", "schema": MENU}, '{"menu": ["soup"]}', '{"menu": "soup"}'),
        ({"kind": "json_schema", "schema": {}}, " [1]\n", "Here it is: [1]"),
        ({"kind": "json_schema", "schema": {}}, "{}", "```json\n{}\n```"),
    ],
)
def test_an_answer_passes_or_does_not(fields: dict[str, object], good: str, bad: str) -> None:
    made = check(**fields)
    assert holds(made, good)
    assert not holds(made, bad)
    assert parse(to_json(made)) == made


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "words", "at_most": 60}, "The answer must have at most 60 words."),
        ({"kind": "words", "at_least": 9}, "The answer must have at least 9 words."),
        ({"kind": "words", "at_least": 1, "at_most": 9}, "The answer must have 1 to 9 words."),
        ({"kind": "words", "at_least": 9, "at_most": 9}, "The answer must have exactly 9 words."),
        ({"kind": "starts", "value": "Hi", "must": False}, "The answer must not start with “Hi”."),
        ({"kind": "ends", "value": "sugar"}, "The answer must end with “sugar”."),
        ({"kind": "contains", "value": " | "}, "The answer must contain “ | ”."),
        ({"kind": "pattern", "value": "^- "}, "The answer must match the pattern `^- `."),
        (
            {"kind": "json_schema", "schema": {"type": "array"}},
            'The answer must be JSON, and nothing else, of this form: {"type": "array"}.',
        ),
    ],
)
def test_it_is_told_in_words(fields: dict[str, object], words: str) -> None:
    assert in_words(check(**fields)) == words


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ('{"kind": "words", "kind": "ends"}', "twice"),
        ('{"kind": "words", "at_most": NaN}', "NaN"),
        ("[" * 5000, "no JSON"),
        ("[]", "no JSON object"),
        ('"words"', "no JSON object"),
        ('{"kind": "x" }', "its kind is none of"),
        ('{"at_most": 3}', "its kind is none of"),
        ('{"kind": "words"}', "needs 'at_least' or 'at_most'"),
        ('{"kind": "words", "at_most": true}', "whole number"),
        ('{"kind": "words", "at_most": 2.5}', "whole number"),
        ('{"kind": "words", "at_most": -1}', "whole number"),
        ('{"kind": "words", "at_most": 0}', "so few"),
        ('{"kind": "words", "at_least": 9, "at_most": 3}', "so few"),
        ('{"kind": "words", "at_least": 0}', "every answer"),
        ('{"kind": "words", "at_most": 3, "must": "yes"}', "true or false"),
        ('{"kind": "words", "at_most": 3, "value": "x"}', "'value' does not belong"),
        ('{"kind": "ends"}', "under 'value'"),
        ('{"kind": "ends", "value": " "}', "under 'value'"),
        ('{"kind": "ends", "value": 3}', "under 'value'"),
        ('{"kind": "ends", "value": "%s"}' % ("x" * 501), "501 characters"),
        ('{"kind": "ends", "value": "%s"}' % ("x" * 9000), "at most 8000"),
        ('{"kind": "pattern", "value": ".*"}', "found in every answer"),
        ('{"kind": "pattern", "value": "x*", "must": false}', "found in every answer"),
        ('{"kind": "pattern", "value": "(?=x)"}', "looking ahead"),
        ('{"kind": "pattern", "value": "(a)\\\\1"}', "references"),
        ('{"kind": "pattern", "value": "(a"}', "closing"),
        ('{"kind": "pattern", "value": "a)"}', "opening"),
        ('{"kind": "pattern", "value": "a**"}', "follows another"),
        ('{"kind": "pattern", "value": "+a"}', "nothing stands before"),
        ('{"kind": "pattern", "value": "[z-a]"}', "no range"),
        ('{"kind": "pattern", "value": "[a"}', "breaks off"),
        ('{"kind": "pattern", "value": "a{1000}"}', "0 to 100"),
        ('{"kind": "pattern", "value": "((((a{99}){99}){99}){99}){99}"}', "too large"),
        ('{"kind": "pattern", "value": "((((){99}){99}){99}){99}"}', "too large"),
        ('{"kind": "pattern", "value": "%s"}' % ("(" * 100), "nested"),
        ('{"kind": "pattern", "value": "%s"}' % ("a" * 201), "201 characters"),
        ('{"kind": "json_schema", "schema": []}', "is an object"),
        ('{"kind": "json_schema", "schema": "{"}', "no JSON"),
        ('{"kind": "json_schema", "schema": {"$ref": "#"}}', "'$ref' is not understood"),
        ('{"kind": "json_schema", "schema": {"type": "text"}}', "'type' is not understood"),
        ('{"kind": "json_schema", "schema": {"minItems": true}}', "'minItems'"),
        ('{"kind": "json_schema", "schema": {"pattern": "(?=x)"}}', "looking ahead"),
        ('{"kind": "json_schema", "schema": {"items": {"items": {"if": {}}}}}', "'if'"),
    ],
)
def test_what_is_no_check_is_refused_in_words(text: str, why: str) -> None:
    with pytest.raises(SkillError) as caught:
        parse(text)
    assert why in caught.value.detail
    assert caught.value.hint


def test_a_schema_of_every_kind_of_word_is_held_to() -> None:
    schema = {
        "type": "object",
        "properties": {
            "n": {"type": ["integer", "null"], "minimum": 1, "exclusiveMaximum": 5},
            "s": {"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^a"},
            "l": {"items": {"enum": [1, "x", None]}, "minItems": 1, "uniqueItems": True},
            "c": {"const": {"a": [True]}},
            "o": {"anyOf": [{"type": "boolean"}, {"allOf": [{"type": "number"}, {"maximum": 0}]}]},
        },
        "additionalProperties": {"not": {"type": "string"}},
        "maxProperties": 3,
    }
    made = check(kind="json_schema", schema=schema)
    good = [{}, {"n": 4.0}, {"n": None}, {"s": "abc"}, {"l": [1, "x"]}, {"l": [None]}]
    good += [{"c": {"a": [True]}}, {"o": False}, {"o": -1.5}, {"new": 1}]
    bad = [{"n": 0}, {"n": 5}, {"n": True}, {"n": 1.5}, {"s": "a"}, {"s": "bcd"}, {"s": "abcd"}]
    bad += [{"l": []}, {"l": [1, 1.0]}, {"l": [True]}, {"c": {"a": [1]}}, {"o": 1}, {"new": "x"}]
    bad += [[], {"a": 1, "b": 2, "d": 3, "e": 4}]
    assert [value for value in good if not holds(made, json.dumps(value))] == []
    assert [value for value in bad if holds(made, json.dumps(value))] == []


@pytest.mark.parametrize(
    "answer",
    ["[" * 50_000, '{"a": 1, "a": 2}', "[NaN]", "9" * 10_000, f'"{"x" * 200_000}"', "\ud83d", ""],
    ids=lambda answer: answer[:9],
)
def test_no_answer_upsets_a_schema(answer: str) -> None:
    assert not holds(check(kind="json_schema", schema={"enum": [1]}), answer)


# -- patterns ----------------------------------------------------------------------------------

_ATOMS = ("a", "b", "1", "-", " ", "A", ".", "[ab]", "[^a]", "[A-Z_]", r"\d", r"\w", r"\s", r"\S")
_ATOMS_PLACED = (*_ATOMS, r"\b", r"\B", "^", "$", r"\A", r"\Z", r"\n", r"\.", "{", "}")
_REPEATS = ("", "", "*", "+", "?", "{2}", "{1,3}", "{,2}", "{2,}", "*?", "+?")
_repeated = st.builds(str.__add__, st.sampled_from(_ATOMS), st.sampled_from(_REPEATS))


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = st.builds("({}){}".format, inner, st.sampled_from(_REPEATS))
    either = st.builds("(?:{}|{})".format, inner, inner)
    return st.lists(st.one_of(inner, group, either), max_size=3).map("".join)


_patterns = st.recursive(st.one_of(_repeated, st.sampled_from(_ATOMS_PLACED)), _grown, max_leaves=8)
_flags = st.sampled_from(("", "(?i)", "(?m)", "(?s)", "(?ims)"))


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(_flags, _patterns, st.text("abA1-_ \n\u00e9", max_size=8))
def test_a_pattern_finds_what_python_finds(flags: str, pattern: str, text: str) -> None:
    try:
        wanted = re.search(flags + pattern, text) is not None
    except re.error:
        return
    try:
        found = Pattern(flags + pattern).found_in(text)
    except SkillError:
        # Legal in Python and refused here: nothing at all, or a place repeated.
        assert flags + pattern == "" or "cannot be repeated" in str(_refusal(flags + pattern))
        return
    assert found == wanted


def _refusal(pattern: str) -> SkillError:
    with pytest.raises(SkillError) as caught:
        Pattern(pattern)
    return caught.value


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a*)*b", "(a|a)*b", "(.*a.*a.*a.*a)x", "([ab]*)*[ab]{40}c", "(a?){30}a{30}b"],
)
def test_a_pattern_that_hangs_python_is_answered_here(pattern: str) -> None:
    # Any of these would keep `re` busy beyond the time limit of the whole run.
    made = check(kind="pattern", value=pattern)
    assert not holds(made, "a" * 50_000 + "!")
