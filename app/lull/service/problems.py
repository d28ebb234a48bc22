"""What is wrong now, for the status line: each problem is logged once when it comes and once when
it goes, and shown as long as it stands."""

from __future__ import annotations

import logging

from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.core.redact import redact_text
from lull.service.bus import Bus

log = logging.getLogger(__name__)


def _alike(_kind: str, _secret: str) -> int:
    return 1


class Problems:
    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._standing: dict[str, dict[str, str]] = {}

    def came(self, key: str, error: LullError) -> None:
        # What a server says may echo the key that it was sent.
        said = {name: redact_text(text, _alike) for name, text in error.as_dict().items()}
        if self._standing.get(key) != said:
            self._standing[key] = said
            log.warning("%s: %s", said["title"], said["detail"])
            self._bus.tell(EventKind.PROBLEM, key=key, standing=True, **said)

    def told(self, key: str, error: LullError | None) -> None:
        """As it stands now; None: it works."""
        if error is None:
            self.went(key)
        else:
            self.came(key, error)

    def went(self, key: str) -> None:
        said = self._standing.pop(key, None)
        if said is not None:
            log.info("no longer: %s", said["title"])
            self._bus.tell(EventKind.PROBLEM, key=key, standing=False, **said)

    def of(self, key: str) -> dict[str, str] | None:
        return self._standing.get(key)

    def standing(self) -> list[dict[str, str]]:
        return list(self._standing.values())
