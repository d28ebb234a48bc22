"""`conversations` and `show` read the store; `rate` tells the service."""

from __future__ import annotations

from typing import Any

from lull.cli.context import Context, short_time, table
from lull.cli.control import Control
from lull.contract import routes
from lull.service.views import conversations_view, trajectory_view

Json = dict[str, Any]


def conversations(context: Context) -> None:
    if not context.paths.database.exists():
        context.answer({"conversations": [], "next": None}, _list_words)
        return
    options = context.options
    with context.stores() as stores:
        rows, following = stores.trajectories.page(
            client=options.client, search=options.search, after=options.after, limit=options.limit
        )
    context.answer(conversations_view(rows, following), _list_words)


def _list_words(document: Json) -> str:
    found = document["conversations"]
    if not found:
        return "No conversation yet. Point a chat client at Lull's address and say something."
    rows = [(c["id"], c["client"], c["model"], c["turns"], short_time(c["last"])) for c in found]
    text = table(rows, ("CONVERSATION", "CLIENT", "MODEL", "TURNS", "LAST"))
    if document["next"]:
        text += f"\nMore: lull conversations --after {document['next']}"
    return text


def show(context: Context) -> None:
    with context.stores() as stores:
        row, turns = stores.trajectories.get(context.options.conversation)
    context.answer(trajectory_view(row, turns), _show_words)


def _show_words(document: Json) -> str:
    lines = [f"{document['id']}: {document['client']} with {document['model']}"]
    for turn in document["turns"]:
        skills = ", ".join(f"{s['name']} v{s['version']}" for s in turn["skills"]) or "none"
        lines.append("")
        lines.append(
            f"{turn['id']}  {short_time(turn['at'])}  generation {turn['policy']['generation']},"
            f" skills: {skills}"
        )
        lines += [f"  {m['role']}: {m['text']}" for m in turn["messages"]]
        lines.append(f"  assistant: {turn['answer']}")
        if not turn["complete"]:
            lines.append(f"  (incomplete: {turn['error'] or turn['finish']})")
        if turn["note"]:
            lines.append(f"  ({turn['note']})")
        if turn["label"]:
            lines.append(f"  rated {turn['label']}")
    return "\n".join(lines)


def rate(context: Context) -> None:
    control = Control(context.paths)
    path = routes.RATE.format(id=context.options.turn)
    turn = control.post(path, {"label": context.options.label})
    context.answer(turn, lambda t: f"{t['id']}: {t['label'] or 'no label'}")
