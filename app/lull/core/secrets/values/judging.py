"""Judges whether a value that a pattern found is really a secret, since code and placeholders often
stand in a secret's place.

`password = read_password()`, `API_KEY=<your key>` and `SORT_KEY=created_at_1` contain no secret.
Names and words seldom alternate between letters and digits; random values do so all the time.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from lull.core.secrets.values.letters import are_random_letters
from lull.core.secrets.values.plain_words import DUMMIES, GRAMMAR, WORDS

_GAPS: Final = re.compile(
    r"\^[\[(]|\$\{|\$\(|\$\$|\$[A-Za-z_]\w*(?:\W|$)|<|\{|\[|\(|%\(|%[A-Za-z_]+%|%[sdv]|\*{2,}|\.\.|\.\*|…|•|_{3,}|-{3,}|#\{|@\{|!\w+ |"
    r"(?i:x{3,}|your?[ _-]?|my[ _-]|the[ _-]|some[ _-]|enter[ _-]|insert[ _-]|replace|change[ _-]?me|"
    r"example|dummy|placeholder|redacted|hidden|todo)|"
    r"(?:[A-Za-z]{2,8}[_-]){1,4}(?:\.{2,}|…|\*{2,}|(?i:x{3,}|your))|"
    r"\\\$\w|%24%7[Bb]|arn:aws[\w-]*:|op://|!(?:secret|vault|ref)\b|vault:(?!v\d)|ref\+|ssm:|secretsmanager:|keyring:|"
    r"env[:/]|file:|@Microsoft\.KeyVault|projects/[\w-]{1,60}/secrets/|akv://|bws://"
)
"""Beginnings of placeholders, and of references to where a secret is kept."""
_DOTTED: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+(?:([(\[])|$)")
_CODE: Final = re.compile(
    r"[A-Za-z_$][\w$]*(?:\(|\[|->|::)|"
    r"(?:self|this|os|process|env|config|settings|request|req|args|options|user|form|data|params|var|local|module)\.|"
    r"[A-Za-z_]\w*(?:\?$|\|[A-Za-z_]+$)|/(?:[\w.-]+/)+|\./|~/|@\w+/|\w+://[^:@/]*(?:/|$)|\w+://[^@\s]*$|unix:/|"
    r"(?:Get|Read|New|Import|ConvertTo|ConvertFrom|Invoke|Select|Join)-[A-Z][a-z]+|test_[a-z][a-z_]*(?:_v?\d{1,3})?(?=[\])}.,;:]*$)|--?[a-z][\w-]*[.,;)]?$|[a-z_]+=(?:True|False|None|true|false|null|\d+)[.,;)]?$|[a-z][a-z0-9._/-]*:(?:\d[\d.]{0,8}(?:-[a-z][\w.-]*)?|latest)(?=[\])}.,;]*$)"
)
_CALL: Final = re.compile(
    r"[A-Za-z_.]{3,}[(\[](?:[\w)\]]|$)|[A-Za-z_][\w.]{2,}[(\[](?:[A-Za-z_]{4}|$)"
)
_STATES: Final = re.compile(
    r"(?i).+(?:ed|ing|able|ible|less|ful|ly|ous|ive|ung|lich|isch|bar|igt|iert|tet|ée?s?|ado|ada|ido|ida|ción|oria|orio)"
)
_PIECES: Final = re.compile(r"[A-Za-z0-9]+")
_PERIODIC: Final = re.compile(r"(.{1,3}?)\1{3,}")


def _is_code(value: str) -> bool:
    """Whether a value is a name or a call in code. A part of three digits or of mixed letters and
    digits is none that people name: `spruce9569.J`.
    """
    if _CODE.match(value):
        asked = value.removesuffix("?")  # an optional value in code, or a password's last sign
        return asked == value or not (asked.isalnum() and _is_made_up(asked))
    dotted = _DOTTED.match(value)
    if dotted is None:
        return False
    parts = re.split(r"[._]", value)
    return bool(dotted[1]) or not (any(map(_is_drawn_part, parts)) or _are_drawn(parts))


def _is_made_up(asked: str) -> bool:
    """Whether what a question mark follows is no type in code: long, with two digits at its end."""
    return _is_drawn_part(asked) or (len(asked) >= _LONGER_THAN_TYPES and asked[-2:].isdigit())


_LONGER_THAN_TYPES: Final = 10


def _are_drawn(parts: list[str]) -> bool:
    """Whether short parts are drawn at random together: names seldom change so often."""
    short = "".join(part for part in parts if not _TECHNICAL.match(part))
    changes = sum(count_changes(part) for part in parts if not _TECHNICAL.match(part))
    return changes >= _DENSE and changes * 5 >= len(short) * 2


_DENSE: Final = 4


def _is_drawn_part(part: str) -> bool:
    if part.isdigit() or _MEASURE.fullmatch(part):
        return part.isdigit() and len(part) >= 3
    if len(part) < 5 or _TECHNICAL.match(part):
        return False
    return count_changes(part) >= 3 or bool(
        re.search(r"\d{3}|[A-Za-z]\d+[A-Za-z]|[A-Z]{3}.*\d|\d.*[A-Z]{3}", part)
    )


_TECHNICAL: Final = re.compile(
    r"(?i)(?:i18n|k8s|x509|oauth2|utf8|base64|b64|sha\d|md5|http2|e2e|b2b|p2p|argon2|float\d|int\d|uint\d|mp3|mp4|web3|neo4j|log4j|h264|h265)"
)


def count_changes(value: str) -> int:
    """Count the changes between lower case, capitals and digits inside a value's words; an initial
    capital and final digits, as in names, do not count.
    """
    found = 0
    for piece in _PIECES.findall(value):
        kinds = ["d" if c.isdigit() else "U" if c.isupper() else "l" for c in piece]
        turns = sum(a != b for a, b in pairwise(kinds))
        if kinds[0] == "U" and len(kinds) > 1 and kinds[1] == "l":
            turns -= 1
        if kinds[-1] == "d" and kinds[0] != "d":
            turns -= 1
        found += max(turns, 0)
    return found


def looks_random(value: str, *, least: int = 8) -> bool:
    """Whether a value looks randomly generated, not like a name, a word or a number; `least` is the
    fewest characters that it must have.
    """
    if len(value) < least or is_placeholder(value) or _CALL.match(value):
        return False
    sample = value[:200]
    turns, digits = count_changes(sample), any(c.isdigit() for c in sample)
    if not digits:
        if sample.isalpha():
            return are_random_letters(sample, sure=len(sample) < 16)
        if _DOTTED.fullmatch(sample):
            return any(are_random_letters(piece) for piece in sample.split("."))
        return len(sample) >= 16 and turns >= max(4, len(sample) // 4)
    return turns >= max(2, len(sample) // 10) and len(set(sample)) >= min(6, len(sample) // 2)


def looks_random16(value: str) -> bool:
    """Return whether a value of at least 16 characters looks random, as keys do."""
    return looks_random(value, least=16)


def looks_random20(value: str) -> bool:
    """Return whether a value of at least 20 characters looks random, as keys do."""
    return looks_random(value, least=20)


def may_be_random(body: str) -> bool:
    """Whether the text after a token's prefix (which tells its issuer) may be a random key: it is
    not one repeated letter and does not consist of words only.
    """
    if len(set(body[:200])) < min(6, max(2, len(body) // 3)) or _PERIODIC.fullmatch(body[:60]):
        return False
    if body.isupper() or any(c.isdigit() for c in body) or count_changes(body) >= 4:
        return True
    return are_random_letters(body, sure=True)


def is_placeholder(value: str) -> bool:
    """Whether a value only stands in for a secret: a variable, a placeholder or asterisks."""
    return bool(_GAPS.match(value)) or bool(_PERIODIC.fullmatch(value[:60]))


def quoted_password(value: str) -> bool:
    """Whether a quoted value after a name such as "password" is a secret."""
    bare = value.strip()
    if len(bare) < 4 or is_placeholder(bare) or _is_word(bare) or _VERSION.fullmatch(bare):
        return False
    if _CONSTANT.fullmatch(bare):
        return False
    if any(c.isspace() for c in bare):
        # A sentence is no password; four words in a row may be one.
        words = bare.lower().split()
        grammar = any(word.strip(".,!?:()") in GRAMMAR for word in words)
        return not grammar and len(words) <= 8
    return len(bare) >= 6 or not bare.isalpha()


_CONSTANT: Final = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
"""A name of a constant, which stands for itself in an enumeration."""


def bare_password(value: str) -> bool:
    """Whether an unquoted value after a name such as "password" is a secret; it may also be code,
    such as a variable's name.
    """
    if len(value) < 4 or is_placeholder(value) or _is_code(value) or _is_word(value):
        return False
    if _VERSION.fullmatch(value) or _ALGORITHM.fullmatch(value):
        return False
    if value.isdigit():
        return len(value) >= 6
    name = value.rstrip(")].}:|,;?")
    if name.isidentifier() and not any(c.isdigit() for c in name):
        # A name in code ends with a bracket or has several parts.
        parts = "_" in name or (name[1:] != name[1:].lower() and name != name.upper())
        return (name == value and not parts) or are_random_letters(name)
    return any(c.isdigit() for c in value) or bool(_SIGN.search(value))


_ALGORITHM: Final = re.compile(
    r"(?i)(?:scram|argon2?(?:id|i|d)?|bcrypt|scrypt|pbkdf2|aes|rsa|ecdsa|ed25519|sha\d?|md5|hmac|gcm|cbc|ctr|sha512crypt|chacha20)"
    r"(?:[-_./](?:scram|argon2?(?:id|i|d)?|bcrypt|scrypt|pbkdf2|aes|rsa|ecdsa|ed25519|sha\d{0,3}|md5|hmac|gcm|cbc|ctr|chacha20|poly1305|\d{1,4}[ab]?|v\d|with|plus|id))*"
)
"""The name of a way to hash or to encrypt, of several parts."""
_VERSION: Final = re.compile(r"[~^>=v]{0,3}(?:0|[1-9]\d?)\.(?:0|[1-9]\d?)\.(?:0|[1-9]\d?)")


def stated_password(value: str) -> bool:
    """Whether the word after "my password is" is the password itself; a word of plain letters may
    as well be any other word of the sentence.
    """
    if not bare_password(value):
        return False
    if value.isalpha():
        return len(value) >= 6 and not _STATES.fullmatch(value)
    return not (value.isdigit() and len(value) < 4) and has_sign(value)


def has_sign(value: str) -> bool:
    """Whether a value has a digit or a special character among letters, as passwords do; numbers
    and hyphenated words do not count.
    """
    if is_placeholder(value) or _is_word(value) or len(value) < 5 or _is_code(value):
        return False
    if _MAIL.fullmatch(value) or _ALGORITHM.fullmatch(value):
        return False
    if any(c.isdigit() for c in value):
        measured = _MEASURE.fullmatch(value.rstrip(".,;:!?)]}*"))
        return any(c.isalpha() for c in value) and not (measured and count_changes(value) < 4)
    if are_random_letters(value.rstrip(".,;:!?)]}*"), sure=True):
        return True
    return bool(_SIGN.search(value)) and not _HYPHENATED.fullmatch(value.rstrip(".,;:!?)]}*"))


_MAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}[.,:;!?)]{0,2}")
_HYPHENATED: Final = re.compile(
    r"[A-Za-z]?[a-z]+(?:-(?:[A-Za-z]?[a-z]+|[A-Z]{1,3}))+|[A-Z]+(?:-[A-Z]+)+"
)
_SIGN: Final = re.compile(r"[A-Za-z][!#$%&*+=?@^~-][A-Za-z]|[A-Za-z]{4}(?:[!#$%]|\*(?!$))")
_MEASURE: Final = re.compile(
    r"(?i)(?:sha|hs|rs|es|md|base|utf|oauth|pkcs|bcrypt|argon|windows|win|office|iphone|ipad|ios|macos|android|ubuntu|debian|fedora|"
    r"wpa|wlan|wifi|php|java|mysql|postgres|x|gpt|scrypt|pbkdf|python|https?|tls|ssl|ipv|http|rfc|iso|aes|rsa|page|step|"
    r"chapter|user|input|field|test|example|line|room|table|version)[-_ ]?v?\d[\w.-]*|\d+(?:[.,-]\d+)*[a-z]{0,3}|\d+[^\x00-\x7f].*|v\d{1,4}|v?\d+(?:\.\d+)+[\w.-]*"
)


def looks_like_password(value: str) -> bool:
    """Whether a word in running text looks like a password: long, with signs or a random mix of
    characters, and no address, path, date or version.
    """
    plain = value.rstrip(".,:;!?)]}*")
    if len(plain) < 8 or plain.isalpha() or is_readable(plain) or not has_sign(plain):
        return False
    sign = re.search(r"[A-Za-z0-9][!#$%*+?^~&@][A-Za-z0-9]", plain)
    return bool(sign) or (looks_random(plain) and count_changes(plain) >= 3)


def looks_like_key(value: str) -> bool:
    """Whether a word among other words looks like a randomly generated key: it is long and
    random.
    """
    plain = value.rstrip(".,:;!?)]}*")
    return not is_readable(plain) and looks_random(plain, least=12)


def is_readable(value: str) -> bool:
    """Whether a value is something that people read: an address, a path, a date, or a name with a
    year or a version. It is then no secret.
    """
    if value.count(":") > 1 or _IDENTIFIER.fullmatch(value):
        return True
    if _READABLE.fullmatch(value) is None:
        return False
    # A key in base64 may have slashes, too; the parts of a path are names.
    return len(value) < _SHORTEST_KEY or count_changes(value) * 4 < len(value) or "." in value


_SHORTEST_KEY: Final = 20
_IDENTIFIER: Final = re.compile(
    r"0x[0-9a-fA-F]{40}|[a-z][\w-]*:(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
)
"""A contract's or an account's address in a block chain, and the key of an entry in a store."""


_READABLE: Final = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[^\s]*://.*|[/~.].*/.*|(?:[a-z_]{2,}\.){2,}\w+|[\w.-]*/[\w./-]*|(?:[A-Za-z]+\d{0,4}[-_.])+[A-Za-z]*\d{0,4}(?:[-_.]\d{1,4})*|"
    r"\d{4}-\d\d-\d\d.*|\d+[.:]\d+.*"
)


def _is_word(value: str) -> bool:
    low = value.lower().strip(".:!?)(")
    return low in WORDS or low in DUMMIES


def not_dummy(value: str) -> bool:
    """Whether a value, found where only a password can stand, is a real one and not a placeholder
    or a well-known example.
    """
    return not is_placeholder(value) and value.lower() not in DUMMIES
