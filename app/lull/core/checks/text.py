"""Splits a model's answer into code blocks, prose with or without its markdown, words, sentences
and paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*")
ITEM: Final = re.compile(r"\s*(?:[-*+•‣◦▪–]|\d{1,3}[.)])\s+(?=\S)")
"""Regular expression for the beginning of a list item."""
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+")
_BOLD_LINE: Final = re.compile(r"\s{0,3}(\*\*|__)(?=\S)[^*_\n]{1,100}(?<![.!?\s])\1:?\s*")
_RULE: Final = re.compile(r"(?:[-*_=] ?){3,}|\|? ?:?-{2,}[-|: ]*")
_LINK: Final = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,500}\)")
_STRONG: Final = re.compile(r"(\*\*|__|~~)(?=\S)(.{1,500}?)(?<=\S)\1")
_WEAK: Final = re.compile(r"(?<![\w*])([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?![\w*])")
_CODE: Final = re.compile(r"`+([^`\n]+)`+")
_END: Final = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？]+")
_ABBREVIATION: Final = re.compile(
    r"(?:^|[\s(\"'“„«])(?:[a-z]\.)*(?:[a-zäöü]|mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|no|nr|vol|fig|ca|"
    r"approx|inc|ltd|co|dept|est|min|max|tel|bzw|usw|evtl|ggf|inkl|vgl|str|abs|mme|mlle|sra?|srta|"
    r"ud|pág|art|chap|cf|al|jan|feb|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez)\.$",
    re.IGNORECASE,
)
_ORDINAL: Final = re.compile(r"(?:^|\s)\d{1,2}\.$")
_GERMAN_MONTHS: Final = [
    "januar",
    "februar",
    "märz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
    "oktober",
    "november",
    "dezember",
]
_NEAR_CHARACTERS: Final = 40
"""Characters around a full stop that are examined to tell whether it ends a sentence."""
MOST_FRAGMENT_WORDS: Final = 5
"""Most words that a line may have to count as a greeting or a sign-off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced code block of an answer."""

    language: str
    """Language tag of the code fence, in lower case; "" for none."""
    code: str


def split_code(answer: str) -> tuple[str, tuple[Block, ...]]:
    """Split an answer into prose and code blocks; an unclosed fence extends to the end."""
    prose: list[str] = []
    blocks: list[Block] = []
    fence, language, inside = "", "", list[str]()
    for line in answer.splitlines():
        found = _FENCE.fullmatch(line)
        if not fence and found:
            fence, language = found[1], found[2].lower()
            prose.append("")
        elif fence and found and found[1].startswith(fence) and not found[2]:
            blocks.append(Block(language=language, code="\n".join(inside)))
            fence, inside = "", []
        else:
            (inside if fence else prose).append(line)
    if fence:
        blocks.append(Block(language=language, code="\n".join(inside)))
    return "\n".join(prose), tuple(blocks)


def prose(answer: str) -> str:
    """Return an answer without its code blocks."""
    return split_code(answer)[0]


def without_code(answer: str) -> str:
    """Return an answer's prose without code blocks, inline code and web addresses."""
    return re.sub(r"\b(?:https?://|www\.)\S+", " ", _CODE.sub(" ", prose(answer)))


def plain_line(line: str) -> str:
    """Return a line of Markdown without the marks of quotes, headings, lists and emphasis."""
    line = line.strip().lstrip("> ")
    for mark in (_HEADING, ITEM):
        if begins := mark.match(line):
            line = line[begins.end() :]
    line = _CODE.sub(r"\1", _LINK.sub(r"\1", line))
    line = _WEAK.sub(r"\2", _STRONG.sub(r"\2", line))
    return " ".join(line.replace("|", " ").split())


def plain_prose(answer: str) -> str:
    """Return an answer's prose as people see it: without code fences, markdown and list markers."""
    lines = (line for line in prose(answer).splitlines() if not _RULE.fullmatch(line.strip()))
    return "\n".join(plain_line(line) for line in lines)


