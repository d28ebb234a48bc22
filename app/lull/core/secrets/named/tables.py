"""Patterns of secrets in tables, told by the column's header: comma-separated values, Markdown,
what a database prints, HTML tables and the lists of an INSERT.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.judging import bare_password, has_sign, not_dummy, random
from lull.core.secrets.named.names import PASSWORDS, PASSWORDS_ELSEWHERE
from lull.core.secrets.pattern import LINE_END, QUOTE, Pattern

_LINE: Final = re.compile(rf"{LINE_END}|:[ ]?\\{{0,7}}\"|\\{{0,7}}\"\s?[}}\]]|</?(?:pre|code|textarea|p|div|note)>")
"""Where a row ends, also in a JSON string."""
_SPLIT: Final = {
    "|": re.compile(r"\|"),
    "\t": re.compile(r"\t|\\{1,4}t"),
    ";": re.compile(";"),
    ",": re.compile(","),
}
_HEADER: Final = re.compile(r"[^\n\"{}<>=]{0,60}")
_RULE: Final = re.compile(r"[\s|+:=>#/-]*")
_MOST_ROWS: Final = 5_000
_LONGEST_LINE: Final = 4_000
_EDGES: Final = re.compile(rf"(?:\s|{QUOTE}|\*|^[>#/+]+(?=\s))*")

_PASSWORD: Final = re.compile(
    "(?i)(?:"
    + "|".join(map(re.escape, (*PASSWORDS.stems, *PASSWORDS.begins, *PASSWORDS_ELSEWHERE.stems)))
    + r"|(?:^|[\W_])(?:pass|pw|pswd|mdp|clave))\w{0,3}(?:[ _-]?(?:\d{1,2}|plain|text|clear|value))?$"
)
_SECRET: Final = re.compile(
    r"(?i)(?:secret|api[ _-]?key|access[ _-]?key|secret[ _-]?key|private[ _-]?key|token|totp|otp|seed|credential|license[ _-]?key|recovery[ _-]?code|"
    r"passkey|psk|auth[ _-]?key|webhook|client[ _-]?key|(?:^|[\W_])(?:key|pin|sig|auth|cookie))s?(?:[ _-]?value)?$"
)
_HINTS: Final = (
    *(stem for stem in (*PASSWORDS.stems, *PASSWORDS.begins, *PASSWORDS_ELSEWHERE.stems) if len(stem) > 2),
    *("pass", "pw", "mdp", "clave", "secret", "key", "token", "totp", "otp", "seed", "credential", "recovery", "pin", "cookie"),
)  # fmt: skip


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for end in _LINE.finditer(text):
        yield at, end.start()
        at = end.end()
    yield at, len(text)


def _cells(text: str, begin: int, end: int, sign: str) -> list[tuple[int, int]]:
    """Where the cells of a row stand, without blanks and quotation marks."""
    cells, at = [], begin
    ends = [one.span() for one in _SPLIT[sign].finditer(text, begin, end)]
    for stop, after in (*ends, (end, end)):
        left = _EDGES.match(text, at, stop)
        first = left.end() if left else at
        last = stop
        while last > first and text[last - 1] in " \t\r\"'`*\\":
            last -= 1
        cells.append((min(first, last), last))
        at = after
    return cells


def _columns(text: str, begin: int, end: int) -> tuple[str, int, dict[int, bool]] | None:
    """A header row's sign, its number of cells and its columns of secrets: whether each holds
    passwords.
    """
    if end - begin > _LONGEST_LINE:
        return None
    line = text[begin:end]
    for sign in _SPLIT:
        if sign not in line and not (sign == "\t" and "\\t" in line):
            continue
        cells = _cells(text, begin, end, sign)
        names = [text[a:b] for a, b in cells]
        if len(cells) < 2 or not all(_HEADER.fullmatch(name) for name in names):
            continue
        columns = {
            at: _PASSWORD.search(name) is not None
            for at, name in enumerate(names)
            if _PASSWORD.search(name) or _SECRET.search(name)
        }
        if columns:
            return sign, len(cells), columns
    return None


def _in_columns(text: str, low: str) -> Iterator[tuple[int, int]]:
    head: tuple[str, int, dict[int, bool]] | None = None
    rows = 0
    for begin, end in _lines(text):
        if head is None:
            if end - begin <= _LONGEST_LINE and _ANY.search(low, begin, end):
                head, rows = _columns(text, begin, end), 0
            continue
        if _RULE.fullmatch(text, begin, end):
            if rows == 0 and end > begin:
                continue
            head = None if end == begin or rows else head
            continue
        sign, width, columns = head
        cells = _cells(text, begin, end, sign) if end - begin <= _LONGEST_LINE else []
        rows += 1
        if len(cells) < width - 1 or len(cells) > width + 1 or len(cells) < 2 or rows > _MOST_ROWS:
            again = _ANY.search(low, begin, end) if end - begin <= _LONGEST_LINE else None
            head, rows = (_columns(text, begin, end) if again else None), 0
            continue
        for at, password in columns.items():
            if at < len(cells) and _value(text[cells[at][0] : cells[at][1]], password=password):
                yield cells[at]


def _value(value: str, *, password: bool) -> bool:
    if len(value) < 4 or any(c.isspace() for c in value) or not not_dummy(value):
        return False
    if password:
        return has_sign(value) or (value.isdigit() and len(value) >= 4) or (
            len(value) >= 6 and bare_password(value) and value.isascii()
        )
    return random(value)


_ANY: Final = re.compile("|".join(re.escape(hint) for hint in sorted(_HINTS, key=len)))


_TABLE_ROW: Final = re.compile(r"(?is)<tr[\s>].{0,4000}?</tr")
_TABLE_CELL: Final = re.compile(
    r"(?is)<t([hd])(?:\s[^<>]{0,120})?>\s{0,8}(?:<\w{1,8}>)?([^<>]{0,200}?)\s{0,8}(?:</\w{1,8}>)?\s{0,8}</t[hd]"
)


def _in_html(text: str, low: str) -> Iterator[tuple[int, int]]:
    columns: dict[int, bool] = {}
    for row in _TABLE_ROW.finditer(text):
        cells = list(_TABLE_CELL.finditer(text, row.start(), row.end()))
        if any(cell[1] in "hH" for cell in cells) and len(cells) > 1:
            columns = {
                at: _PASSWORD.search(cell[2]) is not None
                for at, cell in enumerate(cells)
                if _PASSWORD.search(cell[2]) or _SECRET.search(cell[2])
            }
            continue
        for at, password in columns.items():
            if at < len(cells) and _value(cells[at][2], password=password):
                yield cells[at].span(2)


_INSERT: Final = re.compile(r"(?i)insert\s+into\s+[^\s(]{1,80}\s{0,4}\(([^()]{1,1000})\)\s{0,8}(?:\\n)?values?\s{0,8}(?:\\n)?")
_TUPLE: Final = re.compile(rf"(?:\s|,|\\n){{0,8}}\(([^()]{{1,4000}})\)")


def _inserted(text: str, low: str) -> Iterator[tuple[int, int]]:
    for insert in _INSERT.finditer(text):
        names = [text[a:b] for a, b in _cells(text, *insert.span(1), ",")]
        columns = {
            at: _PASSWORD.search(name) is not None
            for at, name in enumerate(names)
            if _PASSWORD.search(name) or _SECRET.search(name)
        }
        row = _TUPLE.match(text, insert.end()) if columns else None
        while row is not None:
            cells = _cells(text, *row.span(1), ",")
            for at, password in columns.items():
                if at < len(cells) and _value(text[cells[at][0] : cells[at][1]], password=password):
                    yield cells[at]
            row = _TUPLE.match(text, row.end())


TABLES: Final = (
    Pattern(
        kind="password",
        find=_in_columns,
        hints=_HINTS,
        holds="user,password,host\nanna,«t1gerX»,db",
        spares="user,password_changed,host\nanna,t1gerX,db",
    ),
    Pattern(
        kind="password",
        find=_in_html,
        hints=("<th",),
        holds="<tr><th>User</th><th>Password</th></tr><tr><td>anna</td><td>«t1gerX»</td></tr>",
        spares="<tr><th>User</th><th>Place</th></tr><tr><td>anna</td><td>t1gerX</td></tr>",
    ),
    Pattern(
        kind="password",
        find=_inserted,
        hints=("insert",),
        holds="INSERT INTO users (name, password) VALUES ('anna', '«t1gerX»')",
        spares="INSERT INTO users (name, place) VALUES ('anna', 't1gerX')",
    ),
)
