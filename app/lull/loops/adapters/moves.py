"""Changes which LoRA adapter answers a model's requests: loads the adapter, updates the database
row, and then the routing of requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Protocol

from lull.core.adapters.adapter import BASE, AdaptersInForce, AdapterVersion, Arm, Shadow
from lull.core.errors import AdapterError, EngineError, LullError, UpstreamDown
from lull.loops.adapters.needed_adapters import files_not_needed, versions_needed
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.disk.uninterrupted import uninterrupted


class AdapterHost(Protocol):
    """Interface of the inference engine that serves models, each with one or more LoRA adapters."""

    def digest(self, model: str) -> str | None:
        """Return the digest of the base weights of the model served under this name.

        None if no such model is served.
        """

    async def load(self, version: AdapterVersion, folder: Path) -> None:
        """Load one more adapter version into the engine, and generate one answer with it as a test.

        Raises EngineError, UpstreamDown where Ollama loads it and is away, and RequestError for an
        adapter that does not fit the model.
        """

    def expect(self, version: AdapterVersion, folder: Path) -> None:
        """Register an adapter that the engine is to load before it is first needed.

        Does not start the engine.
        """

    def route(self, model: str, active: Arm, shadow: Shadow | None) -> None:
        """Have new requests to a model answered by the `active` adapter, and a share of new
        conversations by the `shadow` adapter (None: no second adapter), from now on. Never waits.
        """

    async def keep_only(self, model: str, versions: Sequence[str]) -> None:
        """Unload every adapter version of a model except these; answers in progress keep the
        adapter that they began with.
        """


class SwitchAdapters:
    """Loads adapters into the engine, switches between them, and unloads those that are not
    needed.
    """

    def __init__(
        self,
        adapters: Adapters,
        files: AdapterFiles,
        *,
        host: AdapterHost,
        tell: Callable[[AdapterVersion], None],
    ) -> None:
        """`host` is the engine that loads adapters. After each change `tell` is called with the
        adapter that is active now, and with the one on trial.
        """
        self._adapters = adapters
        self._files = files
        self._host = host
        self._tell = tell
        self.examined: str | None = None
        """The adapter that is being tested in the gate, which stays loaded whatever
        else changes.
        """

    def why_unusable(self, version: AdapterVersion) -> str:
        """Return the reason why an adapter version cannot be used (damaged files, or the model has
        other base weights now); "" if it can be used. Blocking.

        Damaged files are replaced where the training run's folder has the same ones. Raises
        UnreadableAdapter if they cannot be read now.
        """
        digest = self._host.digest(version.base_model)
        if digest is not None and digest != version.base_digest:
            return f"the weights of {version.base_model} are others now"
        return self._files.mend(version.id, version.sha256, version.run)

    async def check_usable(self, version: AdapterVersion) -> None:
        """Check that an adapter version can be used; raise AdapterError if its files are damaged or
        it was trained on other base weights.
        """
        wrong = await asyncio.to_thread(self.why_unusable, version)
        if wrong:
            raise AdapterError(f"{version.id} cannot be used: {wrong}", hint="Train it again.")

    async def load(self, version: AdapterVersion) -> None:
        """Load an adapter version into the engine beside the ones that serve. Raises AdapterError;
        EngineError or UpstreamDown if the engine or Ollama does not answer, which says nothing
        about the adapter.
        """
        try:
            await self._host.load(version, self._files.folder(version.id))
        except (EngineError, UpstreamDown):
            raise
        except LullError as error:
            raise AdapterError(
                f"{version.id} cannot be used: {error.detail}", hint=error.hint
            ) from error

    async def move(self, change: Coroutine[object, object, AdaptersInForce]) -> AdaptersInForce:
        """Change which adapter of a model is active: await `change`, which updates the database,
        then route requests accordingly, and unload adapters that are not needed.

        The change is carried out even if the caller is cancelled.
        """
        return await uninterrupted(self._carried_out(change))

    async def _carried_out(
        self, moved: Coroutine[object, object, AdaptersInForce]
    ) -> AdaptersInForce:
        force = await moved
        await self._follow(force)
        return force

    async def _follow(self, force: AdaptersInForce) -> None:
        """Route requests to the active adapter after a change, and unload adapters that are not
        needed.
        """
        self.route(force)
        for adapter in (force.active, force.shadow):
            if adapter is not None:
                self._tell(self._adapters.get(adapter))
        await self.unload_unneeded(force.model)
        await asyncio.to_thread(self._prune, force)

    def route(self, force: AdaptersInForce) -> None:
        """Route new requests of a model to its active adapter, and a share of new conversations to
        the adapter that is on trial or kept for comparison. `force` says which adapters these are.
        """
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

    async def unload_unneeded(self, model: str) -> None:
        """Unload those adapters of a model from the engine that answer no requests, are not being
        tested, and would not be needed for a rollback.
        """
        examined = (self.examined,) if self.examined is not None else ()
        await self._host.keep_only(model, versions_needed(self._adapters, model, examined))

    def _prune(self, force: AdaptersInForce) -> None:
        for adapter in files_not_needed(self._adapters, force):
            self._files.remove(adapter)
