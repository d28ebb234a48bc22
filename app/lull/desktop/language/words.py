"""Translates and formats the window's texts, numbers and times.

Every text of the window itself goes through `tr`, which looks it up in the catalogue of the user's
language. Every text that the service sends goes through `translated`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from PySide6.QtCore import QDate, QDateTime, QLocale, QTime

from lull.core.text import durations as spans
from lull.desktop.language.catalogue import Catalogue
from lull.desktop.language.recognising import CheckTranslator, NumberFormat, SentenceTranslator
from lull.desktop.language.titles import known_titles

_PLACE = re.compile(r"%([1-9])")
_IN_DAYS = re.compile(r"\b(\d+) d\b")


def local_number(english: str) -> str:
    """Rewrite a number in the user's language that is written as the service writes it, such as
    "1,000", "12.5" or "12.5%".
    """
    digits = english.removesuffix("%").replace(",", "")
    if "," in english:
        return count(int(digits))
    number = digits.replace(".", decimal_point())
    return tr("%1%", number) if english.endswith("%") else number


class _Spoken:
    """The language that the window uses now: its translations and its locale."""

    def __init__(self) -> None:
        self.speak(Catalogue(), QLocale(QLocale.Language.English))

    def speak(self, catalogue: Catalogue, locale: QLocale) -> None:
        self.catalogue, self.locale = catalogue, locale
        self._in_english: dict[str, str] | None = None
        checks = CheckTranslator(catalogue.checks)
        self.sentences = SentenceTranslator(
            {**catalogue.worded, **catalogue.sentences},
            checks,
            numbers=NumberFormat(catalogue.numbers, local_number),
        )

    def english(self) -> dict[str, str]:
        """The English texts by their translations; made when it is first needed."""
        if self._in_english is None:
            known = self.catalogue
            said = (*known.worded.items(), *known.sentences.items(), *known.texts.items())
            self._in_english = {translation: text for text, translation in said}
        return self._in_english


_spoken = _Spoken()


def set_language(catalogue: Catalogue, locale: QLocale) -> None:
    """Set the window's language: the translations, and the locale for numbers and names of days."""
    _spoken.speak(catalogue, locale)


def tr(text: str, *values: object) -> str:
    """Translate a text of the window into the user's language, and replace `%1`, `%2` … by the
    values.

    A translation may have the placeholders in another order.
    """
    return _filled(_spoken.catalogue.texts.get(text) or text, values)


def in_english(text: str) -> str:
    """Return the English of a text that the window shows in the user's language; a text that is no
    translation, or has values filled in, is returned unchanged.
    """
    return _spoken.english().get(text, text)


def counted(number: int, one: str, many: str) -> str:
    """Return a translated text in the singular or plural that `number` needs, with %1 replaced by
    the number.
    """
    pair = _spoken.catalogue.counted.get((one, many)) or (one, many)
    return _filled(pair[0 if number == 1 else 1], (count(number),))


def _filled(text: str, values: tuple[object, ...]) -> str:
    # In a single pass, because a value may itself contain %1.
    return _PLACE.sub(lambda m: str(values[int(m[1]) - 1]), text) if values else text


def translated(one: Mapping[str, Any], name: str = "text") -> str:
    """Translate a sentence that the service sent in the JSON object `one` into the user's language.

    `name` is the key of the sentence. It is translated by its message code and values if `one` has
    them, else by its English wording; an unknown sentence is returned in English.
    """
    before = "" if name == "text" else f"{name}_"
    code = one.get(f"{before}code")
    form = _spoken.catalogue.coded.get(str(code)) if code else None
    values = tuple(_told_value(value) for value in one.get(f"{before}values") or ())
    # A service of another version may send other values.
    unknown = None in values or any(int(at) > len(values) for at in _PLACE.findall(form or ""))
    if form is None or unknown:
        return reword_for_window(plain(str(one.get(name) or "")))
    return _filled(form, values)


def problem_text(one: Mapping[str, Any], name: str = "detail") -> str:
    """Describe a problem that the service reports, in the user's language.

    Returns the text that JSON object `one` has under the key `name`, followed by its `hint` (what
    the user can do).
    """
    return f"{translated(one, name)} {translated(one, 'hint')}".strip()


def named(code: str, english: str) -> str:
    """Translate a short name, such as that of a setting, into the user's language.

    The translation is looked up by `code`, because two things with the same English name may have
    different names in another language. Without a translation the name is `english`.
    """
    return _spoken.catalogue.coded.get(code) or english


