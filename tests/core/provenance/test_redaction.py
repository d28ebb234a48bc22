"""Tests of redaction: secrets are found by their shape; text that talks about secrets stays."""

from __future__ import annotations

from dataclasses import fields
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.chat.messages import Message, MessagePart, PartKind, Role, ToolCall
from lull.core.provenance.redaction import redact_message, redact_name, redact_text
from tests.growing import grows_like_its_size

A = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3Ab4Cd5Ef6Gh7Ij8Kl9Mn0Op1"
HEX = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
PEM = "-----BEGIN {0}-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END {0}-----"

SECRETS = [
    ("aws-key", "AKIAIOSFODNN7EXAMPLE"),
    ("aws-key", "ASIAIOSFODNN7EXAMPLE"),
    ("github-token", f"ghp_{A[:36]}"),
    ("github-token", f"gho_{A[:36]}"),
    ("github-token", f"ghs_{A[:36]}"),
    ("github-token", f"github_pat_{A[:22]}_{A[:40]}"),
    ("gitlab-token", f"glpat-{A[:20]}"),
    ("anthropic-key", f"sk-ant-api03-{A}"),
    ("openai-key", f"sk-{A[:48]}"),
    ("openai-key", f"sk-proj-{A[:40]}"),
    ("openai-key", f"sk-{HEX[:32]}"),
    ("openai-key", f"sk-or-v1-{HEX}"),
    ("model-key", f"gsk_{A[:52]}"),
    ("model-key", f"xai-{A}"),
    ("model-key", f"pplx-{A[:48]}"),
    ("huggingface-token", f"hf_{A[:34]}"),
    ("slack-token", "xoxb-123456789012-1234567890123-AbCdEfGhIjKl"),
    ("slack-token", "xapp-1-A0123456789-1234567890123-abcdef"),
    ("google-key", f"AIza{A[:35]}"),
    ("google-key", f"GOCSPX-{A[:28]}"),
    ("stripe-key", f"sk_live_{A[:24]}"),
    ("stripe-key", f"rk_test_{A[:24]}"),
    ("npm-token", f"npm_{A[:36]}"),
    ("pypi-token", f"pypi-{A}"),
    ("sendgrid-key", f"SG.{A[:22]}.{A[:43]}"),
    ("shop-token", f"shpat_{HEX[:32]}"),
    ("service-token", f"dop_v1_{HEX}"),
    ("service-token", f"hvs.{A[:24]}"),
    ("service-token", f"dapi{HEX[:32]}"),
    ("telegram-token", f"123456789:AA{A[:33]}"),
    ("jwt", f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.{A[:43]}"),
    ("private-key", PEM.format("RSA PRIVATE KEY")),
    ("private-key", PEM.format("OPENSSH PRIVATE KEY")),
    ("private-key", PEM.format("PRIVATE KEY")),
    ("private-key", PEM.format("PGP PRIVATE KEY BLOCK")),
]

IN_CONTEXT = [
    ("password = hunter2!", "hunter2!"),
    ("use password hunter2x to log in", "hunter2x"),
    ("export GITHUB_TOKEN=abc123def456ghi789", "abc123def456ghi789"),
    ("JWT_SECRET=s3cr3tvalue99", "s3cr3tvalue99"),
    ("PGPASSWORD=hunter22 psql -h db", "hunter22"),
    ("Authorization: Token 0123456789abcdef0123456789abcdef01234567", "0123456789abcdef0123"),
    ("curl -u admin:hunter2pw https://example.org", "hunter2pw"),
    ("sshpass -p hunter22 ssh host", "hunter22"),
    ("<password>hunter22</password>", "hunter22"),
    ("pw: hunter22", "hunter22"),
    ("login alice, password s3cr3tPw!", "s3cr3tPw"),
    ("passwort Geheim123 gilt", "Geheim123"),
    ("PASSWORD: swordfish\nuser: anna", "swordfish"),
    ('{"password": "correct horse battery"}', "correct horse battery"),
    ('{\\"password\\": \\"hunter22\\"}', "hunter22"),
    ("DB_PASSWORD=s3cretpw99", "s3cretpw99"),
    ("my password is hunter2", "hunter2"),
    ("Das Passwort ist Sommer2024", "Sommer2024"),
    ("passwd='letmein99'", "letmein99"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY"),
    ("export API_KEY=abc123def456", "abc123def456"),
    ("client_secret: 9f8e7d6c5b4a", "9f8e7d6c5b4a"),
    ("'auth_token' => '0a1b2c3d4e5f'", "0a1b2c3d4e5f"),
    ("postgres://admin:pa55word@db.example.com/app", "pa55word"),
    ("mysql://root:p@ss:w0rd@localhost:3306/x", "p@ss:w0rd"),
    ("redis://:pw1234@cache:6379", "pw1234"),
    ("https://anna:geheim1@example.com/feed", "geheim1"),
    (f"Authorization: Bearer {A[:40]}", A[:40]),
    ("Authorization: Basic YWRtaW46aHVudGVyMg==", "YWRtaW46aHVudGVyMg"),
    (f"https://hooks.slack.com/services/T0ABC/B0DEF/{A[:24]}", A[:24]),
    (f"token: {HEX[:40]}", HEX[:40]),
    (f"AccountKey={A}==;EndpointSuffix=core", A),
]

INNOCENT = """
soup soup soup soup soup soup soup soup soup soup soup soup soup soup
SORT_KEY=created_at and CACHE_KEY=${USER_ID}
grep -u file:name and docker run -u 1000:1000 image
the <token> element and <token></token>
password reset for user2024
the password field input1 is empty
password sha256sum and password base64 and password v2.0.1-beta
password hashing with argon2id
Please reset my password.
The password must have at least 12 characters.
Password: minimum 8 characters
password: required
password is incorrect
My password is not working any more
def login(user: str, password: str) -> bool:
password = getpass.getpass()
password = input("Password? ")
password = os.environ["DB_PASSWORD"]
password=${DB_PASSWORD}
password: {{ vault_password }}
password: $PASSWORD
password = self.password
password = settings.database.password
api_key=os.getenv("OPENAI_API_KEY")
api_key: process.env.API_KEY
const apiKey = config.get("apiKey");
api_key = None
API_KEY=<your key>
API_KEY=your-api-key-here
"password": "********"
"api_key": "xxxxxxxxxxxx"
"password": null
if not password: return
max_tokens: 4096
tokens: 12345678
The secret key to success is patience.
He is the bearer of bad news from internationalization committees
Bearer authentication uses a token.
See https://example.com:8443/path?x=1
git@github.com:anna/lull.git
ssh://git@github.com:22/anna/lull.git
http://localhost:11434/api/chat
Write to anna@example.com or bob@example.org
The commit is 9fceb02d0ae598e95dc970b74767f19372d61af8.
id 550e8400-e29b-41d4-a716-446655440000
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
The class is sk-circle-fade-dot-animation.
from sklearn import sk_test_helpers
AKIA is the prefix of AWS keys.
ghp_ is the prefix of GitHub tokens.
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
eyJ is how every JWT begins.
The ratio is 12:34 and the time 09:41.
const keys = Object.keys(token);
risk-management-and-assessment-procedures-2024
task-1234567890-abcdefghijklmnop
My phone number is +49 170 1234567.
Das Passwort ist falsch.
keyboard: mechanical-brown
pass: the ball to him
token=abc
""".strip().splitlines()


class Numbers:
    def __init__(self) -> None:
        self.seen: dict[tuple[str, str], int] = {}

    def __call__(self, kind: str, secret: str) -> int:
        return self.seen.setdefault((kind, secret), len(self.seen) + 1)


AROUND = ["{}", "Here it is: {}.", '{{"value": "{}"}}', "x\n{}\ny"]


def test_a_secret_of_a_known_shape_is_replaced(subtests: pytest.Subtests) -> None:
    for around, (kind, secret) in product(AROUND, SECRETS):
        with subtests.test(around=around, kind=kind, secret=secret):
            safe = redact_text(around.format(secret), Numbers())
            assert secret not in safe
            assert secret[8:] not in safe
            assert f"⟨secret:{kind}:1⟩" in safe


def test_a_secret_that_only_its_place_gives_away_is_replaced(subtests: pytest.Subtests) -> None:
    for text, secret in IN_CONTEXT:
        with subtests.test(text=text, secret=secret):
            safe = redact_text(text, Numbers())
            assert secret not in safe
            assert "⟨secret:" in safe


def test_a_text_without_a_secret_is_not_touched(subtests: pytest.Subtests) -> None:
    for text in INNOCENT:
        with subtests.test(text=text):
            assert redact_text(text, Numbers()) == text


def test_redacting_twice_changes_nothing_more(subtests: pytest.Subtests) -> None:
    for text in [s for _, s in SECRETS] + [t for t, _ in IN_CONTEXT]:
        with subtests.test(text=text):
            once = redact_text(text, Numbers())
            assert redact_text(once, Numbers()) == once


def test_the_same_secret_has_the_same_placeholder_and_another_one_another() -> None:
    number = Numbers()
    first = redact_text("AKIAIOSFODNN7EXAMPLE and AKIAIOSFODNN7EXAMPLF", number)
    again = redact_text("again AKIAIOSFODNN7EXAMPLE", number)
    assert first == "⟨secret:aws-key:1⟩ and ⟨secret:aws-key:2⟩"
    assert again == "again ⟨secret:aws-key:1⟩"


@pytest.mark.parametrize("number", ["4433725285626827", "4433 7252 8562 6827"])
@pytest.mark.parametrize(
    "after", [" 12/27", " 12/27 cvv 933", " 03 28", " 933", " 2 items", ", 12"]
)
def test_a_card_is_found_with_its_date_behind_it(number: str, after: str) -> None:
    safe = redact_text(f"card {number}{after}", Numbers())
    assert safe.startswith("card ⟨secret:card:1⟩")


@pytest.mark.parametrize(
    "row", ["4433725285626827 4433725285626835", "4433 7252 8562 6827 1204 9981"]
)
def test_rows_of_numbers_are_no_cards(row: str) -> None:
    assert redact_text(row, Numbers()).startswith(row[:12])


def test_what_stands_around_a_secret_stays_readable() -> None:
    safe = redact_text('db.connect(password="s3cret pw", port=5432)', Numbers())
    assert safe == 'db.connect(password="⟨secret:password:1⟩", port=5432)'


def test_every_part_and_tool_call_of_a_message_is_redacted() -> None:
    key = "AKIAIOSFODNN7EXAMPLE"
    message = Message(
        role=Role.ASSISTANT,
        parts=tuple(MessagePart(kind=kind, text=f"a {key} b") for kind in PartKind),
        tool_calls=(ToolCall(name=key, arguments=f'{{"key": "{key}"}}', id=key),),
        tool_call_id=key,
    )
    assert {field.name for field in fields(Message)} == {
        *("role", "parts", "tool_calls", "tool_call_id")
    }, "is the new field redacted, too?"
    safe = redact_message(message, Numbers())
    assert key not in repr(safe)
    assert [part.kind for part in safe.parts] == list(PartKind)


@given(st.text(max_size=300))
def test_no_text_makes_it_fail(text: str) -> None:
    redact_text(f"password=hunter2hunter2 {text}", Numbers())


@pytest.mark.parametrize(
    "piece", ["-----BEGIN A PRIVATE KEY-----", "eyJ" + "a" * 9 + ".", "://a:", "password=", "sk-a-"]
)
def test_a_long_hostile_text_takes_no_longer_than_its_length(piece: str) -> None:
    def redact(size: int) -> None:
        redact_text(piece * (size // len(piece)), Numbers())

    assert grows_like_its_size(redact, small=12_500)


@pytest.mark.parametrize("cut", [1, 6, 20, 39])
def test_a_secret_divided_over_two_text_parts_is_found(cut: int) -> None:
    said = f"ghp_{A[:36]}"
    parts = (
        MessagePart(kind=PartKind.TEXT, text=f"Mine is {said[:cut]}"),
        MessagePart(kind=PartKind.IMAGE, text="aW1hZ2U="),
        MessagePart(kind=PartKind.TEXT, text=f"{said[cut:]} works"),
        MessagePart(kind=PartKind.TEXT, text=" well."),
    )
    safe = redact_message(Message(role=Role.USER, parts=parts), lambda kind, secret: 1)
    assert safe.text == "Mine is ⟨secret:github-token:1⟩ works well."
    assert [part.kind for part in safe.parts] == [part.kind for part in parts]


@pytest.mark.parametrize(
    ("texts", "safe"),
    [
        (
            ("see {first}", "{rest} and AKIAQ2W3E4R5T6Y7U2I3", "Write 2 more"),
            ("see ⟨secret:github-token:1⟩", " and ⟨secret:aws-key:1⟩", "Write 2 more"),
        ),
        (
            ("see {first}", "{rest} card 4556737586899855", "9 eggs"),
            ("see ⟨secret:github-token:1⟩", " card ⟨secret:card:1⟩", "9 eggs"),
        ),
        (
            ("see {first}", "{middle}", "{end} and {key}"),
            ("see ⟨secret:github-token:1⟩", "", " and ⟨secret:github-token:1⟩"),
        ),
        (
            ("My password is hunter22x", "Write a menu"),
            ("My password is ⟨secret:password:1⟩", "Write a menu"),
        ),
        (
            ("DB_PASSWORD=Xk29fjQpl20", "Explain the file"),
            ("DB_PASSWORD=⟨secret:password:1⟩", "Explain the file"),
        ),
    ],
)
def test_the_other_texts_stay_as_they_are_and_are_looked_through(
    texts: tuple[str, ...], safe: tuple[str, ...]
) -> None:
    key = f"ghp_{A[:36]}"
    pieces = {"first": key[:6], "rest": key[6:], "middle": key[6:20], "end": key[20:], "key": key}
    parts = tuple(MessagePart(kind=PartKind.TEXT, text=text.format(**pieces)) for text in texts)
    found = redact_message(Message(role=Role.USER, parts=parts), lambda kind, secret: 1)
    assert tuple(part.text for part in found.parts) == safe


def test_texts_without_a_divided_secret_stay_apart() -> None:
    said = f"ghp_{A[:36]}"
    texts = ("One.", f" {said} ", "two.")
    parts = tuple(MessagePart(kind=PartKind.TEXT, text=text) for text in texts)
    safe = redact_message(Message(role=Role.USER, parts=parts), lambda kind, secret: 1)
    assert [part.text for part in safe.parts] == ["One.", " ⟨secret:github-token:1⟩ ", "two."]


def test_a_name_is_redacted_whether_or_not_it_was_seen_before() -> None:
    for _ in range(2):
        for secret in ("llama3.2:3b", f"ghp_{A[:36]}", f"my-{'x' * 300} ghp_{A[:36]}", ""):
            assert redact_name(secret, Numbers()) == redact_text(secret, Numbers())
