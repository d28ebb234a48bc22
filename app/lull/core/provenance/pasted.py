"""Separates what the user typed in a message from what was pasted into it.

Words of somebody else must not pass for the user's wish merely because they came in the user's
message. Only layout is examined, never content: marks of pasting (fences, quote marks at line
starts, tags, mail headers, logs), frames that clients put around tool output (Cline, Continue,
aider, OpenHands, Claude Code, Open WebUI; frames that are known word for word stand in
`client_frames`), an announcing colon, a question beside a text, lines in another style, and length.
In doubt text counts as pasted: a rule of the user's that is missed that way does little harm,
because the user will repeat it. Reported speech inside the user's own sentence is left to the model
that interprets the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Final

from lull.core.feedback.feedback_label import label_length
from lull.core.provenance.client_frames import typed_place
from lull.core.provenance.enclosed import Region, quotations, tagged

LONG_PARAGRAPH: Final = 900
"""Length in characters from which a paragraph counts as pasted; typed corrections are shorter."""
LONG_MESSAGE: Final = 1200
LONG_MESSAGE_LINES: Final = 12
MOST_SHORT_CHARACTERS: Final = 300
"""Most characters of the first and last paragraph of a long message for them to count as typed."""
LONG_QUOTATION: Final = 20
"""Number of quoted words from which a quotation counts as somebody else's text, not as a name."""
SHORT_QUESTION: Final = 8
"""Most words that a question beside labelled feedback ("[Previous Feedback] …") may have to count
as part of that feedback; a longer one is the next request.
"""
TWO_SENTENCE_QUOTATION: Final = 8
"""Number of words from which a quotation with two sentences counts as somebody else's text."""

_MARKED: Final = "\x00"

