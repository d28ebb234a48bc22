"""Loads the labelled sentences of people/ and held_out/, which train and examine the reader.

A person is never split: whoever teaches is never asked, and those of held_out are looked at once.
Then they go to development/.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lull.core.feedback.exchange import Exchange, readable

HERE: Final = Path(__file__).parent
PEOPLE: Final = HERE / "people"
HELD_OUT: Final = HERE / "held_out"
DEVELOPMENT: Final = HERE / "development"
"""The people of the exam before, who choose among weights since and teach nobody."""
EXAM: Final = (
    "barge_skipper",
    "bergen_biologist",
    "govan_undertaker",
    "lift_engineer",
    "teenage_game_maker",
    "valdivia_baker",
)
"""The people who are held out for one final examination."""
REVIEWERS: Final = ("bridge_inspector", "grants_officer")
"""Of the development people those who check finished work against the rules of a house; told
apart.
"""
CALIBRATION: Final = (
    "embedded_consultant",
    "museum_guide",
    "nonnative_engineer",
    "office_assistant",
    "property_manager",
    "sarcastic_nurse",
)
"""The people whose sentences set the thresholds and train nothing else."""

LABELS: Final = ("correction", "lasting", "kind", "fact", "thanks")
"""Names of the yes-or-no heads; `kind`: the rule is for one kind of request; `fact`: it states a
fact.
"""
CHECKS: Final = [
    "none",
    "language",
    "words",
    "sentences",
    "paragraphs",
    "lines",
    "bullets",
    "no_bullets",
    "numbered_list",
    "starts_with",
    "ends_with",
    "contains",
    "not_contains",
    "lower_case",
    "upper_case",
    "no_sign",
    "json",
    "code_only",
    "no_emoji",
    "type_hints",
    "indent",
    "date_format",
    "time_format",
    "units",
    "no_closing_question",
    "no_apology",
    "no_preamble",
    "plain_text",
    "no_code_comments",
    "no_contractions",
    "quote_style",
]
"""Classes of the check head, which predicts how a rule could be checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    person: str
    exchange: Exchange
    correction: bool | None
    """Whether the message corrects the answer; None if that is arguable."""
    lasting: bool | None
    """Whether it states something for later answers; None if that is arguable."""
    scope: str | None
    """"all" or "kind"; None where nothing lasts or that is arguable."""
    quote: tuple[str, ...]
    kind_of_rule: str | None
    check: str | None
    trap: bool

    @property
    def thanks(self) -> bool | None:
        """Whether the message thanks, by a pattern, because nobody labelled it; None if unclear.
        Used only in training.
        """
        if self.correction or self.lasting:
            return False
        plain = not self.trap and "?" not in self.exchange.said and len(self.exchange.said) < 160
        if plain and _THANKS.search(self.exchange.said):
            return True
        return None if plain else False

    def targets(self) -> tuple[float, ...]:
        """Return the training target for each of LABELS; -1 where the item says nothing about
        it or is arguable.
        """
        is_kind = None if self.scope is None else self.scope == "kind"
        is_fact = self.kind_of_rule == "fact" if self.lasting else None
        known = (self.correction, self.lasting, is_kind, is_fact, self.thanks)
        return tuple(-1.0 if one is None else float(one) for one in known)

    def check_class(self) -> int:
        """Index of the item's class in CHECKS; -1 if the message states nothing lasting."""
        return CHECKS.index(self.check or "none") if self.lasting else -1

    def stating(self) -> tuple[float, ...]:
        """Return for each sentence the reader sees 1 if it states the rule, else 0; all -1 if there
        is no rule.
        """
        shown = readable(self.exchange).sentences or (" ",)
        if not self.lasting:
            return (-1.0,) * len(shown)
        return tuple(float(any(_shares(s, q) for q in self.quote)) for s in shown)


_THANKS: Final = re.compile(
    r"thank|thx|\bty\b|cheers|perfect|great|awesome|nice|lovely|brilliant|works|worked|helpful|"
    r"danke|super|prima|klasse|toll|merci|parfait|nickel|génial|gracias|perfecto|genial|estupendo",
    re.IGNORECASE,
)


def _shares(sentence: str, quote: str) -> bool:
    """Whether one of the two texts contains the other."""
    a, b = sentence.strip(), quote.strip()
    return bool(a and b) and (a in b or b in a)


def read(path: Path) -> list[Item]:
    return [_item(path.stem, json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def people(*names: str) -> list[Item]:
    return [item for name in names for item in read(PEOPLE / f"{name}.jsonl")]


def teachers() -> list[str]:
    """Return the names of the people whose sentences train the reader: all but those for
    calibration.
    """
    return sorted(p.stem for p in PEOPLE.glob("*.jsonl") if p.stem not in CALIBRATION)


def examined(folder: Path | None = None) -> Iterator[Item]:
    """Yield the sentences of the people who examine: those held out, or all of a folder."""
    if folder is None:
        for name in EXAM:
            yield from read(HELD_OUT / f"{name}.jsonl")
    else:
        for file in sorted(folder.glob("*.jsonl")):
            yield from read(file)


def _item(person: str, said: dict[str, Any]) -> Item:
    return Item(
        person=person,
        exchange=Exchange(asked=said["asked"], answer=said["answer"], said=said["said"]),
        correction=said["correction"],
        lasting=said["lasting"],
        scope=said["scope"],
        quote=tuple(said["quote"]),
        kind_of_rule=said["kind_of_rule"],
        check=said["check"],
        trap=said["trap"],
    )
