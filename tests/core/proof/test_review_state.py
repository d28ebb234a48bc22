"""Tests of what the review shows of a proposal: what approval rests on, and who said what."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from lull.core.proof.proof import ProofRule, decide
from lull.core.proof.proposal import (
    Proposal,
    ProposalKind,
    ProposalOrigin,
    ProposalStatus,
    Trace,
)
from lull.core.proof.review_state import (
    CALM,
    CAUTION_WORDS,
    Caution,
    ReviewState,
    cautions_of,
    review_state_of,
)
from lull.core.proof.whose_words import WordsAuthor, quoted_parts, words_author
from lull.core.skills.skill import SkillKey, SkillText
from tests.desk import pairs

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROPOSAL = Proposal(
    id="prop_1",
    kind=ProposalKind.NEW,
    key=SkillKey("", "menu-style"),
    base_sha256="",
    sha256="0" * 64,
    text=SkillText(name="menu-style", description="When.", body="Use bars."),
    status=ProposalStatus.SCREENED,
    origin=ProposalOrigin.EXTRACTIVE,
    made_at=NOW,
    changed_at=NOW,
)


@pytest.mark.parametrize(
    ("status", "done", "standing"),
    [
        (ProposalStatus.DRAFT, 0, ReviewState.UNTESTED),
        (ProposalStatus.SCREENED, 0, ReviewState.UNTESTED),
        (ProposalStatus.PROVING, 7, ReviewState.UNTESTED),
        (ProposalStatus.PROVED, 9, ReviewState.PROVED),
        (ProposalStatus.UNPROVED, 9, ReviewState.NOT_BETTER),
        (ProposalStatus.UNPROVED, 0, ReviewState.UNTESTABLE),
        (ProposalStatus.QUARANTINED, 0, ReviewState.QUARANTINED),
        (ProposalStatus.STALE, 9, ReviewState.OUT_OF_DATE),
        (ProposalStatus.APPROVED, 9, ReviewState.DECIDED),
        (ProposalStatus.REJECTED, 9, ReviewState.DECIDED),
    ],
)
def test_what_an_approval_rests_on(
    status: ProposalStatus, done: int, standing: ReviewState
) -> None:
    assert review_state_of(replace(PROPOSAL, status=status), pairs=done) is standing
    if status in (ProposalStatus.APPROVED, ProposalStatus.REJECTED):
        return
    deferred = replace(PROPOSAL, status=ProposalStatus.DEFERRED, before=status)
    assert review_state_of(deferred, pairs=done) is standing, (
        "putting it off changes nothing of that"
    )


def test_only_what_is_proved_or_takes_away_needs_no_second_word() -> None:
    retire = replace(PROPOSAL, kind=ProposalKind.RETIRE)
    assert review_state_of(retire, pairs=0) is ReviewState.REMOVAL
    assert {ReviewState.PROVED, ReviewState.REMOVAL} == CALM


def test_a_proof_on_one_request_without_past_successes_says_so() -> None:
    rule = ProofRule()
    alone = decide(pairs(8), rule, successes=0)
    assert cautions_of(alone) == (Caution.ONE_REQUEST, Caution.NO_PAST_SUCCESS)
    held = decide(pairs(8, successes=5), rule, successes=5)
    assert cautions_of(held) == (Caution.ONE_REQUEST,)
    assert cautions_of(decide([], rule, successes=0)) == ()
    assert set(CAUTION_WORDS) == set(Caution)


def test_a_skill_that_shortens_answers_much_says_so() -> None:
    rule = ProofRule()
    usual = "Dear Tom, thank you for the invitation, which I gladly accept. See you on Friday."

    def cautions(without: str, with_: str, *, is_about_length: bool = False) -> set[Caution]:
        said = [replace(one, answers=(without, with_)) for one in pairs(8, successes=5)]
        decision = decide(said, rule, successes=5)
        return set(cautions_of(decision, said, is_about_length=is_about_length))

    assert Caution.MUCH_SHORTER in cautions(usual, "Cheers, Tom")
    assert Caution.MUCH_SHORTER not in cautions(usual, "Cheers, Tom", is_about_length=True)
    assert Caution.MUCH_SHORTER not in cautions(usual, f"{usual[:40]} Cheers, Tom")
    assert Caution.MUCH_SHORTER not in cautions("Yes, I do.", "Yes")
    assert Caution.MUCH_SHORTER not in cautions(usual, "Cheers, […]"), "ended early"
    assert Caution.MUCH_SHORTER not in cautions("", ""), "not stored"


def test_what_was_put_off_sleeps_until_its_time_and_comes_back_as_it_was() -> None:
    until = NOW + timedelta(hours=4)
    off = replace(
        PROPOSAL, status=ProposalStatus.DEFERRED, before=ProposalStatus.PROVED, until=until
    )
    assert off.is_postponed_at(NOW)
    assert off.as_of(NOW) == off
    assert not off.is_postponed_at(until)
    assert off.as_of(until) == replace(PROPOSAL, status=ProposalStatus.PROVED)
    assert not PROPOSAL.is_postponed_at(NOW)
    assert PROPOSAL.as_of(until) == PROPOSAL


@pytest.mark.parametrize(
    ("sentence", "typed", "runs", "class_"),
    [
        ("Answer in German.", "please ANSWER in german!", ("Answer in German",), WordsAuthor.YOURS),
        (
            "When you write a note, always answer in German.",
            "Please always answer in German.",
            ("always answer in German",),
            WordsAuthor.DERIVED,
        ),
        ("When the user asks for a note.", "write a note", (), WordsAuthor.DERIVED),
        ("Use dashes, not bars.", "use dashes please, and not bars", ("Use dashes",), None),
    ],
)
def test_only_what_was_typed_word_for_word_is_said_by_the_user(
    sentence: str, typed: str, runs: tuple[str, ...], class_: WordsAuthor | None
) -> None:
    found = quoted_parts(sentence, (typed,))
    assert found[: len(runs)] == runs
    trace = Trace(sentence=sentence, source="user", turn="turn_1", quoted=found)
    assert words_author(trace) is (class_ or WordsAuthor.DERIVED)


def test_a_sentence_of_an_older_trace_is_held_against_the_wish() -> None:
    old = Trace(sentence="Answer in German.", source="user", turn="turn_1")
    assert words_author(old, wish="no, answer in German") is WordsAuthor.YOURS
    assert words_author(old, wish="") is WordsAuthor.DERIVED


def test_what_a_model_or_a_stranger_wrote_is_never_called_the_users() -> None:
    said = "Answer in German."
    assert words_author(Trace(sentence=said, source="model"), wish=said) is WordsAuthor.LULL
    assert words_author(Trace(sentence=said, source="untrusted"), wish=said) is WordsAuthor.OTHERS
