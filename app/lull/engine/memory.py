"""How much memory the engine takes, and what it does at the limit.

MLX's limits are its own to keep: it frees cached buffers rather than pass them. Requests are
ours: while the limit is near, a new one waits until another has ended. One alone is always
served. On a Mac a Metal allocation that fails ends the process, and the service starts it again.
"""

from __future__ import annotations

import mlx.core as mx
import psutil

from lull.contract.engine_frames import MemoryLimits

_MB = 1024 * 1024
_NEARLY = 0.9


class Memory:
    def __init__(self, limits: MemoryLimits) -> None:
        self._limit: int | None = None
        self._process = psutil.Process()
        self.set(limits)

    def set(self, limits: MemoryLimits) -> None:
        if limits.memory_mb is not None:
            self._limit = limits.memory_mb * _MB
            mx.set_memory_limit(self._limit)
        if limits.cache_mb is not None:
            mx.set_cache_limit(limits.cache_mb * _MB)
        if limits.wired_mb is not None and mx.metal.is_available():
            mx.set_wired_limit(limits.wired_mb * _MB)

    def has_room(self) -> bool:
        return self._limit is None or mx.get_active_memory() < self._limit * _NEARLY

    def used_mb(self) -> float:
        """Metal's buffers are not always part of the resident size, so the larger one counts."""
        ours = mx.get_active_memory() + mx.get_cache_memory()
        return float(max(self._process.memory_info().rss, ours) / _MB)
