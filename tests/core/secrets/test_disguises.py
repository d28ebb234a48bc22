"""Tests that secrets are found where escapes, unseen characters or YAML hide them from a search."""

from __future__ import annotations

import json
import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.provenance.redaction import redact_text
from lull.core.secrets.finding import secrets_in
from lull.core.text.undisguised_text import undisguised

PASSWORD = "hq7Zt9wKp2Lx"
TOKEN = "ghp_Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u200e\u2063\ufe0f\U000e0041"
NAMES = ("password", "api_key", "client_secret", "Passwort", "mot_de_passe")


def escaped(text: str, *, every: int = 1, backslashes: int = 1) -> str:
    """Write every n-th letter as JSON may write it."""
    return "".join(
        "\\" * backslashes + f"u{ord(letter):04x}" if at % every == every - 1 else letter
        for at, letter in enumerate(text)
    )


def redacted(text: str) -> str:
    return redact_text(text, lambda kind, secret: 1)


def test_a_name_in_escapes(subtests: pytest.Subtests) -> None:
    for name, backslashes, every in product(NAMES, (1, 2, 3, 7, 31), (1, 2, 3)):
        with subtests.test(name=name, backslashes=backslashes, every=every):
            quote = "\\" * (backslashes - 1) + '"'
            hidden = escaped(name, every=every, backslashes=backslashes)
            text = f'{{"a": 1, {quote}{hidden}{quote}: {quote}{PASSWORD}{quote}}}'
            left = redacted(text)
            assert PASSWORD not in left and hidden in left and left.startswith('{"a": 1, '), left


@pytest.mark.parametrize("every", [1, 2, 5])
def test_a_value_in_escapes(every: int) -> None:
    for secret in (PASSWORD, TOKEN):
        left = redacted(
            json.dumps({"password": secret}).replace(secret, escaped(secret, every=every))
        )
        assert left.startswith('{"password": "⟨secret:') and left.endswith('⟩"}'), left
    assert "⟨secret:github-token:1⟩ is mine" in redacted(f"{escaped(TOKEN, every=every)} is mine")


@pytest.mark.parametrize("unseen", [*UNSEEN, UNSEEN])
def test_characters_that_nobody_sees(unseen: str) -> None:
    for at in (2, 12, len(TOKEN) - 1):
        left = redacted(f"Take {TOKEN[:at]}{unseen}{TOKEN[at:]}, please.")
        assert left == "Take ⟨secret:github-token:1⟩, please.", left
    assert redacted(f"pass{unseen}word: {PASSWORD}") == f"pass{unseen}word: ⟨secret:password:1⟩"
    left = redacted(json.dumps(f"My token: {TOKEN[:9]}{unseen}{TOKEN[9:]}"))
    assert left in [f'"My token: ⟨secret:{kind}:1⟩"' for kind in ("github-token", "password")]


@pytest.mark.parametrize("head", [">", "|", ">-", "|-", "|+", "|2", ">  # of the database"])
def test_a_value_below_its_name_in_yaml(head: str) -> None:
    text = f"db:\n  password: {head}\n    {PASSWORD}\n  user: bob\n"
    hidden = text.replace(PASSWORD, "⟨secret:password:1⟩")
    assert redacted(text) == hidden
    assert redacted(json.dumps(text)) == json.dumps(hidden, ensure_ascii=False)
    assert redacted(text.replace("\n", "\r\n")) == hidden.replace("\n", "\r\n")


@pytest.mark.parametrize("level", range(1, 9))
def test_json_in_json(level: int) -> None:
    text = json.dumps({"password": PASSWORD, "env": f"A=1\nexport DB_PASSWORD={TOKEN[4:]}\n"})
    for _ in range(level - 1):
        text = json.dumps({"a": text, "b": 1})
    left = redacted(text)
    assert PASSWORD not in left and TOKEN[4:] not in left, left
    for _ in range(level):  # it is still JSON
        document = json.loads(left)
        left = document.get("a", "")
    assert document["env"].startswith("A=1\nexport DB_PASSWORD=⟨secret:")


ESCAPES = {
    "of an address": lambda letter: f"%{ord(letter):02X}",
    "of a byte": lambda letter: f"\\x{ord(letter):02x}",
    "of HTML": lambda letter: f"&#{ord(letter)};",
    "of HTML in hex": lambda letter: f"&#x{ord(letter):x};",
}


def test_other_escapes() -> None:
    for said, escape in ESCAPES.items():
        for name in NAMES:
            hidden = name[:2] + escape(name[2]) + name[3:]
            for text in (f"{hidden}={PASSWORD}", f"{name}{escape('=')}{PASSWORD}"):
                assert PASSWORD not in redacted(text), (said, text)
        url = f"postgres://ann:{PASSWORD}@db.example.com/x".replace(":", escape(":"))
        url = url.replace("/", escape("/")).replace("@", escape("@"))
        left = redacted(f"go to {url} now")
        assert PASSWORD not in left and left.endswith(" now"), (said, left)
        assert TOKEN[9:] not in redacted(f"{TOKEN[:7]}{escape(TOKEN[7])}{TOKEN[8:]}"), said


CLEAN = [
    "50%25 of https%3A%2F%2Fexample.com%2Fa%3Fb%3D1%26c%3D2 and a &lt;b&gt; &amp; &quot;c&quot;",
    "re.compile('\\x61\\x7e') # &#169; 100% &nbsp; %41",
    "token: >-\n  ${{ secrets.GITHUB_TOKEN }}\n",
    "password: |\n  Enter the password of your account here.\n",
    "description: >\n  Reads the password from a file.\n",
    'password: >-\n  {{ lookup("env", "DB_PASSWORD") }}\n',
    '{"a": "Tom \\u0026 Jerry \\u003cb\\u003e", "pass\\u0077ord": null, "k\\u0065y": "name"}',
    "The key\u200bboard and the pass\u00adword field; soft\u00adware",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 family, 1\ufe0f\u20e3 first",
    "C:\\\\\\\\\\\\Users\\\\\\\\\\\\names\\\\\\\\\\\\token.txt",
    "if a: | b\n  x: >\n    y",
]


def test_what_hides_no_secret_stays() -> None:
    for text in CLEAN:
        assert secrets_in(text) == [], text


PIECES = [
    "a",
    "\\",
    "\\\\\\\\\\",
    "\\u0077",
    "\\u00f6",
    "\\x77",
    "%3A",
    "%2520",
    "%C3%BC",
    "%",
    "&#61;",
    "&amp;nbsp;",
    "?q=a+",
    "&lt;",
    "\u200b",
    ": >-\n  ",
    "ö",
    '"',
    "b" * 400,
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_positions_lead_back(text: str) -> None:
    shown = undisguised(text)
    if shown is None:
        return
    places = [shown.place(at) for at in range(len(shown.text) + 1)]
    assert places == sorted(places) and places[0] >= 0 and places[-1] <= len(text)
    for at, letter in enumerate(shown.text):
        if letter in "abö" and places[at] + 1 == places[at + 1]:
            assert text[places[at]] == letter


def test_ordinary_texts_are_not_rewritten() -> None:
    numbers = random.Random(3)
    for _ in range(200):
        text = "".join(numbers.choices('ab {}":,\n\\ü日', k=300)).replace("\\" * 5, "")
        assert "\\u" in text or undisguised(text) is None, text
