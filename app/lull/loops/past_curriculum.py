"""Material for training and the gate from the user's own past: what went well, asked again.

Implements `core.ports.Curriculum` for every model that speaks plain language. Nothing here is drawn
by rules: anchors are requests whose answers the user was content with, fresh requests are those
that a wish covers and that no skill was made of.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from lull.core.adapter import AdapterVersion
from lull.core.injection import block, merged_system
from lull.core.likeness import alike
from lull.core.messages import Message, Role, text_message
from lull.core.probe import Probe
from lull.core.reward import GREY
from lull.core.skill import Library
from lull.loops.today import clean
from lull.store.reward_rows import Served
from lull.store.rewards import Rewards

LOOKED_AT: Final = 400
"""Newest turns of a model that are looked through."""
MOSTLY: Final = 0.75
"""Share of the anchors with skills whose skill is the one that must stay followed."""
NEAR: Final = 0.34
"""Likeness from which on two requests are of one kind (core/likeness.py)."""


class PastCurriculum:
    def __init__(
        self,
        rewards: Rewards,
        *,
        library: Callable[[], Library],
        canaries: Callable[[], Sequence[Probe]],
    ) -> None:
        """`canaries`: the set that is shipped for any model."""
        self._rewards = rewards
        self._library = library
        self._canaries = canaries

    def canaries(self, version: AdapterVersion) -> Sequence[Probe]:
        return self._canaries()

    def subject(self, model: str, asked: str) -> str:
        """Plain requests have no closed list of subjects."""
        return ""

    def fresh_requests(self, model: str, words: str, count: int) -> Sequence[str]:
        """Recorded requests like the words that no skill stood in the prompt of."""
        found = [
            one.asked
            for one in self._recent(model)
            if not one.turn.skills and alike(one.asked, words) >= NEAR
        ]
        return list(dict.fromkeys(found))[:count]

    def anchors(
        self, model: str, count: int, with_skills: bool, about: str = ""
    ) -> Sequence[tuple[Message, ...]]:
        """Requests that went well, without what Lull had put in; with skills: with bodies of
        skills in force before them, mostly the one that the words are about."""
        chance = random.Random(f"anchors {with_skills} {about}")
        good = [one for one in self._recent(model) if _went_well(one)]
        chance.shuffle(good)
        bodies = sorted(
            {s.body for s in self._library().active_for("")}, key=lambda body: -alike(body, about)
        )
        out = []
        for one in good[:count]:
            messages = tuple(clean(message) for message in one.turn.request)
            if with_skills and bodies:
                body = bodies[0] if chance.random() < MOSTLY else chance.choice(bodies)
                messages = _with_block(messages, [body])
            elif with_skills:
                continue
            out.append(messages)
        return out

    def _recent(self, model: str) -> list[Served]:
        return self._rewards.recent(room="", model=model, limit=LOOKED_AT)


def _went_well(served: Served) -> bool:
    reward = served.reward.reward
    return reward is not None and reward.p_good > GREY[1]


def _with_block(messages: tuple[Message, ...], bodies: Sequence[str]) -> tuple[Message, ...]:
    text = block(bodies)
    if messages and messages[0].role is Role.SYSTEM:
        own = messages[0].text
        return (text_message(Role.SYSTEM, merged_system(own, text)), *messages[1:])
    return (text_message(Role.SYSTEM, text), *messages)
