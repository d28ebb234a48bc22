"""Handles a chat request that comes through the proxy: chooses the skills for its prompt when it
arrives, and stores the request and its answer at the end.

`open` decides which adapter answers, finds the conversation that the request continues, decides
which skills are injected, and has them put into the request's body. `close` records the turn.
Neither waits for learning, for a model or for a write: facts that do not arrive in time are left
out, and the request goes through. Only a conversation that is not in memory is first looked up in
the database.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from lull.core.adapters.adapter import (
    Arm,
    chosen_arm,
    trial_assignment,
    trial_toss,
)
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.context_window import TokenRate, was_cut
from lull.core.chat.messages import ChatRequest, Completion, PartKind
from lull.core.chat.trajectory import (
    HoldoutAssignment,
    PolicyVersion,
    Turn,
    TurnStamp,
)
from lull.core.ports import Clock, Ids
from lull.core.proof.holdout import hashed_coin
from lull.core.skills.ports import LibraryInUse, SkillIndex
from lull.core.skills.prompt_block import Injection
from lull.core.skills.skill_ranking import RetrievalRule
from lull.loops.chat.conversations import Conversations
from lull.loops.chat.known_models import MOST_CLIENTS, KnownModels, remember
from lull.loops.chat.select_skills import (
    NoHoldout,
    SelectedSkills,
    SelectSkills,
    SkillHoldout,
    injection,
    window_of,
)
from lull.store.chat.recording import Prepared
from lull.store.chat.trajectories import Position, Trajectories
from lull.store.skills.skills import Skills

log = logging.getLogger(__name__)

MOST_MODELS = 256
"""Most models whose token rates are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The state of a chat request between its arrival and the end of its answer."""

    request: ChatRequest
    stamp: TurnStamp
    skills: SelectedSkills
    """The skills in the request's prompt, and what the conversation remembers of their choice."""
    injection: Injection
    links: tuple[str, ...]
    session: str
    window_tokens: int
    began_s: float


PutIn: TypeAlias = Callable[[Injection], Awaitable[str]]
"""Function that writes the chosen skills' texts into a request's body.

It returns "", or the reason why the body was left unchanged.
"""


