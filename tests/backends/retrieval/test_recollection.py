"""Tests of scoring skills by past requests: similar ones add up, those that wanted none count."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.backends.retrieval.embedder import HashedNgrams
from lull.backends.retrieval.recollection import FEW_REQUESTS, NOISE, REFUSAL, PastRequests
from lull.core.skills.past_requests import NO_SKILL, PastRequestScores
from lull.core.skills.skill_ranking import past_request_score

Vector = npt.NDArray[np.float32]


def vector(text: str) -> Vector:
    return np.asarray(HashedNgrams().embed([text])[0], np.float32)


def remembering(
    *exemplars: tuple[str, str], known: int = 1, few: int = FEW_REQUESTS
) -> PastRequests:
    """Return a memory of past requests, each with the skill that it wanted."""
    made = PastRequests(few=few)
    for number, (text, skill) in enumerate(exemplars):
        made.put(f"t{number}:{skill}", skill, vector(text), known=known)
    return made


def said(
    made: PastRequests, text: str, skill: str = "menu", *, since: int = 0
) -> PastRequestScores:
    found = made.scores_by_skill(vector(text), since=lambda _: since, also=(skill,), least=-1.0)
    return found[skill]


def test_a_lone_request_says_as_much_as_it_is_like_this_one() -> None:
    made = remembering(("write a menu for Sunday", "menu"))
    close = float(vector("write a menu for Sunday") @ vector("write the menu for Monday"))
    heard = said(made, "write the menu for Monday")
    assert heard.wanted == pytest.approx(close, abs=1e-5)
    assert heard.helped == pytest.approx(close, abs=1e-5)
    assert heard.among == 1


@pytest.mark.parametrize("few", [0, 64])
def test_skills_that_cannot_reach_a_score_are_left_out_and_no_others(few: int) -> None:
    words = ["menu", "fish", "invoice", "net", "trip", "train", "letter", "warm"]
    draw = random.Random(few)
    made = PastRequests(few=few)
    for number in range(120):
        text = " ".join(draw.choices(words, k=4))
        skill = draw.choice([*words, NO_SKILL])
        made.put(f"t{number}:{skill}", skill, vector(text), known=number // 40)
    since = {word: draw.randrange(3) for word in words}
    for least in (-1.0, 0.0, 0.2, 0.52):
        for text in ("a warm letter", "the menu with fish", "train trip", "menu menu menu menu"):
            whole = made.scores_by_skill(vector(text), since=since.get, also=(), least=-1.0)
            some = made.scores_by_skill(vector(text), since=since.get, also=("net",), least=least)
            reach = {
                name
                for name, one in whole.items()
                if past_request_score(one, says_little=False) >= least
            }
            assert some.items() <= whole.items()
            assert reach | {"net"} <= some.keys()
            assert least < 0.5 or len(some) < len(whole)


def test_several_less_alike_say_more_than_one() -> None:
    texts = ["write a menu for Sunday", "a menu with fish", "menu for two, please"]
    alone = remembering((texts[0], "menu"))
    several = remembering(*((text, "menu") for text in texts))
    assert said(several, "the menu of Monday").wanted > said(alone, "the menu of Monday").wanted


def test_the_same_request_again_is_no_second_witness() -> None:
    once = remembering(("write a menu for Sunday", "menu"))
    often = remembering(*[("write a menu for Sunday", "menu")] * 50)
    assert said(often, "write a menu").wanted < 2 * said(once, "write a menu").wanted


def test_requests_that_wanted_nothing_speak_against_a_skill() -> None:
    wanted = ("write a menu for the harvest party", "menu")
    for_it = remembering(wanted)
    against = remembering(wanted, ("what is another word for harvest party", NO_SKILL))
    question = "what is another word for wedding party"
    assert said(against, question).helped < 0 < said(for_it, question).helped
    task = "write a menu for the wedding"
    assert said(against, task).helped > 0


def test_what_went_well_before_a_skill_came_says_nothing_against_it() -> None:
    made = remembering(("write a haiku about rain", NO_SKILL), known=3)
    assert said(made, "write a haiku about snow", since=3).helped < 0
    assert said(made, "write a haiku about snow", since=4).helped == 0


def test_a_request_that_wanted_two_skills_is_one_request() -> None:
    made = PastRequests()
    for skill in ("menu", "wine"):
        made.put(f"t1:{skill}", skill, vector("write a menu for Sunday"), known=1)
    one = said(made, "write a menu for Sunday")
    assert one == said(made, "write a menu for Sunday", "wine")
    assert one.among == 1
    made.drop({"t1:wine"})
    assert said(made, "write a menu for Sunday") == one
    assert said(made, "write a menu for Sunday", "wine").wanted == 0


def test_a_request_that_turns_out_to_have_wanted_a_skill_no_longer_speaks_against_it() -> None:
    made = remembering(("write a menu for Sunday", NO_SKILL))
    made.put("t0:menu", "menu", vector("write a menu for Sunday"), known=1)
    assert said(made, "write a menu for Sunday").helped > 0


def test_a_skill_that_is_gone_is_left_out() -> None:
    made = remembering(("write a menu for Sunday", "menu"))
    assert (
        made.scores_by_skill(vector("write a menu"), since=lambda _: None, also=(), least=-1.0)
        == {}
    )


words = st.sampled_from(
    ["menu", "fish", "wine", "rain", "haiku", "letter", "table", "sum", "garden", "report"]
)
texts = st.lists(words, min_size=1, max_size=4).map(" ".join)


@pytest.mark.full
@given(
    st.lists(st.tuples(texts, st.sampled_from(["menu", "wine", NO_SKILL])), min_size=1, max_size=9),
    st.sets(st.integers(0, 8)),
    texts,
    st.sampled_from([0, 3, FEW_REQUESTS]),
)
def test_it_is_ridge_regression_whatever_came_and_went(
    exemplars: list[tuple[str, str]], gone: set[int], text: str, few: int
) -> None:
    made = remembering(*exemplars, few=few)
    made.drop({f"t{n}:{skill}" for n, (_, skill) in enumerate(exemplars) if n in gone})
    left = [one for n, one in enumerate(exemplars) if n not in gone]
    if not left:
        assert (
            made.scores_by_skill(vector(text), since=lambda _: 0, also=("menu",), least=-1.0) == {}
        )
        return
    rows = np.array([vector(asked) for asked, _ in left], np.float64)
    labels = np.array([[skill == "menu", skill != NO_SKILL] for _, skill in left], np.float64)
    labels[:, 1] = 2 * labels[:, 1] - 1
    noise = np.array([NOISE if skill != NO_SKILL else NOISE / REFUSAL for _, skill in left])
    weights = np.linalg.solve(rows @ rows.T + np.diag(noise), rows @ vector(text))
    wanted, helped = (1 + NOISE) * (weights @ labels)
    for _ in range(2):
        heard = said(made, text)
        assert heard.wanted == pytest.approx(wanted, abs=1e-3)
        assert heard.helped == pytest.approx(helped, abs=1e-3)
        foresee(made)  # and once more, in one step


def foresee(made: PastRequests) -> None:
    if work := made.foreseeing():
        made.foresee(work())


def test_what_was_foreseen_holds_until_the_next_change() -> None:
    made = remembering(("write a menu", "menu"), few=0)
    assert made.foreseeing() is None, "nothing is worth it before the first request"
    before = said(made, "write a menu for two")
    work = made.foreseeing()
    assert work is not None
    foreseen = work()
    made.foresee(foreseen)
    assert made.foreseeing() is None
    same = said(made, "write a menu for two")
    assert same.wanted == pytest.approx(before.wanted, abs=1e-6)
    made.put("t9:menu", "menu", vector("a menu for two"), known=1)
    made.foresee(foreseen)  # too late
    more = said(made, "write a menu for two")
    assert more.wanted > before.wanted
    foresee(made)
    again = said(made, "write a menu for two")
    assert again.wanted == pytest.approx(more.wanted, abs=1e-6)
    made.drop({"t9:menu"})
    assert said(made, "write a menu for two").wanted == pytest.approx(before.wanted, abs=1e-6)


def test_a_client_with_few_requests_takes_kilobytes() -> None:
    few, many = (
        remembering(*[(f"write a menu for guest {n}", "menu") for n in range(count)])
        for count in (3, FEW_REQUESTS + 1)
    )
    for made in (few, many):
        said(made, "write a menu")
    assert few.bytes_held < 50_000
    assert many.bytes_held > 3_000_000