def words(answer: str) -> list[str]:
    """Return the words of an answer, without code and Markdown marks."""
    return [word for word in plain_prose(answer).split() if any(sign.isalnum() for sign in word)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """A block of an answer's text, as one line of plain text: a paragraph, a list item or a
    heading.
    """

    text: str
    item: bool = False
    heading: bool = False
    after_blank: bool = True

    @property
    def is_greeting_or_signoff(self) -> bool:
        """Whether this block looks like a greeting or a sign-off: it is no list item and has only a
        few words and no final punctuation.
        """
        few = len(self.text.split()) <= MOST_FRAGMENT_WORDS
        return not self.item and few and not re.search(r"[.!?…:][\"'”’»)]*$", self.text)


def text_blocks(answer: str) -> list[TextBlock]:
    """Return the paragraphs, headings and list items of an answer, without code."""
    return [unit for unit in _units(prose(answer)) if unit.text]


def letter_body(answer: str) -> list[TextBlock]:
    """Return the blocks of an answer's text as `text_blocks` does, without the salutation ("Dear
    Ann,") and the closing ("Best,", and a name on the next line) of a letter.
    """
    blocks = text_blocks(answer)
    if len(blocks) > 1 and blocks[0].text.endswith(",") and blocks[0].is_greeting_or_signoff:
        blocks = blocks[1:]
    if len(blocks) > 1 and blocks[-1].is_greeting_or_signoff and _CLOSING.search(answer.rstrip()):
        blocks = blocks[:-1]
    return blocks


_CLOSING: Final = re.compile(r"\n[^\S\n]*\n[^\n.!?…:]{1,60},[^\S\n]*\n[^\n.!?…:,]{1,60}\Z")
"""Matches a short last block of two lines of which the first ends with a comma."""


def _units(text: str) -> Iterator[TextBlock]:
    held: list[str] = []
    item, blank, began_blank = False, True, True
    lines = text.rstrip().splitlines()
    for number, line in enumerate([*lines, ""], 1):
        # A line in bold letters is a heading if it has no full stop, and something follows it.
        bold = number < len(lines) and _BOLD_LINE.fullmatch(line) is not None
        heading = bold or bool(_HEADING.match(line))
        marks = heading or bool(ITEM.match(line)) or _RULE.fullmatch(line.strip()) is not None
        if held and (not line.strip() or marks):
            yield TextBlock(text=plain_line(" ".join(held)), item=item, after_blank=began_blank)
            held = []
        if not line.strip() or _RULE.fullmatch(line.strip()):
            blank = True
            continue
        if heading:
            yield TextBlock(text=plain_line(line), heading=True, after_blank=blank)
        elif not held:
            item, began_blank = bool(ITEM.match(line)), blank
            held = [line]
        else:
            held.append(line.strip())
        blank = False


def sentences(text: str) -> list[str]:
    """Split one paragraph into its sentences, including an unfinished last one."""
    found, start = [], 0
    capitals = any(c.isupper() for c in text)
    for end in _END.finditer(text):
        near = max(start, end.end() - _NEAR_CHARACTERS)
        after = text[end.end() : end.end() + _NEAR_CHARACTERS]
        if _goes_on(text[near : end.end()], after, capitals=capitals):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    return [one for one in (*found, text[start:].strip()) if any(c.isalnum() for c in one)]


def _goes_on(before: str, after: str, *, capitals: bool) -> bool:
    following = after.lstrip()
    # Where nobody writes capitals, a small letter may begin a sentence.
    marks = (
        (".", "…", '"', "”", "’", "»", ")") if capitals else ("..", "…", '"', "”", "’", "»", ")")
    )
    if before.endswith(marks) and following[:1].islower():
        return True
    if not before.endswith("."):
        return False
    if _ORDINAL.search(before):
        return following.split(" ", 1)[0].lower().rstrip(",.") in _GERMAN_MONTHS
    # At the end of a text "etc." ends a sentence.
    return bool(following) and _ABBREVIATION.search(before) is not None
