"""Decides whether the beginning of an answer already settles a check, however the answer goes on.

An answer that is only scored, and not read, may end there: whether it starts with a text is known
after the first words, and that it has too many sentences one sentence after the last allowed one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lull.core.checks.check import NO_LIBRARIES, Check, CheckKind, CheckLibraries, CheckSet, Part
from lull.core.checks.check_answer import passes_check

_ROOM: Final = 40
"""Characters behind a wanted beginning after which whether it is there cannot change."""
_MARGIN: Final = 1
"""By how much more than allowed a count must be: later words may join what is counted last."""
_COUNTS: Final = frozenset(
    {
        CheckKind.WORDS,
        CheckKind.CHARACTERS,
        CheckKind.LINES,
        CheckKind.SENTENCES,
        CheckKind.PARAGRAPHS,
    }
)
_FORBIDDEN: Final = frozenset(
    {CheckKind.NOT_CONTAINS, CheckKind.NO_SIGN, CheckKind.NO_EMOJI, CheckKind.LOWER_CASE}
)
"""Kinds of check that fail for good with the first thing that they forbid."""
_IN_PAIRS: Final = ("parenthesis", "bracket")
"""Signs that are allowed in a link, which is told by its end."""


def is_settled(rule: CheckSet, begun: str, tools: CheckLibraries = NO_LIBRARIES) -> bool:
    """Whether every answer that begins like this gets the verdict that the beginning has: it keeps
    the rule, or breaks it.

    Of a rule of several checks it is not asked, because each part is counted by itself. Nor is
    anything said where code begins, in which other signs and capitals are allowed.
    """
    if len(rule.checks) != 1 or "`" in begun or "~~~" in begun:
        return False
    (check,) = rule.checks
    whole = begun[: max(begun.rfind(" "), begun.rfind("\n"), 0)]  # its last word may go on
    if check.part is not Part.WHOLE or not check.must or not whole.strip():
        return False
    if check.kind is CheckKind.STARTS:
        found = passes_check(check, begun, tools)
        long = len(whole.strip()) >= len(check.value) + _ROOM
        return long and (found is False or (found is True and rule.whole))
    if check.kind in _COUNTS and check.at_most is not None:
        broken = passes_check(_laxer(check), whole, tools) is False
    elif check.kind in _FORBIDDEN and check.value not in _IN_PAIRS:
        broken = passes_check(check, whole, tools) is False
    else:
        return False
    return broken and passes_check(check, begun, tools) is False


def _laxer(check: Check) -> Check:
    return replace(check, at_least=None, at_most=(check.at_most or 0) + _MARGIN)
