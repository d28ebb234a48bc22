"""Patterns of passwords that stand as literals in code, in a form that says what they are: made an
array of characters for a key store, compared with what was typed, or written in groups of four.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.judging import count_changes, has_sign, looks_random, not_dummy
from lull.core.secrets.values.letters import are_random_letters
from lull.core.secrets.values.pattern import QUOTE, Pattern, PatternPlace

_IN_ORDER: Final = re.compile(r"(?i)0123|1234|abcd|wxyz|aeiou")
"""What an alphabet has, which code goes through sign by sign."""


def _chars(value: str) -> bool:
    return not_dummy(value) and _IN_ORDER.search(value) is None and has_sign(value)


def _of_store(value: str) -> bool:
    return not_dummy(value) and _IN_ORDER.search(value) is None


def _compared(value: str) -> bool:
    sorts = (str.islower, str.isupper, str.isdigit)
    return (
        all(any(sort(c) for c in value) for sort in sorts)
        and looks_random(value)
        and count_changes(value) >= _DRAWN
    )


_DRAWN: Final = 4


def _in_groups(value: str) -> bool:
    return are_random_letters(re.sub("[ -]", "", value), sure=True)


_TO_CHARS: Final = rf"{QUOTE}([^\s\"'`\\<>⟨⟩]{{4,120}})\\{{0,7}}[\"']\.(?:toCharArray|chars|getBytes|ToCharArray)\("

LITERALS: Final = (
    Pattern(
        kind="password",
        regex=re.compile(_TO_CHARS),
        hints=('"',),
        where=PatternPlace.ANYWHERE,
        check=_chars,
        holds='secretOf("«hgHLvTE4td»".toCharArray())',
        spares='digits = "0123456789ABCDEF".toCharArray()',
    ),
    Pattern(
        kind="password",
        regex=re.compile(_TO_CHARS),
        hints=('"',),
        where=PatternPlace.ANYWHERE,
        before=re.compile(
            r"(?i)(?:key_?store|trust_?store|pbekeyspec|passwordprotection|getkey|setkeyentry|loadkey\w{0,12})[^\n;]*$"
        ),
        check=_of_store,
        holds='keyStore.load(in, "«swordfish»".toCharArray())',
        spares='keyStore.load(in, "password".toCharArray())',
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i:strn?(?:case)?cmp|stricmp|strncasecmp|compare_digest|hash_equals|secure_compare|\.equals|timingsafeequal)\(\s?(?:[\w.\[\]>()-]{{1,40}}\s?,\s?)?[bLu@]?{QUOTE}([^\s\"'`\\<>⟨⟩]{{8,120}})(?=\\{{0,7}}[\"'])"
        ),
        hints=(
            *("strcmp", "strncmp", "strcasecmp", "strncasecmp", "stricmp", "compare_digest"),
            *("hash_equals", "secure_compare", ".equals", "timingsafeequal"),
        ),
        where=PatternPlace.ANYWHERE,
        check=_compared,
        holds='if (strcmp(input, "«WA8f9Puq7»") == 0)',
        spares='if (strcmp(name, "Base64Url") == 0)',
    ),
    Pattern(
        kind="password",
        # As Google and Apple draw a password for one program.
        regex=re.compile(
            rf"{QUOTE}([a-z]{{4}}(?:([ -])[a-z]{{4}})(?:\2[a-z]{{4}}){{2}})(?=\\{{0,7}}[\"'`])"
        ),
        hints=('"', "'", "`"),
        where=PatternPlace.ANYWHERE,
        check=_in_groups,
        holds='login("anna", "«zfqk wtyh mlpo xdva»")',
        spares='print("this that they them")',
    ),
)
