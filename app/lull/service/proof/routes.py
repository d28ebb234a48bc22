"""Control API routes for proposals (candidate skills) and their proofs (tests by replayed
requests): list, show, compare, decide, undo, verify.
"""

from __future__ import annotations

from aiohttp import web

from lull.contract import routes
from lull.service.answers.answering import Answering
from lull.service.proof.comparing import ComparisonRequests
from lull.service.proof.reviewing import ReviewRequests
from lull.service.proof.trying import TryOutRequests


def proposal_routes(
    reviewing: ReviewRequests, comparing: ComparisonRequests, answering: Answering
) -> list[web.RouteDef]:
    """Return the control API's routes that list, prove, compare and decide proposals (candidate
    skills), and that verify the proofs of approved skills.
    """

    async def verify(request: web.Request) -> web.Response:
        name, client = request.query.get("name", ""), request.query.get("client", "")
        return answering.json(
            await answering.read(lambda: reviewing.verify(name=name, client=client))
        )

    async def listed(request: web.Request) -> web.Response:
        everything = request.query.get("all") == "1"
        return answering.json(await answering.read(lambda: reviewing.list(everything=everything)))

    async def prove(request: web.Request) -> web.Response:
        return answering.json(await reviewing.prove(await answering.body(request)))

    async def undo(request: web.Request) -> web.Response:
        wanted = await answering.body(request) if request.can_read_body else {}
        return answering.json(await reviewing.undo(wanted))

    async def shown(request: web.Request) -> web.Response:
        name, sha256 = request.match_info["id"], request.query.get("sha256")
        to_read = request.query.get("to_read") == "1"
        return answering.json(
            await answering.read(lambda: reviewing.show(name, sha256=sha256, to_read=to_read))
        )

    async def replayed(request: web.Request) -> web.Response:
        name = request.match_info["id"]
        return answering.json(await answering.read(lambda: reviewing.pairs(name)))

    async def next_pair(request: web.Request) -> web.Response:
        return answering.json(await comparing.next(request.match_info["id"]))

    async def picked(request: web.Request) -> web.Response:
        wanted = await answering.body(request)
        return answering.json(await comparing.pick(request.match_info["id"], wanted))

    async def decide(request: web.Request) -> web.Response:
        name, action = request.match_info["id"], request.match_info["action"]
        return answering.json(await reviewing.decide(name, action, await answering.body(request)))

    return [
        web.get(routes.SKILLS_VERIFY, verify),
        web.get(routes.PROPOSALS, listed),
        web.post(routes.PROPOSALS_PROVE, prove),
        web.post(routes.PROPOSALS_UNDO, undo),
        web.get(routes.PROPOSAL, shown),
        web.get(routes.PROPOSAL_PAIRS, replayed),
        web.post(routes.PROPOSAL_COMPARE, next_pair),
        web.post(routes.PROPOSAL_PICK, picked),
        web.post(routes.PROPOSAL_DO, decide),  # last, because it matches the two before it
    ]


def try_routes(trying: TryOutRequests, answering: Answering) -> list[web.RouteDef]:
    """Return the control API's route for trying a skill, proposed or approved: it builds two chat
    requests, with and without the skill, and the window sends them.
    """

    async def tried(request: web.Request) -> web.Response:
        return answering.json(await trying.prepare(await answering.body(request)))

    return [web.post(routes.TRY, tried)]
