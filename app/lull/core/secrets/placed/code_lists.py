"""Patterns of lists of recovery codes: many codes of one shape below a heading that may say more
than their name, and such lists without a heading as some services hand them out.

One code says little, ten that have the same groups of drawn letters and digits are a list: an
error's or a country's codes go in order, words have no digits.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Final

from lull.core.secrets.named.codes import RECOVERY
from lull.core.secrets.values.pattern import LINE_END, Pattern, SecretNames

LISTED: Final = SecretNames(
    stems=(
        "recovery", "backup", "back-up", "scratch", "emergency", "rescue", "one-time", "single-use", "two-factor", "two-step", "2-step", "2fa", "mfa", "authenticator",
        "wiederherstellung", "sicherungs", "notfall", "einmal", "zwei-faktor", "tan-liste", "secours", "récupération", "recuperation", "double authentification", "usage unique",
        "respaldo", "recuperación", "recuperacion", "emergencia", "un solo uso", "dos pasos", "recupero", "recuperação", "herstel",
    ),
    rest="",
)  # fmt: skip
"""Words of a heading that says of codes what they are for, in front of the word for codes or behind."""

_MARK: Final = r"(?:[-*•·◦□☐]|\[[ x]?\]|\d{1,2}[.):])"
_LABEL: Final = r"(?:(?:[^\W\d]{2,12}[ _]?)?#?\d{1,2}[ \t]{0,3}(?:[|,;:=.)]|[-–](?=[ ]))[ \t]{0,3})"
"""The number of a code in its list: `Code 7:`, `code_7=`, `| 7 |`, `7,`."""
_EDGE: Final = r"\\{0,7}[\"'`*|]"
_TAG: Final = r"</?\w{1,10}>"
_ITEM: Final = re.compile(
    r"(?:(?<=\\[nrt])|(?<![\w.:/+\\-]))(?:\d{4}[ ]\d{4}|\d{3}[ ]\d{3}|(?=[a-z-]{0,40}\d|[A-Z-]{0,40}\d|[A-Za-z]{2,12}-[A-Za-z]{2,12}|[A-Za-z]{4,12}\d)[A-Za-z0-9]{4,64}(?:-[A-Za-z0-9]{3,12}){0,4})(?![\w./:%=-])"
)
_APART: Final = re.compile(
    rf"(?:(?:{_EDGE}){{0,3}}(?:[ ]\([^\W\d]{{2,12}}\))?(?:{_TAG}|[ \t]|,|;|/[ ]|{LINE_END}|\\{{1,4}}t|[|>#+/]){{1,12}}"
    rf"(?:{_MARK}[ \t]{{1,3}}){{0,2}}{_LABEL}?(?:{_TAG}){{0,3}}(?:{_EDGE}){{0,3}}){{1,2}}"
)
_FARTHEST: Final = 400
"""How many characters of explanation may stand between a list's heading and its first code."""
_FARTHEST_BEHIND: Final = 40
_RIGHT_BEHIND: Final = 6
"""What stands between the name of a list in a file and its first code."""
_SHORTEST: Final = 6
_FEWEST: Final = 3
_FEWEST_WITHOUT_HEADING: Final = 6
_PAIR: Final = re.compile(
    r"(?=[a-z]*\d|\d*[a-z])(?:[0-9a-f]{5}-[0-9a-f]{5}|[a-z0-9]{4}-[a-z0-9]{4})"
)


def _shape(code: str) -> str:
    """A code's groups by their lengths, and whether they are digits alone."""
    groups = "-".join(str(len(group)) for group in re.split("[ -]", code))
    return f"{groups}{' ' in code}{code.replace(' ', '').isdigit()}"


def _lists(text: str) -> Iterator[list[re.Match[str]]]:
    """The runs of codes of one shape that follow each other."""
    row: list[re.Match[str]] = []
    for item in _ITEM.finditer(text):
        follows = (
            bool(row)
            and item.start() - row[-1].end() <= _WIDEST
            and _alike(row[-1].group(), item.group())
            and _APART.fullmatch(text, row[-1].end(), item.start()) is not None
        )
        if not follows:
            if row:
                yield row
            row = []
        row.append(item)
    if row:
        yield row


_WIDEST: Final = 40


def _alike(one: str, other: str) -> bool:
    """Whether two codes may be of one list: of codes with letters and digits some have one sort."""
    first, second = _shape(one), _shape(other)
    return first == second or (
        " " not in one and first.rstrip("TrueFals") == second.rstrip("TrueFals")
    )


