"""Patterns of secrets that stand further away from their name than right behind it: later on its
line ("a password was made for root@db1: …"), alone on one of the lines below, or printed by a
command that shows or draws one.

So far away only what is clearly a password or a key counts; words of a sentence, names in code and
numbers of versions do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from lull.core.secrets.named.names import (
    KEYS,
    PASSWORDS,
    PASSWORDS_ELSEWHERE,
    SECRETS,
    SHORT_PASSWORDS,
)
from lull.core.secrets.values.judging import has_sign, is_readable
from lull.core.secrets.values.pattern import LINE_END, Pattern, SecretNames
from lull.core.secrets.values.relations import ABOUT
from lull.core.secrets.values.typed import TOKEN, clearly_drawn, clearly_secret, clearly_typed

_FARTHEST: Final = 140

OF_LOGINS: Final = SecretNames(
    begins=(
        "creds", "credential", "login", "logon", "log in", "log on", "log into", "logged in", "sign in", "signed in", "user", "account",
        "zugang", "anmeld", "melde", "benutzer", "einlogg", "konto",
        "accès", "acces", "identifiant", "connecte", "connexion", "compte", "utilisateur",
        "acceso", "credencial", "entra", "usuario", "cuenta", "inicia", "admin", "root",
        "accesso", "credenziali", "utente", "inloggen", "gebruiker", "inlogg", "användar", "conta", "usuário", "konta",
    ),
    rest=r"(?!\w{0,4}[\"'\\])",
)  # fmt: skip
"""Words of signing in, which a name of a user and a password often follow."""

_OF_OTHERS: Final = re.compile(
    r"(?i)hash|digest|checksum|sha-?\d|md5|fingerprint|commit|revision|etag|signature|trace|request|message[ _-]?id|serial|public|nonce|"
    r"(?<![a-z])ids?(?![a-z])|version|uuid|address|contract|transaction|\btx\b|integrity|cache|decodes|encoded|certificat|prompt|string "
)
"""What a random value is that is no secret."""
_SIGN_BEFORE: Final = re.compile(
    r"(?:[:=：]|->|→|(?<![a-z])(?:is|ist|est|es|è|é))[ \u00a0]{0,3}[\"'`«„“*]{0,3}$|[a-z][ ]\\{0,7}[\"']$"
)


def _rest_of_line(text: str, end: int) -> int:
    """Where the line of a name that ends here ends, also by an escaped break, or where its reach
    does.
    """
    stop = min(len(text), end + _FARTHEST)
    found = _BREAK.search(text, end, stop)
    return found.start() if found else stop


_BREAK: Final = re.compile(LINE_END)


def _later(
    counts: Callable[[str], bool], *, signed: bool = False
) -> Callable[[str, str, list[int]], Iterator[tuple[int, int]]]:
    """Return a function that finds what counts as a secret on the rest of the line of each name;
    `signed`: behind a sign, and with nothing between that says what else it is.
    """

    def find(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
        done = 0
        for end in names:
            # In the middle of a drawn value letters may be those of a short name.
            behind = text[end : end + 1]
            if behind.isdigit() or behind.isupper():
                continue
            begin, stop = max(end, done), _rest_of_line(text, end)
            if _DIGIT.search(text, begin, stop) is None:
                continue
            for one in TOKEN.finditer(text, begin, stop):
                if not counts(one[1]) or one.end() == end + _FARTHEST < len(text):
                    continue
                if signed:
                    first = max(0, end - _NAME, text.rfind("\n", 0, end) + 1)
                    between = _BREAK.split(text[first : one.start(1)])[-1].rpartition('": "')[2]
                    if _SIGN_BEFORE.search(between) is None or _OF_OTHERS.search(between):
                        continue
                yield one.start(1), one.start(1) + len(one[1].rstrip(".,:;)"))
            done = stop - _LONGEST_CUT if not signed else done

    return find


_DIGIT: Final = re.compile(r"\d")
_NAME: Final = 40
_LONGEST_CUT: Final = 60

_SPEAKER: Final = r"(?:[>#+*_$ \t-]|\[?\d{1,2}:\d\d\]?[ ]?|<[^<>\n]{1,24}>[ ]?|\w{1,16}:[ ]|(?:new|neue[rs]?|nouve\w{1,3}|nuev[oa]|initial|generated)[ ]\w{1,16}:[ ]|\d{1,2}[.)][ ]){0,4}"
_BELOW: Final = re.compile(
    rf"(?i)(?:{LINE_END}{_SPEAKER}[\w.@-]{{0,40}}[ ]?){{0,2}}{LINE_END}{_SPEAKER}[\"'`]{{0,3}}([^\s\"'`<>|,;\\⟨⟩]{{8,400}})[\"'`]{{0,3}}(?=\s{{0,3}}(?:[\n<|`\\\"]|\*/|-->|[(\U0001f300-\U0001faff]|$))"
)


_DIGESTS: Final = re.compile(r"(?i)hash|digest|checksum|fingerprint|sha-?\d|md5|public")


def _below(
    counts: Callable[[str], bool], others: re.Pattern[str]
) -> Callable[[str, str, list[int]], Iterator[tuple[int, int]]]:
    """Return a function that finds a secret that is all of one of the three lines below a name,
    unless its line says that it is one of the `others`.
    """

    def find(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
        done = -1
        for end in names:
            line = _rest_of_line(text, end)
            if line == done or ABOUT.match(low, end) is not None:
                continue
            done = line
            found = _BELOW.match(text, line)
            if found is None or not counts(found[1]):
                continue
            if others.search(text, max(0, end - _NAME), line) is None:
                yield found.span(1)

    return find


SHOWN: Final = SecretNames(
    stems=(
        "openssl rand", "/dev/urandom", "/dev/random", "token_hex(", "token_urlsafe(", "randombytes(", "keygen", "genkey", "genpsk", "gen-secret", "gensecret",
        "generate-secret", "generate_secret", "generate-password", "generate_password", "generatesecret", "new-guid", "print-access-token", "print-identity-token",
        "get-login-password", "credential fill", "auth token", "vault-token", "find-generic-password", "show-secret",
    ),
    begins=(
        "pwgen", "pwmake", "apg ", "makepasswd", "xkcdpass", "diceware", "gopass show", "pass show", "bw get", "op read", "op item get", "rbw get", "lpass show",
        "secret-tool lookup", "keyring get", "kwallet-query", "passwordstore", "ykman oath",
    ),
    rest=r"",
)  # fmt: skip
"""Commands that draw a secret or show one that is kept; what they print is one."""


OPENED_FILES: Final = SecretNames(
    begins=("cat", "less", "more", "head", "tail", "bat", "type", "get-content"),
    rest=r"[ ](?:-\w{1,8}[ ])?[^\s|<>]{0,80}(?i:auth|pass|cred|secret|login|token|psk)[^\s|<>]{0,24}(?=[ ]{0,2}(?:\n|\\|$))",
)
"""Commands that show a file whose name says that it holds secrets."""


def _printed(value: str) -> bool:
    return clearly_secret(value) or (
        len(value) >= _SHORTEST_PRINTED and has_sign(value) and not is_readable(value)
    )


_SHORTEST_PRINTED: Final = 8

LATER: Final = (
    Pattern(
        kind="password",
        find=_later(clearly_typed),
        names=(PASSWORDS, PASSWORDS_ELSEWHERE, SHORT_PASSWORDS, OF_LOGINS),
        has_digits=True,
        holds="A password was generated for root@db1.example.com: «Tiger!72xy»",
        spares="A password was generated for root@db1.example.com by Vault-1.16.2 (Linux2.ABI) on 2025-03-11T08:12:44Z",
    ),
    Pattern(
        kind="secret",
        find=_later(clearly_drawn, signed=True),
        names=(PASSWORDS, SECRETS, KEYS, SHORT_PASSWORDS),
        has_digits=True,
        holds="use this token for the staging API, it does not expire: «eac7efc42cad214a83408b639708ad6780615e46»",
        spares="the token code was removed in this commit: eac7efc42cad214a83408b639708ad6780615e46",
    ),
    Pattern(
        kind="password",
        find=_below(_printed, _DIGESTS),
        names=(PASSWORDS, PASSWORDS_ELSEWHERE, SHORT_PASSWORDS, SHOWN, OPENED_FILES),
        has_digits=True,
        holds="# line 1 user, line 2 password\nanna\n«Tiger!72xy»",
        spares="# the hash of a password\nanna\neac7efc42cad214a83408b639708ad6780615e46",
    ),
    Pattern(
        kind="secret",
        find=_below(clearly_drawn, _OF_OTHERS),
        names=(SECRETS,),
        has_digits=True,
        holds=">>> os.environ['API_KEY']\n'«q7KxR2mZp4TwB9dHc8LnV5sYf3Gj»'",
        spares=">>> config['API_KEY_ID']\n'internationalization_2024'",
    ),
)
