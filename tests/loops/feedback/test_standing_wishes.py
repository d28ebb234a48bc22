"""Tests of standing wishes: whose answers a wish of the user's is applied to, and until when."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from lull.core.chat.client import Client
from lull.core.checks.check import CheckKind
from lull.core.errors import StoreError
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import Feedback, MessageFindings, Scope
from lull.core.skills.skill import ChangeKind
from lull.loops.feedback.standing_wishes import DecisionsOnWishes, StandingWishes, WishDecisions
from lull.loops.feedback.verify import Wish
from lull.store.feedback.feedback import FeedbackRows
from lull.store.feedback.reward_rows import RewardRow
from lull.store.feedback.rewards import Rewards
from lull.store.sqlite.database import Database
from tests.building import ANYBODY
from tests.doubles.word_reader import WordReader
from tests.loops.classroom import CHECKED, Classroom

ANNA, BEN = (Client(name=name, apart=True) for name in ("anna", "ben"))
WISH = "no, when you write a menu, join with bars"


async def taught_bars(room: Classroom) -> tuple[str, str]:
    """Return the wrong turn, and one after the user had said what they want; a proposal waits."""
    first, _ = await room.plays(
        "a menu please",
        "soup, fish",
        "no, when you write a menu, join with bars",
        "soup | fish",
        model=CHECKED,
    )
    (later,) = await room.plays("a menu for Monday", "rice, beans", model=CHECKED)
    await room.score.read_new()
    await room.evolve.step()
    return first, later


def verdict(room: Classroom, turn: str) -> float | None:
    reward = room.known(turn).reward
    return reward and reward.value


async def test_a_wish_that_was_turned_down_holds_no_answer_to_it(room: Classroom) -> None:
    first, later = await taught_bars(room)
    assert verdict(room, later) == -1.0
    (proposal,) = room.open_proposals()
    await room.review.reject(proposal.id, reason="I did not mean that")
    await room.score.read_new()
    assert verdict(room, later) is None
    (after,) = await room.plays("a menu for Friday", "rice, beans", model=CHECKED)
    await room.score.read_new()
    assert verdict(room, after) is None
    # The user has still said that this one answer was wrong.
    assert verdict(room, first) == -1.0

    await room.review.undo()
    (again,) = await room.plays("a menu for Sunday", "rice, beans", model=CHECKED)
    await room.score.read_new()
    assert verdict(room, again) == -1.0


async def wished(room: Classroom, client: Client = ANYBODY) -> str:
    """Return a turn that did not do what its user had said they want."""
    await room.plays(
        "a menu please", "soup, fish", WISH, "soup | fish", model=CHECKED, client=client
    )
    (later,) = await room.plays("a menu for Monday", "rice, beans", model=CHECKED, client=client)
    await room.score.read_new()
    return later


async def rejected(room: Classroom, client: str = "") -> None:
    while not (mine := [p for p in room.open_proposals() if p.key.client == client]):
        assert await room.evolve.step()
    await room.review.reject(mine[0].id, reason="I did not mean that")


@pytest.mark.parametrize("away", [False, True])
async def test_what_one_client_turns_down_another_still_wants(room: Classroom, away: bool) -> None:
    """This also holds if the wish was turned down just before the service ended."""
    hers, his, everybodys = [await wished(room, one) for one in (ANNA, BEN, ANYBODY)]
    await rejected(room, "anna")
    if away:
        await room.restart()
    await room.score.read_new()
    assert [verdict(room, one) for one in (hers, his, everybodys)] == [None, -1.0, -1.0]
    await rejected(room)
    await room.score.read_new()
    assert [verdict(room, one) for one in (hers, his, everybodys)] == [None, -1.0, None]
    await room.restart()
    await room.score.read_new()
    assert [verdict(room, one) for one in (hers, his, everybodys)] == [None, -1.0, None]


async def test_words_said_again_after_they_were_turned_down_stand(room: Classroom) -> None:
    before = await wished(room)
    await rejected(room)
    await room.score.read_new()
    again = await wished(room)
    await room.plays("tell a joke", "haha", "no, make it shorter", "ha", model=CHECKED)
    await room.score.read_new()
    assert [verdict(room, one) for one in (before, again)] == [None, -1.0]
    for _ in range(2):
        await room.restart()
        # Only the newest wish is read here, which is another one; the older one still counts.
        room.score.wishes = wishes_of(room, most=1)
        await room.score.read_new()
        assert [verdict(room, one) for one in (before, again)] == [None, -1.0]


def wishes_of(room: Classroom, *, most: int) -> StandingWishes:
    return StandingWishes(
        room.rewards,
        room.feedback,
        room.verifier,
        decisions=DecisionsOnWishes(room.proposals, room.skills, in_use=room),
        most=most,
    )


async def test_half_a_character_in_a_wish_keeps_nobody_from_turning_it_down(
    room: Classroom,
) -> None:
    _, said = await room.plays("a menu please", "soup", f"{WISH} \ud83d", "a | b", model=CHECKED)
    (later,) = await room.plays("a menu for Monday", "rice, beans", model=CHECKED)
    await room.score.read_new()
    assert verdict(room, later) == -1.0
    proposal = await room.proposes(wish_turns=(said,))  # in a writer's words
    await room.review.reject(proposal.id, reason="I did not mean that")
    await room.score.read_new()
    assert verdict(room, later) is None


@pytest.mark.parametrize("change", [ChangeKind.DISABLE, ChangeKind.DELETE])
async def test_nor_does_one_whose_skill_was_switched_off(
    room: Classroom, change: ChangeKind
) -> None:
    _, later = await taught_bars(room)
    (proposal,) = room.open_proposals()
    await room.review.approve(proposal.id, sha256=proposal.sha256)
    await room.score.read_new()
    assert verdict(room, later) == -1.0
    await room.approve.switch(proposal.key, change)
    await room.score.read_new()
    assert verdict(room, later) is None


async def test_what_lull_took_out_for_harm_is_still_what_the_user_said(room: Classroom) -> None:
    _, later = await taught_bars(room)
    (proposal,) = room.open_proposals()
    await room.review.approve(proposal.id, sha256=proposal.sha256)
    await room.approve.retire(proposal.key, why="conversations go better without it")
    await room.score.read_new()
    assert verdict(room, later) == -1.0
    await room.approve.switch(proposal.key, ChangeKind.DELETE)
    await room.score.read_new()
    assert verdict(room, later) is None


async def test_a_wish_holds_for_later_answers_of_the_same_room(room: Classroom) -> None:
    await room.plays(
        "a menu please", "soup, fish", "no, join with bars", "soup | fish", model=CHECKED
    )
    (wrong,) = await room.plays("a menu for Monday", "rice, beans", model=CHECKED)
    (right,) = await room.plays("a menu for Friday", "rice | beans", model=CHECKED)
    (other,) = await room.plays("what is a lull", "a calm", model=CHECKED)
    await room.score.read_new()
    rewards = [room.known(turn).reward for turn in (wrong, right, other)]
    assert [reward and reward.value for reward in rewards] == [-1.0, 1.0, None]


async def test_a_wish_is_remembered_after_a_restart(room: Classroom) -> None:
    await room.plays(
        "a menu please", "soup, fish", "no, join with bars", "soup | fish", model=CHECKED
    )
    await room.score.read_new()
    await room.restart()
    (wrong,) = await room.plays("a menu for Monday", "rice, beans", model=CHECKED)
    await room.score.read_new()
    reward = room.known(wrong).reward
    assert reward is not None
    assert reward.value == -1.0


# Beside the requests


class WatchedRewards(Rewards):
    """Records on which threads many turns were read at once, and may fail to save."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.read_on: list[threading.Thread] = []
        self.full = False

    def scored_by_wishes(
        self, wishes: Collection[str], *, owner: str, model: str | None = None
    ) -> dict[str, frozenset[str]]:
        self.read_on.append(threading.current_thread())
        return super().scored_by_wishes(wishes, owner=owner, model=model)

    async def save(self, rows: Iterable[RewardRow], *, read: Iterable[str], at: datetime) -> None:
        if self.full:
            raise StoreError("The disk is full.")
        await super().save(rows, read=read, at=at)


