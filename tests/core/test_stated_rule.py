"""A correction that states a rule becomes that rule, in the user's own words; a fix states none.

Two sets of cases were put to the reader blind before they were added here. Of the first 48 it
judged 35 as their label says (2 rules where there were none, 11 missed); of 32 more, after
changes, 27 (none where there was none, 5 missed).
"""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lull.core.pocket import (
    HABITS,
    Kind,
    Style,
    as_sentence,
    correction_phrasings,
    draw_request,
    draw_style,
    draw_words,
    parse_rule,
    request_phrasings,
    rule_phrasings,
)
from lull.core.retrieval import terms
from lull.core.skill import SkillText, check_text
from lull.core.stated_rule import stated_rule

MAIL = "Write an email to my landlord about the heating"
COMMIT = "write a commit message for this diff"
RECIPE = "Give me a recipe for lentil soup"
CODE = "Can you write a Python function that parses dates?"
LEDGER = "Book the fuel receipt from 12 March, please"
REPORT = "Please summarise this report:\n\nSales rose in May."

RULES = [
    # asked, correction, body
    (
        COMMIT,
        "use the imperative mood",
        "When you write a commit message, use the imperative mood.",
    ),
    (COMMIT, "No, use dashes.", "When you write a commit message, use dashes."),
    (COMMIT, "please use dashes!", "When you write a commit message, use dashes."),
    (
        COMMIT,
        "Not like that: start with a verb in lower case.",
        "When you write a commit message, start with a verb in lower case.",
    ),
    (
        COMMIT,
        "Thanks, but next time put the ticket number first.",
        "When you write a commit message, put the ticket number first.",
    ),
    (
        COMMIT,
        "thanks but use the present tense",
        "When you write a commit message, use the present tense.",
    ),
    (COMMIT, "I said no emojis", "When you write a commit message, no emojis."),
    (
        COMMIT,
        "From now on keep it under 50 characters.",
        "When you write a commit message, keep it under 50 characters.",
    ),
    (
        COMMIT,
        "Always mention the module.",
        "When you write a commit message, always mention the module.",
    ),
    (
        COMMIT,
        "For a commit message, use the imperative mood.",
        "For a commit message, use the imperative mood.",
    ),
    (MAIL, "I told you to answer in German.", "When you write an email, answer in German."),
    (MAIL, "I told you not to use semicolons!", "When you write an email, do not use semicolons."),
    (MAIL, "next time put the date first", "When you write an email, put the date first."),
    (MAIL, "Put the date at the top, please.", "When you write an email, put the date at the top."),
    (MAIL, "don't use the passive voice", "When you write an email, don't use the passive voice."),
    (
        MAIL,
        "stop using exclamation marks",
        "When you write an email, stop using exclamation marks.",
    ),
    (MAIL, "In German, please.", "When you write an email, do it in German."),
    (MAIL, "no greeting please", "When you write an email, no greeting."),
    (MAIL, "Hmm, no. Use British spelling.", "When you write an email, use British spelling."),
    (MAIL, "ok but sign as Anna next time", "When you write an email, sign as Anna."),
    (
        MAIL,
        "You should always start with the reference number.",
        "When you write an email, always start with the reference number.",
    ),
    (
        MAIL,
        'Never start with "I hope this finds you well".',
        'When you write an email, never start with "I hope this finds you well".',
    ),
    (
        MAIL,
        "When you write to my landlord, be polite but firm.",
        "When you write to my landlord, be polite but firm.",
    ),
    (
        MAIL,
        "In letters to officials, use the full date.",
        "In letters to officials, use the full date.",
    ),
    (MAIL, "please call me Anna", "When you write an email, call me Anna."),
    (RECIPE, "grams, not cups", "For a recipe, use grams, not cups."),
    (RECIPE, "use metric units", "For a recipe, use metric units."),
    (
        RECIPE,
        "Always say the oven temperature first.",
        "For a recipe, always say the oven temperature first.",
    ),
    (
        RECIPE,
        "when you give me a recipe, list the ingredients first",
        "When you give me a recipe, list the ingredients first.",
    ),
    (RECIPE, "use olive oil instead of butter", "For a recipe, use olive oil instead of butter."),
    (RECIPE, "every time you use eggs, say how many", "Every time you use eggs, say how many."),
    (RECIPE, "next time salt the water first", "For a recipe, salt the water first."),
    (RECIPE, "Never suggest mushrooms.", "For a recipe, never suggest mushrooms."),
    (CODE, "use type hints", "When you write a Python function, use type hints."),
    (CODE, "tabs, not spaces", "When you write a Python function, use tabs, not spaces."),
    (CODE, "Do not add comments.", "When you write a Python function, do not add comments."),
    (
        CODE,
        "could you always add a docstring?",
        "When you write a Python function, always add a docstring.",
    ),
    (CODE, "Before you change a file, make a copy.", "Before you change a file, make a copy."),
    (CODE, "when you write Python, use f-strings", "When you write Python, use f-strings."),
    (
        CODE,
        "use pathlib instead of os.path",
        "When you write a Python function, use pathlib instead of os.path.",
    ),
    (
        CODE,
        "just the code please, no explanation",
        "When you write a Python function, just the code please, no explanation.",
    ),
    (
        "rename the column in the table",
        "always back up first",
        "When you rename a column, always back up first.",
    ),
    (
        "delete the old rows",
        "No! Always back up the table before you touch it.",
        "When you delete rows, always back up the table before you touch it.",
    ),
    (
        LEDGER,
        "always book fuel under 4530",
        "When you book a fuel receipt, always book fuel under 4530.",
    ),
    (
        LEDGER,
        "next time show the VAT separately",
        "When you book a fuel receipt, show the VAT separately.",
    ),
    (LEDGER, "round to two decimals", "When you book a fuel receipt, round to two decimals."),
    (
        LEDGER,
        "For invoices, write the net amount first.",
        "For invoices, write the net amount first.",
    ),
    (
        REPORT,
        "start with the conclusion",
        "When you summarise a report, start with the conclusion.",
    ),
    (REPORT, "Use bullet points.", "When you summarise a report, use bullet points."),
    (
        REPORT,
        "That's wrong. Use two sentences. And put the figure first.",
        "When you summarise a report, use two sentences. Put the figure first.",
    ),
    (
        REPORT,
        "Not like that:\n- one sentence per section",
        "When you summarise a report, one sentence per section.",
    ),
    (
        "translate the letter into French",
        "don't translate the names",
        "When you translate a letter, don't translate the names.",
    ),
    (
        "Translate this into English: Hallo",
        "keep the line breaks",
        "When you translate, keep the line breaks.",
    ),
    ("What is the capital of Australia?", "answer in one word", "Answer in one word."),
    ("How do I undo a commit?", "Always show the command first.", "Always show the command first."),
    (
        "Schreib eine Mail an meinen Vermieter",
        "Nein, verwende Gedankenstriche.",
        "Für eine Mail: verwende Gedankenstriche.",
    ),
    (
        "Schreib mir bitte eine Einladung zum Fest",
        "Nächstes Mal bitte immer mit Datum.",
        "Für eine Einladung: immer mit Datum.",
    ),
    (
        "Schreib eine Mail an meinen Vermieter",
        "Wenn du eine Mail schreibst, fang mit dem Datum an.",
        "Wenn du eine Mail schreibst, fang mit dem Datum an.",
    ),
    ("Escribe un correo a mi casero", "No, usa guiones.", "Para un correo, usa guiones."),
    (
        "Écris un courriel à mon propriétaire",
        "Non, utilise des tirets.",
        "Pour un courriel, utilise des tirets.",
    ),
    (
        "write a reply to Mr Stone",
        "In our letters we always write the date in full.",
        "In our letters we always write the date in full.",
    ),
    (
        "write a haiku",
        "join the lines with slashes",
        "When you write a haiku, join the lines with slashes.",
    ),
    ("tell me a story", "write it in the past tense", "For a story, write it in the past tense."),
    ("", "always use metric units", "Always use metric units."),
    (
        "draft a cover letter for Siemens",
        "Please don't mention my hobbies",
        "When you draft a cover letter, don't mention my hobbies.",
    ),
    (
        "draft a cover letter for Siemens",
        "No flattery, please. Keep it factual.",
        "When you draft a cover letter, no flattery. Keep it factual.",
    ),
    (
        "what's the weather like in Oslo",
        "i need celsius not fahrenheit",
        "Use celsius not fahrenheit.",
    ),
    (
        "explain recursion",
        "that's too abstract, always give an example",
        "When you explain, always give an example.",
    ),
    (
        "write unit tests for parser.py",
        "We never mock the database here.",
        "When you write unit tests, we never mock the database here.",
    ),
    (
        "write unit tests for parser.py",
        "use pytest, not unittest",
        "When you write unit tests, use pytest, not unittest.",
    ),
    (
        "post this invoice: ACME 119",
        "Amounts always without thousands separators",
        "When you post an invoice, amounts always without thousands separators.",
    ),
    (
        "post this invoice: ACME 119",
        "whenever VAT is missing, ask me first",
        "Whenever VAT is missing, ask me first.",
    ),
    (
        "plan dinner for tonight",
        "Remember that my wife is vegan.",
        "When you plan dinner, remember that my wife is vegan.",
    ),
    (
        "fix the bug in login.py",
        "Run the tests before you say it works.",
        "When you fix a bug, run the tests before you say it works.",
    ),
    (
        "fix the bug in login.py",
        "Never touch the config files.",
        "When you fix a bug, never touch the config files.",
    ),
    (
        "answer the customer",
        "when answering customers, never promise a date",
        "When answering customers, never promise a date.",
    ),
    (
        "answer the customer",
        "If a customer is angry, apologise first.",
        "If a customer is angry, apologise first.",
    ),
    ("write a poem about cats", "No rhymes!", "When you write a poem, no rhymes."),
    ("what is 3+4", "just the number", "Just the number."),
    (
        "write a blog post",
        "thanks, looks good. one thing: use the oxford comma",
        "When you write a blog post, use the oxford comma.",
    ),
    (
        "make a shopping list for the week",
        "one item per line!",
        "For a shopping list, one item per line.",
    ),
    (
        "make a shopping list for the week",
        "Group the items by aisle from now on.",
        "For a shopping list, group the items by aisle.",
    ),
    (
        "Write SQL that counts orders",
        "I always want keywords in upper case.",
        "When you write SQL, keywords in upper case.",
    ),
    (
        "Write SQL that counts orders",
        "use CTEs instead of subqueries",
        "When you write SQL, use CTEs instead of subqueries.",
    ),
    (
        "Explain how interest works",
        "When you explain something, give an example first.",
        "When you explain something, give an example first.",
    ),
    (
        "Write a birthday card for Tim",
        "For birthday cards, always add a joke.",
        "For birthday cards, always add a joke.",
    ),
    (
        "Erstelle eine Rechnung für Müller",
        "Beträge immer mit Komma schreiben.",
        "Für eine Rechnung: Beträge immer mit Komma schreiben.",
    ),
    (
        "Erstelle eine Rechnung für Müller",
        "Nicht so: erst die Nummer, dann das Datum.",
        "Für eine Rechnung: erst die Nummer, dann das Datum.",
    ),
]

