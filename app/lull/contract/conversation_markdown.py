"""Converts a conversation from the JSON that the service returns to Markdown for other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


def conversation_markdown(conversation: Mapping[str, Any], *, time: Callable[[str], str]) -> str:
    """Return a conversation as Markdown: a heading for each message, then its text unchanged.

    `conversation` is the JSON that the control API returns at `routes.CONVERSATION`; secrets stay
    blacked out. `time` is a function that formats an ISO time in this machine's time zone.
    """
    lines = [f"# Conversation with {conversation['model']}", ""]
    lines.append(f"{conversation['client']}, {conversation['id']}")
    for turn in conversation["turns"]:
        lines += _turn(turn, time(turn["at"]))
    return "\n".join(lines) + "\n"


def _turn(turn: Mapping[str, Any], time: str) -> Iterator[str]:
    for message in turn["messages"]:
        yield from _said(str(message["role"]).capitalize(), time, message["text"])
    if turn.get("corrects"):
        yield from ("", "*(said in Lull's window about the answer above)*")
        return
    yield from _said("Assistant", time, turn["answer"])
    for call in turn["tool_calls"]:
        yield from ("", f"Calls `{call['name']}`:", "", *_code(call["arguments"]))
    if not turn["complete"]:
        yield from ("", f"*(incomplete: {turn['why_incomplete'] or turn['finish']})*")


def _said(who: str, time: str, text: str) -> Iterator[str]:
    yield from ("", f"## {who}, {time}", "", text)


def _code(text: str) -> Iterator[str]:
    """Yield a text as a block of code whose fence is longer than any in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    yield from (f"{fence}json", text, fence)
