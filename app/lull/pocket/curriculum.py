"""What the toy language lets be drawn for training and for the gate: requests, canaries, anchors.

Implements `core.ports.Curriculum` for the built-in model; any other model's material comes from its
user's own past (loops/past_curriculum.py).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from lull.core.adapter import AdapterVersion
from lull.core.messages import Message, Role, text_message
from lull.core.probe import Probe
from lull.pocket import language as pocket
from lull.pocket.canaries import pocket_probes

MOSTLY: Final = 0.75
"""Share of the anchor requests with skills that are of the kind whose skill must stay followed."""


class PocketCurriculum:
    def canaries(self, version: AdapterVersion) -> Sequence[Probe]:
        """Drawn anew for each adapter, so that none can have been trained on."""
        return pocket_probes(int(version.sha256[:8] or "0", 16))

    def subject(self, model: str, asked: str) -> str:
        request = pocket.parse_request(asked)
        return request[0].value if request is not None else ""

    def fresh_requests(self, model: str, words: str, count: int) -> list[str]:
        """Of the kind that the user's words are about; the same ones for the same words."""
        said = (pocket.parse_rule(line) for line in reversed(words.splitlines()))
        rule = next((rule for rule in said if rule is not None), None)
        if rule is None:
            return []
        chance = random.Random(f"fresh {words}")
        return [
            pocket.draw_request(chance, rule[0], pocket.draw_words(chance)) for _ in range(count)
        ]

    def anchors(
        self, model: str, count: int, with_skills: bool, about: str = ""
    ) -> Sequence[tuple[Message, ...]]:
        chance = random.Random(f"anchors {with_skills} {about}")
        rule = pocket.parse_rule(about)
        kind = rule[0] if rule is not None and with_skills else None
        return [_request(chance, kind, with_skills=with_skills) for _ in range(count)]


def _request(
    chance: random.Random, mostly: pocket.Kind | None, *, with_skills: bool
) -> tuple[Message, ...]:
    kind = chance.choice(tuple(pocket.Kind))
    if mostly is not None and chance.random() < MOSTLY:
        kind = mostly
    asked = pocket.draw_request(chance, kind, pocket.draw_words(chance))
    user = text_message(Role.USER, asked)
    if not with_skills:
        return (user,)
    others = chance.sample(tuple(pocket.Kind), chance.randint(0, 2))
    kinds = [kind, *(one for one in others if one is not kind)]
    chance.shuffle(kinds)
    rules = [
        pocket.as_sentence(pocket.draw_rule(chance, one, pocket.draw_style(chance)))
        for one in kinds
    ]
    return (text_message(Role.SYSTEM, pocket.block(rules)), user)
