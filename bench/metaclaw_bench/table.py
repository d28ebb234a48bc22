"""Prints the results as a table, one row per condition."""

from collections.abc import Mapping
from typing import Any

COLUMNS = ("accuracy", "choice", "completion", "completion_feasible")
COMPARED = ("over_baseline", "share_of_gap", "share_of_said")


def print_table(document: Mapping[str, Any]) -> None:
    rows = document["rows"]
    first = rows[0]
    simulated = ", simulated" if document["simulated"] else ""
    print(f"{document['data']['name']}: {first['days']} days, {document['model']}{simulated}")
    print(f"% with 95 % interval over days; n = {_ns(first)}")
    heads = (
        "all rounds",
        "choices",
        "file checks",
        "… feasible",
        "over baseline",
        "of reachable gap",
        "of what was said",
    )
    print(f"{'':28}" + "".join(f"{head:>22}" for head in heads))
    for row in rows:
        cells = "".join(f"{_cell(row, name):>22}" for name in (*COLUMNS, *COMPARED))
        name = f"{row['condition']}{', ' + row['feedback'] if 'feedback' in row else ''}"
        print(f"{name:28}{cells}{_learned(row)}")
    for one in document["untrained"]:
        print(f"no condition, as nothing was trained: {one['condition']}: {one['why']}")
    for one in document["infeasible"]:
        print(f"infeasible: {one['day']} {one['round']}: {one['why']}")


def _ns(row: Mapping[str, Any]) -> str:
    return ", ".join(str(row[f"{name}_n"]) for name in COLUMNS)


def _cell(row: Mapping[str, Any], name: str) -> str:
    if name not in row:
        return ""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f"{row[name]:.1%} [{low:.0%}, {high:.0%}]"


def _learned(row: Mapping[str, Any]) -> str:
    said = f"  {row['crashed']} crashed" if row["crashed"] else ""
    if "skills" in row:
        said += f"  {row['skills']} skills"
    if "trained" in row:
        said += f", {row['trained']} trainings"
        said += f" ({row['why_not_trained']})" if row["why_not_trained"] else ""
    return said
