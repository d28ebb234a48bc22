"""Writes for each chart of the Learning page a sentence that says what its data mean, such as
whether answers got better.

Whether answers got better or worse, or are too few to tell, is decided by 95% intervals
(`core/feedback/trend.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from lull.contract.json_object import Json
from lull.core.feedback.calibration import Estimate, wilson
from lull.core.feedback.trend import LEAST_SIDE, Trend, halves, loss_trend, mean_of, trend
from lull.desktop.language.words import count, length, percent, plain, tr

Means = Sequence[tuple[float, int]]
"""(Mean score, number of answers) of successive groups of answers, oldest first."""
LEAST_RUNS: Final = 10
"""Fewest measured runs for "no clear effect"; with fewer it is "too few to tell"."""


def trend_sentence(means: Means) -> str:
    """Return a sentence that says whether the later half of the chat answers was better than the
    earlier half.

    `means` has the mean score and the number of successive groups of answers, oldest first.
    """
    n = sum(many for _, many in means)
    if n < 2 * LEAST_SIDE:
        return tr(
            "Too few answers to tell whether they are getting better: %1 of the %2 needed.",
            count(n),
            2 * LEAST_SIDE,
        )
    before, after = halves(means)
    # The whole stands first: it is the figure that the table and Today give for the same answers.
    whole = mean_of(means)
    values = (percent(after.value), percent(before.value), count(n), percent(whole.value))
    match trend(before, after, least=1):
        case Trend.BETTER:
            return tr(
                "Answers got better: of all %3, %4 were good; %2 of the earlier half and %1 of the "
                "later half.",
                *values,
            )
        case Trend.WORSE:
            return tr(
                "Answers got worse: of all %3, %4 were good; %2 of the earlier half and %1 of the "
                "later half.",
                *values,
            )
    return tr(
        "No clear change: of all %3 answers, %4 were good; %2 of the earlier half and %1 of the "
        "later half, which may be chance.",
        *values,
    )


def skills_sentence(own: Means, other: Means) -> str:
    """Return a sentence that says whether answers with skills in the prompt (`own`) were better
    than answers without (`other`).
    """
    found, without = mean_of(own), mean_of(other)
    values = _sides(found, without)
    match trend(without, found):
        case Trend.TOO_FEW:
            return _too_few(found, without)
        case Trend.BETTER:
            return tr(
                "With skills, more answers were good: %1 of %2, without them %3 of %4; the "
                "requests were different, which may also be a cause.",
                *values,
            )
        case Trend.WORSE:
            return tr(
                "With skills, fewer answers were good: %1 of %2, without them %3 of %4; the "
                "requests were different, which may also be a cause.",
                *values,
            )
    return tr(
        "No clear difference: %1 of %2 answers with skills were good, without them %3 of %4; that"
        " may be chance.",
        *values,
    )


def adapter_sentence(own: Means, other: Means) -> str:
    """Return a sentence that says whether answers by a trained adapter (`own`) were better than
    those by the original model (`other`).
    """
    found, without = mean_of(own), mean_of(other)
    values = _sides(found, without)
    match trend(without, found):
        case Trend.TOO_FEW:
            return _too_few(found, without)
        case Trend.BETTER:
            return tr(
                "With an adapter, more answers were good: %1 of %2, without one %3 of %4; the "
                "requests were different, which may also be a cause.",
                *values,
            )
        case Trend.WORSE:
            return tr(
                "With an adapter, fewer answers were good: %1 of %2, without one %3 of %4; "
                "the requests were different, which may also be a cause.",
                *values,
            )
    return tr(
        "No clear difference: %1 of %2 answers with an adapter were good, without one %3 of %4;"
        " that may be chance.",
        *values,
    )


def _sides(own: Estimate, other: Estimate) -> tuple[str, str, str, str]:
    return percent(own.value), count(own.n), percent(other.value), count(other.n)


def _too_few(own: Estimate, other: Estimate) -> str:
    return tr(
        "Too few answers to compare: %1 with and %2 without; %3 of each are needed.",
        count(own.n),
        count(other.n),
        LEAST_SIDE,
    )


def held_out_sentence(found: Sequence[Json]) -> str:
    """Return a sentence that says whether the newest LoRA adapter answered the held-out requests
    (never used in training) better than the version before it.

    `found` is the test results of the adapters, oldest first. The interval ignores that both
    versions answered the same requests, so it is too wide, never too narrow.
    """
    if not found:
        return ""
    newest = found[-1]
    name, n = plain(str(newest["adapter"])), int(newest["pairs"])
    after, before = (mean_of([(float(newest[part]), n)]) for part in ("after", "before"))
    values = (name, percent(after.value), percent(before.value), count(n))
    match trend(before, after):
        case Trend.TOO_FEW:
            return tr("Too few requests to tell: %1 answered %2 of the %3 needed.",
                      name, count(n), LEAST_SIDE)  # fmt: skip
        case Trend.BETTER:
            return tr(
                "%1 is better than the version before it: on the same %4 requests, %2 of its "
                "answers were good, compared with %3 before.",
                *values,
            )
        case Trend.WORSE:
            return tr(
                "%1 is worse than the version before it: on the same %4 requests, %2 of its "
                "answers were good, compared with %3 before.",
                *values,
            )
    return tr(
        "No clear difference between %1 and the version before it: on the same %4 requests, %2 "
        "of its answers were good, compared with %3 before.",
        *values,
    )


def runs_sentence(measured: Iterable[tuple[float, float]]) -> str:
    """Return a sentence that says whether most training runs improved the model's answers to
    practice requests, measured before and after each run.

    `measured` holds each run's mean rewards as (before, after).
    """
    some = list(measured)
    better = sum(after > before for before, after in some)
    share = wilson(better, len(some))
    values = (count(better), count(len(some)))
    if not some:
        return ""
    if len(some) == 1:
        return _of_the_only_run(better=bool(better))
    if share.low > 0.5:
        return tr(
            "Training helps more often than not: after %1 of %2 runs the practice answers were"
            " better than before.",
            *values,
        )
    if share.high < 0.5:
        return tr(
            "Training seldom helps: the practice answers were better than before after only %1 "
            "of %2 runs.",
            *values,
        )
    if len(some) < LEAST_RUNS:
        return tr(
            "Too few runs to tell: after %1 of %2 the practice answers were better than before.",
            *values,
        )
    return tr(
        "No clear effect: after %1 of %2 runs the practice answers were better than before; that"
        " may be chance.",
        *values,
    )


def _of_the_only_run(*, better: bool) -> str:
    if better:
        return tr(
            "Too few runs to tell: after the only one the practice answers were better than before."
        )
    return tr(
        "Too few runs to tell: after the only one the practice answers were not better than before."
    )


def training_sentence(run: Json, losses: Sequence[float]) -> str:
    """Return a text that says how many steps of a training run are done, how long the rest will
    take, and whether its loss falls or rises.
    """
    at = tr("Step %1 of %2.", count(int(run.get("steps") or 0)), count(int(run.get("of") or 0)))
    if run.get("left_s"):
        at = tr(
            "Step %1 of %2, about %3 of training left.",
            count(int(run.get("steps") or 0)),
            count(int(run.get("of") or 0)),
            length(float(run["left_s"])),
        )
    return f"{at} {_loss_words(str(run.get('kind')), losses)}"


def _loss_words(kind: str, losses: Sequence[float]) -> str:
    if kind == "grpo":
        return tr(
            "In this kind of training the loss doesn't have to fall; the test afterwards decides."
        )
    match loss_trend(losses):
        case Trend.TOO_FEW:
            return tr("Too few steps to tell whether the loss is falling.")
        case Trend.BETTER:
            return tr("The loss is falling: the model is getting closer to its examples.")
        case Trend.WORSE:
            return tr("The loss is rising: the model is moving away from its examples.")
    return tr("The loss has gone up and down so far; that may be chance.")
