"""Extracts the part of a model's answer that a check tests: its first line, each bullet, its code.

If the answer has no such part, nothing is extracted and the check does not apply.
"""

from __future__ import annotations

import re
from typing import Final

from lull.core.checks.check import Part
from lull.core.checks.code import blocks_of, without_strings
from lull.core.checks.text import plain_line, sentences, split_code, text_blocks

_ITEM: Final = re.compile(r"\s*(?:[-*+•‣◦▪–]|\d{1,3}[.):])\s+\S")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+\S")
_SQL_KEYWORDS: Final = (
    "select|from|where|group|order|by|having|join|left|right|inner|outer|full|cross|on|and|or|not|"
    "as|in|is|null|like|ilike|between|exists|distinct|union|all|limit|offset|case|when|then|else|"
    "end|insert|into|values|update|set|delete|create|alter|drop|table|index|view|with|asc|desc|"
    "primary|foreign|key|references|default|using|returning|over|partition"
)
_SQL_OPENS: Final = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*(?:select|insert|update|delete|create|alter|drop|with)\b", re.IGNORECASE
)
_SQL_TAGS: Final = ("sql", "postgres", "postgresql", "psql", "mysql", "sqlite", "plsql", "tsql")


def pieces(part: Part, answer: str) -> list[str]:
    """Return the pieces of a model's answer that a check tests one by one, such as each bullet;
    every piece must pass.
    """
    if part is Part.WHOLE:
        return [answer]
    found = [piece for piece in _found(part, answer) if piece.strip()]
    if part in (Part.SQL_KEYWORDS, Part.SQL_NAMES):
        return [" ".join(found)] if found else []
    return found


def _found(part: Part, answer: str) -> list[str]:
    match part:
        case Part.FIRST_LINE:
            return _lines(answer)[:1]
        case Part.FIRST_LETTER:
            return re.findall(r"[^\W\d_]", "".join(_lines(answer)[:1]))[:1]
        case Part.LAST_LINE:
            return _lines(answer)[-1:]
        case Part.LINES:
            return _lines(answer)
        case Part.ITEMS:
            return [unit.text for unit in text_blocks(answer) if unit.item]
        case Part.LIST:
            return [
                "\n".join(line for line in split_code(answer)[0].splitlines() if _ITEM.match(line))
            ]
        case Part.HEADINGS:
            lines = split_code(answer)[0].splitlines()
            return [plain_line(line) for line in lines if _HEADING.match(line)]
        case Part.SENTENCES:
            return [said for unit in text_blocks(answer) for said in sentences(unit.text)]
        case Part.PARAGRAPHS:
            return [unit.text for unit in text_blocks(answer) if not unit.heading and not unit.item]
        case Part.CODE:
            return ["\n".join(without_strings(block.code) for block in blocks_of(answer))]
        case Part.CODE_LINES:
            return [line for block in blocks_of(answer) for line in block.code.splitlines()]
        case _:
            return _sql_words(part, answer)


def _lines(answer: str) -> list[str]:
    """Return the lines that are not blank, without code fences."""
    return [
        line
        for line in answer.splitlines()
        if line.strip() and not line.lstrip().startswith(("```", "~~~"))
    ]


def is_sql(answer: str) -> bool:
    """Return whether an answer is a database query in SQL."""
    blocks = split_code(answer)[1]
    if blocks:
        return any(b.language in _SQL_TAGS or _SQL_OPENS.match(b.code) for b in blocks)
    return _SQL_OPENS.match(answer) is not None and bool(
        re.search(r"\b(?:from|into|set|table|values)\b", answer, re.IGNORECASE)
    )


def _sql_words(part: Part, answer: str) -> list[str]:
    """Return SQL keywords, or names of tables and columns; functions and types are neither."""
    if not is_sql(answer):
        return []
    blocks = [block.code for block in split_code(answer)[1]] or [answer]
    code = re.sub(r"--[^\n]*|'[^']*'|/\*[\s\S]*?\*/", " ", "\n".join(blocks))
    words = re.findall(r"[^\W\d]\w*(?!\w|\s?\()", code)
    keyword = re.compile(_SQL_KEYWORDS, re.IGNORECASE)
    if part is Part.SQL_KEYWORDS:
        return [word for word in words if keyword.fullmatch(word)]
    return [word for word in words if not keyword.fullmatch(word) and not word.isupper()]
