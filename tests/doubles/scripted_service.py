"""The service of a data folder of which a test says whether it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lull.cli.process.window import ServiceOfHome


@dataclass(frozen=True, slots=True)
class ScriptedService(ServiceOfHome):
    """Implements ServiceAccess; everything but whether it runs is as in the real one."""

    running: Callable[[], bool] = lambda: True

    def is_running(self) -> bool:
        return self.running()

    def has_fallen(self) -> bool:
        return False
