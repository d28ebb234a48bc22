"""The exam of the rules that stand in a system prompt.

These texts decide a figure; nobody who makes training texts reads them."""

from typing import Final


def _items(text: str) -> tuple[str, ...]:
    """The items of a text, stripped; a backslash joins a long one that had to be cut in two."""
    return tuple(" ".join(one.split()) for one in text.strip().replace("\n", "|").split("|"))


EXAM_WORDINGS: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        End {it} with "{v}".
        Please close {it} with "{v}" and don't add anything more.
        I want to see "{v}" at the very end of {it}.
        Finish {it} with exactly these words: {v}
        The last words of {it} should always be "{v}".
        Put "{v}" at the close of {it}, as the final words.
        Our customers are used to "{v}" as the closing words, so that is how {it} must end.
        Again you forgot "{v}"! Those are the last words of {it}, do I have to ask each time?
        My boss insists that we round off {it} with "{v}", so don't write anything below.
        can u end {it} with "{v}" pls, like as the very last words
        We agreed in the team that the closing words of {it} will be "{v}". Nothing comes behind.
        For the finish of {it}, please to write always "{v}", these are the last words.
        Everyone likes to have the last word; in {it}, let that be "{v}".
        Whatever {it} may be about, the very last thing I read should be "{v}".
        I'd appreciate a fixed closing phrase in {it}, namely "{v}", with no more text below.
        Thanks a lot! One more thing, pls finsh {it} by writing "{v}" as teh last words.
    """),
    "starts": _items("""
        Start {it} with "{v}".
        Always begin {it} with the words "{v}".
        The first words of {it} should be "{v}".
        Please open {it} with "{v}", then carry on as usual.
        Begin {it} like this: {v}
        First comes "{v}" in {it}, then whatever else you have to say.
        I'd like {it} to kick off with "{v}", and after that you're free.
        Before you get to the point in {it}, say "{v}". I mean as your very first words.
        Our phone robot listens for "{v}" at the beginning, so do begin {it} that way.
        It's a custom in this house to open {it} with "{v}", so you should do that too.
        Team decision: the opening words of {it} will be "{v}", no alternatives.
        so basically just say "{v}" first in {it} and after that do ur thing
        Ugh, not again. No "Sure!", no "Of course!", just put "{v}" at the very front of {it}.
        For begin of {it} you write "{v}", please every time, and then comes your text.
        If it isn't too much bother, could the opening words of {it} be "{v}"? They make me smile.
        Hey thanks! one thing tho: {it} shoud always strat with "{v}"
    """),
    "sentences": _items("""
        Set the length of {it} to exactly {v} sentences.
        Write exactly {v} sentences in {it}, no more and no fewer.
        I want {it} to be exactly {v} sentences long.
        Please use exactly {v} sentences for {it}.
        In {it} I'd like you to say things in exactly {v} sentences.
        For {it}, stick to exactly {v} sentences, no matter how big the question is.
        I read your texts on my watch between two meetings, so {it} must have exactly {v} sentences.
        Short attention span here: exactly {v} sentences for {it}, please, whatever the topic.
        Count before you send {it}: exactly {v} sentences, or redo the thing.
        My manager only signs off on {it} at exactly {v} sentences, so go for that length.
        Could you please settle on exactly {v} sentences in {it}, each time you write?
        just {v} sentences in {it} pls, exactly that many, my brain cant do more
        I've told you twice already. In {it} you write exactly {v} sentences, end of discussion.
        For {it} I need always {v} sentences, please not other number.
        I make subtitles, and a fixed length saves me work: {v} sentences for {it}, exactly.
        Thx for the help, could you mayb do exactly {v} sentences in {it} from now on?
    """),
    "words": _items("""
        Keep {it} under {v} words.
        The length of {it} must stay below {v} words.
        I want {it} to have less than {v} words.
        Please be brief: {it} should always come in under {v} words.
        Under {v} words, that's the limit for {it}.
        Don't let {it} get to {v} words; always stay below.
        These texts go on a tiny display, so there can only be fewer than {v} words in {it}.
        I'm paying by the word here. Make {it} shorter than {v} words, please.
        Even {v} words is too much for {it}; you have to stay under that number.
        If you could keep the word count of {it} below {v}, that'd be lovely. I'm a slow reader.
        Word count for {it}: below {v}. No exceptions, not even for complicated stuff.
        keep {it} short ok, less than {v} words, i aint reading all that
        Too long, too long, too long! Under {v} words in {it}, or I stop reading.
        For me is difficult to read much English, so {it} must be with less than {v} words.
        The editors have asked us to hold {it} below {v} words, so please do the same.
        hi, pleas dont write so much, {it} shoud be less then {v} words
    """),
    "lines": _items("""
        Write {it} in exactly {v} lines.
        Use line breaks so that {it} will have exactly {v} lines.
        I want exactly {v} lines in {it}, each on a row of its own.
        Please lay {it} out on exactly {v} lines, no more, no less.
        Always {v} lines, that's the rule for {it}. Press enter between them.
        The text of {it} should be broken into {v} lines exactly.
        Our LED panel has exactly {v} lines, so {it} must have that many too.
        When I paste {it} into my editor, I should see exactly {v} lines.
        I paint these texts on shop signs with {v} lines, so split {it} into exactly that many.
        Not one long paragraph, please: {it} should come as exactly {v} lines, one below the next.
        Would you kindly arrange {it} on exactly {v} lines, with a line break between each?
        do {it} in {v} lines exactly, hit enter btween em
        I'm tired of reformatting this myself. Give {it} exactly {v} lines, split by line breaks.
        Please make in {it} only {v} lines, not more and not less, with enter key between.
        House style says {v} lines for {it}, exactly, and no blank ones.
        Hello, could {it} allways be {v} lines, excactly, with a new line for each bit?
    """),
    "bullets": _items("""
        Use only bullet points in {it}.
        Write {it} as bullet points and nothing else.
        Each line in {it} should start with a bullet.
        I want {it} as a bullet list, with no intro and no closing sentence.
        Put a bullet at the front of every single line in {it}.
        Bullets only for {it}, please, and no text before or after the list.
        No paragraphs in {it}; give me bullet points from the first line to the last.
        I paste your texts straight into PowerPoint, so each line of {it} must be a bullet point.
        If something is worth saying in {it}, give that a bullet. No line without one.
        I skim a lot at work, so could you do {it} completely in bullets, with no text around them?
        Even if there's just one thing to say in {it}, use a bullet point, and no text outside.
        only bullet points in {it} pls, no random sentence at the top
        No more opening sentences! In {it} I want bullets, bullets and nothing but bullets.
        Please use for {it} the bullet points on all the lines, I not want normal text.
        For ease of reading we present {it} purely as a bulleted list, one item to a line.
        Hi again, can you mabye put evrything in {it} in bullet ponts, no other text?
    """),
    "lower_case": _items("""
        Write {it} in lowercase only.
        Don't use capital letters in {it}.
        All lowercase for {it}, including the start of each sentence.
        Please never capitalize anything in {it}.
        I don't want any capitals in {it}, not even for names.
        No big letters in {it}, please. Not for "I", not for names, not at the beginning.
        I like the soft look of small letters, so put everything in {it} in lowercase.
        It's the look of our brand: {it} will be set in lowercase, brand and city names included.
        We run a zine where nothing at all is capitalised, so {it} must be lowercase too.
        Type {it} the way my kids text, by which I mean with no capital letters at all.
        Would it be alright to have {it} in lowercase letters only? Capitals feel so stern to me.
        all lowercase in {it} pls, caps feel like ur mad at me
        There's a capital in there again. For {it} I said lowercase, the whole text, so do that.
        Please write {it} only with small letters, also the names and also after the point.
        Anything that would normally be a capital becomes a small letter in {it}.
        can {it} be in lower case alwasy? no captial letters pls thanks
    """),
    "upper_case": _items("""
        Write {it} in all capital letters.
        Use all caps for {it}.
        I want {it} in uppercase, every single word.
        Please put the whole of {it} in block capitals.
        Only capital letters in {it}, no small ones.
        Every word of {it} should be fully in capitals, LIKE THIS.
        My eyesight is poor and capitals are easier to read, so put {it} in all caps.
        Our old ticket printer only knows uppercase letters, so {it} can't have any others.
        Leave caps lock on the entire time you are typing {it}.
        Think of a telegram: {it} should be in capitals from start to finish.
        I'd be grateful for {it} in uppercase throughout, as we use a display board.
        CAPS for {it} pls, the whole thing, i wanna feel like ur screaming
        Small letters again... How hard can this be? All caps in {it}, all the time.
        Please to write {it} with big letters only, like ABC, never like abc.
        As per the label standard, lowercase is forbidden in {it}; convert everything to uppercase.
        hello can you do {it} in captal letters only, all the wrods pls
    """),
    "json": _items("""
        Return {it} as a JSON object with a single key, "{v}".
        Format {it} as JSON with one key called "{v}" and nothing outside the object.
        Please give me {it} as a JSON object. The only key is "{v}" and the value is your text.
        I need {it} in JSON: one object, one key, and that key is "{v}".
        Wrap {it} in a JSON object under the key "{v}", without any extra text.
        My script reads the field "{v}" and crashes on anything else, so {it} must be a JSON \
            object with only that key.
        Respond in JSON for {it}. Use just one key, namely "{v}", and write nothing before or after.
        Output {it} as valid JSON, with your text as a string under "{v}" and no other keys.
        The app I'm building shows whatever is in "{v}", so please send {it} as a JSON object with \
            that one key.
        Only JSON for {it}, please: an object with the one field "{v}" and no chatter around that.
        Be a good little API and return {it} as a JSON object, with "{v}" as the sole key.
        json only for {it} ok? one key, "{v}", dont add anything else
        You broke my parser again! Send {it} as one JSON object with no extra text!
        For {it} please give only a JSON object, my program cannot read the normal text.
        Write {it} as a JSON object; anything outside the braces is a bug.
        hi, coud you send {it} as just one JSON objct and no other text arround?
    """),
    "no_sign": _items("""
        Don't use {v} in {it}.
        No {v} in {it}, please.
        Write {it} without {v}.
        I don't want to see any {v} in {it}.
        Please avoid {v} completely in {it}.
        Leave {v} out of {it}.
        My boss can't stand {v}, so be careful that there aren't any in {it}.
        Find another way of writing {it} if you have to, but never use {v}.
        There's a bug in our export that chokes on {v}, so keep {it} free of them.
        Would you be so kind as to write {it} with no {v} in the text?
        The number of {v} in {it} should be zero.
        pls no {v} in {it}, they look so weird
        I keep having to delete {v} by hand. Stop putting them in {it}.
        For {it} you must not write {v}, is not nice for my eyes.
        Company rule: we never use {v} in {it}, so you don't either.
        hey could you maybe skipp the {v} in {it}? thankyou
    """),
    "not_contains": _items("""
        Don't use the word "{v}" in {it}.
        Never write "{v}" in {it}.
        The word "{v}" is not allowed in {it}.
        Please avoid the word "{v}" in {it}; use something else.
        Nowhere in {it} should I be able to find the word "{v}".
        Leave out the word "{v}", always, when you write {it}.
        We're playing a game where nobody may say "{v}". You're in, so keep that out of {it}.
        It's an overused word, "{v}", and I'd like {it} to do without.
        If "{v}" turns up in {it}, even once, I lose a bet with my sister. Don't use that word.
        Would you be able to phrase {it} without ever using "{v}"? I'd be thankful.
        Legal has asked us not to use the word "{v}" in {it}, so find other ways to put things.
        dont say "{v}" in {it} ok, that word is banned lol
        Seriously, stop using "{v}"! I don't want to read that word in {it} ever again.
        In {it} it is forbidden to use word "{v}", please take another word.
        Hi could you plese not use teh word "{v}" in {it}, thanks alot
    """),
    "emoji": _items("""
        Put an emoji at the {v} of {it}.
        There should always be an emoji at the {v} of {it}.
        I'd like an emoji right at the {v} of {it}.
        Add one emoji to the {v} of {it}, any emoji you like.
        Please place an emoji at the very {v} of {it}.
        An emoji goes at the {v} of {it}, every time.
        Use an emoji of your choice to mark the {v} of {it}.
        Plain text feels cold to me, so I want to find an emoji at the {v} of {it}.
        The kids in my class love emojis, so always put a fitting one at the {v} of {it}.
        Whatever the mood of {it}, an emoji belongs at the very {v}.
        Marketing wants an emoji at the {v} of {it}. Which one is up to you.
        put a lil emoji at the {v} of {it} pls, doesnt matter which
        No emoji again? How boring. The {v} of {it} is where I want one, always.
        Please you put at the {v} of {it} always some emoji, I like very much the emojis.
        It brightens my day to see an emoji at the {v} of {it}, so please make that a habit.
        hey can u add a emojy at teh {v} of {it} from now on
    """),
    "no_bold": _items("""
        Don't use bold in {it}.
        No bold text in {it}, please.
        Write {it} without any bold formatting.
        Please stop putting words in bold in {it}.
        Keep {it} free of bold.
        I want only regular text in {it}, with no bold words.
        In {it}, nothing should be bold, not even titles.
        The double asterisks for bold look like junk on my phone, so leave them out of {it}.
        When I print your texts, the bold parts smear. So please, no bold anywhere in {it}.
        My screen reader shouts bold words at me, so please don't bold anything in {it}.
        Would you mind leaving the bold off in {it}? Normal letters are perfectly fine for me.
        pls dont bold stuff in {it}, looks like ur yelling
        How often do I have to say this? I don't want bold in {it}. None. Zero.
        In {it} please no bold, for me is hard to read the thick letters.
        Only our designers decide what gets printed bold, so you must not use bold in {it}.
        hiya, can you keep {it} in regualr text, no bold werds? cheers
    """),
    "no_lists": _items("""
        Don't use lists in {it}.
        No bullet points or numbered lists in {it}, please.
        Write {it} in paragraphs, not in lists.
        I want normal prose in {it} instead of lists.
        Please avoid any kind of list in {it}.
        Full sentences in running text for {it}, no lists of any sort.
        I read your texts aloud to my mother and lists sound awful, so put {it} in paragraphs only.
        However many points you have to make in {it}, put them in flowing text, never in a list.
        Nobody speaks in bullet points over dinner, so don't do that to me in {it}: no lists.
        Would you please write {it} as continuous text, with no bullets and no numbering?
        We want a more personal tone, so for {it} lists are out and paragraphs are in.
        no lists in {it} pls, just write stuff out like a normal person
        Bullet points again, really? I hate lists. Write {it} in plain paragraphs.
        Please not make list in {it}, I want text with paragraphs like in the book.
        Anything you'd be tempted to number or bullet in {it} should become an ordinary sentence.
        hey can you stop useing lists in {it}, just paragrahps pls
    """),
    "contains": _items("""
        Use the words "{v}" somewhere in {it}.
        Always include "{v}" in {it}.
        I want to find the phrase "{v}" in {it}, no matter where.
        Please work the words "{v}" into {it}.
        Mention "{v}" at least once in {it}.
        Make sure you say "{v}" at some point in {it}.
        Don't send me {it} without the words "{v}" in the text.
        We like hiding "{v}" in our texts as a joke, so slip those exact words into {it}.
        My teacher gives bonus points for "{v}", so that exact phrase has to show up in {it}.
        I'd be delighted if you used the expression "{v}" in {it}, wherever that fits, every time.
        For SEO reasons, we need the exact phrase "{v}" to appear in {it}, once or more.
        say "{v}" somewhere in {it} ok, its an inside joke
        I looked for "{v}" and found nothing. Again. Put those words in {it} like I asked.
        In {it} must be always the words "{v}", you can choose the place.
        Beginning, middle or end, I don't mind, but {it} should have the words "{v}".
        Hi there, please inclued "{v}" in {it}, anywere is fine
    """),
    "numbered_list": _items("""
        Write {it} as a numbered list.
        Use a numbered list for {it}.
        I want a list of numbered points in {it}: 1., 2., 3. and so on.
        Please number the points in {it} and put each on a new line.
        Always format {it} as a list with numbers.
        Put {it} in the form of a numbered list, even when there's little to say.
        We vote on the points by number in our meetings, so {it} should come as a numbered list.
        Every point in {it} gets a number in front and a line to itself.
        Break {it} into a numbered list, please; I tick off the items as I go.
        A list starting with 1. and counting up, that is how I'd like {it}.
        Would you please present {it} as a numbered list? I lose my place otherwise.
        make {it} a list w numbers, 1. 2. 3. etc, way easier to read
        I said numbered. Not bullets, not paragraphs. Numbered list for {it}, every time.
        For {it} I need list with number before each point, so I can follow better.
        My notes app sorts by number, so all you say in {it} has to be in a numbered list.
        hi can {it} be a numberd list pls, 1. then 2. and so on, thx
    """),
}

EXAM_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        Kind regards, Theo | Over and out. | Have a lovely day! | Thanks for reading.
        Stay safe on the roads. | See you around! | Your friends at Millbrook | Hope that helps!
        Until next time. | Best wishes, Agnes | End of transmission. | Peace. | That's it for today.
        Sweet dreams | Cheers, Marlon | Does that make sense? | Let me know what you think.
        Yours faithfully, R. Okafor | Happy trails! | Don't be a stranger. | You've got this!
        The end | Drive carefully. | Talk soon | Hugs, Auntie Jo | Sent with care by Lumen Support
        Keep smiling! | Thank you for choosing Hartwell. | Bye bye, butterfly
        Your turn, boss. | Shall we continue?
    """),
    "starts": _items("""
        Hi there! | Dear friend, | Good morning! | Okay, so | Quick answer: | Sure thing,
        Alright, team, | Listen up! | Greetings from Lisbon! | In a nutshell: | Well, well, well.
        Thank you for asking. | Dear Mr. Lindqvist, | As requested: | Howdy, partner! | Honestly,
        Just so you know, | Note to self: | Once upon a time | Attention, please: | In summary:
        Great question! | Hello from the help desk! | My dear Watson, | Right then, | Guess what?
        For your information:
    """),
    "sentences": _items("1 | 2 | 3"),
    "words": _items("""
        12 | 15 | 17 | 18 | 21 | 24 | 26 | 28 | 30 | 32 | 35 | 38 | 42 | 48 | 50 | 60
    """),
    "lines": _items("2 | 3 | 4"),
    "json": _items("""
        result | content | body | bot_reply | text_out | payload | answer_text | post | note
        display_text | entry | reply_body | msg | finished_text | output_string | our_answer
        generated | wording
    """),
    "not_contains": _items("""
        with | this | they | them | more | most | some | also | just | very
        good | great | best | make | need | want | help | change | look | time
        thing | people | world | year | part | first | last | next | always | never
        often | still | because | about | over | between | really | perfect | small | family
    """),
    "contains": _items("""
        green tea | step by step | patience | piece of cake | blue bicycle
        in the long run | common sense | sunshine | peace of mind | fresh air
        teamwork | under the weather | at the end of the day | compass | safe and sound
        lucky charm | honesty | old school | paper boat | sooner or later
        quality time | pineapple | rain or shine | lemon tree | the more the merrier
        food for thought | courage | silver lining | believe it or not | little by little
    """),
    "emoji": _items("start | end"),
}

