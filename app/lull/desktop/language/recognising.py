"""Recognises sentences of the service by their English wording, where they come without a code:
those of errors, and those that were stored by an earlier version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Final

PLACE: Final = re.compile(r"%([1-9])")
LEAST_WORDS: Final = 2
"""Words that a sentence with places needs beside them; with fewer it would fit almost anything."""


class Recognised:
    """The sentences of the service that a language knows, by their English wording."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self._sentences = sentences
        self.found = lru_cache(maxsize=1_024)(self._found)

    def _found(self, text: str) -> str | None:
        """Return a sentence of the service in this language; None for one that is not known.

        What stands in a place may itself be such a sentence.
        """
        if said := self._sentences.get(text):
            return said
        for form, said in self._forms:
            if match := form.fullmatch(text):
                parts = match.groupdict()
                return PLACE.sub(lambda m: self._part(parts[f"p{m[1]}"]), said)  # noqa: B023
        return None

    def _part(self, text: str) -> str:
        return self.found(text) or text

    @cached_property
    def _forms(self) -> list[tuple[re.Pattern[str], str]]:
        """The sentences with places; those with the most words of their own come first."""
        found = [
            (english, said)
            for english, said in self._sentences.items()
            if PLACE.search(english) and said and _own_words(english) >= LEAST_WORDS
        ]
        found.sort(key=lambda one: -len(PLACE.sub("", one[0])))
        return [(_form(english), said) for english, said in found]


def _own_words(text: str) -> int:
    return len(re.findall(r"[A-Za-z]{2,}", PLACE.sub(" ", text)))


def _form(text: str) -> re.Pattern[str]:
    form, seen = "", set[str]()
    for number, part in enumerate(PLACE.split(text)):
        if number % 2 == 0:
            form += re.escape(part)
        elif part in seen:
            form += f"(?P=p{part})"
        else:
            form += f"(?P<p{part}>.*?)"
            seen.add(part)
    return re.compile(form, re.DOTALL)
