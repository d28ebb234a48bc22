"""What one setting may be, and why it is what it is: said once, beside its default.

From here come the check of a value, the words of an error, and the comment in the settings file.
The reason is kept as a value, not as a docstring: a frozen app carries no source to read it from.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from lull.core.errors import SettingsError

Value = bool | int | float | str | tuple[str, ...]
T = TypeVar("T", bool, int, float, str, tuple[str, ...])

_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The default's type is the setting's type."""

    default: Value
    why: str
    at_least: float | None = None
    at_most: float | None = None
    choices: tuple[str, ...] = ()
    fits: Callable[[str], bool] | None = None
    """For a text, or for each text of a list."""
    form: str = ""
    """In words, what `fits` lets through."""

    @property
    def allowed(self) -> str:
        """Goes on from "It must be"."""
        if self.choices:
            return "one of " + ", ".join(f'"{choice}"' for choice in self.choices)
        match self.default:
            case bool():
                return "true or false"
            case int() | float():
                kind = "a whole number" if isinstance(self.default, int) else "a number"
                return f"{kind}{self._range()}"
            case str():
                return self.form or "a text"
            case _:
                return f"a list in which each entry is {self.form or 'a text'}"

    def _range(self) -> str:
        if self.at_least is not None and self.at_most is not None:
            return f" from {self.at_least} to {self.at_most}"
        return f" of at least {self.at_least}" if self.at_least is not None else ""

    def accept(self, found: object) -> Value:
        """A value as TOML gives it, in the setting's own type. Raises SettingsError otherwise."""
        value = self._typed(found)
        if value is None or not self._in_bounds(value):
            raise SettingsError(
                f"{_shown(found)} is not allowed.", hint=f"It must be {self.allowed}."
            )
        return value

    def from_text(self, text: str) -> Value:
        """A value as a person types it after `settings set KEY`."""
        return self.accept(self._read(text))

    def _typed(self, found: object) -> Value | None:
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

    def _in_bounds(self, value: Value) -> bool:
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
                return plain
            case _:
                return _list(plain)


def _list(plain: str) -> object:
    """Entries with commas between them, or a list as `lull settings show` prints it."""
    if plain.startswith("["):
        try:
            return json.loads(plain)
        except (ValueError, RecursionError):
            pass  # what came instead is refused by name
    return [entry.strip() for entry in plain.split(",") if entry.strip()]


def setting(
    default: T,
    why: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    choices: tuple[str, ...] = (),
    fits: Callable[[str], bool] | None = None,
    form: str = "",
) -> T:
    """A field of a settings group."""
    rule = Rule(
        default=default,
        why=why,
        at_least=at_least,
        at_most=at_most,
        choices=choices,
        fits=fits,
        form=form,
    )
    return field(default=default, metadata={Rule: rule})


def _float(found: object) -> float | None:
    """TOML knows nan and inf, and whole numbers of any length; no setting does."""
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
