"""A minimal proxy that forwards every request to Ollama unchanged, used while the service is dead.

It admits the same clients as the service, and removes the client's name from the beginning of a
path. It knows nothing of Lull's own models.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

from lull.core.errors import UpstreamDown
from lull.service.proxy.auth import AccessRules, origin_form, refusal, split_client
from lull.service.proxy.forward import Forward, forwarding_session
from lull.service.proxy.own_errors import client_text, error_answer
from lull.service.proxy.relay import relay, runner


class MinimalProxy:
    """A running proxy that forwards every request to Ollama unchanged."""

    def __init__(self, serving: web.AppRunner) -> None:
        self._serving = serving

    async def end(self, *, finish_within_s: float) -> None:
        """Stop accepting connections, and let answers in progress finish for at most
        `finish_within_s` seconds.
        """
        server = self._serving.server
        for site in tuple(self._serving.sites):
            await site.stop()
        if server is not None:
            await server.shutdown(finish_within_s)


@asynccontextmanager
async def minimal_proxy(
    listener: socket.socket, upstream: str, *, origins: Sequence[str], idle_s: float
) -> AsyncIterator[MinimalProxy]:
    """Context manager that runs a minimal proxy on a loopback socket, which forwards every request
    to Ollama unchanged. `idle_s` is how many seconds Ollama may send nothing before a request is
    given up.
    """
    door = AccessRules(port=listener.getsockname()[1], origins=origins)
    async with forwarding_session() as session:
        forward = Forward(session, upstream, idle_s=idle_s)

        async def handle(request: web.Request) -> web.StreamResponse:
            _, raw_path = split_client(origin_form(request.raw_path), request.headers)
            path = raw_path.partition("?")[0]
            if why_not := refusal(request.headers, door):
                return await _refused(request, path, 403, why_not)
            body = request.content.iter_any() if request.body_exists else None
            try:
                async with forward.send(request, raw_path, body) as answer:
                    return await relay(request, answer)
            except UpstreamDown as error:
                return await _refused(request, path, 503, client_text(error))

        serving = runner(handle, shutdown_timeout_s=0.0)
        await serving.setup()
        try:
            await web.SockSite(serving, listener).start()
            yield MinimalProxy(serving)
        finally:
            await serving.cleanup()


async def _refused(
    request: web.Request, path: str, status: int, message: str
) -> web.StreamResponse:
    body = request.method != "HEAD"
    return await relay(request, error_answer(path, status, message, body=body))
