"""Patterns of secrets in tables, recognised by the column's header: comma-separated values,
Markdown, what a database prints, HTML tables and the lists of an INSERT.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from lull.core.secrets.named.entered import ENTERED, is_code_to_enter, names_code
from lull.core.secrets.named.names import (
    PASSWORDS,
    PASSWORDS_ELSEWHERE,
    SECRETS,
    SECRETS_ELSEWHERE,
    SHORT,
    SHORT_PASSWORDS,
)
from lull.core.secrets.named.personal import (
    PERSONAL,
    PERSONAL_OF_TWO,
    PERSONAL_SHORT,
    is_personal_number,
    names_person,
)
from lull.core.secrets.values.judging import bare_password, has_sign, looks_random, not_dummy
from lull.core.secrets.values.pattern import LINE_END, QUOTE, Pattern
from lull.core.secrets.values.phrases import is_joined_phrase
from lull.core.secrets.values.public_names import names_public

_LINE: Final = re.compile(
    rf"{LINE_END}|:[ ]?\\{{0,7}}\"|\\{{0,7}}\"\s?[}}\]]|\\{{0,7}}\",\s?\\{{0,7}}\"[\w-]{{1,40}}\\{{0,7}}\"\s?:|</?(?:pre|code|textarea|p|div|note)>"
)
"""Where a row ends, also in a JSON string."""
_MEMBER: Final = re.compile(r"\\{0,7}\",[^,]*:")
"""The end of a member of a JSON object, behind which the name of the next stands."""
_SPLIT: Final = {
    "|": re.compile(r"\|"),
    "\t": re.compile(r"\t|\\{1,4}t"),
    ";": re.compile(";"),
    ",": re.compile(","),
}
_HEADER: Final = re.compile(r"[^\n{}<>=]{0,60}")
_RULE: Final = re.compile(r"[\s|+:=>#/-]*")
_MOST_ROWS: Final = 5_000
_LONGEST_LINE: Final = 4_000
_MOST_COLUMNS: Final = 60
_EDGES: Final = re.compile(
    rf"(?:\s|{QUOTE}|\*|[>#/+]+(?=\s)|<!--|/\*|\[\d{{1,2}}:\d\d\]|<\w{{1,16}}>(?=\s))*"
)

_PASSWORD: Final = re.compile(
    "(?i)(?:"
    + "|".join(map(re.escape, (*PASSWORDS.stems, *PASSWORDS.begins, *PASSWORDS_ELSEWHERE.stems)))
    + r"|(?:^|[\W_])(?:pass|pw|pswd|mdp|clave))\w{0,3}(?:[ _-]?(?:\d{1,2}|plain|text|clear|value))?$"
)
_SECRET: Final = re.compile(
    r"(?i)(?:secret|api[ _-]?key|access[ _-]?key|secret[ _-]?key|private[ _-]?key|token|totp|otp|seed|credential|license[ _-]?key|recovery[ _-]?code|"
    r"passkey|psk|auth[ _-]?key|webhook|client[ _-]?key|(?:^|[\W_])(?:key|pin|sig|auth|cookie))s?(?:[ _-]?value)?$"
)
_BEHIND: Final = re.compile(
    rf"[\w ]{{0,16}}(?:{QUOTE}|[*\]]){{0,3}}[ ]{{0,40}}(?:[,;|\t\n\r\"<]|\\|$)"
)
"""What may stand behind a name in a header: the end of its cell."""
_STARTS: Final = ("\\n", ': "', ':"', ': \\"', ':\\"', "<pre>", "<p>", "<code>")


_Test = Callable[[str], bool]


def _line_around(text: str, at: int) -> tuple[int, int] | None:
    # The line's beginning first, which is near: all else is sought only within the line.
    first = max(0, at - _LONGEST_LINE, text.rfind("\n", max(0, at - _LONGEST_LINE), at) + 1)
    begin = max(
        (place + len(start) for start in _STARTS if (place := text.rfind(start, first, at)) >= 0),
        default=first,
    )
    end = _LINE.search(text, at, at + _LONGEST_LINE)
    if end is None and at + _LONGEST_LINE < len(text):
        return None
    return begin, end.start() if end else len(text)


def _rows(text: str, at: int) -> Iterator[tuple[int, int]]:
    """The lines from the one that ends at a place on."""
    while (end := _LINE.match(text, at) or _LINE.search(text, at, at + _LONGEST_LINE)) is not None:
        if _MEMBER.fullmatch(end.group()) is not None:
            return
        last = _LINE.search(text, end.end(), end.end() + _LONGEST_LINE)
        stop = last.start() if last else min(len(text), end.end() + _LONGEST_LINE)
        yield end.end(), stop
        at = stop
        if last is None:
            return


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


def _test_of(name: str) -> _Test | None:
    """The test of the values in a column with this header, or None where it holds no secrets."""
    if names_public(name):
        return None
    if names_code(name):
        return is_code_to_enter
    if names_person(name):
        return is_personal_number
    if _PASSWORD.search(name):
        return _is_password
    return _is_secret if _SECRET.search(name) else None


def _tests_of(names: list[str]) -> dict[int, _Test]:
    return {at: test for at, name in enumerate(names) if (test := _test_of(name)) is not None}


_IN_GROUPS: Final = (is_code_to_enter, is_personal_number)
"""The tests of what may be written in groups, with blanks between them."""


def _columns(text: str, begin: int, end: int) -> tuple[str, int, dict[int, _Test]] | None:
    """A header row's sign, its number of cells and the tests of its columns of secrets."""
    if end - begin > _LONGEST_LINE:
        return None
    line = text[begin:end]
    for sign in _SPLIT:
        if sign not in line and not (sign == "\t" and "\\t" in line):
            continue
        signs = sum(1 for _ in _SPLIT[sign].finditer(line))
        below = _goes_on(text, end, sign, signs + 1) if signs <= _MOST_COLUMNS else 0
        if not below:
            continue
        cells = _cells(text, begin, end, sign)
        names = [text[a:b] for a, b in cells]
        if sum(map(bool, names)) < 2 or not all(_HEADER.fullmatch(name) for name in names):
            continue
        # A sentence before the header may have the sign, too.
        said = max((at for at, name in enumerate(names) if name.count(" ") > 2), default=0)
        more = len(cells) - below
        if said < more and below > 1 and any(" " in name for name in names[:more]):
            said = more
        columns = _tests_of(names[said:])
        if columns and len(cells) - said > 1:
            return sign, len(cells) - said, columns
    return None


