"""Finds what the user typed in a message that a chat app wrapped in fixed texts of its own (a
frame), such as an instruction above attached files.

LM Studio, Zed, Gemini CLI with Qwen Code, and OpenClaw put files, citations or facts of a chat app
into the user's message. Only what these programs themselves write, word for word, counts as their
frame. A frame shows where the typed part stands and gives it no trust beyond that: somebody who
writes a whole message can write a frame, too, so such a message is never approved by itself. What
stands inside a frame cannot end it: of each mark that closes one the last counts, and of each that
opens one the first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final

from lull.core.provenance.enclosed import Region

_CITATIONS: Final = (
    'The following citations were found in the files provided by the user:\n\nCitation 1: "'
)
_AFTER_CITATIONS: Final = (
    "Use the citations above to respond to the user query, only if they are relevant. Otherwise,"
    " respond to the best of your ability without them.\n\nUser Query:\n\n"
)
_NO_CITATIONS: Final = (
    "Important: No citations were found in the user files for the user query. In less than one"
    " sentence, inform the user of this. Then respond to the query to the best of your ability."
    "\n\nUser Query:\n\n"
)
_WHOLE_FILES: Final = (
    "This is a Enriched Context Generation scenario.\n\nThe following content was found in the"
    " files provided by the user.\n\n\n** "
)
_AFTER_FILES: Final = (
    " **\n\nBased on the content above, please provide a response to the user query."
    "\n\nUser query: "
)
"""LM Studio (its plugin rag-v1): what it writes around the citations or the files."""

_ZED: Final = re.compile(
    r"<context>\nThe following items were attached by the user\. (?:They are up-to-date and don't"
    r" need to be re-read|You don't need to use other tools to read them)\.\n"
)
_ZED_END: Final = "</context>"

_REFERENCED: Final = re.compile(r"^--- Content from referenced files ---$", re.MULTILINE)
_EDITOR: Final = re.compile(
    r"(?:Here is the user's editor context as a JSON object|Here is a summary of changes in the"
    r" user's editor context, in JSON format)\. This is for your information only\.\n```json\n"
)
_SET_UP: Final = re.compile(
    r"This is the (?:Gemini CLI|Qwen Code)\. We are setting up the context for our chat\.\n"
)
_FENCE: Final = "\n```"

_MARK: Final = "⟦openclaw:ctx⟧"
_FACTS: Final = re.compile(
    rf"(?P<label>[^\n]{{1,80}}?)(?P<kind> \(untrusted[^()\n]{{0,40}}\):| {_MARK})\n```json\n"
    r"(?P<facts>(?s:.*?))\n```(?:\n+|\Z)"
)
"""One block of facts that OpenClaw writes above a message; JSON has no line that ends its fence."""
_OF_THE_SENDER: Final = frozenset(
    (
        "Conversation info",
        "Sender",
        "Replied message",
        "Reply target of current user message",
        "Reply chain of current user message (nearest first)",
    )
)
"""Blocks below which the message is the sender's own; below any other, somebody else's."""
_OF_OTHERS: Final = ("is_group_chat", "has_forwarded_context")
_BELOW: Final = f"\nContext: {_MARK}\n"
_DAYS: Final = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_STAMP: Final = re.compile(
    rf"\[{_DAYS} \d{{4}}-\d\d-\d\d \d\d:\d\d(?: [A-Z][\w+:-]{{0,20}})?\] (?=\S)"
)
"""The time that OpenClaw writes before a message."""


def typed_place(text: str) -> Region | None:
    """Return where the user's own words stand, as (start, end), in a message that a chat app
    wrapped in fixed texts of its own (a frame); None if it has no frame of a known app. Start and
    end are equal if the user typed nothing.
    """
    for look in _LOOKS:
        if (place := look(text)) is not None:
            return place
    return None


def _lm_studio(text: str) -> Region | None:
    if text.startswith(_NO_CITATIONS):
        return len(_NO_CITATIONS), len(text)
    for begin, end in ((_CITATIONS, _AFTER_CITATIONS), (_WHOLE_FILES, _AFTER_FILES)):
        at = text.rfind(end) if text.startswith(begin) else -1
        if at >= 0:
            return at + len(end), len(text)
    return None


def _zed(text: str) -> Region | None:
    opens = _ZED.search(text)
    if opens is None:
        return None
    if not text[: opens.start()].strip():  # as older versions put it: the typed part comes last
        end = text.rfind(_ZED_END)
        return (end + len(_ZED_END), len(text)) if end >= 0 else None
    return (0, opens.start()) if text.rstrip().endswith(_ZED_END) else None


def _gemini(text: str) -> Region | None:
    if _SET_UP.match(text):
        return len(text), len(text)
    if editor := _EDITOR.match(text):
        end = text.find(_FENCE, editor.end())
        return (end + len(_FENCE), len(text)) if end >= 0 else None
    files = _REFERENCED.search(text)
    return (0, files.start()) if files is not None else None


def _openclaw(text: str) -> Region | None:
    start = at = len(text) - len(text.lstrip("\n"))
    own = True
    while block := _FACTS.match(text, at):
        own = own and _is_of_the_sender(block)
        at = block.end()
    stamp = _STAMP.match(text, at)
    if at == start and stamp is None:
        return None
    begin = stamp.end() if stamp else at
    if not own or len(_STAMP.findall(text, begin)) > 0:
        return len(text), len(text)  # a group's, a forwarded one, or several of a chat
    below = text.find(_BELOW, begin)
    return begin, below if below >= 0 else len(text)


def _is_of_the_sender(block: re.Match[str]) -> bool:
    if block["label"].removesuffix(":") not in _OF_THE_SENDER:
        return False
    try:
        facts = json.loads(block["facts"])
    except (ValueError, RecursionError):
        return False
    return not (isinstance(facts, dict) and any(facts.get(name) for name in _OF_OTHERS))


_LOOKS: Final[tuple[Callable[[str], Region | None], ...]] = (_lm_studio, _zed, _gemini, _openclaw)
