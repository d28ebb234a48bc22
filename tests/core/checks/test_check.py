"""Tests of a check proposed with a skill: strict parsing, wording, and cost on any answer."""

from __future__ import annotations

import json

import pytest

from lull.backends.chat.json_schema import fits_schema
from lull.core.checks.check import Check, CheckKind, CheckLibraries, CheckSet
from lull.core.checks.check_answer import keeps_rule, passes_check
from lull.core.checks.reading import all_to_json, parse, parse_all, to_json
from lull.core.checks.wording import all_in_words, in_words
from lull.core.errors import SkillError
from tests.growing import grows_like_its_size

MENU = {"type": "object", "properties": {"menu": {"type": "array"}}, "required": ["menu"]}
TOOLS = CheckLibraries(detect=lambda text: None, fits_schema=fits_schema)


def check(**fields: object) -> Check:
    return parse(json.dumps(fields))


@pytest.mark.parametrize(
    ("fields", "good", "bad"),
    [
        ({"kind": "words", "at_most": 3}, "just three words", "one two three four"),
        ({"kind": "words", "at_least": 2, "at_most": 2}, "two words", "one"),
        ({"kind": "words", "at_most": 2, "must": False}, "at last three", "two words"),
        ({"kind": "starts", "value": "Dear "}, "\n Dear Anna", "Hello, Dear"),
        ({"kind": "ends", "value": "sugar\n"}, "apple | sugar\n", "sugar | apple"),
        ({"kind": "contains", "value": " | "}, "apple | river", "apple and river"),
        ({"kind": "json_schema", "schema": MENU}, '{"menu": ["soup"]}', '{"menu": "soup"}'),
        ({"kind": "json_schema", "schema": {}}, " [1]\n", "Here it is: [1]"),
        ({"kind": "json_schema", "schema": {}}, "{}", "```json\n{}\n```"),
        ({"kind": "not_contains", "value": "delve\ntapestry"}, "a rug", "a rich tapestry"),
        ({"kind": "no_sign", "value": "comma"}, "calm", "calm, and"),
        ({"kind": "indent", "value": "tabs"}, "```py\nif a:\n\tb\n```", "```py\nif a:\n  b\n```"),
    ],
)
def test_an_answer_passes_or_does_not(fields: dict[str, object], good: str, bad: str) -> None:
    made = check(**fields)
    assert passes_check(made, good, TOOLS) is True
    assert passes_check(made, bad, TOOLS) is False
    assert parse(to_json(made)) == made


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "words", "at_most": 60}, "The answer must have at most 60 words."),
        ({"kind": "words", "at_least": 9}, "The answer must have at least 9 words."),
        ({"kind": "words", "at_least": 1, "at_most": 9}, "The answer must have 1 to 9 words."),
        ({"kind": "sentences", "at_most": 1}, "The answer must have at most 1 sentence."),
        ({"kind": "lines", "at_least": 9, "at_most": 9}, "The answer must have exactly 9 lines."),
        (
            {"kind": "starts", "value": "Hi", "must": False},
            "The answer must not start with the text “Hi”.",
        ),
        ({"kind": "ends", "value": "sugar"}, "The answer must end with the text “sugar”."),
        (
            {"kind": "not_contains", "value": "a\nb"},
            "The answer must not have the text “a” or “b” in it.",
        ),
        ({"kind": "language", "value": "de"}, "The answer must be in German."),
        ({"kind": "units", "value": "celsius"}, "The answer must give quantities in Celsius."),
        ({"kind": "no_apology"}, "The answer must not apologise."),
        ({"kind": "bullets", "at_most": 3}, "The answer must be a list with at most 3 bullets."),
        (
            {"kind": "json_schema", "schema": {"type": "array"}},
            'The answer must be JSON, and nothing else, of this form: {"type": "array"}.',
        ),
    ],
)
def test_it_is_told_in_words(fields: dict[str, object], words: str) -> None:
    assert in_words(check(**fields)) == words


TWO = {"kind": "sentences", "at_most": 2}
QUIET = {"kind": "no_sign", "value": "exclamation mark"}


def several(*checks: object, **beside: object) -> CheckSet:
    return parse_all(json.dumps({"all": checks, **beside}))


def test_a_rule_with_several_checks_is_kept_only_if_an_answer_passes_all() -> None:
    rule = several(TWO, QUIET)
    assert keeps_rule(rule, "One. Two.") is True
    assert keeps_rule(rule, "One! Two.") is False
    assert keeps_rule(rule, "One. Two. Three.") is False
    assert keeps_rule(several(QUIET, {"kind": "type_hints"}), "Hello.") is None
    assert parse_all(all_to_json(rule)) == rule


def test_of_a_rule_that_is_tested_in_part_it_is_only_known_when_it_is_broken() -> None:
    rule = several(TWO, only_part=True)
    assert not rule.whole
    assert keeps_rule(rule, "One. Two. Three.") is False
    assert keeps_rule(rule, "One. Two.") is None
    assert parse_all(all_to_json(rule)) == rule


