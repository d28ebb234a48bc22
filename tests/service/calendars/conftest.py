"""A reader of calendars and a server to read from, as in the tests of the reader itself."""

from tests.backends.calendars.conftest import (  # noqa: F401 - fixtures
    certificate,
    reader,
    server,
)
