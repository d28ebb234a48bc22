"""Reports Lull's own errors: to the client in its API's format, and to the user in the service's
status.
"""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from types import TracebackType

from multidict import CIMultiDict

from lull.core.errors import LullError
from lull.service.process.problems import Problems
from lull.service.proxy.dialects import CHAT_ROUTES
from lull.service.proxy.dialects.base import Dialect
from lull.service.proxy.forward import ProxyAnswer
from lull.service.proxy.relay import one_chunk

log = logging.getLogger(__name__)


class OwnFaults:
    """Reports bugs and failures in Lull's own handling of a request; the request itself goes on
    without Lull's additions.
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def suppress_errors(self, instead: str) -> AbstractContextManager[None, bool]:
        """Context manager that reports and suppresses any exception of its body, so that the
        request goes on; `instead` says in the report how it goes on.
        """
        return _Suppressed(self, instead)

    def report(self, instead: str, error: Exception) -> None:
        """Log a bug in Lull's own code and show it to the user; `instead` says how the request goes
        on.
        """
        log.error("a fault of Lull's own: %s", instead, exc_info=error)
        told = f"{type(error).__name__}: {instead}."
        self._problems.report("serve", LullError(told, hint="`lull logs` has the details."))

    def report_known(self, error: LullError) -> None:
        """Show the user an error that Lull expects to happen and has a text for; the log gets one
        line without a traceback.
        """
        self._problems.report("serve", error)

    def clear(self) -> None:
        """Stop showing the user the last failure of Lull's own, because a request has gone well
        since.
        """
        self._problems.clear("serve")


class _Suppressed(AbstractContextManager[None, bool]):
    """Reports any exception of its body and suppresses it. A class, because each request enters it
    several times, and a generator takes longer.
    """

    def __init__(self, faults: OwnFaults, instead: str) -> None:
        self._faults = faults
        self._instead = instead

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> bool:
        # The HTTP edge: what breaks may be anything, and the request goes on without it.
        if not isinstance(error, Exception):
            return False
        self._faults.report(self._instead, error)
        return True


def error_answer(path: str, status: int, message: str, *, body: bool = True) -> ProxyAnswer:
    """Return an error answer in the API format that belongs to the request's path; with `body`
    False only its headers.
    """
    data = _shape(path).error(status, message)
    headers = CIMultiDict({"Content-Type": "application/json", "Content-Length": str(len(data))})
    return ProxyAnswer(status, headers, one_chunk(data if body else b""), error=True)


def client_text(error: LullError) -> str:
    """Return the detail and the hint of an error as one text for the client."""
    if not error.hint:
        return error.detail
    stop = "" if error.detail.endswith((".", "!", "?")) else "."
    return f"{error.detail}{stop} {error.hint}"


def _shape(path: str) -> Dialect:
    if path.startswith("/v1/messages"):
        return CHAT_ROUTES["/v1/messages"]
    return CHAT_ROUTES["/v1/chat/completions" if path.startswith("/v1/") else "/api/chat"]
