"""The report: a Markdown page of every benchmark's figures, built only from the result files.

Each section names the command that makes its figures and the file that holds them, so that a
reader can go from a figure to both; what has not been run is said.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.all.catalogue import CATALOGUE, Entry
from bench.all.later import asked

Document = Mapping[str, Any]
MOST_ROWS, MOST_COLUMNS = 40, 12
HEAD = """\
# What is measured

Made by `python -m bench report` from the files below, never by hand. A figure that depends on the
machine is to be read beside its floor or contrast, which was measured in the same run. *Simulated*
says that a part of what was measured is generated or scripted. A goal that is missed says so.
"""
CLOSING = """\
## What this does not show

- No person has used Lull for weeks under observation: who works in these benches is simulated, and
  says only what it was written to say.
- No large model was asked. The built-in model speaks a toy language, and the scripted student is no
  model at all. `python -m bench metaclaw_bench --endpoint …` and `pipeline --endpoint …` are
  there for people who have one.
- Figures of others come from their papers or from other runs where the text says so, and are never
  in one column with ours.
- One machine: nothing was measured on a Mac.
"""


def page(benches: Mapping[str, str], results: Path, place: Path) -> str:
    """Return the report page's Markdown. `benches`: descriptions by name, in order; `place`: path
    of the page, for relative links.
    """
    found = {name: read(results, name) for name in benches}
    away = Path(os.path.relpath(results, place.parent))
    parts = [HEAD, _summary(found, away)]
    for name, document in found.items():
        entry = CATALOGUE.get(name, Entry(measures=benches[name]))
        parts.append("\n".join(_section(name, document, entry, results, away)))
    parts.append(CLOSING + _limits(found))
    return "\n".join(parts)


def read(results: Path, name: str) -> Document | None:
    file = results / f"{name}.json"
    if not file.exists():
        return None
    document: Document = json.loads(file.read_text("utf-8"))
    return document


def command(name: str) -> str:
    entry = CATALOGUE.get(name)
    return f"python -m bench {name} {entry.more if entry else ''}".strip()


# -- the parts -----------------------------------------------------------------------------------


def _summary(found: Mapping[str, Document | None], away: Path) -> str:
    lines = [
        "| bench | goals that hold | missed | command | file |",
        "|---|---|---|---|---|",
    ]
    for name, document in found.items():
        link = f"[{name}](#{name})"
        if document is None:
            lines.append(f"| {link} | not run yet | | `{command(name)}` | |")
            continue
        goals = [goal for goal in _asked(name, document) if not goal["replaced"]]
        holds = sum(bool(goal["holds"]) for goal in goals)
        missed = len(goals) - holds
        file = f"[{name}.json]({(away / name).as_posix()}.json)"
        lines.append(f"| {link} | {holds} | {missed} | `{command(name)}` | {file} |")
    return "\n".join(lines) + "\n"


def _section(
    name: str, document: Document | None, entry: Entry, results: Path, away: Path
) -> Iterator[str]:
    yield f"## {name}\n"
    yield f"{entry.measures}\n"
    if document is None:
        yield f"Not run yet: `{command(name)}` makes `{name}.json`.\n"
        return
    if document["simulated"]:
        yield "*Simulated.*\n"
    if look := document.get("look"):
        yield f"**{_cell(look)}**\n"
    if lacks := entry.since(document):
        made = f"commit {document['commit']}, {document['at'].partition('T')[0]}"
        yield f"**Older than the bench: these figures are of {made}.** {lacks}\n"
    yield from _goals(_asked(name, document))
    yield from _rows(document["rows"], entry)
    for plot in sorted(results.glob(f"{name}*.png")):
        yield f"![{plot.stem}]({(away / plot.name).as_posix()})\n"
    yield from _infeasible(document)
    if entry.peers:
        yield f"Figures of others, for comparison:\n\n{entry.peers}\n"
    yield from _made(name, document, away)


def _asked(name: str, document: Document) -> list[dict[str, Any]]:
    entry = CATALOGUE.get(name, Entry(measures=""))
    return sorted(asked(document, entry.later), key=entry.order)


def _goals(goals: Sequence[Document]) -> Iterator[str]:
    if not goals:
        return
    yield "| goal | value | limit | |"
    yield "|---|---|---|---|"
    for goal in goals:
        limit = f"{goal.get('sign') or _sign(goal)} {_figure(goal['limit'])}".strip()
        why = f": {_cell(goal['why_not'])}" if goal.get("why_not") else ""
        said = "holds" if goal["holds"] else f"**missed**{why}"
        said = "no longer asked: replaced below" if goal["replaced"] else said
        measured = f" ({_cell(goal['measured'])})" if goal.get("measured") else ""
        yield f"| {_cell(goal['goal'])} | {_figure(goal['value'])}{measured} | {limit} | {said} |"
    yield ""


def _sign(goal: Document) -> str:
    """Return "≤" or "≥", the side of the limit where a goal holds, inferred because the file does
    not store it.
    """
    value, limit = goal["value"], goal["limit"]
    if value is None or limit is None or value == limit:
        return ""
    return "≤" if (value < limit) == bool(goal["holds"]) else "≥"


def _rows(rows: Sequence[Document], entry: Entry) -> Iterator[str]:
    wanted = sorted((row for row in rows if entry.shown(row)), key=entry.order)
    own = set(entry.columns) - set(entry.rest)
    rest = [row for row in wanted if entry.rest and own.isdisjoint(row)]
    first = [row for row in wanted if row not in rest]
    yield from _table(first, entry.columns or _plain_columns(first))
    yield from _table(rest, entry.rest)
    shown = min(len(first), MOST_ROWS) + min(len(rest), MOST_ROWS)
    if wanted and shown < len(rows):
        yield f"{shown} of {len(rows)} rows; all of them are in the file.\n"


def _table(rows: Sequence[Document], wanted: Sequence[str]) -> Iterator[str]:
    shown = rows[:MOST_ROWS]
    names = [name for name in wanted if any(row.get(name) is not None for row in shown)]
    if not shown or not names:
        return
    yield "| " + " | ".join(name.replace("_", " ") for name in names) + " |"
    yield "|" + "---|" * len(names)
    for row in shown:
        yield "| " + " | ".join(_cell(row.get(name)) for name in names) + " |"
    yield ""


def _plain_columns(rows: Sequence[Document]) -> list[str]:
    names = dict.fromkeys(name for row in rows for name in row)
    plain = [n for n in names if not any(isinstance(row.get(n), dict | list) for row in rows)]
    return plain[:MOST_COLUMNS]


def _made(name: str, document: Document, away: Path) -> Iterator[str]:
    versions = ", ".join(f"{package} {version}" for package, version in _versions(document))
    seeds = ", ".join(str(seed) for seed in document.get("seeds", [])) or "none"
    yield (
        f"`{command(name)}` → [{name}.json]({(away / name).as_posix()}.json), {document['at']},"
        f" commit {document['commit']}, {document['machine']}"
        f"{'; ' + versions if versions else ''}; seeds {seeds}.\n"
    )


def _infeasible(document: Document) -> Iterator[str]:
    """Yield the Markdown list of checks that nobody can pass, for benchmarks that have some."""
    found = document.get("infeasible") or []
    if found:
        yield "Infeasible, and counted as asked all the same:\n"
        yield from (f"- {one['day']} {one['round']}: {_cell(one['why'])}" for one in found)
        yield ""


def _versions(document: Document) -> list[tuple[str, str]]:
    versions = document.get("versions") or {}
    return sorted((str(package), str(version)) for package, version in versions.items())


def _limits(found: Mapping[str, Document | None]) -> str:
    said = [
        f"- {name}: {entry.not_shown}\n"
        for name in found
        if (entry := CATALOGUE.get(name)) and entry.not_shown
    ]
    return "".join(said)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _figure(value)
    return " ".join(str(value).replace("|", "\\|").split())


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
