"""Chooses the model to train when the setting `training.model` is "auto": the model that the user
uses most and that can be trained on this machine.

Counts answers of the last thirty days; a version published by Lull counts for the model it was made
from. The built-in model is trained only if no other used model can be: nobody needs it to improve.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from lull.core.chat.model_name import canonical
from lull.core.models.learnable import Learnable
from lull.core.models.ollama_model import base_of_published

COUNTED_PERIOD: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """How many answers a model gave, and when it gave the last one. `model` is the name by which
    clients asked for it.
    """

    model: str
    turns: int
    last: datetime


class CountsAnswers(Protocol):
    """Interface of the store of recorded chats by which the answers of each model are counted."""

    def answer_counts(self, since: datetime) -> Sequence[ModelUse]:
        """Return for each model how many answers it gave since the given time. Blocking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoChoice:
    """The model that Lull chose to train, and why."""

    model: str
    why: str


def auto_choice(
    uses: Iterable[ModelUse], installed: Sequence[Learnable], *, built_in: Sequence[str]
) -> AutoChoice:
    """Choose the model to train: the one that the user uses most among those that can be trained
    here. `uses` counts the answers of each model, `installed` says which models can be trained;
    `built_in` names the models that ship with Lull, the default first; they come last.
    """
    uses = tuple(uses)
    own = {canonical(name) for name in built_in}
    able = {canonical(one.name): one for one in installed}
    passed_over: list[str] = []
    for one in _most_first(uses):
        known = able.get(canonical(one.model))
        if canonical(one.model) in own:
            continue
        if known is not None and known.can_learn:
            why = (
                "Of the models that can learn here, this is the one you talk to most: "
                f"{_answers(one.turns)}."
            )
            return AutoChoice(model=_short(known.name), why=" ".join([why, *passed_over]))
        reason = known.why_not if known is not None else "It is not here any more."
        passed_over.append(f"{one.model}, with {_answers(one.turns)}, cannot learn: {reason}")
    why = "No other model that you talk to can learn here."
    model = built_in_choice(uses, built_in)
    return AutoChoice(model=model, why=" ".join([why, *passed_over]))


def most_used(uses: Iterable[ModelUse], built_in: Sequence[str]) -> str:
    """Return the model that the user talks to most, by the name that clients ask for; "" if they
    talk to none but those that ship with Lull (`built_in`).
    """
    own = {canonical(name) for name in built_in}
    met = [one.model for one in _most_first(uses) if canonical(one.model) not in own]
    return met[0] if met else ""


def built_in_choice(uses: Iterable[ModelUse], built_in: Sequence[str]) -> str:
    """Return whichever built-in model (one that ships with Lull) the user talked to last, or the
    first one if they used none.
    """
    last = {canonical(one.model): one.last for one in uses}
    met = [name for name in built_in if canonical(name) in last]
    return max(met, key=lambda name: last[canonical(name)], default=built_in[0])


def _most_first(talked: Iterable[ModelUse]) -> list[ModelUse]:
    """One entry per model, most answers first; ties go to the most recently used."""
    found: dict[str, ModelUse] = {}
    for one in talked:
        name = base_of_published(one.model)
        known = found.get(canonical(name))
        turns, last = one.turns, one.last
        if known is not None:
            turns, last = turns + known.turns, max(last, known.last)
        found[canonical(name)] = ModelUse(model=_short(name), turns=turns, last=last)
    return sorted(found.values(), key=lambda one: (one.turns, one.last), reverse=True)


def _short(name: str) -> str:
    return name.removesuffix(":latest")


def _answers(turns: int) -> str:
    return "1 answer in 30 days" if turns == 1 else f"{turns} answers in 30 days"
