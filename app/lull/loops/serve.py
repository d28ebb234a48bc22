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

from lull.core.chain import link, links, root
from lull.core.errors import LullError, StoreError
from lull.core.injection import Injection, block
from lull.core.messages import ChatRequest, Completion, Message, PartKind, Role
from lull.core.model_name import canonical
from lull.core.policy import Client, ModelFacts
from lull.core.ports import Clock, Ids, SkillIndex
from lull.core.retrieval import Choice, RetrievalRule, choose, ranked
from lull.core.skill import Library, Skill, SkillKey
from lull.core.trajectory import (
    NOTHING_KNOWN,
    PolicyVersion,
    Selection,
    Suffix,
    Turn,
    TurnStamp,
)
from lull.core.window import DEFAULT_WINDOW, TokenRate, reply_reserve, was_cut
from lull.store.skills import Skills, injected
from lull.store.trajectories import Position, Trajectories

log = logging.getLogger(__name__)
T = TypeVar("T")

RECENT = 4096
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fixed:
    """What stands in the prompt of this turn."""

    selection: Selection
    suffixes: tuple[Suffix, ...] = ()
    known: int = NOTHING_KNOWN
    joined: tuple[SkillKey, ...] = ()

    @property
    def shas(self) -> frozenset[str]:
        """Of every text that it carries."""
        suffixed = (skill.sha256 for suffix in self.suffixes for skill in suffix.skills)
        return frozenset((*(skill.sha256 for skill in self.selection.skills), *suffixed))


