"""Patterns of codes that are typed in by hand: a card's PIN, a TAN, the code of a door or of a safe;
in a sentence, in a file's fields and as an answer, in several languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.values.locked_things import is_locked_thing
from lull.core.secrets.values.pattern import QUOTE, Pattern, SecretNames
from lull.core.secrets.values.relations import BEHIND, NO_UNIT, before_names, in_answers, with_near

_SHORT: Final = ("pin", "puk", "tan", "cvv", "cvc", "cvn", "otp", "totp")
_SHORT_NAME: Final = re.compile(
    r"(?:(?<![^\W_])(?i:pin|puk|m?tan|cvv|cvc|cvn|t?otp)|(?<=[a-z])(?:Pin|Puk|Tan|Cvv|Cvc|Otp|PIN|PUK|TAN|CVV|CVC|OTP))$"
)
"""A short name that is a word of its own, also in `cardPin` and `SIM_PIN`."""
_CODES: Final = (
    "code", "passcode", "kenncode", "digicode", "code confidentiel", "code_confidentiel", "code secret", "code_secret", "combination", "combo", "kombination", "kombi", "geheimzahl", "prüfnummer", "prüfziffer", "combinaison", "código",
    "codigo", "combinación", "clave", "codice", "combinazione", "kod", "kód", "koodi",
)  # fmt: skip
_CODE_ENDS: Final = tuple(
    sorted((code + end for code in _CODES for end in ("", "s", "en")), key=len, reverse=True)
)
_ALONE: Final = (
    "passcode",
    "kenncode",
    "digicode",
    "code confidentiel",
    "code_confidentiel",
    "code secret",
    "code_secret",
    "geheimzahl",
    "prüfnummer",
    "prüfziffer",
)
_WORD_BEFORE: Final = re.compile(
    r"((?:[12][Ff][Aa]|[A-ZÀ-Þ]?[^\W\d_A-ZÀ-Þ]+|[A-Z]{2,})(?:-[^\W\d_]+)*)(?:['’]s)?[ _.-]{0,2}(?:[Pp](?:in|IN)[ _-]?)?$"
)
_LONGEST_WORD: Final = 34
_SMALL: Final = (
    r"(?:for|of|to|on|at|für|fuer|fürs|von|vom|zu|zur|zum|am|an|de|du|des|d['’]|pour|para|del|al|di|per|della|dello|van|voor|till|til|do|"
    r"der|dem|den|das|die|the|my|our|your|this|that|meine?[rnm]?|unsere?[rnm]?|la|le|les|l['’]|el|los|las|mon|ma|notre|mi|mio|nuestr[ao]|front|back|"
    r"main|new|neue\w?)"
)
_BEHIND_CODE: Final = re.compile(
    rf"(?i)s?(?:(?:[ ][^\W\d]{{1,12}}){{1,3}}?[ ](?:sms|texted)(?:[ ]me)?|"
    rf"(?:(?:[ ]{_SMALL}){{1,4}}[ ]?(?:[ld]['’])?(?<=[ '’])|_(?:de|del|du)_(?:la_)?|[ _-])([^\W\d_]{{2,24}})"
    r"(?:[ ](?:auf|of|on|de|der|du|del|für|for)(?:[ ][^\W\d]{1,14}){1,3}?)?)"
)

_DIGITS: Final = (
    r"(?<![\w.,:/+-])(?:(?:[A-Z]-)?\d{4,8}|\d{4}-\d{3}-\d{4}|\d{3}-\d{2}-\d{3}|\d{3}[ -]\d{3}|\d{4}(?:[ -]\d{4}){1,7}|\d{1,2}(?:-\d{1,2}){2,3}|[A-D#*]?\d{3,6}[A-D#*])"
    rf"{NO_UNIT}"
)
_DRAWN: Final = r"(?<![\w.,:/+-])(?=[A-Z0-9-]{0,11}\d)(?=[0-9-]{0,11}[A-Z])(?:[A-Z]{2}-)?[A-Z0-9]{4,20}(?:-[A-Z0-9]{3,6}){0,8}(?![\w-])"
_PAIR: Final = (
    r"(?<![\w.,:/+-])(?=[a-z-]{0,9}\d)(?=[\d-]{0,9}[a-z])[a-z0-9]{4,6}-[a-z0-9]{4,6}(?![\w-])"
)
_VALUE: Final = rf"(?:{_DIGITS}|{_DRAWN}|{_PAIR})"
_REST: Final = (
    r"(?:[ _.-]?(?:number|nummer|no|nr|code|kod|value|wert|num|actual|new|neu))?(?:_?\d{1,2})?"
)
_COMPLEMENT: Final = r"(?:[ ](?:for|of|from|on|to|at|von|vom|für|fürs|zur|zum|auf|aus|de|du|del|des|pour|para|por|per|di)(?:[ ][^\W\d][\w'’-]{0,15}){1,4}?)?"
_STATED: Final = re.compile(rf"(?i:{_REST}{_COMPLEMENT}{BEHIND})({_VALUE})")
_STATED_DIGITS: Final = re.compile(rf"(?i:{_REST}{_COMPLEMENT}{BEHIND})({_DIGITS})")
_CARD: Final = re.compile(r"(?:(?<![^\W_])(?i:cvv|cvc|cvn)|(?<=[a-z])(?:Cvv|Cvc|CVV|CVC))$")
_OF_CARD: Final = re.compile(rf"(?i:2?{_REST}{BEHIND})(?<![\w.,:/-])(\d{{3,4}}){NO_UNIT}")

ENTERED: Final = SecretNames(
    stems=(*_SHORT, *_CODES),
    rest=r"(?:(?<=code)s(?![a-zß-ɏ])|(?<=kombination)en(?![a-zß-ɏ])|(?![a-zß-ɏ]))",
)


_OF_PROGRAMS: Final = re.compile(
    r"[ -](?:reviews?|paths?|coverage|blocks?|base|style|quality|pages?|points?|generation|changes?|lines?|snippets?|examples?|samples?|freeze|owners?|signing)\b"
)
"""What is said of the code of programs."""
_FIELD: Final = re.compile(r"[\"'`\\]{0,4}\s?[:=>|]")


def _is_named(text: str, end: int) -> bool:
    """Whether the name that ends here says that it is a code to type in."""
    short = _SHORT_NAME.search(text, max(0, end - _LONGEST_SHORT), end)
    if short is not None:
        # A colour is called so, too.
        return short.group() != "tan" or _FIELD.match(text, end) is not None
    if _OF_PROGRAMS.match(text, end) is not None:
        return False
    tail = text[max(0, end - _LONGEST_CODE) : end].lower()
    code = next((one for one in _CODE_ENDS if tail.endswith(one)), None)
    if code is None:
        return False
    if code.startswith(_ALONE):
        return True
    begin = end - len(code)
    word = _WORD_BEFORE.search(text, max(0, begin - _LONGEST_WORD), begin)
    if word is None:
        return False
    thing = word[1].lower()
    return is_locked_thing(thing, before=True) or is_locked_thing(
        thing.rpartition("-")[2], before=True
    )


def _thing_behind(text: str, name: int) -> int:
    """Where the words behind a code end that say what it opens ("code of the door"); -1: none."""
    behind = _BEHIND_CODE.match(text, name)
    if behind is None:
        return -1
    thing = (behind[1] or "sms").lower()
    return behind.end() if thing == "pin" or is_locked_thing(thing) else -1


_LONGEST_CODE: Final = 18
_LONGEST_SHORT: Final = 5


def _is_code(value: str) -> bool:
    return not re.fullmatch(r"(?:[0-3]?\d)-[01]?\d-\d\d(?:\d\d)?", value)


_ANSWERS: Final = in_answers(_VALUE, _is_code)
_ANSWERS_OF_CARD: Final = in_answers(r"\d{3,4}", _is_code)
_LINKED: Final = before_names(_VALUE, _is_code, longest=12, has_digits=True)


def _entered(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    for name in with_near(_NEAR, text, names):
        end = _thing_behind(text, name)
        if end < 0 and _is_named(text, name):
            end = name
        if end < 0:
            continue
        first = max(0, name - _LONGEST_SHORT)
        of_card = _CARD.search(text, first, name) is not None
        short = _SHORT_NAME.search(text, first, name) is not None
        stated = _STATED_DIGITS if short else _STATED
        found = (_OF_CARD if of_card else stated).match(text, end)
        if found is not None and _is_code(found[1]):
            yield found.span(1)
            continue
        yield from (_ANSWERS_OF_CARD if of_card else _ANSWERS)(text, low, [end])
        yield from _LINKED(text, low, [end])


_NEAR: Final = re.compile(r"\d")


_CODE_WORD: Final = re.compile(rf"(?i:{'|'.join(_CODE_ENDS)})(?![^\W_])")


def names_code(name: str) -> bool:
    """Whether the header of a column or the name of a field says that it holds such a code."""
    return _is_named(name, len(name)) or any(
        _thing_behind(name, code.end()) >= 0 for code in _CODE_WORD.finditer(name)
    )


def is_code_to_enter(value: str) -> bool:
    """Whether a value has the form of such a code."""
    return re.fullmatch(rf"{_VALUE}|\d{{3}}", value) is not None and _is_code(value)


CODES_TO_ENTER: Final = (
    Pattern(
        kind="pin",
        find=_entered,
        has_digits=True,
        names=(ENTERED,),
        holds='{"doorCode": "«4711»"}',
        spares='{"zipCode": "47110", "errorCode": 4711}',
    ),
    Pattern(
        kind="pin",
        # What one is told to type in.
        regex=re.compile(
            rf"(?i:use|enter|type|gib|nutze|verwende|saisissez|utilisez|entrez|usa|introduce|usi|digite)[ ](?:code[ ])?{QUOTE}?(\d{{4,8}}){QUOTE}?(?:[ ](?i:to (?:log ?in|sign ?in|verify|confirm|activate|authenticate|continue signing))(?![a-z])|[ ](?i:as|als|comme|como|come)[ ]"
            r"(?i:(?:your|the|ihr|dein|votre|le|tu|su|el|one-time|login|einmal|verification)[ ]){0,3}"
            r"(?i:password|passcode|code|pin|kennwort|passwort|einmalpasswort|einmalcode|mot de passe|contraseña|clave|código|codice))"
        ),
        hints=(
            "use",
            "enter",
            "type",
            "gib",
            "nutze",
            "verwende",
            "saisissez",
            "utilisez",
            "entrez",
            "usa",
            "introduce",
            "usi",
            "digite",
        ),
        holds="Use «633276» as your one-time password.",
        spares="Use 633276 as your customer number.",
    ),
)
