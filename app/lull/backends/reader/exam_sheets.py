"""Loads the shipped exams (labelled items that decide whether a chat model may judge answers or
read feedback), and the exam result of Lull's own small model that reads feedback.

A chat model may read feedback only if it does better than the small reader, so without the small
reader's result none may.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from lull.core.errors import ResourceError
from lull.core.feedback.exchange import Exchange
from lull.core.models.admission import SmallReaderFigures
from lull.core.models.exam import ExamSheet, Item, JudgeItem, ModelRole, ReadItem, WriteItem
from lull.resources import INSTALL_AGAIN, exams_dir

SHEET_FILES: Final[Mapping[ModelRole, str]] = {
    ModelRole.READER: "read.jsonl",
    ModelRole.JUDGE: "judge.jsonl",
    ModelRole.WRITER: "write.jsonl",
}
SMALL_READER: Final = "small_reader.json"


def load_exams(folder: Path | None = None) -> dict[ModelRole, ExamSheet]:
    """Load the shipped exams (labelled items that decide whether a chat model may do a task), one
    per task.

    Raises ResourceError.
    """
    found = folder or exams_dir()
    return {role: _sheet(role, found / name) for role, name in SHEET_FILES.items()}


def load_small_reader_result(folder: Path | None = None) -> SmallReaderFigures | None:
    """Load the exam result of Lull's own small model that finds feedback in messages: how many
    messages it labelled right.

    None if the result is missing or for another version of the exam. Raises ResourceError.
    """
    found = folder or exams_dir()
    file = found / SMALL_READER
    if not file.is_file():
        return None
    try:
        said = json.loads(file.read_text("utf-8"))
        small = SmallReaderFigures(
            name=str(said["name"]),
            exam=str(said["exam"]),
            right=int(said["right"]),
            n=int(said["n"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResourceError(f"{file} cannot be read: {error!r}.", hint=INSTALL_AGAIN) from error
    return (
        small
        if small.exam == _sheet(ModelRole.READER, found / SHEET_FILES[ModelRole.READER]).sha256
        else None
    )


def _sheet(role: ModelRole, file: Path) -> ExamSheet:
    try:
        data = file.read_bytes()
        lines = [json.loads(line) for line in data.decode().splitlines() if line.strip()]
        items = tuple(_ITEMS[role](line) for line in lines)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResourceError(f"{file} cannot be read: {error!r}.", hint=INSTALL_AGAIN) from error
    return ExamSheet(role=role, sha256=hashlib.sha256(data).hexdigest(), items=items)


def _read_item(line: dict[str, Any]) -> Item:
    return ReadItem(
        id=line["id"],
        exchange=Exchange(asked=line["asked"], answer=line["answer"], said=line["said"]),
        correction=line["correction"],
        lasting=line["lasting"],
        scope=line["scope"],
        quote=tuple(line["quote"]),
    )


def _judge_item(line: dict[str, Any]) -> Item:
    return JudgeItem(
        id=line["id"],
        rule=line["rule"],
        request=line["request"],
        answer=line["answer"],
        kept=line["kept"],
        applies=line["kind"] != "irrelevant",
    )


def _write_item(line: dict[str, Any]) -> Item:
    return WriteItem(
        id=line["id"],
        failures=tuple(
            Exchange(asked=one["asked"], answer=one["answer"], said=one["said"])
            for one in line["failures"]
        ),
        must=tuple(tuple(group) for group in line["must"]),
        must_not=tuple(line["must_not"]),
    )


_ITEMS: Final = {
    ModelRole.READER: _read_item,
    ModelRole.JUDGE: _judge_item,
    ModelRole.WRITER: _write_item,
}
