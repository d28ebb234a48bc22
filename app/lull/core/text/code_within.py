"""Finds where code begins in what somebody wrote: JSON or a fenced block.

A title is made of the words before it: code is no thought that could be cut short.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple


class CodeKind(StrEnum):
    """The kinds of code that a title does not quote."""

    JSON = "json"
    CODE = "code"
    """Anything between code fences."""


class CodeBegin(NamedTuple):
    """The place at which code begins in a text, and its kind."""

    at: int
    kind: CodeKind


_FENCE: Final = re.compile(r"```\w*|~~~\w*")
_JSON: Final = re.compile(
    r"\{\s*(?:\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z_]\w*)\s*:|\[\s*(?:\{|\"[^\"\n]*\"\s*[,\]])"
)
"""The beginning of an object with its first key, or of a list of objects or of texts."""


def code_begin(text: str) -> CodeBegin | None:
    """Return where code begins in a text; None if there is none."""
    fence, data = _FENCE.search(text), _JSON.search(text)
    if fence is not None and (data is None or fence.start() < data.start()):
        is_json = fence[0][3:].lower() == "json" or _JSON.match(text[fence.end() :].lstrip())
        return CodeBegin(fence.start(), CodeKind.JSON if is_json else CodeKind.CODE)
    return None if data is None else CodeBegin(data.start(), CodeKind.JSON)
