"""Tests of secret patterns: each finds its own example and spares its near miss.

In the corpus nearly all secrets are found and hardly any clean text is touched. A fixed seed draws
the corpus here; `python -m tests.secret_corpus` draws another one each time.
"""

from __future__ import annotations

import json
import random
import re
from functools import partial
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as sre  # type: ignore[attr-defined]
from string import ascii_letters, digits

import pytest

from lull.core.errors import SkillError
from lull.core.provenance.redaction import redact_text
from lull.core.secrets.finding import PATTERNS, secrets_in
from lull.core.secrets.numbers import is_card, is_iban
from lull.core.skills.skill import SkillText
from lull.core.skills.skill_secrets import check_no_secrets
from tests.growing import grows_like_its_size
from tests.secret_corpus.measure import measure

ONE_CHARACTER = {constants.IN, constants.LITERAL, constants.NOT_LITERAL, constants.ANY}


def alike(kind: str, secret: str) -> int:
    return 1


@pytest.mark.slow
def test_a_pattern_holds_its_example_and_spares_its_near_miss(subtests: pytest.Subtests) -> None:
    for pattern in PATTERNS:
        with subtests.test(f"{pattern.kind} {pattern.hints[:1]}", holds=pattern.holds):
            before, _, rest = pattern.holds.partition("«")
            secret, _, behind = rest.rpartition("»")
            for wrap in (str, json.dumps, lambda text: json.dumps(json.dumps({"a": text}))):
                safe = redact_text(wrap(before + secret + behind), alike)
                assert secret not in safe
                assert "⟨secret:" in safe
            assert redact_text(pattern.spares, alike) == pattern.spares


def test_every_hint_is_in_small_letters_and_a_pattern_that_needs_one_has_one() -> None:
    for pattern in PATTERNS:
        assert all(hint == hint.lower() and hint for hint in pattern.hints)
        needs_none = pattern.where.name in ("RUN", "TEXT", "NUMBER") or pattern.find is not None
        assert pattern.hints or (pattern.names if pattern.where.name == "NAME" else needs_none)


@pytest.mark.slow
def test_of_the_corpus_nearly_all_is_held_and_next_to_nothing_clean_is_touched() -> None:
    found = measure("own", seed=1, places=3, clean_places=3)
    assert found.held / found.tried >= 0.98, found.leaks
    assert len(found.touched) / found.clean <= 0.005, found.touched


@pytest.mark.full
def test_in_no_place_a_clean_text_of_the_corpus_is_touched() -> None:
    found = measure("own", seed=2, places=1)
    assert len(found.touched) / found.clean <= 0.005, found.touched


@pytest.mark.full
def test_of_the_exam_nearly_all_is_held() -> None:
    found = measure("exam", seed=3)
    assert found.kinds >= 150 and found.tried >= 20 * found.kinds
    assert found.held / found.tried >= 0.98, found.leaks
    assert len(found.touched) / found.clean <= 0.005, found.touched


@pytest.mark.slow
def test_the_public_parts_of_a_web_key_are_spared() -> None:
    chance = random.Random(4)
    drawn = ["".join(chance.choices(f"{ascii_letters}{digits}-_", k=43)) for _ in range(1_000)]
    for one in drawn:
        for wrap in (str, json.dumps):
            assert not secrets_in(wrap(f'{{"kty":"EC","crv":"P-256","x":"{one}","y":"{one}"}}'))


def test_a_base64_text_is_no_token_of_an_issuer_whose_name_would_be_drawn() -> None:
    assert not secrets_in("thumbprint InWqPiNvrH_PKeiddpgqT3HcD2qUzQTbuumIvs532pQ")
    assert secrets_in("thumbprint Acme_PKeiddpgqT3HcD2qUzQTbuumIvs532pQ")


@pytest.mark.parametrize(
    "line",
    [
        'tokenizer = AutoTokenizer.from_pretrained("HuggingFaceTB/SmolLM2-135M-Instruct")',
        "golang.org/x/crypto v0.31.0 h1:ihbySMvVjLAeSH1IbfcRTkD/iNscyz8rGzjF/E5hV6U=",
        "golang.org/x/crypto v0.31.0/go.mod h1:kDsLvtWBEx7MV9tJOj9bnXsPbxwJQ6csT/x4KIN4Ssk=",
        '"h1:ihbySMvVjLAeSH1IbfcRTkD/iNscyz8rGzjF/E5hV6U=",',
    ],
)
def test_models_tokenizers_and_checksums_of_modules_are_no_secrets(line: str) -> None:
    assert redact_text(line, alike) == line


def test_a_number_is_a_card_or_an_iban_only_with_its_check_digits() -> None:
    assert is_card("4539148803436467")
    assert not is_card("4539148803436466")
    assert not is_card("1111111111111117")
    assert is_iban("GB82 WEST 1234 5698 7654 32")
    assert not is_iban("GB82 WEST 1234 5698 7654 33")
    assert not is_iban("XX82 WEST 1234 5698 7654 32")


