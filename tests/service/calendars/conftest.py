"""Fixtures for tests of calendars: a calendar reader, an HTTP server and its certificate."""

from tests.backends.calendars.conftest import (  # noqa: F401 - fixtures
    certificate,
    reader,
    server,
)