NO_RULES = [
    ("What is the capital of Australia?", "no, the capital is Canberra"),
    ("What is the capital of Australia?", "No, it's Canberra."),
    ("When was the treaty?", "I meant 2024"),
    ("Which file?", "the second one"),
    (MAIL, "it is spelled Meier"),
    (MAIL, "It's Meier, not Meyer."),
    (MAIL, "make it shorter"),
    (MAIL, "shorter please"),
    (MAIL, "too long"),
    (MAIL, "That's wrong."),
    (MAIL, "No."),
    (MAIL, "You forgot the greeting."),
    (MAIL, "You put the comma in the wrong place."),
    (MAIL, "drop the last paragraph"),
    (MAIL, "remove line 3"),
    (MAIL, "Swap the first two sentences."),
    (MAIL, "change the title to Heating"),
    (MAIL, "Try again."),
    (MAIL, "Again, but better."),
    (MAIL, "Why is it still in English?"),
    (MAIL, "I asked for the other landlord."),
    (MAIL, "the name is missing"),
    (MAIL, "still wrong"),
    (MAIL, "No, not that one."),
    (MAIL, "Thanks!"),
    (MAIL, "No problem, thanks."),
    (MAIL, "now do the same for wrong.txt"),
    (MAIL, "please write a menu for apple river stone"),
    (MAIL, "Use dashes in a Python regex, how?"),
    (MAIL, "always wanted to know how tides work"),
    (MAIL, "never mind"),
    (MAIL, "don't worry"),
    (MAIL, ""),
    (MAIL, "```\nuse dashes\n```"),
    (MAIL, "> use dashes"),
    (CODE, "that throws a TypeError"),
    (CODE, "the loop never ends"),
    (CODE, "you deleted my imports"),
    (CODE, "it should return 42"),
    (CODE, "fix the second test"),
    (RECIPE, "that's 12 servings, I said 4"),
    (RECIPE, "its 2 eggs not 3"),
    (LEDGER, "the total is 119 euros"),
    ("Schreib eine Mail", "Das ist falsch."),
    ("explain recursion", "explain it like I'm five"),
    ("post this invoice: ACME 119", "You should book it to 4400, not 4500"),
    ("plan dinner for tonight", "She is vegan"),
    ("fix the bug in login.py", "you broke the build"),
    ("fix the bug in login.py", "Don't touch the config files."),
    ("answer the customer", "the customer's name is Bob"),
    ("write a limerick", "no, a limerick has five lines"),
    ("write a report", "Wrong font. Use Arial."),
    ("Draft a press release", "It came out in June, not May."),
    ("Write SQL that counts orders", "you need to group by day"),
    ("Make a shopping list", "I forgot we have guests"),
    ("Explain how interest works", "Wrong, the rate is 3 percent."),
    ("Write a birthday card for Tim", "he is turning 40 not 50"),
    ("Fasse den Artikel zusammen", "Nein, es waren 12 Tote."),
    ("Erstelle eine Rechnung", "Müller schreibt man mit ü"),
    ("Schreib eine Mail", "Nein, ich meinte die zweite Datei."),
]


