"""Patterns of codes that a user is shown once, such as lists of recovery codes, secret keys of
authenticator apps, seed phrases of wallets, and PINs, recognised by their names in many languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.named.names import PASSWORDS, PASSWORDS_ELSEWHERE
from lull.core.secrets.values.letters import are_random_letters
from lull.core.secrets.values.pattern import LINE_END, QUOTE, Pattern, PatternPlace, SecretNames
from lull.core.secrets.values.plain_words import GRAMMAR, IN_SENTENCES
from lull.core.secrets.values.relations import all_of, before_names, behind_names, in_answers

_LOWER: Final = r"[a-z\u00df-\u024f\u1ea0-\u1eff]"

RECOVERY: Final = SecretNames(
    stems=(
        "recovery code", "recovery_code", "recoverycode", "recovery-code", "recovery key", "recovery_key", "recoverykey",
        "backup code", "backup_code", "backupcode", "backup-code", "backup key", "security key", "security_key", "scratch code",
        "emergency code", "rescue code", "one-time code", "2fa code", "mfa code",
        "wiederherstellungscode", "wiederherstellungsschlüssel", "notfallcode", "backup-code", "sicherungscode",
        "codes de secours", "clé de secours", "código de respaldo", "code de secours", "code de récupération", "codes de récupération", "clé de récupération",
        "códigos de recuperación", "código de recuperación", "códigos de respaldo", "códigos de backup", "códigos de recuperação",
        "código de recuperação", "codici di backup", "codici di recupero", "codice di recupero", "herstelcode", "back-upcode", "återställningskod", "reservkod",
        "gendannelseskode", "gjenopprettingskode", "kody zapasowe", "kody odzyskiwania", "záložní kódy", "kurtarma kod", "yedek kod",
        "резервные коды", "резервный код", "код восстановления", "коды восстановления", "резервні коди", "复原码", "恢复码", "備用碼", "备用码", "恢复代码", "バックアップコード",
        "リカバリーコード", "回復キー", "복구 코드", "백업 코드",
    ),
    rest=rf"{_LOWER}{{0,6}}{QUOTE}?(?:\*{{1,2}})?",
)  # fmt: skip
OTP_SEEDS: Final = SecretNames(
    stems=(
        "2fa", "totp", "otp", "mfa", "authenticator", "two-factor", "two factor",
        "two_factor",
        "twofactor", "zwei-faktor", "setup key", "setup_key", "setup code", "einrichtungsschlüssel",
        "secret key", "manually", "manual entry", "manuell", "manuellement", "base32", "двухфакторн", "双重验证", "二段階認証", "2단계",
    ),
    rest=rf"{_LOWER}{{0,8}}{QUOTE}?",
)  # fmt: skip
PHRASES: Final = SecretNames(
    stems=(
        "seed phrase", "seedphrase", "seed_phrase", "seed words", "seed", "mnemonic", "recovery phrase", "recovery_phrase", "recovery words", "backup phrase",
        "wallet words", "wallet phrase", "backup words", "wallet-wörter", "backup-wörter", "secret phrase", "secret recovery phrase", "wiederherstellungsphrase", "wiederherstellungswörter",
        "merkwörter", "phrase de récupération", "frase semilla", "frase de recuperación", "frase seed", "frase di recupero", "herstelzin",
        "zin van 24 woorden", "återställningsfras", "сид-фраз", "сид фраз", "мнемоническ", "助记词", "助記詞", "ニーモニック", "シードフレーズ", "시드 구문", "니모닉",
    ),
    rest=rf"{_LOWER}{{0,6}}{QUOTE}?",
)  # fmt: skip
PINS: Final = SecretNames(
    stems=(
        "pinkod", "pin-kod", "pin kod", "pinkód", "pin-kód", "pincode", "pin-code", "pin code", "code pin", "código pin", "codice pin", "geheimzahl", "sifreli",
        "portkod", "larmkod", "dörrkod", "deurcode", "alarmcode", "dørkode", "ovikoodi", "kod do drzwi", "kod do alarmu", "kapı kodu", "kapu kód",
        "пин", "пін", "пинкод", "пин-код", "код от", "код подтверждения", "код доступа", "код домофона", "код підтвердження", "暗証番号", "验证码", "驗證碼", "認証コード", "確認コード",
        "인증번호", "인증 번호", "핀번호", "핀 번호", "비밀번호", "رمز التحقق", "الرقم السري", "קוד אימות", "קוד סודי", "κωδικός pin", "รหัส", "पिन", "ओटीपी", "mã pin", "mã xác nhận",
        "kode pin", "kode otp", "safe's combination", "safe combination", "lock combination", "combination",
    ),
    begins=("koden", "kod ", "код "),
    rest=r"(?:[^\x00-\x7f]{0,8}|[a-zß-ɏ]{0,8})",
)  # fmt: skip


_INTRODUCED: Final = rf"{QUOTE}?(?:[ ]?\(\d{{1,2}}\))?(?:\s{{0,3}}[:：=]|\s(?:is|are|ist|sind|est|sont|es|son|lautet|lauten)\b|(?=\s?{LINE_END})|(?=[ ][A-Za-z0-9-]{{0,40}}\d)|は|是|为)"
_TOKEN: Final = re.compile(
    r"\\{1,4}[nrt]|([A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)([.):](?=\s|\\|$))?|[^\sA-Za-z0-9]"
)
_MOST_SIGNS: Final = 6
"""Most signs in a row between two codes of a list."""


def _codes(row: str) -> Iterator[tuple[int, int]]:
    """The codes of a list, up to the first word that is none."""
    signs = 0
    for word in _TOKEN.finditer(row):
        token = word[1]
        if token is None:
            signs += 1
            if signs > _MOST_SIGNS or word.group() in "{}<":
                return
            continue
        signs = 0
        if len(token) <= 2 and token.isdigit():
            continue
        if not _is_code(token):
            return
        yield word.span(1)


def _is_code(token: str) -> bool:
    if not 4 <= len(token) <= _LONGEST_CODE or re.fullmatch(r"(?:19|20)\d\d", token):
        return False
    digits = sum(c.isdigit() for c in token)
    if "-" in token:
        parts = token.split("-")
        return (
            len({len(part) for part in parts}) == 1
            and (digits > 0 or token.isupper() or are_random_letters(token.replace("-", "")))
        ) or digits >= 2
    return digits == len(token) or (digits >= 1 and len(token) >= 5) or are_random_letters(token)


_LONGEST_CODE: Final = 70


def _phrase(row: str) -> Iterator[tuple[int, int]]:
    words = list(re.finditer(r"(?:[^\W\d_]|[\u0300-\u036f])+", row))
    different = {word.group().lower() for word in words}
    said = sum(word in GRAMMAR or word in IN_SENTENCES for word in different)
    if (
        len(words) >= _FEWEST_WORDS
        and len(different) >= _FEWEST_WORDS * 3 // 4
        and said * _MOST_OF_SENTENCES <= len(different)
    ):
        yield words[0].start(), words[-1].end()


_MOST_OF_SENTENCES: Final = 4
"""One word of so many may be one of sentences, as a wallet's "that" and "any" are."""


