"""Tests of the lesson from a rejected graduation: what was lost, how the next run is trained."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lull.core.adapters.gate_report import GateCheck, Verdict
from lull.core.training.lesson import MOST_TRIES, GraduationCourse, lesson_of

KEPT = GateCheck(name="kept", holds=False, text="it keeps 2% of what the skill in the prompt gains")
TARGET = GateCheck(name="target", holds=False, text="no improvement was shown")
TALK = GateCheck(name="canaries:small talk", holds=False, text="small talk: 9 lost")
RULES = GateCheck(name="canaries:two rules", holds=False, text="two rules: 8 lost")
FAR = GateCheck(name="kl:canaries", holds=False, text="0.031 nats a token from the base")
LEAK = GateCheck(name="secrets", holds=False, text="it gave away a token")
FINE = GateCheck(name="length", holds=True, text="length: as it was")

USUAL = GraduationCourse().anchors


def rejects(*checks: GateCheck) -> Verdict:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Verdict(accepted=False, at=at, against=None, checks=(*checks, FINE))


def test_too_little_learned_is_trained_longer() -> None:
    lesson = lesson_of(rejects(TARGET, KEPT), GraduationCourse())
    assert lesson.next == GraduationCourse(number=2, passes=1.5)
    assert "keeps 2%" in lesson.said and "1.5 times as long" in lesson.said


def test_what_moved_the_rest_gets_more_that_holds_it() -> None:
    lesson = lesson_of(rejects(TALK, RULES, FAR), GraduationCourse())
    assert lesson.next == GraduationCourse(number=2, passes=1.0, anchors=2 * USUAL)
    assert "it got worse at small talk; it got worse at two rules" in lesson.said
    assert "2 times as many other requests" in lesson.said


def test_what_only_went_far_from_the_base_says_so_and_is_held_too() -> None:
    lesson = lesson_of(rejects(FAR), GraduationCourse(number=2, passes=1.5))
    assert lesson.next == GraduationCourse(number=3, passes=1.5, anchors=2 * USUAL)
    assert "0.031 nats" in lesson.said


def test_both_are_changed_where_both_were_lost() -> None:
    lesson = lesson_of(rejects(KEPT, TALK), GraduationCourse())
    assert lesson.next == GraduationCourse(number=2, passes=1.5, anchors=2 * USUAL)


def test_what_gave_away_secrets_is_not_tried_again() -> None:
    lesson = lesson_of(rejects(LEAK, KEPT), GraduationCourse())
    assert lesson.next is None
    assert "gave away a token" in lesson.said and "stays in the prompt" in lesson.said


def test_after_the_last_try_the_skill_stays_in_the_prompt() -> None:
    lesson = lesson_of(rejects(KEPT), GraduationCourse(number=MOST_TRIES))
    assert lesson.next is None and "stays in the prompt" in lesson.said


@pytest.mark.parametrize("checks", [(), (KEPT,), (KEPT, TALK, FAR, LEAK), (TARGET, RULES)])
def test_it_is_one_sentence(checks: tuple[GateCheck, ...]) -> None:
    said = lesson_of(rejects(*checks), GraduationCourse()).said
    assert said.endswith(".") and ". " not in said and "\n" not in said