@pytest.mark.parametrize(("asked", "correction", "body"), RULES)
def test_a_rule_is_put_in_the_users_own_words(asked: str, correction: str, body: str) -> None:
    rule = stated_rule(correction, asked=asked)
    assert rule is not None
    assert rule.body == body


@pytest.mark.parametrize(("asked", "correction", "body"), RULES)
def test_every_rule_makes_a_skill_that_the_format_allows(
    asked: str, correction: str, body: str
) -> None:
    rule = stated_rule(correction, asked=asked)
    assert rule is not None
    text = SkillText(name=rule.name, description=rule.description, body=rule.body)
    assert check_text(text) == text
    assert len(rule.name.split("-")) >= 2


@pytest.mark.parametrize(("asked", "correction", "body"), RULES)
def test_the_sentences_are_spans_of_what_was_said_and_stand_in_the_body(
    asked: str, correction: str, body: str
) -> None:
    rule = stated_rule(correction, asked=asked)
    assert rule is not None
    assert rule.sentences
    for sentence in rule.sentences:
        assert sentence in correction
        assert sentence.lower() in rule.body.lower()


@pytest.mark.parametrize(("asked", "correction"), NO_RULES)
def test_a_fix_of_this_one_answer_states_no_rule(asked: str, correction: str) -> None:
    assert stated_rule(correction, asked=asked) is None