class Serve:
    """Handles chat requests from arrival (`open`) to the recorded answer (`close`)."""

    def __init__(
        self,
        *,
        trajectories: Trajectories,
        skills: Skills,
        in_use: LibraryInUse,
        index: SkillIndex,
        clock: Clock,
        ids: Ids,
        rule: RetrievalRule,
        models: KnownModels,
        holdout: SkillHoldout | None = None,
    ) -> None:
        self._trajectories = trajectories
        self._skills = skills
        self._in_use = in_use
        self._clock = clock
        self._ids = ids
        self._conversations = Conversations(trajectories)
        self._models = models
        self._coin = hashed_coin(trajectories.key.hex())
        self._rates: OrderedDict[str, TokenRate] = OrderedDict()
        self._uses = OrderedDict(skills.uses_by_client())
        self._fixing = SelectSkills(
            index,
            rule,
            rates=self._rates,
            uses=self._uses,
            holdout=holdout or NoHoldout(),
            places=models.places,
        )

    @property
    def skill_selector(self) -> SelectSkills:
        """The selector that chooses the skills (instruction texts) for requests' prompts."""
        return self._fixing

    @property
    def rule(self) -> RetrievalRule:
        return self._fixing.rule

    @rule.setter
    def rule(self, rule: RetrievalRule) -> None:
        self._fixing.rule = rule

    async def open(
        self,
        request: ChatRequest,
        *,
        client: Client,
        route: str,
        session: str,
        injectable: bool,
        facts: Callable[[], ModelFacts | Awaitable[ModelFacts]],
        on_trial: bool = True,
        put_in: PutIn | None = None,
    ) -> Serving:
        """Begin a chat request: find the conversation it continues and select its skills
        (instruction texts).

        If the store fails, the request starts a new conversation. With `on_trial` False no adapter
        on trial may answer. `put_in` writes the skills into the request's body; it is always
        awaited, and last. If it could not write them, the turn is recorded as one without skills.
        """
        began_s = self._clock.monotonic_s()
        library = self._in_use.library
        session = session.encode(errors="replace").decode()
        chain = self._conversations.chain(client, request)
        position = self._conversations.position(client, session, request.messages, chain)
        certain, likely = await self._models.facts_in_time(request.model, facts)
        trajectory = position.trajectory if position else self._ids.new("conv")
        assignment: HoldoutAssignment | None = None
        if on_trial:
            likely, assignment = self._armed(likely, position, trajectory)
        fixed = self._fixing.determine_skills(
            request,
            client,
            library,
            position,
            likely,
            trajectory=trajectory,
            injectable=injectable,
        )
        if assignment is not None:
            chosen = fixed.selection
            drawn = (*chosen.assignments, assignment)
            fixed = replace(fixed, selection=replace(chosen, assignments=drawn))
        stamp = self._stamp(
            request,
            client,
            likely if certain else None,
            position,
            trajectory=trajectory,
            route=route,
            generation=library.generation,
            fixed=fixed,
        )
        added = injection(request, fixed)
        if put_in is not None and (why := await put_in(added)):
            # The adapter that answers stays as it was chosen.
            stamp, fixed = replace(stamp, skills=()), fixed.without_skills(why)
            added = Injection(system="")
        return Serving(
            request=request,
            stamp=stamp,
            skills=fixed,
            injection=added,
            links=tuple(chain),
            session=session,
            window_tokens=window_of(request, likely),
            began_s=began_s,
        )

    def _stamp(
        self,
        request: ChatRequest,
        client: Client,
        model: ModelFacts | None,
        position: Position | None,
        *,
        trajectory: str,
        route: str,
        generation: int,
        fixed: SelectedSkills,
    ) -> TurnStamp:
        suffixed = (skill for suffix in fixed.suffixes for skill in suffix.skills)
        return TurnStamp(
            turn=self._ids.new("turn"),
            trajectory=trajectory,
            number=position.turns + 1 if position else 1,
            client=client.name,
            route=route,
            model=request.model,
            policy=PolicyVersion(
                model=model.digest if model else request.model,
                adapter=model.adapter if model else None,
                generation=generation,
            ),
            skills=(*fixed.selection.skills, *suffixed),
            template_sha256=model.template_sha256 if model else "",
            sampling=request.sampling,
            at=self._clock.now(),
            apart=client.apart,
        )

    def _armed(
        self, model: ModelFacts | None, position: Position | None, trajectory: str
    ) -> tuple[ModelFacts | None, HoldoutAssignment | None]:
        """Return the model's facts with the adapter that answers this trajectory, and the draw
        that chose it.

        While an adapter is on trial, a coin toss decides for each new trajectory.
        """
        if model is None or model.shadow is None:
            return model, None
        arm = chosen_arm(
            Arm(version=model.adapter, learned=model.learned),
            model.shadow,
            before=position.adapter if position else None,
            begins=position is None,
            toss=trial_toss(self._coin, model.shadow, trajectory),
        )
        assignment = trial_assignment(model.shadow, arm) if position is None else None
        return replace(model, adapter=arm.version, learned=arm.learned), assignment

    def close(
        self,
        serving: Serving,
        completion: Completion,
        kept: asyncio.Future[Prepared] | None = None,
    ) -> None:
        """Record a chat request after its answer has ended.

        Never waits and never makes the reply fail.

        `kept` is a future that gives the form in which a long request is stored.
        """
        client = _client(serving)
        answer_link = self._conversations.answer_link(client, serving.links, completion.message)
        turn = Turn(
            stamp=serving.stamp,
            messages=serving.request.messages,
            links=serving.links,
            answer_link=answer_link,
            completion=completion,
            took_s=self._clock.monotonic_s() - serving.began_s,
            block=serving.skills.selection.block,
            suffixes=serving.skills.suffixes,
            known=serving.skills.known,
            tools=serving.request.tools,
            format=serving.request.format,
            note=self._note(serving, completion),
        )
        position = Position(
            trajectory=serving.stamp.trajectory,
            turns=serving.stamp.number,
            selection=serving.skills.selection,
            suffixes=serving.skills.suffixes,
            known=serving.skills.known,
            adapter=serving.stamp.policy.adapter,
        )
        ends = (answer_link, *serving.links[-1:])
        self._conversations.remember(position, client, serving.session, ends)
        self._record(serving, turn, kept)
        self._count_uses(serving)

    def _record(self, serving: Serving, turn: Turn, kept: asyncio.Future[Prepared] | None) -> None:
        def write(prepared: Prepared | None) -> None:
            self._trajectories.record(
                turn,
                session=serving.session,
                selection=serving.skills.selection,
                prepared=prepared,
            )

        if kept is None:
            write(None if serving.request.outline is None else Prepared())
        elif kept.done():
            write(_prepared(kept))
        else:
            kept.add_done_callback(lambda done: write(_prepared(done)))

    # Token rates and skill uses

    def _note(self, serving: Serving, completion: Completion) -> str:
        request = serving.request
        digest = serving.stamp.policy.model
        rate = self._rates.get(digest, TokenRate())
        added = serving.injection.text
        counted = completion.usage.prompt_tokens
        window = serving.window_tokens
        why = "" if serving.stamp.skills else serving.skills.why
        said = _characters(request)
        if said is None:
            return why  # how many tokens an image takes depends on the model
        characters = said + len(added)
        expected = rate.request_tokens(request) + rate.text_tokens(added)
        if was_cut(
            expected_tokens=expected,
            fewest_tokens=rate.min_tokens(characters),
            counted_tokens=counted,
            window_tokens=window,
        ):
            log.info("the upstream cut a prompt: about %d tokens, %s counted", expected, counted)
            return (
                f"The upstream cut this prompt: about {expected} tokens were sent,"
                f" {counted} were read (the window has {window})."
            )
        if counted and not request.tools:
            updated = rate.updated(characters=characters, tokens=counted)
            remember(self._rates, digest, updated, most=MOST_MODELS)
        return why

    def _count_uses(self, serving: Serving) -> None:
        joined = serving.skills.joined
        if not joined:
            return
        asker = _client(serving).identity
        counts = self._uses.get(asker, {})
        remember(self._uses, asker, counts, most=MOST_CLIENTS)
        for key in joined:
            counts[key] = counts.get(key, 0) + 1
        self._skills.count_uses(joined, by=asker, at=serving.stamp.at)


def _prepared(kept: asyncio.Future[Prepared]) -> Prepared:
    """Return a long request's prepared content; empty if preparing failed, so that the turn is
    stored anyway.
    """
    return Prepared() if kept.cancelled() or kept.exception() else kept.result()


def _characters(request: ChatRequest) -> int | None:
    """Number of characters in the request; None where it has images."""
    if request.outline is not None:
        return None if request.outline.images else request.outline.characters
    parts = [part for message in request.messages for part in message.parts]
    if any(part.kind is PartKind.IMAGE for part in parts):
        return None
    return sum(len(part.text) for part in parts)


def _client(serving: Serving) -> Client:
    return Client(name=serving.stamp.client, apart=serving.stamp.apart)
