"""Refuses requests on the control socket from other users of the machine, whatever the modes of the
socket and of the folders above it say.
"""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler

from lull.contract.peer import is_foreign, peer_uid
from lull.core.errors import AnotherUser


@web.middleware
async def own_user(request: web.Request, handler: Handler) -> web.StreamResponse:
    """aiohttp middleware that answers only the user who runs the service, and root.

    Raises AnotherUser for a request of anybody else.
    """
    connection = request.get_extra_info("socket")
    uid = None if connection is None else peer_uid(connection)
    if is_foreign(uid):
        raise AnotherUser(
            f"This Lull is another user's, not that of user {uid}.",
            hint="Start a Lull of your own: its files lie in your home.",
        )
    return await handler(request)
