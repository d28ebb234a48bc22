"""The models that Lull asks itself: judge, writer, and the ones on which proofs run."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import aiohttp

from lull.backends.chat_reader import ChatReader
from lull.backends.clock import SystemClock
from lull.backends.engine_chat import EngineChat
from lull.backends.llm_judge import JudgePrompts, LlmJudge
from lull.backends.model_evolver import ModelEvolver
from lull.backends.ollama import OllamaFacts
from lull.backends.ollama_chat import OllamaChat
from lull.backends.openai_chat import OpenAIChat
from lull.config.learning import JudgeSettings, ReaderSettings, WriterSettings
from lull.config.settings import Settings
from lull.core.errors import LullError
from lull.core.feedback.ports import FeedbackReader
from lull.core.messages import Sampling
from lull.core.models.candidates import is_auto, is_off
from lull.core.models.exam import Role
from lull.core.policy import ModelFacts
from lull.core.ports import ChatModel, Judge
from lull.core.proposal import Origin
from lull.core.skill import Library
from lull.loops.approve import Approve
from lull.loops.evolve import Writer
from lull.loops.replay import Stage
from lull.loops.write_rules import RuleWriter
from lull.pocket.writer import PocketWriter
from lull.service.bus import Bus
from lull.service.local_model import LocalModels, served_sampling
from lull.service.problems import Problems
from lull.service.quiet import Activity
from lull.service.wiring.checks import proposed_check
from lull.service.wiring.stores import Stores

log = logging.getLogger(__name__)

REPLAY_WITHIN_S = 600.0
"""One replayed answer: a large model may have to be loaded first."""
_SETTINGS_OF = {
    ReaderSettings: "reader settings",
    JudgeSettings: "judge settings",
    WriterSettings: "skill writer settings",
}
"""The names of the problems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the fast loop shares with the rest of the service."""

    stores: Stores
    clock: SystemClock
    bus: Bus
    problems: Problems
    local: LocalModels
    ollama: OllamaFacts
    session: aiohttp.ClientSession
    """For the users' own requests."""
    asking: aiohttp.ClientSession
    """For what Lull asks itself."""
    library: Callable[[], Library]
    approve: Approve
    activity: Activity


def _nobody(_: Role) -> str | None:
    return None


class Asked:
    """The models that Lull asks for itself, by the settings as they stand."""

    def __init__(
        self,
        world: World,
        settings: Callable[[], Settings],
        reader: FeedbackReader | None = None,
        admitted: Callable[[Role], str | None] = _nobody,
    ) -> None:
        """`reader`: Lull's own small one. `admitted`: who has passed the exam for a role."""
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

    def named(self, role: Role) -> str:
        """The model that has this role now, "" where nobody has it."""
        settings = self._settings()
        wanted = {
            Role.READER: (settings.reader.model, ""),
            Role.JUDGE: (settings.judge.model, settings.judge.address),
            Role.WRITER: (settings.writer.model, settings.writer.address),
        }
        model, address = wanted[role]
        if is_off(model):
            return ""
        if not is_auto(model):
            return model
        # Whoever runs at an address of its own is never examined.
        return "" if address else self._admitted(role) or ""

    def reader(self) -> FeedbackReader | None:
        """A chat model that was admitted, or that the user names; else the small one."""
        wanted = replace(self._settings().reader, model=self.named(Role.READER))
        if not wanted.model:
            self._world.problems.went(_SETTINGS_OF[ReaderSettings])
            return self._small_reader
        if self._reader is None or self._reader[0] != wanted:
            chat = self._chat(wanted)
            if chat is None:
                return self._small_reader
            self._reader = (wanted, ChatReader(chat, coin=self._coin))
        return self._reader[1]

    def judge(self) -> Judge | None:
        wanted = replace(self._settings().judge, model=self.named(Role.JUDGE))
        if not wanted.model:
            self._world.problems.went(_SETTINGS_OF[JudgeSettings])
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

    def writers(self) -> Sequence[Writer]:
        """The user's own words first: they need no model and are the most trusted."""
        own = (PocketWriter(), RuleWriter(proposed_check))
        writers = [Writer(evolver=one, origin=Origin.EXTRACTIVE) for one in own]
        wanted = replace(self._settings().writer, model=self.named(Role.WRITER))
        if not wanted.model:
            self._world.problems.went(_SETTINGS_OF[WriterSettings])
            return writers
        if self._writer is None or self._writer[0] != wanted:
            chat = self._chat(wanted)
            if chat is None:
                return writers
            self._writer = (wanted, ModelEvolver(chat, coin=self._coin))
        return [*writers, Writer(evolver=self._writer[1], origin=Origin.MODEL)]

    def _chat(self, wanted: ReaderSettings | JudgeSettings | WriterSettings) -> ChatModel | None:
        """None, and a problem until the settings are others, for an address that may not be
        asked."""
        problem = _SETTINGS_OF[type(wanted)]
        try:
            chat = self._endpoint(wanted)
        except LullError as error:
            self._world.problems.came(problem, error)
            return None
        self._world.problems.went(problem)
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
            self._world.ollama.address,
            wanted.model,
            timeout_s=wanted.timeout_s,
            allow_remote=remote,
            own_upstream=True,
        )
        self._opened.append(chat)
        return chat


class Stages:
    """On which model a proof runs: the one that failed, as it serves now."""

    def __init__(
        self, world: World, settings: Callable[[], Settings], judge: Callable[[], str] = str
    ) -> None:
        """`judge`: the model that judges now, "" for none."""
        self._world = world
        self._settings = settings
        self._judge = judge
        self._chats: dict[str, OllamaChat] = {}

    async def close(self) -> None:
        for chat in self._chats.values():
            await chat.close()

    def asked(self) -> Collection[str]:
        """Names of the models on Ollama that replays asked, and the judge's."""
        judge = "" if self._settings().judge.address else self._judge()
        return {*self._chats, *([judge] if judge else ())}

    def facts(self, model: str) -> ModelFacts | None:
        """What is known of a model now, without asking anybody."""
        if self._world.local.is_alone_with(model):
            return self._world.local.facts(model)
        return self._world.ollama.known(model)

    async def stage(self, model: str) -> Stage | None:
        if self._world.local.is_alone_with(model):
            return self._own(model)
        try:
            facts = self._world.ollama.facts(model)
            known = facts if isinstance(facts, ModelFacts) else await facts
            if model not in self._chats:
                self._chats[model] = OllamaChat(
                    self._world.ollama.address,
                    model,
                    timeout_s=REPLAY_WITHIN_S,
                    allow_remote=self._settings().upstream.allow_remote_models,
                    own_upstream=True,
                )
        except LullError as error:
            log.info("%s cannot be asked now: %s", model, error)
            return None
        return Stage(
            chat=self._chats[model],
            system=known.system,
            digest=known.digest,
            engine="ollama",
            adapter=known.adapter,
            sampling=Sampling(),
        )

    def _own(self, model: str) -> Stage:
        served = self._world.local.served(model)
        sampling = served_sampling(served.model)
        return Stage(
            chat=EngineChat(
                served.engine, served.model.name, timeout_s=REPLAY_WITHIN_S, own_sampling=sampling
            ),
            system="",
            digest=served.model.digest,
            engine="mlx",
            adapter=served.adapter,
            sampling=sampling,
        )
