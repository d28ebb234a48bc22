"""How users say rules about words, signs, case and formatting in answers, as trained on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.english.texts.split import lines

SAID_OF_SIGNS: Final[Mapping[str, tuple[str, ...]]] = {
    "lower_case": lines("""
        Write {it} in lowercase letters, no capitals at all.
        Use only lowercase in {it}.
        I want {it} all in lower case.
        Keep {it} lowercase.
        {it} must be in small letters only.
        Don't capitalise anything in {it}.
        Never use upper case in {it}.
        all lowercase for {it}
        Small letters only in {it}.
        lowercase only pls, in {it}
        no caps in {it} ok, not even for names
        i dont like capitals, keep {it} lower case
        I'd like {it} to be completely in lower case.
        I'd prefer small letters throughout {it}.
        Capital letters hurt my eyes. None of them in {it}.
        You used a capital again! {it}: lowercase, all of it.
        Why are there still big letters in {it}? Use small ones.
        Kindly write {it} exclusively in lower-case letters.
        Please refrain from capital letters in {it}.
        For {it} please to use only the small letters.
        In {it} it must not be one big letter.
        Even the first word of a sentence stays small in {it}.
        Even "I" is written "i" in {it}.
        Could you leave the shift key alone in {it}?
        The shift key is broken, act like it in {it}.
        If a word would need a capital, write it small anyway in {it}.
        Every letter in {it} should be lower case.
        Without capitals, that's how I like {it}.
        We write everything small in our group, so do the same in {it}.
        lower case, always, in {it}
        Convert {it} to lower case before you send.
        {it}: small letters, names too
        Not a single capital in {it}.
        Style for {it}: lowercase.
        lowercas letters only in {it} pleas
    """),
    "upper_case": lines("""
        Write {it} in ALL CAPS.
        Use capital letters only in {it}.
        I want {it} in upper case.
        Uppercase for {it}, please.
        {it} must be in capitals.
        Put {it} in capital letters.
        No lowercase letters in {it}.
        ALL CAPS FOR {it}
        Always use caps lock for {it}.
        caps only in {it} pls
        shout at me in {it}, all caps
        I'd like {it} to be written in capitals.
        I'd love to read {it} in big letters only.
        My eyes are bad. Write {it} in capital letters.
        You slipped into small letters again, {it} should be upper case.
        Small letters are too hard to read in {it}, take capitals.
        Kindly set {it} entirely in upper-case letters.
        {it} should be provided in upper case throughout.
        For {it} please to use only big letters.
        In {it} all letters have to be big ones.
        Every letter in {it} should be a capital.
        Every single word of {it} in capitals, please.
        Leave caps lock on in {it}.
        Could you write {it} in upper case from now on?
        Not one small letter in {it}.
        Don't use small letters in {it}.
        Never write lower case in {it}.
        If you write something to me, write {it} in block capitals.
        Capitals and nothing else for {it}.
        UPPER CASE IN {it}, THANKS
        The old printer knows no small letters, so {it} must be in caps.
        Upper case, all the way through {it}.
        {it}: all caps
        Turn {it} into capitals before you send.
        Style for {it}: CAPITALS.
        all capitls in {it} please
    """),
    "no_sign": lines("""
        I read {it} aloud and never know how to say {v}, so spare me.
        Pretend your keyboard has no {v} when you do {it}.
        {v} in {it}? no thanks
        Do not use any {v} in {it}.
        Never use {v} in {it}.
        Write {it} without {v}.
        No {v} in {it}.
        I don't want {v} in {it}.
        Avoid {v} in {it} completely.
        Leave out all {v} in {it}.
        Stop using {v} in {it}.
        {it} must not contain {v}.
        no {v} in {it} pls
        stop w/ the {v} in {it}
        ugh {v} again. not in {it}
        I'd like {it} to be free of {v}.
        I'd rather not see {v} in {it}.
        I wish you would leave {v} out of {it}.
        You keep using {v}. Not in {it}, please.
        There were {v} again! I said none in {it}.
        Why all the {v}? Keep them out of {it}.
        Kindly refrain from using {v} in {it}.
        {v} are not permitted in {it}.
        {v} have no place in {it}.
        {it}: no {v}
        In {it} please to not write {v}.
        For {it} I do not wish any {v}.
        Could you write {it} without any {v}?
        If a sentence needs {v}, rephrase it in {it}.
        My program chokes on {v}, so none in {it}.
        The display can't show {v}, so skip them in {it}.
        Not one of those {v} in {it}.
        Drop the {v} in {it}.
        Do without {v} in {it}.
        I am allergic to {v}, keep {it} clean.
        Get rid of {v} in {it}.
        Plese no {v} in {it}.
    """),
    "not_contains": lines("""
        Whoever says "{v}" pays a coin in our family, so watch out in {it}.
        "{v}" makes me cringe, skip it in {it}
        Never use the word "{v}" in {it}.
        Don't say "{v}" in {it}.
        Avoid the word "{v}" in {it}.
        Write {it} without the word "{v}".
        I don't want to read "{v}" in {it}.
        The word "{v}" must not be in {it}.
        Stop writing "{v}" in {it}.
        Leave the word "{v}" out of {it}.
        the word "{v}" is banned in {it}
        dont say "{v}" in {it} ok
        no more "{v}" in {it} pls
        "{v}" is a word I hate, keep it out of {it}.
        "{v}" must not turn up in {it}.
        "{v}": never in {it}
        I'd like {it} without the word "{v}".
        I'd be glad not to see "{v}" in {it}.
        I can't hear "{v}" any more. Find other words in {it}.
        You say "{v}" all the time. Not in {it}!
        Again the word "{v}"! That has to stop in {it}.
        Kindly abstain from the word "{v}" in {it}.
        The term "{v}" shall not appear in {it}.
        For {it} please to not use the word "{v}".
        In {it} I do not want the word "{v}".
        Could you do without "{v}" in {it}?
        If you want to write "{v}", take another word in {it}.
        Forbidden word for {it}: {v}
        Taboo in {it}: {v}
        {it}: the word "{v}" is off limits
        Use anything but "{v}" in {it}.
        Not a single "{v}" in {it}, please.
        Scratch the word "{v}" from {it}.
        My teacher crosses out "{v}" every time, so don't use it in {it}.
        There is one word that I never want in {it}: "{v}".
        Say it differently, without "{v}", in {it}.
        Try to get by in {it} without ever writing "{v}".
    """),
    "no_bold": lines("""
        My eyes jump to thick letters, so keep {it} in ordinary type, no bold.
        All of {it} in the same plain weight, bold is for posters.
        No bold text in {it}.
        Don't use bold in {it}.
        Stop making words bold in {it}.
        Write {it} without bold formatting.
        I don't want asterisks around words in {it}, no bold.
        {it} must not have bold words.
        no bold in {it} pls
        pls stop with the **bold** in {it}
        you keep using bold, stop that in {it}
        I'd like {it} without bold print.
        I'd prefer plain letters in {it}, nothing bold.
        Bold words distract me. None in {it}.
        Why is half of it bold? Not in {it}, please.
        There is bold text again. I don't want that in {it}.
        Kindly refrain from bold type in {it}.
        Bold is forbidden in {it}.
        For {it} please no fat letters, no bold.
        In {it} please to not make words bold.
        Could you leave out the bold in {it}?
        If something matters, say so, but don't make it bold in {it}.
        {it}: no ** around words
        My mail program shows stars instead of bold, so no bold in {it}.
        Normal weight for all words in {it}, no bold.
        Not one bold word in {it}.
        Never set anything in bold in {it}.
        Avoid bold in {it}.
        Drop the bold formatting from {it}.
        Emphasis by bold type is not wanted in {it}.
        Do without bold in {it}.
        I copy your text by hand and bold gets in the way, so leave it out of {it}.
        Without bold, please, in {it}.
        Turn off bold for {it}.
        Remove bold markup from {it}.
        dont bold stuff in {it}
        Don't shout at me with bold words in {it}.
    """),
    "no_contractions": lines("""
        Don't use contractions in {it}.
        No contractions in {it}.
        Write out "do not" and "it is" in {it}.
        Always write the long forms in {it}, never "don't" or "it's".
        I want {it} without contractions.
        I'd like full forms in {it}, such as "I am" and "cannot".
        Avoid short forms like "you're" in {it}.
        {it} must not contain contractions.
        {it}: no contractions
        no "dont" or "its" stuff in {it}, write it out
        pls no contractions in {it}
        You wrote "don't" again. Use full forms in {it}.
        Contractions look sloppy. Leave them out of {it}.
        Kindly refrain from contracted forms in {it}.
        Contracted forms are not permitted in {it}.
        For {it} please to write all words complete, not "it's".
        I learn English and short forms confuse me, so none in {it}.
        Could you avoid contractions in {it}?
        If you mean "is not", write "is not" in {it}.
        "It is", not "it's": that goes for {it}.
        Spell out every contraction in {it}.
        Never contract words in {it}.
        Be formal in {it}, no contractions.
        Write {it} the way my old teacher wants it, without contractions.
        Say "will not" instead of "won't" and so on in {it}.
        Stop shortening words with an apostrophe, like "you'll", in {it}.
    """),
    "sentence_ends": lines("""
        End every sentence in {it} with "{v}".
        Each sentence of {it} must end with "{v}".
        Put "{v}" behind every sentence in {it}.
        I want each sentence in {it} to finish with "{v}".
        I'd like "{v}" after every sentence of {it}.
        Close all sentences in {it} with "{v}".
        Use "{v}" instead of a full stop in {it}.
        {it}: all sentences end in "{v}"
        "{v}" ends each sentence in {it}.
        "{v}" where the full stop would be, in {it}.
        every sentence in {it} ends w/ "{v}" pls
        no full stops in {it}, use "{v}"
        Never end a sentence in {it} without "{v}".
        You ended a sentence with a dot. In {it} it has to be "{v}".
        Kindly terminate every sentence in {it} with "{v}".
        Could all sentences in {it} end with "{v}"?
        For {it} please to finish each sentence with "{v}".
        In {it} is after every sentence a "{v}".
        If a sentence is over, write "{v}" and no full stop, in {it}.
        Replace every full stop in {it} by "{v}".
        Dots are boring. Sentences in {it} end with "{v}".
        Let each sentence in {it} run out in "{v}".
        Don't use any other ending than "{v}" for the sentences in {it}.
        Sentence after sentence, "{v}" at the end, in {it}.
        All sentences of {it}, without exception, close with "{v}".
        The sign for the end of a sentence is "{v}" in {it}.
    """),
    "bold_words": lines("""
        Make the key words bold in {it}.
        Use bold for the important words in {it}.
        Put at least one word in bold in {it}.
        I want bold words in {it}.
        I'd like the main words of {it} in bold.
        Highlight what matters in {it} with **bold**.
        {it} should have some bold words.
        {it}: key words in bold
        Set important words in {it} in bold type.
        pls bold the main words in {it}
        bold the important stuff in {it}
        I skim a lot, so make key words bold in {it}.
        Nothing stands out. Use bold in {it}.
        You forgot to make anything bold in {it}.
        Kindly emphasise key terms in {it} by bold type.
        Key terms shall be printed in bold in {it}.
        For {it} please to make the important words fat, with two stars.
        Could you use bold for key words in {it}?
        If a word matters, make it bold in {it}.
        Never write {it} without something in bold.
        Mark the most important words of {it} with double asterisks.
        Bold helps me read: use it in {it}.
        Don't leave {it} plain, put the key words in bold.
        With bold key words, that's how I like {it}.
        Add bold to {it} where it counts.
        Emphasise with ** in {it}.
    """),
}  # fmt: skip
