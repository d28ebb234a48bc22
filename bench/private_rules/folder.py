"""Writes a rule set as a folder in MetaClaw-Bench's format: days, workspaces and separate
questions.

`days.json` opens each day, `workspaces/DAY/` is what the day finds, `eval/DAY/questions.json` holds
the rounds with their checks (`eval.checks`, see checks.py) and must never reach a prompt. Skills
that teach the rules are in `skills.json`, talk that needs none in `talk.json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.private_rules.asking import SMALL_TALK
from bench.private_rules.rule import Rule
from bench.private_rules.rule_set import Day, Request, RuleSet
from bench.private_rules.worker import prepare


def write(rules: RuleSet, folder: Path) -> None:
    """Write the rule set to the folder, replacing existing files."""
    said = {rule.id: rule for rule in rules.rules}
    days = [_opening(rules, day) for day in rules.days]
    _json(folder / "days.json", {"name": f"private rules, seed {rules.seed}", "days": days})
    for day in rules.days:
        rounds = [_round(request, said) for request in day.requests]
        _json(folder / "eval" / day.id / "questions.json", {"id": day.id, "rounds": rounds})
        home = folder / "workspaces" / day.id
        home.mkdir(parents=True, exist_ok=True)
        (home / "README.md").write_text(f"# {day.id}\n\n{day.on:%A, %d %B %Y}\n", "utf-8")
        for request in day.requests:
            if request.task is not None:
                prepare(request.task, folder / "workspaces")
    skills = {
        rule.id: {
            phrasing.value: {"name": w.name, "description": w.description, "body": w.body}
            for phrasing, w in rule.words.items()
        }
        for rule in rules.rules
    }
    _json(folder / "skills.json", skills)
    unruled = {day.id: list(day.unruled) for day in rules.days}
    _json(folder / "talk.json", {"small_talk": list(SMALL_TALK), "unruled": unruled})


def _opening(rules: RuleSet, day: Day) -> dict[str, Any]:
    hello = f"Good morning, it is {day.on:%A, %d %B %Y}. The things for today are in {day.id}/."
    turns = [("user", hello), ("assistant", "Good morning. What shall I begin with?")]
    return {
        "id": day.id,
        "desc": f"{rules.world}: {day.introduces or 'all rules'}",
        "arc": day.introduces,
        "preference_tags": list(day.in_force),
        "opening": [
            {"role": role, "content": [{"type": "text", "text": text}]} for role, text in turns
        ],
    }


def _round(request: Request, said: dict[str, Rule]) -> dict[str, Any]:
    asked = {"id": request.id.partition("-")[2], "question": request.text, "update": []}
    if request.options:
        letters = [chr(65 + i) for i in range(len(request.options))]
        marked = list(zip(letters, request.options, strict=True))
        why = said[request.rules[0]].said
        return asked | {
            "type": "multi_choice",
            "rules": list(request.rules),
            "feedback": {
                "correct": "Yes, those.",
                "options": {
                    letter: f"{letter} is {'fine' if right else 'not ours'}. {why}"
                    for letter, (_, right) in marked
                },
            },
            "eval": {
                "options": {letter: text for letter, (text, _) in marked},
                "answer": [letter for letter, (_, right) in marked if right],
            },
        }
    return asked | {
        "type": "file_check",
        "rules": list(request.rules),
        "feedback": {
            "correct": "That is as it should be.",
            "incorrect": "Not quite. " + " ".join(said[rule].said for rule in request.rules),
        },
        "eval": {"checks": [check.to_json() for check in request.checks]},
    }


def _json(path: Path, document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