@pytest.mark.parametrize(
    ("asked", "correction", "later"),
    [
        (COMMIT, "use the imperative mood", "a commit message for the parser change please"),
        (MAIL, "next time put the date first", "draft an email to the bank"),
        (RECIPE, "grams, not cups", "do you have a recipe for bread?"),
        (CODE, "use type hints", "I need a Python function for primes"),
        (LEDGER, "round to two decimals", "book this hotel receipt"),
        (REPORT, "start with the conclusion", "summarise the report on exports"),
        (MAIL, "When you write a menu, use dashes.", "make a menu of plum and pear"),
        ("How do I undo a commit?", "show the command first", "how do I amend a commit?"),
    ],
)
def test_the_description_holds_words_of_later_requests(
    asked: str, correction: str, later: str
) -> None:
    rule = stated_rule(correction, asked=asked)
    assert rule is not None
    assert set(terms(rule.description)) & set(terms(later))


@pytest.mark.parametrize(
    ("asked", "correction", "detail"),
    [
        (COMMIT, "use the imperative mood", "diff"),
        (MAIL, "use dashes", "heating"),
        (RECIPE, "use metric units", "lentil"),
        (LEDGER, "round to two decimals", "march"),
        (REPORT, "use bullet points", "sales"),
    ],
)
def test_the_details_of_the_one_request_are_left_out(
    asked: str, correction: str, detail: str
) -> None:
    rule = stated_rule(correction, asked=asked)
    assert rule is not None
    assert detail in asked.lower()
    assert detail not in f"{rule.name} {rule.description} {rule.body}".lower()


