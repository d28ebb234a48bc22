"""Judges whether a value is clearly a password or a key by its form alone, for places where its name
stands further away or is missing.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.judging import (
    count_changes,
    has_sign,
    is_placeholder,
    is_readable,
    looks_random,
)
from lull.core.secrets.values.plain_words import DUMMIES

_ENDS: Final = ".,:;!?)]}*"
_SHORTEST: Final = 8
_LONGEST: Final = 64
_LONG: Final = 10
_FEWEST_DIGITS: Final = 3
_MANY_CHANGES: Final = 5
_STRONG: Final = re.compile(r"[A-Za-z0-9][!#$%*?^~&@+=][A-Za-z0-9]")
_SIGN_LAST: Final = re.compile(
    r"^[A-Za-z][A-Za-z0-9]{3,}[A-Za-z0-9_-]*(?!(?<!\d)20\d\d)\d{2,}[!#$%]$"
)
"""A sign behind the digits at the end, as forms ask for one."""
_WEAK: Final = re.compile(r"[A-Za-z0-9][-_.][A-Za-z0-9]")
_OF_CODE: Final = re.compile(
    r"[/\\(){}\[\]]|%(?:2[0-9A-F]|3[A-F]|C3|0A|5[BD])|[&?]\w+=|\+\w+\+|&&|==|::|->|\.\w{1,4}$(?<!\d)(?<![A-Z]{2})(?<!\d[a-z]{2})|^[\w.-]+[=@][\w.-]+\.[a-z]{2,}$|"
    r"^[a-z][\w.-]*=|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|[a-z]-[zA-Z]|0-9|[-_.](?:19|20)\d\d(?:[-_.]|$)|^[a-z]+(?:[-_.][a-z]+)+\d*$|^%|^\d+(?:[.,_-]\d+)+[a-zA-Z%]{0,3}$|"
    r"^\d{4}-?\d\d-?\d\d[T_ -]|^v?\d+\.\d+|\d\.\d+\.\d|\b[Vv]\d|^[A-Za-z]+\d{0,3}!\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?$|^\w+![A-Za-z_]\w+(?:\+0x\w+)?$"
)
"""Paths, calls, file names, assignments, versions, times, a spreadsheet's cells, a debugger's symbols."""


def clearly_typed(value: str) -> bool:
    """Whether a value is one that people or programs make up as a password: letters and digits with
    a sign between them, and no name, version, path or time.
    """
    plain = value.rstrip(".,:;)]}*")
    if not _SHORTEST <= len(plain) <= _LONGEST or plain.lower() in DUMMIES:
        return False
    digits = sum(c.isdigit() for c in plain)
    if not digits or not any(c.isalpha() for c in plain) or _OF_CODE.search(plain):
        return False
    if not has_sign(plain) or is_readable(plain):
        return False
    lower, upper = any(c.islower() for c in plain), any(c.isupper() for c in plain)
    if _SIGN_LAST.search(plain) and lower and upper:
        return True
    if _STRONG.search(plain):
        return (lower and upper) or digits >= 2
    # Hyphens, dots and underscores are in names, too: those have few digits, and behind the letters.
    changes = count_changes(plain)
    drawn = (digits >= _FEWEST_DIGITS and changes >= 1) or changes >= _MANY_CHANGES
    return bool(_WEAK.search(plain)) and lower and upper and len(plain) >= _LONG and drawn


def clearly_drawn(value: str) -> bool:
    """Whether a value of at least 16 characters is drawn at random from letters and digits."""
    plain = value.rstrip(_ENDS)
    return (
        len(plain) >= _SHORTEST_DRAWN
        and not is_readable(plain)
        and not is_placeholder(plain)
        and _UUID.fullmatch(plain) is None
        and _DIGEST.match(plain) is None
        and _PAIR.search(plain) is None
        and not _is_path_of_names(plain)
        and looks_random(plain, least=_SHORTEST_DRAWN)
        and count_changes(plain) * 6 >= len(plain)
    )


def _is_path_of_names(value: str) -> bool:
    """Whether dots join short names, as in code."""
    return _NAMES.fullmatch(value) is not None and max(map(len, value.split("."))) < _SHORTEST_PART


_NAMES: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_SHORTEST_PART: Final = 12
_SHORTEST_DRAWN: Final = 16
_PAIR: Final = re.compile(r"[&?]\w+=\S")
"""The next pair of a query, before which a value ends."""
_UUID: Final = re.compile(r"\{?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?")
_DIGEST: Final = re.compile(r"(?i)(?:sha\d+|md5|h1|blake2?\w?|urn|Qm)[-:]|data:|Qm\w{44}$")


def clearly_secret(value: str) -> bool:
    """Whether a value is clearly a password or a key."""
    return clearly_typed(value) or clearly_drawn(value)


TOKEN: Final = re.compile(
    r"(?:(?<=\\[nrt])|(?<![^\s\"'`=:>(|,/«„“「：]))([^\s\"'`<>|,;«»“”„⟨⟩\\」。、，]{6,400})(?=[\s\"'`<>|,;»”“\\)」。、，]|$)"
)
"""One word among others, or between quotation marks."""
