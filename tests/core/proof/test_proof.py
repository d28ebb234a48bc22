"""Tests of proofs: when a skill counts as proved, and which request is replayed next."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.proof.evalue import pick_log_e_value
from lull.core.proof.pairing import (
    UNDECIDED_AT_FIRST,
    UNDECIDED_AT_MOST,
    PlannedPair,
    count_successes,
    least_answered,
    next_pair,
    plan_several,
    still_asked,
)
from lull.core.proof.pairs import BY_CHECK, BY_USER, Pair, PairPart, totals_of
from lull.core.proof.proof import (
    ProofDecision,
    ProofRule,
    ProofState,
    benefit_shown,
    decide,
    most_picks_left,
    picks_wanted,
    successes_left,
    wins_wanted,
)

RULE = ProofRule()
FAILURE, SIBLING, SUCCESS = PairPart.FAILURE, PairPart.SIBLING, PairPart.SUCCESS
Requests = list[tuple[str, PairPart]]


def pair(
    request: str = "f0",
    seed: int = 0,
    *,
    part: PairPart = FAILURE,
    without: float = 0.0,
    with_: float = 1.0,
) -> Pair:
    return Pair(
        request=request, part=part, seed=seed, without=without, with_=with_, scored_by="verifier"
    )


def pairs(outcomes: str, *, part: PairPart = FAILURE, requests: int = 5) -> list[Pair]:
    """Pairs with these outcomes: "+" won, "-" lost, "." equal."""
    scores = {"+": (0.0, 1.0), "-": (1.0, 0.0), ".": (1.0, 1.0)}
    return [
        pair(f"{part}{i % requests}", i, part=part, without=scores[o][0], with_=scores[o][1])
        for i, o in enumerate(outcomes)
    ]


def world(failures: int = 0, siblings: int = 0, successes: int = 0) -> Requests:
    counts = {FAILURE: failures, SIBLING: siblings, SUCCESS: successes}
    return [(f"{part}{i}", part) for part, count in counts.items() for i in range(count)]


def run(
    requests: Requests, outcome: Callable[[PlannedPair], str], *, rule: ProofRule = RULE
) -> tuple[list[Pair], ProofDecision]:
    """Run a whole proof, pair by pair, as the loop does; return its pairs and its decision."""
    done: list[Pair] = []
    while (wanted := next_pair(done, rule, requests=requests, key="k")) is not None:
        assert decide(done, rule, successes=count_successes(requests)).state is ProofState.UNDECIDED
        scores = {"+": (0.0, 1.0), "-": (1.0, 0.0), ".": (1.0, 1.0)}[outcome(wanted)]
        done.append(
            pair(wanted.request, wanted.seed, part=wanted.part, without=scores[0], with_=scores[1])
        )
    return done, decide(done, rule, successes=count_successes(requests))


outcomes = st.sampled_from("+-.")
some_pairs = st.lists(
    st.builds(
        lambda request, seed, part, outcome: pair(
            f"{part}{request}",
            seed,
            part=part,
            without=float(outcome != "+"),
            with_=float(outcome != "-"),
        ),
        st.integers(0, 3),
        st.integers(0, 30),
        st.sampled_from(PairPart),
        outcomes,
    ),
    max_size=70,
)
some_requests = st.builds(world, st.integers(0, 4), st.integers(0, 4), st.integers(0, 4))


# What counts


def test_as_many_pairs_again_may_follow_the_first() -> None:
    rule = ProofRule.with_first_pairs(30, alpha=0.01)
    assert (rule.first_pairs, rule.most_pairs, rule.alpha) == (30, 60, 0.01)
    assert ProofRule.with_first_pairs(ProofRule().first_pairs, alpha=0.05) == ProofRule()


def test_only_a_difference_counts_and_its_size_does_not() -> None:
    graded = [pair("f0", 0, without=0.2, with_=0.21), pair("f0", 1, without=-1.0, with_=1.0)]
    decision = decide([*graded, pair("f0", 2, without=0.5, with_=0.5)], RULE, successes=0)
    assert (decision.pairs, decision.wins, decision.losses) == (3, 2, 0)


def test_benefit_rests_on_failures_and_siblings_and_harm_on_successes() -> None:
    mixed = [
        *pairs("++-", part=FAILURE),
        *pairs("+.", part=SIBLING),
        *pairs("--+", part=SUCCESS),
    ]
    decision = decide(mixed, RULE, successes=3)
    assert (decision.wins, decision.losses, decision.requests) == (3, 1, 5)
    assert (decision.success_pairs, decision.success_wins, decision.success_losses) == (3, 1, 2)
    assert decision.harm_e_value > 1.0


@given(some_pairs, st.integers(0, 3), st.randoms(use_true_random=False))
def test_the_order_of_pairs_changes_nothing(
    given_pairs: list[Pair], successes: int, chance: object
) -> None:
    distinct = {(p.request, p.seed): p for p in given_pairs}
    shuffled = list(distinct.values())
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    right = decide(list(distinct.values()), RULE, successes=successes)
    assert decide(shuffled, RULE, successes=successes) == right


@pytest.mark.slow
@given(some_pairs)
def test_the_same_coin_is_never_counted_twice(given_pairs: list[Pair]) -> None:
    assert decide([*given_pairs, *given_pairs], RULE, successes=1) == decide(
        given_pairs, RULE, successes=1
    )


def test_one_request_under_many_seeds_is_one_request() -> None:
    decision = decide(pairs("++++++++", requests=1), RULE, successes=0)
    assert decision.state is ProofState.PROVED
    assert decision.requests == 1


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_score_that_is_no_number_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        pair(with_=score)


# The four states


def test_enough_wins_prove_where_no_success_can_be_replayed() -> None:
    assert decide(pairs("+++++++"), RULE, successes=0).state is ProofState.UNDECIDED
    decision = decide(pairs("++++++++"), RULE, successes=0)
    assert decision.state is ProofState.PROVED
    assert decision.e_value >= 20
    assert "no past success" in decision.why


def test_a_benefit_waits_for_past_successes() -> None:
    shown = pairs("++++++++")
    assert decide(shown, RULE, successes=2).state is ProofState.UNDECIDED
    kept = pairs("." * RULE.success_pairs, part=SUCCESS)
    assert decide([*shown, *kept[:-1]], RULE, successes=2).state is ProofState.UNDECIDED
    assert decide([*shown, *kept], RULE, successes=2).state is ProofState.PROVED


def test_a_suspicion_is_followed_until_it_is_settled() -> None:
    shown = pairs("++++++++")
    worse = "---" + "." * (RULE.success_pairs - 3)
    decision = decide([*shown, *pairs(worse, part=SUCCESS)], RULE, successes=2)
    assert decision.state is ProofState.UNDECIDED
    better = decide([*shown, *pairs(worse + "++", part=SUCCESS)], RULE, successes=2)
    assert better.state is ProofState.PROVED
    never = worse.ljust(RULE.most_pairs - len(shown), ".")
    spent = decide([*shown, *pairs(never, part=SUCCESS)], RULE, successes=2)
    assert spent.state is ProofState.UNPROVED
    assert "may spoil good answers" in spent.why


def test_sure_harm_to_past_successes_outweighs_every_benefit() -> None:
    decision = decide([*pairs("+" * 30), *pairs("-" * 8, part=SUCCESS)], RULE, successes=2)
    assert decision.state is ProofState.HARMFUL
    assert decision.harm_e_value >= RULE.harm_e
    assert "8 of 8 past successes" in decision.why


def test_a_skill_that_surely_loses_its_own_pairs_is_harmful() -> None:
    decision = decide(pairs("-" * 8), RULE, successes=0)
    assert decision.state is ProofState.HARMFUL
    assert "lost 8" in decision.why


def test_sixty_pairs_that_show_nothing_leave_it_unproved() -> None:
    half = pairs("+-" * 30)
    assert decide(half, RULE, successes=0).state is ProofState.UNPROVED


def test_a_proof_ends_when_nothing_can_come_of_it() -> None:
    patient = replace(RULE, winless_pairs=60)
    decision = decide(pairs("." * 53), patient, successes=0)
    assert decision.state is ProofState.UNPROVED
    assert "7 pairs" in decision.why
    assert decide(pairs("." * 52), patient, successes=0).state is ProofState.UNDECIDED


def test_a_skill_that_was_never_better_ends_early() -> None:
    assert decide(pairs("." * 23), RULE, successes=0).state is ProofState.UNDECIDED
    decision = decide(pairs("." * 24), RULE, successes=0)
    assert (decision.state, decision.why) == (
        ProofState.UNPROVED,
        "it was better in none of 24 pairs",
    )
    assert decide(pairs("+" + "." * 24), RULE, successes=0).state is ProofState.UNDECIDED


def test_a_rule_that_no_answer_with_the_skill_kept_ends_earlier() -> None:
    for scorer in (BY_CHECK, "judge:small"):
        broken = [replace(pair(seed=n, with_=0.0), scored_by=scorer) for n in range(12)]
        assert decide(broken[:11], RULE, successes=0).state is ProofState.UNDECIDED
        decision = decide(broken, RULE, successes=0)
        assert decision.state is ProofState.UNPROVED
        assert decision.why == "your model did not keep this rule in 12 of 12 tries"
        kept = replace(broken[0], seed=99, with_=1.0, without=1.0)
        assert decide([kept, *broken], RULE, successes=0).state is ProofState.UNDECIDED
    picks = [replace(one, scored_by=BY_USER) for one in broken]
    assert decide(picks, RULE, successes=0).state is ProofState.UNDECIDED, "a pick tells no rule"


def test_a_success_that_could_not_be_used_to_the_end_holds_nothing_up() -> None:
    shown, kept = pairs("++++++++"), pairs("...", part=SUCCESS)
    assert decide([*shown, *kept], RULE, successes=0).state is ProofState.PROVED
    lost = pairs("---", part=SUCCESS)
    assert decide([*shown, *lost], RULE, successes=0).state is ProofState.UNPROVED


@given(some_pairs, st.integers(0, 3))
def test_proved_always_means_enough_evidence_and_no_sure_harm(
    given_pairs: list[Pair], successes: int
) -> None:
    decision = decide(given_pairs, RULE, successes=successes)
    if decision.state is ProofState.PROVED:
        assert decision.e_value >= 20
        assert decision.harm_e_value < RULE.suspect_e
        assert not successes or decision.success_pairs >= RULE.least_success_pairs
    assert (decision.state is ProofState.HARMFUL) >= (decision.harm_e_value >= RULE.harm_e)
    assert decision.why


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 0.0},
        {"alpha": 1.0},
        {"most_pairs": 0},
        {"most_pairs": 10**9},
        {"suspect_e": 30.0},
        {"suspect_e": 1.0},
        {"harm_e": float("inf")},
        {"least_success_pairs": 21},
        {"least_success_pairs": -1},
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        ProofRule(**wrong)  # type: ignore[arg-type]


# The next pair


def test_requests_take_turns_and_parts_alternate() -> None:
    requests = world(failures=3, siblings=3)
    done, _ = run(requests, lambda _wanted: ".", rule=replace(RULE, winless_pairs=60))
    for start in range(0, 48, 6):
        assert len({p.request for p in done[start : start + 6]}) == 6
        assert [p.part for p in done[start : start + 6]] == [FAILURE, SIBLING] * 3
    first_of_rounds = {done[start].request for start in range(0, 48, 6)}
    assert len(first_of_rounds) > 1


@pytest.mark.slow
@given(some_requests, st.lists(outcomes, min_size=60, max_size=60), st.integers(0, 59))
def test_an_interrupted_proof_goes_on_as_if_nothing_had_happened(
    requests: Requests, luck: list[str], cut: int
) -> None:
    done, _ = run(requests, lambda wanted: luck[wanted.seed % 60])
    again = next_pair(done[:cut], RULE, requests=list(reversed(requests)), key="k")
    if cut < len(done):
        assert again is not None
        assert (again.request, again.seed) == (done[cut].request, done[cut].seed)
    else:
        assert again is None
    assert len(done) <= RULE.most_pairs
    seeds = Counter((p.request, p.seed) for p in done)
    assert not seeds or max(seeds.values()) == 1
    if not any(part is not SUCCESS for _, part in requests):
        assert not done


@pytest.mark.slow
@given(some_requests, st.lists(outcomes, min_size=60, max_size=60), st.integers(1, 9))
def test_pairs_that_are_replayed_at_the_same_time_are_those_of_one_after_the_other(
    requests: Requests, luck: list[str], most: int
) -> None:
    one_by_one, _ = run(requests, lambda wanted: luck[wanted.seed % 60])
    scores = {"+": (0.0, 1.0), "-": (1.0, 0.0), ".": (1.0, 1.0)}
    done: list[Pair] = []

    def plans() -> list[PlannedPair]:
        return plan_several(
            done, lambda pairs: next_pair(pairs, RULE, requests=requests, key="k"), most=most
        )

    while planned := plans():
        assert len({(plan.request, plan.seed) for plan in planned}) == len(planned) <= most
        for plan in planned:
            if plan in plans():
                without, with_ = scores[luck[plan.seed % 60]]
                done.append(
                    pair(plan.request, plan.seed, part=plan.part, without=without, with_=with_)
                )
    assert done == one_by_one


@pytest.mark.slow
@given(some_requests, st.lists(outcomes, min_size=60, max_size=60))
def test_no_request_is_replayed_twice_more_than_another_of_its_kind(
    requests: Requests, luck: list[str]
) -> None:
    done, _ = run(requests, lambda wanted: luck[wanted.seed % 60])
    for kind in ({SUCCESS}, {FAILURE, SIBLING}):
        able = [request for request, part in requests if part in kind]
        had = Counter(p.request for p in done if p.part in kind)
        if able:
            assert max(had[r] for r in able) - min(had[r] for r in able) <= 1


def test_every_proof_comes_to_an_end_that_says_what_it_is() -> None:
    _, proved = run(world(3, 2, 2), lambda w: "." if w.part is SUCCESS else "+")
    assert (proved.state, proved.pairs) == (ProofState.PROVED, 8 + RULE.success_pairs)
    _, useless = run(world(3, 2, 2), lambda _w: ".")
    assert useless.state is ProofState.UNPROVED
    assert useless.success_pairs == 0
    _, spoils = run(world(3, 2, 2), lambda w: "-" if w.part is SUCCESS else "+")
    assert spoils.state is ProofState.HARMFUL
    _, single = run(world(1, 0, 0), lambda _w: "+")
    assert (single.state, single.requests) == (ProofState.PROVED, 1)


def test_past_successes_always_find_room_among_the_sixty() -> None:
    slow = iter("+-" * 5 + "." * 30 + "+" * 12)
    done, decision = run(world(3, 2, 2), lambda w: "." if w.part is SUCCESS else next(slow))
    assert decision.state is ProofState.PROVED
    assert (totals_of(done).benefit_pairs, decision.success_pairs) == (52, 8)


def test_the_benefit_may_not_use_up_the_room_of_past_successes() -> None:
    done, decision = run(world(3, 2, 2), lambda w: "+" if w.seed % 2 else "-")
    assert decision.state is ProofState.UNPROVED
    assert len(done) <= RULE.most_pairs - RULE.least_success_pairs


def test_an_undecided_try_is_a_turn_of_its_request_and_its_seed_is_not_tried_again() -> None:
    requests = world(3)
    undecided: list[str] = []
    seen = set()
    for turn in range(9):
        wanted = next_pair([], RULE, requests=requests, key="k", undecided=undecided)
        assert wanted is not None
        undecided.append(wanted.request)
        seen.add((wanted.request, wanted.seed))
        assert len(seen) == turn + 1
        had = Counter(undecided)
        assert max(had.values()) - min(had[name] for name, _ in requests) <= 1


def test_a_proof_without_one_score_gives_up_after_the_same_number_of_tries() -> None:
    for count in (1, 2, 3, 20):
        requests = world(count)
        undecided: list[str] = []
        while able := still_asked(requests, [], undecided):
            wanted = least_answered([], sorted(able), successes=False, key="k", undecided=undecided)
            assert wanted is not None
            undecided.append(wanted.request)
        assert len(undecided) == UNDECIDED_AT_FIRST
        assert len(set(undecided)) == min(count, UNDECIDED_AT_FIRST)


def test_a_request_that_is_hardly_ever_scored_waits_while_there_are_others() -> None:
    one, other = sorted(world(2))
    scored = [pair(other[0], seed) for seed in range(3)]
    assert still_asked([one, other], scored, [one[0]] * 2) == {one, other}
    assert still_asked([one, other], scored, [one[0]] * 3) == {other}
    assert still_asked([one], [], [one[0]] * 3) == {one}, "alone it is asked on"
    of_its_own = [*scored, pair(one[0], 0)]
    assert still_asked([one, other], of_its_own, [one[0]] * 6) == {one, other}


def test_a_proof_of_many_pairs_gives_up_when_too_many_tries_were_for_nothing() -> None:
    (one,) = world(1)
    scored = [pair(one[0], seed) for seed in range(40)]
    assert still_asked([one], scored, [one[0]] * (UNDECIDED_AT_MOST - 1)) == {one}
    assert still_asked([one], scored, [one[0]] * UNDECIDED_AT_MOST) == set()


def test_past_successes_that_nothing_scores_cost_the_others_nothing() -> None:
    requests = world(1, 0, 1)
    success = next(one for one in requests if one[1] is SUCCESS)
    left = still_asked(requests, [], [success[0]] * UNDECIDED_AT_FIRST)
    assert left == set(requests) - {success}


def test_another_text_is_proved_under_other_seeds() -> None:
    requests = world(4, 4)
    one = least_answered([], requests, successes=False, key="one")
    other = least_answered([], requests, successes=False, key="other")
    assert one is not None
    assert other is not None
    assert one.seed != other.seed
    assert 0 <= one.seed < 2**31


def test_without_a_request_there_is_nothing_to_replay() -> None:
    assert next_pair([], RULE, requests=[], key="k") is None
    assert next_pair([], RULE, requests=world(successes=3), key="k") is None


@given(st.lists(st.text(max_size=8), min_size=1, max_size=6, unique=True))
def test_any_id_and_key_will_do(ids: Sequence[str]) -> None:
    requests = [(name, FAILURE) for name in ids]
    wanted = next_pair([], RULE, requests=requests, key=ids[0])
    assert wanted is not None
    assert wanted.request in ids


# The user's picks


def picks(wins: int, losses: int = 0) -> list[Pair]:
    scored = [(0.0, 1.0)] * wins + [(1.0, 0.0)] * losses
    return [
        Pair(request="f0", part=FAILURE, seed=n, without=a, with_=b, scored_by=BY_USER)
        for n, (a, b) in enumerate(scored)
    ]


@pytest.mark.parametrize(("wins", "losses"), [(6, 0), (9, 1), (12, 2)])
def test_so_many_picks_prove_and_one_fewer_do_not(wins: int, losses: int) -> None:
    assert decide(picks(wins, losses), RULE, successes=0).state is ProofState.PROVED
    fewer = picks(wins - 1, losses)
    assert decide(fewer, RULE, successes=0).state is ProofState.UNDECIDED
    assert (picks_wanted(fewer, RULE), picks_wanted(picks(wins, losses), RULE)) == (1, 0)


def test_six_picks_for_the_other_side_are_harm() -> None:
    assert decide(picks(0, 6), RULE, successes=0).state is ProofState.HARMFUL


def test_picks_and_measured_pairs_are_two_bets_whose_winnings_multiply() -> None:
    measured = [pair("f1", n, with_=1.0) for n in range(4)]
    together = totals_of([*measured, *picks(3)]).log_e
    assert together == pytest.approx(totals_of(measured).log_e + totals_of(picks(3)).log_e)


@pytest.mark.parametrize(("most", "share"), [(12, 0.0215), (60, 0.0323)])
def test_picks_by_the_toss_of_a_coin_seldom_ever_prove(most: int, share: float) -> None:
    """Computed exactly over all orders of random picks, with a look after each."""
    open_ones, proved = {(0, 0): 1.0}, 0.0
    for _ in range(most):
        after: dict[tuple[int, int], float] = {}
        for (wins, losses), chance in open_ones.items():
            for counts in ((wins + 1, losses), (wins, losses + 1)):
                if pick_log_e_value(*counts) >= math.log(20):
                    proved += chance / 2
                else:
                    after[counts] = after.get(counts, 0.0) + chance / 2
        open_ones = after
    assert proved == pytest.approx(share, abs=1e-4)
    assert proved <= RULE.alpha


@given(st.integers(0, 2**32), st.sampled_from(["+-", "+-.", "-.", "+..-", "++-"]), st.booleans())
def test_no_row_of_picks_is_longer_than_what_is_said_at_its_beginning(
    seed: int, likely: str, kept: bool
) -> None:
    successes, chance = 3 if kept else 0, random.Random(seed)
    most = most_picks_left([], RULE, successes=successes)
    made: list[Pair] = []
    while decide(made, RULE, successes=successes).state is ProofState.UNDECIDED:
        if benefit_shown(totals_of(made), RULE):
            break  # from here on requests that went well are repeated, and nothing is picked
        assert len(made) < most
        assert most_picks_left(made, RULE, successes=successes) == most - len(made)
        without, with_ = {"+": (0.0, 1.0), "-": (1.0, 0.0), ".": (1.0, 1.0)}[chance.choice(likely)]
        made.append(replace(picks(1)[0], seed=len(made), without=without, with_=with_))


def test_so_many_more_wins_are_enough_and_one_fewer_are_not() -> None:
    for kept in ("", "+", "++-", "+++++-.."):
        made = pairs(kept) if kept else []
        wanted = wins_wanted(made, RULE)
        for more, shown in ((wanted - 1, False), (wanted, True)):
            assert benefit_shown(totals_of([*made, *later(more)]), RULE) is shown


def later(number: int) -> list[Pair]:
    return [
        Pair(request="g0", part=FAILURE, seed=n, without=0.0, with_=1.0, scored_by="check")
        for n in range(number)
    ]


def test_what_is_left_to_repeat_is_counted_down_until_it_counts_as_proof() -> None:
    shown = pairs("++++++++")
    for done in range(RULE.success_pairs + 1):
        made = [*shown, *pairs("." * done, part=SUCCESS)]
        left = successes_left(made, RULE, successes=2)
        assert left == RULE.success_pairs - done
        assert (decide(made, RULE, successes=2).state is ProofState.PROVED) is (left == 0)
    assert successes_left(shown, RULE, successes=0) == 0
