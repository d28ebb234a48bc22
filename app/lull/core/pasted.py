"""What of a user's message was typed, and what was pasted into it.

Words that somebody else wrote must not pass for the user's wish only because they came in the
user's message. Only layout is looked at, never what is said: marks that pasting leaves (fences,
quotation marks at the head of lines, tags, mail headers, logs), an announcing colon, a question
beside a text, lines in another hand, sheer length. In doubt it is pasted, because a rule that was
not learned is asked for again. Who merely speaks of somebody's words in a sentence of their own is
for the reader to understand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from lull.core.labelled import label_length

LONG_PARAGRAPH: Final = 900
"""Characters. People type corrections of a few lines; who has more to say has it from elsewhere."""
LONG_MESSAGE: Final = 1200
MANY_LINES: Final = 12
SHORT: Final = 300
"""First and last paragraphs of a long message are typed up to here."""
LONG_QUOTATION: Final = 20
"""Words; so many between quotation marks are somebody's text, not a name for something."""
SHORT_QUESTION: Final = 8
"""Words; beside labelled feedback only such a question is about it, a longer one is the next."""
TWO_SENTENCES: Final = 8
"""Words; a quotation of so many and of two sentences is somebody's text too."""

Region = tuple[int, int]
_MARKED: Final = "\x00"

_BLOCKS: Final = tuple(
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        # fences, triple quotes, comments, brackets that clients put around files
        r"^[ \t]*(`{3,}+|~{3,}+)[^\n]*\n(?s:.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|```(?s:.*?)(?:```|\Z)",
        r"(\"{3}|'{3})(?s:.*?)(?:\1|\Z)",
        r"<!--(?!\s*-->)(?s:.*?)(?:-->|\Z)|(?:<<<|\[\[|\{\{)(?s:.*?)(?:>>>|\]\]|\}\}|\Z)",
        r"<([a-z][\w:-]{0,40})(?:\s[^<>]{0,500})?>(?s:.{0,200000}?)</\1\s*>",
        # a block's tag that is never closed, a document, a mail, a diff, a trace: to the end
        r"(?:<(?:[a-z]+_\w+|files?|documents?|context|attachments?|source|page|email|content|data"
        r"|results?|quote|message|article|html|body|system[\w-]*|log)(?:\s[^<>]{0,500})?>"
        r"|^[ \t]*(?:<!doctype|<\?xml|#{1,6} \S|diff --git|@@ -\d|traceback \(|%pdf|-----begin"
        r"|-{2,} ?(?:original|forwarded)|begin forwarded|\[[^\]\n]{1,120}\] (?:result|output):"
        r"|(?:tool[ _](?:result|output)|observation|stdout|stderr)s?[ \t]*:"
        r"|(?:on|am|el|le) [^\n]{5,100}(?:wrote|schrieb|escribi\w+|a écrit) ?:"
        r"|(?:\*\*|__)?(?:from|von|de)(?:\*\*|__)?: [^\n]{0,100}(?:@|\n[ \t]*[\w*]{2,12}: )"
        r"|(?:subject|betreff|asunto|objet|fwd?|wg): [^\n]{0,200}\n|[$%] \S[^\n]*\n))(?s:.*)",
        # lines that people do not type: quoted, of a log, of data, of a shell
        r"^[ \t]*(?:>|│|┃|\|)[^\n]*$",
        r"^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\n]*|\[?\d\d:\d\d:\d\d\b(?!,)[^\n]*"
        r"|\[?(?:info|warn(?:ing)?|error|debug|trace|fatal|notice)\]?\s*[:|\]-][^\n]*"
        r"|[{\[][^\n]*|[}\]][,;)]*[ \t]*|\"[^\"\n]{1,80}\"\s*:[^\n]*|at [\w.$<>]+\([^\n]*"
        r"|file \"[^\n]*|[-+]{3} [ab]/[^\n]*|[$%#] [^\n]*|>>> [^\n]*|(?:[^\t\n]{0,60}\t){2,}[^\n]*"
        r"|(?:[^,\n]{0,60},(?! )){2,}[^,\n]{0,60}|//[^\n]*|/\*[^\n]*|#![^\n]*|(?:https?|ftp)://\S+)$",
        r"data:[\w/+.-]+;base64,\S+|(?<![\w/+])[A-Za-z0-9+/]{60,}={0,2}",
    )
)
_LONE_RULE: Final = re.compile(
    r"^[ \t]*+(?:[-=*_~#]{3,}+|[-=~#]{2,}+ [^\n]{1,60}? [-=~#]{2,}+)[ \t]*+$", re.MULTILINE
)
"""What a run of signs has taken it keeps: a line of ten thousand dashes must not be tried in every
way that it can be cut."""
_STAMPED: Final = re.compile(
    r"[ \t]*(?:\[?\d{1,2}[:.]\d\d(?:[:.]\d\d)?\]?[ ,–-]+\S.*"
    r"|\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}:\d\d.*"
    r"|[\w.’'-]+(?: [\w.’'-]+)?,? [\[(]?\d{1,2}:\d\d[\])]?:?|[\w .’'-]{2,40} \(@[\w.-]+\))$"
)
"""A line of a chat or a feed with its time or its author's handle."""
_SOURCE: Final = re.compile(
    r"(?i)[ \t]*(?:[—–] ?\S|(?:sent from|gesendet von|envoyé de|enviado desde) (?!you)\w+ \w)"
)
"""What stands below a quotation or a mail and says where it is from."""
_SALUTATION: Final = re.compile(r"[ \t]*[^\W\d_][\w.’']*(?: [\w.’']+){1,3},[ \t]*$")
_CLOSING: Final = re.compile(
    r"[ \t]*[^\W\d_][^\n,.:]{1,24},[ \t]*\n[ \t]*[^\W\d_a-z][\w.]*(?: [\w.]+){0,2}[ \t]*\n"
)
_SAYS: Final = re.compile(r"(?:\S+ ){2,}\S+ ?[:：] +(?=[^\W\d_a-z])(?!I\b)(?P<said>[^\n]+)")
"""A colon behind three words and a full sentence behind it: "the page says: Always …"."""
_QUOTED: Final = re.compile(
    r"“[^”]{1,20000}(?:”|\Z)|„[^“”\"]{1,20000}[“”\"]|«[^»]{1,20000}»|「[^」]{1,20000}」"
    r"|\"[^\"]{1,20000}\"|(?<!\w)'[^'\n]{1,2000}'(?!\w)|(?<!\w)‘[^’]{1,2000}’(?!\w)"
)
_SENTENCE_IN: Final = re.compile(r"\w{2}[.!?。！？][\"'”’)]*\s+\S")
_ASKS: Final = re.compile(r"[?？]\s*$|^\s*\([^()]*\)\s*$")
"""A question, or a remark in brackets."""
_STOP: Final = re.compile(r"[.!?。！？][\"'”’)]*$")
_BULLET: Final = re.compile(r"[ \t]*(?:[-*•]|\(?\d{1,2}[.)])[ \t]+\S")
_PARAGRAPH: Final = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_LINE: Final = re.compile(r"[^\n]+")
_ASIDE: Final = re.compile(r":(?:\s|$)|[\"“”„«»「」]|(?<!\w)['‘]\w+(?: \w+){2}")


