"""Keeps exemplars in Chroma in a child process, which runs only while it is needed.

Chroma and what it imports would take a quarter of the service's memory all the time, for a few
reads and writes an hour; no request waits for them. The child starts with a call and ends when
nothing was called for some seconds, or with the service. A call over which it dies, as for want of
memory, is carried out by a fresh one.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import lull
from lull.backends.retrieval.exemplar_store import ExemplarLabel, Vector
from lull.backends.system.hung import CHECK_EVERY_S, HangChecks
from lull.core.errors import StoreError

LEAVES_AFTER_S: Final = 10.0
"""Seconds without a call after which the child process ends."""
_GRACE_S: Final = 5.0
"""Seconds that the child process has to end by itself before it is killed."""
ASLEEP_S: Final = 30.0
"""Seconds that the child process may sleep over a call before it counts as hung and is killed."""


def chroma_command() -> tuple[str, ...]:
    """Return the command line of the child process that keeps exemplars in Chroma; a frozen app
    runs itself.
    """
    if getattr(sys, "frozen", False):
        return (sys.executable, "keep-vectors")
    return (sys.executable, "-m", "lull.backends.retrieval.chroma_child")


class ChromaProcess:
    """Stores exemplars in Chroma in a child process; implements `ExemplarStore`.

    Calls may come from several threads, and are carried out one after the other.
    """

    def __init__(
        self,
        folder: Path,
        embedder: str,
        *,
        command: Sequence[str] | None = None,
        leaves_after_s: float = LEAVES_AFTER_S,
        asleep_s: float = ASLEEP_S,
        check_every_s: float = CHECK_EVERY_S,
    ) -> None:
        """Store in this folder what the embedder with this name computes; the first call starts the
        child process. `check_every_s` are the seconds between checks whether it hangs.
        """
        self._folder = folder
        self._embedder = embedder
        self._command = tuple(command or chroma_command())
        self._leaves_after_s = leaves_after_s
        self._asleep_s = asleep_s
        self._check_every_s = check_every_s
        self._asking = False
        self._killed_as = ""
        """Why the last child was killed; "" if it was not."""
        self._proved = False
        """Whether the running child has carried out a call."""
        self._one = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._leaving: threading.Timer | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the child process; None if none is running."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def set_aside(self) -> Path:
        aside: Path = self._call("set_aside")
        return aside

    def page(self, offset: int, *, client: str | None) -> list[tuple[ExemplarLabel, Vector]]:
        page: list[tuple[ExemplarLabel, Vector]] = self._call("page", offset, client=client)
        return page

    def of_other_embedders(self) -> list[tuple[ExemplarLabel, str]]:
        found: list[tuple[ExemplarLabel, str]] = self._call("of_other_embedders")
        return found

    def drop_other_embedders(self) -> None:
        self._call("drop_other_embedders")

    def put(self, label: ExemplarLabel, vector: Vector, text: str) -> None:
        self._call("put", label, vector, text)

    def remove(self, ids: Sequence[str]) -> None:
        self._call("remove", ids)

    def ids(self) -> list[str]:
        ids: list[str] = self._call("ids")
        return ids

    def of_skill(self, skill: str) -> list[ExemplarLabel]:
        found: list[ExemplarLabel] = self._call("of_skill", skill)
        return found

    def count(self) -> int:
        count: int = self._call("count")
        return count

    def rewrite(self) -> None:
        self._call("rewrite")

    def close(self) -> None:
        """End the child process, in the middle of a call if that takes long; a later call starts
        another one. Blocking.
        """
        if self._one.acquire(timeout=_GRACE_S):
            try:
                self._stay()
                self._end()
            finally:
                self._one.release()
        elif (child := self._child) is not None:
            self._killed_as = "it was ended over a call"
            child.kill()

    def _call(self, method: str, *words: object, **named: object) -> Any:
        with self._one:
            self._stay()
            try:
                self._asking = True
                return self._carried_out(method, *words, **named)
            finally:
                self._asking = False
                self._leave_later()

    def _carried_out(self, method: str, *words: object, **named: object) -> Any:
        """Have a call carried out; by a fresh child again if it fails in one that worked before.

        Whatever of it was done already does no harm when it is done again.
        """
        fresh = not self._proved
        try:
            return self._asked(method, *words, **named)
        except StoreError:
            if fresh or self._killed_as:
                raise
        return self._asked(method, *words, **named)

    def _asked(self, method: str, *words: object, **named: object) -> Any:
        child = self._running()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            pickle.dump((method, words, named), child.stdin)
            child.stdin.flush()
            result = pickle.load(child.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self._end()
            how = self._killed_as or f"it stopped with exit code {child.returncode}"
            raise self._broken(how) from error
        if isinstance(result, StoreError):
            # Memory may be lacking only because of what this process has gathered.
            self._end()
            raise result
        self._proved = True
        return result

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._end()
            self._child, self._killed_as = self._started(), ""
            threading.Thread(target=self._watch, args=(self._child,), daemon=True).start()
        return self._child

    def _watch(self, child: subprocess.Popen[bytes]) -> None:
        """Kill the child process if it hangs, which ends the call that waits for it."""
        every_s = self._check_every_s
        checks = HangChecks(child.pid, asleep_s=self._asleep_s, every_s=every_s)
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(every_s)
                return
            if how := checks.check(asked=self._asking):
                self._killed_as = how
                child.kill()

    def _started(self) -> subprocess.Popen[bytes]:
        words = ("--folder", str(self._folder), "--embedder", self._embedder)
        try:
            return subprocess.Popen(
                [*self._command, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                # so that `-m lull…` finds this package, installed or not
                cwd=Path(lull.__file__).parent.parent,
            )
        except OSError as error:
            raise self._broken(f"it cannot start: {error.strerror}") from error

    def _broken(self, how: str) -> StoreError:
        return StoreError(
            f"The process that keeps past requests failed: {how}.",
            hint="Was there too little memory? It is started again when it is next needed.",
        )

    def _stay(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def _leave_later(self) -> None:
        self._leaving = threading.Timer(self._leaves_after_s, self._leave)
        self._leaving.daemon = True
        self._leaving.start()

    def _leave(self) -> None:
        with self._one:
            # A call may have come while this waited: then another timer counts.
            if self._leaving is threading.current_thread():
                self._end()

    def _end(self) -> None:
        child, self._child, self._proved = self._child, None, False
        if child is None:
            return
        assert child.stdin is not None
        assert child.stdout is not None
        with contextlib.suppress(OSError):  # it ended with a call unread
            child.stdin.close()
        try:
            child.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()
