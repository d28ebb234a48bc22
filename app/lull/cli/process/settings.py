"""`lull settings show` and `lull settings set`: show and change settings.

A change is made by the service if one runs, else in the settings file by the command.
"""

from __future__ import annotations

import asyncio

from lull.cli.shared.context import Context
from lull.cli.shared.data_change import change_data
from lull.config.template import as_toml
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import NotFound
from lull.service.control.settings_view import SettingsRequests


def settings(context: Context) -> None:
    """Run `lull settings`: show and change the settings."""
    options = context.options
    if (options.action or "show") == "show":
        document = asyncio.run(SettingsRequests(context.paths.settings).handle(None))
        group = getattr(options, "group", None)  # plain `lull settings` has neither option
        changed_only = bool(getattr(options, "changed", False))
        context.print_result(_chosen(document, group, changed_only=changed_only), _show_words)
        return
    wanted = {"key": options.key, "value": options.value}
    done = change_data(
        context,
        routes.SETTINGS,
        wanted,
        lambda: lambda: asyncio.run(SettingsRequests(context.paths.settings).handle(wanted)),
    )
    context.print_result(done, _set_words)


def _chosen(document: Json, group: str | None, *, changed_only: bool) -> Json:
    """Return the settings of a group, or of all groups if `group` is None. Raises NotFound for an
    unknown group.
    """
    rows = document["settings"]
    groups = dict.fromkeys(str(one["key"]).split(".")[0] for one in rows)
    if group is not None and group not in groups:
        raise NotFound(f"There is no group {group[:40]}.", hint=f"One of {', '.join(groups)}.")
    found = [
        one
        for one in rows
        if (group is None or str(one["key"]).startswith(f"{group}."))
        and (not changed_only or one["value"] != one["default"])
    ]
    return {**document, "settings": found}


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
