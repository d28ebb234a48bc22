"""The pipeline's stages, and the parsing of their work, shared by gates, conventions and
scripts.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any, Final


class Stage(StrEnum):
    """The pipeline's stages, in order."""

    PLAN = "plan"
    GATHER = "gather"
    HYPOTHESES = "hypotheses"
    DESIGN = "design"
    CODE = "code"
    RUN = "run"
    PARSE = "parse"
    STATISTICS = "statistics"
    FIGURES = "figures"
    DRAFT = "draft"
    CITATIONS = "citation check"
    NUMBERS = "number check"


TASKS: Final = {
    Stage.PLAN: "Write the plan of the research on this question, in Markdown with the sections"
    " Question, Method and Measure.",
    Stage.GATHER: "Choose the notes that bear on this question, as a JSON list of objects with id"
    " and year.",
    Stage.HYPOTHESES: "State the hypotheses on this question, three of them, each on a line of its"
    " own that names an arm.",
    Stage.DESIGN: "Write the design of the experiment as a JSON object with arms, seeds (how many)"
    " and measure.",
    Stage.CODE: "Write the code of the experiment: Python with a function experiment(arm, seed)"
    " that returns one number, the same for the same seed. Only math and random may be imported.",
    Stage.RUN: "Write the run configuration of the experiment as a JSON object with arms and seeds"
    " (a list of whole numbers, as many as the design says).",
    Stage.PARSE: "Write the table of these results, each on a line: arm, seed, value.",
    Stage.STATISTICS: "Write the statistics of these results as a JSON object: for each arm an"
    " object with n, mean and sd (of the sample).",
    Stage.FIGURES: "Write the figure for these statistics as a JSON object with title, x, y and"
    " bars, each bar with arm, mean and sd.",
    Stage.DRAFT: "Write the draft of the report, in Markdown with the sections Background, Results"
    " and Limits. Cite two notes or more by their ids, and give the means as they stand in the"
    " statistics.",
    Stage.CITATIONS: "Check the citations of this draft: a JSON list of objects with id and quote,"
    " one for each note that is cited, with words of the note itself.",
    Stage.NUMBERS: "Check the numbers of this draft: a JSON list of objects with number and arm,"
    " one for each decimal number in it.",
}
SYSTEM: Final = (
    "You do research offline, from the material that is handed to you. Answer with the work itself"
    " and nothing else."
)
_FENCED = re.compile(r"\A\s*```[a-z]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_CELL = re.compile(r"\s*[;,\t|]\s*")


def bare(answer: str) -> str:
    """Return the answer without the code fence that models often put around it."""
    found = _FENCED.match(answer)
    return found[1] if found else answer.strip()


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def read_json(text: str) -> Any:
    """Parse JSON text. Raises ValueError."""
    return json.loads(text)


def entries(text: str) -> list[dict[str, Any]]:
    """Parse a JSON list of objects. Raises ValueError."""
    found = read_json(text)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise ValueError("it is no list of objects")
    return found


def table(text: str) -> list[tuple[str, int, float]]:
    """Parse lines of "arm, seed, value"; a header line is skipped. Raises ValueError."""
    rows = [_CELL.split(line.strip("| ")) for line in lines(text)]
    if rows and rows[0][-1].lower() == "value":
        rows = rows[1:]
    if not all(len(row) == 3 for row in rows):
        raise ValueError("a line does not have three columns")
    return [(arm, int(seed), float(value)) for arm, seed, value in rows]


def decimals(text: str) -> list[str]:
    """Return the numbers with a decimal point, as written in the text."""
    return re.findall(r"(?<![\w.])\d+\.\d+(?![\w.]*\d)", text)


def cited(text: str) -> list[str]:
    """Return the note ids in the text, in order, each once."""
    return list(dict.fromkeys(re.findall(r"\bn\d+\b", text)))
