"""From the small reader's probabilities to what it heard in a message.

A scope, a quote and a class of check are told only of something lasting; a quote is what the user
typed, sign for sign, or it is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lull.core.feedback.exchange import CUT, Exchange, looked_at, readable
from lull.core.feedback.feedback import LIKELY, Heard, RuleKind, Scope

NO_CHECK: Final = "none"
LONGEST_QUOTE: Final = 1_500
"""A "sentence" beyond this is a paste, and no rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """Probabilities of one exchange."""

    labels: Mapping[str, float]
    """`correction`, `lasting`, `kind` (scope kind), `fact` and `thanks`."""
    classes: Mapping[str, float]
    """Of the check that would decide it, with `none`."""
    stated: Sequence[float]
    """That each sentence which the reader saw states the rule, in their order."""


def heard_of(outputs: Outputs, exchange: Exchange, *, stated: float = LIKELY) -> Heard:
    """`stated`: a sentence at least so likely belongs to the quote; of none of them the likeliest
    one does."""
    labels = outputs.labels
    lasting = labels["lasting"]
    heard = Heard(correction=labels["correction"], lasting=lasting, thanks=labels["thanks"])
    if lasting <= LIKELY:
        return heard
    of_kind = labels["kind"]
    return Heard(
        correction=heard.correction,
        lasting=lasting,
        thanks=heard.thanks,
        scope=Scope.KIND if of_kind > LIKELY else Scope.ALL,
        scope_p=max(of_kind, 1.0 - of_kind),
        quote=_quote(outputs.stated, exchange, stated),
        kind_of_rule=RuleKind.FACT if labels["fact"] > LIKELY else RuleKind.PREFERENCE,
        check=check_of(outputs),
    )


def check_of(outputs: Outputs) -> str:
    """The class of check that is likely meant, "" for none."""
    check, p = max(outputs.classes.items(), key=lambda one: one[1], default=(NO_CHECK, 1.0))
    return check if p >= LIKELY and check != NO_CHECK else ""


def _quote(stated: Sequence[float], exchange: Exchange, least: float) -> tuple[str, ...]:
    typed = _as_typed(exchange)
    found = [(p, text) for p, text in zip(stated, typed, strict=False) if text]
    likely = [text for p, text in found if p >= least]
    best = max(found, key=lambda one: one[0], default=(0.0, ""))
    return tuple(likely or [best[1]]) if found else ()


def _as_typed(exchange: Exchange) -> list[str]:
    """Of each sentence that the reader saw: the user's own words, "" where they are too many."""
    shown = readable(exchange).sentences
    typed = [text.strip() for text in shown]
    if not any(CUT in text for text in shown):
        return typed
    # A long sentence was shown by its two ends.
    whole = looked_at(exchange.said)
    for at, text in enumerate(shown):
        if CUT in text and text not in whole:
            head, _, tail = text.partition(CUT)
            fits = (one for one in whole if one.startswith(head) and one.endswith(tail))
            typed[at] = next(fits, "").strip()
    return [text if len(text) <= LONGEST_QUOTE else "" for text in typed]
