"""The doors between stories and the world: small protocols with two implementations or more.

Each has a fake in `tests/fakes.py`; the fake and the real one pass one contract test.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from lull.core.feedback.feedback import Scope
from lull.core.messages import Completion, Finish, Message, Sampling
from lull.core.policy import Client
from lull.core.reward import Vote
from lull.core.skill import SkillKey, SkillText
from lull.core.training_events import RunEvent

if TYPE_CHECKING:
    from lull.core.adapter import AdapterVersion

    # What finds failures compiles hundreds of patterns; engine and trainer need none of them.
    from lull.core.failures import FailureSet
    from lull.core.probe import Probe

T = TypeVar("T")


class Clock(Protocol):
    def now(self) -> datetime:
        """The time of day, aware, in UTC."""

    def monotonic_s(self) -> float:
        """Seconds from an arbitrary start; never goes back."""


class Ids(Protocol):
    def new(self, prefix: str) -> str:
        """A fresh id such as `turn_01hx…`; ids of one prefix sort by the time they were made."""


class Coin(Protocol):
    """Randomness, passed in."""

    def random(self) -> float:
        """Uniform in [0, 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One sampled token."""

    id: int
    logprob: float
    """Natural log-probability under the model, taken before temperature and top-p."""
    text: str
    top: tuple[tuple[int, float, str], ...] = ()
    """(id, logprob, text) of the most probable ones, most probable first, when asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of an answer. The last one of an answer has `finish` set and may have no text.

    The pieces' texts joined are the answer: a piece never ends inside a character, and text that
    might yet turn into a stop string is held back until it cannot.
    """

    text: str
    tokens: tuple[Token, ...] = ()
    """Empty unless log-probabilities were asked for."""
    finish: Finish | None = None
    prompt_tokens: int = 0
    """Set on the last chunk."""
    completion_tokens: int = 0
    """Set on the last chunk; the end token counts."""
    load_s: float = 0.0
    prompt_s: float = 0.0
    decode_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateRequest:
    """What the engine is asked. Exactly one of `messages`, `prompt` and `prompt_ids` is set."""

    messages: tuple[Message, ...] = ()
    """Rendered with the model's own chat template, generation prompt added."""
    prompt: str | None = None
    """Raw text: no template."""
    prompt_ids: tuple[int, ...] = ()
    sampling: Sampling = field(default_factory=Sampling)
    adapter: str | None = None
    """Version of a loaded adapter; None: the base."""
    logprobs: int | None = None
    """None: no token details. n ≥ 0: each token's id and log-probability and the n best."""


class Engine(Protocol):
    """Serves one MLX model; several requests are decoded side by side."""

    def generate(self, request: GenerateRequest) -> AsyncIterator[Chunk]:
        """Stream an answer. Closing the iterator early cancels within one token.

        Raises EngineDown when the engine is not running or dies meanwhile, RequestError (400)
        for a prompt that does not fit the window or an adapter that is not loaded.
        """

    async def tokenize(self, request: GenerateRequest) -> tuple[int, ...]:
        """The prompt's token ids, exactly as `generate` would feed them."""

    async def divergence(
        self,
        prompt_ids: Sequence[int],
        ids: Sequence[int],
        *,
        adapter: str | None,
        against: str | None = None,
    ) -> tuple[float, ...]:
        """KL(adapter || against) at each token of the answer `ids`, in nats, exact over the
        vocabulary. Nobody's answers wait for it. Raises as `generate`.
        """

    async def load_adapter(self, version: str, folder: str) -> None:
        """Load or replace an adapter; requests in flight keep the one they began with."""

    def expect_adapter(self, version: str, folder: str) -> None:
        """Have it loaded before anything else whenever the engine is started; starts nothing."""

    async def drop_adapter(self, version: str) -> None: ...

    async def status(self) -> EngineStatus: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStatus:
    model_dir: str
    loaded: bool
    adapters: tuple[str, ...]
    in_flight: int
    window_tokens: int
    parameters: int
    memory_mb: float
    size_bytes: int
    """Of the weights on disk."""
    decoded_tokens: int = 0
    """Handed out since the engine started, over all answers."""


class SecretStore(Protocol):
    """Where passwords lie. Blocks; call it from a thread."""

    kind: str
    """`keychain`, `memory`, `file` or `environment`, for the doctor's report."""

    def get(self, name: str) -> str | None: ...

    def set(self, name: str, value: str) -> None: ...

    def delete(self, name: str) -> None: ...


class Embedder(Protocol):
    name: str
    """Names the vectors: a collection made by another embedder is rebuilt, never mixed."""
    dimensions: int

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One unit vector a text, shape (len(texts), dimensions)."""


class Neighbour(NamedTuple):
    """A tuple, because the request path makes many of them."""

    id: str
    skill: str
    similarity: float
    """Cosine, in [-1, 1]."""


class ExemplarMemory(Protocol):
    """Past requests for which a skill was credited with a win, by the identity of the client that
    asked. Blocks; use a thread."""

    def nearest(self, text: str, *, client: str, k: int) -> list[Neighbour]:
        """The k nearest, nearest first."""

    def add(self, *, id: str, text: str, client: str, skill: str) -> None: ...  # noqa: A002

    def remove_skill(self, *, client: str, skill: str) -> None:
        """All that were credited to this skill of this client's, "" for everybody's."""

    def count(self) -> int: ...


class SkillIndex(Protocol):
    """Finds active skills by the words of a request and by past requests like it."""

    def lexical(self, text: str, *, client: Client) -> dict[SkillKey, float]: ...

    def exemplars(self, text: str, *, client: Client) -> dict[SkillKey, float]: ...

    def kinds(self, text: str, *, client: Client) -> dict[SkillKey, float]: ...


class ChatModel(Protocol):
    """A model that answers whatever is not a user's own request: replays, judge, evolver."""

    name: str
    """As its server knows it; judge and evidence say it."""

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        format: str = "",  # noqa: A002  the field's own word, as in ChatRequest
        tools: str = "",
        adapter: str | None = None,
    ) -> Completion:
        """One whole answer. Cancelling stops the model.

        `format` and `tools` are JSON texts as in ChatRequest. Raises UpstreamDown when the server
        is not there or too slow, RequestError when it refuses, EngineError for our own engine.
        """


