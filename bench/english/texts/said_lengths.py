"""How users say rules about the length of answers, as trained on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.english.texts.split import lines

SAID_OF_LENGTHS: Final[Mapping[str, tuple[str, ...]]] = {
    "sentences": lines("""
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
        {v} sentences in {it}, ok
        {it}: {v} sentences
        {it} = {v} sentences
        can u keep {it} at {v} sentences
        i only read {v} sentences so thats the length for {it}
        I'd like {it} to be {v} sentences long.
        I'd be happy with {v} sentences for {it}, not more, not less.
        My wish for {it} is a length of {v} sentences.
        You ramble. {v} sentences for {it} and that is it.
        That was too much again! {it}: {v} sentences.
        I count the sentences in {it}, and I expect {v} sentences.
        Kindly restrict {it} to {v} sentences.
        {it} should consist of {v} sentences.
        The length of {it} is {v} sentences.
        For {it} please to make {v} sentences only.
        In {it} there have to be {v} sentences exact.
        Never write more or fewer than {v} sentences in {it}.
        Don't go over {v} sentences in {it} and don't stay under it.
        If you answer, use {v} sentences in {it}.
        When {v} sentences are written, stop. That goes for {it}.
        Say it in {v} sentences, in {it}.
        Could you give me {it} in {v} sentences?
        Stick to {v} sentences in {it}.
        The number of sentences in {it} is always {v}.
        Exactly {v} sentences, that's the rule for {it}.
        Fit {it} into {v} sentences.
        {v} sentnces for {it} please
    """),
    "words": lines("""
        I pay by the word here: {it} under {v} words, thank you.
        Espresso size for {it}, so fewer than {v} words.
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
        less than {v} words in {it} pls
        {it} < {v} words
        {it}: under {v} words
        tldr me, under {v} words in {it}
        i wont read more, so below {v} words for {it}
        I'd like {it} to be shorter than {v} words.
        I'd appreciate fewer than {v} words in {it}.
        I wish {it} would stay below {v} words.
        You talk too much. Fewer than {v} words in {it}.
        Nobody reads all that! Less than {v} words for {it}.
        Kindly keep the length of {it} below {v} words.
        The length of {it} shall be less than {v} words.
        For {it} please to use less than {v} words.
        In {it} must be not so many words, under {v} words.
        Don't write {v} words or more in {it}.
        If you get near {v} words, stop. That is meant for {it}.
        My screen is tiny, so less than {v} words in {it}.
        Be brief in {it}: fewer than {v} words.
        Could you say it in fewer than {v} words in {it}?
        Fewer than {v} words. That's the limit in {it}.
        Short, please: {it} with under {v} words.
        Make do with fewer than {v} words in {it}.
        The word limit in {it} is under {v} words.
        It takes less than {v} words to say it, so do that in {it}.
        unde {v} words for {it} pleas
    """),
    "characters": lines("""
        Use at most {v} characters in {it}.
        Keep {it} within {v} characters.
        {it} must not be longer than {v} characters.
        I want at most {v} characters in {it}.
        I'd like {it} to fit into {v} characters.
        No more than {v} characters in {it}.
        Limit {it} to {v} characters.
        {it}: max {v} characters
        max {v} chars in {it} pls
        i send {it} as text messages, {v} characters at most
        Never go over {v} characters in {it}.
        Don't write more than {v} characters in {it}.
        Too long for my display! {v} characters at most in {it}.
        {v} characters is all the room there is for {it}.
        {v} characters, spaces included, is the limit for {it}.
        Kindly restrict {it} to a maximum of {v} characters.
        The maximum length of {it} is {v} characters.
        For {it} please maximal {v} characters.
        Could you keep {it} to {v} characters or less?
        If it gets longer than {v} characters, cut it. I mean {it}.
        Stay within {v} characters in {it}.
        Everything after {v} characters is lost, so keep {it} shorter.
        You wrote too much again. At most {v} characters for {it}.
        Squeeze {it} into {v} characters.
        Up to {v} characters, not one more, in {it}.
        My sign can show {v} characters, so don't write more in {it}.
    """),
    "short_sentences": lines("""
        Use short sentences in {it}, at most {v} words each.
        No sentence in {it} may have more than {v} words.
        Each sentence of {it} must have {v} words or fewer.
        I want every sentence in {it} to have at most {v} words.
        I'd like short sentences in {it}: {v} words at most in each.
        Keep each sentence in {it} within {v} words.
        Never write a sentence with more than {v} words in {it}.
        {it}: max {v} words per sentence
        max {v} words a sentence in {it} pls
        short sentences pls, {v} words tops each, in {it}
        Your sentences are endless. At most {v} words each in {it}.
        I get lost in long sentences, so no more than {v} words in one, in {it}.
        Kindly limit every sentence in {it} to {v} words.
        The sentences in {it} shall not exceed {v} words.
        For {it} please to make small sentences, maximal {v} words in one.
        Could you keep the sentences in {it} to {v} words each?
        If a sentence has more than {v} words, split it. That goes for {it}.
        {v} words per sentence is the most in {it}.
        Don't go over {v} words in any sentence of {it}.
        My son reads along, so each sentence in {it} needs {v} words or less.
        Write {it} in sentences of no more than {v} words.
        Stop after {v} words at the latest and begin a new sentence, in {it}.
        Every sentence in {it} stays at or below {v} words.
        Cut long sentences in {it}, {v} words each is plenty.
        A sentence in {it} can have up to {v} words, not more.
        Sentences with more than {v} words are too hard for me in {it}.
    """),
    "no_lists": lines("""
        No lists in {it}, write running text.
        Don't use bullet points or numbered lists in {it}.
        Write {it} as flowing text, without lists.
        I don't like lists, use full sentences in {it}.
        {it} must not contain lists.
        Never make a list in {it}.
        Plain paragraphs instead of lists in {it}.
        no lists in {it} pls
        stop w/ the bullets and numbers in {it}, just write
        i hate lists, write {it} like a normal person
        I'd like {it} in prose, with no list.
        I'd rather read whole paragraphs in {it} than lists.
        You keep making lists. Not in {it}, please.
        A list again! I want text in {it}, no points, no numbers.
        Why does everything have to be a list? Write {it} as prose.
        Kindly refrain from lists in {it}.
        Lists are not permitted in {it}.
        Enumerations of any sort are not wanted in {it}.
        For {it} please to write normal text, no list.
        In {it} I do not wish list or points.
        Could you write {it} in one go, without lists?
        If you have several points, put them into sentences, no list, in {it}.
        {it}: prose, no lists
        {it}: no bullets, no numbers
        Prose only in {it}.
        Neither bullets nor numbers in {it}.
        My reader reads lists out badly, so none in {it}.
        Continuous text in {it}, please.
        Avoid lists of any kind in {it}.
        Tell me {it} as you would over coffee, without lists.
        Not one bullet point and not one numbered item in {it}.
        Do without lists in {it}.
        Turn lists into sentences in {it}.
        Keep {it} free of lists.
        Running text for {it}, always.
        Please dont make list in {it}.
        Don't break {it} up into points.
    """),
}  # fmt: skip
