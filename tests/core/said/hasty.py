"""The second set: hasty, chatty, angry and terse people, developers, cooks and an office.

Written when the reader of the first set was done, and measured once before anything was changed.
"""

from __future__ import annotations

from tests.core.said import Means, Said, table

CORRECTIONS: tuple[Said, ...] = (
    *table(
        Means.CORRECTION,
        r"""
        nope thats not it
        no its the other one
        thats not even close lol
        u forgot the salt
        dude i said no comments
        still getting the same stacktrace
        nah still red, 2 tests failing
        this wont compile, theres no such method on that class
        build is still failing
        where did my imports go
        you deleted my imports
        why did u remove the error handling??
        it segfaults now
        that broke the login page
        ok but you changed the public api, i didnt ask for that
        pls dont touch the tests
        stop apologizing
        omg stop with the bullet points
        i hate these bullet points, just write normally
        in english pls
        english please!
        shorter
        way too long, nobody reads that
        tldr please
        less flowery please
        can you make that sound less robotic
        Could you please rewrite it in a friendlier tone?
        Would you mind using the British spelling?
        hmm, not sure thats right, isn't it 90 degrees?
        wait that's celsius, i need fahrenheit
        cups not grams please
        its 2 eggs not 3
        that makes 12 servings, i said 4
        you can't fry it for an hour, that would burn
        there's butter in it, i told you she is vegan
        this recipe has no oven temperature
        no sugar!!
        Unfortunately the attachment list is incomplete.
        I'm afraid the figures for Q3 are last year's.
        Thank you for the draft. However, the customer's name is misspelled.
        Many thanks - just one thing: our company name is written with a hyphen.
        Looks good overall, but please move the date to the top right.
        Much better, but the second paragraph still sounds rude.
        Close! But it needs to be net, not gross.
        Kindly refrain from using abbreviations.
        In our letters we always write the date in full.
        Going forward, please sign as "Accounts Department".
        Whenever you write to a customer, start with the reference number.
        For invoices, always show the VAT separately.
        When you answer me, skip the preamble.
        every time you write sql, use lowercase keywords
        remember to always use type hints
        never ever use var, use const
        i prefer tabs
        tabs, not spaces
        use f-strings instead
        it should be async
        this should return a list, not a dict
        The function is supposed to raise, not return None.
        that's python 2 syntax
        That API was removed in version 3.
        such a flag does not exist
        you hallucinated that flag
        that page gives me a 404
        the link is dead
        wrong file
        wrong language
        incorrect, check your math
        7 times 8 is 56, not 54
        recount please
        Count again, there are only nine.
        you skipped step 3
        You only did half of it.
        where is the second part?
        this is only the first half
        did you even read what i wrote
        are you kidding me
        What is this garbage?
        this is useless
        that is not helpful at all
        bad answer
        I am not asking about Java!
        I was talking about the movie, not the book
        I mean the German one
        sorry i meant 2024
        Let me rephrase: I need the list sorted by price.
        not so formal
        too salty with 3 spoons, no?
        Same mistake as before.
        again??? i told you twice
        you did the exact opposite
        other way around
        swap them, the first one goes last
        Put the summary first.
        skip the intro
        drop the last paragraph
        just the code please
        only the command, no explanation
        just answer yes or no
        Don't explain, just do it.
        don't call me sir
        please call me Anna, not Ms Weber
        bitte duze mich
        nein falsch, es sind 12
        hab doch gesagt ohne emojis
        das datum fehlt
        nee, zu lang
        immer noch der gleiche fehler
        no, eso no es lo que pedi
        falta la fecha
        no c'est pas ça
        trop long
        """,
    ),
)

THANKS: tuple[Said, ...] = (
    *table(
        Means.THANKS,
        r"""
        ty!
        thx that worked
        yep works now
        omg perfect
        awesome sauce
        sweet, merging this
        cool cool, thanks
        lgtm
        all green now, thanks
        you're the best
        that's exactly what I was after
        wow nice
        Thank you so much for your help with this.
        Excellent. I have forwarded it to the client.
        no that's great actually
        haha love it
        it was delicious!
        danke dir!
        passt
        merci bcp
        """,
    ),
)

TRAPS: tuple[Said, ...] = (
    *table(
        Means.NOTHING,
        r"""
        no hurry, tomorrow is fine
        no clue tbh
        no preference
        nah im good
        np
        k
        yes
        hmm
        ok next question
        lets move on to part 2
        now in java
        now the same for the other file
        and what about windows?
        also add logging
        can you add a docstring too
        how do i undo a commit
        how can i fix a broken pipe error
        what does "segmentation fault" mean
        why does python say "no such file or directory"
        why is my docker image so big
        why is the sky blue
        is there a better way to do this
        whats the difference between never and undefined in typescript
        my tests are failing: AssertionError in test_login. whats up?
        i get a 404 on my website, any idea?
        my cake didnt rise, what did i do wrong?
        i forgot to add baking powder, can i still save it?
        the sauce is too salty, how do i fix that?
        What can I use instead of eggs?
        how long should i boil eggs
        What goes well with lamb?
        can you scale it to 8 people
        does it have to be butter?
        do i always have to preheat the oven?
        Should the invoice be net or gross?
        I need a letter to a customer who complained that we sent the wrong item.
        Draft a reply to a client who says the numbers are wrong.
        Write an apology because we forgot the attachment.
        Please draft a reminder; the invoice from March is still unpaid.
        My colleague said the report is too long. How would you structure it?
        The printer is broken again. Who do I call?
        Our system doesn't work since the update, what can we check first?
        I wanted to thank you for yesterday.
        I said yes to the offer. Can you write a confirmation?
        You mentioned lambdas. What are they?
        You said it depends on the humidity. In what way?
        You wrote O(n log n), can you explain why?
        did you know that honey never spoils?
        do you always answer this fast?
        have you read Dune?
        what do you mean by idempotent?
        can you explain that again in simpler words?
        always look on the bright side of life - who wrote that song?
        never gonna give you up lyrics meaning
        stop words list for german
        no country for old men, who directed it?
        wrong by default: a title for my talk? give me five alternatives
        Correct the following sentence: She dont like it.
        spot the mistake: 2+2=5
        rate my essay, be honest if it's bad: The sun was shining. It was too hot.
        reply to this: "You forgot our anniversary again!"
        translate to spanish: that's not what I ordered
        he wrote 'that's wrong' under my essay, how do I respond
        Hi! Quick one: is "irregardless" incorrect?
        I think I'll go with the second one.
        Interesting.
        I see.
        i dont get it
        tell me a joke, but not about lawyers
        a limerick about a cat, not too long please
        write it down for me as a checklist
        give me 3 more
        make another one
        i would like a vegan menu for 4, no nuts
        plan my week, no meetings on friday
        if it rains i will stay home. what should i cook?
        when you mix red and blue, what do you get?
        for a party of 20, how much rice do i need?
        """,
    ),
    *table(
        Means.NOTHING,
        "no\nnope, not now\nno just leave it\nnein\nno, on monday\nnot yet",
        asked="remind me to call the bank",
        answer="Noted. Should I also put it in your calendar?",
    ),
)

CASES = (*CORRECTIONS, *THANKS, *TRAPS)
