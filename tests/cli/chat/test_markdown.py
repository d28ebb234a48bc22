"""Tests of a conversation written as Markdown, for other programs."""

from __future__ import annotations

from lull.contract.conversation_markdown import conversation_markdown


def test_calls_and_what_broke_off_are_there_and_no_fence_ends_another() -> None:
    turn = {
        "at": "2026-11-21T10:05:07+00:00",
        "messages": [
            {"role": "system", "text": "Be brief."},
            {"role": "user", "text": "Write ```a```"},
        ],
        "answer": "",
        "tool_calls": [{"name": "write", "arguments": '{"text": "```a```"}'}],
        "complete": False,
        "why_incomplete": "",
        "finish": "hangup",
    }
    shown = {"id": "conv_1", "client": "editor", "model": "qwen3:4b", "turns": [turn]}
    assert (
        conversation_markdown(shown, time=lambda iso: iso[:16].replace("T", " "))
        == """\
# Conversation with qwen3:4b

editor, conv_1

## System, 2026-11-21 10:05

Be brief.

## User, 2026-11-21 10:05

Write ```a```

## Assistant, 2026-11-21 10:05



Calls `write`:

````json
{"text": "```a```"}
````

*(incomplete: hangup)*
"""
    )
