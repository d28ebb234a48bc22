"""Finds hidden and look-alike characters in a text, and removes them.

A poisoned text may contain words that a person cannot see (zero-width and tag characters), sees in
another order (bidirectional controls) or mistakes for others (Cyrillic letters inside a Latin
word). `normalised_text` returns what a model would read; the other functions list what a person
would not notice. Whether any of it is allowed is decided elsewhere.

Sources: Unicode UAX #9 (bidirectional controls), UTS #39 (confusables), UTS #51 (emoji sequences).
"""

from __future__ import annotations

import re
import unicodedata

_TAGS = range(0xE0020, 0xE007F)
_UNSEEN = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)}
_UNSEEN |= {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0xE0000, 0xE0080)}
_BIDI = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_MARKS = {0x061C, 0x200E, 0x200F}
_JOINERS = {0x200C, 0x200D}
_JOINED = re.compile(r"[\u0590-\u08ff\u0900-\u109f\u1780-\u17ff\ufb1d-\ufdff\ufe70-\ufefc]")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_SELECTED = re.compile(r"[\u00a9\u00ae\u203c-\u3299#*0-9]|[\U0001f000-\U0001faff]")
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{3,6}\U000e007f")

_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝӏвкмнтАВЕКМНОРСТУХІЈЅαοορνιυκΑΒΕΖΗΙΚΜΝΟΡΤΥΧɑɡıաօսո",
    "aeopcyxijsdhqwlbkmhtABEKMHOPCTYXIJSaoopviukABEZHIKMNOPTYXagiaoun",
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_FEIGNED = re.compile("[" + "".join(map(chr, _LOOKALIKES)) + "]")


def normalised_text(text: str) -> str:
    """Return the text as a model reads it, without hidden or look-alike characters.

    Compatibility forms are folded (NFKC) and tag characters become the ASCII they stand for.
    """
    if text.isascii():
        return text
    text = "".join(chr(ord(c) - 0xE0000) if ord(c) in _TAGS else c for c in text)
    text = unicodedata.normalize("NFKC", text)
    text = "".join(c for c in text if not _unseen(c))
    return _WORD.sub(lambda match: _honest(match.group()), text)


def _unseen(char: str) -> bool:
    return ord(char) in _UNSEEN or unicodedata.category(char) in ("Cf", "Co", "Cs")


def _honest(word: str) -> str:
    return word.translate(_LOOKALIKES) if _mixed(word) else word


def _mixed(word: str) -> bool:
    return bool(not word.isascii() and _LATIN.search(word) and _FEIGNED.search(word))


def without_lookalikes(text: str) -> str:
    """Return the text with Latin letters in the place of look-alikes, also in words that consist of
    these alone, if no other word of the text shows that they are words of their script.
    """
    if text.isascii():
        return text
    feigned = _feigned_words(text)
    return _WORD.sub(
        lambda m: m.group().translate(_LOOKALIKES) if m.group() in feigned else m.group(), text
    )


def _feigned_words(text: str) -> dict[str, None]:
    """The words with look-alike letters beside Latin ones, and those of look-alike letters alone in
    a text that is otherwise written in Latin.
    """
    words = dict.fromkeys(_WORD.findall(text))
    latin = any(_LATIN.match(word) for word in words)
    alone = [word for word in words if all(map(_FEIGNED.match, word))]
    own = {_script(word) for word in words if word not in alone and not _LATIN.search(word)}
    feigned = {word for word in alone if latin and _script(word) not in own}
    return {word: None for word in words if word in feigned or _mixed(word)}


def _script(word: str) -> str:
    return unicodedata.name(word[0], "").split(" ")[0]


def unaccented(text: str) -> str:
    """Return the text without accents on Latin letters; in other scripts a mark is part of a letter
    and stays.
    """
    if text.isascii():
        return text
    out, latin = [], False
    for char in unicodedata.normalize("NFKD", text):
        if unicodedata.combining(char):
            if latin:
                continue
        else:
            latin = bool(_LATIN.match(char))
        out.append(char)
    return unicodedata.normalize("NFC", "".join(out))


def hidden_characters(text: str) -> tuple[str, ...]:
    """Return the invisible characters of a text, such as `U+200B`, each once.

    Characters that a script or an emoji needs are not reported: joiners between Arabic or Indic
    letters or emoji, direction marks in right-to-left text, a selector after an emoji, zero-width
    spaces in scripts without spaces.
    """
    text = _FLAG.sub("", text)
    found = [
        char
        for i, char in enumerate(text)
        if (_unseen(char) or _control(char)) and not _needed(text, i)
    ]
    return tuple(dict.fromkeys(f"U+{ord(char):04X}" for char in found))


def _control(char: str) -> bool:
    return unicodedata.category(char) == "Cc" and char not in "\n\t\r"


def _needed(text: str, at: int) -> bool:
    code, before = ord(text[at]), text[max(0, at - 3) : at]
    around = before[-1:] + text[at + 1 : at + 2]
    if code in _JOINERS:
        emoji = any(
            ord(c) > 0x1F000 or 0x2600 <= ord(c) < 0x2800 or ord(c) == 0xFE0F for c in around
        )
        return bool(_JOINED.search(around)) or (code == 0x200D and emoji)
    if code in (0xFE0E, 0xFE0F):
        return bool(before and _SELECTED.match(before[-1]))
    if code in _MARKS:
        return bool(_RIGHT_TO_LEFT.search(text))
    if code == 0x200B:
        return bool(_UNSPACED.search(around))
    return code == 0x00AD and len(around) == 2 and around.isalpha()


def has_bidi_controls(text: str) -> bool:
    """Return whether a text has characters that change the direction in which it is shown."""
    return any(ord(c) in _BIDI - _MARKS for c in text)


def lookalike_words(text: str) -> tuple[str, ...]:
    """Return the words that mix Latin letters with look-alikes from another script."""
    plain = unicodedata.normalize("NFKC", text)
    return tuple(dict.fromkeys(word for word in _WORD.findall(plain) if _mixed(word)))
