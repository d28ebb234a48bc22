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

from lull.core.chain import link, links
from lull.core.errors import LullError
from lull.core.injection import Injection, block
from lull.core.messages import ChatRequest, Completion, Message, Role
from lull.core.policy import Client, ModelFacts
from lull.core.ports import Clock, Ids, SkillIndex
from lull.core.retrieval import RetrievalRule, choose, ranked
from lull.core.skill import Library, Skill, SkillKey
from lull.core.trajectory import PolicyVersion, Selection, Suffix, Turn, TurnStamp
from lull.core.window import DEFAULT_WINDOW, TokenRate, reply_reserve, was_cut
from lull.store.skills import Skills, injected
from lull.store.trajectories import Position, Trajectories

log = logging.getLogger(__name__)

RECENT = 4096
"""Tips that are known without the store: the next request may come before the commit."""


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
        self._rates: dict[str, TokenRate] = {}
        self._uses: dict[SkillKey, int] = skills.uses()

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
        began_s = self._clock.monotonic_s()
        library = self._library()
        chain = links(self._key, client.name, request.messages)
        position = self._position(client, session, request.messages, chain)
        model = await self._facts_in_time(facts)
        fixed = self._fix(request, client, library, position, model, injectable=injectable)
        selection, suffixes, seen = fixed
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
                generation=seen,
            ),
            skills=(*selection.skills, *(skill for s in suffixes for skill in s.skills)),
            template_sha256=model.template_sha256 if model else "",
            sampling=request.sampling,
            at=self._clock.now(),
        )
        return Serving(
            request=request,
            stamp=stamp,
            injection=_injection(request, selection, suffixes, model),
            selection=selection,
            suffixes=suffixes,
            links=tuple(chain),
            session=session,
            window_tokens=_window(request, model),
            began_s=began_s,
        )

    def close(self, serving: Serving, completion: Completion) -> None:
        """The answer ended, however it ended. Never waits, never fails the reply."""
        tip = serving.links[-1] if serving.links else ""
        answer_link = link(self._key, tip, completion.message)
        turn = Turn(
            stamp=serving.stamp,
            messages=serving.request.messages,
            links=serving.links,
            answer_link=answer_link,
            completion=completion,
            took_s=self._clock.monotonic_s() - serving.began_s,
            block=serving.selection.block,
            suffixes=serving.suffixes,
            note=self._note(serving, completion),
        )
        position = Position(
            trajectory=serving.stamp.trajectory,
            turns=serving.stamp.number,
            selection=serving.selection,
            suffixes=serving.suffixes,
            generation=serving.stamp.policy.generation,
        )
        for known in (answer_link, tip, _session_key(serving.stamp.client, serving.session)):
            if known:
                self._remember(known, position)
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
            return named or self._trajectories.session(client.name, session)
        history = chain[:-1]
        if all(message.role is Role.SYSTEM for message in messages[:-1]):
            return None
        for known in reversed(history):
            if known in self._recent:
                return self._recent[known]
        return self._trajectories.position(history)

    def _remember(self, known: str, position: Position) -> None:
        self._recent[known] = position
        self._recent.move_to_end(known)
        while len(self._recent) > RECENT:
            self._recent.popitem(last=False)

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
    ) -> tuple[Selection, tuple[Suffix, ...], int]:
        """The trajectory's skills, the suffixes, and the generation that they are true of."""
        if position is None:
            if not injectable or model is None:
                why = "the model's facts came too late" if injectable else "not a chat"
                # Generation -1: whatever is approved may still join as a suffix later.
                return Selection(why=why), (), library.generation if model else -1
            chosen, why = self._choose(request, client, library, model, since=None, known=set())
            names = tuple(injected(skill) for skill in chosen)
            text = block([skill.body for skill in chosen])
            return Selection(skills=names, block=text, why=why), (), library.generation
        kept = tuple(s for s in position.suffixes if s.message < len(request.messages))
        if library.generation == position.generation or model is None or not injectable:
            return position.selection, kept, position.generation
        known = {s.sha256 for s in position.selection.skills}
        known |= {s.sha256 for suffix in kept for s in suffix.skills}
        since = position.generation
        chosen, _ = self._choose(request, client, library, model, since=since, known=known)
        newest = len(request.messages) - 1
        if chosen and request.messages[newest].role is Role.USER:
            text = block([skill.body for skill in chosen])
            skills = tuple(injected(skill) for skill in chosen)
            kept = (*kept, Suffix(message=newest, text=text, skills=skills))
        return position.selection, kept, library.generation

    def _choose(
        self,
        request: ChatRequest,
        client: Client,
        library: Library,
        model: ModelFacts,
        *,
        since: int | None,
        known: set[str],
    ) -> tuple[tuple[Skill, ...], str]:
        active = {skill.key: skill for skill in library.active_for(client.name, apart=client.apart)}
        if since is not None:
            active = {k: s for k, s in active.items() if s.since > since and s.sha256 not in known}
        if not active:
            return (), "no skill is active"
        asked = request.newest_user_text
        order = ranked(
            lexical=self._index.lexical(asked, client=client),
            exemplars=self._index.exemplars(asked, client=client),
            uses=self._uses,
            rule=self.rule,
        )
        rate = self._rates.get(model.digest, TokenRate())
        window = _window(request, model)
        choice = choose(
            pinned=[skill for skill in active.values() if skill.pinned],
            retrieved=[active[k] for k in order if k in active and not active[k].pinned],
            window_tokens=window,
            prompt_tokens=rate.prompt(request.messages, request.tools) + rate.text(model.system),
            reply_tokens=reply_reserve(window, request.sampling.max_tokens),
            tokens_of=rate.text,
            rule=self.rule,
        )
        return choice.skills, choice.why

    # What is learned from the answer's own numbers

    def _note(self, serving: Serving, completion: Completion) -> str:
        digest = serving.stamp.policy.model
        rate = self._rates.get(digest, TokenRate())
        added = serving.injection.system + "".join(text for _, text in serving.injection.suffixes)
        expected = rate.prompt(serving.request.messages, serving.request.tools) + rate.text(added)
        counted = completion.usage.prompt_tokens
        window = serving.window_tokens
        if was_cut(expected_tokens=expected, counted_tokens=counted, window_tokens=window):
            log.info("the upstream cut a prompt: about %d tokens, %s counted", expected, counted)
            return (
                f"The upstream cut this prompt: about {expected} tokens were sent,"
                f" {counted} were read (the window has {window})."
            )
        if counted and not serving.request.tools:
            characters = sum(len(p.text) for m in serving.request.messages for p in m.parts)
            self._rates[digest] = rate.updated(characters=characters + len(added), tokens=counted)
        return "" if serving.stamp.skills else serving.selection.why

    def _count_uses(self, serving: Serving) -> None:
        if serving.stamp.number != 1 or not serving.stamp.skills:
            return
        library = self._library()
        client = serving.stamp.client
        used = []
        for skill in serving.stamp.skills:
            own = SkillKey(client, skill.name)
            used.append(own if own in library.skills else SkillKey("", skill.name))
        for key in used:
            self._uses[key] = self._uses.get(key, 0) + 1
        self._skills.used(used, at=serving.stamp.at)


def _window(request: ChatRequest, model: ModelFacts | None) -> int:
    return request.window_tokens or (model.window_tokens if model else None) or DEFAULT_WINDOW


def _injection(
    request: ChatRequest,
    selection: Selection,
    suffixes: Sequence[Suffix],
    model: ModelFacts | None,
) -> Injection:
    own = model.system if model and selection.block and request.system is None else ""
    return Injection(
        system=selection.block,
        model_system=own,
        suffixes=tuple((suffix.message, suffix.text) for suffix in suffixes),
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
    )
