"""Conventions for values in records: times, prices, weights, people and counts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from bench.private_rules.checks import Check, CheckKind
from bench.private_rules.rule import (
    Feature,
    Person,
    Phrasing,
    Rule,
    Task,
    Words,
    zone,
)

_CLOCK = r"\d{2}:\d{2}"
_DAY = r"\d{4}-\d{2}-\d{2}"


def _field(rule: str, path: str, pattern: str) -> Callable[[Task], tuple[Check, ...]]:
    return lambda task: (
        Check(
            kind=CheckKind.FIELDS,
            rule=rule,
            place=task.place,
            params={"path": path, "pattern": pattern},
        ),
    )


def _stamps_words(said: str, sample: str) -> dict[Phrasing, Words]:
    return {
        Phrasing.TERSE: Words(
            name="time-fields", description="Times in JSON.", body=f"Like `{sample}`. {said}"
        ),
        Phrasing.ORDINARY: Words(
            name="how-moments-are-written",
            description="When dates and times of day are put into the fields of a JSON record.",
            body=f"{said} Work out words like yesterday or this afternoon first.",
        ),
        Phrasing.SITUATIONAL: Words(
            name="when-did-it-happen",
            description="The user has things that happened or will happen, each with when,"
            " and wants them kept as a list in a file.",
            body=f"Do not copy the time as the user says it. {said}",
        ),
    }


def stamps(rng: random.Random) -> Rule:
    hours = rng.choice([-8, -5, -3, 1, 2, 3, 4, 9, 10])
    offset = f"{hours:+03d}:00"
    form, text, pattern = rng.choice(
        [
            (
                "%Y-%m-%dT%H:%M:%S",
                f"T between, seconds, {offset} at the end",
                rf"{_DAY}T{_CLOCK}:\d{{2}}",
            ),
            (
                "%Y-%m-%d %H:%M",
                f"a space between, no seconds, {offset} at the end",
                rf"{_DAY} {_CLOCK}",
            ),
            ("%Y%m%dT%H%M", f"no marks but the T, {offset} at the end", r"\d{8}T\d{4}"),
        ]
    )
    in_utc = rng.random() < 0.25
    tail = "Z" if in_utc else offset

    def stamp(at: datetime) -> str:
        return at.astimezone(UTC if in_utc else zone(hours)).strftime(form) + tail

    if in_utc:
        text = text.replace(offset, "Z") + ", in UTC"
    sample = stamp(datetime(2031, 2, 13, 9, 30, tzinfo=zone(hours)))
    said = f"Every moment in a record is written like {sample}: {text}."
    return Rule(
        id="stamps",
        needs=Feature.TIMES,
        said=said,
        words=_stamps_words(said, sample),
        styled=lambda style: replace(style, stamp=stamp),
        checks=_field("stamps", "entries[].at", pattern + re.escape(tail)),
        about="times for half past nine in the morning here",
        right=(sample,),
        wrong=("13/02/2031 9:30", "2031-02-13", "9:30 am", "Thursday, half past nine"),
    )


def money(rng: random.Random) -> Rule:
    code = rng.choice(["CHF", "EUR", "GBP", "SEK", "CAD", "PLN"])
    comma, before = rng.random() < 0.5, rng.random() < 0.5
    point = "," if comma else "."

    def amount(cents: int) -> str:
        figure = f"{cents // 100}{point}{cents % 100:02d}"
        return f"{code} {figure}" if before else f"{figure} {code}"

    figure = rf"\d+{re.escape(point)}\d{{2}}"
    pattern = f"{code} {figure}" if before else f"{figure} {code}"
    said = (
        f"A price is written like {amount(1250)}: {code} {'before' if before else 'after'} it,"
        f" a {'comma' if comma else 'point'}, two figures behind it."
    )
    return Rule(
        id="money",
        needs=Feature.MONEY,
        said=said,
        words={
            Phrasing.TERSE: Words(name="price-form", description="Writing prices.", body=said),
            Phrasing.ORDINARY: Words(
                name="how-amounts-of-money-look",
                description="When a list or table shows what things cost.",
                body=f"{said} Never the sign alone, never a bare number.",
            ),
            Phrasing.SITUATIONAL: Words(
                name="somebody-will-compare-costs",
                description="The user names things and what was paid or is charged for each, to be"
                " kept in one sheet.",
                body=f"Write each amount the way the books have it. {said}",
            ),
        },
        styled=lambda style: replace(style, money=amount),
        checks=lambda task: (
            Check(
                kind=CheckKind.COLUMN,
                rule="money",
                place=task.place,
                params={"column": 1, "pattern": pattern},
            ),
        ),
        about="prices",
        right=(amount(1250), amount(900)),
        wrong=("12.5", "$12", f"12-50 {code.lower()}", "twelve fifty"),
    )


def units(rng: random.Random) -> Rule:
    grams, spaced = rng.random() < 0.5, rng.random() < 0.5
    places = rng.choice([1, 2, 3])
    gap = " " if spaced else ""

    def weight(value: int) -> str:
        return f"{value}{gap}g" if grams else f"{value / 1000:.{places}f}{gap}kg"

    figure = r"\d+" if grams else rf"\d+\.\d{{{places}}}"
    how = "whole grams" if grams else f"kilograms with {places} decimals"
    space = f"{'a' if spaced else 'no'} space before the unit"
    said = f"A weight is given in {how}, {space}: {weight(2500)}."
    return Rule(
        id="units",
        needs=Feature.QUANTITY,
        said=said,
        words={
            Phrasing.TERSE: Words(name="weights", description="Giving a weight.", body=said),
            Phrasing.ORDINARY: Words(
                name="how-weights-are-given",
                description="When stock is listed with how much of each thing there is.",
                body=f"{said} Convert whatever the user says.",
            ),
            Phrasing.SITUATIONAL: Words(
                name="things-on-the-scales",
                description="The user counts up what lies on the shelves, with kilos or grams of"
                " each, and wants it kept.",
                body=f"The scales and the books must agree. {said}",
            ),
        },
        styled=lambda style: replace(style, weight=weight),
        checks=_field("units", "items[].amount", figure + gap + ("g" if grams else "kg")),
        about="weights for two and a half kilos",
        right=(weight(2500),),
        wrong=("2,5 Kilo", "2.5 kgs", "5 lb", "2500 gr."),
    )


_NAMES: dict[str, tuple[Callable[[Person], str], str]] = {
    "family name first, then a comma": (
        lambda p: f"{p.family}, {p.given}",
        r"[A-Z][\w'-]+, [A-Z][\w'-]+",
    ),
    "family name in capitals, then the given name": (
        lambda p: f"{p.family.upper()} {p.given}",
        r"[A-Z'-]{2,} [A-Z][\w'-]+",
    ),
    "initial with a point, then the family name": (
        lambda p: f"{p.given[0]}. {p.family}",
        r"[A-Z]\. [A-Z][\w'-]+",
    ),
    "given name, then the family name's initial with a point": (
        lambda p: f"{p.given} {p.family[0]}.",
        r"[A-Z][\w'-]+ [A-Z]\.",
    ),
}


def people(rng: random.Random) -> Rule:
    how = rng.choice(list(_NAMES))
    write, pattern = _NAMES[how]
    sample = write(Person(given="Ada", family="Moor"))
    said = f"People on a list are written with {how}: {sample}."
    return Rule(
        id="people",
        needs=Feature.PEOPLE,
        said=said,
        words={
            Phrasing.TERSE: Words(name="person-names", description="Listing people.", body=said),
            Phrasing.ORDINARY: Words(
                name="how-people-are-listed",
                description="When a list says which people do what.",
                body=f"{said} No titles.",
            ),
            Phrasing.SITUATIONAL: Words(
                name="who-is-on-duty",
                description="The user says who takes which part or turn and wants a roster of it.",
                body=f"The roster is sorted by machine. {said}",
            ),
        },
        styled=lambda style: replace(style, person=write),
        checks=_field("people", "people[].name", pattern),
        about="ways to list Ada Moor",
        right=(sample,),
        wrong=("Ada Moor", "Ms Moor", "ada.moor", "Ada"),
    )


def ids(rng: random.Random) -> Rule:
    letters = "".join(rng.sample("BCDFGKLMNPRTVX", rng.choice([2, 3])))
    width, join = rng.choice([3, 4, 5]), rng.choice(["-", "", "/"])
    start = rng.choice([1, 100])

    def number(n: int) -> str:
        return f"{letters}{join}{start + n - 1:0{width}d}"

    said = f"Things on a list get numbers like {number(1)}, {number(2)}, always {width} figures."
    return Rule(
        id="ids",
        needs=Feature.ITEMS,
        said=said,
        words={
            Phrasing.TERSE: Words(name="item-numbers", description="Numbering items.", body=said),
            Phrasing.ORDINARY: Words(
                name="how-items-are-numbered",
                description="When the entries of a stock list need an id.",
                body=f"{said} Never a bare number.",
            ),
            Phrasing.SITUATIONAL: Words(
                name="labels-for-the-shelves",
                description="The user has an inventory of things in store and each is to have an id"
                " by which it is found again.",
                body=f"The id is printed on the label. {said}",
            ),
        },
        styled=lambda style: replace(style, number=number),
        checks=_field("ids", "items[].id", rf"{letters}{re.escape(join)}\d{{{width}}}"),
        about="numbers of the first thing on a list",
        right=(number(1),),
        wrong=("1", "no. 1", "item-one", "#0"),
    )
