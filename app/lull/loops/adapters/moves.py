"""Carries out moves of adapters: loads one, changes its row, and then the routing of requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Protocol

from lull.core.adapters.adapter import BASE, AdaptersInForce, AdapterVersion, Arm, Shadow
from lull.core.errors import AdapterError, EngineError, LullError
from lull.loops.adapters.kept import files_not_needed, versions_needed
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.uninterrupted import uninterrupted


class AdapterHost(Protocol):
    """Interface of the engine that serves models with adapters."""

    def digest(self, model: str) -> str | None:
        """Return the digest of the base weights of the model served under this name.

        None if no such model is served.
        """

    async def load(self, version: AdapterVersion, folder: Path) -> None:
        """Load another adapter version, and generate one answer with it as a test.

        Raises EngineError, and RequestError for one that does not fit.
        """

    def expect(self, version: AdapterVersion, folder: Path) -> None:
        """Register an adapter for the engine to load before it is first needed.

        Starts no engine.
        """

    def route(self, model: str, active: Arm, shadow: Shadow | None) -> None:
        """Have new requests to a model answered by these adapters from now on. Never waits."""

    async def keep_only(self, model: str, versions: Sequence[str]) -> None:
        """Unload every adapter version except these; answers in progress keep theirs."""


class AdapterMoves:
    """Loads adapters, switches between them, and lets go of those that are not needed."""

    def __init__(
        self,
        adapters: Adapters,
        files: AdapterFiles,
        *,
        host: AdapterHost,
        tell: Callable[[AdapterVersion], None],
    ) -> None:
        """`tell` is called for every adapter in force or on trial after a move."""
        self._adapters = adapters
        self._files = files
        self._host = host
        self._tell = tell
        self.examined: str | None = None
        """The adapter in the gate now, which stays loaded whatever else changes."""

    def unusable(self, version: AdapterVersion) -> str:
        """Return why a version cannot be used; "" if it can. Blocking."""
        digest = self._host.digest(version.base_model)
        if digest is not None and digest != version.base_digest:
            return f"the weights of {version.base_model} are others now"
        return self._files.damage(version.id, version.sha256)

    async def undamaged(self, version: AdapterVersion) -> None:
        """Raise AdapterError for a version that cannot be used."""
        wrong = await asyncio.to_thread(self.unusable, version)
        if wrong:
            raise AdapterError(f"{version.id} cannot be used: {wrong}", hint="Train it again.")

    async def load(self, version: AdapterVersion) -> None:
        """Load a version beside what is served. Raises AdapterError, EngineError."""
        try:
            await self._host.load(version, self._files.folder(version.id))
        except EngineError:
            raise
        except LullError as error:
            raise AdapterError(
                f"{version.id} cannot be used: {error.detail}", hint=error.hint
            ) from error

    async def move(self, moved: Coroutine[object, object, AdaptersInForce]) -> AdaptersInForce:
        """Change which adapter is in force, in the database and the routing; a caller that is
        cancelled does not stop this.
        """
        return await uninterrupted(self._carried_out(moved))

    async def _carried_out(
        self, moved: Coroutine[object, object, AdaptersInForce]
    ) -> AdaptersInForce:
        force = await moved
        await self._follow(force)
        return force

    async def _follow(self, force: AdaptersInForce) -> None:
        """Route requests to the adapter in force after a change, and unload adapters that are not
        needed.
        """
        self.route(force)
        for adapter in (force.active, force.shadow):
            if adapter is not None:
                self._tell(self._adapters.get(adapter))
        await self.let_go(force.model)
        await asyncio.to_thread(self._prune, force)

    def route(self, force: AdaptersInForce) -> None:
        """Route new requests to the adapters in force."""
        active = self._arm(force.active)
        shadow = None
        if force.shadow is not None:
            shadow = Shadow(id=force.shadow, arm=self._arm(force.shadow), share=force.share)
        elif force.active is not None and force.held_share:
            shadow = Shadow(
                id=force.active,
                arm=self._arm(force.held),
                share=force.held_share,
                over=active.version,
            )
        self._host.route(force.model, active, shadow)

    def _arm(self, adapter: str | None) -> Arm:
        if adapter is None:
            return BASE
        learned = frozenset(one.sha256 for one in self._adapters.learned(adapter))
        return Arm(version=self._adapters.get(adapter).sha256, learned=learned)

    async def let_go(self, model: str) -> None:
        """Unload the adapters of a model that are not needed."""
        examined = (self.examined,) if self.examined is not None else ()
        await self._host.keep_only(model, versions_needed(self._adapters, model, examined))

    def _prune(self, force: AdaptersInForce) -> None:
        for adapter in files_not_needed(self._adapters, force):
            self._files.remove(adapter)
