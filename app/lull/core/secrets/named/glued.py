"""Patterns of secrets with a name that is joined to another word, as in `SSHPASS=…`, `dbpass: …`
and `SECRET_PROD_2=…`.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.named.assigned import NOT_A_SECRET
from lull.core.secrets.values.judging import has_sign, looks_random, not_dummy
from lull.core.secrets.values.pattern import BARE, QUOTE, SIGN, Pattern, PatternPlace
from lull.core.secrets.values.typed import clearly_secret

_VALUE: Final = rf"{QUOTE}?\]?\)?{SIGN}(?:[bru]{{1,2}}(?=[\"'\\]))?{QUOTE}?({BARE}{{4,2000}})"
_OTHER_WORDS: Final = re.compile(
    r"(?i)(?:by|com|tres|sur|over|under|en|one|multi|single|two|first|second|low|high|band|im)$"
)
"""Words that end in `pass` and name no password: bypass, compass, low-pass."""
_BELONGS: Final = re.compile(r"(?i)(?<![a-z])[a-z]{2,12}[_.-]?$")
_ENDING: Final = r"(?:[_-]?(?:id|b64|base64|hex|prod|dev|staging|live|test|old|new|value|file_?content|\d{1,3}|v\d)){0,3}"


def _password(value: str) -> bool:
    return has_sign(value) or (value.isdigit() and len(value) >= 4 and not_dummy(value))


GLUED: Final = (
    Pattern(
        kind="password",
        regex=re.compile(
            rf"(?i)(?:psk|pre-?shared-?key|wpa\d?[_-]?key|network-?key|wep-?key\d?|passkey){_VALUE}"
        ),
        hints=("psk", "pre", "wpa", "network", "wep", "passkey"),
        where=PatternPlace.ANYWHERE,
        check=has_sign,
        holds='wpa2-pre-shared-key="«t1gerX»"',
        spares="key-mgmt=wpa-psk and psk=required",
    ),
    Pattern(
        kind="private-key",
        regex=re.compile(
            rf"(?i)(?:pfx|p12|pkcs_?12|key_?store|jks|keytab|certificate_?data)\w{{0,24}}{QUOTE}?{SIGN}{QUOTE}?([A-Za-z0-9+/=]{{60,}})"
        ),
        hints=("pfx", "p12", "pkcs", "keystore", "key_store", "jks", "keytab"),
        where=PatternPlace.ANYWHERE,
        holds='"pfx_base64": "«MIIq7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tEq7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE»"',
        spares='"keystore": "conf/server.p12"',
    ),
    Pattern(
        kind="password",
        regex=re.compile(rf"(?i)(?:pass|pwd?|pswd|passw|kennw){_ENDING}{_VALUE}"),
        hints=("pass", "pw", "kennw"),
        where=PatternPlace.ANYWHERE,
        check=has_sign,
        before=_BELONGS,
        not_before=_OTHER_WORDS,
        holds="SSHPASS=«t1gerX»",
        spares="COMPASS=t1gerX",
    ),
    Pattern(
        kind="secret",
        regex=re.compile(rf"(?i)(?:token|secret|apikey|authkey|privkey|enckey){_ENDING}{_VALUE}"),
        hints=("token", "secret", "apikey", "authkey", "privkey", "enckey"),
        where=PatternPlace.ANYWHERE,
        check=looks_random,
        not_before=NOT_A_SECRET,
        holds="MYAPPTOKEN=«q7KxR2mZp4TwB9d»",
        spares="MYAPPTOKEN=created_at_1",
    ),
    Pattern(
        kind="secret",
        # The words of the name go on after the one that tells.
        regex=re.compile(
            rf"(?:PASSWORD|PASSPHRASE|PASS|PW|SECRET|TOKEN|KEY|CREDENTIALS?)(?:_[A-Z0-9]{{1,12}}){{1,4}}{_VALUE}"
        ),
        hints=("pass", "pw_", "secret_", "token_", "key_", "credential"),
        where=PatternPlace.ANYWHERE,
        check=lambda value: looks_random(value, least=10),
        holds="SECRET_PROD_2=«q7KxR2mZp4TwB9d»",
        spares="PRIMARY_KEY_COLUMN_2=created_at_1",
    ),
    Pattern(
        kind="secret",
        # What keys a check of messages, opens an account or is mixed into a password.
        regex=re.compile(
            rf"(?i)(?:hmac|mac_?key|pepper|auth(?!or)|cred(?!it)|priv(?!ac|ileg)|psk|key_?material)[\w-]{{0,20}}(?:\[\w{{0,4}}\])?{_VALUE}"
        ),
        hints=(
            "hmac",
            "mackey",
            "mac_key",
            "pepper",
            "auth",
            "cred",
            "priv",
            "psk",
            "keymaterial",
            "key_material",
        ),
        where=PatternPlace.ANYWHERE,
        check=clearly_secret,
        not_before=NOT_A_SECRET,
        holds="hmacEncoded: «q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE»",
        spares="hmacAlgorithm: internationalization_2024 and author_name: anna_2",
    ),
    Pattern(
        kind="password",
        # A setting whose name and value only a blank parts.
        regex=re.compile(
            rf"(?i)(?:[a-z]{{2,16}}[_.-]?)?(?:password|passwd|passphrase|pass|secret|token|api[_-]?key)[ \t]{{1,20}}{QUOTE}({BARE}{{5,200}})(?=\\{{0,7}}[\"'])"
        ),
        hints=("pass", "secret", "token", "api"),
        where=PatternPlace.ANYWHERE,
        check=has_sign,
        holds="keyPassword '«t1gerX»'",
        spares="add token 'created' to it",
    ),
)
