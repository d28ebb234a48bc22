"""Chooses the skills (instruction texts) that go into a prompt; a conversation keeps its skills,
byte for byte.

The first turn fixes the block of skills: it stands in the system text, or in that turn's user
message if a measurement showed that the model obeys it better there. A skill approved later is
added to the newest user message. Text once added stays in its place in later turns. When the
context window fills up, skills are removed before history.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.context_window import reply_reserve
from lull.core.chat.messages import ChatRequest, Role
from lull.core.chat.trajectory import NOTHING_KNOWN, HoldoutAssignment, Selection, Suffix
from lull.core.proof.holdout import Toss
from lull.core.skills.ports import SkillIndex
from lull.core.skills.prompt_block import Placement, skills_block
from lull.core.skills.skill import Library, Skill
from lull.core.skills.skill_ranking import RetrievalRule
from lull.loops.chat.choose_skills import ChooseSkills, window_of
from lull.loops.chat.selected_skills import SelectedSkills
from lull.store.chat.trajectories import Position
from lull.store.skills.skills import injected


class SelectSkills:
    """Decides which skills (instruction texts) are in the prompt of a turn, and where they stand in
    it.
    """

    def __init__(self, choosing: ChooseSkills, *, places: Mapping[str, Placement]) -> None:
        """`places` says where skills are put in the prompts of models that were measured (by model
        digest); it changes while requests are served.
        """
        self._choosing = choosing
        self._places = places

    @property
    def rule(self) -> RetrievalRule:
        """The settings by which skills are chosen, such as the most of them in a prompt."""
        return self._choosing.rule

    @rule.setter
    def rule(self, rule: RetrievalRule) -> None:
        self._choosing.rule = rule

    def without_holdout(self, index: SkillIndex | None = None) -> SelectSkills:
        """Return a copy of this selector of skills that never leaves a skill out of a prompt at
        random; with `index` it searches that search index of skills instead of its own.
        """
        return SelectSkills(self._choosing.without_holdout(index), places=self._places)

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
        choice = self._choosing.choose(request, client, library, model)
        tosses = [
            (one, self._choosing.holdout.leaves_out(one, trajectory, client))
            for one in choice.skills
        ]
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
        return self._choosing.choose(request, client, library, model).skills

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
        news = library.generation != position.known or fixed.unlearned_by(model)
        if model is None or not model.reads_suffixes or not news:
            return fixed
        if not _asks(request):
            return fixed
        # Skills are looked up for the first time here: later only newer ones may join.
        known = library.generation if position.known == NOTHING_KNOWN else position.known
        choice = self._choosing.choose(request, client, library, model, carried=fixed)
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
        rate = self._choosing.token_rate(model, request)
        window = window_of(request, model)
        left_tokens = window - reply_reserve(window, request.sampling.max_tokens)
        left_tokens -= rate.request_tokens(request)
        while fixed.suffixes and fixed.tokens(rate) > left_tokens:
            fixed = replace(fixed, suffixes=fixed.suffixes[:-1])
        if fixed.selection.block and fixed.tokens(rate) > left_tokens:
            names = ", ".join(skill.name for skill in fixed.selection.skills)
            why = f"left out {names}: the window is nearly full"
            return replace(fixed, selection=Selection(why=why), why=why)
        return fixed


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


def _assignment(skill: Skill, toss: Toss) -> HoldoutAssignment:
    return HoldoutAssignment(
        client=skill.client,
        name=skill.name,
        sha256=skill.sha256,
        left_out=toss.left_out,
        share=toss.share,
    )
