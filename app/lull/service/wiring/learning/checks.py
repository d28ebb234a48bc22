"""Provides the library functions (language detection, JSON schema validation) that automatic checks
of models' answers call.
"""

from __future__ import annotations

from typing import Final

from lull.backends.chat.json_schema import fits_schema
from lull.backends.reader.language_detection import detect
from lull.core.checks.check import CheckLibraries

TOOLS: Final = CheckLibraries(detect=detect, fits_schema=fits_schema)
