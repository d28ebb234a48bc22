"""What the gate asks of an adapter: canaries, held-out requests, what the user was content with.

Held out is what no round of its course was trained on: stored requests that may train and were not
in a batch, and, where a model's language lets requests be drawn, fresh ones like those that the
user's words are about. Answers are scored as the samples of a run are, by those who may say what
is good; of a skill that was trained in, the user's own wish says it, never the skill's text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lull.core.adapter import AdapterVersion
from lull.core.check import parse
from lull.core.errors import NotFound
from lull.core.leaks import memorable
from lull.core.messages import Completion, Finish, Message, Role, text_message
from lull.core.ports import Asks, Curriculum, Judge, Question
from lull.core.proposal import Proposal, ProposalStatus
from lull.core.reward import GREY, majority
from lull.core.rollout import same_words
from lull.core.skill import Skill, SkillKey
from lull.loops.examine import Examine
from lull.loops.gate_questions import GateMaterial, HeldOut, PastSuccess, Scores
from lull.loops.replay import injected
from lull.loops.rollout import Rollouts
from lull.loops.today import Today, clean
from lull.loops.verify import Verifier, Wish
from lull.store.adapters import Adapters
from lull.store.proposals import Proposals
from lull.store.reward_rows import Served
from lull.store.training import Training

MOST_TARGETS: Final = 120
FRESH: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where the material comes from."""

    adapters: Adapters
    training: Training
    rollouts: Rollouts
    examine: Examine
    proposals: Proposals
    today: Today
    verifier: Verifier
    judge: Callable[[], Judge | None]
    curriculum: Curriculum


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stock:
    """What is known of the model's requests now."""

    recent: tuple[Served, ...]
    wishes: tuple[Wish, ...]
    used: frozenset[str]
    """Turns that the course was trained on."""
    seen: frozenset[str]
    """What these asked: the same words in another turn are no held-out request."""

    def fresh(self, one: Served) -> bool:
        return one.turn.id not in self.used and same_words(one.asked) not in self.seen


async def material_of(sources: Sources, version: AdapterVersion) -> GateMaterial:
    """Blocks for some milliseconds a hundred turns."""
    model = version.base_model
    recent = tuple(sources.rollouts.candidates(model))
    used = _used(sources, version)
    trained = sources.rollouts.served(sorted(used))
    stock = _Stock(
        recent=recent,
        wishes=sources.examine.wishes(recent),
        used=used,
        seen=frozenset(same_words(one.asked) for one in trained),
    )
    taught = _graduates(sources, version)
    if taught is not None:
        targets = _of_skill(sources, stock, model, taught)
    else:
        targets = _of_wishes(sources, stock, model)
    touched = {sources.curriculum.subject(model, one.asked) for one in targets} - {""}
    probes = tuple(p for p in sources.curriculum.canaries(version) if p.about not in touched)
    return GateMaterial(
        probes=probes,
        targets=tuple(_held_out(sources, one) for one in targets[:MOST_TARGETS]),
        successes=tuple(_successes(sources, stock, model)),
        planted=memorable(_texts(trained)),
    )


def _texts(trained: Sequence[Served]) -> Iterator[str]:
    for one in trained:
        yield from (clean(message).text for message in one.turn.request)
        yield one.turn.answer.text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    served: Served
    skills: tuple[Skill, ...]
    """In its prompt, for either side."""
    score: Scores
    learned: Skill | None = None

    @property
    def asked(self) -> str:
        return self.served.asked


def _used(sources: Sources, version: AdapterVersion) -> frozenset[str]:
    """Turns of every round that it went on from, and of what these went on from."""
    used: set[str] = set()
    for adapter in sources.adapters.line(version.id):
        run = sources.adapters.get(adapter).run
        seen: set[str] = set()
        while run is not None and run not in seen:
            seen.add(run)
            try:
                row = sources.training.get(run)
            except NotFound:
                break
            used.update(source.id for source in sources.training.sources(run))
            used.update(row.skills)
            run = row.parent
    return frozenset(used)


# Of what the user wants


def _of_wishes(sources: Sources, stock: _Stock, model: str) -> list[_Target]:
    book = sources.rollouts.book(model)
    found = [
        _by_wishes(sources, prompt.served, prompt.skills, book.wishes)
        for prompt in book.prompts
        if stock.fresh(prompt.served)
    ]
    pattern = next(iter(stock.recent), None)
    if pattern is not None:
        for wish in stock.wishes:
            for served in filter(stock.fresh, _drawn(sources, pattern, model, wish.words)):
                skills = sources.today.skills(served) or ()
                if sources.examine.can_score(served, skills, stock.wishes):
                    found.append(_by_wishes(sources, served, skills, stock.wishes))
    return _distinct(found)


def _by_wishes(
    sources: Sources, served: Served, skills: tuple[Skill, ...], wishes: Sequence[Wish]
) -> _Target:
    async def score(answer: Completion) -> float | None:
        if answer.finish is not Finish.STOP:
            return 0.0  # who runs on for ever has not answered
        worth = await sources.examine.worth(served, skills, wishes, answer)
        return worth.reward if worth is not None else None

    return _Target(served=served, skills=skills, score=score)


