"""Collects the requests on which a new adapter is tested before it may answer users: canary prompts
(small tasks with known answers), requests that it was not trained on, and requests that were
answered well before.

A held-out request was in no training batch of the adapter or its ancestors. It is a stored request
that may be used for training, or, where a model's curriculum (a source of practice requests) can
make requests, a fresh one like those the user's corrections are about. Answers are scored like a
training run's samples; for a skill (an instruction text) that was trained into the weights, they
are scored by the user's own correction, never by the skill's text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lull.core.adapters.adapter import AdapterVersion
from lull.core.chat.messages import Completion, Finish, Message, Role, text_message
from lull.core.checks.reading import parse_all
from lull.core.feedback.judge import ChosenJudge, JudgeQuestion, QuestionKind
from lull.core.feedback.reward import GREY, majority
from lull.core.proof.proposal import Proposal, ProposalStatus
from lull.core.provenance.leaks import memorable
from lull.core.skills.prompt_block import Placement
from lull.core.skills.skill import Skill, SkillKey
from lull.core.training.ports import Curriculum
from lull.loops.adapters.gate_questions import (
    GateMaterial,
    HeldOutRequest,
    PastSuccess,
    RatedAnswer,
    RatedQuestion,
    Scores,
)
from lull.loops.chat.current_selection import CurrentSelection, without_skill_text
from lull.loops.feedback.verify import Verifier, Wish
from lull.loops.proof.replay import prompt_with_skills
from lull.loops.training.ratings import Ratings, Trained
from lull.loops.training.rewarding import RewardAnswers
from lull.loops.training.rollout import Rollouts
from lull.store.adapters.adapters import Adapters
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.proof.proposals import Proposals

MOST_TARGETS: Final = 120
"""Maximum number of held-out requests that one gate uses."""
FRESH: Final = 40
"""Number of fresh, never-trained requests that the gate draws for each of the user's wishes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialSources:
    """The stores and functions from which the requests for testing a new adapter, and the ways to
    score their answers, are collected; implements CollectsMaterial.
    """

    adapters: Adapters
    rollouts: Rollouts
    rewarding: RewardAnswers
    ratings: Ratings
    proposals: Proposals
    current_selection: CurrentSelection
    verifier: Verifier
    judges: ChosenJudge
    curriculum: Curriculum

    async def collect(self, version: AdapterVersion) -> GateMaterial:
        model = version.base_model
        recent = tuple(self.rollouts.candidates(model))
        trained = self.ratings.trained(version.id)
        stored = _StoredRequests(
            recent=recent,
            wishes=self.rewarding.wishes(recent),
            trained=trained,
            rated_kinds=self.ratings.kinds(model, trained) - {""},
        )
        taught = _graduates(self, version)
        rated: tuple[RatedQuestion, ...] = ()
        targets: list[_Target] = []
        if taught is not None:
            targets = _of_skill(self, stored, model, taught)
        elif trained.by_ratings:
            rated = _rated(self, stored, model)
        else:
            targets = _of_wishes(self, stored, model)
        # What the active adapter has learned is not forgetting either.
        asked = {one.asked for one in targets} | _asked_of_learned(self, stored, version)
        touched = {self.curriculum.subject(model, one) for one in asked} - {""}
        touched |= stored.rated_kinds
        probes = tuple(p for p in self.curriculum.canaries(version) if p.about not in touched)
        return GateMaterial(
            probes=probes,
            targets=tuple(
                _held_out(one, self.current_selection.place(model))
                for one in targets[:MOST_TARGETS]
            ),
            rated=rated[:MOST_TARGETS],
            successes=tuple(_successes(self, stored)),
            planted=memorable(_texts(self.rollouts.served(sorted(trained.ids)))),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoredRequests:
    """The model's stored requests, and which of them were trained on."""

    recent: tuple[ServedTurn, ...]
    wishes: tuple[Wish, ...]
    trained: Trained
    rated_kinds: frozenset[str]
    """Known kinds of request whose answers were to change by training on ratings."""

    def fresh(self, one: ServedTurn) -> bool:
        return self.trained.fresh(one)


def _texts(trained: Sequence[ServedTurn]) -> Iterator[str]:
    for one in trained:
        yield from (without_skill_text(message).text for message in one.turn.request)
        yield one.turn.answer.text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    served: ServedTurn
    skills: tuple[Skill, ...]
    """Skills in the prompt, for the candidate and for the active adapter."""
    score: Scores
    learned: Skill | None = None

    @property
    def asked(self) -> str:
        return self.served.asked


# Rated answers


def _rated(
    sources: MaterialSources, stored: _StoredRequests, model: str
) -> tuple[RatedQuestion, ...]:
    by_turn = {one.turn.id: one for one in stored.recent}

    def answer(turn: str) -> RatedAnswer:
        served = by_turn[turn]
        skills = sources.current_selection.skills(served) or ()
        messages = _messages(served, skills, sources.current_selection.place(model))
        return RatedAnswer(messages=messages, text=served.turn.answer.text)

    return tuple(
        RatedQuestion(id=pair.good, good=answer(pair.good), bad=answer(pair.bad))
        for pair in sources.ratings.pairs(model, stored.recent, stored.trained)
    )


# Held-out requests scored by the user's wishes


def _of_wishes(sources: MaterialSources, stored: _StoredRequests, model: str) -> list[_Target]:
    book = sources.rollouts.collect_requests(model)
    found = [
        _by_wishes(sources, prompt.served, prompt.skills, book.wishes)
        for prompt in book.prompts
        if stored.fresh(prompt.served)
    ]
    pattern = next(iter(stored.recent), None)
    if pattern is not None:
        for wish in stored.wishes:
            for served in filter(stored.fresh, _drawn(sources, pattern, model, wish.words)):
                skills = sources.current_selection.skills(served) or ()
                if sources.rewarding.can_score(served, skills, stored.wishes):
                    found.append(_by_wishes(sources, served, skills, stored.wishes))
    return _distinct(found)


def _by_wishes(
    sources: MaterialSources, served: ServedTurn, skills: tuple[Skill, ...], wishes: Sequence[Wish]
) -> _Target:
    async def score(answer: Completion) -> float | None:
        if answer.finish is not Finish.STOP:
            return 0.0  # an unfinished answer is worth nothing
        worth = await sources.rewarding.score_answer(served, skills, wishes, answer)
        return worth.reward if worth is not None else None

    return _Target(served=served, skills=skills, score=score)


# Held-out requests for a skill that was trained in


def _graduates(sources: MaterialSources, version: AdapterVersion) -> tuple[SkillKey, str] | None:
    """Return the skill that this adapter learned and its parent had not, as (key, sha256)."""
    parents = {one.sha256 for one in sources.adapters.learned(version.parent)}
    own = [one for one in sources.adapters.learned(version.id) if one.sha256 not in parents]
    return (own[0].skill, own[0].sha256) if own else None


def _of_skill(
    sources: MaterialSources, stored: _StoredRequests, model: str, taught: tuple[SkillKey, str]
) -> list[_Target]:
    key, sha256 = taught
    proposal = _approved(sources, key, sha256)
    if proposal is None:
        return []
    found: list[_Target] = []
    having = [s for s in stored.recent if any(skill.sha256 == sha256 for skill in s.turn.skills)]
    fresh = [one for s in having[:1] for one in _drawn(sources, s, model, proposal.wish)]
    for served in filter(stored.fresh, (*having, *fresh)):
        skills = sources.current_selection.skills(served) or ()
        learned = next((skill for skill in skills if skill.sha256 == sha256), None)
        if learned is not None and sources.rewarding.is_about(served, learned):
            rest = tuple(skill for skill in skills if skill.sha256 != sha256)
            score = _by_proposal(sources, served, proposal)
            found.append(_Target(served=served, skills=rest, score=score, learned=learned))
    return _distinct(found)


def _asked_of_learned(
    sources: MaterialSources, stored: _StoredRequests, version: AdapterVersion
) -> set[str]:
    """Return requests that the skills are about which the adapter's ancestors have learned."""
    found: set[str] = set()
    for one in sources.adapters.learned(version.parent):
        having = [
            served
            for served in stored.recent
            for skill in sources.current_selection.skills(served, by_base=True) or ()
            if skill.sha256 == one.sha256 and sources.rewarding.is_about(served, skill)
        ]
        proposal = _approved(sources, one.skill, one.sha256)
        if having and proposal is not None:
            having += _drawn(sources, having[0], version.base_model, proposal.wish)
        found.update(served.asked for served in having)
    return found


def _approved(sources: MaterialSources, key: SkillKey, sha256: str) -> Proposal | None:
    for proposal in sources.proposals.of_skill(key):
        if proposal.sha256 == sha256 and proposal.status is ProposalStatus.APPROVED:
            return proposal
    return None


def _by_proposal(sources: MaterialSources, served: ServedTurn, proposal: Proposal) -> Scores:
    """Return a scoring function by the wish that the user stated when the skill was made."""

    async def score(answer: Completion) -> float | None:
        if answer.finish is not Finish.STOP:
            return 0.0
        does = sources.verifier.fulfils(
            served.turn.model,
            wish=proposal.wish,
            asked=served.asked,
            answer=answer.message.text,
            check=parse_all(proposal.check) if proposal.check else None,
        )
        judge = sources.judges.judge()
        if does is not None or judge is None or sources.verifier.is_exact(served.turn.model):
            return None if does is None else float(does)
        question = JudgeQuestion(
            asks=QuestionKind.WISH,
            messages=tuple(without_skill_text(message) for message in served.turn.request),
            answer=answer.message,
            wish=proposal.wish,
        )
        verdict = majority(await judge.votes(question))
        return None if verdict is None else (verdict + 1) / 2

    return score


# Past successes


def _successes(sources: MaterialSources, stored: _StoredRequests) -> list[PastSuccess]:
    found = []
    for served in stored.recent:
        reward = served.reward.reward
        if reward is None or reward.p_good <= GREY[1] or not stored.fresh(served):
            continue
        skills = sources.current_selection.skills(served) or ()
        if sources.rewarding.still_good(served, skills, stored.wishes):
            place = sources.current_selection.place(served.turn.model)
            with_learned = _with_learned(sources, served, skills)
            found.append(
                PastSuccess(
                    id=served.turn.id,
                    messages=_messages(served, skills, place),
                    score=_as_before(sources, served),
                    of_base=_messages(served, with_learned, place),
                    changes=_kind(sources, served) in stored.rated_kinds,
                )
            )
    return found


def _with_learned(
    sources: MaterialSources, served: ServedTurn, skills: Sequence[Skill]
) -> list[Skill]:
    """Return a request's skills and those that only the active adapter's weights hold, as the base
    model would get them.
    """
    of_base = list(sources.current_selection.skills(served, by_base=True) or ())
    return of_base + [skill for skill in skills if skill not in of_base]


def _kind(sources: MaterialSources, served: ServedTurn) -> str:
    return sources.curriculum.subject(served.turn.model, served.asked)


def _as_before(sources: MaterialSources, served: ServedTurn) -> Scores:
    """Return a scoring function against the accepted answer.

    An equal answer gets 1. Otherwise it gets 0 where the language has one right answer, and
    elsewhere the verdict of a judge who sees both answers blind.
    """
    accepted = served.turn.answer.text.strip()

    async def score(answer: Completion) -> float | None:
        if answer.finish is not Finish.STOP:
            return 0.0
        if answer.message.text.strip() == accepted:
            return 1.0
        judge = sources.judges.judge()
        if judge is None or sources.verifier.is_exact(served.turn.model):
            return 0.0 if sources.verifier.is_exact(served.turn.model) else None
        question = JudgeQuestion(
            asks=QuestionKind.PAIR,
            messages=tuple(without_skill_text(message) for message in served.turn.request),
            answer=answer.message,
            reference=accepted,
        )
        verdict = majority(await judge.votes(question))
        return None if verdict is None else (verdict + 1) / 2

    return score


# Shared helpers


def _held_out(target: _Target, place: Placement) -> HeldOutRequest:
    messages = _messages(target.served, target.skills, place)
    taught = None
    if target.learned is not None:
        taught = _messages(target.served, (*target.skills, target.learned), place)
    return HeldOutRequest(
        id=target.served.turn.id,
        old=messages,
        new=messages,
        score=target.score,
        taught=taught,
        sampling=target.served.turn.asked_sampling,
    )


def _messages(served: ServedTurn, skills: Sequence[Skill], place: Placement) -> tuple[Message, ...]:
    request = tuple(without_skill_text(message) for message in served.turn.request)
    return prompt_with_skills(request, [skill.body for skill in skills], system="", place=place)


def _drawn(sources: MaterialSources, like: ServedTurn, model: str, words: str) -> list[ServedTurn]:
    """Make fresh requests, each as a turn that was never served."""
    asked = sources.curriculum.fresh_requests(model, words, FRESH)
    return [
        replace(
            like,
            turn=replace(
                like.turn,
                id=f"fresh {number} {text}",
                request=(text_message(Role.USER, text),),
                sampling={},
                format="",
                tools="",
            ),
        )
        for number, text in enumerate(asked)
    ]


def _distinct(found: Sequence[_Target]) -> list[_Target]:
    """Remove repeated requests, which are only one piece of evidence."""
    return list({one.asked: one for one in reversed(found)}.values())[::-1]
