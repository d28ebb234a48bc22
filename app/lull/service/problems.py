"""What is wrong now, for the status line: each problem is logged once when it comes and once when
it goes, and shown as long as it stands."""

from __future__ import annotations

import logging

from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.service.bus import Bus

log = logging.getLogger(__name__)


class Problems:
    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._standing: dict[str, dict[str, str]] = {}

    def came(self, key: str, error: LullError) -> None:
        said = error.as_dict()
        if self._standing.get(key) != said:
            self._standing[key] = said
            log.warning("%s", error)
            self._bus.tell(EventKind.PROBLEM, key=key, standing=True, **said)

    def went(self, key: str) -> None:
        said = self._standing.pop(key, None)
        if said is not None:
            log.info("no longer: %s", said["title"])
            self._bus.tell(EventKind.PROBLEM, key=key, standing=False, **said)

    def standing(self) -> list[dict[str, str]]:
        return list(self._standing.values())
