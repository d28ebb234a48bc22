"""What a sentence is about, whatever words it says it in: sentences, word runs, subjects, names.

Taint, likeness and grouping compare texts by these. Words that mean the same in an instruction
fall into one class (core/meanings.py); words that only glue an instruction together ("always",
"please") count for nothing. Which share of likeness means what is decided by
those who compare.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from lull.core.characters import unaccented
from lull.core.meanings import GLUE, MEANINGS
from lull.core.retrieval import stem, terms

WEAK = 0.4
"""What a word of a broad class weighs: nearly every instruction says, answers or names a user."""
_BROAD = frozenset(
    {"say", "answer", "user", "begin", "end", "rule", "keep", "hide", "check", "send"}
)


def root(word: str) -> str:
    """The stem, with the -ing of short words off too ("asking", "saying")."""
    short = stem(word)
    return short[:-3] if len(short) >= 6 and short.endswith("ing") else short


def _classes() -> Mapping[str, str]:
    out: dict[str, str] = {}
    for line in re.sub(r"\n ", " ", MEANINGS).strip().splitlines():
        name, words = line.split(":")
        for word in (name, *words.split()):
            for term in (stem(word), root(word), *(terms(word) if not word.isascii() else ())):
                out.setdefault(term, name)
    return out


_CLASS_OF = _classes()
_GLUED = frozenset(stem(word) for word in GLUE.split()) | frozenset(GLUE.split())
_SENTENCE_END = re.compile(r"(?<=[.!?;…])[\"'”’»)\]]{0,3}\s+|(?<=[。！？；])|\n+|\s[–—]\s")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|z\.b|d\.h|p\.ej|etc|vs|bzw|mr|mrs|dr|no|nr|ca)\.)$", re.I
)
_WRAPPED = re.compile(r"(?<=[^\W_][,;:]|[^\W_]{2})[ \t]*\n[ \t]*(?=[^\W_])")
_MARKED = re.compile(r"^\s*(?:[-*+•>#|]+|\(?\d{1,3}[.)]|\[[ x]\])\s+", re.I)
_DRESS = re.compile(r"[*_~`]{1,3}")
_LINKED = re.compile(r"\[([^\]\n]{0,200})\]\((\S{0,500}?)\)")
_WORDS = re.compile(r"[^\W_]+(?:['’.@:/-][^\W_]+)*")
_CJK = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])")
_NAME = re.compile(
    r"https?://\S{1,500}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
    r"|(?<![\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.[a-z]{2,24}\b|"
    r"\b[^\W\d_]{1,40}[A-Z]\w{0,40}\b"
    r"|\b[A-Z]{2,}\w{0,40}\b|\b\w{0,40}?\d\w{2,40}\b|\b\w{2,40}?\d\w{0,40}\b|"
    r"\b[A-Z][^\W\d_]{2,40}\b"
)
_ENDINGS = (
    "ations",
    "ation",
    "ically",
    "ally",
    "ical",
    "ions",
    "ion",
    "ment",
    "est",
    "ly",
    "al",
    "er",
)
_GERMAN = re.compile(r"(?i)\b(?:der|die|das|und|nicht|immer|bitte|ist|ein|eine|mit|für|niemals)\b")
_FAMILIAR = frozenset(
    """
    the this that these those when where while what who how why and but also always never use
    using please note important remember answer user english german french spanish chinese
    italian japanese markdown html css json yaml xml csv sql python javascript typescript java
    rust bash linux windows macos pdf url api iso utf ascii unicode latex monday tuesday
    wednesday thursday friday saturday sunday january february march april may june july august
    september october november december europe european american british celsius fahrenheit euro
    dollar one two three not yes for with all any if in on at to from by of or no ok do ai llm
    faq todo
    """.split()  # noqa: SIM905
)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, list items and lines too, without their bullets."""
    parts: list[str] = []
    for piece in _SENTENCE_END.split("\n".join(_MARKED.sub("", s) for s in text.split("\n"))):
        if parts and _ABBREVIATED.search(parts[-1]) and piece:
            parts[-1] = f"{parts[-1]} {piece}"
        elif piece and piece.strip():
            parts.append(piece.strip())
    stripped = (_MARKED.sub("", part).strip() for part in parts)
    return tuple(part for part in stripped if re.search(r"\w", part))


def unwrapped(text: str) -> str:
    """Lines that a mail or a page broke in the middle of a sentence put together again."""
    return _WRAPPED.sub(" ", text)


def undressed(text: str) -> str:
    """Markdown off: emphasis and code marks go, a link shows its address."""
    return _DRESS.sub("", _LINKED.sub(r"\1 \2", text))


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """For patterns: undressed, no accents on Latin letters, in small letters."""
    return unaccented(undressed(text)).casefold().replace("’", "'")


def words(text: str) -> list[str]:
    """The words in their order, folded; a sign of a script without spaces is a word."""
    return [
        part
        for word in _WORDS.findall(_CJK.sub(r" \1 ", folded(text)))
        for part in word.split("'")[:1]
    ]


def is_glue(word: str) -> bool:
    """True for a stem that only holds an instruction together."""
    return word in _GLUED


def runs(of: list[str], length: int) -> frozenset[tuple[str, ...]]:
    """The runs of `length` words."""
    return frozenset(tuple(of[i : i + length]) for i in range(len(of) - length + 1))


@lru_cache(maxsize=4096)
def subjects(text: str) -> frozenset[str]:
    """What it is about: stems of its words, one for all words of a class, no glue."""
    found = (_meaning(term) for term in terms(folded(text)))
    return frozenset(term for term in found if term not in _GLUED)


def _meaning(term: str) -> str:
    """The class of a term, or what is left of it without its ending ("calculat", "alphabetic")."""
    for form in (term, root(term)):
        if form in _CLASS_OF:
            return _CLASS_OF[form]
    for ending in _ENDINGS:
        short = term[: -len(ending)]
        if term.endswith(ending) and len(short) >= 4:
            if short in _CLASS_OF or stem(short) in _CLASS_OF:
                return _CLASS_OF.get(short) or _CLASS_OF[stem(short)]
            return short if len(short) >= 5 else term
    return term


def weight(of: Iterable[str]) -> float:
    return sum(WEAK if term in _BROAD else 1.0 for term in of)


def telling(of: Iterable[str]) -> frozenset[str]:
    """The subjects that are not of a broad class."""
    return frozenset(term for term in of if term not in _BROAD)


def covered(part: frozenset[str], whole: frozenset[str]) -> float:
    """The weighted share of `part` that `whole` has, in [0, 1]; 0 for an empty part."""
    total = weight(part)
    return weight(part & whole) / total if total else 0.0


def names(text: str) -> frozenset[str]:
    """Words that stand for one thing: addresses, numbers, capitals inside or in the middle of a
    sentence. In small letters; a capital at the very beginning says nothing."""
    shown = _CJK.sub(" ", undressed(text))
    # German writes every noun with a capital.
    plain_capitals = not _GERMAN.search(shown)
    found = set()
    for match in _NAME.finditer(shown):
        word = match.group().rstrip(".,;:!?)\"'")
        if word.isalpha() and word[1:].islower() and not (plain_capitals and match.start()):
            continue
        found.add(folded(word))
    return frozenset(name for name in found if name not in _FAMILIAR and len(name) > 1)
