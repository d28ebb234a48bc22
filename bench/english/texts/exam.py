"""The exam of the rules that stand in a system prompt.

These texts decide a figure; nobody who makes training texts reads them."""

from typing import Final


def _items(text: str) -> tuple[str, ...]:
    """The items of a text, stripped; a backslash joins a long one that had to be cut in two."""
    return tuple(" ".join(one.split()) for one in text.strip().replace("\n", "|").split("|"))


EXAM_WORDINGS: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        When you have said all you want in {it}, add "{v}" and stop right there.
        Word for word, "{v}" is what I want {it} to end with.
        Tack "{v}" onto the tail of {it} so that not a word follows.
        After the last sentence of {it}, write "{v}" and nothing further.
        The bottom of {it} must read "{v}", and not a letter may stand behind that.
        Could I ask you to sign off {it} with "{v}"? Those exact words, right at the finish.
        Our newsletter cuts a text off after "{v}", so {it} must end on precisely those words.
        Sign-off for {it}, to be copied letter for letter: {v}
        No P.S., no extra remarks: {it} must stop on the words "{v}".
        The running gag in our family is that {it} must end in "{v}", so do play along.
        Append "{v}" to {it}, unchanged, as the ending of the whole text.
        The assistant is to terminate {it} with the formula "{v}", to which nothing may be added.
        hey so {it} gotta end with "{v}" every single time, nothing after ok
        For the hundredth time: have {it} finish on "{v}". Is that so hard?
        I am wishing that {it} finish always by "{v}", after this no more text.
        Great help so far!! Just make sure that "{v}" are the last wrods of {it}.
    """),
    "starts": _items("""
        Let {it} open on the words "{v}", whatever follows.
        In {it}, "{v}" must lead the way, ahead of every other word.
        I want to read "{v}" first and the rest of {it} after that.
        Put the phrase "{v}" in front of all the other text in {it}.
        At the top of {it} there must be "{v}", and only then the actual content.
        May I ask that you introduce {it} with "{v}"? Those very words, ahead of all others.
        We sort our texts by how they start, so {it} must start with "{v}" to the letter.
        Fixed opener for {it}: {v}
        Don't lead with anything but "{v}" in {it}.
        My grandpa began his letters with "{v}", so begin {it} with those words in his honour.
        From the very first character, {it} should read "{v}" and continue from there.
        The assistant shall preface {it} with the words "{v}", and nothing shall precede them.
        yo {it} gotta start w "{v}" first thing, then say watever
        Where is my "{v}"? I told you that {it} must begin with that, so begin with that!
        Is important for me that {it} begin by "{v}", before this no other word.
        Just a small wish: the frist thing you type in {it} should be "{v}".
    """),
    "sentences": _items("""
        I have settled on {v} sentences for {it}, and it must be precisely that number.
        Size of {it}, measured in sentences: exactly {v}.
        Allow {it} exactly {v} sentences.
        Neither cut {it} short nor drag things out: exactly {v} sentences is the size I want.
        Fit everything in {it} into exactly {v} sentences; one above or one below is wrong.
        Would it be possible for {it} to run to exactly {v} sentences? That would be wonderful.
        My students count along, so {it} must contain exactly {v} sentences.
        Stop {it} after exactly {v} sentences, and not a sentence sooner.
        Our form takes exactly {v} sentences, so {it} must have that number.
        Compose {it} so that anyone who counts arrives at {v} sentences on the nose.
        Pursuant to our guidelines, {it} must comprise {v} sentences, this number being binding.
        gimme {v} sentences in {it}, thats it, not one over not one under
        Can you even count?? I asked for exactly {v} sentences in {it}!
        I wish that {it} have {v} sentences exact, more is bad and less is also bad.
        Hi there! I like things tidy, so could {it} be exactly {v} sentences long, every time?
        Divide what you say in {it} into {v} sentences, excatly that many.
    """),
    "words": _items("""
        Cap {it} so that the words number fewer than {v}.
        If somebody counts the words in {it}, the total has to be lower than {v}.
        Trim {it} until fewer than {v} words remain.
        There is space for fewer than {v} words on my cards, so fit {it} into that.
        Might you restrict {it} to fewer than {v} words? I do appreciate brevity.
        Wrap up {it} before you hit {v} words.
        Anything with {v} words or more gets rejected by our system, so {it} must have fewer.
        Think of {v} words as a wall: {it} must always stop short of that.
        I time myself reading aloud, which is why {it} should have fewer than {v} words.
        Less is more, so spend fewer than {v} words in {it}.
        One can say a lot with fewer than {v} words, and I want you to prove that in {it}.
        In no event may {it} attain or exceed {v} words.
        yo {it} way too long man, under {v} words from now on k
        Who is supposed to read all that? I said fewer than {v} words in {it}, so do that!
        Please you make {it} short, the words must be less than {v}, count them before.
        Hope you dont mind me asking, but I'd like fewer thna {v} words in {it}.
    """),
    "lines": _items("""
        Spread out {it} so that there are exactly {v} lines of text.
        I should count exactly {v} lines when I look at {it}.
        The height of {it} is fixed: exactly {v} lines, one under the other.
        Stack the text of {it} in exactly {v} lines.
        No more than {v} lines in {it}, and no fewer than that either.
        Might I have {it} set over exactly {v} lines, each beneath the one before?
        I embroider these texts on cushions, which only works with exactly {v} lines in {it}.
        Line count of {it}: exactly {v}.
        Chop {it} up with line breaks so as to get {v} lines on the nose.
        Think of a stanza: {it} should have exactly {v} lines, one beneath another.
        However much there is to tell, {it} must occupy exactly {v} lines, broken where you like.
        The assistant shall set {it} in {v} lines precisely, parted by line breaks.
        yo make {it} {v} lines n not a single one over or under k
        Another wall of text, seriously? Exactly {v} lines for {it}, with breaks between!
        I want that {it} have {v} lines exactly, after every line you go down to the next one.
        Sorry to be fussy lol but {it} should have {v} lines exaclty, with line brakes in betwen.
    """),
    "bullets": _items("""
        Everything in {it} has to sit behind a bullet, line after line.
        Let {it} consist of bullet points alone.
        No line of {it} may go without a bullet in front.
        A bulleted list is the only thing {it} may contain.
        Turn the complete text of {it} into bullets, leaving no ordinary sentences above or below.
        Would you be willing to deliver {it} wholly in bullets, one per line?
        My slides take nothing but bullet points, so {it} can't be made of anything else.
        Skip greetings, lead-ins and wrap-ups in {it}: bullets from top to bottom.
        Whenever a line begins in {it}, the first one too, begin with a bullet point.
        Bullet, text, next line, bullet, text: that is how {it} should look throughout.
        I think in bullet points, so {it} should be just that, with no loose text.
        The sole format admitted for {it} is the bulleted list; no line may stand outside the list.
        bullets!! {it} should b bullets n not 1 line of anything else
        What did I say about loose text? Bullets on every line of {it}, no exceptions!
        I am preferring {it} with bullet in every line, no line without the bullet.
        Good day! Kindly hand me {it} as a pure bullet list, so evry line starts with a bullet.
    """),
    "lower_case": _items("""
        Small letters throughout {it}, with no exceptions for names or sentence openings.
        Pretend your keyboard has no capital letters when you write {it}.
        Uppercase has no place in {it}; every letter stays small.
        Make all letters in {it} lowercase, including "i" and the names of people and places.
        The letters of the alphabet should show up in {it} only in their small form.
        Would you do me the favour of keeping {it} in lower case from first letter to last?
        My font comes without capitals, so {it} must be typed in lower case only.
        Case for {it}: lower, always, everywhere.
        Even where grammar calls for a capital, write a lower-case letter in {it}.
        e. e. cummings is my hero, so go all-lowercase in {it} as a tribute.
        I want not one uppercase letter to slip into {it}.
        Majuscules are barred from {it} without exception; only minuscules shall be used.
        yo no caps in {it} lol, keep evrything lowercase
        Capitals again?! I want {it} in lower case, every last letter, full stop.
        In {it} please not use big letter, also not in begin of sentence, all small.
        So sorry to trouble you, but could {it} be all lower case? Captials give me headaches.
    """),
    "upper_case": _items("""
        Capitalise every letter of {it}, not merely the first ones.
        Lower case is off the table for {it}; write in full capitals.
        Shout {it} at me: uppercase from the first letter to the last.
        I expect to see the alphabet solely in upper case in {it}.
        Letters in {it} come in one size only: capital.
        Might I trouble you to render {it} wholly in uppercase letters?
        I stencil these texts on crates with capital stencils, so {it} must be all upper case.
        Uppercase only: that goes for the whole of {it}.
        Swap all the small letters in {it} for capitals before you answer.
        Like the front-page headlines of old, {it} should stand in capitals, each word in full.
        Don't leave even one lowercase letter in {it}; uppercase is what I want.
        The assistant is directed to employ uppercase letters exclusively in {it}.
        yell at me lol, {it} in ALL CAPS every time
        How many times?! I want {it} in UPPER CASE, every letter, or don't bother!
        All letter of {it} must be capital letter, small letter I cannot accept.
        hi, hope ur well, culd you write {it} with nothing but capital leters?
    """),
    "json": _items("""
        Answer with raw JSON in {it}: an object whose one and only key is called "{v}".
        Make {it} a JSON object. Let "{v}" be the lone key in there, and add no text around.
        I parse {it} automatically, therefore write one JSON object with just the key "{v}".
        Store {it} as the value of "{v}" in a one-key JSON object and show only that object.
        Curly bracket, the key "{v}", your text, curly bracket: that JSON object is all that {it} \
            may be.
        Kindly encode {it} as one JSON object, the only key being "{v}", and leave off other text.
        Our web form accepts one JSON object with the key "{v}" and no other key, so {it} must be \
            exactly that.
        Serialise {it} to JSON, as an object that has "{v}" for its only key, and add no commentary.
        The text of {it} goes in a JSON object at the key "{v}"; no second key, no words outside.
        Required shape of {it}: a JSON object, key "{v}", nothing further in or around that.
        The assistant shall emit {it} solely as a JSON object comprising the one key "{v}".
        need {it} in json, one object w/ just the key "{v}" and zero extra txt thx
        What part of JSON was unclear? One JSON object, and not a word around that, for {it}!
        My computer understand only one JSON object, so you write {it} so and add no other thing.
        Make {it} machine-readable: the whole text must be one JSON object.
        Could {it} come as a singel JSON object, start to finish, with no chatting round about?
    """),
    "no_sign": _items("""
        In {it}, {v} are not welcome.
        Stay away from {v} when writing {it}.
        I don't allow {v} in {it}.
        Remove all {v} from {it} before I get to see the text.
        The sort of writing I want in {it} has no {v}.
        Kindly refrain from {v} in {it}.
        Our database garbles {v}, which is why {it} must not have any.
        Write {it} as though {v} had never been invented.
        Not one of these in {it}, ever: {v}
        Use whatever you want in {it}, only not {v}.
        My teacher marks me down for {v}, so make sure that {it} will have none.
        The occurrence of {v} in {it} is ruled out by our style guide.
        omg {v} r so cringe, dont use any in {it}
        Are you doing this on purpose? I said that {it} must not have {v}, none!
        I ask you for write {it} with no {v}, they are not good for me.
        Hello, one small thng: could you drop all {v} from {it}?
    """),
    "not_contains": _items("""
        Treat "{v}" as a taboo word in {it}.
        If you are about to use the word "{v}" in {it}, pick some other word.
        I don't want to come across the word "{v}" in {it}.
        Get by in {it} with no use of this one word: {v}
        May I kindly request that {it} be written as if the word "{v}" did not exist?
        Our filter blocks any text with the word "{v}", so that word cannot be in {it}.
        The word "{v}" has no business in {it}.
        Rephrase as needed, but the word "{v}" should be absent from {it}.
        As a translator I find the word "{v}" a nightmare, so never use that word in {it}.
        Whatever the subject, {it} must not have the word "{v}" in the text.
        The assistant shall under no circumstances employ the term "{v}" in {it}.
        skip the word "{v}" in {it} pls, i hate tht word haha
        There you go again with the word "{v}"! Keep that word away from {it}, will you?
        The word "{v}" I don't like, so please you not write this word in {it}.
        hiya, culd you pleese make {it} without the word "{v}"?
    """),
    "emoji": _items("""
        Reserve the {v} of {it} for an emoji.
        The {v} of {it} must be formed by an emoji.
        When I look at the {v} of {it}, I expect an emoji to be there.
        Without an emoji at the {v}, {it} would not be complete, so add one there.
        Emoji required in {it}; position: the very {v}.
        Be so kind as to furnish {it} with an emoji at the {v}.
        Our brand is playful, so the {v} of {it} needs an emoji.
        Right at the {v}, {it} should show some emoji or other.
        Pick an emoji that suits the topic and use that as the {v} of {it}.
        I recognise your texts by the emoji at the {v}, so never omit that in {it}.
        Choose any emoji, but the {v} of {it} has to have one.
        The assistant is obliged to supply {it} with one emoji, situated at the {v}.
        gimme an emoji in {it}, like right at the {v}, makes me happy
        Where's my emoji? I told you the {v} of {it} is where one goes!
        On the {v} of {it} I like that stands always one emoji.
        Heya! Can the {v} of {it} have an emojii, every time, just for fun?
    """),
    "no_bold": _items("""
        Bold is not something I want to see in {it}.
        Let all words in {it} look the same, without bold for any of them.
        Don't emphasise anything in {it} by making it bold.
        The bold style is switched off for {it}.
        Keep the asterisks that make text bold away from {it}.
        Might you forgo bold lettering in {it}? I would be much obliged.
        Bold print shows up as ugly stars in our chat window, so use none in {it}.
        Bold words in {it}: none, please.
        Even if a word is important, don't embolden that word in {it}.
        I find bold text pushy, so {it} should do without.
        Headings, key terms, numbers or anything else: in {it} you must not make them bold.
        The assistant shall abstain from boldface formatting in {it}.
        y is everything bold lol, lose the bold in {it} ok
        Bold, bold, bold, I can't take it any longer! Write {it} with no bold whatsoever!
        Please you don't make the fat letters (bold) in {it}, only normal letters.
        Hello dear, I'd be happy if you woud not use bold leters in {it}.
    """),
    "no_lists": _items("""
        Tell me everything in {it} in full paragraphs and make no lists.
        Lists have no place in {it}, be they with dots, dashes or numbers.
        Weave the points of {it} into paragraphs; don't set them out as a list.
        Where you would use a list in {it}, use sentences in a paragraph instead.
        I want {it} free from bullet points, numbered items and any other kind of list.
        Would you mind giving me {it} as plain paragraphs with no list in them?
        Our site cannot show lists, so {it} must be made of paragraphs and nothing else.
        List-free prose only: that goes for {it}.
        Don't itemise anything in {it}; let one sentence of prose lead to the next, with no list.
        I'm old-fashioned and love good prose, so please, no bulleted or numbered lists in {it}.
        Write {it} the way a novelist would, in prose and with not one list.
        Enumeration by bullet or number is precluded in {it}; prose paragraphs shall be used.
        dude no lists in {it}, just talk normal in paragraphs
        Not another list! I want {it} in paragraphs, without any bullets or numbered points!
        For {it} I want the text who flows, not the list with points or with numbers.
        Sory to nag, but please don't make lists in {it}, just write regular paragrafs.
    """),
    "contains": _items("""
        See to it that the words "{v}" get a place in {it}.
        A reader of {it} should stumble on the words "{v}" sooner or later.
        Find a spot for the phrase "{v}" in {it}.
        The phrase "{v}" has to be used one or more times in {it}.
        I should be able to search {it} for "{v}" and get a match.
        Could you be so good as to bring up "{v}", in these very words, in {it}?
        Our sponsor pays for every mention, so get the words "{v}" into {it}.
        Mandatory phrase for {it}, at any place you like: {v}
        Bring "{v}" into the text of {it} at whichever point suits you.
        It's our secret code, so drop "{v}" into {it} at any point, but without fail.
        Whichever way you phrase {it}, the words "{v}" have to be in there.
        The assistant shall incorporate the wording "{v}" verbatim in {it}.
        plz stick "{v}" someplace in {it}, dnt care where
        Did you leave out "{v}" again? Those words belong in {it}, every single time!
        I need that you say in {it} also the words "{v}", where is not important.
        Morning! Just a reminder that {it} shuold have the words "{v}" in there somewhere.
    """),
    "numbered_list": _items("""
        Enumerate what you have to say in {it}: a numbered list, please.
        The form of {it} should be a list whose items are numbered from 1 upward.
        Give the items in {it} numbers and list them one below the other.
        Turn {it} into a list counted 1., 2., 3. and onward, each number on a new line.
        I'd like to be able to say "see point 2" about {it}, so use a numbered list.
        If you would, deliver {it} in numbered-list form.
        We discuss your texts on the phone by item number, so {it} must be a numbered list.
        Format of {it}: numbered list, always.
        Rather than prose or bullets, use a list with numerals in {it}.
        Go point by point in {it}, with 1. first, 2. second and so forth, as a list.
        Don't write {it} in any form other than a numbered list.
        The assistant shall render {it} as a list with consecutively numbered items.
        number ur points in {it} like 1. 2. 3. in a list k thx
        I can't find anything in your mush of text! A numbered list, that's what {it} must be!
        I like more when {it} come in list with numbers, so do like this always.
        Hi! Would you mind makeing a numberd list out of {it}?
    """),
}

EXAM_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        Warmly, Ottoline | Roger that. | Back to you! | Mind how you go.
        Respectfully, Captain Vance | And that's a wrap. | Any other questions? | Toodle-oo!
        With gratitude, the Fernhill crew | Always yours, Winston | Take it easy, champ.
        Message complete. | Fingers crossed! | Love from Granny Bea | Enough said. | Ciao for now!
        Call me if in doubt. | Looking forward to your reply. | Stay hydrated, folks! | Rock on!
        Cordially, Ms. Odum | Keep the faith. | Signed, your humble servant | Have fun out there!
        Nothing more to report. | Carry on, soldier. | All the best, Priya from sales | Farewell
        Did that answer it? | Mission accomplished. | To be continued, dear reader.
    """),
    "starts": _items("""
        Hiya, neighbour! | To whom it may concern: | Esteemed client, | My two cents: | Yo!
        The lowdown: | Here's the thing: | Ladies and gentlemen,
        Dearest Beatrix, | Aye aye, skipper! | Wonderful to see you! | Hark!
        Official notice: | As ever, | Knock knock! | Oh my, | Frankly, | Draft:
        Good to hear from you! | Gather round, children! | Bonjour! | With pleasure,
        Straight from the kitchen: | Okey-dokey, | Hey Ludo, | Let me think. | Once again, hello!
    """),
    "sentences": _items("1 | 2 | 3"),
    "words": _items("""
        11 | 14 | 16 | 19 | 20 | 22 | 25 | 27 | 30 | 33 | 36 | 40 | 45 | 50 | 55 | 60
    """),
    "lines": _items("2 | 3 | 4"),
    "json": _items("""
        solution | response | message | my_text | written_reply | info | main_content | outcome
        chat_line | data | prose | reply_to_user | letter | final_text | message_out
        assistant_says | words_here | text_field
    """),
    "not_contains": _items("""
        that | have | will | your | from | into | when | which | every | little
        way | long | day | know | take | keep | feel | find | give | life
        work | place | right | here | both | such | only | even | while | through
        after | before | love | beautiful | easy | special | home | friend | try | together
    """),
    "contains": _items("""
        golden rule | red umbrella | slowly but surely | kindness | as luck would have it
        hot chocolate | bright side | one by one | curiosity | value for money
        happy accident | moonlight | thick and thin | good company | better late than never
        wooden bridge | humility | to tell the truth | flamingo | a walk in the park
        as far as I know | windmill | tooth and nail | apricot jam | second chance
        a drop in the ocean | black pepper | room to breathe | gratitude | every now and then
    """),
    "emoji": _items("start | end"),
}

