"""Templates for kinds of secrets: `ghp_{n36}` is `ghp_` followed by 36 letters and digits.

A letter names the alphabet and the number the length; a word names a kind with a rule of its own
(check digits, a signed token, a key in its frame). What is made is new with every seed and belongs
to nobody.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lull.core.secrets.seed_words import SEED_WORDS

HERE: Final = Path(__file__).parent
_LETTERS: Final = string.ascii_letters
_ALPHABETS: Final = {
    "n": _LETTERS + string.digits,
    "u": _LETTERS + string.digits + "_-",
    "b": _LETTERS + string.digits + "+/",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "l": string.ascii_lowercase + string.digits,
    "z": _LETTERS + string.digits + "_~",
    "A": string.ascii_uppercase + string.digits,
    "B": string.ascii_uppercase + "234567",
    "T": string.ascii_uppercase + "234567",
    "W": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "d": string.digits,
}
_SLOT: Final = re.compile(r"\{([A-Za-z]+)(\d*)([^{}]{0,40}?)\}")
_TEXT: Final = "garden winter silver monkey purple rocket dragon coffee summer puzzle"
_WORDS: Final = tuple(_TEXT.split())


@dataclass(frozen=True, slots=True)
class Made:
    """A made-up secret, and the text that it stands in."""

    kind: str
    text: str
    secret: str


def read(file: str) -> list[tuple[str, str]]:
    """Return (name, template) of every kind in a list."""
    lines = (HERE / file).read_text("utf-8").splitlines()
    rows = [line.partition(" | ") for line in lines if line and not line.startswith("#")]
    return [(name, template.replace("\\n", "\n")) for name, _, template in rows]


def lines(file: str) -> list[str]:
    found = (HERE / file).read_text("utf-8").splitlines()
    return [line.replace("\\n", "\n") for line in found if line and not line.startswith("# The ")]


def make(kind: str, template: str, chance: random.Random) -> Made:
    whole = fill(template, chance)
    begin, end = whole.find("«"), whole.rfind("»")
    if begin < 0:
        return Made(kind, whole, whole)
    return Made(kind, whole.replace("«", "").replace("»", ""), whole[begin + 1 : end])


def fill(template: str, chance: random.Random) -> str:
    def made(slot: re.Match[str]) -> str:
        name, length, more = slot.groups()
        if name in _ALPHABETS and length and not more:
            return _run(_ALPHABETS[name], int(length), chance)
        special = _special(name + length + more, chance)
        return slot.group() if special is None else special

    return _SLOT.sub(made, template)


def _run(alphabet: str, length: int, chance: random.Random) -> str:
    """Return random characters with a digit and, where possible, letters, like real secrets."""
    while True:
        run = "".join(chance.choices(alphabet, k=length))
        mixed = any(c.isdigit() for c in run) and (alphabet.isdigit() or not run.isdigit())
        if (mixed or length < 8) and run[0] not in "-_/+~" and run[-1] not in "-_/+~":
            return run


def _special(name: str, chance: random.Random) -> str | None:
    match name:
        case "uuid":
            return str(uuid.UUID(int=chance.getrandbits(128), version=4))
        case "pw" | "pw2":
            signs = "!#$%*+=?" if name == "pw" else "!_.-+"
            parts = [chance.choice(_WORDS).title(), str(chance.randrange(10, 9999))]
            return chance.choice(signs).join(parts) + chance.choice(_LETTERS) * 2
        case "word":
            return "".join(chance.choices(string.ascii_lowercase, k=9))
        case "words4":
            return " ".join(chance.sample(_WORDS, 4))
        case "us":
            return str(chance.randrange(1, 22))
        case "seed12" | "seed24":
            return " ".join(chance.sample(SEED_WORDS, int(name[4:])))
        case "jwt":
            head = _b64({"alg": "HS256", "typ": "JWT"})
            body = _b64({"sub": str(chance.randrange(10**9)), "iat": 1516239022})
            return f"{head}.{body}.{_run(_ALPHABETS['u'], 43, chance)}"
        case "visa" | "visa-" | "mc4" | "amex":
            return _card(name, chance)
        case "ibande" | "ibande4" | "ibangb":
            return _iban(name, chance)
        case "ssn":
            area, group = chance.randrange(100, 665), chance.randrange(10, 99)
            return f"{area}-{group}-{chance.randrange(1000, 9999)}"
        case "b64":
            return "\n".join(_run(_ALPHABETS["b"], 64, chance) for _ in range(3))
        case _ if name.startswith(("pem:", "pem4:")):
            dashes = "---- " if name.startswith("pem4") else "-----"
            title = name.partition(":")[2]
            frame = f"{dashes}BEGIN {title}{dashes[::-1]}", f"{dashes}END {title}{dashes[::-1]}"
            body = "\n".join(_run(_ALPHABETS["b"], 64, chance) for _ in range(4))
            return f"{frame[0]}\n{body}\n{frame[1]}"
    return None


def _b64(value: object) -> str:
    plain = json.dumps(value, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(plain).decode().rstrip("=")


def _card(name: str, chance: random.Random) -> str:
    first, length = {"visa": ("4", 16), "visa-": ("4", 16), "mc4": ("53", 16), "amex": ("37", 15)}[
        name
    ]
    plain = first + "".join(chance.choices(string.digits, k=length - len(first) - 1))
    total = 0
    for place, digit in enumerate(reversed(plain)):
        value = int(digit) * (2 - place % 2)
        total += value - 9 if value > 9 else value
    plain += str(-total % 10)
    sign = {"visa-": "-", "mc4": " "}.get(name, "")
    return sign.join(plain[at : at + 4] for at in range(0, 16, 4)) if sign else plain


def _iban(name: str, chance: random.Random) -> str:
    country = name[4:6].upper()
    account = "".join(chance.choices(string.digits, k=18 if country == "DE" else 14))
    if country == "GB":
        account = f"NWBK{account}"
    as_number = "".join(str(int(c, 36)) for c in f"{account}{country}00")
    plain = f"{country}{98 - int(as_number) % 97:02d}{account}"
    return (
        " ".join(plain[at : at + 4] for at in range(0, len(plain), 4))
        if name.endswith("4")
        else plain
    )


def place(around: str, text: str) -> str:
    """Put the text into its place: `@` plain, `@j` inside a JSON string, `@jj` inside two."""
    once = json.dumps(text, ensure_ascii=False)[1:-1]
    twice = json.dumps(once, ensure_ascii=False)[1:-1]
    for mark, inside in (("@jj", twice), ("@j", once), ("@", text)):
        if mark in around:
            return around.replace(mark, inside)
    return around
