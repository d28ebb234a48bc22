"""Patterns of the numbers by which a state or an insurance knows a person: tax and insurance numbers,
identity cards and passports; by their names in the languages of the countries that issue them, and
without a name where form and check digits show them.

The names follow the lists of keywords that the makers of such detectors publish for each country
(Microsoft's "sensitive information types" among them).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.values.judging import count_changes
from lull.core.secrets.values.pattern import Pattern, PatternPlace, SecretNames
from lull.core.secrets.values.relations import BEHIND, NO_UNIT, before_names, in_answers, with_near

_ALONE: Final = (
    "steuernummer", "steueridentifikation", "sozialversicherung", "rentenversicherung", "versicherungsnummer", "versichertennummer",
    "krankenversicher", "personnummer", "fødselsnummer", "fodselsnummer", "henkilötunnus", "henkilotunnus", "burgerservicenummer", "rijksregister", "aadhaar",
    "aadhar", "kimlik", "ausweis", "reisepass", "passport", "passeport", "pasaporte", "passaporto", "paspoort", "paszport", "passnummer", "führerschein", "fuehrerschein", "medicare",
    "carte nationale d'identité", "carte nationale d’identité", "kontonummer", "taxpayer", "my number", "mynumber", "id card", "id_card", "idcard", "id-card", "id number", "id_number", "idnumber", "id-number", "sv-nummer", "sv_nummer",
    "sv nummer", "svnummer", "num secu", "num_secu", "numsecu", "bank account n", "bank_account_n", "bankaccountn", "bank-account-n", "pan card", "pan_card", "pancard", "pan number", "pan_number", "pannumber", "pan-number", "checking account", "savings account", "emirates id", "emirates_id", "pass-nr", "pass nr", "passnr", "isikukood", "kennitala", "asmens kod", "personas kods", "matricule", "cédula", "numéro de permis", "身份证", "身份證", "주민등록번호", "マイナンバー", "תעודת זהות", "ת.ז", "מספר זהות", "رقم الهوية", "الرقم القومي", "کد ملی", "αφμ", "αμκα", "ідентифікаційний код", "เลขบัตรประชาชน", "เลขประจำตัวประชาชน", "паспорт", "снилс", "инн",
)  # fmt: skip
"""Names of one word, also in longer ones."""
_FIRST: Final = (
    "social", "national", "nhs", "tax", "steuer", "numéro", "numero", "número", "sécurité", "securite", "seguridad", "documento", "codice", "tessera",
    "carte", "cpr", "registre", "resident", "rodné", "rodne", "pps", "citizen", "identity", "driver", "driving", "permis", "carnet", "patente",
    "health", "insurance", "ahv", "personal",
)  # fmt: skip
"""First words of names of several words: `tax id`, `tax_id`, `taxId`."""
_SECOND: Final = (
    r"(?i:['’]?s?[ _.-]?(?:(?:(?:member(?:ship)?|policy|subscriber|patient|card|plan|group)[ _-]){1,2}(?:id|no|nr|number)(?![a-z])|security|insurance|file|identi(?:fication|fikation|ty)|avs\b|national|fiscale?\b|nacional|sanitaria|vitale|d['’]identité|registration|"
    r"c[ií]slo|číslo|register|licen[cs]e|licen[cs]ing|sociale?\b|de (?:conduire|conducir|retraite|seguro|sécu)|di guida|secu\b|sécu\b|"
    r"(?:id|nr|no|number|nummer|num|card)(?![a-zß-ɏ])))"
)
_SHORT: Final = (
    "ssn", "nino", "tfn", "itin", "idnr", "svnr", "kvnr", "ahv", "avs", "nir", "dni", "nie", "nif", "pesel", "cpr", "hetu", "bsn", "cpf", "cnp",
    "utr", "curp", "rut", "cuil", "cuit", "ppsn",
    "egn", "oib", "jmbg", "emšo", "emso", "amka", "afm", "nric", "hkid", "cnic", "nik", "nin", "bvn", "niss", "insz", "tin", "rg", "clabe", "rib", "ccc", "bban",
)  # fmt: skip
"""Names that are words of their own: longer ones begin with them."""

PERSONAL: Final = SecretNames(stems=_ALONE, rest=r"[a-zß-ɏ]{0,14}")
"""The rest takes in what German adds: the `snummer` of `Sozialversicherungsnummer`."""
PERSONAL_OF_TWO: Final = SecretNames(begins=_FIRST, rest=_SECOND)
PERSONAL_SHORT: Final = SecretNames(begins=_SHORT, rest=r"(?![a-zß-ɏ])")

_REST: Final = (
    r"(?:[ _.-]{0,2}(?:identification|account|social)?[ _.-]?(?:numbers?|nummer|no\b|nr|num|num[eé]ro|n\.?[º°]|id|no|hao|号码|號碼|号|card|karten?nummer|value)){0,2}\.?"
    r"(?:[ ]\((?:[A-Za-zÀ-ÿ-]{2,24}[ ]?){1,3}\))?"
)
_SEPARATOR: Final = r"[ \u00a0./-]"
_VALUE: Final = rf"(?<![\w.,:/+-])(?:[A-Z]{{1,6}}{_SEPARATOR}?)?\d(?:{_SEPARATOR}{{0,2}}[A-Z0-9]){{3,19}}{NO_UNIT}"
_AN_EXAMPLE: Final = r"(?!\W{0,3}\s(?:is|ist|est|es|are)\s(?:only\s|just\s|nur\s)?(?:an?|eine?|une?)\s(?:specimen|sample|example|muster|beispiel|spécimen|exemple|ejemplo))"
_STATED: Final = re.compile(rf"(?i:{_REST}{BEHIND})({_VALUE})(?i:{_AN_EXAMPLE})")
_DATE: Final = re.compile(
    r"(?:19|20)\d\d[-/–](?:19|20)?\d\d|\d{1,3}(?:[ .]\d{3})*[ .]000|\d{4}[-./]\d\d?[-./]\d\d?|\d\d?[-./]\d\d?[-./]\d{4}"
)
_OF_A_FIRM: Final = re.compile(r"DE[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}|ATU[ ]?\d{8}")
"""The number for sales tax, which a firm prints on each invoice."""
_FEWEST: Final = 7
_FEWEST_DIGITS: Final = 4


def _is_personal(value: str) -> bool:
    plain = re.sub(r"[^A-Z0-9]", "", value)
    digits = sum(c.isdigit() for c in plain)
    return (
        len(plain) >= _FEWEST
        and (digits >= _FEWEST_DIGITS or _is_drawn(value, digits))
        and len(set(plain)) >= 3
        and _DATE.fullmatch(value) is None
        and _OF_A_FIRM.fullmatch(value) is None
    )


def _is_drawn(value: str, digits: int) -> bool:
    """Whether capitals and a few digits alternate as in the numbers of identity cards."""
    return digits >= 2 and value.isalnum() and len(value) >= _LONG and count_changes(value) >= 3


_LONG: Final = 9

_ANSWERS: Final = in_answers(_VALUE, _is_personal)
_LINKED: Final = before_names(_VALUE, _is_personal, longest=30, has_digits=True)
_NEAR: Final = re.compile(r"\d[A-Z]{0,5}\d")


def _named(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    for end in with_near(_NEAR, text, names):
        found = _STATED.match(text, end)
        if found is not None and _is_personal(found[1]):
            yield found.span(1)
            continue
        yield from _ANSWERS(text, low, [end])
        yield from _LINKED(text, low, [end])


def _digits(value: str) -> str:
    return re.sub(r"\D", "", value)


def is_ahv(value: str) -> bool:
    """Whether a number is a Swiss insurance number: 756 and an EAN's check digit."""
    digits = [int(c) for c in _digits(value)]
    return sum(d * (3 if at % 2 else 1) for at, d in enumerate(digits)) % 10 == 0


