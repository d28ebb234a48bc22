"""Interfaces of the clock, new ids, random numbers, a store for passwords, and what shows problems
to the user; other code receives them as arguments.

Each is a small protocol with a real implementation and a fake for tests; both pass the same
contract test. Interfaces of a single subject are in that subject's folder.
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from lull.core.errors import LullError


class Clock(Protocol):
    """Interface of a clock, so that tests can play time."""

    def now(self) -> datetime:
        """Return the current time, timezone-aware, in UTC."""

    def monotonic_s(self) -> float:
        """Return the seconds since an arbitrary start; the value never goes backwards."""


class Ids(Protocol):
    """Interface of what makes new ids, so that tests get the same ones each time."""

    def new(self, prefix: str) -> str:
        """Return a new id such as `turn_01hx…`; ids with the same prefix sort by creation time."""


class RandomNumbers(Protocol):
    """Interface of a random number generator."""

    def random(self) -> float:
        """Return a uniform random number in [0, 1)."""


class ProblemReporter(Protocol):
    """Interface by which a part of Lull shows an error to the user, and takes it away once the
    problem is over.
    """

    def set_or_clear(self, key: str, error: LullError | None) -> None:
        """Show the error to the user as the problem with this key; None means that the problem is
        over and is no longer shown.
        """


class SecretStore(Protocol):
    """Interface of a store for passwords. Its methods block; call them from a thread."""

    kind: str
    """Kind of store for passwords, as `lull doctor` reports it: `keychain`, `memory`, `file` or
    `environment`.
    """

    def get(self, name: str) -> str | None:
        """Return the password stored under a name; None if there is none."""

    def set(self, name: str, value: str) -> None:
        """Store a password under a name, in place of an earlier one."""

    def delete(self, name: str) -> None:
        """Delete the password stored under a name; without effect if there is none."""