def _told_value(value: Any) -> str | None:
    """Return a value as it is inserted in a text; None for a kind unknown to this window."""
    match value:
        case {"length_s": None | float() | int() as seconds}:
            return length(float("inf") if seconds is None else seconds)
        case {"share": float() | int() as share}:
            return percent(share)
        case {"at": str(iso)}:
            return clock(iso, now())
        case {"text": _}:
            return translated(value)
        case {"skill": str(name)}:
            return tr("“%1”", skill_title(name))
        case {"skills": list(names), "more": bool(more)}:
            told = ", ".join(tr("“%1”", skill_title(name)) for name in names)
            return tr("%1 and more", told) if more else told
        case {"sentence": str(text)}:
            return reword_for_window(plain(text))
        case {"verbatim": str(theirs)}:  # what a running service of an earlier version sends
            return plain(theirs)
        case bool() | None:
            return ""
        case int():
            return count(value)
        case dict() | list():
            return None
    return plain(str(value))  # a name or a user's own words


def now() -> datetime:
    """Return the current time in the local time zone."""
    return datetime.now(UTC).astimezone()


def parsed(iso: str | None) -> datetime | None:
    """Parse an ISO time; return None for a text that is no ISO time or has no time zone."""
    try:
        at = datetime.fromisoformat(iso) if iso else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None


# Numbers


def count(number: int) -> str:
    """Return a whole number as the user's language writes it."""
    return _spoken.locale.toString(number)


def decimal(value: float, digits: int) -> str:
    """Return a number with this many digits after the decimal point."""
    return _spoken.locale.toString(value, "f", digits)


def decimal_point() -> str:
    """Return the decimal point of the user's language."""
    return _spoken.locale.decimalPoint()


def group_mark() -> str:
    """Return what the user's language writes between groups of three digits of a long number."""
    return _spoken.locale.groupSeparator()


def signed(value: float) -> str:
    """Return a number with its sign and two digits after the decimal point."""
    return f"{'−' if value < 0 else '+'}{decimal(abs(value), 2)}"


def percent(share: float) -> str:
    """Return a share of 0 to 1 in whole percent."""
    return tr("%1%", f"{share:.0%}"[:-1])


# Times


def length(seconds: float) -> str:
    """Format a duration in words, rounded down to one or two units."""
    said = spans.format_duration(seconds)
    if said == "ever":
        return tr("ever")
    return _IN_DAYS.sub(lambda m: counted(int(m[1]), "%1 d", "%1 d"), said)


def time_of_day(at: datetime, here: datetime) -> str:
    """Format the time of day of `at` in the time zone of `here`, with the day if it is not the day
    of `here`.
    """
    local = at.astimezone(here.tzinfo)
    text = f"{local:%H:%M}"
    match (local.date() - here.date()).days:
        case 0:
            return text
        case 1:
            return tr("tomorrow %1", text)
        case days if 1 < days < 7:
            return f"{on_day(local, 'dddd')} {text}"
    return on_day(local, tr("d MMM yyyy HH:mm"))


def clock(iso: str | None, at: datetime) -> str:
    """Format an ISO time as a time of day in the zone of `at`, which is the time now, with the day
    if that is not today.

    Returns "" if there is no valid time.
    """
    moment = parsed(iso)
    return time_of_day(moment, at) if moment else ""