def _is_phrase(row: str) -> bool:
    return any(True for _ in _phrase(row))


_FEWEST_WORDS: Final = 12
_WORD: Final = r"[a-zß-ž\u0300-\u036f]{3,14}"
_NEXT_WORD: Final = (
    rf"(?:(?:[ ,;\t\r\n|>#+/*-]|\\{{1,4}}[ntr]|{QUOTE}|\d{{1,2}}(?!\d)[.):]?){{1,14}}{_WORD})"
)


_PHRASE: Final = rf"{_WORD}{_NEXT_WORD}{{11,32}}"


_GROUPS: Final = r"(?:[A-Z]{2}-)?[A-Za-z0-9]{4,6}(?:[ -][A-Za-z0-9]{4,6}){1,14}(?![A-Za-z0-9-])"


def _is_grouped(value: str) -> bool:
    """Whether groups of signs are drawn: hardly a group is a word or a year."""
    groups = re.split("[ -]", value)
    drawn = sum(any(c.isdigit() for c in group) for group in groups)
    return drawn * 2 >= len(groups) or value.isupper()


def _is_product_key(value: str) -> bool:
    groups = value.split("-")
    drawn = sum(any(c.isdigit() for c in group) for group in groups) >= len(groups) - 2
    return drawn and (len(groups) > _FIVE or any(c > "F" for c in value))


_FIVE: Final = 5


def _base32(value: str) -> bool:
    """Whether letters and digits are base32, and no word or number."""
    plain = re.sub(r"[ -]", "", value)
    if plain != plain.upper() and plain != plain.lower():
        return False
    return len(plain) >= 16 and any(c in "234567" for c in plain)


