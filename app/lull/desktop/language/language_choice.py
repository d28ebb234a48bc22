"""Chooses the window's language: the user's choice in Settings, or the system's."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QSettings, QTranslator

from lull.core.errors import ResourceError
from lull.desktop.language.catalogue import Catalogue, read_catalogue
from lull.desktop.language.words import set_language
from lull.resources import languages_dir

_log = logging.getLogger(__name__)

LANGUAGE: Final = "window/language"
SYSTEM: Final = "system"
ENGLISH: Final = "en"
LANGUAGES: Final[Mapping[str, str]] = {ENGLISH: "English", "de": "Deutsch"}
"""The languages of the window by their codes, each with its name in that language."""


_read_once = lru_cache(maxsize=len(LANGUAGES))(read_catalogue)
"""The catalogues are files of the app, which stay as they are while it runs."""


def chosen_language(preferences: QSettings) -> str:
    """Return the user's choice of a language for the window: a code in `LANGUAGES`, or `SYSTEM` for
    the system's language.
    """
    found = str(preferences.value(LANGUAGE, SYSTEM))
    return found if found in LANGUAGES else SYSTEM


def resolved_language(choice: str, system: QLocale | None = None) -> str:
    """Return the code of the window's language for the user's choice, which is a code or `SYSTEM`.

    For `SYSTEM` it is the first language in the system's list of the user's languages that the
    window has, else English.
    """
    if choice in LANGUAGES:
        return choice
    asked = (name.replace("_", "-").split("-")[0] for name in _named(system or QLocale.system()))
    return next((name for name in asked if name in LANGUAGES), ENGLISH)


def _named(system: QLocale) -> list[str]:
    return [str(name) for name in system.uiLanguages()]


def apply_chosen_language(app: QCoreApplication, preferences: QSettings) -> None:
    """Set the window's language to the user's choice; texts made from now on are in that language.

    If the language's catalogue of translations is damaged, the window is in English, so that it
    opens anyway.
    """
    for language in (resolved_language(chosen_language(preferences)), ENGLISH):
        try:
            apply_language(app, language)
            return
        except ResourceError as error:
            _log.error("the window speaks English: %s", error.detail)
    set_language(Catalogue(), QLocale(QLocale.Language.English))


def apply_language(app: QCoreApplication, language: str) -> None:
    """Set the window's language to the one with this code. Raises ResourceError if its catalogue is
    damaged.

    English has one as well: for what the service says otherwise in a terminal.
    """
    for one in app.findChildren(QTranslator):
        app.removeTranslator(one)
        one.deleteLater()
    english = QLocale(QLocale.Language.English)
    catalogue = _read_once(languages_dir() / f"{language}.po")
    set_language(catalogue, english if language == ENGLISH else QLocale(language))
    # Qt's own words: the buttons of its dialogs, the menu of a text field.
    own = QTranslator(app)
    if own.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(own)
