"""Tests of the translation catalogues: reading one, that each is whole, the choice of language."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from shutil import copy2

import pytest
from PySide6.QtCore import QLocale, QSettings
from PySide6.QtWidgets import QApplication, QDialogButtonBox

from lull.core.errors import ResourceError
from lull.desktop.language import language_choice as choice
from lull.desktop.language.catalogue import Catalogue, read_catalogue
from lull.desktop.language.words import (
    ago,
    count,
    counted,
    length,
    parsed,
    percent,
    short_date,
    signed,
    tr,
    translated,
)
from tests.desktop.language import texts

PATHS = texts.CATALOGUES
TRANSLATED = [path for path in PATHS if path.stem != choice.ENGLISH]
_PLACE = re.compile(r"%[1-9]")
_COMMAND = re.compile(r"`[^`]*`")


def english_catalogue() -> Path:
    (path,) = set(PATHS) - set(TRANSLATED)
    return path


def test_every_language_that_can_be_chosen_has_a_catalogue() -> None:
    assert {path.stem for path in PATHS} == set(choice.LANGUAGES)


@pytest.fixture(scope="module")
def found() -> texts.Found:
    return texts.found()


@pytest.mark.slow
def test_every_text_of_the_window_is_seen_in_its_source(found: texts.Found) -> None:
    assert found.unseen == []
    assert len(found.texts) > 800


@pytest.mark.parametrize("path", TRANSLATED, ids=lambda path: path.stem)
def test_a_catalogue_says_every_text_and_no_other(path: Path, found: texts.Found) -> None:
    said = read_catalogue(path)
    assert said.texts.keys() == found.texts.keys()
    assert said.counted.keys() == found.counted.keys()
    assert said.coded.keys() == found.coded.keys()
    assert said.sentences.keys() == found.sentences.keys()
    assert path.read_text("utf-8") == texts.written(found, said, code=path.stem)


def test_english_is_worded_for_the_window_where_the_service_names_a_command(
    found: texts.Found,
) -> None:
    path = english_catalogue()
    said = read_catalogue(path)
    told = {text for text in found.sentences if texts.names_command(text)}
    assert len(told) > 70 and told <= said.sentences.keys() <= found.sentences.keys()
    assert not [text for text in found.coded.values() if texts.names_command(text)]
    assert said.coded.keys() <= found.coded.keys() and not said.texts and not said.counted
    assert path.read_text("utf-8") == texts.written(found, said, code=path.stem)


def test_english_has_each_text_that_names_a_skill_so_that_its_title_is_read() -> None:
    said = read_catalogue(english_catalogue()).coded
    codes = set()
    for path in (texts.APP / "lull").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "coded_text":
                values = [ast.unparse(value) for value in call.args[2:]]
                if any(value.startswith("TextSkillName(") for value in values):
                    codes.add(ast.literal_eval(call.args[0]))
    assert len(codes) > 5 and codes <= said.keys()
    told = {"text": "Testing the skill menu-style", "code": "work-proof"}
    assert translated({**told, "values": [{"skill": "menu-style"}]}) == (
        "Testing the skill “Menu style”"
    )


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_translation_has_the_places_of_its_text_and_no_command_of_lull(
    path: Path, found: texts.Found
) -> None:
    said = read_catalogue(path)
    pairs = [*said.texts.items(), *((found.coded[key], said.coded[key]) for key in said.coded)]
    pairs += said.sentences.items()
    pairs += [(one, pair[n]) for ones, pair in said.counted.items() for n, one in enumerate(ones)]
    wrong = [
        (text, translation)
        for text, translation in pairs
        if not translation
        or not _same_places(text, translation)
        or (texts.names_command(translation) and not text.startswith("Ask for a model as"))
        or (text[:1].isspace(), text[-1:].isspace())
        != (translation[:1].isspace(), translation[-1:].isspace())
    ]
    assert wrong == []


def _same_places(text: str, translation: str) -> bool:
    """Return whether both have the same places, and the translation no further command.

    What is worded for the window may leave out the place that a command had.
    """
    places, told = (sorted(_PLACE.findall(one)) for one in (text, translation))
    if texts.names_command(text):
        return set(told) <= set(places)
    return places == told and set(_commands(translation)) <= set(_commands(text))


def _commands(text: str) -> list[str]:
    return _COMMAND.findall(text)


def test_what_is_no_line_of_a_catalogue_is_named_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "xx.po"
    for number, text in (
        (1, "msgid\n"),
        (2, 'msgid "a"\nmsgstr "b\n'),
        (3, 'msgid "a"\nmsgstr "b"\nmsgid "c"\n'),
        (1, '"a"\n'),
        (2, 'msgid "a"\nmsgstr "\\q"\n'),
    ):
        path.write_text(text, "utf-8")
        with pytest.raises(ResourceError, match=f"line {number}"):
            read_catalogue(path)
    path.write_bytes(b'msgid "\xff"\n')
    with pytest.raises(ResourceError, match="cannot be read"):
        read_catalogue(path)
    with pytest.raises(ResourceError, match="cannot be read"):
        read_catalogue(tmp_path / "none.po")


def test_a_catalogue_is_read_with_its_continued_lines_pairs_and_codes(tmp_path: Path) -> None:
    path = tmp_path / "xx.po"
    path.write_text(
        'msgid ""\nmsgstr ""\n"Language: xx\\n"\n\n'
        '# of a translator\nmsgid ""\n"a “b” "\n"\\"c\\"\\n"\nmsgstr "d"\n\n\n'
        'msgid "%1 e"\nmsgid_plural "%1 es"\nmsgstr[0] "%1 f"\nmsgstr[1] "%1 fs"\n\n'
        'msgctxt "gate.heat"\nmsgid "It is hot."\nmsgstr "g"',
        "utf-8",
    )
    assert read_catalogue(path) == Catalogue(
        texts={'a “b” "c"\n': "d"},
        counted={("%1 e", "%1 es"): ("%1 f", "%1 fs")},
        coded={"gate.heat": "g"},
        worded={"It is hot.": "g"},
    )


def test_the_language_is_the_chosen_one_or_the_systems_or_english(tmp_path: Path) -> None:
    preferences = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    assert choice.chosen_language(preferences) == choice.SYSTEM
    for stored, told in (("de", "de"), ("en", "en"), ("tlh", choice.SYSTEM)):
        preferences.setValue(choice.LANGUAGE, stored)
        assert choice.chosen_language(preferences) == told
    german, austrian, french = QLocale("de_DE"), QLocale("de_AT"), QLocale("fr_FR")
    assert choice.resolved_language("en", german) == "en"
    assert choice.resolved_language("de", french) == "de"
    assert choice.resolved_language(choice.SYSTEM, german) == "de"
    assert choice.resolved_language(choice.SYSTEM, austrian) == "de"
    assert choice.resolved_language(choice.SYSTEM, french) == "en"
    assert choice.resolved_language(choice.SYSTEM, QLocale.c()) == "en"


@pytest.mark.slow
def test_english_numbers_and_times_are_as_ever(qapp: QApplication) -> None:
    choice.apply_language(qapp, choice.ENGLISH)
    at = parsed("2026-11-23T17:00:00+00:00")
    assert at is not None
    assert (count(12_345), signed(-0.5), percent(0.456)) == ("12,345", "−0.50", "46%")
    assert length(3 * 86_400 + 7_200) == "3 d 2 h"
    assert ago("2026-11-20T16:00:00+00:00", at) == "3 d ago"
    assert (
        short_date("2026-11-23T17:00:00+00:00")
        == f"{at.astimezone().day} {at.astimezone():%b %Y %H:%M}"
    )


@pytest.mark.usefixtures("german")
def test_german_numbers_and_times_are_as_germans_write_them() -> None:
    at = parsed("2026-11-23T17:00:00+00:00")
    assert at is not None
    assert (count(12_345), signed(-0.5), percent(0.456)) == ("12.345", "−0,50", "46\u00a0%")
    assert length(3 * 86_400 + 7_200) == "3 Tage 2 h"
    assert length(86_400) == "1 Tag"
    assert ago("2026-11-20T16:00:00+00:00", at) == "vor 3 Tagen"
    assert short_date("2026-11-23T17:00:00+00:00") == f"{at.astimezone():%d.%m.%Y %H:%M}"
    assert counted(1, "%1 request", "%1 requests") == "1 Anfrage"
    assert counted(1_000, "%1 request", "%1 requests") == "1.000 Anfragen"
    assert tr("Approve “%1”?", "%1 x") == "„%1 x“ annehmen?"


def test_the_buttons_of_qts_own_dialogs_follow(qapp: QApplication, german: None) -> None:
    def cancel() -> str:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        return box.buttons()[0].text().replace("&", "")

    assert cancel() == "Abbrechen"
    choice.apply_language(qapp, choice.ENGLISH)
    assert cancel() == "Cancel"


@pytest.mark.logs("speaks English: .*cannot be read")
def test_a_damaged_catalogue_leaves_the_window_english(
    qapp: QApplication, german: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preferences = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    preferences.setValue(choice.LANGUAGE, "de")
    (tmp_path / "de.po").write_bytes(b"\xff\xfe")
    copy2(english_catalogue(), tmp_path)
    monkeypatch.setattr(choice, "languages_dir", lambda: tmp_path)
    assert tr("Settings") == "Einstellungen"
    choice.apply_chosen_language(qapp, preferences)
    assert tr("Settings") == "Settings"
