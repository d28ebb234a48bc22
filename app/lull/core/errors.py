"""Every failure a person may read, drawn as one tree.

    LullError                     title, detail, hint: shown in terminal, tray and JSON
    ├── UsageError                a command was called wrongly               exit 2
    ├── NotRunning                the service is needed and not there        exit 3
    ├── AlreadyRunning            another service holds this home
    ├── Busy                      somebody is at work on this home, and was waited for
    ├── SettingsError             a settings file that cannot be used (carries the line)
    ├── AddressInUse              the port is taken
    ├── OpenToNetwork             a warning that lasts: other machines can reach us
    ├── NotFound                  a name or id that nothing answers to
    ├── Conflict                  the thing changed meanwhile, or the name is taken
    ├── SkillError                a SKILL.md that does not hold to the format (carries the line)
    ├── StoreError                the database cannot be opened, read or written
    ├── ResourceError             a file that ships with Lull is missing or damaged
    ├── FeedError                 a calendar that cannot be read (core/feeds.py)
    │   └── FeedUnreachable       its server does not answer now; try again later
    ├── SecretsError              a password cannot be kept or fetched
    │   └── SecretsInFile         a warning that lasts: they lie there unencrypted
    ├── RequestError              a client's request that cannot be served; carries an HTTP status
    ├── EngineError               the MLX engine failed or cannot load
    │   └── EngineDown            it is not running now; try again soon
    ├── WeightsError              a model's weights cannot be read, converted or published
    │   └── CannotLearn           this model is not one that can learn here, and why
    ├── UpstreamDown              Ollama, or a judge's endpoint, does not answer
    ├── EvolverFault              a model wrote a skill that cannot be used; carries its text
    ├── AdapterError              an adapter that is damaged, does not fit, or did harm
    └── TrainingError             a run folder that cannot be trained, or a trainer that fell
        └── DoesNotFit            it would need more memory than it may have; says what would fit

A failure says what, where and what to do about it. Nothing here is raised for control flow.
"""

from __future__ import annotations

from typing import ClassVar


class LullError(Exception):
    """A failure in words: `title: detail (hint)`."""

    title: ClassVar[str] = "Something went wrong"
    exit_code: ClassVar[int] = 1

    def __init__(self, detail: str, *, hint: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint

    def __str__(self) -> str:
        tail = f" ({self.hint})" if self.hint else ""
        return f"{self.title}: {self.detail}{tail}"

    def as_dict(self) -> dict[str, str]:
        return {"title": self.title, "detail": self.detail, "hint": self.hint}


class UsageError(LullError):
    title = "Wrong usage"
    exit_code = 2


class NotRunning(LullError):
    title = "Lull is not running"
    exit_code = 3


class AlreadyRunning(LullError):
    title = "Lull is already running"


class Busy(LullError):
    title = "Lull is busy"


class SettingsError(LullError):
    title = "The settings cannot be used"


class AddressInUse(LullError):
    title = "The address is in use"


class OpenToNetwork(LullError):
    title = "Other machines can reach Lull"


class NotFound(LullError):
    title = "Not found"


class Conflict(LullError):
    title = "Conflict"


class SkillError(LullError):
    title = "The skill cannot be used"


class StoreError(LullError):
    title = "The database cannot be used"


class ResourceError(LullError):
    title = "A file of Lull's own is missing or damaged"


class SecretsError(LullError):
    title = "The keychain cannot be used"


class SecretsInFile(SecretsError):
    title = "Secrets lie in a file"


class RequestError(LullError):
    """A client's request that cannot be served. `status` is an HTTP status code."""

    title = "The request cannot be served"

    def __init__(self, detail: str, *, status: int, hint: str = "") -> None:
        super().__init__(detail, hint=hint)
        self.status = status


class EngineError(LullError):
    title = "The built-in engine failed"


class EngineDown(EngineError):
    title = "The built-in engine is not ready"


class WeightsError(LullError):
    title = "The model's weights cannot be used"


class CannotLearn(WeightsError):
    title = "This model cannot learn here"


class AdapterError(LullError):
    title = "The adapter cannot be used"


class UpstreamDown(LullError):
    title = "A model's server does not answer"


class EvolverFault(LullError):
    """An answer that is no skill. `answer` is its text, which is kept and shown."""

    title = "The skill writer's answer cannot be used"

    def __init__(self, detail: str, *, answer: str, hint: str = "") -> None:
        super().__init__(detail, hint=hint)
        self.answer = answer


class TrainingError(LullError):
    title = "The run cannot be trained"


class DoesNotFit(TrainingError):
    title = "The run does not fit into memory"
