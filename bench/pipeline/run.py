"""Plays one run: a research question through twelve stages, each repeated until its gate accepts
the work.

A gate that does not is told to the model in the person's words, and the stage is tried again, at
most three times. A stage that finds earlier work wrong sends the run back to it, at most three
times; what was made of that work is made anew. A stage that fails for good ends the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol

from bench.models.endpoint import Answer, Down, Message
from bench.pipeline.gates import Desk, against_house, sent_back, wrong_with
from bench.pipeline.house import Rule
from bench.pipeline.topics import Topic
from bench.pipeline.work import SYSTEM, TASKS, Stage, bare

MOST_ATTEMPTS: Final = 3
MOST_REFINEMENTS: Final = 3
UNUSABLE: Final = "This cannot be used: "


class Asked(Protocol):
    """Interface of the model that does the research."""

    def ask(self, messages: Sequence[Message], tools: Sequence[Any]) -> Answer:
        """Ask the model for one answer. Raises Down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """The result of one run through the pipeline."""

    topic: str
    completed: int
    """Number of stages whose work is accepted at the end."""
    attempts: int
    retries: int
    """Number of repeated attempts after a gate rejected a stage's work."""
    cycles: int
    """Number of times a later stage sent the work back to an earlier one."""
    crashed: bool
    ended: str
    """Why the run ended early, for the report; "" if it did not."""

    @property
    def composite(self) -> float:
        """Overall score of a run by our own formula; the paper's is not published."""
        retries = self.retries / self.attempts if self.attempts else 0.0
        return (
            0.4 * self.completed / len(Stage)
            + 0.3 * (1 - retries)
            + 0.3 * (1 - self.cycles / MOST_REFINEMENTS)
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


FORMULA: Final = (
    "composite (ours) = 0.4 · stages completed / 12 + 0.3 · (1 − retries / attempts)"
    " + 0.3 · (1 − cycles / 3)"
)


def run(
    topic: Topic,
    rules: Sequence[Rule],
    model: Asked,
    *,
    passed: Callable[[Stage], None] = lambda stage: None,
) -> Ran:
    """Play one run through all stages; `passed` is called for each stage when its work is
    accepted.
    """
    return _Run(topic, rules, model, passed).play()


class _Run:
    def __init__(
        self,
        topic: Topic,
        rules: Sequence[Rule],
        model: Asked,
        passed: Callable[[Stage], None],
    ) -> None:
        self._desk = Desk(topic)
        self._rules = rules
        self._model = model
        self._passed = passed
        self._talks: dict[Stage, list[Message]] = {}
        self._attempts = self._retries = self._cycles = 0
        self._crashed = False
        self._ended = ""

    def play(self) -> Ran:
        order = list(Stage)
        at, said = 0, ""
        while at < len(order):
            stage = order[at]
            if not self._works(stage, said):
                break
            said = ""
            found = sent_back(stage, self._desk, self._rules)
            if found is None:
                self._passed(stage)
                at += 1
                continue
            if self._cycles == MOST_REFINEMENTS:
                self._ended = f"{stage} found again: {found.words}"
                break
            self._cycles += 1
            at, said = order.index(found.stage), found.words
        return Ran(
            topic=self._desk.topic.id,
            completed=at,
            attempts=self._attempts,
            retries=self._retries,
            cycles=self._cycles,
            crashed=self._crashed,
            ended=self._ended,
        )

    def _works(self, stage: Stage, said: str) -> bool:
        """Let the model work on a stage, again if `said` gives the reason; return whether the work
        was accepted in the end.
        """
        talk = self._talks.get(stage, [])
        if said:
            talk.append(_user(said))
        else:
            system = f"{SYSTEM}\n\n{question(self._desk.topic)}"
            talk = [{"role": "system", "content": system}, _user(prompt(stage, self._desk))]
        self._talks[stage] = talk
        wrong = ""
        for attempt in range(MOST_ATTEMPTS):
            if attempt:
                talk.append(_user(wrong))
                self._retries += 1
            self._attempts += 1
            try:
                answer = self._model.ask(talk, [])
            except Down as why:
                self._crashed, self._ended = True, f"{stage}: no answer: {why}"
                return False
            talk.append(answer.message)
            wrong = self._wrong(stage, bare(answer.text))
            if not wrong:
                self._desk.works[stage] = bare(answer.text)
                return True
        self._ended = f"{stage}: {wrong}"
        return False

    def _wrong(self, stage: Stage, work: str) -> str:
        """Return the person's complaint about a stage's work; "" if the gate accepts it."""
        found = wrong_with(stage, work, self._desk)
        if found:
            return UNUSABLE + " ".join(found[:3])
        broken = against_house(stage, work, self._rules)
        return broken[0].said if broken else ""


def prompt(stage: Stage, desk: Desk) -> str:
    """Return a stage's prompt: the task, then its material in fences, which nobody typed."""
    topic, works = desk.topic, desk.works
    notes = list(topic.notes)
    if stage is not Stage.GATHER and Stage.GATHER in works:
        notes = [note for note in notes if note.id in desk.chosen]
    known = {
        "notes": "\n".join(f"{note.id} ({note.year}): {note.text}" for note in notes),
        "results": "\n".join(f"{arm} with seed {seed} -> {v!r}" for arm, seed, v in desk.measured),
        **{one.value: text for one, text in works.items()},
    }
    shown = (f"```{name}\n{known[name]}\n```" for name in _SHOWN[stage])
    return "\n\n".join([TASKS[stage], *shown])


def question(topic: Topic) -> str:
    """Return the research question and its terms, which are in the system text of the whole run."""
    return (
        f"question: {topic.question}\narms: {', '.join(topic.arms)}\nmeasure: {topic.measure}"
        f"\nunit: {topic.unit}"
    )


_SHOWN: Final[dict[Stage, tuple[str, ...]]] = {
    Stage.PLAN: (),
    Stage.GATHER: ("notes",),
    Stage.HYPOTHESES: ("notes",),
    Stage.DESIGN: ("hypotheses",),
    Stage.CODE: ("design",),
    Stage.RUN: ("design",),
    Stage.PARSE: ("results",),
    Stage.STATISTICS: ("parse",),
    Stage.FIGURES: ("statistics",),
    Stage.DRAFT: ("notes", "statistics"),
    Stage.CITATIONS: ("notes", "draft"),
    Stage.NUMBERS: ("statistics", "draft"),
}


def _user(text: str) -> Message:
    return {"role": "user", "content": text}
