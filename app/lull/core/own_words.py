"""Which words of a message are the user's own, cut into sentences and clauses.

People paste: code, mails, error lines, a sentence to translate. What is pasted may say "that's
wrong" about anything, so it is taken out before a message is read. This file decides what is
pasted and how words are brought to one spelling; what the words mean is `corrections`' business.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

QUOTED = "qq"
"""Stands where quoted words stood: a sentence keeps its shape without them."""

_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_CITED_LINE = re.compile(r"^[ \t]*(?:>|\|\s).*$", re.MULTILINE)
_TRACE_LINE = re.compile(
    r"^(?:Traceback \(most recent|[^\S\n]+(?:File \".*line \d|at \S+\()"
    r"|[+-]{3} [ab]/|@@ |diff --git).*$",
    re.MULTILINE,
)
_QUOTES = re.compile(
    r"`[^`\n]{1,400}`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»"
    r"|(?<![\w'])'(?=\S)[^\n]{1,400}?(?<=\S)'(?![\w'])|‘[^’\n]{1,400}’(?!\w)"
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+|(?<=[.!?])(?=[A-Z¿¡])")
_CLAUSE_END = re.compile(
    r"[,;:]+\s+|[,;:]+$|\s+[-–—]+\s+|—|\s*\((?=\w)|\)\s*"
    r"|\s+(?=(?:but|however|though|although|because|aber|pero|mais)\b)"
    r"|\s+(?=(?:and|und|y|et) (?:you|got|get|nothing|it|it'?s|that'?s|this|the|i|they|du|das)\b)",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"\s{2,}")
_JOINER = "\u2060"
_STRETCHED = re.compile(r"([a-z])\1{2,}")
_SPOKEN_SIGNS = (("👍", " thanks. "), ("🙏", " thanks. "), ("❤️", " thanks. "), ("👎", " wrong. "))
_ELISIONS = (
    ("can't", "can not"),
    ("won't", "will not"),
    ("n't", " not"),
    ("'re", " are"),
    ("'ve", " have"),
    ("'ll", " will"),
    ("i'm", "i am"),
    ("i'd", "i would"),
    ("let's", "let us"),
)
_SHORTHAND = {
    "u": "you",
    "ur": "your",
    "youre": "you are",
    "youve": "you have",
    "pls": "please",
    "plz": "please",
    "plse": "please",
    "pleas": "please",
    "thx": "thanks",
    "thnx": "thanks",
    "tnx": "thanks",
    "tks": "thanks",
    "ty": "thank you",
    "tysm": "thank you",
    "thankyou": "thank you",
    "im": "i am",
    "ive": "i have",
    "id": "i would",
    "its": "it is",
    "thats": "that is",
    "thatll": "that will",
    "itll": "it will",
    "theyre": "they are",
    "theres": "there is",
    "wheres": "where is",
    "whats": "what is",
    "hows": "how is",
    "whys": "why is",
    "nah": "no",
    "naw": "no",
    "nop": "no",
    "nope": "no",
    "noo": "no",
    "nooo": "no",
    "yr": "your",
    "cuz": "because",
    "bc": "because",
    "tho": "though",
    "bt": "but",
    "wasnt": "was not",
    "isnt": "is not",
    "arent": "are not",
    "werent": "were not",
    "doesnt": "does not",
    "dosent": "does not",
    "doesn": "does not",
    "dont": "do not",
    "didnt": "did not",
    "havent": "have not",
    "hasnt": "has not",
    "wont": "will not",
    "cant": "can not",
    "cannot": "can not",
    "shouldnt": "should not",
    "wouldnt": "would not",
    "couldnt": "could not",
    "aint": "is not",
    "nvm": "never mind",
    "nevermind": "never mind",
    "agin": "again",
    "agn": "again",
    "wrng": "wrong",
    "wron": "wrong",
    "rong": "wrong",
    "incorect": "incorrect",
    "mispelled": "misspelled",
    "forgott": "forgot",
    "alot": "a lot",
    "dnt": "do not",
    "gimme": "give me",
    "lemme": "let me",
    "wanna": "want to",
    "gonna": "going to",
    "ya": "you",
    "nevre": "never",
    "neevr": "never",
    "graet": "great",
    "yall": "you",
    "stil": "still",
    "allways": "always",
    "nxt": "next",
}
"""Spoken contractions written out, with the apostrophe gone, and what people type in haste."""
_OFTEN_MISTYPED = (
    "wrong",
    "again",
    "always",
    "still",
    "please",
    "thanks",
    "forgot",
    "missed",
    "meant",
    "asked",
    "instead",
    "incorrect",
    "missing",
    "broken",
    "perfect",
    "dashes",
    "answer",
    "should",
    "wanted",
    "that",
    "what",
    "the",
    "not",
    "with",
    "without",
    "told",
    "works",
)
_BY_LETTERS = {(word[0], "".join(sorted(word))): word for word in _OFTEN_MISTYPED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    text: str
    """As the user wrote it, quotes and all."""
    clauses: tuple[str, ...]
    """In one spelling (see `plain`), empty ones left out."""
    asked: bool
    """It ends with a question mark."""

    @property
    def words(self) -> str:
        return " ".join(self.clauses)


def own_words(text: str) -> str:
    """The text without fenced code, cited lines and traces; quotes stay where they are."""
    for pasted in (_FENCE, _CITED_LINE, _TRACE_LINE):
        text = pasted.sub("\n", text)
    return text.strip()


def without_quotes(text: str) -> str:
    """Quoted spans replaced by a stand-in word."""
    return _QUOTES.sub(f" {QUOTED} ", text)


def sentences(text: str) -> tuple[Sentence, ...]:
    """The own words of a message, oldest first."""
    spoken = own_words(text)
    for sign, words in _SPOKEN_SIGNS:
        spoken = spoken.replace(sign, words)
    parts = (part.strip() for part in _SENTENCE_END.split(_quotes_kept_whole(spoken)))
    return tuple(_sentence(part) for part in parts if any(c.isalnum() for c in part))


def _quotes_kept_whole(text: str) -> str:
    """A full stop inside a quotation ends no sentence."""
    return _QUOTES.sub(lambda found: re.sub(r"([.!?…])", rf"\1{_JOINER}", found[0]), text)


def _sentence(text: str) -> Sentence:
    # Columns of blanks must not be tried at every blank.
    bare = _BLANKS.sub(" ", without_quotes(text))
    clauses = (plain(clause) for clause in _CLAUSE_END.split(bare))
    return Sentence(
        text=text.replace(_JOINER, ""),
        clauses=tuple(clause for clause in clauses if clause),
        asked=bare.rstrip(" )\"'!*_").endswith("?"),
    )


def plain(text: str) -> str:
    """One spelling: lower case, no accents, no signs, contractions written out, haste mended."""
    text = text.lower().replace("’", "'").replace("ß", "ss")
    for short, long in _ELISIONS:
        text = text.replace(short, long)
    decomposed = unicodedata.normalize("NFKD", text.replace("'", ""))
    text = "".join(c for c in decomposed if not unicodedata.combining(c))
    text = _STRETCHED.sub(r"\1", text)
    return " ".join(_mended(word) for word in re.findall(r"[\w%+#/.&-]*\w[%+#]*", text))


def _mended(word: str) -> str:
    """A cue word whose letters are only in disorder is put right: "worng", "agian"."""
    if word in _SHORTHAND:
        return _SHORTHAND[word]
    return _BY_LETTERS.get((word[:1], "".join(sorted(word))), word)
