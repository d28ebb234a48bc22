"""Finds the models in Ollama that may take an exam (labelled items that decide whether a model may
judge answers), and tells which of them are still installed.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Protocol

from lull.core.chat.model_name import canonical
from lull.core.errors import LullError
from lull.core.models.candidates import (
    Candidate,
    Installed,
    MachineMemory,
    candidates,
    is_auto,
    is_off,
    to_examine,
)
from lull.core.models.exam import ModelRole
from lull.core.models.ollama_model import ListedModel, ShownModel

log = logging.getLogger(__name__)


class ModelCatalogue(Protocol):
    """Interface of Ollama's list of installed models."""

    def listed(self) -> Awaitable[tuple[ListedModel, ...]]:
        """List the installed models. Raises UpstreamDown if Ollama does not answer."""

    def show(self, name: str) -> Awaitable[ShownModel]:
        """Return Ollama's description of a model. Raises NotFound."""


class OllamaReport(Protocol):
    """Interface to Ollama's latest report on its models: the models' digests, and which models are
    loaded in memory.
    """

    def loaded(self) -> Awaitable[Collection[str] | None]:
        """Return the names of the models in Ollama's memory; None if Ollama does not answer."""

    def digests(self) -> Mapping[str, str]:
        """Return the digests of the models that Ollama listed last, by canonical name."""


class ExamCandidates:
    """The installed models that may take an exam (labelled items that decide whether a model may
    judge answers), as Ollama last listed them.
    """

    def __init__(
        self,
        models: ModelCatalogue,
        *,
        state: OllamaReport,
        settings: Callable[[], Mapping[ModelRole, str]],
        memory: Callable[[], MachineMemory],
    ) -> None:
        self._models = models
        self._state = state
        self._settings = settings
        self._memory = memory
        self.found: tuple[Candidate, ...] = ()

    async def refresh(self) -> None:
        """Ask Ollama for its models and update the list of those that may take an exam (labelled
        items that decide whether a model may judge answers). Raises UpstreamDown.
        """
        listed = await self._models.listed()
        loaded = await self._state.loaded() or ()
        there = [
            Installed(
                listed=one,
                shown=None if one.remote else await self._shown(one.name),
                loaded=canonical(one.name) in loaded,
            )
            for one in listed
        ]
        named = {name for name in self._settings().values() if not _no_name(name)}
        self.found = candidates(there, self._memory(), named=named)

    async def _shown(self, name: str) -> ShownModel | None:
        try:
            return await self._models.show(name)
        except LullError as error:
            log.info("%s is not examined: %s", name, error)
            return None

    def wanted(
        self, passed: Mapping[tuple[str, ModelRole], bool]
    ) -> Sequence[tuple[Candidate, ModelRole]]:
        """Return the pairs of a model and a role (reader of feedback, judge of answers, writer of
        skills) for which the model's exam is still to be done, in order.

        `passed` holds the known exam results, by the model's digest and role.
        """
        return to_examine(self.found, self._settings(), passed)

    def is_here(self, model: str, digest: str) -> bool:
        """Whether this model is still installed in Ollama with the same digest."""
        return self._state.digests().get(canonical(model)) == digest


def _no_name(setting: str) -> bool:
    return is_off(setting) or is_auto(setting)
