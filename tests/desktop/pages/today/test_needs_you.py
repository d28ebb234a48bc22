"""Tests of the top of the Today page: what only the user can put right."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.service.state import Phase
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.parts import Card
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_other_pages import today
from tests.desktop.scripted import Scripted

ADDRESS = "http://127.0.0.1:11434"
SILENT: Json = {"kind": "ollama", "address": ADDRESS, "ok": False, "version": None}
ALONE: Json = {**SILENT, "kind": "builtin"}


def asked(model: str) -> Json:
    """Return what the status says of answers when this model was the last to be chatted with."""
    return {"model": model, "adapter": None, "adapter_id": None, "generation": 0}


def top_of(widget: QWidget, page: QWidget) -> int:
    return widget.mapTo(page, QPoint(0, 0)).y()


def test_today_says_at_its_top_that_ollama_does_not_answer(
    on_script: Shown, scripted: Scripted
) -> None:
    page = today(on_script, scripted, upstream=SILENT)
    on_script.until(page.problems.no_answer.isVisible)
    said = page.problems.no_answer.text()
    assert said.startswith(f"Ollama does not answer at {ADDRESS}: ")
    assert "open the Ollama app" in said and "ollama serve" in said
    cards = [card for card in page.findChildren(Card) if card.isVisible()]
    assert min(cards, key=lambda card: top_of(card, page)) is page.problems
    # As soon as it answers again there is nothing to do.
    page = today(on_script, scripted, upstream={**SILENT, "ok": True})
    on_script.until(lambda: not page.problems.isVisible())


def test_the_address_of_ollama_is_changed_from_there(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.SETTINGS] = {
        "file": "",
        "settings": [
            {
                "key": "upstream.address",
                "value": "",
                "default": "",
                "reason": "The address of your Ollama.",
                "allowed": "an address",
            }
        ],
    }
    page = today(on_script, scripted, upstream=SILENT)
    on_script.until(page.problems.address.isVisible)
    page.problems.address.click()
    settings = on_script.desktop.window.page(PageName.SETTINGS)
    assert isinstance(settings, SettingsPage)
    on_script.until(lambda: settings.isVisible() and "upstream.address" in settings.lines)
    on_script.until(settings.lines["upstream.address"].isVisible)


def test_who_never_had_an_ollama_is_not_told_that_it_is_missing(
    on_script: Shown, scripted: Scripted
) -> None:
    for model in ("lull-mini", "pocket", "pocket:latest"):
        page = today(on_script, scripted, upstream=ALONE, policy=asked(model))
        assert not page.problems.isVisible()
    # Since the service's last start none was seen, but before one answered.
    page = today(on_script, scripted, upstream=ALONE, policy=asked("qwen3:4b"))
    on_script.until(page.problems.no_answer.isVisible)


def test_a_service_that_is_gone_says_nothing_about_ollama(
    on_script: Shown, scripted: Scripted
) -> None:
    page = today(on_script, scripted, upstream=SILENT)
    on_script.until(page.problems.isVisible)
    scripted.down()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.DOWN)
    on_script.until(lambda: not page.problems.isVisible())


def test_ollama_and_the_services_problems_are_told_together(
    on_script: Shown, scripted: Scripted
) -> None:
    problem = {"title": "The disk is full", "detail": "1 MB is left.", "hint": "Free some."}
    page = today(on_script, scripted, upstream=SILENT, problems=[problem])
    on_script.until(page.problems.no_answer.isVisible)
    page = today(on_script, scripted, problems=[problem])
    on_script.until(lambda: not page.problems.no_answer.isVisible())
    assert page.problems.isVisible()
