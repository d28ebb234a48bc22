"""`lull forget`: says what a conversation has made, and with --yes removes all of that."""

from __future__ import annotations

from typing import Any

from lull.cli.context import Context
from lull.cli.control import Control
from lull.contract import routes

Json = dict[str, Any]


def forget(context: Context) -> None:
    wanted = {"conversation": context.options.conversation, "yes": context.options.yes}
    # Adapters may have to be rolled back, and the database is written anew.
    done = Control(context.paths).post(routes.FORGET, wanted, patience_s=None)
    context.answer(done, words)


def words(done: Json) -> str:
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
    return "\n".join(lines)


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"
