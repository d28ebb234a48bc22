"""Finds feedback, such as corrections and thanks, in users' messages in the toy language of Lull's
tiny built-in model, by parsing, without a language model.

Text that is not in the toy language is left to a model that reads feedback.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import MessageFindings, RuleKind, Scope
from lull.pocket.language import SMALL_TALK
from lull.pocket.parsing import parse_request, parse_rule

_PARTS: Final = re.compile(r"(?<=[.!?;])\s+|\s+[-–—]\s+|\n+")
_THANKS: Final = frozenset({"thanks", "thank you", "good"})
NOTHING: Final = MessageFindings(correction=0.0, lasting=0.0)


class PocketReader:
    """Finds feedback, such as corrections and thanks, in users' messages in the toy language by
    parsing them exactly; implements the `FeedbackReader` port.
    """

    name = "pocket"
    light = True

    async def read(self, exchanges: Sequence[Exchange]) -> list[MessageFindings | None]:
        return [parse_feedback(one.said) for one in exchanges]


def parse_feedback(said: str) -> MessageFindings | None:
    """Return the feedback in one user message (a correction, thanks or none), parsed as the toy
    language; None if the message is not in that language.
    """
    rules = rule_sentences(said)
    if rules:
        return MessageFindings(
            correction=1.0,
            lasting=1.0,
            scope=Scope.KIND,
            scope_p=1.0,
            quote=rules,
            kind_of_rule=RuleKind.PREFERENCE,
        )
    plain = " ".join(said.lower().split()).rstrip(".!")
    if plain in _THANKS:
        return MessageFindings(correction=0.0, lasting=0.0, thanks=1.0)
    if plain in SMALL_TALK or parse_request(said) is not None:
        return NOTHING
    return None


def rule_sentences(said: str) -> tuple[str, ...]:
    """Return the parts of a user's message that state a rule of the toy language (such as "for a
    menu, end with sugar"), verbatim.
    """
    whole = said.strip()
    if parse_rule(whole) is not None:
        return (whole,)
    parts = (part.strip() for part in _PARTS.split(said))
    return tuple(part for part in parts if part and parse_rule(part) is not None)
