"""Tests of the context window: token estimates err on the safe side; a cut prompt is noticed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.chat.context_window import TokenRate, reply_reserve, was_cut
from lull.core.chat.messages import Message, MessagePart, PartKind, Role
from lull.core.chat.model_name import canonical, runs_elsewhere
from tests.building import user


def cut(characters: int, counted: int | None, window: int, rate: TokenRate | None = None) -> bool:
    rate = rate or TokenRate()
    return was_cut(
        expected_tokens=rate.prompt_tokens([user("x" * characters)]),
        fewest_tokens=rate.min_tokens(characters),
        counted_tokens=counted,
        window_tokens=window,
    )


def test_the_first_guess_is_on_the_safe_side_of_english() -> None:
    text = "The quick brown fox jumps over the lazy dog. " * 40  # 10 tokens a sentence
    assert TokenRate().text_tokens(text) >= 400


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_longer_text_never_counts_less(one: str, other: str) -> None:
    rate = TokenRate()
    assert (
        rate.text_tokens(one)
        <= rate.text_tokens(one + other)
        <= rate.text_tokens(one) + rate.text_tokens(other)
    )


def test_the_rate_follows_what_was_counted_and_small_prompts_say_nothing() -> None:
    rate = TokenRate()
    assert rate.updated(characters=50, tokens=90) is rate
    for _ in range(30):
        rate = rate.updated(characters=10_000, tokens=2_300)
    assert rate.per_character == pytest.approx(0.23, abs=0.01)


@given(st.integers(1, 10**6), st.integers(0, 10**6))
def test_no_count_however_wrong_leaves_sense_behind(characters: int, tokens: int) -> None:
    rate = TokenRate().updated(characters=characters, tokens=tokens)
    assert 0.15 <= rate.per_character <= 1.2


def test_a_cut_prompt_is_noticed() -> None:
    assert cut(40_000, 4_096, 4_096)
    assert cut(40_000, 2_048, 4_096)
    assert cut(20_000, 2_048, 4_096)


def test_a_prompt_that_merely_has_few_tokens_is_not_called_cut() -> None:
    assert not cut(14_000, 3_200, 4_096)
    assert not cut(16_000, 3_600, 4_096)
    assert not cut(1_000, 100, 4_096)
    assert not cut(40_000, None, 4_096)
    assert not cut(40_000, 9_000, 4_096)


def test_after_a_first_count_a_cut_is_noticed_earlier() -> None:
    rate = TokenRate().updated(characters=8_000, tokens=2_000)
    assert cut(18_000, 3_000, 4_096, rate)
    assert not cut(18_000, 4_000, 4_096, rate)


def test_an_image_counts_like_a_page_not_like_its_address() -> None:
    picture = Message(role=Role.USER, parts=(MessagePart(kind=PartKind.IMAGE, text="sha256:0"),))
    assert TokenRate().prompt_tokens([picture]) > 500


def test_the_reply_keeps_a_quarter_or_what_was_asked_but_never_more_than_half() -> None:
    assert reply_reserve(4096, None) == 1024
    assert reply_reserve(4096, -1) == 1024
    assert reply_reserve(4096, 100) == 100
    assert reply_reserve(4096, 32_000) == 2048


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Llama3.2", "llama3.2:latest"),
        ("llama3.2:1B", "llama3.2:1b"),
        ("registry.ollama.ai/library/llama3.2", "llama3.2:latest"),
        ("library/llama3.2:latest", "llama3.2:latest"),
        ("hf.co/anna/model:q4", "hf.co/anna/model:q4"),
        ("host:5000/anna/model", "host:5000/anna/model:latest"),
        (" qwen3 ", "qwen3:latest"),
    ],
)
def test_one_model_has_one_name(typed: str, name: str) -> None:
    assert canonical(typed) == name


@pytest.mark.parametrize("name", ["gpt-oss:cloud", "GPT-OSS:120b-Cloud"])
def test_a_cloud_tag_runs_elsewhere(name: str) -> None:
    assert runs_elsewhere(name)
    assert not runs_elsewhere("cloud-model:7b")
