"""The scripted student and scripted judge of the pipeline benchmark (simulated).

The student does each stage's work from what stands in the prompt. It obeys a convention of the
house only where its words stand there, and now and then it breaks off in the middle, whoever asks.
The judge knows a convention only from what the user said they want.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Final

from bench.json_object import Json
from bench.models.blocks import blocks, text_of
from bench.models.scripted import Said, Scripted
from bench.pipeline.experiment import problems
from bench.pipeline.house import Rule, broken, heard
from bench.pipeline.run import UNUSABLE
from bench.pipeline.student_work import work
from bench.pipeline.work import TASKS, Stage, bare, lines, read_json, table

STUDENT, JUDGE = "researcher", "researcher-judge"
SLIP: Final = 0.1
"""Probability that the scripted student's answer breaks off in the middle."""
_FENCE = re.compile(r"```([\w ]+)\n(.*?)\n```", re.DOTALL)
_HEAD: Final = 40
"""Number of characters at the start of a task that identify it."""


class Student(Scripted):
    """Server of the scripted student, a context manager: `with Student() as student:
    student.address`.
    """

    def __init__(self) -> None:
        self.told = 0
        """Conventions that stood in the first prompt of a stage, before anybody was asked again."""
        self._counting = threading.Lock()
        super().__init__((STUDENT, JUDGE), self.answers)

    def answers(self, body: Json) -> Said:
        messages: Sequence[Json] = body["messages"]
        if str(body["model"]).partition(":")[0] == JUDGE:
            return Said(text=json.dumps(judged(blocks(messages))))
        seed = body.get("seed", (body.get("options") or {}).get("seed", 0))
        if sum(message["role"] == "user" for message in messages) == 1:
            with self._counting:
                self.told += len(_rules(messages))
        return Said(text=answered(messages, int(seed or 0)))


def answered(messages: Sequence[Json], seed: int) -> str:
    """Return the scripted student's answer, which depends only on the prompt and the seed."""
    task = next((text_of(m) for m in messages if m["role"] == "user"), "")
    stage = stage_of(task)
    if stage is None:
        return "I can help with research."
    system = "\n".join(text_of(m) for m in messages if m["role"] == "system")
    shown = {"question": system, **dict(_FENCE.findall(task))}
    rules = {rule.key: rule for rule in _rules(messages) if rule.stage is stage}
    text = work(stage, shown, rules)
    tries = sum(message["role"] == "assistant" for message in messages)
    about = re.search(r"(?m)^question: (.+)$", system)
    drawn = random.Random(f"{seed} {stage} {about and about[1]} {tries}").random()
    return text[: len(text) // 2] if drawn < SLIP else text


def _rules(messages: Sequence[Json]) -> tuple[Rule, ...]:
    """Return the conventions stated by the person or a skill; text in code fences is ignored."""
    told = [text_of(m) for m in messages if m["role"] in ("system", "user")]
    return heard("\n".join(_FENCE.sub("", text) for text in told))


def stage_of(text: str) -> Stage | None:
    """Return the stage whose task a text contains, by the task's first words; None if there is
    none.
    """
    found = [(text.rfind(task[:_HEAD]), stage) for stage, task in TASKS.items()]
    at, stage = max(found, key=lambda pair: pair[0])
    return stage if at >= 0 else None


# -- the judge ---------------------------------------------------------------------------------


def judged(shown: Mapping[str, str]) -> Json:
    stage = stage_of(shown.get("the conversation", ""))
    if stage is None:
        return {"reason": "I do not know this kind of work.", "score": 0}
    if "answer A" in shown:
        first, second = (whole(stage, shown[f"answer {letter}"]) for letter in "AB")
        better = "same" if first == second else "A" if first else "B"
        return {"reason": "One that breaks off is the worse one.", "better": better}
    answer = shown.get("the answer", "")
    if "what the user said they want" not in shown:
        said = shown.get("the user's next message", "")
        bad = said.startswith(("No.", UNUSABLE)) or not whole(stage, answer)
        return {"reason": "By what was said next and by its form.", "score": -1 if bad else 1}
    wanted = [r for r in heard(shown["what the user said they want"]) if r.stage is stage]
    if not wanted:
        return {"reason": "The words say nothing of this.", "score": 0}
    bad = bool(broken(wanted, bare(answer))) or not whole(stage, answer)
    return {"reason": "As the words want it.", "score": -1 if bad else 1}


def whole(stage: Stage, answer: str) -> bool:
    """Whether an answer looks complete, judged by its text alone."""
    text = bare(answer)
    try:
        if stage is Stage.PLAN:
            return "# Measure" in text
        if stage is Stage.DRAFT:
            return "# Limits" in text
        if stage is Stage.HYPOTHESES:
            return len(lines(text)) == 3
        if stage is Stage.CODE:
            return not problems(text)
        if stage is Stage.PARSE:
            return bool(table(text))
        return bool(read_json(text))
    except (ValueError, LookupError, TypeError):
        return False