CODES: Final = (
    Pattern(
        kind="secret",
        # Five groups of five capitals and digits: the key of a licence, as it is printed.
        regex=re.compile(
            r"(?<![A-Za-z0-9-])(?:[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}|\d{4}(?:-\d{4}){5})(?![A-Za-z0-9-])"
        ),
        where=PatternPlace.RUN,
        check=_is_product_key,
        has_digits=True,
        holds="«L9U6V-H7RXZ-8C8GS-R5588-K4M9T»",
        spares="THESE-FIVES-WORDS-EVERY-WHERE",
    ),
    Pattern(
        kind="recovery-code",
        regex=re.compile(rf"{_INTRODUCED}([^\n⟨⟩]?[\s\S]{{4,800}})"),
        where=PatternPlace.NAME,
        names=(RECOVERY,),
        pieces=_codes,
        holds="Backup codes: «a1b2c-3d4e5»",
        spares="Backup codes: 1. open settings2",
    ),
    Pattern(
        kind="recovery-code",
        # Groups of four, as of a key that is written down.
        regex=re.compile(
            rf"[ ]?[:：]?{QUOTE}?\s{{0,4}}(?:is |ist |est )?{QUOTE}?((?:[A-Za-z0-9]{{4,6}}[ -]){{3,14}}[A-Za-z0-9]{{4,6}}|(?:\d{{4}} \d{{4}},? ?){{1,20}})(?![A-Za-z0-9])"
        ),
        where=PatternPlace.NAME,
        names=(RECOVERY,),
        check=lambda value: sum(c.isdigit() for c in value) >= 3,
        holds="Security key: «Esrj RDC8 lFNr Ag7D kzuP TLrX 6I6A»",
        spares="Security keys that have four ends with good grip and form",
    ),
    Pattern(
        kind="recovery-code",
        find=all_of(
            behind_names(_GROUPS, _is_grouped),
            in_answers(_GROUPS, _is_grouped),
            before_names(_GROUPS, _is_grouped),
        ),
        names=(RECOVERY,),
        holds="the recovery key (it's «RK-XRL5-TYA3-M8K5-VG8Q»)",
        spares="the recovery key (it's four-part-text-here)",
    ),
    Pattern(
        kind="otp-secret",
        regex=re.compile(
            rf"[^\n\\]{{0,24}}?[:：=>|, (]\s?{QUOTE}?((?:[A-Z2-7]{{4}}[ -]?){{4,16}}[A-Z2-7]{{0,3}}|(?:[a-z2-7]{{4}}[ -]){{3,16}}[a-z2-7]{{2,4}}|[a-z2-7]{{26,64}})(?![A-Za-z0-9])"
        ),
        where=PatternPlace.NAME,
        names=(OTP_SEEDS,),
        check=_base32,
        holds="2FA key: «uclo r2iv n5aa jgl4 cew3»",
        spares="2FA keys that some have with long term plan",
    ),
    Pattern(
        kind="seed-phrase",
        regex=re.compile(
            rf"[^\n\\:=]{{0,24}}?(?:[:=：]|is|ist|est|es|are|это|—|-)?(?:\s|\*|{QUOTE}|{LINE_END}|\[|\d{{1,2}}[.):]){{0,12}}({_WORD}{_NEXT_WORD}{{11,32}})"
        ),
        where=PatternPlace.NAME,
        names=(PHRASES,),
        pieces=_phrase,
        check=None,
        holds="monero seed: «cherry violin puddle saddle glacier meadow copper compass lantern forest marble candle harvest»",
        spares="monero seed: cherry violin puddle saddle glacier meadow",
    ),
    Pattern(
        kind="seed-phrase",
        find=all_of(
            behind_names(_PHRASE, _is_phrase),
            in_answers(_PHRASE, _is_phrase),
            before_names(_PHRASE, _is_phrase, longest=400),
        ),
        names=(PHRASES,),
        holds="| recovery phrase | «cherry violin puddle saddle glacier meadow copper compass lantern forest marble candle» |",
        spares="| recovery phrase | cherry violin puddle saddle glacier meadow |",
    ),
    Pattern(
        kind="pin",
        regex=re.compile(
            rf"(?:[ ][^\W\d_]{{1,16}}){{0,3}}?[ ]?(?:[:：=]|är|er|is|on|to|je|е|è|é|es|est|—|–|-|は|是|为|為|는|은|คือ|है|هو|هي|היא|הוא|dır|olan|là)?[ ]?{QUOTE}?(\d{{4,8}}|\d{{2}}(?:[ -]\d{{2}}){{2,3}}|\d{{3}}[ -]\d{{3}})(?![\d.,:/-]?\d)(?![A-Za-z%])(?!\s?(?:characters|tecken|symb|символ|знак|文字|位|字|자|ký|haneli|cyfr|číslic))"
        ),
        where=PatternPlace.NAME,
        names=(PINS,),
        holds="Koden till larmet är «4506»",
        spares="Koden till larmet har 4 siffror",
    ),
    Pattern(
        kind="pin",
        regex=re.compile(
            r"(?:は|是|为|為|[:：]|는|은)[ ]?(\d{4,12})(?![\d.,]?\d)(?![A-Za-z%])(?!\s?(?:文字|位|字|자|桁|символ|знак))"
        ),
        where=PatternPlace.NAME,
        names=(PASSWORDS_ELSEWHERE, PASSWORDS),
        holds="パスワード：«72635»",
        spares="パスワード：2文字",
    ),
)
