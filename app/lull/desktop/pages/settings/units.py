"""Converts values of settings between the form that the service uses and the form that users read
and type.

Users see numbers with units, and shares in percent. The service uses plain numbers and texts; the
ending of a setting's key, such as `_ms`, tells the unit.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from lull.contract.json_object import Json
from lull.desktop.language.hours_words import hours_words
from lull.desktop.language.words import counted, decimal_point, group_mark, tr, translated
from lull.desktop.pages.settings.values import value_words

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


class NumberUnit(StrEnum):
    """Units of settings that are numbers. Each value of the enum is the suffix of the settings'
    keys that have this unit: `min` for `idle.after_min`.
    """

    MILLISECONDS = "ms"
    SECONDS = "s"
    MINUTES = "min"
    HOURS = "hours"
    DAYS = "days"
    MEGABYTES = "mb"
    TOKENS = "tokens"
    PERCENT = "share"
    """Shown in percent; the service's value is a share from 0 to 1."""


HOURS_KEYS: Final = ("idle.sleep_hours", "idle.allowed_hours", "idle.blocked_hours")
"""Keys of the settings that are hours of the week."""
_GROUP: Final = 3
"""Digits of a group in a long number."""
_OTHER_SHARES: Final = frozenset({"idle.memory_pressure", "learning.alpha"})


def unit_of(key: str, value: object) -> NumberUnit | None:
    """Return the unit of a setting's value; None if it is not a number, or has no unit."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if key in _OTHER_SHARES:
        return NumberUnit.PERCENT
    ending = key.rsplit("_", 1)[-1]
    return next((unit for unit in NumberUnit if unit.value == ending), None)


def unit_words(unit: NumberUnit | None, value: object = None) -> str:
    """Return the name of a unit in the user's language, in the singular if `value` is 1; "" for no
    unit.
    """
    number = 1 if value == 1 else 2
    match unit:
        case NumberUnit.MILLISECONDS:
            return counted(number, "millisecond", "milliseconds")
        case NumberUnit.SECONDS:
            return counted(number, "second", "seconds")
        case NumberUnit.MINUTES:
            return counted(number, "minute", "minutes")
        case NumberUnit.HOURS:
            return counted(number, "hour", "hours")
        case NumberUnit.DAYS:
            return counted(number, "day", "days")
        case NumberUnit.TOKENS:
            return counted(number, "token", "tokens")
        case NumberUnit.MEGABYTES:
            return tr("MB")
        case NumberUnit.PERCENT:
            return "%"
    return ""


def unit_beside(value: object, unit: NumberUnit | None, key: str) -> str:
    """Return the name of the unit that stands beside the value of the setting `key`; "" if the
    value is told in words.
    """
    return "" if zero_words(value, key) else unit_words(unit, value)


def zero_words(value: object, key: str) -> str:
    """Return what the value 0 of the setting `key` means, if it does not mean "nothing"; "" for any
    other value or setting.
    """
    if value != 0 or isinstance(value, bool):
        return ""
    words = {
        "service.port": tr("any free port"),
        "records.keep_days": tr("for ever"),
        "records.keep_mb": tr("no limit"),
        "backup.every_days": tr("off"),
        "engine.memory_limit_mb": tr("automatic"),
        "engine.idle_unload_min": tr("never"),
        "reader.unload_after_s": tr("never"),
        "training.trial_share": tr("no trial"),
        "training.trial_hours": tr("no trial"),
    }
    return words.get(key, "")


# What stands in a field


def field_text(value: object, unit: NumberUnit | None, key: str = "") -> str:
    """Format the value of the setting `key` for its editing field, with a share in percent and
    without the unit's name.
    """
    if told := zero_words(value, key):
        return told
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return api_text(value)
    number = value * 100 if unit is NumberUnit.PERCENT else value
    return f"{number:.12g}".replace(".", decimal_point())


def parse_typed(text: str, unit: NumberUnit | None, key: str = "") -> str:
    """Convert a number that the user typed for the setting `key` to the text that the service
    accepts.

    A text that is not a number is returned unchanged; the service then reports what is wrong with
    it.
    """
    text = text.strip()
    if text.casefold() == (zero_words(0, key) or "0").casefold():
        return "0"
    plain = text.removesuffix("%").strip() if unit is NumberUnit.PERCENT else text
    plain = _without_groups(plain).replace(decimal_point(), ".")
    if not _NUMBER.fullmatch(plain):
        return text
    return f"{float(plain) / 100:.12g}" if unit is NumberUnit.PERCENT else plain


def _without_groups(number: str) -> str:
    """Return a number without the marks between groups of three digits, as in "1,500" or, in
    German, "1.500", which would otherwise be read as one and a half.
    """
    mark = group_mark()
    whole, point, rest = number.partition(decimal_point())
    groups = whole.removeprefix("-").split(mark) if mark else [whole]
    three = all(len(group) == _GROUP for group in groups[1:])
    begins = 1 <= len(groups[0]) <= _GROUP and not groups[0].startswith("0")
    if len(groups) == 1 or not three or not begins:
        return number
    return f"{whole.replace(mark, '')}{point}{rest}"


def api_text(value: object) -> str:
    """Convert a setting's value to a text in the form that the service and `lull settings set`
    accept.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(one) for one in value)
    return "" if value is None else str(value)


# What is said of a value


def in_words(value: object, unit: NumberUnit | None, key: str = "") -> str:
    """Describe the value of the setting `key` in words, with its unit, such as "15 minutes" or
    "on".
    """
    if isinstance(value, bool):
        return tr("on") if value else tr("off")
    if isinstance(value, (list, tuple)) and key in HOURS_KEYS:
        return ", ".join(hours_words(str(line)) for line in value) or tr("empty")
    text = field_text(value, unit, key)
    if told := zero_words(value, key):
        return told
    if unit is NumberUnit.PERCENT:
        return tr("%1%", text)
    text = value_words(key, text)
    return f"{text} {unit_beside(value, unit, key)}".strip() or tr("empty")


def allowed(one: Json, unit: NumberUnit | None) -> str:
    """Describe in words which values a setting may have; `one` is the setting's JSON from the
    service.

    Bounds of a share are in percent.
    """
    if unit is NumberUnit.PERCENT:
        bounds = _NUMBER.sub(lambda m: f"{float(m[0]) * 100:.12g}", str(one.get("allowed", "")))
        one = {**one, "allowed": bounds}
    if isinstance(one.get("value"), bool):
        return tr("on or off")
    if texts := choices(one):
        return tr("one of %1", ", ".join(value_words(str(one["key"]), text) for text in texts))
    return translated(one, "allowed")


def choices(one: Json) -> tuple[str, ...]:
    """Return the fixed texts that a setting accepts as values; empty if it also accepts other
    values.

    `one` is the setting's JSON from the service.
    """
    text = str(one.get("allowed", ""))
    return tuple(re.findall(r'"([^"]*)"', text)) if text.startswith("one of ") else ()