_BLOCKS: Final = tuple(
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        # fences, triple quotes, comments, brackets that clients put around files
        r"^[ \t]*(`{3,}+|~{3,}+)[^\n]*\n(?s:.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|```(?s:.*?)(?:```|\Z)",
        r"(\"{3}|'{3})(?s:.*?)(?:\1|\Z)",
        r"<!--(?!\s*-->)(?s:.*?)(?:-->|\Z)|(?:<<<|\[\[|\{\{)(?s:.*?)(?:>>>|\]\]|\}\}|\Z)",
        # an unclosed block tag, a document, a mail, a diff, a trace: up to the end
        r"(?:<(?:[a-z]+_\w+|files?|documents?|context|attachments?|source|page|email|content|data"
        r"|results?|quote|message|article|html|body|system[\w-]*|log)(?:\s[^<>]{0,500})?>"
        r"|^[ \t]*(?:<!doctype|<\?xml|#{1,6} \S|diff --git|@@ -\d|traceback \(|%pdf|-----begin"
        r"|-{2,} ?(?:original|forwarded)|begin forwarded|\[[^\]\n]{1,120}\] (?:result|output):"
        r"|(?:(?:tool[ _](?:result|output)|observation|stdout|stderr)s?[ \t]*"
        r"|system ?|assistant ?|human ?|developer ?):"
        r"|(?:on|am|el|le) [^\n]{5,100}(?:wrote|schrieb|escribi\w+|a écrit) ?:"
        r"|(?:\*\*|__)?(?:from|von|de)(?:\*\*|__)?: [^\n]{0,100}(?:@|\n[ \t]*[\w*]{2,12}: )"
        r"|(?:subject|betreff|asunto|objet|fwd?|wg): [^\n]{0,200}\n|[$%] \S[^\n]*\n))(?s:.*)",
        # lines that people do not type: quotes, logs, data, shell commands
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
"""Matches a rule line. Possessive quantifiers prevent backtracking over thousands of dashes."""
_TOOLS: Final = (
    r"(?:tool|function|command|action|execution|terminal|shell|api|mcp|search|web|browser|query"
    r"|script|program|process|plugin|agent|file|page|document)"
)
_SAID: Final = r"(?:results?|outputs?|responses?|contents?|errors?|calls?|execut\w+|returned)"
_FRAMED: Final = re.compile(
    # Cline's and Roo's "[read_file for 'x'] Result:"; lines in brackets, as OpenHands and Claude
    # Code have them above and below what a tool said
    r"^[ \t]*\[+[^\]\n]{1,160}\]+ ?(?:results?|outputs?|errors?)\b|^[ \t]*\[(?=[^\]\n]* )"
    r"[^\]\n]{3,160}\]:?[ \t]*$"
    # Claude Code's summary of an earlier session
    r"|^this session is being continued from"
    # Cline's and Roo's complaints
    r"|^\[error\] you did not use a tool",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that a client wrote around tool output; nothing beside it was typed."""
_FRAME_HEAD: Final = re.compile(
    # "Result of calling the Read tool:", "Tool `x` output: …", "Execution result of [x]:"
    rf"^\W{{0,8}}(?:\w+ ){{0,2}}{_TOOLS}\b[^\n:]{{0,80}}\b{_SAID}\b[^\n:]{{0,80}}:"
    rf"|^\W{{0,8}}(?:\w+ )?{_SAID} (?:of|from|for)\b[^\n:]{{0,120}}:"
    rf"|^(?:called|ran|executed|used|invoked) (?:the )?[^\n:]{{0,80}}\b{_TOOLS}\b[^\n:]{{0,80}}:"
    # aider's and Continue's "Here are some READ ONLY files", "Fix any errors below"
    r"|^here(?:'s| is| are) (?:the |some |a |summaries)[^\n]{0,80}\b(?:files?|contents?|code|output"
    r"|results?|summar\w+|page|document|repository)\b[^\n]{0,80}$"
    r"|^i have \*added[^\n]*$|^[^\n]{0,80}\b(?:errors?|files?|text|output|content|results?)"
    r" (?:below|above)\b[^\n]{0,40}$"
    # a file's name or path alone in a line, as it stands above a file
    r"|^(?:(?:file|path|filename|source|url):? ?)?[`\"']?(?:~|\w:)?(?:[\w.@-]*[/\\])*[\w@-]+"
    r"(?:\.[\w-]+){0,3}\.[a-z]\w{0,7}[`\"']?:?[ \t]*$"
    # Claude Code's skills and local commands, OpenHands' keywords, Open WebUI's memories
    r"|^base directory for this skill:|^caveat: the messages below were generated"
    r"|^the following information has been included based on|^user context:[ \t]*$"
    # LangChain's and others' prompts around what they found
    r"|^use the following (?:pieces of )?(?:retrieved )?(?:context|documents)\b"
    # what a line names as its source: "Source: https://…", "Attachment: x.pdf"
    r"|^(?:source|attachment|resource|url): ?\S[^\n]{0,200}$|^forwarded from \S[^\n]{0,80}$"
    # a title between rows of signs
    r"|^[ \t]*([*=#~-])\1{2,}(?!\1) ?[^\n]{1,100}? ?\1{3,}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that says that what follows comes from elsewhere."""
_FRAME_LINE: Final = re.compile(
    # numbered lines of a file; sentences with a citation's mark, as Open WebUI's answers have them
    r"^[ \t]*\d{1,6}[ \t]*(?:→|│|\||\t)[^\n]*$"
    r"|^[^\n]*(?:\w[.,!?]?[\"'”’)]? ?(?:\[\d{1,3}(?:, ?\d{1,3})*\])+(?=[.,;!?)]|\s|$)"
    r"|【\d[^】\n]{0,40}】|\[(?:source|citation|doc|ref)\b[^\]\n]{0,60}\])[^\n]*$"
    r"|^[ \t]*\[\d{1,3}\]:? \S[^\n]*$"
    # a line of a chat that a bridge passes on: "<bob> …"
    r"|^[ \t]*<[@+%~&]?[a-z_][\w|-]{0,29}>[ \t]+[^\s<][^<\n]*$"
    # a line of a file as grep and compilers name it: "docs/menu.md:12:…"
    r"|^[ \t]*(?:[\w.@~-]*/)*[\w@-]+(?:\.[\w-]+){0,3}\.[a-z]\w{0,7}:\d{1,6}(?::\d{1,5})?:[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_CHANGED: Final = re.compile(
    r"^(?:(?P<sure>\+(?:[ \t]{2,})?(?=[^\W\d_]|[-*#>`\"'(\[]))|[+!<] )(?P<said>[^\n]+)",
    re.MULTILINE,
)
"""A line of a diff that stands without its heads. Behind a single space, where people put lists of
what they like, only a full sentence counts.
"""
_REMOVED: Final = re.compile(r"-(?=[^\s\d-])")
"""A line that a diff takes away, or an entry of a list that somebody types without a blank."""
_KEPT: Final = re.compile(r" (?![-*+\s])")
"""A line of a diff that stayed as it was: nobody types one blank before some lines of a list."""
_STAMPED: Final = re.compile(
    r"[ \t]*(?:\[?\d{1,2}[:.]\d\d(?:[:.]\d\d)?\]?[ ,–-]+\S.*"
    r"|\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}:\d\d.*"
    r"|[\w.’'-]+(?: [\w.’'-]+)?,? [\[(]?\d{1,2}:\d\d[\])]?:?|[\w .’'-]{2,40} \(@[\w.-]+\))$"
)
"""A line of a chat or feed with its time or its author's handle."""
_SOURCE: Final = re.compile(
    r"(?i)[ \t]*(?:[—–] ?\S|(?:sent from|gesendet von|envoyé de|enviado desde) (?!you)\w+ \w)"
)
"""A source below a quotation or a mail."""
_SALUTATION: Final = re.compile(r"[ \t]*[^\W\d_][\w.’']*(?: [\w.’']+){1,3},[ \t]*$")
_CLOSING: Final = re.compile(
    r"[ \t]*[^\W\d_][^\n,.:]{1,24},[ \t]*\n[ \t]*[^\W\d_a-z][\w.]*(?: [\w.]+){0,2}[ \t]*\n"
)
_SAYS: Final = re.compile(r"(?:\S+ ){2,}\S+ ?[:：] +(?=[^\W\d_a-z])(?!I\b)(?P<said>[^\n]+)")
"""A colon after at least three words, followed by a full sentence: "the page says: Always …"."""
_SENTENCE_IN: Final = re.compile(r"\w{2}[.!?。！？][\"'”’)]*\s+\S")
_ASKS: Final = re.compile(r"[?？]\s*$|^\s*\([^()]*\)\s*$")
"""A question, or a remark in brackets."""
_STOP: Final = re.compile(r"[.!?。！？][\"'”’)]*$")
_BULLET: Final = re.compile(r"[ \t]*(?:[-*•]|\(?\d{1,2}[.)])[ \t]+\S")
_PARAGRAPH: Final = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_LINE: Final = re.compile(r"[^\n]+")
_COLON: Final = re.compile(r":(?:\s|$)")
_QUOTATION_MARK: Final = re.compile(r"[\"“”„«»「」]|(?<!\w)['‘]\w+(?: \w+){2}")


class QuotationSign(StrEnum):
    """What in the form of a text allows that it quotes somebody else."""

    LINES = "several lines"
    COLON = "a colon"
    MARKS = "quotation marks"


def split_typed(text: str, *, upto: int | None = None) -> tuple[tuple[str, bool], ...]:
    """Split a user's message into pieces, in order, as pairs: (piece, whether the user typed it
    rather than pasted it).

    With `upto` only the part before that position is returned, judged in the context of the whole
    message.
    """
    if not text.strip():
        return ()
    start, end = typed_place(text) or (0, len(text))
    mask = bytearray(start) + _mask(text[start:end]) + bytearray(len(text) - end)
    return tuple(_pieces(text[:upto], mask[:upto]))


def _mask(text: str) -> bytearray:
    """Return for each character of a text without a client's frame whether the user typed it."""
    mask = bytearray(b"\x01") * len(text)
    # A label over feedback is no log line, despite its brackets; what it heads is examined as
    # usual.
    label = label_length(text)
    for start, end in _regions(" " * label + text[label:], labelled=label > 0):
        mask[start:end] = bytes(end - start)
    _drop_long(text, mask)
    return mask


def _pieces(text: str, mask: bytearray) -> Iterator[tuple[str, bool]]:
    """The runs of one author; a run without words is joined to its neighbours."""
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
    """Whether a text that the user typed may contain a quotation, to judge by its form: several
    lines, a colon, quotation marks.
    """
    return quotation_sign(text) is not None


def quotation_sign(text: str) -> QuotationSign | None:
    """Return what in the form of a text that the user typed allows that it contains a quotation;
    None if nothing does.
    """
    if "\n" in text.strip():
        return QuotationSign.LINES
    if _QUOTATION_MARK.search(text):
        return QuotationSign.MARKS
    return QuotationSign.COLON if _COLON.search(text) else None


def _regions(text: str, *, labelled: bool) -> Iterator[Region]:
    marked = [match.span() for pattern in _BLOCKS for match in pattern.finditer(text)]
    marked += tagged(text)
    yield from marked
    yield from _of_clients(text)
    yield from _of_diff(text)
    text = _without(text, marked)
    rules = [match.span() for match in _LONE_RULE.finditer(text)]
    if rules:
        yield rules[0][0], rules[-1][1] if len(rules) > 1 else len(text)
    for start, end in quotations(text):
        inside = text[start + 1 : end - 1]
        count = len(inside.split())
        if count >= LONG_QUOTATION or (
            count >= TWO_SENTENCE_QUOTATION and _SENTENCE_IN.search(inside)
        ):
            yield start, end
    yield from _of_lines(text)
    paragraphs = [match for match in _PARAGRAPH.finditer(text) if match.group().strip()]
    blocks = paragraphs if len(paragraphs) > 1 else list(_LINE.finditer(text))
    blocks = [match for match in blocks if match.group().strip()]
    if len(blocks) > 1:
        yield from _asked_about(blocks, labelled=labelled)
        yield from _of_another_hand(blocks, labelled=labelled)


def is_framed(text: str) -> bool:
    """Whether the message contains text that a chat app marked as the output of a tool, a file or a
    web page.
    """
    marks = any(frame.search(text) for frame in (_FRAMED, _FRAME_HEAD, _FRAME_LINE))
    return marks or typed_place(text) is not None


def _of_clients(text: str) -> Iterator[Region]:
    """Regions that a program sent as the user's words: framed tool results, files or pages."""
    if _FRAMED.search(text):
        yield 0, len(text)
    if head := _FRAME_HEAD.search(text):
        yield head.start(), len(text)
    yield from (match.span() for match in _FRAME_LINE.finditer(text))


def _of_diff(text: str) -> Iterator[Region]:
    """The region from the first changed line of a diff to the last, with the lines beside these
    that were taken away or stayed as they were.
    """
    lines = list(_LINE.finditer(text))
    changed = [
        i
        for i, line in enumerate(lines)
        if _is_changed(line.group())
        or (_REMOVED.match(line.group()) and _is_among_kept(lines[max(0, i - 1) : i + 2], line))
    ]
    if not changed:
        return
    first, last = changed[0], changed[-1]
    while first and _is_beside(lines[first - 1], lines[first]):
        first -= 1
    while last + 1 < len(lines) and _is_beside(lines[last], lines[last + 1], below=True):
        last += 1
    yield lines[first].start(), lines[last].end()


def _is_changed(line: str) -> bool:
    found = _CHANGED.match(line)
    return found is not None and bool(found["sure"] or _is_written(found["said"].strip()))


def _is_among_kept(lines: Sequence[re.Match[str]], removed: re.Match[str]) -> bool:
    """Whether a line beside the removed one is a line of a diff that stayed as it was."""
    return any(
        _KEPT.match(line.group())
        and 1 in (line.start() - removed.end(), removed.start() - line.end())
        for line in lines
    )


def _is_beside(upper: re.Match[str], lower: re.Match[str], *, below: bool = False) -> bool:
    """Whether the lower line (with `below`) or the upper one goes on the diff without a gap."""
    line = lower if below else upper
    return lower.start() - upper.end() == 1 and line.group()[0] in " \t+-!<>@\\"


def _without(text: str, marked: Sequence[Region]) -> str:
    """The text with each marked region replaced by a sign and spaces; positions stay the same."""
    left = bytearray(b"\x01") * len(text)
    for start, end in marked:
        left[start:end] = bytes(end - start)
    kept = "".join(c if own or c == "\n" else " " for c, own in zip(text, left, strict=True))
    signs = {start for start, _ in marked}
    return "".join(_MARKED if i in signs else c for i, c in enumerate(kept)) if signs else text


def _of_lines(text: str) -> Iterator[Region]:
    """Regions that follow from single lines."""
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
    """The region implied by a line: the head of a letter or a post, a closing, a list below a
    heading, or a final colon that is not followed by the user's own list or words.

    `near`: the line before, this one, and those below; `own`: all lines below may be the user's.
    """
    line, below = (near[1], near[2:]) if at else (near[0], near[1:])
    said = line.group().rstrip()
    if _STAMPED.match(said) or (at and len(below) > 1 and _SALUTATION.match(said)):
        yield line.start(), len(text)
    elif said.endswith((":", "：")):
        # A colon before a fence announces the fenced block.
        if not own and _MARKED not in below[0].group():
            yield line.end(), len(text)
    elif len(below) > 1 and _CLOSING.match(text, line.start()):
        yield 0, below[0].end()
    elif _is_titled_list(below) and not _BULLET.match(said):
        yield line.start(), len(text)


def _is_titled_list(below: Sequence[re.Match[str]]) -> bool:
    """Whether three entries follow, each beginning with a capital."""
    entries = [line.group().split(None, 1) for line in below[:3] if _BULLET.match(line.group())]
    return len(entries) == 3 and all(entry[1][:1].isupper() for entry in entries)


def _asked_about(blocks: list[re.Match[str]], *, labelled: bool) -> Iterator[Region]:
    """The text beside a question or remark in the first or last block."""
    first, last = blocks[0], blocks[-1]
    short = len(last.group().split()) <= SHORT_QUESTION
    if _ASKS.search(last.group()) and (short or not labelled):
        yield 0, blocks[-2].end()
    if _ASKS.search(first.group()) and not labelled:
        yield blocks[1].start(), last.end()


def _of_another_hand(blocks: list[re.Match[str]], *, labelled: bool) -> Iterator[Region]:
    """Blocks of full sentences beside lines jotted down in lower case."""
    jotted = [block.group().strip()[:1].islower() for block in blocks]
    if (jotted[0] or jotted[-1]) and not labelled:
        yield from (block.span() for block in blocks if _is_written(block.group().strip()))


def _is_written(block: str) -> bool:
    opens = block[:1].isupper() and not re.match(r"I\b", block)
    return opens and bool(_STOP.search(block)) and len(block.split()) > 2


def _drop_long(text: str, mask: bytearray) -> None:
    """Marks the middle of a long message as pasted, and first or last paragraphs that are not
    short."""
    paragraphs = [match.span() for match in _PARAGRAPH.finditer(text)]
    lines = sum(bool(line.strip()) for line in text.split("\n"))
    long = sum(mask) > LONG_MESSAGE or lines > LONG_MESSAGE_LINES
    for i, (start, end) in enumerate(paragraphs):
        inside = 0 < i < len(paragraphs) - 1
        if sum(mask[start:end]) > LONG_PARAGRAPH or (
            long and (inside or end - start > MOST_SHORT_CHARACTERS)
        ):
            mask[start:end] = bytes(end - start)
