"""Patterns of lines that consist of a user and a password, in the order of a program's own list:
the secrets of PPP and IPsec, a proxy with its login, an address of mail and its password.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.judging import count_changes, looks_random, not_dummy
from lull.core.secrets.values.pattern import BARE, QUOTE, Pattern, PatternPlace
from lull.core.secrets.values.plain_words import WORDS
from lull.core.secrets.values.typed import clearly_secret, clearly_typed

_BEGINS: Final = r"(?:(?<=\\[nrt])|(?<![\w.@:/%+=&?#-]))"
_END: Final = r"(?=[\s\"'`<|)\\.,;]|$)"
_VALUE: Final = r"([^\s\"'`<>|,;()\\⟨⟩:@/]{8,64})"
_HOST_PORT: Final = r"(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[\w-]{1,40}\.){1,5}[a-z]{2,12}):\d{2,5}"


def _surely_typed(value: str) -> bool:
    """Whether a value is typed, and has a sign that no name and no address has."""
    sorts = (str.islower, str.isupper, str.isdigit)
    return (
        clearly_typed(value)
        and re.search(r"\w[!$%*]\w", value) is not None
        and all(any(sort(c) for c in value) for sort in sorts)
    )


def _surely_drawn(value: str) -> bool:
    sorts = (str.islower, str.isupper, str.isdigit)
    drawn = looks_random(value) and count_changes(value) * 3 >= len(value)
    return drawn and all(any(sort(c) for c in value) for sort in sorts)


PAIRS: Final = (
    Pattern(
        kind="password",
        # The secrets of PPP: client, server, secret and addresses.
        regex=re.compile(
            rf"{QUOTE}?[\w.@\\-]{{1,40}}{QUOTE}?[ \t]{{1,20}}(?:\*|{QUOTE}?[\w.-]{{2,20}}{QUOTE}?)[ \t]{{1,20}}{QUOTE}?({BARE}{{6,100}}){QUOTE}?[ \t]{{1,20}}(?:\*|\d{{1,3}}(?:\.\d{{1,3}}){{3}}){_END}"
        ),
        where=PatternPlace.TEXT,
        hints=(" *", "\t*", " 10.", " 192.", " 172.", "\t10.", "\t192."),
        check=lambda value: clearly_typed(value) or looks_random(value, least=10),
        holds="anna l2tpd «Tiger!72xy» *",
        spares="anna l2tpd Linux-6.8.0 *",
    ),
    Pattern(
        kind="password",
        regex=re.compile(rf"[\w.@-]{{2,40}}[ \t]{{1,20}}\*[ \t]{{1,20}}{QUOTE}?({BARE}{{8,100}})"),
        where=PatternPlace.TEXT,
        hints=(" * ", "\t*\t"),
        check=clearly_typed,
        holds="anna * «Tiger!72xy»",
        spares="width * height_2 and a * b2x",
    ),
    Pattern(
        kind="password",
        # The secrets of IPsec: what the key is, and the key or what opens it.
        regex=re.compile(
            rf":[ \t]{{1,8}}(?:PSK|XAUTH|EAP|NTLM|PIN|RSA|ECDSA|PKCS8|PKCS12|P12|BLISS)[ \t]{{1,8}}(?:[\w./%:-]{{1,80}}[ \t]{{1,8}})?{QUOTE}([^\s\"'`<>\\⟨⟩]{{4,200}})(?=\\{{0,7}}[\"'])"
        ),
        hints=(": ", ":\t"),
        where=PatternPlace.ANYWHERE,
        check=lambda value: not_dummy(value) and value.lower() not in WORDS,
        holds=': RSA server.key "«t1gerX»"',
        spares=': RSA server.key "password"',
    ),
    Pattern(
        kind="password",
        # A proxy or a server of mail: host, port, user and password, or the login first.
        regex=re.compile(
            rf"{_BEGINS}{_HOST_PORT}:[A-Za-z][\w.+-]{{0,40}}(?:@[\w.-]{{1,60}})?:([^\s\"'`<>|,;()\\⟨⟩:@/]{{6,64}}){_END}"
        ),
        where=PatternPlace.TEXT,
        hints=(":",),
        has_digits=True,
        check=lambda value: (
            clearly_typed(value)
            or (
                any(c.isdigit() for c in value)
                and any(c.isalpha() for c in value)
                and not value.islower()
            )
        ),
        holds="10.0.0.5:8080:anna:«t1gerX»",
        spares="10.0.0.5:8080:anna:orders2",
    ),
    Pattern(
        kind="password",
        regex=re.compile(rf"{_BEGINS}[A-Za-z][\w.+-]{{0,40}}[:/]{_VALUE}(?=@{_HOST_PORT})"),
        where=PatternPlace.TEXT,
        hints=("@",),
        check=clearly_secret,
        holds="anna:«Tiger-4572xY»@10.0.0.5:8080",
        spares="anna:orders-2@10.0.0.5:8080",
    ),
    Pattern(
        kind="password",
        # An address and its password, as lists of accounts have them.
        regex=re.compile(
            rf"[\w.+-]{{1,40}}@(?:[\w-]{{1,40}}\.){{1,4}}[a-z]{{2,12}}[ ]?[:;|/,][ ]?{_VALUE}{_END}"
        ),
        where=PatternPlace.TEXT,
        hints=("@",),
        has_digits=True,
        check=clearly_typed,
        holds="anna@example.com:«Tiger-4572xY»",
        spares="anna@example.com: Version-2.0b",
    ),
    Pattern(
        kind="password",
        # A line of a file of users: a name, and at once a drawn password.
        regex=re.compile(
            r"(?:(?<=\\[nrt])|(?<![^\s\"'`|>\[(]))(?!(?:sha|md5|id|uuid|key|image|video|doc|file|ref|tag|rev|commit|etag|cache|build|trace|span|node|user|digest|hash|v\d)\w{0,6}:)[a-z][a-z0-9_-]{1,20}:([A-Za-z0-9]{12,64})(?=[\s\"'`<|)\],\\]|\Z)"
        ),
        where=PatternPlace.TEXT,
        hints=(":",),
        has_digits=True,
        check=_surely_drawn,
        holds="backup:«4bH75JOvIsOkqI»",
        spares="backup:everyNight02 and image:4bH75JOvIsOkqI",
    ),
    Pattern(
        kind="password",
        # A name and a password with a sign that no name has.
        regex=re.compile(rf"{_BEGINS}[a-z][a-z0-9._-]{{1,30}}[ ]?(?::|/{{1,2}})[ ]?{_VALUE}{_END}"),
        where=PatternPlace.TEXT,
        hints=(":", "/"),
        has_digits=True,
        check=_surely_typed,
        holds="admin / «Tiger!72xY»",
        spares="docs/Page#Section2 and sheet: Sheet1!A1",
    ),
)