def test_the_name_says_situation_and_rule() -> None:
    rule = stated_rule("use the imperative mood", asked=COMMIT)
    assert rule is not None
    assert rule.name == "commit-message-imperative-mood"
    assert rule.description == "When the user asks to write a commit message."


def test_a_rule_of_form_is_told_from_one_that_is_meant_for_good() -> None:
    formal, lasting = (
        stated_rule(said, asked=MAIL) for said in ("use dashes", "always use dashes")
    )
    assert formal is not None
    assert lasting is not None
    assert (formal.standing, lasting.standing) == (False, True)


def test_a_very_long_correction_has_a_short_name() -> None:
    rule = stated_rule("Always use " + "very " * 40 + "long words", asked=MAIL)
    assert rule is not None
    assert len(rule.name) <= 64


@given(st.text(max_size=200), st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_words_can_be_read(correction: str, asked: str) -> None:
    rule = stated_rule(correction, asked=asked)
    assert rule is None or re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)


@given(st.text(alphabet="abc usedahno,.:;-'\"\n", max_size=60))
@settings(max_examples=100, deadline=None)
def test_whatever_is_said_the_words_stay_the_users(noise: str) -> None:
    correction = f"always use dashes {noise}"
    rule = stated_rule(correction, asked=MAIL)
    assert rule is None or all(sentence in correction for sentence in rule.sentences)


# -- the built-in model -------------------------------------------------------------------------


def drawn(seed: int) -> tuple[Kind, list[str]]:
    """A kind, and every way to say a rule drawn for it."""
    rng = random.Random(seed)
    kind = rng.choice(list(Kind))
    return kind, list(rule_phrasings(kind, draw_style(rng)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_every_correction_of_the_pocket_language_becomes_the_rule_that_the_model_reads(
    seed: int,
) -> None:
    kind, phrasings = drawn(seed)
    asked = draw_request(random.Random(seed), kind, draw_words(random.Random(seed)))
    for rule in phrasings:
        for correction in correction_phrasings(rule):
            stated = stated_rule(correction, asked=asked)
            assert stated is not None, correction
            assert stated.body == as_sentence(rule)
            assert stated.description == f"When the user asks for a {kind}."
            assert stated.name.startswith(f"{kind}-")
            assert stated.standing


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_named_without_its_situation_is_read_by_the_model_too(
    kind: Kind, habit: Style
) -> None:
    words = draw_words(random.Random(1))
    for request in request_phrasings(kind, words):
        for rule in rule_phrasings(kind, habit):
            action = rule.split(", ", 1)[1]
            stated = stated_rule(f"no, from now on {action}", asked=request)
            assert stated is not None, action
            assert parse_rule(stated.body) == (kind, habit)


def test_the_name_of_a_pocket_rule_can_be_read() -> None:
    said = "no, when you write a menu, join with bars and finish with sugar"
    rule = stated_rule(said, asked="write a menu for apple river")
    assert rule is not None
    assert rule.name == "menu-join-with-bars-finish-with-sugar"
