"""A chat request, from arrival to record.

`open` says what answers (fixed now, whatever is promoted meanwhile), where the request stands in
which trajectory, and what is injected. `close` stores what came of it. Neither waits for learning,
for a model or for the disk: what is not known in time is left out, and the request goes through.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from lull.core.adapter import Arm, chosen_arm, trial_flip, trial_toss
from lull.core.chain import link, links, root
from lull.core.errors import LullError, StoreError
from lull.core.guard import hashed_coin
from lull.core.injection import Injection
from lull.core.messages import ChatRequest, Completion, Message, PartKind, Role
from lull.core.model_name import canonical
from lull.core.policy import Client, ModelFacts
from lull.core.ports import Clock, Ids
from lull.core.retrieval import RetrievalRule
from lull.core.skill import Library, SkillKey
from lull.core.trajectory import (
    CoinFlip,
    PolicyVersion,
    Selection,
    Suffix,
    Turn,
    TurnStamp,
)
from lull.core.window import TokenRate, was_cut
from lull.loops.fix_skills import (
    Effects,
    Fixed,
    FixSkills,
    Index,
    LeavesOut,
    Prefers,
    first_ones,
    injection,
    leaves_nothing_out,
    no_effects,
    window_of,
)
from lull.store.skills import Skills
from lull.store.trajectories import Position, Trajectories

log = logging.getLogger(__name__)
T = TypeVar("T")

RECENT = 2048
"""Tips that are known without the store: the next request may come before the commit."""
MODELS = 256
"""Models whose facts and token counts are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A request under way."""

    request: ChatRequest
    stamp: TurnStamp
    injection: Injection
    selection: Selection
    suffixes: tuple[Suffix, ...]
    links: tuple[str, ...]
    session: str
    window_tokens: int
    began_s: float
    known: int
    """The generation up to which skills were looked up for the trajectory."""
    joined: tuple[SkillKey, ...] = ()
    """The skills that went into the conversation with this very turn."""


class Serve:
    def __init__(
        self,
        *,
        trajectories: Trajectories,
        skills: Skills,
        library: Callable[[], Library],
        index: Index,
        clock: Clock,
        ids: Ids,
        chain_key: bytes,
        rule: RetrievalRule,
        facts_within_s: float,
        leaving_out: LeavesOut = leaves_nothing_out,
        preferring: Prefers = first_ones,
        effect: Effects = no_effects,
    ) -> None:
        self._trajectories = trajectories
        self._skills = skills
        self._library = library
        self._clock = clock
        self._ids = ids
        self._key = chain_key
        self._coin = hashed_coin(chain_key.hex())
        self._facts_within_s = facts_within_s
        self._recent: OrderedDict[str, Position] = OrderedDict()
        self._rates: OrderedDict[str, TokenRate] = OrderedDict()
        self._facts: OrderedDict[str, ModelFacts] = OrderedDict()
        self._uses = skills.uses_by_client()
        self._fixing = FixSkills(
            index,
            rule,
            rates=self._rates,
            uses=self._uses,
            leaving_out=leaving_out,
            preferring=preferring,
            effect=effect,
        )
        self._store_failing = False

    @property
    def fixing(self) -> FixSkills:
        """What chooses the skills of a prompt, for whoever asks what a prompt would get."""
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
    ) -> Serving:
        """Never raises for a store that fails: then the request starts a new conversation."""
        began_s = self._clock.monotonic_s()
        library = self._library()
        session = session.encode(errors="replace").decode()
        chain = links(self._key, client.identity, request.messages)
        position = self._position(client, session, request.messages, chain)
        certain, likely = await self._known(request.model, facts)
        trajectory = position.trajectory if position else self._ids.new("conv")
        likely, flip = self._armed(likely, position, trajectory)
        fixed = self._fixing.fix(
            request,
            client,
            library,
            position,
            likely,
            trajectory=trajectory,
            injectable=injectable,
        )
        selection = fixed.selection
        if flip is not None:
            selection = replace(selection, flips=(*selection.flips, flip))
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
        return Serving(
            request=request,
            stamp=stamp,
            injection=injection(request, fixed),
            selection=selection,
            suffixes=fixed.suffixes,
            links=tuple(chain),
            session=session,
            window_tokens=window_of(request, likely),
            began_s=began_s,
            known=fixed.known,
            joined=fixed.joined,
        )

    async def _known(
        self, name: str, facts: Callable[[], ModelFacts | Awaitable[ModelFacts]]
    ) -> tuple[bool, ModelFacts | None]:
        """Whether the model's facts came in time, and those of now or of before: what a model is
        does not change while they are late, but what answers is stamped only when it is certain."""
        model = await self._facts_in_time(facts)
        if model is None:
            return False, self._facts.get(canonical(name))
        _remember(self._facts, canonical(name), model, most=MODELS)
        return True, model

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
        fixed: Fixed,
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
    ) -> tuple[ModelFacts | None, CoinFlip | None]:
        """The facts of the adapter that answers this trajectory; while one is on trial, the toss
        of a new trajectory decides."""
        if model is None or model.shadow is None:
            return model, None
        arm = chosen_arm(
            Arm(version=model.adapter, learned=model.learned),
            model.shadow,
            before=position.adapter if position else None,
            begins=position is None,
            toss=trial_toss(self._coin, model.shadow, trajectory),
        )
        flip = trial_flip(model.shadow, arm) if position is None else None
        return replace(model, adapter=arm.version, learned=arm.learned), flip

    def close(self, serving: Serving, completion: Completion) -> None:
        """The answer ended, however it ended. Never waits, never fails the reply."""
        tip = serving.links[-1] if serving.links else ""
        who = _client(serving).identity
        behind = tip or root(self._key, who)
        answer_link = link(self._key, behind, completion.message)
        turn = Turn(
            stamp=serving.stamp,
            messages=serving.request.messages,
            links=serving.links,
            answer_link=answer_link,
            completion=completion,
            took_s=self._clock.monotonic_s() - serving.began_s,
            block=serving.selection.block,
            suffixes=serving.suffixes,
            known=serving.known,
            tools=serving.request.tools,
            format=serving.request.format,
            note=self._note(serving, completion),
        )
        position = Position(
            trajectory=serving.stamp.trajectory,
            turns=serving.stamp.number,
            selection=serving.selection,
            suffixes=serving.suffixes,
            known=serving.known,
            adapter=serving.stamp.policy.adapter,
        )
        for known in (answer_link, tip, _session_key(who, serving.session)):
            if known:
                _remember(self._recent, known, position, most=RECENT)
        self._trajectories.record(turn, session=serving.session, selection=serving.selection)
        self._count_uses(serving)

    # Where a request stands

    def _position(
        self, client: Client, session: str, messages: Sequence[Message], chain: Sequence[str]
    ) -> Position | None:
        """The trajectory that this request continues. A history is known by its own links; a
        first message starts a new conversation even when the same words were said before."""
        if session:
            named = self._recent.get(_session_key(client.identity, session))
            return named or self._stored(lambda: self._trajectories.session(client, session))
        history = chain[:-1]
        if all(message.role is Role.SYSTEM for message in messages[:-1]):
            return None
        for known in reversed(history):
            if known in self._recent:
                return self._recent[known]
        return self._stored(lambda: self._trajectories.position(history))

    def _stored(self, read: Callable[[], Position | None]) -> Position | None:
        """A store that cannot be read costs the thread of the conversation, never the reply."""
        try:
            found = read()
        except StoreError as error:
            if not self._store_failing:
                log.error("conversations cannot be found again: %s", error)
            self._store_failing = True
            return None
        if self._store_failing:
            log.warning("conversations are found again")
        self._store_failing = False
        return found

    async def _facts_in_time(
        self, facts: Callable[[], ModelFacts | Awaitable[ModelFacts]]
    ) -> ModelFacts | None:
        known = facts()
        if isinstance(known, ModelFacts):
            return known
        try:
            return await asyncio.wait_for(known, self._facts_within_s)
        except (TimeoutError, LullError):
            return None

    # What is learned from the answer's own numbers

    def _note(self, serving: Serving, completion: Completion) -> str:
        request = serving.request
        digest = serving.stamp.policy.model
        rate = self._rates.get(digest, TokenRate())
        added = serving.injection.system + serving.injection.model_system
        added += "".join(text for _, text in serving.injection.suffixes)
        counted = completion.usage.prompt_tokens
        window = serving.window_tokens
        parts = [part for message in request.messages for part in message.parts]
        why = "" if serving.stamp.skills else serving.selection.why
        if any(part.kind is PartKind.IMAGE for part in parts):
            return why  # what an image counts is the model's own affair
        characters = sum(len(part.text) for part in parts) + len(added)
        expected = rate.prompt(request.messages, request.tools) + rate.text(added)
        if was_cut(
            expected_tokens=expected,
            fewest_tokens=rate.fewest(characters),
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
            _remember(self._rates, digest, updated, most=MODELS)
        return why

    def _count_uses(self, serving: Serving) -> None:
        if not serving.joined:
            return
        asker = _client(serving).identity
        counts = self._uses.setdefault(asker, {})
        for key in serving.joined:
            counts[key] = counts.get(key, 0) + 1
        self._skills.used(serving.joined, by=asker, at=serving.stamp.at)


def _remember(into: OrderedDict[str, T], key: str, value: T, *, most: int) -> None:
    into[key] = value
    into.move_to_end(key)
    while len(into) > most:
        into.popitem(last=False)


def _client(serving: Serving) -> Client:
    return Client(name=serving.stamp.client, apart=serving.stamp.apart)


def _session_key(who: str, session: str) -> str:
    return f"session\0{who}\0{session}" if session else ""


def without_skills(serving: Serving, why: str) -> Serving:
    """The same turn when the injection could not be written into the body: recorded as it went."""
    return replace(
        serving,
        stamp=replace(serving.stamp, skills=()),
        injection=Injection(system=""),
        selection=Selection(why=why),
        suffixes=(),
        joined=(),
    )
