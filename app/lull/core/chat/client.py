"""A client program that sends chat requests. The user can isolate a client from the others ("kept
apart"), so that it has its own skills.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client program that sends chat requests. One that is kept apart (isolated) gets only its
    own skills (instruction texts for prompts).
    """

    name: str
    apart: bool = False

    @property
    def identity(self) -> str:
        """Name under which the client's conversations, statistics and past requests are stored;
        that of an isolated client begins with a mark.

        A program may call itself like a client that is kept apart (isolated by the user), and still
        gets a different identity.
        """
        return f"{APART}{self.name}" if self.apart else self.name


APART = "/c/"
"""Prefix of the identities of isolated ("apart") clients. Other identities are a User-Agent's
family, which never contains a slash, so no program can pass for an isolated client.
"""


def owner_of(identity: str) -> str:
    """Return whose skills a client identity may use: the client's own name if the user isolated it,
    else "" for the skills that all clients share.
    """
    return identity.removeprefix(APART) if identity.startswith(APART) else ""
