"""Keeps the list of current problems (errors shown to the user until they are over), and logs when
one appears or clears.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.core.provenance.redaction import redact_text
from lull.service.process.bus import EventBus

log = logging.getLogger(__name__)
T = TypeVar("T")


def _alike(_kind: str, _secret: str) -> int:
    return 1


class Problems:
    """Holds the service's current problems (errors shown to the user until they are over), by key;
    implements `ProblemReporter`.

    A problem that is reported again with the same text is neither logged nor published again.
    """

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._standing: dict[str, dict[str, str]] = {}

    def report(self, key: str, error: LullError) -> None:
        """Record an error as the current problem under this key; logs and publishes it if its text
        is new.
        """
        # A server's error text may echo the API key that it was sent.
        said = {name: redact_text(text, _alike) for name, text in error.as_dict().items()}
        if self._standing.get(key) != said:
            self._standing[key] = said
            log.warning("%s: %s", said["title"], said["detail"])
            self._bus.tell(EventKind.PROBLEM, key=key, standing=True, **said)

    def set_or_clear(self, key: str, error: LullError | None) -> None:
        """Record an error as the current problem under this key, or, if `error` is None, remove the
        problem that was recorded under it.
        """
        if error is None:
            self.clear(key)
        else:
            self.report(key, error)

    def clear(self, key: str) -> None:
        """Remove the problem (an error shown to the user) with this key, if any."""
        said = self._standing.pop(key, None)
        if said is not None:
            log.info("no longer: %s", said["title"])
            self._bus.tell(EventKind.PROBLEM, key=key, standing=False, **said)

    async def attempt(
        self,
        key: str,
        work: Callable[[], Awaitable[T]],
        undone: list[LullError] | None = None,
    ) -> T | None:
        """Run the function `work` and return its result; if it raises LullError, show this error to
        the user as a current problem and return None.

        The problem stays under `key` until a later run of the work succeeds. If the caller passes a
        list as `undone`, the error is appended to it, too.
        """
        try:
            result = await work()
        except LullError as error:
            self.report(key, error)
            if undone is not None:
                undone.append(error)
            return None
        self.clear(key)
        return result

    def get(self, key: str) -> dict[str, str] | None:
        """Return the current problem (an error shown to the user until it is over) with this key;
        None if there is none.
        """
        return self._standing.get(key)

    def current(self) -> list[dict[str, str]]:
        """Return all current problems (errors shown to the user until they are over), each with its
        key.
        """
        return [{"key": key, **said} for key, said in self._standing.items()]
