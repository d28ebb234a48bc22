"""Finds the model to train: the one that the settings name, once Lull's own engine serves it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lull.core.skills.prompt_block import Placement
from lull.loops.chat.select_skills import place_of
from lull.loops.training.learner import Learner, PromptForm
from lull.service.builtin.model import EngineModels
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedLearner:
    """Finds the model to train among those that Lull's own engine serves; implements
    FindsLearner.
    """

    model: Callable[[], str]
    """Function that returns the name of the model that the current settings say should
    be trained.
    """
    local: EngineModels
    places: Mapping[str, Placement]
    """The place in a model's prompts where skills (instruction texts) are put, by the digest of
    each model for which it was measured.
    """
    adapters: Adapters
    files: AdapterFiles

    async def __call__(self) -> Learner | None:
        name = self.model()
        if not self.local.serves(name):
            return None
        served = self.local.served(name)
        force = self.adapters.in_force(served.model.name)
        folder = str(self.files.folder(force.active)) if force.active is not None else None
        return Learner(
            name=served.model.name,
            folder=str(served.model.folder),
            digest=served.model.digest,
            engine=served.engine,
            prompt=PromptForm(
                system=served.system, place=place_of(self.local.facts(name), self.places)
            ),
            adapter=served.adapter,
            adapter_folder=folder if served.adapter is not None else None,
            parameters=served.model.parameters,
            on_trial=force.shadow or "",
        )

    def why_none(self) -> str:
        """Return a sentence that says why no model can be trained."""
        name = self.model()
        return (
            f"The weights of '{name}' were not prepared, so it cannot learn. `lull model choose "
            f"{name}` prepares them; `lull model list` shows what can learn here."
        )
