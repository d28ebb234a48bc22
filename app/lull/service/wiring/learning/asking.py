"""Opens the chat models that Lull itself asks: to read feedback, judge answers, write skills and
replay requests.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from lull.backends.chat.engine_chat import EngineChat
from lull.backends.chat.llm_judge import JudgePrompts, LlmJudge
from lull.backends.chat.openai_chat import OpenAIChat
from lull.backends.chat.skill_writer import ModelEvolver
from lull.backends.ollama.chat import OllamaChat
from lull.backends.reader.chat_reader import ChatReader
from lull.config.learning import JudgeSettings, ReaderSettings, WriterSettings
from lull.config.settings import Settings
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.messages import Sampling
from lull.core.chat.ports import ChatModel
from lull.core.errors import LullError
from lull.core.feedback.judge import Judge
from lull.core.feedback.ports import FeedbackReader
from lull.core.models.candidates import is_auto, is_off
from lull.core.models.exam import ModelRole
from lull.core.proof.proposal import ProposalOrigin
from lull.core.skills.prompt_block import Placement
from lull.loops.chat.select_skills import place_of
from lull.loops.proof.replay import ReplayTarget
from lull.loops.skills.evolve import SkillWriter
from lull.loops.skills.write_rules import RuleWriter
from lull.pocket.writer import PocketWriter
from lull.service.builtin.model import served_sampling
from lull.service.wiring.learning.checks import proposed_check
from lull.service.wiring.shared import SharedParts

log = logging.getLogger(__name__)

REPLAY_WITHIN_S = 600.0
"""Timeout in seconds of one replayed answer, long enough to load a large model first."""
_SETTINGS_OF = {
    ReaderSettings: "reader settings",
    JudgeSettings: "judge settings",
    WriterSettings: "skill writer settings",
}
"""Settings group (reader, judge or writer) → key of the problem that reports a bad address in it.
"""


def _nobody(_: ModelRole) -> str | None:
    return None


class AuxModels:
    """Opens the models that the current settings choose to read feedback, judge answers and write
    skills.
    """

    def __init__(
        self,
        world: SharedParts,
        settings: Callable[[], Settings],
        reader: FeedbackReader | None = None,
        admitted: Callable[[ModelRole], str | None] = _nobody,
    ) -> None:
        """The argument `reader` is Lull's own small model that reads users' messages for feedback.

        The function `admitted` returns the model that passed the exam of a role, such as judge.
        """
        self._world = world
        self._settings = settings
        self._small_reader = reader
        self._admitted = admitted
        self._reader: tuple[ReaderSettings, FeedbackReader] | None = None
        self._judge: tuple[JudgeSettings, Judge] | None = None
        self._writer: tuple[WriterSettings, ModelEvolver] | None = None
        self._coin = random.SystemRandom()
        self._opened: list[OllamaChat] = []

    async def close(self) -> None:
        for chat in self._opened:
            await chat.close()

    def named(self, role: ModelRole) -> str:
        """Return the name of the model that has this role (feedback reader, judge or skill writer)
        now; "" if none has.
        """
        settings = self._settings()
        wanted = {
            ModelRole.READER: (settings.reader.model, ""),
            ModelRole.JUDGE: (settings.judge.model, settings.judge.address),
            ModelRole.WRITER: (settings.writer.model, settings.writer.address),
        }
        model, address = wanted[role]
        if is_off(model):
            return ""
        if not is_auto(model):
            return model
        # A model at its own address is never examined.
        return "" if address else self._admitted(role) or ""

    def reader(self) -> FeedbackReader | None:
        """Return the chat model that the settings choose to read feedback, else Lull's own small
        model.
        """
        wanted = replace(self._settings().reader, model=self.named(ModelRole.READER))
        if not wanted.model:
            self._world.problems.clear(_SETTINGS_OF[ReaderSettings])
            return self._small_reader
        if self._reader is None or self._reader[0] != wanted:
            chat = self._chat(wanted)
            if chat is None:
                return self._small_reader
            self._reader = (wanted, ChatReader(chat, coin=self._coin))
        return self._reader[1]

    def judge(self) -> Judge | None:
        """Return the judge (the model that scores answers) that the current settings name; None if
        there is none.
        """
        wanted = replace(self._settings().judge, model=self.named(ModelRole.JUDGE))
        if not wanted.model:
            self._world.problems.clear(_SETTINGS_OF[JudgeSettings])
            return None
        if self._judge is None or self._judge[0] != wanted:
            chat = self._chat(wanted)
            if chat is None:
                return None
            judge = LlmJudge(
                chat,
                coin=self._coin,
                prompts=JudgePrompts.shipped(),
                votes=wanted.votes,
                temperature=wanted.temperature,
            )
            self._judge = (wanted, judge)
        return self._judge[1]

    def writers(self) -> Sequence[SkillWriter]:
        """Return the writers of candidate skills in the order in which they are asked.

        Those that use the user's own words come first: they are most trusted, and need no model.
        """
        own = (PocketWriter(), RuleWriter(proposed_check))
        writers = [SkillWriter(evolver=one, origin=ProposalOrigin.EXTRACTIVE) for one in own]
        wanted = replace(self._settings().writer, model=self.named(ModelRole.WRITER))
        if not wanted.model:
            self._world.problems.clear(_SETTINGS_OF[WriterSettings])
            return writers
        if self._writer is None or self._writer[0] != wanted:
            chat = self._chat(wanted)
            if chat is None:
                return writers
            self._writer = (wanted, ModelEvolver(chat, coin=self._coin))
        return [*writers, SkillWriter(evolver=self._writer[1], origin=ProposalOrigin.MODEL)]

    def _chat(self, wanted: ReaderSettings | JudgeSettings | WriterSettings) -> ChatModel | None:
        """The chat model for these settings; None, and a problem, if its address is not allowed."""
        problem = _SETTINGS_OF[type(wanted)]
        try:
            chat = self._endpoint(wanted)
        except LullError as error:
            self._world.problems.report(problem, error)
            return None
        self._world.problems.clear(problem)
        return chat

    def _endpoint(self, wanted: ReaderSettings | JudgeSettings | WriterSettings) -> ChatModel:
        remote = not isinstance(wanted, ReaderSettings) and wanted.allow_remote
        if not isinstance(wanted, ReaderSettings) and wanted.address:
            return OpenAIChat(
                wanted.address,
                wanted.model,
                session=self._world.asking,
                timeout_s=wanted.timeout_s,
                allow_remote=remote,
            )
        chat = OllamaChat(
            self._world.models.ollama.address,
            wanted.model,
            timeout_s=wanted.timeout_s,
            allow_remote=remote,
            own_upstream=True,
        )
        self._opened.append(chat)
        return chat


class Stages:
    """Provides the model on which past requests are replayed to prove a skill (a text for prompts),
    as it is served now.
    """

    def __init__(
        self, world: SharedParts, settings: Callable[[], Settings], judge: Callable[[], str] = str
    ) -> None:
        """The function `judge` returns the name of the current judge model, "" for none."""
        self._world = world
        self._settings = settings
        self._judge = judge
        self._chats: dict[str, OllamaChat] = {}

    async def close(self) -> None:
        for chat in self._chats.values():
            await chat.close()

    def asked(self) -> Collection[str]:
        """Return the names of the Ollama models that were asked to replay requests, and of the
        judge model.
        """
        judge = "" if self._settings().judge.address else self._judge()
        return {*self._chats, *([judge] if judge else ())}

    def facts(self, model: str) -> ModelFacts | None:
        """Return what is known of a model (size, context window …) without asking Ollama."""
        if self._world.models.local.is_alone_with(model):
            return self._world.models.local.facts(model)
        return self._world.models.ollama.known(model)

    async def stage(self, model: str) -> ReplayTarget | None:
        """Return the model on which past requests are replayed to prove a skill; None if it cannot
        be asked now.
        """
        if self._world.models.local.is_alone_with(model):
            return self._own(model)
        try:
            facts = self._world.models.ollama.facts(model)
            known = facts if isinstance(facts, ModelFacts) else await facts
            if model not in self._chats:
                self._chats[model] = OllamaChat(
                    self._world.models.ollama.address,
                    model,
                    timeout_s=REPLAY_WITHIN_S,
                    allow_remote=self._settings().upstream.allow_remote_models,
                    own_upstream=True,
                )
        except LullError as error:
            log.info("%s cannot be asked now: %s", model, error)
            return None
        return ReplayTarget(
            chat=self._chats[model],
            system=known.system,
            digest=known.digest,
            engine="ollama",
            adapter=known.adapter,
            sampling=Sampling(),
            place=self._place(known),
        )

    def _own(self, model: str) -> ReplayTarget:
        served = self._world.models.local.served(model)
        sampling = served_sampling(served.model)
        return ReplayTarget(
            chat=EngineChat(
                served.engine, served.model.name, timeout_s=REPLAY_WITHIN_S, own_sampling=sampling
            ),
            system="",
            digest=served.model.digest,
            engine="mlx",
            adapter=served.adapter,
            sampling=sampling,
            place=self._place(self._world.models.local.facts(model)),
        )

    def _place(self, facts: ModelFacts) -> Placement:
        return place_of(facts, self._world.models.places)