EXAM_ALL: Final[tuple[str, ...]] = _items("""
    all your answers | every reply you give | anything you write to me | all of your messages
    every response from you | each answer you give me | everything that you type
    whatever you answer | any text of yours | every single message of yours
    whatever you write in this chat | each and every reply | all the responses you give
""")

EXAM_SUCH: Final[tuple[str, ...]] = _items("""
    such replies | texts like that | that kind of answer | every such text
    answers of that sort | messages of this type | your replies of that kind
    whatever you write in such a case
""")

EXAM_LEADS: Final[tuple[str, ...]] = (
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "From now on: ",
    "Important: ",
    "One rule for you: ",
    "I have a small request. ",
    "Before we start: ",
    "Please remember this. ",
    "A little thing, but it matters to me: ",
    "For this whole chat: ",
    "Just to be clear: ",
    "Note for the assistant: ",
)

EXAM_KINDS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "email": {
        "called": _items("""
            emails you write for me | every email I ask you for | the mails you draft
            any email text of yours
        """),
        "forms": _items("""
            Can you write an email to {} for me?
            Please draft a mail to {}.
            I need to email {}. What should I write?
            I owe an email to {}. Mind writing one?
            Could you put together a polite email to {}?
            email to {} pls, im bad at this
        """),
        "subjects": _items("""
            the landlord about a broken heater
            my boss about a day off next Friday
            our neighbours about the noise at night
            the gym about cancelling my membership
            my son's teacher about his nut allergy
            the bank about a lost card
            the hotel about our late arrival
            a supplier about a delayed delivery
            the dentist about moving my appointment
            my team about the new printer
            a job applicant about an interview on Monday
            the insurance company about a cracked windscreen
            my aunt about her birthday party
            the city council about a broken street lamp
            an old classmate about a reunion
        """),
    },
    "recipe": {
        "called": _items("""
            recipes I get from you | every recipe from you | the recipes I ask for
            cooking recipes
        """),
        "forms": _items("""
            How do I make {}?
            Give me a recipe for {}.
            I'd like to try making {} tonight. Can you tell me how?
            Do you have a good recipe for {}?
            My kids are begging for {}. Please give me the recipe.
            recipe for {} pls
        """),
        "subjects": _items("""
            lentil soup | banana bread | chicken curry | mac and cheese | lasagne
            apple crumble | beef stew | hummus | potato salad | fish tacos
            pancakes | mushroom risotto | tomato soup | carrot cake | a vegetable stir-fry
        """),
    },
    "poem": {
        "called": _items("""
            poems you write | the poems I ask you for | any poem of yours
            everything you write in verse
        """),
        "forms": _items("""
            Write a poem about {}.
            Can you write me a few verses about {}?
            I'd love a poem on {}.
            Please make up a rhyme about {}.
            For my wall I want a little poem about {}.
            poem about {} plz
        """),
        "subjects": _items("""
            the first snow | my grandmother's kitchen | a lonely lighthouse | autumn leaves
            a sleeping cat | the night train | an old oak tree | the moon over the harbour
            a broken clock | my little sister | the last day of school | a cup of coffee
            city lights | a lost glove | the sound of waves
        """),
    },
    "advice": {
        "called": _items("""
            advice from you | the advice you give me | your answers to my personal problems
            replies in which you advise me
        """),
        "forms": _items("""
            What should I do about {}?
            I need advice about {}.
            Can you give me some advice on {}?
            I'm struggling with {}. Any tips?
            Please advise me: how do I deal with {}?
            ugh {}, what do i do
        """),
        "subjects": _items("""
            a boss who shouts | my fear of flying | an argument with my best friend
            constant tiredness at work | a teenage son who lies | my growing credit card debt
            nerves before an exam | a friend who never calls back | too much screen time
            loneliness in a new city | a jealous partner | my habit of putting things off
            noisy upstairs neighbours | a job offer abroad | my dad's new wife
        """),
    },
    "explain": {
        "called": _items("""
            explanations you give | your answers on how things work
            replies where you explain how something works
            the explanations I ask for
        """),
        "forms": _items("""
            How does {} work?
            Explain {} to me.
            Can you explain in simple words how {} works?
            I never understood {}. How does that work?
            What makes {} work?
            how does {} even work lol
        """),
        "subjects": _items("""
            a microwave oven | a battery | a refrigerator | GPS | the human eye
            a solar panel | a vaccine | a jet engine | a touchscreen | a volcano
            an electric car | a combination lock | a toaster | a submarine | a metal detector
        """),
    },
    "travel": {
        "called": _items("""
            travel advice from you | tips you give me for a trip | answers about places to visit
            replies to my travel questions
        """),
        "forms": _items("""
            What should I see in {}?
            I'm going to {} next month. Any tips?
            Plan a weekend in {} for me.
            What can a family with children do in {}?
            We have three days in {}. How should we spend them?
            goin to {}, any must sees
        """),
        "subjects": _items("""
            Lisbon | Tokyo | Marrakech | Vancouver | Edinburgh | Sri Lanka | Cape Town | Vienna
            Lima | Iceland | Naples | New Orleans | Sydney | Istanbul | Copenhagen
        """),
    },
    "ideas": {
        "called": _items("""
            ideas you give me | your brainstorming answers | replies where I ask for ideas
            the suggestions I get when I brainstorm with you
        """),
        "forms": _items("""
            Give me some ideas for {}.
            Can you help me brainstorm ideas for {}?
            I need ideas for {}.
            Any fun ideas for {}?
            What could we do for {}?
            ideas 4 {}? im blank
        """),
        "subjects": _items("""
            my sister's birthday | a rainy Sunday | a team outing | a garden party
            a first date at home | a costume party | Mother's Day | a retirement party
            the school fair | a fundraiser | a movie night | a new cafe's opening day
            a family reunion | an office lunch | a winter weekend
        """),
    },
    "howto": {
        "called": _items("""
            instructions you give me | your how-to guides | how-to answers
            answers that tell me how to do something
        """),
        "forms": _items("""
            How do I {}?
            Can you tell me how to {}?
            I want to {}. What do I have to do?
            Explain how to {}.
            Please show me how to {}.
            how 2 {}
        """),
        "subjects": _items("""
            change a flat tyre | clean a coffee machine | fold a fitted sheet | sew on a button
            unclog a sink | hang a picture | paint a fence | repot a plant | sharpen a knife
            tie a tie | wash a wool sweater | assemble a bookshelf | plant tomatoes
            back up a phone | remove candle wax from a table
        """),
    },
    "product": {
        "called": _items("""
            product descriptions you write | your product texts | texts for our online shop
            any product description
        """),
        "forms": _items("""
            Write a product description for {}.
            I'm selling {}. Can you write the text for the shop?
            We need a product text for {}.
            Please describe {} for our online shop.
            How would you present {} on a shop page?
            product txt for {} pls
        """),
        "subjects": _items("""
            a ceramic teapot | a wool blanket | a folding bike | a leather wallet
            a scented candle | a wireless mouse | a garden bench | a rain jacket
            a wooden puzzle | a steel water bottle | a yoga mat | an alarm clock
            a set of kitchen knives | a baby carrier | a portable speaker
        """),
    },
    "story": {
        "called": _items("""
            stories you write for me | each story you come up with | the stories you tell
            short stories of yours
        """),
        "forms": _items("""
            Tell me a story about {}.
            Write a short story about {}.
            Can you make up a story about {}?
            My daughter wants a bedtime story about {}.
            I'd like a story with {} in the main role.
            story about {} pls
        """),
        "subjects": _items("""
            a dragon who is afraid of fire | a lost key | two brothers at sea
            a robot in a bakery | a girl with a magic pencil | an old sailor
            a talking parrot | a haunted hotel | a village without clocks | a fox and a crow
            a princess who repairs engines | a boy and his kite | a detective on holiday
            the smallest elephant | a letter from the future
        """),
    },
}

