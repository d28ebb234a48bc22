"""Control API routes for skills (instruction texts): list, history, differences and changes."""

from __future__ import annotations

from aiohttp import web

from lull.contract import routes
from lull.service.answers.answering import Answering
from lull.service.skills.changes import SkillChangeRequests
from lull.service.skills.reading import StoredSkills


def skill_routes(
    reading: StoredSkills, changes: SkillChangeRequests, answering: Answering
) -> list[web.RouteDef]:
    """Return the control API's routes that list, compare and change skills (instruction texts)."""

    async def listed(request: web.Request) -> web.Response:
        client, everything = request.query.get("client"), request.query.get("all") == "1"
        return answering.json(
            await answering.read(lambda: reading.list(client=client, everything=everything))
        )

    async def history(request: web.Request) -> web.Response:
        name, client = request.query.get("name", ""), request.query.get("client", "")
        return answering.json(
            await answering.read(lambda: reading.history(name=name, client=client))
        )

    async def diff(request: web.Request) -> web.Response:
        name, client = request.query.get("name", ""), request.query.get("client", "")
        old, new = answering.number(request, "old", 0), answering.number(request, "new", 0)
        return answering.json(
            await answering.read(lambda: reading.diff(name=name, client=client, old=old, new=new))
        )

    async def change(request: web.Request) -> web.Response:
        return answering.json(await changes.apply(await answering.body(request)))

    return [
        web.get(routes.SKILLS, listed),
        web.get(routes.SKILLS_HISTORY, history),
        web.get(routes.SKILLS_DIFF, diff),
        web.post(routes.SKILLS_CHANGE, change),
    ]
