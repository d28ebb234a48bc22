"""Converts the output probabilities of the small reader (a model that interprets what users write
after an answer) into findings: whether a message corrects the answer or states a rule.

Only if the message states a wish for later answers do the findings say which requests the wish is
for, quote it, and name a class of check for it. A quotation is always exactly what the user typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lull.core.feedback.exchange import CUT_MARK, Exchange, readable, sentences_to_read
from lull.core.feedback.feedback import LIKELY, MessageFindings, RuleKind, Scope

NO_CHECK: Final = "none"
POSSIBLE: Final = 0.12
"""Least probability at which a class of check is worth a comparison with the answer that the user
complained of, though the reader model takes another class or none for likelier.
"""
LONGEST_QUOTE: Final = 1_500
"""Longest sentence of the user, in characters, that is taken over word for word as a rule; a
longer one is taken for pasted text.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """What the small reader model outputs for one request, its answer and the user's next message:
    the probabilities of each label (such as `correction`), of each class of check that could test
    the user's rule, and of each sentence to be one that states the rule.
    """

    labels: Mapping[str, float]
    """Probability of each label: `correction`, `lasting`, `kind` (the rule is for one kind of
    request), `fact` and `thanks`.
    """
    classes: Mapping[str, float]
    """Probability that a program of each class of checks could test the user's rule; `none` is a
    class.
    """
    stated: Sequence[float]
    """For each sentence of the user's message, in order, the probability that it states a wish for
    later answers.
    """


def findings_from(
    outputs: Outputs, exchange: Exchange, *, stated: float = LIKELY
) -> MessageFindings:
    """Convert the small reader model's probabilities for a user's message into findings: whether it
    corrects the answer, expresses thanks, or states a rule.

    The sentences whose probability is at least `stated` form the quotation of the rule; if none
    reaches it, the most likely sentence does.
    """
    labels = outputs.labels
    lasting = labels["lasting"]
    findings = MessageFindings(
        correction=labels["correction"], lasting=lasting, thanks=labels["thanks"]
    )
    if lasting <= LIKELY:
        return findings
    of_kind = labels["kind"]
    return MessageFindings(
        correction=findings.correction,
        lasting=lasting,
        thanks=findings.thanks,
        scope=Scope.KIND if of_kind > LIKELY else Scope.ALL,
        scope_p=max(of_kind, 1.0 - of_kind),
        quote=_quote(outputs.stated, exchange, stated),
        kind_of_rule=RuleKind.FACT if labels["fact"] > LIKELY else RuleKind.PREFERENCE,
        check=check_of(outputs),
        possible_checks=possible_checks_of(outputs),
    )


def check_of(outputs: Outputs) -> str:
    """Return the class of check (a program that tests answers) that could test the user's rule, as
    the small reader model predicts it; "" if no check could.
    """
    check, p = max(outputs.classes.items(), key=lambda one: one[1], default=(NO_CHECK, 1.0))
    return check if p >= LIKELY and check != NO_CHECK else ""


def possible_checks_of(outputs: Outputs) -> tuple[str, ...]:
    """Return the classes of check (programs that test answers) that could test the user's rule
    according to the small reader model, likeliest first, even if no check at all is likelier.
    """
    found = [
        (p, check) for check, p in outputs.classes.items() if check != NO_CHECK and p >= POSSIBLE
    ]
    return tuple(check for _, check in sorted(found, key=lambda one: -one[0]))


def _quote(stated: Sequence[float], exchange: Exchange, least: float) -> tuple[str, ...]:
    typed = _as_typed(exchange)
    found = [(p, text) for p, text in zip(stated, typed, strict=False) if text]
    likely = [text for p, text in found if p >= least]
    best = max(found, key=lambda one: one[0], default=(0.0, ""))
    return tuple(likely or [best[1]]) if found else ()


def _as_typed(exchange: Exchange) -> list[str]:
    """Return the user's own words for each sentence that the reader saw; "" if these are too
    long."""
    shown = readable(exchange).sentences
    typed = [text.strip() for text in shown]
    if not any(CUT_MARK in text for text in shown):
        return typed
    # A long sentence was shown by its two ends.
    whole = sentences_to_read(exchange.said)
    for at, text in enumerate(shown):
        if CUT_MARK in text and text not in whole:
            head, _, tail = text.partition(CUT_MARK)
            fits = (one for one in whole if one.startswith(head) and one.endswith(tail))
            typed[at] = next(fits, "").strip()
    return [text if len(text) <= LONGEST_QUOTE else "" for text in typed]
