"""Patterns of secret numbers: payment cards and IBANs by check digits, social-security numbers,
wallet keys and seed phrases by form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from lull.core.secrets.seed_words import SEED_WORDS
from lull.core.secrets.values.pattern import LETTERS_ONLY, Pattern, PatternPlace

# Country code and length
_IBANS: Final = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20
EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30
KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28
PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24
XK20
"""
_IBAN_LENGTHS: Final = {one[:2]: int(one[2:]) for one in _IBANS.split()}
_BRANDS: Final = re.compile(
    r"4\d{15}|4\d{12}|4\d{18}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|"
    r"6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}|(?:50[1-3]8|5[68]\d\d|6304|6390|67\d\d)\d{12}"
)
_SEEDS: Final = frozenset(SEED_WORDS)
_SHORTEST_SEED: Final = 12


def is_card(number: str) -> bool:
    """Whether a number is a payment card's: a brand's first digits and length, and a valid Luhn
    check digit.
    """
    digits = re.sub(r"\D", "", number)
    if not _BRANDS.fullmatch(digits) or len(set(digits)) < 3:
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _iban_in(row: str) -> Iterator[tuple[int, int]]:
    """The IBAN at the beginning of a row of groups, behind which words of capitals may stand."""
    end = len(row)
    while end > 0:
        if is_iban(row[:end]):
            yield 0, end
            return
        end = max(row.rfind(sign, 0, end) for sign in (" ", "\u00a0", "-"))


