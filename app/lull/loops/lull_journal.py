"""What is written down of lulls: each window with its reason and use, and how long nobody was here.

Decides when a row begins and ends, so that a crash costs a minute of the journal and a clock that
is put back never makes a window end before it began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from lull.core.idle import Window
from lull.core.idle_signals import IdleSignals, Look
from lull.core.lull_length import GUESS_DAYS, LEAST_LULL_S, PastLull
from lull.core.ports import Ids
from lull.store.windows import Done, WindowRow, Windows

_SLACK: Final = timedelta(seconds=60)
"""By so much two looks may differ about when the user left: what is polled is a little old."""


@dataclass(slots=True)
class Journal:
    windows: Windows
    ids: Ids
    past: list[PastLull]
    """How long the user was away before, oldest first."""
    every_s: float = 60.0
    """An open window is written so often."""
    row: WindowRow | None = None
    written_s: float = 0.0

    @classmethod
    def begun(cls, windows: Windows, ids: Ids, now: datetime, *, every_s: float) -> Journal:
        """Blocks on the store; what an earlier service left open is closed."""
        windows.close_left_open()
        windows.forget_before(now)
        past = windows.lulls(since=now - timedelta(days=GUESS_DAYS))
        return cls(windows=windows, ids=ids, past=past, every_s=every_s)

    # Windows

    def opened(self, window: Window, now: datetime, monotonic_s: float) -> None:
        self.row = WindowRow(
            id=self.ids.new("window"), opened_at=now, seen_at=now, why_opened=window.because
        )
        self._write(monotonic_s)

    def going_on(
        self, now: datetime, monotonic_s: float, *, used_s: float, done: Sequence[Done]
    ) -> None:
        if self.row is not None and monotonic_s - self.written_s >= self.every_s:
            self.row = self._seen(now, used_s, done)
            self._write(monotonic_s)

    def closed(
        self, why: str, by: str, now: datetime, *, used_s: float, done: Sequence[Done]
    ) -> None:
        if self.row is not None:
            row = self._seen(now, used_s, done)
            self.windows.post(replace(row, closed_at=row.seen_at, why_closed=why, closed_by=by))
            self.row = None

    def _seen(self, now: datetime, used_s: float, done: Sequence[Done]) -> WindowRow:
        assert self.row is not None
        seen_at = max(now, self.row.opened_at)
        return replace(self.row, seen_at=seen_at, used_s=used_s, done=tuple(done))

    def _write(self, monotonic_s: float) -> None:
        if self.row is not None:
            self.written_s = monotonic_s
            self.windows.post(self.row)

    # Lulls

    def looked(self, before: Window | None, last: Look, window: Window, now: IdleSignals) -> None:
        """Somebody came back between two looks: that was a lull, if it was long enough."""
        if before is None or before.somebody_here:
            return
        left_s = last.monotonic_s - before.quiet_s
        back_s = now.monotonic_s - window.quiet_s
        if now.asleep_gap_s:
            back_s = last.monotonic_s  # the rest of it the machine slept through
        length_s = back_s - left_s
        # A reading of input that jitters is nobody coming back.
        if length_s >= LEAST_LULL_S:
            began_at = last.now - timedelta(seconds=last.monotonic_s - left_s)
            self._keep(PastLull(began_at=began_at, length_s=length_s))

    def stopped(self, last: Window | None, look: Look) -> None:
        """Lull ends; the lull may go on."""
        if last is None or last.somebody_here or last.quiet_s < LEAST_LULL_S:
            return
        began_at = look.now - timedelta(seconds=last.quiet_s)
        self._keep(PastLull(began_at=began_at, length_s=last.quiet_s, seen_to_end=False))

    def _keep(self, lull: PastLull) -> None:
        lull = self._gone_on(lull)
        oldest = lull.began_at - timedelta(days=GUESS_DAYS)
        self.past = [one for one in self.past if one.began_at >= oldest]
        self.past.append(lull)
        self.windows.post_lull(lull)

    def _gone_on(self, lull: PastLull) -> PastLull:
        """The same lull as the last one, where we stopped in the middle of it and came back, or a
        source was silent for a while: nobody can go away before they came back."""
        last = self.past[-1] if self.past else None
        if last is None:
            return lull
        latest = _end(last) - _SLACK if last.seen_to_end else _end(last)
        if not last.began_at - _SLACK <= lull.began_at <= latest:
            return lull
        self.past.pop()
        length_s = (_end(lull) - last.began_at).total_seconds()
        return replace(lull, began_at=last.began_at, length_s=max(last.length_s, length_s))


def _end(lull: PastLull) -> datetime:
    return lull.began_at + timedelta(seconds=lull.length_s)
