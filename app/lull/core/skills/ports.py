"""Interfaces for finding, writing and merging skills (instruction texts for prompts)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lull.core.chat.client import Client
from lull.core.feedback.feedback import Scope
from lull.core.skills.past_requests import Recalled
from lull.core.skills.skill import SkillKey, SkillText

if TYPE_CHECKING:
    from lull.core.skills.failures import FailureSet


class Embedder(Protocol):
    name: str
    """Name of the embedder; vectors made by another one are rebuilt, never mixed."""
    dimensions: int

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one unit-length embedding vector per text, shape (len(texts), dimensions)."""


class ExemplarMemory(Protocol):
    """Interface of the memory of exemplars: past requests with the skills that were useful for
    them, by client program. Blocking; call it from a thread.
    """

    def recalled(
        self, text: str, *, client: str, since: Callable[[str], int | None], also: Collection[str]
    ) -> dict[str, Recalled]:
        """Return how much similar past requests speak for or against each skill that was ever
        useful, and each of those in `also`.

        `since` returns the number of the version of the whole skill library (its generation) that
        brought a skill; None for a skill that is gone.
        """

    def count(self) -> int:
        """Return the number of stored past requests for which a skill was useful, counted once for
        each skill.
        """


class SkillIndex(Protocol):
    """Interface that finds active skills for a request, by its words and by similar past
    requests.
    """

    def lexical(self, text: str, *, client: Client, least: float = 0.0) -> dict[SkillKey, float]:
        """Score each skill by the words that it shares with the request; return the scores that are
        at least `least`.
        """

    def exemplars(
        self,
        text: str,
        *,
        client: Client,
        least: float = -1.0,
        also: Collection[SkillKey] = (),
    ) -> dict[SkillKey, float]:
        """Score each skill by how useful it was for past requests similar to this one; return the
        scores that are at least `least`.

        Skills in `also` are returned in any case, with a negative score where similar requests went
        well without any.
        """

    def kinds(self, text: str, *, client: Client, least: float = 0.0) -> dict[SkillKey, float]:
        """Return the skills that state a rule for one kind of request, each with the probability
        that it applies to this request, if at least `least`.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A proposed skill that the user, or its test on past requests, turned down."""

    text: SkillText
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolverMaterial:
    """The input that a skill writer (a model that drafts skills) gets: failures, existing skills
    and rejected drafts.
    """

    failures: FailureSet
    existing: tuple[SkillText, ...] = ()
    """Names and descriptions of the same client's existing skills."""
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillDraft:
    text: SkillText
    check: str = ""
    """JSON text of the check proposed with the skill; "" for none."""
    scope: Scope = Scope.KIND
    answer: str = ""
    """The model's whole answer, from which the draft was parsed."""


class Evolver(Protocol):
    """Interface of a skill writer, which drafts skills (instruction texts) from conversations that
    went wrong.
    """

    name: str

    async def draft(self, material: EvolverMaterial) -> SkillDraft | None:
        """Return a drafted skill, or None if the conversations given state no rule.

        Raises EvolverFault with the model's text for an unusable answer, UpstreamDown if the model
        cannot be reached.
        """


class Merging(Protocol):
    """Interface that tells whether one skill's text repeats or contradicts another's; texts in a
    language that cannot be parsed repeat each other only if equal.
    """

    def merged(self, old: str, new: str) -> str | None:
        """Return the old skill's text in which the new one's replaces whatever it contradicts; None
        if nothing is contradicted or that cannot be told.
        """

    def keeps_some(self, old: str, both: str) -> bool:
        """Whether some text of the old skill remains in the text merged from it and a new one."""

    def says_already(self, old: str, new: str) -> bool:
        """Whether the old skill's text already says everything that the new one does."""
