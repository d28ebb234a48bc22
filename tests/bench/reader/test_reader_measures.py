"""Tests of the measures of the reader, on answers whose figures are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.reader.items import Item
from bench.reader.measures import Answered, expected_calibration_error, rows_of
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import MessageFindings, RuleKind, Scope


def item(
    *, lasting: bool | None, correction: bool | None = False, said: str = "I use tabs."
) -> Item:
    return Item(
        person="cook",
        exchange=Exchange(asked="a", answer="b", said=said),
        correction=correction,
        lasting=lasting,
        scope="all" if lasting else None,
        quote=(said,) if lasting else (),
        kind_of_rule="fact" if lasting else None,
        check=None,
        trap=False,
    )


def answered(one: Item, *, lasting: float, quote: tuple[str, ...] = ()) -> Answered:
    heard = MessageFindings(
        correction=0.1,
        lasting=lasting,
        scope=Scope.ALL,
        quote=quote,
        kind_of_rule=RuleKind.PREFERENCE,
    )
    return Answered(item=one, findings=heard, seconds=0.1)


def test_precision_recall_and_what_follows_from_what_was_heard() -> None:
    some = [
        answered(item(lasting=True), lasting=0.9, quote=("I use tabs.",)),
        answered(item(lasting=True), lasting=0.8, quote=("Other.",)),
        answered(item(lasting=True, correction=None), lasting=0.2),
        answered(item(lasting=False), lasting=0.7),
    ]
    rows = {row["what"]: row for row in rows_of(some) if row["people"] == "all"}
    lasting = rows["lasting"]
    assert (lasting["precision"], lasting["recall"]) == (0.6667, 0.6667)
    assert lasting["precision_low"] < 0.6667 < lasting["precision_high"]
    assert rows["correction"]["n"] == 3
    assert rows["scope"]["share"] == 1.0
    assert (rows["stated sentences found"]["share"], rows["stated sentences found"]["n"]) == (
        0.5,
        2,
    )
    assert rows["preference or fact"]["share"] == 0.0
    assert {row["people"] for row in rows_of(some)} == {"all", "cook"}


def test_what_the_two_readers_did_not_agree_on_teaches_nothing_and_counts_nowhere() -> None:
    arguable = item(lasting=None, correction=None)
    assert arguable.targets() == (-1.0,) * 5
    assert (arguable.check_class(), arguable.stating()) == (-1, (-1.0,))
    some = [
        answered(item(lasting=True), lasting=0.9),
        answered(arguable, lasting=0.9),
        answered(replace(item(lasting=True), scope=None), lasting=0.9),
    ]
    rows = {row["what"]: row for row in rows_of(some) if row["people"] == "all"}
    assert (rows["lasting"]["n"], rows["lasting"]["undecided"]) == (2, 1)
    assert (rows["correction"]["n"], rows["correction"]["undecided"]) == (2, 1)
    assert (rows["scope"]["n"], rows["preference or fact"]["n"]) == (1, 2)


def test_calibration_is_the_distance_of_what_is_said_from_what_is() -> None:
    assert expected_calibration_error([(0.95, True), (0.95, False)]) == pytest.approx(0.45)
    assert expected_calibration_error([(0.25, False)] * 3 + [(0.25, True)]) == 0.0
    assert expected_calibration_error([]) == 0.0
