"""Reads conversations from the database, as the JSON of the control API and of `lull … --json`.

Blocking; call it from a thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lull.contract.json_object import Json
from lull.core.errors import UsageError
from lull.loops.training.eligible import Eligible
from lull.service.chat.views import (
    conversations_view,
    trajectory_view,
    turn_view,
)
from lull.store.chat.conversation_list import UNRATED
from lull.store.chat.trajectories import ConversationQuery, Label, Trajectories

PAGE = 50
FILTERS: Final = ("client", "model", "label", "skill", "excluded", "search")
"""Names of the query parameters that filter conversations."""


class StoredConversations:
    """Reads conversations from the database, as JSON."""

    def __init__(self, trajectories: Trajectories, *, eligible: Eligible) -> None:
        self._trajectories = trajectories
        self._eligible = eligible

    def list(self, *, after: str = "", limit: int = PAGE, **wanted: str | None) -> Json:
        """Return the JSON of a page of conversations, newest first.

        `wanted` filters by `client`, `model`, `label` (good, bad or none), `skill`, `excluded`
        (from learning: yes or no) and `search` words. Raises UsageError, and NotFound when
        conversation `after` does not exist.
        """
        rows, following = self._trajectories.page(_wanted(wanted), after=after, limit=limit)
        if after and not rows:
            self._trajectories.get(after)
        return conversations_view(rows, following)

    def filter_choices(self) -> Json:
        """Return the client names and model names by which conversations can be filtered."""
        clients, models = self._trajectories.clients_and_models()
        return {"clients": clients, "models": models}

    def conversation(self, name: str) -> Json:
        """Return the JSON of a conversation with its turns (requests and answers). Raises
        NotFound.
        """
        row, turns = self._trajectories.get(name)
        return trajectory_view(row, turns, self._eligible.check_turns([turn.id for turn in turns]))

    def turn(self, name: str) -> Json:
        """Return the JSON of one turn (a recorded request with its answer). Raises NotFound."""
        turn = self._trajectories.turn(name)
        return turn_view(turn, self._eligible.check_turns([turn.id]).get(turn.id))


def _wanted(said: Mapping[str, str | None]) -> ConversationQuery:
    """Parse the filters. Raises UsageError."""
    given = {key: value for key, value in said.items() if value}
    label, excluded = given.get("label", ""), given.get("excluded")
    if label and label not in (*Label, UNRATED):
        raise UsageError(f"{label[:40]!r} is not a label.", hint="Say good, bad or none.")
    if excluded not in (None, "yes", "no"):
        raise UsageError("“excluded” must be yes or no.")
    return ConversationQuery(
        client=said.get("client"),
        model=given.get("model", ""),
        label=label,
        skill=given.get("skill", ""),
        excluded=None if excluded is None else excluded == "yes",
        search=given.get("search", ""),
    )
