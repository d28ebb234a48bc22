"""Patterns of logins that stand before the host they are for, `anna/…@db1` or `anna:…@mail.example`,
without the `://` of an address, and of the lines in which mail servers keep them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.values.judging import (
    count_changes,
    has_sign,
    is_placeholder,
    not_dummy,
)
from lull.core.secrets.values.pattern import QUOTE, Pattern, PatternPlace

_USER: Final = r"[A-Za-z][\w.+-]{0,40}(?:@[\w-]{1,40}(?:\.[\w-]{1,20}){1,3})?"
_PASSWORD: Final = r"[^\s\"'`<>\\⟨⟩/,;|(){}\[\]]{4,80}"
_HOST: Final = r"(?:(?:tcp|unix)\(|//)?[A-Za-z0-9\[][\w.\[\]:-]{1,80}"
_PORT_OR_DOMAIN: Final = r"(?:(?:tcp|unix)\(|//[A-Za-z0-9]|[\w-]{1,40}(?:\.[\w-]{1,40}){0,5}:\d{2,5}|(?:[\w-]{1,40}\.){1,5}[a-z]{2,12}(?![\w.-])|(?:\d{1,3}\.){3}\d)"
_NAMED: Final = (
    r"(?:[\w.-]{0,24}(?:login|logins|conn|connect|connection|connstr|dsn|url|uri|server|mailserver|database|userid|account|access|auth|credentials?|imap|smtp|pop3?|proxy|mail|mailbox|db|oracle|"
    r"zugang|anmeldung|konto|datenbank|connexion|compte|base|conexion|conexión|cuenta|correo))"
)
_SIGN: Final = rf"{QUOTE}?(?:[ \t]{{0,3}}[:=][ \t]{{0,3}}|[ ](?:is|ist|est|es)[ ]){QUOTE}?"
_SCHEMES: Final = r"(?!(?:mailto|sips?|xmpp|acct|tel|urn|ssh|git|https?|image|time|date|email|e-mail|mail|from|to|cc|bcc|contact|user|kontakt)[:/])"


_DOMAIN: Final = r"(?:[\w-]{1,40}\.){1,5}[a-z]{2,12}"


def _typed(value: str) -> bool:
    return has_sign(value) and not_dummy(value) and re.match(r"sha\d|[$@]|v\d", value) is None


def _clearly_typed(value: str) -> bool:
    """Whether what stands before a host is no part of an address or of a package's name."""
    return _typed(value) and re.fullmatch(r"[\w.+-]+", value) is None


def _given(value: str) -> bool:
    """Whether a value in a password's place, where nothing else can stand, was filled in."""
    return not_dummy(value) and not is_placeholder(value) and not value.startswith(("$", "/"))


def _of_basic(value: str) -> bool:
    return has_sign(value) and "/" not in value and _VERSION.fullmatch(value) is None


_VERSION: Final = re.compile(r"[a-z]+[-_.]?v?\d{1,2}(?:\.\d+)*|v?\d[\w.-]*")


def _of_line(value: str) -> bool:
    return _given(value) and (has_sign(value) or count_changes(value) >= 2)


_BEFORE_HOST: Final = re.compile(
    rf"(?:(?<=\\[nrt])|(?<![\w.@:/%+-])){_SCHEMES}{_USER}[:/]({_PASSWORD})$"
)
_HOST_BEHIND: Final = re.compile(_PORT_OR_DOMAIN)
_LONGEST: Final = 140


