"""Runs the shipped reader exam with a feedback reader and writes
`resources/exams/small_reader.json`.
"""

from __future__ import annotations

import json
from pathlib import Path

from lull.backends.reader.exam_sheets import SMALL_READER, load_exams
from lull.core.feedback.calibration import wilson
from lull.core.feedback.ports import FeedbackReader
from lull.core.models.exam import ModelRole
from lull.loops.models.examine_models import examine_reader
from lull.resources import exams_dir


async def write_figures(reader: FeedbackReader, folder: Path | None = None) -> Path:
    """Examine the reader, write its figures and return the file's path. Raises LullError if the
    reader cannot read.
    """
    sheet = load_exams()[ModelRole.READER]
    result = await examine_reader(reader, sheet)
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
