"""Patterns of secrets that are arguments: of a call in any language ("connect(url, 22, "root", "…")"),
of a command that signs in or unlocks, of a flag beside that of a user, or of a list that is called
secrets. No name stands right before them, so that only what is clearly a secret counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.values.judging import (
    count_changes,
    has_sign,
    looks_random,
    not_dummy,
    quoted_password,
)
from lull.core.secrets.values.pattern import BARE, QUOTE, Pattern, PatternPlace
from lull.core.secrets.values.phrases import GROUPS_OF_FOUR, drawn_in_groups, passphrase
from lull.core.secrets.values.plain_words import IN_SENTENCES
from lull.core.secrets.values.typed import clearly_drawn, clearly_secret, clearly_typed

_LITERAL: Final = re.compile(
    rf"(?:[,(\[{{]|=>)\s{{0,8}}(?:[a-zA-Z]{{1,2}}(?=[\"'`\\]))?{QUOTE}(?:\{{\w{{2,10}}\}})?([^\s\"'`\\<>⟨⟩]{{8,200}})(?=\\{{0,7}}[\"'`])"
)
_BEFORE: Final = 160
_SIGNS_IN: Final = re.compile(
    r"(?i)log_?in|log_?on|auth|cred|connect|conn\b|open\b|pass|pw|user|account|sign|unlock|protect|crypt|ftp|ssh|sql|\bdb|smtp|imap|ldap|mqtt|redis|amqp|basic|hash|"
    r"dsn|identity|secret|token|cipher|hmac|jwt|session|wifi|vault|jdbc|odbc|admin|fill\(|type\(|send_?keys|setvalue|value:|database|datasource|key_?store"
)
"""What a call is named that takes a password, or what stands among its other arguments."""
_TAKES_KEY: Final = re.compile(
    r"(?i)(?:client|init|initiali[sz]e|config(?:ure)?|setup|start|session|auth|login|key|secret|token|hmac|cipher|sdk|api|search|create|connect|bot|run|"
    r"\bnew[ ][\w.]+|= ?[A-Z]\w*|[A-Z]\w*\.\w+|require\([^()]*\))\w{0,24}\s?\([^()]*$"
)
_TAKES_ONE_KEY: Final = re.compile(
    r"(?i)(?:init|initiali[sz]e|configure|setup|login|auth\w*)\s?\([^()]*$"
)
_NO_KEY: Final = re.compile(
    r"(?i)hash|digest|checksum|sha-?\d|md5|fingerprint|commit|checkout|revision|etag|trace|equal|assert|expect|\bid\b|[a-z]id\(|_id\(|ids?[\"'] ?,|guid|uuid|public|nonce|"
    r"integrity|cache|://|\.\w{2,4}[\"']|fetch|download|decode|url|path|file|version|address|contract|transaction|tx|block|test|resourcekey|gtag|track|import"
)


def _arguments(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    for one in _LITERAL.finditer(text):
        value, begin = one[1], one.start(1)
        typed = clearly_typed(value)
        short = not typed and _is_drawn_password(value)
        if not typed and not short and not (len(value) >= _SHORTEST_KEY and clearly_drawn(value)):
            continue
        first = max(0, begin - _BEFORE, text.rfind("\n", 0, begin) + 1)
        line = text[first : one.start() + 1].rpartition('": "')[2]
        if short:
            # Behind a user's name, and nothing says what else it is.
            if _BESIDE_A_USER.search(line) is not None and _NO_KEY.search(line) is None:
                yield one.span(1)
            continue
        if typed:
            if _SIGNS_IN.search(line) is not None:
                yield one.span(1)
            continue
        takes = _TAKES_ONE_KEY if "," not in line.rpartition("(")[2] else _TAKES_KEY
        keyed = _KEYED.search(line) is not None or _NO_KEY.search(line) is None
        plain = "/" not in value and keyed
        beside = _AWS.search(line) is not None and _TAKES_KEY.search(line) is not None
        if beside or (plain and takes.search(line) is not None):
            yield one.span(1)


def _is_drawn_password(value: str) -> bool:
    """Whether a value is drawn as a password is: short, of both cases and digits."""
    sorts = (str.islower, str.isupper, str.isdigit)
    return (
        len(value) < _SHORTEST_KEY
        and value.isalnum()
        and all(any(sort(c) for c in value) for sort in sorts)
        and looks_random(value)
        and count_changes(value) >= _DRAWN
    )


_DRAWN: Final = 4
_BESIDE_A_USER: Final = re.compile(
    r"(?i)(?:log_?in|log_?on|auth|connect|open|database|datasource|sql|ftp|smtp|imap|ldap|mqtt|amqp)\w{0,24}\s?\([^()]{0,100}[\"'][\w.@-]{2,40}[\"'`]\s?,$"
)


_AWS: Final = re.compile(r"A[KS]IA[A-Z0-9]{16}|AC[0-9a-f]{32}")
"""An identifier beside which the key of the same account stands."""
_KEYED: Final = re.compile(r"(?i)hmac|cipher|jwt")
"""What takes a key beside the name of a digest."""
_SHORTEST_KEY: Final = 20

_FLAG: Final = r"(?:[ ]-{1,2}[\w-]{1,24}(?:[ =][^\s-]\S{0,80})?){0,4}?"
_TYPED_VALUE: Final = rf"{QUOTE}?((?!-){BARE}{{6,400}})"


def _flagged(value: str) -> bool:
    return not_dummy(value) and (
        has_sign(value)
        or clearly_drawn(value)
        or (re.fullmatch(GROUPS_OF_FOUR, value) is not None and drawn_in_groups(value))
    )


def _phrase_of_flag(value: str) -> bool:
    """Whether the words between a flag's quotation marks are a phrase and no sentence."""
    return quoted_password(value) and not any(word in IN_SENTENCES for word in value.split())


