"""The third set: written after the reader had been tuned to the first two, to see what is left.

Longer messages, students, travellers, lawyers, parents; people who tell a story around their word.
"""

from __future__ import annotations

from tests.core.said import Means, Said, table

CORRECTIONS: tuple[Said, ...] = (
    *table(
        Means.CORRECTION,
        r"""
        Hmm, that doesn't look right to me. The exchange rate was 1.08 last week, not 0.92.
        I appreciate the effort, but this reads like an advertisement.
        We're flying out of Lyon, not London!
        The flight leaves at 6 in the morning, so your plan has us in bed at the airport.
        Half of these museums are closed on Mondays.
        My daughter is six. She won't understand any of this.
        This is way over her head, use simpler words.
        Clause 4 contradicts clause 2.
        You cited a case that does not exist.
        I can't find that paragraph anywhere in the statute.
        That's the German law, I need the Austrian one.
        It's "affect", not "effect".
        That is American English. We use British English here.
        Kindly correct the salutation, it's Mrs Okafor.
        The recipient is a she, not a he.
        Don't address her by her first name.
        Please keep the original paragraph order.
        Leave my wording alone, only fix the commas.
        I only wanted you to fix the commas, not rewrite the whole thing.
        You changed the meaning of the second sentence.
        You've translated the product names too. Please leave those in English.
        More concise please.
        A bit less enthusiastic, please.
        Can we tone it down a little?
        Could you make the ending less sad?
        Can you do that without a loop?
        Can you please stop ending every message with a question?
        why do you keep saying sorry
        enough with the emojis already
        yikes, no
        ew no
        no way, that can't be right
        that can't be right
        I doubt that. Pluto isn't a planet any more.
        This contradicts what you said before.
        You said the opposite a minute ago.
        But 17 is prime!
        17 is prime though
        you dropped a minus sign in line 2
        check the sign in the second step
        Check your arithmetic, please.
        your answer is off by one
        off by one
        the loop never ends
        Running it prints nothing.
        I ran it and it deleted all my files
        it compiles but the output is empty
        doesn't handle empty strings
        what about empty strings? it crashes on those
        fails for negative numbers
        nothing happens when i click the button
        The button does nothing.
        I pasted it in and got a syntax error.
        ModuleNotFoundError again
        nope, same thing
        tried that, didn't work
        That didn't help.
        I already tried that.
        already tried, no luck
        we don't use semicolons here
        our style guide says two spaces
        Team convention is snake_case for this.
        In this house we measure in grams.
        House rule: no more than two adjectives in a product text.
        Rule of thumb for next time: verbs before nouns.
        Remember: amounts in letters go after the figure.
        Remember that I'm allergic to nuts.
        I'm allergic to nuts, remember?
        As mentioned, without gluten.
        Again without gluten please.
        I'd like it in bullet points from now on.
        Could you always include the source?
        Please always cite the page number.
        Please never suggest medication to me.
        never start a sentence with "however"
        don't be so formal with me
        be briefer
        Be more careful with dates.
        speak plainly
        use fewer adjectives
        write shorter sentences
        say "customers", not "clients"
        replace the dashes with commas
        first names only
        numbers as digits, please
        euro sign after the amount
        Where possible, use the active voice.
        When summarising, keep the names.
        If you don't know something, say so instead of guessing.
        Before you change a file, make a copy.
        """,
    ),
    *table(
        Means.CORRECTION,
        r"""
        So war das nicht gemeint.
        Das war nicht die Frage.
        Das Ergebnis ist falsch, es muss 48 sein.
        Bitte immer mit Datum.
        Der Name ist Maier, nicht Meyer.
        Kannst du das kürzer machen?
        Eso no es lo que pregunté.
        No has respondido a mi pregunta.
        Tu n'as pas répondu à ma question.
        Non, c'est le contraire.
        """,
    ),
)

