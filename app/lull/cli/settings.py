"""`lull settings show` and `set`: through the service where one runs, else on the file."""

from __future__ import annotations

import asyncio
from typing import Any

from lull.cli.alone import changed
from lull.cli.context import Context
from lull.config.template import as_toml
from lull.contract import routes
from lull.service.settings_view import SettingsView

Json = dict[str, Any]


def settings(context: Context) -> None:
    options = context.options
    if (options.action or "show") == "show":
        document = asyncio.run(SettingsView(context.paths.settings).handle(None))
        context.answer(document, _show_words)
        return
    wanted = {"key": options.key, "value": options.value}
    done = changed(
        context,
        routes.SETTINGS,
        wanted,
        lambda: lambda: asyncio.run(SettingsView(context.paths.settings).handle(wanted)),
    )
    context.answer(done, _set_words)


def _show_words(document: Json) -> str:
    lines = [f"From {document['file']}"]
    for item in document["settings"]:
        default = as_toml(item["default"])
        mark = "" if item["value"] == item["default"] else f"  (default {default})"
        lines.append("")
        lines.append(f"{item['key']} = {as_toml(item['value'])}{mark}")
        lines.append(f"    {item['reason']}")
    return "\n".join(lines)


def _set_words(done: Json) -> str:
    when = " It holds from the next start on." if done["restart_needed"] else ""
    return f"{done['key']} = {as_toml(done['value'])}.{when}"
