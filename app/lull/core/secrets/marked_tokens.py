"""Patterns of API tokens of several pieces, or known by a mark in their middle or at their end."""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.judging import may_be_random
from lull.core.secrets.values.pattern import Pattern, PatternPlace

_A: Final = "q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE"
_H: Final = "9f86d081e4c7a2b359f86d081e4c7a2b3"


_BEGINS: Final = r"(?:(?<=\\[nrtbf])|(?<!["
"""The start of a token: an escaped line break `\\n` before it is not part of it. The pattern that
replaces it closes the bracket."""


def _run(kind: str, regex: str, holds: str, spares: str, *hints: str) -> Pattern:
    return Pattern(
        kind=kind,
        regex=re.compile(regex.replace("(?<![", _BEGINS)),
        where=PatternPlace.RUN,
        hints=hints,
        has_digits=not hints,
        holds=f"«{holds}»",
        spares=spares,
        check=may_be_random,
    )


MARKED: Final = (
    _run(
        "service-token",
        r"(?<![A-Za-z0-9]))[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])",
        f"{_A[:6]}_{_A[:29]}_mmk",
        f"{_A[:6]}_{_A[:20]}_mmk",
        "_mmk",
    ),
    _run(
        "service-token",
        # Not in small letters only: that is the beginning of a digest.
        r"(?<![A-Za-z0-9/+_.-]))4b1d(?=[A-Za-z0-9]{0,30}[G-Zg-z])[A-Za-z0-9]{38}(?![A-Za-z0-9/+])",
        f"4b1d{_A}{_A[:6]}",
        f"4b1d{_H}{_H[:5]}",
        "4b1d",
    ),
    _run(
        "wallet-key",
        r"(?<![A-Za-z0-9/_.-]))6P[1-9A-HJ-NP-Za-km-z]{56}(?![A-Za-z0-9/+])",
        f"6P{_A}{_A[:24]}",
        f"6P{_A}",
        "6p",
    ),
    _run(
        "service-token",
        # The tokens of Vault before version 1.10, by its own documentation.
        r"(?<![A-Za-z0-9_.-]))[sb]\.(?=[a-z0-9]{0,23}[A-Z])(?=[A-Za-z]{0,20}\d[A-Za-z]{0,20}\d)[A-Za-z0-9]{24}(?![A-Za-z0-9_.(/-])",
        f"s.{_A[:24]}",
        "s.createdAtOfTheFirstUser2",
        "s.",
        "b.",
    ),
    _run(
        "service-token",
        # Backblaze's application keys: the cluster's number, then 27 characters.
        r"(?<![A-Za-z0-9/+_.-]))K00\d[A-Za-z0-9+/]{27}(?![A-Za-z0-9/+=_-])",
        f"K004{_A[:27]}",
        f"K004{_A[:20]}",
        "k00",
    ),
    _run(
        "discord-token",
        r"(?<![A-Za-z0-9_.-]))[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9])",
        f"M{_A[:25]}.Gq7KxR.{_A}{_A[:6]}",
        f"M{_A[:10]}.Gq7KxR.{_A}",
    ),
    _run(
        "service-token",
        r"(?<![A-Za-z0-9.]))1000\.[0-9a-f]{32}\.[0-9a-f]{32}(?![A-Za-z0-9.])",
        f"1000.{_H[:32]}.{_H[1:33]}",
        f"1000.{_H[:32]}.{_H[:8]}",
        "1000.",
    ),
    _run(
        "cookie",
        r"(?<![A-Za-z0-9._-]))\.?eJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}(?![A-Za-z0-9_-])",
        f".eJ{_A}.q7KxR2.{_A[:27]}",
        f".eJ{_A}.q7KxR2.{_A[:12]}",
        "ej",
    ),
    _run(
        "terraform-token",
        r"(?<![A-Za-z0-9]))[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}",
        f"{_A[:14]}.atlasv1.{_A}{_A}",
        f"{_A[:14]}.atlasv2.{_A}{_A}",
        "atlasv1.",
    ),
    _run(
        "mail-key",
        r"(?<![A-Za-z0-9]))[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])",
        f"{_H[:32]}-us12",
        f"{_H[:30]}-us12",
        "-us",
    ),
    _run(
        "mail-key",
        r"(?<![A-Za-z0-9-]))[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9-])",
        f"{_H[:32]}-{_H[:8]}-{_H[1:9]}",
        f"{_H[:32]}-{_H[:8]}",
    ),
    _run(
        "azure-key",
        r"(?<![A-Za-z0-9_~.-]))[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}",
        f"Kx88Q~{_A}",
        f"Kx88Q~{_A[:20]}",
        "q~",
    ),
    _run(
        "azure-key",
        r"(?<![A-Za-z0-9]))[A-Za-z0-9]{70,78}(?:AZDO|ACDb|AAAB|APIM)[A-Za-z0-9+/]{4,8}={0,2}",
        f"{_A}{_A}{_A[:11]}AZDOq7Kx",
        f"{_A}AZDOq7Kx",
        "azdo",
        "acdb",
        "aaab",
        "apim",
    ),
    _run(
        "azure-key",
        r"(?<![A-Za-z0-9+/]))[A-Za-z0-9+/]{33}(?:\+ASt|\+ACR|\+AMC|\+ARm|AzSe|\+AEh|AzCa|AIoT)[A-Za-z0-9+/]{5,}={0,2}",
        f"{_A}8+AStq7KxR2==",
        f"{_A}8+ASxq7KxR2==",
        "+ast",
        "+acr",
        "+amc",
        "+arm",
        "azse",
        "+aeh",
        "azca",
        "aiot",
    ),
    _run(
        "telegram-token",
        r"(?<![A-Za-z0-9]))\d{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9])",
        f"123456789:AA{_A}q",
        f"123456789:AA{_A[:20]}",
        ":aa",
    ),
    _run(
        "service-token",
        r"(?<![A-Za-z0-9]))[12]/\d{12,19}(?:/\d{12,19})?:[0-9a-f]{32}(?![A-Za-z0-9])",
        f"1/1201234567890123:{_H[:32]}",
        f"1/1201234567890123:{_H[:20]}",
        "1/",
        "2/",
    ),
    _run(
        "service-token",
        r"(?<![A-Za-z0-9]))pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![A-Za-z0-9])",
        f"pat{_A[:14]}.{_H[:32]}{_H[:32]}",
        f"pat{_A[:14]}.{_H[:32]}",
        "pat",
    ),
    _run(
        "service-token",
        r"(?<![A-Za-z0-9]))pk_\d{7,10}_[A-Z0-9]{32}(?![A-Za-z0-9])",
        "pk_12345678_" + "Q7KX2MZP4RTW9BDH" * 2,
        "pk_12345678_Q7KX2MZP4RTW9BDH",
        "pk_",
    ),
    _run(
        "google-key",
        r"(?<![A-Za-z0-9]))[A-Za-z0-9_-]{7,22}:APA91b[A-Za-z0-9_-]{100,}",
        f"AAAAq7KxR2m:APA91b{_A * 5}",
        f"AAAAq7KxR2m:APA91b{_A[:20]}",
        ":apa91b",
    ),
    _run(
        "watch-token",
        r"(?<![A-Za-z0-9]))[0-9a-zA-Z]{34,38}NRAL(?![A-Za-z0-9])",
        f"{_H}{_H[:3]}NRAL",
        f"{_H[:20]}NRAL and more of it here",
        "nral",
    ),
    _run(
        "chat-token",
        r"(?<![A-Za-z0-9]))sy[tr]_[A-Za-z0-9_=-]{4,60}_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}(?![A-Za-z0-9])",
        f"syt_YW5uYQ_{_A[:20]}_q7KxR2",
        f"syt_YW5uYQ_{_A[:12]}_q7KxR2",
        "syt_",
        "syr_",
    ),
    _run(
        "service-token",
        r"(?<![A-Za-z0-9]))A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
        "A3-Q7KX2M-Q7KX2MZP4RT-Q7KX2-MZP4R-TW9BD",
        "A3-Q7KX2M-Q7KX2MZP-Q7KX2-MZP4R-TW9BD",
        "a3-",
    ),
    _run(
        "openai-key",
        r"(?<![A-Za-z0-9-]))sk-(?=[A-Za-z0-9_-]{0,80}[A-Za-z0-9]{12})[A-Za-z0-9_-]{20,}",
        f"sk-{_A}",
        "sk-circle-fade-dot-animation-12",
        "sk-",
    ),
    _run(
        "service-token",
        r"(?<![A-Za-z0-9]))00[A-Za-z0-9_-]{40}(?![A-Za-z0-9_-])",
        f"00{_A}{_A[:8]}",
        f"00{_A}",
        "00",
    ),
    Pattern(
        kind="jwt",
        # A first part that no other follows is matched, too, and not searched for a beginning again:
        # from each `eyJ` in it one would read to its end, in time that grows with its square.
        regex=re.compile(
            r"eyJ[A-Za-z0-9_-]{8,}+(?:\.(?:eyJ)?[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,3}|\.(?:\.[A-Za-z0-9_-]{8,}+){3})?"
        ),
        hints=("eyj",),
        where=PatternPlace.RUN,
        check=lambda token: "." in token and may_be_random(token),
        holds=f"«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.{_A}q»",
        spares="eyJhbGciOiJIUzI1NiJ9 begins each JWT",
    ),
    _run(
        "service-token",
        r"(?<![A-Za-z0-9]))[sp]k\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}",
        f"sk.eyJ{_A}{_A}.{_A[:22]}",
        f"sk.eyJ{_A[:10]}.{_A[:22]}",
        "k.eyj",
    ),
    _run(
        "private-key",
        r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,40}(?:UFJJVkFUR|BSSVZBVE|QUklWQVRF)[A-Za-z0-9+/=]{20,}",
        f"LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t{_A}",
        f"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{_A}",
        "ls0tls1crudjti",
    ),
    _run(
        "service-token",
        # Microsoft's: what a sign-in hands out once, and what it is renewed with.
        r"(?<![A-Za-z0-9.]))(?:M\.[CR]\d{3}_[A-Z0-9]{3}\.\d\.U\.[0-9a-f-]{36}|[01]\.A[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{30,})(?![A-Za-z0-9])",
        f"0.A{_A}.{_A}",
        f"0.A{_A[:8]}.{_A}",
        "m.c",
        "m.r",
        "0.a",
        "1.a",
    ),
    _run(
        "password-hash",
        # A password's two hashes of Windows, of which the first is the one of none.
        r"(?<![0-9A-Za-z]))(?:aad3b435b51404eeaad3b435b51404ee|AAD3B435B51404EEAAD3B435B51404EE):[0-9a-fA-F]{32}(?![0-9A-Za-z])",
        f"aad3b435b51404eeaad3b435b51404ee:{_H[:32]}",
        f"aad3b435b51404eeaad3b435b51404ee:{_H[:20]}",
        "aad3b435b51404ee",
    ),
    _run(
        "password-hash",
        r"(?<![0-9A-Za-z/_-]))md5[0-9a-f]{32}(?![0-9A-Za-z])",
        f"md5{_H[:32]}",
        f"md5{_H[:20]}",
        "md5",
    ),
    Pattern(
        kind="cookie",
        regex=re.compile(r"_\|WARNING:-DO-NOT-SHARE-THIS[^\s\"'<>\\⟨⟩]{20,3000}"),
        hints=("_|warning:-do-not",),
        where=PatternPlace.ANYWHERE,
        holds=f".ROBLOSECURITY=«_|WARNING:-DO-NOT-SHARE-THIS.--Sharing-this-is-bad.|_{_H}»",
        spares="_|WARNING:-DO-NOT-SHARE-THIS",
    ),
)
