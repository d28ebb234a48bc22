"""What the next message, a second try, a tool and a format say about an answer.

The reader of next messages is measured on labelled sentences. Three sets were written for it, one
after the other, and each was measured once before anything was changed for it:

    set         cases   precision   recall of corrections, when first measured
    careful       289       0.978    0.923   the reader was written with it in sight
    hasty         216       0.940    0.705   blind, after tuning to the first
    strangers     197       0.823    0.510   blind, after tuning to the first two
    afresh        241       0.951    0.907   blind, after the reader was built anew on all three
    latest         80       0.919    0.850   blind, after all four

On phrasing that nobody tuned it to, expect something like the last two lines, and on hard cases
(strangers is the set of those) much less recall; not what the tests below hold it to. They
report both figures with `--junitxml`, and when one fails.
"""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lull.backends.json_schema import fits_schema
from lull.core import pocket
from lull.core import signals as hearing
from lull.core.faults import environment_fault
from lull.core.messages import (
    Completion,
    Finish,
    Message,
    Part,
    PartKind,
    Role,
    ToolCall,
    text_message,
)
from lull.core.reward import Source
from lull.core.signals import (
    SignalKind,
    from_tools,
    is_regeneration,
    read_reply,
    regenerated,
)
from tests.core.said import Means, Said, afresh, careful, hasty, latest, strangers

SETS = {
    "careful": careful,
    "hasty": hasty,
    "strangers": strangers,
    "afresh": afresh,
    "latest": latest,
}
ALL = [case for module in SETS.values() for case in module.CASES]


def kind_of(said: Said) -> Means:
    signals = read_reply(said.text, asked=said.asked, answer=said.answer)
    if not signals:
        return Means.NOTHING
    return Means(signals[0].kind.value)


def precision_and_recall(cases: list[Said], means: Means) -> tuple[float, float]:
    found = [case for case in cases if kind_of(case) is means]
    right = sum(case.means is means for case in found)
    there = sum(case.means is means for case in cases)
    return right / len(found), right / there


# -- the labelled sets -------------------------------------------------------------------------


def test_the_sets_are_large_and_half_of_them_are_traps() -> None:
    corrections = sum(case.means is Means.CORRECTION for case in ALL)
    assert len(careful.CASES) >= 240
    assert len(hasty.CASES) >= 120
    assert 0.4 <= corrections / len(ALL) <= 0.6
    assert len({case.text for case in ALL}) >= 0.97 * len(ALL)


@pytest.mark.parametrize("name", [*SETS, "all"])
def test_corrections_are_found_and_little_else(
    name: str, record_property: pytest.RecordProperty
) -> None:
    cases = ALL if name == "all" else list(SETS[name].CASES)
    precision, recall = precision_and_recall(cases, Means.CORRECTION)
    record_property("precision", precision)
    record_property("recall", recall)
    assert precision >= 0.95
    assert recall >= 0.8


def test_thanks_are_found_and_little_else() -> None:
    precision, recall = precision_and_recall(ALL, Means.THANKS)
    assert precision >= 0.95
    assert recall >= 0.8


# -- one message ------------------------------------------------------------------------------


def test_a_correction_is_the_worst_and_comes_from_the_users_own_words() -> None:
    (signal,) = read_reply("That's wrong. Use dashes.", asked="a list", answer="a, b")
    assert (signal.kind, signal.source, signal.value) == (
        SignalKind.CORRECTION,
        Source.IMPLICIT,
        -1.0,
    )
    assert signal.text == "That's wrong. Use dashes."


def test_pasted_text_is_not_among_the_words_of_a_signal() -> None:
    (signal,) = read_reply("You forgot the colon:\n```\ndef f()\n```")
    assert signal.text == "You forgot the colon:"


def test_courtesy_counts_less_than_the_word_that_it_works() -> None:
    (polite,) = read_reply("Thanks!")
    (works,) = read_reply("Thanks, that works.")
    assert 0 < polite.value < works.value == 1.0


@pytest.mark.parametrize("text", ["", "   ", "?!", "…", "```\ncode\n```", "> cited", '"quoted"'])
def test_what_holds_no_own_words_says_nothing(text: str) -> None:
    assert read_reply(text) == ()


def test_the_same_request_sent_again_is_no_reply() -> None:
    wrong = "No, I meant the other one."
    assert read_reply(wrong, asked=wrong) == ()
    assert read_reply(wrong, asked="Which one?") != ()


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Do you want tests, too?", "No."),
        ("Should I use commas or dashes?", "Use dashes."),
        ("Which file do you mean?", "Not that one, the second."),
    ],
)
def test_a_reply_to_the_assistants_question_is_no_correction(question: str, reply: str) -> None:
    assert read_reply(reply, answer=f"Here it is.\n\n{question}") == ()
    assert read_reply(reply, answer="Here it is.")[0].kind is SignalKind.CORRECTION