def test_what_a_rule_has_answers_end_with_breaks_none_of_its_other_checks() -> None:
    rule = several({"kind": "lower_case"}, TWO, QUIET, {"kind": "ends", "value": "-- Kim!"})
    assert keeps_rule(rule, "all small. that is it.\n\n-- Kim!") is True
    assert keeps_rule(rule, "All small. that is it.\n\n-- Kim!") is False
    assert keeps_rule(rule, "all small! that is it.\n\n-- Kim!") is False
    assert keeps_rule(rule, "one. two. three.\n\n-- Kim!") is False
    assert keeps_rule(rule, "all small. that is it.\n\n-- kim") is None
    three_words = several({"kind": "words", "at_most": 3}, {"kind": "ends", "value": "Yours, Kim"})
    assert keeps_rule(three_words, "It rains. Yours, Kim") is None
    assert keeps_rule(three_words, "It rains again today. Yours, Kim") is False


def test_one_check_of_a_whole_rule_is_written_as_ever() -> None:
    one = parse_all(json.dumps(TWO))
    assert one == several(TWO) == several(TWO, TWO)
    assert all_to_json(one) == to_json(parse(json.dumps(TWO))) == json.dumps(TWO)


@pytest.mark.parametrize(
    "wrong",
    [
        {"all": []},
        {"all": TWO},
        {"all": ["words"]},
        {"all": [TWO], "only_part": "yes"},
        {"all": [TWO], "kind": "words"},
        {"all": [{"all": [TWO]}]},
        {"all": [{"kind": "words", "at_most": n} for n in range(1, 10)]},
    ],
)
def test_several_checks_are_read_as_strictly_as_one(wrong: dict[str, object]) -> None:
    with pytest.raises(SkillError):
        parse_all(json.dumps(wrong))


def test_several_checks_are_told_one_after_the_other() -> None:
    both = "The answer must have at most 2 sentences. The answer must have no exclamation marks."
    assert all_in_words(several(TWO, QUIET)) == both
    assert (
        all_in_words(several(TWO, only_part=True))
        == "The answer must have at most 2 sentences. The rest of the rule is not tested."
    )


PARAMETERS: dict[CheckKind, dict[str, object]] = {
    **{
        CheckKind(kind): {"at_most": 2}
        for kind in ("words", "sentences", "paragraphs", "lines", "characters")
    },
    **{CheckKind(kind): {"value": "x"} for kind in ("starts_with", "ends_with", "contains")},
    CheckKind.NOT_CONTAINS: {"value": "x"},
    CheckKind.LANGUAGE: {"value": "fr"},
    CheckKind.NO_SIGN: {"value": "em dash"},
    CheckKind.INDENT: {"value": "spaces", "at_least": 4, "at_most": 4},
    CheckKind.DATE_FORMAT: {"value": "iso"},
    CheckKind.TIME_FORMAT: {"value": "24h"},
    CheckKind.UNITS: {"value": "grams,celsius"},
    CheckKind.QUOTE_STYLE: {"value": "straight"},
    CheckKind.JSON_SCHEMA: {"schema": {"type": "array"}},
}


def test_every_kind_can_be_written_down_told_and_held_to(subtests: pytest.Subtests) -> None:
    for kind in CheckKind:
        with subtests.test(kind=kind.value):
            made = check(kind=kind.value, **PARAMETERS.get(kind, {}))
            assert parse(to_json(made)) == made
            assert in_words(made).startswith("The answer must")
            for answer in ("", " ", "x", "# A\n\n- b\n```py\ndef f(): pass\n```", ""):
                assert passes_check(made, answer, TOOLS) in (True, False, None)


NASTY = [
    *(("", "[", ""), ("", "*", ""), ("", ".", "x"), ("", " ", ""), ("", "1,", "")),
    *(("", "Dr. ", ""), ("", "```\n", ""), ("", "- ", ""), ("", "\n", ""), ("", "**a", "")),
    *(("", "(a", ""), ("", "'", "'"), ("```py\n", "(", ""), ("", "|-", ""), ("", "/*", "")),
    *(("x = ", "-", ""), ("\ud83d é", " ", "")),
]
"""How an answer begins, what is in it many times, and how it ends."""


