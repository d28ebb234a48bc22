"""Translates English sentences that Lull's service sends without a message code, by recognising
their wording.

Such sentences come from errors and from `lull doctor`, or were stored by an earlier version of
Lull. A known sentence may contain places (`%1`, `%2` …), each of which matches any text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Final

PLACE: Final = re.compile(r"%([1-9])")
LEAST_WORDS: Final = 2
"""Fewest words of its own that a sentence with places (`%1`) must have.

With fewer it would match almost any text.
"""
SURE_WORDS: Final = 4
NAME_WORDS: Final = 4
"""Most words that may fill a place (`%1`) of a sentence with fewer than `SURE_WORDS` of its own,
unless they are a known sentence.
"""
MOST_JOINTS: Final = 16
"""Most joints of a text that is cut into known sentences; a longer one is a user's or a program's.
"""
_STOP: Final = re.compile(r"(?<=[.!?]) ")
_SEMICOLON: Final = re.compile(r"; ")


class SentenceTranslator:
    """Translates sentences that Lull's service sends, by a table of English sentences with their
    translations.
    """

    def __init__(
        self,
        sentences: Mapping[str, str],
        checks: CheckTranslator | None = None,
        *,
        numbers: NumberFormat | None = None,
    ) -> None:
        """Create a translator; `checks` translates sentences about checks of answers, and `numbers`
        writes the numbers in sentences as the language does.
        """
        self._sentences = sentences
        self._checks = checks
        self._numbers = numbers or NumberFormat({}, str)
        self.found = lru_cache(maxsize=1_024)(self._found)

    def _found(self, text: str) -> str | None:
        """Return the translation of a sentence of the service; None for an unknown sentence.

        The text that fills a place (`%1`) may itself be a known sentence.
        """
        if said := self._sentences.get(text) or self._joined(text):
            return said
        if self._checks is not None and (check := self._checks.found(text)):
            return check
        for form in self._forms:
            parts = form.parts_of(text)
            if parts is not None and (form.words >= SURE_WORDS or self._all_short(parts)):
                told = {place: self._part(form, place, part) for place, part in parts.items()}
                return PLACE.sub(lambda m: told[m[1]], form.said)  # noqa: B023
        return self._introduced(text)

    def _introduced(self, text: str) -> str | None:
        """Return the translation of a known sentence behind the place that it is about, such as
        "settings.toml, line 3: …"; None for any other text.
        """
        if text.count(": ") > MOST_JOINTS:
            return None
        for form in self._introductions:
            parts = form.parts_of(text)
            if parts is None or not _surely_about(form, parts):
                continue
            if (said := self.found(parts[form.last_place])) is not None:
                told = {place: self._part(form, place, part) for place, part in parts.items()}
                told[form.last_place] = said
                return PLACE.sub(lambda m: told[m[1]], form.said)  # noqa: B023
        return None

    def _joined(self, text: str) -> str | None:
        """Return the translation of several sentences or clauses in a row; None unless each of them
        is known.
        """
        # A known sentence may hold a joint itself, so each one is tried: stops first.
        joints = [*_STOP.finditer(text), *_SEMICOLON.finditer(text)]
        if len(joints) > MOST_JOINTS:
            return None
        for joint in joints:
            first = self.found(text[: joint.start()])
            rest = self.found(text[joint.end() :]) if first is not None else None
            if rest is not None:
                return f"{first}{joint[0]}{rest}"
        return None

    def _all_short(self, parts: Mapping[str, str]) -> bool:
        """Whether each text that fills a place is short, like a name, or is a known sentence
        itself.
        """
        return all(
            len(part.split()) <= NAME_WORDS or self.found(part) is not None
            for part in parts.values()
        )

    def _part(self, form: _Form, place: str, text: str) -> str:
        if place in form.quoted:
            return text  # a name or a user's own words
        # A single word is a name, too, even if it is one of Lull's own words elsewhere.
        said = self.found(text) if " " in text else None
        return said or self._numbers.local(form.english, place, text)

    @cached_property
    def _forms(self) -> list[_Form]:
        """Return the known sentences that have places; those with the most text of their own come
        first.
        """
        found = [
            _Form(english, said)
            for english, said in self._sentences.items()
            if said and "%" in english and _own_words(english) >= LEAST_WORDS
        ]
        return sorted(found, key=lambda one: -one.length)

    @cached_property
    def _introductions(self) -> list[_Form]:
        """Return the known forms that name a place before another sentence, those with the most
        text first.
        """
        known = ((one, said) for one, said in self._sentences.items() if said and introduces(one))
        found = [_Form(one, said) for one, said in known]
        return sorted(found, key=lambda one: -one.length)


def _surely_about(form: _Form, parts: Mapping[str, str]) -> bool:
    """Whether the texts that fill an introduction's places can be Lull's: others write "x: y", too.

    Behind a path, a file's name or a key, any known text of several words is Lull's; behind another
    word a longer one, and behind several words, such as a calendar's name, a long whole sentence.
    """
    about = dict(parts)
    rest = about.pop(form.last_place)
    if all(_is_path_or_key(part) for part in about.values()):
        return " " in rest
    if len(rest.split()) <= NAME_WORDS:
        return False
    one_word = not any(" " in part for part in about.values())
    return one_word or (rest[0].isupper() and rest[-1] == ".")


def _is_path_or_key(text: str) -> bool:
    """Whether a text looks like a path, a file's name, a setting's key or the number of a line."""
    if _WHOLE_PATH.match(text):
        return True  # such as "/Users/me/Library/Application Support/Lull"
    return text.isdigit() or (len(text.split()) == 1 and _IN_NAMES.search(text) is not None)


_WHOLE_PATH: Final = re.compile(r"/|[A-Za-z]:[\\/]")
_IN_NAMES: Final = re.compile(r"[\w\]][./\\_]\w")


def introduces(form: str) -> bool:
    """Whether a sentence with placeholders (`%1`) has hardly any words of its own and only says
    what the text in its last placeholder is about, such as "%1, line %2: %3".
    """
    places = PLACE.findall(form)
    about = len(places) >= 2 and form.removesuffix(".").endswith(f": %{places[-1]}")
    return about and _own_words(form) < LEAST_WORDS


class NumberFormat:
    """Rewrites the numbers that are inserted for placeholders (`%1`) in English sentences as
    another language writes them.
    """

    def __init__(
        self, decimals: Mapping[str, frozenset[str]], local_number: Callable[[str], str]
    ) -> None:
        """`decimals` has, for each English sentence with such places, those in which the service
        writes a number that may have decimals; elsewhere "1.5" may be a version.

        `local_number` rewrites one English number.
        """
        self._decimals = decimals
        self._local_number = local_number

    def local(self, english: str, place: str, text: str) -> str:
        """Return the text to insert for a placeholder (`%1`) of a sentence, with its numbers
        written as in the window's language.
        """
        if not _ONLY_NUMBERS.fullmatch(text):
            return text
        decimal = place in self._decimals.get(english, ())
        number = _ANY_NUMBER if decimal else _SURE_NUMBER
        return number.sub(lambda m: self._local_number(m[0]), text)


_ONLY_NUMBERS: Final = re.compile(r"[\d.,%()–−+ =n]*\d[\d.,%()–−+ =n]*")
"""What a place is filled with that holds nothing but numbers, such as "70% (60%–80%, n = 20)"."""
_SURE_NUMBER: Final = re.compile(
    r"(?<![\d.,])(?:\d+(?:\.\d+)?%|\d{1,3}(?:,\d{3})+)(?![\d%]|[.,]\d)"
)
_ANY_NUMBER: Final = re.compile(
    r"(?<![\d.,])(?:\d+(?:\.\d+)?%|\d{1,3}(?:,\d{3})+|\d+\.\d+)(?![\d%]|[.,]\d)"
)


class CheckTranslator:
    """Translates sentences that say what a check demands of an answer: "The answer must …"."""

    def __init__(self, pieces: Mapping[str, str]) -> None:
        """`pieces` are the beginnings ("The answer must %1."), what follows them, and single words,
        each with its translation.
        """
        self._frames = [_Form(one, said) for one, said in pieces.items() if _FRAME.search(one)]
        # The longer first, so that "must not" is not taken for "must".
        self._frames.sort(key=lambda one: -one.length)
        self._words = {one: said for one, said in pieces.items() if said}
        asked = [one for one in self._words if "%" in one and not _FRAME.search(one)]
        self._asked = sorted((_Form(one, self._words[one]) for one in asked), key=_shorter)

    def found(self, text: str) -> str | None:
        """Return the translation of a sentence that says what a check demands of an answer ("The
        answer must …"); None for any other text. What stands in quotation marks stays as it is.
        """
        for frame in self._frames:
            if (parts := frame.parts_of(text)) is not None and frame.said:
                asked = self._what_it_asks(parts["1"])
                return frame.said.replace("%1", asked) if asked is not None else None
        return None

    def _what_it_asks(self, text: str) -> str | None:
        if said := self._words.get(text):
            return said
        for form in self._asked:
            if (parts := form.parts_of(text)) is not None:
                words = {place: self._words.get(part, part) for place, part in parts.items()}
                words |= {place: parts[place] for place in form.quoted}
                return PLACE.sub(lambda m: words[m[1]], form.said)  # noqa: B023
        return None


_FRAME: Final = re.compile(r" must(?: not)? %1\.$")
_QUOTED: Final = re.compile(r"(?<=[“'\"])%([1-9])(?=[”'\"])")


def _shorter(form: _Form) -> int:
    return -form.length


class _Form:
    """An English sentence with places (`%1`), matched without a regular expression: compiling
    hundreds of them would delay the window.
    """

    __slots__ = (
        "_between",
        "_first",
        "_last",
        "_places",
        "english",
        "last_place",
        "length",
        "quoted",
        "said",
        "words",
    )

    def __init__(self, english: str, said: str) -> None:
        self.english, self.said = english, said
        self._places = PLACE.findall(english)
        self.words = _own_words(english)
        self.quoted = frozenset(_QUOTED.findall(english))
        """The places within quotation marks: a name or somebody's words stand there."""
        self.last_place = self._places[-1] if self._places else ""
        self._first, *self._between = PLACE.split(english)[::2]
        self._last = self._between.pop() if self._between else ""
        self.length = len(self._first) + len(self._last) + sum(map(len, self._between))

    def parts_of(self, text: str) -> dict[str, str] | None:
        """Return the texts that fill the sentence's places in this text; None if the text does not
        match.
        """
        end = len(text) - len(self._last)
        at = len(self._first)
        if at > end or not (text.startswith(self._first) and text.endswith(self._last)):
            return None
        parts = []
        for piece in self._between:
            to = text.find(piece, at, end)
            if to < 0:
                return None
            parts.append(text[at:to])
            at = to + len(piece)
        return dict(zip(self._places, [*parts, text[at:end]], strict=True))


def _own_words(text: str) -> int:
    return len(re.findall(r"[A-Za-z]{2,}", PLACE.sub(" ", text)))
