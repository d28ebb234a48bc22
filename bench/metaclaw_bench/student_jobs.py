"""What the scripted student does in each round, given the rules it was told (simulated).

It knows how the work is done and what each rule means, as somebody who had the answer book; it does
not know *that* a rule holds until the rule's words stand in a prompt. Until then it works as people
do who never heard of it: `WeeklyReport.md`, `16 March, 9:00`, no copy, no log.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from bench.metaclaw_bench.checks.commands import Assertion
from bench.metaclaw_bench.data import Bench, Round
from bench.private_rules import Request, RuleSet, rule_set
from bench.private_rules.worker import style_of, work

MOMENT = "2026-03-16T09:30:00+08:00"
SPOKEN = "16 March, half past nine"
RETOLD = 0.7
_WHAT_IS_SAID = {
    "P1": r"\+08:00|ISO 8601|time ?zone offset|full datetime",
    "P2": r"YYYYMMDD|\d{8}_|date prefix",
    "P3": r"front ?matter|\bmeta\b|Meta section|created_at.*author",
    "P4": r"\.bak\b|\bback-?up (?:copy|file|step)",
    "P5": r"done\.log|\[DONE\]",
}
"""Regular expressions by which the student recognises that a rule of MetaClaw-Bench was stated."""
_ABOUT = {
    "P1": r"\bP1\b|time ?zone|\+08:00|ISO 8601|time field|time format|timestamp",
    "P2": r"\bP2\b|file ?nam|YYYYMMDD",
    "P3": r"\bP3\b|front ?matter|\bmeta\b|metadata",
    "P4": r"\bP4\b|\.bak\b|back-?up",
    "P5": r"\bP5\b|done\.log",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    writes: tuple[tuple[str, str], ...]
    """Files to write as (path, content), in order."""
    says: str


class Job(Protocol):
    @property
    def question(self) -> str: ...
    @property
    def right(self) -> frozenset[str]:
        """Letters of the right options of a multiple-choice round."""
        ...

    @property
    def needs(self) -> frozenset[str]:
        """Ids of the rules without which the student picks wrong options."""
        ...

    def reads(self, known: frozenset[str]) -> Sequence[str]: ...
    def does(self, known: frozenset[str], contents: Mapping[str, str | None]) -> Work: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Recognises which rules a text states, by patterns and by wordings."""

    patterns: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Sequence[frozenset[str]]] = field(default_factory=dict)
    """Wordings per rule, as word sets; a line with most words of one counts as stating the rule."""

    def in_text(self, text: str) -> frozenset[str]:
        flat = " ".join(text.split())
        lines = [_words(line) for line in text.splitlines()]
        found = {r for r, p in self.patterns.items() if re.search(p, flat, re.IGNORECASE)}
        for rule, wordings in self.words.items():
            if any(len(w & line) >= RETOLD * len(w) for w in wordings for line in lines):
                found.add(rule)
        return frozenset(found)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\s,;:.`()]{3,}(?:[.,]\d+)?|[a-z]{3,}", text.lower()))


def learn_jobs(bench: Bench) -> tuple[Rules, list[Job]]:
    made = re.fullmatch(r"private rules, seed (-?\d+)", bench.name)
    if made:
        return _private(rule_set(int(made[1])), bench)
    rounds = [(day.id, asked) for day in bench.days for asked in day.rounds]
    return Rules(patterns=_WHAT_IS_SAID), [FileJob(day=day, asked=asked) for day, asked in rounds]


# -- MetaClaw-Bench's own rules ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FileJob:
    day: str
    asked: Round

    @property
    def question(self) -> str:
        return self.asked.question

    @property
    def right(self) -> frozenset[str]:
        return self.asked.answer

    @property
    def needs(self) -> frozenset[str]:
        if not self.asked.is_choice:
            return frozenset()
        text = f"{self.asked.question}\n{json.dumps(self.asked.feedback)}"
        return frozenset(r for r, p in _ABOUT.items() if re.search(p, text, re.IGNORECASE))

    def _of(self, script: str) -> list[Assertion]:
        return [one for one in self.asked.assertions if one.script == script]

    def reads(self, known: frozenset[str]) -> Sequence[str]:
        changed = [one.path for one in self._of("check_backup")]
        logs = [one.path for one in self._of("check_done_log")] if "P5" in known else []
        return [*changed, *logs]

    def does(self, known: frozenset[str], contents: Mapping[str, str | None]) -> Work:
        files: dict[str, str] = {}
        for one in self._of("check_backup"):
            before = contents.get(one.path) or ""
            if "P4" in known:
                files[f"{one.path}.bak"] = before
            files[one.path] = _changed(one.path, before)
        for path, fields in self._records().items():
            files[path] = _record(fields, self._ids(), known)
        for path, fields in self._new_files(known):
            files[path] = _document(path, fields, known)
        if "P5" in known:
            for one in self._of("check_done_log"):
                log = contents.get(one.path) or ""
                task = one.option("--task-prefix") or f"{self.day}_{self.asked.id}"
                files[one.path] = f"{log}[DONE] {MOMENT} | {task} | Did what was asked for\n"
        return Work(writes=tuple(files.items()), says="That is done.")

    def _records(self) -> dict[str, list[str]]:
        fields: dict[str, list[str]] = {}
        for one in self._of("check_iso8601"):
            if one.path:
                fields.setdefault(one.path, []).extend(str(word) for word in one.words[1:])
        return fields

    def _ids(self) -> list[str]:
        sources = " ".join(one.inline.source for one in self.asked.assertions if one.inline)
        return re.findall(r"\['id'\]=='([\w-]+)'", sources)

    def _new_files(self, known: frozenset[str]) -> list[tuple[str, list[str]]]:
        """Return the files with freely chosen names and the timestamp fields that each must
        hold.
        """
        made: dict[str, list[str]] = {}
        fields = [
            str(word)
            for one in self._of("check_iso8601")
            if not one.path
            for word in one.words[1:]
            if isinstance(word, str)
        ]
        for folder, ending, keyword, date in self._wanted():
            words = "_".join(word for word in (keyword, self.asked.id, "notes") if word)
            name = f"{date}_{words}" if "P2" in known else f"Report{self.asked.id.upper()}"
            made[f"{folder}/{name}.{ending}"] = fields if ending == "json" else []
        return list(made.items())

    def _wanted(self) -> list[tuple[str, str, str, str]]:
        """Return the wanted files as (folder, ending, a word that the name must contain, date)."""
        wanted = []
        sources = " ".join(
            inline.source
            for one in self.asked.assertions
            for inline in (one.inline, *one.words)
            if inline is not None and not isinstance(inline, str)
        )
        words = re.findall(r"'(\w+)' in f", sources)
        for folder, date, ending in re.findall(r"glob\('(\w+)/(\d{8})_\*\.(\w+)'\)", sources):
            wanted.append((folder, ending, words[0] if words else "", date))
        for one in self._of("check_filename"):
            folder = one.option("--dir").rstrip("/")
            wanted.append((folder, one.option("--ext"), "", "20260316"))
        return list(dict.fromkeys(wanted))


def _changed(path: str, before: str) -> str:
    if path.endswith(".json"):
        return json.dumps({"changed": True, "before": before}, indent=1)
    return f"{before}\nchanged\n"


def _record(fields: Sequence[str], ids: Sequence[str], known: frozenset[str]) -> str:
    moment = MOMENT if "P1" in known else SPOKEN
    document: dict[str, Any] = {}
    for path in fields:
        _put(document, path, moment)
    for value in document.values():
        if isinstance(value, list) and ids:
            value[:] = [{**value[0], "id": one} for one in ids]
    return json.dumps(document, indent=1)


def _put(document: dict[str, Any], field: str, value: str) -> None:
    head, _, rest = field.partition(".")
    key = head.removesuffix("[]")
    if not rest:
        document[key] = [value] if head.endswith("[]") else value
        return
    if head.endswith("[]"):
        inner = document.setdefault(key, [{}])
        _put(inner[0], rest, value)
    else:
        _put(document.setdefault(key, {}), rest, value)


def _document(path: str, fields: Sequence[str], known: frozenset[str]) -> str:
    moment = MOMENT if "P1" in known or "P3" in known else SPOKEN
    meta = {"created_at": moment, "author": "student", "status": "done"} if "P3" in known else {}
    lines = [f"{key}: {value}" for key, value in meta.items()]
    match path.rpartition(".")[2]:
        case "json":
            document: dict[str, Any] = {"meta": dict(meta)} if meta else {}
            for name in fields:
                _put(document, name, moment)
            return json.dumps({**document, "title": "Notes"}, indent=1)
        case "py":
            meta_lines = "\nMeta:\n" + "\n".join(f"    {line}" for line in lines) if lines else ""
            return f'"""Helpers.\n{meta_lines}\n"""\n\n\ndef run():\n    return {{}}\n'
        case "csv":
            head = "# meta: " + " ".join(f"{k}={v}" for k, v in meta.items()) + "\n" if meta else ""
            return f"{head}name,value\n"
    head = "---\n" + "\n".join(lines) + "\n---\n\n" if lines else ""
    return f"{head}# Notes\n\nWhat was asked for.\n"


# -- rule sets from a seed ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateJob:
    request: Request
    rules: RuleSet

    @property
    def question(self) -> str:
        return self.request.text

    @property
    def right(self) -> frozenset[str]:
        options = enumerate(self.request.options)
        return frozenset(chr(65 + at) for at, (_, right) in options if right)

    @property
    def needs(self) -> frozenset[str]:
        return frozenset(self.request.rules)

    def _known(self, known: frozenset[str]) -> list[Any]:
        task = self.request.task
        return [r for r in self.rules.rules if r.id in known and task and r.concerns(task)]

    def reads(self, known: frozenset[str]) -> Sequence[str]:
        task = self.request.task
        if task is None:
            return []
        style = style_of(self._known(known))
        return [*([task.path] if task.before else []), *([style.log[0]] if style.log else [])]

    def does(self, known: frozenset[str], contents: Mapping[str, str | None]) -> Work:
        task = self.request.task
        assert task is not None
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            (home / task.day).mkdir()
            for path, text in contents.items():
                if text is not None:
                    (home / path).write_text(text, "utf-8")
            says = work(task, home, style_of(self._known(known)))
            files = sorted(file for file in home.rglob("*") if file.is_file())
            made = {str(file.relative_to(home)): file.read_text("utf-8") for file in files}
        new = {path: text for path, text in made.items() if contents.get(path) != text}
        return Work(writes=tuple(new.items()), says=says)


def _private(rules: RuleSet, bench: Bench) -> tuple[Rules, list[Job]]:
    asked = {one.question for day in bench.days for one in day.rounds}
    wordings = {
        rule.id: [_words(rule.said), *(_words(one.body) for one in rule.words.values())]
        for rule in rules.rules
    }
    jobs = [PrivateJob(request=one, rules=rules) for one in rules.requests if one.text in asked]
    return Rules(words=wordings), [*jobs]
