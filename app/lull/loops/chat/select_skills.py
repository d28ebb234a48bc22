"""Chooses the skills (instruction texts) that go into a prompt; a conversation keeps its skills,
byte for byte.

The first turn fixes the block of skills: it stands in the system text, or in that turn's user
message if a measurement showed that the model obeys it better there. A skill approved later is
added to the newest user message. Text once added stays in its place in later turns. When the
context window fills up, skills are removed before history.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from lull.core.adapters.adapter import decides_adapter
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.context_window import DEFAULT_WINDOW, TokenRate, reply_reserve
from lull.core.chat.messages import ChatRequest, Role
from lull.core.chat.trajectory import NOTHING_KNOWN, HoldoutAssignment, Selection, Suffix
from lull.core.proof.holdout import Toss
from lull.core.skills.ports import SkillIndex
from lull.core.skills.prompt_block import Injection, Placement, skills_block
from lull.core.skills.skill import Library, Skill, SkillKey
from lull.core.skills.skill_ranking import RetrievalRule, SkillChoice, choose, ranked
from lull.store.chat.trajectories import Position
from lull.store.skills.skills import injected


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedSkills:
    """The skills (instruction texts) chosen for the prompt of one turn."""

    selection: Selection
    suffixes: tuple[Suffix, ...] = ()
    known: int = NOTHING_KNOWN
    """Generation (version number) of the skill library in which the skills were looked up."""
    joined: tuple[SkillKey, ...] = ()
    """Skills that were first added to the conversation's prompt with this turn."""
    why: str = ""
    """Why this turn's prompt has no skills; "" if it has some, or if nothing is known of it because
    the library has changed since skills were last looked up.
    """

    @property
    def shas(self) -> frozenset[str]:
        """The sha256 of every skill (an instruction text) in the prompt."""
        suffixed = (skill.sha256 for suffix in self.suffixes for skill in suffix.skills)
        return frozenset((*(skill.sha256 for skill in self.selection.skills), *suffixed))

    def without_skills(self, why: str) -> SelectedSkills:
        """Return a copy of this selection without skills, for a turn into whose request body they
        could not be written; `why` is the reason.

        The copy still says which skills were trained into the adapter, and by which draw the
        adapter was chosen.
        """
        was = self.selection
        assignments = tuple(one for one in was.assignments if decides_adapter(one))
        selection = Selection(why=why, assignments=assignments, learned=was.learned)
        return SelectedSkills(selection=selection, known=self.known, why=why)


CANDIDATES_PER_PLACE = 2
"""How many skills are considered for each skill that may go into a prompt."""


class SkillHoldout(Protocol):
    """Interface to the measured effects of skills (instruction texts): which skills to leave out at
    random, which to prefer, and by how much each one helps.
    """

    def leaves_out(self, skill: Skill, trajectory: str, client: Client) -> Toss | None:
        """Flip a coin whether to leave a skill out of a conversation's prompt, so that its effect
        can be measured; return the coin flip's result.

        None for a skill that is not measured this way.
        """

    def prefers(self, skills: Sequence[Skill], at_most: int, asked: str) -> Sequence[Skill]:
        """Choose at most `at_most` skills for the prompt of the request `asked` out of these, which
        are all relevant to it, the most relevant first. Past effects may decide which go in, beside
        the most relevant one.
        """

    def effect(self, skill: Skill) -> float:
        """Return the estimated difference that the skill makes to the mean reward (0 to 1) of
        answers; 0 where none is known.
        """


class NoHoldout:
    """A SkillHoldout without measurements: it leaves no skill out at random, prefers the most
    relevant skills and knows no effects. Implements `SkillHoldout`.
    """

    def leaves_out(self, _: Skill, __: str, ___: Client) -> Toss | None:
        return None

    def prefers(self, skills: Sequence[Skill], at_most: int, _: str) -> Sequence[Skill]:
        return skills[:at_most]

    def effect(self, _: Skill) -> float:
        return 0.0


