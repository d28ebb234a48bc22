"""The fixture of a window in German, for the words on axes."""

from __future__ import annotations

from tests.desktop.language.conftest import german

__all__ = ["german"]
