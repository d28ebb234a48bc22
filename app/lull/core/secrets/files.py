"""Patterns for the contents of key and password files: private keys between BEGIN and END lines,
password hashes, .netrc, .pgpass.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.judging import bare_password, not_dummy
from lull.core.secrets.values.pattern import BARE, QUOTE, Pattern, PatternPlace

_H: Final = "9f86d081e4c7a2b359f86d081e4c7a2b"
_A: Final = "q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE"
_BREAK: Final = r"(?:\s|\\{1,4}[nr])"
_FRAME: Final = "-----{} OPENSSH PRIVATE KEY-----"

_HASH: Final = r"\$(?:apr1|1|5|6|7|y|2[abxy]?|sha1|md5|P|H|S|gy|argon2(?:id|i|d)|scrypt|s0|pbkdf2[\w-]*|8|9|14|bcrypt[\w-]*)\$[A-Za-z0-9./+$=,_-]{16,400}"

FILES: Final = (
    Pattern(
        kind="private-key",
        regex=re.compile(
            r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?!-)(?!(?:\s|\\{1,4}[nrt]|[>#+|]){0,12}(?:\.{2,}|…|\*{3,}|<|\[|(?i:x{3,}|your|redacted|base64)))[\s\S]*?"
            r"(?:-{4,5} ?END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|\Z)"
        ),
        hints=("-----begin", "---- begin"),
        where=PatternPlace.ANYWHERE,
        holds=f"«{_FRAME.format('BEGIN')}\n{_A}\n{_FRAME.format('END')}»",
        spares=f"-----BEGIN PUBLIC KEY-----\n{_A}\n-----END PUBLIC KEY-----",
    ),
    Pattern(
        kind="private-key",
        regex=re.compile(
            rf"(?i)private-lines:\s{{0,3}}\d+{_BREAK}{{1,4}}((?:[A-Za-z0-9+/=]{{1,200}}{_BREAK}{{1,4}}){{1,200}}?)(?=private-mac|\Z)"
        ),
        hints=("private-lines",),
        holds=f"Private-Lines: 1\n«{_A}\n»Private-MAC: {_H}",
        spares=f"Public-Lines: 1\n{_A}\nPrivate-Lines:",
    ),
    Pattern(
        kind="private-key",
        regex=re.compile(r"(?:<D>([A-Za-z0-9+/=\s]{40,2000})</D>)"),
        hints=("<d>",),
        where=PatternPlace.ANYWHERE,
        holds=f"<RSAKeyValue><D>«{_A}{_A}»</D></RSAKeyValue>",
        spares="<D>a paragraph</D>",
    ),
    Pattern(
        kind="password-hash",
        regex=re.compile(_HASH),
        hints=("$",),
        where=PatternPlace.ANYWHERE,
        holds=f"anna:«$apr1$q7KxR2mZ${_A[:22]}»",
        spares="it costs $1$ or $apr1$ at most",
    ),
    Pattern(
        kind="password-hash",
        regex=re.compile(
            r"(?i)(?:pbkdf2_sha(?:256|1|512)\$|pbkdf2:sha\d+(?::\d+)?\$|scrypt:\d+:\d+:\d+\$|bcrypt(?:_sha256)?\$|argon2\$|"
            r"grub\.pbkdf2\.sha512\.|\{s?(?:sha|md5|crypt|ssha)(?:256|512)?\}|scram-sha-256\$)[A-Za-z0-9./+$=,:_-]{16,400}"
        ),
        hints=(
            "pbkdf2",
            "scrypt:",
            "bcrypt",
            "argon2$",
            "grub.pbkdf2",
            "{s",
            "{md5",
            "{crypt",
            "scram-sha",
        ),
        where=PatternPlace.ANYWHERE,
        holds=f"userPassword: «{{SSHA}}{_A}»",
        spares="{SSHA} is a salted hash",
    ),
    Pattern(
        kind="password-hash",
        regex=re.compile(r"(?<=([0-9a-fA-F]{32}:[0-9a-fA-F]{32})):::"),
        hints=(":::",),
        where=PatternPlace.ANYWHERE,
        holds=f"Administrator:500:«{_H}:{_H}»:::",
        spares=f"Administrator:500:{_H}:::",
    ),
    Pattern(
        kind="password-hash",
        regex=re.compile(r"\*[0-9A-F]{40}(?![0-9A-Za-z])"),
        hints=("*",),
        where=PatternPlace.ANYWHERE,
        holds=f"IDENTIFIED BY PASSWORD '«*{(_H + _H[:8]).upper()}»'",
        spares=f"the commit *{_H.upper()} is bold",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"login\s{{1,4}}[^\s\\]{{1,80}}(?:\s|\\n){{1,4}}password\s{{1,4}}({BARE}{{4,200}})"
        ),
        hints=("login",),
        before=re.compile(r"(?:machine|default|account)\b|^\s*$|\\n\s*$"),
        check=not_dummy,
        holds="machine api.example.com login anna password «swordfish»",
        spares="machine api.example.com login anna password ${PASS}",
    ),
    Pattern(
        kind="password",
        # .pgpass: host:port:database:user:password
        regex=re.compile(rf":(?:\d{{4,5}}|\*):[\w*.-]{{1,63}}:[\w*.@-]{{1,63}}:({BARE}{{4,200}})"),
        hints=(
            ":5432:",
            ":5433:",
            ":5434:",
            ":6432:",
            ":6543:",
            ":*:",
            ":26257:",
            ":5439:",
            ":15432:",
        ),
        where=PatternPlace.ANYWHERE,
        check=not_dummy,
        holds="db.example.com:5432:orders:svc:«t1gerX»",
        spares="db.example.com:5432:orders:svc:",
    ),
    Pattern(
        kind="registry-token",
        regex=re.compile(
            rf"(?i)_(?:auth|authtoken|password){QUOTE}?\s?[=:]\s?{QUOTE}?([A-Za-z0-9+/_=.~-]{{8,2000}})"
        ),
        hints=("_auth", "_password"),
        not_before=re.compile(r"(?<!\\)[A-Za-z0-9]$"),
        check=bare_password,
        holds="//registry.npmjs.org/:_authToken=«3f2b8c1d-7e4a-4f60-9b1c-2d8e5a7c6f04»",
        spares="//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
    ),
    Pattern(
        kind="registry-token",
        regex=re.compile(
            rf"(?i)auth{QUOTE}\s{{0,4}}:\s{{0,4}}{QUOTE}([A-Za-z0-9+/]{{12,}}={{0,2}})"
        ),
        hints=("auth",),
        check=bare_password,
        holds='{"auths":{"https://index.docker.io/v1/":{"auth":"«YW5uYTpodW50ZXIyMg==»"}}}',
        spares='{"auth": {"type": "none"}}',
    ),
)
