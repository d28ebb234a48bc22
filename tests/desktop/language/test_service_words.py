"""Tests of the service's texts in the window's language: by code and values, else by wording."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lull.core.calendars.event import Calendar, Meaning
from lull.core.checks.reading import parse, parse_all
from lull.core.checks.wording import all_in_words, in_words
from lull.core.errors import StoreError
from lull.core.feedback.calibration import may_train_on_judge, wilson
from lull.core.idle.hours import parse_hours
from lull.core.idle.policy import IdleWindow, decide
from lull.core.idle.rule import IdleRule
from lull.core.idle.signals import IdleSignals
from lull.core.text.coded_text import coded, coded_text
from lull.desktop.language.recognising import SentenceTranslator
from lull.desktop.language.words import problem_text, reword_for_window, translated
from lull.service.answers.checks import exams, runtime
from lull.service.idle.checks import lulls
from lull.store.backups.witness import Witness
from tests.desktop.language.test_german_window import ENGLISH_WORDS

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
FINE: dict[str, Any] = {
    "input_idle_s": 3_000.0,
    "locked": False,
    "on_mains": True,
    "battery_share": 0.9,
    "low_power": False,
    "hot": False,
    "load_of_others": 0.1,
    "memory_free_share": 0.5,
    "memory_pressure": 0.0,
    "call": False,
}
OTHERWISE: tuple[dict[str, Any], ...] = (
    {},
    {"input_idle_s": 3.0},
    {"locked": True},
    {"on_mains": False},
    {"low_power": True},
    {"hot": True},
    {"load_of_others": 0.9},
    {"memory_free_share": 0.01},
    {"memory_pressure": 0.9},
    {"call": True},
    {"exclusive_app": "blender"},
    {"chats_in_flight": 1},
    {"since_chat_s": 120.0},
    {"asleep_gap_s": 4_000.0},
)


def windows() -> Iterator[IdleWindow]:
    """Yield decisions about lulls that together say every reason there is."""
    for other in OTHERWISE:
        for known in ({**FINE, **other}, other):  # with all signals, and with none but this
            signals = IdleSignals(now=NOW, monotonic_s=9_000.0, **known)
            yield decide(signals, settings=IdleRule())
            rule = IdleRule(battery_ok=True, exclusive_apps=("blender",), enabled=not other)
            yield decide(signals, settings=rule, train_now=True)
    signals = IdleSignals(now=NOW, monotonic_s=9_000.0, **FINE)
    for line in ("mon-sun 00:00-23:00", "tue 08:00-09:00"):
        hours = (parse_hours(line),)
        yield decide(signals, settings=IdleRule(blocked_hours=hours))
        yield decide(signals, settings=IdleRule(allowed_hours=hours))
        yield decide(signals, settings=IdleRule(sleep_hours=hours))
    for pause in (NOW + timedelta(hours=1), datetime(9999, 1, 1, tzinfo=UTC)):
        yield decide(signals, settings=IdleRule(), paused_until=pause)
    for means in Meaning:
        for unread_s in (None, 9_000.0, float("inf")):
            calendar = Calendar(id="c", label="Arbeit", means=means, unread_s=unread_s)
            yield decide(signals, settings=IdleRule(), calendars=(calendar,))


@pytest.mark.usefixtures("german")
def test_every_reason_of_the_idle_policy_is_german() -> None:
    texts = set()
    for window in windows():
        answer = json.loads(json.dumps(window.as_dict()))
        texts.add(translated(answer, "because"))
        texts |= {translated(gate) for gate in answer["gates"]}
    assert len(texts) > 50
    assert sorted(text for text in texts if not text or ENGLISH_WORDS.search(text)) == []
    assert "Du bist da: Die letzte Eingabe ist weniger als 1 min her." in texts
    assert "50 % des Speichers sind frei; 20 % sind nötig." in {
        text.replace("\u00a0", " ") for text in texts
    }


def test_in_english_a_text_with_a_code_is_shown_as_the_service_says_it() -> None:
    for window in windows():
        answer = window.as_dict()
        assert translated(answer, "because") == answer["because"]


@pytest.mark.usefixtures("german")
def test_a_text_within_a_text_is_said_in_german_too() -> None:
    open_ = decide(IdleSignals(now=NOW, monotonic_s=9_000.0, **FINE), settings=IdleRule())
    window = open_.working(coded_text("working-on", "%1. %2", coded_text("x", "Y"), open_.because))
    assert translated(window.as_dict(), "because") == "Y. Schon 50 min kein Zeichen von dir."


@pytest.mark.usefixtures("german")
def test_an_unknown_code_falls_back_on_the_text() -> None:
    new = {"text": "Something new.", "code": "of-tomorrow", "values": [1]}
    assert translated(new) == "Something new."
    other = {"text": "No input, by %1.", "code": "input-none", "values": []}
    assert translated(other) == "No input, by %1."


@pytest.mark.usefixtures("german")
def test_an_error_is_recognised_by_its_wording_and_its_command_becomes_a_page() -> None:
    error = StoreError(
        "/home/me/lull.db cannot be written: what is said now is not recorded.",
        hint="`lull doctor` says why.",
    )
    assert translated(error.as_dict(), "title") == "Die Datenbank ist nicht nutzbar"
    assert problem_text(error.as_dict()) == (
        "/home/me/lull.db lässt sich nicht schreiben: Was jetzt gesagt wird, wird nicht "
        "aufgezeichnet. „Selbsttest starten“ auf der Seite „Protokoll“ sagt, warum."
    )


@pytest.mark.usefixtures("german")
def test_a_database_that_went_with_its_witness_is_told_in_one_language(tmp_path: Path) -> None:
    (tmp_path / "runs" / "run_1").mkdir(parents=True)
    database = tmp_path / "lull.db"
    (lost,) = Witness(database).find_losses()
    assert problem_text(lost.as_dict()).startswith(
        f"{database} ist weg, und mit ihr die Datei, in der stand, wie viel in ihr war. Von früher "
        "ist noch da: Skill-Texte 0, Adapter 0, Trainingsläufe 1. Kein Adapter ist im Einsatz. "
    )


@pytest.mark.usefixtures("german")
def test_damaged_files_of_which_only_some_are_named_are_told_in_one_language() -> None:
    for named, said in (
        ("a/b, a/c", "a/b, a/c"),
        ("a/b, a/c, and 2 more", "a/b, a/c und 2 weitere"),
    ):
        told = f"Damaged or gone, also in the newest backup: {named}. No old backup is deleted."
        assert reword_for_window(told) == (
            f"Beschädigt oder nicht mehr da, auch im neuesten Backup: {said}. "
            "Darum wird kein altes Backup gelöscht."
        )


@pytest.mark.usefixtures("german")
def test_sentences_and_clauses_in_a_row_are_recognised_one_by_one() -> None:
    assert reword_for_window("12 won, 3 lost of 15 pairs; 4 past successes stayed good") == (
        "besser in 12, schlechter in 3 von 15; 4 früher gute Antworten blieben gut"
    )
    assert reword_for_window("12 won, 3 lost of 15 pairs; and more") == (
        "12 won, 3 lost of 15 pairs; and more"
    )


def test_a_sentence_is_recognised_with_what_stands_in_its_places() -> None:
    known = SentenceTranslator(
        {
            "%1 of %2 were read": "von %2 wurden %1 gelesen",
            "It is %1.": "Es ist %1.",
            "very hot": "sehr heiß",
            "%1: %2": "%2 – %1",
            "not yet": "",
        }
    )
    for text, wanted in (
        ("3 of 4 were read", "von 4 wurden 3 gelesen"),
        ("a of b of c were read", "von b of c wurden a gelesen"),
        ("It is very hot.", "Es ist sehr heiß."),
        ("It is .", "Es ist ."),
        ("It is what nobody here has said.", None),
        ("It is", None),
        ("It is very hot. not yet", None),
        ("one: two", None),
        ("%1 of %2 were read", "von %2 wurden %1 gelesen"),
        ("", None),
    ):
        assert known.found(text) == wanted, text


def test_a_known_sentence_with_a_semicolon_is_recognised_beside_another_one() -> None:
    small = "The judge has not been compared with any check yet."
    inner = "2 past successes stayed good; 12 won, 3 lost of 15 pairs"
    known = SentenceTranslator({"One; two.": "Eins; zwei.", small: "Noch nie verglichen."})
    assert known.found(f"{small} One; two.") == "Noch nie verglichen. Eins; zwei."
    assert known.found(f"One; two. {small}") == "Eins; zwei. Noch nie verglichen."
    assert known.found(f"{small} {inner}") is None
    assert known.found(" ".join([small] * 17)) is not None
    assert known.found(" ".join([small] * 5_000)) is None, "the text of a user, and a long one"


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("check", "said"),
    [
        (
            {"kind": "words", "at_most": 25},
            "Die Antwort muss auf höchstens 25 Wörter begrenzt sein.",
        ),
        (
            {"kind": "sentences", "at_most": 1},
            "Die Antwort muss auf höchstens 1 Satz begrenzt sein.",
        ),
        ({"kind": "no_emoji"}, "Die Antwort muss ohne Emojis sein."),
        (
            {"kind": "emojis", "at_least": 1, "at_most": 1},
            "Die Antwort muss genau 1 Emoji haben.",
        ),
        (
            {"kind": "emojis", "at_least": 2, "at_most": 3},
            "Die Antwort muss 2 bis 3 Emojis haben.",
        ),
        (
            {"kind": "units", "value": "kilograms,celsius"},
            "Die Antwort muss Mengen in Kilogramm oder Celsius angeben.",
        ),
        (
            {"kind": "units", "value": "metres,only", "must": False},
            "Die Antwort darf nicht Mengen nur in Metern angeben.",
        ),
        (
            {"kind": "units", "value": "celsius,feet,fluid ounces,only"},
            "Die Antwort muss Mengen nur in Celsius oder Fuß oder Flüssigunzen angeben.",
        ),
        ({"kind": "no_apology"}, "Die Antwort darf nicht um Entschuldigung bitten."),
        ({"kind": "language", "value": "fr"}, "Die Antwort muss auf Französisch sein."),
        (
            {"kind": "ends", "value": "With warm regards from all of us here, Ana"},
            "Die Antwort muss mit dem Text „With warm regards from all of us here, Ana“ enden.",
        ),
        ({"kind": "ends", "value": "open"}, "Die Antwort muss mit dem Text „open“ enden."),
        (
            {"kind": "not_contains", "value": "words\nEnglish"},
            "Die Antwort darf nicht den Text „words“ oder „English“ enthalten.",
        ),
        (
            {"kind": "words", "at_least": 3, "at_most": 9, "part": "items"},
            "Jeder Listenpunkt der Antwort muss 3 bis 9 Wörter haben.",
        ),
    ],
)
def test_a_check_is_said_in_german(check: dict[str, Any], said: str) -> None:
    assert reword_for_window(in_words(parse(json.dumps(check)))) == said


@pytest.mark.usefixtures("german")
def test_the_checks_of_a_part_of_a_rule_are_said_in_german() -> None:
    two = [{"kind": "words", "at_most": 25}, {"kind": "ends", "value": "So. Bye"}]
    said = all_in_words(parse_all(json.dumps({"all": two, "only_part": True})))
    assert reword_for_window(said) == (
        "Die Antwort muss auf höchstens 25 Wörter begrenzt sein. Die Antwort muss mit dem Text "
        "„So. Bye“ enden. Der Rest der Regel wird nicht geprüft."
    )


@pytest.mark.usefixtures("german")
def test_the_doctor_s_composed_lines_are_said_in_german() -> None:
    roles = {
        "reader": {"model": None, "why": "Ollama has no models."},
        "judge": {
            "model": "llama3",
            "why": "llama3 runs at its own address and is not tested.",
        },
        "writer": {"model": None, "why": "Ollama has no models."},
    }
    assert translated(exams(roles)).startswith("Lesemodell: kein Modell – ")
    nobody = {role: {"model": None, "why": "Ollama has no models."} for role in roles}
    told = problem_text(exams(nobody), "text")
    assert told == (
        "Zurzeit hilft Lull kein Chat-Modell; es lernt auch ohne eines. "
        "In den Einstellungen steht, warum."
    )
    window = decide(IdleSignals(now=NOW, monotonic_s=9_000.0, **FINE), settings=IdleRule())
    said = translated(lulls(window, watching=True))
    assert said == "darf jetzt arbeiten: Schon 50 min kein Zeichen von dir."
    assert translated({"text": str(ran := runtime(3473)), **coded(ran)}).endswith(", Prozess 3473.")


@pytest.mark.usefixtures("german")
def test_what_a_check_said_in_an_earlier_version_is_left_whole() -> None:
    assert reword_for_window("The answer must contain “foo bar”.") == (
        "The answer must contain “foo bar”."
    )


@pytest.mark.usefixtures("german")
def test_the_users_own_words_are_never_translated() -> None:
    wish = coded_text("signal-wish", "you said: %1", "have no emoji")
    said = json.loads(json.dumps({"text": wish, **coded(wish)}))
    assert translated(said) == "du hast geschrieben: have no emoji"
    assert reword_for_window("left out words: 60 tokens are allowed").startswith("words ")


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("right", "of", "end"),
    [
        (3, 4, "Für ein sicheres Ergebnis sind 20 Antworten nötig."),
        (30, 40, "Nötig sind mindestens 70\u00a0% davon."),
        (10, 40, "Bis dahin trainiert Lull nicht mit den Bewertungen dieses Modells."),
    ],
)
def test_how_far_the_judge_agrees_is_said_in_german(right: int, of: int, end: str) -> None:
    _, why = may_train_on_judge(wilson(right, of))
    said = reword_for_window(why)
    assert said.startswith("Das Bewertungsmodell und die Prüfregeln sind sich")
    assert said.endswith(end)
    assert ENGLISH_WORDS.search(said) is None, said