def _stream_key(value: str) -> bool:
    return _GROUPS.fullmatch(value) is not None or looks_random(value, least=10)


_GROUPS: Final = re.compile(r"(?=[a-z-]*\d)(?:[a-z0-9]{4}-){3,5}[a-z0-9]{4}")

_CONTAINER: Final = re.compile(
    r"(?i)(?:secret|password|passwd|credential|token|api_?key)s?[\"'`\\]{0,3}\s?[:=]{1,2}>?\s?[{\[(]([^\n]{4,300})"
)
_MEMBER: Final = re.compile(
    rf"{QUOTE}?[\w.-]{{1,40}}{QUOTE}?\s?[:=,]{{1,2}}>?\s?{QUOTE}([^\s\"'`\\⟨⟩]{{8,300}})(?=\\{{0,7}}[\"'`])"
)


def _members(row: str) -> Iterator[tuple[int, int]]:
    for one in _MEMBER.finditer(row):
        if clearly_secret(one[1]):
            yield one.span(1)


ARGUMENTS: Final = (
    Pattern(
        kind="secret",
        find=_arguments,
        hints=('"', "'", "`", "\\u0022", "\\u0027", "&quot;", "&#39;"),
        has_digits=True,
        holds='db.Open "DSN=Shop", "sa", "«Tiger!72xy»"',
        spares='shop.Open("DSN=Shop", "sales", "2025-03-11")',
    ),
    Pattern(
        kind="password",
        # Whatever the program: the flag of a password behind that of a user.
        regex=re.compile(
            rf"(?<=\s)(?:-u|-U|-l|-D|--user(?:-?name)?|--login|--usr)[ =][^\s\n|;]{{1,80}}[ ](?:[^\n|;]{{0,60}}?[ ])?(?:-p|-P|-w|--pw|--pass)[ =]?{_TYPED_VALUE}"
        ),
        hints=("-u", "-l", "-d ", "--user", "--login", "--usr"),
        where=PatternPlace.ANYWHERE,
        check=_flagged,
        holds="acmectl login -u anna -p «t1ger-X»",
        spares="docker run -u anna -p 8080:80",
    ),
    Pattern(
        kind="token",
        # A key in the place of a user whose password nobody reads.
        regex=re.compile(
            rf"(?:-u|--user)[ =]?{QUOTE}?([A-Za-z0-9_-]{{16,200}})(?=:(?:[xX]|x{{2,8}})?(?:[\"'\s\\<]|$))"
        ),
        hints=("-u", "--user"),
        where=PatternPlace.ANYWHERE,
        check=lambda value: looks_random(value, least=16),
        holds="curl -u «flytXtyZtsft8ZV174LW»:X https://acme.example.com/api",
        spares="curl -u service-account-of-2024:X https://acme.example.com/api",
    ),
    Pattern(
        kind="token",
        # A command that signs in or unlocks, its flags, and what it does that with.
        regex=re.compile(
            rf"(?<=[ :])(?:login|signin|sign-in|auth|authenticate|authorize|unseal|unlock|activate|relogin|set-key|set-api-key|add-key|token|authtoken|set-token){_FLAG}[ ]{_TYPED_VALUE}(?=[\s\"'`<)\\|]|$)"
        ),
        hints=(
            *("login", "signin", "sign-in", "auth", "unseal", "unlock", "activate", "relogin"),
            *("set-key", "set-api-key", "add-key", "token", "set-token"),
        ),
        check=lambda value: clearly_drawn(value) and "://" not in value,
        holds="acmectl login --relogin «eac7efc42cad214a83408b639708ad6780615e46»",
        spares="acmectl login --relogin https://example.com/0123456789abcdef",
    ),
    Pattern(
        kind="password",
        # A command that sets, hashes or encrypts a password, its flags and names, and the password.
        regex=re.compile(
            rf"(?i)(?<=[\s:_-])(?:encrypt(?:_string)?|hash(?:-?pw|-?password)?|(?:set|reset|change|update|user)[-_:]?(?:user[-_]?)?pass(?:word|wd)?|rootpw|mkpasswd|crypt|obscure){_FLAG}(?:[ ][\w.@-]{{1,40}})?[ ]{_TYPED_VALUE}(?=[\s\"'`<)\\|]|$)"
        ),
        hints=(
            "encrypt",
            "hash",
            "set",
            "reset",
            "change",
            "update",
            "user",
            "rootpw",
            "mkpasswd",
            "crypt",
            "obscure",
        ),
        check=clearly_typed,
        holds="acmectl vault encrypt_string '«Tiger!72xy»' --name db",
        spares="acmectl hash --algorithm sha-512 Version-2.0b",
    ),
    Pattern(
        kind="secret",
        regex=re.compile(
            rf"(?i)(?:secret|password|passwd|credential|token)s?\[{QUOTE}[\w.-]{{1,40}}{QUOTE}\]\s?=>?\s?{QUOTE}([^\s\"'`\\⟨⟩]{{8,300}})(?=\\{{0,7}}[\"'`])"
        ),
        hints=("secret", "password", "passwd", "credential", "token"),
        where=PatternPlace.ANYWHERE,
        check=clearly_secret,
        holds='secrets["db"] = "«Tiger!72xy»"',
        spares='tokens["de"] = "Version-2.0b"',
    ),
    Pattern(
        kind="password",
        # What a program reads as its input.
        regex=re.compile(rf"<<<[ ]?{_TYPED_VALUE}"),
        hints=("<<<",),
        where=PatternPlace.ANYWHERE,
        check=clearly_secret,
        holds="acmectl put <<< '«Tiger!72xy»'",
        spares="acmectl put <<< '2025-03-11T08:12:44Z'",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:passphrase|password|passwd|encryptwallet|unlock(?:wallet)?|--[\w-]{{0,20}}pass[\w-]{{0,16}})(?:[ ](?:wallet|change|text))?[ =]{QUOTE}((?:[a-zà-ÿ]{{3,14}}[ -]){{2,11}}[a-zà-ÿ]{{3,14}}(?:[ -]\d{{1,6}})?)(?=\\{{0,7}}[\"'`”»])"
        ),
        hints=("passphrase", "password", "passwd", "encryptwallet", "unlock", "--"),
        where=PatternPlace.ANYWHERE,
        check=_phrase_of_flag,
        holds='bitcoin-cli walletpassphrase "«lantern glacier anchor turtle»" 600',
        spares='bitcoin-cli walletpassphrase "the words of your wallet"',
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            r"(?i)(?:with|using|use|mit|avec|con|usa|nutze)[ ](?:(?:the|my|der|meiner|la|ma|mi)[ ])?(?:passphrase|passwort-?phrase|phrase secrète|phrase de passe)[ ]"
            r"((?:[a-zà-ÿ]{3,14}[ -]){3,11}[a-zà-ÿ]{3,14})(?=[\s.,!)\"'`<\\|]{0,4}(?:$|\n|[\"'`<\\|]))"
        ),
        hints=("with", "using", "use", "mit", "avec", "con", "usa", "nutze"),
        pieces=passphrase,
        holds="decrypt it with the passphrase «lantern glacier anchor turtle»",
        spares="decrypt it with the passphrase that I gave you",
    ),
    Pattern(
        kind="url-key",
        # The last part of the address to which a video is sent.
        regex=re.compile(
            r"(?:rtmp[set]{0,2}|whip|srt)://[^\s\"'<>`]{3,160}?/([A-Za-z0-9_-]{10,160})(?=[\s\"'<>`?)\\|]|$)"
        ),
        hints=("rtmp", "whip://", "srt://"),
        check=_stream_key,
        holds="rtmp://a.example.com/live2/«gpis-559j-3sy3-e7qk-e9e4»",
        spares="rtmp://a.example.com/live2/my-first-stream-2024",
    ),
    Pattern(
        kind="secret",
        # A list or a map that is called secrets, whatever its members are called.
        regex=_CONTAINER,
        hints=("secret", "password", "passwd", "credential", "token", "api"),
        where=PatternPlace.ANYWHERE,
        pieces=_members,
        holds='secrets = { s3 = "«q7KxR2mZp4TwB9dHc8LnV5»" }',
        spares='secrets = { s3 = "internationalization" }',
    ),
)
