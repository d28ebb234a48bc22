"""The fifth set, short and of everyday words: put to the reader when it was thought finished."""

from __future__ import annotations

from tests.core.said import Means, table

CORRECTIONS = table(
    Means.CORRECTION,
    r"""
        No, the meeting is at three.
        no. its the blue folder
        Sorry, that's the wrong invoice number.
        You mixed up the names again.
        That's not my address.
        This summary misses the main point.
        The conclusion contradicts the introduction.
        You answered a different question.
        I wanted the recipe for four people.
        Please use the formal "Sie".
        Don't use contractions in business letters.
        Write the numbers out in words.
        next time just give me the link
        from now on call me Sam
        Always check the spelling of names.
        never send me html
        That link doesn't open.
        still crashing on startup
        still nothing
        it returns an empty list
        that's not how you spell it
        Your translation sounds unnatural.
        This is too advanced for beginners.
        Way off.
        Could you redo that with real numbers?
        please rewrite this in plain english
        Thanks, but it's missing the footer.
        Good start, but the second half is boring.
        Okay, but don't mention the price.
        I specifically said no nuts.
        As I told you, the file is in utf-8.
        you were supposed to sort them
        Why are there five columns?
        Where's the signature?
        For emails, skip the greeting.
        When you quote me, keep my spelling.
        Not what I meant, I need the opposite.
        hmm no, try again
        ugh, same bug
        that is last week's menu
    """,
    answer="Here it is.",
)

THANKS = table(
    Means.THANKS,
    r"""
        Great, that solved it!
        thanks, exactly right
    """,
    answer="Here it is.",
)

TRAPS = table(
    Means.NOTHING,
    r"""
        No problem, see you tomorrow.
        No worries, I fixed it.
        Is there anything wrong with my plan?
        What would be wrong with using tabs?
        Write a poem about a wrong turn.
        Now write the same email to Paul.
        Can you also translate it?
        Please make a table of the planets.
        Use this list to make a quiz: red, green, blue
        Always wondered why the sea is salty.
        I never got a reply from them. Should I write again?
        How do I stop my dog from barking?
        My internet is broken again, what can I check?
        Translate: You forgot your keys.
        Why do people say "never say never"?
        Do you always answer in English?
        The door in my kitchen doesn't close. How do I fix it?
        What should I never say in an interview?
        Explain the phrase "no, but yeah".
        if it's wrong I will tell you
        I'm done for today.
        Tell me about Napoleon instead.
        Let's try something else: a riddle.
        What's the next step?
        ok and how do I deploy it
        give me another one
        who invented the telephone
        my teacher said I used the wrong tense, what is the rule?
        Draft an answer: the customer says the parcel never arrived.
        Not now.
        Yes please, and keep it short.
        Add a conclusion.
        Make a version for kids.
        Convert it to PDF.
        I'm looking for a hotel in Rome, not too expensive.
        Which is better, dashes or commas?
        Rewrite the following sentence: He always forget his keys.
        Start over with a new topic: volcanoes.
    """,
    answer="Here it is.",
)

CASES = (*CORRECTIONS, *THANKS, *TRAPS)
