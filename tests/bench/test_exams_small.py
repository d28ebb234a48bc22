"""Tests that the small reader's figures are written as the exams read them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.exams.small import write_figures
from lull.backends.reader.exam_sheets import SHEET_FILES, load_small_reader_result
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import MessageFindings
from lull.resources import exams_dir


class Deaf:
    name = "deaf 1"
    light = False

    async def read(self, exchanges: Sequence[Exchange]) -> list[MessageFindings | None]:
        return [MessageFindings(correction=0.0, lasting=0.0) for _ in exchanges]


async def test_what_is_written_is_what_a_chat_model_must_beat(tmp_path: Path) -> None:
    for name in SHEET_FILES.values():
        (tmp_path / name).write_bytes((exams_dir() / name).read_bytes())
    await write_figures(Deaf(), tmp_path)
    found = load_small_reader_result(tmp_path)
    assert found is not None and found.name == "deaf 1" and found.n == 70
    assert 0 < found.found.value < 0.5  # what is neither correction nor lasting
