"""Every setting with its default and the reason for it, in groups that are passed as values.

A story takes the group it needs and never asks where it came from. Numbers of the learning rules
stand where the rule stands, in `core`; here they only become settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lull.config import addresses
from lull.config.idle_settings import IdleSettings
from lull.config.learning import (
    GuardSettings,
    JudgeSettings,
    LearningSettings,
    ReaderSettings,
    ReviewSettings,
    WriterSettings,
)
from lull.config.rules import setting
from lull.config.training import TrainingSettings
from lull.core.retrieval import RetrievalRule

_RULE = RetrievalRule()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """The one listener that chat clients speak to."""

    port: int = setting(
        11435,
        "Ollama's own port plus one, so that a client is moved over by changing one digit. "
        "0 takes any free port.",
        at_least=0,
        at_most=65535,
    )
    bind: str = setting(
        "127.0.0.1",
        "Loopback: nobody else on the network can read your conversations. "
        "Anything else also needs allow_network.",
        fits=addresses.is_bind,
        form='an IP address or "localhost"',
    )
    allow_network: bool = setting(
        False,
        "Says in so many words that other machines may connect. They must then send a token, "
        "and Lull warns as long as it is so.",
    )
    allow_origins: tuple[str, ...] = setting(
        (),
        "Web pages that may use Lull from a browser, besides those that Ollama lets in.",
        fits=addresses.is_origin,
        form='an origin such as "https://chat.example.org" or "app://*"',
    )
    max_body_mb: int = setting(
        64,
        "A chat request is held in memory while it is read; this much takes several photographs. "
        "Uploads of models are passed on as they come and have no limit.",
        at_least=1,
        at_most=4096,
    )
    idle_timeout_s: float = setting(
        600.0,
        "A model may take minutes to load before its first word, so silence of minutes is no "
        "fault. An answer as a whole has no time limit.",
        at_least=300,
        at_most=86400,
    )
    finish_within_s: float = setting(
        5.0,
        "When Lull stops, answers under way may come to their end for so long; longer than this "
        "a system that shuts down would not wait. A second Ctrl-C does not wait either.",
        at_least=0,
        at_most=3600,
    )

    @property
    def needs_token(self) -> bool:
        return not addresses.is_loopback(self.bind)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamSettings:
    """The Ollama behind Lull."""

    address: str = setting(
        "",
        f"Empty means what OLLAMA_HOST says, else {addresses.OLLAMA}.",
        fits=addresses.is_address,
        form='empty or an address such as "http://127.0.0.1:11434"',
    )
    probe_every_s: float = setting(
        5.0,
        "How soon it is noticed that Ollama came or went; a probe costs it nothing.",
        at_least=0.1,
        at_most=3600,
    )
    allow_remote_models: bool = setting(
        False,
        "Models that run elsewhere (cloud models) are passed through untouched and unrecorded, "
        "because nothing is to leave this machine without your word.",
    )

    def resolved(self, environ: Mapping[str, str]) -> str:
        """The address to call: this one, else OLLAMA_HOST read as Ollama reads it."""
        return self.address or addresses.of_ollama(environ.get("OLLAMA_HOST", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsSettings:
    list_pocket: bool = setting(
        False,
        "Whether the built-in model stands among Ollama's in a client's list. It answers to "
        "its name, pocket, either way.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillsSettings:
    """Which skills go into a prompt, and how much room they may take."""

    at_most: int = setting(
        _RULE.at_most,
        "Retrieved skills in one conversation, besides pinned ones. More blur each other.",
        at_least=0,
        at_most=20,
    )
    budget_tokens: int = setting(
        _RULE.budget_tokens,
        "Room for skills in a prompt: each token is paid for on every request.",
        at_least=0,
        at_most=100_000,
    )
    budget_share: float = setting(
        _RULE.budget_share,
        "The same as a share of the window that Ollama really allocated; the smaller one holds.",
        at_least=0,
        at_most=0.5,
    )
    lexical_floor: float = setting(
        _RULE.lexical_floor,
        "BM25 score below which a skill is not about the request. Small talk should get none.",
        at_least=0,
        at_most=1000,
    )
    exemplar_floor: float = setting(
        _RULE.exemplar_floor,
        "Cosine below which a past request is not like this one.",
        at_least=-1,
        at_most=1,
    )
    exemplar_weight: float = setting(
        _RULE.exemplar_weight,
        "How much past requests count, against 1 for the words of the request.",
        at_least=0,
        at_most=10,
    )
    kinds_floor: float = setting(
        _RULE.kinds_floor,
        "Likelihood below which a rule of yours for a kind of request does not hold for this one.",
        at_least=0,
        at_most=1,
    )
    kinds_weight: float = setting(
        _RULE.kinds_weight,
        "How much the kind of a request counts, against 1 for its words.",
        at_least=0,
        at_most=10,
    )
    usage_weight: float = setting(
        _RULE.usage_weight,
        "How much being used before counts, against 1 for the words of the request.",
        at_least=0,
        at_most=10,
    )
    facts_within_ms: float = setting(
        50.0,
        "The longest a request waits to learn which skills fit; after that it goes without.",
        at_least=0,
        at_most=5000,
    )

    @property
    def rule(self) -> RetrievalRule:
        return RetrievalRule(
            at_most=self.at_most,
            budget_tokens=self.budget_tokens,
            budget_share=self.budget_share,
            lexical_floor=self.lexical_floor,
            exemplar_floor=self.exemplar_floor,
            exemplar_weight=self.exemplar_weight,
            kinds_floor=self.kinds_floor,
            kinds_weight=self.kinds_weight,
            usage_weight=self.usage_weight,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsSettings:
    record: bool = setting(True, "Without a record of what went wrong nothing can be learned.")
    keep_days: int = setting(
        365,
        "A year shows what changes with the seasons. 0 keeps conversations for ever.",
        at_least=0,
        at_most=36500,
    )
    keep_mb: int = setting(
        2048,
        "The oldest conversations go first when all of them take more. 0 sets no limit.",
        at_least=0,
        at_most=10_000_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """The process that serves the learned and the built-in model."""

    memory_limit_mb: int = setting(
        0,
        "Past this new requests wait in line. 0 lets Lull choose by the machine's memory.",
        at_least=0,
        at_most=10_000_000,
    )
    max_batch: int = setting(
        16,
        "Answers decoded side by side; more of them make each one slower.",
        at_least=1,
        at_most=256,
    )
    idle_unload_min: float = setting(
        30.0,
        "Unused for so long, the model gives its memory back. 0 keeps it loaded.",
        at_least=0,
        at_most=100_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsSettings:
    file_fallback: bool = setting(
        False,
        "Where there is no keychain, keep secrets in a file that only you can read. Whoever "
        "gets at your files then has them, so Lull warns as long as it is so.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    level: str = setting(
        "info",
        "What a person needs to follow what Lull does; debug adds every request's path.",
        choices=("debug", "info", "warning", "error"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All groups; a field's name is the group's name in the file."""

    service: ServiceSettings = field(default_factory=ServiceSettings)
    upstream: UpstreamSettings = field(default_factory=UpstreamSettings)
    models: ModelsSettings = field(default_factory=ModelsSettings)
    skills: SkillsSettings = field(default_factory=SkillsSettings)
    records: RecordsSettings = field(default_factory=RecordsSettings)
    engine: EngineSettings = field(default_factory=EngineSettings)
    secrets: SecretsSettings = field(default_factory=SecretsSettings)
    idle: IdleSettings = field(default_factory=IdleSettings)
    reader: ReaderSettings = field(default_factory=ReaderSettings)
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    writer: WriterSettings = field(default_factory=WriterSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    review: ReviewSettings = field(default_factory=ReviewSettings)
    guard: GuardSettings = field(default_factory=GuardSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)
    log: LogSettings = field(default_factory=LogSettings)
