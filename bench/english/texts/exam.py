"""The exam of the rules that stand in a system prompt.

These texts decide a figure; nobody who makes training texts reads them."""

from typing import Final


def _items(text: str) -> tuple[str, ...]:
    """The items of a text, stripped; a backslash joins a long one that had to be cut in two."""
    return tuple(" ".join(one.split()) for one in text.strip().replace("\n", "|").split("|"))


EXAM_WORDINGS: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        Finish {it} with the exact words "{v}".
        The very last words of {it} should be '{v}'.
        Please always close {it} by writing "{v}" at the very end, with nothing after that.
        Let "{v}" be the final words in {it}.
        I sign everything the same way, so put "{v}" as the closing words of {it}.
        Nothing may come after these closing words in {it}: {v}
        In {it}, this has to be the last thing you say: {v}
        It would be lovely if you could round off {it} with "{v}" every time, thank you.
        Conclude {it} with the following phrase, unaltered: {v}
        Last words in {it}: {v}
        You keep forgetting this! "{v}" goes at the very end of {it}, always.
        My boss insists on a fixed ending, so the last words of {it} must be "{v}".
        pls always end {it} w/ '{v}' thx
        It is hereby required that the final words of {it} shall be "{v}".
        In the end of {it} you must to write always the words "{v}".
        Whatever else you say in {it}, your parting words must be "{v}".
    """),
    "starts": _items("""
        Begin {it} with "{v}" and then carry on as usual.
        The first words of {it} must be '{v}'.
        Open {it} with exactly these words: {v}
        I would like {it} to start with "{v}", please.
        Before anything else in {it}, write "{v}".
        Please put "{v}" at the very beginning of {it}.
        No matter the topic, "{v}" should be the opening words of {it}.
        Our mail filter looks for a fixed opening, so have {it} lead off with "{v}".
        In {it}, the opening words are always: {v}
        Nothing goes ahead of these words in {it}: {v}
        Kick off {it} with '{v}', it makes me smile every time.
        The opening words of {it} shall be "{v}", without exception.
        start {it} with "{v}" ok?? dont forget
        Stop diving straight in. "{v}" comes first in {it}.
        On beginning of {it} please to write always "{v}".
        First thing in {it}, always: {v}
    """),
    "sentences": _items("""
        Use exactly {v} sentences in {it}.
        Keep {it} to exactly {v} sentences, no more and no fewer.
        The length of {it} must be precisely {v} sentences.
        Please write {v} sentences in {it}, neither more nor less.
        I want {v} sentences in {it}. Not fewer, not more.
        For {it}, {v} sentences exactly.
        I read everything on a tiny screen, so give me exactly {v} sentences in {it}.
        Could you please make sure that you use {v} sentences in {it}, no more, no less?
        In {it}, write {v} sentences on the dot, so count before you send.
        Enough rambling. Exactly {v} sentences in {it}, and then stop.
        It is stipulated that {it} shall consist of exactly {v} sentences.
        exactly {v} sentences 4 {it} pls, i get bored lol
        You must to write exact {v} sentences in {it}, not other number.
        I'd be grateful if {it} could have exactly {v} sentences.
        Build {it} out of exactly {v} sentences.
        Say what there is to say in exactly {v} sentences when it comes to {it}.
    """),
    "words": _items("""
        Keep {it} under {v} words.
        Use fewer than {v} words in {it}.
        The word count of {it} must stay below {v}.
        Please make {it} shorter than {v} words.
        I want less than {v} words in {it}, every time.
        Each word costs me money to send on, so {it} must come in at under {v} words.
        Do not let {it} reach {v} words.
        Always stay below {v} words in {it}, please and thank you.
        For {it}, {v} words would already be too many; stay under that.
        My eyes get tired, so it would help a lot if you held {it} to fewer than {v} words.
        The total number of words in {it} shall be strictly less than {v}.
        You talk too much! Under {v} words for {it} from this point.
        keep {it} less then {v} words plz
        In {it} you should to use always less than {v} words.
        Word limit for {it}: fewer than {v}.
        Be brief in {it}, by which I mean fewer than {v} words.
    """),
    "lines": _items("""
        Write {it} on exactly {v} lines.
        Lay out {it} on exactly {v} lines, with a line break between one and the next.
        Break {it} into exactly {v} lines.
        I need {it} to have exactly {v} lines, so press return where a new one begins.
        Please split {it} over {v} lines, no more and no fewer.
        The text of {it} should take up {v} lines exactly, separated by line breaks.
        There must be {v} lines in {it}, not one more or one less.
        Use line breaks so that you have exactly {v} lines in {it}.
        Would you kindly arrange {it} in exactly {v} lines?
        For {it}, {v} lines. Exactly. New line each time.
        Format {it} as {v} lines of text, precisely.
        The sign in my shop shows {v} lines, so {it} must have exactly that many.
        The layout of {it} shall comprise exactly {v} lines, separated by line breaks.
        Not one big block again! Give me {it} in exactly {v} lines.
        exactly {v} lines in {it} plz, hit enter between em
        Please to make {it} with exact {v} lines, each on new row.
    """),
    "bullets": _items("""
        Write {it} entirely as a bulleted list.
        In {it}, every line has to be a bullet point.
        Use only bullet points in {it}, with no other text around them.
        Please give me {it} as bullet points and nothing else.
        Format {it} so that each line is a bullet.
        I skim everything, so put the whole of {it} into bullet points.
        No introduction, no closing paragraph: {it} should consist of bullet points \
            from the first line to the last.
        Present {it} purely as a list of bullets.
        I'd appreciate it if you could make {it} a bulleted list, each line a bullet.
        Whatever you say in {it} goes into a bullet point, without exception.
        Start each line of {it} with a bullet, so that there is nothing but a bulleted list.
        Bullets only in {it}.
        The content of {it} shall be set out exclusively in bulleted form, one bullet to each line.
        I hate paragraphs!! All bullets, every single line, in {it}.
        just bullet pts for {it} pls, no other txt
        For {it} please make all like list with bullet, every line must be one bullet.
    """),
    "lower_case": _items("""
        Write {it} entirely in lower case.
        Do not use a single capital letter in {it}.
        Keep {it} in lowercase letters, even at the start of a sentence.
        Please use only small letters in {it}.
        In {it}, leave every letter uncapitalised, names included.
        No capitals at all in {it}.
        I find capitals shouty, so please stick to lower case all the way through {it}.
        All the text of {it} should be lowercase.
        Could you type {it} without any uppercase letters?
        Every letter in {it} must be a lower-case one.
        Never touch the shift key for a letter in {it}: lower case only.
        Our house style asks for {it} to be set wholly in lower case.
        Capital letters are not permitted in {it}; lower case shall be used throughout.
        i dont do caps so neither should u, all lowercase in {it}
        How often must I say it? Lower case, nothing but lower case, in {it}.
        Please to write {it} with little letters only, never the big ones.
    """),
    "upper_case": _items("""
        Write {it} in capital letters throughout.
        Use uppercase for every letter in {it}.
        Please type {it} in all caps.
        My eyesight is poor, so put {it} completely in capitals.
        In {it}, no lower-case letter should appear; capitals only.
        Keep caps lock on for the whole of {it}.
        Every single letter in {it} must be a capital.
        I'd like {it} to be fully uppercase, please.
        All caps in {it}.
        Set {it} in block capitals from beginning to end.
        Only capital letters are allowed in {it}.
        An old teleprinter that knows only capitals prints this, so make {it} uppercase all through.
        The entire text of {it} shall be rendered in upper case.
        CAPS LOCK ON in {it} pls, every letter big, i mean it
        I can't read those small letters, I told you! Capital letters only, all through {it}.
        You must write with the big letters only, all words, in {it}.
    """),
    "json": _items("""
        Return {it} as a JSON object with the single key "{v}" and nothing else.
        Give me {it} as nothing but a JSON object whose only key is "{v}".
        Put {it} into a JSON object under the one key "{v}", with no text outside.
        Format {it} as JSON: one object, one key, named "{v}", and no text before or after.
        A script reads your output, so send {it} purely as a JSON object with one key, "{v}".
        The output for {it} must be a valid JSON object having exactly one key, "{v}", \
            and nothing besides.
        Please wrap {it} in a JSON object with "{v}" as the sole key and write nothing around that.
        Only JSON in {it}, please: an object with the one key "{v}".
        I would be thankful to get {it} as a bare JSON object with the one key "{v}".
        The body of {it} shall be a JSON object containing the sole key "{v}" and no further text.
        json only 4 {it} pls, single key "{v}", no chit chat
        My parser broke again because of your chatter. Just a JSON object, one key, "{v}", for {it}.
        Use a JSON object and nothing else for {it}.
        Write {it} as a plain JSON object, with no words before or after.
        My program has to load the whole text, so I need {it} to be one JSON object and no more.
        For {it} you give me only JSON object, no other text please.
    """),
    "no_sign": _items("""
        Never use {v} in {it}.
        Do not put any {v} into {it}.
        Leave {v} out of {it} altogether.
        Please write {it} without {v}.
        Keep {it} free of {v}.
        There must be no {v} in {it}.
        I can't stand {v}, so avoid them completely in {it}.
        My old printer chokes on {v}; please do without them in {it}.
        I want to see no {v} anywhere in {it}.
        Would you be so kind as to do without {v} in {it}?
        No {v} in {it}.
        Steer clear of {v} in {it}, whatever the topic.
        It is prohibited to use {v} in {it}.
        ugh stop with the {v} already, none in {it}
        zero {v} in {it} pls
        In {it} it is forbidden to write {v}, also not one time.
    """),
    "not_contains": _items("""
        Never use the word "{v}" in {it}.
        Do not write the word "{v}" anywhere in {it}.
        Leave the word '{v}' out of {it}.
        Please avoid the word "{v}" entirely in {it}.
        The word "{v}" must not appear in {it}.
        There is one word I never want to see in {it}: {v}
        I have a thing about the word "{v}", so please do without that word in {it}.
        Find other ways of saying things in {it}, because the word "{v}" is off limits.
        Keep {it} free of the word "{v}".
        Write {it} without once using the word "{v}".
        This word is banned from {it}: {v}
        My daughter and I play a game where nobody may say "{v}", so don't use that word in {it}.
        Use of the word "{v}" is not permitted in {it}.
        dont ever say "{v}" in {it} , that word annoys me sm
        If I read the word "{v}" one more time I'll scream. Not in {it}, never again.
        In {it} you must not to use this word: {v}
    """),
    "emoji": _items("""
        Put an emoji at the {v} of {it}.
        Place one emoji at the very {v} of {it}.
        There should be an emoji at the {v} of {it}.
        Please add an emoji at the {v} of {it}.
        I like a bit of colour, so set an emoji at the {v} of {it}.
        An emoji belongs at the {v} of {it}, every time.
        Always have an emoji standing at the {v} of {it}.
        At the {v} of {it}, show a fitting emoji.
        Would you mind sticking an emoji at the {v} of {it}?
        Use an emoji of your choice at the {v} of {it}.
        My kids read along and love emojis, so {it} must have one at the {v}.
        Decorate the {v} of {it} with an emoji.
        An emoji shall be placed at the {v} of {it}.
        emoji at the {v} of {it} plsss
        You left it out again. Emoji, at the {v}, in {it}, always.
        Please to put always some emoji on the {v} of {it}.
    """),
    "no_bold": _items("""
        Do not use bold text in {it}.
        Never put anything in bold in {it}.
        Keep {it} free of bold type.
        Please write {it} without any bold words.
        No bold in {it}.
        My editor cannot show bold text properly, so leave bold out of {it}.
        Nothing in {it} should be bold.
        Avoid bolding words or headings in {it}.
        I would prefer {it} in ordinary weight only, with no bold anywhere.
        Plain type for {it}, please: bold is not wanted.
        Refrain from bold formatting throughout {it}.
        Could you skip the bold formatting in {it}, please?
        Boldface shall not be used in {it}.
        quit bolding stuff in {it}, its so annoying
        plz no bold txt in {it} thx
        In {it} I don't want to see letters which are bold, never.
    """),
    "no_lists": _items("""
        Do not use lists in {it}; write running prose.
        Write {it} in flowing paragraphs, never as a list.
        No bullet points and no numbered lists in {it}, only ordinary prose.
        Please keep {it} in connected prose without lists of any kind.
        A machine reads the text aloud to me, so use running prose in {it} and no lists.
        Avoid every sort of list in {it}, bulleted or numbered.
        Put {it} in normal paragraphs, with no list of any type.
        Lists are out in {it}: plain paragraphs only.
        In {it}, tell me things in continuous text rather than lists.
        Could you phrase {it} as running text, without bullets or numbering?
        Never break {it} up into list items; prose all the way.
        I'd rather you talked in {it} as a person would, in prose and with no lists at all.
        The text of {it} shall be continuous prose; bulleted or numbered lists are not admitted.
        no more lists ok? just normal text in {it}, no bullets no numbers
        I'm sick of your bullets and numbered points. Prose only in {it}, no lists.
        Please to write {it} like normal text, without the lists, no points and no numbers.
    """),
    "contains": _items("""
        Use the words "{v}" somewhere in {it}.
        Make sure that "{v}" occurs at some point in {it}.
        Work the words "{v}" into {it}.
        Please mention "{v}" somewhere in {it}.
        In {it}, the words '{v}' must appear at least once.
        Somewhere in {it}, you need to include these words: {v}
        Never leave "{v}" unmentioned in {it}.
        The wording "{v}" must turn up in {it}, no matter where.
        I have a bet going with a friend, so please slip "{v}" into {it}.
        Include "{v}" in {it}.
        Don't send {it} without "{v}" in the text.
        It would please me greatly if you could weave "{v}" into {it} at some place.
        The expression "{v}" shall be included in {it}.
        dont 4get 2 say "{v}" in {it}, anywhere is fine
        Where was it this time? I said "{v}" has to be somewhere in {it}!
        In {it} must always to come the words: {v}
    """),
    "numbered_list": _items("""
        Write {it} as a numbered list.
        Use a numbered list for {it}.
        Number your points one after another in {it}, as a list with 1, 2, 3 and so on.
        Please lay {it} out as a list with numbers.
        In {it}, give me a numbered list instead of paragraphs.
        I want {it} in the form of a numbered list.
        I tick things off by number, so please make {it} a numbered list.
        Set {it} out as numbered points.
        Put whatever you say in {it} into a list that is numbered.
        Would you please structure {it} as a numbered list?
        Numbered list for {it}.
        Arrange {it} in a list where every item carries a number: 1., 2., 3. and onward.
        The substance of {it} shall be presented as a numbered list.
        numbered list 4 {it} plz so i dont lose my place
        How am I to follow that mess? Numbered list, in {it}, always.
        Please to do {it} like a list with the numbers before each point.
    """),
}

EXAM_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        Yours truly, Marlene | Over and out. | Best wishes, Tom | Have a pleasant evening!
        That is all. | Stay curious! | Kind regards, the Hillside team | Ask me anything.
        Safe travels! | Cheers, Ben | Your friend in the kitchen | So long, sailor!
        Hugs, Auntie Jo | Until next time. | Sincerely, Dr. Alvarez | Case closed.
        Peace and love | Thanks for reading. | Is there anything else? | Onwards and upwards!
        Sleep well. | Yours in haste, Pip | End of message | Good luck!
        With warm greetings, Farah | Keep smiling, friend. | I rest my case. | Happy to help!
        Faithfully, Mr. Boothe | The end. | See you soon, alligator! | Goodbye
    """),
    "starts": _items("""
        Dear customer, | Good morning, | Hello there! | Answer: | Howdy, partner! | Hi friend,
        Note: | My reply: | Ahoy! | Greetings, traveller! | Dear Sir or Madam, | Well now,
        In short: | Summary: | Hey you! | To my dear Agnes, | Breaking news: | Of course!
        Listen up! | Result: | Honestly, | Welcome back! | As requested, | Memo:
        Good evening, Captain! | Salutations, | From the desk of Olive: | Right then,
        Great question! | Here you go: | Hey Marco, | Attention please!
    """),
    "sentences": _items("1 | 2 | 3"),
    "words": _items("""
        12 | 13 | 15 | 17 | 18 | 21 | 24 | 26 | 29 | 32 | 35 | 38 | 42 | 47 | 53 | 58
    """),
    "lines": _items("2 | 3 | 4"),
    "json": _items("""
        reply | output_text | body | message_text | result | content | bot_reply | final_answer
        note | payload | text_out | statement | summary_text | response_body | value | say
        data_item | speech
    """),
    "not_contains": _items("""
        very | really | also | because | however | just | many | always | great | good
        important | like | people | time | make | help | best | often | need | small
        first | water | sure | well | then | perfect | enjoy | simple | start | different
        new | there | most | much | some | more | can | with | this | about
    """),
    "contains": _items("""
        blue elephant | teamwork | rain or shine | my friend | at the end of the day
        fresh coffee | silver lining | step by step | patience | quality first
        lucky number | sunshine | safe and sound | customer care | every little helps
        old oak tree | honesty | to be fair | penguin | piece of cake
        in my opinion | lighthouse | bread and butter | marmalade | open door
        a grain of salt | green tea | peace of mind | courage | once in a while
    """),
    "emoji": _items("start | end"),
}

