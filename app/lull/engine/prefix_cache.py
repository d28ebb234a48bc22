"""Reuses the KV cache of prompt beginnings, because a chat resends its whole history on each turn.

Only a whole number of prefill slices is reused. Slices always start at the prompt's first token,
so a hit continues exactly where a computation without the cache would be: it saves time and
changes no bit of the answer. The adapter is part of the key, so versions share no values.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from mlx_lm.models.cache import KVCache, RotatingKVCache

from lull.engine.adapters import LoadedAdapter

PrefixKey = tuple[int, tuple[int, ...]]


class PrefixCache:
    """Stores the KV caches of prompt beginnings for reuse, up to a limit in bytes; the least
    recently used are removed first.
    """

    def __init__(self, *, slice_tokens: int, most_bytes: int) -> None:
        self._slice = slice_tokens
        self._most_bytes = most_bytes
        self._entries: OrderedDict[PrefixKey, Any] = OrderedDict()

    def longest(
        self, adapter: LoadedAdapter | None, prompt: Sequence[int]
    ) -> tuple[int, Any] | None:
        """Find the longest stored beginning of a prompt; return (tokens covered, a copy of its KV
        cache).
        """
        prompt = tuple(prompt)
        best, best_key = 0, None
        for key in self._entries:
            covered = self._covered(key, adapter, prompt)
            if covered > best:
                best, best_key = covered, key
        if best_key is None:
            return None
        self._entries.move_to_end(best_key)
        # This copies the arrays' handles; MLX copies the data when either is written.
        cache = copy.deepcopy(self._entries[best_key])
        for layer in cache if best < len(best_key[1]) else ():
            layer.trim(len(best_key[1]) - best)
        return best, cache

    def keep(self, adapter: LoadedAdapter | None, tokens: Sequence[int], cache: Any) -> None:
        """Store the KV cache of a prompt's beginning, whose length in tokens is a multiple of the
        prefill slice (the number of prompt tokens processed in one go).
        """
        key = (_serial(adapter), tuple(tokens))
        size = len(key[1])
        for other in list(self._entries):
            covers = other[0] == key[0] and other[1] == key[1][: len(other[1])]
            if covers and (len(other[1]) == size or _can_trim(cache)):
                del self._entries[other]
        self._entries[key] = copy.deepcopy(cache)
        while self._entries and self._bytes() > self._most_bytes:
            self._entries.popitem(last=False)

    def forget(self) -> None:
        """Remove all entries (KV caches of prompt beginnings)."""
        self._entries.clear()

    def _bytes(self) -> int:
        return sum(layer.nbytes for cache in self._entries.values() for layer in cache)

    def _covered(
        self, key: PrefixKey, adapter: LoadedAdapter | None, prompt: tuple[int, ...]
    ) -> int:
        serial, tokens = key
        if serial != _serial(adapter):
            return 0
        covered = 0
        # The prompt's last token is always computed again: it gives the first logits.
        while covered + self._slice <= min(len(tokens), len(prompt) - 1) and (
            tokens[covered : covered + self._slice] == prompt[covered : covered + self._slice]
        ):
            covered += self._slice
        whole = covered == len(tokens) or _can_trim(self._entries[key])
        return covered if whole else 0


def _serial(adapter: LoadedAdapter | None) -> int:
    return 0 if adapter is None else adapter.serial


def _can_trim(cache: Any) -> bool:
    """Whether the cache can be trimmed exactly.

    True only for two known kinds; others report that they can be trimmed but are not exact.
    """
    return all(
        type(layer) in (KVCache, RotatingKVCache) and layer.is_trimmable() for layer in cache
    )
