"""Tests that a secret in an escaped text is found as in the text that is read, and that texts of
developers with escapes stay.
"""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Callable
from itertools import product
from urllib.parse import parse_qs, quote, quote_plus, unquote, urlsplit

import pytest

from lull.core.provenance.redaction import redact_text
from lull.core.secrets.finding import PATTERNS
from lull.core.text.undisguised_text import undisguised
from tests.secret_corpus.measure import leaked
from tests.secret_corpus.shapes import fill, lines, make, read

PASSWORD = "hq7Zt9wKp2Lx"
CARD = ("4539", "1488", "0343", "6467")
IBAN = ("DE89", "3704", "0044", "0532", "0130", "00")


def redacted(text: str) -> str:
    return redact_text(text, lambda kind, secret: 1)


def each(escape: Callable[[str], str]) -> Callable[[str], str]:
    """Escape every letter that is no letter of ASCII and no digit."""
    return lambda text: "".join(
        letter if letter.isascii() and letter.isalnum() else escape(letter) for letter in text
    )


def of_json(letter: str) -> str:
    return "".join(f"\\u{ord(one):04x}" for one in letter)


ESCAPES: dict[str, Callable[[str], str]] = {
    "address": lambda text: quote(text, safe=""),
    "address in small letters": each(
        lambda letter: "".join(f"%{one:02x}" for one in letter.encode())
    ),
    "address in an address": lambda text: quote(quote(text, safe=""), safe=""),
    "HTML": each(lambda letter: f"&#{ord(letter)};"),
    "HTML in hex": each(lambda letter: f"&#x{ord(letter):X};"),
    "HTML in an address": lambda text: quote(ESCAPES["HTML"](text), safe=""),
    "bytes": each(lambda letter: "".join(f"\\x{one:02x}" for one in letter.encode())),
    "JSON": each(of_json),
    "JSON in an address": lambda text: quote(json.dumps(text), safe=""),
    "program": each(lambda letter: f"\\u{{{ord(letter):x}}}"),
    "long": each(lambda letter: f"\\U{ord(letter):08x}"),
}


@pytest.mark.parametrize("escape", ESCAPES)
def test_of_the_corpus_in_escapes_as_much_is_held_as_of_the_plain(escape: str) -> None:
    within = ESCAPES[escape]
    chance = random.Random(escape)
    kinds = read("own_kinds.txt") + [("", pattern.holds) for pattern in PATTERNS]
    lost = []
    for kind, template in kinds:
        made = make(kind, template, chance)
        if leaked(made.secret, redacted(f"see {made.text} there")):
            continue
        left = redacted(f"see {within(made.text)} there")
        if leaked(made.secret, left) or leaked(within(made.secret), left):
            lost.append((made, left))
    assert len(lost) <= 0.005 * len(kinds), lost
    for line in lines("own_clean.txt"):
        text = f"see {within(fill(line, chance))} there"
        assert redacted(text) == text


IN_QUERIES = [
    "my password is {}",
    "password: {}",
    "Das Passwort für den Router ist {}",
    "curl -u ann:{} https://x.example",
    "sshpass -p {} ssh root@h",
    "mysql -u root -p{} shop",
    "DB_USER=ann\r\nDB_PASSWORD={}\r\nX=1",
    '{{"user": "ann", "password": "{}"}}',
    "postgres://ann:{}@db.example/x",
]


@pytest.mark.parametrize(
    "place", ["GET /search?q={}&page=2 HTTP/1.1", "https://a.example/b?c=1&d={}", "body={}&x=1"]
)
def test_a_plus_is_a_blank_in_a_query(place: str) -> None:
    for said in IN_QUERIES:
        for quoted in (quote_plus, quote):
            text = place.format(quoted(said.format(PASSWORD)))
            left = redacted(text)
            assert PASSWORD not in left and "⟨secret:" in left, left
            # What stands around it is still there, and a query is still one.
            begin, end = text.split(PASSWORD)
            assert left.startswith(begin[:-25]) and left.endswith(end[-5:]), left


