"""How users say a rule of each family.

`{it}` stands for what the rule is about ("every answer", "emails") and `{v}` for its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.english.texts.former import FORMER_WORDINGS
from bench.english.texts.said_edges import SAID_OF_EDGES
from bench.english.texts.said_lengths import SAID_OF_LENGTHS
from bench.english.texts.said_shapes import SAID_OF_SHAPES
from bench.english.texts.said_signs import SAID_OF_SIGNS
from bench.english.texts.said_to_all import SAID_TO_ALL
from bench.english.texts.split import lines as _lines

_MORE: Final[Mapping[str, tuple[str, ...]]] = {
    "ends": _lines("""
        Conclude {it} by saying "{v}".
        Let {it} close on "{v}".
        "{v}" has to come last in {it}.
    """),
    "starts": _lines("""
        Kick off {it} by saying "{v}".
        "{v}" has to come first in {it}.
        Let {it} open on "{v}".
    """),
    "sentences": _lines("""
        Squeeze {it} into {v} sentences.
        {it} shall consist of {v} sentences.
        Stick to {v} sentences for {it}.
    """),
    "words": _lines("""
        Never reach {v} words in {it}.
        {v} words are too many for {it}, be shorter than that.
        Cut {it} down to less than {v} words.
    """),
    "lines": _lines("""
        Lay {it} out over {v} lines.
        {v} lines, that is the size of {it}.
    """),
    "bullets": _lines("""
        Turn {it} into a list with dashes.
        {it} in bullet form, always.
        Break {it} up into bullets.
    """),
    "lower_case": _lines("""
        Drop all capitals from {it}.
        {it} without a single capital letter.
        Type {it} as if the shift key were broken, all lowercase.
    """),
    "upper_case": _lines("""
        Shout {it}: every letter a capital.
        Capitalise each and every letter of {it}.
    """),
    "json": _lines("""
        Wrap {it} in a JSON object under "{v}".
        Nothing but JSON for {it}.
        Make {it} valid JSON whose only key is "{v}".
    """),
    "no_sign": _lines("""
        {v} are forbidden in {it}.
        I cannot stand {v}, keep them out of {it}.
        Zero {v} in {it}, thank you.
    """),
    "not_contains": _lines("""
        "{v}" is a forbidden word in {it}.
        Ban the word "{v}" from {it}.
    """),
    "emoji": _lines("""
        Decorate the {v} of {it} with an emoji.
        A smiley or another emoji belongs at the {v} of {it}.
    """),
    "no_bold": _lines("""
        Bold type is not welcome in {it}.
        Print nothing in bold in {it}.
    """),
    "no_lists": _lines("""
        Prose only in {it}, nothing enumerated.
        Keep lists of any sort out of {it}.
    """),
}  # fmt: skip
WORDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    name: (*some, *_MORE.get(name, ()), *FORMER_WORDINGS.get(name, ()))
    for name, some in (SAID_OF_EDGES | SAID_OF_LENGTHS | SAID_OF_SHAPES | SAID_OF_SIGNS).items()
}
GENERAL_WORDINGS: Final = SAID_TO_ALL
"""Wordings without `{it}`, for rules that are for every request."""
