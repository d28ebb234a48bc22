"""`lull rate`: stores the user's rating of one answer. It needs a running service."""

from __future__ import annotations

from urllib.parse import quote

from lull.cli.shared.context import Context
from lull.cli.shared.control import Control
from lull.contract import routes


def rate(context: Context) -> None:
    """Run `lull rate`: store the user's rating of one answer."""
    path = routes.RATE.format(id=quote(context.options.turn, safe=""))
    turn = Control(context.paths).post(path, {"label": context.options.label})
    context.print_result(turn, lambda t: f"{t['id']}: {t['label'] or 'no label'}")
