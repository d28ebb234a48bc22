"""Values of settings as people read and type them: numbers with their units, shares in percent.

The service takes and sends plain values; a key's ending tells the unit of a number.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, Final

from lull.desktop.words import counted, decimal_point, told, tr

Json = dict[str, Any]
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


class SettingUnit(StrEnum):
    """Units of numbers; each is the ending of its settings' keys."""

    MILLISECONDS = "ms"
    SECONDS = "s"
    MINUTES = "min"
    HOURS = "hours"
    DAYS = "days"
    MEGABYTES = "mb"
    TOKENS = "tokens"
    PERCENT = "share"
    """The service's value is a share from 0 to 1."""


_OTHER_SHARES: Final = frozenset({"idle.memory_pressure", "learning.alpha"})


def unit_of(key: str, value: object) -> SettingUnit | None:
    """Return the unit of a setting's value; None for what is no number, or one without a unit."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if key in _OTHER_SHARES:
        return SettingUnit.PERCENT
    ending = key.rsplit("_", 1)[-1]
    return next((unit for unit in SettingUnit if unit.value == ending), None)


def unit_words(unit: SettingUnit | None, value: object = None) -> str:
    """Return the unit in words, in the singular for a value of 1."""
    number = 1 if value == 1 else 2
    match unit:
        case SettingUnit.MILLISECONDS:
            return counted(number, "millisecond", "milliseconds")
        case SettingUnit.SECONDS:
            return counted(number, "second", "seconds")
        case SettingUnit.MINUTES:
            return counted(number, "minute", "minutes")
        case SettingUnit.HOURS:
            return counted(number, "hour", "hours")
        case SettingUnit.DAYS:
            return counted(number, "day", "days")
        case SettingUnit.TOKENS:
            return counted(number, "token", "tokens")
        case SettingUnit.MEGABYTES:
            return tr("MB")
        case SettingUnit.PERCENT:
            return "%"
    return ""


# What stands in a field


def shown(value: object, unit: SettingUnit | None) -> str:
    """Return a value as it stands in its field, without its unit."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return sent(value)
    number = value * 100 if unit is SettingUnit.PERCENT else value
    return f"{number:.12g}".replace(".", decimal_point())


def typed(text: str, unit: SettingUnit | None) -> str:
    """Return the number that a user typed in the form that the service takes; what is no number
    goes to the service as it is, which says what is wrong with it.
    """
    text = text.strip()
    plain = text.removesuffix("%").strip() if unit is SettingUnit.PERCENT else text
    plain = plain.replace(decimal_point(), ".")
    if not _NUMBER.fullmatch(plain):
        return text
    return f"{float(plain) / 100:.12g}" if unit is SettingUnit.PERCENT else plain


def sent(value: object) -> str:
    """Return a value in the form that `lull settings set` accepts."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(one) for one in value)
    return "" if value is None else str(value)


# What is said of a value


def said(value: object, unit: SettingUnit | None) -> str:
    """Return a value in words, with its unit."""
    if isinstance(value, bool):
        return tr("on") if value else tr("off")
    text = shown(value, unit)
    if unit is SettingUnit.PERCENT:
        return tr("%1%", text)
    return f"{text} {unit_words(unit, value)}".strip() or tr("empty")


def allowed(one: Json, unit: SettingUnit | None) -> str:
    """Return what a setting's value must be, in words; of a share in percent, as it is typed."""
    if unit is SettingUnit.PERCENT:
        bounds = _NUMBER.sub(lambda m: f"{float(m[0]) * 100:.12g}", str(one.get("allowed", "")))
        one = {**one, "allowed": bounds}
    return told(one, "allowed")


def choices(one: Json) -> tuple[str, ...]:
    """Return the texts of which the setting's value must be one; empty if it may be any."""
    text = str(one.get("allowed", ""))
    return tuple(re.findall(r'"([^"]*)"', text)) if text.startswith("one of ") else ()
