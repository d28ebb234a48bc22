"""Handles `lull settings`: lists all settings, or validates and changes one.

A running service reports which changes need a restart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import fields
from pathlib import Path
from typing import Any

from lull.config.files import describe_settings, read, set_value
from lull.config.idle_settings import IdleSettings
from lull.config.learning import GuardSettings, JudgeSettings, ReviewSettings, WriterSettings
from lull.config.settings import Settings
from lull.config.training import TrainingSettings
from lull.contract.json_object import Json
from lull.core.errors import UsageError
from lull.core.skills.skill_ranking import RetrievalRule


def _keys(group: str, kind: type[Any], *, but: Collection[str] = ()) -> frozenset[str]:
    return frozenset(f"{group}.{one.name}" for one in fields(kind) if one.name not in but)


LIVE_KEYS = (
    _keys("skills", RetrievalRule)
    # The idle source is opened once, at the start.
    | _keys("idle", IdleSettings, but={"source"})
    | _keys("judge", JudgeSettings)
    | _keys("writer", WriterSettings)
    | _keys("review", ReviewSettings)
    | _keys("guard", GuardSettings)
    # `serve` is read when a model is loaded, the two limits at the start.
    | _keys("training", TrainingSettings, but={"serve", "memory_share", "suspend_kill_after_s"})
    | {"learning.quiet_s", "service.enabled", "upstream.probe_every_s"}
)
"""Settings that take effect without a restart, because their current value is used each time."""


class SettingsRequests:
    """Reads and changes the settings file for the control API and the command line."""

    def __init__(self, path: Path, *, apply: Callable[[Settings], None] | None = None) -> None:
        """The callback `apply` is called with all settings after one was changed."""
        self._path = path
        self._apply = apply
        self._one_change = asyncio.Lock()

    async def handle(self, wanted: Json | None) -> Json:
        """Return all settings if `wanted` is None; else change the one that it names, as `{"key",
        "value"}`. Raises LullError.
        """
        if wanted is None:
            return self._view(await asyncio.to_thread(read, self._path))
        key, value = wanted.get("key"), wanted.get("value")
        if not isinstance(key, str) or not isinstance(value, str):
            raise UsageError("“key” and “value” must be texts.")
        async with self._one_change:
            settings = await asyncio.to_thread(set_value, self._path, key, value)
        if self._apply is not None:
            self._apply(settings)
        changed = next(s for s in self._view(settings)["settings"] if s["key"] == key)
        at_once = self._apply is None or key in LIVE_KEYS
        return {**changed, "restart_needed": not at_once}

    def _view(self, settings: Settings) -> Json:
        return {
            "file": str(self._path),
            "settings": [
                {
                    "key": item.key,
                    "value": item.value,
                    "default": item.default,
                    "reason": item.reason,
                    "allowed": item.allowed,
                }
                for item in describe_settings(settings)
            ],
        }
