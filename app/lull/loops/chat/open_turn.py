"""Opens a turn when a chat request arrives through the proxy: finds the conversation that it
continues, and decides which adapter answers and which skills are put into its prompt.

What was decided is a `Serving`, with which the turn is recorded once its answer has ended. Nothing
here waits for learning, for a model or for a write: facts that do not arrive in time are left out,
and the request goes through. Only a conversation that is not in memory is first looked up in the
database.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace

from lull.core.adapters.adapter import (
    Arm,
    chosen_arm,
    trial_assignment,
    trial_toss,
)
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.context_window import TokenRate
from lull.core.chat.messages import ChatRequest
from lull.core.chat.trajectory import (
    HoldoutAssignment,
    PolicyVersion,
    TurnStamp,
)
from lull.core.ports import Clock, Ids
from lull.core.proof.holdout import hashed_coin
from lull.core.skills.ports import LibraryInUse, SkillIndex
from lull.core.skills.skill_ranking import RetrievalRule
from lull.loops.chat.choose_skills import ChooseSkills, NoHoldout, SkillHoldout, window_of
from lull.loops.chat.conversations import Conversations
from lull.loops.chat.known_models import KnownModels
from lull.loops.chat.record_turn import TurnRecorder
from lull.loops.chat.select_skills import SelectSkills
from lull.loops.chat.selected_skills import SelectedSkills
from lull.loops.chat.serving import Serving
from lull.store.chat.trajectories import Position, Trajectories
from lull.store.skills.skills import Skills


class TurnOpener:
    """Opens a turn for each chat request; its `recorder` records the turn at the end."""

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
        self._in_use = in_use
        self._clock = clock
        self._ids = ids
        self._conversations = Conversations(trajectories)
        self._models = models
        self._coin = hashed_coin(trajectories.key.hex())
        rates: OrderedDict[str, TokenRate] = OrderedDict()
        uses = OrderedDict(skills.uses_by_client())
        choosing = ChooseSkills(index, rule, rates=rates, uses=uses, holdout=holdout or NoHoldout())
        self._fixing = SelectSkills(choosing, places=models.places)
        self.recorder = TurnRecorder(
            trajectories,
            skills,
            clock,
            conversations=self._conversations,
            rates=rates,
            uses=uses,
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
    ) -> Serving:
        """Begin a chat request: find the conversation it continues and select its skills
        (instruction texts).

        If the store fails, the request starts a new conversation. With `on_trial` False no adapter
        on trial may answer.
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
        return Serving(
            request=request,
            stamp=stamp,
            skills=fixed,
            injection=fixed.injection(request),
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
