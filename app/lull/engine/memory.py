"""Limits the memory use of the inference engine.

MLX keeps its own limits by freeing cached buffers. Near the limit a new request waits until another
has ended, but a single request is always served. On a Mac a failed Metal allocation ends the
process, and the service restarts it.
"""

from __future__ import annotations

import mlx.core as mx
import psutil

from lull.contract.engine_frames import MemoryLimits

_MB = 1024 * 1024
_FULL_SHARE = 0.9
"""Share of the memory limit above which no further request starts."""


class EngineMemory:
    """Sets the inference engine's memory limits and measures how much memory it uses."""

    def __init__(self, limits: MemoryLimits) -> None:
        self._limit: int | None = None
        self._process = psutil.Process()
        self.set(limits)

    def set(self, limits: MemoryLimits) -> None:
        """Apply new memory limits to the inference engine; those that are None stay as they are."""
        if limits.memory_mb is not None:
            self._limit = limits.memory_mb * _MB
            mx.set_memory_limit(self._limit)
        if limits.cache_mb is not None:
            mx.set_cache_limit(limits.cache_mb * _MB)
        if limits.wired_mb is not None and mx.metal.is_available():
            mx.set_wired_limit(limits.wired_mb * _MB)

    def has_room(self) -> bool:
        """Whether the inference engine has enough memory for another request."""
        return self._limit is None or mx.get_active_memory() < self._limit * _FULL_SHARE

    def used_mb(self) -> float:
        """Return the memory that the inference engine uses, in MiB.

        Metal's buffers are not always part of the resident size, so this is the larger of the two.
        """
        ours = mx.get_active_memory() + mx.get_cache_memory()
        return float(max(self._process.memory_info().rss, ours) / _MB)
