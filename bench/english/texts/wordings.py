"""How users say a rule of each family; the held-out wordings are never trained on.

`{it}` stands for what the rule is about ("every answer", "emails") and `{v}` for its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


WORDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "ends": _lines("""
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
    """),
    "starts": _lines("""
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
    """),
    "sentences": _lines("""
        Write {it} in exactly {v} sentences.
        Keep {it} to {v} sentences.
        I want {it} to have {v} sentences, no more and no less.
        Use {v} sentences for {it}.
        {it} must be {v} sentences long.
        Answer with {v} sentences in {it}.
        Limit {it} to exactly {v} sentences.
        No more than {v} sentences and no fewer in {it}.
        {v} sentences are what I want for {it}.
        Just {v} sentences for {it}, please.
    """),
    "words": _lines("""
        Keep {it} under {v} words.
        Use fewer than {v} words in {it}.
        I want {it} with less than {v} words.
        {it} must be shorter than {v} words.
        Write {it} in less than {v} words.
        No more long texts: under {v} words for {it}.
        {it} should have fewer than {v} words.
        Stay below {v} words in {it}.
        Too long! Keep {it} below {v} words.
        Under {v} words for {it}, please.
    """),
    "lines": _lines("""
        Write {it} in exactly {v} lines.
        I want {it} to have {v} lines.
        {it} must be {v} lines long.
        Use {v} lines for {it}, no more and no less.
        Break {it} into {v} lines.
        Always {v} lines in {it}.
        Format {it} as {v} lines of text.
        Put {it} on {v} lines.
    """),
    "bullets": _lines("""
        Use bullet points for {it}.
        Give me {it} as a bulleted list.
        Write {it} only with bullet points, each line starting with "- ".
        I want bullets in {it}.
        {it} should be bullet points.
        Put {it} into bullets.
        Format {it} as bullet points.
        Bullet points only in {it}, please.
        Always answer with a list of bullets in {it}.
        No running text in {it}, use bullet points.
        Structure {it} with dashes, one point a line.
    """),
    "lower_case": _lines("""
        Write {it} in lowercase letters, no capitals at all.
        Use only lowercase in {it}.
        No capital letters in {it}, please.
        I want {it} all in lower case.
        Keep {it} lowercase.
        {it} must be in small letters only.
        Don't capitalise anything in {it}.
        Never use upper case in {it}.
        all lowercase for {it}
        Small letters only in {it}.
    """),
    "upper_case": _lines("""
        Write {it} in ALL CAPS.
        Use capital letters only in {it}.
        I want {it} in upper case.
        Uppercase for {it}, please.
        {it} must be in capitals.
        Put {it} in capital letters.
        No lowercase letters in {it}.
        ALL CAPS FOR {it}
        Always use caps lock for {it}.
    """),
    "json": _lines("""
        Give {it} as a JSON object with the key "{v}" and nothing else.
        Return {it} as JSON with one key, "{v}".
        Reply in JSON only for {it}.
        I need {it} as plain JSON and nothing around it.
        {it} must be a JSON object.
        Format {it} as JSON, the key is "{v}".
        Put {it} into JSON.
        JSON only for {it}, please.
        Write {it} as JSON with the field "{v}".
    """),
    "no_sign": _lines("""
        Do not use any {v} in {it}.
        Never use {v} in {it}.
        Write {it} without {v}.
        No {v} in {it}.
        I don't want {v} in {it}.
        Avoid {v} in {it} completely.
        Leave out all {v} in {it}.
        Stop using {v} in {it}.
        {it} must not contain {v}.
    """),
    "not_contains": _lines("""
        Never use the word "{v}" in {it}.
        Don't say "{v}" in {it}.
        Avoid the word "{v}" in {it}.
        Write {it} without the word "{v}".
        I don't want to read "{v}" in {it}.
        The word "{v}" must not be in {it}.
        Stop writing "{v}" in {it}.
        Leave the word "{v}" out of {it}.
    """),
    "emoji": _lines("""
        Put an emoji at the {v} of {it}.
        I want an emoji at the {v} of {it}.
        Add a fitting emoji at the {v} of {it}.
        There should be an emoji at the {v} of {it}.
        {it}: one emoji at the {v}
        Always place an emoji at the {v} of {it}.
        Use an emoji at the {v} of {it}, please.
    """),
    "no_bold": _lines("""
        No bold text in {it}.
        Don't use bold in {it}.
        Stop making words bold in {it}.
        Write {it} without bold formatting.
        I don't want asterisks around words in {it}, no bold.
        {it} must not have bold words.
    """),
    "no_lists": _lines("""
        No lists in {it}, write running text.
        Don't use bullet points or numbered lists in {it}.
        Write {it} as flowing text, without lists.
        I don't like lists, use full sentences in {it}.
        {it} must not contain lists.
        Never make a list in {it}.
        Plain paragraphs instead of lists in {it}.
    """),
}  # fmt: skip
HELD_WORDINGS: Final[Mapping[str, tuple[str, ...]]] = {
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
    "contains": _lines("""
        Use the word "{v}" somewhere in {it}.
        Mention "{v}" in {it}.
        {it} must contain the word "{v}".
        I want to see "{v}" in {it}.
        Always include the phrase "{v}" in {it}.
    """),
    "numbered_list": _lines("""
        Write {it} as a numbered list.
        Number the points of {it}: 1., 2., 3.
        I want {it} as numbered steps.
        Use a numbered list for {it}.
        Format {it} as an enumeration with numbers.
    """),
}  # fmt: skip
