"""Tests that each code of the service that reaches the window has words there, in German too."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from lull.config.files import describe_settings
from lull.config.settings import Settings
from lull.core.adapters.adapter import AdapterStatus
from lull.core.clients.client import CLIENTS
from lull.core.idle.rule import ConditionName
from lull.core.models.exam import ModelRole
from lull.core.proof.proposal import ProposalStatus, status_text
from lull.core.secrets.finding import PATTERNS
from lull.core.skills.skill import ChangeKind, SkillStatus
from lull.core.text.coded_text import coded
from lull.core.training.record import RunStatus, run_status_text
from lull.core.training.spec import RunKind
from lull.desktop.language.words import translated
from lull.desktop.pages.chat.secret_words import kind_words as secret_words
from lull.desktop.pages.learning.words import kind_words, status_words
from lull.desktop.pages.logs import check_names
from lull.desktop.pages.settings.units import choices
from lull.desktop.pages.settings.values import value_words
from lull.desktop.pages.skills.skill_rows import status_words as skill_status_words
from lull.desktop.pages.today.words import condition_names
from lull.desktop.shared.changes import change_words
from lull.loops.models.exam_work import title_of_test
from lull.loops.models.examine_models import WaitingExam
from lull.loops.proof.proof_work import ProofWork, UseWork
from tests.desktop.language.service_texts import APP
from tests.desktop.language.test_german_window import ENGLISH_WORDS

pytestmark = pytest.mark.usefixtures("german")


def untold(codes: Iterable[str], words: Callable[[str], str]) -> list[str]:
    """Return the codes that are shown as they are, or with English words."""
    return [code for code in codes if words(code) == code or ENGLISH_WORDS.search(words(code))]


def test_each_status_and_kind_has_german_words() -> None:
    assert untold([*RunStatus, *AdapterStatus], status_words) == []
    assert untold(RunKind, kind_words) == []
    assert untold(SkillStatus, lambda status: skill_status_words({"status": status})) == []
    assert untold(ConditionName, lambda name: condition_names().get(name, name)) == []


def test_each_status_in_a_refusal_has_german_words() -> None:
    texts = [*map(status_text, ProposalStatus), *map(run_status_text, RunStatus)]
    for text in texts:
        told = translated({"text": text, "code": text.code, "values": []})
        assert told != text and not ENGLISH_WORDS.search(told), text


def test_each_change_of_a_skill_has_german_words() -> None:
    for kind in ChangeKind:
        detail = f"{'take back' if kind is ChangeKind.UNDO else kind} menu-style"
        told = change_words({"change": kind, "detail": detail})
        assert "„Menu style“" in told and told != detail and not ENGLISH_WORDS.search(told), kind


@pytest.mark.parametrize("work", [ProofWork, UseWork])
def test_the_work_on_a_skill_names_it_by_its_title(work: type[ProofWork]) -> None:
    text = work.doing(work.__new__(work), "menu-style")
    told = translated(json.loads(json.dumps({"text": text, **coded(text)})))
    assert "„Menu style“" in told and "menu-style" not in told


def test_each_kind_of_secret_has_a_german_name() -> None:
    kinds = {pattern.kind for pattern in PATTERNS}
    assert len(kinds) > 40
    nameless = {kind for kind in kinds if secret_words(kind) == secret_words("of tomorrow")}
    assert nameless == {"secret"}
    assert [kind for kind in sorted(kinds) if "-" in kind and secret_words(kind) == kind] == []


def test_each_fixed_value_of_a_setting_has_german_words() -> None:
    fixed = {item.key: choices({"allowed": item.allowed}) for item in describe_settings(Settings())}
    fixed |= {key: ("auto", "none") for key in fixed if key.endswith(".model")}
    pairs = [(key, text) for key, texts in fixed.items() for text in texts]
    assert len(pairs) > 10
    shown = [(key, text) for key, text in pairs if value_words(key, text) == text]
    assert shown == []


def test_each_check_of_the_doctor_has_a_name() -> None:
    names = set()
    for path in [
        *(APP / "lull" / "service").rglob("*.py"),
        APP / "lull" / "cli" / "process" / "doctor.py",
    ]:
        names |= set(_checked(path))
    assert len(names) > 15
    assert names <= check_names().keys()


def _checked(path: Path) -> Iterable[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id in ("check", "run_check"):
            name = node.args[0]  # type: ignore[attr-defined]
            if isinstance(name, ast.Constant):
                yield str(name.value)


def test_each_test_of_a_model_has_a_german_title() -> None:
    for role in ModelRole:
        waiting = WaitingExam(model="tiny:1b", digest="d", role=role, done=0, of=20)
        text = title_of_test(waiting)
        told = translated(json.loads(json.dumps({"text": text, **coded(text)})))
        assert "tiny:1b" in told and not ENGLISH_WORDS.search(told), role


def test_each_chat_app_has_a_german_title() -> None:
    titles = [translated({"title": client.title}, "title") for client in CLIENTS]
    assert [title for title in titles if ENGLISH_WORDS.search(title)] == []
    assert "LangChain, Bibliotheken von OpenAI und Ollama, Skripte" in titles
