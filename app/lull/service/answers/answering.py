"""Helps all handlers of the control API to parse request bodies and query parameters, and to answer
with JSON or an error.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from lull.contract.json_object import Json
from lull.core.calendars.feeds import FeedError
from lull.core.errors import (
    AdapterError,
    AnotherUser,
    ClientFileError,
    Conflict,
    LullError,
    NotFound,
    SecretsError,
    SettingsError,
    SkillError,
    StoreError,
    SystemRefused,
    UsageError,
)
from lull.store.disk.on_disk import is_no_room
from lull.store.rows.readable_rows import DamagedRow

log = logging.getLogger(__name__)

BODY_LIMIT = 8 * 1024 * 1024
"""Largest request body, in bytes."""

_STATUS_OF = {
    NotFound: 404,
    Conflict: 409,
    UsageError: 400,
    SkillError: 400,
    SettingsError: 400,
    SecretsError: 400,
    FeedError: 400,
    AdapterError: 409,
    AnotherUser: 403,
    ClientFileError: 409,
    DamagedRow: 409,
}
"""HTTP status by class of error; others give 500."""


class ReportsStatus(Protocol):
    """Interface that returns the service's status and the results of its self-checks (`lull
    doctor`).
    """

    async def status(self) -> Json:
        """Return what `lull status` shows: the service's state, counts and problems."""

    async def doctor(self) -> Json:
        """Run the checks of `lull doctor`, and return their results."""


class MendsData(Protocol):
    """Interface that puts damaged data of the database right."""

    async def mend(self) -> bool:
        """Put damaged data right; return whether there was any."""


@dataclass(frozen=True, slots=True)
class Answering:
    """Parses requests to the control API and renders answers; passed to each group of routes."""

    settle: Callable[[], None]
    """Function that blocks until everything recorded so far can be read from the database."""

    mending: MendsData | None = None
    """What puts damaged data right; a question that failed is then answered by another try."""

    async def read(self, view: Callable[[], Json]) -> Json:
        """Call a function that reads the database, in a thread, after pending writes are stored."""

        def work() -> Json:
            with contextlib.suppress(StoreError):  # reading works even if writing fails
                self.settle()
            return view()

        return await asyncio.to_thread(work)

    @staticmethod
    def json(value: Json) -> web.Response:
        """Return a successful HTTP answer with this JSON."""
        return _json_response(value)

    @staticmethod
    async def body(request: web.Request) -> Json:
        """Return the request's JSON object. Raises UsageError."""
        try:
            body = await request.json()
        except (ValueError, LookupError, RecursionError) as error:  # LookupError: unknown charset
            raise UsageError("The body is not JSON.") from error
        if not isinstance(body, dict):
            raise UsageError("The body is not a JSON object.")
        return body

    @staticmethod
    def number(request: web.Request, name: str, default: int) -> int:
        """Return a number from the URL's query. Raises UsageError."""
        text = request.query.get(name, "")
        if not text:
            return default
        if not text.isdecimal() or len(text) > 15:
            raise UsageError(f"{name}={text[:40]!r} is not a number.")
        return int(text)


def mending(answering: Answering) -> Middleware:
    """Return the aiohttp middleware of the control API that has damaged data put right when an
    answer fails, and tries a question (GET) once more.
    """

    @web.middleware
    async def mend(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except (web.HTTPException, OSError):
            raise
        except Exception as error:
            # Whatever it failed over may be damaged data. If not, `errors` answers it.
            why = error.__cause__
            of_sqlite = isinstance(why, sqlite3.Error) and not is_no_room(why)
            expected = isinstance(error, LullError) and not of_sqlite
            if expected or answering.mending is None or not await answering.mending.mend():
                raise
            if request.method != "GET":
                raise
            return await handler(request)

    return mend


@web.middleware
async def errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """aiohttp middleware of the control API that turns exceptions of handlers into JSON error
    answers.
    """
    try:
        return await handler(request)
    except LullError as error:
        kinds = (code for kind, code in _STATUS_OF.items() if isinstance(error, kind))
        return _failed(error, next(kinds, 500))
    except OSError as error:
        log.info("not done at %s: %s", request.path, error)
        return _failed(SystemRefused.because(error), 500)
    except web.HTTPException as error:
        return _failed(_http_error(request, error), error.status, dict(_allow(error)))
    except Exception as error:
        # The HTTP edge: whatever breaks, the caller gets an answer in words.
        log.error("the control API failed at %s", request.path, exc_info=error)
        words = LullError(
            f"The service failed at {request.path} ({type(error).__name__}).",
            hint="See `lull logs`.",
        )
        return _failed(words, 500)


def _http_error(request: web.Request, error: web.HTTPException) -> LullError:
    if error.status == 404:
        return NotFound(f"The control API has no {request.path[:100]}.")
    if error.status == 413:
        return UsageError(f"The body has more than {BODY_LIMIT} bytes.")
    return UsageError(f"{request.method} {request.path[:100]}: {HTTPStatus(error.status).phrase}.")


def _allow(error: web.HTTPException) -> list[tuple[str, str]]:
    return [("Allow", error.headers["Allow"])] if "Allow" in error.headers else []


def _failed(error: LullError, status: int, headers: dict[str, str] | None = None) -> web.Response:
    response = _json_response({"error": error.as_coded_dict()}, status=status)
    response.headers.update(headers or {})
    return response


def _json_response(value: Json, *, status: int = 200) -> web.Response:
    # ASCII-escaped, because recorded text may contain lone surrogates.
    return web.json_response(value, status=status)


def text_of(wanted: Mapping[str, Any], name: str) -> str | None:
    """Return a field of a request as text that can be stored in a file; None if it is absent.
    Raises UsageError.
    """
    value = wanted.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} is not text.")
    if value is not None and any("\ud800" <= c <= "\udfff" or c == "\0" for c in value):
        raise UsageError(f"{name} holds characters that no file can hold.")
    return value