def ago(iso: str | None, at: datetime) -> str:
    """Describe how long before `at` (now) an ISO time was, such as "5 min ago"; "" if there is no
    valid time.

    From one hour on it is given in whole hours, from one day on in whole days.
    """
    moment = parsed(iso)
    if moment is None:
        return ""
    seconds = (at - moment).total_seconds()
    if seconds < 60:
        return tr("just now")
    if seconds < 3_600:
        return counted(int(seconds // 60), "%1 min ago", "%1 min ago")
    if seconds < 86_400:
        return counted(int(seconds // 3_600), "%1 h ago", "%1 h ago")
    return counted(int(seconds // 86_400), "%1 d ago", "%1 d ago")


def on_day(at: date, form: str) -> str:
    """Format a date or a time by one of Qt's format strings, in the window's language; a time stays
    in its own zone.
    """
    day = QDate(at.year, at.month, at.day)
    hour = QTime(at.hour, at.minute) if isinstance(at, datetime) else QTime(0, 0)
    return _spoken.locale.toString(QDateTime(day, hour), form)


def short_date(iso: str | None) -> str:
    """Return a time of the service as local date and time; "" if there is none."""
    moment = parsed(iso)
    return on_day(moment.astimezone(), tr("d MMM yyyy HH:mm")) if moment else ""


def short_day(iso: str | None) -> str:
    """Format the day and month of an ISO date, or of an ISO time in this machine's zone."""
    moment = parsed(iso)
    try:
        day = moment.astimezone() if moment else date.fromisoformat(str(iso))
    except ValueError:
        return ""
    return on_day(day, tr("d MMM"))


def week_day(at: date) -> str:
    """Format a date briefly, with its weekday, day and month."""
    return on_day(at, tr("ddd d MMM"))


def without_args(do: Callable[[], object]) -> Callable[..., None]:
    """Make a Qt slot that calls `do` without the arguments that the signal sends."""

    def call(*_: object) -> None:
        do()

    return call


_COMMAND = re.compile(r"`(?:lull ([a-z]+)((?: [^`]*)?)|rollback)`")
_OPTION = re.compile(r"`?(?<![\w-])--[a-z][\w-]*[^`.;,]*`?")
_SET = re.compile(r" set (?P<key>[\w.]+)(?: (?P<value>[^`]+))?")


def _places() -> dict[str, str]:
    """Return where the window does what each command of `lull` does, by the command's name."""
    learning, skills = tr("the Learning page"), tr("the Skills page")
    talk = tr("the Conversations page")
    return {
        **dict.fromkeys(("adapters", "train", "rollback"), learning),
        **dict.fromkeys(("conversations", "forget", "rate", "read", "show"), talk),
        **dict.fromkeys(("doctor", "logs"), tr("the Logs page")),
        **dict.fromkeys(("prove", "review"), tr("the Review page")),
        **dict.fromkeys(("skills", "verify"), skills),
        "connect": tr("the Connect page"),
        **dict.fromkeys(("model", "settings"), tr("the Settings page")),
        **dict.fromkeys(("open", "pause", "resume", "status", "why"), tr("the Today page")),
        "calendar": tr("the Schedule page"),
    }


def known_sentence(text: str) -> str:
    """Translate a text into the user's language if it is a sentence that the service can send; any
    other text is returned unchanged.
    """
    return _spoken.sentences.found(text) or text


def reword_for_window(text: str) -> str:
    """Rewrite a text of the service for the window: use the catalogue's wording if it has one, and
    else replace terminal commands by the names of pages.

    Clauses about what can only be done in a terminal are left out.
    """
    known = _spoken.sentences.found(text)
    if known is not None and _COMMAND.search(known) is None:
        return known
    text = known or text
    if "`" not in text and "--" not in text:
        return text
    said = ""
    # After a semicolon a clause stands on its own, as a sentence does.
    for one in re.split(r"(?<=[.!?;])\s+", text):
        if known_one := _spoken.sentences.found(one):
            said = f"{said[:-1]}." if said.endswith(";") else said
        told = known_one or _placed(one)
        if told and not said.endswith(";"):
            told = f"{told[0].upper()}{told[1:]}" if one[0] == "`" else told
        said = f"{said} {told}".strip()
    return f"{said[:-1]}." if said.endswith(";") else said


def _placed(clause: str) -> str:
    """Return a clause with its terminal commands replaced by places in the window; "" if a command
    has no such place.
    """
    places = _places()
    private = tr("“This calendar is on my local network” ticked")
    clause = re.sub(r"`?--private`?", private, clause)
    if _OPTION.search(clause):
        return ""
    missing = False

    def place(found: re.Match[str]) -> str:
        nonlocal missing
        command = found[1] or "adapters"
        change = _SET.match(found[2]) if command == "settings" else None
        if change is not None:
            value = f" = {change['value']}" if change["value"] else ""
            return tr("“%1” in Settings", f"{change['key']}{value}")
        missing |= command not in places
        return places.get(command, "")

    told = _COMMAND.sub(place, clause)
    return "" if missing else told


_HIDERS = {"\u200e", "\u200f", "\u061c"}


def plain(text: str) -> str:
    """Replace invisible and direction-changing characters, which could hide or reverse parts of a
    text, by a replacement character.
    """
    return "".join(c if _shows(c) else "\N{REPLACEMENT CHARACTER}" for c in text)


def skill_title(name: object) -> str:
    """Return the title of the skill with this name, such as "Menu style" for "menu-style"."""
    return plain(known_titles.title(str(name), tr))


def hover(text: str) -> str:
    """Escape a text for a tooltip, so that Qt shows it literally and does not interpret it as HTML.

    Qt takes tags in a tooltip for formatting and reads the file that an image names, which may be a
    device without end; titles and calendars are other people's words.
    """
    if "<" not in text and "&lt;" not in text:
        return text
    return f"<span>{html.escape(text, quote=False).replace(chr(10), '<br>')}</span>"


def _shows(character: str) -> bool:
    if character in "\n\t ":
        return True
    return character.isprintable() and character not in _HIDERS
