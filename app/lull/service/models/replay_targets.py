"""Opens the model on which past requests are replayed to prove a skill (an instruction text), with
the adapter and settings that this model is served with now.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Final, Protocol

from lull.config.settings import Settings
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.messages import Sampling
from lull.core.chat.model_name import canonical
from lull.core.errors import LullError
from lull.core.skills.prompt_block import Placement
from lull.loops.chat.select_skills import place_of
from lull.loops.proof.replay import ReplayTarget
from lull.service.builtin.model import EngineModels, served_sampling
from lull.service.models.makes_models import MakesModels, OllamaChatModel

log = logging.getLogger(__name__)

REPLAY_WITHIN_S: Final = 600.0
"""Timeout in seconds of one replayed answer, long enough to load a large model first."""


MOST_PAIRS_AT_ONCE: Final = 4
"""Most pairs of answers that Lull's engine generates at the same time for one proof: a step for 8
answers takes little longer than one for 2, and few proofs end with fewer pairs than these.
"""


class OllamaModelFacts(Protocol):
    """Interface that returns the facts of models in the user's Ollama, such as digests and context
    windows.
    """

    def facts(self, name: str) -> ModelFacts | Awaitable[ModelFacts]:
        """Return what is known of a model in Ollama (such as its context window), asking Ollama if
        necessary. Raises LullError.
        """

    def known(self, name: str) -> ModelFacts | None:
        """Return what is known of a model in Ollama (such as its context window) without asking
        Ollama; None if nothing is known.
        """

    def digests(self) -> Mapping[str, str]:
        """Return the digests of all models that Ollama lists, loaded or not, except remote ones
        (which run on another machine), by canonical name.
        """


class ReplayTargets:
    """Opens the model on which past requests are replayed to prove a skill (an instruction text),
    with the adapter and settings that it is served with now.
    """

    def __init__(
        self,
        make: MakesModels,
        settings: Callable[[], Settings],
        *,
        local: EngineModels,
        ollama: OllamaModelFacts,
        places: Mapping[str, Placement],
        judge: Callable[[], str] = str,
    ) -> None:
        """The function `judge` returns the name of the current judge model, "" for none.

        The mapping `places` says where prompts hold skills, by the digest of a measured model.
        """
        self._make = make
        self._settings = settings
        self._local = local
        self._ollama = ollama
        self._places = places
        self._judge = judge
        self._chats: dict[str, OllamaChatModel] = {}

    async def close(self) -> None:
        """Close the connections to all models that were opened."""
        for chat in self._chats.values():
            await chat.close()

    def asked_models(self) -> Collection[str]:
        """Return the names of the Ollama models that were asked to replay requests, and of the
        judge model.
        """
        judge = "" if self._settings().judge.address else self._judge()
        return {*self._chats, *([judge] if judge else ())}

    def facts(self, model: str) -> ModelFacts | None:
        """Return what is known of a model (size, context window …) without asking Ollama; None if
        nothing is known.
        """
        if self._local.only_lull_serves(model):
            return self._local.facts(model)
        return self._ollama.known(model)

    def facts_here(self, model: str) -> ModelFacts | None:
        """Return what is known of a model (size, context window …); None if the model does not run
        on this machine.
        """
        here = self._local.only_lull_serves(model) or canonical(model) in self._ollama.digests()
        return self.facts(model) if here else None

    async def open_target(self, model: str) -> ReplayTarget | None:
        """Return the model on which past requests are replayed to prove a skill; None if it cannot
        be asked now.
        """
        if self._local.only_lull_serves(model):
            return self._own(model)
        try:
            facts = self._ollama.facts(model)
            known = facts if isinstance(facts, ModelFacts) else await facts
            if model not in self._chats:
                self._chats[model] = self._make.ollama(
                    model,
                    timeout_s=REPLAY_WITHIN_S,
                    allow_remote=self._settings().upstream.allow_remote_models,
                )
        except LullError as error:
            log.info("%s cannot be asked now: %s", model, error)
            return None
        return ReplayTarget(
            chat=self._chats[model],
            system=known.system,
            digest=known.digest,
            engine="ollama",
            adapter=known.adapter,
            sampling=Sampling(),
            place=self._place(known),
        )

    def _own(self, model: str) -> ReplayTarget:
        served = self._local.served(model)
        sampling = served_sampling(served.model)
        chat = self._make.own(
            served.engine, served.model.name, timeout_s=REPLAY_WITHIN_S, sampling=sampling
        )
        return ReplayTarget(
            chat=chat,
            early=chat,
            system="",
            digest=served.model.digest,
            engine="mlx",
            adapter=served.adapter,
            sampling=sampling,
            place=self._place(self._local.facts(model)),
            pairs_at_once=self._pairs_at_once(),
        )

    def _pairs_at_once(self) -> int:
        """Ollama by default answers one request after the other; Lull's engine answers several."""
        return min(MOST_PAIRS_AT_ONCE, max(1, self._settings().engine.max_batch // 2))

    def _place(self, facts: ModelFacts) -> Placement:
        return place_of(facts, self._places)
