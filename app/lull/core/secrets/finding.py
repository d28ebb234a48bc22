"""Finds the secrets in a text (passwords, keys, card numbers). The time is linear in the text's
length: every pattern is bounded or continues after its match.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from lull.core.secrets.commands import COMMANDS
from lull.core.secrets.files import FILES
from lull.core.secrets.issued import ISSUED
from lull.core.secrets.issuers import ISSUERS
from lull.core.secrets.joined_tokens import JOINED
from lull.core.secrets.marked_tokens import MARKED
from lull.core.secrets.named import NAMED
from lull.core.secrets.named.assigned import ASSIGNED
from lull.core.secrets.named.personal import PERSONAL_NUMBERS
from lull.core.secrets.named.said import SAID
from lull.core.secrets.numbers import NUMBERS
from lull.core.secrets.placed import PLACED
from lull.core.secrets.public_values import is_public
from lull.core.secrets.urls import URLS
from lull.core.secrets.values.judging import bare_password, may_be_random, quoted_password
from lull.core.secrets.values.pattern import (
    MOST_CHARACTERS_BEFORE,
    OTHER_SCRIPT,
    Pattern,
    PatternPlace,
    SecretNames,
    ShortText,
)
from lull.core.secrets.values.pattern_index import PatternIndex, WordsOfLong
from lull.core.text.undisguised_text import as_read, follows_escape, holds_escape, undisguised

PATTERNS: Final = (
    *(*FILES, *ISSUERS, *MARKED, *URLS, *COMMANDS, *NUMBERS, *PERSONAL_NUMBERS),
    *(*ASSIGNED, *SAID, *NAMED, *PLACED, *JOINED, *ISSUED),
)
"""All secret patterns, the most specific first: where two match in the same place, the first names
the kind.
"""


_INDEX: Final = PatternIndex(PATTERNS)

PLACEHOLDER: Final = re.compile(r"⟨secret:[a-z0-9-]+:\d+⟩")


class Secret(NamedTuple):
    """The position and the kind of a secret, such as a password, in a text."""

    begin: int
    end: int
    kind: str


def secrets_in(text: str) -> list[Secret]:
    """Return the positions and kinds of the secrets in a text, in order. They do not overlap each
    other or the placeholder of a secret that was already replaced.
    """
    if not text:
        return []
    found = _found(text)
    shown = undisguised(text)
    if shown is not None:
        # An escape before a value says that the text around it is escaped, too: what it is, and
        # where it ends, is told by the text as it is read.
        read = sorted(
            Secret(shown.place(begin), shown.place(end), kind)
            for begin, end, kind in _found(shown.text)
        )
        found = [one for one in found if _counts_as_written(one, text, read)] + read
    if not found:
        return []
    taken = [m.span() for m in PLACEHOLDER.finditer(text)] if "⟨secret:" in text else []
    return _apart(found, taken)


def _counts_as_written(one: Secret, text: str, read: Sequence[Secret]) -> bool:
    """Whether a secret in a text with escapes counts beside those of the text as it is read, which
    are sorted.

    Behind an escape it does where reading cuts it: a plus in a key was taken for a blank, or an
    escaped sign in a password for one that ends it. It does not where it looks drawn at random for
    its escapes alone, as an escaped sentence does.
    """
    if not follows_escape(text, one.begin):
        return True
    before = bisect_left(read, (one.end,)) - 1
    if before >= 0 and read[before].end > one.begin:
        end = read[before].end
        return end < one.end and not holds_escape(text, end, one.end)
    words = as_read(text[one.begin : one.end]).replace("+", " ").split(maxsplit=1)
    if not words or not _ENDS_A_VALUE.search(words[0]):
        return False
    return bare_password(words[0]) and may_be_random(words[0])


_ENDS_A_VALUE: Final = re.compile("[&;,<>|)]")


def _found(text: str) -> list[Secret]:
    low = text.lower()
    if len(low) != len(text):
        # One capital becomes two characters in lower case, which would shift positions.
        low = text.replace("İ", "I").lower()
    runs = [run.span() for run in _RUN.finditer(text)]
    may = _INDEX.may_match(text, low, runs)
    known = _Known(may.firsts, {}, _scripts(text), may.words, may.numbers, _long_runs(text, runs))
    return [
        Secret(begin, end, PATTERNS[at].kind)
        for at in sorted(may.patterns)
        for begin, end in _spans(PATTERNS[at], text, low, known)
        if not is_public(PATTERNS[at].kind, text, begin, end)
    ]


class _LongRuns(NamedTuple):
    """A text's long runs of key characters."""

    all: list[tuple[int, int]]
    with_digits: list[tuple[int, int]]


