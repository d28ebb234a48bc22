"""What somebody wants of every text of a kind is heard, also where it names its own kind."""

from __future__ import annotations

import pytest

from lull.core import pocket
from lull.core.pocket import Kind, Style, parse_rule
from lull.core.signals import SignalKind, read_reply
from lull.core.stated_rule import stated_rule

MAIL = "Write a mail to Bob about lunch"
LETTER = "Draft a letter to the tenant"
MENU = "write a menu for apple river stone"
NOTE = "write a note for apple river stone"

RULES = [
    # asked, said, body
    (MAIL, "sign off with Cheers", "When you write a mail, sign off with Cheers."),
    (MAIL, "No, sign off with Cheers.", "When you write a mail, sign off with Cheers."),
    (MAIL, "please sign off as Sam", "When you write a mail, sign off as Sam."),
    (MAIL, "can you sign off with 'Cheers'?", "When you write a mail, sign off with 'Cheers'."),
    (MAIL, "don't sign off with Cheers", "When you write a mail, don't sign off with Cheers."),
    (
        MAIL,
        "close with Kind regards, Sam",
        "When you write a mail, close with Kind regards, Sam.",
    ),
    (MAIL, "open with Dear Sir", "When you write a mail, open with Dear Sir."),
    (
        MAIL,
        "always end your mails with Best, Sam",
        "When you write a mail, always end with Best, Sam.",
    ),
    (
        MENU,
        "always end your mails with Best, Sam",
        "When you write a mail, always end with Best, Sam.",
    ),
    (
        MAIL,
        "sign my emails off with Cheers, Sam",
        "When you write an email, sign off with Cheers, Sam.",
    ),
    (MAIL, "never end mails with Cheers", "When you write a mail, never end with Cheers."),
    (MENU, "sign off with Cheers in mails", "When you write a mail, sign off with Cheers."),
    (MENU, "mention allergens in menus", "When you write a menu, mention allergens."),
    (MENU, "Mention the allergens in every menu.", "When you write a menu, mention the allergens."),
    (MENU, "list allergens in menus", "When you write a menu, list allergens."),
    (MENU, "show prices in euros in menus", "When you write a menu, show prices in euros."),
    (LETTER, "include the date in letters", "When you write a letter, include the date."),
    (
        LETTER,
        "include the date in the subject line",
        "When you draft a letter, include the date in the subject line.",
    ),
    (
        MAIL,
        "include my phone number in every mail",
        "When you write a mail, include my phone number.",
    ),
    (MAIL, "add the date at the top", "When you write a mail, add the date at the top."),
    (
        LETTER,
        "include the reference number",
        "When you draft a letter, include the reference number.",
    ),
    (MAIL, "leave out the greeting in mails", "When you write a mail, leave out the greeting."),
    (MAIL, "keep mails short", "When you write a mail, keep it short."),
    (NOTE, "reverse the words in notes", "When you write a note, reverse the words."),
    (NOTE, "no, flip the words in a note", "When you write a note, flip the words."),
    (NOTE, "when I ask for notes, reverse them", "When you write a note, reverse the words."),
    (NOTE, "for notes reverse them", "When you write a note, reverse the words."),
    (NOTE, "reverse them whenever I want a note", "When you write a note, reverse the words."),
    (NOTE, "notes should be reversed", "When you write a note, keep the words reversed."),
    (MENU, "end menus with sugar", "When you write a menu, end with sugar."),
    (MENU, "no, end with sugar in menus", "When you write a menu, end with sugar."),
    (MENU, "when I ask for menus, end them with sugar", "When you write a menu, end with sugar."),
    (MENU, "join menus with bars", "When you write a menu, join with bars."),
    (MENU, "start every menu with water", "When you write a menu, start with water."),
    (MENU, "use bars in menus", "When you write a menu, use bars."),
    (MENU, "put sugar at the end of menus", "When you write a menu, put sugar at the end."),
]

