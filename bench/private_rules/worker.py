"""A worker that does tasks exactly by the given rules, for tests and scripted students.

It shows that the rules of a set can be obeyed together: what it makes passes every check.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from bench.private_rules.rule import Kind, Rule, Style, Task


def style_of(rules: Iterable[Rule]) -> Style:
    style = Style()
    for rule in rules:
        style = rule.styled(style)
    return style


def prepare(task: Task, workspace: Path) -> None:
    """Create the day's folder with the files that the task starts from."""
    (workspace / task.day).mkdir(parents=True, exist_ok=True)
    if task.kind is Kind.EDIT:
        (workspace / task.path).write_text(task.before, "utf-8")


def work(task: Task, workspace: Path, style: Style) -> str:
    """Do the task in the workspace and return the text of the answer."""
    if task.kind is Kind.SUM:
        return style.result(str(task.lines[0].grams * task.lines[0].cents))
    path = task.path or f"{task.day}/{style.name(task)}"
    file = workspace / path
    if task.kind is Kind.EDIT and style.copy is not None:
        file.with_name(style.copy(file.name)).write_text(file.read_text("utf-8"), "utf-8")
    file.write_text(_content(task, style), "utf-8")
    if style.log is not None:
        log, line = style.log
        with (workspace / log).open("a", encoding="utf-8") as out:
            out.write(line(task) + "\n")
    return f"It is in {path}."


def _content(task: Task, style: Style) -> str:
    lines = task.lines
    match task.kind:
        case Kind.EVENTS:
            entries = [
                {"what": x.what, "at": style.stamp(x.at), "by": style.person(x.who)} for x in lines
            ]
            return json.dumps({"entries": entries}, indent=2)
        case Kind.STOCK:
            items = [
                {"id": style.number(n), "name": x.what, "amount": style.weight(x.grams)}
                for n, x in enumerate(lines, 1)
            ]
            return json.dumps({"items": items}, indent=2)
        case Kind.ROSTER:
            people = [{"name": style.person(x.who), "role": x.what} for x in lines]
            return json.dumps({"people": people}, indent=2)
        case Kind.PRICES:
            return _table(task, style)
        case Kind.NOTES:
            points = "".join(f"\n{x.who.given} sees to {x.what}.\n" for x in lines)
            return f"{style.head(task)}# {task.topic.capitalize()}\n{points}{style.tail}"
        case Kind.LETTER:
            return (
                f"{style.opening(task.recipient)}\n\nabout the {task.topic}.\n\n{style.closing}\n"
            )
        case Kind.SCRIPT:
            return _script(style)
        case _:
            return f"{task.before}{lines[-1].what}\n"


def _table(task: Task, style: Style) -> str:
    join = style.delimiter
    rows = [(style.columns("item"), style.columns("price"))]
    # A price with a decimal comma would be two cells.
    rows += [(x.what, _quoted(style.money(x.cents), join)) for x in task.lines]
    return "".join(join.join(row) + "\n" for row in rows)


def _quoted(cell: str, join: str) -> str:
    return f'"{cell}"' if join in cell else cell


def _script(style: Style) -> str:
    signature = "(path: str) -> float" if style.annotations else "(path)"
    doc = '    """The sum of its lines."""\n' if style.docstrings else ""
    body = "    with open(path) as file:\n        return sum(float(line) for line in file)\n"
    return f"{style.first_line}\n\n\ndef total{signature}:\n{doc}{body}"