class WatchedFeedback(FeedbackRows):
    """Records on which threads wishes were read."""

    def __init__(self, database: Database, *, read_on: list[threading.Thread]) -> None:
        super().__init__(database)
        self.read_on = read_on

    def wishes(self, *, owner: str, model: str, limit: int | None) -> list[Feedback]:
        self.read_on.append(threading.current_thread())
        return super().wishes(owner=owner, model=model, limit=limit)


async def test_what_still_stands_is_worked_out_beside_the_requests(room: Classroom) -> None:
    watched = WatchedRewards(room.database)

    class WatchedDecisions(DecisionsOnWishes):
        def read(self) -> WishDecisions:
            watched.read_on.append(threading.current_thread())
            return super().read()

    down = WatchedDecisions(room.proposals, room.skills, in_use=room)
    heard = WatchedFeedback(room.database, read_on=watched.read_on)
    room.score.wishes = StandingWishes(watched, heard, room.verifier, decisions=down)
    later = await wished(room)
    await rejected(room)
    await room.score.read_new()
    assert verdict(room, later) is None
    assert len(watched.read_on) > 3
    assert threading.current_thread() not in watched.read_on


async def test_a_verdict_that_could_not_be_taken_back_is_taken_back_later(room: Classroom) -> None:
    room.rewards = watched = WatchedRewards(room.database)
    room.learn()
    later = await wished(room)
    await rejected(room)
    watched.full = True
    with pytest.raises(StoreError):
        await room.score.read_new()
    watched.full = False
    await room.score.read_new()
    assert verdict(room, later) is None