class _Known(NamedTuple):
    """Facts about one text that many patterns need, computed once."""

    firsts: dict[str, int]
    """For each hint in the text, the position where it first occurs."""
    names: dict[SecretNames, list[int]]
    """For each sort of names, the positions where such a name ends."""
    scripts: int
    """Number of lists in `SecretNames.stems_by_script` that can occur in the text."""
    words: ShortText | WordsOfLong
    numbers: list[int]
    """The positions where the text's numbers of at least three digits begin."""
    runs: _LongRuns


def _scripts(text: str) -> int:
    if text.isascii():
        return 1
    return 3 if OTHER_SCRIPT.search(text) else 2


def _spans(pattern: Pattern, text: str, low: str, known: _Known) -> Iterator[tuple[int, int]]:
    if pattern.find is not None:
        ends = sorted(_ends_of(pattern.names, text, low, known)) if pattern.names else []
        if ends or not pattern.names:
            yield from pattern.find(text, low, ends)
        return
    if pattern.where is PatternPlace.RUN:
        runs = known.runs.with_digits if pattern.has_digits else known.runs.all
        matches = _in_runs(pattern, text, runs)
    elif pattern.where is PatternPlace.TEXT:
        matches = pattern.regex.finditer(text)
    elif pattern.where is PatternPlace.NUMBER:
        matches = _at_numbers(pattern, text, known)
    elif pattern.where is PatternPlace.NAME:
        matches = _behind_names(pattern, text, low, known)
    else:
        matches = _at_hints(pattern, text, low, known.firsts)
    for match in matches:
        begin, end = match.span(match.lastindex or 0)
        if pattern.pieces is not None:
            yield from ((begin + a, begin + b) for a, b in pattern.pieces(text[begin:end]))
            continue
        if _counts(pattern, text[begin:end]) and _stands(pattern, text, *match.span()):
            yield begin, end


def _counts(pattern: Pattern, written: str) -> bool:
    """Whether a value is a secret by the pattern's own test. One whose blanks are escaped is judged
    as it is read: the escapes in a sentence look like characters drawn at random.
    """
    if pattern.check is None:
        return True
    value = as_read(written)
    if value is written or len(value.split()) <= len(written.split()):
        return pattern.check(written)
    # Who escapes the blanks in a value says where it ends, as one who quotes it.
    return pattern.check(value) or (pattern.kind == "password" and quoted_password(value))


def _at_numbers(pattern: Pattern, text: str, known: _Known) -> Iterator[re.Match[str]]:
    for at in known.numbers:
        match = pattern.regex.match(text, at)
        if match is not None:
            yield match


def _behind_names(pattern: Pattern, text: str, low: str, known: _Known) -> Iterator[re.Match[str]]:
    for end in _ends_of(pattern.names, text, low, known):
        match = pattern.regex.match(text, end)
        if match is not None:
            yield match


def _ends_of(sorts: tuple[SecretNames, ...], text: str, low: str, known: _Known) -> Iterator[int]:
    for names in sorts:
        ends = known.names.get(names)
        if ends is None:
            ends = known.names[names] = list(_ends(names, text, low, known))
        yield from ends