def _drawn(codes: list[str]) -> bool:
    """Whether the codes of a list are drawn at random: different, long enough and not in order."""
    plain = [re.sub("[ -]", "", code) for code in codes]
    if len(set(plain)) < len(plain) or min(map(len, plain)) < _SHORTEST:
        return False
    with_digits = sum(any(c.isdigit() for c in code) for code in plain)
    if with_digits * 2 < len(plain):
        return False
    if all(code.isdigit() for code in plain):
        numbers = [int(code) for code in plain]
        steps = {b - a for a, b in pairwise(numbers)}
        # What was drawn is spread over a tenth of all that could be drawn, at the least.
        return len(steps) > 1 and max(numbers) - min(numbers) >= 10 ** (len(plain[0]) - 1)
    firsts = {code[: len(code) // 2] for code in plain}
    lasts = {code[len(code) // 2 :] for code in plain}
    return min(len(firsts), len(lasts)) * 4 >= len(plain) * 3


def _says_codes(text: str, begin: int) -> bool:
    """Whether the words above a list call what is in it codes."""
    return _CODES.search(text, max(0, begin - _FARTHEST), begin) is not None


_CODES: Final = re.compile(
    r"(?i)code|kode|k[oó]d[ey]|c[oó]dig|codici|\btans?\b|one[- ]time|einmal|pass|one of|usage unique|uso único"
)


def _named_lists(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    for row in _lists(text):
        if len(row) < _FEWEST:
            continue
        begin = row[0].start()
        at = bisect_left(names, begin + 1)
        above = at > 0 and names[at - 1] >= begin - _FARTHEST
        behind = at < len(names) and names[at] <= row[-1].end() + _FARTHEST_BEHIND
        codes = [one.group() for one in row]
        beside = above and names[at - 1] >= begin - _RIGHT_BEHIND
        if (
            (above or behind)
            and _drawn(codes)
            and ("-" in codes[0] or beside or behind or _says_codes(text, begin))
        ):
            yield from (one.span() for one in row)


_JOINED: Final = re.compile(r"-(?<=[a-z0-9]{4}-)[a-z0-9]{4,5}(?![\w-])")
_SPACED: Final = re.compile(r" (?<=\d{4} )\d{4}(?!\d)")


def _may_hold_pairs(text: str) -> bool:
    """Whether a text has enough pairs for a list; that takes less than to look for lists."""
    return any(
        sum(1 for _ in islice(pair.finditer(text), _FEWEST_WITHOUT_HEADING))
        == _FEWEST_WITHOUT_HEADING
        for pair in (_JOINED, _SPACED)
    )


def _bare_lists(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    if not _may_hold_pairs(text):
        return
    for row in _lists(text):
        codes = [one.group() for one in row]
        if (
            len(row) >= _FEWEST_WITHOUT_HEADING
            and (_are_mixed_pairs(codes) or _are_pairs_of_four(text, row))
            and _drawn(codes)
        ):
            yield from (one.span() for one in row)


def _are_mixed_pairs(codes: list[str]) -> bool:
    return all(_PAIR.fullmatch(code) for code in codes) and _mixed(codes)


def _are_pairs_of_four(text: str, row: list[re.Match[str]]) -> bool:
    """Whether codes are pairs of four digits that are numbered one by one or called codes, as Google
    prints its ten.
    """
    called = _CODES.search(text, max(0, row[0].start() - _NEAR), row[0].start()) is not None
    return len(row) >= _MOST_OF_TEN and all(
        re.fullmatch(r"\d{4} \d{4}", one.group())
        and (called or _NUMBER_BEFORE.search(text, max(0, one.start() - 6), one.start()))
        for one in row
    )


_MOST_OF_TEN: Final = 8
_NEAR: Final = 120
_NUMBER_BEFORE: Final = re.compile(r"(?<!\d)\d{1,2}\.[ \t]{1,3}$")


def _mixed(codes: list[str]) -> bool:
    """Whether letters and digits take other places in each code, as in no catalogue's numbers."""
    places = {"".join("d" if c.isdigit() else "l" for c in code) for code in codes}
    return len(places) * 3 >= len(codes) * 2


CALLED: Final = SecretNames(begins=("codes", "códigos", "codigos", "kodes", "codici"), rest="")
"""The word alone, behind which only pairs of four digits are taken for such a list."""


CODE_LISTS: Final = (
    Pattern(
        kind="recovery-code",
        find=_named_lists,
        names=(RECOVERY, LISTED),
        has_digits=True,
        holds="Keep these backup codes somewhere safe.\n\n 1. «7145 8205   2. 1998 4311\n 3. 4410 9376   4. 2015 7149»\n",
        spares="The emergency exits:\n100100\n100101\n100102",
    ),
    Pattern(
        kind="recovery-code",
        find=_bare_lists,
        hints=("-", ". "),
        has_digits=True,
        holds="«7a1f2-c93b0\n1b5e9-08d4f\nc0ffe-3a71b\n9e2d4-77b1c\n4f8a0-e6c25\nd31b7-5a9f8»",
        spares="ab123-45678\nab123-45679\nab123-45680\nab123-45681\nab123-45682\nab123-45683",
    ),
    Pattern(
        kind="recovery-code",
        find=_bare_lists,
        names=(CALLED,),
        has_digits=True,
        holds="Anna's codes:\n«7145 8205\n1998 4311\n4410 9376\n2015 7149\n8332 0017\n6120 4458\n9071 3326\n5284 7790»",
        spares="Anna's codes:\n7145 82\n1998 43\n4410 93\n2015 71\n8332 00\n6120 44\n9071 33\n5284 77",
    ),
)
