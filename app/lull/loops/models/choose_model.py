"""Lists the models that can be trained, and prepares a chosen model's weights for training with
MLX.

Choosing a model here only puts its weights in place; the caller writes its name into the settings.
The preparation may be stopped at any moment, and continues where it was when started again.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from lull.core.chat.model_name import canonical
from lull.core.errors import CannotLearn, LullError, NotFound, UpstreamDown, WeightsError
from lull.core.models.learnable import (
    GB,
    HYBRIDS,
    Learnable,
    Machine,
    ModelSize,
    learnability,
    needs_gb,
    too_large,
)
from lull.core.models.ollama_model import ListedModel, ShownModel
from lull.core.models.weight_work import (
    AdoptableFolder,
    ModelStore,
    WeightFiles,
    WeightFolders,
    WeightWork,
)
from lull.core.ports import Clock

MODELS_AT_ONCE: Final = 8
"""Most models that Ollama is asked about at the same time."""
MODEL_TYPES: Final = ("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text")
"""Model types that can be trained from an MLX folder; they are the same for Ollama's models."""


class ChoosingStage(StrEnum):
    """A stage of preparing the model that the user chose to be trained, for progress messages."""

    LOOKING = "looking"
    MAKING = "making"
    READY = "ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosingProgress:
    """How far the preparation of the model that the user chose to be trained has come: the stage,
    bytes done, bytes in all, and seconds left.
    """

    stage: ChoosingStage
    done_bytes: int = 0
    of_bytes: int = 0
    left_s: float | None = None
    """Estimated seconds until the model is prepared; None while the speed is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedModel:
    """The model that the user chose to be trained, with its weights ready."""

    name: str
    """Value to store in the setting `training.model`: Ollama's name, or a folder's given name."""
    folder: str
    """Folder of the MLX weights."""
    learnable: Learnable


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltInModel:
    """A model that ships with Lull, with the folder of its weights and the function that prepares
    them.
    """

    name: str
    folder: str
    size: ModelSize
    architecture: str
    prepare: Callable[[], Awaitable[object]]
    """Makes the model's weights unless they are there. Raises LullError."""
    is_listed: bool = True
    """Whether the model is listed though it is not the chosen one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelListing:
    """The list of models on this machine, each with whether it can be trained, and the error if
    Ollama's models could not be listed.
    """

    models: tuple[Learnable, ...]
    problem: LullError | None = None
    """Why Ollama's models are missing from the list; None if they are not."""


