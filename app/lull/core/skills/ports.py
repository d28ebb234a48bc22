"""Interfaces for finding, writing and merging skills (instruction texts)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lull.core.chat.client import Client
from lull.core.checks.check import CheckSet
from lull.core.feedback.feedback import Scope
from lull.core.skills.kind_rules import RuleWithExample
from lull.core.skills.past_requests import PastRequestScores
from lull.core.skills.skill import Library, SkillKey, SkillText

if TYPE_CHECKING:
    from lull.core.skills.failures import FailureSet


class LibraryInUse(Protocol):
    """Interface of what holds the library of skills (instruction texts) that is in use. An
    approved change replaces the library as a whole, so it is read anew each time.
    """

    @property
    def library(self) -> Library:
        """The library of skills that is in use now."""


class ChecksOfSkills(Protocol):
    """Interface to the checks of answers (exact programs, such as a test of their length) that the
    user approved together with skills' texts.
    """

    def checks_of(self, sha256: str) -> CheckSet | None:
        """Return the checks that were approved with the skill text of this sha256; None if there
        are none, or if they are unreadable.
        """


class Embedder(Protocol):
    """Interface of what turns texts into vectors, by which similar texts are found."""

    name: str
    """Name of the embedder; vectors made by another one are rebuilt, never mixed."""
    dimensions: int

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one unit-length embedding vector per text, shape (len(texts), dimensions)."""


class ExemplarMemory(Protocol):
    """Interface of the store of exemplars: past requests, each with the skill that was useful for
    it, by client program. Its methods block; call them from a thread.
    """

    def scores_by_skill(
        self,
        text: str,
        *,
        client: str,
        since: Callable[[str], int | None],
        also: Collection[str],
        least: float,
    ) -> dict[str, PastRequestScores]:
        """Return how much past requests similar to `text` speak for or against each skill: for
        skills that were ever useful and may reach the score `least` (see `past_request_score`), and
        in any case for those named in `also`.

        `since` returns, for a skill's name, the number of the library version (generation) in which
        the skill came into being; None for a skill that no longer exists.
        """

    def count(self) -> int:
        """Return the number of stored past requests for which a skill was useful, counted once for
        each skill.
        """


class SkillIndex(Protocol):
    """Interface of an index that finds the active skills for a request, by the request's words and
    by similar past requests.
    """

    def lexical(self, text: str, *, client: Client, least: float = 0.0) -> dict[SkillKey, float]:
        """Score each active skill by the words that it shares with the request `text` (BM25);
        return the scores that are at least `least`.
        """

    def exemplars(
        self,
        text: str,
        *,
        client: Client,
        least: float = -1.0,
        also: Collection[SkillKey] = (),
    ) -> dict[SkillKey, float]:
        """Score each active skill by how useful it was for past requests (exemplars) similar to
        `text`; return the scores that are at least `least`.

        Skills in `also` are returned in any case; their score is negative if similar requests went
        well without any skill.
        """

    def kinds(self, text: str, *, client: Client, least: float = 0.0) -> dict[SkillKey, float]:
        """Return the skills that state a rule for one kind of request, each with the probability
        that the request `text` is of that kind; only probabilities of at least `least`.
        """


class KindMatch(Protocol):
    """Interface that tells whether a request is of the kind (such as e-mails) that a rule is for,
    without the rule being in the library.
    """

    def kind_probability(self, rule: RuleWithExample, text: str) -> float | None:
        """Return the probability that the request `text` is of the rule's kind; None while no
        classifier of request kinds is loaded.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedSkill:
    """A proposed skill that was rejected, by the user or by its test on past requests, with the
    reason.
    """

    text: SkillText
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolverMaterial:
    """The input that a skill writer (a model that drafts skills) gets: conversations that went
    wrong, existing skills and rejected drafts.
    """

    failures: FailureSet
    existing: tuple[SkillText, ...] = ()
    """Names and descriptions of the same client's existing skills."""
    rejected: tuple[RejectedSkill, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillDraft:
    """A skill as a model wrote it, before it is screened and proved."""

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
        """Return a draft of a skill, made from the conversations in `material`; None if they state
        no rule.

        Raises EvolverFault with the model's text if its answer cannot be used, UpstreamDown if the
        model cannot be reached.
        """


class Merging(Protocol):
    """Interface that compares the texts of an old and a new skill: whether they repeat or
    contradict each other. Texts in a language that cannot be parsed count as repeating each other
    only if equal.
    """

    def merged(self, old: str, new: str) -> str | None:
        """Return the old skill's text with each part that contradicts the new skill replaced by the
        new one's. None if nothing contradicts it, or this cannot be determined.
        """

    def keeps_some(self, old: str, both: str) -> bool:
        """Whether `both`, the text merged from an old and a new skill, still contains something of
        the old skill's text.
        """

    def says_already(self, old: str, new: str) -> bool:
        """Whether the old skill's text already says everything that the new one does."""