_MORE: Final = re.compile(r"\\{0,7}[\"'`]|\s")


def _goes_on(text: str, end: int, sign: str, width: int) -> int:
    """The number of cells in the line below a header, or the header's own above a rule; 0 where no
    table goes on. That is asked first, since it takes less than to judge the names in a line that is
    no header.
    """
    below = next(_rows(text, end), None)
    if below is None:
        return 0
    begin, stop = below
    if _RULE.fullmatch(text, begin, stop):
        return width
    cells = sum(1 for _ in _SPLIT[sign].finditer(text, begin, stop)) + 1
    return cells if 1 < cells <= width + 1 else 0


def _in_columns(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    done = 0
    for at in names:
        if at < done or not _BEHIND.match(text, at):
            continue
        line = _line_around(text, at)
        if line is None:
            done = at + _LONGEST_LINE
            continue
        head = _columns(text, max(done, line[0]), line[1])
        # The other names of a line that is no header need not be asked.
        done = line[1]
        # The name of a JSON member is no header.
        if head is None or text.startswith(":", line[1]):
            continue
        sign, width, columns = head
        for end, cells in _table_rows(text, line[1], sign, width):
            done = end
            yield from _in_row(text, cells, columns)


def _table_rows(
    text: str, at: int, sign: str, width: int
) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """The rows below a header that ends at a place: where each row ends, and its cells."""
    found = False
    for rows, (begin, end) in enumerate(_rows(text, at)):
        if _RULE.fullmatch(text, begin, end):
            if found or end == begin or rows > 1:
                return
            continue
        cells = _cells(text, begin, end, sign)
        if not width - 1 <= len(cells) <= width + 1 or len(cells) < 2 or rows > _MOST_ROWS:
            return
        found = True
        yield end, cells


def _in_row(
    text: str, cells: list[tuple[int, int]], columns: dict[int, _Test]
) -> Iterator[tuple[int, int]]:
    """Where a row's secrets stand: what looks like one in a column of secrets."""
    for column, counts in columns.items():
        if column >= len(cells):
            continue
        first, last = cells[column]
        value = text[first:last]
        if column == len(cells) - 1 and (more := _MORE.search(value)):
            # Words behind the table's last cell.
            cut = value[: more.start()]
            if counts not in _IN_GROUPS or not counts(value):
                value = cut if has_sign(cut) or (counts in _IN_GROUPS and counts(cut)) else ""
        if counts(value):
            yield first, first + len(value)


def _is_password(value: str) -> bool:
    if len(value) < 4 or any(c.isspace() for c in value) or not not_dummy(value):
        return False
    return (
        has_sign(value)
        or is_joined_phrase(value)
        or (value.isdigit() and len(value) >= 4)
        or (len(value) >= 6 and bare_password(value) and value.isascii())
    )


def _is_secret(value: str) -> bool:
    if len(value) < 4 or any(c.isspace() for c in value) or not not_dummy(value):
        return False
    return looks_random(value)


_TABLE_ROW: Final = re.compile(r"(?is)<tr[\s>].{0,4000}?</tr")
_TABLE_CELL: Final = re.compile(
    r"(?is)<t([hd])(?:\s[^<>]{0,120})?>\s{0,8}(?:<\w{1,8}>)?([^<>]{0,200}?)\s{0,8}(?:</\w{1,8}>)?\s{0,8}</t[hd]"
)


def _in_html(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    columns: dict[int, _Test] = {}
    for row in _TABLE_ROW.finditer(text):
        cells = list(_TABLE_CELL.finditer(text, row.start(), row.end()))
        heads = sum(cell[1] in "hH" for cell in cells)
        if heads and (len(cells) > 1 or heads == len(cells)):
            columns = _tests_of([cell[2] for cell in cells])
            continue
        for at, counts in columns.items():
            if at < len(cells) and counts(cells[at][2]):
                yield cells[at].span(2)


_INSERT: Final = re.compile(
    r"insert\s{1,8}into\s{1,8}[^\s(]{1,80}\s{0,4}\(([^()]{1,1000})\)\s{0,8}(?:\\n)?values?\s{0,8}(?:\\n)?"
)
_TUPLE: Final = re.compile(r"(?:\s|,|\\n){0,8}\(([^()]{1,4000})\)")


def _inserted(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    for insert in _INSERT.finditer(low):
        header = [text[a:b] for a, b in _cells(text, *insert.span(1), ",")]
        columns = _tests_of(header)
        row = _TUPLE.match(text, insert.end()) if columns else None
        while row is not None:
            cells = _cells(text, *row.span(1), ",")
            for at, counts in columns.items():
                if at < len(cells) and counts(text[cells[at][0] : cells[at][1]]):
                    yield cells[at]
            row = _TUPLE.match(text, row.end())


_NAME_BEFORE: Final = re.compile(
    rf"(?i)(?:key|name|id|label|field|title|property|variable){QUOTE}?\s?[:=]\s?{QUOTE}([\w .:-]{{2,60}}){QUOTE},?(?:\s|\\[nrt]){{1,24}}{QUOTE}?$"
)
_VALUE_BEHIND: Final = re.compile(
    rf"{QUOTE}?\s?[:=]\s?{QUOTE}([^\"'<>\n\\]{{3,400}})(?=\\{{0,7}}[\"'])"
)
_NAME_REACHES: Final = 110


def _in_pairs(text: str, low: str, names: list[int]) -> Iterator[tuple[int, int]]:
    at = low.find("value")
    while at >= 0:
        given = _VALUE_BEHIND.match(text, at + len("value"))
        if given is not None:
            name = _NAME_BEFORE.search(text, max(0, at - _NAME_REACHES), at)
            counts = _test_of(name[1]) if name is not None else None
            if counts is not None and counts(given[1]):
                yield given.span(1)
        at = low.find("value", at + 1)


TABLES: Final = (
    Pattern(
        kind="password",
        find=_in_columns,
        names=(
            *(PASSWORDS, PASSWORDS_ELSEWHERE, SECRETS, SECRETS_ELSEWHERE, SHORT, SHORT_PASSWORDS),
            *(ENTERED, PERSONAL, PERSONAL_OF_TWO, PERSONAL_SHORT),
        ),
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
    Pattern(
        kind="password",
        # The attributes of an element, or the members of an object: a name and its value.
        find=_in_pairs,
        hints=("value",),
        holds='<add key="wgPrivateKey" value="«q7KxR2mZp4TwB9dH»" />',
        spares='<add key="wgPublicKey" value="q7KxR2mZp4TwB9dH" />',
    ),
)