class ChooseModel:
    """Lists the models on this machine that can be trained, and prepares the weights of the one
    that the user chooses.
    """

    def __init__(
        self,
        *,
        store: ModelStore,
        work: WeightWork,
        folders: WeightFolders,
        files: WeightFiles,
        machine: Machine,
        built_in: Sequence[BuiltInModel],
        clock: Clock,
    ) -> None:
        self._store = store
        self._work = work
        self._folders = folders
        self._files = files
        self._machine = machine
        self._built_in = built_in
        self._clock = clock

    async def list(self, chosen: str = "") -> ModelListing:
        """List the models on this machine, each with whether it can be trained: those that ship
        with Lull first, then Ollama's in its order.

        Some built-in models are listed only if they are the model named by `chosen`.
        """
        own = tuple(
            self._judged_built_in(one)
            for one in self._built_in
            if one.is_listed or canonical(one.name) == canonical(chosen)
        )
        try:
            listed = await self._store.listed()
        except UpstreamDown as error:
            return ModelListing(models=own, problem=error)
        slots = asyncio.Semaphore(MODELS_AT_ONCE)

        async def one(model: ListedModel) -> Learnable:
            async with slots:
                return await self._learnable(model)

        return ModelListing(models=(*own, *await asyncio.gather(*map(one, listed))))

    def is_prepared(self, name: str) -> bool:
        """Whether the weights of the model of this name are prepared for training. Blocking."""
        return self._folders.found(name, self._machine.form) is not None

    async def choose(
        self,
        name: str,
        *,
        is_folder: bool = False,
        report: Callable[[ChoosingProgress], None] = lambda _: None,
    ) -> PreparedModel:
        """Prepare the weights of the model that the user chose to be trained.

        Raises CannotLearn, NotFound, UpstreamDown, Conflict, and WeightsError, for example for too
        little disk space, which is checked before anything is written.
        """
        report(ChoosingProgress(stage=ChoosingStage.LOOKING))
        if is_folder:
            chosen = await self._folder(name)
        elif built_in := self._of_lull(name):
            learnable = self._judged_built_in(built_in)
            report(ChoosingProgress(stage=ChoosingStage.MAKING))
            await built_in.prepare()
            chosen = PreparedModel(name=built_in.name, folder=built_in.folder, learnable=learnable)
        else:
            chosen = await self._from_ollama(name, report)
        report(ChoosingProgress(stage=ChoosingStage.READY))
        return chosen

    # Listing

    async def _learnable(self, model: ListedModel) -> Learnable:
        if model.remote:
            return _cannot(model.name, _ELSEWHERE)
        try:
            shown = await self._store.show(model.name)
        except LullError as error:
            return _cannot(model.name, error.detail)
        found = learnability(shown, self._machine)
        return (
            learnability(shown, self._machine, blob_missing=await self._missing(shown))
            if (found.can_learn)
            else found
        )

    async def _missing(self, shown: ShownModel) -> str:
        try:
            await asyncio.to_thread(self._files.readable_blob, shown)
        except WeightsError as error:
            return f"{error.detail} {error.hint}".strip()
        return ""

    def _of_lull(self, name: str) -> BuiltInModel | None:
        wanted = canonical(name)
        return next((one for one in self._built_in if canonical(one.name) == wanted), None)

    def _judged_built_in(self, built_in: BuiltInModel) -> Learnable:
        needs = needs_gb(built_in.size, self._machine.form)
        why = too_large(needs, self._machine)
        return Learnable(
            name=built_in.name,
            architecture=built_in.architecture,
            can_learn=not why,
            why_not=why,
            needs_gb=round(needs, 3),
        )

    # From Ollama

    async def _from_ollama(
        self, name: str, report: Callable[[ChoosingProgress], None]
    ) -> PreparedModel:
        listed = await self._listed(name)
        if listed.remote:
            raise CannotLearn(f"{listed.name}: {_ELSEWHERE}", hint=_LIST)
        shown = await self._store.show(listed.name.removesuffix(":latest"))
        learnable = learnability(shown, self._machine)
        if not learnable.can_learn:
            raise CannotLearn(f"{shown.name}: {learnable.why_not}", hint=_LIST)
        blob = str(await asyncio.to_thread(self._files.readable_blob, shown))
        form = self._machine.form
        look = await self._work.inspect(blob, form)
        sha256, carried = shown.blob_sha256 or "unnamed", shown.create_fields
        folder = self._folders.folder_path(shown.name, sha256, form)
        facts = {"name": shown.name, "sha256": sha256, "digest": listed.digest}
        facts |= {"architecture": look.architecture, "system": str(carried.get("system", ""))}
        parameters = carried.get("parameters", {})
        pace = _Pace(self._clock, report)
        pace.hear(0, look.n_bytes)
        said = {**facts, "parameters": parameters}
        await self._work.make_folder(blob, folder, form, said, pace.hear)
        return PreparedModel(name=shown.name, folder=folder, learnable=learnable)

    async def _listed(self, name: str) -> ListedModel:
        for model in await self._store.listed():
            if canonical(model.name) == canonical(name):
                return model
        raise NotFound(f"Ollama has no model {name[:100]}.", hint=_how_to_get(name))

    # From a folder

    async def _folder(self, path: str) -> PreparedModel:
        found = await asyncio.to_thread(self._folders.inspect, path)
        learnable = self._judged_folder(found)
        if not learnable.can_learn:
            raise CannotLearn(f"{path}: {learnable.why_not}", hint=_LIST)
        name = await asyncio.to_thread(self._folders.adopt, found)
        return PreparedModel(name=name, folder=found.path, learnable=replace(learnable, name=name))

    def _judged_folder(self, found: AdoptableFolder) -> Learnable:
        needs = 2 * found.n_bytes / GB + 1.0
        kind = found.model_type
        if kind in HYBRIDS:
            why = (
                f"It is built in a way (hybrid attention, {kind}) that the training library MLX "
                "cannot train yet."
            )
        elif kind not in MODEL_TYPES:
            why = f"Models of the type {kind[:60]} cannot learn yet; {', '.join(MODEL_TYPES)} can."
        else:
            why = too_large(needs, self._machine)
        return Learnable(
            name=found.path,
            architecture=kind,
            can_learn=not why,
            why_not=why,
            needs_gb=round(needs, 3),
        )


_ELSEWHERE: Final = "It runs on somebody else's machine."
_HUB: Final = re.compile(
    r"(?:https?://)?(?:(?:www\.)?(?:hf\.co|huggingface\.co)/)?"
    r"(?P<repository>\w[\w.-]*/\w[\w.-]*)(?:[:/].*)?$"
)
"""Matches ORGANISATION/NAME, with or without the hub's address before it."""
_LIST: Final = "`lull model list` shows which models can learn here."


def _how_to_get(name: str) -> str:
    """A hint for a missing model. Lull downloads no weights itself: Ollama or the user does."""
    hub = _HUB.match(name)
    if hub is None:
        return _LIST
    repository = hub["repository"]
    return (
        f"Lull downloads no weights. `ollama pull hf.co/{repository}` fetches a GGUF repository,"
        f" and then `lull model choose hf.co/{repository}` finds it; MLX weights that you have"
        " downloaded are chosen by their folder: `lull model choose ./FOLDER`."
    )


class _Pace:
    """Reports progress and the time left, estimated from the speed since this try began."""

    def __init__(self, clock: Clock, report: Callable[[ChoosingProgress], None]) -> None:
        self._clock = clock
        self._report = report
        self._first: tuple[float, int] | None = None

    def hear(self, done: int, of: int) -> None:
        now_s = self._clock.monotonic_s()
        # The first report includes what an earlier try had finished.
        if done and self._first is None:
            self._first = (now_s, done)
        began_s, before = self._first or (now_s, done)
        left_s = None
        if done > before and now_s > began_s:
            left_s = (of - done) * (now_s - began_s) / (done - before)
        self._report(
            ChoosingProgress(
                stage=ChoosingStage.MAKING, done_bytes=done, of_bytes=of, left_s=left_s
            )
        )


def _cannot(name: str, why: str) -> Learnable:
    return Learnable(name=name, architecture="", can_learn=False, why_not=why, needs_gb=0.0)
