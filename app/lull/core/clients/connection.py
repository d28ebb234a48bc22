"""What Lull wrote into a client's file, so that it can be undone exactly."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from enum import Enum, auto


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One file of one client as Lull changed it. The bytes before and after lie beside it."""

    client: str
    path: str
    """The file as the client names it; it may be a symlink."""
    existed: bool
    """Whether there was a file before. If not, undoing deletes it."""
    before_sha256: str
    after_sha256: str
    address: str
    model: str
    at: str
    """ISO time."""
    made_folders: tuple[str, ...] = ()
    """Folders that had to be made, the innermost first; undoing removes those that are empty."""

    def as_json(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Connection:
        """Raises ValueError for what is no record of a connection."""
        value = json.loads(text)
        try:
            return cls(
                client=str(value["client"]),
                path=str(value["path"]),
                existed=bool(value["existed"]),
                before_sha256=str(value["before_sha256"]),
                after_sha256=str(value["after_sha256"]),
                address=str(value["address"]),
                model=str(value["model"]),
                at=str(value["at"]),
                made_folders=tuple(map(str, value["made_folders"])),
            )
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"no record of a connection: {error}") from error


class ConnectionState(Enum):
    """How a file stands to what Lull wrote into it."""

    NOT_CONNECTED = auto()
    CONNECTED = auto()
    DRIFTED = auto()
    """Lull wrote it, and it does not point at Lull any more."""
    UNREADABLE = auto()
    """It cannot be read or edited, so nobody knows."""
