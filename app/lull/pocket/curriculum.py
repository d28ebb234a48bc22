"""Draws random requests in the toy language of Lull's tiny built-in model: requests to train on,
canary probes (prompts with known right answers), and anchors, whose answers should not change.

Implements the `Curriculum` port for the tiny built-in model; other models draw theirs from the
user's past conversations.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.canary import CanaryTask
from lull.core.chat.messages import Message, Role, text_message
from lull.pocket import language as pocket
from lull.pocket import parsing
from lull.pocket.canaries import pocket_canaries

OWN_KIND_SHARE: Final = 0.75
"""Share of the anchors with skills (requests whose answers training should not change) that are
drawn from the kind of request for which a skill is being trained into weights.
"""

LIKE_REQUEST_SHARE: Final = 0.4
"""The same share where answers to a request of the kind were rated: no rule says what is learned
there, and it spreads to requests of other kinds that have rules only for others beside them.
"""

SMALL_TALK_SHARE: Final = 0.1
"""Share of the anchors without skills (requests whose answers training should not change) that are
small talk.
"""


class PocketCurriculum:
    """Draws requests to train and to test Lull's tiny built-in model, in its toy language of fixed
    phrases; implements the `Curriculum` port.
    """

    def canaries(self, version: AdapterVersion) -> Sequence[CanaryTask]:
        """Draw canary probes (prompts with known right answers) seeded with the adapter's hash, so
        no adapter can have been trained on its own canaries.
        """
        return pocket_canaries(int(version.sha256[:8] or "0", 16))

    def subject(self, model: str, asked: str) -> str:
        request = parsing.parse_request(asked)
        return request[0].value if request is not None else ""

    def fresh_requests(self, model: str, words: str, count: int) -> list[str]:
        """Draw `count` random requests in the toy language, of the kind (such as a menu) that the
        rule in the user's `words` is for; the same words give the same requests. Without a rule
        there are none.
        """
        said = (parsing.parse_rule(line) for line in reversed(words.splitlines()))
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
        rule, request = parsing.parse_rule(about), parsing.parse_request(about)
        read = rule or request
        kind = read[0] if read is not None and with_skills else None
        share = OWN_KIND_SHARE if rule is not None else LIKE_REQUEST_SHARE
        return [_request(chance, kind, share, with_skills=with_skills) for _ in range(count)]


def _request(
    chance: random.Random, own: pocket.Kind | None, share: float, *, with_skills: bool
) -> tuple[Message, ...]:
    if not with_skills and chance.random() < SMALL_TALK_SHARE:
        return (text_message(Role.USER, chance.choice(sorted(pocket.SMALL_TALK))),)
    kind = chance.choice(tuple(pocket.Kind))
    if own is not None and chance.random() < share:
        kind = own
    asked = pocket.draw_request(chance, kind, pocket.draw_words(chance))
    user = text_message(Role.USER, asked)
    if not with_skills:
        return (user,)
    others = chance.sample(tuple(pocket.Kind), chance.randint(0, 2))
    kinds = [kind, *(one for one in others if one is not kind)]
    if own is not None and kind is not own and len(kinds) > 1:
        # Half of the rules beside a request of another kind are about none like it.
        kinds = kinds[chance.randint(0, 1) :]
    chance.shuffle(kinds)
    rules = [
        pocket.as_sentence(pocket.draw_rule(chance, one, pocket.draw_style(chance)))
        for one in kinds
    ]
    return (text_message(Role.SYSTEM, pocket.block(rules)), user)
