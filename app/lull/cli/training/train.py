"""`lull train`: starts training now, shows training runs and cancels them.

Training runs in the service, so it goes on when the user stops waiting.
"""

from __future__ import annotations

from urllib.parse import quote

from lull.cli.shared.context import Context, progress, short_time, table
from lull.cli.shared.control import Control
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import NotRunning, UsageError


def train(context: Context) -> int | None:
    """Run `lull train`: list, start and cancel training runs."""
    options = context.options
    match options.action:
        case None | "list":
            context.print_result(_listed(context), list_words)
        case "now":
            _now(context)
        case "show":
            context.print_result(_shown(context), lambda done: run_words(done["runs"][0]))
        case "cancel":
            path = routes.TRAIN_CANCEL.replace("{id}", quote(options.run, safe=""))
            done = Control(context.paths).post(path, {})
            context.print_result(done, lambda d: run_words(d["runs"][0]))
        case "run":
            return _by_hand(context)
        case _:
            raise UsageError(f"There is no `lull train {options.action}`.")
    return None


def _now(context: Context) -> None:
    control = Control(context.paths)
    if context.options.wait:
        progress("lull: sampling and training; `lull why` shows how far it is")
    try:
        # No timeout: training may take any time.
        done = control.post(routes.TRAIN_NOW, {"wait": context.options.wait}, patience_s=None)
    except KeyboardInterrupt:
        progress("lull: the training goes on in the service; `lull train list` shows how far")
        raise
    context.print_result(done, list_words)


def _by_hand(context: Context) -> int | None:
    from lull.cli.training.train_run import train_run

    return train_run(context)


def _listed(context: Context) -> Json:
    try:
        return Control(context.paths).get(routes.TRAIN)
    except NotRunning:
        if not context.paths.database.exists():
            return {"runs": []}
    from lull.service.training.views import runs_view

    with context.open_stores() as stores:
        return {"runs": runs_view(stores.training.runs())}


def _shown(context: Context) -> Json:
    run = context.options.run
    try:
        return Control(context.paths).get(routes.TRAIN_RUN.replace("{id}", quote(run, safe="")))
    except NotRunning:
        pass
    from lull.service.training.views import run_view, sources_view

    with context.open_stores() as stores:
        found = stores.training.get(run)
        made_of = sources_view(stores.training.sources(run))
        return {"runs": [run_view(found)], "made_of": made_of}


def list_words(document: Json) -> str:
    """Describe the training runs in a table."""
    lines = []
    if document["runs"]:
        rows = [
            (
                run["id"],
                run["kind"],
                run["status"],
                f"{run['steps']}/{run['of']}",
                _share(run["reward_before"]),
                _share(run["reward_after"]),
                short_time(run["made"]),
            )
            for run in document["runs"]
        ]
        head = ("RUN", "KIND", "STATUS", "STEPS", "BEFORE", "AFTER", "MADE")
        lines.append(table(rows, head))
    else:
        lines.append("Nothing was trained yet.")
    if document.get("text"):
        lines += ["", document["text"]]
    return "\n".join(lines)


def run_words(run: Json) -> str:
    """Describe one training run: what it trained on and how it ended."""
    lines = [
        f"{run['id']}: {run['kind']}, {run['status']}",
        run["why"],
        f"Steps: {run['steps']} of {run['of']}, {run['tokens']} tokens, {run['took_s']:.0f} s.",
    ]
    if run["reward_before"] is not None:
        after = _share(run["reward_after"])
        lines.append(f"Good answers: {_share(run['reward_before'])} before, {after} after.")
    if run["verdict"]:
        lines.append(f"The gate: {run['verdict']}.")
        lines += [f"  {reason}" for reason in run["reasons"]]
    return "\n".join(line for line in lines if line)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
