"""Rewrites a text in the ways in which a model or a person may still read it, though its words are
written with other letters, escaped or coded.

Each reading is rewritten again until nothing of that is left: what is coded in base64 five times is
read as what is escaped once. A coded text is shorter with each layer, so this ends; limits bound
the work on texts that were made to take long.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from lull.core.text.undisguised_text import undisguised
from lull.core.text.unicode_safety import normalised_text, without_lookalikes

_MOST_LAYERS: Final = 16
"""How often what a rewriting brought to light is rewritten again."""
_MOST_CHARACTERS: Final = 2_000_000
"""Total length of the texts that are rewritten; far above that of any skill."""
_SHORTEST: Final = 4
"""Fewest letters and digits that a coded text must hold; fewer are there by chance."""
_CODED: Final = re.compile(
    # lines of base64 as mails and keys wrap them, at other places a single piece
    r"(?<![\w+/=-])[A-Za-z0-9+/_-]{12,}(?:[ \t]{0,8}\r?\n[ \t]{0,8}[A-Za-z0-9+/_-]{4,})*={0,2}"
)
_HEXADECIMAL: Final = re.compile(r"(?<!\w)(?:[0-9a-fA-F]{2}[\s:,]?){6,}")
_SPACE: Final = re.compile(r"\s+")


def hidden_readings(text: str) -> tuple[str, ...]:
    """Return the texts that are hidden in a text by look-alike letters, escapes (`%63`, `&#99;`,
    `\\x63`) or codings (base64, hexadecimal), however many of these lie in each other.
    """
    found: dict[str, None] = {}
    queue, left = [normalised_text(text)], _MOST_CHARACTERS
    for _ in range(_MOST_LAYERS):
        made = [one for said in queue for one in _rewritten(said)]
        queue = []
        for one in dict.fromkeys(made):
            if one not in found and len(one) <= left:
                found[one] = None
                queue.append(one)
                left -= len(one)
        if not queue:
            break
    return tuple(found)


def _rewritten(text: str) -> Iterator[str]:
    """The text in other letters and without escapes, and what is coded in parts of it."""
    honest = without_lookalikes(text)
    if honest != text:
        yield honest
    if (shown := undisguised(text)) is not None:
        yield normalised_text(shown.text)
    for coded in _CODED.finditer(text):
        yield from _decoded(coded.group())
    for digits in _HEXADECIMAL.finditer(text):
        yield from _text_of(bytes.fromhex(re.sub(r"[\s:,]", "", digits.group())))


def _decoded(coded: str) -> Iterator[str]:
    joined = _SPACE.sub("", coded).rstrip("=").translate(_STANDARD)
    # A last character alone holds no whole byte.
    joined = joined[: len(joined) - (len(joined) % 4 == 1)]
    try:
        data = base64.b64decode(joined + "=" * (-len(joined) % 4), validate=True)
    except binascii.Error:
        return
    yield from _text_of(data)


_STANDARD: Final = str.maketrans("-_", "+/")


def _text_of(data: bytes) -> Iterator[str]:
    """Yield the text that these bytes encode, in UTF-8 or UTF-16, if it is long enough."""
    for coding in ("utf-8", "utf-16-le"):
        try:
            text = data.decode(coding)
        except UnicodeDecodeError:
            continue
        shown = all(char.isprintable() or char in "\n\r\t" for char in text)
        if shown and text.isascii() and sum(map(str.isalnum, text)) >= _SHORTEST:
            yield text
            return
