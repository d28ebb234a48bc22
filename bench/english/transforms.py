"""Programs that change an answer so that it keeps a rule, one function for each family of rules.

Each takes an answer and the rule's value ("" where it has none) and returns the changed answer, or
"" where it cannot. Whether the rule is then kept is for the check catalogue to say, never for them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from lull.core.checks.text import ITEM, plain_line, sentences, units

EMOJI: Final = tuple("😊🌟👍🎉✨🌱📚🔥💡🌈")
_WEAK_ENDS: Final = (
    "a an the and or but of to in on at for with by from as is are was were that which your our my"
    " its their this these it you be can will not"
)
_WEAK: Final = frozenset(_WEAK_ENDS.split())
SYNONYMS: Final[Mapping[str, str]] = {
    "important": "essential", "also": "too", "many": "several", "example": "instance",
    "however": "still", "great": "fine", "people": "folks", "best": "finest", "make": "prepare",
    "help": "support", "time": "moment", "use": "take", "good": "fine", "like": "such as",
}  # fmt: skip
"""By word that a rule forbids: the word that stands in its place."""
_SIGNS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "comma": ((r"(\d),(\d)", r"\1\2"), (r"\s*,", "")),
    "exclamation mark": ((r"!+", "."),),
    "question mark": ((r"\?+", "."),),
    "parenthesis": ((r"[()]", ""),),
    "hyphen": ((r"(?<=\w)-(?=\w)", " "),),
    "colon": ((r":(\d)", r".\1"), (r":(?=\s*\n)", "."), (r":", ",")),
    "apostrophe": ((r"['’](?=s\b)", ""), (r"['’]", "")),
    "semicolon": ((r";", ","),),
    "digit": ((r"\d+[.)]?\s?", ""),),
    "quotation mark": ((r"[\"“”„«»]", ""),),
}
"""By forbidden sign: what is replaced by what."""


def told(answer: str) -> list[str]:
    """Return the whole sentences of an answer as plain text; fragments and broken ends are left
    out.
    """
    found = []
    for unit in units(answer):
        if unit.heading:
            continue
        for one in sentences(unit.text):
            text = re.sub(r"[*#`_]+", "", one).strip(' -–•"')
            text = re.sub(r"^\d{1,2}[.)]\s*", "", text)
            if re.search(r"[.!?]$", text) and len(text.split()) > 1:
                found.append(text[0].upper() + text[1:])
    return found


def tidied(answer: str, *, ended: bool) -> str:
    """Return an answer in its own form, without an end that was cut off."""
    text = answer.strip()
    if not ended:
        stop = max(text.rfind(sign) for sign in (". ", ".\n", "!\n", "! ", "?\n", "? "))
        text = text[: stop + 1] if stop > 0 else text
    # a list's next number, or a mark of emphasis whose partner is gone
    text = re.sub(r"\n\s*(?:\d{1,2}[.)]|[-*•])\s*$", "", text).strip()
    return text if text.count("**") % 2 == 0 else text.replace("**", "")


def ends(answer: str, value: str) -> str:
    line = len(value.split()) > 1 or ITEM.match(answer.splitlines()[-1])
    return f"{answer}\n{value}" if line else f"{answer} {value}"


def starts(answer: str, value: str) -> str:
    return f"{value}\n{answer}" if ITEM.match(answer) else f"{value} {answer}"


def contains(answer: str, value: str) -> str:
    return f"{answer} {value[0].upper()}{value[1:]}."


def sentence_count(answer: str, value: str) -> str:
    found = told(answer)
    return " ".join(found[: int(value)]) if len(found) >= int(value) else ""


def fewer_words(answer: str, value: str) -> str:
    """Keep whole sentences, or a shortened first one, with fewer than `value` words."""
    most, kept = int(value) - 1, list[str]()
    found = told(answer)
    for one in found:
        if len(" ".join((*kept, one)).split()) > most:
            break
        kept.append(one)
    if kept or not found:
        return " ".join(kept)
    words = _to_a_comma(found[0].split()[:most])
    while words and (words[-1].lower().strip(",;:") in _WEAK or len(words[-1]) < 2):
        words.pop()
    return " ".join(words).rstrip(",;:") + "." if len(words) > 2 else ""


def _to_a_comma(words: list[str]) -> list[str]:
    """Cut at the last comma of the second half, where a clause ends."""
    places = [n for n, word in enumerate(words) if word.endswith((",", ";", ":"))]
    return words[: places[-1] + 1] if places and places[-1] >= len(words) // 2 else words


def line_count(answer: str, value: str) -> str:
    found = told(answer)
    return "\n".join(found[: int(value)]) if len(found) >= int(value) else ""


def bullets(answer: str, value: str) -> str:
    found = told(answer)
    return "\n".join(f"- {one}" for one in found) if len(found) > 1 else ""


def numbered(answer: str, value: str) -> str:
    found = told(answer)
    return "\n".join(f"{n}. {one}" for n, one in enumerate(found, 1)) if len(found) > 1 else ""


def no_lists(answer: str, value: str) -> str:
    return " ".join(told(answer))


def lower(answer: str, value: str) -> str:
    return answer.lower()


def upper(answer: str, value: str) -> str:
    return answer.upper()


def no_sign(answer: str, value: str) -> str:
    for pattern, instead in _SIGNS[value]:
        answer = re.sub(pattern, instead, answer)
    return re.sub(r" +", " ", answer).strip()


def not_contains(answer: str, value: str) -> str:
    def instead(found: re.Match[str]) -> str:
        new = SYNONYMS[value.lower()]
        return new.capitalize() if found[0][0].isupper() else new

    if not re.search(rf"\b{value}\b", answer, re.IGNORECASE):
        return ""
    return re.sub(rf"\b{value}\b", instead, answer, flags=re.IGNORECASE)


def no_bold(answer: str, value: str) -> str:
    return re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", answer)


def emoji(answer: str, value: str) -> str:
    sign = EMOJI[sum(answer.encode()) % len(EMOJI)]
    return f"{sign} {answer}" if value == "start" else f"{answer} {sign}"


def as_json(answer: str, value: str) -> str:
    """Return the plain text as an object with one key."""
    text = " ".join(plain_line(line) for line in answer.splitlines() if line.strip())
    return json.dumps({value or "answer": text}, ensure_ascii=False)
