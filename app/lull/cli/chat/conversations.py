"""`lull conversations` and `lull show`: list and show recorded conversations, without a service."""

from __future__ import annotations

from urllib.parse import quote

from lull.cli.shared.context import Context, plain, short_time, table
from lull.contract import routes
from lull.contract.conversation_markdown import conversation_markdown
from lull.contract.json_object import Json
from lull.core.errors import NotFound


def conversations(context: Context) -> None:
    """Run `lull conversations`: list the recorded conversations, newest first."""
    options = context.options
    query = {
        "client": options.client,
        "search": options.search,
        "after": options.after,
        "limit": options.limit,
    }
    document = context.read(
        routes.CONVERSATIONS,
        query,
        lambda stored: stored.conversations.list(**query),
        default={"conversations": [], "next": None},
    )
    context.print_result(document, _list_words)


def _list_words(document: Json) -> str:
    found = document["conversations"]
    if not found:
        return "No conversation here. Point a chat client at Lull's address and say something."
    rows = [
        (
            c["id"],
            c["client"],
            c["model"],
            c["turns"],
            short_time(c["last"]),
            c["generation"],
            ", ".join(f"{s['name']} v{s['version']}" for s in c["skills"]) or "none",
        )
        for c in found
    ]
    head = ("CONVERSATION", "CLIENT", "MODEL", "TURNS", "LAST", "GENERATION", "SKILLS")
    text = table(rows, head)
    if document["next"]:
        text += f"\nMore: lull conversations --after {document['next']}"
    return text


def show(context: Context) -> None:
    """Run `lull show`: print one recorded conversation, the newest if none is named."""
    name = context.options.conversation or _newest(context)
    route = routes.CONVERSATION.format(id=quote(name, safe=""))
    words = _markdown if context.options.markdown else _show_words
    context.print_result(
        context.read(route, {}, lambda stored: stored.conversations.conversation(name)), words
    )


def _markdown(document: Json) -> str:
    return plain(conversation_markdown(document, time=short_time)).rstrip("\n")


def _newest(context: Context) -> str:
    """Id of the newest conversation. Raises NotFound when there is none."""
    page = context.read(
        routes.CONVERSATIONS,
        {"limit": 1},
        lambda stored: stored.conversations.list(limit=1),
    )
    if not page["conversations"]:
        raise NotFound("There is no conversation yet.", hint="Say something to a model first.")
    return str(page["conversations"][0]["id"])


def _show_words(document: Json) -> str:
    lines = [f"{document['id']}: {document['client']} with {document['model']}"]
    for turn in document["turns"]:
        skills = ", ".join(f"{s['name']} v{s['version']}" for s in turn["skills"]) or "none"
        why = turn.get("why_skills")
        lines.append("")
        if turn.get("corrects"):
            lines.append(f"{short_time(turn['at'])}  said in Lull's window about the answer above:")
            lines += [f"  {m['role']}: {m['text']}" for m in turn["messages"]]
            continue
        lines.append(
            f"{turn['id']}  {short_time(turn['at'])}  generation {turn['policy']['generation']},"
            f" skills: {skills}{f' ({why})' if why else ''}"
        )
        lines += [f"  {m['role']}: {m['text']}" for m in turn["messages"]]
        lines.append(f"  assistant: {turn['answer']}")
        lines += [f"  calls {c['name']} with {c['arguments']}" for c in turn["tool_calls"]]
        if not turn["complete"]:
            lines.append(f"  (incomplete: {turn['why_incomplete'] or turn['finish']})")
        if turn["note"] and turn["note"] != why:
            lines.append(f"  ({turn['note']})")
        if turn["label"]:
            lines.append(f"  rated {turn['label']}")
    return plain("\n".join(lines))
