"""Writes the Learning page's texts about training runs and LoRA adapters: table cells, details,
sentences and CSV exports.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from lull.contract.json_object import Json
from lull.desktop.language.words import (
    count,
    counted,
    decimal,
    length,
    percent,
    plain,
    reword_for_window,
    short_date,
    short_day,
    skill_title,
    tr,
    translated,
)
from lull.desktop.pages.learning.charts import Chart
from lull.desktop.shared.changes import move_words


def RUN_HEADS() -> tuple[str, ...]:  # noqa: N802
    """Return the column titles of the table of training runs."""
    return (tr("Created"), tr("Kind"), tr("Status"), tr("Good"))


def ADAPTER_HEADS() -> tuple[str, ...]:  # noqa: N802
    """Return the column titles of the table of LoRA adapters."""
    return (tr("Adapter"), tr("Status"), tr("Tested"), tr("Created"))


def placing_words(placings: Iterable[Json]) -> str:
    """Return one line for each model, which says where in the model's prompts Lull puts skills
    (instruction texts), and why there.
    """
    return "\n".join(plain(f"{one['model']}: {translated(one, 'why')}") for one in placings)


def kind_words(kind: str) -> str:
    """Name what a training run trains on, such as answers that were rated."""
    words = {
        "grpo": tr("generated answers"),
        "kto": tr("rated answers"),
        "graduation": tr("a skill, trained in"),
    }
    return words.get(kind, kind)


def status_words(status: str) -> str:
    """Return the user's words for the status of a training run or a LoRA adapter, such as "on
    trial" for `shadow`.
    """
    words = {
        "waiting": tr("waiting until you're away"),
        "training": tr("being trained"),
        "trained": tr("trained"),
        "continued": tr("continued in another run"),
        "judging": tr("being tested"),
        "promoted": tr("accepted"),
        "rejected": tr("rejected"),
        "superseded": tr("out of date"),
        "cancelled": tr("cancelled"),
        "failed": tr("failed"),
        "stuck": tr("needs your decision"),
        "candidate": tr("queued"),
        "shadow": tr("on trial"),
        "active": tr("in use"),
        "retired": tr("was in use"),
        "rolled back": tr("rolled back"),
    }
    return words.get(status, status)


def cell_tooltip(cell: str) -> str:
    """Return the tooltip of a cell in the tables of training runs and adapters: an explanation if
    the cell is a status or a kind of run, else the cell's text.
    """
    return {**_kinds_explained(), **_status_explained()}.get(cell, cell)


def _kinds_explained() -> dict[str, str]:
    return {
        kind_words("grpo"): tr(
            "Lull answered past requests several times and trained towards the better answers"
            " (GRPO)."
        ),
        kind_words("kto"): tr("Trained on single answers known to be good or bad (KTO)."),
        kind_words("graduation"): tr(
            "A skill was trained into the model, so that it no longer takes up room in prompts."
        ),
    }


def _status_explained() -> dict[str, str]:
    return {
        status_words("judging"): tr(
            "Before it may answer you, it is compared with the version before it and checked for"
            " harm."
        ),
        status_words("promoted"): tr("It passed the test: better, and no harm was found."),
        status_words("rejected"): tr("It failed the test and is not used."),
        status_words("continued"): tr("A later run continued from its result."),
        status_words("superseded"): tr("The model, its skills or its data have changed since."),
        status_words("stuck"): tr(
            "Its training stopped three times at the same step, or its test failed three times: "
            "choose “Train now” to continue, or cancel it."
        ),
        status_words("candidate"): tr("It is trained, and waits for its test."),
        status_words("shadow"): tr("It answers a tenth of new conversations for a day."),
        status_words("active"): tr("It answers your chats now."),
        status_words("retired"): tr("It answered before the one that answers now."),
        tr("passed"): tr("It passed the test: better, and no harm was found."),
        status_words("failed"): tr(
            "The training itself ended with an error; the text below says which."
        ),
        tr("not passed"): tr("It failed the test; select it and open its details to read why."),
    }


def run_cells(run: Json) -> tuple[str, ...]:
    """Return the texts of a training run's row in the table."""
    return (
        short_day(run.get("made")),
        kind_words(str(run["kind"])),
        status_words(str(run["status"])),
        gain_words(run),
    )


def adapter_cells(adapter: Json) -> tuple[str, ...]:
    """Return the texts of a LoRA adapter's row in the table."""
    accepted = adapter.get("accepted")
    gate = tr("not tested")
    if accepted is not None:
        gate = tr("passed") if accepted else tr("not passed")
    status = status_words(str(adapter["status"]))
    return (str(adapter["id"]), status, gate, short_day(adapter.get("made")))