@pytest.mark.full
def test_no_answer_takes_long(subtests: pytest.Subtests) -> None:
    for kind in CheckKind:
        with subtests.test(kind=kind.value):
            # A pattern that tries every place from every place takes 64 times as long for one.
            made = check(kind=kind.value, **PARAMETERS.get(kind, {}))

            def judge(size: int, made: Check = made) -> None:
                for begins, piece, ends in NASTY:
                    answer = begins + piece * (size // len(piece)) + ends
                    assert passes_check(made, answer, TOOLS) in (True, False, None)

            assert grows_like_its_size(judge, small=1_125)


def test_contradicting_kinds_share_a_matter() -> None:
    assert (
        CheckKind.BULLETS.fixed_property
        == CheckKind.NO_BULLETS.fixed_property
        == CheckKind.NUMBERED_LIST.fixed_property
    )
    assert CheckKind.LOWER_CASE.fixed_property == CheckKind.UPPER_CASE.fixed_property
    assert CheckKind.WORDS.exclusive
    assert not CheckKind.NOT_CONTAINS.exclusive and not CheckKind.NO_EMOJI.exclusive


REFUSED: list[tuple[str, str]] = [
    ("", "not JSON"),
    ("{", "not JSON"),
    ('{"kind": "words", "kind": "ends"}', "twice"),
    ('{"kind": "words", "at_most": NaN}', "NaN"),
    ("[" * 5000, "not JSON"),
    ("[]", "not a JSON object"),
    ('"words"', "not a JSON object"),
    ('{"kind": "x" }', "its kind is none of"),
    ('{"at_most": 3}', "its kind is none of"),
    ('{"kind": "pattern", "value": "^- "}', "patterns are no longer checked"),
    ('{"kind": "words"}', "needs 'at_least' or 'at_most'"),
    ('{"kind": "words", "at_most": true}', "whole number"),
    ('{"kind": "words", "at_most": 2.5}', "whole number"),
    ('{"kind": "words", "at_most": -1}', "whole number"),
    ('{"kind": "words", "at_most": 0}', "so few"),
    ('{"kind": "words", "at_least": 9, "at_most": 3}', "so few"),
    ('{"kind": "words", "at_least": 0}', "every answer"),
    ('{"kind": "words", "at_most": 3, "must": "yes"}', "true or false"),
    ('{"kind": "words", "at_most": 3, "value": "x"}', "'value' does not belong"),
    ('{"kind": "no_emoji", "value": "x"}', "'value' does not belong"),
    ('{"kind": "ends"}', "under 'value'"),
    ('{"kind": "ends", "value": " "}', "under 'value'"),
    ('{"kind": "ends", "value": 3}', "under 'value'"),
    ('{"kind": "ends", "value": "%s"}' % ("x" * 501), "501 characters"),
    ('{"kind": "ends", "value": "%s"}' % ("x" * 9000), "at most 8000"),
    ('{"kind": "language", "value": "Klingon"}', "is one of"),
    ('{"kind": "language"}', "is one of"),
    ('{"kind": "units", "value": "grams,parsecs"}', "is one of"),
    ('{"kind": "no_sign", "value": 3}', "is a text"),
    ('{"kind": "json_schema", "schema": []}', "is an object"),
    ('{"kind": "json_schema", "schema": "{"}', "not JSON"),
    ('{"kind": "json_schema", "schema": {"$ref": "#"}}', "'$ref' is not allowed"),
    ('{"kind": "json_schema", "schema": {"pattern": "(a+)+$"}}', "'pattern' is not allowed"),
    ('{"kind": "json_schema", "schema": {"patternProperties": {}}}', "not allowed"),
    ('{"kind": "json_schema", "schema": ' + '{"not":' * 20 + "1" + "}" * 21, "nested"),
]


def test_what_is_no_check_is_refused_in_words(subtests: pytest.Subtests) -> None:
    for text, why in REFUSED:
        with subtests.test(text=text, why=why):
            with pytest.raises(SkillError) as caught:
                parse(text)
            assert why in caught.value.detail
            assert caught.value.hint


def test_a_field_may_be_called_pattern() -> None:
    schema = {"type": "object", "properties": {"pattern": {"type": "string"}}}
    made = check(kind="json_schema", schema=schema)
    assert passes_check(made, '{"pattern": "x"}', TOOLS) is True


def test_a_schema_of_every_kind_of_word_is_held_to() -> None:
    schema = {
        "type": "object",
        "properties": {
            "n": {"type": ["integer", "null"], "minimum": 1, "exclusiveMaximum": 5},
            "s": {"type": "string", "minLength": 2, "maxLength": 3},
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
    bad = [{"n": 0}, {"n": 5}, {"n": True}, {"n": 1.5}, {"s": "a"}, {"s": "abcd"}]
    bad += [{"l": []}, {"l": [1, 1.0]}, {"l": [True]}, {"c": {"a": [1]}}, {"o": 1}, {"new": "x"}]
    bad += [[], {"a": 1, "b": 2, "d": 3, "e": 4}]
    assert [
        value for value in good if passes_check(made, json.dumps(value), TOOLS) is not True
    ] == []
    assert [
        value for value in bad if passes_check(made, json.dumps(value), TOOLS) is not False
    ] == []


@pytest.mark.parametrize(
    "answer",
    ["[" * 50_000, '{"a": 1, "a": 2}', "[NaN]", "9" * 10_000, "\ud83d", ""],
    ids=lambda answer: answer[:9],
)
def test_no_answer_upsets_a_schema(answer: str) -> None:
    assert passes_check(check(kind="json_schema", schema={"enum": [1]}), answer, TOOLS) is False


def test_without_the_library_a_schema_tells_nothing() -> None:
    assert passes_check(check(kind="json_schema", schema=MENU), '{"menu": []}') is None