def _before_hosts(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    """The passwords of logins that stand before a host: from each @ on it is looked back."""
    at = text.find("@")
    while at >= 0:
        if _HOST_BEHIND.match(text, at + 1) is not None:
            first = max(0, at - _LONGEST)
            found = _BEFORE_HOST.search(text[first:at])
            if found is not None and _clearly_typed(found[1]):
                yield first + found.start(1), first + found.end(1)
        at = text.find("@", at + 1)


LOGINS: Final = (
    Pattern(
        kind="password",
        # The login of a database as its tools take it, with or without its host.
        regex=re.compile(
            rf"(?i:conn(?:ect)?|sqlplus(?:[ ]-\w{{1,2}}){{0,3}}|(?:[\w.]{{0,20}}[ ]{{0,2}})?userid=|(?:expdp|impdp|exp|imp|sqlldr|rman)(?:[ ]target)?)[ ]{{0,2}}(?<=[ =]){QUOTE}?"
            rf"[A-Za-z][\w$#.-]{{0,40}}/{QUOTE}?(?:([^\s\"'`<>\\⟨⟩/,;|(){{}}]{{4,80}}){QUOTE}?(?=@{_HOST})|([^\s\"'`<>\\⟨⟩/,;|(){{}}@]{{4,80}})(?=[ \n;\"'`]|\\|$))"
        ),
        hints=("conn", "sqlplus", "userid=", "expdp", "impdp", "exp ", "imp ", "sqlldr", "rman"),
        check=_typed,
        holds="conn anna/«t1gerX»@orders",
        spares="conn anna@orders and connect shop/orders@",
    ),
    Pattern(
        kind="password",
        # A setting whose value is user, password and host.
        regex=re.compile(
            rf"(?i:{_NAMED}){_SIGN}{_SCHEMES}{_USER}[ ]?[/:%][ ]?({_PASSWORD})[ ]?@[ ]?(?={_HOST})"
        ),
        hints=(
            *(
                "login",
                "conn",
                "dsn",
                "url",
                "uri",
                "server",
                "database",
                "userid",
                "account",
                "access",
                "auth",
                "credential",
            ),
            *(
                "imap",
                "smtp",
                "pop",
                "proxy",
                "mail",
                "db",
                "oracle",
                "zugang",
                "anmeldung",
                "konto",
                "datenbank",
                "compte",
                "base",
                "conexi",
                "cuenta",
                "correo",
            ),
        ),
        where=PatternPlace.ANYWHERE,
        check=_typed,
        holds="mailserver: anna/«t1gerX»@imap.example.org",
        spares="mailserver: anna/inbox@imap.example.org",
    ),
    Pattern(
        kind="password",
        # Without a name it takes a sign that no address has, and a host that is clearly one.
        find=_before_hosts,
        hints=("@",),
        holds="anna:«Winter!72xy»@tcp(db1:3306)/orders",
        spares="anna:winter72@tcp and actions/checkout2@v4.example.com",
    ),
    Pattern(
        kind="password",
        # The host is written as only a database's driver writes it.
        regex=re.compile(
            rf"(?:(?<=\\[nrt])|(?<![\w.@:/%+-])){_USER}[:/]({_PASSWORD})@(?=(?:tcp|unix)\(|\(DESCRIPTION)"
        ),
        where=PatternPlace.TEXT,
        hints=("@tcp(", "@unix(", "@(desc"),
        check=_typed,
        holds='sql.Open("mysql", "anna:«winter72»@tcp(127.0.0.1:3306)/orders")',
        spares='sql.Open("mysql", user+"@tcp(127.0.0.1:3306)/orders")',
    ),
    Pattern(
        kind="password",
        # Somebody is sent the address and the password to sign in with.
        regex=re.compile(
            rf"@[\w-]{{1,40}}(?:\.[\w-]{{1,20}}){{1,3}}[ ]?[,;/|][ ]?({_PASSWORD})(?=[\s\"'`<.]|\\|$)"
        ),
        where=PatternPlace.ANYWHERE,
        hints=("@",),
        before=re.compile(
            r"(?i)(?:log[ -]?in|sign[ -]?in|zugang|anmeld|einlogg|account|connect|connexion|acceso)[^\n]{0,90}[\w.+-]$"
        ),
        check=lambda value: _clearly_typed(value) and any(c.isdigit() for c in value),
        holds="can you log in for me? anna@example.org, «Winter!72xy»",
        spares="can you log in for me? anna@example.org, thanks!",
    ),
    *(
        Pattern(
            kind="password",
            # A line of a mail server's map: host, user and password.
            regex=re.compile(rf"{regex}([^\s\"'`<>\\⟨⟩:]{{4,80}})"),
            hints=hints,
            where=PatternPlace.ANYWHERE,
            before=re.compile(before),
            check=_of_line,
            holds=holds,
            spares=spares,
        )
        for regex, hints, before, holds, spares in (
            (
                rf"\](?::\d{{2,5}})?[ \t]{{1,8}}{_USER}:",
                ("]",),
                rf"\[{_DOMAIN}$",
                "[smtp.example.com]:587 anna:«t1gerX»",
                "[main]:587 anna:t1gerX",
            ),
            (
                r"@[\w.-]{3,60}:",
                ("@",),
                rf"{_DOMAIN}\]?(?::\d{{2,5}})?[ \t]{{1,8}}[\w.+-]{{1,40}}$",
                "smtp.example.com anna@example.com:«t1gerX»",
                "smtp.example.com anna@example.com:2525",
            ),
            (
                rf"static:{_USER}:|client_send[ ]=[ ]:[ ]{_USER}[ ]:[ ]",
                ("static:", "client_send"),
                r"^|[^\w]$",
                "client_send = : anna : «t1gerX»",
                "client_send = : anna : user",
            ),
        )
    ),
    Pattern(
        kind="password",
        # A list of users says how the password is written.
        regex=re.compile(
            r"\{(?:PLAIN|CLEAR|CLEARTEXT|plain|clear|cleartext)\}([^\s\"'`<>\\⟨⟩:]{4,200})"
        ),
        hints=("{plain", "{clear"),
        where=PatternPlace.ANYWHERE,
        check=_given,
        holds="anna:{PLAIN}«t1gerX»:1000:1000",
        spares="anna:{PLAIN}${PASS}:1000:1000",
    ),
    Pattern(
        kind="password",
        # A pair of user and password as one value.
        regex=re.compile(
            rf"(?i:basic|basic_?auth|http_?auth|auth|userpass|user_pass|credentials?|creds|login){QUOTE}?[ \t]{{0,3}}[:=][ \t]{{0,3}}"
            rf"(?:{QUOTE}?[A-Za-z][\w.@+-]{{0,60}}[:%]|[\[(][ ]?{QUOTE}[A-Za-z][\w.@+-]{{0,60}}{QUOTE}[ ]?,[ ]?{QUOTE})"
            r"([^\s\"'`<>\\⟨⟩,;|{}\[\]]{5,120})(?=[\s\"'`<,;|)\]]|\\|$)"
        ),
        hints=("basic", "auth", "userpass", "user_pass", "cred", "login", "http"),
        check=_of_basic,
        holds="credentials=anna%«t1gerX»",
        spares="auth: ldap:cn2/example.org and login: group:team-a",
    ),
)
