"""Reads a catalogue of translated texts: a gettext `.po` file, as translators' programs write it.

The `.po` file itself is read, not a compiled `.mo` file, so a change of it needs no build step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from lull.core.errors import ResourceError

SENTENCE: Final = "service"
"""Value of `msgctxt` in a .po file that marks English sentences of the service that come without
a message code, so that the sentence itself is looked up.
"""
CHECK: Final = "check"
"""Value of `msgctxt` that marks the pieces of which sentences about checks of answers consist. They
are looked up in such sentences alone, because many are single words.
"""
NUMBERS: Final = "#. numbers"
"""Start of a .po comment that lists which placeholders of a sentence hold numbers, such as
`#. numbers %1 %3`; their decimals are written the user's way.
"""
_PARTS: Final = frozenset({"msgctxt", "msgid", "msgid_plural", "msgstr", "msgstr[0]", "msgstr[1]"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The translations into one language, each found by its English text or by a message code of
    the service.
    """

    texts: dict[str, str] = field(default_factory=dict)
    counted: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """Translated (singular, plural) of texts with a number, by the English (singular, plural)."""
    coded: dict[str, str] = field(default_factory=dict)
    """Translations of the service's texts that have a code, by that code."""
    worded: dict[str, str] = field(default_factory=dict)
    """The same translations by the English texts, because texts that were stored have no code."""
    sentences: dict[str, str] = field(default_factory=dict)
    """Translations of the service's texts that never have a code, by the English texts."""
    numbers: dict[str, frozenset[str]] = field(default_factory=dict)
    """The places of these texts in which a number stands that may have decimals, by the English
    texts; a place is its digit, "1" for `%1`.
    """
    checks: dict[str, str] = field(default_factory=dict)
    """Translations of the pieces of sentences about checks, by the English ones."""


def read_catalogue(path: Path) -> Catalogue:
    """Read a catalogue of translated texts from a `.po` file. Raises ResourceError, with the line,
    if the file cannot be read or parsed.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ResourceError(f"{path} cannot be read: {error}.") from error
    catalogue = Catalogue()
    for entry in _entries(text, path):
        one, said = entry.get("msgid", ""), entry.get("msgstr", "")
        if (code := entry.get("msgctxt")) == SENTENCE:
            catalogue.sentences[one] = said
            if places := entry.get(NUMBERS):
                catalogue.numbers[one] = frozenset(re.findall(r"%([1-9])", places))
        elif code == CHECK:
            catalogue.checks[one] = said
        elif code:
            catalogue.coded[code] = said
            if " " not in code:  # what has a blank in its code is a name, a word like any other
                catalogue.worded[one] = said
        elif many := entry.get("msgid_plural"):
            pair = entry.get("msgstr[0]", ""), entry.get("msgstr[1]", "")
            catalogue.counted[one, many] = pair
        elif one:  # without a text it is the file's head
            catalogue.texts[one] = said
    return catalogue


def _entries(text: str, path: Path) -> Iterator[dict[str, str]]:
    entry: dict[str, str] = {}
    part = ""
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if not line or line.isspace():
            if entry:
                yield entry
            entry, part = {}, ""
        elif line.startswith(NUMBERS):
            entry[NUMBERS] = line.removeprefix(NUMBERS)
        elif line[0] != "#":
            name, _, quoted = line.partition(" ")
            if line[0] == '"':
                quoted = line
            elif name not in _PARTS or name in entry:
                raise _wrong(path, number, line)
            else:
                part = name
            if not part:
                raise _wrong(path, number, line)
            entry[part] = entry.get(part, "") + _unquoted(quoted.strip(), path, number, line)


def _unquoted(quoted: str, path: Path, number: int, line: str) -> str:
    if len(quoted) < 2 or quoted[0] != '"' or quoted[-1] != '"':
        raise _wrong(path, number, line)
    if "\\" not in quoted and '"' not in quoted[1:-1]:
        return quoted[1:-1]
    try:
        return str(json.loads(quoted))  # what stands in quotes is written as in JSON
    except ValueError as error:
        raise _wrong(path, number, line) from error


def _wrong(path: Path, number: int, line: str) -> ResourceError:
    return ResourceError(f"{path}, line {number} is no line of a catalogue: {line}")
