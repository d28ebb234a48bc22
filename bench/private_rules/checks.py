"""Program checks of finished work; each is stored as data and asserts one thing.

A check reads a workspace folder or the text of an answer and returns what is wrong, in words; an
empty list is a pass. It never runs anything. Checks travel as JSON, so that a rule set can be kept
as a folder (`Check.to_json`, `from_json`). Whose conventions they are, stands elsewhere.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class CheckKind(StrEnum):
    NAME = "name"
    """Passes if the file's base name fully matches `pattern`."""
    FIELDS = "fields"
    """Passes if every string under `path` (dotted; `name[]` iterates) in a JSON file fully matches
    `pattern`, and there is at least one.
    """
    COUNT = "count"
    """Passes if the JSON list under `path` has at least `least` entries, or the text file as many
    lines.
    """
    TEXT = "text"
    """Passes if `pattern` is found in the file (`^` and `$` match at lines)."""
    COPY = "copy"
    """Passes if a file `copy` with the sha256 `digest` is beside the file, and the file itself
    differs.
    """
    LOG = "log"
    """Passes if every non-blank line of the file fully matches `pattern` and there are at least
    `least`.
    """
    TABLE = "table"
    """Passes if the file is a table with this `delimiter`, these `columns` and at least `least`
    rows.
    """
    COLUMN = "column"
    """Passes if each cell of column `column` (from 0) fully matches `pattern`."""
    CODE = "code"
    """Passes if the file is valid Python, its first line fully matches `pattern`, and its functions
    have docstrings (`docstrings`) and annotations (`annotations`).
    """
    ANSWER = "answer"
    """Passes if `pattern` is found in the answer's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a checked file is: a fixed path, or a folder with a keyword and an ending."""

    path: str = ""
    folder: str = ""
    keyword: str = ""
    """Words for finding the file: at least half must be in its base name; the file with the most
    wins.
    """
    ending: str = ""

    def find(self, workspace: Path) -> Path | None:
        if self.path:
            file = workspace / self.path
            return file if file.is_file() else None
        words = re.findall(r"[a-z0-9]+", self.keyword.lower())
        files = sorted((workspace / self.folder).glob(f"*{self.ending}"))
        held = [(sum(word in file.name.lower() for word in words), file) for file in files]
        most, best = max(held, key=lambda pair: pair[0], default=(0, None))
        return best if 2 * most >= max(1, len(words)) else None

    @property
    def text(self) -> str:
        return self.path or f"{self.folder}/…{self.keyword}…{self.ending}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    kind: CheckKind
    rule: str
    """Id of the rule that the check tests; "" for what the request itself asks."""
    place: Place = field(default_factory=Place)
    params: Mapping[str, Any] = field(default_factory=dict)
    """The check's parameters as JSON values; `CheckKind` names those of each kind."""

    def failures(self, workspace: Path, answer: str = "") -> list[str]:
        """Return descriptions of what is wrong; an unreadable file counts as wrong and raises
        nothing.
        """
        if self.kind is CheckKind.ANSWER:
            found = re.search(self.params["pattern"], answer, re.MULTILINE)
            return [] if found else [f"the answer lacks /{self.params['pattern']}/"]
        file = self.place.find(workspace)
        if file is None:
            return [f"there is no {self.place.text}"]
        try:
            return list(_CHECKS[self.kind](file, self.params))
        except (ValueError, SyntaxError, csv.Error, OSError) as error:
            return [f"{file.name} cannot be read: {error}"]

    def to_json(self) -> dict[str, Any]:
        place = {
            name: value
            for name in ("path", "folder", "keyword", "ending")
            if (value := getattr(self.place, name))
        }
        return {
            "kind": self.kind.value,
            "rule": self.rule,
            "place": place,
            "params": dict(self.params),
        }


def from_json(read: Mapping[str, Any]) -> Check:
    """Parse a check from JSON. Raises KeyError, ValueError or TypeError if it is invalid."""
    return Check(
        kind=CheckKind(read["kind"]),
        rule=str(read["rule"]),
        place=Place(**read["place"]),
        params=dict(read["params"]),
    )


def values_at(document: object, path: str) -> Iterator[object]:
    """Yield the values at a dotted path of a JSON document; None once if a part of the path is
    missing.
    """
    head, _, rest = path.partition(".")
    many, key = head.endswith("[]"), head.removesuffix("[]")
    inner = document.get(key) if isinstance(document, dict) else None
    if many and not isinstance(inner, list):
        yield None
        return
    for value in inner if many and isinstance(inner, list) else [inner]:
        if rest:
            yield from values_at(value, rest)
        else:
            yield value


