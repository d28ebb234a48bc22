"""Tests of the text block that carries skills into a prompt, as a model reads it."""

from hypothesis import given
from hypothesis import strategies as st

from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.skills.prompt_block import BETWEEN, CLOSING, OPENING, skills_block
from lull.core.skills.stated_skill import skill_of


def every(words: str, kind: RuleKind = RuleKind.PREFERENCE) -> str:
    return skill_of(words, scope=Scope.ALL, kind_of_rule=kind, asked="How far is it?").body


def test_a_single_rule_reads_as_it_was_approved() -> None:
    rule = every("No emojis please.")
    assert skills_block([rule]) == OPENING + rule + CLOSING


def test_rules_for_every_request_stand_below_one_heading() -> None:
    text = skills_block([every("No emojis please."), "Answer in JSON.", every("Grams, not cups.")])
    assert text == (
        f"{OPENING}In every answer the user wants:\n- “No emojis please.”\n- “Grams, not cups.”"
        f"{BETWEEN}Answer in JSON.{CLOSING}"
    )


def test_what_users_are_stands_apart_from_what_they_want() -> None:
    text = skills_block(
        [every("I'm a nurse.", RuleKind.FACT), every("Short."), every("Plain words.")]
    )
    assert text.count("In every answer") == 1
    assert "Keep in mind in every answer what the user said of themselves: “I'm a nurse.”" in text


def test_a_rule_for_a_kind_keeps_its_own_frame() -> None:
    rule = skill_of("Grams.", scope=Scope.KIND, kind_of_rule=None, asked="A cake for six").body
    assert skills_block([rule, rule]) == OPENING + rule + BETWEEN + rule + CLOSING


@given(st.lists(st.text(max_size=60), max_size=8))
def test_every_word_of_every_rule_is_there(said: list[str]) -> None:
    text = skills_block([every(words) for words in said])
    assert all(" ".join(words.split()) in text for words in said)
    assert len(text) <= len(OPENING + BETWEEN.join(map(every, said)) + CLOSING)
