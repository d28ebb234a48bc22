"""How users say rules about the start and the end of answers, as trained on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.english.texts.split import lines

SAID_OF_EDGES: Final[Mapping[str, tuple[str, ...]]] = {
    "ends": lines("""
        End {it} with "{v}".
        Always end {it} with the words "{v}".
        Sign off {it} with "{v}".
        Close {it} with {v}
        Finish {it} with "{v}"
        I want {it} to end with "{v}".
        The last words of {it} must be "{v}".
        Put "{v}" at the very end of {it}.
        Add "{v}" at the end of {it}, always.
        Never finish {it} without "{v}" as the last words.
        {it}: the closing line is "{v}"
        You forgot to end with "{v}", do that in {it}.
        "{v}" goes last in {it}.
        "{v}" <- last thing in {it}, every time
        pls end {it} w/ "{v}"
        can u finish {it} with "{v}" from now on
        Would you be so kind as to close {it} with "{v}"?
        It is requested that {it} conclude with the phrase "{v}".
        I'd like to see "{v}" as the final words in {it}.
        I'd love it if {it} ended with "{v}".
        Where is my "{v}"? It belongs at the bottom of {it}.
        You keep leaving out "{v}" at the end of {it}. Don't.
        In {it}, please to write at the end: {v}
        For {it} the ending shall be always "{v}".
        Nothing may come after "{v}" in {it}, and "{v}" may not be missing.
        When you are done with {it}, write "{v}" and stop there.
        If you have said what there is to say, close {it} with "{v}".
        We have a custom at home: {it} must end with "{v}", so do that too, would you.
        alway put "{v}" at teh end of {it}
        Last line of {it}: "{v}"
        The very last thing I read in {it} should be "{v}".
        Ending for {it}: {v}
        Let {it} run out with "{v}".
        I miss my sign-off. Use "{v}" at the end of {it}.
        Don't you dare end {it} with anything but "{v}".
        Round off {it} by saying "{v}".
        Before you send {it}, add "{v}" underneath.
        My grandma likes {it} to stop with "{v}", so please do that.
    """),
    "starts": lines("""
        Start {it} with "{v}".
        Begin {it} with "{v}"
        Always open {it} with the words "{v}".
        I want {it} to start with "{v}".
        The first words of {it} must be "{v}".
        Put "{v}" in front of {it}.
        {it} should always begin with {v}
        Say "{v}" before anything else in {it}.
        Never start {it} without "{v}".
        Prefix {it} with "{v}".
        Lead with "{v}" in {it}, please.
        "{v}" comes first in {it}.
        "{v}" at the top of {it}, thanks
        yo start {it} with "{v}"
        pls put "{v}" first in {it} ok
        Kindly commence {it} with the words "{v}".
        Could you open {it} with "{v}" from now on?
        I'd like {it} to open with "{v}".
        I wish {it} would begin with "{v}".
        You never start {it} the way I asked: with "{v}".
        I told you twice. {it}: first "{v}", then the rest.
        For {it} please to begin always with "{v}".
        In {it} the beginning has to be "{v}".
        Opening words for {it}: {v}
        Beginning of {it}: "{v}"
        The very first thing in {it} is "{v}", then you go on.
        No other words before "{v}" in {it}.
        Don't begin {it} with anything other than "{v}".
        Whenever it comes to {it}, "{v}" is how you start.
        If you answer me, then {it} should open with "{v}".
        It is a silly habit of ours, but we do start {it} with "{v}", so do it too.
        strat {it} with "{v}" please
        Let {it} kick off with "{v}".
        I'm used to reading "{v}" at the beginning of {it}. Keep to that.
        Write "{v}" and only then the rest, in {it}.
        Please introduce {it} by "{v}".
        The opening of {it} shall read "{v}".
        How hard is it to put "{v}" at the start of {it}?
    """),
    "emoji": lines("""
        My daughter thinks robots are cold, so show her an emoji at the {v} of {it}.
        emoji, {v}, {it}, you know the drill
        Put an emoji at the {v} of {it}.
        I want an emoji at the {v} of {it}.
        Add a fitting emoji at the {v} of {it}.
        There should be an emoji at the {v} of {it}.
        {it}: one emoji at the {v}
        Always place an emoji at the {v} of {it}.
        Use an emoji at the {v} of {it}, please.
        emoji at the {v} of {it} pls
        yo add an emoji to the {v} of {it}
        Could you put an emoji at the {v} of {it}?
        I'd like an emoji at the {v} of {it}.
        I'd love to see a little emoji at the {v} of {it}.
        It would please me if an emoji stood at the {v} of {it}.
        At the {v} of {it} there must be an emoji.
        At the {v} of {it}, an emoji. Always.
        The {v} of {it} is the place for an emoji.
        Where is the emoji? It goes at the {v} of {it}.
        You keep forgetting the emoji at the {v} of {it}.
        I find {it} sad without an emoji at the {v}, so add one.
        Don't leave out the emoji at the {v} of {it}.
        Never send {it} without an emoji at the {v}.
        For {it} please to set one emoji at the {v}.
        In {it} should be an emoji on the {v}.
        My kids read along, so put an emoji at the {v} of {it}.
        If you write something for me, let an emoji stand at the {v} of {it}.
        Please ensure that an emoji is placed at the {v} of {it}.
        Kindly include an emoji at the {v} of {it}.
        a smiley at the {v} of {it}, any emoji will do
        Pick any emoji you like for the {v} of {it}.
        Emojis are fun! Have one at the {v} of {it}.
        one emoij at the {v} of {it} thx
        Stick an emoji on the {v} of {it}.
        Let me see an emoji at the {v} of {it}, no matter what it's about.
        Too dry for me. Put an emoji at the {v} of {it}.
        Something is missing: an emoji at the {v} of {it}.
    """),
    "ends_question": lines("""
        End {it} with a question.
        Finish {it} by asking me something.
        Close {it} with a question to me.
        I want {it} to end with a question.
        I'd like a question at the end of {it}.
        Always ask me something at the end of {it}.
        The last sentence of {it} must be a question.
        The last sentence in {it} is a question, always.
        A question mark should be the last sign in {it}.
        Never end {it} without a question.
        {it}: last comes a question
        ask me sth at the end of {it}
        pls finish {it} with a question so i can go on
        You never ask me anything. End {it} with a question.
        Could you put a question at the end of {it}?
        Kindly conclude {it} with a question.
        It would be nice if you asked me a question at the end of {it}.
        Keep the talk going: a question at the end of {it}.
        For {it} please to finish with one question for me.
        If you are done, ask me a question at the end of {it}.
        Don't just stop in {it}, ask me something last.
        Add a closing question to {it}.
        Let {it} end in a question.
        Conversations die if nobody asks, so {it} should end with a question.
        Round off {it} with a short question.
        The way to end {it} is with a question.
        Ask something back at the end of {it}.
    """),
    "first_letter": lines("""
        Start {it} with the letter {v}.
        Begin {it} with the letter "{v}".
        The first letter of {it} must be {v}.
        The first letter in {it} should be "{v}".
        I want the first word of {it} to begin with {v}.
        I'd like {it} to start with the letter {v}.
        {it}: first letter {v}
        {v} is the first letter of {it}, always.
        Always use a word with {v} at the start of {it}.
        Never start {it} with any letter but {v}.
        Let the first word in {it} start with "{v}".
        pls start {it} with the letter {v}
        first letter of {it} = {v}
        lets play a game, the first letter in {it} is {v}
        Kindly open {it} with a word that begins with the letter {v}.
        Could the first word of {it} begin with {v}?
        For {it} please to take {v} as first letter.
        Open {it} with a word beginning with {v}.
        The opening word in {it} has to begin with "{v}".
        You did it wrong, the first letter in {it} must be {v}.
        If you write something, the first letter of {it} should be {v}.
        We play a letter game. So the letter {v} comes first in {it}.
        With {v}, that is how the first word in {it} has to start.
        Don't begin {it} with another letter than {v}.
        Pick a word with {v} for the beginning of {it}.
        I only accept {v} as the first letter of {it}.
    """),
    "last_line": lines("""
        Begin the last line of {it} with "{v}".
        The last line of {it} must start with "{v}".
        I want a last line that starts with "{v}" in {it}.
        I'd like {it} to have a final line beginning with "{v}".
        Put a line at the end of {it} that starts with "{v}".
        Give {it} a closing line that opens with "{v}".
        {it}: last line starts with "{v}"
        In {it}, start the final line with "{v}" and say something useful there.
        "{v}" opens the last line of {it}.
        "{v}" and a sentence behind it, that's the last line of {it}.
        last line of {it} begins w/ "{v}" pls
        pls add a line with "{v}" in front at the end of {it}
        Kindly let the final line of {it} begin with "{v}".
        Could the last line in {it} start with "{v}"?
        Never forget the line starting with "{v}" at the end of {it}.
        You left out the last line that starts with "{v}", I need it in {it}.
        For {it} please to start last line with "{v}".
        When you finish {it}, make one more line that begins with "{v}".
        Close {it} with a line of its own, starting with "{v}".
        The bottom line of {it} should begin with "{v}".
        At the bottom of {it} I expect a line with "{v}" in front.
        Don't end {it} without a line that starts with "{v}".
        Write the last thought in {it} on its own line, after "{v}".
        Let {it} end in a separate line that starts with "{v}".
        I read only the end, so start the last line of {it} with "{v}".
    """),
    "no_preamble": lines("""
        No introduction in {it}, start with the answer itself.
        Skip the pleasantries in {it}.
        Don't begin {it} with "Sure" or "Here is".
        Get straight to the point in {it}.
        I want {it} without any preamble.
        I'd like {it} to come without an opening phrase.
        Leave out the opening chatter in {it}.
        {it}: no preamble
        no "here are some" stuff at the start of {it} pls
        just the answer, no intro in {it}
        You always announce what you are going to write. Stop that in {it}.
        I'm sick of "Certainly!" at the start of {it}.
        Stop greeting me in {it}, come to the matter at once.
        Never open {it} with a polite phrase.
        Kindly omit introductory remarks in {it}.
        Please refrain from an introduction in {it}.
        For {it} please not to make an introduction, only the thing.
        Could you drop the opening lines in {it}?
        Cut the opening fluff from {it}.
        If you answer, answer: no "Sure, here you go" in {it}.
        The first sentence of {it} must be content already.
        Don't tell me that it is a great question, just begin, in {it}.
        Don't announce what comes in {it}, write it.
        Begin {it} with the thing I asked for, not with small talk.
        Without any warm-up, please, in {it}.
        I have no time for introductions in {it}.
    """),
    "title": lines("""
        Put a markdown heading on the first line of {it}.
        Start {it} with a heading, written with #.
        The first line of {it} must be a heading with a # in front.
        I want a title with "#" on top of {it}.
        I'd like {it} to begin with a heading in markdown.
        Give {it} a title as a markdown heading.
        Always begin {it} with a line like "# Title".
        {it}: first a # heading, then the text
        A heading comes first in {it}, marked with #.
        # heading at the top of {it} pls
        can u put a # title above {it}
        Never write {it} without a heading at the top (#).
        You forgot the heading again. The first line in {it} is "# ...".
        Kindly provide {it} with a heading in markdown on the first line.
        Could {it} have a # headline at the beginning?
        For {it} please to make a title with # on first line.
        Above {it} there has to be a title, with the sign # before it.
        Open {it} with a # headline.
        If you write me something, put a heading with # above it, in {it}.
        Head {it} with a title line that begins with #.
        My notes need titles, so add a "# ..." line at the top of {it}.
        I can't find anything without headings: put one with # first in {it}.
        Don't start {it} with plain text, start with a # heading.
        First line in {it}: a title with # in front of it.
        Top of {it} = markdown heading.
        Let a headline with # stand over {it}.
    """),
}  # fmt: skip
