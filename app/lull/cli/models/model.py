"""`lull model`: lists models, chooses the one to train, and runs exams of local chat models.

An exam decides by labelled items whether a model may judge answers or read feedback. `list` and
`choose` work with or without a running service.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lull.cli.shared.context import Context, plain, progress, table
from lull.cli.shared.control import Control, ServiceError, find_service
from lull.config.files import set_value
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import NotFound
from lull.core.models.candidates import AUTO, is_auto
from lull.core.models.most_used_model import COUNTED_PERIOD, AutoChoice, ModelUse, auto_choice

if TYPE_CHECKING:
    from lull.loops.models.choose_model import ModelListing

ASK_EVERY_S = 0.5
_FOLDER_STARTS = ("/", "./", "../", "~")


def model(context: Context) -> None:
    """Run `lull model`: list the models that can be trained, choose one, and show the models'
    exams.
    """
    if (context.options.action or "list") == "list":
        context.print_result(_listed(context), _list_words)
        return
    if context.options.action == "exams":
        context.print_result(_exams(context), _exam_words)
        return
    if is_auto(context.options.name):
        context.print_result(_leave_it_to_lull(context), lambda done: str(done["text"]))
        return
    name, is_folder = _name_and_kind(context.options.name)
    if find_service(context.paths) is not None:
        done = _by_the_service(context, name, is_folder=is_folder)
    else:
        done = asyncio.run(_here(context, name, is_folder=is_folder))
    context.print_result(done, _chosen_words)


def _listed(context: Context) -> Json:
    if find_service(context.paths) is not None:
        return Control(context.paths).get(routes.MODELS)
    return asyncio.run(_listed_here(context))


async def _listed_here(context: Context) -> Json:
    from lull.config.files import read
    from lull.service.models.models import auto_view, models_view
    from lull.service.wiring.night.weights import choosing_here

    settings = read(context.paths.settings)
    async with choosing_here(settings, context.paths) as choose:
        named = settings.training.model
        there = await choose.list(named)
        auto = auto_view(_auto(context, there)) if is_auto(named) else None
        chosen = auto["model"] if auto is not None else named
        return {**models_view(there, chosen, auto), "choosing": None}


def _auto(context: Context, there: ModelListing) -> AutoChoice:
    """Return the model that the setting "auto" stands for, found without a service."""
    from lull.service.wiring.base.own_models import SHIPPED

    talked: list[ModelUse] = []
    with contextlib.suppress(NotFound), context.open_stores() as stores:
        talked = stores.trajectories.answer_counts(datetime.now(UTC) - COUNTED_PERIOD)
    return auto_choice(talked, there.models, built_in=SHIPPED)


def _leave_it_to_lull(context: Context) -> Json:
    if find_service(context.paths) is not None:
        Control(context.paths).post(routes.SETTINGS, {"key": "training.model", "value": AUTO})
    else:
        set_value(context.paths.settings, "training.model", AUTO)
    text = "The model that you talk to most learns from now on, of those that can here."
    return {"chosen": AUTO, "text": text}


def _exams(context: Context) -> Json:
    if find_service(context.paths) is None and not context.options.now:
        return _exams_here(context)
    control = Control(context.paths)
    if not context.options.now:
        return control.get(routes.MODELS_EXAMS)
    at = control.post(routes.MODELS_EXAMS, {})
    shown = _Shown()
    while at["running"] is not None:
        one = at["running"]
        shown.line(f"{one['model']} as {one['role']}: {one['done']} of {one['of']}")
        time.sleep(ASK_EVERY_S)
        at = control.get(routes.MODELS_EXAMS)
    shown.end()
    return at


def _exams_here(context: Context) -> Json:
    """Return the stored exam results. Only a service can check whether the models are still the
    same.
    """
    from lull.service.models.exams import exams_view
    from lull.store.models.exams import Exams

    nothing: Json = {"roles": {}, "running": None, "error": None}
    if not context.paths.database.exists():
        return {**exams_view((), ()), **nothing}
    with context.open_stores() as stores:
        return {**exams_view(Exams(stores.database).all(), ()), **nothing}


def _name_and_kind(name: str) -> tuple[str, bool]:
    """Return (name, False) for a model's name, or (absolute path, True) for a folder."""
    path = Path(name).expanduser()
    if name.startswith(_FOLDER_STARTS) or (path / "config.json").is_file():
        return str(path.absolute()), True
    return name, False