FEW = ["password=", "密码是", "key", "a"]
MORE = [
    "-",
    "4 ",
    "A1",
    "token ",
    "secret secret ",
    "://",
    "u:p@",
    "$6$",
    "abandon ",
    "curl -u ",
    '\\"',
    "\\n",
    "mi contraseña ",
    "DE12 ",
    "0x",
    "İ",
    "AKIA",
    "eyJa.",
    "net user a ",
    "[1,",
    "my passphrase is ab ",
    "acme_",
    "a.bcdefghijklmnopqr.",
    "log in as a and ",
    "x1 is my password",
    "x-a-",
    "\\",
    "key|",
    "password,x\n",
    "password - ",
    "kind: Secret\ndata:\n",
    '{"kty":',
    '"d":"aaaaaaaaaaaaaaaaaaaa",',
    "<tr><th>password</th>",
    "insert into a(password) values (1),",
    "recovery codes: a1b2c3 ",
    "seed phrase one two three ",
    "пароль к ",
    "lösenord är ",
    "\\u00f6 password ",
    "$ANSIBLE_VAULT;1.1;AES256\n",
    'login("a",',
    "https://a/reset/aaaaaaaaaaaaaaaaa",
    "use a1b2c3 for the password ",
    "123-",
    "legal1 winner1 ",
]


def search(size: int, piece: str) -> None:
    secrets_in(piece * (size // len(piece)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "pieces", [FEW, pytest.param(MORE, marks=pytest.mark.full)], ids=["few", "more"]
)
def test_twice_the_text_takes_about_twice_the_time(
    pieces: list[str], subtests: pytest.Subtests
) -> None:
    for piece in pieces:
        with subtests.test(piece=piece):
            assert grows_like_its_size(partial(search, piece=piece), small=5_000)


def test_a_skill_with_a_secret_is_refused_by_line_and_kind_and_not_by_its_words() -> None:
    token = "ghp_" + "Ab1Cd2Ef3" * 4
    text = SkillText(name="push", description="When pushing.", body=f"Push.\nUse {token}.")
    with pytest.raises(SkillError, match=r"Line 2 of the body .*github token") as raised:
        check_no_secrets(text)
    assert token not in str(raised.value.as_dict())


def possessive_groups(parts: object) -> list[object]:
    """The parts of a parsed regular expression that `++`, `*+` or `{m,n}+` repeats and that are
    more than one character of a set.
    """
    found: list[object] = []
    if isinstance(parts, (list, tuple, sre.SubPattern)):
        match list(parts):
            case [constants.POSSESSIVE_REPEAT, (_, _, again)] if (
                len(again) != 1 or again[0][0] not in ONE_CHARACTER
            ):
                found.append(again)
        for part in parts:
            found += possessive_groups(part)
    return found


def test_no_pattern_needs_possessive_groups_which_python_before_3_11_5_matches_wrongly() -> None:
    # https://github.com/python/cpython/issues/106052; Debian 12 has 3.11.2.
    assert possessive_groups(sre.parse(r"(?:a|&(?!b))++"))
    for pattern in PATTERNS:
        regex = pattern.regex
        assert possessive_groups(sre.parse(regex.pattern, regex.flags)) == [], regex.pattern


@pytest.mark.parametrize(
    "text",
    [
        "cache key: npm-3f5a9c0d2b7e41f8a6c35d9e0b1f7a2c4d6e8f90",
        "Idempotency-Key: 8e03978e-40d5-43e8-bc93-6894a57f9324",
        '"idempotency_key": "KG5LxwFBepaKHyUD"',
        "System.Data, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
        "pin: GPIO17",
        "PIN = PB12",
    ],
)
def test_what_its_name_says_is_public_is_no_secret(text: str) -> None:
    assert secrets_in(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "pin: t1gerX",
        "api key: KG5LxwFBepaKHyUD",
        "not the cache, key: KG5LxwFBepaKHyUDq7KxR2mZ",
        "Primary key: 3f9a1c7b5e2d4f8a9b0c1d2e3f4a5b6c",
        "cache key: acme_live_8Kq2mZp4TwB9dHc8",
        "cache key: acme_q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE",
        "idempotency key: sha256~q7KxR2mZp4TwB9dHc8LnV5sYf3GjQ6tE",
        "encryption cache key: KG5LxwFBepaKHyUDq7KxR2mZ",
    ],
)
def test_a_name_that_only_ends_alike_still_tells_a_secret(text: str) -> None:
    assert secrets_in(text)


AMPERSANDS = {
    "DB_PASSWORD=«aB3x&Yq7»": "a password",
    "password: «xK&3f&g9T»": "more than one",
    "GET /login?password=«hunter22»&user=bob": "the next pair of a query",
    "curl -d 'user=bob&password=«mx3V&xGe2x-Y4»' https://e.example": "the last pair of one",
    "PASSWORD=«hunter22»&& make": "the next command",
    "PASSWORD=«hunter22»& sleep 1": "the end of a command",
    "signing.password=«KaQW&GjNnS_Ef»": "letters around it",
    "PASSWORD=«GEhS2v3y7?»": "no ampersand, but a question mark",
    "process.env.SESSION_SECRET || '«7OTACPm3iwha3sfsGAeUkwHJCM8v855f»'": "no ampersand",
}


@pytest.mark.parametrize("marked", AMPERSANDS, ids=AMPERSANDS.get)
def test_an_ampersand_belongs_to_a_value_unless_it_ends_it(marked: str) -> None:
    before, secret, after = re.split("[«»]", marked)
    text = f"{before}{secret}{after}"
    assert [text[one.begin : one.end] for one in secrets_in(text)] == [secret]
