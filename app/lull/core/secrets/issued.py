"""Patterns of access tokens whose issuer is unknown, recognised by the form that nearly all issuers
use: a short prefix, a separator and a long random body.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.judging import count_changes
from lull.core.secrets.values.letters import are_random_letters
from lull.core.secrets.values.pattern import QUOTE, Pattern, PatternPlace

_BEGINS: Final = r"(?:(?<=\\[nrtbf])|(?<=\n\+)|(?<=\A\+)|(?<=\\n\+)|(?<![A-Za-z0-9+/_.~-]))"
_ENDS: Final = r"(?![A-Za-z0-9/+]|\.[A-Za-z0-9])"
"""A path, a file name or a longer base64 text goes on in these ways."""
_BECH32: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

_PUBLIC_PART: Final = re.compile(rf"{QUOTE}(?:x|y|n){QUOTE}\s{{0,3}}:\s{{0,3}}{QUOTE}$")
"""The members of a JSON web key that are meant to be published."""
_LONGEST_PREFIX: Final = 48
_SHORT_PREFIX: Final = 6
_SURELY_RANDOM: Final = 32
_SURELY_MIXED: Final = 26
"""Fewest characters of a body with letters of both cases and digits behind an underscore."""
_RANDOM_BEHIND_A_TELLING_PREFIX: Final = 24
_MIXED_OF_AN_ENVIRONMENT: Final = 20
_ENVIRONMENTS: Final = frozenset({"live", "test", "prod", "dev", "stg", "staging", "sandbox"})
_HEX: Final = 40
_URL_SAFE: Final = 40
_NAMES_OF_KEYS: Final = frozenset(
    """
    key keys apikey sk ak rk secret secrets token tok tkn pat api auth access live prod dev test
    stg sandbox oat rt priv private admin sec bot webhook svc service
    """.split()  # noqa: SIM905  as the other lists of words
)
_NAMES_OF_OTHERS: Final = re.compile(
    r"(?i)sha\d*|sha\d+[-_]\w*|md\d|h\d|blake\w*|crc\d*|hash|digest|checksum|etag|commit|rev|cache|img|image|"
    r"layer|file|blob|id|uuid|guid|resp|rs|fc|msg|call|toolu|chatcmpl|cmpl|req|request|run|thread|asst|step|batch|"
    r"evt|event|trace|span|build|job|task|node|pod|chunk|pub|public|npub|note|addr|address|boundary|part|object|obj|"
    r"integrity|fingerprint|version|release|tag|snapshot|backup|tmp|temp|test|srvtoolu|msgbatch|item|conv|gen|index"
)
"""Prefixes of what is named by a random text and is no secret: digests, messages, calls."""


def _issued(token: str) -> bool:
    """Whether a token is a prefix and a random body."""
    pieces = re.split(r"[_~.-]", token)
    # A body may have signs itself, far behind which its longest piece stands.
    long = [piece for piece in pieces[1:] if len(piece) >= _SURELY_RANDOM]
    longest = long[0] if long else max(pieces, key=len)
    at = token.index(longest)
    prefix = [piece.lower() for piece in re.split(r"[_~.-]", token[:at]) if piece]
    if not prefix or _NAMES_OF_OTHERS.fullmatch(prefix[0]):
        return False
    if at > _LONGEST_PREFIX:
        body = token[len(pieces[0]) + 1 :]
        return len(pieces[0]) <= _SHORT_PREFIX and is_mixed(body)
    if count_changes(re.split(r"[_~.-]", token, maxsplit=1)[0]) > 1:
        return False  # itself drawn at random, as the beginning of a base64 text: no issuer's
    telling = not _NAMES_OF_KEYS.isdisjoint(prefix)
    if len(longest) >= _HEX and re.fullmatch("[0-9a-f]+", longest):
        return len(set(longest)) >= 8 and (token[at - 1] == "_" or telling)
    least = _RANDOM_BEHIND_A_TELLING_PREFIX if telling else _SURELY_RANDOM
    if len(longest) >= least and _random(longest):
        return True
    if len(longest) >= _SURELY_MIXED and token[at - 1] == "_" and is_mixed(longest):
        return True
    if (
        len(longest) >= _MIXED_OF_AN_ENVIRONMENT
        and prefix[-1] in _ENVIRONMENTS
        and is_mixed(longest)
    ):
        return True
    if telling and _UUID.search(token[at - 9 :]):
        return True
    body = token[len(prefix[0]) + 1 :]
    return len(body) >= _URL_SAFE and len(longest) >= 8 and _random(body)


def _random(body: str) -> bool:
    digits = sum(c.isdigit() for c in body)
    mixed = any(c.islower() for c in body) and any(c.isupper() for c in body)
    letters = re.sub("[^A-Za-z]", "", body)
    if digits < max(2, len(body) // 20) and not (mixed and are_random_letters(letters, sure=True)):
        return False
    if re.fullmatch("[0-9a-f]+", body):
        return False
    if len(body) >= _SURELY_RANDOM and are_random_letters(letters.lower(), sure=True):
        return True
    return count_changes(body) >= len(body) // (3 if mixed else 5)


def is_mixed(body: str) -> bool:
    """Whether a body of letters of both cases and digits is drawn at random."""
    sorts = (str.islower, str.isupper, str.isdigit)
    return all(any(sort(c) for c in body) for sort in sorts) and _random(body)


_UUID: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

_A: Final = "q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE"

_VARIABLE_OF_OTHERS: Final = re.compile(
    r"(?i)(?<![A-Za-z0-9])(?:data|payload|body|content|icon|logo|font|cert|certificate|ca|csr|nonce|cursor|"
    rf"pubkey|publickey|sig|signature|{_NAMES_OF_OTHERS.pattern.removeprefix('(?i)')})s?(?:_[A-Z0-9]{{1,20}})*$"
)
"""The name of an environment variable for something that is random and no secret."""

ISSUED: Final = (
    Pattern(
        kind="secret",
        # An environment variable, whatever its name: hardly anything else of it is drawn at random.
        regex=re.compile(r"=[\"']?([A-Za-z0-9+/_-]{32,200}={0,2})(?![A-Za-z0-9+/_.:@%-])"),
        hints=("=",),
        where=PatternPlace.ANYWHERE,
        check=lambda value: _random(value) and not re.match(r"sha\d{3}-", value),
        before=re.compile(r"(?<![A-Za-z0-9_./$%-])[A-Z][A-Z0-9]{1,40}(?:_[A-Z0-9]{1,40}){0,8}$"),
        not_before=_VARIABLE_OF_OTHERS,
        holds=f"export ACME_TALK=«{_A}»",
        spares=f"RELEASE_DIGEST={_A}",
    ),
    Pattern(
        kind="token",
        regex=re.compile(
            rf"{_BEGINS}[A-Za-z][A-Za-z0-9]{{1,15}}(?:\.[a-z0-9]{{1,2}})?[_~.-][A-Za-z0-9_~-]{{22,400}}={{0,2}}{_ENDS}"
        ),
        where=PatternPlace.RUN,
        check=_issued,
        not_before=_PUBLIC_PART,
        has_digits=True,
        holds=f"«acme_{_A}»",
        spares="acme_internationalization_of_the_2nd_kind_v3",
    ),
    Pattern(
        kind="token",
        regex=re.compile(
            rf"{_BEGINS}[a-z]{{2,12}}\.[A-Za-z0-9_-]{{16,60}}\.[A-Za-z0-9_-]{{16,90}}(?:\.[A-Za-z0-9_-]{{16,90}})?{_ENDS}"
        ),
        where=PatternPlace.RUN,
        check=lambda token: all(_random(piece) or _hex(piece) for piece in token.split(".")[1:]),
        has_digits=True,
        holds=f"«ac.{_A}.{_A[4:24]}.{_A[2:28]}»",
        spares="ac.internationalization.committee_of_2026",
    ),
    Pattern(
        kind="token",
        # Bech32: a readable part that says "secret", the separator 1, and the body.
        regex=re.compile(
            rf"{_BEGINS}(?:[a-z0-9_]{{0,16}}(?:sec|sk|prv)1[{_BECH32}]{{38,400}}|[A-Z-]{{2,24}}-1[{_BECH32.upper()}]{{38,400}})(?![A-Za-z0-9])"
        ),
        where=PatternPlace.RUN,
        check=lambda token: any(c.isdigit() for c in token[token.rindex("1") + 1 :]),
        has_digits=True,
        holds=f"«nsec1{(_BECH32 * 2)[3:61]}»",
        spares=f"npub1{(_BECH32 * 2)[3:61]}",
    ),
)


def _hex(piece: str) -> bool:
    return len(piece) >= 16 and re.fullmatch("[0-9a-f]+", piece) is not None