def typed(text: str, *, upto: int | None = None) -> tuple[tuple[str, bool], ...]:
    """The message in pieces, in order: (piece, True where it was typed). With `upto` only what
    stands before that place, read in the light of all of it."""
    if not text.strip():
        return ()
    mask = bytearray(b"\x01") * len(text)
    # A label over feedback is no log line, for all its bracket; what it heads is looked at as ever.
    label = label_length(text)
    for start, end in _regions(" " * label + text[label:], labelled=label > 0):
        mask[start:end] = bytes(end - start)
    _drop_long(text, mask)
    return tuple(_pieces(text[:upto], mask[:upto]))


def _pieces(text: str, mask: bytearray) -> Iterator[tuple[str, bool]]:
    """The runs of one author; what is between two of one and has no word in it goes with them."""
    begun, at, whose = 0, 0, 2
    for own, group in groupby(mask):
        end = at + sum(1 for _ in group)
        if own != whose and re.search(r"\w", text[at:end]):
            if whose != 2:
                yield text[begun:at], bool(whose)
                begun = at
            whose = own
        at = end
    if whose != 2:
        yield text[begun:], bool(whose)


def perhaps_quoted(text: str) -> bool:
    """Whether typed words have a form in which people also quote: several lines, a colon,
    quotation marks."""
    return "\n" in text.strip() or bool(_ASIDE.search(text))


def _regions(text: str, *, labelled: bool) -> Iterator[Region]:
    marked = [match.span() for pattern in _BLOCKS for match in pattern.finditer(text)]
    yield from marked
    text = _without(text, marked)
    rules = [match.span() for match in _LONE_RULE.finditer(text)]
    if rules:
        yield rules[0][0], rules[-1][1] if len(rules) > 1 else len(text)
    for match in _QUOTED.finditer(text):
        inside = match.group()[1:-1]
        count = len(inside.split())
        if count >= LONG_QUOTATION or (count >= TWO_SENTENCES and _SENTENCE_IN.search(inside)):
            yield match.span()
    yield from _of_lines(text)
    paragraphs = [match for match in _PARAGRAPH.finditer(text) if match.group().strip()]
    blocks = paragraphs if len(paragraphs) > 1 else list(_LINE.finditer(text))
    blocks = [match for match in blocks if match.group().strip()]
    if len(blocks) > 1:
        yield from _asked_about(blocks, labelled=labelled)
        yield from _of_another_hand(blocks, labelled=labelled)


