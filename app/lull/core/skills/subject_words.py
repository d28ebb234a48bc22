"""Decides which words of a text say what it is about, and which texts are small talk.

Skills are found and compared by these subject words. Words in a list of stop words have no subject
of their own; the list is English, with a few greetings of other languages.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

# Words without a subject. Requests of nothing else are small talk.
_STOP = frozenset(
    """
    a about above after again all also am an and any anything are as asks at be because been
    before being below between both but by bye can ciao come could day did do does doing don
    done down during each evening everything few fine for from further get give go good got
    great had hallo has have having he hello help her here hers hey hi him his hola how i if in
    into is it its just know let like make many may me might mine more morning most much must my
    need nice night no nor not now of off ok okay on once one only or other our ours out over
    own please question say see shall she should show so some something such sure talk tell than
    thank thanks that the their theirs them then there these they thing this those through thx
    to too up us use used user using very want was way we welcome well were what when whenever
    where which while who whom why will with would write yeah yes you your yours
    """.split()  # noqa: SIM905  a page of quotes would be harder to read
)
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


_LONGEST_CACHED_WORD = 40
"""Most letters of a word that is cached; longer runs are no words."""
_LONGEST_CACHED_TEXT = 4_000
"""Most characters of a text whose subject words are cached."""


def terms(text: str) -> list[str]:
    """Return the subject words of a text (those that say what it is about), in lower case and
    lightly stemmed; for scripts without spaces, pairs of characters.
    """
    return list(_terms(text))


# The word index and the exemplar memory ask for the same text in succession, in several ways.
@lru_cache(maxsize=1)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower()))


@lru_cache(maxsize=1)
def _terms(text: str) -> tuple[str, ...]:
    out: list[str] = []
    for word in _words(text):
        out += _known_word(word) if len(word) <= _LONGEST_CACHED_WORD else _word(word)
    return tuple(out)


def stop_words(text: str) -> list[str]:
    """Return the stop words of a text (words that do not say what it is about, such as "for"), in
    lower case and lightly stemmed. They show how the text's other words are related, as in "for
    someone else".
    """
    words = [word for word in _words(text) if len(word) <= _LONGEST_CACHED_WORD]
    return [found for word in words if (found := _known_beside(word))]


@lru_cache(maxsize=20_000)
def _known_beside(word: str) -> str:
    """Return a function word (such as "the") as it is indexed; "" for a word that has a subject."""
    plain = _plain(word)
    return stem(plain) if plain in _STOP else ""


def _plain(word: str) -> str:
    return word.replace("’", "'").partition("'")[0]


def stemmed_words(text: str) -> list[str]:
    """Return all words of a text, in lower case and lightly stemmed, with every digit as 0. Stop
    words are included, because they distinguish a question from a task.
    """
    return [
        _known_stem(word) if len(word) <= _LONGEST_CACHED_WORD else _stem_of(word)
        for word in _words(text)
    ]


def _stem_of(word: str) -> str:
    return stem(_DIGIT.sub("0", word.replace("’", "'")))


_known_stem = lru_cache(maxsize=20_000)(_stem_of)


def _word(word: str) -> tuple[str, ...]:
    if _CJK.search(word):
        return tuple(word[i : i + 2] for i in range(max(1, len(word) - 1)))
    plain = _plain(word)
    return (stem(plain),) if len(plain) > 1 and plain not in _STOP else ()


# The same few thousand words recur.
_known_word = lru_cache(maxsize=20_000)(_word)


_SPEAKERS = frozenset(
    """
    i i'm i'll i'd i've you you're we we're we'll it it's that's he she they
    """.split()  # noqa: SIM905
)
_TASKS = frozenset(
    """
    add answer build calculate change check clean code compare convert count create delete describe
    design draft edit explain extract fill find fix format generate give implement list make move
    name outline parse plan prepare print produce proofread put read refactor remove rename rephrase
    replace reply review rewrite run save schedule send set shorten show sort split spell summarise
    summarize test tell translate turn update use verify write
    """.split()  # noqa: SIM905
)
_ASKING = frozenset(("what", "which", "when", "where", "who", "why", "how", "can", "could"))
ASIDE_WORDS = 6
ASIDE_TERMS = 2


def is_aside(text: str) -> bool:
    """Whether the text is a short remark that needs no skill, as between people ("I'm off to
    lunch"): few words, hardly a subject, a personal pronoun, and no task.
    """
    return _known_aside(text) if len(text) <= _LONGEST_CACHED_TEXT else _aside(text)


def _aside(text: str) -> bool:
    found = islice(_WORD.finditer(text), ASIDE_WORDS + 1)  # a request may be a whole book
    words = [word.group().lower().replace("’", "'") for word in found]
    if len(words) > ASIDE_WORDS or not _SPEAKERS.intersection(words):
        return False
    wants = _TASKS.intersection(words) or words[0] in _ASKING
    return not wants and len(set(terms(text))) <= ASIDE_TERMS


# Each retriever asks about the same request in succession.
_known_aside = lru_cache(maxsize=1)(_aside)


def one_word_suffices(text: str, *, subjects: int) -> bool:
    """Whether one matching word is enough to decide what a request is about: the request names a
    task, or has hardly any other subject words. `subjects` is the number of its subject words.
    """
    if subjects <= ASIDE_TERMS:
        return True
    words = _words(text)
    return words[0] in _ASKING or not _TASKS.isdisjoint(words)


def says_little(text: str) -> bool:
    """Whether the text has too few subject words to tell what it asks for, and names no task."""
    if len(set(terms(text))) > ASIDE_TERMS:
        return False
    return not any(word.group().lower() in _TASKS for word in _WORD.finditer(text))


def stem(word: str) -> str:
    """Return the word without plural and verb endings (after Harman's S stemmer, 1991, with -ing
    and -ed).

    Words that only look like a plural ("status") lose their s too: what matters is that spellings
    of one word agree, such as "menus" and "menu".
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            word = word[: -len(ending)]
            return word[:-1] if len(word) > 2 and word[-1] == word[-2] != "l" else word
    return word[:-1] if len(word) > 4 and word.endswith("e") else word
