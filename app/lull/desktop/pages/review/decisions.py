"""Sends the user's decisions about proposed skills to the service, several as one batch, and undoes
them.

When the service has answered all of a batch, the user gets one message; its Undo button undoes
exactly the decisions of this batch.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any, Final

from PySide6.QtCore import QObject, Signal

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import count, skill_title, tr
from lull.desktop.service.client import Reply
from lull.desktop.service.state import AppState, OutcomeCheck, OutcomeMessage, Subject
from lull.desktop.widgets.text.long_text import beginning

MORNING: Final = time(8)
"""Time of day at which a proposed skill that was postponed to another day is shown again."""
MOST_ON_A_BUTTON: Final = 32
"""Most characters of a skill's title on a button."""
_CLOSED: Final = {"approve": "approved", "reject": "rejected", "defer": "deferred"}


class Decisions(QObject):
    """Sends decisions about proposed skills to the service, and keeps track of those the service
    has not answered yet.
    """

    changed = Signal()

    def __init__(self, state: AppState) -> None:
        super().__init__()
        self._state = state
        self.under_way: set[str] = set()
        """Ids of proposals whose decision was sent but not answered yet."""
        self._batch: tuple[str, list[str]] = "", []
        """The last decision about several proposals ("deferred"), and their ids, newest first."""

    def send(self, action: str, proposals: Sequence[Json], more: Mapping[str, object]) -> None:
        """Send the same decision about each of these proposed skills to the service.

        `action` is the decision ("approve", "reject" or "defer"); `more` is added to each request,
        which has the hash of the text that was shown.
        """
        done: list[Json] = []
        left = [proposal["id"] for proposal in proposals]

        def then(proposal: Json, ok: bool) -> None:
            self.under_way.discard(proposal["id"])
            left.remove(proposal["id"])
            if ok:
                done.append(proposal)
            if not left and done:
                self._told(action, done)
            self._look()

        for one in proposals:
            self.under_way.add(one["id"])
        for one in proposals:
            self._send(action, one, {"sha256": one["sha256"], **more}, functools.partial(then, one))
        self.changed.emit()

    def _send(self, action: str, proposal: Json, wanted: Mapping[str, object], then: Any) -> None:
        def was_done(answer: Reply) -> bool:
            found = answer.value.get("proposal") or {}
            same = found.get("sha256") == proposal["sha256"]
            return same and found.get("status") == _CLOSED[action]

        self._state.act(
            routes.PROPOSAL_DO.format(id=proposal["id"], action=action),
            wanted,
            words=_doing(action, skill_title(proposal["name"])),
            outcome_check=OutcomeCheck(
                route=routes.PROPOSAL.format(id=proposal["id"]), done=was_done
            ),
            then=then,
        )

    def _told(self, action: str, done: Sequence[Json]) -> None:
        names = ", ".join(skill_title(proposal["name"]) for proposal in done)
        ids = [proposal["id"] for proposal in reversed(done)]
        self._batch = _CLOSED[action], ids
        undo = functools.partial(self.undo, ids)
        text = _done(action, len(done), names)
        if action == "approve" and any(proposal["kind"] != "retire" for proposal in done):
            ends = text.endswith("…")
            text = (
                tr("%1 Used from your next message on.", text)
                if ends
                else tr("%1. Used from your next message on.", text)
            )
        self._state.told.emit(OutcomeMessage(text=text, undo=undo))

    def together_with(self, last: Json) -> list[str]:
        """Return the ids of the proposed skills that were decided in one batch with the newest
        decision `last`, which undoing takes back as one; [] if it was about one skill only.
        """
        what, ids = self._batch
        one_of_it = last.get("proposal") in ids and last.get("what") == what
        return ids if one_of_it and len(ids) > 1 else []

    def undo(self, proposals: Sequence[str]) -> None:
        """Undo the last decision about each of these proposed skills (by id), one after the other.

        Without any id, undo the most recent decision.
        """
        self._batch = "", []
        self._undo_next(list(proposals) or [None], [])

    def _undo_next(self, left: list[str | None], done: list[str]) -> None:
        if not left:
            if done:
                self._state.told.emit(OutcomeMessage(text=tr("Undone: %1.", ", ".join(done))))
            self._look()
            return
        wanted = {"id": left[0]} if left[0] is not None else {}

        def answered(answer: Reply) -> None:
            done.append(skill_title((answer.value.get("proposal") or {}).get("name", "")))

        self._state.act(
            routes.PROPOSALS_UNDO,
            wanted,
            words=tr("Undoing"),
            answered=answered,
            then=lambda _: self._undo_next(left[1:], done),
        )

    def _look(self) -> None:
        self._state.touch(Subject.PROPOSALS, Subject.STATUS, Subject.SKILLS)
        self.changed.emit()


def snooze_times(at: datetime) -> tuple[tuple[str, datetime], ...]:
    """Return the choices for how long to postpone a proposed skill, each as (text, time when the
    skill is shown again).
    """
    day = timedelta(days=1)

    def morning(days: int) -> datetime:
        return datetime.combine(at.date() + days * day, MORNING, at.tzinfo)

    return (
        (tr("For 4 hours"), at + timedelta(hours=4)),
        (tr("Until tomorrow morning"), morning(1)),
        (tr("For a week"), morning(7)),
    )


def _doing(action: str, name: str) -> str:
    words = {
        "approve": tr("Approving %1", name),
        "reject": tr("Rejecting %1", name),
        "defer": tr("Snoozing %1", name),
    }
    return words[action]


def _done(action: str, number: int, names: str) -> str:
    one = {
        "approve": tr("Approved: %1", names),
        "reject": tr("Rejected: %1", names),
        "defer": tr("Snoozed: %1", names),
    }
    many = {
        "approve": tr("Approved %1 skills", count(number)),
        "reject": tr("Rejected %1 suggestions", count(number)),
        "defer": tr("Snoozed %1 suggestions", count(number)),
    }
    return one[action] if number == 1 else f"{many[action]}: {names}"


def undo_words(last: Json, together: int) -> str:
    """Say what the last decision was, for the button that undoes it; `together` is the number of
    suggestions decided at once, 0 for one alone.
    """
    name = beginning(skill_title(last.get("name") or ""), MOST_ON_A_BUTTON)
    words = {
        "approved": tr("Undo approving “%1”", name),
        "rejected": tr("Undo rejecting “%1”", name),
        "deferred": tr("Undo snoozing “%1”", name),
    }
    if together:
        words = {
            "approved": tr("Undo approving %1 suggestions", count(together)),
            "rejected": tr("Undo rejecting %1 suggestions", count(together)),
            "deferred": tr("Undo snoozing %1 suggestions", count(together)),
        }
    return words.get(str(last.get("what") or ""), tr("Nothing to undo"))
