"""Neutralises marks of chat templates, such as `<|im_end|>`, in a text that goes into a prompt.

A server turns `<|im_end|>` inside a text into the token that ends a message, and `</skills>` ends
our own block, whoever wrote them. The brackets are replaced by look-alikes that no template uses,
so a model can still read the words. Recognised are the forms of template marks, and names of marks
that look like ordinary markup; `<h2>`, `List<T>` and `[TODO]` stay.

A role word that begins a line, as a template writes it, becomes an item of a list. Whatever a model
may read as the end of a line becomes a line feed first. Within a line only what a template writes
there is changed: `USER:` in capitals and `### Human:`.

Some ordinary texts cannot be told from marks, and are changed because a mark does the greater harm:
`<step>`, `<AI>`, `<item10>`, `<arguments>`, `<soap:message>` and names with an underscore in tags;
lines such as `Question: …`, `Answer: …`, `Output: …` and `Source: user`; ` USER: ` within a line;
the headings `### Instruction`, `### Response`, `### End` and `### User` (on other levels only with
a colon); the comment `# User: …`; the bold `**System:**`. Each still reads the same.

Sources: chat templates and added tokens of the model families that Ollama, llama.cpp and
transformers ship.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from lull.core.skills.role_words import PART, SPEAKER
from lull.core.text.unicode_safety import normalised_text

_BARS: Final = "|｜￨¦│┃"
_OPEN: Final = "<＜﹤"
_CLOSE: Final = ">＞﹥"
_WORD: Final = r"[^\n<>\[\]＜﹤＞﹥［］]"

_NAMES: Final = (
    # ours, and roles as tags
    r"skills|system|user|assistant|human|model|developer|tool|function|ipython|role|turn|message"
    r"|instructions?|instruct|inst|sys|prompt|context|functions|invoke|parameters?|arguments"
    # beginnings and ends of sequences
    r"|s|bos|eos|pad|unk|mask|cls|sep|sop|eop|eot|eod|eom|eoh|eoa|end|bot|boi|eoi|br?eak|stop"
    # thinking, tools and code
    r"|think|thinking|thought|reasoning|answer|pre|suf|mid|fim|tools|toolcall|tool[-_]\w+"
    # numbered and prefixed ones
    r"|reserved\d*|unused\d*|special\d*|extra\d*|seed:[\w:]+|image|img|audio|video"
)
_BARE_NAMES: Final = (
    # as tags only without attributes: with them they are more often placeholders
    rf"{SPEAKER}|ai|agent|usr|ast|step|reponame|toolresponse|(?:start|begin|end)of[a-z]+"
    # calls of tools
    r"|(?:function|parameter|tool|invoke)=[^<>\n]{1,60}"
    # numbered tokens and bytes; `<int64>`, `<sha256>` and `<h2>` are none
    r"|(?!u?int|b?float|double|complex|sha|base|utf|char|string)[a-z]{3,20}\d{2,7}|0x[0-9a-f]{2}"
)
_TAG: Final = re.compile(
    # <|…|>, <|…>, <…|>, <｜…｜>, <▁PRE>: no other markup uses bars and low lines
    rf"[{_OPEN}]\s{{0,3}}/?\s{{0,3}}(?:"
    rf"[{_BARS}]{_WORD}{{0,80}}?[{_BARS}]?|{_WORD}{{1,80}}?[{_BARS}]|▁{_WORD}{{1,40}}?"
    # <start_of_turn>, <tool_call>, <extra_id_0>, <EOS_TOKEN>, <_user>: names with a low line
    # <minimax:tool_call>, <invoke name="…">: those, and names of the list, of some family
    r"|_\w{1,60}|(?:[a-z][\w-]{0,20}:)?[^\W\d_]\w{0,60}_\w{0,60}"
    # <[BOS_never_used_…]>, <{user}>
    rf"|[\[［{{(][\w▁]{{0,60}}[_▁][\w▁]{{0,60}}[\]］}})]|[\[［{{(](?:{SPEAKER})[\]］}})]"
    rf"|(?:{_BARE_NAMES})|(?:[a-z][\w-]{{0,20}}:)?(?:{_NAMES})(?:\s[^<>\n]{{0,60}})?)\s{{0,3}}/?[{_CLOSE}]",
    re.IGNORECASE,
)
_OWN: Final = re.compile(
    rf"[{_OPEN}]\s*+/?\s*+skills\b(?:[^{_OPEN}{_CLOSE}]*+[{_CLOSE}])?", re.IGNORECASE
)
"""Matches the tags of our own block, whatever else is in them, also where they never end."""
_DOUBLE: Final = re.compile(rf"[{_OPEN}]{{2}}\s?/?\s?\w{{1,20}}\s?[{_CLOSE}]{{2}}")
"""Matches <<SYS>> and its end."""
_INSIDE_OUT: Final = re.compile(r">>([A-Z][A-Z_]{1,20})<<")
"""Matches Falcon's >>QUESTION<< and >>ANSWER<<."""
_SQUARE: Final = re.compile(
    rf"[\[［]\s?/?\s?(?:[{_BARS}]{_WORD}{{0,60}}?[{_BARS}]"
    rf"|INST|SYS|SYSTEM_PROMPT|MODEL_SETTINGS|AVAILABLE_TOOLS|TOOLS?|ATTR"
    # not the `[bot]` of a bot's account
    rf"|(?!(?-i:bot))(?:{SPEAKER})"
    r"|TOOL_[A-Z_]{1,20}|CALL_ID|ARGS|THINK|PREFIX|SUFFIX|MIDDLE|[GS]?MASK|CLS|SEP|PAD|UNK|BOS|EOS"
    r"|IMG(?:_[A-Z]{1,9})?|AUDIO|BEGIN_AUDIO|TRANSCRIBE"
    # numbered tokens: [unused9], [UNUSED_TOKEN_145], [CONTROL_8], [extra_id_3]
    r"|(?:unused|reserved|special|extra|control|dummy)(?:_?(?:token|id))?_?\d{1,6}"
    r"|multimodal|Round \d{1,4})\s?[\]］]",
    re.IGNORECASE,
)
_ODD: Final = re.compile(r"\]~!?b\[?\]?|\[e~\[|\]<\][^\n<>\[\]]{1,40}\[>\[")
"""Matches MiniMax's marks."""
_BREAK: Final = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Matches what ends a line and is no line feed."""
_BLANK: Final = r"[^\S\n]"
"""A blank within a line."""
_OPENCHAT: Final = r"(?:GPT4 Correct|Code|Math Correct) (?:User|Assistant)"
_ROLE: Final = (
    r"(?:(?:system|user|assistant|human|developer|ai|model|instruct(?:ions?)?|input|output|response"
    rf"|observation|{_OPENCHAT})(?: \w{{1,12}})?"
    rf"|{SPEAKER}|{PART}){_BLANK}?[:：]"
)
_WHO: Final = rf"(?:{SPEAKER}|developer|ai|model)"
_LINES: Final = tuple(
    (re.compile(rf"^({_BLANK}*+){pattern}", re.IGNORECASE | re.MULTILINE), then)
    for pattern, then in (
        # System:, ### Response:, @@ Response:, as in Alpaca's and Vicuna's templates
        (rf"(?:(?:##+|@@){_BLANK}?)?({_ROLE})", r"\1- \2"),
        # **System:**, ## **User**:, 【用户】：; but `_model: str` is a field
        (
            rf"(?:##*{_BLANK}?)?([*【]{{1,3}}{_WHO}[*】]{{0,3}}{_BLANK}?[:：]"
            rf"|_{{1,3}}{_WHO}(?:_{{1,3}}[:：]|[:：]_))",
            r"\1- \2",
        ),
        # # User:, which may be a comment and stays one
        (rf"(#{_BLANK}?)({_WHO}{_BLANK}?[:：])", r"\1\2- \3"),
        # ### Instruction, ### **System**, @@ Response
        (
            rf"(?:###|@@){_BLANK}?([*_]{{0,3}}(?:{SPEAKER}|instruction|response|end)[*_]{{0,3}}"
            rf"{_BLANK}*$)",
            r"\1- \2",
        ),
        # Source: user
        (
            rf"((?:source|destination|speaker|author|sender|from){_BLANK}?[:：]{_BLANK}?"
            rf"(?:{SPEAKER}|ipython|developer|ai|model){_BLANK}*$)",
            r"\1- \2",
        ),
    )
)
_WITHIN: Final = (
    # Guanaco's and Aquila's templates have their roles within a line; a quoted one is spoken of
    (
        re.compile(rf"(?<![#\"'`“‘«„])#{{2,6}}{_BLANK}?(?={_ROLE})", re.IGNORECASE),
        "- ",
    ),
    # Vicuna's has capitals there. `- USER:` is an item of a list.
    (
        re.compile(
            r"(?<![\w\"'`“‘«„$#./-])(?<![-*+] )(USER|ASSISTANT|SYSTEM|HUMAN|BOT|GPT)"
            r"(?= ?[:：](?:\s|$))"
        ),
        r"‹\1›",
    ),
    (re.compile(rf"(?<!- )({_OPENCHAT})(?=:)", re.IGNORECASE), r"‹\1›"),
)
_MAY_NAME_A_ROLE: Final = re.compile("[:：#@]")
_LONGEST_KEPT: Final = 400
"""Longest line, in characters, whose result is kept for the next request."""
_ANY: Final = re.compile(rf"[{_OPEN}\[［~:：#@]")
_HARMLESS: Final = {
    **dict.fromkeys(map(ord, _OPEN), "‹"),
    **dict.fromkeys(map(ord, _CLOSE), "›"),
    **dict.fromkeys(map(ord, "[［"), "⟦"),
    **dict.fromkeys(map(ord, "]］"), "⟧"),
    ord("~"): "∼",
}


def neutralised(text: str) -> str:
    """Return the text with everything made harmless that a model could take for a chat-template
    mark, such as `<|im_end|>`, or for a change of speaker; all else is unchanged.
    """
    text = _without_marks(text)
    # Some servers normalise text, so hidden letters would otherwise bypass this.
    if text.isascii() or (read := normalised_text(text)) == text or not _marked(read):
        return text
    text = "\n".join(
        _without_marks(read) if _marked(read := normalised_text(line)) else line
        for line in text.split("\n")
    )
    read = normalised_text(text)  # a mark may be spread over several lines
    return _without_marks(read) if _marked(read) else text


def _without_marks(text: str) -> str:
    """Make the marks harmless that are written openly."""
    text = _BREAK.sub("\n", text)
    if not _ANY.search(text):
        return text
    for mark in (_OWN, _ODD, _DOUBLE, _INSIDE_OUT, _TAG, _SQUARE):
        text = mark.sub(lambda found: found.group().translate(_HARMLESS), text)
    return "\n".join(
        line
        if not _MAY_NAME_A_ROLE.search(line)
        # A request's block is built while somebody waits, of lines that were there before.
        else (_without_roles if len(line) <= _LONGEST_KEPT else _without_roles.__wrapped__)(line)
        for line in text.split("\n")
    )


@lru_cache(maxsize=4096)
def _without_roles(line: str) -> str:
    for role, then in (*_LINES, *_WITHIN):
        line = role.sub(then, line)
    return line


def _marked(text: str) -> int:
    marks = (
        _OWN,
        _DOUBLE,
        _INSIDE_OUT,
        _TAG,
        _SQUARE,
        _ODD,
        *(line for line, _ in (*_LINES, *_WITHIN)),
    )
    return sum(len(mark.findall(text)) for mark in marks)
