"""`lull model list` and `choose`: through the service where one runs, else here."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from lull.cli.context import Context, plain, progress, table
from lull.cli.control import Control, ServiceError, found
from lull.contract import routes

Json = dict[str, Any]
ASK_EVERY_S = 0.5
_FOLDER_STARTS = ("/", "./", "../", "~")


def model(context: Context) -> None:
    if (context.options.action or "list") == "list":
        context.answer(_listed(context), _list_words)
        return
    name, is_folder = _name_and_kind(context.options.name)
    if found(context.paths) is not None:
        done = _by_the_service(context, name, is_folder=is_folder)
    else:
        done = asyncio.run(_here(context, name, is_folder=is_folder))
    context.answer(done, _chosen_words)


def _listed(context: Context) -> Json:
    if found(context.paths) is not None:
        return Control(context.paths).get(routes.MODELS)
    return asyncio.run(_listed_here(context))


async def _listed_here(context: Context) -> Json:
    from lull.config.files import read
    from lull.service.models import models_view
    from lull.service.wiring.weights import choosing_here

    settings = read(context.paths.settings)
    async with choosing_here(settings, context.paths) as choose:
        return {**models_view(await choose.list(), settings.training.model), "choosing": None}


def _name_and_kind(name: str) -> tuple[str, bool]:
    """Whether it names a folder, and then its whole path: the service works elsewhere."""
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
    from lull.service.models import KEY, chosen_view, progress_view
    from lull.service.settings_view import SettingsView
    from lull.service.wiring.weights import choosing_here

    context.paths.prepare()
    settings, shown = read(context.paths.settings), _Shown()
    async with choosing_here(settings, context.paths) as choose:
        chosen = await choose.choose(
            name, is_folder=is_folder, report=lambda at: shown.show(progress_view(name, at))
        )
    shown.end()
    view = SettingsView(context.paths.settings)
    return chosen_view(chosen, await view.handle({"key": KEY, "value": chosen.name}))


class _Shown:
    """Progress on a terminal: the need of disk first, then one line that changes."""

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
    lines.append("* learns. `lull model choose NAME` lets another one.")
    return "\n".join(lines)


def _chosen_words(done: Json) -> str:
    return f"{plain(done['chosen'])} learns from now on; its weights are in {done['folder']}."
