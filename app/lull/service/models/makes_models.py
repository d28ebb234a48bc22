"""Interfaces by which the service opens the chat models that do Lull's own work, such as judging
answers, without knowing how each is reached or prompted.
"""

from __future__ import annotations

from typing import Protocol

from lull.core.chat.messages import Sampling
from lull.core.chat.ports import ChatModel, StopsEarly
from lull.core.feedback.judge import Judge
from lull.core.feedback.ports import FeedbackReader
from lull.core.models.engine import Engine
from lull.core.skills.ports import Evolver


class OllamaChatModel(ChatModel, Protocol):
    """Interface of a chat model in the user's Ollama. Lull asks it like any other chat model, but
    must close its connection afterwards.
    """

    async def close(self) -> None:
        """Close the connection to Ollama."""


class EarlyChatModel(ChatModel, StopsEarly, Protocol):
    """Interface of a chat model whose answers may also end as soon as enough is known of them."""


class MakesModels(Protocol):
    """Interface that opens chat models, and has them read feedback, judge answers or write
    skills.
    """

    def ollama(
        self, model: str, *, timeout_s: float, allow_remote: bool = False
    ) -> OllamaChatModel:
        """Open a model of the user's Ollama for Lull's own work. Raises LullError if that is not
        allowed, as for a model that runs on another machine.
        """

    def server(
        self, address: str, model: str, *, timeout_s: float, allow_remote: bool
    ) -> ChatModel:
        """Open a chat model of the model server at the given address for Lull's own work. Raises
        LullError if that is not allowed, as for an address of another machine.
        """

    def own(
        self, engine: Engine, model: str, *, timeout_s: float, sampling: Sampling
    ) -> EarlyChatModel:
        """Open a model that Lull's own engine serves."""

    def reader(self, chat: ChatModel) -> FeedbackReader:
        """Return a feedback reader that has this chat model read what users say about answers."""

    def judge(self, chat: ChatModel, *, votes: int, temperature: float) -> Judge:
        """Return a judge that has this chat model score answers, with several votes on each."""

    def writer(self, chat: ChatModel) -> Evolver:
        """Return a skill writer that has this chat model write skills (instruction texts)."""