@pytest.mark.parametrize(
    "text",
    [
        f"mailto:b@x.example?body=Das%20Passwort%20ist%20{PASSWORD}",
        f"next=postgres%253A%252F%252Fann%253A{PASSWORD}%2540db.example",
        f"Schl%C3%BCssel%3A%20Passwort%20{PASSWORD}",
        f"<p>Password:&nbsp;{PASSWORD}</p>",
        f"Passwort:&#160;<code>{PASSWORD}</code>",
        f"password&Tab;{PASSWORD}",
        f"password=&#39;{PASSWORD}&#39;",
        f"&lt;password&gt;{PASSWORD}&amp;lt;/password&gt;",
        f'printf "password:\\x20{PASSWORD}"',
        f"b'contrase\\xc3\\xb1a: {PASSWORD}'",
        f"'contrase\\xf1a: {PASSWORD}'",
        json.dumps({"a": f"le mot de passe\u00a0: {PASSWORD}"}),
        json.dumps(json.dumps({"a": f"Le mot de passe est «\u00a0{PASSWORD}\u00a0»"})),
        json.dumps({"a": f"clé wifi\u2009: {PASSWORD}"}),
        f'{{"a": "curl\\u0020-u\\u0020ann:{PASSWORD}"}}',
    ],
)
def test_blanks_and_other_letters_in_escapes(text: str) -> None:
    before, behind = text.split(PASSWORD)
    left = redacted(text)
    assert PASSWORD not in left and left.count("⟨secret:") == 1, left
    # A user's name before the password goes with it, and a blank behind it.
    assert left.startswith(before[:-8]) and left.endswith(behind[-8:]), left


def test_what_stands_in_json_within_an_address_stays_json() -> None:
    document = json.dumps({"user": "ann", "password": PASSWORD, "host": "x"})
    left = redacted(f"https://a.example/?left={quote(document)}&right=1")
    query = parse_qs(urlsplit(left).query)
    assert json.loads(unquote(query["left"][0])) == {
        "user": "ann",
        "password": "⟨secret:password:1⟩",
        "host": "x",
    }
    assert query["right"] == ["1"]


@pytest.mark.parametrize(
    "between",
    ["%20", "+", "&nbsp;", "&#160;", "%C2%A0", "\\u00a0", "\\u2009", "\\x20", "%2D", "&#8209;"],
)
def test_numbers_with_escapes_between_their_groups(between: str) -> None:
    for name, groups in (("card", CARD), ("iban", IBAN)):
        for place in ("pay?{}={}&x=1", "{}={}"):
            left = redacted(place.format(name, between.join(groups)))
            assert f"{name}=⟨secret:{name}:1⟩" in left, left


CLEAN = r"""
?msg=Password%3A%20must%20contain%20a%20digit
?msg=Invalid%20password%3A%20too%20short
GET /search?q=how+to+set+password%3A+mysql+alter+user HTTP/1.1
https://github.com/search?q=password%3Drequired+language%3Apython&type=code
secret%3Aname%3Adb-credentials in the YAML
fields=name%2Cemail%2Cpassword%3Aboolean%2Ctoken%3Auuid
redirect_uri=https%3A%2F%2Fexample.com%2Fcallback%3Ftoken%3D%7Btoken%7D
https://example.com/docs#:~:text=set%20the%20password%3A,then%20log%20in
https://grafana.example/explore?left=%7B%22expr%22%3A%22rate(http_requests_total%7Btoken%3D%5C%22%24token%5C%22%7D)%22%7D
jql=project%20%3D%20SEC%20AND%20text%20~%20%22password%3A%20reset%22
postgres%3A%2F%2FUSER%3APASSWORD%40HOST%3A5432%2FDB
password%3A+string%2C+token%3A+string%7C+null
?q=password=how%20to%20reset%20it
$password =~ s/%([0-9A-Fa-f]{2})/chr(hex($1))/eg;
if [[ $token =~ ^gh[ps]_[A-Za-z0-9]{36}$ ]]; then
printf '\x1b[31mpassword:\x1b[0m '
<p>Password:&nbsp;<input type="password"></p>
password&#58;&nbsp;&bull;&bull;&bull;&bull;&bull;&bull;
{"title": "Don\u2019t share your password\u2014ever", "t": "Passwort\u00a0vergessen?"}
docker.io%2Flibrary%2Fnginx%40sha256%3A2f1cd90e00fe2c991e18272bb35d6a8258eeb27785d121aa4cc1ae4235167cfd
""".strip().split("\n")


