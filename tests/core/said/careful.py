"""The first set: careful writers, and the traps that a reader of cue words falls into."""

from __future__ import annotations

from tests.core.said import Means, Said, table

CORRECTIONS: tuple[Said, ...] = (
    *table(
        Means.CORRECTION,
        r"""
        No, I meant the second chapter.
        No, use dashes.
        please use dashes
        Please use dashes instead of commas.
        That's wrong.
        That is not correct: the treaty was signed in 1648.
        Wrong again.
        Wrong. It has to be a list.
        Not like that: one item per line.
        I asked for a table, not a list.
        I asked for three examples and you gave me five.
        I said no emojis.
        I told you to answer in German.
        You forgot the greeting.
        You forgot to close the file.
        You missed the last two rows.
        You left out the postage.
        Still broken.
        It still doesn't compile.
        That doesn't work.
        This does not answer my question.
        You didn't answer the question.
        Always back up the table before you change it.
        Always put the date first.
        Never use abbreviations in letters to customers.
        From now on, write amounts in euros.
        Next time, begin with the total.
        In future please keep it under a hundred words.
        Again, but with metric units.
        Once more, but without the jokes.
        Try again.
        Thanks, but next time use bars.
        Thank you, but the sum is off by ten.
        Good, but the tone is too stiff.
        Nice, but I wanted it in the past tense.
        Almost, but the second line has too many syllables.
        Not quite. The interest is compounded monthly.
        Too long.
        That's too long, cut it in half.
        Way too formal for a birthday card.
        The total is wrong.
        Your second step is wrong: you have to cool the dough first.
        The date is missing.
        There's no conclusion.
        It's spelled Meier, not Meyer.
        Actually, the capital of Australia is Canberra.
        No, the capital is Canberra.
        It should be 42, not 24.
        Shouldn't it be sorted by date?
        Why did you change the function name?
        Why is it still in English?
        Where are the sources I asked for?
        That's not what I asked for.
        That's not what I meant.
        I meant the river, not the bank.
        I wanted a summary, not a translation.
        I didn't ask for an explanation.
        Don't apologise, just give me the code.
        Don't use bullet points.
        Stop adding a summary at the end.
        Please stop using the passive voice.
        You misunderstood me. The invoice has already been paid.
        You're wrong, whales are mammals.
        You are still using tabs.
        You keep adding comments.
        You did it again.
        Same error again.
        This gives me a TypeError.
        Now it crashes on start.
        It says the module doesn't exist.
        None of these links work.
        That function doesn't exist in the standard library.
        You made that up.
        Read my question again.
        Please read the instructions again.
        Make it shorter.
        Shorter, please.
        In German, please.
        Without the introduction, please.
        No emojis, please.
        Answer in one sentence.
        Keep it to one paragraph.
        When you write a menu, join with bars.
        No, when you write a recipe, start with the oven temperature.
        For a label, use capital letters.
        Please, for a commit message, use the imperative mood.
        The list is in the wrong order.
        The numbers don't add up.
        These are not synonyms.
        That's the old address.
        Hmm, that's not right.
        Sorry, but this is not Spanish, it's Portuguese.
        I don't think that's right.
        I think you mixed up the two columns.
        This isn't what I need.
        That's not a haiku.
        I already told you that I don't eat meat.
        As I said, the meeting is on Tuesday.
        You ignored the second condition.
        You should have used the new template.
        It was supposed to rhyme.
        Nope.
        No!
        No, that's the old version.
        No, not that one.
        No no no, the other way round.
        Please don't translate the names.
        Put the verb at the end.
        Write it in the first person.
        Use British spelling.
        Let me be clear: I want plain text.
        I'd rather have it as a table.
        Thanks for trying, but this is useless.
        Thanks for nothing.
        Why do you always answer in English?
        > The answer is 12.\n\nThat's wrong, it is 14.
        ```\nTypeError: x is not a function\n```\nstill not working
        """,
    ),
    *table(
        Means.CORRECTION,
        r"""
        Nein, ich meinte die zweite Spalte.
        Das ist falsch.
        Das stimmt nicht.
        Nicht so: jede Zeile einzeln.
        Du hast die Anrede vergessen.
        Ich habe gesagt, auf Deutsch.
        Immer zuerst das Datum.
        Bitte auf Deutsch.
        Nächstes Mal bitte ohne Aufzählung.
        Das funktioniert immer noch nicht.
        Danke, aber die Summe ist falsch.
        No, quería decir la segunda página.
        Eso está mal.
        Te olvidaste del saludo.
        La próxima vez usa guiones.
        Non, je voulais dire le deuxième.
        C'est faux.
        Tu as oublié la date.
        Ça ne marche toujours pas.
        Merci, mais la prochaine fois utilise des tirets.
        """,
    ),
    *table(
        Means.CORRECTION,
        r"""
        No, that's wrong. The file is called notes.md.
        You forgot the header.
        No, I meant the other branch.
        """,
        asked="Rename the file and commit.",
        answer="Done. Do you want me to push it, too?",
    ),
    *table(
        Means.CORRECTION,
        "No.\nNo, it's still too long.\nNot really.",
        asked="Shorten this paragraph.",
        answer="Here it is, in two sentences. Is this what you wanted?",
    ),
)

