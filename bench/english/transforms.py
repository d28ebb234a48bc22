"""Programs that change an answer so that it keeps a rule, one function for each family of rules.

Each takes an answer and the rule's value ("" where it has none) and returns the changed answer, or
"" where it cannot. Whether the rule is then kept is for the check catalogue to say, never for them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final

from lull.core.checks.text import ITEM, plain_line, sentences, text_blocks

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
    "very": "quite", "really": "truly", "can": "may", "first": "to begin with", "start": "begin",
    "try": "attempt", "way": "manner", "simple": "plain", "easy": "simple", "beautiful": "lovely",
    "famous": "renowned", "perfect": "ideal", "delicious": "tasty", "small": "little",
    "ensure": "see", "provide": "give", "create": "build", "various": "several",
    "different": "other", "several": "some", "because": "since", "need": "require",
    "should": "ought to", "finally": "at last", "consider": "think about", "city": "town",
}  # fmt: skip
"""By word that a rule forbids: the word that stands in its place. Where there is none, the sentence
goes."""
_SIGNS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "comma": ((r"(\d),(\d)", r"\1\2"), (r"\s*,", "")),
    "exclamation mark": ((r"!+", "."),),
    "question mark": ((r"\?+", "."),),
    "parenthesis": ((r"[()]", ""),),
    "hyphen": ((r"(?<=\w)-(?=\w)", " "),),
    "colon": ((r":(\d)", r".\1"), (r":(?=\s*\n)", "."), (r":", ",")),
    "apostrophe": ((r"['’](?=s\b)", ""), (r"['’]", "")),
    "semicolon": ((r";", ","),),
    "digit": ((r"(?m)^\s*\d+[.)]\s+", "- "),),
    "quotation mark": ((r"[\"“”„«»]", ""),),
    "asterisk": ((r"(?m)^(\s*)\*(?=\s)", r"\1-"), (r"\*+", "")),
    "bracket": ((r"[\[\]]", ""),),
    "slash": ((r"(?<=\w) ?/ ?(?=\w)", " or "),),
    "dollar sign": ((r"\$(\d[\d,.]*\d|\d)", r"\1 dollars"), (r"\$", "")),
    "percent sign": ((r"\s?%", " percent"),),
    "ampersand": ((r"\s?&\s?", " and "),),
    "em dash": ((r"\s?—\s?", ", "),),
    "ellipsis": ((r"…|\.{3,}", "."),),
}
"""By forbidden sign: what is replaced by what."""
SIGNS_LEFT_OUT: Final = tuple(_SIGNS)

_NUMBER_WORDS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_NUMBERS: Final = tuple(_NUMBER_WORDS.split())
_LONG_FORMS: Final = (
    (r"\bcan't\b", "cannot"), (r"\bwon't\b", "will not"), (r"\bshan't\b", "shall not"),
    (r"\b(\w+)n't\b", r"\1 not"), (r"\blet's\b", "let us"), (r"\b(i)'m\b", r"\1 am"),
    (r"\b(\w+)'re\b", r"\1 are"), (r"\b(\w+)'ve\b", r"\1 have"), (r"\b(\w+)'ll\b", r"\1 will"),
    (r"\b(i|you|we|they|he|she|it|that|there|who|what|this|these|those|how)'d\b", r"\1 would"),
    (r"\b(it|that|he|she|there|here|what|who|where|how|when|why|everything|something|this)'s\b",
     r"\1 is"),
    (r"\bgonna\b", "going to"), (r"\bwanna\b", "want to"), (r"\bgotta\b", "have to"),
)  # fmt: skip
_OPENING: Final = re.compile(
    r"(?:sure|certainly|of course|absolutely|definitely|hello|hi|hey|okay|thank|great|what a|that's"
    r" a|here(?:'s| is| are)|below|the following|let me|as an ai|i hope|i(?:'m| am) (?:happy|glad|"
    r"here|sorry)|i(?:'d| would) be|i (?:understand|see) |i(?:'ve| have) (?:written|made|created))"
    r"\b[^.!:\n]*(?:[.!:]+|\n|$)",
    re.IGNORECASE,
)
_QUESTIONS: Final = (
    "Would you like to hear more?", "What do you think?", "Does that fit?", "Shall I go on?",
    "Which part interests you most?", "Is there anything else?", "How does that sound?",
    "Have you tried it before?", "Do you want an example?", "What would you add?",
    "Is that what you were looking for?", "Where shall we go from here?",
)  # fmt: skip
_SMALL_WORDS: Final = (
    "the a an this that these those it there here you your we our they their he she his her my"
    " when while if in on at to for with by from as once one some many most first then next"
    " after before and but so or use make start try keep take write put"
)
_SMALL: Final = frozenset(_SMALL_WORDS.split())
"""Words that begin small where another word is put before them."""
OPENERS: Final[Mapping[str, tuple[str, ...]]] = {
    "A": ("Actually", "All right", "Again"), "B": ("Basically", "Briefly", "By the way"),
    "C": ("Clearly", "Currently", "Commonly"), "D": ("Definitely", "Dear friend", "Daily"),
    "E": ("Essentially", "Evidently", "Every day"), "F": ("Frankly", "For sure", "Fortunately"),
    "G": ("Generally", "Gladly", "Good news"), "H": ("Honestly", "Happily", "Hopefully"),
    "I": ("In short", "Indeed", "In general"), "J": ("Just so", "Joking aside"),
    "K": ("Kindly note", "Keep in mind"), "L": ("Luckily", "Let's see", "Look"),
    "M": ("Mostly", "My answer", "Maybe"), "N": ("Naturally", "Normally", "Now"),
    "O": ("Obviously", "Often", "On the whole"), "P": ("Probably", "Plainly", "Put simply"),
    "Q": ("Quite simply", "Quickly said"), "R": ("Really", "Right", "Roughly"),
    "S": ("Simply put", "Surely", "So"), "T": ("Truly", "To be frank", "Typically"),
    "U": ("Usually", "Undoubtedly"), "V": ("Very well", "Very simply"),
    "W": ("Well", "Without doubt"), "Y": ("Yes", "You see"),
}  # fmt: skip
"""Words that an answer can open with, by their first letter."""


def told(answer: str) -> list[str]:
    """Return the whole sentences of an answer as plain text; fragments and broken ends are left
    out.
    """
    found = []
    for unit in text_blocks(answer):
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
    return " ".join(kept) if kept or not found else _shortened(found[0], most)


def _shortened(sentence: str, most: int) -> str:
    """Return the first words of a sentence as one of its own, at most `most`; "" if that is bad."""
    words = _to_a_comma(sentence.split()[:most])
    while words and (words[-1].lower().strip(",;:") in _WEAK or len(words[-1]) < 2):
        words.pop()
    return " ".join(words).rstrip(",;:.") + "." if len(words) > 2 else ""


def _to_a_comma(words: list[str]) -> list[str]:
    """Cut at the last comma of the second half, where a clause ends."""
    places = [n for n, word in enumerate(words) if word.endswith((",", ";", ":"))]
    return words[: places[-1] + 1] if places and places[-1] >= len(words) // 2 else words


def short_sentences(answer: str, value: str) -> str:
    """Keep the sentences of at most `value` words, or a shortened first one."""
    found = told(answer)
    short = [one for one in found if len(one.split()) <= int(value)]
    return " ".join(short) if short or not found else _shortened(found[0], int(value))


def fewer_characters(answer: str, value: str) -> str:
    """Keep whole sentences, or a shortened first one, with at most `value` characters."""
    most, kept = int(value), ""
    found = told(answer)
    for one in found:
        if len(f"{kept} {one}".strip()) > most:
            break
        kept = f"{kept} {one}".strip()
    if kept or not found:
        return kept
    room = len(found[0][: most - 1].split()) - 1  # its last word may be cut
    return _shortened(found[0], room)


def paragraph_count(answer: str, value: str) -> str:
    """Spread the sentences over paragraphs, the first ones getting one more where they must."""
    found, count = told(answer), int(value)
    if len(found) < max(count, 2):
        return ""
    each, more = divmod(len(found), count)
    sizes = [each + (place < more) for place in range(count)]
    rest = iter(found)
    return "\n\n".join(" ".join(islice(rest, size)) for size in sizes)


def line_count(answer: str, value: str) -> str:
    """Put a sentence on each line."""
    found, count = told(answer), int(value)
    return "\n".join(found[:count]) if len(found) >= count else ""


def bullets(answer: str, value: str) -> str:
    found = told(answer)
    return "\n".join(f"- {one}" for one in found) if len(found) > 1 else ""


def bullet_count(answer: str, value: str) -> str:
    found = told(answer)[: int(value)]
    return "\n".join(f"- {one}" for one in found) if len(found) == int(value) else ""


def sentence_lines(answer: str, value: str) -> str:
    found = told(answer)
    return "\n".join(found) if len(found) > 1 else ""


def lines_start(answer: str, value: str) -> str:
    found = told(answer)
    return "\n".join(f"{value} {one}" for one in found) if len(found) > 1 else ""


def last_line(answer: str, value: str) -> str:
    """Put the last sentence on a line of its own, behind `value`."""
    found = told(answer)
    return f"{' '.join(found[:-1])}\n{value} {found[-1]}" if len(found) > 1 else ""


def title(answer: str, value: str) -> str:
    """Put a heading of the first words of the answer above it."""
    found = told(answer)
    head = _shortened(found[0], 6).rstrip(".!?") if found else ""
    return f"# {head.title()}\n{answer}".replace("'S ", "'s ") if head else ""


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
    if value == "digit":
        answer = re.sub(r"(?<![\w.,:$€£-])\d{1,2}(?![\w.,:%-]*\d|%|\w)", _spelt, answer)
        if re.search(r"\d", answer):  # a year, a price: the sentence goes
            answer = " ".join(one for one in told(answer) if not re.search(r"\d", one))
    return re.sub(r" +", " ", answer).strip()


def _spelt(number: re.Match[str]) -> str:
    return _NUMBERS[int(number[0])] if int(number[0]) < len(_NUMBERS) else number[0]


def not_contains(answer: str, value: str) -> str:
    """Put another word in its place; where none is known, leave out the sentences that have it."""
    word = re.compile(rf"\b{value}\b", re.IGNORECASE)
    if not word.search(answer):
        return ""
    new = SYNONYMS.get(value.lower(), "")
    if not new:
        stem = value[:-1] if value.endswith("e") and len(value) > 4 else value
        near = re.compile(rf"\b{stem}(?:e?s|e?d|e|ing|en|er|n)?\b", re.IGNORECASE)
        return " ".join(one for one in told(answer) if not near.search(one))
    return word.sub(lambda found: _as_capital(new, like=found[0]), answer)


def _as_capital(word: str, *, like: str) -> str:
    return word[0].upper() + word[1:] if like[0].isupper() else word


def no_bold(answer: str, value: str) -> str:
    return re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", answer)


def bold_words(answer: str, value: str) -> str:
    """Make the longest word of each sentence bold."""
    return " ".join(_with_bold(one) for one in told(answer))


def _with_bold(sentence: str) -> str:
    longest = max(re.findall(r"[^\W\d_]{4,}", sentence), key=len, default="")
    return re.sub(rf"\b{longest}\b", f"**{longest}**", sentence, count=1) if longest else sentence


def sentence_ends(answer: str, value: str) -> str:
    return " ".join(re.sub(r"[.!?…]+$", value, one) for one in told(answer))


def no_contractions(answer: str, value: str) -> str:
    answer = answer.replace("’", "'")
    for pattern, instead in _LONG_FORMS:
        answer = re.sub(pattern, partial(_long_form, instead), answer, flags=re.IGNORECASE)
    return answer


def _long_form(instead: str, found: re.Match[str]) -> str:
    return _as_capital(found.expand(instead), like=found[0])


def no_preamble(answer: str, value: str) -> str:
    """Leave out opening sentences and lines that only announce or please."""
    text = answer.lstrip()
    while opening := _OPENING.match(text):
        text = text[opening.end() :].lstrip()
    return text


def ends_question(answer: str, value: str) -> str:
    return f"{answer} {_drawn(answer, _QUESTIONS)}"


def first_letter(answer: str, value: str) -> str:
    """Open with a word of the letter; an answer that has it already stays as it is."""
    if answer[:1].upper() == value:
        return answer
    first = answer.split(" ", 1)[0]
    small = first.lower() in _SMALL
    opener = _drawn(answer, OPENERS[value])
    return f"{opener}, {answer[0].lower()}{answer[1:]}" if small else f"{opener}: {answer}"


def _drawn(answer: str, of: Sequence[str]) -> str:
    """Choose by the answer: the same answer gets the same."""
    return of[sum(answer.encode()) % len(of)]


def emoji(answer: str, value: str) -> str:
    sign = _drawn(answer, EMOJI)
    return f"{sign} {answer}" if value == "start" else f"{answer} {sign}"


def as_json(answer: str, value: str) -> str:
    """Return the plain text as an object with one key."""
    text = " ".join(plain_line(line) for line in answer.splitlines() if line.strip())
    return json.dumps({value or "answer": text}, ensure_ascii=False)
