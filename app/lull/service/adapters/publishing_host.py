"""Serves LoRA adapters of models that Ollama answers for: merges each adapter into its model and
publishes the result to Ollama.

An adapter that is to answer users is published before requests are routed to it. An adapter that is
only loaded for its tests is not published.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lull.core.adapters.adapter import AdapterVersion, Arm, Shadow
from lull.loops.adapters.gate_answers import ComparedAdapters
from lull.loops.adapters.publish import AdapterToPublish, Publish
from lull.service.adapters.host import EngineHost
from lull.service.proxy.published_names import PublishedNames


class PublishingHost:
    """Serves LoRA adapters through Ollama: merges each adapter into its model and adds the merged
    model to Ollama; implements AdapterHost.
    """

    def __init__(
        self,
        engines: EngineHost,
        *,
        publish: Publish,
        names: PublishedNames,
        base_of: Callable[[str], str | None],
    ) -> None:
        """Take the parts; `base_of` returns the sha256 of a model's weights file, None if Ollama
        does not answer for that model.
        """
        self._engines = engines
        self._publish = publish
        self._names = names
        self._base_of = base_of

    def digest(self, model: str) -> str | None:
        return self._engines.digest(model)

    async def load(self, version: AdapterVersion, folder: Path) -> None:
        await self._engines.load(version, folder)
        model = version.base_model
        base = self._base_of(model)
        if base is not None:
            await self._publish.prepare(
                model,
                AdapterToPublish(sha256=version.sha256, folder=str(folder), base=base),
                says=lambda prompt, adapter: self._engines.next_token(model, prompt, adapter),
            )

    def expect(self, version: AdapterVersion, folder: Path) -> None:
        self._engines.expect(version, folder)

    def route(self, model: str, active: Arm, shadow: Shadow | None) -> None:
        self._engines.route(model, active, shadow)
        if self._by_ollama(model):
            self._names.route(model, active, shadow)

    async def keep_only(self, model: str, versions: Sequence[str]) -> None:
        await self._engines.keep_only(model, versions)
        if self._by_ollama(model):
            await self._publish.keep_only(model, versions)

    def _by_ollama(self, model: str) -> bool:
        """Whether Ollama answers for a model, even if it no longer learns."""
        if self._base_of(model) is not None:
            return True
        return self.digest(model) is None and self._names.has_versions(model)

    async def load_for_comparison(self, version: AdapterVersion, folder: Path) -> ComparedAdapters:
        """Load an adapter into Lull's own engine beside the one in use, to compare both."""
        return await self._engines.load_for_comparison(version, folder)
