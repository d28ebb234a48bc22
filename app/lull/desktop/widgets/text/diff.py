"""Renders the differences between two texts as HTML, in one column or side by side, and highlights
passages in a text.

In a changed line the words that differ have a stronger colour and are bold. All text is escaped,
and characters that could hide or reverse text are replaced, so that the user sees exactly the text
to approve.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from lull.desktop.language.words import plain, tr
from lull.desktop.widgets.text.changed_words import Range, changed_words
from lull.desktop.widgets.tokens import Theme

_HUNK: Final = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a unified diff."""

    sign: str
    """First character of the line: `+`, `-`, a space, `@` for a hunk header, or a backslash."""
    text: str
    old: int | None = None
    """Line number in the current text."""
    new: int | None = None


def lines_of(diff: str) -> list[Line]:
    """Split a unified diff into lines, without the two lines of file names."""
    found: list[Line] = []
    old = new = 0
    body = diff.split("\n") if diff else []
    if len(body) >= 2 and body[0].startswith("---") and body[1].startswith("+++"):
        body = body[2:]
    for raw in body:
        hunk = _HUNK.match(raw)
        if hunk:
            old, new = int(hunk[1]), int(hunk[2])
            found.append(Line(sign="@", text=raw))
            continue
        sign, text = (raw[:1] or " "), raw[1:]
        if sign == "\\":
            found.append(Line(sign=sign, text=text.strip()))
            continue
        found.append(
            Line(
                sign=sign,
                text=text,
                old=old if sign != "+" else None,
                new=new if sign != "-" else None,
            )
        )
        old += sign != "+"
        new += sign != "-"
    return found


def _shown(diff: str) -> list[Line]:
    """Return a diff's lines without the head of its first hunk: line numbers say where it is."""
    lines = lines_of(diff)
    return lines[1:] if lines and lines[0].sign == "@" else lines


def unified_html(diff: str, theme: Theme) -> str:
    """Return a diff as HTML with removed and added lines below each other."""
    rows = []
    lines = _shown(diff)
    words = _changed(lines)
    for line in lines:
        back = {"+": theme.good_back, "-": theme.bad_back}.get(line.sign, "")
        sign = {"+": "+", "-": "−"}.get(line.sign, "&nbsp;")
        if line.sign in "@\\":
            rows.append(_note(line, theme, 4))
            continue
        rows.append(
            f"<tr{_back(back)}>{_number(line.old, theme)}{_number(line.new, theme)}"
            f"<td width='14'>{sign}</td><td>{_line(line, words, theme)}</td></tr>"
        )
    return _table(rows, theme)


def side_by_side_html(diff: str, theme: Theme) -> str:
    """Return a diff as HTML with the old text on the left and the new one on the right."""
    rows = []
    lines = _shown(diff)
    words = _changed(lines)
    for left, right in _pairs(lines):
        if left is not None and left.sign in "@\\":
            rows.append(_note(left, theme, 4))
            continue
        halves = (_half(left, words, theme, "-"), _half(right, words, theme, "+"))
        rows.append(f"<tr>{''.join(halves)}</tr>")
    return _table(rows, theme)


def _changed(lines: Sequence[Line]) -> dict[Line, list[Range]]:
    """Return the ranges of characters that differ, for each line that another one replaces."""
    found: dict[Line, list[Range]] = {}
    for old, new in _pairs(lines):
        if old is not None and new is not None and old.sign == "-":
            found[old], found[new] = changed_words(plain(old.text), plain(new.text))
    return found


def _line(line: Line, words: Mapping[Line, Sequence[Range]], theme: Theme) -> str:
    """Render a line's text as HTML, with the words marked that its other version does not have."""
    colour = theme.good_mark if line.sign == "+" else theme.bad_mark
    return _highlighted(plain(line.text), words.get(line, ()), colour)


def _pairs(lines: Sequence[Line]) -> Iterator[tuple[Line | None, Line | None]]:
    """Yield the removed lines of a diff, each paired with the line that replaces it."""
    gone: list[Line] = []
    came: list[Line] = []
    for line in lines:
        if line.sign == "-":
            if came:
                yield from zip_longest(gone, came)
                gone, came = [], []
            gone.append(line)
        elif line.sign == "+":
            came.append(line)
        else:
            yield from zip_longest(gone, came)
            gone, came = [], []
            yield line, line
    yield from zip_longest(gone, came)


def _half(line: Line | None, words: Mapping[Line, Sequence[Range]], theme: Theme, sign: str) -> str:
    if line is None:
        return f"<td width='26'{_back(theme.hover)}></td><td{_back(theme.hover)}></td>"
    back = ""
    if line.sign == sign:
        back = theme.good_back if sign == "+" else theme.bad_back
    number = line.new if sign == "+" else line.old
    return f"{_number(number, theme)}<td{_back(back)}>{_line(line, words, theme)}</td>"


def marked_html(
    text: str, passages: Sequence[str], theme: Theme, *, places: Sequence[Range] = ()
) -> str:
    """Render a text as HTML in which these passages are highlighted, and what is at these places;
    passages not found are ignored.
    """
    text = plain(text)
    spans = [
        found.span()
        for passage in {plain(p.strip()) for p in passages if p.strip()}
        for found in re.finditer(re.escape(passage), text, re.IGNORECASE)
    ]
    return _highlighted(text, sorted([*spans, *places]), theme.mark)


def _highlighted(text: str, spans: Sequence[Range], colour: str) -> str:
    """Render a text as HTML with these ranges, in order, on a colour and in bold."""
    said, end = [], 0
    for start, stop in spans:
        if start < end:
            continue
        said.append(_piece(text, end, start))
        said.append(f"<span style='background:{colour}'><b>{_piece(text, start, stop)}</b></span>")
        end = stop
    said.append(_piece(text, end, len(text)))
    return "".join(said) or _text("")


def _piece(text: str, start: int, stop: int) -> str:
    if start >= stop:
        return ""
    return _text(text[start:stop], within=start > 0 and text[start - 1] != "\n")


def escaped(text: str) -> str:
    """Return a text as HTML, without characters that could change how it is displayed."""
    return _text(plain(text))


def _text(text: str, *, within: bool = False) -> str:
    """Escape a text for HTML, keeping line breaks and indentation; `within` a line it has none."""
    said = html.escape(plain(text)).replace("\t", "    ")
    said = re.sub(r"(?<=\n) +" if within else r"(?m)^ +", lambda m: "&nbsp;" * len(m[0]), said)
    return said.replace("\n", "<br>") or "&nbsp;"


def _number(number: int | None, theme: Theme) -> str:
    shown = "" if number is None else str(number)
    return f"<td width='26' align='right' style='color:{theme.muted}'>{shown}</td>"


def _note(line: Line, theme: Theme, columns: int) -> str:
    words = "⋯" if line.sign == "@" else tr("the last line has no line break")
    return f"<tr><td colspan='{columns}' style='color:{theme.muted}'>{_text(words)}</td></tr>"


def _back(colour: str) -> str:
    return f" bgcolor='{colour}'" if colour else ""


def _table(rows: Sequence[str], theme: Theme) -> str:
    if not rows:
        words = tr("The texts are the same.")
        return f"<p style='color:{theme.muted}'>{words}</p>"
    return f"<table width='100%' cellspacing='0' cellpadding='2'>{''.join(rows)}</table>"
