"""Conventions for what machines read: tables and scripts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

from bench.private_rules.checks import Check, CheckKind
from bench.private_rules.rule import Feature, Phrasing, Rule, Words

_DELIMITERS = {";": "semicolons", "|": "upright bars", ",": "commas"}
_HEADS: dict[str, Callable[[str], str]] = {
    "in capitals": str.upper,
    "with a capital first": str.capitalize,
    "in small letters with col_ in front": lambda name: f"col_{name}",
}


def tables(rng: random.Random) -> Rule:
    delimiter = rng.choice(list(_DELIMITERS))
    how = rng.choice(list(_HEADS))
    columns = [_HEADS[how](name) for name in ("item", "price")]
    said = (
        f"Columns of a table are parted by {_DELIMITERS[delimiter]}, their titles are written"
        f" {how}: `{delimiter.join(columns)}`."
    )
    return Rule(
        id="tables",
        needs=Feature.TABLE,
        said=said,
        words={
            Phrasing.TERSE: Words(name="table-form", description="CSV files.", body=said),
            Phrasing.ORDINARY: Words(
                name="how-tables-are-laid-out",
                description="When a table or sheet is saved as a CSV file.",
                body=f"{said} No line above the titles.",
            ),
            Phrasing.SITUATIONAL: Words(
                name="goes-into-the-spreadsheet",
                description="The user wants rows and columns that can be opened in a spreadsheet:"
                " a price list, an overview of costs.",
                body=f"The import is picky. {said}",
            ),
        },
        styled=lambda style: replace(style, delimiter=delimiter, columns=_HEADS[how]),
        checks=lambda task: (
            Check(
                kind=CheckKind.TABLE,
                rule="tables",
                place=task.place,
                params={"delimiter": delimiter, "columns": columns, "least": 1},
            ),
        ),
        about="first lines of a table of items and prices",
        right=(delimiter.join(columns),),
        wrong=("item\tprice", "# items and prices", "item - price", "Item Price"),
    )


def scripts(rng: random.Random) -> Rule:
    tag = rng.choice(["keeper", "asked-by", "desk", "used-by"])
    whom = rng.choice(["front desk", "stores", "accounts", "everyone"])
    first = f"# {tag}: {whom}"
    docstrings = rng.random() < 0.5
    also = "a docstring in every function" if docstrings else "types on every parameter and result"
    said = f"A script's first line is `{first}`, and it has {also}."
    return Rule(
        id="scripts",
        needs=Feature.CODE,
        said=said,
        words={
            Phrasing.TERSE: Words(name="script-form", description="Python scripts.", body=said),
            Phrasing.ORDINARY: Words(
                name="how-scripts-are-written",
                description="When a small Python program is written.",
                body=f"{said} Only the standard library.",
            ),
            Phrasing.SITUATIONAL: Words(
                name="somebody-else-will-run-this",
                description="The user wants a routine chore automated by a little program, such as"
                " adding up or sorting a file.",
                body=f"Others must dare to change it. {said}",
            ),
        },
        styled=lambda style: replace(
            style, first_line=first, docstrings=docstrings, annotations=not docstrings
        ),
        checks=lambda task: (
            Check(
                kind=CheckKind.CODE,
                rule="scripts",
                place=task.place,
                params={
                    "pattern": re.escape(first),
                    "docstrings": docstrings,
                    "annotations": not docstrings,
                },
            ),
        ),
        about="first lines of a script",
        right=(first,),
        wrong=("#!/usr/bin/python", "import os", "# TODO", f"# {whom}"),
    )