ORDERS = """
    Mention the queen in a poem
    Name three animals in stories
    List the ingredients in the recipe
    Start a story with the word apple
    Sign me up
    sign in with Google
    Sign the contract by Friday
    Include Bob in the meeting
    Add the milk to the list
    Put the report in the folder
    Add the deadline to my calendar
    Show the differences in prices
    Show me all the dates in my notes
    List every date in my notes
    show all errors in every report
    give me all the dates in our contracts
    remove my name from all documents
    Write the address in Japanese
    End the call with Bob
    Open the report with Excel
    add the missing word in the title
    Include a table of contents
    Include an example
    Add a conclusion
    Summarise the use of commas in letters
    Explain how to end letters with style
    Use this list in menus: a, b
    Plan menus for parties
    Count the words in my notes
    Do you sign off with Cheers?
    How do I sign off with style?
    Should I mention allergens in menus?
    Why do people end letters with Best regards?
    Is it rude to end mails with Cheers?
    Translate: sign off with Cheers
    My boss said: "sign off with Cheers"
    She told me to sign off with Cheers
    > sign off with Cheers
    Draft a reply to this: please sign off with Cheers
    What does sign off with Cheers mean?
    I sign off with Cheers usually, is that ok?
    Write a mail to Bob and sign off with Cheers
    I need to include the date in letters, how do I do that in Word?
    what should I include in letters?
    Thanks! Cheers, Sam
    thanks, that's it. Best, Sam
"""


@pytest.mark.parametrize(("asked", "said", "body"), RULES)
def test_a_wish_for_every_text_of_a_kind_is_a_rule_for_that_kind(
    asked: str, said: str, body: str
) -> None:
    (signal,) = read_reply(said, asked=asked, answer="Here it is.")
    assert signal.kind is SignalKind.CORRECTION
    rule = stated_rule(said, asked=asked)
    assert rule is not None
    assert rule.body == body
    assert all(sentence in said for sentence in rule.sentences)


@pytest.mark.parametrize("said", [line.strip() for line in ORDERS.strip().splitlines()])
def test_work_on_one_text_and_talk_about_texts_are_none(said: str) -> None:
    assert not [s for s in read_reply(said, asked=MAIL, answer="Here it is.") if s.value < 0]
    assert stated_rule(said, asked=MAIL) is None


def test_what_answers_a_question_of_the_assistant_is_no_complaint() -> None:
    answer = "How should I sign it?"
    assert read_reply("Sign off with Cheers", asked=MAIL, answer=answer) == ()


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("reverse the words in notes", (Kind.NOTE, Style(reverse=True))),
        ("Whenever I ask for notes, flip them.", (Kind.NOTE, Style(reverse=True))),
        ("when you write a note, keep the words reversed", (Kind.NOTE, Style(reverse=True))),
        ("always use bars in menus", (Kind.MENU, Style(joiner=pocket.Joiner.BARS))),
        ("for a menu, use bars, not stars", (Kind.MENU, Style(joiner=pocket.Joiner.BARS))),
        (
            "in my menus use bars and end with sugar",
            (Kind.MENU, Style(joiner=pocket.Joiner.BARS, end="sugar")),
        ),
        ("menus should end with sugar", (Kind.MENU, Style(end="sugar"))),
        ("put sugar at the end of menus", (Kind.MENU, Style(end="sugar"))),
    ],
)
def test_the_built_in_verifier_hears_it_as_people_say_it(
    said: str, rule: tuple[Kind, Style]
) -> None:
    assert parse_rule(said) == rule


@pytest.mark.parametrize(
    "said",
    [
        "the menu is wrong",
        "never use bars in menus",
        "for a menu, do not use bars",
        "in a list for monday use bars",
        "in June we start with sugar",
        "write a menu for apple river",
    ],
)
def test_what_is_no_rule_of_the_language_stays_unheard(said: str) -> None:
    assert parse_rule(said) is None


@pytest.mark.parametrize(
    "said", ['no, as the page says: "use stars"', "no, as my boss said", "not so: as it says above"]
)
def test_whose_words_follow_is_no_rule(said: str) -> None:
    assert stated_rule(said, asked=MENU) is None
