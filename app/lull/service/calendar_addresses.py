"""The addresses of calendars, which are passwords: kept in the secret store, held in memory while
Lull runs, and nowhere else.

They are held so that a keychain which locks itself at night does not take the calendars with it.
Where an address would be forgotten at the next start it is refused, in words, and never put
somewhere else instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lull.core.errors import LullError, SecretsError
from lull.core.ports import SecretStore

_LASTING = ("keychain", "file")
"""Kinds of secret store that still know a secret after a restart."""

Open = Callable[[], tuple[SecretStore, LullError | None]]
"""The best store there is, and what is wrong with it. Blocks for seconds."""


class Addresses:
    def __init__(self, secrets: Open) -> None:
        self._open = secrets
        self._store: SecretStore | None = None
        self._held: dict[str, str] = {}
        """Feed id → address."""

    async def ready(self) -> None:
        """Raises SecretsError where an address could not be kept."""
        store, problem = await self._opened()
        if store.kind not in _LASTING:
            why = problem.detail if problem is not None else "There is no keychain."
            raise SecretsError(
                f"A calendar's address is a password and needs a keychain. {why}",
                hint="Unlock or install one; or `lull settings set secrets.file_fallback true`"
                " keeps it in a file that only you can read; or add a file instead of an address.",
            )

    async def keep(self, feed: str, address: str) -> None:
        """Raises SecretsError."""
        await self.ready()
        store, _ = await self._opened()
        await asyncio.to_thread(store.set, _name(feed), address)
        self._held[feed] = address

    async def get(self, feed: str) -> str:
        """Raises SecretsError."""
        if feed not in self._held:
            store, problem = await self._opened()
            found = await asyncio.to_thread(store.get, _name(feed))
            if not found:
                why = f" {problem.detail}" if problem is not None else ""
                raise SecretsError(
                    f"The address of this calendar cannot be had from the keychain now.{why}",
                    hint="Unlock the keychain; or remove the calendar and add it again.",
                )
            self._held[feed] = found
        return self._held[feed]

    async def forget(self, feed: str) -> LullError | None:
        """Take it out; what stood in the way where that could not be done."""
        self._held.pop(feed, None)
        try:
            store, problem = await self._opened()
            await asyncio.to_thread(store.delete, _name(feed))
        except SecretsError as error:
            problem = error
            store = None
        if store is not None and store.kind in _LASTING:
            return None
        why = problem.detail if problem is not None else "There is no keychain."
        return SecretsError(
            f"The calendar is removed, but its address may still lie in the keychain. {why}",
            hint=f"Its entry there is called {_name(feed)}.",
        )

    async def _opened(self) -> tuple[SecretStore, LullError | None]:
        """Opened once it is a lasting one; before, each time anew: it may be unlocked meanwhile."""
        if self._store is not None:
            return self._store, None
        store, problem = await asyncio.to_thread(self._open)
        if store.kind in _LASTING:
            self._store = store
        return store, problem


def _name(feed: str) -> str:
    return f"calendar.{feed}"
