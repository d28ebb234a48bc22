"""Measures a reader on the shipped sheet and writes `resources/exams/small_reader.json`."""

from __future__ import annotations

import json
from pathlib import Path

from lull.backends.exam_sheets import SMALL_READER, sheets
from lull.core.calibration import wilson
from lull.core.feedback.ports import FeedbackReader
from lull.core.models.exam import Role
from lull.loops.examine_models import reads
from lull.resources import exams_dir


async def write_figures(reader: FeedbackReader, folder: Path | None = None) -> Path:
    """Raises LullError where the reader cannot read."""
    sheet = sheets()[Role.READER]
    result = await reads(reader, sheet)
    right = sum(mark.right for mark in result.marks)
    found = wilson(right, result.n)
    said = {
        "name": reader.name,
        "exam": sheet.sha256,
        "right": right,
        "n": result.n,
        "score": round(found.value, 4),
        "low": round(found.low, 4),
        "high": round(found.high, 4),
        "wrong": [mark.item for mark in result.marks if not mark.right],
    }
    file = (folder or exams_dir()) / SMALL_READER
    file.write_text(json.dumps(said, indent=1) + "\n", "utf-8")
    return file