def test_asked_whether_it_is_right_a_no_is_a_correction() -> None:
    (signal,) = read_reply("No.", answer="I changed it. Does this look right?")
    assert signal.kind is SignalKind.CORRECTION


@pytest.mark.parametrize("seed", range(30))
def test_the_built_in_models_language_is_understood(seed: int) -> None:
    rng = random.Random(seed)
    kind = rng.choice(list(pocket.Kind))
    request = pocket.draw_request(rng, kind, pocket.draw_words(rng))
    assert read_reply(request, asked="hello", answer="hello.") == ()
    for rule in pocket.rule_phrasings(kind, pocket.draw_style(rng)):
        for correction in pocket.correction_phrasings(rule):
            (signal,) = read_reply(correction, asked=request, answer="river, stone")
            assert (signal.kind, signal.text) == (SignalKind.CORRECTION, correction)


@pytest.mark.parametrize("text", pocket.SMALL_TALK)
def test_small_talk_with_the_built_in_model_corrects_nothing(text: str) -> None:
    assert all(signal.value > 0 for signal in read_reply(text, answer="noted."))


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    assert len(read_reply(text, asked="x", answer=text)) <= 1


@pytest.mark.parametrize(
    "piece", ["'", '"a', "no, ", "it is ", "the ", "a'b ", "( ", "-- ", "it gives "]
)
def test_a_long_hostile_text_is_read_in_bounded_work(piece: str) -> None:
    assert len(read_reply(piece * 100_000)) <= 1


# -- asked again -------------------------------------------------------------------------------


def said(*texts: str) -> list[Message]:
    """User and assistant in turn."""
    return [text_message(Role.ASSISTANT if i % 2 else Role.USER, t) for i, t in enumerate(texts)]


def answered(text: str = "42", finish: Finish = Finish.STOP, error: str = "") -> Completion:
    return Completion(message=text_message(Role.ASSISTANT, text), finish=finish, error=error)


def test_the_same_history_again_is_a_regeneration() -> None:
    asked = said("hi", "hello", "write a poem")
    assert is_regeneration(asked, answered(), said("hi", "hello", "write a poem"))
    assert regenerated("write a poem").value < 0


def test_the_same_first_words_may_open_a_new_conversation() -> None:
    asked = said("write a poem")
    assert not is_regeneration(asked, answered(), asked)
    assert is_regeneration(asked, answered(), asked, same_conversation=True)
    assert not is_regeneration(
        said("a", "b", "c"), answered(), said("a", "b", "c"), same_conversation=False
    )


def test_another_history_is_no_regeneration() -> None:
    asked = said("hi", "hello", "write a poem")
    assert not is_regeneration(asked, answered(), said("hi", "hello", "write a story"))
    assert not is_regeneration(asked, answered(), said("hi", "hey", "write a poem"))
    assert not is_regeneration(asked, answered(), [])


@pytest.mark.parametrize(
    "before",
    [
        answered(finish=Finish.HANGUP),
        answered(finish=Finish.ERROR, error="503"),
        answered(finish=Finish.LENGTH),
        answered(text=""),
        answered(error="upstream gone"),
    ],
)
def test_a_retry_of_what_was_cut_or_failed_rejects_nothing(before: Completion) -> None:
    asked = said("hi", "hello", "write a poem")
    assert not is_regeneration(asked, before, asked)


def test_an_agent_that_sends_its_tool_result_again_rejects_nothing() -> None:
    result = Message(role=Role.TOOL, parts=(Part(kind=PartKind.TOOL_RESULT, text="ok"),))
    asked = [*said("hi", "hello", "run it", "…"), result]
    assert not is_regeneration(asked, answered(), asked)


# -- tools -------------------------------------------------------------------------------------


def called(name: str = "bash", command: str = "python run.py", call_id: str = "1") -> Message:
    call = ToolCall(name=name, arguments=json.dumps({"command": command}), id=call_id)
    return Message(role=Role.ASSISTANT, tool_calls=(call,))


def result(text: str, call_id: str = "1") -> Message:
    part = Part(kind=PartKind.TOOL_RESULT, text=text)
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
    assert from_tools(said("exit code: 1"), answer=called()) == ()


def test_two_results_in_one_message_belong_to_two_calls() -> None:
    calls = (*called(call_id="1").tool_calls, *called(call_id="2").tool_calls)
    parts = tuple(Part(kind=PartKind.TOOL_RESULT, text=f"exit code: {n}") for n in (0, 1))
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


def from_format(format_json: str, answer: str) -> tuple[hearing.Signal, ...]:
    return hearing.from_format(format_json, answer, fits_schema)


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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", FITS_NOT)
def test_what_does_not_fit_speaks_against_it(form: object, value: object) -> None:
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
