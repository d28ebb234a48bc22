"""Tests of the signals about an answer: from its tools, its format, and what a reader heard."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lull.backends.chat.json_schema import fits_schema
from lull.core.chat.messages import Message, MessagePart, PartKind, Role, ToolCall, text_message
from lull.core.feedback import signals as watched
from lull.core.feedback.environment_faults import environment_fault
from lull.core.feedback.feedback import MessageFindings
from lull.core.feedback.reward import Source
from lull.core.feedback.signals import SignalKind, from_feedback, from_tools, regenerated


def test_a_correction_speaks_against_the_answer_in_the_users_words() -> None:
    (signal,) = from_feedback(MessageFindings(correction=0.9, lasting=0.0), "No, use dashes.")
    assert (signal.kind, signal.value) == (SignalKind.CORRECTION, -1.0)
    assert (signal.source, signal.text) == (Source.IMPLICIT, "No, use dashes.")


def test_thanks_speak_for_it_but_less() -> None:
    (signal,) = from_feedback(MessageFindings(correction=0.1, lasting=0.0, thanks=0.9), "Thanks!")
    assert (signal.kind, signal.value) == (SignalKind.THANKS, watched.THANKS_VALUE)


@pytest.mark.parametrize(
    "heard",
    [
        MessageFindings(correction=0.4, lasting=0.9, quote=("I use tabs",)),
        MessageFindings(correction=0.9, lasting=0.9, thanks=0.9, unsure=True),
        MessageFindings(correction=0.0, lasting=0.0),
    ],
)
def test_what_neither_corrects_nor_thanks_says_nothing_of_the_answer(
    heard: MessageFindings,
) -> None:
    assert from_feedback(heard, "so it is") == ()


def test_an_answer_that_was_asked_for_again_looks_a_little_bad() -> None:
    assert regenerated("a menu").value == watched.ASKED_AGAIN_VALUE


def called(name: str = "bash", command: str = "python run.py", call_id: str = "1") -> Message:
    call = ToolCall(name=name, arguments=json.dumps({"command": command}), id=call_id)
    return Message(role=Role.ASSISTANT, tool_calls=(call,))


def result(text: str, call_id: str = "1") -> Message:
    part = MessagePart(kind=PartKind.TOOL_RESULT, text=text)
    return Message(role=Role.TOOL, parts=(part,), tool_call_id=call_id)


FAILED_RUNS = [
    "Exit code: 1\nboom",
    "exit code 2",
    '{"exit_code": 2, "output": "boom"}',
    '{"output": "x", "metadata": {"exit_code": 1, "duration_seconds": 0.1}}',
    "Process exited with code 1",
    "some output\nCommand failed with exit code 3",
    "<returncode>1</returncode>\n<output>boom</output>",
    "boom\nexit status 1",
    '{"is_error": true, "content": "no such column"}',
    "<tool_use_error>File has not been read yet.</tool_use_error>",
    "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'",
    "main.c:3:5: error: expected ';' before 'return'",
    "error[E0308]: mismatched types\n --> src/main.rs:2:5",
    "src/a.ts(3,1): error TS2304: Cannot find name 'x'.",
]
FAILED_TESTS = [
    "F..\n=== short test summary ===\nFAILED test_a.py::test_x - assert 1 == 2\n"
    "==== 1 failed, 2 passed in 0.12s ====",
    "1 error in 0.05s",
    "Ran 3 tests in 0.001s\n\nFAILED (failures=1)",
    "Ran 3 tests in 0.001s\n\nFAILED (errors=1, skipped=1)",
    "Tests:       1 failed, 5 passed, 6 total\nSnapshots:   0 total",
    "      Tests  1 failed | 5 passed (6)",
    "--- FAIL: TestSum (0.00s)\nFAIL\nFAIL\texample.org/sum\t0.002s",
    "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
    "  5 passing (20ms)\n  1 failing",
    "5 examples, 1 failure",
    "50% tests passed, 1 tests failed out of 2",
]
PASSED_TESTS = [
    "==== 5 passed in 0.12s ====",
    "5 passed, 1 skipped, 1 xfailed in 2.31s",
    "...\nRan 3 tests in 0.001s\n\nOK",
    "Tests:       6 passed, 6 total",
    "ok  \texample.org/sum\t0.002s",
    "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    "  5 passing (20ms)",
    "5 examples, 0 failures",
    "100% tests passed, 0 tests failed out of 3",
    "OK (5 tests, 9 assertions)",
]


@pytest.mark.parametrize("text", FAILED_RUNS)
def test_a_failed_run_speaks_against_the_answer_that_made_it(text: str) -> None:
    (signal,) = from_tools([result(text)], answer=called())
    assert (signal.kind, signal.value) == (SignalKind.TOOL_RESULT, -1.0)
    assert signal.source is Source.VERIFIABLE


@pytest.mark.parametrize("text", FAILED_TESTS)
def test_a_failed_test_speaks_against_it(text: str) -> None:
    (signal,) = from_tools([result(text)], answer=called(command="make test"))
    assert (signal.kind, signal.value) == (SignalKind.TEST_RESULT, -1.0)
    assert signal.text


@pytest.mark.parametrize("text", PASSED_TESTS)
def test_passed_tests_speak_for_it(text: str) -> None:
    (signal,) = from_tools([result(text)], answer=called(command="make test"))
    assert (signal.kind, signal.value) == (SignalKind.TEST_RESULT, 1.0)


def test_a_run_that_ended_well_speaks_for_it_but_less() -> None:
    (signal,) = from_tools([result("done\nexit code: 0")], answer=called())
    assert 0 < signal.value < 1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (called(command="grep -rn needle src"), "exit code: 1"),
        (called(command="cd src && rg needle | head -3"), "Exit code 1"),
        (called(command="diff a b"), "< x\n> y\nexit code: 1"),
        (called(command="git diff --exit-code"), "exit code: 1"),
        (called(command="test -f x"), "exit code: 1"),
        (called(command="ls missing"), "ls: missing: No such file\nexit code: 2"),
        (called(command="cat build.log"), "main.c:3:5: error: expected ';'\nexit code: 0"),
        (called(command="cat pytest.log"), "==== 1 failed in 0.12s ===="),
        (called("read_file", ""), "Traceback (most recent call last):\nKeyError: 'x'"),
        (called("readFile", ""), "exit code: 1"),
        (called("web_search", ""), "How to fix exit code: 1"),
        (called("get_weather", ""), '{"temp": 3}'),
        (called("deploy", ""), "Deployed to staging."),
        (called(), ""),
        (called(), "the docs say that exit codes matter"),
    ],
)
def test_where_it_cannot_be_told_nothing_is_said(call: Message, text: str) -> None:
    assert from_tools([result(text)], answer=call) == ()


FAULTS = [
    ("Error: connect ETIMEDOUT 10.0.0.1:443\nexit code: 1", "time-out"),
    ("requests.exceptions.ReadTimeout: read timed out\nexit code: 1", "time-out"),
    ("Command timed out after 120s\nexit code: 124", "time-out"),
    ("HTTP 429 Too Many Requests\nexit code: 1", "rate limit"),
    ("openai.RateLimitError: Error code: 429\nexit code: 1", "rate limit"),
    ("curl: (22) The requested URL returned error: 503\nexit code: 22", "server error"),
    ("502 Bad Gateway\nexit code: 1", "server error"),
    ("bash: ./x.sh: Permission denied\nexit code: 126", "permission"),
    ("PermissionError: [Errno 13] Permission denied: '/etc/x'\nexit code: 1", "permission"),
    ("HTTP 403 Forbidden\nexit code: 1", "permission"),
    ("Error: connect ECONNREFUSED 127.0.0.1:5432\nexit code: 1", "connection"),
    ("curl: (6) Could not resolve host: example.org\nexit code: 6", "name lookup"),
    ("OSError: [Errno 28] No space left on device\nexit code: 1", "disk"),
    ("You exceeded your current quota\nexit code: 1", "quota"),
    ("bash: cargo: command not found\nexit code: 127", "missing program"),
    ("fatal: Cannot allocate memory\nexit code: 128", "memory"),
    ("OSError: [Errno 98] Address already in use\nexit code: 1", "busy resource"),
]


@pytest.mark.parametrize(("text", "cause"), FAULTS)
def test_a_fault_of_the_surroundings_is_nobodys_failure(text: str, cause: str) -> None:
    assert environment_fault(text) == cause
    (signal,) = from_tools([result(text)], answer=called())
    assert (signal.kind, signal.value) == (SignalKind.ENVIRONMENT, 0.0)
    assert cause in signal.text


@pytest.mark.parametrize(
    "text",
    [
        "timeout = 30",
        "test_permission_denied PASSED",
        "AssertionError: expected 500 rows, got 503",
        "500 lines written",
        "exit code: 1",
        "KeyError: 'quota'",
        "listening on port 4290",
        "SyntaxError: invalid syntax",
        "rate_limit: 10",
        "",
    ],
)
def test_what_only_sounds_like_a_fault_is_none(text: str) -> None:
    assert environment_fault(text) is None


def test_a_well_ended_run_is_no_fault_whatever_it_prints() -> None:
    (signal,) = from_tools([result("retrying: connection refused\nexit code: 0")], answer=called())
    assert signal.kind is SignalKind.TOOL_RESULT


def test_only_the_answers_own_calls_count_up_to_the_next_answer() -> None:
    later = called(call_id="2")
    after = [result("exit code: 0"), later, result("exit code: 1", "2")]
    (signal,) = from_tools(after, answer=called())
    assert signal.value > 0
    assert from_tools([result("exit code: 1", "other")], answer=called()) == ()
    assert from_tools([text_message(Role.USER, "exit code: 1")], answer=called()) == ()


def test_two_results_in_one_message_belong_to_two_calls() -> None:
    calls = (*called(call_id="1").tool_calls, *called(call_id="2").tool_calls)
    parts = tuple(MessagePart(kind=PartKind.TOOL_RESULT, text=f"exit code: {n}") for n in (0, 1))
    both = Message(role=Role.TOOL, parts=parts, tool_call_id="1")
    values = [
        s.value for s in from_tools([both], answer=Message(role=Role.ASSISTANT, tool_calls=calls))
    ]
    assert values[0] > 0 > values[1]


def test_without_the_answer_each_result_is_read_by_itself() -> None:
    assert [s.value for s in from_tools([result("exit code: 1", "x")])] == [-1.0]


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_result_can_be_read(text: str) -> None:
    assert len(from_tools([result(text)], answer=called())) <= 1


def from_format(format_json: str, answer: str) -> tuple[watched.Signal, ...]:
    return watched.from_format(format_json, answer, fits_schema)


# -- format ------------------------------------------------------------------------------------

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 20},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "mood": {"enum": ["good", "bad", None]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2, "minItems": 1},
        "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
        "home": {"$ref": "#/$defs/place"},
        "kind": {"const": "person"},
        "size": {"anyOf": [{"type": "number"}, {"type": "null"}]},
    },
    "required": ["name"],
    "additionalProperties": False,
    "$defs": {
        "place": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        }
    },
}
FITS = [
    {"name": "Ann"},
    {"name": "Ann", "age": 3.0, "mood": None, "tags": ["a"], "code": "DE-12"},
    {"name": "Ann", "home": {"city": "Leeds", "zip": 1}, "kind": "person", "size": None},
]
FITS_NOT = [
    [],
    "Ann",
    {},
    {"name": ""},
    {"name": "A" * 21},
    {"name": 3},
    {"name": "Ann", "age": 3.5},
    {"name": "Ann", "age": True},
    {"name": "Ann", "age": -1},
    {"name": "Ann", "age": 151},
    {"name": "Ann", "mood": "so-so"},
    {"name": "Ann", "mood": 0},
    {"name": "Ann", "tags": []},
    {"name": "Ann", "tags": ["a", "b", "c"]},
    {"name": "Ann", "tags": [1]},
    {"name": "Ann", "code": "D-1"},
    {"name": "Ann", "home": {}},
    {"name": "Ann", "kind": "robot"},
    {"name": "Ann", "size": "tall"},
    {"name": "Ann", "more": 1},
]
FORMS = [
    PERSON,
    {"type": "json_schema", "json_schema": {"name": "person", "schema": PERSON, "strict": True}},
    {"type": "json_schema", "name": "person", "schema": PERSON},
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", FITS)
def test_what_fits_speaks_for_the_answer(form: object, value: object) -> None:
    (signal,) = from_format(json.dumps(form), json.dumps(value))
    assert (signal.kind, signal.value) == (SignalKind.SCHEMA, 1.0)


def test_what_does_not_fit_speaks_against_it(subtests: pytest.Subtests) -> None:
    for form, value in product(FORMS, FITS_NOT):
        with subtests.test(form=form, value=value):
            assert [s.value for s in from_format(json.dumps(form), json.dumps(value))] == [-1.0]


@pytest.mark.parametrize("form", ["json", '"json"', '{"type":"json_object"}', json.dumps(PERSON)])
@pytest.mark.parametrize(
    "answer", ["Sure! {}", '```json\n{"name": "Ann"}\n```', "{", '{"name": NaN}']
)
def test_what_is_no_json_speaks_against_it(form: str, answer: str) -> None:
    assert [s.value for s in from_format(form, answer)] == [-1.0]


@pytest.mark.parametrize("form", ["json", '"json"', '{"type": "json_object"}'])
def test_any_object_will_do_where_only_json_was_asked_for(form: str) -> None:
    assert [s.value for s in from_format(form, ' {"a": [1, null]}\n')] == [1.0]


@pytest.mark.parametrize("form", ["", "{}", '{"type": "text"}', "null", "not json", '"xml"'])
def test_where_no_json_was_asked_for_nothing_is_said(form: str) -> None:
    assert from_format(form, "plain words") == ()


def test_an_answer_without_words_says_nothing() -> None:
    assert from_format("json", "") == ()


def test_an_answer_nested_too_deep_is_left_undecided() -> None:
    assert from_format("json", "[" * 100_000) in ((), from_format("json", "["))