EXAM_ALL: Final[tuple[str, ...]] = _items("""
    all your answers | every reply of yours | everything you write to me
    each response you give | all that you tell me | anything you say here
    every message you send me | all of your responses | each and every answer
    whatever you reply | all replies in this chat | every single response
    any answer you give me
""")

EXAM_SUCH: Final[tuple[str, ...]] = _items("""
    answers of this kind | replies of that sort | such answers | texts like these
    any answer of this type | responses to requests like that
    whatever you write in such cases | every text of that kind
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
    "From here on: ",
    "One rule: ",
    "Please note: ",
    "Here is something that matters to me. ",
    "Important: ",
    "A quick request. ",
    "Remember this. ",
    "House rule: ",
    "Just so you know: ",
    "Instruction for the assistant: ",
)

EXAM_KINDS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "email": {
        "called": _items("""
            emails that you write for me | e-mails you draft | mails written in my name
            emails of any sort
        """),
        "forms": _items("""
            Write an email to {}.
            Please draft a mail to {}.
            Can you help me with an email to {}?
            I need an e-mail to {}.
            Put together a polite email for me, it goes to {}.
            email to {} pls
        """),
        "subjects": _items("""
            my landlord about the broken heater
            the school about my son's absence on Friday
            a supplier about a late delivery of paint
            my boss about a day off next week
            our neighbours about the loud music at night
            the bank about a wrong charge on my account
            a colleague about the room for tomorrow's meeting
            the dentist about moving my appointment
            an old teacher about a letter of reference
            the hotel about a lost umbrella
            my team about the summer party
            a customer about a refund for a lamp
            the gym about ending my membership
            a job applicant about an interview on Monday
            the town council about the dark street lamps
        """),
    },
    "recipe": {
        "called": _items("""
            recipes of any kind | cooking recipes you give me | recipes I ask you for
            recipes for food and drink
        """),
        "forms": _items("""
            Give me a recipe for {}.
            How do I make {}?
            I'd like to cook {} tonight. Do you have a recipe?
            Can you share your recipe for {}?
            What is a good recipe for {} for four people?
            recipe for {} please
        """),
        "subjects": _items("""
            lentil soup | mushroom risotto | banana pancakes | chicken curry | potato salad
            fish pie | vegetable lasagne | apple crumble | beef stew | tomato bruschetta
            pumpkin bread | fried rice | spinach quiche | stuffed peppers | rice pudding
        """),
    },
    "poem": {
        "called": _items("""
            poems you write | poems of any sort | verses that I ask you for
            your poems
        """),
        "forms": _items("""
            Write a poem about {}.
            Can I have a short poem about {}?
            Please compose some verses about {}.
            I would love a poem on {}.
            Make up a little rhyme about {}.
            poem about {} pls
        """),
        "subjects": _items("""
            an old lighthouse | my grandmother | the first snow | a lonely robot | autumn leaves
            a stray cat | the night train | a baker at dawn | the moon | a broken watch
            my baby brother | the river behind our house | a retired sailor | a paper kite
            the last bus home
        """),
    },
    "advice": {
        "called": _items("""
            pieces of advice you give | answers in which you advise me
            replies to my personal problems | words of advice from you
        """),
        "forms": _items("""
            I need some advice about {}.
            What should I do about {}?
            Do you have any advice on {}?
            I am struggling with {}. What would you advise?
            Please advise me on how to cope with {}.
            how do i deal with {}, any advice
        """),
        "subjects": _items("""
            a quarrel with my sister | trouble falling asleep | stress at work
            a friend who never pays me back | my fear of flying | constant money worries
            a lazy flatmate | nerves before exams | a jealous partner | loneliness in a new city
            my bad habit of putting things off | a boss who ignores me | a shy teenage daughter
            too much time on my phone | homesickness at college
        """),
    },
    "explain": {
        "called": _items("""
            explanations of how things work | explanations you give me
            answers that explain how something functions
            replies to my questions about how a thing works
        """),
        "forms": _items("""
            How does {} work?
            Explain to me how {} works.
            Tell me in simple terms what makes {} work.
            I never understood the way {} works. Can you explain?
            Please explain the working of {}.
            can u explain how {} works
        """),
        "subjects": _items("""
            a microwave oven | the stock market | a vaccine | a solar panel | the human ear
            a jet engine | a refrigerator | a vending machine | a touch screen | a compass
            an electric motor | the heart | a thermos flask | a zip fastener | a lie detector
        """),
    },
    "travel": {
        "called": _items("""
            travel tips you give | answers about places to visit | replies about trips
            suggestions for a journey
        """),
        "forms": _items("""
            What should I see in {}?
            I'm going to {} next month. Any travel tips?
            Plan a weekend in {} for me.
            Where would you take a visitor in {}?
            We have three days in {}. What shall we do?
            things to do in {} on a trip?
        """),
        "subjects": _items("""
            Lisbon | Kyoto | Marrakesh | Vancouver | Edinburgh | Hanoi | Cape Town | Prague
            Mexico City | Iceland | Naples | New Orleans | Sydney | Istanbul | Copenhagen
        """),
    },
    "ideas": {
        "called": _items("""
            ideas you come up with | answers in which I ask for ideas
            replies with ideas in them | suggestions when I look for ideas
        """),
        "forms": _items("""
            Give me some ideas for {}.
            I need ideas for {}.
            Can you brainstorm ideas for {}?
            Do you have any good ideas for {}?
            Please help me think of ideas for {}.
            any ideas for {}??
        """),
        "subjects": _items("""
            a rainy Sunday with children | a 40th birthday party | a school science project
            a wedding present | the name of a small cafe | an office outing | a first date
            a retirement gift | a Halloween costume | a charity event | a blog about gardening
            a family reunion | a cheap holiday decoration | a team quiz night | a farewell card
        """),
    },
    "howto": {
        "called": _items("""
            instructions you give me | how-to answers | guides to doing something
            directions for practical jobs
        """),
        "forms": _items("""
            How do I {}?
            Show me how to {}.
            What is the right way to {}?
            I want to {}. How do I go about that?
            Please walk me through it: I have to {}.
            how to {} quick
        """),
        "subjects": _items("""
            paint a fence | change a bicycle tyre | unclog a sink | sew on a button
            back up my phone | hang a heavy mirror | clean a leather sofa | fold a fitted sheet
            descale a kettle | repot a cactus | tie a bow tie | sharpen a kitchen knife
            remove candle wax from a carpet | set up a tent | wash a woollen jumper
        """),
    },
    "product": {
        "called": _items("""
            product descriptions | texts about things for sale | descriptions of our goods
            product texts you write
        """),
        "forms": _items("""
            Write a product description for {}.
            Describe {} for our online shop.
            We are going to sell {}. Write the text for the catalogue.
            Please write a product text about {}.
            I need a description of {} to put in the shop.
            product description for {} pls
        """),
        "subjects": _items("""
            a bamboo toothbrush | a wool blanket | an electric kettle | a leather wallet
            a garden hose | a pair of hiking boots | a scented candle | a folding chair
            a set of steel pans | a wooden puzzle | an alarm clock | a rain jacket
            a yoga mat | a bird feeder | a travel mug
        """),
    },
    "story": {
        "called": _items("""
            stories you tell me | short stories | tales that you make up
            stories of every sort
        """),
        "forms": _items("""
            Tell me a story about {}.
            Write a short story about {}.
            Can you make up a tale about {}?
            I'd like a bedtime story about {}.
            Please invent a story with {} in the main role.
            story about {} pls
        """),
        "subjects": _items("""
            a clumsy dragon | a lost key | a girl who talks to birds | an honest thief
            a haunted piano | two rival bakers | a boy on a raft | a talking suitcase
            a sleepy giant | an astronaut with a secret | a village doctor | a golden acorn
            a brave hedgehog | the oldest clock in town | a magician without magic
        """),
    },
}

EXAM_OTHER: Final[tuple[str, ...]] = _items("""
    What is the capital of Norway?
    How many legs does a spider have?
    Who painted the Mona Lisa?
    What is 17 times 6?
    Add 245 and 389.
    What is a quarter of 92?
    How do you say "thank you" in Italian?
    Translate "the cat is asleep" into Spanish.
    What does the word "frugal" mean?
    Define "metaphor".
    Is it "who" or "whom" in "the man I saw"?
    What is the plural of "goose"?
    What is the past tense of "bring"?
    In which year did the Second World War end?
    Which planet is closest to the sun?
    What is the chemical symbol for iron?
    How many minutes are there in a day?
    Convert 10 miles to kilometres.
    What is the square root of 144?
    Name the longest river in South America.
    Who wrote "Pride and Prejudice"?
    What is the opposite of "generous"?
    Give me a synonym for "angry".
    Correct this sentence: She don't like tea.
    Is "run" a noun or a verb?
    Write a Python line that prints the numbers from 1 to 5.
    How do I get the length of a list in Python?
    What does HTML stand for?
    What is the boiling point of water in Fahrenheit?
    How tall is Mount Everest?
    Which language do people speak in Brazil?
    What colour do you get from blue and yellow?
    What is the currency of Japan?
    How many days does February have in a leap year?
    Translate "good night" into French.
    What is the German word for "bread"?
    Which gas do plants take in?
    What does "ASAP" stand for?
    Who was the first person on the moon?
    What is 15 percent of 200?
    Divide 81 by 9.
    Spell the word for a person who repairs pipes.
    Where is the Sahara?
    Is a tomato a fruit or a vegetable?
    What is the largest animal on Earth?
    How many strings does a violin have?
    What is a prime number?
    Is 51 a prime number?
    What do you call a young swan?
    Which ocean lies between Africa and Australia?
    How many continents are there?
    What is the difference between "its" and "it's"?
    Put this into the past tense: I go to school.
    Which month comes after August?
    What is the Roman numeral for 50?
    Define "inflation" for me.
    What is the adjective of "beauty"?
    Who invented the telephone?
    Which SQL command deletes a table?
    In what country is the city of Nairobi?
""")

EXAM_TALK: Final[tuple[str, ...]] = _items("""
    Hi, how are you today? | Good morning! | Hey, what's up? | Thanks, that was nice of you.
    I'm a bit tired today. | It's raining cats and dogs here. | Do you like music?
    I just got home from work. | What's your name? | My weekend was far too short.
    Are you a robot? | I had the best coffee this morning. | lol you're funny
    Guess what, I passed my driving test! | My dog is snoring next to me. | I'm so bored.
    It's finally Friday! | Do you ever sleep? | I think I'm catching a cold.
    My team lost again last night. | What do you think of Mondays? | I miss the summer.
    You seem to be in a good mood. | My daughter started school today. | Do you have any hobbies?
    I can't decide what to wear. | The bus was late again. | Good night, I'm off to bed.
""")

EXAM_FACTS: Final[tuple[str, ...]] = _items("""
    I live in a small town near Leeds. | My name is Henrik. | I work as a night nurse.
    I have two cats called Salt and Pepper. | I am allergic to peanuts. | I am 63 years old.
    My favourite colour is turquoise. | I play the trombone in a brass band.
    I moved here from Chile four years ago. | I am studying to become a surveyor.
    My wife is called Noemi. | I drive an old green van. | I don't eat meat.
    I go swimming every Tuesday.
""")

EXAM_WHO: Final[tuple[str, ...]] = _items("""
    You are Nilo, the assistant of a bicycle shop in Ghent.
    You are the help desk of Brightwater Energy.
    You are a support agent for Tallow & Finch, a maker of candles.
    You are Dora, the friendly helper on the website of a public library.
    You are the virtual concierge of the Hotel Meridian.
    You are an assistant for the members of a large housing cooperative.
    You are Quill, the writing helper of a small publishing house.
    You are the chat service of Northgate Garden Centre.
    You are a digital colleague of the staff at Oakfield Insurance.
    You are Remy, who looks after the guests of an online cooking school.
""")

EXAM_MORE: Final[tuple[str, ...]] = _items("""
    Our shop is open from nine to six on every day except Sunday.
    Be friendly and patient, even when a customer is upset.
    Goods can be returned within thirty days if they are unused.
    Never promise a delivery date that the warehouse has not confirmed.
    The company was founded in 1987 by two sisters from Bergen.
    If you do not know something, admit it rather than guess.
    Questions about invoices are handled by the accounts team on the second floor.
    Do not speak badly of our competitors or their products.
    Shipping is free for every order worth more than fifty euros.
    Treat all personal data of our customers as strictly confidential.
    Our head office stands beside the old railway station in Utrecht.
    Sound calm and professional, as an experienced member of staff would.
    Refunds are paid back to the card that was used for the purchase.
    Medical and legal questions should be referred to a qualified person.
    We employ about two hundred people in three different countries.
    Never ask a customer for a password or a bank code.
    The car park behind the building is free for visitors all day.
    Members get ten percent off everything except books and gift cards.
    Show understanding for people who have had trouble with our service.
    Our newest branch opened last spring in the harbour district.
    Do not discuss politics or religion with the people who contact us.
    Every product comes with a guarantee of two full years.
    Complaints about staff are passed on to the manager, Mrs. Lindqvist.
    Be warm and cheerful, as if you were talking to a neighbour.
    Orders placed before noon leave our warehouse on the same day.
    We do not ship to addresses outside the European Union.
    Children under twelve may take part only together with an adult.
    Assume that the people you talk to know little about technology.
    Dogs are welcome in the garden but not inside the restaurant.
    Our materials come from farms that do without chemical sprays.
    Never give out the private telephone numbers of our employees.
    Gift vouchers are valid for three years from the day of purchase.
    The repair workshop is closed during the first two weeks of August.
    Stay polite and helpful when somebody is rude or impatient with you.
    Breakfast is served in the winter garden from seven until half past ten.
    Students and pensioners pay a reduced price on presenting a valid card.
    Do not make up prices, discounts or stock levels under any circumstances.
    Most of our visitors come here for the first time and feel unsure.
    The annual sale takes place in the last week of January.
    Our director, Mr. Okafor, has led the company since 2015.
    Customers can pay by card, by bank transfer or in cash.
    Treat everybody with the same respect, whatever their age or background.
    Bookings may be cancelled free of charge up to two days beforehand.
    Internal plans and figures of the company must never be revealed.
    A little gentle humour is welcome as long as nobody is hurt.
    Our technicians are on call at night for urgent cases only.
    The lift is out of order until the end of the month.
    Safety comes first, so warn people whenever something could be dangerous.
    We plant one tree for every order that reaches our warehouse.
    People who want to work here can apply through our careers office.
""")
