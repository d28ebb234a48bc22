"""Keeps the addresses of calendar feeds, which are secrets, in the secret store and in memory only.

They stay in memory so that a keychain that locks itself at night does not disable the calendars. If
the secret store would forget an address at the next start, it is refused with an explanation
instead of being stored elsewhere.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Protocol

from lull.core.errors import LullError, SecretsError
from lull.core.ports import SecretStore

_LASTING_KINDS = ("keychain", "file")
"""Kinds of secret store that keep secrets across restarts."""


class OpensSecrets(Protocol):
    """Interface that opens the best available secret store."""

    def open(self, *, wait: bool = False) -> tuple[SecretStore, LullError | None]:
        """Return the secret store and any problem with it. Blocking, for seconds.

        With `wait`, it waits longer, for a user who is there to answer the keychain's prompt.
        """


class Addresses:
    """Stores the addresses of calendar feeds, which are secrets, in the secret store and caches
    them in memory.
    """

    def __init__(self, secrets: OpensSecrets) -> None:
        self._secrets = secrets
        self._store: SecretStore | None = None
        self._held: dict[str, str] = {}
        """Address by feed id."""

    async def ready(self) -> None:
        """Check that the secret store keeps secrets across restarts, as a calendar feed's address
        needs. Raises SecretsError if not.

        The user has just asked to add a feed, so this waits until they have answered the keychain's
        prompt.
        """
        store, problem = await self._opened(wait=True)
        if store.kind not in _LASTING_KINDS:
            why = problem.detail if problem is not None else "There is no keychain."
            raise SecretsError(
                f"A calendar's address is a password and needs a keychain. {why}",
                hint="Unlock or install one; or `lull settings set secrets.file_fallback true`"
                " keeps it in a file that only you can read; or add a file instead of an address.",
            )

    async def keep(self, feed: str, address: str) -> None:
        """Store a calendar feed's address in the secret store. Raises SecretsError."""
        await self.ready()
        store, _ = await self._opened()
        await asyncio.to_thread(store.set, _name(feed), address)
        self._held[feed] = address

    async def get(self, feed: str) -> str:
        """Return a calendar feed's address. Raises SecretsError."""
        if feed not in self._held:
            store, problem = await self._opened()
            found = await asyncio.to_thread(store.get, _name(feed))
            if not found:
                why = f" {problem.detail}" if problem is not None else ""
                raise SecretsError(
                    f"The address of this calendar can't be read from the keychain now.{why}",
                    hint="Unlock the keychain; or remove the calendar and add it again.",
                )
            self._held[feed] = found
        return self._held[feed]

    async def forget(self, feed: str) -> LullError | None:
        """Delete a calendar feed's address; returns the error if it may still be in the secret
        store.
        """
        self._held.pop(feed, None)
        try:
            store, problem = await self._opened()
            await asyncio.to_thread(store.delete, _name(feed))
        except SecretsError as error:
            problem = error
            store = None
        if store is not None and store.kind in _LASTING_KINDS:
            return None
        why = problem.detail if problem is not None else "There is no keychain."
        return SecretsError(
            f"The calendar is removed, but its address may still be in the keychain. {why}",
            hint=f"Its entry there is called {_name(feed)}.",
        )

    async def _opened(self, *, wait: bool = False) -> tuple[SecretStore, LullError | None]:
        """Return the secret store; it is opened again on each call until a lasting one opens, for
        example once it is unlocked.
        """
        if self._store is not None:
            return self._store, None
        if wait:
            store, problem = await _in_daemon(partial(self._secrets.open, wait=True))
            if store.kind not in _LASTING_KINDS:
                return store, problem
        # Unlocked now, it answers at once; from here on it is not waited for.
        store, problem = await asyncio.to_thread(self._secrets.open)
        if store.kind in _LASTING_KINDS:
            self._store = store
        return store, problem


async def _in_daemon(
    open_: Callable[[], tuple[SecretStore, LullError | None]],
) -> tuple[SecretStore, LullError | None]:
    """Open the store in a thread that does not hold up the service's end, as a prompt that nobody
    answers would."""
    answer: Future[tuple[SecretStore, LullError | None]] = Future()

    def work() -> None:
        try:
            answer.set_result(open_())
        except Exception as error:  # noqa: BLE001 - passed to the caller, who knows them
            answer.set_exception(error)

    threading.Thread(target=work, name="keychain", daemon=True).start()
    return await asyncio.wrap_future(answer)


def _name(feed: str) -> str:
    return f"calendar.{feed}"