# Of a skill that was trained in


def _graduates(sources: Sources, version: AdapterVersion) -> tuple[SkillKey, str] | None:
    """The skill that this very adapter was to learn."""
    parents = {one.sha256 for one in sources.adapters.learned(version.parent)}
    own = [one for one in sources.adapters.learned(version.id) if one.sha256 not in parents]
    return (own[0].skill, own[0].sha256) if own else None


def _of_skill(
    sources: Sources, stock: _Stock, model: str, taught: tuple[SkillKey, str]
) -> list[_Target]:
    key, sha256 = taught
    proposal = _approved(sources, key, sha256)
    if proposal is None:
        return []
    found: list[_Target] = []
    having = [s for s in stock.recent if any(skill.sha256 == sha256 for skill in s.turn.skills)]
    fresh = [one for s in having[:1] for one in _drawn(sources, s, model, proposal.wish)]
    for served in filter(stock.fresh, (*having, *fresh)):
        skills = sources.today.skills(served) or ()
        learned = next((skill for skill in skills if skill.sha256 == sha256), None)
        if learned is not None and sources.examine.is_about(served, learned):
            rest = tuple(skill for skill in skills if skill.sha256 != sha256)
            score = _by_proposal(sources, served, proposal)
            found.append(_Target(served=served, skills=rest, score=score, learned=learned))
    return _distinct(found)


def _approved(sources: Sources, key: SkillKey, sha256: str) -> Proposal | None:
    for proposal in sources.proposals.of_skill(key):
        if proposal.sha256 == sha256 and proposal.status is ProposalStatus.APPROVED:
            return proposal
    return None


def _by_proposal(sources: Sources, served: Served, proposal: Proposal) -> Scores:
    """By what the user said they wanted when the skill was made."""
    rewards = sources.rollouts.served(proposal.failures[:1])
    about = next((one.asked for one in rewards), "")

    async def score(answer: Completion) -> float | None:
        if answer.finish is not Finish.STOP:
            return 0.0
        does = sources.verifier.fulfils(
            served.turn.model,
            wish=proposal.wish,
            asked=served.asked,
            answer=answer.message.text,
            about=about,
            check=parse(proposal.check) if proposal.check else None,
        )
        judge = sources.judge()
        if does is not None or judge is None or sources.verifier.is_exact(served.turn.model):
            return None if does is None else float(does)
        question = Question(
            asks=Asks.WISH,
            messages=tuple(clean(message) for message in served.turn.request),
            answer=answer.message,
            wish=proposal.wish,
        )
        verdict = majority(await judge.votes(question))
        return None if verdict is None else (verdict + 1) / 2

    return score


# What the user was content with


def _successes(sources: Sources, stock: _Stock, model: str) -> list[PastSuccess]:
    found = []
    for served in stock.recent:
        reward = served.reward.reward
        if reward is None or reward.p_good <= GREY[1] or not stock.fresh(served):
            continue
        skills = sources.today.skills(served) or ()
        if sources.examine.still_good(served, skills, stock.wishes):
            found.append(
                PastSuccess(
                    id=served.turn.id,
                    messages=_messages(served, skills),
                    score=_as_before(sources, served),
                )
            )
    return found


def _as_before(sources: Sources, served: Served) -> Scores:
    """As good as the accepted answer: the same one where the language has one right answer, else
    by a judge who sees both, blind."""
    accepted = served.turn.answer.text.strip()

    async def score(answer: Completion) -> float | None:
        if answer.finish is not Finish.STOP:
            return 0.0
        if answer.message.text.strip() == accepted:
            return 1.0
        judge = sources.judge()
        if judge is None or sources.verifier.is_exact(served.turn.model):
            return 0.0 if sources.verifier.is_exact(served.turn.model) else None
        question = Question(
            asks=Asks.PAIR,
            messages=tuple(clean(message) for message in served.turn.request),
            answer=answer.message,
            reference=accepted,
        )
        verdict = majority(await judge.votes(question))
        return None if verdict is None else (verdict + 1) / 2

    return score


# What these share


def _held_out(sources: Sources, target: _Target) -> HeldOut:
    messages = _messages(target.served, target.skills)
    taught = None
    if target.learned is not None:
        taught = _messages(target.served, (*target.skills, target.learned))
    return HeldOut(
        id=target.served.turn.id,
        old=messages,
        new=messages,
        score=target.score,
        taught=taught,
        sampling=target.served.turn.asked_sampling,
    )


def _messages(served: Served, skills: Sequence[Skill]) -> tuple[Message, ...]:
    request = tuple(clean(message) for message in served.turn.request)
    return injected(request, [skill.body for skill in skills], system="")


def _drawn(sources: Sources, like: Served, model: str, words: str) -> list[Served]:
    """Fresh requests, each as a turn that was never served."""
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
    """One of each request: two turns that ask the same are one piece of evidence."""
    return list({one.asked: one for one in reversed(found)}.values())[::-1]
