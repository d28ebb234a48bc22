"""Defines every error that Lull may show to a person, in one class hierarchy.

    LullError                     title, detail, hint: shown in terminal, tray and JSON
    ├── UsageError                a command was called wrongly               exit 2
    ├── NotRunning                the service is needed but not running      exit 3
    ├── AlreadyRunning            another service uses this data folder
    ├── Busy                      another process uses this data folder; waiting timed out
    ├── SettingsError             a settings file that cannot be used (carries the line)
    ├── AddressInUse              the port is taken
    ├── OpenToNetwork             a warning that stays: other machines can reach Lull
    ├── NotFound                  no such name or id
    ├── Conflict                  the thing changed meanwhile, or the name is taken
    ├── SkillError                a SKILL.md that breaks the format (carries the line)
    ├── SystemRefused             a failed file or disk operation that no other error fits
    ├── StoreError                the database cannot be opened, read or written
    │   ├── DamagedTrash          old conversations that cannot be restored; defined with the trash
    │   └── DamagedRow            a record that cannot be read; defined with the rows
    ├── BackupError               a backup that cannot be made or restored
    │   └── NoRoom                a disk is too full for that; defined with the backups
    ├── WaitsForYourWord          the user must decide: many old conversations would be deleted, or
    │                             the trash is full
    ├── ResourceError             a file that ships with Lull is missing or damaged
    ├── FeedError                 a calendar that cannot be read; defined with the feeds
    │   └── FeedUnreachable       its server does not answer now; try again later
    ├── SecretsError              a password cannot be stored or fetched
    │   └── SecretsInFile         a warning that stays: they are stored unencrypted
    ├── RequestError              a client's request that cannot be served; carries an HTTP status
    ├── EngineError               the MLX engine failed or cannot load
    │   └── EngineDown            it is not running now; try again soon
    │       └── LongReaderDown    the process that reads long requests failed
    ├── WeightsError              a model's weights cannot be read, converted or published
    │   └── CannotLearn           this model cannot be trained here, and why
    ├── UpstreamDown              Ollama, or a judge's endpoint, does not answer
    ├── EvolverFault              a model wrote a skill that cannot be used; carries its text
    ├── AdapterError              an adapter that is damaged, does not fit, or did harm
    ├── ClientFileError           a chat client's configuration that cannot be read or changed
    ├── TrialFailed               a request sent to try out a connection got no answer
    └── TrainingError             a run folder that cannot be trained, or a trainer that crashed
        ├── DoesNotFit            it would need more memory than allowed; says what would fit
        └── AnotherTrainer        another process trains it now; defined with the trainer

An error says what happened, where, and what to do. None of them is used for control flow.
"""

from __future__ import annotations

import errno
from typing import ClassVar, Self

from lull.core.text.coded_text import coded


class LullError(Exception):
    """Base class of Lull's errors; each has a title, a detail and an optional hint, shown as
    `title: detail (hint)`.
    """

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
        """Return the error as the JSON that programs get: what happened, where, and what to do."""
        return {"title": self.title, "detail": self.detail, "hint": self.hint}

    def as_coded_dict(self) -> dict[str, object]:
        """Return title, detail and hint as JSON. Those that can be translated also have a message
        code and inserted values, from which the window builds the text in the user's language.
        """
        return {**self.as_dict(), **coded(self.detail, "detail_"), **coded(self.hint, "hint_")}


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


class AnotherUser(LullError):
    """Raised when a request comes from another user of the machine than the one who runs Lull's
    service.
    """

    title = "This Lull belongs to another user"


class Conflict(LullError):
    title = "Conflict"


class SkillError(LullError):
    title = "The skill cannot be used"


class SystemRefused(LullError):
    """Raised when the operating system refused a file or disk operation, and no more specific error
    fits.
    """

    title = "The system refused"

    @classmethod
    def because(cls, error: OSError) -> Self:
        """Return the error for a failed file operation, with a hint that fits its cause."""
        where = f"{error.filename}: " if error.filename else ""
        full = error.errno in NO_ROOM
        hint = (
            "Make room on the disk." if full else "Check the file, the disk, and who may use them."
        )
        return cls(f"{where}{error.strerror or error}.", hint=hint)


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Numbers of the system's errors that mean a full disk, or a full share of it."""


class StoreError(LullError):
    title = "The database cannot be used"


class BackupError(LullError):
    title = "The backup cannot be used"


class WaitsForYourWord(LullError):
    title = "Old conversations wait for your decision"


class ResourceError(LullError):
    title = "A file of Lull's own is missing or damaged"


class SecretsError(LullError):
    title = "The keychain cannot be used"


class SecretsInFile(SecretsError):
    title = "Secrets are stored in a file"


class RequestError(LullError):
    """Raised when a client's request cannot be served. `status` is the HTTP status code of the
    response.
    """

    title = "The request cannot be served"

    def __init__(self, detail: str, *, status: int, hint: str = "") -> None:
        super().__init__(detail, hint=hint)
        self.status = status


class EngineError(LullError):
    title = "The built-in engine failed"


class EngineDown(EngineError):
    title = "The built-in engine is not ready"


class LongReaderDown(EngineDown):
    title = "A long request was not read"


class WeightsError(LullError):
    title = "The model's weights cannot be used"


class CannotLearn(WeightsError):
    title = "This model cannot learn here"


class AdapterError(LullError):
    title = "The adapter cannot be used"


class UpstreamDown(LullError):
    title = "A model's server does not answer"


class EvolverFault(LullError):
    """Raised when a model was asked to write a skill (an instruction text) and its answer cannot be
    used. The text of that answer, in `answer`, is stored and shown.
    """

    title = "The skill writer's answer cannot be used"

    def __init__(self, detail: str, *, answer: str, hint: str = "") -> None:
        super().__init__(detail, hint=hint)
        self.answer = answer


class TrainingError(LullError):
    title = "The run cannot be trained"


class DoesNotFit(TrainingError):
    title = "The run does not fit into memory"


class TrialFailed(LullError):
    """Raised when a test request, sent to try out a chat client's connection to Lull, got no
    answer.
    """

    title = "The test failed"


class ClientFileError(LullError):
    """Raised when a chat client's configuration file cannot be read, changed or restored."""

    title = "The chat app's settings cannot be changed"