THANKS: tuple[Said, ...] = (
    *table(
        Means.THANKS,
        r"""
        Wonderful, she loved it!
        that fixed it
        Works! Thanks a bunch.
        Great stuff, keep it up.
        ok that makes sense now, thanks
        no more errors, thank you!
        Ah, now I understand. Thank you.
        Very helpful, thanks.
        nice nice nice
        Thanks, I'll take it from here.
        Thanks, but I found it myself.
        Bravo!
        """,
    ),
)

TRAPS: tuple[Said, ...] = (
    *table(
        Means.NOTHING,
        r"""
        No offense taken.
        no biggie
        no comment
        Not yet, I will try it tonight.
        not sure yet
        Nothing else for today.
        I have no more questions.
        What's the wrong way to hold a violin?
        Which of these sentences is incorrect?
        Which one of my three drafts is too long?
        How do I tell my boss that he is wrong?
        How do you say "you forgot your umbrella" in Italian?
        My teacher marked this as wrong, but I don't know why: "He has went home."
        My son always forgets his lunch. Any tips?
        My wife says I never listen. What can I do?
        I always mix up its and it's. Is there a trick?
        My flight was cancelled again. What are my rights?
        The heating in my flat doesn't work and the landlord ignores me. Write him a letter.
        I told my landlord twice that the heating is broken. Draft a formal notice.
        The soup is too thin. How do I thicken it?
        The report was rejected because the totals were wrong. How can I prevent that?
        Why is my bread always too dense?
        Why does my cat ignore me?
        Why did the Roman Empire fall?
        Why did you choose a dictionary here?
        Where did the name come from?
        Did you use a hash map because of the speed?
        Is that always true?
        Is it true that goldfish forget everything?
        Are you sure?
        Could it be done without a loop?
        Should it be "who" or "whom"?
        Is "Meier" spelled with an e?
        Do I use a comma before "and"?
        When do I use the subjunctive?
        What if the list is empty?
        What happens if the file is missing?
        And if it doesn't work?
        If it still fails tomorrow I'll let you know.
        Let me try it.
        I'll check and come back.
        Trying it now.
        One moment please.
        Give me a second.
        Stop.
        Let's stop here for today.
        Next: the budget.
        Next question: what is a monad?
        Now translate it into Dutch.
        Now in French, please.
        Now put it in a table.
        Then add the totals.
        Also list the sources.
        Add a paragraph about the guarantee.
        Another one, please.
        More examples, please.
        Tell me a story without the letter e.
        Write three sentences in German about the sea.
        Write an email to Mr Stone, keep it short.
        I need a poem, four lines, no rhymes.
        Make a list of words that start with never.
        Use the Pythagorean theorem to find the hypotenuse for 3 and 4.
        Answer this question as a pirate: what's the capital of Peru?
        Format this as JSON: name Anna, age 5
        Convert 30 cups to grams, not ounces.
        Put these in alphabetical order: fig, apple, kiwi
        Remove the duplicates from this list: a, b, a, c
        Proofread: I goed to school. That is wrong, isnt it.
        I got this review: "Terrible food, the waiter forgot us, never again." Write a reply.
        Customer wrote:\n> You sent the wrong colour again!\n> I asked for blue.\nWhat do I answer?
        Summarize:\nNo, I meant the other house, said Anna. You never listen.
        Please explain why this assertion fails:\n```\nassert 2 == 3, "wrong"\n```
        In chess, is it wrong to move the queen early?
        There is no time like the present - where does that saying come from?
        "Stop using that tone with me", she said. What tone of voice is meant?
        Yes, always.
        Both, please.
        The first one.
        I'm vegetarian, by the way.
        I live in Leeds.
        """,
    ),
    *table(
        Means.NOTHING,
        "No, Thursday.\nNo, not that one, the blue one.\nin german\nWithout, please."
        "\nnope just that",
        asked="Book a table for Anna.",
        answer="For which day shall I book it, and do you want the red room or the green room?",
    ),
)

CASES = (*CORRECTIONS, *THANKS, *TRAPS)
