"""Reads the settings file, writes a first one with all defaults, and changes single settings in it.

A change is checked before the file is touched, and keeps the user's comments and layout.
"""

from __future__ import annotations

import stat
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lull.config.private_file import NotSyncedError, write_private
from lull.config.reading import SettingKey, load_toml, parse_settings, rule_of, rules
from lull.config.rules import SettingValue
from lull.config.settings import Settings
from lull.config.template import as_toml, default_text, uncommented
from lull.core.errors import SettingsError

FILE_LIMIT = 64 * 1024
"""Largest settings file that is read, in bytes; a file with every setting has about a tenth of
that.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingView:
    """One setting with its value, default, allowed values and the text that explains it, for `lull
    settings show`.
    """

    key: str
    value: SettingValue
    default: SettingValue
    reason: str
    allowed: str
    """The setting's allowed values, in words that complete "It must be"."""


def read(path: Path) -> Settings:
    """Return the settings in a file, or the defaults when there is none. Raises SettingsError."""
    text = _text_of(path)
    return Settings() if text is None else parse_settings(text, str(path))


def write_default(path: Path) -> bool:
    """Write a settings file with all defaults in comments, unless one exists.

    Returns True when it was written.
    """
    if _text_of(path) is not None:
        return False
    _write(path, default_text())
    return True


def set_value(path: Path, key: str, typed: str) -> Settings:
    """Change one setting in the file and return all settings.

    `typed` is the new value as the user typed it; it is converted to the setting's type. Raises
    SettingsError, and then leaves the file unchanged, unless it says otherwise.
    """
    where, rule = rule_of(key)
    try:
        value = rule.from_text(typed)
    except SettingsError as error:
        raise SettingsError(f"{key}: {error.detail}", hint=error.hint) from error
    text = _text_of(path)
    after = _edited(default_text() if text is None else text, where, value, path)
    try:
        settings = parse_settings(after, str(path))
    except SettingsError as error:
        raise SettingsError(f"{key} was not changed: {error.detail}", hint=error.hint) from error
    _write(path, after)
    return settings


def describe_settings(settings: Settings) -> list[SettingView]:
    """Return every setting with its value, default, allowed values and the text that explains it,
    in the order of the settings file.
    """
    return [
        SettingView(
            key=f"{group}.{name}",
            value=getattr(getattr(settings, group), name),
            default=rule.default,
            reason=rule.why,
            allowed=rule.allowed,
        )
        for (group, name), rule in rules().items()
    ]


def _edited(text: str, key: SettingKey, value: SettingValue, path: Path) -> str:
    """The text with one key set.

    tomlkit and tomllib may read a file differently, so the result is parsed again and must equal
    the old file with only this key changed.
    """
    group, name = key
    wanted = load_toml(text, str(path))
    if not isinstance(wanted.setdefault(group, {}), dict):
        parse_settings(text, str(path))  # says what is wrong with it
    wanted[group][name] = list(value) if isinstance(value, tuple) else value
    for start in (uncommented(text, key), text):
        after = _with_value(start, group, name, wanted[group][name])
        if after is not None and _says(after, wanted):
            return after
    raise SettingsError(
        f"{path} is written in a way that cannot be changed from here.",
        hint=f"Write {name} = {as_toml(value)} below [{group}] yourself.",
    )


def _with_value(text: str, group: str, name: str, value: object) -> str | None:
    """The text edited by tomlkit, or None when that fails."""
    import tomlkit  # here, because the start only reads and should be quick
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        if group not in document:
            document[group] = tomlkit.table()
        document[group][name] = value
        return document.as_string()
    except TOMLKitError:
        return None


def _says(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _text_of(path: Path) -> str | None:
    """The file's text, or None when there is no file."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise SettingsError(f"{path} is not a plain file.", hint="Move it away.")
        if found.st_size > FILE_LIMIT:
            raise SettingsError(
                f"{path} has {found.st_size} bytes.", hint=f"At most {FILE_LIMIT} are read."
            )
        data = path.read_bytes()
    except FileNotFoundError:
        if path.is_symlink():
            raise SettingsError(
                f"{path} is a link to {path.readlink()}, which does not exist.",
                hint="Fix the link or remove it.",
            ) from None
        return None
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be read: {error.strerror}.", hint="Check whose file it is."
        ) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SettingsError(f"{path}, line {line}: not UTF-8.", hint="Save it as UTF-8.") from error


def _write(path: Path, text: str) -> None:
    try:
        write_private(path, text.encode())
    except NotSyncedError as error:
        raise SettingsError(
            f"{path} was written, but the disk does not say that it is safe: {error.strerror}.",
            hint="The new value stands in the file. A power cut may undo it.",
        ) from error
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be written: {error.strerror}.", hint="The file was not changed."
        ) from error
