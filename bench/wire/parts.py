"""Measures where a request's time goes inside Lull: CPU microseconds per part, without network.

The same objects that a service holds, asked one after the other. What a request takes beyond them
is HTTP on both sides, and waiting while the writer's thread has the interpreter.
"""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path

from bench.wire.homes import asked
from bench.wire.processes import paths_of
from bench.wire.upstream import WHOLE, WINDOW_TOKENS
from lull.backends.retrieval.embedder import HashedNgrams
from lull.backends.retrieval.exemplars import ChromaExemplars
from lull.backends.retrieval.skill_index import WordIndex
from lull.backends.system.clock import SystemClock, TimeSortedIds
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.message_chain import links
from lull.core.chat.messages import ChatRequest
from lull.core.events import EventKind
from lull.core.skills.skill_ranking import RetrievalRule
from lull.loops.chat.known_models import KnownModels
from lull.loops.chat.open_turn import TurnOpener
from lull.loops.chat.serving import Serving
from lull.service.process.bus import EventBus
from lull.service.proxy.dialects import CHAT_ROUTES
from lull.service.skills.current import CurrentLibrary
from lull.service.wiring.base.stores import Stores, open_stores
from lull.store.chat.event_log import EventLog

CLIENT = Client(name="bench")
FACTS = ModelFacts(digest="d" * 64, window_tokens=WINDOW_TOKENS, system="", template_sha256="")
CHAT = CHAT_ROUTES["/api/chat"]
ANSWER = WHOLE.partition(b"\r\n\r\n")[2]
COUNT = 500


def parts(home: Path) -> dict[str, float]:
    """Return the microseconds of each part, measured in a home that no service has open."""
    stores = open_stores(paths_of(home))
    try:
        return asyncio.run(_parts(stores, paths_of(home).chroma))
    finally:
        stores.database.close()


async def _parts(stores: Stores, vectors: Path) -> dict[str, float]:
    library = stores.skills.library()
    index, bus = WordIndex(), EventBus(EventLog(stores.database), SystemClock())
    await index.follow(library)
    index.use_memory(ChromaExemplars(vectors, HashedNgrams()))
    serve = TurnOpener(
        trajectories=stores.trajectories,
        skills=stores.skills,
        in_use=CurrentLibrary(library, index, bus),
        index=index,
        clock=SystemClock(),
        ids=TimeSortedIds(),
        rule=RetrievalRule(),
        models=KnownModels(within_s=0.05),
    )
    await _walk(stores, index, serve, bus)  # from here on the words are known
    return await _walk(stores, index, serve, bus)


async def _walk(
    stores: Stores, index: WordIndex, serve: TurnOpener, bus: EventBus
) -> dict[str, float]:
    us: dict[str, float] = {}

    def each(part: str, work: Callable[[int], object], *, rounds: int = 3) -> None:
        """The best round, which nothing else disturbed."""
        took_s = []
        for _ in range(rounds):
            began = time.thread_time()
            for number in range(COUNT):
                work(number)
            took_s.append(time.thread_time() - began)
        us[part] = min(took_s) / COUNT * 1e6

    texts = [asked(number) for number in range(COUNT)]
    bodies = [_body(text) for text in texts]
    requests = [CHAT.read_request(body) for body in bodies]
    each("reads the request", lambda n: (CHAT.read_request(bodies[n]), CHAT.injectable(bodies[n])))
    each(
        "links its messages",
        lambda n: links(stores.trajectories.key, "bench", requests[n].messages),
    )
    found, words, near = {}, serve.rule.lexical_floor, serve.rule.exemplar_floor
    each(
        "finds skills by words",
        lambda n: found.update({n: index.lexical(texts[n], client=CLIENT, least=words)}),
    )
    each(
        "finds skills by past requests",
        lambda n: index.exemplars(texts[n], client=CLIENT, least=near, also=found[n]),
    )
    began, servings = time.thread_time(), []
    for request in requests:
        servings.append(await _opened(serve, request))
    us["opens the turn, these three included"] = (time.thread_time() - began) / COUNT * 1e6
    each("puts the block in", lambda n: CHAT.inject(bodies[n], servings[n].injection))
    before_s = _writers_time_s(stores)
    each("reads the answer, closes the turn", lambda n: _close(serve, bus, servings[n]), rounds=1)
    written_s = _writers_time_s(stores) - before_s
    us["writes it, on another thread"] = written_s / COUNT * 1e6
    return us


def _body(text: str) -> bytes:
    messages = [{"role": "user", "content": text}]
    return json.dumps({"model": "mock", "messages": messages, "stream": False}).encode()


async def _opened(serve: TurnOpener, request: ChatRequest) -> Serving:
    return await serve.open(
        request,
        client=CLIENT,
        route=CHAT.route,
        session="",
        injectable=True,
        facts=lambda: FACTS,
    )


def _close(serve: TurnOpener, bus: EventBus, serving: Serving) -> None:
    reader = CHAT.reader(stream=False)
    reader.feed(ANSWER)
    serve.recorder.record(serving, reader.completion())
    stamp = serving.stamp
    bus.tell(EventKind.TURN_RECORDED, turn=stamp.turn, conversation=stamp.trajectory)


def _writers_time_s(stores: Stores) -> float:
    return stores.database.submit(lambda _: time.thread_time()).result()
