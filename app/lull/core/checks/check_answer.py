"""Decides whether a model's answer passes a check (an exact test), by calling the function for the
check's kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from lull.core.checks import code, formats, lengths, manners, shapes, signs
from lull.core.checks.check import NO_LIBRARIES, Check, CheckKind, CheckLibraries, CheckSet
from lull.core.checks.language import language
from lull.core.checks.parts import pieces

LONGEST_ANSWER: Final = 100_000
"""Longest answer that is checked, in characters; a longer one is left undecided."""

Program = Callable[[Check, str], bool | None]


def passes_check(check: Check, answer: str, tools: CheckLibraries = NO_LIBRARIES) -> bool | None:
    """Whether a model's answer passes a check (an exact test); None if the check does not apply or
    cannot tell.
    """
    if len(answer) > LONGEST_ANSWER:
        return None
    verdicts = [_holds(check, piece, tools) for piece in pieces(check.part, answer)]
    if False in verdicts:
        return False
    return None if None in verdicts or not verdicts else True


def keeps_rule(rule: CheckSet, answer: str, tools: CheckLibraries = NO_LIBRARIES) -> bool | None:
    """Whether a model's answer keeps the rule that these checks test: it must pass all of them.
    None if that is not known, as where it passes the checks of only a part of the rule.
    """
    verdicts = kept_parts(rule, answer, tools)
    if False in verdicts:
        return False
    return True if rule.whole and verdicts and None not in verdicts else None


def kept_parts(
    rule: CheckSet, answer: str, tools: CheckLibraries = NO_LIBRARIES
) -> list[bool | None]:
    """Whether a model's answer passes each of the checks that together test a rule, in their order;
    None for one of which that is not known.
    """
    return [_passes_beside(check, rule, answer, tools) for check in rule.checks]


def _passes_beside(check: Check, rule: CheckSet, answer: str, tools: CheckLibraries) -> bool | None:
    """Whether an answer passes one of the checks of a rule, whichever way the texts are taken that
    the rule itself has answers start or end with: "lower case, and sign with -- M" breaks nothing,
    and whether the sign-off is one of its words is anybody's guess.
    """
    found = passes_check(check, answer, tools)
    rest = answer.strip()
    for one in rule.checks:
        if one == check or not one.must or one.part or one.kind not in _PLACED:
            continue
        if one.kind is CheckKind.ENDS:
            rest = rest.removesuffix(one.value).rstrip()
        else:
            rest = rest.removeprefix(one.value).lstrip()
    if not rest or rest == answer.strip() or check.kind in _PLACED:
        return found
    alone = passes_check(check, rest, tools)
    if alone == found:
        return found
    return None if check.kind in _COUNTED else alone


_PLACED: Final = frozenset((CheckKind.STARTS, CheckKind.ENDS))
_COUNTED: Final = frozenset((CheckKind.WORDS, CheckKind.CHARACTERS, CheckKind.LINES))


def _holds(check: Check, answer: str, tools: CheckLibraries) -> bool | None:
    """Return the verdict on one part of the answer."""
    match check.kind:
        case CheckKind.LANGUAGE:
            found = language(check, answer, tools)
        case CheckKind.JSON | CheckKind.JSON_SCHEMA:
            found = shapes.is_json(check, answer, tools)
        case _:
            found = _PROGRAMS[check.kind](check, answer)
    return None if found is None else found == check.must


def should_propose(
    rule: CheckSet, failed_answer: str, tools: CheckLibraries = NO_LIBRARIES
) -> bool:
    """Whether to propose these checks (exact tests of answers) to a user who has just called an
    answer wrong. They are proposed only if that answer fails one.
    """
    return keeps_rule(rule, failed_answer, tools) is False


_PROGRAMS: Final[Mapping[CheckKind, Program]] = {
    CheckKind.WORDS: lengths.word_count,
    CheckKind.SENTENCES: lengths.sentence_count,
    CheckKind.PARAGRAPHS: lengths.paragraph_count,
    CheckKind.LINES: lengths.line_count,
    CheckKind.BULLETS: shapes.bullets,
    CheckKind.NO_BULLETS: shapes.no_bullets,
    CheckKind.NUMBERED_LIST: shapes.numbered,
    CheckKind.STARTS: signs.starts,
    CheckKind.ENDS: signs.ends,
    CheckKind.CONTAINS: signs.contains,
    CheckKind.NOT_CONTAINS: signs.not_contains,
    CheckKind.LOWER_CASE: signs.lower_case,
    CheckKind.UPPER_CASE: signs.upper_case,
    CheckKind.NO_SIGN: signs.no_sign,
    CheckKind.CODE_ONLY: shapes.code_only,
    CheckKind.NO_EMOJI: signs.no_emoji,
    CheckKind.TYPE_HINTS: code.type_hints,
    CheckKind.INDENT: code.indent,
    CheckKind.DATE_FORMAT: formats.date_format,
    CheckKind.TIME_FORMAT: formats.time_format,
    CheckKind.UNITS: formats.units,
    CheckKind.NO_CLOSING_QUESTION: manners.no_closing_question,
    CheckKind.NO_APOLOGY: manners.no_apology,
    CheckKind.NO_PREAMBLE: manners.no_preamble,
    CheckKind.PLAIN_TEXT: shapes.plain_text,
    CheckKind.NO_CODE_COMMENTS: code.no_code_comments,
    CheckKind.NO_CONTRACTIONS: manners.no_contractions,
    CheckKind.QUOTE_STYLE: signs.quote_style,
    CheckKind.CODE_PARSES: code.code_parses,
    CheckKind.CHARACTERS: lengths.character_count,
    CheckKind.EMOJIS: signs.emojis,
}
