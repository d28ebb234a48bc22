"""Creates the network token, which other machines must send with their requests, keeps it in the
secret store, and deletes it from there.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import LullError, SecretsError
from lull.service.wiring.together import open_secrets
from lull.store.sqlite.database import Database
from lull.store.sqlite.named_texts import NamedTexts

TOKEN = "network-token"
"""Name under which the network token is kept in the secret store."""

_KEYCHAIN = "keychain"


async def network_token(settings: Settings, paths: Paths) -> tuple[str, str, LullError | None]:
    """Return the network token ("" where none is needed), the kind of store that keeps it, and any
    problem with that store.

    A loopback-only service needs no token and asks no keychain.
    """
    needed = settings.service.needs_token
    if not needed and not settings.secrets.file_fallback:
        return "", "", None
    store, worry = await asyncio.to_thread(open_secrets, settings, paths)
    if not needed:
        return "", "", worry
    token = await asyncio.to_thread(store.get, TOKEN)
    if not token:
        token = secrets.token_urlsafe(24)
        await asyncio.to_thread(store.set, TOKEN, token)
    return token, store.kind, worry


async def note_keychain_use(database: Database, kind: str) -> None:
    """Record in the database that the network token is kept in the keychain, if `kind` says so.

    This is needed later: when the token is to be deleted, the keychain may be locked or missing.
    """
    if kind == _KEYCHAIN:
        await NamedTexts(database).put(TOKEN, kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredToken:
    """The network token in the secret store; implements ForgetsToken."""

    settings: Callable[[], Settings]
    paths: Paths
    database: Database

    async def forget(self) -> None:
        """Delete the network token from the secret store.

        Raises SecretsError if it may still be in a keychain that cannot be opened now.
        """
        remembered = NamedTexts(self.database)
        where = await asyncio.to_thread(remembered.get, TOKEN)
        store, problem = await asyncio.to_thread(open_secrets, self.settings(), self.paths)
        await asyncio.to_thread(store.delete, TOKEN)
        if where == _KEYCHAIN and store.kind != _KEYCHAIN:
            why = problem.detail if problem is not None else "There is no keychain."
            raise SecretsError(
                f"The network token may still be in the keychain. {why}",
                hint=f"Its entry there is called {TOKEN}.",
            )
        if where:
            await remembered.put(TOKEN, "")