EXAM_OTHER: Final[tuple[str, ...]] = _items("""
    What is the capital of Australia?
    How many legs does a spider have?
    Who painted the "Mona Lisa"?
    What is 17 times 6?
    What's 1000 minus 365?
    What is 15 percent of 80?
    How do you say "thank you" in Italian?
    Translate "good night" into French.
    What does "generous" mean?
    Define "gravity".
    Is it "their" or "there" in "they left ... keys at home"?
    What's the plural of "goose"?
    Is "I seen him" correct English?
    In which year did the Second World War end?
    Which is the biggest planet in our solar system?
    What's the chemical symbol for gold?
    How many minutes are in a day?
    How many metres are 2.5 kilometres?
    What is the square root of 81?
    Which river runs through London?
    Who wrote "Pride and Prejudice"?
    What is the opposite of "ancient"?
    Give me a synonym for "happy".
    Correct this sentence: She don't like apples.
    Is "beautiful" a noun or an adjective?
    How do I print a list in Python?
    What does the SQL command SELECT do?
    What does WWW stand for?
    At what temperature does water boil?
    How tall is Mount Everest?
    What language do people speak in Brazil?
    Which colour do you get from blue and yellow?
    What is the currency of Japan?
    How many days does a leap year have?
    What is "cheese" in Spanish?
    What does "et cetera" mean?
    Which gas do plants take in from the air?
    What is the abbreviation ASAP short for?
    Who invented the telephone?
    If a train leaves at 9:40 and takes 75 minutes, when does it arrive?
    What is 144 divided by 12?
    How do you spell "necessary"?
    Is Egypt in Africa or in Asia?
    Is a tomato a fruit?
    What is the largest animal in the world?
    How many strings does a violin have?
    How many sides does a hexagon have?
    Is 51 a prime number?
    What do you call a baby kangaroo?
    Which countries does the United States border?
    How many rings are there in the Olympic flag?
    What's the difference between "its" and "it's"?
    Put this in the past tense: We go to the market.
    Which month comes after August?
    Write 2024 in Roman numerals.
    What is inflation, in simple terms?
    What's the noun form of "arrive"?
    Who was the first person on the moon?
    Which HTML tag makes a link?
    Where is the Taj Mahal?
""")

