"""Tests of skills made of the user's own words: verbatim, in a fixed frame, with a valid name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.errors import SkillError, UsageError
from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.skills.skill import SkillText, check_text
from lull.core.skills.stated_skill import (
    example_of,
    is_named_for,
    name_of,
    skill_of,
    title_of,
    with_its_subject,
    with_scope,
    with_words,
    words_of,
)

SAID = st.text(min_size=1, max_size=200).filter(str.strip)
SCOPES = st.sampled_from(Scope)
KINDS = st.sampled_from((None, *RuleKind))


def made(
    rule: str,
    *,
    scope: Scope = Scope.KIND,
    kind: RuleKind | None = RuleKind.PREFERENCE,
    asked: str = "write a menu",
) -> SkillText:
    return skill_of(rule, scope=scope, kind_of_rule=kind, asked=asked)


@given(SAID, SCOPES, KINDS, st.text(max_size=400))
def test_what_was_said_stands_in_the_skill_verbatim_and_is_found_again(
    said: str, scope: Scope, kind: RuleKind | None, asked: str
) -> None:
    text = made(said, scope=scope, kind=kind, asked=asked)
    words = " ".join(said.split())
    assert words in text.body
    assert words_of(text.body) == words


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("No, use bullets.", "use bullets."),
        ("Nope! Use bullets.", "Use bullets."),
        ("no no, use bullets", "use bullets"),
        ("No bullets, please", "No bullets, please"),
        ("No: emojis, bold", "No: emojis, bold"),
        ("No. 5 is my size", "No. 5 is my size"),
        ("No-nonsense answers", "No-nonsense answers"),
        ("No, no bullets", "no bullets"),
        ("No, 30 words are enough", "30 words are enough"),
        ("no.", "no."),
        ("no... emojis please", "no... emojis please"),
        ("No – markdown", "No – markdown"),
        ("'No, sir' is how I want to be addressed", "'No, sir' is how I want to be addressed"),
    ],
)
def test_a_no_in_front_is_about_the_answer_before(said: str, words: str) -> None:
    assert words_of(made(said).body) == words


def test_a_no_in_front_is_not_in_the_name() -> None:
    assert (
        made("No, use bullet points when I ask you for ideas.").name
        == "bullet-points-when-i-ask-you-for-ideas"
    )


@given(
    SAID | st.sampled_from(["…", "日本語で答えて", "use — dashes", "🙂🙂", "don't", "-"]), SCOPES
)
def test_any_words_make_a_skill_that_the_format_allows(said: str, scope: Scope) -> None:
    text = made(said, scope=scope)
    try:
        assert check_text(text) == text
    except SkillError as error:  # what no file should hold
        assert "control character" in error.detail
        assert check_text(replace(text, body="Do so.")).name == text.name


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("From now on please keep every answer to at most two sentences.", "at-most-two-sentences"),
        ("Antworte ab jetzt in höchstens zwei Sätzen, bitte.", "hochstens-zwei-satzen"),
        ("Réponds en français", "en-francais"),
        ("Please always end with “Cheers”.", "end-with-cheers"),
        ("Please always use bullets", "use-bullets"),
        ("No bullet points, that's how I always want it.", "no-bullet-points"),
        ("don't use commas", "dont-use-commas"),
        ("When I ask for a recipe, use grams and not cups.", "grams-and-not-cups"),
        ("No emojis. Use at most five words.", "no-emojis-use-at-most-five-words"),
    ],
)
def test_a_name_says_what_is_checked_in_the_words_of_the_user(words: str, name: str) -> None:
    assert name_of(words) == name


def test_a_check_of_many_words_is_named_by_whole_words() -> None:
    text = " ".join(["All the best from all of us"] * 3)
    assert name_of(f"End with '{text}'.") == "end-with-all-the-best-from-all-of-us-all-the"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("From now on please call me Captain.", "from-now-on-please-call-me-captain"),
        ("Be brief. I read on my phone.", "be-brief"),
        ("Listen. Write like a pirate.", "listen-write-like-a-pirate"),
        (
            "Please keep this drive clear, as we need to get the car out day and night.",
            "please-keep-this-drive-clear",
        ),
        (
            "When I ask for something to read on a Sunday, call me Captain.",
            "call-me-captain",
        ),
        (
            "Write to the head of the school about it as you would write to a friend",
            "write-to-the-head-of-the-school-about-it-as-you",
        ),
        ("do it like this", "do-it-like-this"),
        ("Don’t", "dont"),
        ("日本語で答えて", "what-the-user-said"),
        ("x" * 200, "x" * 64),
    ],
)
def test_a_name_is_the_beginning_of_the_rule_unbroken(words: str, name: str) -> None:
    assert name_of(words) == name


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (
            "When I ask for anything whatsoever about the trains in Japan, 日本語で答えて",
            "when-i-ask-for-anything-whatsoever-about-the",
        ),
        ("Please don't use — dashes.", "please-dont-use-dashes"),
        ("x" * 63 + " abc def", "x" * 63),
    ],
)
def test_words_that_a_name_cannot_hold_leave_the_others(words: str, name: str) -> None:
    assert check_text(made(words)).name == name


def test_a_rule_for_all_names_no_request() -> None:
    text = made("Use bullets.", scope=Scope.ALL)
    assert text.description == "For every request."
    assert "menu" not in text.body and example_of(text.body) == ""


def test_a_rule_of_a_kind_names_the_request_that_it_was_said_after() -> None:
    text = made("Use bullets.", asked="write a\nmenu for Sunday")
    assert text.description == "For requests like: write a menu for Sunday"
    assert example_of(text.body) == "write a menu for Sunday"


def test_a_long_request_is_shown_by_its_beginning() -> None:
    text = made("Use bullets.", asked="please " * 300)
    assert example_of(text.body).endswith("please …")
    assert len(text.body) < 400


def test_of_a_kind_without_a_request_it_holds_everywhere() -> None:
    assert made("Use bullets.", asked=" \n").description == "For every request."


@pytest.mark.parametrize("scope", Scope)
def test_a_fact_is_kept_in_mind(scope: Scope) -> None:
    body = made("I am a nurse.", scope=scope, kind=RuleKind.FACT).body
    assert "keep in mind" in body.lower()
    assert words_of(body) == "I am a nurse."


def test_the_frame_in_what_was_said_or_asked_fools_nobody() -> None:
    """A user may quote the frame of one of our skills; the real frame is still found."""
    frame = made("Use bars.").body
    assert words_of(made(frame).body) == frame
    assert words_of(made("Use bullets.", asked=frame).body) == "Use bullets."


@given(st.text())
def test_a_body_of_another_form_is_its_own_words(body: str) -> None:
    assert words_of(body) == body
    assert example_of(body) == ""


@pytest.mark.parametrize(
    ("rule", "said", "whole"),
    [
        (
            "Never do that again.",
            "I hate when you use emojis. Never do that again.",
            "I hate when you use emojis.\nNever do that again.",
        ),
        (
            "Don't ever do it like that.",
            "Sorry, the tables were too wide. You did this before. Don't ever do it like that.",
            "Sorry, the tables were too wide.\nYou did this before.\nDon't ever do it like that.",
        ),
        ("Never do that again.", "Never do that again.", ""),
        ("Answer in German.", "I am from Bern. Answer in German.", "Answer in German."),
        ("请用中文回答", "请用中文回答", "请用中文回答"),
        ("", "I hate when you use emojis.", ""),
    ],
)
def test_a_rule_that_points_back_takes_with_it_what_it_points_at(
    rule: str, said: str, whole: str
) -> None:
    assert with_its_subject(rule, said) == whole


# Another scope


@given(SAID, KINDS, st.text(max_size=400).filter(str.strip))
def test_another_scope_makes_the_skill_that_would_have_been_built_for_it(
    said: str, kind: RuleKind | None, asked: str
) -> None:
    one, everything = made(said, kind=kind, asked=asked), made(said, scope=Scope.ALL, kind=kind)
    assert with_scope(one, Scope.ALL, asked=asked) == everything
    assert with_scope(everything, Scope.KIND, asked=asked) == one
    assert with_scope(one, Scope.KIND, asked="another") == one
    assert with_scope(everything, Scope.ALL, asked="another") == everything


def test_another_scope_changes_no_text_and_no_description_of_other_people() -> None:
    own = replace(made("Use bullets."), body="Use bullets, please.")
    assert with_scope(own, Scope.ALL, asked="write a menu") == own
    described = replace(made("Use bullets."), description="When dishes are listed.")
    assert with_scope(described, Scope.ALL, asked="").description == "When dishes are listed."
    assert (
        with_scope(described, Scope.ALL, asked="").body
        == made("Use bullets.", scope=Scope.ALL).body
    )


def test_a_rule_for_all_needs_a_request_or_a_description_to_be_for_a_kind() -> None:
    everything = made("Use bullets.", scope=Scope.ALL)
    with pytest.raises(UsageError, match="no longer stored"):
        with_scope(everything, Scope.KIND, asked=" ")
    described = replace(everything, description="When dishes are listed.")
    assert with_scope(described, Scope.KIND, asked="") == described


LONG = (
    "Please, when I ask for a recipe, give the quantities in grams and not in cups, "
    "and be as brief as you can"
)
QUOTED = (
    'End with "Have a nice day, my dear friend, and come back soon to us all" in all your mails'
)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("use dashes and end with honey", "Use dashes and end with honey"),
        ("No more than two sentences. Thanks!", "No more than two sentences"),
        ("Short. Keep it short.", "Short. Keep it short"),
        ("Grüße mich nie mit „Hallo. Na?“, bitte", "Grüße mich nie mit „Hallo. Na?“, bitte"),
        ("日本語で答えて", "日本語で答えて"),
        (LONG, "Give the quantities in grams and not in cups …"),
        (QUOTED, QUOTED),
        ("- use bullets", "Use bullets"),
        ("no 5\" screens – 6\" ones are better", "No 5\" screens – 6\" ones are better"),
        ('Always answer in JSON like {"a": 1} and so on', "Always answer in JSON like …"),
        ('{"tool": "notes", "rule": "use dashes"}', ""),
        ("", ""),
    ],
)  # fmt: skip
def test_a_title_is_a_whole_clause_of_what_was_said(said: str, title: str) -> None:
    assert title_of(said) == title


WORDS = st.lists(
    st.sampled_from(["use", "dashes,", "and", "“never", "ever”", '"a, b"', "(not", "so)", "end.",
                     "–", "recipe:", "in", "supercalifragilistic"]),
    min_size=1, max_size=60,
).map(" ".join)  # fmt: skip


@given(WORDS)
def test_a_title_ends_at_a_word_and_outside_a_quotation(said: str) -> None:
    title = title_of(said)
    begin = title.removesuffix(" …")
    at = said.lower().find(begin.lower())
    assert at >= 0
    assert not said[at + len(begin) :][:1].isalnum()
    if title.endswith(" …") and '"' not in said:
        assert begin.count("“") <= begin.count("”") or said.count("“") > said.count("”")


def test_a_name_was_made_of_the_words_that_it_stands_for() -> None:
    for said in (LONG, QUOTED, "日本語で答えて", '{"a": 1}', 'Reply as {"a": 1}', "Use dashes."):
        assert is_named_for(name_of(said), said), said
        assert is_named_for(f"{name_of(said)}-2", said), said
    assert not is_named_for("my-own-name", "Use dashes.")


def test_code_has_no_place_in_a_name() -> None:
    assert name_of('{"tool": "notes", "rule": "use dashes"}') == "answer-in-json"
    assert name_of("```sql\nSELECT 1\n```") == "answer-with-code"
    assert name_of('Put names into {"name": "x"}, always') == "put-names-into"


def test_a_name_does_not_end_behind_words_that_say_nothing() -> None:
    said = "From now on, please always sign my mails with Best and never with my whole name"
    assert name_of(said) == "from-now-on-please-always-sign-my-mails-with"


@given(SAID, SCOPES, KINDS, SAID.filter(lambda said: "”" not in said))
def test_other_words_stand_in_the_same_sentence(
    said: str, scope: Scope, kind: RuleKind | None, other: str
) -> None:
    body = made(said, scope=scope, kind=kind).body
    assert with_words(body, words_of(body)) == body
    changed = with_words(body, other)
    assert words_of(changed) == other
    assert example_of(changed) == example_of(body)


def test_a_text_that_lull_did_not_build_is_replaced_by_the_words() -> None:
    assert with_words("Join the words with bars.", "Use dashes.") == "Use dashes."