class Serve:
    def __init__(
        self,
        *,
        trajectories: Trajectories,
        skills: Skills,
        library: Callable[[], Library],
        index: SkillIndex,
        clock: Clock,
        ids: Ids,
        chain_key: bytes,
        rule: RetrievalRule,
        facts_within_s: float,
    ) -> None:
        self._trajectories = trajectories
        self._skills = skills
        self._library = library
        self._index = index
        self._clock = clock
        self._ids = ids
        self._key = chain_key
        self.rule = rule
        self._facts_within_s = facts_within_s
        self._recent: OrderedDict[str, Position] = OrderedDict()
        self._rates: OrderedDict[str, TokenRate] = OrderedDict()
        self._facts: OrderedDict[str, ModelFacts] = OrderedDict()
        self._uses = skills.uses_by_client()
        self._store_failing = False

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
        chain = links(self._key, client.name, request.messages)
        position = self._position(client, session, request.messages, chain)
        model = await self._facts_in_time(facts)
        name = canonical(request.model)
        if model is not None:
            _remember(self._facts, name, model, most=MODELS)
        # What a model is does not change while its facts are late; what answers is stamped only
        # when it is certain.
        likely = model or self._facts.get(name)
        fixed = self._fix(request, client, library, position, likely, injectable=injectable)
        stamp = TurnStamp(
            turn=self._ids.new("turn"),
            trajectory=position.trajectory if position else self._ids.new("conv"),
            number=position.turns + 1 if position else 1,
            client=client.name,
            route=route,
            model=request.model,
            policy=PolicyVersion(
                model=model.digest if model else request.model,
                adapter=model.adapter if model else None,
                generation=library.generation,
            ),
            skills=(
                *fixed.selection.skills,
                *(skill for suffix in fixed.suffixes for skill in suffix.skills),
            ),
            template_sha256=model.template_sha256 if model else "",
            sampling=request.sampling,
            at=self._clock.now(),
        )
        return Serving(
            request=request,
            stamp=stamp,
            injection=_injection(request, fixed),
            selection=fixed.selection,
            suffixes=fixed.suffixes,
            links=tuple(chain),
            session=session,
            window_tokens=_window(request, likely),
            began_s=began_s,
            known=fixed.known,
            joined=fixed.joined,
        )

    def close(self, serving: Serving, completion: Completion) -> None:
        """The answer ended, however it ended. Never waits, never fails the reply."""
        tip = serving.links[-1] if serving.links else ""
        behind = tip or root(self._key, serving.stamp.client)
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
            note=self._note(serving, completion),
        )
        position = Position(
            trajectory=serving.stamp.trajectory,
            turns=serving.stamp.number,
            selection=serving.selection,
            suffixes=serving.suffixes,
            known=serving.known,
        )
        for known in (answer_link, tip, _session_key(serving.stamp.client, serving.session)):
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
            named = self._recent.get(_session_key(client.name, session))
            return named or self._stored(lambda: self._trajectories.session(client.name, session))
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

    # Which skills go in

    def _fix(
        self,
        request: ChatRequest,
        client: Client,
        library: Library,
        position: Position | None,
        model: ModelFacts | None,
        *,
        injectable: bool,
    ) -> _Fixed:
        """The trajectory's skills and suffixes, and the generation that they are true of."""
        if position is not None:
            return self._go_on(request, client, library, position, model, injectable=injectable)
        if not injectable or model is None:
            # Nothing was looked up, so whatever is approved may still join as a suffix later.
            why = "the model's facts came too late" if injectable else "not a chat"
            return _Fixed(selection=Selection(why=why))
        choice = self._choose(request, client, library, model)
        selection = Selection(
            skills=tuple(injected(skill) for skill in choice.skills),
            block=block([skill.body for skill in choice.skills]),
            why=choice.why,
            model_system=model.system if choice.skills and request.system is None else "",
        )
        joined = tuple(skill.key for skill in choice.skills)
        return _Fixed(selection=selection, known=library.generation, joined=joined)

    def _go_on(
        self,
        request: ChatRequest,
        client: Client,
        library: Library,
        position: Position,
        model: ModelFacts | None,
        *,
        injectable: bool,
    ) -> _Fixed:
        """What the trajectory carries, and a skill approved meanwhile with the newest message."""
        messages = request.messages
        kept = tuple(
            suffix
            for suffix in position.suffixes
            if suffix.message < len(messages) and messages[suffix.message].role is Role.USER
        )
        selection = position.selection
        if model is not None and selection.block and request.system is None:
            # The same bytes as on the first turn, unless the client has changed the model.
            selection = replace(selection, model_system=model.system)
        fixed = _Fixed(selection=selection, suffixes=kept, known=position.known)
        if not injectable:
            return fixed
        fixed = self._within_window(request, model, fixed)
        news = library.generation != position.known
        if model is None or not news or not messages or messages[-1].role is not Role.USER:
            return fixed
        # Skills looked up for the first time: from now on only what is newer may join.
        known = library.generation if position.known == NOTHING_KNOWN else position.known
        chosen = self._choose(request, client, library, model, carried=fixed).skills
        if chosen:
            text = block([skill.body for skill in chosen])
            skills = tuple(injected(skill) for skill in chosen)
            new = Suffix(message=len(messages) - 1, text=text, skills=skills)
            fixed = replace(fixed, suffixes=(*fixed.suffixes, new))
        return replace(fixed, known=known, joined=tuple(skill.key for skill in chosen))

    def _within_window(
        self, request: ChatRequest, model: ModelFacts | None, fixed: _Fixed
    ) -> _Fixed:
        """Without the skills that the history has no room for any more: newest suffix first, so
        that most of the prefix stays, the block last."""
        rate = self._rate(model, request)
        window = _window(request, model)
        room = window - reply_reserve(window, request.sampling.max_tokens)
        room -= rate.prompt(request.messages, request.tools)
        while fixed.suffixes and _carried_tokens(fixed, rate) > room:
            fixed = replace(fixed, suffixes=fixed.suffixes[:-1])
        if fixed.selection.block and _carried_tokens(fixed, rate) > room:
            names = ", ".join(skill.name for skill in fixed.selection.skills)
            why = f"left out {names}: the window is nearly full"
            return replace(fixed, selection=Selection(why=why))
        return fixed

    def _choose(
        self,
        request: ChatRequest,
        client: Client,
        library: Library,
        model: ModelFacts,
        *,
        carried: _Fixed | None = None,
    ) -> Choice:
        """The skills for a first turn, or those that may join what the trajectory carries."""
        room = library.room(client.name, apart=client.apart)
        if not room.skills:
            return Choice(skills=(), why="no skill is active")
        there = carried.shas if carried else frozenset()
        since = carried.known if carried else NOTHING_KNOWN

        def joins(skill: Skill) -> bool:
            return skill.since > since and skill.sha256 not in there

        asked = request.newest_user_text
        order = ranked(
            lexical=self._index.lexical(asked, client=client),
            exemplars=self._index.exemplars(asked, client=client),
            uses=self._uses.get(client.name, {}),
            rule=self.rule,
        )
        rate = self._rate(model, request)
        window = _window(request, model)
        return choose(
            pinned=[skill for skill in room.pinned if joins(skill)],
            retrieved=[s for k in order if (s := room.skills.get(k)) and joins(s) and not s.pinned],
            window_tokens=window,
            prompt_tokens=rate.prompt(request.messages, request.tools) + rate.text(model.system),
            reply_tokens=reply_reserve(window, request.sampling.max_tokens),
            tokens_of=rate.text,
            rule=self.rule,
            spent_tokens=_carried_tokens(carried, rate) if carried else 0,
        )

    def _rate(self, model: ModelFacts | None, request: ChatRequest) -> TokenRate:
        return self._rates.get(model.digest if model else request.model, TokenRate())

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
        client = serving.stamp.client
        counts = self._uses.setdefault(client, {})
        for key in serving.joined:
            counts[key] = counts.get(key, 0) + 1
        self._skills.used(serving.joined, by=client, at=serving.stamp.at)


def _remember(into: OrderedDict[str, T], key: str, value: T, *, most: int) -> None:
    into[key] = value
    into.move_to_end(key)
    while len(into) > most:
        into.popitem(last=False)


def _carried_tokens(fixed: _Fixed, rate: TokenRate) -> int:
    """What the skills and the model's own SYSTEM text put before them take of the window."""
    texts = [fixed.selection.block, fixed.selection.model_system]
    texts += [suffix.text for suffix in fixed.suffixes]
    return sum(rate.text(text) for text in texts if text)


def _window(request: ChatRequest, model: ModelFacts | None) -> int:
    return request.window_tokens or (model.window_tokens if model else None) or DEFAULT_WINDOW


def _injection(request: ChatRequest, fixed: _Fixed) -> Injection:
    own = fixed.selection.model_system if request.system is None else ""
    return Injection(
        system=fixed.selection.block,
        model_system=own,
        suffixes=tuple((suffix.message, suffix.text) for suffix in fixed.suffixes),
    )


def _session_key(client: str, session: str) -> str:
    return f"session\0{client}\0{session}" if session else ""


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