def is_iban(number: str) -> bool:
    """Whether a text is an IBAN: its country's length, and a remainder of 1 by ISO 7064."""
    plain = re.sub(r"[\s-]", "", number).upper()
    if _IBAN_LENGTHS.get(plain[:2]) != len(plain):
        return False
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def _seed_phrases(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    """Runs of at least twelve words from the wallet word list, half of them different: a word that
    somebody repeats is no phrase."""
    if not _may_hold_a_phrase(low):
        return
    row: list[re.Match[str]] = []
    for word in (*_WORD.finditer(text), None):
        known = word is not None and word.group().lower() in _SEEDS
        if known and (not row or _FROM_WORD_TO_WORD.fullmatch(text, row[-1].end(), word.start())):  # type: ignore[union-attr]
            row.append(word)  # type: ignore[arg-type]
            continue
        different = len({one.group().lower() for one in row})
        if len(row) >= _SHORTEST_SEED and 2 * different >= _SHORTEST_SEED:
            yield row[0].start(), row[-1].end()
        row = [word] if known and word is not None else []


def _may_hold_a_phrase(low: str) -> bool:
    """Whether twelve words of the list follow each other, whatever stands between them: every
    twelfth word is asked, and only around one of the list its neighbours.
    """
    words = _ESCAPED.sub(" ", low) if "\\" in low else low
    row = words.encode("utf-8", "replace").translate(LETTERS_ONLY).split()
    for at in range(_SHORTEST_SEED - 1, len(row), _SHORTEST_SEED):
        if row[at] in _SEED_BYTES:
            first = last = at
            while first and row[first - 1] in _SEED_BYTES:
                first -= 1
            while (
                last + 1 < len(row)
                and last - first < _SHORTEST_SEED
                and row[last + 1] in _SEED_BYTES
            ):
                last += 1
            if last - first + 1 >= _SHORTEST_SEED:
                return True
    return False


_SEED_BYTES: Final = frozenset(word.encode() for word in SEED_WORDS)
_ESCAPED: Final = re.compile(r"(?<!\\)\\{1,8}[nrt]")
_FROM_WORD_TO_WORD: Final = re.compile(
    r"(?:[ ,;|>#+/*\"'\[\]\t\r\n-]|\\{1,7}[nrt\"']|\d{1,2}[.):]? ?){1,12}"
)


def _random_bytes(row: str) -> bool:
    """Whether numbers are bytes drawn at random: a table's or a picture's repeat or go in order."""
    numbers = [int(one) for one in re.findall(r"\d+", row)]
    steps = [b - a for a, b in pairwise(numbers)]
    rises = sum(step > 0 for step in steps)
    different = len(set(numbers)) >= 44 and len(set(steps)) >= 36
    return different and 128 < max(numbers) < 256 and 16 <= rises <= 47


_BYTES: Final = ", ".join(str(at**3 * 37 % 251) for at in range(3, 67))
_WORD: Final = re.compile(r"(?<=\\[nrt])[A-Za-z]+|(?<![\\A-Za-z])[A-Za-z]+")
_G: Final = r"(?:[ \u00a0\u202f.-]|%20)?"
_SHOWN: Final = ("123-45-6789", "078-05-1120", "219-09-9999")
"""Numbers that forms and advertisements print; none of them was given to anybody since."""
NUMBERS: Final = (
    Pattern(
        kind="card",
        regex=re.compile(
            rf"[2-6](?:(?<=\\[nrt].)|(?<![\dA-Za-z_.].)(?<!\d-.))(?:(?:\d{{12}}|\d{{14,15}}|\d{{18}})(?! \d{{5}})|(?:\d{{3}}{_G}\d{{4}}{_G}\d{{4}}{_G}\d{{4}}(?:\d{{3}})?|\d{{3}}{_G}\d{{6}}{_G}\d{{4,5}})(?! \d{{4}}))(?![\dA-Za-z_]|-\d|\.\d)"
        ),
        where=PatternPlace.NUMBER,
        check=is_card,
        holds="my card is «4539 1488 0343 6467»",
        spares="my card is 4539 1488 0343 6468",
    ),
    Pattern(
        kind="iban",
        regex=re.compile(
            r"[A-Z](?:(?<=\\[nrt].)|(?<![A-Za-z0-9].))[A-Z][0-9]{2}(?:[ \u00a0-]?[A-Z0-9]{4}){2,7}(?:[ \u00a0-]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
        ),
        where=PatternPlace.TEXT,
        has_digits=True,
        pieces=_iban_in,
        holds="IBAN «DE89 3704 0044 0532 0130 00»",
        spares="IBAN DE88 3704 0044 0532 0130 00",
    ),
    Pattern(
        kind="iban",
        regex=re.compile(
            r"(?:(?<=\\[nrt])|(?<![A-Za-z0-9]))[a-z]{2}[0-9]{2}(?:[a-z]{4})?[0-9]{11,26}(?![A-Za-z0-9])"
        ),
        where=PatternPlace.RUN,
        check=is_iban,
        has_digits=True,
        holds="«de89370400440532013000»",
        spares="de88370400440532013000",
    ),
    Pattern(
        kind="social-security-number",
        regex=re.compile(
            r"[0-8](?:(?<=\\[nrt].)|(?<![\dA-Za-z.-].))(?<!9)\d\d(?<!000)(?<!666)-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])"
        ),
        where=PatternPlace.NUMBER,
        check=lambda number: number not in _SHOWN,
        holds="My SSN is «123-45-6780».",
        spares="The part is 000-45-6780.",
    ),
    Pattern(
        kind="recovery-code",
        # BitLocker: eight groups of six digits.
        regex=re.compile(r"\d(?:(?<=\\[nrt].)|(?<![\dA-Za-z.-].))\d{5}(?:[- ]\d{6}){7}(?![\d-])"),
        where=PatternPlace.NUMBER,
        holds="«123456-234567-345678-456789-567890-678901-789012-890123»",
        spares="123456-234567-345678-456789",
    ),
    Pattern(
        kind="wallet-key",
        # A key written as its 64 bytes.
        regex=re.compile(
            r"\[((?:\s|\\[nrt]){0,12}\d{1,3}(?:(?:\s|\\[nrt]){0,4},(?:\s|\\[nrt]){0,12}\d{1,3}){63}(?:\s|\\[nrt]){0,12})\]"
        ),
        hints=("[",),
        where=PatternPlace.ANYWHERE,
        check=_random_bytes,
        holds=f"[«{_BYTES}»]",
        spares=f"[{_BYTES}, 255]",
    ),
    Pattern(
        kind="wallet-key",
        regex=re.compile(r"(?i)0x[0-9a-f]{64}(?![0-9a-z])"),
        hints=("0x",),
        not_before=re.compile(
            r"(?i)(?:\btx|\\[nrt]tx|hash|block|transaction|topic|root|keccak|data|digest|sha\d*|bytes32)\W{0,3}(?:\w{1,10}\W{1,3}){0,2}$"
        ),
        holds="it is «0x9f86d081e4c7a2b359f86d081e4c7a2b9f86d081e4c7a2b359f86d081e4c7a2b»",
        spares="tx 0x9f86d081e4c7a2b359f86d081e4c7a2b9f86d081e4c7a2b359f86d081e4c7a2b",
    ),
    Pattern(
        kind="wallet-key",
        regex=re.compile(
            r"(?:(?<=\\[nrt])|(?<![A-Za-z0-9/_.-]))(?:5[1-9A-HJ-NP-Za-km-z]{50}|[KL][1-9A-HJ-NP-Za-km-z]{51}|[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112})(?![A-Za-z0-9+/_=-])"
        ),
        where=PatternPlace.RUN,
        has_digits=True,
        holds="«5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB9KF»",
        spares="5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB",
    ),
    Pattern(
        kind="seed-phrase",
        find=_seed_phrases,
        holds="«legal winner thank year wave sausage worth useful legal winner thank yellow»",
        spares="legal winner thank year wave sausage worth useful legal winner thanks yellow",
    ),
)
