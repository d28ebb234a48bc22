"""Which skills stand in the prompt of a turn, decided on its first turn and kept byte for byte.

A trajectory keeps its block for life; a skill approved meanwhile joins with the newest message and
stays there. When the history has no room for them any more, skills go first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from lull.core.guard import Toss
from lull.core.injection import Injection, block
from lull.core.messages import ChatRequest, Role
from lull.core.policy import Client, ModelFacts
from lull.core.ports import SkillIndex
from lull.core.retrieval import Choice, RetrievalRule, choose, ranked
from lull.core.skill import Library, Skill, SkillKey
from lull.core.trajectory import NOTHING_KNOWN, CoinFlip, Selection, Suffix
from lull.core.window import DEFAULT_WINDOW, TokenRate, reply_reserve
from lull.store.skills import injected
from lull.store.trajectories import Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
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


LeavesOut = Callable[[Skill, str, Client], Toss | None]
"""(skill, trajectory, client) → the toss of its coin; None for a skill that is not measured."""


def leaves_nothing_out(_: Skill, __: str, ___: Client) -> Toss | None:
    return None


NEAR = 2
"""So many times as many skills as may go in are looked at when one is preferred to another."""
Prefers = Callable[[Sequence[Skill], int, str], Sequence[Skill]]
"""(skills that fit, best first; how many may go in; the request) → those that do."""


def first_ones(skills: Sequence[Skill], at_most: int, _: str) -> Sequence[Skill]:
    return skills[:at_most]


Effects = Callable[[Skill], float]
"""What a skill has shown to do, in reward."""


def no_effects(_: Skill) -> float:
    return 0.0


class Index(SkillIndex, Protocol):
    """One that need not put in order what is below the floor anyway."""

    def lexical(self, text: str, *, client: Client, least: float = 0.0) -> dict[SkillKey, float]:
        """No score below `least`."""

    def exemplars(self, text: str, *, client: Client, least: float = -1.0) -> dict[SkillKey, float]:
        """No skill whose nearest request is less near than `least`."""

    def kinds(self, text: str, *, client: Client, least: float = 0.0) -> dict[SkillKey, float]:
        """Rules for a kind of request that hold for this one at least so likely."""


class FixSkills:
    """What goes in, from what is active, what was counted and what was used before."""

    def __init__(
        self,
        index: Index,
        rule: RetrievalRule,
        *,
        rates: Mapping[str, TokenRate],
        uses: Mapping[str, Mapping[SkillKey, int]],
        leaving_out: LeavesOut = leaves_nothing_out,
        preferring: Prefers = first_ones,
        effect: Effects = no_effects,
    ) -> None:
        """`rates` by model digest and `uses` by asking client grow while requests are served.
        `leaving_out` says of each chosen skill whether this trajectory goes without it,
        `preferring` which go in where more fit than may, `effect` what each has shown to do."""
        self.rule = rule
        self._index = index
        self._rates = rates
        self._uses = uses
        self._leaving_out = leaving_out
        self._preferring = preferring
        self._effect = effect

    def fix(
        self,
        request: ChatRequest,
        client: Client,
        library: Library,
        position: Position | None,
        model: ModelFacts | None,
        *,
        trajectory: str,
        injectable: bool,
    ) -> Fixed:
        """The trajectory's skills and suffixes, and the generation that they are true of."""
        if position is not None:
            return self._go_on(request, client, library, position, model, injectable=injectable)
        if not injectable or model is None:
            # Nothing was looked up, so whatever is approved may still join as a suffix later.
            why = "the model's facts came too late" if injectable else "not a chat"
            return Fixed(selection=Selection(why=why))
        choice = self._choose(request, client, library, model)
        tosses = {skill: self._leaving_out(skill, trajectory, client) for skill in choice.skills}
        kept = [skill for skill, toss in tosses.items() if toss is None or not toss.left_out]
        selection = Selection(
            skills=tuple(injected(skill) for skill in kept),
            block=block([skill.body for skill in kept]),
            why=choice.why or ("" if kept else "left out by chance, to measure what it does"),
            model_system=model.system if kept and request.system is None else "",
            flips=tuple(_flip(skill, toss) for skill, toss in tosses.items() if toss is not None),
            learned=tuple(sorted(model.learned)),
        )
        joined = tuple(skill.key for skill in kept)
        return Fixed(selection=selection, known=library.generation, joined=joined)

    def chosen(
        self, request: ChatRequest, client: Client, library: Library, model: ModelFacts
    ) -> tuple[Skill, ...]:
        """What a new trajectory with this request would get."""
        return self._choose(request, client, library, model).skills

    def _go_on(
        self,
        request: ChatRequest,
        client: Client,
        library: Library,
        position: Position,
        model: ModelFacts | None,
        *,
        injectable: bool,
    ) -> Fixed:
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
        fixed = Fixed(selection=selection, suffixes=kept, known=position.known)
        if not injectable:
            return fixed
        fixed = self._within_window(request, model, fixed)
        news = library.generation != position.known or _back(fixed, model)
        if model is None or not model.reads_suffixes or not news:
            return fixed
        if not messages or messages[-1].role is not Role.USER:
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

    def _within_window(self, request: ChatRequest, model: ModelFacts | None, fixed: Fixed) -> Fixed:
        """Without the skills that the history has no room for any more: newest suffix first, so
        that most of the prefix stays, the block last."""
        rate = self.rate(model, request)
        window = window_of(request, model)
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
        carried: Fixed | None = None,
    ) -> Choice:
        """The skills for a first turn, or those that may join what the trajectory carries."""
        room = library.room(client.name, apart=client.apart)
        if not room.skills:
            return Choice(skills=(), why="no skill is active")
        there = (carried.shas if carried else frozenset()) | model.learned
        back = _back(carried, model)
        since = carried.known if carried else NOTHING_KNOWN

        def joins(skill: Skill) -> bool:
            return (skill.since > since or skill.sha256 in back) and skill.sha256 not in there

        asked = request.newest_user_text
        order = ranked(
            lexical=self._index.lexical(asked, client=client, least=self.rule.lexical_floor),
            exemplars=self._index.exemplars(asked, client=client, least=self.rule.exemplar_floor),
            kinds=self._index.kinds(asked, client=client, least=self.rule.kinds_floor),
            uses=self._uses.get(client.identity, {}),
            rule=self.rule,
        )
        general = [skill for skill in room.general if joins(skill)]
        lines = {skill.key: skill for skill in general}
        others = (s for k in order if k not in lines and (s := room.skills.get(k)))
        fits = (skill for skill in others if not skill.pinned and joins(skill))
        fitting = list(islice(fits, NEAR * self.rule.at_most))
        if len(fitting) > self.rule.at_most:
            fitting = list(self._preferring(fitting, self.rule.at_most, asked))
        rate = self.rate(model, request)
        window = window_of(request, model)
        return choose(
            pinned=[skill for skill in room.pinned if joins(skill)],
            general=self._sheet(general),
            retrieved=[*fitting, *(lines[key] for key in order if key in lines)],
            window_tokens=window,
            prompt_tokens=rate.prompt(request.messages, request.tools) + rate.text(model.system),
            reply_tokens=reply_reserve(window, request.sampling.max_tokens),
            tokens_of=rate.text,
            rule=self.rule,
            spent_tokens=_carried_tokens(carried, rate) if carried else 0,
        )

    def _sheet(self, skills: Sequence[Skill]) -> Sequence[Skill]:
        """In the order of proven effect, then of age."""
        return sorted(skills, key=lambda one: (-self._effect(one), one.since, one.name))

    def rate(self, model: ModelFacts | None, request: ChatRequest) -> TokenRate:
        return self._rates.get(model.digest if model else request.model, TokenRate())


