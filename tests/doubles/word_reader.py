"""A feedback reader for tests that recognizes a handful of words instead of using a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lull.core.errors import LullError
from lull.core.feedback.exchange import Exchange, sentences
from lull.core.feedback.feedback import MessageFindings, RuleKind, Scope

_WRONG = ("no,", "no.", "no!", "not like that", "wrong")
_RULE = ("use ", "join", "begin", "start", "end ", "finish", "sign", "always", "never", "every")


@dataclass
class WordReader:
    """Finds feedback in messages by a few words (implements FeedbackReader)."""

    name: str = "words-1"
    light: bool = False
    away: LullError | None = None
    seen: list[Exchange] = field(default_factory=list)

    async def read(self, exchanges: Sequence[Exchange]) -> list[MessageFindings | None]:
        if self.away is not None:
            raise self.away
        self.seen += exchanges
        return [heard_in(one.said) for one in exchanges]


def heard_in(said: str) -> MessageFindings:
    low = said.strip().lower()
    wrong = low.startswith(_WRONG) or "not what i" in low
    rule = _states(low) and not low.endswith("?")
    lasting = rule and (wrong or "always" in low or "never" in low or "every" in low)
    if not lasting:
        thanked = any(word in low for word in ("thank", "perfect"))
        return MessageFindings(
            correction=float(wrong), lasting=0.0, thanks=float(thanked and not wrong)
        )
    return MessageFindings(
        correction=float(wrong),
        lasting=0.98,
        scope=Scope.ALL if "every answer" in low else Scope.KIND,
        scope_p=0.9,
        quote=tuple(one.strip() for one in sentences(said) if _states(one.lower())),
        kind_of_rule=RuleKind.PREFERENCE,
    )


def _states(low: str) -> bool:
    return any(word in low for word in _RULE)
