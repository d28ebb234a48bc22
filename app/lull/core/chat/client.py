"""A client program that sends chat requests. The user can isolate a client from the others, so that
it has skills of its own; settings and code call this "kept apart".
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client program that sends chat requests. If the user isolated it from the others (`apart`),
    it gets only its own skills (instruction texts).
    """

    name: str
    apart: bool = False

    @property
    def identity(self) -> str:
        """Name under which the client's conversations, statistics and past requests are stored; for
        an isolated client it begins with a special prefix.

        A program that merely gives itself an isolated client's name therefore gets another
        identity.
        """
        return f"{APART}{self.name}" if self.apart else self.name


APART = "/c/"
"""Prefix of the identities of isolated ("apart") clients. All other identities come from a
User-Agent and never contain a slash, so no program can pass for an isolated client.
"""


def owner_of(identity: str) -> str:
    """Return whose skills (instruction texts) a client may use: the client's own name if the user
    isolated it from the others, else "" for the skills that all clients share. `identity` is as in
    `Client.identity`.
    """
    return identity.removeprefix(APART) if identity.startswith(APART) else ""
