"""Publishes a trained adapter to Ollama: a copy of the model with the adapter merged into its
weights, under a name of its own.

The steps are merge, upload, create, compare with the base model in everything but the weights, and
test; only then may requests go to the copy. Each step is recorded before the next begins and can be
repeated, so an interrupted publication continues with the same version number. Models in Ollama
that Lull did not make are never changed or removed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from lull.core.adapters.published import (
    FEWEST_PROMPTS,
    LOGPROBS_COMPARED,
    TEST_PROMPTS,
    Agreement,
    PublishedStatus,
    PublishedVersion,
    gap_between,
)
from lull.core.chat.model_name import canonical
from lull.core.errors import LullError, WeightsError
from lull.core.models.ollama_model import (
    ShownModel,
    create_body,
    differing_fields,
    is_published,
    next_number,
    published_name,
)
from lull.core.models.weight_work import ModelStore, NextToken, WeightFiles, WeightWork
from lull.core.ports import Clock
from lull.store.adapters.merged_files import MergedFiles
from lull.store.adapters.published import PublishedVersions


class PublishStep(StrEnum):
    """A step of publishing an adapter to Ollama, for progress messages."""

    MERGING = "merging"
    UPLOADING = "uploading"
    CREATING = "creating"
    TESTING = "testing"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterToPublish:
    """An adapter to publish: its version, its folder, and the sha256 of its base weights."""

    sha256: str
    """The adapter's sha256; recorded turns answered by this adapter carry it."""
    folder: str
    base: str
    """sha256 of the file that the base weights were read from."""


Says = Callable[[str, str | None], Awaitable[NextToken]]
"""Has Lull's own engine generate the next token.

Called with (prompt, adapter's sha256 or None for the base).
"""
TellsStep = Callable[[PublishStep, int, int], None]
"""Reports progress: (step, bytes done, bytes in all); 0 and 0 where bytes do not apply."""


class NamesVersions(Protocol):
    """Interface that redirects requests for a model to the copy of it, with an adapter merged in,
    that Lull has published to Ollama.
    """

    def set_versions(self, versions: Iterable[PublishedVersion]) -> None:
        """Replace the list of the copies of models, with an adapter merged in, that are published
        to Ollama; only those that have passed their test get requests.
        """


