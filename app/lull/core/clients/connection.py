"""Records what Lull wrote into a client program's configuration file, so that the change can be
undone exactly.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from enum import Enum, auto


def sha256_of(data: bytes) -> str:
    """Return the sha256 of a file's bytes in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """The record of a client program's configuration file that Lull changed, kept so that the
    change can be undone. The file's bytes before and after are stored beside it.
    """

    client: str
    path: str
    """Path of the file as the client program uses it; it may be a symlink."""
    existed: bool
    """Whether there was a file before. If not, undoing deletes it."""
    before_sha256: str
    after_sha256: str
    address: str
    model: str
    at: str
    """When Lull changed the file, in ISO 8601."""
    made_folders: tuple[str, ...] = ()
    """Folders that had to be made, the innermost first; undoing removes those that are empty."""

    def as_json(self) -> str:
        """Return the JSON in which a connected client is stored."""
        return json.dumps(asdict(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Connection:
        """Parse the JSON record of a configuration file that Lull changed. Raises ValueError for
        any other text.
        """
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
    """Whether a client program's configuration file still contains what Lull wrote into it."""

    NOT_CONNECTED = auto()
    CONNECTED = auto()
    DRIFTED = auto()
    """Lull changed the file before, but the file does not point at Lull any more."""
    UNREADABLE = auto()
    """The file cannot be read or edited, so its state is unknown."""
