"""The real libraries that checks need (JSON Schema, language detection): fast enough for tests."""

from __future__ import annotations

from lull.backends.chat.json_schema import fits_schema
from lull.backends.reader.language_detection import detect
from lull.core.checks.check import CheckLibraries

EXACT = CheckLibraries(detect=detect, fits_schema=fits_schema)
