"""Patterns of secrets recognised by the structure around them: a Kubernetes Secret, a JSON web key,
an encrypted vault, a list of cookies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from lull.core.secrets.values.judging import has_sign, looks_random, not_dummy
from lull.core.secrets.values.pattern import BARE, LINE_END, QUOTE, Pattern, PatternPlace

_LINE: Final = re.compile(LINE_END)
_KIND: Final = re.compile(
    rf"kind{QUOTE}?\s{{0,3}}:\s{{0,3}}{QUOTE}?(?:Sealed)?Secret{QUOTE}?(?![\w])"
)
_DATA: Final = re.compile(
    rf"(?:(?<=\\[nrt])|(?<![A-Za-z]))(?:string|encrypted)?[dD]ata{QUOTE}?\s{{0,3}}:"
)
_ENTRY: Final = re.compile(
    rf"(?:[\s>#+|,{{/*-]|\\{{1,4}}[nrt]){{0,80}}{QUOTE}?[\w./-]{{1,80}}{QUOTE}?\s{{0,3}}:\s{{0,3}}{QUOTE}?([^\s\"'\\,{{}}⟨⟩]{{4,8000}}){QUOTE}?"
)
_FAR: Final = 4_000
"""How far from the document's kind its data may begin."""


def _in_a_secret(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    done = 0
    for kind in _KIND.finditer(text):
        first = max(done, kind.start() - _FAR, text.rfind("---", done, kind.start()))
        block = text.rfind("{", first, kind.start()) >= 0
        begin = first if block else max(done, kind.end())
        for data in islice(_DATA.finditer(text, begin, kind.end() + _FAR), _MOST_MAPS):
            at = data.end()
            entry = _ENTRY.match(text, at)
            while entry is not None:
                if not_dummy(entry[1]) and not entry[1].startswith(("$", "{")):
                    yield entry.span(1)
                at = entry.end()
                entry = _ENTRY.match(text, at)
            done = max(done, at)


_MOST_MAPS: Final = 3


_PRIVATE_PART: Final = re.compile(
    rf"{QUOTE}(?:d|k|dp|dq|qi|p|q){QUOTE}\s{{0,3}}:\s{{0,3}}{QUOTE}([A-Za-z0-9_-]{{16,2000}})(?![A-Za-z0-9_-])"
)
_KEY_TYPE: Final = re.compile(rf"kty{QUOTE}\s{{0,3}}:")
_KEY_LENGTH: Final = 5_000


def _in_web_keys(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    done = 0
    kinds = [kind.span() for kind in _KEY_TYPE.finditer(text)]
    for (start, end), following in zip(kinds, [*kinds[1:], (len(text), 0)], strict=False):
        opened = text.rfind("{", max(done, start - _KEY_LENGTH), start)
        last = min(end + _KEY_LENGTH, following[0])
        closed = text.find("}", end, last)
        first = opened if opened >= 0 else max(done, start - _KEY_LENGTH)
        for part in _PRIVATE_PART.finditer(text, first, closed if closed >= 0 else last):
            yield part.span(1)
        done = end


_VAULT: Final = re.compile(
    rf"\$ANSIBLE_VAULT;[\w.;-]{{3,60}}((?:{LINE_END}[ \t>#+/-]{{0,40}}[0-9a-fA-F]{{10,100}}){{1,4000}})"
)
_INDENT: Final = rf"{LINE_END}[ \t>#+/*-]{{0,40}}"
_STATIC: Final = re.compile(
    r"-----BEGIN (?:OpenVPN (?:Static key|tls-crypt-v2 (?:client|server) key)[^-\n\\]{0,12}|[A-Z0-9 ]{0,30}(?:SECRET|SHARED)[A-Z0-9 ]{0,20})-----([\s\S]*?)(?:-----END|\Z)"
)

DOCUMENTS: Final = (
    Pattern(
        kind="secret",
        find=_in_a_secret,
        hints=("secret",),
        holds="kind: Secret\ndata:\n  conf: «cTdLeFIybVpwNFR3»",
        spares="kind: ConfigMap\ndata:\n  conf: cTdLeFIybVpwNFR3",
    ),
    Pattern(
        kind="private-key",
        find=_in_web_keys,
        hints=("kty",),
        holds='{"kty":"OKP","crv":"Ed25519","d":"«q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE»"}',
        spares='{"kty":"OKP","crv":"Ed25519","x":"q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE"}',
    ),
    Pattern(
        kind="secret",
        regex=_VAULT,
        hints=("$ansible_vault",),
        where=PatternPlace.ANYWHERE,
        holds="$ANSIBLE_VAULT;1.1;AES256«\n36643864363862\n3137303866»",
        spares="$ANSIBLE_VAULT;1.1;AES256 is its header",
    ),
    Pattern(
        kind="private-key",
        regex=_STATIC,
        hints=("-----begin",),
        where=PatternPlace.ANYWHERE,
        holds="-----BEGIN OpenVPN Static key V1-----«\n36643864363862\n»-----END OpenVPN Static key V1-----",
        spares="-----BEGIN CERTIFICATE-----\n36643864363862\n-----END CERTIFICATE-----",
    ),
    Pattern(
        kind="password",
        # Name and password on a line each, in a profile of OpenVPN.
        regex=re.compile(
            rf"<auth-user-pass>(?:{_INDENT}[^\s<>\\⟨⟩]{{1,80}}){_INDENT}([^\s<>\\⟨⟩]{{1,200}})(?={_INDENT}</auth-user-pass>)"
        ),
        hints=("<auth-user-pass>",),
        where=PatternPlace.ANYWHERE,
        check=not_dummy,
        holds="<auth-user-pass>\nanna\n«t1gerX»\n</auth-user-pass>",
        spares="<auth-user-pass>\nanna\n</auth-user-pass>",
    ),
    Pattern(
        kind="cookie",
        # A browser's list of cookies: domain, flag, path, secure, expiry, name, value.
        regex=re.compile(
            r"(?:TRUE|FALSE)(?:\t|\\{1,4}t)/[^\s\\]{0,60}(?:\t|\\{1,4}t)(?:TRUE|FALSE)(?:\t|\\{1,4}t)\d{1,13}(?:\t|\\{1,4}t)[^\s\\]{1,80}(?:\t|\\{1,4}t)([^\s\\\"']{8,2000})"
        ),
        hints=("true", "false"),
        where=PatternPlace.ANYWHERE,
        check=looks_random,
        holds=".example.com\tTRUE\t/\tTRUE\t1790000000\tsid\t«q7KxR2mZp4TwB9d»",
        spares=".example.com\tTRUE\t/\tTRUE\t1790000000\ttheme\tdark-blue",
    ),
    Pattern(
        kind="cookie",
        regex=re.compile(
            rf"(?i)(?:session|sid|auth|token|csrf|xsrf|jwt|remember|identity|login|ticket)[\w.-]{{0,40}}{QUOTE}\s?,\s?{QUOTE}(?:value|content){QUOTE}\s?:\s?{QUOTE}({BARE}{{8,2000}})"
        ),
        hints=(
            "session",
            "sid",
            "auth",
            "token",
            "csrf",
            "xsrf",
            "jwt",
            "remember",
            "identity",
            "login",
            "ticket",
        ),
        where=PatternPlace.ANYWHERE,
        check=looks_random,
        holds='{"name": "sid", "value": "«q7KxR2mZp4TwB9d»"}',
        spares='{"name": "sid", "value": "created_at_1"}',
    ),
    Pattern(
        kind="cookie",
        regex=re.compile(
            r"(?i)(?:[\w.-]{0,40}(?:session|sessid|_sid|identity\.application|clearance|logged_in|remember|auth_?cookie|auth_?tkt|ticket)[\w.-]{0,40})=([A-Za-z0-9._%+/=|~-]{16,4000})"
        ),
        hints=(
            "session",
            "sessid",
            "_sid",
            "identity",
            "clearance",
            "logged_in",
            "remember",
            "auth",
            "ticket",
        ),
        where=PatternPlace.ANYWHERE,
        check=lambda value: looks_random(re.sub("%[0-9A-Fa-f]{2}", "", value), least=16),
        holds="wordpress_logged_in_a1=«anna%7C1790000000%7Cq7KxR2mZp4TwB9d»",
        spares="session_name=internationalization_2",
    ),
    Pattern(
        kind="password",
        # Somebody's password in a file with a line for each: chap-secrets, ipsec.secrets.
        regex=re.compile(
            rf"(?:\s\*|:)\s{{1,8}}(?:(?:PSK|XAUTH|EAP)\s{{1,4}})?\\{{0,7}}\"({BARE}{{4,200}})\\{{0,7}}\"(?=\s{{1,8}}\*|\s{{0,4}}(?:$|\n|\\|#|\"|<))"
        ),
        hints=("* ", "*\t", ": psk", ": xauth", ": eap", " * "),
        where=PatternPlace.ANYWHERE,
        check=has_sign,
        holds=': PSK "«t1gerX»"',
        spares=': PSK "required"',
    ),
)