class Publish:
    """Publishes adapters to Ollama as copies of a model with the adapter merged in, and removes
    such copies, one at a time.
    """

    def __init__(
        self,
        *,
        store: ModelStore,
        work: WeightWork,
        versions: PublishedVersions,
        weights: WeightFiles,
        files: MergedFiles,
        clock: Clock,
        names: NamesVersions,
    ) -> None:
        """`files` are the files into which adapters are merged, and `names` sends requests to the
        published versions.
        """
        self._store = store
        self._work = work
        self._versions = versions
        self._weights = weights
        self._files = files
        self._clock = clock
        self._names = names
        self._one_at_a_time = asyncio.Lock()

    async def prepare(
        self,
        model: str,
        learnt: AdapterToPublish,
        *,
        says: Says,
        tell: TellsStep = lambda _step, _done, _of: None,
    ) -> PublishedVersion:
        """Publish an adapter of `model` to Ollama, or return the published version if there is one
        already.

        `says` generates a token with Lull's own engine, to test the copy; `tell` reports progress.
        Raises WeightsError, NotFound, UpstreamDown; routing does not change.
        """
        async with self._one_at_a_time:
            base = await self._store.show(model)
            if is_published(model):
                raise WeightsError(f"{model} is a published version itself.")
            if base.blob_sha256 != learnt.base:
                raise WeightsError(
                    f"In Ollama, {model} is no longer the model that learned.",
                    hint=f"`lull model choose {model}` lets the new one learn.",
                )
            version = await self._begun(base, learnt)
            if version.status is PublishedStatus.MAKING:
                version = await self._made(base, version, learnt, tell)
            if version.status is PublishedStatus.MADE:
                version = await self._tested(base, version, learnt, says, tell)
            return version

    async def keep_only(self, model: str, adapters: Collection[str]) -> None:
        """Remove from Ollama the copies of the model that Lull published, except those with one of
        these adapters (sha256) merged in.

        A removal that fails is tried again at the next call.
        """
        async with self._one_at_a_time:
            for version in await self._all(model):
                failed = version.status is PublishedStatus.FAILED
                gone = version.status is PublishedStatus.REMOVED
                if not gone and (failed or version.adapter not in adapters):
                    with contextlib.suppress(LullError):
                        await self._remove(version)

    # The steps, in order

    async def _begun(self, base: ShownModel, learnt: AdapterToPublish) -> PublishedVersion:
        """Return the unfinished or finished version for the same weights, or a new one."""
        versions = await self._all(base.name)
        for version in reversed(versions):
            same = (version.adapter, version.base) == (learnt.sha256, base.blob_sha256)
            if same and version.status is PublishedStatus.MAKING:
                return version
            alive = (PublishedStatus.MADE, PublishedStatus.READY)
            if same and version.status in alive and await self._in_ollama(version.name):
                return version
        names = [one.name for one in await self._store.listed()]
        recorded = await asyncio.to_thread(self._versions.names)
        number = next_number(base.name, [*names, *recorded])
        fresh = PublishedVersion(
            model=canonical(base.name),
            number=number,
            name=published_name(base.name, number),
            adapter=learnt.sha256,
            base=base.blob_sha256,
            status=PublishedStatus.MAKING,
            at=self._clock.now(),
        )
        return await self._put(fresh)

    async def _made(
        self, base: ShownModel, version: PublishedVersion, learnt: AdapterToPublish, tell: TellsStep
    ) -> PublishedVersion:
        blob = str(await asyncio.to_thread(self._weights.readable_blob, base))
        out = self._files.path_for(version.name)
        try:
            merged = await self._work.merge(
                blob, learnt.folder, out, lambda done, of: tell(PublishStep.MERGING, done, of)
            )
            digest = f"sha256:{merged.sha256}"
            if not await self._store.has_blob(digest):
                await self._store.upload(
                    digest, out, lambda done, of: tell(PublishStep.UPLOADING, done, of)
                )
            tell(PublishStep.CREATING, 0, 0)
            await self._store.create(create_body(version.name, digest, base.create_fields))
        finally:
            await asyncio.to_thread(self._files.remove, out)
        return await self._compared(base, version)

    async def _compared(self, base: ShownModel, version: PublishedVersion) -> PublishedVersion:
        made = await self._store.show(version.name)
        other = list(differing_fields(base.create_fields, made.create_fields))
        if sorted(base.capabilities) != sorted(made.capabilities):
            other.append("capabilities")
        if other:
            raise await self._refused(version, f"The copy differs in: {', '.join(other)}.")
        return await self._put(replace(version, status=PublishedStatus.MADE))

    async def _tested(
        self,
        base: ShownModel,
        version: PublishedVersion,
        learnt: AdapterToPublish,
        says: Says,
        tell: TellsStep,
    ) -> PublishedVersion:
        """Compare next-token probabilities of Ollama and Lull's engine.

        For the published version they must agree as well as they do for the base.
        """
        tell(PublishStep.TESTING, 0, 0)
        gaps = await self._gaps(version.name, says, learnt.sha256)
        base_gaps = await self._gaps(base.name, says, None)
        agreement = Agreement(
            gap=max(gaps, default=0.0),
            base_gap=max(base_gaps, default=0.0),
            prompts=min(len(gaps), len(base_gaps)),
        )
        version = replace(version, agreement=agreement, why=agreement.text)
        if agreement.prompts < FEWEST_PROMPTS:
            raise await self._refused(version, "Ollama cuts text into other tokens than we do.")
        if not agreement.holds:
            raise await self._refused(version, f"It does not say what was trained: {version.why}.")
        return await self._put(replace(version, status=PublishedStatus.READY))

    async def _gaps(self, name: str, says: Says, adapter: str | None) -> list[float]:
        found = []
        for prompt in TEST_PROMPTS:
            theirs = await self._store.next_token(name, prompt, most=LOGPROBS_COMPARED)
            if theirs is None:
                continue  # for half a character or the end token Ollama gives no probabilities
            gap = gap_between(theirs, await says(prompt, adapter))
            if gap is not None:
                found.append(gap)
        return found

    # Failures and rows

    async def _refused(self, version: PublishedVersion, why: str) -> WeightsError:
        failed = await self._put(replace(version, status=PublishedStatus.FAILED, why=why))
        with contextlib.suppress(LullError):
            await self._remove(failed)
        return WeightsError(
            f"{version.name} may not answer. {why}",
            hint="The model that answered before still answers.",
        )

    async def _remove(self, version: PublishedVersion) -> None:
        """Take a version out of routing, then delete it from Ollama."""
        await self._put(replace(version, status=PublishedStatus.REMOVED))
        try:
            await self._store.delete(version.name)
        except LullError:
            await self._put(version)
            raise

    async def _put(self, version: PublishedVersion) -> PublishedVersion:
        await self._versions.put(version)
        self._names.set_versions(self._versions.all())
        return version

    async def _all(self, model: str) -> tuple[PublishedVersion, ...]:
        return await asyncio.to_thread(self._versions.all, model)

    async def _in_ollama(self, name: str) -> bool:
        return any(canonical(one.name) == canonical(name) for one in await self._store.listed())
