"""Control API routes for the service as a whole: status, checks, settings, stopping, and the
network token (which requests from other machines need).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from aiohttp import web

from lull.contract import routes
from lull.core.errors import UsageError
from lull.service.answers.answering import Answering, ReportsStatus
from lull.service.control.settings_view import SettingsRequests


class ForgetsToken(Protocol):
    """Interface to the network token in the secret store."""

    async def forget(self) -> None:
        """Delete the token from the secret store. Raises SecretsError if that is not sure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRequests:
    """What answers requests about the whole service: its status and checks, its settings, its
    network token (which requests from other machines need), and how it is stopped.
    """

    status: ReportsStatus
    settings: SettingsRequests
    stop: Callable[[], None]
    """Function that makes the service stop; it returns at once."""
    finish_within_s: float = 5.0
    """Seconds that answers in progress may take to finish when the service stops."""
    token: str = ""
    """The network token that other machines must send; empty when only this machine can connect."""
    stored_token: ForgetsToken


def service_routes(service: ServiceRequests, answering: Answering) -> list[web.RouteDef]:
    """Return the routes for status, checks, settings, stopping, and the network token, which
    requests from other machines need.
    """

    async def status(_: web.Request) -> web.Response:
        return answering.json(await service.status.status())

    async def token(_: web.Request) -> web.Response:
        return answering.json({"token": service.token or None})

    async def token_gone(request: web.Request) -> web.Response:
        if (await answering.body(request)).get("do") != "forget":
            raise UsageError('The token can be forgotten: {"do": "forget"}.')
        await service.stored_token.forget()
        return answering.json({"token": None})

    async def stop(_: web.Request) -> web.Response:
        service.stop()
        return answering.json({"stopping": True, "finish_within_s": service.finish_within_s})

    async def settings(request: web.Request) -> web.Response:
        wanted = await answering.body(request) if request.method == "POST" else None
        return answering.json(await service.settings.handle(wanted))

    async def doctor(_: web.Request) -> web.Response:
        return answering.json(await service.status.doctor())

    return [
        web.get(routes.STATUS, status),
        web.get(routes.TOKEN, token),
        web.post(routes.TOKEN, token_gone),
        web.post(routes.STOP, stop),
        web.get(routes.SETTINGS, settings),
        web.post(routes.SETTINGS, settings),
        web.get(routes.DOCTOR, doctor),
    ]
