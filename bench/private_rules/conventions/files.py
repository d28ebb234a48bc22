"""Conventions for files themselves: their names, backup copies, and a log of work on them."""

from __future__ import annotations

import hashlib
import random
import re
from dataclasses import dataclass, replace
from datetime import date

from bench.private_rules.checks import Check, CheckKind, Place
from bench.private_rules.rule import Feature, Phrasing, Rule, Task, Words

_DATES = {
    "%Y%m%d": (r"\d{8}", "year, month and day without marks"),
    "%Y-%m-%d": (r"\d{4}-\d{2}-\d{2}", "year-month-day"),
    "%d%m%y": (r"\d{6}", "day, month and two figures of the year"),
    "%y%j": (r"\d{5}", "two figures of the year and the day of the year"),
    "%G-w%V": (r"\d{4}-w\d{2}", "year and ISO week, such as 2031-w07"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _NameForm:
    date_form: str
    join: str
    """Between the words."""
    code: str
    """The workplace's mark, in every name."""
    date_first: bool

    def of(self, topic: str, on: date, ending: str) -> str:
        words = self.join.join(re.findall(r"[a-z0-9]+", topic.lower()))
        dated = on.strftime(self.date_form)
        parts = (dated, self.code, words) if self.date_first else (self.code, words, dated)
        return "~".join(part for part in parts if part).replace("~", self._between) + ending

    @property
    def _between(self) -> str:
        return "_" if self.join == "-" else "-"

    @property
    def pattern(self) -> str:
        words = rf"[a-z0-9]+(?:{re.escape(self.join)}[a-z0-9]+)*"
        dated = _DATES[self.date_form][0]
        code = re.escape(self.code)
        parts = (dated, code, words) if self.date_first else (code, words, dated)
        return re.escape(self._between).join(part for part in parts if part) + r"\.[a-z0-9]+"


def _naming_words(said: str, sample: str) -> dict[Phrasing, Words]:
    return {
        Phrasing.TERSE: Words(
            name="new-file-names", description="Naming a new file.", body=f"Like `{sample}`."
        ),
        Phrasing.ORDINARY: Words(
            name="how-files-are-named",
            description="When a new file is saved to a folder and its name is left open.",
            body=f"{said} The date is the day on which the file is made.",
        ),
        Phrasing.SITUATIONAL: Words(
            name="saving-something-new",
            description="The user wants something written up and saved in a day's folder, and"
            " only says the folder and the format, not what the file is called.",
            body=f"Choose the name yourself, as it is done here. {said}",
        ),
    }


def naming(rng: random.Random) -> Rule:
    form = _NameForm(
        date_form=rng.choice(list(_DATES)),
        join=rng.choice("-_"),
        code=rng.choice(["", "", "kb", "vx", "hq", "rn", "ops", "atl"]),
        date_first=rng.random() < 0.5,
    )
    on = date(2031, 2, 13)
    sample = form.of("annual survey", on, ".json")
    said = (
        f"New files are named like {sample}: {_DATES[form.date_form][1]}"
        f" {'first' if form.date_first else 'last'}, small letters, words joined by {form.join!r}."
    )
    return Rule(
        id="naming",
        needs=Feature.FREE_NAME,
        said=said,
        words=_naming_words(said, sample),
        styled=lambda style: replace(
            style, name=lambda task: form.of(task.topic, task.on, task.ending)
        ),
        checks=lambda task: (
            Check(
                kind=CheckKind.NAME,
                rule="naming",
                place=task.place,
                params={"pattern": form.pattern},
            ),
        ),
        about="file names",
        right=tuple(
            form.of(topic, on, end)
            for topic, end in (("annual survey", ".json"), ("open points", ".md"))
        ),
        wrong=("AnnualSurvey.json", "open points 13.2.md", "final_FINAL.csv", "survey.2031.json"),
    )


_COPIES = {
    "{name}.orig": "the same name with .orig after it",
    "{name}.before": "the same name with .before after it",
    "{stem}.prev{suffix}": "the same name with .prev before its ending",
    "old-{name}": "the same name with old- in front",
    "{name}~": "the same name with a tilde after it",
}


def backup(rng: random.Random) -> Rule:
    form = rng.choice(list(_COPIES))

    def copy(name: str) -> str:
        stem, dot, suffix = name.rpartition(".")
        return form.format(name=name, stem=stem, suffix=dot + suffix)

    def checks(task: Task) -> tuple[Check, ...]:
        digest = hashlib.sha256(task.before.encode()).hexdigest()
        name = task.path.rpartition("/")[2]
        return (
            Check(
                kind=CheckKind.COPY,
                rule="backup",
                place=task.place,
                params={"copy": copy(name), "digest": digest},
            ),
        )

    said = f"Before a file is changed, it is copied beside itself: {_COPIES[form]}."
    return Rule(
        id="backup",
        needs=Feature.EDIT,
        said=said,
        words={
            Phrasing.TERSE: Words(
                name="copy-first", description="Changing a file that exists.", body=said
            ),
            Phrasing.ORDINARY: Words(
                name="keep-the-old-version",
                description="When an existing file is changed, corrected or added to.",
                body=f"{said} Only then write the change. A new file needs no copy.",
            ),
            Phrasing.SITUATIONAL: Words(
                name="something-is-to-be-corrected",
                description="The user points at a file that is already there and wants a value"
                " fixed, a line added or a part taken out.",
                body=f"What was there must not be lost. {said}",
            ),
        },
        styled=lambda style: replace(style, copy=copy),
        checks=checks,
        about="copies to make of plan.json before it is changed",
        right=(copy("plan.json"),),
        wrong=("plan.json.backup", "plan (copy).json", "backup/plan.json", "plan2.json"),
    )


_MARKS = ("DONE", "ok", "+", "finished", "closed")


def _worklog_words(said: str) -> dict[Phrasing, Words]:
    return {
        Phrasing.TERSE: Words(
            name="note-what-was-done",
            description="A task on files has been finished.",
            body=said,
        ),
        Phrasing.ORDINARY: Words(
            name="log-of-work",
            description="Whenever a file has been written, changed or saved for the user.",
            body=f"{said} Lines that are there stay.",
        ),
        Phrasing.SITUATIONAL: Words(
            name="before-you-say-it-is-ready",
            description="The user has asked for a file to be made, put together or updated in"
            " the folder of a day, and the work is about to be reported as ready.",
            body=f"One thing is left to do. {said}",
        ),
    }


def worklog(rng: random.Random) -> Rule:
    file = rng.choice(["journal.txt", "ledger.log", "today.txt", "trail.log", "handover.txt"])
    mark, join = rng.choice(_MARKS), rng.choice([" | ", "; ", " -- ", "\t"])
    date_form = rng.choice(["%Y-%m-%d", "%d.%m.%Y"])
    dated = {"%Y-%m-%d": r"\d{4}-\d{2}-\d{2}", "%d.%m.%Y": r"\d{2}\.\d{2}\.\d{4}"}[date_form]
    most = rng.choice([60, 80, 100])

    def line(on: date, what: str) -> str:
        return join.join((on.strftime(date_form), mark, what))

    pattern = re.escape(join).join((dated, re.escape(mark), rf"\S.{{0,{most - 1}}}"))
    sample = line(date(2031, 2, 13), "wrote the annual survey")
    said = (
        f"After each piece of work on files one line is added at the end of {file}, in the top"
        f" folder: `{sample}`, the last part at most {most} characters."
    )
    return Rule(
        id="worklog",
        needs=Feature.WORK,
        said=said,
        words=_worklog_words(said),
        styled=lambda style: replace(
            style, log=(file, lambda task: line(task.on, f"{task.kind}: {task.topic}"))
        ),
        checks=lambda task: (
            Check(
                kind=CheckKind.LOG,
                rule="worklog",
                place=Place(path=file),
                params={"pattern": pattern, "least": task.done},
            ),
        ),
        about="lines of the log",
        right=(sample, line(date(2031, 2, 14), "moved two rows")),
        wrong=("wrote the annual survey", "Feb 13: done", f"{mark}: survey", "[x] survey 13/02"),
    )
