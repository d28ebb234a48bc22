"""Texts of the exams that earlier adapters were measured by. They are known now, so they are
trained on and measure nothing any more.

`{it}` stands for what a rule is about and `{v}` for its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.english.texts.former import first, second

Table = Mapping[str, tuple[str, ...]]


def _joined(*tables: Table) -> Table:
    names = {name: None for table in tables for name in table}
    return {name: tuple(one for t in tables for one in t.get(name, ())) for name in names}


FORMER_WORDINGS: Final = _joined(first.FORMER_WORDINGS, second.FORMER_WORDINGS)
FORMER_VALUES: Final = _joined(first.FORMER_VALUES, second.FORMER_VALUES)
FORMER_CALLED: Final[Table] = second.FORMER_CALLED
"""By kind of request, how users call it."""
FORMER_ALL: Final = (*first.FORMER_ALL, *second.FORMER_ALL)
FORMER_SUCH: Final = (*first.FORMER_SUCH, *second.FORMER_SUCH)
FORMER_LEADS: Final = (*first.FORMER_LEADS, *second.FORMER_LEADS)
FORMER_FACTS: Final = second.FORMER_FACTS
FORMER_WHO: Final = (*first.FORMER_WHO, *second.FORMER_WHO)
FORMER_MORE: Final = (*first.FORMER_MORE, *second.FORMER_MORE)
