"""`lull trash`: lists, restores and deletes old conversations in the trash, and moves old
conversations there.
"""

from __future__ import annotations

from lull.cli.shared.context import Context, short_time, table
from lull.cli.shared.control import Control
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import UsageError

_DONE = {"restored": "taken back", "moved": "moved to the trash", "emptied": "removed for good"}


def trash(context: Context) -> None:
    """Run `lull trash`: list, restore and empty the trash of old conversations."""
    options, control = context.options, Control(context.paths)
    action = options.action or "list"
    if action == "list":
        context.print_result(control.get(routes.TRASH), words)
        return
    if action != "restore" and not options.yes:
        raise UsageError(f"`lull trash {action}` changes what is kept.", hint="Add --yes to do it.")
    wanted = {"do": action, "step": getattr(options, "step", "")}
    # No timeout: what is moved is written to disk first, which may take long.
    context.print_result(control.post(routes.TRASH, wanted, patience_s=None), words)


def words(view: Json) -> str:
    """Describe the trash of deleted conversations, and what the command did to it."""
    left = view.get("damaged", ())
    lines = [f"{view[name]} conversations {said}." for name, said in _DONE.items() if name in view]
    lines += [f"Step {name} is damaged and stays; `lull doctor` names its file." for name in left]
    if not view["steps"]:
        return "\n".join([*lines, "The trash is empty."])
    rows = [
        (one["id"], short_time(one["at"]), one["why"], one["conversations"], f"{one['mb']} MB")
        for one in view["steps"]
    ]
    lines.append(table(rows, ("step", "went", "for its", "conversations", "")))
    lines.append("`lull trash restore` takes all of it back, `lull trash restore STEP` a part.")
    return "\n".join(lines)
