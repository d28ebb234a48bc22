"""What was pasted into a message without any mark around it: a letter, a chat, what a sign says.

Read by how people lay such texts out: a salutation and a name below, speakers before a colon, a
line that only says where the text is from or what is to be done with it, another hand than the
remark beside it. A message that greets nobody but the assistant is the user's own letter. Pasting
with marks is core/pasted.py's business, which also puts all regions together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from lull.core.form import names_form
from lull.core.speakers import (
    ASKED_BEHIND,
    ATTRIBUTED,
    DASHED_NAME,
    GREETS,
    LABELS,
    NAMED_BEFORE,
    POINTED,
    POST,
    SAID_SO,
    SIGNS_OFF,
    SIGNS_WEAKLY,
    SPEAKER,
    STAMPED,
    TITLED,
    TO_US,
    VOICE,
)

REMARK_WORDS = 25
"""A paragraph of so many words may be the user's remark on a text beside it."""
REMARK_CHARACTERS = 400
FOREIGN_WORDS = 60
"""So many words beside a short remark were not typed with it."""
LIST_ENTRIES = 8
ENTRY_WORDS = 10

Region = tuple[int, int]


class Line(NamedTuple):
    start: int
    end: int
    text: str
    """As it was written."""
    low: str
    """In one spelling; "" where it is longer than a line that leads or signs."""


def unmarked(text: str, low: str) -> Iterator[Region]:
    """Places in `text` that somebody else wrote; `low` is it in one spelling, of equal length."""
    lines = _lines(text, low)
    if not lines:
        return
    paragraphs = _paragraphs(lines)
    told = _reported(lines)
    remark = _remark_behind(paragraphs)
    end = remark[0].start if remark else len(text)
    if remark:
        yield 0, end
    if told is not None:  # then what seems a remark behind it may be part of it
        yield told, len(text)
    starts = [
        *_letter(lines, end),
        *_chat(lines),
        *_in_another_hand(paragraphs),
        *_foreign(paragraphs),
    ]
    for start, stop in starts:
        between = sum(start <= line.start < end for line in lines)
        last = end if between > 1 else len(text)
        yield start, max(start, last if stop is None else stop)
    yield from _inline_letters(text, low)


def is_own_list(before: str, entries: str) -> bool:
    """Whether a list was typed by the user: introduced in their own voice, or jotted down."""
    rows = [
        re.sub(r"^[ \t]*(?:\(?\d{1,2}[.)]|[-*•])[ \t]+", "", row) for row in entries.split("\n")
    ]
    rows = [row.strip() for row in rows if row.strip()]
    if len(rows) > LIST_ENTRIES or any(len(row.split()) > ENTRY_WORDS for row in rows):
        return False
    lead = before.rstrip().rsplit("\n", 1)[-1].lower()
    if re.search(rf"\b{NAMED_BEFORE}\b", lead):
        return False
    jotted = all(not row[:1].isupper() and row[-1:] not in ".!" for row in rows)
    return jotted or bool(VOICE.search(lead))


# Cutting into lines


def _lines(text: str, low: str) -> list[Line]:
    """Those with a letter or a number in them."""
    return [
        Line(m.start(), m.end(), m.group(), low[m.start() : m.end()] if _is_short(m) else "")
        for m in re.finditer(r"[^\n]+", text)
        if re.search(r"\w", m.group())
    ]


def _is_short(found: re.Match[str]) -> bool:
    return found.end() - found.start() <= REMARK_CHARACTERS


def _paragraphs(lines: list[Line]) -> list[list[Line]]:
    """Lines with no empty one between them."""
    out: list[list[Line]] = []
    for line in lines:
        if out and line.start - out[-1][-1].end <= 1:
            out[-1].append(line)
        else:
            out.append([line])
    return out


def _words(lines: list[Line]) -> int:
    return sum(len(line.text.split()) for line in lines)


# What is where


def _remark_behind(paragraphs: list[list[Line]]) -> list[Line]:
    """The last lines, where they say whose the text above is, or what is to be done with it."""
    last = paragraphs[-1]
    for cut in (last, last[-1:]):
        above = cut[0].start > paragraphs[0][0].start
        said = " ".join(line.low.strip() for line in cut)[-REMARK_CHARACTERS:]
        found = ASKED_BEHIND.search(said) or ATTRIBUTED.search(said)
        letter = any(GREETS.match(x.low) or SIGNS_OFF.match(x.low) for x in cut)
        foreign = letter or SPEAKER.match(cut[0].text)
        if above and _words(cut) <= REMARK_WORDS and found and not foreign:
            return cut
    lines = [line for paragraph in paragraphs for line in paragraph]
    dashed = [line for line in lines if DASHED_NAME.match(line.text)]
    return dashed if len(lines) > 1 and dashed == lines[-1:] else []


def _letter(lines: list[Line], end: int) -> Iterator[tuple[int, int | None]]:
    """From the salutation to the signature; one of them is enough beside two lines of text."""
    inside = [line for line in lines if line.start < end]
    hail = next((i for i, line in enumerate(inside) if GREETS.match(line.low)), None)
    if hail is None:
        hail = next((i for i, one in enumerate(inside) if i and _hails_by_name(one)), None)
    sign = _signature(inside, hail or 0)
    if hail is not None:
        ours = hail == 0 and end == lines[-1].end and _greets_us(inside[0])
        alone = hail == 0 and sign is None and len(inside) < 3
        if not (ours and (sign is None or _is_weak(inside[sign]))) and not alone:
            yield inside[hail].start, None if sign is None else _behind_signature(inside, sign)
    elif sign is not None and sign >= 2:
        paragraphs = _paragraphs(inside)
        first = paragraphs[1] if len(paragraphs) > 2 else inside
        yield first[0].start, _behind_signature(inside, sign)


