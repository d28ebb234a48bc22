"""Tests of each check of the catalogue: answers that pass, just fail, or are not judged."""

from __future__ import annotations

import pytest

from lull.backends.reader.language_detection import detect
from lull.core.checks.check import NO_LIBRARIES, Check, CheckKind, CheckLibraries
from lull.core.checks.check_answer import passes_check

K = CheckKind
TOOLS = CheckLibraries(detect=detect, fits_schema=NO_LIBRARIES.fits_schema)


def fenced(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}\n```"


def most(kind: CheckKind, n: int) -> Check:
    return Check(kind=kind, at_most=n)


def exactly(kind: CheckKind, n: int) -> Check:
    return Check(kind=kind, at_least=n, at_most=n)


def of(kind: CheckKind, value: str = "") -> Check:
    return Check(kind=kind, value=value)


LENGTHS: list[tuple[Check, str, bool | None]] = [
    (most(K.WORDS, 3), "- **one** two three", True),  # markdown is no word
    (most(K.WORDS, 2), "one — two", True),
    (most(K.WORDS, 2), "see:\n" + fenced("a lot of code here"), True),
    (most(K.WORDS, 2), "one two three", False),
    (most(K.WORDS, 5), "これは日本語の文です。", None),
    (exactly(K.SENTENCES, 2), "Dr. Smith paid 3.5 million, e.g. in cash. He left.", True),
    (exactly(K.SENTENCES, 1), "Am 3. Mai kommt z.B. Anna.", True),
    (exactly(K.SENTENCES, 2), "One. Two. Three.", False),
    (exactly(K.SENTENCES, 1), 'He said "Stop!" and left.', True),
    (exactly(K.SENTENCES, 1), "No full stop", True),
    (most(K.SENTENCES, 1), "Hi Anna,\n\nThe train is late.\n\nBest,\nTom", True),
    (exactly(K.SENTENCES, 2), "Hi Anna,\n\nThe train is late.\n\nBest,\nTom", False),
    (most(K.SENTENCES, 1), "Hi Anna,\n\nThe train is late.\n\nHope this helps", None),
    (most(K.SENTENCES, 1), "Yes,\n\nit is.", True),
    (most(K.SENTENCES, 1), "It rains,\nI stay.", True),
    (exactly(K.SENTENCES, 2), "It rains.\n\nSo stay in,\nTom and read it aloud again", True),
    (exactly(K.PARAGRAPHS, 1), "One line\nand its wrap.", True),
    (exactly(K.PARAGRAPHS, 1), "First of them, whole.\n\nSecond of them, whole.", False),
    (exactly(K.PARAGRAPHS, 1), "# Title\n\nThe only one there is.", None),
    (most(K.SENTENCES, 2), "Three ideas:\n- tea\n- rice\n- eggs", False),
    (most(K.SENTENCES, 3), "Three ideas:\n- tea\n- rice\n- eggs", None),  # is the first line one?
    (most(K.SENTENCES, 4), "Three ideas:\n- tea\n- rice\n- eggs", True),
    (exactly(K.SENTENCES, 3), "Three ideas:\n- tea\n- rice\n- eggs", None),
    (exactly(K.SENTENCES, 5), "Three ideas:\n- tea\n- rice\n- eggs", False),
    (exactly(K.PARAGRAPHS, 2), "# Tea\n\nIt is hot.\n\nSee you", None),  # it may have 1, 2 or 3
    (exactly(K.SENTENCES, 3), "- tea\n- rice\n- eggs", None),  # are items sentences?
    (exactly(K.SENTENCES, 2), "- tea\n- rice\n- eggs", False),
    (Check(kind=K.SENTENCES, at_least=2), "- tea\n- rice\n- eggs", None),
    (Check(kind=K.SENTENCES, at_least=4), "- tea\n- rice\n- eggs", False),
    (exactly(K.SENTENCES, 2), "# Tea\n\nIt is hot. It is old.", True),
    (exactly(K.SENTENCES, 2), "**Tea**\n\nIt is hot. It is old.", True),
    (exactly(K.SENTENCES, 3), "**Tea is hot.**\n\nIt is good. It is old.", True),
    (exactly(K.SENTENCES, 1), "**1989**", True),
    (exactly(K.SENTENCES, 1), "# 1989", True),
    (exactly(K.PARAGRAPHS, 1), "Take this:\n- soap\n- rope", False),
    (exactly(K.PARAGRAPHS, 2), "Take this:\n- soap\n- rope", None),
    (exactly(K.PARAGRAPHS, 1), "- soap\n- rope", True),
    (exactly(K.PARAGRAPHS, 1), "**Bag**\n\nTake soap and rope.", None),
    (most(K.LINES, 2), "a\n\nb", True),
    (most(K.LINES, 2), "a\nb\nc", False),
    (most(K.LINES, 2), fenced("a\nb"), True),
]
SHAPES: list[tuple[Check, str, bool | None]] = [
    (of(K.BULLETS), "You need:\n- soap\n- rope", True),
    (of(K.BULLETS), "## Bag\n* soap\n* rope\n\nThat is all.", True),
    (of(K.BULLETS), "1. soap\n2. rope", False),
    (of(K.BULLETS), "soap and rope", False),
    (of(K.BULLETS), "Prose one.\nProse two.\nProse three.\nProse four.\n- one item", False),
    (most(K.BULLETS, 2), "- a\n- b", True),
    (most(K.BULLETS, 2), "- a\n- b\n- c", False),
    (of(K.NO_BULLETS), "Soap - and rope.", True),
    (of(K.NO_BULLETS), "- soap", False),
    (of(K.NO_BULLETS), "1. soap", None),
    (of(K.NO_BULLETS, "lists"), "1. soap", False),
    (of(K.NO_BULLETS), "One.\n\n---\n\nTwo.", True),
    (of(K.NUMBERED_LIST), "Do this:\n1. open\n2. close", True),
    (of(K.NUMBERED_LIST), "Step 1: open\nStep 2: close", True),
    (of(K.NUMBERED_LIST), "- open\n- close", False),
    (of(K.NUMBERED_LIST), "In 2019 we opened.", False),
    (of(K.PLAIN_TEXT), "Just 2 * 3 words_with_lines.", True),
    (of(K.PLAIN_TEXT), "Just **words**.", False),
    (of(K.PLAIN_TEXT), "# Words", False),
    (of(K.PLAIN_TEXT), "- words", None),
    (of(K.PLAIN_TEXT, "tables"), "**bold**", True),
    (of(K.PLAIN_TEXT, "tables"), "a | b\n--- | ---\n1 | 2", False),
    (of(K.JSON), '```json\n{"a": 1}\n```', True),
    (of(K.JSON), "Here: {}", False),
    (of(K.JSON), "{'a': 1}", False),
    (of(K.JSON), '"text"', False),
    (of(K.CODE_ONLY), fenced("print(1)"), True),
    (of(K.CODE_ONLY), "print(1)", True),
    (of(K.CODE_ONLY), "Here:\n" + fenced("print(1)"), False),
    (of(K.CODE_ONLY), "Lima is the capital.", None),
]
SIGNS: list[tuple[Check, str, bool | None]] = [
    (of(K.ENDS, "Best, Priya"), "Hi!\n\nBest,\nPriya\n", True),
    (of(K.ENDS, "Best, Priya"), "Hi!\n\n**Best, Priya**", True),
    (of(K.ENDS, "Best, Priya"), "Best, Priya\n\nPS: call me", False),
    (of(K.ENDS, "Best, Priya"), "Regards, Priya", False),
    (of(K.ENDS, "Best, Priya"), "best, priya.", None),
    (of(K.ENDS, "sugar"), "brownsugar", False),
    (of(K.STARTS, "TL;DR"), "**TL;DR** no", True),
    (of(K.STARTS, "No"), "Nobody", False),
    (of(K.CONTAINS, "source"), "The source: me.", True),
    (of(K.CONTAINS, "source"), "Resourceful.", False),
    (of(K.NOT_CONTAINS, "just"), "Justice is adjusted.", True),
    (of(K.NOT_CONTAINS, "just"), "It is just so.", False),
    (of(K.NOT_CONTAINS, "delve"), "It delves.", None),
    (of(K.LOWER_CASE), "all small, see `README`", True),
    (of(K.LOWER_CASE), "All small", False),
    (of(K.LOWER_CASE), "123", None),
    (of(K.UPPER_CASE), "ALL OF IT!", True),
    (of(K.UPPER_CASE), "ALL OF it", False),
    (of(K.NO_SIGN, "comma"), "Run `f(a, b)` now.", None),
    (of(K.NO_SIGN, "comma"), "It costs 1,000.", None),
    (of(K.NO_SIGN, "comma"), "Yes, now.", False),
    (of(K.NO_SIGN, "exclamation mark"), "Test `a != b`.", None),
    (of(K.NO_SIGN, "em dash"), "Well-known.", True),
    (of(K.NO_SIGN, "em dash"), "It is — so to say — late.", False),
    (of(K.NO_SIGN, "em dash"), "Pages 3–5.", True),
    (of(K.NO_SIGN, "ellipsis"), "Well... yes.", False),
    (of(K.NO_SIGN, "parenthesis"), "See [this](a.html).", True),
    (of(K.NO_SIGN, "hashtag"), "# Title\nWe are #1.", True),
    (of(K.NO_SIGN, "hashtag"), "Join us #now", False),
    (of(K.NO_EMOJI), "20 °C → © 2024 #1", True),
    (of(K.NO_EMOJI), "done ✅", False),
    (of(K.NO_EMOJI), "hi \U0001f1e9\U0001f1ea", False),
    (of(K.NO_EMOJI), "1\ufe0f\u20e3 first", False),
    (of(K.NO_EMOJI), "hi :)", True),
    (of(K.NO_EMOJI), "hi ☺", None),
    (of(K.NO_EMOJI), "sun ☀ and tea ☕", False),
    (of(K.NO_EMOJI), "a ✓ b ™ → ½", None),
    (of(K.QUOTE_STYLE, "straight"), 'the "old" fair', True),
    (of(K.QUOTE_STYLE, "straight"), "the “old” fair", False),
    (of(K.QUOTE_STYLE, "straight"), "the old fair", None),
    (of(K.QUOTE_STYLE, "german"), "das „alte“ Fest", True),
    (of(K.QUOTE_STYLE, "guillemets"), 'la "vieille"', False),
    (of(K.QUOTE_STYLE, "single"), fenced("a = 'x'\nb = \"it's\""), True),
    (of(K.QUOTE_STYLE, "single"), fenced('a = "x"  # don\'t'), False),
    (of(K.QUOTE_STYLE, "double"), fenced("a = 1"), None),
]
SPACES = Check(kind=K.INDENT, value="spaces", at_least=4, at_most=4)
CODE: list[tuple[Check, str, bool | None]] = [
    (of(K.TYPE_HINTS), fenced("def f(self, a: int, *b: str) -> int: ..."), True),
    (of(K.TYPE_HINTS), fenced("def f(a: int, b) -> int: ..."), False),
    (of(K.TYPE_HINTS), fenced("def f(a: int): ..."), False),
    (of(K.TYPE_HINTS), fenced("x = 1"), None),
    (of(K.TYPE_HINTS), fenced("function f(a) { }", "js"), None),
    (SPACES, fenced("if a:\n    b"), True),
    (SPACES, fenced("if a:\n  b"), False),
    (SPACES, fenced("if a:\n\tb"), False),
    (SPACES, fenced("f(a,\n  b)\nif a:\n    c"), True),
    (SPACES, fenced("a = 1"), None),
    (of(K.INDENT, "tabs"), fenced("if (a) {\n\tb();\n}", "js"), True),
    (of(K.INDENT, "tabs"), fenced("if (a) {\n  b();\n}", "js"), False),
    (of(K.NO_CODE_COMMENTS), fenced("a = '# no'"), True),
    (of(K.NO_CODE_COMMENTS), fenced("a = 1  # one"), False),
    (of(K.NO_CODE_COMMENTS), fenced("#!/bin/sh\necho ${#a}", "sh"), True),
    (of(K.NO_CODE_COMMENTS), fenced("fetch('https://x.y')", "js"), True),
    (of(K.NO_CODE_COMMENTS), fenced("int a; /* one */", "c"), False),
    (of(K.NO_CODE_COMMENTS), fenced("SELECT 1 -- one", "sql"), False),
    (of(K.NO_CODE_COMMENTS), fenced("?", "brainfuck"), None),
    (of(K.NO_CODE_COMMENTS), "No code. # none", None),
    (of(K.CODE_PARSES), fenced("a = 1"), True),
    (of(K.CODE_PARSES), fenced("a = = 1"), False),
    (of(K.CODE_PARSES), fenced("{a: 1}", "json"), False),
    (of(K.CODE_PARSES), fenced("whatever", "js"), None),
]
FORMATS: list[tuple[Check, str, bool | None]] = [
    (of(K.DATE_FORMAT, "iso"), "Due 2024-03-05.", True),
    (of(K.DATE_FORMAT, "iso"), "Due March 5, 2024.", False),
    (of(K.DATE_FORMAT, "iso"), "Due 2024-03-05, paid 3/6/2024.", False),
    (of(K.DATE_FORMAT, "iso"), "Version 1.2.3 of 2024.", None),
    (of(K.DATE_FORMAT, "german"), "am 05.03.2024", True),
    (of(K.DATE_FORMAT, "us"), "on 03/31/2024", True),
    (of(K.DATE_FORMAT, "us"), "on 31/03/2024", False),
    (of(K.DATE_FORMAT, "us"), "on 03/04/2024", None),
    (of(K.DATE_FORMAT, "day_first"), "on 5 March 2024", True),
    (of(K.DATE_FORMAT, "written"), "on March 5th, 2024", True),
    (of(K.TIME_FORMAT, "24h"), "at 14:30 and 08:15", True),
    (of(K.TIME_FORMAT, "24h"), "at 14:30 or 3 p.m.", False),
    (of(K.TIME_FORMAT, "24h"), "um 14 Uhr", True),
    (of(K.TIME_FORMAT, "24h"), "in 3 hours", None),
    (of(K.TIME_FORMAT, "12h"), "at 2:30 pm", True),
    (of(K.TIME_FORMAT, "12h"), "at 14:30", False),
    (of(K.UNITS, "metric"), "330 m and 5kg", True),
    (of(K.UNITS, "metric"), "1,083 feet", False),
    (of(K.UNITS, "metric"), "10 km (6.2 miles)", None),
    (of(K.UNITS, "metric"), "5 apples", None),
    (of(K.UNITS, "celsius"), "bake at 200 °C for 2 miles of joy", True),
    (of(K.UNITS, "celsius"), "bake at 400°F", False),
    (of(K.UNITS, "celsius"), "walk 5 miles", None),
    (of(K.UNITS, "grams"), "two cups of flour", False),
    (of(K.UNITS, "grams"), "8 ounces of flour", False),
]
MANNERS: list[tuple[Check, str, bool | None]] = [
    (of(K.NO_CLOSING_QUESTION), "Why? Because.", True),
    (of(K.NO_CLOSING_QUESTION), "Done. Anything else?", False),
    (of(K.NO_CLOSING_QUESTION), "Done. Anything else? \U0001f60a", False),
    (of(K.NO_CLOSING_QUESTION), "Anything else?\n\nBest, Tom", None),
    (of(K.NO_CLOSING_QUESTION), "Like so:\n" + fenced("a ? b : c"), True),
    (of(K.NO_APOLOGY), "It was in 1648.", True),
    (of(K.NO_APOLOGY), "My apologies, it was 1648.", False),
    (of(K.NO_APOLOGY), "Entschuldigung, es war 1648.", False),
    (of(K.NO_APOLOGY), "Act one. " * 40 + "He says he is sorry.", None),
    (of(K.NO_PREAMBLE), "Five weeks.", True),
    (of(K.NO_PREAMBLE), "Great Britain left in 2020.", True),
    (of(K.NO_PREAMBLE), "Sure-footed goats climb.", True),
    (of(K.NO_PREAMBLE), "Great question! Five weeks.", False),
    (of(K.NO_PREAMBLE), "Gerne! Fünf Wochen.", False),
    (of(K.NO_PREAMBLE), "Bien sûr ! Cinq semaines.", False),
    (of(K.NO_PREAMBLE), "¡Claro! Cinco semanas.", False),
    (of(K.NO_PREAMBLE), "Here is the list:\n- a", False),
    (of(K.NO_CONTRACTIONS), "It is the dog's coat.", True),
    (of(K.NO_CONTRACTIONS), "It’s late.", False),
    (of(K.NO_CONTRACTIONS), "They'd go at five o'clock.", False),
    (of(K.NO_CONTRACTIONS), "At five o'clock.", True),
    (of(K.LANGUAGE, "de"), "Stell die Stängel in ein Glas Wasser.", True),
    (of(K.LANGUAGE, "de"), "Put the stems in a glass of fresh water.", False),
    (of(K.LANGUAGE, "de"), "Ja.", None),
    (of(K.LANGUAGE, "en"), fenced("für = über"), None),
]


def test_an_answer_keeps_it_breaks_it_or_is_none_of_its_business(subtests: pytest.Subtests) -> None:
    for check, answer, verdict in [*LENGTHS, *SHAPES, *SIGNS, *CODE, *FORMATS, *MANNERS]:
        with subtests.test(check=check, answer=answer, verdict=verdict):
            assert passes_check(check, answer, TOOLS) is verdict