def _by_the_service(context: Context, name: str, *, is_folder: bool) -> Json:
    control = Control(context.paths)
    at = control.post(routes.MODELS_CHOOSE, {"name": name, "folder": is_folder})["choosing"]
    shown = _Shown()
    while at is not None and at["stage"] in ("looking", "making"):
        shown.show(at)
        time.sleep(ASK_EVERY_S)
        at = control.get(routes.MODELS_CHOOSING)["choosing"]
    shown.end()
    if at is None:
        raise ServiceError({"detail": "The choice was stopped.", "hint": "Ask again to go on."})
    if at["stage"] == "failed":
        raise ServiceError(at["error"])
    return {key: at[key] for key in ("model", "chosen", "folder", "restart_needed")}


async def _here(context: Context, name: str, *, is_folder: bool) -> Json:
    from lull.config.files import read
    from lull.service.control.settings_view import SettingsRequests
    from lull.service.models.models import KEY, chosen_view, progress_view
    from lull.service.wiring.night.weights import choosing_here

    context.paths.prepare()
    settings, shown = read(context.paths.settings), _Shown()
    async with choosing_here(settings, context.paths) as choose:
        chosen = await choose.choose(
            name, is_folder=is_folder, report=lambda at: shown.show(progress_view(name, at))
        )
    shown.end()
    view = SettingsRequests(context.paths.settings)
    return chosen_view(chosen, await view.handle({"key": KEY, "value": chosen.name}))


class _Shown:
    """Shows progress on a terminal: first the disk space needed, then one line that is updated."""

    def __init__(self) -> None:
        self._said_need = False
        self._open = False

    def show(self, at: Json) -> None:
        if at["stage"] != "making" or sys.stderr is None or not sys.stderr.isatty():
            return
        if not self._said_need:
            progress(f"Making the weights ready takes {at['of_gb']:.2f} GB of the disk.")
            self._said_need = True
        left = "" if at["left_s"] is None else f", about {_duration(at['left_s'])} left"
        sys.stderr.write(f"\r\033[K{at['progress']:.0%}{left}")
        sys.stderr.flush()
        self._open = True

    def line(self, words: str) -> None:
        if sys.stderr is None or not sys.stderr.isatty():
            return
        sys.stderr.write(f"\r\033[K{words}")
        sys.stderr.flush()
        self._open = True

    def end(self) -> None:
        if self._open:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
        self._open = False


def _duration(seconds: float) -> str:
    return f"{round(seconds)} s" if seconds < 90 else f"{round(seconds / 60)} min"


# For people


def _list_words(page: Json) -> str:
    rows = [
        (
            f"{'*' if one['chosen'] else ' '} {one['name']}",
            one["architecture"] or "-",
            f"{one['needs_gb']:.1f} GB" if one["needs_gb"] else "-",
            "yes" if one["can_learn"] else f"no: {one['why_not']}",
        )
        for one in page["models"]
    ]
    lines = [table(rows, ("  MODEL", "ARCHITECTURE", "NEEDS", "CAN LEARN"))] if rows else []
    if page["problem"]:
        lines.append(f"Ollama's models are not shown: {plain(page['problem']['detail'])}")
    if page.get("auto"):
        auto = page["auto"]
        lines.append(f"training.model = auto means {plain(auto['model'])}: {plain(auto['why'])}")
    lines.append("* learns. `lull model choose NAME` lets another one.")
    return "\n".join(lines)


def _exam_words(page: Json) -> str:
    rows = [
        (
            one["model"],
            one["role"],
            {True: "passed", False: "failed", None: "under way"}[one["passed"]],
            "-" if one["score"] is None else _share_words(one),
            plain(one["why"]) or "-",
        )
        for one in page["exams"]
    ]
    lines = [table(rows, ("MODEL", "ROLE", "TEST", "SCORE", "WHY"))] if rows else []
    if not rows:
        lines.append("No model has been tested yet; that is done while you are away.")
    lines += [f"{plain(one['model'])}: {plain(one['why'])}" for one in page["not_examined"]]
    lines += [f"{role}: {plain(one['why'])}" for role, one in page["roles"].items()]
    if page["error"]:
        lines.append(plain(page["error"]["detail"]))
    return "\n".join(lines)


def _share_words(one: Json) -> str:
    return f"{one['score']:.0%} ({one['low']:.0%} to {one['high']:.0%}, {one['n']} asked)"


def _chosen_words(done: Json) -> str:
    return f"{plain(done['chosen'])} learns from now on; its weights are in {done['folder']}."
