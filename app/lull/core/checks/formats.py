"""Checks of how a model's answer writes dates, times of day and quantities.

Every date, time or quantity that is found must be in the wanted format; if there is none, the check
does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from lull.core.checks.check import Check
from lull.core.checks.text import plain_prose, prose

# -- dates -------------------------------------------------------------------------------------

DATE_FORMATS: Final[Mapping[str, str]] = {
    "iso": "like 2024-03-31",
    "german": "like 31.03.2024",
    "us": "like 03/31/2024",
    "dmy": "like 31/03/2024",
    "written": "with the month's name",
    "written_dmy": "like 31 March 2024",
    "written_mdy": "like March 31, 2024",
    "day_first": "with the day before the month",
}
ALLOWED_DATES: Final[Mapping[str, frozenset[str]]] = {
    "written": frozenset(("written_dmy", "written_mdy")),
    "day_first": frozenset(("german", "dmy", "written_dmy")),
}
"""For each wide date format, the narrower ones that have it."""
MONTHS: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|"
    "januar|februar|märz|mai|juni|juli|oktober|dezember|okt|dez|"
    "janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|"
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_DATE: Final = re.compile(
    rf"""(?<![\w./-])(?:
      (?P<iso>\d{{4}}-\d{{2}}-\d{{2}})(?!\d)
    | (?P<dots>\d{{1,2}}\.\s?\d{{1,2}}\.\s?(?:\d{{4}}|\d{{2}}(?![\d.])))
    | (?P<slash>\d{{1,2}}/\d{{1,2}}/(?:\d{{4}}|\d{{2}}))(?![\d/])
    | (?P<other>\d{{4}}[/.]\d{{1,2}}[/.]\d{{1,2}}|\d{{1,2}}-\d{{1,2}}-\d{{4}})(?!\d)
    | (?P<dmy>\d{{1,2}}(?:st|nd|rd|th|er|\.|º)?\s(?:of\s|de\s)?(?:{MONTHS})\b
        (?P<dmy_year>\.?,?\s(?:de\s|del\s)?\d{{4}})?)
    | (?P<mdy>(?:{MONTHS})\.?\s\d{{1,2}}(?:st|nd|rd|th)?(?!\d|\s?[:%])(?P<mdy_year>,?\s\d{{4}})?)
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def date_format(check: Check, answer: str) -> bool | None:
    """Check that the dates in an answer have one of the wanted formats; None if that cannot be
    told.
    """
    wanted = ALLOWED_DATES.get(check.value, frozenset((check.value,)))
    sure, partial = False, False
    for ways, whole in _dates(plain_prose(answer)):
        if not ways & wanted:
            if whole:
                return False
            partial = True
        elif len(ways) > 1 and not ways <= wanted:
            continue  # 03/04/2024 does not tell day from month
        else:
            sure = True
    return True if sure and not partial else None


def _dates(text: str) -> Iterator[tuple[frozenset[str], bool]]:
    """Yield, for each date, the formats that it may be in and whether it has a year."""
    for found in _DATE.finditer(text):
        if found["iso"]:
            yield frozenset(("iso",)), True
        elif found["dots"]:
            yield frozenset(("german",)), True
        elif found["slash"]:
            first, second = (int(part) for part in found["slash"].split("/")[:2])
            ways = {"us"} if first <= 12 and second <= 31 else set[str]()
            ways |= {"dmy"} if second <= 12 and first <= 31 else set()
            yield frozenset(ways), True
        elif found["other"]:
            yield frozenset(("other",)), True
        elif found["dmy"]:
            yield frozenset(("written_dmy",)), bool(found["dmy_year"])
        else:
            yield frozenset(("written_mdy",)), bool(found["mdy_year"])


# -- times of day ------------------------------------------------------------------------------

_TIME: Final = re.compile(
    r"(?<![\w:.,/$€£-])(?P<hour>[01]?\d|2[0-4])(?:(?P<sep>[:.h])(?P<minute>[0-5]\d))?"
    r"(?:\s?(?P<half>[ap]\.?\s?m\b\.?))?(?P<clock>\s?(?:uhr|heures?|hrs?)\b)?(?![\w:%])",
    re.IGNORECASE,
)


def time_format(check: Check, answer: str) -> bool | None:
    """Whether an answer writes times of day in the format that the check's `value` names, 24h or
    12h. None if it contains no time whose format is clear.
    """
    found = set()
    for time in _TIME.finditer(plain_prose(answer)):
        if time["half"]:
            found.add("12h")
        elif time["clock"] or (time["sep"] and time["sep"] in ":hH"):
            found.add("24h")
    return found == {check.value} if found else None


# -- quantities --------------------------------------------------------------------------------

_UNITS: Final[Mapping[str, tuple[str, str, str]]] = {
    "celsius": (
        "temperature",
        "metric",
        r"°\s?c|℃|degrees? celsius|degrees? c|grad celsius|celsius",
    ),
    "fahrenheit": (
        "temperature",
        "imperial",
        r"°\s?f|℉|degrees? fahrenheit|degrees? f|fahrenheit|f",
    ),
    "kelvin": ("temperature", "metric", r"kelvin|k"),
    "grams": ("mass", "metric", r"grams?|grammes?|gramm|gramos?|gr|g"),
    "kilograms": ("mass", "metric", r"kilograms?|kilogramm|kilogrammes?|kilogramos?|kilos?|kgs?"),
    "ounces": ("mass", "imperial", r"ounces?|oz|unzen?|onces?|onzas?"),
    "pounds": ("mass", "imperial", r"pounds?|lbs?|livres?|libras?"),
    "stones": ("mass", "imperial", r"stones?"),
    "millimetres": ("length", "metric", r"millimet(?:er|re)s?|mm"),
    "centimetres": (
        "length",
        "metric",
        r"centimet(?:er|re)s?|zentimeter|centim[eè]tres?|centímetros?|cm",
    ),
    "metres": ("length", "metric", r"met(?:er|re)s?|m[eè]tres?|metros?|m"),
    "kilometres": (
        "length",
        "metric",
        r"kilomet(?:er|re)s?|kilom[eè]tres?|kilómetros?|kms?|km/h|kph",
    ),
    "inches": ("length", "imperial", r"inch(?:es)?|in\.|zoll|pouces?|pulgadas?|[\"″]"),
    "feet": ("length", "imperial", r"feet|foot|ft|fuß"),
    "yards": ("length", "imperial", r"yards?|yds?"),
    "miles": ("length", "imperial", r"miles?|mi|mph|meilen?|millas?"),
    "millilitres": ("volume", "metric", r"millilit(?:er|re)s?|mililitros?|ml|cl|dl"),
    "litres": ("volume", "metric", r"lit(?:er|re)s?|litros?|l"),
    "cups": ("volume", "imperial", r"cups?|tassen?|tasses?|tazas?"),
    "pints": ("volume", "imperial", r"pints?"),
    "gallons": ("volume", "imperial", r"gallons?|gal"),
    "spoons": (
        "volume",
        "imperial",
        r"(?:tea|table)?spoons?(?:fuls?)?|tbsp|tsp|(?:tee|ess)?löffel|cuillères?|cuchar(?:it)?as?",
    ),
    "fluid ounces": ("volume", "imperial", r"fl\.? ?oz|fluid ounces?"),
}
"""Units by name: the quantity measured, the system, and how the unit is written after a number."""
UNITS: Final = ("metric", "imperial", "only", *_UNITS)
_AMOUNT: Final = (
    r"(?:\d[\d.,]{0,12}(?:\s?[-–/]\s?\d[\d.,]{0,12})?(?:\s?[½¼¾⅓⅔])?|[½¼¾⅓⅔]|"
    r"\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|half an?|a half|quarter)\b)"
)
_QUANTITY: Final = re.compile(
    rf"(?<![\w$€£])(?P<amount>{_AMOUNT})[ \u00a0\u202f-]?(?:"
    + "|".join(
        f"(?P<{name.replace(' ', '_')}>{pattern})" for name, (_, _, pattern) in
        sorted(_UNITS.items(), key=lambda one: one[0] != "fluid ounces")
    )
    + r")(?![\w°²³])",
    re.IGNORECASE,
)  # fmt: skip
_BESIDE: Final = re.compile(
    r"(?:/|=|≈|\b(?:or|i\.e\.|that is|that's|which is|equals|oder|also|soit|ou|es decir|o))\s*"
    r"(?:about |around |roughly |some |etwa |rund |environ |unos |approximately )?$",
    re.IGNORECASE,
)
"""Matches the same quantity repeated in another unit: "212 miles, which is 341 km"."""


def units(check: Check, answer: str) -> bool | None:
    """Whether the answer gives quantities in the units of measurement that the check demands.

    The check's `value` is a system ("metric", "imperial") or names of units. With names, every
    quantity of the same kind (mass, volume, …) must have one of these units. With "only", it must
    not even be repeated in another unit beside it.
    """
    found = list(_quantities(prose(answer)))
    named = set(check.value.split(","))
    wanted, only = named & set(_UNITS), "only" in named
    sorts = {_UNITS[name][0] for name in wanted}
    held: set[bool] = set()
    unsure = False
    for name, aside in found:
        sort, system, _ = _UNITS[name]
        if name == "cups" and "mass" in sorts:
            held.add(False)  # a rule that wants grams wants flour weighed
            continue
        if name == "spoons" and (wanted != {"spoons"} or not wanted):
            unsure = True  # many do not count a spoon of salt as a unit
            continue
        if wanted and sort not in sorts:
            continue
        kept = name in wanted if wanted else system in named
        if not kept and wanted and system == _UNITS[min(wanted)][1]:
            continue  # millilitres where litres are wanted: the same system
        if not kept and aside and not only:
            return None  # the other unit is in brackets beside the wanted one
        held.add(kept)
    if False in held:
        return False
    return True if held and not unsure else None


def _quantities(text: str) -> Iterator[tuple[str, bool]]:
    for found in _QUANTITY.finditer(text):
        name = (found.lastgroup or "").replace("_", " ")
        amount = found["amount"].lower()
        # "a foot", "one mile" is often an idiom; a digit is clear.
        if not any(sign.isdigit() or sign in "½¼¾⅓⅔" for sign in amount):
            if name not in ("cups", "grams", "ounces", "pounds", "miles", "kilometres", "inches"):
                continue
            if amount in ("a", "an", "one") and name != "cups":
                continue
        before = text[: found.start()]
        yield name, before.count("(") > before.count(")") or _BESIDE.search(before) is not None
