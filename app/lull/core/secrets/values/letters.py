"""Decides whether a value of letters only was generated at random, or is made of words as names in
code are.

Words are recognised by their pairs of letters: `th` is frequent in words, `vq` occurs in none.
Names in code change between small letters and capitals only where a word begins, random letters at
every second place.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

_PAIRS: Final = """
25652350503757050767433341
74537321640733630664611051
71437216506622730547510030
63458441721533631554522230
53674441301557343776243521
62436721710633730655611040
61338356601645540763511031
72238201701444731546502140
54655450002558640566050305
74448211514232753262725131
64348333703535442374434141
72348210702632630255531060
75337211702453670253510130
62666472613334531367441020
44552440414668550755645221
72337214602622650756511050
32252432404523344545953202
73458340703454630566432040
51537316703433562267623040
62437325710432630665512152
56545340501667360766010211
71329231711421623134012000
72457326704506632663102200
53657404611543471447333642
54546432601565581466334133
71229304711443630244422144
"""
"""How frequent each pair of letters is in the words of code and of sentences: one row for each
first letter, one figure for each second; 5 is as frequent as by chance, 6 twice as frequent, 4
half as frequent.
"""
_EVEN: Final = 5
_FREQUENT: Final = {
    chr(97 + first) + chr(97 + second): int(figure) - _EVEN
    for first, row in enumerate(_PAIRS.split())
    for second, figure in enumerate(row)
}

_A_WORD_BEGINS: Final = -2.8
_CAPITAL_GOES_ON: Final = -1.3
_WORD_GOES_ON: Final = 0.9
"""How much likelier each change of case is in a name than by chance, as powers of two."""

_SHORTEST: Final = 8
_MOST_LETTERS: Final = 64


def are_random_letters(value: str, *, sure: bool = False) -> bool:
    """Whether a text of plain letters was generated at random. `sure` demands clearer evidence, for
    places where a name or a word is likelier than a secret.
    """
    if len(value) < _SHORTEST or not (value.isascii() and value.isalpha()):
        return False
    value = value[:_MOST_LETTERS]
    mixed = value[1:] != value[1:].lower() and value != value.upper()
    most = (-4 if mixed else -8) if sure else (-1 if mixed else -4)
    return _wordlike(value, mixed=mixed) < most


def _wordlike(value: str, *, mixed: bool) -> float:
    """The likelihood of a name compared to that of random letters, as a power of two."""
    likelihood = 0.0
    for first, second in pairwise(value):
        if mixed and first.islower() and second.isupper():
            likelihood += _A_WORD_BEGINS
            continue
        likelihood += _FREQUENT[(first + second).lower()]
        if mixed:
            likelihood += _WORD_GOES_ON if second.islower() else _CAPITAL_GOES_ON
    return likelihood
