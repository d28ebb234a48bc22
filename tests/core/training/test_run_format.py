"""Tests of the text format of a run folder: it reads back as written, and errors are named."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.errors import TrainingError
from lull.core.training.events import (
    RunBegan,
    RunEvent,
    RunFailed,
    RunFinished,
    RunRefused,
    StepDone,
    event_line,
    parse_event,
)
from lull.core.training.examples import (
    Example,
    GraduationExample,
    Group,
    RecordedAnswer,
    ReplayExample,
    SampledAnswer,
)
from lull.core.training.run_format import (
    example_line,
    read_batch,
    read_example,
    read_spec,
    spec_text,
)
from lull.core.training.spec import TERMS, KtoTerms, Lora, RunKind, RunSpec

IDS = st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=6).map(tuple)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def answers(draw: st.DrawFn) -> dict[str, Any]:
    ids = draw(IDS)
    foreign = draw(st.lists(st.integers(0, len(ids) - 1), unique=True).map(tuple))
    return {"ids": ids, "foreign": foreign}


@st.composite
def samples(draw: st.DrawFn) -> SampledAnswer:
    answer = draw(answers())
    logprobs = tuple(draw(NUMBERS) for _ in answer["ids"])
    return SampledAnswer(**answer, logprobs=logprobs, reward=draw(NUMBERS))


@st.composite
def examples(draw: st.DrawFn) -> Example:
    known = {"id": draw(st.text()), "prompt_ids": draw(IDS)}
    match draw(st.sampled_from([Group, RecordedAnswer, GraduationExample, ReplayExample])):
        case kind if kind is Group:
            return Group(**known, samples=tuple(draw(st.lists(samples(), max_size=4))))
        case kind if kind is RecordedAnswer:
            return RecordedAnswer(**known, **draw(answers()), good=draw(st.booleans()))
        case kind if kind is GraduationExample:
            taught = {"teacher_ids": draw(IDS), "sample_ids": draw(IDS | st.just(()))}
            return GraduationExample(**known, **taught)
    return ReplayExample(**known, **draw(answers()))


@given(examples())
def test_an_example_reads_back_as_it_was_written(example: Example) -> None:
    line = example_line(example)
    assert "\n" not in line
    assert read_example(line) == example


@pytest.mark.parametrize("kind", list(RunKind))
def test_a_spec_reads_back_as_it_was_written(kind: RunKind) -> None:
    spec = RunSpec(
        id="run",
        kind=kind,
        model="../model",
        parent="/an/adapter",
        seed=7,
        lora=Lora(rank=3, scale=1.5),
        steps=12,
        checkpoint_layers=True,
        terms=TERMS[kind](),
    )
    assert read_spec(spec_text(spec)) == spec
    assert json.loads(spec_text(spec))["format"] == 1


def test_what_is_left_out_has_its_default_and_whole_numbers_will_do() -> None:
    spec = read_spec(
        '{"id": "a", "kind": "kto", "model": "m", "kto": {"beta": 1, "weight_bad": 2}}'
    )
    expected = RunSpec(
        id="a", kind=RunKind.KTO, model="m", terms=KtoTerms(beta=1.0, weight_bad=2.0)
    )
    assert spec == expected
    assert (spec.replay_share, spec.memory_share, spec.lora.rank) == (0.25, 0.6, 16)


GOOD = {"id": "a", "kind": "grpo", "model": "m"}
BAD_SPECS: list[tuple[str, dict[str, Any]]] = [
    ("'model'", {"id": "a", "kind": "grpo"}),
    ("kind", {**GOOD, "kind": "ppo"}),
    ("'learning_rat'", {**GOOD, "learning_rat": 1}),
    ("learning_rate", {**GOOD, "learning_rate": "1e-5"}),
    ("learning_rate", {**GOOD, "learning_rate": math.nan}),
    ("learning_rate", {**GOOD, "learning_rate": 0}),
    ("last_rate_share", {**GOOD, "last_rate_share": 0}),
    ("last_rate_share", {**GOOD, "last_rate_share": 1.5}),
    ("seed", {**GOOD, "seed": True}),
    ("seed", {**GOOD, "seed": -1}),
    ("seed", {**GOOD, "seed": 1.5}),
    ("steps", {**GOOD, "steps": -1}),
    ("epochs", {**GOOD, "epochs": 0}),
    ("lora.rank", {**GOOD, "lora": {"rank": 0}}),
    ("'alpha'", {**GOOD, "lora": {"alpha": 16}}),
    ("lora", {**GOOD, "lora": 16}),
    ("replay_share", {**GOOD, "replay_share": 1.0}),
    ("memory_share", {**GOOD, "memory_share": 0}),
    ("grpo.clip_low", {**GOOD, "grpo": {"clip_low": 1.0}}),
    ("'kto'", {**GOOD, "kto": {}}),
    ("'terms'", {**GOOD, "terms": {}}),
    ("format", {**GOOD, "format": 2}),
]


@pytest.mark.parametrize(("named", "value"), BAD_SPECS)
def test_what_is_wrong_with_a_spec_is_named(named: str, value: dict[str, Any]) -> None:
    with pytest.raises(TrainingError) as caught:
        read_spec(json.dumps(value))
    assert named in caught.value.detail
    assert caught.value.hint


GROUP: dict[str, Any] = {"type": "group", "id": "t", "prompt_ids": [1]}
REPLAY: dict[str, Any] = {"type": "replay", "id": "t", "prompt_ids": [1], "ids": [2]}
BAD_EXAMPLES: list[tuple[str, Any]] = [
    ("not a JSON object", [1]),
    ("type", {"id": "t"}),
    ("type", {**REPLAY, "type": ["replay"]}),
    ("samples", GROUP),
    ("logprobs", {**GROUP, "samples": [{"ids": [1, 2], "logprobs": [-1.0], "reward": 0}]}),
    ("reward", {**GROUP, "samples": [{"ids": [1], "logprobs": [-1.0], "reward": math.inf}]}),
    ("no ids", {**REPLAY, "ids": []}),
    ("no prompt_ids", {**REPLAY, "prompt_ids": []}),
    ("token ids", {**REPLAY, "ids": [-1]}),
    ("token ids", {**REPLAY, "ids": [2**31]}),
    ("ids", {**REPLAY, "ids": [1.5]}),
    ("foreign", {**REPLAY, "foreign": [1]}),
    ("'good'", {**REPLAY, "good": True}),
    ("good", {**REPLAY, "type": "answer", "good": 1}),
]


@pytest.mark.parametrize(("named", "value"), BAD_EXAMPLES)
def test_what_is_wrong_with_an_example_is_named_with_its_line(named: str, value: Any) -> None:
    with pytest.raises(TrainingError) as caught:
        read_batch(["", json.dumps(REPLAY), json.dumps(value)], RunKind.GRPO)
    assert "line 3" in caught.value.detail
    assert named in caught.value.detail


@pytest.mark.parametrize("text", ["", "{", "nonsense", "[" * 100_000, '{"type": "replay"'])
def test_what_is_no_json_is_said(text: str) -> None:
    with pytest.raises(TrainingError, match="is not JSON"):
        read_spec(text)


def test_a_run_learns_from_its_own_kind_and_from_replays_alone() -> None:
    answer = RecordedAnswer(id="a", prompt_ids=(1,), ids=(2,), good=True)
    replay = ReplayExample(id="r", prompt_ids=(1,), ids=(2,))
    lines = [example_line(answer), example_line(replay)]
    assert read_batch(lines, RunKind.KTO) == (answer, replay)
    with pytest.raises(TrainingError, match="learns from"):
        read_batch(lines, RunKind.GRPO)


def test_terms_of_another_kind_are_refused() -> None:
    with pytest.raises(TrainingError, match="terms"):
        replace(RunSpec(id="a", kind=RunKind.GRPO, model="m"), terms=KtoTerms())


def events() -> st.SearchStrategy[RunEvent]:
    return st.one_of(
        *(st.builds(kind) for kind in (RunBegan, StepDone, RunFinished, RunRefused, RunFailed))
    )


@given(events())
def test_an_event_reads_back_as_it_was_said(event: RunEvent) -> None:
    line = event_line(event)
    assert "\n" not in line
    # repr, because a number that is none is unequal to itself
    assert repr(parse_event(line)) == repr(event)


@pytest.mark.parametrize("line", ["", "{", "[1]", "null", "warning: slow", '{"event": "danced"}'])
def test_a_line_that_is_no_event_of_ours_is_passed_over(line: str) -> None:
    assert parse_event(line) is None


def test_an_event_of_a_later_version_is_read_as_far_as_it_is_known() -> None:
    event = RunFinished(steps=1, sha256="a", took_s=1.0)
    line = json.dumps({**json.loads(event_line(event)), "colour": "red"})
    assert parse_event(line) == event


def test_an_event_that_lacks_something_is_an_error() -> None:
    with pytest.raises(TrainingError, match="cannot be read"):
        parse_event('{"event": "step"}')


def test_the_learning_rate_falls_in_a_straight_line_or_stays() -> None:
    spec = RunSpec(id="r", kind=RunKind.GRPO, model="m", learning_rate=2e-3)
    assert {spec.rate(step, 9) for step in range(9)} == {2e-3}
    falling = replace(spec, last_rate_share=0.05)
    rates = [falling.rate(step, 5) for step in range(5)]
    assert rates[0] == 2e-3 and rates[-1] == pytest.approx(1e-4)
    drops = [before - after for before, after in pairwise(rates)]
    assert drops == pytest.approx([drops[0]] * 4)
    assert falling.rate(0, 1) == 2e-3