def _back(carried: Fixed | None, model: ModelFacts | None) -> frozenset[str]:
    """Skills that an adapter had learned when the trajectory began, and the one that answers now
    has not: they join at once."""
    if carried is None or model is None or not carried.selection.learned:
        return frozenset()
    return frozenset(carried.selection.learned) - model.learned


def _carried_tokens(fixed: Fixed, rate: TokenRate) -> int:
    """What the skills and the model's own SYSTEM text put before them take of the window."""
    texts = [fixed.selection.block, fixed.selection.model_system]
    texts += [suffix.text for suffix in fixed.suffixes]
    return sum(rate.text(text) for text in texts if text)


def _flip(skill: Skill, toss: Toss) -> CoinFlip:
    return CoinFlip(
        client=skill.client,
        name=skill.name,
        sha256=skill.sha256,
        left_out=toss.left_out,
        share=toss.share,
    )


def window_of(request: ChatRequest, model: ModelFacts | None) -> int:
    """What the client asks for, as far as the model can have it; else what the model has."""
    if request.window_tokens:
        longest = model.longest_tokens if model else None
        return min(request.window_tokens, longest or request.window_tokens)
    return (model.window_tokens if model else None) or DEFAULT_WINDOW


def injection(request: ChatRequest, fixed: Fixed) -> Injection:
    own = fixed.selection.model_system if request.system is None else ""
    return Injection(
        system=fixed.selection.block,
        model_system=own,
        suffixes=tuple((suffix.message, suffix.text) for suffix in fixed.suffixes),
    )