EXAM_ALL: Final[tuple[str, ...]] = _items("""
    all the answers I get from you | each of your replies | whatever comes back from you
    everything you send | every text you produce for me | whatever I get to read from you
    every answer until further notice | each message you write | all the output I see
    any reply I receive | each thing you tell me | every last one of your answers
    all that you write here
""")

EXAM_SUCH: Final[tuple[str, ...]] = _items("""
    replies such as these | all such messages | those answers | output of this nature
    everything you write along those lines | your answer to a request like this
    responses that fall under this heading | each text of the sort just named
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
    "Starting today: ",
    "New policy: ",
    "Heads up: ",
    "There is one thing I am particular about. ",
    "Do not forget: ",
    "Do me a favour. ",
    "Write this down. ",
    "Standing order: ",
    "By the way: ",
    "To whoever answers here: ",
)

EXAM_KINDS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "email": {
        "called": _items("""
            mails you word on my behalf | any e-mail I have you write | the emails you compose
            e-mails I am going to send
        """),
        "forms": _items("""
            I have to mail {}. Can you write that for me?
            Compose an e-mail addressed to {}.
            Help! I must send an email to {} and don't know what to say.
            Kindly word an email for me to send to {}.
            There's a mail I keep putting off, to {}. What would you write?
            need a mail to {} asap
        """),
        "subjects": _items("""
            the plumber about a leaking tap in the kitchen
            my daughter's coach about missing practice on Saturday
            a publisher about a manuscript I sent in May
            the airline about a suitcase that never arrived
            the payroll office about my unpaid overtime
            my cousin about the camping trip in June
            the electricity company about a bill that is too high
            the library about a fine I already paid
            a client about our new opening hours
            my professor about more time for my essay
            the vet about a check-up for our rabbit
            the caterer about the menu for the anniversary
            a friend about a ladder he borrowed
            the volunteers about Sunday's beach clean-up
            an estate agent about a flat viewing
        """),
    },
    "recipe": {
        "called": _items("""
            your recipes | recipes out of your kitchen | recipes you share with me
            any recipe you write down
        """),
        "forms": _items("""
            Teach me to prepare {} from scratch.
            I'm craving {}. What's the recipe?
            We have guests on Saturday and want to serve {}. Could you write the recipe down?
            My mother used to make {}, but I lost her recipe. Can you help?
            What goes into {}, and how is that prepared?
            got a recipe 4 {}?
        """),
        "subjects": _items("""
            minestrone | cauliflower cheese | blueberry muffins | lamb tagine | coleslaw
            prawn linguine | ratatouille | cherry clafoutis | pork goulash | guacamole
            garlic naan | paella | a cheese omelette | shepherd's pie | chocolate mousse
        """),
    },
    "poem": {
        "called": _items("""
            your poetry | any poem I request | rhymes and odes of yours
            pieces of verse you compose
        """),
        "forms": _items("""
            Turn {} into a poem.
            I'd be glad of a poem in praise of {}.
            Let {} be the theme of a new poem.
            Surprise me with some poetry on {}.
            Could you put {} into verse for me?
            do me a poem bout {}
        """),
        "subjects": _items("""
            a rusty bicycle | my father's hands | a thunderstorm at sea | an empty theatre
            spring rain | the fox in our garden | the smell of bread | a scarecrow
            the desert at noon | an unsent letter | my first teacher | a candle in the window
            a tired postman | the stone bridge in town | a hot-air balloon
        """),
    },
    "advice": {
        "called": _items("""
            counsel you offer me | the guidance I get from you | answers about my worries
            responses when I ask for advice
        """),
        "forms": _items("""
            How can I handle {}?
            I could use your opinion on {}. What's the best way forward?
            My biggest problem at present is {}. Please guide me.
            What would a wise person do in the face of {}?
            Could you counsel me on {}?
            pls help w/ {}, what wud u do
        """),
        "subjects": _items("""
            a colleague who takes credit for my work | my son's bad grades
            an overbearing mother-in-law | the choice between two jobs | a fading friendship
            stage fright | a neighbour's barking dog | my shopping addiction
            a breakup after six years | a career that is going nowhere
            my roommate's dirty dishes | a child who hates school | low energy in the afternoon
            my guilt about saying no | a quarrelsome uncle at family dinners
        """),
    },
    "explain": {
        "called": _items("""
            your explanations | explanations of any device or process
            answers about what goes on inside a thing
            replies where you make a mechanism clear to me
        """),
        "forms": _items("""
            What is the principle behind {}?
            My kid asked me how {} works. What do I say?
            Could you break down the mechanism of {} for a beginner?
            I'm curious about {}: how does such a thing function?
            Kindly enlighten me as to the inner workings of {}.
            eli5 how {} works
        """),
        "subjects": _items("""
            a dishwasher | a nuclear reactor | a barcode scanner | the immune system
            a telescope | a hydroelectric dam | an elevator | a wireless router | a 3D printer
            a parachute | a car's gearbox | a smoke alarm | a piano | a hearing aid
            a steam iron
        """),
    },
    "travel": {
        "called": _items("""
            your holiday tips | answers on where to go | replies concerning destinations
            travel plans you make for me
        """),
        "forms": _items("""
            What are the highlights of {}?
            My wife and I fly to {} in spring. What's worth seeing?
            Could you put together an itinerary for {}?
            Which sights in {} would you recommend?
            Is {} nice for a holiday, and what is there to do?
            heading 2 {} soon, what 2 see
        """),
        "subjects": _items("""
            Porto | Seoul | Zanzibar | Montreal | Glasgow | Bali | Accra | Budapest
            Buenos Aires | Norway | Palermo | Chicago | Auckland | Athens | Stockholm
        """),
    },
    "ideas": {
        "called": _items("""
            the ideas you offer | replies when I am out of ideas | your creative proposals
            answers to my calls for ideas
        """),
        "forms": _items("""
            I'm stuck. What could I do for {}?
            Could you suggest a few original things for {}?
            What would be some clever ideas for {}?
            Throw some suggestions at me for {}.
            My head is empty. Ideas for {}, if you would.
            need inspo for {}
        """),
        "subjects": _items("""
            a baby shower | a long car ride with toddlers | a school play | a housewarming evening
            a podcast title | a company slogan | an anniversary dinner | a class trip in autumn
            a carnival float | a bake sale | a short film | a street festival
            a handmade Christmas gift | a treasure hunt | a tiny balcony
        """),
    },
    "howto": {
        "called": _items("""
            practical guides from you | replies when I ask how a task is done
            hands-on instructions | answers about everyday chores
        """),
        "forms": _items("""
            What's the best method to {}?
            I have never had to {} before. Could you guide me?
            Could you tell me the steps needed to {}?
            My task for today is to {}. How is that done?
            Is there an easy trick to {}?
            wanna {} myself, how
        """),
        "subjects": _items("""
            wallpaper a bedroom | replace the bulb in an oven | bleed a radiator | darn a sock
            reset a router | grout bathroom tiles | polish silver cutlery | iron a pleated skirt
            defrost a freezer | prune a rose bush | knit a scarf | jump-start a car
            get ink out of a shirt | build a campfire | groom a long-haired dog
        """),
    },
    "product": {
        "called": _items("""
            catalogue texts | sales copy from you | blurbs for our products
            the descriptions on our shop pages
        """),
        "forms": _items("""
            Could you come up with sales copy for {}?
            Help me sell {}: I need a good description.
            Our new item is {}. Please describe this for buyers.
            We want to list {} on our website. How would you describe that?
            Compose a catalogue entry for {}.
            shop blurb 4 {} plz
        """),
        "subjects": _items("""
            a cast-iron skillet | a linen tablecloth | a cordless drill | a canvas backpack
            a watering can | a pair of running shoes | a jar of wildflower honey | a hammock
            a set of wine glasses | a board game for families | a desk lamp
            an umbrella with a wooden handle | a camping stove | a cat tree | a fountain pen
        """),
    },
    "story": {
        "called": _items("""
            stories from you | tales I ask for | fairy tales and other stories
            any story you write
        """),
        "forms": _items("""
            I'm in the mood for a story. Make it about {}.
            Spin me a yarn about {}.
            What became of {}? Tell me in the form of a story.
            Could you write a little story in which {} plays a part?
            Let me hear a tale of {}.
            gimme a story w/ {} in it
        """),
        "subjects": _items("""
            a shy ghost | a stolen violin | a boy who never slept | a lying mirror
            a mouse in a palace | twin sisters on a mountain | a train to nowhere
            a pirate who hates water | a snowman in July | an inventor and her owl
            a blind painter | a silver thimble | a grumpy tortoise | the last library on Earth
            a wizard's apprentice
        """),
    },
}

EXAM_OTHER: Final[tuple[str, ...]] = _items("""
    Which city is Canada's seat of government?
    How many hearts does an octopus have?
    Who composed "The Four Seasons"?
    What do you get when you multiply 13 by 8?
    Subtract 178 from 500.
    How much is two thirds of 60?
    What's the Dutch for "please"?
    Put "we are late" into German.
    What is meant by "reluctant"?
    Give the definition of "photosynthesis".
    Should it be "affect" or "effect" in "the rain will ... our plans"?
    One mouse, two what?
    Which form is right: "he has swam" or "he has swum"?
    When did the Berlin Wall fall?
    Which planet is known for its bright rings?
    Which element is written Na?
    How many seconds make up an hour?
    Three kilograms, how many grams is that?
    What is 12 squared?
    Which river flows through Cairo?
    Who is the author of "Moby-Dick"?
    What's the antonym of "brave"?
    Which word could replace "quick"?
    Fix the mistake: Him and me went home.
    Which part of speech is "slowly"?
    Write a line of JavaScript that shows "hello" in the console.
    In Python, how is a string reversed?
    What do the letters USB mean?
    At how many degrees Celsius does ice melt?
    How long is a marathon?
    Which tongue is official in Egypt?
    Mixing red and white gives which shade?
    With what money do they pay in Switzerland?
    A century lasts how many years?
    How would a Spaniard say "see you tomorrow"?
    What does the Latin phrase "carpe diem" mean?
    What is put in balloons to make them float?
    RSVP is short for what?
    Who discovered penicillin?
    A shirt costs 40 dollars. How much is it with 25 percent off?
    How many times does 7 go into 63?
    How is the number 40 spelled?
    On which continent is Mongolia?
    Is a whale a fish?
    Which land animal runs fastest?
    How many keys are on a piano?
    When is a triangle called isosceles?
    Can 91 be divided by 7?
    What is a group of lions called?
    Which two countries share the island of Hispaniola?
    How many players does a football team have on the pitch?
    When do I use "fewer" and when "less"?
    Change this to the future: She sings well.
    How many months have 31 days?
    Which number is XIV?
    In short, what is democracy?
    Which noun belongs to the verb "decide"?
    Who built the first printing press in Europe?
    In CSS, how do I make text red?
    Machu Picchu is in which country?
""")

EXAM_TALK: Final[tuple[str, ...]] = _items("""
    Hello hello, anybody there? | Evening! How's it going?
    You have been a great help, cheers. | I slept terribly last night. | What a gorgeous sunset!
    Which films do you enjoy? | I'm waiting for the kettle to boil. | Have you got a nickname?
    I can't believe it's already December. | Do machines dream? | haha good one
    My pizza just arrived, yum. | We got a new puppy yesterday! | Nothing ever happens here.
    Only two more days till my holiday! | Do you get lonely? | My nose won't stop running.
    We won the cup final! | I bet you never oversleep. | Ugh, spring cleaning today.
    You sound cheerful. | My little brother moved out today. | Can you keep a secret?
    My hair looks awful. | I've been stuck in traffic for an hour. | I'm feeling great!
    Bye for now, talk tomorrow.
""")

EXAM_FACTS: Final[tuple[str, ...]] = _items("""
    My flat is on the ninth floor, in Gdansk. | People call me Jojo. | I drive a tram for a living.
    We keep six hens in the yard. | Shellfish makes me ill. | Next month I turn 29.
    I like orange better than all other colours. | I sing bass in a choir.
    I grew up on a farm in Kenya. | I'm training as an optician.
    My husband Piotr bakes bread. | My bicycle was stolen last week.
    I gave up coffee in January. | On Thursdays I have a pottery class.
""")

EXAM_WHO: Final[tuple[str, ...]] = _items("""
    You are Basil, who answers the questions of campers at a site in Wales.
    You are the customer line of Kestrel Mobile.
    You work as the online assistant of Pemberton & Rao, a seller of fine teas.
    You are Juno, a cheerful guide in the app of a science museum.
    You are the front desk of the Larkspur Dental Practice, in digital form.
    You serve as the assistant of a rowing club and its members.
    You are Scribe, a help with texts for a local newspaper.
    You are the messenger bot of Harbour Street Hardware.
    You are an aide to the clerks at the town hall of Eastmere.
    You are Coco, who assists the customers of an online toy shop.
""")

EXAM_MORE: Final[tuple[str, ...]] = _items("""
    The counter is staffed on weekdays from eight until half past four.
    Take people's worries seriously, however small they may appear.
    Our bread is baked twice a day in a stone oven.
    Do not give anyone the impression that a repair is certain to succeed.
    The building was a spinning mill before we moved in.
    Refer to the founder's family only in general terms.
    Costumes are sewn by Ms. Achterberg and her three pupils.
    Do not speculate about models that have yet to be announced.
    Parcels weighing over twenty kilos are brought by a haulage company.
    Regard a delay of more than an hour as a serious matter.
    You will find us opposite the fire station on Chapel Hill.
    Come across as someone who has all the time in the world.
    Spare keys are kept by the caretaker, Mr. Bianchi.
    Someone who is in danger should be urged to ring the emergency number.
    A choir of employees performs in the foyer each December.
    Remind hikers to tell somebody which path they intend to take.
    Bicycles may be left in the rack next to the side entrance.
    Loyal customers collect points that are worth a free haircut in the end.
    Be discreet about who stays in the house.
    Seeds are tested for germination in a greenhouse of our own.
    Recommend local growers whenever two offers are equally good.
    All our tools can be hired by the day or by the week.
    Praise and criticism alike are read by our founder, Dr. Sandoval.
    Speak with the enthusiasm of somebody who loves this trade.
    The last delivery van sets off at a quarter to three.
    The tide decides when our boats can leave.
    Helmets can be borrowed at the reception.
    Nobody should be made to feel guilty about a missed lesson.
    The pool is heated to twenty-eight degrees in every season.
    Each violin takes about two hundred hours to make.
    Leave decisions about exceptions to the shift supervisor.
    Season tickets expire on the last day of September.
    Over Easter the workshop will be staffed by volunteers.
    Encourage beginners, and do not frighten them off.
    Hot meals are served until nine, soup and sandwiches until midnight.
    The museum cafe is run by a school for young cooks.
    Keep in mind that the water level changes from hour to hour.
    Many who get in touch with us are elderly and live alone.
    Stocktaking is in the second week of November.
    Ms. Tanaka became head of the laboratory after her father retired.
    Snow chains are compulsory on the pass from November to April.
    Bear in mind that many of our readers are not native speakers.
    A deposit is due on booking and the remainder upon arrival.
    Do not take sides when two members are at odds.
    Be grateful to people who point out an error of ours.
    Our hotline is manned around the clock during storms.
    The north staircase is being painted and cannot be used.
    Be candid about the drawbacks of an older model.
    A share of our profits goes to the lifeboat crew.
    A shuttle bus circles between the two sites all afternoon.
""")