def _name(file: Path, params: Mapping[str, Any]) -> Iterator[str]:
    if not re.fullmatch(params["pattern"], file.name):
        yield f"the name {file.name} does not match /{params['pattern']}/"


def _fields(file: Path, params: Mapping[str, Any]) -> Iterator[str]:
    found = list(values_at(json.loads(file.read_text("utf-8")), params["path"]))
    if not found:
        yield f"{file.name} has nothing under {params['path']}"
    for value in found:
        if not isinstance(value, str) or not re.fullmatch(params["pattern"], value):
            yield f"{params['path']} in {file.name} is {value!r}"


def _count(file: Path, params: Mapping[str, Any]) -> Iterator[str]:
    text = file.read_text("utf-8")
    if "path" in params:
        entries = [v for v in values_at(json.loads(text), params["path"]) if v is not None]
    else:
        entries = [line for line in text.splitlines() if line.strip()]
    if len(entries) < params["least"]:
        yield f"{file.name} holds {len(entries)} of {params['least']}"


def _text(file: Path, params: Mapping[str, Any]) -> Iterator[str]:
    if not re.search(params["pattern"], file.read_text("utf-8"), re.MULTILINE):
        yield f"{file.name} lacks /{params['pattern']}/"


def _copy(file: Path, params: Mapping[str, Any]) -> Iterator[str]:
    copy = file.parent / params["copy"]
    if not copy.is_file():
        yield f"there is no {params['copy']}"
    elif hashlib.sha256(copy.read_bytes()).hexdigest() != params["digest"]:
        yield f"{params['copy']} is not the file as it was"
    if hashlib.sha256(file.read_bytes()).hexdigest() == params["digest"]:
        yield f"{file.name} has not changed"


def _log(file: Path, params: Mapping[str, Any]) -> Iterator[str]:
    lines = [line for line in file.read_text("utf-8").splitlines() if line.strip()]
    for line in lines:
        if not re.fullmatch(params["pattern"], line):
            yield f"{file.name} has the line {line!r}"
    if len(lines) < params["least"]:
        yield f"{file.name} holds {len(lines)} lines of {params['least']}"


def _rows(file: Path, delimiter: str) -> list[list[str]]:
    text = file.read_text("utf-8")
    return [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]


def _table(file: Path, params: Mapping[str, Any]) -> Iterator[str]:
    rows = _rows(file, params["delimiter"])
    if not rows or rows[0] != params["columns"]:
        yield f"the columns of {file.name} are {rows[0] if rows else []}"
        return
    if any(len(row) != len(rows[0]) for row in rows):
        yield f"a row of {file.name} has another width"
    if len(rows) <= params["least"]:
        yield f"{file.name} holds {len(rows) - 1} rows of {params['least']}"


def _column(file: Path, params: Mapping[str, Any]) -> Iterator[str]:
    text = file.read_text("utf-8")
    # Which delimiter is right is another rule's matter.
    delimiter = max(";,\t|", key=text.partition("\n")[0].count)
    rows = _rows(file, delimiter)[1:]
    if not rows:
        yield f"{file.name} has no rows"
    for row in rows:
        cell = row[params["column"]] if params["column"] < len(row) else ""
        if not re.fullmatch(params["pattern"], cell):
            yield f"{file.name} has the cell {cell!r}"


def _code(file: Path, params: Mapping[str, Any]) -> Iterator[str]:
    text = file.read_text("utf-8")
    if not re.fullmatch(params.get("pattern", ".*"), text.partition("\n")[0]):
        yield f"{file.name} opens with {text.partition(chr(10))[0]!r}"
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
    if not functions:
        yield f"{file.name} has no function"
    for function in functions:
        if params.get("docstrings") and not ast.get_docstring(function):
            yield f"{function.name} has no docstring"
        bare = function.returns is None or any(a.annotation is None for a in function.args.args)
        if params.get("annotations") and bare:
            yield f"{function.name} is not annotated"


_CHECKS: dict[CheckKind, Callable[[Path, Mapping[str, Any]], Iterator[str]]] = {
    CheckKind.NAME: _name,
    CheckKind.FIELDS: _fields,
    CheckKind.COUNT: _count,
    CheckKind.TEXT: _text,
    CheckKind.COPY: _copy,
    CheckKind.LOG: _log,
    CheckKind.TABLE: _table,
    CheckKind.COLUMN: _column,
    CheckKind.CODE: _code,
}
