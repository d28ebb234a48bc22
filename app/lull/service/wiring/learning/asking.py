"""Opens the chat models that Lull itself asks: to read feedback, judge answers, write skills and
replay requests.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import aiohttp

from lull.backends.chat.engine_chat import EngineChat
from lull.backends.chat.llm_judge import JudgePrompts, LlmJudge
from lull.backends.chat.openai_chat import OpenAIChat
from lull.backends.chat.skill_writer import ModelEvolver
from lull.backends.ollama.chat import OllamaChat
from lull.backends.reader.chat_reader import ChatReader
from lull.core.chat.messages import Sampling
from lull.core.chat.ports import ChatModel
from lull.core.models.engine import Engine
from lull.core.ports import RandomNumbers


@dataclass(frozen=True, slots=True)
class ModelsByBackends:
    """Opens chat models of Ollama, of other model servers or of Lull's own engine, and makes them
    feedback readers, judges or skill writers; implements MakesModels.
    """

    address: str
    """The address of the user's Ollama."""
    session: aiohttp.ClientSession
    """HTTP session for requests to model servers other than the user's Ollama."""
    coin: RandomNumbers = field(default_factory=random.SystemRandom)

    def ollama(self, model: str, *, timeout_s: float, allow_remote: bool = False) -> OllamaChat:
        return OllamaChat(
            self.address,
            model,
            timeout_s=timeout_s,
            allow_remote=allow_remote,
            own_upstream=True,
        )

    def server(
        self, address: str, model: str, *, timeout_s: float, allow_remote: bool
    ) -> OpenAIChat:
        return OpenAIChat(
            address, model, session=self.session, timeout_s=timeout_s, allow_remote=allow_remote
        )

    def own(
        self, engine: Engine, model: str, *, timeout_s: float, sampling: Sampling
    ) -> EngineChat:
        return EngineChat(engine, model, timeout_s=timeout_s, own_sampling=sampling)

    def reader(self, chat: ChatModel) -> ChatReader:
        return ChatReader(chat, coin=self.coin)

    def judge(self, chat: ChatModel, *, votes: int, temperature: float) -> LlmJudge:
        return LlmJudge(
            chat,
            coin=self.coin,
            prompts=JudgePrompts.shipped(),
            votes=votes,
            temperature=temperature,
        )

    def writer(self, chat: ChatModel) -> ModelEvolver:
        return ModelEvolver(chat, coin=self.coin)
