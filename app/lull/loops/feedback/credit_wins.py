"""Saves requests that were answered well as exemplars of the skills that helped: past requests for
which a skill was useful.

Retrieval then chooses the same skills for similar requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Protocol

from lull.core.feedback.feedback import Scope
from lull.core.feedback.reward import GREY
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.skill import Skill, SkillKey
from lull.loops.chat.current_selection import CurrentSelection
from lull.loops.feedback.verify import Verifier
from lull.store.feedback.reward_rows import RewardRow, ServedTurn, newest_words
from lull.store.feedback.rewards import Rewards

Credit = Callable[[ServedTurn, Sequence[str]], Awaitable[object]]
"""Callback that saves a request as an exemplar (a past success) of the skills that helped with it;
of none, if it went well without any. It returns False if that cannot be done yet.
"""
FindsSaved = Callable[[Sequence[str]], Awaitable[Collection[str]]]
"""Callback that tells which of these turns are saved as exemplars."""
MOST_WAITING = 200
"""Most turns that wait until they can be saved as exemplars; beyond them the oldest are dropped."""
AT_ONCE = 16
"""Turns that are read from the store at once to be saved as exemplars."""


class CreditedRequests(Protocol):
    """Interface of the memory in which past requests are stored with the skills that were useful
    for them.
    """

    async def credit(
        self, turn: str, *, text: str, client: str, skills: Sequence[str], known: int
    ) -> bool:
        """Store a turn's request under the skills that were useful for it, or under none; `known`
        is the version of the skill library at that turn. Return False if the memory is not open.
        """


def credit_in(memory: CreditedRequests) -> Credit:
    """Return the callback that saves a request in `memory`."""

    async def credit(served: ServedTurn, skills: Sequence[str]) -> bool:
        return await memory.credit(
            served.turn.id,
            text=served.asked,
            client=served.identity,
            skills=skills,
            known=served.known,
        )

    return credit


class CreditWins:
    """Saves requests that were answered well as examples of the skills (instruction texts) that
    helped to answer them.
    """

    def __init__(
        self,
        rewards: Rewards,
        *,
        verifier: Verifier,
        in_use: LibraryInUse,
        current_selection: CurrentSelection,
        credit: Credit,
    ) -> None:
        self._rewards = rewards
        self._verifier = verifier
        self._in_use = in_use
        self._current_selection = current_selection
        self._credit = credit
        self._waiting: dict[str, None] = {}
        """Turns to be saved as exemplars, oldest first. They are read from the store again when
        that can be done, so that one forgotten meanwhile is not saved."""

    async def credit(self, rows: Sequence[RewardRow]) -> None:
        """Store the well-answered ones of these turns as exemplars: requests for which the turn's
        skills were useful.

        A turn becomes an example only of the skills that its request needed, whether these were in
        the prompt or in the weights. Requests that went well without any skill are stored too.
        Those that cannot be stored yet are stored with the next ones.
        """
        self._add_waiting(rows)
        waiting = [*self._waiting]
        for start in range(0, len(waiting), AT_ONCE):
            some = waiting[start : start + AT_ONCE]
            found = {served.turn.id: served for served in self._rewards.served_briefly(some)}
            for turn in some:
                if turn not in self._waiting:  # its rating was taken back meanwhile
                    continue
                if turn in found and await self._save(found[turn]) is False:
                    return
                self._waiting.pop(turn, None)

    async def credit_earlier(self, stored: FindsSaved) -> None:
        """Store those well-answered turns as exemplars that an earlier process could not store
        before it ended, as when the memory's process could not start.

        They are found by their rewards: of the newest `MOST_WAITING` turns that were answered well,
        those that `stored` does not name.
        """
        newest = await asyncio.to_thread(
            self._rewards.answered_well, above=GREY[1], limit=MOST_WAITING
        )
        if not newest:  # then the memory's process is not started for nothing
            return
        missing = {*newest} - {*await stored(newest)}
        earlier = dict.fromkeys(turn for turn in reversed(newest) if turn in missing)
        self._waiting = {**earlier, **self._waiting}
        await self.credit(())

    def _add_waiting(self, rows: Sequence[RewardRow]) -> None:
        for row in rows:
            self._waiting.pop(row.turn, None)
            if row.reward is not None and row.reward.p_good > GREY[1]:
                self._waiting[row.turn] = None
        for turn in [*self._waiting][:-MOST_WAITING]:
            del self._waiting[turn]

    async def _save(self, served: ServedTurn) -> object:
        """Save a turn's request as an exemplar, if it is one; return False if that cannot be done
        yet.
        """
        if not served.may_be_an_example:
            return None
        had = self._in_prompt(served) | self._in_weights(served)
        wanted = self._had_a_part(served, had)
        if not wanted and (had or served.left_out):
            return None
        return await self._credit(served, wanted)

    def _in_prompt(self, served: ServedTurn) -> dict[str, Skill | None]:
        """Return the skills in the turn's prompt that are not for every request; None for one that
        has changed since."""
        skills = self._in_use.library.skills
        had: dict[str, Skill | None] = {}
        for one in served.turn.skills:
            skill = skills.get(SkillKey(served.owner, one.name))
            if skill is None or skill.sha256 != one.sha256:
                had[one.name] = None
            elif skill.scope is not Scope.ALL and not skill.pinned:
                had[one.name] = skill
        return had

    def _in_weights(self, served: ServedTurn) -> dict[str, Skill]:
        """Return the skills that would have been in the turn's prompt if the adapter that answered
        had not learned them. Without them the request would seem to need none, and get none when
        the adapter is taken back.
        """
        if not served.learned:
            return {}
        (whole,) = self._rewards.served([served.turn.id]) or (served,)
        chosen = self._current_selection.skills(whole, by_base=True) or ()
        return {
            skill.name: skill
            for skill in chosen
            if skill.sha256 in served.learned and skill.scope is not Scope.ALL and not skill.pinned
        }

    def _had_a_part(self, served: ServedTurn, had: Mapping[str, Skill | None]) -> tuple[str, ...]:
        """Return the skills that the turn's request needed, as far as can be told.

        Crediting skills that were merely in the prompt would select them ever more often.
        """
        turn, there = served.turn, {name: skill for name, skill in had.items() if skill}
        asked = newest_words(turn.request)
        return self._verifier.skills_needed(turn.model, there, asked=asked, answer=turn.answer.text)
