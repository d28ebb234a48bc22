"""Interface of Lull's inference engine, which serves a model with MLX, and the data types of its
requests and responses.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lull.core.chat.messages import Finish, Message, Sampling


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One token that the model sampled, with its log-probability."""

    id: int
    logprob: float
    """Natural log-probability under the model, before temperature and top-p."""
    text: str
    top: tuple[tuple[int, float, str], ...] = ()
    """(id, logprob, text) of the most probable tokens, most probable first, if asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a streamed answer; the last one has `finish` (why the answer ended) set and may
    have no text.

    The pieces joined are the answer: a piece never ends inside a character, and text that may
    become a stop string is held back until it cannot.
    """

    text: str
    tokens: tuple[Token, ...] = ()
    """Details of the tokens; empty unless log-probabilities were asked for."""
    finish: Finish | None = None
    prompt_tokens: int = 0
    """Number of prompt tokens; set on the last chunk."""
    completion_tokens: int = 0
    """Number of generated tokens, end token included; set on the last chunk."""
    load_s: float = 0.0
    prompt_s: float = 0.0
    decode_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateRequest:
    """A request to the inference engine. Exactly one of `messages`, `prompt` and `prompt_ids` is
    set.
    """

    messages: tuple[Message, ...] = ()
    """Messages, rendered with the model's own chat template and the generation prompt."""
    prompt: str | None = None
    """Raw prompt text, without a template."""
    prompt_ids: tuple[int, ...] = ()
    sampling: Sampling = field(default_factory=Sampling)
    adapter: str | None = None
    """Version of a loaded adapter; None: the base model."""
    logprobs: int | None = None
    """Whether token details are wanted, and how many. None: no details. n ≥ 0: each token's id and
    log-probability, and the n best tokens.
    """


class Engine(Protocol):
    """Interface of Lull's inference engine, which serves one MLX model and decodes several requests
    in parallel.
    """

    def generate(self, request: GenerateRequest) -> AsyncIterator[Chunk]:
        """Stream the model's answer to a request. Closing the iterator early cancels within one
        token.

        Raises EngineDown if the engine is not running or dies, RequestError (400) for a prompt that
        does not fit the context window or an adapter that is not loaded.
        """

    async def tokenize(self, request: GenerateRequest) -> tuple[int, ...]:
        """Return the prompt's token ids, exactly as `generate` would feed the model."""

    async def divergence(
        self,
        prompt_ids: Sequence[int],
        ids: Sequence[int],
        *,
        adapter: str | None,
        against: str | None = None,
        against_prompt_ids: Sequence[int] = (),
    ) -> tuple[float, ...]:
        """Return the KL divergence KL(adapter ‖ against), in nats, at each token of the answer
        `ids` to the prompt `prompt_ids`; None in `adapter` or `against` is the base model.
        `against_prompt_ids` is the prompt that `against` reads instead; empty for the same one.

        The divergence is exact over the vocabulary. Other requests do not wait for it. Raises the
        same errors as `generate`.
        """

    async def answer_logprobs(
        self, prompt_ids: Sequence[int], ids: Sequence[int], *, adapter: str | None
    ) -> tuple[float, ...]:
        """Return the natural log-probability of each token of the answer `ids` to the prompt
        `prompt_ids`, as this adapter (None: the base model) would give it.

        Other requests do not wait for it. Raises the same errors as `generate`.
        """

    async def load_adapter(self, version: str, folder: str) -> None:
        """Load a LoRA adapter into the engine, or replace one; requests in flight keep the adapter
        they began with.
        """

    def expect_adapter(self, version: str, folder: str) -> None:
        """Register a LoRA adapter that is loaded first whenever the engine starts. This does not
        start the engine.
        """

    async def drop_adapter(self, version: str) -> None:
        """Unload a LoRA adapter from memory; without effect if it is not loaded."""

    async def status(self) -> EngineStatus:
        """Return whether the model is loaded, which adapters are, and how much memory it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStatus:
    """What an inference engine tells of itself: its model, its adapters, its load and its
    memory.
    """

    loaded: bool
    adapters: tuple[str, ...]
    in_flight: int
    window_tokens: int
    parameters: int
    memory_mb: float
    size_bytes: int
    """Size of the model's weights on disk, in bytes."""
    decoded_tokens: int = 0
    """Tokens generated since the engine started, over all answers."""
