"""A client program that sends requests, which may be isolated from other clients ("kept apart")."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client program. One that is kept apart (isolated) sees only its own skills."""

    name: str
    apart: bool = False

    @property
    def identity(self) -> str:
        """Name under which the client's conversations, statistics and exemplars are stored.

        A program may call itself like a client that is kept apart, and still gets a different
        identity.
        """
        return f"{APART}{self.name}" if self.apart else self.name


APART = "/c/"
"""Prefix of the identities of isolated ("apart") clients. Other identities are a User-Agent's
family, which never contains a slash, so no program can pass for an isolated client.
"""


def room_of(identity: str) -> str:
    """Return the client whose skills this identity may see: its own name if it is kept apart, else
    "" for the shared skills.
    """
    return identity.removeprefix(APART) if identity.startswith(APART) else ""
