"""Checks of the length of a model's answer: words, characters, sentences, paragraphs, lines.

Where people count differently (is a sign-off a paragraph?) both counts are taken; if the two
verdicts differ, the check does not apply.
"""

from __future__ import annotations

from lull.core.checks.check import Check
from lull.core.checks.text import sentences, split_code, text_blocks, words


def within_limits(check: Check, low: int, high: int | None = None) -> bool | None:
    """Whether a count that is only known to lie between `low` and `high` is within the check's
    limits; None if the verdict depends on the exact count. Without `high` the count is exactly
    `low`.
    """
    least, most = check.at_least or 0, check.at_most
    verdicts = {
        least <= count and (most is None or count <= most)
        for count in (low, low if high is None else high)
    }
    return verdicts.pop() if len(verdicts) == 1 else None


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
    """Check how many sentences an answer has; None if that cannot be told for sure."""
    low = high = 0
    for unit in text_blocks(answer):
        said = len(sentences(unit.text))
        whole = not unit.heading and not unit.is_greeting_or_signoff and unit.text[-1:] not in ",:"
        sure = whole and (not unit.item or unit.text[-1:] in ".!?")
        low, high = low + (said if sure else 0), high + said
    if low == 0:
        low = min(1, high)
    return within_limits(check, low, high)


def paragraph_count(check: Check, answer: str) -> bool | None:
    """Check how many paragraphs an answer has; None if that cannot be told for sure."""
    _, blocks = split_code(answer)
    high = low = 0
    in_list = False
    for unit in text_blocks(answer):
        if unit.item:
            high += 0 if in_list else 1
        elif (unit.after_blank and not in_list) or in_list:
            high += 1
            low += not (unit.heading or unit.is_greeting_or_signoff)
        in_list = unit.item
    high += len(blocks)
    return within_limits(check, max(low, min(1, high)), high) if high else None


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
