"""The list of all that goes with a conversation that the user deletes.

It is stored before the first of it goes, so that a deletion that fails in between can be finished.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

_STORED_OWNER: Final = "room"
"""Key in the stored JSON of the field `owner`, which had this name when it was first stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToForget:
    """The ids of everything that must be deleted to forget a conversation."""

    trajectory: str
    turns: tuple[str, ...]
    owner: str = ""
    """The isolated client that the conversation belongs to; "" for a client that shares skills."""
    proposals: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Names of the skills in the proposals to delete."""
    texts: tuple[str, ...] = ()
    """sha256 of every skill text to delete."""
    skills: tuple[tuple[str, str], ...] = ()
    """Skills to delete wholly, as (client, name)."""
    set_back: tuple[tuple[str, str, str], ...] = ()
    """Skills to set back to an earlier text, as (client, name, sha256 of that text)."""
    runs: tuple[str, ...] = ()
    adapters: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    """sha256 of the adapters to delete."""
    said: tuple[str, ...] = ()
    """What the user typed in the conversation, and the wishes in it, by which other turns were
    scored.
    """
    held: tuple[str, ...] = ()
    """Ids of turns in other conversations that were scored by the user's wishes in `said`."""

    def joined(self, other: ToForget) -> ToForget:
        """Return the union of this list and another one of the same conversation."""
        lists: dict[str, Any] = {
            one.name: tuple(dict.fromkeys((*getattr(self, one.name), *getattr(other, one.name))))
            for one in fields(self)
            if one.name not in ("trajectory", "owner")
        }
        return replace(self, owner=self.owner or other.owner, **lists)


def written_list(what: ToForget) -> bytes:
    """Return the list as it is stored."""
    values = asdict(what)
    values[_STORED_OWNER] = values.pop("owner")
    return json.dumps(values).encode()


def read_list(value: bytes, trajectory: str) -> ToForget:
    """Return the list of what goes with this conversation that was stored as these bytes; it names
    nothing but the conversation if they are damaged.
    """
    try:
        values: dict[str, Any] = json.loads(value)
        values["owner"] = values.pop(_STORED_OWNER, "")
        lists = {name: _tuples(one) for name, one in values.items()}
        if lists["trajectory"] == trajectory and all(map(_is_text, lists.values())):
            return ToForget(**lists)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        pass
    return ToForget(trajectory=trajectory, turns=())


def _tuples(value: Any) -> Any:
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value


def _is_text(value: Any) -> bool:
    return all(map(_is_text, value)) if isinstance(value, tuple) else isinstance(value, str)
