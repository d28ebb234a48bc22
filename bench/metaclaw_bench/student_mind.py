"""How the scripted student answers a chat, using nothing but the prompt.

Three voices on one server, by the model's name: the student does the work with tool calls, the
judge compares an answer with the work it would have done itself, the writer turns a complaint into
a skill in the complaint's own words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.json_object import Json
from bench.metaclaw_bench.data import Bench
from bench.metaclaw_bench.scoring import REMINDER
from bench.metaclaw_bench.student_jobs import Job, Rules, Work, learn_jobs
from bench.models.blocks import blocks, text_of
from bench.models.scripted import Said

STUDENT, JUDGE, WRITER = "student", "student-judge", "student-writer"
FEEDBACK = "[Previous Feedback] "
LONGEST_RULE = 520
"""Longest rule text that the student remembers, in characters; a skill's body holds about 150
tokens.
"""
_HEAD = 60
"""Number of characters at the start of a question that identify it."""


@dataclass(frozen=True, slots=True)
class Mind:
    rules: Rules
    jobs: tuple[Job, ...]
    praise: frozenset[str] = field(default_factory=frozenset)
    """First words of the feedback given for right answers."""
    blame: frozenset[str] = field(default_factory=frozenset)
    """First words of the feedback given for wrong answers."""

    @classmethod
    def of(cls, bench: Bench) -> Mind:
        rules, jobs = learn_jobs(bench)
        rounds = [asked for day in bench.days for asked in day.rounds]
        praise = frozenset(str(asked.feedback["correct"])[:_HEAD] for asked in rounds)
        blame = {str(asked.feedback.get("incorrect", REMINDER))[:_HEAD] for asked in rounds}
        longest_first = tuple(sorted(jobs, key=lambda job: -len(job.question)))
        return cls(
            rules, longest_first, praise, frozenset(blame | {"missed ", "wrongly selected "})
        )

    def answers(self, body: Json) -> Said:
        model, messages = str(body["model"]).partition(":")[0], body["messages"]
        if model == JUDGE:
            return Said(text=json.dumps(self._judges(blocks(messages))))
        if model == WRITER:
            return Said(text=self._writes(blocks(messages)))
        return self._works(messages)

    # -- the student --------------------------------------------------------------------------

    def _works(self, messages: Sequence[Json]) -> Said:
        at = max((n for n, m in enumerate(messages) if m["role"] == "user"), default=-1)
        job = self._job(text_of(messages[at])) if at >= 0 else None
        if job is None:
            return Said(text="Noted.")
        told = [text_of(m) for m in messages[: at + 1] if m["role"] in ("system", "user")]
        known = self._heard("\n\n".join(told))
        if job.right:
            return Said(text=_box(job.right if _may(job, known) else frozenset("A")))
        done = _done(messages[at + 1 :])
        contents: dict[str, str | None] = {}
        for path in job.reads(known):
            if path not in done.read:
                return Said(call=("read_file", {"path": path}))
            contents[path] = done.read[path]
        work = job.does(known, contents)
        for path, text in work.writes:
            if (path, text) not in done.written:
                return Said(call=("write_file", {"path": path, "content": text}))
        return Said(text=work.says)

    def _job(self, text: str) -> Job | None:
        return next((job for job in self.jobs if job.question in text), None)

    def _heard(self, text: str) -> frozenset[str]:
        """Return the rules stated in a text, apart from the questions themselves."""
        for job in self.jobs:
            text = text.replace(job.question, "\n")
        return self.rules.in_text(text)

    # -- the judge ----------------------------------------------------------------------------

    def _judges(self, shown: Mapping[str, str]) -> Json:
        if "answer A" in shown:
            return {"reason": "I see no difference.", "better": "same"}
        if "what the user said they want" not in shown:
            return {"reason": "By what was said next.", "score": self._mood(shown)}
        wanted = self.rules.in_text(self._without(shown["what the user said they want"]))
        job = self._cut_job(shown["the conversation"])
        answer = shown["the answer"]
        marks = _only_so(job, wanted) if job else []
        if not marks:
            return {"reason": "The words say nothing here.", "score": 0}
        good = any(mark in answer for mark in marks)
        return {"reason": "As I would have done it.", "score": 1 if good else -1}

    def _mood(self, shown: Mapping[str, str]) -> int:
        said = shown.get("the user's next message", "")
        words = said.removeprefix(FEEDBACK)
        if any(words.startswith(one) for one in self.praise):
            return 1
        blame = any(words.startswith(one) for one in self.blame)
        return -1 if blame or said.startswith(FEEDBACK) else 0

    def _cut_job(self, text: str) -> Job | None:
        """Return the job whose question a text contains, by its first characters, because judges
        may see a cut text.
        """
        found = [(text.rfind(job.question[:_HEAD]), job) for job in self.jobs]
        at, job = max(found, key=lambda pair: pair[0], default=(-1, None))
        return job if at >= 0 else None

    def _without(self, text: str) -> str:
        """Return the text up to the next question."""
        cuts = [text.find(job.question[:_HEAD]) for job in self.jobs]
        return text[: min((cut for cut in cuts if cut >= 0), default=len(text))]

    # -- the writer ---------------------------------------------------------------------------

    def _writes(self, shown: Mapping[str, str]) -> str:
        said = next((text for label, text in shown.items() if "said next" in label), "")
        asked = next((text for label, text in shown.items() if "was asked" in label), "")
        rule = " ".join(self._without(said.removeprefix(FEEDBACK)).split())[:LONGEST_RULE]
        rules = sorted(self.rules.in_text(rule))
        job = self._cut_job(asked)
        if not rules or job is None:
            return "Nobody said what was wrong."
        # Names of files and figures are of this one request.
        about = re.sub(r"\S*[\d_\\]\S*", "", job.question.partition("\n")[0])
        words = re.findall(r"[A-Za-z]{3,}", about)[:30]
        skill = {
            "name": "-".join(("as-we-do-it", *rules)).lower()[:60],
            "description": f"When the user asks: {' '.join(words)}.",
            "body": rule,
        }
        return json.dumps(skill)


def _may(job: Job, known: frozenset[str]) -> bool:
    return job.needs <= known if job.needs else bool(known)


def _only_so(job: Job, wanted: frozenset[str]) -> list[str]:
    """Return marks that only an answer obeying these rules contains: paths that are written, lines
    of a file that is written without the rules, too, or words.
    """
    if job.right:
        return [_box(job.right)] if wanted & job.needs else []
    contents: dict[str, str | None] = dict.fromkeys(job.reads(wanted), "before")
    plain: Work = job.does(frozenset(), dict.fromkeys(job.reads(frozenset()), "before"))
    obeying = job.does(wanted, contents)
    anyway = dict(plain.writes)
    marks = [
        _line_only_in(text, anyway[path]) if path in anyway else f'"{path}"'
        for path, text in obeying.writes
        if (path, text) not in plain.writes
    ]
    return marks if obeying.says == plain.says else [*marks, obeying.says]


def _line_only_in(text: str, other: str) -> str:
    """Return the longest line of a text that the other lacks, as a tool call's arguments quote it.
    A path alone would take a file that breaks the rule for one that keeps it.
    """
    lines = [line for line in text.splitlines() if line not in other.splitlines()]
    return json.dumps(max(lines, key=len, default=text))[1:-1]


def _box(letters: frozenset[str]) -> str:
    return f"\\bbox{{{','.join(sorted(letters))}}}"


@dataclass(frozen=True, slots=True)
class _Done:
    read: Mapping[str, str | None]
    """The first content that a path had; None where there was no file."""
    written: frozenset[tuple[str, str]]


def _done(messages: Sequence[Json]) -> _Done:
    """Return what was done since the question, from tool calls and their results in order."""
    read: dict[str, str | None] = {}
    written: set[tuple[str, str]] = set()
    waiting: list[tuple[str, Json]] = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            given = call["function"]["arguments"]
            given = json.loads(given) if isinstance(given, str) else given
            waiting.append((call["function"]["name"], given))
        if message["role"] == "tool" and waiting:
            name, given = waiting.pop(0)
            result = text_of(message)
            if name == "read_file":
                read.setdefault(given["path"], None if result.startswith("Error:") else result)
            elif name == "write_file":
                written.add((given["path"], given["content"]))
    return _Done(read, frozenset(written))
