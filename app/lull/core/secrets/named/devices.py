"""Patterns of passwords in the settings of routers, switches and firewalls, and in lists of users."""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.values.judging import has_sign, looks_random, not_dummy
from lull.core.secrets.values.pattern import BARE, LINE_END, QUOTE, Pattern, PatternPlace

_VALUE: Final = rf"{QUOTE}?({BARE}{{4,300}})"
_TYPED: Final = r"(?:password|secret|key|md5|authentication-key|community|passphrase|pac key|key-string|auth-password|priv-password|ascii|hmac-\w+)"


def _setting(value: str) -> bool:
    return not_dummy(value) and (has_sign(value) or looks_random(value))


def _cipher7(value: str) -> bool:
    """Whether digits are a password scrambled by Cisco's type 7: an offset, then two for each
    letter."""
    sure = len(value) >= 12 or any(c in "ABCDEF" for c in value)
    return len(value) % 2 == 0 and int(value[:2]) <= 52 and sure


def _junos(value: str) -> bool:
    return any(c.isdigit() for c in value) or any(c.isupper() for c in value)


DEVICES: Final = (
    Pattern(
        kind="password",
        regex=re.compile(
            r"(?:password|key|secret|key-string|authentication|md5|community|hash|text|passphrase|encrypted)[ \t]{1,4}7[ \t]{1,4}\"?([0-5]\d[0-9A-Fa-f]{6,200})(?![0-9A-Za-z])"
        ),
        hints=(
            "password",
            "key",
            "secret",
            "authentication",
            "md5",
            "community",
            "text",
            "encrypted",
        ),
        where=PatternPlace.ANYWHERE,
        check=lambda value: _cipher7(value.upper()),
        holds="password 7 «0822455D0A16»",
        spares="password 7 08224550",
    ),
    Pattern(
        kind="password",
        # The figure says how the value is written.
        regex=re.compile(
            rf"(?i){_TYPED}[ \t]{{1,4}}(?:0|4|5|6|8|9|md5|sha\d{{0,3}}|ascii|hex|cleartext|plain-text|plaintext|simple|cipher|irreversible-cipher|hash|hashed|encrypted|enc|encr|7)[ \t]{{1,4}}(?:\d[ \t]{{1,4}})?{_VALUE}"
        ),
        hints=(
            "password",
            "secret",
            "key",
            "md5",
            "authentication-key",
            "community",
            "passphrase",
            "ascii",
            "hmac",
        ),
        where=PatternPlace.ANYWHERE,
        check=_setting,
        holds="username anna password 0 «t1gerX»",
        spares="the key 5 of table2 and password 0 times",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:message-digest-key \d{{1,3}} md5|isakmp key|tacacs-server host \S{{1,60}} key|radius-server host \S{{1,60}} key|server-key|key-string|authentication text|standby \d{{1,4}} authentication|(?:password|user)[^\n|;]{{1,60}}[ ](?:plaintext|cleartext|plain-text)|ntp authentication-key \d{{1,6}} md5|"
            rf"set (?:passwd|password|psksecret|secret|key|passphrase|preshared-key)(?: ENC)?|ppp chap password|pre-shared-key (?:address \S{{1,60}} )?key|wpa-psk|psk|encryption-key|peer \S{{1,60}} password|option (?:key|password|psk|sae_password)|uci set \S{{1,60}}\.(?:key|password|psk)(?==)|ikev1 pre-shared-key|pre-shared-key|(?:tacacs|radius)[^\n]{{1,60}}\n[ \t]{{1,8}}key)(?:[ \t]{{1,4}}|(?<=key|ord|psk)=)(?:\d[ \t]{{1,4}})?{_VALUE}"
        ),
        hints=(
            "message-digest-key",
            "isakmp key",
            "tacacs-server",
            "radius-server",
            "server-key",
            "key-string",
            "authentication text",
            "password",
            "user",
            "standby",
            "ntp auth",
            "set ",
            "ppp chap",
            "pre-shared-key",
            "wpa-psk",
            "psk",
            "encryption-key",
            "peer ",
            "option ",
            "uci set",
            "ikev1",
            "tacacs",
            "radius",
        ),
        check=_setting,
        holds="crypto isakmp key «t1gerX» address 1.2.3.4",
        spares="crypto isakmp key address and set password policy",
    ),
    Pattern(
        kind="password",
        # Juniper's reversible form.
        regex=re.compile(r"\$9\$[A-Za-z0-9./-]{6,300}"),
        hints=("$9$",),
        where=PatternPlace.ANYWHERE,
        check=_junos,
        holds='secret "«$9$kPT3evLoikT36GDk»"',
        spares="it costs $9$ or more",
    ),
    Pattern(
        kind="password-hash",
        regex=re.compile(
            r"\$1a\$[^\s\"'\\]{16,300}|%\^%#[^\s\"\\]{12,300}%\^%#|(?<![\w$])0x0[12]00[0-9A-F]{40,140}(?![0-9A-F])"
        ),
        hints=("$1a$", "%^%#", "0x0100", "0x0200"),
        where=PatternPlace.ANYWHERE,
        holds="irreversible-cipher «$1a$rSFRdmNi1r$dpc8WNZq4VYXqXZKV24C$»",
        spares="it is $1a$ or 0x0200ff",
    ),
    Pattern(
        kind="password-hash",
        # A line of a user list: name, colon and the thirteen characters of DES, or realm and MD5.
        regex=re.compile(
            rf":(?:[./0-9A-Za-z]{{13}}|[\w .@-]{{1,40}}:[0-9a-f]{{32}})(?=:?(?:{LINE_END}|\\{{0,7}}[\"`<]|[。、，]|$))"
        ),
        hints=(":",),
        where=PatternPlace.ANYWHERE,
        check=lambda value: len(value) > 14 or looks_random(value[1:], least=13),
        before=re.compile(r"(?:^|\\n|[\s\"'`>+])[A-Za-z_][\w.-]{0,31}$"),
        not_before=re.compile(r"[=(]"),
        holds="anna«:JRy9Ku8rn5rBv»",
        spares="time:internationa",
    ),
    Pattern(
        kind="password",
        # A pooler's list of users: "name" "password".
        regex=re.compile(
            rf"\"[\w.@-]{{1,40}}\\{{0,7}}\" \\{{0,7}}\"({BARE}{{5,200}})\\{{0,7}}\"(?=\s{{0,4}}(?:$|[\n\\\"'`<。，]))"
        ),
        hints=('" "', '" \\'),
        where=PatternPlace.TEXT,
        check=lambda value: has_sign(value) and re.fullmatch(r"[A-Za-z]+/[\d.]+", value) is None,
        holds='"anna" "«t1gerX»"',
        spares='"anna" "reader"',
    ),
    Pattern(
        kind="password",
        # Where a telephone system logs in at another.
        regex=re.compile(
            r"register\s{0,8}=>?\s{0,8}(?:(?:udp|tcp|tls)://)?[\w.+-]{1,64}(?:@[\w.-]{1,80})?:([^\s:@;\\⟨⟩]{3,200})(?=(?::[\w.-]{1,80})?@[A-Za-z0-9])"
        ),
        hints=("register",),
        check=_setting,
        holds="register => anna:«t1gerX»@sip.example.com/100",
        spares="register => anna:password@sip.example.com/100",
    ),
    Pattern(
        kind="aws-key",
        # A pair of an identifier and its key.
        regex=re.compile(
            r"(?:AKIA|ASIA)[A-Z0-9]{16}\s?[:,;|/]\s?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])"
        ),
        hints=("akia", "asia"),
        where=PatternPlace.ANYWHERE,
        holds="AKIAUR53WHYHYFJKDIOR:«gEKNMF4B1PR1TlhK8vKF0vCjqwf83UThCCbL+YBB»",
        spares="AKIA is the beginning of gEKNMF4B",
    ),
    Pattern(
        kind="private-key",
        # A key store's own encrypted key.
        regex=re.compile(
            rf"ciphertext{QUOTE}\s?:\s?{QUOTE}([0-9a-fA-F]{{32,400}}|[A-Za-z0-9+/]{{40,2000}}={{0,2}})"
        ),
        hints=("ciphertext",),
        where=PatternPlace.ANYWHERE,
        holds='{"ciphertext":"«2d17951ae8ca9c5972a22180f168d82b4b14»"}',
        spares='{"ciphertext":"string"}',
    ),
)
