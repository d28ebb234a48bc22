"""Handles `lull model list` and `lull model choose` in a running service: lists the models that can
be trained, and prepares the chosen one.

The chosen model is prepared for training in the background, one at a time. The progress or result
can be read until the next choice begins.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Protocol

from lull.contract.json_object import Json
from lull.core.chat.model_name import canonical
from lull.core.errors import Conflict, LullError, UsageError
from lull.core.models.candidates import AUTO, is_auto
from lull.core.models.learnable import Learnable
from lull.core.models.most_used_model import AutoChoice
from lull.loops.models.choose_model import (
    ChooseModel,
    ChoosingProgress,
    ChoosingStage,
    ModelListing,
    PreparedModel,
)

log = logging.getLogger(__name__)
KEY = "training.model"
"""The setting that names the model that learns."""


class LearnerSetting(Protocol):
    """Interface to the setting `training.model`, which names the model to train, in a running
    service.
    """

    @property
    def model(self) -> str:
        """The name of the model to train now; where the setting is "auto", of the one that it
        stands for.
        """

    @property
    def auto_choice(self) -> AutoChoice | None:
        """The model that the setting "auto" stands for now, and why; None if the setting names a
        model.
        """

    async def change(self, name: str) -> Json:
        """Name another model to train, or "auto"; return the JSON of `lull settings set`. Raises
        LullError.
        """


class ModelRequests:
    """Answers the control API's requests about the models that can be trained."""

    def __init__(
        self,
        choose: ChooseModel,
        setting: LearnerSetting,
    ) -> None:
        self._choose = choose
        self._setting = setting
        self._choosing: asyncio.Task[None] | None = None
        self._name = ""
        self._state: Json | None = None

    async def list(self) -> Json:
        """Return the JSON of the models that can be trained, and the progress of preparing one."""
        there = await self._choose.list(self._setting.model)
        choice = self._setting.auto_choice
        auto = auto_view(choice) if choice is not None else None
        return {**models_view(there, self._setting.model, auto), "choosing": self._state}

    async def choosing(self) -> Json:
        """Return the progress of preparing the chosen model for training, or the result of the last
        choice.
        """
        return {"choosing": self._state}

    async def choose(self, wanted: Json) -> Json:
        """Start preparing the named model for training, or return the progress if that is under
        way.

        Raises UsageError, Conflict.
        """
        name, is_folder = wanted.get("name"), wanted.get("folder", False)
        if not isinstance(name, str) or not name.strip() or not isinstance(is_folder, bool):
            raise UsageError("“name” is missing.", hint="`lull model list` shows the names.")
        if is_auto(name):
            self._state = None
            return {**await self._setting.change(AUTO), "choosing": None}
        if self._choosing is not None and not self._choosing.done():
            if canonical(name) != canonical(self._name):
                raise Conflict(f"{self._name} is being made ready.", hint="Wait until it is done.")
            return await self.choosing()
        self._name = name
        self._state = progress_view(name, ChoosingProgress(stage=ChoosingStage.LOOKING))
        self._choosing = asyncio.create_task(
            self._run(name, is_folder=is_folder), name=f"choose {name}"
        )
        return await self.choosing()

    async def close(self) -> None:
        """Stop preparing a model for training; a later request resumes it."""
        if self._choosing is not None:
            self._choosing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._choosing

    async def _run(self, name: str, *, is_folder: bool) -> None:
        try:
            chosen = await self._choose.choose(
                name, is_folder=is_folder, report=lambda at: self._hear(name, at)
            )
            setting = await self._setting.change(chosen.name)
            self._state = {**progress_view(name, _READY), **chosen_view(chosen, setting)}
        except LullError as error:
            log.info("%s was not chosen: %s", name, error)
            self._state = failed_view(name, error)
        except asyncio.CancelledError:
            self._state = None
            raise
        except Exception as error:
            # The border of a task that nobody awaits: a fault must be seen in its state.
            log.error("a fault of Lull's own: choosing a model", exc_info=error)
            what = f"Choosing the model failed ({type(error).__name__})."
            fault = LullError(what, hint="See `lull logs`.")
            self._state = failed_view(name, fault)

    def _hear(self, name: str, progress: ChoosingProgress) -> None:
        if progress.stage is not ChoosingStage.READY:
            self._state = progress_view(name, progress)


_READY = ChoosingProgress(stage=ChoosingStage.READY)


def model_view(model: Learnable) -> Json:
    """Return the JSON that the control API shows of a model that might be trained."""
    return {
        "name": model.name,
        "architecture": model.architecture,
        "can_learn": model.can_learn,
        "why_not": model.why_not,
        "needs_gb": model.needs_gb,
    }


def models_view(there: ModelListing, chosen: str, auto: Json | None = None) -> Json:
    """Build the JSON of `lull model list`, which shows the models that can be trained.

    `there` holds these models, `chosen` is the name of the one to train. `auto` is `{"model",
    "why"}`, the model that the setting "auto" stands for now; None if the settings name a model.
    """
    return {
        "auto": auto,
        "models": [{**model_view(one), "chosen": _same(one.name, chosen)} for one in there.models],
        "chosen": chosen,
        "problem": there.problem.as_dict() if there.problem else None,
    }


def auto_view(choice: AutoChoice) -> Json:
    """Return the JSON that the control API shows of the model that Lull chose by itself."""
    return {"model": choice.model, "why": choice.why}


def chosen_view(chosen: PreparedModel, setting: Json) -> Json:
    """Return the JSON that the control API shows of the model that was chosen for training."""
    return {
        "model": model_view(chosen.learnable),
        "chosen": chosen.name,
        "folder": chosen.folder,
        "restart_needed": bool(setting.get("restart_needed")),
    }


def progress_view(name: str, at: ChoosingProgress) -> Json:
    """Return the JSON that the control API shows of how far the preparation of a chosen model has
    come.
    """
    return {
        "name": name,
        "stage": at.stage.value,
        "progress": at.done_bytes / at.of_bytes if at.of_bytes else 0.0,
        "done_gb": at.done_bytes / 1e9,
        "of_gb": at.of_bytes / 1e9,
        "left_s": at.left_s,
        "error": None,
    }


def failed_view(name: str, error: LullError) -> Json:
    """Return the JSON that the control API shows of a chosen model that could not be prepared."""
    return {"name": name, "stage": "failed", "error": error.as_dict()}


def _same(one: str, other: str) -> bool:
    return one == other or canonical(one) == canonical(other)
