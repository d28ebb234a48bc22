"""Holds the parts of the service that its jobs share, such as database, clock and event bus."""

from __future__ import annotations

from dataclasses import dataclass

import aiohttp

from lull.backends.ollama.facts import OllamaFacts
from lull.core.skills.prompt_block import Placement
from lull.loops.chat.lived_clock import LivedClock
from lull.loops.skills.approve import Approve
from lull.service.builtin.model import EngineModels
from lull.service.idle.quiet import Activity
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.service.skills.current import CurrentLibrary
from lull.service.wiring.base.own_models import BuiltInModels
from lull.service.wiring.base.stores import Stores


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsHere:
    """The models of this machine: Lull's own and Ollama's, and where the prompts of each hold
    skills (instruction texts).
    """

    local: EngineModels
    built_in: BuiltInModels
    ollama: OllamaFacts
    places: dict[str, Placement]
    """Where prompts hold skills, by the digest of a model that was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedParts:
    """The parts that the service's jobs share, such as database, clock and event bus; every job is
    built from them.
    """

    stores: Stores
    clock: LivedClock
    bus: EventBus
    problems: Problems
    models: ModelsHere
    asking: aiohttp.ClientSession
    """HTTP session for requests that Lull itself makes."""
    in_use: CurrentLibrary
    approve: Approve
    activity: Activity
