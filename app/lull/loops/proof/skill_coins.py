"""Decides at random which conversations go without a skill (a holdout that measures its effect). It
runs while a chat request waits.

A skill is left out only where replays cannot measure it, never in the first conversations after its
approval, and never if the user wrote or pinned it. The caller says which skills those are.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from random import Random

from lull.core.chat.client import Client
from lull.core.proof.holdout import Coin, Toss, left_out, thompson
from lull.core.proof.rules import HoldoutRule
from lull.core.skills.skill import Skill, SkillKey
from lull.loops.chat.known_models import MOST_CLIENTS, remember
from lull.store.proof.use_replays import UseKey, use_key

CountedConversations = OrderedDict[str, int]
"""Number of conversations that had a skill, by the identity of the client that asked."""


class SkillCoins:
    """Makes the random choices of skills for prompts: leaves a skill out to measure its effect
    (holdout), or prefers little-known skills to explore (Thompson sampling).
    """

    def __init__(self, *, coin: Coin, rule: Callable[[], HoldoutRule]) -> None:
        self._coin = coin
        self._rule = rule
        self._uses: dict[tuple[UseKey, int], CountedConversations] = {}
        """Uses of each measured skill since its approval, by its text and that generation."""
        self.surely_help: Collection[UseKey] = ()
        self.replayed: Collection[UseKey] = ()
        """The skill texts whose effect replays can measure, so that they are never left
        out at random.
        """
        self.records: Mapping[SkillKey, tuple[float, float]] = {}
        """How many answers with each skill were good and how many bad, as (good, bad) sums of
        estimates.
        """

    def known(self, skill: Skill) -> bool:
        """Whether this object counts the conversations that have had this skill in the prompt since
        its approval, as it does for every skill whose effect is measured.
        """
        return _approval(skill) in self._uses

    def follow(self, skills: Sequence[Skill], counted: Mapping[UseKey, Mapping[str, int]]) -> None:
        """Set which skills may be left out of conversations at random from now on.

        `counted` says in how many conversations of each client a skill was before, for skills that
        are new here.
        """
        self._uses = {
            _approval(skill): self._uses.get(
                _approval(skill), OrderedDict(counted.get(use_key(skill), {}))
            )
            for skill in skills
        }

    def leaves_out(self, skill: Skill, trajectory: str, client: Client) -> Toss | None:
        """Flip a coin whether to leave a skill out of a conversation's prompt, so that its effect
        can be measured; return the coin flip's result.

        None without a coin flip: the skill is never left out, or not yet for this client.
        """
        uses = self._uses.get(_approval(skill))
        if uses is None or skill.pinned:
            return None
        used = uses.get(client.identity, 0) + 1
        remember(uses, client.identity, used, most=MOST_CLIENTS)
        share = self.share(skill)
        if not share or used <= self._rule().settle_uses:
            return None
        return left_out(skill.key, trajectory, client.name, share=share, coin=self._coin)

    def share(self, skill: Skill) -> float:
        """Return the share of conversations from which a skill is left out at random; 0 if it never
        is.

        A client's first conversations with the skill are an exception: they all get it.
        """
        rule, key = self._rule(), use_key(skill)
        if skill.pinned or not self.known(skill) or key in self.replayed:
            return 0.0
        return rule.share * (rule.sure_part if key in self.surely_help else 1.0)

    def prefers(self, skills: Sequence[Skill], at_most: int, asked: str) -> Sequence[Skill]:
        """Choose `at_most` skills for a prompt when more than that are relevant: the most relevant
        one, and others at random, good and little-known skills more often (Thompson sampling).

        The most relevant skill goes in. The others are chosen by Thompson sampling on their records
        of good and bad answers, which favours good and little-known skills. If one of the skills is
        not measured, such as the user's own, the most relevant ones are taken.
        """
        if not all(self.known(skill) for skill in skills):
            return skills[:at_most]
        first, *others = skills
        records = {skill.key: self.records.get(skill.key, (0.0, 0.0)) for skill in others}
        # The same request draws the same numbers, so its choice can be repeated.
        chance = Random(self._coin(f"thompson\0{asked}"))
        chosen = thompson(records, at_most=at_most - 1, chance=chance)
        return [first, *(skill for skill in others if skill.key in chosen)]


def _approval(skill: Skill) -> tuple[UseKey, int]:
    return use_key(skill), skill.since
