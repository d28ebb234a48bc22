"""Defines the rule of a setting: its default, its allowed values and the text that explains the
setting to users.

Value checks, error messages and the comments in the settings file all come from the rule. The
explanation is a value and not a docstring, because a frozen app has no source to read it from.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from lull.core.errors import SettingsError

SettingValue = bool | int | float | str | tuple[str, ...]
T = TypeVar("T", bool, int, float, str, tuple[str, ...])

_QUOTES = frozenset((('"', '"'), ("'", "'"), ("“", "”"), ("„", "“"), ("‘", "’"), ("«", "»")))
_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A setting's default, its allowed values and the text that explains it to users (`why`). The
    default's type is the setting's type.
    """

    default: SettingValue
    why: str
    at_least: float | None = None
    at_most: float | None = None
    choices: tuple[str, ...] = ()
    fits: Callable[[str], bool] | None = None
    """Function that tells whether a text value, or each text of a list, is allowed."""
    form: str = ""
    """Description of the texts that `fits` allows, for error messages."""
    held: bool = False
    """Whether an out-of-bounds number in the settings file is replaced by the nearest allowed one
    instead of being refused, because an earlier version of Lull allowed it.
    """
    names_entries: bool = False
    """Whether an error about a list quotes only the wrong entry, not the whole list."""

    @property
    def allowed(self) -> str:
        """The setting's allowed values, in words that complete "It must be"."""
        if self.choices:
            return "one of " + ", ".join(f'"{choice}"' for choice in self.choices)
        match self.default:
            case bool():
                return "true or false"
            case int() | float():
                kind = "a whole number" if isinstance(self.default, int) else "a number"
                return f"{kind}{self._range()}"
            case str():
                return self.form or "text"
            case _:
                return f"a list in which each entry is {self.form or 'text'}"

    def _range(self) -> str:
        if self.at_least is not None and self.at_most is not None:
            return f" from {self.at_least} to {self.at_most}"
        return f" of at least {self.at_least}" if self.at_least is not None else ""

    def accept(self, found: object) -> SettingValue:
        """Convert a TOML value to the setting's type.

        Raises SettingsError for a value not allowed.
        """
        value = self._typed(found)
        if value is None or not self._in_bounds(value):
            wrong = self._wrong_entry(value)
            if wrong is not None:
                raise SettingsError(f"Can't read {_shown(wrong)}.", hint=f"It must be {self.form}.")
            raise SettingsError(
                f"{_shown(found)} is not allowed.", hint=f"It must be {self.allowed}."
            )
        return value

    def nearest(self, found: object) -> SettingValue | None:
        """Return the nearest allowed value for a number that is out of the setting's bounds. None
        if the number is allowed, or if the setting refuses numbers out of bounds (`held` is False).
        """
        value = self._typed(found) if self.held else None
        if not isinstance(value, int | float) or isinstance(value, bool) or self._in_bounds(value):
            return None
        below = self.at_least is not None and value < self.at_least
        bound = self.at_least if below else self.at_most
        return None if bound is None else type(self.default)(bound)  # type: ignore[arg-type]

    def _wrong_entry(self, value: SettingValue | None) -> str | None:
        """The first entry of a list that has not the form that each must have."""
        if not isinstance(value, tuple) or not self.fits or not self.names_entries:
            return None
        return next((one for one in value if not self.fits(one)), None)

    def from_text(self, text: str) -> SettingValue:
        """Convert the text that a user typed as the value of a setting to the setting's type.
        Raises SettingsError for a value not allowed.
        """
        return self.accept(self._read(text))

    def _typed(self, found: object) -> SettingValue | None:
        match self.default:
            case bool():
                return found if isinstance(found, bool) else None
            case int():
                return found if isinstance(found, int) and not isinstance(found, bool) else None
            case float():
                plain = isinstance(found, int | float) and not isinstance(found, bool)
                return _float(found) if plain else None
            case str():
                return found if isinstance(found, str) else None
            case _:
                texts = isinstance(found, list) and all(isinstance(entry, str) for entry in found)
                return tuple(found) if texts and isinstance(found, list) else None

    def _in_bounds(self, value: SettingValue) -> bool:
        if isinstance(value, int | float):
            low = self.at_least is None or value >= self.at_least
            return low and (self.at_most is None or value <= self.at_most)
        texts = (value,) if isinstance(value, str) else value
        if self.choices:
            return all(text in self.choices for text in texts)
        return all(text.isprintable() and (not self.fits or self.fits(text)) for text in texts)

    def _read(self, text: str) -> object:
        plain = text.strip()
        match self.default:
            case bool():
                return plain.lower() in _YES if plain.lower() in (*_YES, *_NO) else text
            case int():
                return int(plain) if re.fullmatch(r"[+-]?\d{1,18}", plain) else text
            case float():
                return float(plain) if re.fullmatch(r"[+-]?\d+(\.\d+)?", plain) else text
            case str():
                return _unquoted(plain)
            case _:
                return _list(plain)


def _list(plain: str) -> object:
    """Parse entries between commas or semicolons, or a list as `lull settings show` prints it."""
    if plain.startswith("["):
        try:
            return json.loads(plain)
        except (ValueError, RecursionError):
            pass  # the broken list becomes entries, which are then refused
    entries = (_unquoted(entry.strip()) for entry in re.split("[,;]", plain))
    return [entry for entry in entries if entry]


def _unquoted(text: str) -> str:
    """Return a typed text without the quotes around it: they stand in the examples, and are no part
    of a name.
    """
    quoted = len(text) > 1 and (text[0], text[-1]) in _QUOTES
    return text[1:-1].strip() if quoted else text


def setting(
    default: T,
    why: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    choices: tuple[str, ...] = (),
    fits: Callable[[str], bool] | None = None,
    form: str = "",
    held: bool = False,
    names_entries: bool = False,
) -> T:
    """Declare a setting as a dataclass field, with its rule (default, allowed values and
    explanation) as metadata.
    """
    rule = Rule(
        default=default,
        why=why,
        at_least=at_least,
        at_most=at_most,
        choices=choices,
        fits=fits,
        form=form,
        held=held,
        names_entries=names_entries,
    )
    return field(default=default, metadata={Rule: rule})


def _float(found: object) -> float | None:
    """The number as a float; None for nan, inf and integers too large for a float."""
    try:
        value = float(found)  # type: ignore[arg-type]
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def _shown(found: object) -> str:
    if isinstance(found, dict):
        return "A group"
    if isinstance(found, bool | int | float | str | list):
        text = json.dumps(found, ensure_ascii=False, default=str)
        return text if len(text) <= 60 else f"{text[:60]}…"
    return str(found)
