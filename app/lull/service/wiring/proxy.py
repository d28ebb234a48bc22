"""Builds the proxy, the HTTP server in front of Ollama."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import aiohttp

from lull.backends.system.hung import wait_until_hung
from lull.config.settings import Settings
from lull.loops.chat.open_turn import TurnOpener
from lull.service.proxy.answer_sources import AnswerSources, FindSource
from lull.service.proxy.auth import AccessRules
from lull.service.proxy.chats import AnswerChats
from lull.service.proxy.data_plane import DataPlane, ProxyRules
from lull.service.proxy.failed_requests import FailedRequests
from lull.service.proxy.forward import Forward
from lull.service.proxy.long.bodies import LongBodies
from lull.service.proxy.ollama_upstream import OllamaUpstream
from lull.service.proxy.opened_chats import OpenChats
from lull.service.proxy.own_errors import OwnFaults
from lull.service.proxy.parsed_chats import ParseChats
from lull.service.proxy.recorded import RecordedRelay
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.night.weights import TrainedModelParts

LONG_READER_ASLEEP_S: Final = 8.0
"""Seconds after which the child process that reads long bodies is replaced, if it owes an answer
and has not used the processor in that time.
"""


def data_plane_of(
    shared: SharedParts,
    settings: Settings,
    door: AccessRules,
    session: aiohttp.ClientSession,
    opener: TurnOpener,
    upstream: OllamaUpstream,
    weights: TrainedModelParts,
    *,
    off: Callable[[], bool],
) -> DataPlane:
    """Build the proxy's HTTP server, which answers from the upstream Ollama and from Lull's own
    models.

    The users' own requests are forwarded by `session`. The function `off` tells whether Lull is
    switched off.
    """
    address = shared.models.ollama.address
    idle_s = settings.service.idle_timeout_s
    body_limit = settings.service.max_body_mb * 1_000_000
    trajectories = shared.stores.trajectories
    long = LongBodies(
        key=trajectories.key,
        limit=body_limit,
        stored=trajectories,
        watch=partial(wait_until_hung, asleep_s=LONG_READER_ASLEEP_S),
    )
    sources = AnswerSources(
        forward=Forward(session, address, idle_s=idle_s, token=door.token),
        upstream=upstream,
        local=shared.models.local,
        published=weights.names,
    )
    faults = OwnFaults(shared.problems)
    failed = FailedRequests(shared.clock.monotonic_s)
    return DataPlane(
        door=door,
        chats=AnswerChats(
            parsing=ParseChats(sources.local, faults, body_limit=body_limit, long=long),
            sources=FindSource(sources, faults, touch_remote=settings.upstream.allow_remote_models),
            opening=OpenChats(opener, faults, record=settings.records.record),
            forward=sources.forward,
            recording=RecordedRelay(opener.recorder, shared.bus, faults, failed),
            body_limit=body_limit,
        ),
        sources=sources,
        rules=ProxyRules(body_limit=body_limit, list_built_in=settings.models.list_own),
        faults=faults,
        activity=shared.activity,
        monotonic_s=shared.clock.monotonic_s,
        off=off,
    )