def _greets_us(line: Line) -> bool:
    found = GREETS.match(line.low)
    return bool(found and TO_US.fullmatch(found["who"].strip()))


def _hails_by_name(line: Line) -> bool:
    """ "Hi team, could you …" in one line."""
    found = re.match(
        r"[ \t]*(?:Hi|Hello|Hey|Dear|Hallo|Liebe[rs]?|Hola|Bonjour|hi|hello|hey|dear)"
        r" (?P<who>[A-Z]\w+|team|all|everyone|folks|guys|both|zusammen|tous|todos)\b[ ,!]",
        line.text,
    )
    return bool(found and not TO_US.fullmatch(found["who"].lower()))


def _signature(lines: list[Line], above: int) -> int | None:
    """Of the last line that takes leave, if any. "Thanks" alone is no leave-taking."""
    for i in range(len(lines) - 1, above, -1):
        line = lines[i]
        if SIGNS_OFF.match(line.low):
            return i
        if found := SIGNS_WEAKLY.match(line.low):
            name = found["name"].strip() or (lines[i + 1].low.strip() if i + 1 < len(lines) else "")
            if name and not TO_US.fullmatch(name) and len(name.split()) <= 3:
                return i
    return None


def _is_weak(line: Line) -> bool:
    return not SIGNS_OFF.match(line.low)


def _behind_signature(lines: list[Line], sign: int) -> int:
    """The name may stand below, and an address below that."""
    at = sign
    while at + 1 < len(lines) and len(lines[at + 1].text.split()) <= 4 and at < sign + 5:
        if lines[at + 1].start - lines[at].end > (2 if at == sign else 1):
            break
        if not lines[at + 1].text.strip()[:1].isupper():
            break
        at += 1
    return lines[at].end


def _inline_letters(text: str, low: str) -> Iterator[Region]:
    """ "Hi team, … Cheers, Bob" within a line."""
    for found in re.finditer(
        r"(?:^|(?<=[.:!?])|(?<=[^\n]\n))\s*+"
        r"(?:hi|hello|hey|dear|hallo|liebe[rs]?)(?P<who>(?: [\w.-]+){1,3}), "
        r".{10,2000}?\b(?:cheers|regards|best(?: wishes)?|thanks|gru+s+e?n?|sincerely|love|yours)"
        r"[,.!]? +(?P<name>[\w.-]+)[ .!]*(?:$|(?=\n))",
        low,
        re.S,
    ):
        if text[found.start("name")].isupper() and not TO_US.fullmatch(found["who"].strip()):
            yield found.span()


def _reported(lines: list[Line]) -> int | None:
    """Where the text begins that a line only leads to."""
    for line, below in pairwise(lines):
        if len(line.text.split()) > REMARK_WORDS:
            continue
        blank = below.start - line.end > 1
        own = not blank and re.match(r"[ \t]*(?:\(?\d{1,2}[.)]|[-*•])[ \t]", below.text)
        if (
            SAID_SO.search(line.low)
            or ATTRIBUTED.search(line.low)
            or (blank and TITLED.search(line.low))
            or (not own and POINTED.search(line.low))
        ):
            return below.start
    return None


def _chat(lines: list[Line]) -> Iterator[tuple[int, int | None]]:
    """From the first line that names its speaker or its time."""
    speakers = [_speaker(line) for line in lines]
    more = sum(speakers) > 1
    for i, line in enumerate(lines):
        if STAMPED.match(line.text) or (speakers[i] and (i or more)):
            yield line.start, None
            return
        if POST.search(line.low):
            begin = _paragraphs(lines)
            short = len(begin) > 1 and _words(begin[0]) <= REMARK_WORDS and line not in begin[0]
            yield begin[1][0].start if short else min(line.start, begin[0][0].start), None
            return


def _speaker(line: Line) -> bool:
    found = SPEAKER.match(line.text)
    if not found:
        return False
    label = found["name"].lower()
    return not (LABELS.fullmatch(label) or label.endswith("s") or names_form(label))


def _in_another_hand(paragraphs: list[list[Line]]) -> Iterator[tuple[int, int | None]]:
    """Beside a remark in small letters, paragraphs with a capital and a full stop."""
    if not any(_is_casual(one) for one in (paragraphs[0], paragraphs[-1])):
        return
    for one in paragraphs:
        if _is_formal(one):
            yield one[0].start, one[-1].end


def _is_casual(paragraph: list[Line]) -> bool:
    return paragraph[0].text.strip()[:1].islower() and _words(paragraph) <= REMARK_WORDS


def _is_formal(paragraph: list[Line]) -> bool:
    first, last = paragraph[0].text.strip(), paragraph[-1].text.strip()
    goes_on = re.match(r"(?:Also|And|But|Then|Plus|So|Oh|I|I'm|Thanks?)\b", first)
    ends = last[-1:] in ".!…。" or (len(last) > 1 and last[-1] in "\"'”)" and last[-2] in ".!")
    return bool(first[:1].isupper() and ends and _words(paragraph) >= 4 and not goes_on)


def _foreign(paragraphs: list[list[Line]]) -> Iterator[tuple[int, int | None]]:
    """Much text below a short remark."""
    if len(paragraphs) > 1 and _words(paragraphs[0]) <= REMARK_WORDS:
        below = [line for paragraph in paragraphs[1:] for line in paragraph]
        prose = [one for one in below if not re.match(r"[ \t]*(?:\(?\d{1,2}[.)]|[-*•])", one.text)]
        if _words(prose) >= FOREIGN_WORDS:
            yield below[0].start, None
