"""Decides when to show a desktop notification, such as that of a new proposed skill; the user can
turn off each of the four kinds.

Notifications that come up during a call are shown after it. All proposed skills that are ready for
a decision are announced together, once a day. A click opens the window on the page that belongs to
the notification; nothing is approved from a notification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final

from PySide6.QtCore import QObject, QSettings

from lull.contract.json_object import Json
from lull.core.adapters.adapter import AdapterStatus
from lull.core.proof.review_state import CALM
from lull.desktop.language.words import (
    counted,
    now,
    plain,
    problem_text,
    reword_for_window,
    signed,
    tr,
    translated,
)
from lull.desktop.service.state import AppState, Phase, Subject

READY: Final = CALM
"""Statuses of proposed skills that wait for nothing but the user's decision."""


class NoticeKind(StrEnum):
    """The kinds of desktop notifications, such as those about proposed skills or a rollback; the
    user can turn off each.
    """

    PROPOSALS = "proposals"
    NIGHT = "night"
    """Notification of the result of a night of training."""
    WAY_BACK = "way-back"
    """Notification that an adapter was rolled back automatically."""
    NEEDS_YOU = "needs-you"
    """Notification of a problem that only the user can solve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One desktop notification: its kind, title and text."""

    kind: NoticeKind
    title: str
    text: str


class Notices(QObject):
    """Watches the service's data and decides which desktop notifications to show; calls `tell` with
    each.

    `clock` returns the local time.
    """

    def __init__(
        self,
        state: AppState,
        preferences: QSettings,
        tell: Callable[[Notice], None],
        *,
        clock: Callable[[], datetime] = now,
        in_front: Callable[[], bool] = lambda: False,
    ) -> None:
        """Create the watcher of the service's data.

        `tell` shows a notification; `in_front` returns whether the user has Lull's window in front
        of them.
        """
        super().__init__()
        self._in_front = in_front
        self._state = state
        self._preferences = preferences
        self._tell = tell
        self._clock = clock
        self._waiting: dict[NoticeKind, Notice] = {}
        self._problems: set[str] | None = None
        """Details of the problems known so far; None until the first read."""
        self._verdicts: set[str] | None = None
        state.changed.connect(self._look)
        state.happened.connect(self._hear)

    def wanted(self, kind: NoticeKind) -> bool:
        """Whether the user wants notifications of this kind."""
        return bool(self._preferences.value(f"notify/{kind}", True, type=bool))

    def want(self, kind: NoticeKind, on: bool) -> None:
        """Remember whether the user wants notifications of this kind."""
        self._preferences.setValue(f"notify/{kind}", on)

    def _look(self, subject: str) -> None:
        if self._state.phase is not Phase.LIVE:
            return
        if subject == Subject.STATUS:
            self._look_at_problems()
        elif subject == Subject.PROPOSALS:
            self._look_at_proposals()
        elif subject == Subject.RUNS:
            self._look_at_runs()
        self._let_out()

    def _look_at_proposals(self) -> None:
        # What was not tested yet asks for nothing: it waits for Lull, not for the user.
        ready = [p for p in self._state.proposals if p.get("standing") in READY]
        count = len(ready)
        today = self._clock().date().isoformat()
        if not count or self._preferences.value("told/proposals", "") == today:
            self._waiting.pop(NoticeKind.PROPOSALS, None)
            return
        text = counted(
            count, "%1 suggestion is ready for you.", "%1 suggestions are ready for you."
        )
        title = tr("Review what Lull learned")
        self._due(Notice(kind=NoticeKind.PROPOSALS, title=title, text=text))

    def _look_at_problems(self) -> None:
        standing = self._state.status.get("problems") or []
        known = self._problems
        self._problems = {problem["detail"] for problem in standing}
        new = [p for p in standing if known is not None and p["detail"] not in known]
        for problem in new[:1]:
            title = translated(problem, "title")
            self._due(Notice(kind=NoticeKind.NEEDS_YOU, title=title, text=problem_text(problem)))

    def _look_at_runs(self) -> None:
        runs = [r for r in self._state.value(Subject.RUNS).get("runs") or () if r.get("verdict")]
        known = self._verdicts
        self._verdicts = {run["id"] for run in runs}
        for run in runs:
            if known is not None and run["id"] not in known:
                self._due(night(run))
                return

    def _hear(self, event: Json) -> None:
        fields = event.get("fields") or {}
        if event.get("kind") == "adapter" and fields.get("status") == AdapterStatus.ROLLED_BACK:
            text = tr("%1 did worse than the one before, which is back in use.", fields["adapter"])
            self._due(Notice(kind=NoticeKind.WAY_BACK, title=tr("Rolled back"), text=text))
            self._let_out()

    def _due(self, notice: Notice) -> None:
        if self.wanted(notice.kind):
            self._waiting[notice.kind] = notice

    def _let_out(self) -> None:
        if in_a_call(self._state.learning):
            return
        if self._in_front():  # the list and its badge say so already
            self._waiting.pop(NoticeKind.PROPOSALS, None)
        waiting, self._waiting = self._waiting, {}
        for notice in waiting.values():
            if notice.kind is NoticeKind.PROPOSALS:
                day: date = self._clock().date()
                self._preferences.setValue("told/proposals", day.isoformat())
            self._tell(notice)


def in_a_call(learning: Mapping[str, Any]) -> bool:
    """Whether the user seems to be in a video or audio call; a full-screen film looks the same."""
    conditions = learning.get("gates") or ()
    return any(one["name"] == "call" and one["state"] == "closed" for one in conditions)


def night(run: Json) -> Notice:
    """Return the notification about a training run that has ended."""
    before, after = run.get("reward_before"), run.get("reward_after")
    gain = None if before is None or after is None else float(after) - float(before)
    said = "; ".join(reword_for_window(str(reason)) for reason in run.get("reasons") or ())
    if run.get("kind") == "graduation" and run.get("verdict") == "rejected":
        said = translated(run, "why") or said  # what was lost, and what is done next time
    verdict = tr("The test was passed.") if run.get("verdict") == "accepted" else ""
    text = plain(said or verdict or tr("The test was not passed."))
    if gain is not None:
        text = tr("Change in the share of good answers: %1. %2", signed(gain), text)
    return Notice(kind=NoticeKind.NIGHT, title=tr("Overnight training"), text=text)
