"""`lull forget`: shows what was learned from a conversation; with --yes deletes that and the
conversation.

The running service deletes it. If none runs, the command does, while holding the service's lock
file.
"""

from __future__ import annotations

from collections.abc import Callable

from lull.cli.shared.context import Context
from lull.cli.shared.data_change import change_data
from lull.config.files import read
from lull.contract import routes
from lull.contract.json_object import Json


def forget(context: Context) -> None:
    """Run `lull forget`: remove a conversation and everything that was learned from it."""
    wanted = {"conversation": context.options.conversation, "yes": context.options.yes}
    # Adapters may have to be rolled back, and the database is written anew.
    done = change_data(
        context, routes.FORGET, wanted, lambda: _forgetting_here(context, wanted), patience_s=None
    )
    context.print_result(done, words)


def _forgetting_here(context: Context, wanted: Json) -> Callable[[], Json]:
    from lull.service.entry.forget_alone import forget_alone

    settings = read(context.paths.settings)
    # A damaged or missing file is the service's to keep aside and to tell about.
    with context.open_stores():
        pass
    return lambda: forget_alone(settings, context.paths, wanted)


def words(done: Json) -> str:
    """Describe what forgetting a conversation has removed, or would remove."""
    removed = done["removed"]
    parts = [
        _counted(removed["turns"], "turn"),
        _counted(removed["skills"], "skill"),
        _counted(removed["runs"], "training run"),
        _counted(removed["adapters"], "adapter"),
    ]
    said = ", ".join(parts[:-1]) + f" and {parts[-1]}"
    lines = [f"Removed: {said}." if done["done"] else f"This would remove {said}."]
    lines += [f"  {line}" for line in done["made"]]
    if not done["done"]:
        lines.append("Nothing was changed; `--yes` does it, and it cannot be taken back.")
    lines += [f"Not looked into: {path}" for path in done["left"]]
    if done["backups"]:
        named = ", ".join(done["backups"])
        lines.append(f"Backups that may still hold it, until you delete them: {named}")
    return "\n".join(lines)


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"
