"""Tests of the exam sheets that ship with Lull: enough items of each kind, and correct labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lull.backends.reader.exam_sheets import (
    SHEET_FILES,
    SMALL_READER,
    load_exams,
    load_small_reader_result,
)
from lull.core.errors import ResourceError
from lull.core.feedback.exchange import sentences
from lull.core.models.exam import JudgeItem, ModelRole, ReadItem, WriteItem
from lull.resources import exams_dir

HERE = load_exams()


def test_messages_to_read_are_of_every_kind() -> None:
    items = [item for item in HERE[ModelRole.READER].items if isinstance(item, ReadItem)]
    lasting = [item for item in items if item.lasting]
    assert len(items) >= 60 and 0.35 < len(lasting) / len(items) < 0.6
    assert {item.scope for item in lasting} == {"all", "kind"}
    assert sum(item.correction is True for item in items) >= 20
    assert sum(not item.lasting and item.correction is not True for item in items) >= 20


def test_what_is_to_be_quoted_are_whole_sentences_that_the_user_typed() -> None:
    for item in HERE[ModelRole.READER].items:
        assert isinstance(item, ReadItem)
        assert bool(item.quote) == item.lasting == (item.scope is not None), item.id
        cut = [one.strip() for one in sentences(item.exchange.said)]
        assert set(item.quote) <= set(cut), item.id


def test_half_of_the_answers_to_judge_are_near_misses_or_none_of_the_rules_business() -> None:
    items = [item for item in HERE[ModelRole.JUDGE].items if isinstance(item, JudgeItem)]
    lines = (exams_dir() / SHEET_FILES[ModelRole.JUDGE]).read_text("utf-8").splitlines()
    hard = [json.loads(line)["kind"] in ("near miss", "irrelevant") for line in lines]
    assert len(items) >= 60 and sum(hard) >= len(items) / 2
    assert sum(item.kept for item in items) == len(items) / 2
    assert all(item.kept for item in items if not item.applies)


def test_skills_to_write_say_what_a_usable_one_holds() -> None:
    items = [item for item in HERE[ModelRole.WRITER].items if isinstance(item, WriteItem)]
    assert len(items) >= 10
    for item in items:
        assert item.failures and item.must and all(item.must), item.id


def test_no_item_stands_twice() -> None:
    for sheet in HERE.values():
        assert len({item.id for item in sheet.items}) == len(sheet.items)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in SHEET_FILES.values():
        (tmp_path / name).write_bytes((exams_dir() / name).read_bytes())
    return tmp_path


def test_the_small_readers_figures_count_for_the_sheet_they_were_measured_on(folder: Path) -> None:
    assert load_small_reader_result(folder) is None
    file = folder / SMALL_READER
    said = {"name": "small 1", "exam": HERE[ModelRole.READER].sha256, "right": 60, "n": 70}
    file.write_text(json.dumps(said))
    found = load_small_reader_result(folder)
    assert found is not None and (found.right, found.n) == (60, 70)
    file.write_text(json.dumps({**said, "exam": "another"}))
    assert load_small_reader_result(folder) is None


@pytest.mark.parametrize("harm", ["{", '{"name": 1}', "[]"])
def test_damaged_files_are_said_by_name(harm: str, folder: Path) -> None:
    (folder / SMALL_READER).write_text(harm)
    with pytest.raises(ResourceError, match=SMALL_READER):
        load_small_reader_result(folder)
    (folder / SHEET_FILES[ModelRole.JUDGE]).write_text(harm)
    with pytest.raises(ResourceError, match=SHEET_FILES[ModelRole.JUDGE]):
        load_exams(folder)
