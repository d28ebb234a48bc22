"""Finds which of several things a user's rule wants: which language, unit, punctuation sign or date
format.

"Grams, not cups" wants grams; "no Fahrenheit" wants Celsius, because there are only two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lull.core.checks import language
from lull.core.checks.check import CheckKind
from lull.core.checks.rules.amounts import NUMBER
from lull.core.checks.rules.phrases import is_forbidden, mask_quoted

_UNITS: Final[Mapping[str, str]] = {
    "metric": r"metric|metrisch\w*|métriques?|métric[oa]s?|si units",
    "imperial": r"imperial|us customary|customary units",
    "celsius": r"celsius|centigrade|°c",
    "fahrenheit": r"fahrenheit|°f",
    "kelvin": r"kelvin",
    "grams": r"grams?|grammes?|gramm|gramos?",
    "kilograms": r"kilograms?|kilos?|kg|kilogramm",
    "ounces": r"ounces?|oz",
    "pounds": r"lbs?",
    "millimetres": r"millimet(?:er|re)s?|mm",
    "centimetres": r"centimet(?:er|re)s?|cm|zentimeter",
    "metres": r"met(?:er|re)s|mètres|metros",
    "kilometres": r"kilomet(?:er|re)s?|km|kilomètres|kilómetros",
    "inches": r"inch(?:es)?|zoll",
    "feet": r"feet",
    "miles": r"miles?|meilen",
    "millilitres": r"millilit(?:er|re)s?|ml",
    "litres": r"lit(?:er|re)s?",
    "cups": r"cups?",
    "gallons": r"gallons?",
    "spoons": r"(?:tea|table)?spoons?|tbsp|tsp|(?:tee|ess)?löffel|cuill[eè]res?|cuchar(?:it)?as?",
}
UNIT_NAMES: Final = r"(?<!\w)(?:" + "|".join(_UNITS.values()) + r")(?!\w)"
_SIGNS: Final[Mapping[str, str]] = {
    "comma": r"commas?|komma(?:s|ta)?|virgules?|comas?",
    "exclamation mark": r"exclamation (?:marks?|points?)|ausrufezeichen|points? d'exclamation|"
    r"signos? de exclamación|exclamaciones",
    "quotation mark": r"(?<!single )(?<!double )(?<!straight )(?<!curly )(?<!smart )"
    r"(?:quotation|quote) marks?",
    "question mark": r"question marks?|fragezeichen",
    "em dash": r"em[- ]?dash(?:es)?|tirets? cadratins?",
    "en dash": r"en[- ]?dash(?:es)?",
    "dash": r"dash(?:es)?|gedankenstriche?n?|tirets?|rayas?",
    "hyphen": r"hyphens?|bindestriche?n?",
    "semicolon": r"semi-?colons?|semikolons?|strichpunkte?n?|points?-virgules?|punto y comas?",
    "colon": r"colons?|doppelpunkte?n?|deux-points|dos puntos",
    "ellipsis": r"ellips[ei]s|auslassungspunkte?|points de suspension|puntos suspensivos",
    "parenthesis": r"parenthes[ie]s|round brackets|runde klammern|klammern|parenthèses|"
    r"paréntesis|brackets",
    "hashtag": r"hash-?tags?",
    "asterisk": r"asterisks?|sternchen|astérisques?|asteriscos?",
    "ampersand": r"ampersands?",
    "slash": r"slash(?:es)?|schrägstriche?",
    "underscore": r"underscores?|unterstriche?",
    "dollar sign": r"dollar signs?",
    "percent sign": r"percent signs?|percentage signs?",
    "apostrophe": r"apostrophes?",
    "digit": r"digits|numerals",
    "full stop": r"full stops?|periods",
    "arrow": r"arrows?",
}
SIGN_NAMES: Final = r"(?:" + "|".join(_SIGNS.values()) + r")\b(?! drive)"
_DATES: Final[Mapping[str, str]] = {
    "iso": r"iso(?:[- ]?8601|(?![- ]?\d))|y{4}-m{2}-d{2}|year[- ]month[- ]day|\d{4}-\d{2}-\d{2}|"
    r"j{4}-mm-tt|aaaa-mm-(?:dd|jj)",
    "german": r"(?:dd|tt)\.mm\.(?:yyyy|jjjj|yy|jj)|\d{1,2}\.\d{1,2}\.\d{4}|german (?:dates?|"
    r"date format)|tag\.monat\.jahr",
    "us": r"mm/dd/(?:yyyy|yy)|american (?:dates?|date format)|us (?:dates?|date format)|"
    r"(?:0?[1-9]|1[0-2])/(?:1[3-9]|2\d|3[01])/\d{2,4}",
    "dmy": r"(?:dd|jj)/mm/(?:yyyy|aaaa|yy|aa)|(?:1[3-9]|2\d|3[01])/(?:0?[1-9]|1[0-2])/\d{2,4}",
    "day_first": r"day (?:first|before (?:the )?month)|day[- ]month[- ]year|british dates?|"
    r"european dates?",
    "written_mdy": r"(?:january|march|april|may|june|july|august|september|october|november|"
    r"december) \d{1,2},? \d{4}|month day,? year",
    "written_dmy": r"\d{1,2}(?:st|nd|rd|th)? (?:january|march|april|may|june|july|august|"
    r"september|october|november|december|januar|märz|mai|juni|juli|oktober|"
    r"dezember)(?: \d{4})?",
    "written": r"month (?:written|spelled|spelt) out|(?:spell|write) out (?:the )?months?|"
    r"month names?|name of the month",
}
_TIMES: Final[Mapping[str, str]] = {
    "24h": r"24[- ]?h(?:ours?|r|rs)?|24[- ]stunden\w*|24 heures|24 horas|military time|"
    r"twenty-four[- ]hour|24[- ]hour clock|(?:1[3-9]|2[0-3])[:h]\d\d",
    "12h": r"12[- ]?h(?:ours?|r|rs)?|twelve[- ]hour|(?<!\w)am ?(?:/|and|or|&) ?pm|a\.m\.|"
    r"p\.m\.|am pm|\d ?[ap]m\b|(?<!\w)pm\b",
}
_INDENTS: Final[Mapping[str, str]] = {
    "tabs": r"tabs?|tabulator(?:en)?|tabulations?|tabuladores",
    "spaces": r"spaces?|leerzeichen|espaces|espacios",
}
_QUOTES: Final[Mapping[str, str]] = {
    "straight": r"straight|ascii",
    "typographic": r"typographic|curly|smart|typografische?\w*|bent",
    "single": r"(?<!each )(?<!every )(?<!any )(?<!a )single|einfache?\w*|simples",
    "double": r"double|doppelte?\w*|doubles|dobles",
    "german": r"german",
    "guillemets": r"guillemets|chevrons|angular",
}
_NAMED: Final[Mapping[CheckKind, Mapping[str, str]]] = {
    CheckKind.UNITS: _UNITS,
    CheckKind.NO_SIGN: _SIGNS,
    CheckKind.DATE_FORMAT: _DATES,
    CheckKind.TIME_FORMAT: _TIMES,
    CheckKind.INDENT: _INDENTS,
    CheckKind.QUOTE_STYLE: _QUOTES,
}
_OTHER: Final = {
    "fahrenheit": "celsius",
    "celsius": "fahrenheit",
    "imperial": "metric",
    "metric": "imperial",
    "12h": "24h",
    "24h": "12h",
    "typographic": "straight",
    "straight": "typographic",
}
"""For each of two options the other one; it is the wanted one where a rule rejects the first."""
_HIDES: Final = {
    "em dash": ("dash",),
    "en dash": ("dash",),
    "semicolon": ("colon", "comma"),
    "written_dmy": ("written_mdy",),
    "question mark": (),
}
_SPOKEN_IN: Final = re.compile(
    r"(?:\b(?:in|auf|en|into|speak|po)\s+(?:plain |simple |proper |clear )?|^)([^\W\d_]+)",
    re.IGNORECASE,
)
SPOKEN: Final = (
    r"\b(?:answer\w*|reply|replies|respond|responses?|write to me|write (?:back |everything "
    r")?in|speak|talk|"
    r"always|please|only|continue|switch|antworte\w*|schreib\w*|sprich|rede|bitte|immer|"
    r"réponds|répondre|"
    r"écri[st]\w*|parle|toujours|responde\w*|contest\w*|escrib\w*|háblame|siempre)\b|"
    r"^\W*(?:(?:in|auf|en) )?\w+\W*(?:please|bitte|only|nur)?\W*$"
)
"""Regular expression for rules about the language of answers."""
_SUBJECT: Final = re.compile(
    r"\s+(?:class|lesson|food|recipe|wine|word|text|grammar|history|culture)", re.IGNORECASE
)
_NOT_THE_OTHER: Final = re.compile(r"\b(?:not|never|instead|nicht|statt|pas|no)\b", re.IGNORECASE)


_COUNTED: Final = re.compile(rf"(?:\b{NUMBER}\s+|[-./])$", re.IGNORECASE)


def wanted_choice(kind: CheckKind, text: str) -> str:
    """Return the one thing that a rule wants, such as a unit or a date format, by the name that
    checks use for it; "" if the rule names none or is unclear. `kind` says what sort of thing to
    look for.
    """
    if kind is CheckKind.LANGUAGE:
        return _language(text)
    bare = text if kind in (CheckKind.DATE_FORMAT, CheckKind.TIME_FORMAT) else mask_quoted(text)
    bare = bare.lower()
    wanted, unwanted = set[str](), set[str]()
    for name, pattern in _NAMED[kind].items():
        for found in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", bare):
            if kind is CheckKind.UNITS and _COUNTED.search(bare[: found.start()]):
                continue  # "eight miles a day" is a quantity, "DD-MM" is no millimetre
            (unwanted if is_forbidden(bare, found) else wanted).add(name)
    if kind is CheckKind.NO_SIGN:
        wanted, unwanted = unwanted or wanted, set()
    for name in tuple(wanted):
        wanted -= set(_HIDES.get(name, ()))
    wanted -= unwanted
    if kind is CheckKind.UNITS and len(wanted) > 1:
        return _units(wanted)
    if len(wanted) == 1:
        return wanted.pop()
    # "Straight quotes, the curly ones break": the first part is the rule, the rest a reason.
    first = text.split(",", maxsplit=1)[0]
    if len(wanted) > 1 and first != text:
        return wanted_choice(kind, first)
    others = {_OTHER[name] for name in unwanted if name in _OTHER}
    return others.pop() if not wanted and len(others) == 1 else ""


def choices_named(kind: CheckKind, text: str) -> list[str]:
    """Return the things of one sort, such as units or punctuation signs, that a text mentions at
    all, wanted or not, by the names that checks use for them.
    """
    if kind is CheckKind.LANGUAGE:
        return language.named_languages(mask_quoted(text))
    found = [
        name
        for name, pattern in _NAMED[kind].items()
        if re.search(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE)
    ]
    hidden = {other for name in found for other in _HIDES.get(name, ())}
    return [name for name in found if name not in hidden]


def other_choice(name: str) -> str:
    """Return the only alternative to one of two things ("24h" for "12h"); "" if there is no such
    pair.
    """
    return _OTHER.get(name, "")


def _units(wanted: set[str]) -> str:
    """Return the units that the rule wants, joined by commas (grams, Celsius), or the system if one
    is named.
    """
    systems = wanted & {"metric", "imperial"}
    if len(systems) == 1:
        return systems.pop()
    return "" if systems else ",".join(sorted(wanted))


def _language(text: str) -> str:
    """Return the language to answer in, if it is named alone or after "in", "auf" or "en"."""
    if re.search(r"translat|übersetz|tradui|traduc|british|american|spelling", text, re.IGNORECASE):
        return ""
    bare = mask_quoted(text)
    found = {
        language.CODES[word[1].lower()]
        for word in _SPOKEN_IN.finditer(bare)
        if word[1].lower() in language.CODES
        and not is_forbidden(bare, word)
        and not _SUBJECT.match(bare[word.end() :])
    }
    alone = set(language.named_languages(bare)) == found
    if len(found) == 1 and (alone or _NOT_THE_OTHER.search(bare)):
        return found.pop()
    # "In German, my English is poor": the rest is a reason.
    first = text.split(",", maxsplit=1)[0]
    return _language(first) if len(found) == 1 and first != text else ""
