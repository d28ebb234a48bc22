"""Patterns of secrets passed as an argument to certain calls in code: `login("anna", "…")`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from lull.core.secrets.values.judging import has_sign, looks_random
from lull.core.secrets.values.pattern import QUOTE, Pattern, PatternPlace

_STRING: Final = rf"(?:[a-zA-Z@]{{1,2}})?{QUOTE}((?:(?!\\{{0,7}}[\"'`]|&quot;)[^\s⟨⟩]){{5,400}})(?=\\{{0,7}}[\"'`]|&quot;)"
_ARGUMENT: Final = rf"(?:{QUOTE}[^\n\"'`]{{0,120}}{QUOTE}|[\w.\[\]]{{1,60}})\s?,\s?"


def _call(
    names: str,
    arguments: str,
    hints: tuple[str, ...],
    holds: str,
    spares: str,
    *,
    kind: str = "password",
) -> Pattern:
    """A secret behind other arguments of certain calls."""
    return Pattern(
        kind=kind,
        regex=re.compile(rf"(?i)(?:{names})\s?[(\[]\s?{arguments}{_STRING}"),
        hints=hints,
        where=PatternPlace.ANYWHERE,
        check=has_sign if kind == "password" else looks_random,
        holds=holds,
        spares=spares,
    )


def _drawn_bytes(row: str) -> bool:
    """Whether the numbers of a row are bytes that do not go in order and hardly repeat."""
    numbers = [int(one, 0) for one in re.findall(r"(?i)0x[0-9a-f]+|[1-9]\d*|0", row)]
    rises = sum(a < b for a, b in pairwise(numbers))
    different = len(set(numbers)) * 4 >= min(len(numbers), 48) * 3
    return different and 64 < max(numbers) < 256 and len(numbers) < 5 * rises < 4 * len(numbers)


CALLS: Final = (
    _call(
        r"login|log_in|auth|authenticate|sign_?in|signInWithEmailAndPassword|credentials?|"
        r"authentication|passwordtoken|wifi(?:multi)?\.(?:begin|addap|softap)|"
        r"createuser|create_user|create_superuser|adduser|add_user|auth\s?=\s?",
        rf"(?:{_ARGUMENT}){{1,2}}",
        (
            "login",
            "log_in",
            "auth",
            "sign",
            "credential",
            "passwordtoken",
            "wifi",
            "createuser",
            "create_",
            "adduser",
            "add_user",
        ),
        'smtp.login("anna@example.com", "«t1gerX»")',
        'smtp.login("anna@example.com", "password")',
    ),
    _call(
        r"getconnection|mysqli|mysqli_connect|mysql_connect|pdo|dbi->connect|pg_connect|oci_connect|ftp_login|connect|imap_open|ssh2_auth_password",
        rf"(?:{_ARGUMENT}){{2}}",
        ("getconnection", "mysql", "pdo", "connect", "ftp_login", "imap_open", "ssh2_auth"),
        'new mysqli("localhost", "root", "«t1gerX»", "app")',
        'new mysqli("localhost", "root", "", "app2024")',
    ),
    _call(
        r"hmac\.new|hmac_?sha\d{0,3}|createhmac|create_?hmac|aes\.new|aesgcm|chacha20poly1305|createcipher(?:iv)?|createdecipher(?:iv)?|fernet|secretkeyspec|"
        r"keys\.hmacshakeyfor|wallet|wallet\.fromprivatekey|account\.from_key|privatekeytoaccount|from_key|secretbox|signingkey|jwtmanager|signwith",
        rf"(?:{_ARGUMENT})?",
        (
            "hmac",
            "aes",
            "chacha20",
            "cipher",
            "fernet",
            "secretkey",
            "wallet",
            "from_key",
            "privatekey",
            "secretbox",
            "signingkey",
            "signwith",
        ),
        'hmac.new(b"«q7KxR2mZp4TwB9d»", message, sha256)',
        'hmac.new(key, b"message2024")',
        kind="secret",
    ),
    _call(
        r"jwt\.(?:sign|encode|decode|verify)|\.sign|set_?secret|setenv|putenv|secret_?manager\.\w{1,24}|set_?option|set_?header|header|add_?header",
        rf"(?:{_ARGUMENT}|{_ARGUMENT}{_ARGUMENT})",
        ("jwt.", ".sign", "secret", "env", "setoption", "set_option", "header"),
        'jwt.sign(payload, "«q7KxR2mZp4TwB9d»")',
        'jwt.sign(payload, "created_at_1")',
        kind="secret",
    ),
    Pattern(
        kind="secret",
        # A client is made of one long random text, or of a name and one.
        regex=re.compile(
            rf"(?:new (?!Guid|UUID|Uuid|ObjectId|Big)[A-Z]\w{{1,30}}|= ?[A-Z]\w{{1,30}}|Client|client)\(\s?(?:\{{\s?)?(?:{_ARGUMENT})?(?:\w{{1,16}}\s?[:=]\s?)?{_STRING}"
        ),
        hints=("new ", "=", "client("),
        where=PatternPlace.ANYWHERE,
        check=lambda value: looks_random(value, least=20) and "/" not in value,
        holds='client = Acme("«q7KxR2mZp4TwB9dHc8LnV5»")',
        spares='client = Acme("https://example.com/v2/a1b2c3d4e5")',
    ),
    Pattern(
        kind="secret",
        # The bytes of a key, one by one.
        regex=re.compile(
            r"(?i)(?:key|secret|seed|salt|passphrase|psk)\w{0,16}(?:\[[\w +-]{0,24}\])?[\"']?[ \t]{0,4}[:=][ \t]{0,4}(?:new[ ]\w{1,12}\[\][ ]?|bytes\(|bytearray\(|\[\]byte|&)?[{\[(]{1,2}"
            r"((?:\s|\\[nrt]){0,8}(?:0x[0-9a-f]{1,2}|\d{1,3})(?:(?:\s|\\[nrt]){0,4},(?:\s|\\[nrt]){0,12}(?:0x[0-9a-f]{1,2}|\d{1,3})){15,63}),?(?:\s|\\[nrt]){0,8}[}\])]"
        ),
        hints=("key", "secret", "seed", "salt", "passphrase", "psk"),
        where=PatternPlace.ANYWHERE,
        not_before=re.compile(r"(?i)pub(?:lic)?[_ ]?$"),
        check=_drawn_bytes,
        holds="uint8_t aes_key[16] = {«0xd2, 0x5e, 0x0b, 0xfb, 0x63, 0x1e, 0x10, 0xba, 0xaf, 0x52, 0x89, 0x87, 0xbd, 0x5b, 0x55, 0x60»};",
        spares="uint8_t keys[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};",
    ),
    Pattern(
        kind="secret",
        # Bytes of a key, decoded where they stand. A tokenizer is none.
        regex=re.compile(
            rf"(?i)(?:key|secret|salt|seed|password|token(?!i[zs]e))\w{{0,16}}{QUOTE}?\s?[:=]\s?[\w.:]{{0,40}}\(\s?{_STRING}"
        ),
        hints=("key", "secret", "salt", "seed", "password", "token"),
        where=PatternPlace.ANYWHERE,
        check=lambda value: looks_random(value, least=12),
        holds='key = base64.b64decode("«q7KxR2mZp4TwB9d=»")',
        spares='key = make_key("created_at_1")',
    ),
    Pattern(
        kind="password",
        # A value of SQL, typed between its own quotation marks.
        regex=re.compile(rf"(?i)password\s?(?:=\s?)?(?:\(\s?)?(?:N|E)?{_STRING}"),
        hints=("password",),
        where=PatternPlace.ANYWHERE,
        check=has_sign,
        holds="CREATE LOGIN anna WITH PASSWORD = N'«t1gerX»'",
        spares="CREATE LOGIN anna WITH PASSWORD = N'password'",
    ),
)