EXAM_TALK: Final[tuple[str, ...]] = _items("""
    Hi! | Good morning, how are you? | Thanks, that was really useful. | I'm so tired today.
    What lovely weather we're having! | Do you like music? | I'm on the bus right now.
    What should I call you? | Wow, it's Friday already. | Are you a real person? | lol
    I just had a huge breakfast. | My cat is sitting on the keyboard again. | I'm bored.
    I can't wait for the summer! | Do you ever sleep? | I think I'm catching a cold.
    My team lost again. | You're smarter than my phone. | Mondays are the worst.
    Are you in a good mood? | My best friend is getting married! | My orchid is blooming again.
    I got a new haircut. | The train is late again. | I passed my driving test!
    Good night, see you tomorrow.
""")

EXAM_FACTS: Final[tuple[str, ...]] = _items("""
    I live in a small town near Valencia. | My name is Henrike. | I work as a nurse on nights.
    I have two cats and a tortoise. | I can't eat peanuts. | My birthday is on the 3rd of May.
    My favourite colour is purple. | I play the drums in a band. | My parents come from Vietnam.
    I'm studying law in Leeds. | My wife Sanna is a pilot. | I just bought a used car.
    I stopped smoking two years ago. | I go swimming every Tuesday.
""")

EXAM_WHO: Final[tuple[str, ...]] = _items("""
    You are Poppy, the assistant of a flower shop in Bristol.
    You are the support chat of Northline Broadband.
    You answer guests' questions for the Hotel Bellavista on Lake Garda.
    You are Max, a friendly helper in a language learning app.
    You are the digital receptionist of Dr. Farouk's eye clinic.
    You help the members of a community garden.
    You are Inkwell, a writing assistant for students.
    You are the chatbot of Brightwater Swimming School.
    You support the staff of a small accounting firm called Lowe & Daughters.
    You are Rusty, who helps the customers of a bicycle repair shop.
""")

