"""Patterns of secrets in settings whose names are made of several words, in any order and in several
languages: `CONTRASENA_BD`, `MDP_BASE`, `apiSchluessel`, `jeton_acces`, `PASSWORD_MAIL`.

A word that says where something is kept, how long it is or what it belongs to (`PASSWORD_FILE`,
`cle_primaire`) makes the name that of no secret.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.secrets.named.assigned import NOT_A_SECRET
from lull.core.secrets.values.judging import has_sign, is_readable, looks_random
from lull.core.secrets.values.pattern import BARE, QUOTE, SIGN, Pattern, PatternPlace

_PASSWORDS: Final = (
    "password", "passwd", "passwort", "kennwort", "mdp", "motdepasse", "mot_de_passe", "mot-de-passe", "contrasena", "contraseña", "contrasenia", "senha", "wachtwoord", "haslo", "hasło", "heslo", "sifre", "lozinka", "salasana", "adgangskode", "losenord", "lösenord",
)  # fmt: skip
_KEYS: Final = (
    "cle", "clé", "clave", "llave", "schluessel", "schlüssel", "chiave", "chave", "sleutel",
)  # fmt: skip
_TOKENS: Final = (
    "jeton", "ficha", "gettone", "geheimnis", "secreto", "segreto", "segredo", "zugangstoken", "zugriffstoken",
)  # fmt: skip
_OF_NO_SECRET: Final = (
    r"(?:file|path|dir|hash|algo|scheme|encod|valid|len|min|max|reset|timeout|policy|polic|url|uri|field|require|expir|day|age|enable|disable|command|cmd|type|id(?![a-z])|name|env|ref|hint|label|prompt|"
    r"placeholder|regex|pattern|rule|strength|change|update|creat|manager|auth|grant|input|form|error|msg|message|confirm|column|attempt|retr|rotat|histor|store|count|"
    r"fichier|chemin|archivo|fichero|ruta|pfad|datei|longitud|longueur|laenge|länge|taille|duree|durée|duracion|primair|primari|foran|forei|etrang|étrang|extranj|publi|produ|client|cliente|kunde|article|"
    r"artikel|oubli|olvid|vergess)"
)
_PART: Final = rf"(?:[_.-](?!(?i:{_OF_NO_SECRET}))[A-Za-z0-9À-ÿ]{{1,16}}|(?!(?i:{_OF_NO_SECRET}))[A-Z][a-z0-9]{{1,15}})"
_OF_ACCOUNTS: Final = (
    r"(?i:acc[eè]so?s?|wi-?fi|wlan|usuario|utilisateur|user|admin|root|smtp|imap|ftp|ssh|vpn|bd|db|bdd|base|correo|mail|courriel|red|reseau|réseau|netz|zugang|sistema|servidor|serveur|servicio|service|"
    r"app|panel|router|ldap|sql|mysql|postgres|oracle|redis)"
)
_CLOSE: Final = rf"{QUOTE}?\]?{SIGN}"
_PUBLIC: Final = re.compile(
    r"(?i)(?:prim[aä]e?r|fremd|oeffentlich\w{0,3}|öffentlich\w{0,3}|publi\w{0,6}|cache|sortier|such|index|haupt|wort)[_.-]?$"
)
_JOINED: Final = re.compile(r"[A-Za-zÀ-ÿ0-9](?:[_.-])?$")


def _password(value: str) -> bool:
    return has_sign(value) and _PLACE.match(value) is None


_PLACE: Final = re.compile(r"[^\s]*://|[/~.][^\s]*/|[\w.+-]+@[\w-]+\.|\d{4}-\d\d-\d\d")
"""The beginning of an address, a path or a date, which is no password."""


def _key(value: str) -> bool:
    return looks_random(value, least=12) and not is_readable(value)


def _any(words: tuple[str, ...]) -> str:
    return f"(?i:{'|'.join(words)})"


SETTINGS: Final = (
    Pattern(
        kind="password",
        regex=re.compile(rf"{_any(_PASSWORDS)}{_PART}{{1,4}}{_CLOSE}{QUOTE}?({BARE}{{5,200}})"),
        hints=_PASSWORDS,
        where=PatternPlace.ANYWHERE,
        check=_password,
        not_before=NOT_A_SECRET,
        holds="CONTRASENA_BD=«t1gerX»",
        spares="PASSWORD_FILE=notes and password_max_len: a1b2c3",
    ),
    Pattern(
        kind="password",
        regex=re.compile(
            rf"{_any((*_KEYS, 'pass', 'pw', 'pwd', 'psw'))}[_.-]?{_OF_ACCOUNTS}{_CLOSE}{QUOTE}?({BARE}{{5,200}})"
        ),
        hints=(*_KEYS, "pass", "pw", "psw"),
        check=_password,
        holds="clave_acceso: «t1gerX»",
        spares="clave_producto: t1gerX",
    ),
    Pattern(
        kind="secret",
        regex=re.compile(
            rf"{_any(_KEYS + _TOKENS)}{_PART}{{1,4}}{_CLOSE}{QUOTE}?({BARE}{{12,2000}})"
        ),
        hints=(*_KEYS, *_TOKENS),
        check=_key,
        holds="jeton_acces: «q7KxR2mZp4TwB9dHc8LnV5»",
        spares="cle_primaire: q7KxR2mZp4TwB9dHc8LnV5",
    ),
    Pattern(
        kind="secret",
        regex=re.compile(rf"{_any(_KEYS + _TOKENS)}{_CLOSE}{QUOTE}?({BARE}{{12,2000}})"),
        hints=(*_KEYS, *_TOKENS),
        where=PatternPlace.ANYWHERE,
        before=_JOINED,
        not_before=_PUBLIC,
        check=_key,
        holds='"apiSchluessel": "«q7KxR2mZp4TwB9dHc8LnV5»"',
        spares='"suchSchluessel": "q7KxR2mZp4TwB9dHc8LnV5"',
    ),
    Pattern(
        kind="password",
        # A variable of the environment that ends so.
        regex=re.compile(
            rf"_(?:AUTH|CRED|CREDS|PHRASE)[ \t]{{0,2}}=[ \t]{{0,2}}{QUOTE}?({BARE}{{6,200}})"
        ),
        hints=("_auth", "_cred", "_phrase"),
        where=PatternPlace.ANYWHERE,
        before=re.compile(r"[A-Z0-9]$"),
        check=_password,
        holds="REDIS_AUTH=«t1gerX»",
        spares="PROXY_AUTH=oauth2",
    ),
)
