"""Defines every setting of Lull, in groups, with its default and the text that explains it.

Each part of the code gets only the group it needs. Defaults that belong to a learning rule are
defined with that rule in `core` and only referred to here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

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
from lull.core.idle.rule import IdleRule
from lull.core.skills.skill_ranking import RetrievalRule

_RULE = RetrievalRule()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Settings of the proxy to which chat clients connect: its address, who may connect, and its
    limits.
    """

    enabled: bool = setting(
        True,
        "When this is off, Lull passes every request on to Ollama unchanged: nothing is "
        "recorded, no skill goes into a prompt, nothing is learned, and chat apps notice no "
        "difference.",
    )
    port: int = setting(
        11435,
        "The port that chat apps connect to. It is Ollama's own port plus one, so you only "
        "change one digit in a chat app. 0 takes any free port.",
        at_least=0,
        at_most=65535,
    )
    bind: str = setting(
        "127.0.0.1",
        "The address that Lull listens on. With 127.0.0.1, only this computer can connect, and "
        "nobody else on the network can read your conversations. For any other address, “Let "
        "other devices connect” must be on, too.",
        fits=addresses.is_bind,
        form='an IP address or "localhost"',
    )
    allow_network: bool = setting(
        False,
        "Allows other devices to connect to Lull. They must then send a token, and Lull shows "
        "a warning as long as this is on.",
    )
    allow_origins: tuple[str, ...] = setting(
        (),
        "Web pages that may use Lull from a browser, in addition to those that Ollama allows. "
        "Each is given by its origin, the first part of its address.",
        fits=addresses.is_origin,
        form='an origin such as "https://chat.example.org" or "app://*"',
    )
    max_body_mb: int = setting(
        64,
        "The largest chat request that Lull reads into memory, enough for several photographs. "
        "Larger requests are passed on unread, and uploads of models have no limit.",
        at_least=1,
        at_most=4096,
    )
    idle_timeout_s: float = setting(
        600.0,
        "How long Ollama may send nothing before Lull gives up. A model may take minutes to "
        "load before its first word. There is no limit on the length of an answer.",
        at_least=300,
        at_most=86400,
    )
    stand_in: bool = setting(
        True,
        "If Lull crashes, a small process passes your chat apps' requests to Ollama until Lull "
        "runs again, so that no chat is refused.",
    )
    finish_within_s: float = setting(
        5.0,
        "How long answers in progress may take to finish when Lull stops. A system that is "
        "shutting down would not wait longer.",
        at_least=0,
        at_most=3600,
    )

    @property
    def needs_token(self) -> bool:
        """Whether clients must send a token, because other machines can reach the service."""
        return not addresses.is_loopback(self.bind)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamSettings:
    """Settings of the Ollama to which Lull forwards requests."""

    address: str = setting(
        "",
        "The address (URL) of your Ollama. Empty means the one in OLLAMA_HOST, else "
        f"{addresses.OLLAMA}.",
        fits=addresses.is_address,
        form='empty or an address such as "http://127.0.0.1:11434"',
    )
    probe_every_s: float = setting(
        5.0,
        "How often Lull checks whether Ollama is running. A check costs almost nothing.",
        at_least=0.1,
        at_most=3600,
    )
    allow_remote_models: bool = setting(
        False,
        "Lets Lull record requests to models that run on other machines (cloud models) and add "
        "skills to them. Otherwise they are passed through unchanged and unrecorded, because "
        "nothing should leave this machine without your permission.",
    )

    def resolved(self, environ: Mapping[str, str], *, own_port: int = 0) -> str:
        """Return the address of the Ollama to call: the one in this setting, else the one in
        OLLAMA_HOST, else Ollama's default.

        An OLLAMA_HOST that names Lull's own port is ignored: it is meant for clients (`lull connect
        environment` writes it into the shell), and Lull would call itself.
        """
        if self.address:
            return self.address
        named = addresses.ollama_address(environ.get("OLLAMA_HOST", ""))
        return addresses.OLLAMA if own_port and addresses.is_own(named, own_port) else named


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsSettings:
    """Settings for which of Lull's own models chat clients see in the list of models."""

    list_built_in: bool = setting(
        False,
        "Whether chat apps see the built-in model in the list of Ollama's models. It can always "
        "be used by its name, lull-mini.",
    )
    list_pocket: bool = setting(
        False,
        "Whether chat apps also see “pocket”, a tiny model for fast tests that knows menus "
        "and lists only. It can always be used by its name.",
    )

    @property
    def list_own(self) -> bool:
        """Whether chat clients see any of Lull's own models in the list of models."""
        return self.list_built_in or self.list_pocket


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillsSettings:
    """Settings for which skills (instruction texts) go into a prompt, and how much room they may
    take.
    """

    at_most: int = setting(
        _RULE.at_most,
        "How many skills Lull may choose for a conversation and add to its prompt, besides "
        "pinned ones. Too many skills weaken each other.",
        at_least=0,
        at_most=20,
    )
    budget_tokens: int = setting(
        _RULE.budget_tokens,
        "The most tokens that skills may take in a prompt. Each of these tokens costs time on "
        "every request.",
        at_least=0,
        at_most=100_000,
    )
    budget_share: float = setting(
        _RULE.budget_share,
        "The largest share of Ollama's context window (the text a model can take in at once) "
        "that skills may take. “Room for skills” also applies; the smaller limit counts.",
        at_least=0,
        at_most=0.5,
    )
    lexical_floor: float = setting(
        _RULE.lexical_floor,
        "How well the words of a request must match a skill before it is used (a BM25 search "
        "score, given for a single skill; it rises with the number of skills). Small talk "
        "should match no skill.",
        at_least=0,
        at_most=1000,
    )
    exemplar_floor: float = setting(
        _RULE.exemplar_floor,
        "How similar a past request that needed a skill must be, so that the skill is used "
        "again (0: unrelated, 1: the same; technically a cosine).",
        at_least=-1,
        at_most=1,
    )
    exemplar_weight: float = setting(
        _RULE.exemplar_weight,
        "How much similar past requests count when skills are ranked, compared with the words "
        "of the request, which count as 1.",
        at_least=0,
        at_most=10,
    )
    kinds_floor: float = setting(
        _RULE.kinds_floor,
        "How sure Lull must be of the kind of a request before a skill of yours for that kind "
        "is used for it.",
        at_least=0,
        at_most=1,
    )
    kinds_weight: float = setting(
        _RULE.kinds_weight,
        "How much the kind of request counts when skills are ranked, compared with the words of "
        "the request, which count as 1.",
        at_least=0,
        at_most=10,
    )
    usage_weight: float = setting(
        _RULE.usage_weight,
        "How much earlier use of a skill counts when skills are ranked, compared with the words "
        "of the request, which count as 1.",
        at_least=0,
        at_most=10,
    )
    facts_within_ms: float = setting(
        50.0,
        "The longest that a request waits for the facts about its model that are needed to "
        "choose skills. After that it goes on without skills.",
        at_least=0,
        at_most=5000,
    )

    @property
    def rule(self) -> RetrievalRule:
        """Return the parameters of choosing skills for a prompt."""
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
    """Settings for recording conversations: whether, for how long and how much."""

    record: bool = setting(
        True,
        "Whether conversations are recorded. Without a record of what went wrong, Lull cannot "
        "learn.",
    )
    keep_days: int = setting(
        365,
        "How many days the history of your conversations is kept. A year shows what changes "
        "with the seasons. 0 keeps them for ever.",
        at_least=0,
        at_most=36500,
    )
    keep_mb: int = setting(
        2048,
        "The most disk space that conversations may take. When they take more, the oldest are "
        "removed first. 0 sets no limit.",
        at_least=0,
        at_most=10_000_000,
    )
    trash_mb: int = setting(
        512,
        "The size of the trash, where removed conversations stay for a week. While the trash is "
        "full, no more are removed.",
        at_least=1,
        at_most=10_000_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSettings:
    """Settings for automatic backups of Lull's data: how often, where, and how many are kept."""

    every_days: int = setting(
        0,
        "How many days lie between automatic backups, which are made in a quiet moment and "
        "tested at once. 0 (the default) makes none: backups keep what you later make Lull "
        "forget.",
        at_least=0,
        at_most=365,
    )
    keep: int = setting(
        3,
        "How many automatic backups are kept. With several, a fault that is noticed late is not "
        "in all of them. Backups that you made by hand are never deleted.",
        at_least=1,
        at_most=1000,
    )
    folder: str = setting(
        "",
        "The folder for backups. Empty means the folder backups/ next to Lull's other data, "
        "which protects against faults but not against losing the disk. Any other folder must "
        "already exist.",
        fits=lambda text: not text or Path(text).is_absolute(),
        form='empty or an absolute path such as "/media/disk/lull"',
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """Settings of the engine, Lull's own process that runs models without Ollama: the one that Lull
    trains and the one that comes with it.
    """

    memory_limit_mb: int = setting(
        0,
        "The memory that the engine may use; above it new requests wait in line. 0 lets Lull "
        "choose a limit for this machine.",
        at_least=0,
        at_most=10_000_000,
    )
    max_batch: int = setting(
        16,
        "How many answers may be generated at the same time. The more there are, the slower "
        "each one is.",
        at_least=1,
        at_most=256,
    )
    idle_unload_min: float = setting(
        30.0,
        "After how many minutes without use the model is unloaded to free its memory. 0 keeps "
        "it loaded.",
        at_least=0,
        at_most=100_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsSettings:
    """Settings for where Lull keeps secrets, such as the private address of a calendar."""

    file_fallback: bool = setting(
        False,
        "Where there is no keychain, keeps secrets in a file that only you can read. Anyone who "
        "gets access to your files can then read them, so Lull shows a warning as long as this "
        "is on.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """Settings for the service's log file."""

    level: str = setting(
        "info",
        "How much is written to the log. info is enough to follow what Lull does; debug adds "
        "the path of every request.",
        choices=("debug", "info", "warning", "error"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of Lull's settings. Each field is a group of settings and has the name of that group in
    the settings file.
    """

    service: ServiceSettings = field(default_factory=ServiceSettings)
    upstream: UpstreamSettings = field(default_factory=UpstreamSettings)
    models: ModelsSettings = field(default_factory=ModelsSettings)
    skills: SkillsSettings = field(default_factory=SkillsSettings)
    records: RecordsSettings = field(default_factory=RecordsSettings)
    backup: BackupSettings = field(default_factory=BackupSettings)
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

    @property
    def idle_rule(self) -> IdleRule:
        """The rule, built from these settings, for when Lull may work while the user is away; it
        forbids all such work while Lull is switched off.
        """
        rule = self.idle.rule
        return replace(rule, enabled=rule.enabled and self.service.enabled)
