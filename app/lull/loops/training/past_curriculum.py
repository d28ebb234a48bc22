"""Takes practice requests, for training and for testing adapters, from the user's past
conversations.

It implements Curriculum for every model that speaks plain language. It gives two kinds of requests:
anchors, whose answers the user was content with, and fresh requests, which are similar to one that
the user corrected and had no skills (instruction texts) in the prompt.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.canary import CanaryTask
from lull.core.chat.messages import Message
from lull.core.feedback.reward import GREY
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.prompt_block import skills_block, with_block
from lull.core.skills.similarity import subject_similarity
from lull.loops.chat.current_selection import CurrentSelection, without_skill_text
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.feedback.rewards import Rewards

MOST_TURNS: Final = 400
"""Most recorded turns of a model, newest first, that are searched for practice requests."""
OWN_SKILL_SHARE: Final = 0.75
"""Share of anchor requests with skills that get the skill most similar to the subject."""
NEAR: Final = 0.34
"""Similarity, 0 to 1, at which two requests count as the same kind."""


class PastCurriculum:
    """Provides requests for training and for testing adapters, from a model's recorded
    conversations (implements Curriculum).
    """

    def __init__(
        self,
        rewards: Rewards,
        *,
        in_use: LibraryInUse,
        canaries: Callable[[], Sequence[CanaryTask]],
        current_selection: CurrentSelection,
    ) -> None:
        """The function `canaries` returns the test prompts with known right answers that ship with
        Lull for any model.
        """
        self._current_selection = current_selection
        self._rewards = rewards
        self._in_use = in_use
        self._canaries = canaries

    def canaries(self, version: AdapterVersion) -> Sequence[CanaryTask]:
        """Return the canary prompts (test prompts with known right answers) that ship with Lull;
        they are the same for every adapter.
        """
        return self._canaries()

    def subject(self, model: str, asked: str) -> str:
        """Return the subject of a request: always "", because users' requests have no fixed list of
        subjects.
        """
        return ""

    def fresh_requests(self, model: str, words: str, count: int) -> Sequence[str]:
        """Return at most `count` recorded requests similar to `words` that had no skills
        (instruction texts) in their prompts.
        """
        found = [
            one.asked
            for one in self._recent(model)
            if not one.turn.skills and subject_similarity(one.asked, words) >= NEAR
        ]
        return list(dict.fromkeys(found))[:count]

    def anchors(
        self, model: str, count: int, with_skills: bool, about: str = ""
    ) -> Sequence[tuple[Message, ...]]:
        """Return at most `count` recorded requests that were answered well, without the skill texts
        that Lull had added to them.

        With `with_skills` each prompt gets one active skill (an instruction text) instead, mostly
        the one most similar to `about`.
        """
        chance = random.Random(f"anchors {with_skills} {about}")
        good = [one for one in self._recent(model) if _went_well(one)]
        chance.shuffle(good)
        bodies = sorted(
            {s.body for s in self._in_use.library.active_for("")},
            key=lambda body: -subject_similarity(body, about),
        )
        out = []
        for one in good[:count]:
            messages = tuple(without_skill_text(message) for message in one.turn.request)
            if with_skills and bodies:
                body = bodies[0] if chance.random() < OWN_SKILL_SHARE else chance.choice(bodies)
                messages = with_block(
                    messages,
                    skills_block([body]),
                    system="",
                    place=self._current_selection.place(model),
                )
            elif with_skills:
                continue
            out.append(messages)
        return out

    def _recent(self, model: str) -> list[ServedTurn]:
        return self._rewards.recent(owner="", model=model, limit=MOST_TURNS)


def _went_well(served: ServedTurn) -> bool:
    reward = served.reward.reward
    return reward is not None and reward.p_good > GREY[1]
