"""Neutralises chat-template marks in a text that goes into a prompt.

A server turns `<|im_end|>` inside a text into the token that ends a message, and `</skills>` ends
our own block, whoever wrote them. The brackets are replaced by look-alikes that no template uses,
so a model can still read the words. Recognised are the forms of template marks, and names of marks
that look like ordinary markup; `<h2>`, `List<T>` and `[TODO]` stay.

Sources: chat templates and added tokens of the model families that Ollama, llama.cpp and
transformers ship.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.unicode_safety import bare

_BARS: Final = "|｜￨¦│┃"
_OPEN: Final = "<＜﹤"
_CLOSE: Final = ">＞﹥"
_WORD: Final = r"[^\n<>\[\]＜﹤＞﹥［］]"

_NAMES: Final = (
    # ours, and roles as tags
    r"skills|system|user|assistant|human|model|developer|tool|function|ipython|role|turn|message"
    r"|instructions?|instruct|inst|sys|prompt|context"
    # beginnings and ends of sequences
    r"|s|bos|eos|pad|unk|mask|cls|sep|sop|eop|eot|eod|eom|eoh|eoa|end|bot|boi|eoi|br?eak|stop"
    # thinking, tools and code
    r"|think|thinking|thought|reasoning|answer|pre|suf|mid|fim|tools|toolcall|tool[-_]\w+"
    # numbered and prefixed ones
    r"|reserved\d*|unused\d*|special\d*|extra\d*|seed:[\w:]+|image|img|audio|video"
)
_TAG: Final = re.compile(
    # <|…|>, <|…>, <…|>, <｜…｜>, <▁PRE>: no other markup uses bars and low lines
    rf"[{_OPEN}]\s{{0,3}}/?\s{{0,3}}(?:"
    rf"[{_BARS}]{_WORD}{{0,80}}?[{_BARS}]?|{_WORD}{{1,80}}?[{_BARS}]|▁{_WORD}{{1,40}}?"
    # <start_of_turn>, <tool_call>, <extra_id_0>, <EOS_TOKEN>: names with an underscore
    r"|[A-Za-z]\w{0,60}_\w{0,60}"
    rf"|(?:{_NAMES})(?:\s[^<>\n]{{0,60}})?)\s{{0,3}}/?[{_CLOSE}]",
    re.IGNORECASE,
)
_DOUBLE: Final = re.compile(rf"[{_OPEN}]{{2}}\s?/?\s?\w{{1,20}}\s?[{_CLOSE}]{{2}}")
"""Matches <<SYS>> and its end."""
_SQUARE: Final = re.compile(
    rf"[\[［]\s?/?\s?(?:[{_BARS}]{_WORD}{{0,60}}?[{_BARS}]"
    r"|INST|SYS|SYSTEM|USER|ASSISTANT|SYSTEM_PROMPT|MODEL_SETTINGS|AVAILABLE_TOOLS|TOOLS?"
    r"|TOOL_[A-Z_]{1,20}|CALL_ID|ARGS|THINK|PREFIX|SUFFIX|MIDDLE|[GS]?MASK|CLS|SEP|PAD|UNK|BOS|EOS"
    r"|IMG(?:_[A-Z]{1,9})?|AUDIO|BEGIN_AUDIO|TRANSCRIBE|UNUSED_TOKEN_\d{1,6}|CONTROL_\d{1,6}"
    r"|multimodal|Round \d{1,4})\s?[\]］]",
    re.IGNORECASE,
)
_ODD: Final = re.compile(r"\]~!?b\[?\]?|\[e~\[")
"""Matches MiniMax's marks."""
_LINE: Final = re.compile(
    r"^([ \t]*)(#{2,}[ \t]?)?((?:system|user|assistant|human|developer|ai|model|instructions?|input"
    r"|output|response|observation|GPT4 Correct (?:User|Assistant))(?: \w{1,12})?[ \t]?[:：])",
    re.IGNORECASE | re.MULTILINE,
)
"""Matches a role at the head of a line, as in Alpaca's and Vicuna's templates."""
_ANY: Final = re.compile(rf"[{_OPEN}\[［~:：]")
_HARMLESS: Final = {
    **dict.fromkeys(map(ord, _OPEN), "‹"),
    **dict.fromkeys(map(ord, _CLOSE), "›"),
    **dict.fromkeys(map(ord, "[［"), "⟦"),
    **dict.fromkeys(map(ord, "]］"), "⟧"),
    ord("~"): "∼",
}


def harmless(text: str) -> str:
    """Return the text with every chat-template mark put into harmless brackets, otherwise
    unchanged.
    """
    if not text.isascii() and (read := bare(text)) != text and _marked(read) > _marked(text):
        # Some servers normalise text, so hidden letters would otherwise bypass this.
        text = read
    if not _ANY.search(text):
        return text
    for mark in (_DOUBLE, _TAG, _SQUARE, _ODD):
        text = mark.sub(lambda found: found.group().translate(_HARMLESS), text)
    return _LINE.sub(r"\1- \3", text)


def _marked(text: str) -> int:
    return sum(len(mark.findall(text)) for mark in (_DOUBLE, _TAG, _SQUARE, _ODD))