class _AllIn:
    """SkillHoldout that leaves no skill out at random, and else says what another one says."""

    def __init__(self, holdout: SkillHoldout) -> None:
        self.prefers = holdout.prefers
        self.effect = holdout.effect

    def leaves_out(self, _: Skill, __: str, ___: Client) -> Toss | None:
        return None


class SelectSkills:
    """Chooses the skills (instruction texts) for a prompt, by relevance, past use and free space in
    the context window.
    """

    def __init__(
        self,
        index: SkillIndex,
        rule: RetrievalRule,
        *,
        rates: Mapping[str, TokenRate],
        uses: Mapping[str, Mapping[SkillKey, int]],
        holdout: SkillHoldout,
        places: Mapping[str, Placement],
    ) -> None:
        """`rates` holds each model's tokens per character (by model digest), `uses` how often each
        client used each skill, and `places` where skills are put in the prompts of models that were
        measured (by model digest); all three change while requests are served.
        """
        self.rule = rule
        self._places = places
        self._index = index
        self._rates = rates
        self._uses = uses
        self._holdout = holdout

    def without_holdout(self, index: SkillIndex | None = None) -> SelectSkills:
        """Return a copy of this selector of skills that never leaves a skill out of a prompt at
        random; with `index` it searches that search index of skills instead of its own.
        """
        holdout = _AllIn(self._holdout)
        return SelectSkills(
            index or self._index,
            self.rule,
            rates=self._rates,
            uses=self._uses,
            holdout=holdout,
            places=self._places,
        )

    def determine_skills(
        self,
        request: ChatRequest,
        client: Client,
        library: Library,
        position: Position | None,
        model: ModelFacts | None,
        *,
        trajectory: str,
        injectable: bool,
    ) -> SelectedSkills:
        """Determine which skills are in the prompt of a turn: chosen anew on a conversation's first
        turn (`position` is None), kept on later turns, where newly approved ones may be added.
        """
        if position is not None:
            return self._go_on(request, client, library, position, model, injectable=injectable)
        if not injectable or model is None:
            # Nothing was looked up, so whatever is approved may still join as a suffix later.
            why = "the model's details came too late" if injectable else "not a chat"
            return SelectedSkills(selection=Selection(why=why), why=why)
        choice = self._choose(request, client, library, model)
        tosses = [(one, self._holdout.leaves_out(one, trajectory, client)) for one in choice.skills]
        kept = [skill for skill, toss in tosses if toss is None or not toss.left_out]
        suffixes: tuple[Suffix, ...] = ()
        in_block = kept
        if kept and self.place(model) is not Placement.SYSTEM and _asks(request):
            suffixes, in_block = (self._beside(request, model, kept),), []
        selection = Selection(
            skills=tuple(injected(skill) for skill in in_block),
            block=skills_block([skill.body for skill in in_block]),
            why=choice.why if kept or choice.why else "left out by chance, to measure what it does",
            model_system=model.system if in_block and request.system is None else "",
            assignments=tuple(
                _assignment(skill, toss) for skill, toss in tosses if toss is not None
            ),
            learned=tuple(sorted(model.learned)),
        )
        joined = tuple(skill.key for skill in kept)
        return SelectedSkills(
            selection=selection,
            suffixes=suffixes,
            known=library.generation,
            joined=joined,
            why=selection.why,
        )

    def place(self, model: ModelFacts) -> Placement:
        """Return where in this model's prompts skills are put: the place where a measurement showed
        that the model obeys them best, or the system text if it was not measured.
        """
        return place_of(model, self._places)

    def _beside(self, request: ChatRequest, model: ModelFacts, skills: Sequence[Skill]) -> Suffix:
        """These skills as a part of the newest user message."""
        return Suffix(
            message=len(request.messages) - 1,
            text=skills_block([skill.body for skill in skills]),
            skills=tuple(injected(skill) for skill in skills),
            head=self.place(model) is Placement.HEAD,
        )

    def skills_for_new_chat(
        self, request: ChatRequest, client: Client, library: Library, model: ModelFacts
    ) -> tuple[Skill, ...]:
        """Return the skills (instruction texts) that a new conversation starting with this request
        would get.
        """
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
    ) -> SelectedSkills:
        """Keep the trajectory's skills, and add skills approved since to the newest message."""
        messages = request.messages
        kept = tuple(
            suffix
            for suffix in position.suffixes
            if suffix.message < len(messages) and messages[suffix.message].role is Role.USER
        )
        selection = position.selection
        if model is not None and selection.block and request.system is None:
            # The same bytes as on the first turn, unless the client changed the model.
            selection = replace(selection, model_system=model.system)
        why = selection.why if library.generation == position.known else ""
        fixed = SelectedSkills(selection=selection, suffixes=kept, known=position.known, why=why)
        if not injectable:
            return fixed
        fixed = self._within_window(request, model, fixed)
        news = library.generation != position.known or _back(fixed, model)
        if model is None or not model.reads_suffixes or not news:
            return fixed
        if not _asks(request):
            return fixed
        # Skills are looked up for the first time here: later only newer ones may join.
        known = library.generation if position.known == NOTHING_KNOWN else position.known
        choice = self._choose(request, client, library, model, carried=fixed)
        chosen = choice.skills
        fixed = replace(fixed, why=choice.why)
        if chosen:
            new = self._beside(request, model, chosen)
            fixed = replace(fixed, suffixes=(*fixed.suffixes, new))
        return replace(fixed, known=known, joined=tuple(skill.key for skill in chosen))

    def _within_window(
        self, request: ChatRequest, model: ModelFacts | None, fixed: SelectedSkills
    ) -> SelectedSkills:
        """Remove skills that no longer fit beside the history.

        The newest suffix goes first, so that most of the prompt's prefix stays; the block goes
        last.
        """
        rate = self.token_rate(model, request)
        window = window_of(request, model)
        left_tokens = window - reply_reserve(window, request.sampling.max_tokens)
        left_tokens -= rate.request_tokens(request)
        while fixed.suffixes and _carried_tokens(fixed, rate) > left_tokens:
            fixed = replace(fixed, suffixes=fixed.suffixes[:-1])
        if fixed.selection.block and _carried_tokens(fixed, rate) > left_tokens:
            names = ", ".join(skill.name for skill in fixed.selection.skills)
            why = f"left out {names}: the window is nearly full"
            return replace(fixed, selection=Selection(why=why), why=why)
        return fixed

    def _choose(
        self,
        request: ChatRequest,
        client: Client,
        library: Library,
        model: ModelFacts,
        *,
        carried: SelectedSkills | None = None,
    ) -> SkillChoice:
        """Choose skills for a first turn, or those that may join a running trajectory."""
        own = library.skills_for(client.name, isolated=client.apart)
        if not own.skills:
            return SkillChoice(skills=(), why="no skill is active")
        there = (carried.shas if carried else frozenset()) | model.learned
        back = _back(carried, model)
        since = carried.known if carried else NOTHING_KNOWN

        def joins(skill: Skill) -> bool:
            return (skill.since > since or skill.sha256 in back) and skill.sha256 not in there

        asked = request.newest_user_text
        words = self._index.lexical(asked, client=client, least=self.rule.lexical_floor)
        order = ranked(
            lexical=words,
            exemplars=self._index.exemplars(
                asked, client=client, least=self.rule.exemplar_floor, also=words
            ),
            kinds=self._index.kinds(asked, client=client, least=self.rule.kinds_floor),
            uses=self._uses.get(client.identity, {}),
            rule=self.rule,
        )
        general = [skill for skill in own.general if joins(skill)]
        lines = {skill.key: skill for skill in general}
        others = (s for k in order if k not in lines and (s := own.skills.get(k)))
        fits = (skill for skill in others if not skill.pinned and joins(skill))
        fitting = list(islice(fits, CANDIDATES_PER_PLACE * self.rule.at_most))
        if len(fitting) > self.rule.at_most:
            fitting = list(self._holdout.prefers(fitting, self.rule.at_most, asked))
        rate = self.token_rate(model, request)
        window = window_of(request, model)
        return choose(
            pinned=[skill for skill in own.pinned if joins(skill)],
            general=self._sheet(general),
            retrieved=[*fitting, *(lines[key] for key in order if key in lines)],
            window_tokens=window,
            prompt_tokens=rate.request_tokens(request) + rate.text_tokens(model.system),
            reply_tokens=reply_reserve(window, request.sampling.max_tokens),
            tokens_of=rate.text_tokens,
            rule=self.rule,
            spent_tokens=_carried_tokens(carried, rate) if carried else 0,
        )

    def _sheet(self, skills: Sequence[Skill]) -> Sequence[Skill]:
        """Sort the skills for every request by estimated effect, then by age."""
        return sorted(skills, key=lambda one: (-self._holdout.effect(one), one.since, one.name))

    def token_rate(self, model: ModelFacts | None, request: ChatRequest) -> TokenRate:
        """Return a model's average number of tokens per character of text: the measured rate, or a
        default.
        """
        return self._rates.get(model.digest if model else request.model, TokenRate())


