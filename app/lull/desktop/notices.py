"""When a notification is due: rarely. Four kinds, each with its switch, none in a call.

What is due while a call goes on waits and is told afterwards, if it is still true. Proposals are
told once a day, all together. Clicking opens Review; nothing is ever approved from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, QSettings

from lull.core.adapter import AdapterStatus
from lull.desktop.state import AppState, Phase, Subject
from lull.desktop.words import counted, now, plain, signed, tr

Json = dict[str, Any]


class NoticeKind(StrEnum):
    PROPOSALS = "proposals"
    NIGHT = "night"
    """What a night of training brought or cost."""
    WAY_BACK = "way-back"
    """An adapter or a skill was taken out by itself."""
    NEEDS_YOU = "needs-you"
    """A problem that only the user can end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    kind: NoticeKind
    title: str
    text: str


class Notices(QObject):
    """`tell` shows one; `clock` is the user's time."""

    def __init__(
        self,
        state: AppState,
        preferences: QSettings,
        tell: Callable[[Notice], None],
        *,
        clock: Callable[[], datetime] = now,
    ) -> None:
        super().__init__()
        self._state = state
        self._preferences = preferences
        self._tell = tell
        self._clock = clock
        self._waiting: dict[NoticeKind, Notice] = {}
        self._problems: set[str] | None = None
        """Those that were already there; None: nothing was read yet."""
        self._verdicts: set[str] | None = None
        state.changed.connect(self._look)
        state.happened.connect(self._hear)

    def wanted(self, kind: NoticeKind) -> bool:
        return bool(self._preferences.value(f"notify/{kind}", True, type=bool))

    def want(self, kind: NoticeKind, on: bool) -> None:
        self._preferences.setValue(f"notify/{kind}", on)

    def _look(self, subject: str) -> None:
        if self._state.phase is not Phase.LIVE:
            return
        if subject == Subject.STATUS:
            self._look_at_problems()
            self._look_at_proposals()
        elif subject == Subject.RUNS:
            self._look_at_runs()
        self._let_out()

    def _look_at_proposals(self) -> None:
        count = int(self._state.status.get("skills", {}).get("proposals", 0))
        today = self._clock().date().isoformat()
        if not count or self._preferences.value("told/proposals", "") == today:
            self._waiting.pop(NoticeKind.PROPOSALS, None)
            return
        text = counted(count, "%1 skill waits for you.", "%1 skills wait for you.")
        title = tr("Review what Lull learned")
        self._due(Notice(kind=NoticeKind.PROPOSALS, title=title, text=text))

    def _look_at_problems(self) -> None:
        standing = self._state.status.get("problems") or []
        known = self._problems
        self._problems = {problem["detail"] for problem in standing}
        new = [p for p in standing if known is not None and p["detail"] not in known]
        for problem in new[:1]:
            text = f"{problem['detail']} {problem.get('hint', '')}".strip()
            self._due(Notice(kind=NoticeKind.NEEDS_YOU, title=problem["title"], text=text))

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
            text = tr("%1 did worse than the one before, which answers again.", fields["adapter"])
            self._due(Notice(kind=NoticeKind.WAY_BACK, title=tr("Taken back"), text=text))
            self._let_out()

    def _due(self, notice: Notice) -> None:
        if self.wanted(notice.kind):
            self._waiting[notice.kind] = notice

    def _let_out(self) -> None:
        if in_a_call(self._state.learning):
            return
        waiting, self._waiting = self._waiting, {}
        for notice in waiting.values():
            if notice.kind is NoticeKind.PROPOSALS:
                day: date = self._clock().date()
                self._preferences.setValue("told/proposals", day.isoformat())
            self._tell(notice)


def in_a_call(learning: Mapping[str, Any]) -> bool:
    """Also a film in full screen: the gate is one."""
    gates = learning.get("gates") or ()
    return any(gate["name"] == "call" and gate["state"] == "closed" for gate in gates)


def night(run: Json) -> Notice:
    before, after = run.get("reward_before"), run.get("reward_after")
    gain = None if before is None or after is None else float(after) - float(before)
    text = plain("; ".join(run.get("reasons") or ()) or str(run.get("verdict")))
    if gain is not None:
        text = tr("Held-out score %1. %2", signed(gain), text)
    return Notice(kind=NoticeKind.NIGHT, title=tr("A night's training"), text=text)
