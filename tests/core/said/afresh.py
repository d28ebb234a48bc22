"""The fourth set: written after the reader had been built anew on the first three.

Ordinary people at ordinary work: what is said most often, said in yet other words.
"""

from __future__ import annotations

from tests.core.said import Means, Said, table

CORRECTIONS: tuple[Said, ...] = (
    *table(
        Means.CORRECTION,
        r"""
        No, I wanted the one with raisins.
        No, you got the dates mixed up.
        no thats not what i asked
        nope, wrong country
        Wrong, it's the left one.
        Incorrect. The deadline was moved to Friday.
        That's incorrect, please check again.
        That is simply not true.
        This isn't correct either.
        Your calculation is off.
        The second number is wrong too.
        You've left out the most important part.
        you forgot about the discount
        You didn't mention the price.
        You didn't follow my instructions.
        You always add a summary, please don't.
        You put the comma in the wrong place.
        You're still doing it.
        You are using the old prices.
        I told you not to use semicolons.
        I said three bullets, you gave five.
        I said the report should be in French.
        i asked for red not blue
        I asked for a short answer.
        I meant next Friday, not this one.
        I meant the verb, sorry.
        What I meant was the total for the year.
        What I wanted was a table.
        That's not what I was looking for.
        Not what I wanted.
        Not that. The other file.
        not good enough
        Still wrong.
        still the old address
        Still no luck, same message as before.
        it still says 2023
        It doesn't work on my machine.
        doesnt work
        That didn't work.
        your code throws an exception
        I'm getting a KeyError with this.
        now i get a different error
        the tests fail with your change
        The button still doesn't do anything.
        Always use the metric system.
        Always answer in complete sentences, please.
        Never use the word "utilize".
        Please never round the amounts.
        From now on answer in Spanish.
        from now on no emojis
        Next time please ask before you delete something.
        Next time, use the short form.
        In the future, please use the full name.
        In future, use the company letterhead.
        Again, but as a table.
        again but shorter
        Once more, with the right date.
        Try again, this time with commas.
        Same again, but in English.
        Do it again without the heading.
        Thanks, but that's the wrong month.
        Thank you, but please use dashes next time.
        Thanks, but you forgot the signature.
        Great, but make it shorter.
        Nice, but could you use a friendlier tone?
        Good, but next time start with the conclusion.
        Looks good, except the second line is missing.
        Perfect, except for the date, which is wrong.
        ok but it should be sorted by name
        Use commas instead of semicolons.
        Use the present tense.
        use two spaces for indentation
        use spaces, not tabs
        Please use full sentences.
        please put the total at the end
        Put a blank line between paragraphs.
        Start with the date.
        Begin with a greeting.
        End with your best regards line, I mean "Kind regards".
        Leave out the greeting.
        Don't use abbreviations.
        dont start with "Sure!"
        Do not add comments to the code.
        Stop using emojis.
        Please stop adding disclaimers.
        No headings please.
        Fewer words, please.
        too formal
        Too much text.
        That's way too complicated.
        It's too spicy for children.
        Make it sound more natural.
        make it less pushy
        Can you make this shorter?
        Could you use simpler words?
        Shorter sentences, please.
        When you write to my boss, use the formal address.
        When I ask for code, give me only the code.
        For letters, use the long date format.
        If I ask for a list, number the items.
        Whenever you translate, keep the names as they are.
        it should say "Dear Ms Lopez"
        It's pronounced differently.
        The author is Orwell, not Huxley.
        Actually, it was in 1989.
        actually the meeting is on tuesday
        Hm, I think that's wrong.
        I believe this is outdated.
        I don't think so, the river flows north.
        Are you sure? I count seven.
        Why is there a semicolon at the end?
        Why did you translate the title?
        Didn't I say no sugar?
        Shouldn't the answer be negative?
        Where is the table I asked for?
        Come on, that's nonsense.
        this makes no sense
        What you wrote is too long.
        I'm not happy with this.
        I don't like the tone.
        Das war falsch.
        Nein, die andere Datei.
        Bitte kürzer.
        Du hast das Datum vergessen.
        Ab jetzt bitte immer mit Gedankenstrich.
        Eso es incorrecto.
        Siempre en español, por favor.
        Ce n'est pas correct.
        Toujours en français, s'il te plaît.
        """,
    ),
)