def place_of(model: ModelFacts, places: Mapping[str, Placement]) -> Placement:
    """Return where skills are put in a model's prompts, looked up by its digest in the measured
    results.
    """
    if not model.reads_suffixes:
        return Placement.SYSTEM
    return places.get(model.digest, Placement.SYSTEM)


def _asks(request: ChatRequest) -> bool:
    """Whether the newest message is the user's, so that skills can be added to it."""
    return bool(request.messages) and request.messages[-1].role is Role.USER


def _back(carried: SelectedSkills | None, model: ModelFacts | None) -> frozenset[str]:
    """Skills learned by the adapter that began the trajectory but not by the current one.

    They join the prompt at once.
    """
    if carried is None or model is None or not carried.selection.learned:
        return frozenset()
    return frozenset(carried.selection.learned) - model.learned


def _carried_tokens(fixed: SelectedSkills, rate: TokenRate) -> int:
    """Return the tokens taken by the prompt's skills and by the model's own SYSTEM text before
    these.
    """
    texts = [fixed.selection.block, fixed.selection.model_system]
    texts += [suffix.text for suffix in fixed.suffixes]
    return sum(rate.text_tokens(text) for text in texts if text)


def _assignment(skill: Skill, toss: Toss) -> HoldoutAssignment:
    return HoldoutAssignment(
        client=skill.client,
        name=skill.name,
        sha256=skill.sha256,
        left_out=toss.left_out,
        share=toss.share,
    )


def window_of(request: ChatRequest, model: ModelFacts | None) -> int:
    """Return the context window that applies to a request, in tokens.

    It is the one the client asked for, up to the model's longest, or else the model's default.
    """
    if request.window_tokens:
        longest = model.longest_tokens if model else None
        return min(request.window_tokens, longest or request.window_tokens)
    return (model.window_tokens if model else None) or DEFAULT_WINDOW


def injection(request: ChatRequest, fixed: SelectedSkills) -> Injection:
    """Return the texts to add to a request for its chosen skills: a block for the system prompt,
    and texts to put before and after the text of user messages.
    """
    own = fixed.selection.model_system if request.system is None else ""
    return Injection(
        system=fixed.selection.block,
        model_system=own,
        suffixes=tuple((one.message, one.text) for one in fixed.suffixes if not one.head),
        prefixes=tuple((one.message, one.text) for one in fixed.suffixes if one.head),
    )