def _without(text: str, marked: Sequence[Region]) -> str:
    """The text with a sign in place of each marked line; places stay places."""
    left = bytearray(b"\x01") * len(text)
    for start, end in marked:
        left[start:end] = bytes(end - start)
    kept = "".join(c if own or c == "\n" else " " for c, own in zip(text, left, strict=True))
    signs = {start for start, _ in marked}
    return "".join(_MARKED if i in signs else c for i, c in enumerate(kept)) if signs else text


def _of_lines(text: str) -> Iterator[Region]:
    """What single lines tell of the lines around them."""
    lines = [match for match in _LINE.finditer(text) if match.group().strip()]
    own = True
    for i in range(len(lines) - 1, -1, -1):
        line = lines[i]
        if len(line.group()) <= LONG_PARAGRAPH:
            yield from _said_by_others(line)
            if i + 1 < len(lines):
                yield from _around(text, lines[max(i - 1, 0) : i + 4], i, own=own)
        own = own and _is_own_entry(line.group())
    if len(lines) > 1 and _SOURCE.match(lines[-1].group()):
        yield 0, len(text)


def _is_own_entry(line: str) -> bool:
    return bool(_BULLET.match(line)) or line.strip()[0].islower() or _MARKED in line


def _said_by_others(line: re.Match[str]) -> Iterator[Region]:
    says = _SAYS.search(line.group())
    if says and _is_written(says["said"].strip()):
        yield line.start() + says.start("said"), line.end()


def _around(text: str, near: Sequence[re.Match[str]], at: int, *, own: bool) -> Iterator[Region]:
    """A letter's head below other lines, its end above others, a post's head, a list below a
    heading, a colon at the end of a line that is not followed by one's own list or words.

    `near`: the line before, this one, and those below; `own`: all below may be the user's.
    """
    line, below = (near[1], near[2:]) if at else (near[0], near[1:])
    said = line.group().rstrip()
    if _STAMPED.match(said) or (at and len(below) > 1 and _SALUTATION.match(said)):
        yield line.start(), len(text)
    elif said.endswith((":", "：")):
        # A colon in front of a fence announces what is in the fence.
        if not own and _MARKED not in below[0].group():
            yield line.end(), len(text)
    elif len(below) > 1 and _CLOSING.match(text, line.start()):
        yield 0, below[0].end()
    elif _is_titled_list(below) and not _BULLET.match(said):
        yield line.start(), len(text)


def _is_titled_list(below: Sequence[re.Match[str]]) -> bool:
    """Three entries at least, each beginning with a capital."""
    entries = [line.group().split(None, 1) for line in below[:3] if _BULLET.match(line.group())]
    return len(entries) == 3 and all(entry[1][:1].isupper() for entry in entries)


def _asked_about(blocks: list[re.Match[str]], *, labelled: bool) -> Iterator[Region]:
    """A question or a remark in the first or the last block is about the text beside it."""
    first, last = blocks[0], blocks[-1]
    short = len(last.group().split()) <= SHORT_QUESTION
    if _ASKS.search(last.group()) and (short or not labelled):
        yield 0, blocks[-2].end()
    if _ASKS.search(first.group()) and not labelled:
        yield blocks[1].start(), last.end()


def _of_another_hand(blocks: list[re.Match[str]], *, labelled: bool) -> Iterator[Region]:
    """Beside lines jotted down in small letters those in full sentences."""
    jotted = [block.group().strip()[:1].islower() for block in blocks]
    if (jotted[0] or jotted[-1]) and not labelled:
        yield from (block.span() for block in blocks if _is_written(block.group().strip()))


def _is_written(block: str) -> bool:
    opens = block[:1].isupper() and not re.match(r"I\b", block)
    return opens and bool(_STOP.search(block)) and len(block.split()) > 2


def _drop_long(text: str, mask: bytearray) -> None:
    """Of a long message only the first and the last paragraph were typed, if they are short."""
    paragraphs = [match.span() for match in _PARAGRAPH.finditer(text)]
    lines = sum(bool(line.strip()) for line in text.split("\n"))
    long = sum(mask) > LONG_MESSAGE or lines > MANY_LINES
    for i, (start, end) in enumerate(paragraphs):
        inside = 0 < i < len(paragraphs) - 1
        if sum(mask[start:end]) > LONG_PARAGRAPH or (long and (inside or end - start > SHORT)):
            mask[start:end] = bytes(end - start)