def _ends(names: SecretNames, text: str, low: str, known: _Known) -> Iterator[int]:
    for stem, anywhere in _stems_that_may_occur(names, known):
        at = low.find(stem)
        while at >= 0:
            if anywhere or _begins_word(text, at):
                rest = names.rest.match(text, at + len(stem))
                if rest is not None:
                    yield rest.end()
            at = low.find(stem, at + 1)


def _stems_that_may_occur(names: SecretNames, known: _Known) -> Iterator[tuple[str, bool]]:
    by_script = zip(names.stems_by_script, names.literals_by_script, strict=True)
    for stems, literals in islice(by_script, known.scripts):
        if isinstance(known.words, ShortText):
            for number in literals.that_may_occur(known.words):
                stem, _, anywhere = stems[number]
                yield stem, anywhere
        else:
            letters = known.words.letters
            yield from ((stem, anywhere) for stem, piece, anywhere in stems if piece in letters)


def _at_hints(
    pattern: Pattern, text: str, low: str, firsts: dict[str, int]
) -> Iterator[re.Match[str]]:
    match, anywhere = pattern.regex.match, pattern.where is PatternPlace.ANYWHERE
    for hint in pattern.hints:
        at = firsts.get(hint, -1)
        while at >= 0:
            found = match(text, at) if anywhere or _begins_word(text, at) else None
            if found is not None:
                yield found
            # A match is not searched again; otherwise a frame that never closes would be read anew
            # from each of its openings.
            at = low.find(hint, max(at + 1, found.end() if found else 0))


_RUN: Final = re.compile(r"[A-Za-z0-9_./+=~:@$-]{16,}")
_SHORTEST_RUN: Final = 18


def _in_runs(pattern: Pattern, text: str, runs: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    for begin, end in runs:
        yield from pattern.regex.finditer(text, begin, end)


def _long_runs(text: str, runs: list[tuple[int, int]]) -> _LongRuns:
    long = [one for one in runs if one[1] - one[0] >= _SHORTEST_RUN]
    return _LongRuns(long, [one for one in long if _DIGIT.search(text, *one)])


_DIGIT: Final = re.compile(r"\d")


def _begins_word(text: str, at: int) -> bool:
    if at == 0:
        return True
    last = text[at - 1]
    if not (last.isascii() and last.isalnum()):
        return True
    return _ESCAPE.search(text, max(0, at - 8), at) is not None


_ESCAPE: Final = re.compile(r"(?:\\[nrtbfv]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\[\d{0,3}m)$")
"""What an escaped line break, a percent escape or a colour code leaves before a word."""


_NAME_BEFORE: Final = re.compile("[A-Za-z0-9][-_.]$")


def _stands(pattern: Pattern, text: str, at: int, end: int) -> bool:
    if (
        pattern.in_a_name is not None
        and _NAME_BEFORE.search(text, max(0, at - 2), at)
        and not pattern.in_a_name(text[at:end])
    ):
        return False
    if pattern.before is None and pattern.not_before is None:
        return True
    line = text[max(0, at - MOST_CHARACTERS_BEFORE) : at].rpartition("\n")[2]
    if pattern.before is not None and not pattern.before.search(line):
        return False
    return pattern.not_before is None or not pattern.not_before.search(line)


def _apart(found: list[Secret], taken: list[tuple[int, int]]) -> list[Secret]:
    """Merges overlapping secrets into one, with the kind that comes first."""
    rank = {kind: place for place, kind in enumerate(dict.fromkeys(p.kind for p in PATTERNS))}
    result: list[Secret] = []
    at = 0
    for one in sorted(found):
        while at < len(taken) and taken[at][1] <= one.begin:
            at += 1
        if at < len(taken) and taken[at][0] < one.end:
            continue
        last = result[-1] if result else None
        if last is not None and one.begin < last.end:
            kind = min(last.kind, one.kind, key=rank.__getitem__)
            result[-1] = Secret(last.begin, max(last.end, one.end), kind)
        else:
            result.append(one)
    return result
