"""Tests of evidence files: they read back unchanged, and false statements in them are found."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.proof.evidence import (
    Evidence,
    evidence_from_json,
    evidence_text,
    evidence_to_json,
    pair_from_json,
    pair_to_json,
)
from lull.core.proof.last_look import LastLook, last_look
from lull.core.proof.pairing import next_pair
from lull.core.proof.pairs import Pair, PairPart
from lull.core.proof.proof import ProofRule, ProofState, ShownBy, decide
from lull.core.proof.rechecking import recheck

SHA = "a" * 64
RULE = ProofRule()
REQUESTS = [
    ("f0", PairPart.FAILURE),
    ("f1", PairPart.FAILURE),
    ("b0", PairPart.SIBLING),
    ("s0", PairPart.SUCCESS),
]
Document = dict[str, Any]

some_pairs = st.builds(
    Pair,
    request=st.text(max_size=6),
    part=st.sampled_from(PairPart),
    seed=st.integers(0, 2**31 - 1),
    without=st.floats(-1, 1),
    with_=st.floats(-1, 1),
    scored_by=st.text(max_size=6),
    request_sha256=st.text(max_size=4),
    without_sha256=st.just("b"),
    with_sha256=st.just("c"),
)


def proved(*, successes: int = 1) -> Evidence:
    """Evidence of a finished proof of a skill that always wins and spoils no past success."""
    requests = REQUESTS if successes else REQUESTS[:-1]
    pairs: list[Pair] = []
    while (wanted := next_pair(pairs, RULE, requests=requests, key=SHA)) is not None:
        pairs.append(
            Pair(
                request=wanted.request,
                part=wanted.part,
                seed=wanted.seed,
                without=float(wanted.part is PairPart.SUCCESS),
                with_=1.0,
                scored_by="verifier:pocket",
                request_sha256=wanted.request,
                without_sha256="w",
                with_sha256="x",
            )
        )
    return evidence(pairs, successes=successes)


def evidence(pairs: list[Pair], *, successes: int = 1) -> Evidence:
    return Evidence(
        skill="menu-style",
        skill_sha256=SHA,
        model="d" * 64,
        engine="mlx",
        adapter=None,
        generation=3,
        judge="",
        rule=RULE,
        successes=successes,
        pairs=tuple(pairs),
        decision=decide(pairs, RULE, successes=successes),
    )


def document() -> Document:
    found: Document = json.loads(evidence_text(proved()))
    return found


def why(changed: Document, **more: Any) -> str:
    return " ".join(recheck(json.dumps(changed), skill_sha256=SHA, **more))


def test_a_true_file_holds() -> None:
    for successes in (0, 1):
        made = proved(successes=successes)
        assert made.decision.state is ProofState.PROVED
        assert recheck(evidence_text(made), skill_sha256=SHA, rule=RULE) == []


@pytest.mark.slow
@given(st.lists(some_pairs, max_size=8), st.integers(0, 3), st.none() | st.text(max_size=5))
def test_what_is_written_is_read_back_the_same(
    pairs: list[Pair], successes: int, adapter: str | None
) -> None:
    made = replace(evidence(pairs, successes=successes), adapter=adapter)
    again = evidence_from_json(json.loads(evidence_text(made)))
    assert again == made
    assert evidence_text(again) == evidence_text(made)


@given(some_pairs)
def test_a_pair_is_read_back_the_same(pair: Pair) -> None:
    assert pair_from_json(json.loads(json.dumps(pair_to_json(pair)))) == pair


def test_evidence_of_another_text_does_not_hold() -> None:
    found = recheck(evidence_text(proved()), skill_sha256="b" * 64)
    assert len(found) == 1
    assert "another text" in found[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("wins", 30),
        ("losses", 3),
        ("pairs", 60),
        ("requests", 9),
        ("e_value", 1e6),
        ("harm_e_value", 0.1),
        ("state", "harmful"),
        ("success_pairs", 2),
        ("success_losses", 1),
        ("success_wins", 1),
        ("why", "in other words"),
        ("shown_by", "last look"),
    ],
)
def test_each_number_is_worked_out_again(name: str, value: object) -> None:
    changed = document()
    changed["decision"][name] = value
    found = recheck(json.dumps(changed), skill_sha256=SHA)
    assert len(found) == 1
    assert f"says {name} is" in found[0]


@pytest.mark.parametrize("key", ["generation", "wins", "seed"])
def test_a_key_that_stands_twice_is_found(key: str) -> None:
    text = evidence_text(proved())
    doubled = text.replace(f'"{key}": ', f'"{key}": 1, "{key}": ', 1)
    found = recheck(doubled, skill_sha256=SHA)
    assert len(found) == 1
    assert f"{key} stands twice" in found[0]


def turned(pair: Document) -> None:
    pair["with"] = -1.0


def twice(changed: Document) -> None:
    changed["pairs"].append(changed["pairs"][0])


def too_short(changed: Document) -> None:
    del changed["pairs"][-1]


def other_part(changed: Document) -> None:
    changed["pairs"][0]["part"] = "success"


def other_words(changed: Document) -> None:
    changed["pairs"][0]["request_sha256"] = "0"


def lost_one(changed: Document) -> None:
    turned(changed["pairs"][0])


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        (twice, "was counted 2 times"),
        (too_short, "stopped too early"),
        (other_part, "appears in two parts"),
        (other_words, "has two texts"),
        (lost_one, "says wins is"),
    ],
)
def test_a_changed_pair_is_found(lie: Callable[[Document], None], said: str) -> None:
    changed = document()
    lie(changed)
    assert said in why(changed)


def test_a_proof_that_went_on_after_its_end_chose_its_own_end() -> None:
    pairs = list(proved().pairs)
    longer = [*pairs, replace(pairs[-1], seed=1)]
    found = recheck(evidence_text(evidence(longer)), skill_sha256=SHA)
    assert found == [f"It was proved after {len(pairs)} pairs, and 1 more were replayed."]


def test_a_benefit_shown_once_and_lost_again_was_shown_too_late() -> None:
    # Eight wins prove without successes; fifty more pairs were replayed and then cut off.
    wins = list(proved(successes=0).pairs)
    more = [replace(wins[0], seed=seed, with_=0.0) for seed in range(20)]
    found = " ".join(
        recheck(evidence_text(evidence([*wins, *more], successes=0)), skill_sha256=SHA)
    )
    assert f"after {len(wins)} pairs, and 20 more" in found


def test_what_the_user_approved_before_its_end_was_not_tampered_with() -> None:
    pairs = list(proved().pairs)[:5]
    text = evidence_text(evidence(pairs))
    assert recheck(text, skill_sha256=SHA) == ["It stopped too early: 5 pairs decide nothing yet."]
    assert recheck(text, skill_sha256=SHA, ended=False) == []


def test_successes_that_fell_away_meanwhile_are_no_lie() -> None:
    done = list(proved().pairs)
    first_success = next(i for i, pair in enumerate(done) if pair.part is PairPart.SUCCESS)
    made = evidence(done[: first_success + 2], successes=0)
    assert made.decision.state is ProofState.PROVED
    assert recheck(evidence_text(made), skill_sha256=SHA) == []


def test_a_laxer_rule_is_named_and_a_stricter_one_holds() -> None:
    text = evidence_text(proved())
    found = recheck(text, skill_sha256=SHA, rule=replace(RULE, alpha=0.01, suspect_e=2.0))
    assert len(found) == 2
    assert "alpha 0.05; the rule is 0.01" in found[0]
    assert recheck(text, skill_sha256=SHA, rule=replace(RULE, alpha=0.2, success_pairs=10)) == []


# Files that are not evidence


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "3", '"x"', "{}", '{"format": 1}', "\x00", "[" * 100_000, "NaN"],
)
def test_a_damaged_file_gives_one_clear_sentence(text: str) -> None:
    found = recheck(text, skill_sha256=SHA)
    assert len(found) == 1
    assert found[0].startswith("The evidence file cannot be read")
    assert found[0].endswith(".")


@pytest.mark.parametrize("cut", [1, 10, 200, 1000])
def test_a_file_cut_short_gives_one_clear_sentence(cut: int) -> None:
    text = evidence_text(proved()).rstrip()
    assert len(recheck(text[:-cut], skill_sha256=SHA)) == 1


def put(*path: str | int, value: object) -> Callable[[Document], None]:
    def change(changed: Any) -> None:
        for step in path[:-1]:
            changed = changed[step]
        changed[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("format", value=4), "format is 4"),
        (put("surprise", value=1), "not known: surprise"),
        (put("pairs", 0, "surprise", value=1), "not known: surprise"),
        (put("rule", "surprise", value=1), "not known: surprise"),
        (put("decision", "surprise", value=1), "not known: surprise"),
        (put("pairs", value="none"), "pairs is missing or no list"),
        (put("pairs", 0, value=[]), "a pair is missing or no object"),
        (put("pairs", 0, "part", value="bonus"), "bonus"),
        (put("pairs", 0, "seed", value=True), "seed is no whole number"),
        (put("pairs", 0, "seed", value=1.5), "seed is no whole number"),
        (put("pairs", 0, "with", value="1"), "with is no number"),
        (put("pairs", 0, "with", value=10**400), "with is too large"),
        (put("rule", "alpha", value=0), "alpha lies between"),
        (put("rule", "most_pairs", value=10**12), "most_pairs is from"),
        (put("decision", "state", value="fine"), "fine"),
        (put("rule", value=None), "the rule is missing"),
        (put("generation", value="3"), "generation is no whole number"),
        (put("model", value=3), "model is no text"),
    ],
)
def test_what_is_wrong_with_a_document_is_said(
    change: Callable[[Document], None], said: str
) -> None:
    changed = document()
    change(changed)
    found = recheck(json.dumps(changed), skill_sha256=SHA)
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.parametrize("name", sorted(evidence_to_json(proved())))
def test_no_field_may_be_missing(name: str) -> None:
    changed = document()
    del changed[name]
    found = recheck(json.dumps(changed), skill_sha256=SHA)
    assert len(found) == 1
    assert name in found[0] or "format is None" in found[0]


@pytest.mark.slow
@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=3), st.lists))
def test_no_json_breaks_the_check(value: object) -> None:
    assert recheck(json.dumps({"format": 1, "pairs": [value]}), skill_sha256=SHA)


# The last look


HALF_HEARTED = "+.-+..-.+.+-..+."
"""Outcomes of pairs; repeated up to 120 pairs they end with an e-value of 1.8."""


def looked(*, accepted: bool = True) -> Evidence:
    """Evidence of a proof without past successes that used all its pairs and took its last look."""
    looks = (last_look(f"prop_{number} {SHA}") for number in itertools.count())
    look = next(one for one in looks if one.accepts(1.8, RULE.alpha) is accepted)
    pairs: list[Pair] = []
    while (
        wanted := next_pair(pairs, RULE, requests=REQUESTS[:-1], key=SHA, look=look)
    ) is not None:
        outcome = HALF_HEARTED[len(pairs) % len(HALF_HEARTED)]
        pairs.append(
            Pair(
                request=wanted.request,
                part=wanted.part,
                seed=wanted.seed,
                without=float(outcome == "-"),
                with_=float(outcome == "+"),
                scored_by="verifier:pocket",
            )
        )
    return seen_through(pairs, replace(look, after=len(pairs)))


def seen_through(pairs: list[Pair], look: LastLook, *, rule: ProofRule = RULE) -> Evidence:
    return replace(
        evidence(pairs, successes=0),
        rule=rule,
        decision=decide(pairs, rule, successes=0, look=look),
        look=look,
    )


@pytest.mark.parametrize("accepted", [True, False])
def test_a_last_look_holds_whichever_way_its_coin_fell(accepted: bool) -> None:
    made = looked(accepted=accepted)
    assert made.decision.state is (ProofState.PROVED if accepted else ProofState.UNPROVED)
    assert made.decision.shown_by is (ShownBy.LAST_LOOK if accepted else ShownBy.NOTHING)
    assert made.decision.pairs == 120
    assert recheck(evidence_text(made), skill_sha256=SHA, rule=RULE) == []
    assert evidence_from_json(json.loads(evidence_text(made))) == made


def test_the_coin_is_drawn_again_from_its_seed() -> None:
    made = looked(accepted=False)
    assert made.look is not None
    lucky = seen_through(list(made.pairs), replace(made.look, coin=0.01))
    assert lucky.decision.state is ProofState.PROVED
    (found,) = recheck(evidence_text(lucky), skill_sha256=SHA)
    assert f"final draw gave 0.01; its random seed gives {made.look.coin:.6g}" in found


def test_a_look_before_the_pairs_were_spent_is_found() -> None:
    made = looked()
    assert made.look is not None
    early = seen_through(list(made.pairs[:100]), replace(made.look, after=100))
    assert early.decision.state is ProofState.PROVED
    (found,) = recheck(evidence_text(early), skill_sha256=SHA)
    assert "final draw came after 100 pairs, before the allowed number was used up" in found


def test_pairs_after_the_last_look_are_found() -> None:
    made = looked(accepted=False)
    assert made.look is not None
    more = [replace(made.pairs[0], seed=seed, without=0.0, with_=1.0) for seed in range(8)]
    longer = seen_through([*made.pairs, *more], made.look)
    found = " ".join(recheck(evidence_text(longer), skill_sha256=SHA))
    assert "final draw came after 120 pairs, but 128 are counted" in found
    assert "It was unproved after 120 pairs, and 8 more were replayed." in found


def test_a_rule_that_goes_on_longer_or_with_less_is_laxer() -> None:
    lax = replace(RULE, most_pairs=300, open_e=0.01)
    made = seen_through(list(proved(successes=0).pairs), last_look("s"), rule=lax)
    found = " ".join(recheck(evidence_text(made), skill_sha256=SHA, rule=RULE))
    assert "most_pairs 300; the rule is 120" in found
    assert "open_e 0.01; the rule is 0.1" in found


# Evidence of the first format


def first_format(made: Evidence, *, most_pairs: int = 60) -> Document:
    """The evidence as format 1 stored it, before there was a last look."""
    changed: Document = json.loads(evidence_text(made))
    del changed["look"], changed["decision"]["shown_by"]
    del changed["rule"]["first_pairs"], changed["rule"]["open_e"]
    del changed["rule"]["unkept_pairs"], changed["rule"]["winless_pairs"]
    changed["rule"]["most_pairs"] = most_pairs
    return {**changed, "format": 1}


def test_evidence_from_before_the_last_look_holds_by_the_rule_it_was_made_by() -> None:
    made = proved()
    text = json.dumps(first_format(made))
    assert recheck(text, skill_sha256=SHA, rule=RULE) == []
    again = evidence_from_json(json.loads(text))
    assert (again.look, again.rule.first_pairs, again.rule.most_pairs) == (None, 60, 60)
    assert again.decision == made.decision


def test_what_was_unproved_within_sixty_pairs_stays_so() -> None:
    whole = looked().pairs[:53]  # the seven left could not show it
    old = replace(RULE, most_pairs=60)
    made = replace(evidence(list(whole), successes=0), rule=old)
    made = replace(made, decision=decide(whole, old, successes=0))
    assert recheck(json.dumps(first_format(made)), skill_sha256=SHA, rule=RULE) == []
    assert evidence_from_json(first_format(made)).decision.state is ProofState.UNPROVED


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("look", value=None), "not known: look"),
        (put("rule", "open_e", value=0.1), "not known: open_e"),
        (put("decision", "shown_by", value="evidence"), "not known: shown_by"),
        (put("decision", value=None), "the decision is missing"),
        (put("pairs", value=None), "pairs is missing or no list"),
        (put("rule", "unkept_pairs", value=12), "not known: unkept_pairs"),
    ],
)
def test_the_first_format_knows_nothing_of_the_second(
    change: Callable[[Document], None], said: str
) -> None:
    changed = first_format(proved())
    change(changed)
    (found,) = recheck(json.dumps(changed), skill_sha256=SHA)
    assert said in found


# Evidence of the second format


def second_format(made: Evidence) -> Document:
    """The evidence as format 2 stored it, before hopeless tests ended early."""
    changed: Document = json.loads(evidence_text(made))
    del changed["rule"]["unkept_pairs"], changed["rule"]["winless_pairs"]
    return {**changed, "format": 2}


def test_evidence_from_before_hopeless_tests_ended_early_holds() -> None:
    for made in (proved(), looked()):
        text = json.dumps(second_format(made))
        assert recheck(text, skill_sha256=SHA, rule=RULE) == []
    stale = [replace(one, with_=one.without) for one in proved(successes=0).pairs]
    patient = replace(RULE, unkept_pairs=RULE.most_pairs, winless_pairs=RULE.most_pairs)
    seeds = [
        replace(one, seed=n, request="f0", request_sha256="f0", part=PairPart.FAILURE)
        for n, one in enumerate(stale * 7)
    ][:53]
    made = replace(evidence(seeds, successes=0), rule=patient)
    made = replace(made, decision=decide(seeds, patient, successes=0))
    assert recheck(json.dumps(second_format(made)), skill_sha256=SHA, rule=RULE) == []


def test_the_second_format_knows_nothing_of_the_third() -> None:
    changed = second_format(proved())
    changed["rule"]["winless_pairs"] = 24
    (found,) = recheck(json.dumps(changed), skill_sha256=SHA)
    assert "not known: winless_pairs" in found