class Asks(StrEnum):
    """What a judge is asked."""

    TURN = "turn"
    """Was this a good answer, seen with what came after it?"""
    WISH = "wish"
    """Does the answer do what the user said they wanted? The skill's text is never shown: it must
    not be its own examiner."""
    PAIR = "pair"
    """Is the answer at least as good as the accepted one? Blind, and asked in both orders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One answer to be judged. Nothing in it was injected by Lull."""

    asks: Asks
    messages: tuple[Message, ...]
    """The request, oldest first."""
    answer: Message
    results: tuple[Message, ...] = ()
    """What the answer's tool calls brought back."""
    followup: str = ""
    """The user's next message."""
    wish: str = ""
    reference: str = ""
    """The accepted answer, for PAIR."""


class Judge(Protocol):
    """The process reward model: several votes on one answer."""

    version: str
    """Names model, prompt and rules, so that evidence says who judged."""

    async def votes(self, question: Question) -> tuple[Vote, ...]:
        """The votes that could be parsed; none is no verdict, never a zero.

        Raises UpstreamDown when there is nobody to ask.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A candidate that the user or the proof has turned down."""

    text: SkillText
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What an evolver may see."""

    failures: FailureSet
    existing: tuple[SkillText, ...] = ()
    """Of the same room: names and descriptions."""
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    text: SkillText
    check: str = ""
    """JSON text of a proposed check (core/check.py), "" for none."""
    scope: Scope = Scope.KIND
    answer: str = ""
    """What a model wrote, whole."""


class Evolver(Protocol):
    """Writes a candidate from failures."""

    name: str

    async def draft(self, material: Material) -> Draft | None:
        """A candidate, or None where the material states no rule.

        Raises EvolverFault with the model's text for an answer that cannot be used, UpstreamDown
        when the model is not there.
        """


class Curriculum(Protocol):
    """Material for training and the gate beyond what a run is made of."""

    def canaries(self, version: AdapterVersion) -> Sequence[Probe]:
        """Questions that an adapter must not lose, each with its program."""

    def subject(self, model: str, asked: str) -> str:
        """What a request is about, as `Probe.about` has it; "" where that cannot be told."""

    def fresh_requests(self, model: str, words: str, count: int) -> Sequence[str]:
        """Requests that the user's words are about and that nothing was trained on; none where
        there are no such."""

    def anchors(
        self, model: str, count: int, with_skills: bool, about: str
    ) -> Sequence[tuple[Message, ...]]:
        """Requests whose answers should stay as they are, the same for the same question; those
        with skills are mostly of the kind that the words `about` speak of, "" for any."""


class Merging(Protocol):
    """Knows when one rule's text says again, or otherwise, what another's does. Only a language
    whose sentences can be taken apart has more to say than that both are the same."""

    def merged(self, old: str, new: str) -> str | None:
        """The old body with what the new one says otherwise in its place; None: nothing of it
        is said otherwise, or that cannot be told."""

    def keeps_some(self, old: str, both: str) -> bool:
        """Whether something of the old body stands in what came of it."""

    def says_already(self, old: str, new: str) -> bool:
        """Whether the old body says all that the new one does."""


class Quiet(Protocol):
    """Keeps what Lull does for itself out of the user's way."""

    async def run(self, work: Callable[[], Awaitable[T]], *, hurry: bool = False) -> T:
        """Wait until the user's models have been quiet for a while, then do it.

        A request that comes meanwhile cancels the work, which is begun again later: it must be
        safe to begin twice. With `hurry`, for what the user has asked for or a lull is there for,
        only a chat that is being answered is waited for.
        """


class Trainer(Protocol):
    """Trains run folders (core/run_format.py), each in a process of its own."""

    async def start(self, folder: str) -> TrainingProcess:
        """Begin the run, or go on from its last checkpoint. Raises TrainingError when no process
        can be started; what is wrong with the folder itself comes as an event."""


class TrainingProcess(Protocol):
    """One trainer at work. Whatever is called, in whatever order, no finished step is lost."""

    def events(self) -> AsyncIterator[RunEvent]:
        """What it says from now on, for one reader. Ends with the process; the last one is
        Finished, Refused or Failed, or none of these after `kill`.

        Raises TrainingError when it fell without a word of its own.
        """

    @property
    def suspended(self) -> bool: ...

    async def suspend(self) -> None:
        """Stop using the processor at once; memory is kept."""

    async def resume(self) -> None: ...

    async def kill(self) -> None:
        """End it and free its memory. `Trainer.start` goes on from the last checkpoint."""
