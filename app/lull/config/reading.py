"""Parses the text of a settings file. Errors name the line.

Unknown groups and keys are errors, because a misspelt key would otherwise silently do nothing.
"""

from __future__ import annotations

import difflib
import logging
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import Field, fields, replace
from typing import Any

from lull.config.addresses import is_loopback
from lull.config.key_lines import key_lines
from lull.config.rules import Rule, SettingValue
from lull.config.settings import Settings
from lull.core.errors import SettingsError

log = logging.getLogger(__name__)

SettingKey = tuple[str, str]
"""A setting's (group, name)."""

_AT = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def rules() -> dict[SettingKey, Rule]:
    """Return the rule of every setting (its default, allowed values and explanation), in the order
    of the settings file.
    """
    defaults = Settings()
    return {
        (group.name, one.name): one.metadata[Rule]
        for group in fields(Settings)
        for one in fields(getattr(defaults, group.name))
    }


def rule_of(key: str) -> tuple[SettingKey, Rule]:
    """Return the rule (default, allowed values and explanation) of the setting with this key, such
    as `group.name`.

    Raises SettingsError when there is none.
    """
    group, _, name = key.partition(".")
    rule = rules().get((group, name))
    if rule is None:
        raise SettingsError(f"There is no setting '{key[:80]}'.", hint=similar_keys_hint(key))
    return (group, name), rule


def parse_settings(text: str, where: str) -> Settings:
    """Parse the settings in a file's text. Raises SettingsError that names the file (`where`) and
    the line.
    """
    return _Reading(text, where).settings()


def load_toml(text: str, where: str) -> dict[str, Any]:
    """Parse a TOML text. Raises SettingsError with the line in which it is wrong."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = _AT.search(str(error))
        line = at[1] if at and at[1] else text.rstrip().count("\n") + 1
        what = _AT.sub("", str(error))
        raise SettingsError(
            f"{where}, line {line}: this is not TOML: “{what}”.",
            hint='A setting is a line such as port = 11435; text goes in "quotes".',
        ) from error
    except (ValueError, RecursionError) as error:  # endless digits, endless brackets
        raise SettingsError(f"{where} cannot be read as TOML.", hint="Correct it.") from error


def find_contradiction(settings: Settings) -> tuple[SettingKey, SettingsError] | None:
    """Return the first setting that contradicts another one, by its group and name, with the error
    to raise; None if no settings contradict each other.
    """
    service = settings.service
    if not is_loopback(service.bind) and not service.allow_network:
        return ("service", "bind"), SettingsError(
            f'“service.bind” is "{service.bind}", which other machines can reach, and '
            "“service.allow_network” is false.",
            hint="Set service.allow_network to true first if you want that.",
        )
    return None


def with_value(settings: Settings, key: SettingKey, value: SettingValue) -> Settings:
    """Return the settings with another value for one of them."""
    group, name = key
    changed: dict[str, Any] = {name: value}
    return replace(settings, **{group: replace(getattr(settings, group), **changed)})


class _Reading:
    """Parses one text; line numbers are looked up only for an error."""

    def __init__(self, text: str, where: str) -> None:
        self._text = text
        self._where = where
        self._rules = rules()
        self._groups: dict[str, Field[Any]] = {group.name: group for group in fields(Settings)}

    def settings(self) -> Settings:
        settings = Settings()
        for group, table in load_toml(self._text, self._where).items():
            if group not in self._groups:
                raise self._unknown_group(group, table)
            if not isinstance(table, dict):
                raise self._error(
                    (group,), f"[{group}] is a group.", f"Write [{group}] and its keys below it."
                )
            for key, value in self._values(group, table).items():
                settings = with_value(settings, key, value)
        problem = find_contradiction(settings)
        if problem is not None:
            raise self._error(problem[0], problem[1].detail, problem[1].hint)
        return settings

    def _values(self, group: str, table: Mapping[str, object]) -> dict[SettingKey, SettingValue]:
        values: dict[SettingKey, SettingValue] = {}
        for name, found in table.items():
            rule = self._rules.get((group, name))
            if rule is None:
                raise self._unknown_key(group, name)
            try:
                values[group, name] = rule.accept(found)
            except SettingsError as error:
                held = rule.nearest(found)
                if held is None:
                    raise self._error(
                        (group, name), f"{name} in [{group}]: {error.detail}", error.hint
                    ) from error
                values[group, name] = held
                self._tell_held((group, name), found, held, rule)
        return values

    def _tell_held(self, key: SettingKey, found: object, held: SettingValue, rule: Rule) -> None:
        line = key_lines(self._text).get(key, 1)
        log.warning(
            "%s, line %d: %s in [%s] is %s, and is read as %s: it must be %s.",
            *(self._where, line, key[1], key[0], found, held, rule.allowed),
        )

    def _unknown_group(self, group: str, table: object) -> SettingsError:
        if isinstance(table, dict):
            return self._error((group,), f"Unknown group [{group}].", _near(group, self._groups))
        home = [f"[{owner}]" for owner, name in self._rules if name == group]
        hint = f"It belongs below {', '.join(home)}." if home else similar_keys_hint(group)
        return self._error((group,), f"Unknown key '{group}' outside of any group.", hint)

    def _unknown_key(self, group: str, name: str) -> SettingsError:
        own = [key for owner, key in self._rules if owner == group]
        home = [f"[{owner}]" for owner, key in self._rules if key == name]
        hint = f"It belongs below {', '.join(home)}." if home else _near(name, own)
        return self._error((group, name), f"Unknown key '{name}' in [{group}].", hint)

    def _error(self, path: tuple[str, ...], detail: str, hint: str) -> SettingsError:
        line = key_lines(self._text).get(path, 1)
        return SettingsError(f"{self._where}, line {line}: {detail}", hint=hint)


def similar_keys_hint(word: str) -> str:
    """Return a hint for an unknown settings key: the names of existing settings that the user may
    have meant by `word`.
    """
    groups: dict[str, list[str]] = {}
    for group, name in rules():
        groups.setdefault(group, []).append(name)
    group, _, last = word.rpartition(".")
    own = groups.get(group or word, [])
    if near := difflib.get_close_matches(last, own, n=3):
        return _meant(f"{group}.{name}" for name in near)
    everywhere = [(one, name) for one, names in groups.items() for name in names]
    alike = difflib.get_close_matches(last, [name for _, name in everywhere], n=3, cutoff=0.75)
    if alike and not (own and not group):
        return _meant(f"{one}.{name}" for one, name in everywhere if name in alike)
    if own:
        return f"There are: {', '.join(f'{group or word}.{name}' for name in own)}."
    if near := difflib.get_close_matches(word, [".".join(key) for key in everywhere]):
        return _meant(near)
    known = ", ".join(groups)
    return f"A setting is GROUP.NAME, of the groups {known}; `lull settings show` lists them all."


def _meant(keys: Iterable[str]) -> str:
    return f"Did you mean {', '.join(repr(key) for key in keys)}?"


def _near(word: str, known: Mapping[str, object] | list[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f"Did you mean '{close[0]}'?" if close else f"There are: {', '.join(known)}."