# For which requests


class SmallLetters(WordReader):
    """A reader that knows what check is meant by its one rule."""

    async def read(self, exchanges: Sequence[Exchange]) -> list[MessageFindings | None]:
        found = await super().read(exchanges)
        return [
            one and replace(one, check=(CheckKind.LOWER_CASE if one.lasts else None))
            for one in found
        ]


async def test_a_wish_applies_to_the_requests_that_its_skill_is_for(room: Classroom) -> None:
    room.reader = SmallLetters()
    room.learn()
    asked = "Tell me about the harbour in Bergen."
    first, said, like, other = await room.plays(
        asked,
        "It is OLD.",
        "No, write every answer in lower case.",
        "it is old.",
        "Tell me about the harbour in Bergen again.",
        "It is BIG.",
        "poem on rain please",
        "RAIN",
    )
    await room.score.read_new()
    assert [verdict(room, one) for one in (like, other)] == [-1.0, -1.0]

    proposal = await room.proposes(failures=(first,), wish_turns=(said,), scope=Scope.KIND)
    await room.score.read_new()
    assert [verdict(room, one) for one in (like, other)] == [-1.0, None]
    (later,) = await room.plays("a tale of two cities, short", "IT WAS")
    await room.score.read_new()
    assert verdict(room, later) is None

    served = room.served(said)
    heard_anew = Wish(words="lower case", about=asked, said=said, scope=Scope.ALL)
    await room.score.wishes.add(served, heard_anew)
    assert [one.scope for one in await room.score.wishes.wishes_for(served)] == [Scope.KIND]
    room.score.wishes.clear()

    await room.review.edit(proposal.id, scope=Scope.ALL)
    (after,) = await room.plays("what is a lull", "A CALM")
    await room.score.read_new()
    assert verdict(room, after) == -1.0