@pytest.mark.parametrize("text", CLEAN)
def test_texts_of_developers_with_escapes_stay(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("password=abc%20def&user=ann", "password=⟨secret:password:1⟩&user=ann"),
        ("password=correct%20horse&user=ann", "password=⟨secret:password:1⟩&user=ann"),
        ("postgres://ann:tiger%2F72@db/x", "postgres://⟨secret:url-password:1⟩@db/x"),
        ("<password>a&lt;b&amp;c9</password>", "<password>⟨secret:password:1⟩</password>"),
        ("Das Kennwort lautet Summer%57EE.", "Das Kennwort lautet ⟨secret:password:1⟩"),
        # An escape before a value says nothing of a plus in it, nor does an escaped sign end it.
        ("a=%20&secret=wJalrXUtnFEMI+K7MDENG+bPxRfi", "a=%20&secret=⟨secret:url-key:1⟩"),
        ("?a=%20&secret=wJalrXUtnFEMI+K7MDENG+bPxRfi", "?a=%20&secret=⟨secret:url-key:1⟩"),
        ("x%0Apassword%3DkX9%26vQ2mZr7Lp", "x%0Apassword%3D⟨secret:password:1⟩"),
        ("password%3DkX9%3BvQ2mZr7Lp", "password%3D⟨secret:password:1⟩"),
        ("api_key%3DkX9%2CvQ2mZr7Lp", "api_key%3D⟨secret:secret:1⟩"),
    ],
)
def test_escapes_in_a_value_hide_none_of_it(text: str, left: str) -> None:
    assert redacted(text).rstrip(".") == left


BODY = "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
HEX = "9f86d081e4c7a2b359f86d081e4c7a2b9f86d081e4c7a2b359f86d081e4c7a2b"
TOKENS = (
    *(f"ghp_{BODY}", f"glpat-{BODY[:20]}", f"sk-ant-api03-{BODY}", f"sk-proj-{BODY}"),
    *("AKIAQ7KX2MZP4RTW9BDH", f"xoxb-401746920680-175507758165-{BODY[:24]}", f"hf_{BODY[:34]}"),
    *(f"AIzaSy{BODY[:33]}", f"sk_live_{BODY[:24]}", f"npm_{BODY}", f"dop_v1_{HEX}"),
    f"pypi-AgEIcHlwaS5vcmc{BODY}",
)
PLACES = ("x-{}", "2026-{}", "/c/x-{}/api/chat", "x_{}", "ann-{}.txt", "a.{}", "{}")


def test_a_token_that_goes_on_a_name(subtests: pytest.Subtests) -> None:
    for token, place in product(TOKENS, PLACES):
        with subtests.test(token=token, place=place):
            left = redacted(place.format(token))
            assert BODY[:12] not in left and HEX[:20] not in left and token[-16:] not in left, left


@pytest.mark.parametrize(
    "name",
    [
        "task-sk-1",
        "x-npm_config_registry",
        "a.glpat-explanation-of-2026-tokens-and-more",
        f"my-hf_{HEX[:32]}",
        "nightly.pypi-uploads-for-the-2026-release-of-all-packages-x86",
        "x-sk-ant-colony-optimisation-2026-in-python3-v2",
        "a-sk-proj-for-the-2026-workshop-on-ml4h-day1",
    ],
)
def test_a_name_that_only_begins_like_a_token_stays(name: str) -> None:
    assert redacted(name) == name


@pytest.mark.parametrize("escape", ["%3A", "&amp;", "\\u0061", "a%20"])
def test_a_text_of_escapes_costs_no_list_of_them(escape: str) -> None:
    text = escape * 20_000
    tracemalloc.start()
    undisguised(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 25 * len(text)