THANKS: tuple[Said, ...] = (
    *table(
        Means.THANKS,
        r"""
        Thanks!
        Thank you very much.
        Thanks, that works.
        Perfect, thank you.
        Perfect.
        Great, exactly what I needed.
        That works.
        Actually, that works.
        No, that's perfect.
        No problem, thanks.
        Not bad!
        Works like a charm.
        Awesome!
        Exactly.
        Thanks! Now write the tests.
        Great, now do the same for March.
        I was wrong, you're right. Thanks!
        Brilliant, you saved my day.
        That did the trick.
        Love it.
        Ok great, thanks a lot.
        Nope, all good, thanks.
        Cheers mate.
        Danke!
        Super, vielen Dank.
        Perfekt, passt so.
        ¡Gracias!
        Perfecto, muchas gracias.
        Merci beaucoup !
        Parfait, merci.
        """,
    ),
)

TRAPS: tuple[Said, ...] = (
    *table(
        Means.NOTHING,
        r"""
        No worries.
        No rush.
        No problem.
        Nope, all good.
        I was wrong, you're right.
        You're right, I was wrong about the date.
        My mistake, the file was empty.
        Now do the same for wrong.txt.
        What is wrong with this code?
        What's wrong with my sourdough starter?
        Is it wrong to use a goto here?
        Always wanted to know how tides work.
        I have always wanted to see Norway. When is the best time?
        I never understood monads. Can you explain them?
        Never mind.
        Never mind, I found it.
        No idea, what would you suggest?
        No need to hurry.
        No one knows that better than you.
        No further questions.
        Please write a menu for apple river stone.
        Use dashes in a Python regex, how?
        How do I use dashes in a file name?
        How do I say "that's wrong" in Japanese?
        Translate "No, I meant the other one" into French.
        Translate this: you forgot my birthday
        Summarise this mail:\n\nHi Tom,\nthat's wrong, I asked for blue. You forgot the buttons.
        Fix the grammar: 'he dont know that its wrong again'
        Explain this error:\n```\nassert x == 3  # that's wrong\n```
        > No, I meant Tuesday.\n\nHow do I answer this politely?
        Write a dialogue in which a teacher says that the answer is wrong.
        Write a story that starts with "You forgot the key".
        Write a poem about dogs, not cats.
        Give me a list of things people always forget when they travel.
        Why do cats always land on their feet?
        When you write a novel, how do you start?
        Whenever I run make, my fan gets loud. Is that normal?
        If that's wrong, what would be right?
        Next time I go to Rome, what should I see?
        In the future, will cars fly?
        Can you also add a test?
        Now add a column for the tax.
        And in Spain?
        What about the third one?
        Could you explain the second step?
        Go on.
        Continue.
        Yes, please.
        Ok.
        Tell me more about the second option.
        My printer doesn't work.
        My code still doesn't compile, here is the error: undefined symbol main
        I forgot my password, what can I do?
        My boss told me to use dashes. Is that common in English?
        She said that I should always wear a helmet. Is that the law?
        I asked for a raise and my boss said no. What now?
        I meant to ask you about tax returns.
        I wanted to know how vaccines work.
        Should I use dashes or commas?
        Do I need to use the subjunctive here?
        Is there a mistake in this sentence: He go home.
        What is missing in this recipe?
        What did I forget?
        Find the errors in this text: Their going home.
        Check if the total is wrong.
        Tell me if something is missing.
        Correct my letter, please: Dear Sir, I writes to you
        Explain why the earth isn't flat.
        Name five common mistakes in English.
        Describe a machine that doesn't work.
        Make a shopping list for a vegan week.
        Start a new story about a lighthouse.
        Let's talk about something else.
        Good morning, what can you do?
        How should it be stored?
        How long should that be in the oven?
        What should be in a cover letter?
        The weather is too hot today. What can I cook?
        I'm not sure which one to take.
        I don't like mushrooms. What else could I put in?
        I don't understand the second step.
        Wrong Turn is a film, right? Who directed it?
        Not Without My Daughter - who wrote that book?
        Please be patient with me.
        I'll try again tomorrow.
        Sorry, I was away. Where were we?
        Hi
        What does "noch einmal" mean?
        Write the same letter for Mr Brown.
        Compare tea and coffee, no tables needed for now, just tell me which has more caffeine.
        Use pandas to read sales.csv and plot the third column.
        Use the following numbers to compute the mean: 3, 5, 9
        Sort this list: pear, apple, fig
        Start the server and show me the log.
        Add a section about costs.
        """,
    ),
    *table(
        Means.NOTHING,
        r"""
        Kein Problem.
        Nein danke.
        Wie sagt man "das ist falsch" auf Englisch?
        Was ist an diesem Satz falsch?
        Schreib bitte eine Einladung zum Geburtstag.
        Ich wollte immer schon nach Norwegen. Wann ist die beste Zeit?
        Non, merci.
        Pas de problème.
        Comment dit-on "c'est faux" en allemand ?
        No pasa nada.
        ¿Qué está mal en este código?
        Escribe una carta a mi casero.
        """,
    ),
    *table(
        Means.NOTHING,
        "No.\nNo, the second one.\nNo, use commas.\nNope\nNo, just the code."
        "\nYes, but only in German.",
        asked="Write a function that parses dates.",
        answer="def parse(text): ...\n\nDo you want tests, too?",
    ),
    *table(
        Means.NOTHING,
        "No, thanks.\nNo, that's all.\nNo, I'm fine.",
        asked="Book the invoice.",
        answer="Booked under 4400. Is there anything else I can do?",
    ),
)

CASES = (*CORRECTIONS, *THANKS, *TRAPS)