def is_cpf(value: str) -> bool:
    """Whether a number is a Brazilian tax number: its last two digits check the others."""
    digits = [int(c) for c in _digits(value)]
    for size in (9, 10):
        total = sum(d * (size + 1 - at) for at, d in enumerate(digits[:size]))
        if total * 10 % 11 % 10 != digits[size]:
            return False
    return len(set(digits)) > 1


def is_nir(value: str) -> bool:
    """Whether a number is a French insurance number: its last two digits are 97 less the rest of a
    division by 97.
    """
    digits = _digits(value)
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


def is_luhn(value: str) -> bool:
    """Whether a number's last digit checks the others by Luhn's rule, as Canada's does."""
    total = 0
    for place, digit in enumerate(reversed(_digits(value))):
        doubled = int(digit) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def is_chinese_id(value: str) -> bool:
    """Whether a number is that of a Chinese identity card: its last sign checks the others."""
    total = sum(int(c) * weight for c, weight in zip(value, _WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == value[-1].upper()


_NAME: Final = re.compile(
    f"(?i:{'|'.join(map(re.escape, _ALONE))})|"
    rf"(?<![^\W_])(?:(?i:{'|'.join(_FIRST)}){_SECOND}|(?i:{'|'.join(_SHORT)})(?![^\W_]))"
)


def names_person(name: str) -> bool:
    """Whether the header of a column or the name of a field says that it holds such a number."""
    return _NAME.search(name) is not None


def is_personal_number(value: str) -> bool:
    """Whether a value has the form of such a number."""
    return re.fullmatch(_VALUE, value) is not None and _is_personal(value)


def _checks(value: str) -> bool:
    if value.startswith("756."):
        return is_ahv(value)
    if "." in value:
        return is_cpf(value)
    return is_chinese_id(value) if len(value) == _CHINESE else is_nir(value)


_CHINESE: Final = 18
_BEHIND_SHORT: Final = r"[\"']?\s?(?:[:=#]|is|est|es)?\s{0,2}[\"']?"

PERSONAL_NUMBERS: Final = (
    Pattern(
        kind="personal-number",
        find=_named,
        names=(PERSONAL, PERSONAL_OF_TWO, PERSONAL_SHORT),
        has_digits=True,
        holds="Meine Steuer-ID ist «75 206 839 436».",
        spares="Meine Steuer-ID hat 11 Ziffern, der Reisepass gilt bis 2031-04-17.",
    ),
    Pattern(
        kind="personal-number",
        # Numbers with check digits: Switzerland's, Brazil's, France's and China's.
        regex=re.compile(
            r"(?<![\dA-Za-z_.-])(?:756\.\d{4}\.\d{4}\.\d\d|\d{3}\.\d{3}\.\d{3}-\d\d|[12]\d\d(?:0[1-9]|1[0-2]|[2-9]\d)\d{10}|"
            r"[1-8]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx])(?![\dA-Za-z_-]|\.\d)"
        ),
        where=PatternPlace.NUMBER,
        check=_checks,
        holds="«756.9217.0769.85»",
        spares="756.9217.0769.84",
    ),
    Pattern(
        kind="personal-number",
        # France's insurance number in its groups.
        regex=re.compile(
            r"[12][ .-]\d\d[ .-](?:0[1-9]|1[0-2]|[2-9]\d)[ .-]\d\d[ .-]\d{3}[ .-]\d{3}[ .-]{1,3}\d\d(?![\dA-Za-z_-])"
        ),
        hints=("1 ", "2 ", "1.", "2.", "1-", "2-"),
        check=is_nir,
        holds="«2 69 05 49 588 157 80»",
        spares="2 69 05 49 588 157 81",
    ),
    Pattern(
        kind="personal-number",
        # Forms of their own behind a short name: Canada's, India's and Mexico's tax numbers.
        regex=re.compile(
            rf"(?:SIN|sin)(?i:{_REST}){_BEHIND_SHORT}(\d{{3}}[ -]?\d{{3}}[ -]?\d{{3}})(?![\w-])|(?:PAN|pan)(?i:{_REST}){_BEHIND_SHORT}([A-Z]{{3}}[ABCFGHJLPT][A-Z]\d{{4}}[A-Z])(?!\w)|"
            rf"(?:RFC|rfc)(?i:{_REST}){_BEHIND_SHORT}([A-ZÑ&]{{3,4}}\d\d(?:0[1-9]|1[0-2])[0-3]\d[A-Z0-9]{{3}})(?!\w)"
        ),
        hints=("sin", "pan", "rfc"),
        check=lambda value: not value[0].isdigit() or is_luhn(value),
        holds="SIN: «046 454 286»",
        spares="SIN: 046 454 287, PAN: ABCDE12345 and RFC: 7519",
    ),
    Pattern(
        kind="personal-number",
        # The number of an account beside that of its bank.
        regex=re.compile(
            r"(?i)(?:acc(?:oun)?t\.?|a/c|konto|compte|cuenta|conto|rekening)[ _-]?(?:number|no\.?|nr\.?|num|n[º°]|#|nummer)?[\"']?\s?[:=]?\s{0,2}[\"']?(\d{6,14})(?![\w.-])"
        ),
        hints=("acct", "account", "a/c", "konto", "compte", "cuenta", "conto", "rekening"),
        before=re.compile(
            r"(?i)(?:routing|sort[ _-]?code|\baba\b|\bbsb\b|transit|bank|\bblz\b|\bifsc\b|\bbic\b|swift|iban)[^\n]{0,80}$"
        ),
        holds="routing 021000021, account number «9327668937»",
        spares="your account number 9327668937",
    ),
)
