"""Tests of the form of texts: a sentence begins with a capital and ends with a full stop, in the
window, in the errors that people see, and in each translation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain

import pytest

from lull.desktop.language.catalogue import read_catalogue
from tests.desktop.language import texts
from tests.desktop.language.service_texts import NOT_THE_SERVICES, TO_PROGRAMS, error_classes
from tests.desktop.language.source import Index, Source

APP = texts.APP
TO_CHAT_APPS = "RequestError"
"""The error that chat apps get, in the words of Ollama, which has no capitals and no full stops."""
MESSAGES = {"OutcomeMessage": ("text",), "act": ("done",), "Empty": ("text",)}
"""Calls that show one of their arguments as a message of its own."""
_ENDED = re.compile(r"[.?!…:][”“\"')]*$")
_ENDS_WITH_OTHERS = re.compile(r"(?:[.:]|\)|[.:] ?%\d) ?%\d$|^%\d$|: [“„]%\d[”“]$")
"""Matches a text whose last sentence, or somebody's words at its end, are inserted."""
_INNER_END = re.compile(r"\w\w[.?!] +[\"“„(]?[A-ZÄÖÜ%]")
_SMALL = re.compile(r"[a-zäöüß]")
_OF_AN_EXCEPTION = re.compile(r"^(?:error|reason(?:\[0\])?.*|.*\.strerror.*)$")
"""Matches what a system or a library says of a fault, which is no sentence."""

pytestmark = pytest.mark.slow


def is_whole(text: str) -> bool:
    """Whether a text is one sentence or several: it begins with no small letter, and ends with a
    full stop or the like, or with a sentence that is inserted.
    """
    ended = _ENDED.search(text) or _ENDS_WITH_OTHERS.search(text)
    return bool(ended) and not _SMALL.match(text)


def looks_whole(text: str) -> bool:
    """Whether a text can only be a sentence: it ends as one, or has one within it."""
    several = len(text.split()) > 1
    return several and bool(re.search(r"\w[.?!][”“\")]*$", text) or _INNER_END.search(text))


@pytest.fixture(scope="module")
def found() -> texts.Found:
    return texts.found()


@pytest.fixture(scope="module")
def clauses() -> frozenset[str]:
    """The texts of the window that stand behind a colon: `tr` is given them for such a place, as
    what a function of the same file returns.
    """
    behind: set[str] = set()
    for path in (APP / "lull" / "desktop").rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        named = {name for node in nodes if isinstance(node, ast.Call) for name in _behind(node)}
        for node in nodes:
            if isinstance(node, ast.FunctionDef) and node.name in named:
                inner = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
                behind |= {value for value in inner if isinstance(value, str)}
    return frozenset(behind)


def _behind(call: ast.Call) -> Iterator[str]:
    """Yield the functions of which `tr` gets what stands behind a colon."""
    if ast.unparse(call.func) != "tr" or not isinstance(call.args[0], ast.Constant):
        return
    for place in re.findall(r": %(\d)", str(call.args[0].value)):
        value = call.args[int(place)] if int(place) < len(call.args) else None
        if isinstance(value, ast.Call):
            yield ast.unparse(value.func)


def test_a_sentence_of_the_window_begins_and_ends_as_one(
    found: texts.Found, clauses: frozenset[str]
) -> None:
    said = {*chain(found.texts, found.coded.values(), found.sentences, *found.counted)} - clauses
    assert sorted(text for text in said if looks_whole(text) and not is_whole(text)) == []


def test_a_translation_is_a_sentence_where_its_text_is_one(
    found: texts.Found, clauses: frozenset[str]
) -> None:
    for path in texts.CATALOGUES:
        said = read_catalogue(path)
        pairs = [*said.texts.items(), *said.sentences.items()]
        pairs += [(found.coded[key], said.coded[key]) for key in said.coded]
        for ones, pair in said.counted.items():
            pairs += zip(ones, pair, strict=True)
        told = [pair for pair in pairs if pair[1] and pair[0] not in clauses]
        assert [one for one in told if looks_whole(one[0]) and not is_whole(one[1])] == [], path


def _sources(*but: str) -> list[Source]:
    """Return all files of the application but those of some floors, and of what only programs
    read.
    """
    index = Index()
    return [
        Source(path, APP, index)
        for path in sorted((APP / "lull").rglob("*.py"))
        if path.relative_to(APP).parts[1] not in but
        and not path.relative_to(APP / "lull").as_posix().startswith(TO_PROGRAMS)
    ]


def messages() -> Iterator[tuple[str, str]]:
    """Yield each text that the window shows as a message of its own, with its place."""
    calls: list[tuple[Source, str, ast.expr]] = []

    def take(at: Source, name: str, call: ast.Call) -> None:
        for one in call.keywords:
            if one.arg in MESSAGES.get(name, ()):
                place = f"{at.file}:{call.lineno}"
                calls.extend((at, place, part) for part in _translated(one.value))

    others = {path.name for path in (APP / "lull").iterdir()} - {"desktop"}
    for source in _sources(*others):
        source.walk(take)
    for at, place, node in calls:
        yield from ((place, text) for text in at.texts(node) if text)


def _translated(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what `tr` translates in an expression whose value is one of these texts."""
    if isinstance(node, ast.IfExp):
        yield from _translated(node.body)
        yield from _translated(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for one in node.values:
            yield from _translated(one)
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "tr":
        yield node.args[0]


def test_a_message_is_a_sentence() -> None:
    said = list(messages())
    assert len(said) > 30
    wrong = [one for one in said if not is_whole(one[1]) or one[1].endswith(": %1")]
    assert wrong == []


def errors() -> Iterator[tuple[str, str, str]]:
    """Yield the details and hints of all errors that people may see, each with its place and with
    the source of the value that it ends with.
    """
    sources = _sources(*(set(NOT_THE_SERVICES) - {"cli"}))
    names = error_classes(sources) - {TO_CHAT_APPS}
    told: list[tuple[str, str, str]] = []

    def take(at: Source, name: str, call: ast.Call) -> None:
        if name in names:
            said = [one.value for one in call.keywords if one.arg in ("detail", "hint")]
            for node in (*call.args[:1], *said):
                place, last = f"{at.file}:{call.lineno}", _last_value(node)
                told.extend((place, text, last) for text in at.texts(node) if text)

    for source in sources:
        source.walk(take)
    yield from told


def _last_value(node: ast.expr) -> str:
    last = node.values[-1] if isinstance(node, ast.JoinedStr) and node.values else None
    return ast.unparse(last.value) if isinstance(last, ast.FormattedValue) else ""


def test_an_error_says_whole_sentences() -> None:
    said = list(errors())
    assert len(said) > 300
    wrong = [one for one in said if not is_whole(one[1]) or _OF_AN_EXCEPTION.match(one[2])]
    assert sorted(set(wrong)) == []
