"""Reads MetaClaw-Bench's requests with the rules that each needs; the rules are in our own words.

The folder (MIT, Xia et al. 2026) is read where it lies and nothing of it is kept. A round needs the
rules that its check asserts and those that its feedback names; a question about the rules those
that its text names. Only rules that its day knows count: each day lists its preferences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.private_rules import Phrasing
from bench.private_rules.rule import Words
from bench.retrieval.collection import Asked, Collection

RULE_OF_TAG = {
    "output_format": "P1",
    "file_naming": "P2",
    "field_completeness": "P3",
    "workflow": "P4",
    "completion_log": "P5",
}
_CHECKED = {
    "P1": r"check_iso8601",
    "P2": r"check_filename|glob\('day\d\d/\d{8}_",
    "P3": r"check_metadata",
    "P4": r"check_backup",
    "P5": r"check_done_log",
}
_NAMED = {
    "P1": r"\bP1\b|time ?zone|\+08:00|ISO 8601|time field|time format",
    "P2": r"\bP2\b|file ?nam|YYYYMMDD",
    "P3": r"\bP3\b|front ?matter|\bmeta\b|metadata",
    "P4": r"\bP4\b|\.bak\b|back-?up",
    "P5": r"\bP5\b|done\.log",
}

LACKS = """MetaClaw-Bench is not here: without --data DIR (a folder with days.json and
eval/DAY/questions.json) only rule sets from a seed are measured."""


def read(folder: Path) -> Collection:
    """Read a folder of MetaClaw-Bench. Raises OSError, KeyError or ValueError if it has another
    format.
    """
    days = json.loads((folder / "days.json").read_text("utf-8"))["days"]
    asked: list[Asked] = []
    for day in days:
        file = folder / "eval" / day["id"] / "questions.json"
        known = frozenset(RULE_OF_TAG[t] for t in day["preference_tags"] if t in RULE_OF_TAG)
        for round_ in json.loads(file.read_text("utf-8"))["rounds"]:
            # Every day begins with its newest rule's own examples.
            needs = _needs(round_) & known or frozenset({max(known)})
            asked.append(
                Asked(
                    id=f"{day['id']}-{round_['id']}",
                    text=round_["question"],
                    needs=needs,
                    in_force=known,
                    day=day["id"],
                    order=len(asked),
                )
            )
    return Collection(name="metaclaw", source="MetaClaw-Bench", asked=tuple(asked), words=WORDS)


def _needs(round_: Mapping[str, Any]) -> frozenset[str]:
    feedback = round_["feedback"]
    command = round_["eval"].get("command", "")
    # What a question's right answer or a failed check's feedback explains, was needed.
    told = feedback.get("incorrect") or f"{round_['question']}\n{feedback['correct']}"
    return frozenset(
        rule
        for rule in _NAMED
        if re.search(_CHECKED[rule], command) or re.search(_NAMED[rule], told, re.IGNORECASE)
    )


def _words(name: str, description: str, body: str) -> Words:
    return Words(name=name, description=description, body=body)


_WHEN = "Write YYYY-MM-DDTHH:MM:SS+08:00, for example 2026-05-04T09:15:00+08:00."
_NAME = "Name it YYYYMMDD_short_words.ext after the day it is made: small letters, underscores."
_META = "It carries created_at (full time with +08:00), author and status."
_BACK = "First copy the file to the same name with .bak after it, then change it."
_DONE = "Append one line `[DONE] TIME | task_id | summary` to done.log in the top folder."

WORDS: Mapping[str, Mapping[Phrasing, Words]] = {
    "P1": {
        Phrasing.TERSE: _words("timestamp-format", "Timestamps in files.", _WHEN),
        Phrasing.ORDINARY: _words(
            "iso-times-with-offset",
            "When a JSON or other structured file gets fields with a date or a time of day.",
            f"{_WHEN} No bare dates, no Z, no words such as tomorrow; seconds always.",
        ),
        Phrasing.SITUATIONAL: _words(
            "somebody-says-when",
            "The user tells when a meeting, task or deadline was or will be, in spoken words or"
            " half a date, and a record of it must be written.",
            f"Work out day and hour, then write them in full. {_WHEN}",
        ),
    },
    "P2": {
        Phrasing.TERSE: _words("output-file-names", "Names of new files.", _NAME),
        Phrasing.ORDINARY: _words(
            "dated-file-names",
            "When a new report, document or data file is saved into a directory.",
            f"{_NAME} The date is today's, even where the content is about another day.",
        ),
        Phrasing.SITUATIONAL: _words(
            "where-shall-it-be-saved",
            "The user asks to create something and save it to the folder of the day without saying"
            " what the file should be called.",
            f"Do not make up a title. {_NAME}",
        ),
    },
    "P3": {
        Phrasing.TERSE: _words("metadata-block", "Metadata of new documents.", _META),
        Phrasing.ORDINARY: _words(
            "head-of-every-document",
            "When a Markdown document, JSON report or Python module is created.",
            f"{_META} Markdown: front matter; JSON: a top-level meta object; Python: a Meta part in"
            " the module's docstring. Status is pending, in_progress or done.",
        ),
        Phrasing.SITUATIONAL: _words(
            "who-wrote-this-and-when",
            "The user wants a summary, guide, plan or analysis that others will find later and have"
            " to trust.",
            f"Say at its top where it comes from. {_META}",
        ),
    },
    "P4": {
        Phrasing.TERSE: _words("backup-first", "Changing existing files.", _BACK),
        Phrasing.ORDINARY: _words(
            "copy-before-modifying",
            "When a file that exists already is updated, corrected or extended.",
            f"{_BACK} Files that are new need none.",
        ),
        Phrasing.SITUATIONAL: _words(
            "a-value-was-wrong",
            "The user points to a file that is there and wants something in it added, fixed or"
            " converted.",
            f"The old content must stay at hand. {_BACK}",
        ),
    },
    "P5": {
        Phrasing.TERSE: _words("completion-log", "A task is finished.", _DONE),
        Phrasing.ORDINARY: _words(
            "done-log-entry",
            "After each task on files: a document written, a file updated, a plan created.",
            f"{_DONE} One line a task, old lines stay.",
        ),
        Phrasing.SITUATIONAL: _words(
            "before-reporting-back",
            "The user has given a piece of work, such as drafting, compiling or updating, and is"
            " about to be told that it is ready.",
            f"Leave a trace first. {_DONE}",
        ),
    },
}