def adapter_facts(adapter: Json) -> list[tuple[str, str]]:
    """Return the details of a LoRA adapter as (title, value) pairs, with the same titles for every
    adapter.

    `adapter` is its JSON, from the list or from its detailed view. Values that only the detailed
    view has are dashes if they are missing.
    """
    learned, share = adapter.get("learned"), adapter.get("share")
    accepted = adapter.get("accepted")
    verdict = None if accepted is None else ("accepted" if accepted else "rejected")
    moves = adapter.get("moves") or ()
    return [
        (tr("Created"), short_date(adapter.get("made"))),
        (tr("Model"), plain(str(adapter["base"]))),
        (tr("Status"), status_words(str(adapter["status"]))),
        (tr("Answers"), tr("%1 of new conversations", percent(share)) if share else "–"),
        (tr("From the run"), plain(str(adapter.get("run") or "–"))),
        (tr("Based on"), plain(str(adapter.get("parent") or tr("the original model")))),
        (
            tr("Skills trained in"),
            ", ".join(skill_title(one["name"]) for one in learned) if learned else "–",
        ),
        (tr("Test before use"), verdict_words({**adapter, "verdict": verdict})),
        (tr("When it was in use"), "\n".join(_moved(move) for move in moves) or "–"),
    ]


def _moved(move: Json) -> str:
    return f"{short_date(move.get('at'))}: {move_words(move)}"


def gain_words(run: Json) -> str:
    """Return the share of good answers before and after a training run; "–" if unknown."""
    before, after = run.get("reward_before"), run.get("reward_after")
    if before is None or after is None:
        return "–"
    return tr("%1 → %2", percent(before), percent(after))


def run_words(run: Json) -> str:
    """Describe a training run in one line, with those of its details for which the table of runs
    has no column.
    """
    words = [translated(run, "why"), counted(int(run.get("turns") or 0), "%1 answer", "%1 answers")]
    if run.get("tokens"):
        words.append(tr("%1 tokens", count(run["tokens"])))
    if run.get("took_s"):
        words.append(tr("took %1", length(run["took_s"])))
    if run.get("left_s"):
        words.append(tr("%1 left", length(run["left_s"])))
    if run.get("of"):
        words.append(tr("step %1 of %2", run.get("steps", 0), run["of"]))
    if run.get("kl") is not None:
        words.append(
            tr(
                "%1 away from the original model (KL divergence per token; 0 is the same)",
                decimal(run["kl"], 3),
            )
        )
    if run.get("verdict"):
        words.append(tr("test: %1", verdict_words({**run, "reasons": ()})))
    if run.get("reasons"):
        words.append(reasons_of(run))
    return " · ".join(word for word in words if word)


def facts_of(run: Json) -> list[tuple[str, str]]:
    """Return the details of a training run as (title, value) pairs, with the same titles for every
    run.
    """
    took, tokens, kl = run.get("took_s"), run.get("tokens"), run.get("kl")
    return [
        (tr("Created"), short_date(run.get("made"))),
        (tr("Kind"), kind_words(str(run["kind"]))),
        (tr("Status"), status_words(str(run["status"]))),
        (tr("Why"), translated(run, "why") or "–"),
        (tr("Answers it learned from"), count(run.get("turns", 0))),
        (tr("Steps"), tr("%1 of %2", run.get("steps", 0), run.get("of") or "–")),
        (tr("Good, before and after"), gain_words(run)),
        (tr("Tokens"), count(tokens) if tokens else "–"),
        (tr("Time"), length(took) if took else "–"),
        (
            tr("Peak memory"),
            tr("%1 MB", count(round(run["peak_mb"]))) if run.get("peak_mb") else "–",
        ),
        (
            tr("Distance from the original model"),
            tr("%1 (KL divergence per token; 0 is the same)", decimal(kl, 3))
            if kl is not None
            else "–",
        ),
        (tr("Adapter"), plain(str(run.get("adapter") or "–"))),
        (tr("Test before use"), verdict_words(run)),
    ]


def verdict_words(run: Json) -> str:
    """Say whether a run's adapter passed its test, and for which reasons."""
    verdict = {"accepted": tr("passed"), "rejected": tr("not passed")}
    said = verdict.get(str(run.get("verdict") or ""), tr("no verdict yet"))
    return "; ".join(part for part in (said, reasons_of(run)) if part)


def reasons_of(run: Json) -> str:
    """Return as one text the service's reasons why the adapter of a training run passed or failed
    the gate (the test before it is used).
    """
    return "; ".join(reword_for_window(plain(str(reason))) for reason in run.get("reasons") or ())


RUN_NAMES = ("id", "made", "kind", "status", "steps", "of", "reward_before", "reward_after",
             "kl", "tokens", "took_s", "verdict")  # fmt: skip


def csv_text(runs: list[Json]) -> str:
    """Export training runs as CSV, oldest first; the headers are the keys of the runs' JSON."""
    ordered = sorted(runs, key=lambda one: str(one.get("made")))
    return _csv(RUN_NAMES, ([run.get(name) for name in RUN_NAMES] for run in ordered))


def chart_csv(chart: Chart) -> str:
    """Export a chart as CSV: one line for each value of each curve, oldest first."""
    dots = sorted(
        ((dot, series.name) for series in chart.series for dot in series.dots),
        key=lambda one: one[0].at_s,
    )
    steps = bool(chart.steps)
    rows = (
        (
            int(dot.at_s) if steps else datetime.fromtimestamp(dot.at_s, UTC).isoformat(),
            name,
            dot.value,
            dot.n,
        )
        for dot, name in dots
    )
    return _csv(("at", "curve", "value", "n"), rows)


def _csv(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def _cell(value: object) -> object:
    """Return a value for CSV; a text that a spreadsheet would run as a formula is quoted."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@"):
        return f"'{value}"
    return "" if value is None else value
