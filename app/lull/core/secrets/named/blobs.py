"""Patterns of keys, Kerberos tickets, encrypted data and access tokens that are recognised by their
own format.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from lull.core.secrets.values.judging import count_changes, may_be_random
from lull.core.secrets.values.pattern import Pattern, PatternPlace

_A: Final = "q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE"
_H: Final = "9f86d081e4c7a2b359f86d081e4c7a2b"
_B: Final = "[A-Za-z0-9+/_=-]"
_BEGINS: Final = r"(?:(?<=\\[nrtbf])|(?<=\n\+)|(?<=\A\+)|(?<=\\n\+)|(?<![A-Za-z0-9+/_-]))"

# kind | what it begins with | the rest, as a regular expression | example of the rest
_BUILDS: Final = rf"""
macaroon       | MDAx MDAy                        | {_B}{{60,}}                              | {_A}{_A}
macaroon       | AgEL AgEE AgED AgEU AgEH AgET AgEJ AgEX | {_B}{{90,}}                       | {_A}{_A}{_A}
macaroon       | 0201036c6e64                     | [0-9a-f]{{60,}}                          | {_H}{_H}
token          | v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public. | [A-Za-z0-9_-]{{32,}}(?:\.[A-Za-z0-9_-]+)? | {_A}
ticket         | doIE doIF doIG doID YIIE YIIF YIIG | [A-Za-z0-9+/]{{120,}}={{0,2}}           | {_A}{_A}{_A}{_A}
protected-data | AQAAANCMnd8BFdERjHoAwE           | [A-Za-z0-9+/=]{{40,}}                    | {_A}{_A}
protected-data | 01000000d08c9ddf0115d1118c7a00c04fc297eb | [0-9A-Fa-f]{{40,}}               | {_H}{_H}
protected-data | 76492d1116743f0423413b16050a5345 | [A-Za-z0-9+/=]{{32,}}                    | {_A}{_A}
protected-data | gAAAAA                           | [A-Za-z0-9_-]{{70,}}={{0,2}}             | {_A}{_A}{_A}
protected-data | CfDJ8                            | [A-Za-z0-9_-]{{60,}}                     | {_A}{_A}
protected-data | vault:v1: vault:v2: vault:v3:    | [A-Za-z0-9+/]{{24,}}={{0,2}}             | {_A}{_A}
private-key    | MII                              | [A-Za-z0-9+/]{{2,4}}(?:IBAAK|IBADANBgkqhkiG9w0BAQEFAASC|IBAzCC)[A-Za-z0-9+/=]{{40,}} | EvQIBADANBgkqhkiG9w0BAQEFAASC{_A}{_A}
private-key    | MIGHAgEAM MIG2AgEAM MIHuAgEAM MC4CAQAwBQYDK2V | [A-Za-z0-9+/=]{{32,}}                | {_A}{_A}
private-key    | MHcCAQEE MHYCAQEE MIGkAgEBBD MIHcAgEBBE | [A-Za-z0-9+/=]{{40,}}                | {_A}{_A}
private-key    | b3BlbnNzaC1rZXktdjE              | [A-Za-z0-9+/=]{{40,}}                    | {_A}{_A}
sign-in        | PHNhbWxw PHNhbWwy                | [A-Za-z0-9+/%=]{{80,}}                   | {_A}{_A}{_A}
"""


def _builds() -> tuple[Pattern, ...]:
    found = []
    for line in _BUILDS.strip().splitlines():
        kind, begins, rest, example = (cell.strip() for cell in line.split(" | "))
        prefixes = begins.split()
        found.append(
            Pattern(
                kind=kind,
                regex=re.compile(
                    f"(?:{'|'.join(map(re.escape, prefixes))}|{re.escape(prefixes[0].upper())}){rest}"
                ),
                hints=tuple(prefix.lower() for prefix in prefixes),
                dense=True,
                holds=f"«{prefixes[0]}{example}»",
                spares=f"{prefixes[0]}{example[:20]}",
            )
        )
    return tuple(found)


def _telling(token: str) -> bool:
    """Whether a text in base64 is JSON that names a secret."""
    try:
        plain = base64.b64decode(
            token[: len(token) // 4 * 4], altchars=b"-_" if set(token) & set("-_") else None
        )
    except (binascii.Error, ValueError):
        return False
    return (
        re.search(
            rb"(?i)key|token|secret|passw|pwd|credential|auth|private|session|jwt|sig", plain[:200]
        )
        is not None
    )


_SHORT: Final = re.compile(r"[A-Za-z0-9]+$")


def _short(token: str) -> bool:
    """Whether a short body behind a telling prefix was drawn at random."""
    found = _SHORT.search(token)
    body = found.group() if found else ""
    digits = sum(c.isdigit() for c in body)
    if not 14 <= len(body) <= 40 or not digits or digits == len(body):
        return False
    mixed = any(c.islower() for c in body) and any(c.isupper() for c in body)
    return may_be_random(body) and count_changes(body) >= (
        len(body) // 3 if mixed else max(3, len(body) // 5)
    )


def _behind_a_sign(token: str) -> bool:
    body = token.rpartition("~")[2].rstrip("=")
    mixed = any(c.islower() for c in body) and any(c.isupper() for c in body)
    return mixed and any(c.isdigit() for c in body) and count_changes(body) >= len(body) // 3


BLOBS: Final = (
    *_builds(),
    Pattern(
        kind="protected-data",
        regex=re.compile(
            r"ENC\[AES256_GCM,data:[A-Za-z0-9+/=]+,iv:[A-Za-z0-9+/=]+,tag:[A-Za-z0-9+/=]+,type:\w+\]"
        ),
        hints=("enc[aes256",),
        holds=f"«ENC[AES256_GCM,data:{_A},iv:{_A},tag:{_A},type:str]»",
        spares="ENC[AES256_GCM] is its header",
    ),
    Pattern(
        kind="token",
        regex=re.compile(r"eyJ[A-Za-z0-9+/_-]{24,4000}={0,2}(?![A-Za-z0-9+/_.-])"),
        hints=("eyj",),
        where=PatternPlace.WORD,
        dense=True,
        check=_telling,
        holds="«eyJhcGlfa2V5IjoicTdLeFIybVpwNFR3QjlkIn0=»",
        spares="eyJwYWdlIjoyLCJzb3J0IjoibmFtZSIsImFmdGVyIjoxfQ==",
    ),
    Pattern(
        kind="token",
        regex=re.compile(
            rf"{_BEGINS}(?:[A-Za-z][A-Za-z0-9]{{1,15}}[_-]){{0,3}}?(?:sk|pk|rk|ak|tok|tkn|token|key|apikey|api|pat|secret|auth|live|priv|access|refresh|bot|pass|cred|shpat|glpat|sess)[_-](?:(?:live|test|prod|dev|v\d)[_-])?[A-Za-z0-9]{{14,40}}(?![A-Za-z0-9/+_-])"
        ),
        where=PatternPlace.RUN,
        check=_short,
        has_digits=True,
        holds="«acme_live_8Kq2mZp4TwB9dHc8»",
        spares="test_user_key_of2024accounts",
    ),
    Pattern(
        kind="token",
        # A name, a sign and a long random body. Before a colon the name is no part of the secret,
        # as in `llama:…`, where it may be a model's.
        regex=re.compile(
            rf"{_BEGINS}(?!(?i:sha|md|blake|h)\d+:|(?i:urn|spiffe):)"
            r"(?:([A-Za-z][A-Za-z0-9._-]{0,20}~[A-Za-z0-9_-]{32,200})"
            r"|[A-Za-z][A-Za-z0-9._-]{0,20}:([A-Za-z0-9+/_-]{32,200}={0,2}))"
            r"(?![A-Za-z0-9+/_.:@-])"
        ),
        where=PatternPlace.RUN,
        check=_behind_a_sign,
        not_before=re.compile(r"(?i)(?:integrity|fingerprint|nonce).{0,40}$"),
        has_digits=True,
        holds=f"«sha256~{_A}»",
        spares=f"sha256:{_H}{_H}",
    ),
)
