"""Finds every text of the window in its source, and writes the catalogues that translate them.

`python -m tests.desktop.language.texts` brings `resources/languages/*.po` up to date: new texts
come in without a translation, texts that are gone are removed.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from lull.desktop.language.catalogue import (
    CHECK,
    NUMBERS,
    SENTENCE,
    Catalogue,
    read_catalogue,
)
from lull.desktop.language.language_choice import ENGLISH, LANGUAGES
from tests.desktop.language.service_texts import of_service
from tests.desktop.language.source import Source

T = TypeVar("T")
ROOT = Path(__file__).parents[3]
APP = ROOT / "app"
CATALOGUES = sorted((ROOT / "resources" / "languages").glob("*.po"))
HEAD = """\
# Lull's window in {name}. `python -m tests.desktop.language.texts` keeps it up to date.
msgid ""
msgstr ""
"Language: {code}\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""


ENGLISH_HEAD = """\
# What Lull's window says in English where the service says it otherwise in a terminal: no commands,
# and the words of the window. `python -m tests.desktop.language.texts` keeps it up to date.
msgid ""
msgstr ""
"Language: en\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""
_TERMINAL = re.compile(r"`(?:lull|rollback)\b|(?<![\w-])--[a-z]|\blull connect\b")


def names_command(text: str) -> bool:
    """Whether a text names a command of the terminal or an option of one."""
    return _TERMINAL.search(text) is not None


@dataclass(slots=True)
class Found:
    """The texts in the source, each with the files that say it."""

    texts: dict[str, set[str]] = field(default_factory=dict)
    counted: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    coded: dict[str, str] = field(default_factory=dict)
    """Texts of the service by their codes."""
    sentences: dict[str, set[str]] = field(default_factory=dict)
    """Texts of the service that come without a code."""
    numbers: dict[str, frozenset[str]] = field(default_factory=dict)
    """The places of such sentences in which a number stands."""
    checks: dict[str, set[str]] = field(default_factory=dict)
    """Pieces of the sentences about checks of answers."""
    unseen: list[str] = field(default_factory=list)
    """Places whose text cannot be told from the source."""


def found() -> Found:
    service = of_service()
    made = Found(
        coded=service.coded,
        sentences=service.sentences,
        numbers=service.numbers,
        checks=service.checks,
        unseen=service.unseen,
    )
    for path in sorted((APP / "lull" / "desktop").rglob("*.py")):
        source = Source(path, APP)
        source.walk(lambda at, name, call: _call(made, at, name, call), but=("tr", "counted"))
    return made


def _call(made: Found, at: Source, name: str, call: ast.Call) -> None:
    if name == "tr":
        for text in _seen(made, at, call, call.args[0]):
            made.texts.setdefault(text, set()).add(at.file)
    elif name == "named" and isinstance(call.args[0], ast.Constant):
        for code, text in zip(at.texts(call.args[0]), at.texts(call.args[1]), strict=True):
            made.coded[code] = text
    elif name == "counted":
        ones, manys = (_seen(made, at, call, one) for one in call.args[1:3])
        for pair in zip(ones, manys, strict=True):
            made.counted.setdefault(pair, set()).add(at.file)


def _seen(made: Found, at: Source, call: ast.Call, node: ast.expr) -> list[str]:
    texts = list(at.texts(node))
    if not texts or any(isinstance(one, ast.JoinedStr) for one in ast.walk(node)):
        made.unseen.append(f"{at.file}:{call.lineno}: {ast.unparse(call)}")
    return texts


# The catalogues


def written(found: Found, said: Catalogue, *, code: str) -> str:
    """Return a catalogue's file: the texts of the source with the translations that there are.

    The English one has only the texts that it words otherwise, and those that name a command.
    """
    if code == ENGLISH:
        return _written_english(found, said)
    parts = [HEAD.format(code=code, name=LANGUAGES[code])]
    for text, files in _by_file(found.texts):
        parts.append(_entry(files, msgid=text, msgstr=said.texts.get(text, "")))
    for (one, many), files in _by_file(found.counted):
        pair = said.counted.get((one, many), ("", ""))
        lines = {"msgid": one, "msgid_plural": many, "msgstr[0]": pair[0], "msgstr[1]": pair[1]}
        parts.append(_entry(files, **lines))
    for key, text in found.coded.items():
        parts.append(_entry(set(), msgctxt=key, msgid=text, msgstr=said.coded.get(key, "")))
    for text, files in _by_file(found.sentences):
        lines = {"msgctxt": SENTENCE, "msgid": text, "msgstr": said.sentences.get(text, "")}
        parts.append(_entry(files, found.numbers.get(text, frozenset()), **lines))
    for text, files in _by_file(found.checks):
        lines = {"msgctxt": CHECK, "msgid": text, "msgstr": said.checks.get(text, "")}
        parts.append(_entry(files, **lines))
    return "\n".join(parts)


def _written_english(found: Found, said: Catalogue) -> str:
    parts = [ENGLISH_HEAD]
    for key, text in found.coded.items():
        if key in said.coded or names_command(text):
            parts.append(_entry(set(), msgctxt=key, msgid=text, msgstr=said.coded.get(key, "")))
    for text, files in _by_file(found.sentences):
        if text in said.sentences or names_command(text):
            lines = {"msgctxt": SENTENCE, "msgid": text, "msgstr": said.sentences.get(text, "")}
            parts.append(_entry(files, **lines))
    return "\n".join(parts)


def _by_file(found: dict[T, set[str]]) -> list[tuple[T, set[str]]]:
    return sorted(found.items(), key=lambda one: min(one[1]))


def _entry(files: set[str], numbers: frozenset[str] = frozenset(), /, **lines: str) -> str:
    where = [" ".join([NUMBERS, *(f"%{place}" for place in sorted(numbers))])] if numbers else []
    where += [f"#: {file}" for file in sorted(files)]
    said = [f"{key} {json.dumps(text, ensure_ascii=False)}" for key, text in lines.items()]
    return "\n".join([*where, *said]) + "\n"


def main() -> None:
    made = found()
    for line in made.unseen:
        sys.stderr.write(f"cannot be seen: {line}\n")
    for path in CATALOGUES:
        path.write_text(written(made, read_catalogue(path), code=path.stem), "utf-8")


if __name__ == "__main__":
    main()
