"""Checks of the length of a model's answer: words, characters, sentences, paragraphs, lines.

Where people count differently (is a sign-off a paragraph?) both counts are taken; if the two
verdicts differ, the check does not apply.
"""

from __future__ import annotations

from lull.core.checks.check import Check
from lull.core.checks.text import letter_body, sentences, split_code, text_blocks, words


def within_limits(check: Check, one: int, other: int | None = None) -> bool | None:
    """Whether a count is within the check's limits; None if the verdict depends on which of two
    ways to count is the right one.
    """
    verdicts = {_within(check, count) for count in (one, one if other is None else other)}
    return verdicts.pop() if len(verdicts) == 1 else None


def _surely_within(check: Check, low: int, high: int) -> bool | None:
    """Whether a count that may be any number from `low` to `high` is within the check's limits;
    None if some of these numbers are and others not.
    """
    least, most = check.at_least or 0, high if check.at_most is None else check.at_most
    if low > most or high < least:
        return False
    return True if least <= low and high <= most else None


def _within(check: Check, count: int) -> bool:
    return (check.at_least or 0) <= count and (check.at_most is None or count <= check.at_most)


def word_count(check: Check, answer: str) -> bool | None:
    """Check how many words an answer has; None in scripts without spaces."""
    if _unspaced(answer):
        return None
    return within_limits(check, len(words(answer)))


def character_count(check: Check, answer: str) -> bool | None:
    """Check how many characters an answer has; None if it is empty."""
    text = answer.rstrip("\n")
    return within_limits(check, len(text.strip()), len(text)) if text.strip() else None


def sentence_count(check: Check, answer: str) -> bool | None:
    """Check how many sentences an answer has; None if that cannot be told for sure.

    A heading is no sentence, nor is the salutation or the closing with a name of a letter. A list
    item without a mark at its end may be one or not, as may a line that leads in with a colon and a
    few words by themselves. But who allows two sentences allows no list of three such items.
    """
    low = high = listed = 0
    for unit in letter_body(answer):
        said = len(sentences(unit.text))
        ended = unit.text[-1:] in ".!?"
        if unit.heading and not ended:
            continue
        whole = not unit.heading and not unit.is_greeting_or_signoff and unit.text[-1:] not in ",:"
        sure = whole and (not unit.item or ended)
        low, high = low + (said if sure else 0), high + said
        listed += said if unit.item and not sure else 0
    if check.at_most is not None and low + listed > check.at_most:
        return False
    some = 1 if answer.strip() else 0
    return _surely_within(check, max(low, some), max(high, some))


def paragraph_count(check: Check, answer: str) -> bool | None:
    """Check how many paragraphs an answer has; None if that cannot be told for sure.

    A list may be one or not, as may a heading, a greeting, a sign-off and a block of code. But who
    allows one paragraph allows no list beside it.
    """
    _, blocks = split_code(answer)
    high = low = lists = 0
    in_list = False
    for unit in text_blocks(answer):
        if unit.item:
            lists += 0 if in_list else 1
            high += 0 if in_list else 1
        elif (unit.after_blank and not in_list) or in_list:
            high += 1
            low += not (unit.heading or unit.is_greeting_or_signoff)
        in_list = unit.item
    high += len(blocks)
    if check.at_most is not None and low and low + lists > check.at_most:
        return False
    return _surely_within(check, max(low, min(1, high)), high) if high else None


def line_count(check: Check, answer: str) -> bool | None:
    """Check how many lines with text an answer has; None if it is empty."""
    lines = [line for line in answer.splitlines() if line.strip()]
    text, blocks = split_code(answer)
    inside = [line for block in blocks for line in block.code.splitlines() if line.strip()]
    shown = [line for line in text.splitlines() if line.strip()]
    return within_limits(check, len(shown) + len(inside)) if lines else None


def _unspaced(answer: str) -> bool:
    """Whether the text is in a script without spaces between words."""
    letters = [sign for sign in answer if sign.isalpha()]
    apart = sum("\u0e00" <= sign <= "\u0eff" or "\u3040" <= sign <= "\u9fff" for sign in letters)
    return apart * 3 > len(letters)
