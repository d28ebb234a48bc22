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
CLOSES_WITHIN_S = 5.0
"""Seconds after which work that still waits when the database closes is written in a short form."""

Preparation = Callable[[bool], None]
"""Prepares a write and posts it to the database's writer. Called with True, it posts a short form
instead, which takes no time to prepare.
"""


class PreparingThread:
    """A queue of work that prepares database writes, and the thread that does it in order; the
    thread runs only while there is work.
    """

    def __init__(self) -> None:
        self._waiting: deque[Preparation] = deque()
        self._changed = threading.Condition()
        self._running = False
        self._hurries = False
        self._taken, self._done = 0, 0
        """Numbers of pieces of work that were put here, and that were done."""
        self._told = False
        """Whether the log says that too much waits; it does so once until nothing waits."""

    def put(self, work: Preparation) -> None:
        """Queue work that prepares a database write. If too much work waits or the database is
        closing, the work is done at once in its short form.
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
        _do(work, short=True)

    def flush(self, within_s: float | None = None) -> None:
        """Wait, at most `within_s` seconds, until all work queued so far is done; work that is
        queued during the wait does not count.
        """
        with self._changed:
            wanted = self._taken
            self._changed.wait_for(lambda: self._done >= wanted, within_s)

    def close(self, within_s: float = CLOSES_WITHIN_S) -> None:
        """Finish the queued work that prepares database writes; what still waits after `within_s`
        seconds is done in its short form.

        Safe to call twice.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._running, within_s)
            self._hurries = True
            self._changed.wait_for(lambda: not self._running)

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._running = self._told = False
                    self._changed.notify_all()
                    return
                work, short = self._waiting.popleft(), self._hurries
            _do(work, short=short)
            with self._changed:
                self._done += 1
                self._changed.notify_all()


def _do(work: Preparation, *, short: bool) -> None:
    try:
        work(short)
    except Exception:
        # Nobody waits for it, and what comes after it must be done.
        log.exception("a long turn could not be prepared; replies go on, its texts are lost")
        if not short:
            _do(work, short=True)
