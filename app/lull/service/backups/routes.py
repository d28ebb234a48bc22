"""Control API routes for listing and making backups."""

from __future__ import annotations

import asyncio

from aiohttp import web

from lull.contract import routes
from lull.service.answers.answering import Answering
from lull.service.backups.backups import Backups


def backup_routes(backups: Backups, answering: Answering) -> list[web.RouteDef]:
    """Return the control API's routes that list and make backups."""

    async def listed(_: web.Request) -> web.Response:
        return answering.json(await asyncio.to_thread(backups.view))

    async def made(request: web.Request) -> web.Response:
        return answering.json(await backups.make(await answering.body(request)))

    return [web.get(routes.BACKUP, listed), web.post(routes.BACKUP, made)]