THANKS: tuple[Said, ...] = (
    *table(
        Means.THANKS,
        r"""
        Thanks, perfect!
        Thank you, this is great.
        That's perfect, thanks.
        great job
        Good work, thanks.
        Yes! That's it.
        That works for me, thanks.
        It works now.
        No problem, it works now.
        No, it's perfect as it is.
        Thanks a lot, you were right.
        Nice work!
        Super hilfreich, danke.
        """,
    ),
)

TRAPS: tuple[Said, ...] = (
    *table(
        Means.NOTHING,
        r"""
        No problem at all.
        no worries, take your time
        No thank you.
        No need, I'm done.
        No, that's all for today.
        I was mistaken, sorry.
        Sorry, my mistake.
        You were right about the date, I misread it.
        What's wrong with this sentence?
        What is wrong here?
        What did I do wrong?
        Is this wrong?
        Is that right?
        Why is this wrong?
        Find what's wrong in this code.
        Can you check whether this is wrong?
        Rename wrong.txt to right.txt.
        Open the file error.log and tell me what you see.
        Write a function called always_true.
        Write an essay about why lying is wrong.
        Write a short story about a man who forgot his name.
        Write a letter of complaint: the hotel room was dirty and the shower did not work.
        Make a quiz about common mistakes in French.
        Make a list of foods you should never eat raw.
        Give me synonyms for "wrong".
        Explain the difference between never and ever.
        Explain why my loop never ends: while True: pass
        Translate "I told you so" into German.
        Translate into English: Das ist falsch.
        Say "that's wrong" in five languages.
        How do I stop a running process?
        How do I tell someone that they made a mistake?
        How can I avoid using tabs in vim?
        How often should I always water a cactus?
        Please use the attached file to compute the averages.
        Please summarise the next chapter.
        Use Python to count the words in a file.
        Use a for loop to print the numbers from 1 to 10.
        Use the word "always" in a sentence.
        Start with chapter two of the outline.
        Now use the same style for the invoice.
        Now do the second one.
        Now fix the tests.
        Next, write the introduction.
        Also translate it into Polish.
        Also, what does "moreover" mean?
        And the third?
        Again? I thought you were done with school.
        Always happy to help, my mother says. Is that grammatical?
        I always forget how to pronounce "quay". How is it pronounced?
        I never learned to swim. Where do I start?
        I have never used Rust before, where should I begin?
        I forgot to mention that the party is on Sunday. Plan the shopping.
        I asked my doctor about it. He said it is harmless. Do you agree?
        I wanted to ask about visas for Brazil.
        My neighbour keeps parking in my spot. What can I do?
        My computer still doesn't start after the update. What should I try?
        My essay is too long. Shorten it to 200 words: Once upon a time there was a king.
        The teacher said the answer is 7. Can you show me how to get there?
        The third chapter is missing from my book. How do I complain to the shop?
        This error keeps coming up: "disk not found". What does it mean?
        When you multiply two negatives, is the result positive?
        When I was young, we always went to the lake. Where was it likely to be?
        If I never sleep, what happens?
        If you were me, what would you do?
        For a birthday of 12 kids, suggest three games.
        Next time the sun is eclipsed, where can I see it?
        In future tense, how do you say "I go"?
        Don't worry about it.
        Never mind the dates, just tell me about the people who lived there.
        Not sure what to ask next.
        Not really my area, can you explain it simply?
        I don't know.
        I think so too.
        I agree.
        Let me think about it.
        That's interesting, tell me more.
        That's a good question.
        Ok, go ahead.
        Sure.
        Yes, do it.
        The blue one.
        42
        Good evening! Who are you?
        Thanks in advance for a list of ten names.
        Kannst du mir einen Witz erzählen?
        Was bedeutet "nie wieder"?
        Schreib mir ein Gedicht über den Herbst.
        Keine Ahnung, was meinst du?
        ¿Cómo se dice "siempre" en inglés?
        No, gracias.
        Écris un poème sur la mer.
        Pourquoi le ciel est-il bleu ?
        """,
    ),
    *table(
        Means.NOTHING,
        "No.\nno, tomorrow\nNo, the first version.\nUse dashes.\nneither\nNo, please don't.",
        asked="Clean up the folder.",
        answer="I found two reports. Which one shall I keep? Or shall I delete both?",
    ),
)

CASES = (*CORRECTIONS, *THANKS, *TRAPS)
