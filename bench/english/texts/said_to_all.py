"""How users say a rule that is for every request and names none, as trained on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.english.texts.split import lines

SAID_TO_ALL: Final[Mapping[str, tuple[str, ...]]] = {
    "ends": lines("""
        End with "{v}".
        Always sign off with "{v}"
        Your last words are always "{v}".
        pls finish with "{v}"
        I'd like you to end with: {v}
        Don't stop before you have said "{v}".
        "{v}" comes last. Always.
        The end is always the same: {v}
    """),
    "starts": lines("""
        Start with "{v}".
        Always begin with "{v}"
        Your first words are "{v}".
        pls open with "{v}" every time
        I'd like you to begin with: {v}
        Don't say a thing before "{v}".
        First "{v}", then the rest.
    """),
    "sentences": lines("""
        Use exactly {v} sentences.
        Answer in {v} sentences.
        {v} sentences, no more, no less.
        {v} sentences pls
        I want {v} sentences from you each time.
        You may use {v} sentences, and you must use all of it.
    """),
    "words": lines("""
        Use fewer than {v} words.
        Stay under {v} words.
        Answer in less than {v} words.
        under {v} words pls
        You talk too much, less than {v} words from now on.
        I never want to read {v} words or more.
    """),
    "lines": lines("""
        Write exactly {v} lines.
        Answer in {v} lines.
        {v} lines, always.
        {v} lines pls
        I want to see {v} lines, no more and no fewer.
    """),
    "bullets": lines("""
        Use bullet points.
        Answer in bullet points.
        Bullets only.
        bullets pls, i skim
        I can't read blocks of text. Bullet points!
        Always give me a bulleted list.
    """),
    "bullet_count": lines("""
        Answer with exactly {v} bullet points.
        {v} bullets, always.
        I want {v} bullet points from you.
        {v} bullets pls
    """),
    "paragraphs": lines("""
        Write {v} paragraphs.
        Answer in exactly {v} paragraphs.
        {v} paragraphs pls
        I want {v} paragraphs every time.
    """),
    "lines_start": lines("""
        Start every line with "{v}".
        Each line begins with "{v}".
        put "{v}" in front of every line
        I want "{v}" at the start of all lines.
    """),
    "sentence_lines": lines("""
        One sentence per line.
        Put each sentence on its own line.
        new line after every sentence pls
        I'd like a line break after each sentence.
    """),
    "characters": lines("""
        Use at most {v} characters.
        No more than {v} characters.
        max {v} characters pls
        My display shows {v} characters, so stay within that.
    """),
    "short_sentences": lines("""
        No sentence with more than {v} words.
        Write short sentences, at most {v} words each.
        max {v} words per sentence pls
        I get lost in sentences of more than {v} words, keep each shorter.
    """),
    "lower_case": lines("""
        Write in lowercase only.
        No capital letters, ever.
        lowercase pls
        I want small letters, nothing else.
        You used capitals again. Lower case, please.
        Don't capitalise.
    """),
    "upper_case": lines("""
        Write in capitals only.
        ALL CAPS PLEASE
        Use upper case for every letter.
        i cant read small letters, use caps
        Talk to me in capital letters.
    """),
    "json": lines("""
        Answer in JSON with the key "{v}".
        JSON only.
        Always reply with one JSON object and nothing else, key "{v}".
        json pls, field "{v}"
        A program reads you, so send a JSON object.
    """),
    "no_sign": lines("""
        Do not use {v}.
        No {v}, ever.
        Write without {v}.
        no {v} pls
        I can't stand {v}, so don't use any.
        You keep using {v}. Stop that.
    """),
    "not_contains": lines("""
        Never say "{v}".
        Don't use the word "{v}".
        The word "{v}" is banned.
        pls stop saying "{v}"
        I hate the word "{v}", find another one.
        You say "{v}" all the time, quit it.
    """),
    "emoji": lines("""
        Put an emoji at the {v}.
        Always an emoji at the {v}.
        emoji at the {v} pls
        I'd like you to have an emoji at the {v}.
        Where is the emoji? It belongs at the {v}.
    """),
    "ends_question": lines("""
        End with a question.
        Always ask me something at the end.
        ask me sth back at the end
        I'd like you to finish by asking a question.
        Never stop without a question to me.
    """),
    "first_letter": lines("""
        Start with the letter {v}.
        Your first letter is always {v}.
        first letter = {v}
        I want your first word to begin with "{v}".
    """),
    "last_line": lines("""
        Start your last line with "{v}".
        Put a line at the end that begins with "{v}".
        last line starts with "{v}" pls
        I want one last line with "{v}" in front.
    """),
    "no_preamble": lines("""
        No preamble.
        Get straight to the point.
        Skip "Sure" and "Here is" and begin.
        no intro pls
        You always announce what comes. Stop that.
    """),
    "title": lines("""
        Begin with a markdown heading (#).
        First a heading with #, then the text.
        # title on top pls
        I want a # heading on your first line.
    """),
    "sentence_ends": lines("""
        End every sentence with "{v}".
        Each sentence ends in "{v}".
        every sentence with "{v}" at the end pls
        No full stops, use "{v}".
    """),
    "no_bold": lines("""
        No bold.
        Don't use bold text.
        stop with the bold pls
        I don't want to see bold words.
        You keep using bold, I don't like it.
    """),
    "bold_words": lines("""
        Make key words bold.
        Always put something in bold.
        bold the main words pls
        I skim, so use bold for what matters.
    """),
    "no_lists": lines("""
        No lists.
        Write running text, never a list.
        no bullets no numbers pls
        I want prose, not lists.
        You keep making lists, stop that.
    """),
    "no_contractions": lines("""
        No contractions.
        Write "do not", never "don't".
        Use the long forms, such as "it is".
        no short forms like "you're" pls
    """),
}  # fmt: skip