EXAM_MORE: Final[tuple[str, ...]] = _items("""
    We are open from Tuesday to Saturday, nine to six.
    Be friendly and patient with everyone who writes.
    Delivery within the city is free for orders over forty euros.
    Never promise a refund without asking a colleague first.
    The company was founded in 1987 by two sisters.
    Do not share the private phone numbers of our staff.
    Classes are taught by Mr. Oduya and Ms. Lefevre.
    If you do not know something, say so honestly.
    Orders placed before noon leave the warehouse the same day.
    Complaints should be passed on to the branch manager.
    Our main office is above the bakery on Station Road.
    Many of our customers are first-time buyers and a bit unsure.
    For lost property, refer people to the front desk.
    In an emergency, people should call the clinic directly.
    The summer concert takes place in the courtyard each July.
    Always ask for the order number when someone reports a problem.
    Parking is available behind the building, but only for two hours.
    Members get a discount of ten percent on all courses.
    Don't talk about other customers' orders.
    We grow most of our herbs ourselves.
    Suggest the cheaper option if both would do the job.
    Gift vouchers are valid for three years.
    Feedback goes to Ms. Whitlock, who answers each letter personally.
    Sound like a helpful neighbour, not like a salesperson.
    The ferry does not run when the wind is too strong.
    Visitors can borrow an audio guide in five languages.
    Dogs are welcome on the terrace but not indoors.
    Do not give medical or legal advice.
    The sauna is closed for repairs until the end of the month.
    Every guitar is checked by hand before it is sold.
    Large groups need to book at least two weeks ahead.
    Our newsletter appears once a quarter.
    The annual general meeting is held in March.
    Treat beginners and experts with the same respect.
    The kitchen closes at ten, the bar at one.
    We donate unsold bread to a shelter.
    Trails may be muddy after heavy rain.
    Users are between twelve and sixteen years old.
    Inventory is updated each morning at seven.
    Mr. Karlsson took over the workshop from his uncle in 2011.
    The lift is out of order, so visitors should use the stairs at the back.
    Assume that people are in a hurry.
    Payment is possible by card, in cash or by invoice.
    Stay calm and polite even if someone is rude.
    Thank people who send us suggestions.
    The phone line is busiest on Monday mornings.
    New arrivals are put on the shelves every Thursday.
    Don't exaggerate what our products can do.
    Half of our seats are reserved for local residents.
    Two of our nurses speak Turkish and Polish.
""")
