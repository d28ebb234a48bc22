"""Runs work that must precede a write to the database, such as redacting a long text, on a thread
of its own, so that the database's writer and all who wait for it are not held up.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

log = logging.getLogger(__name__)

MOST_WAITING = 32
"""Most pieces of work in the queue; further ones are written in a short form."""
CLOSES_WITHIN_S = 3.0
"""Seconds after which work that is not done when the database closes is written in a short form."""

Post = Callable[[], None]
"""Posts a prepared write to the database's writer; takes no time."""
Preparation = Callable[[bool], Post]
"""Prepares a write and returns the function that posts it. Called with True, it prepares a short
form instead, which takes no time.
"""


class PreparingThread:
    """A queue of work that prepares database writes, and the thread that does it in order; the
    thread runs only while there is work.
    """

    def __init__(self) -> None:
        self._waiting: deque[Preparation] = deque()
        self._changed = threading.Condition()
        self._running = False
        self._under_way: Preparation | None = None
        """The work that the thread is doing."""
        self._hurries = False
        self._closing = threading.Lock()
        self._taken, self._done = 0, 0
        """How many pieces of work were put into the queue so far, and how many of them were done.
        """
        self._told = False
        """Whether the log says that too much waits; it does so once until nothing waits."""

    def put(self, work: Preparation) -> None:
        """Queue work that prepares a database write. If too much work waits or the database is
        closing, the work is done at once in its short form, which leaves out long texts.
        """
        with self._changed:
            if not self._hurries and len(self._waiting) < MOST_WAITING:
                self._waiting.append(work)
                self._taken += 1
                if not self._running:
                    self._running = True
                    threading.Thread(target=self._run, name="store-preparing", daemon=True).start()
                return
            told, self._told = self._told or self._hurries, True
        if not told:
            log.warning("too many long texts at once: some turns are stored without theirs")
        _prepared(work, short=True)()

    def flush(self, within_s: float | None = None) -> None:
        """Wait, at most `within_s` seconds, until all work queued so far is done; work that is
        queued during the wait does not count.
        """
        with self._changed:
            wanted = self._taken
            self._changed.wait_for(lambda: self._done >= wanted, within_s)

    def close(self, within_s: float = CLOSES_WITHIN_S) -> None:
        """Finish the queued work that prepares database writes; what is not done after `within_s`
        seconds is done in its short form, which takes no time and leaves out long texts.

        Safe to call twice, also from two threads at once: whoever comes second waits for the first.
        """
        with self._closing:  # or the second would end the writer before the first has posted
            self._finish(within_s)

    def _finish(self, within_s: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._running, within_s)
            left = [*([self._under_way] if self._under_way else []), *self._waiting]
            self._hurries, self._running, self._under_way = True, False, None
            self._waiting.clear()
        if left:
            log.warning("Lull stops: %d long turns are stored without their long texts", len(left))
        for work in left:
            _prepared(work, short=True)()
        with self._changed:
            self._done = self._taken
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._running = self._told = False
                    self._changed.notify_all()
                    return
                work = self._under_way = self._waiting.popleft()
            post = _prepared(work, short=False, wanted=lambda: not self._hurries)
            with self._changed:
                if self._hurries:  # too late: whoever closed has posted the short form
                    return
                post()
                self._under_way = None
                self._done += 1
                self._changed.notify_all()


def _prepared(work: Preparation, *, short: bool, wanted: Callable[[], bool] = lambda: True) -> Post:
    try:
        return work(short)
    except Exception:
        # Nobody waits for it, and what comes after it must be done.
        if wanted():
            log.exception("a long turn could not be prepared; replies go on, its texts are lost")
        return _nothing if short else _prepared(work, short=True)


def _nothing() -> None:
    """Queue no write: the prepared work failed."""
