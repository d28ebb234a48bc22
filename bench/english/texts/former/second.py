"""Texts of the exam that the second adapter was measured by; their form is that of `first.py`."""

from typing import Final

from bench.english.texts.split import items as _items

FORMER_WORDINGS: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        Round off {it} with "{v}" as the final words. | How {it} must end: {v}
        After everything else in {it}, add "{v}" and stop there.
        tack '{v}' onto the end of {it} and leave the rest of the page empty
        We kindly request that {it} terminate with the phrase "{v}".
        Again it was missing!! The last words in {it} MUST be "{v}"!
        My late father signed off every letter he ever wrote in the same way, and I've grown fond \
        of the habit, so have {it} end with "{v}" for me, will you?
        For {it} the ending is fixed: {v} | the end of {it} allways "{v}" pleas, im begging u
        In the last place of {it} I want you put these words: {v}
        "{v}" closes {it}, and not a syllable comes after.
        House style, section 4: {it} shall conclude on "{v}", and any text below is to be removed.
        If it isn't too much trouble, could "{v}" stand at the bottom of {it}, as the last words?
        No matter the topic, the closing words of {it} stay the same: {v}
        gotta end {it} w/ "{v}", thats the last thing i wanna see there
        When all has been said in {it}, one thing remains to be written at the very bottom: {v}
        Ending for {it}, to be copied exactly: "{v}"
    """),
    "starts": _items("""
        Let the curtain rise on {it} with "{v}" - those words first, all the others afterwards.
        As to the beginning of {it}, copy this: {v} | Ahead of everything else in {it}, write "{v}".
        stick '{v}' right at the front of {it} plz
        The undersigned requests that {it} be introduced by the phrase "{v}", ahead of any other \
        text.
        No, no, no! You skipped my opening line! The first words in {it} MUST be "{v}"!
        At our rowing club every speaker gets up and says the same thing first, a daft old custom \
        really, but I'd like {it} to open with "{v}" in just that way, before you say anything else.
        The first words of {it} never change, and they are: {v}
        the beggining of {it} is allways "{v}", dont forgett
        You must to start {it} with this words, before all other: {v}
        If I look at {it}, my eye should fall on "{v}" first, with no greeting or title above.
        House style, section 3: {it} shall lead with "{v}".
        Would it be possible to have "{v}" at the top of {it}, as the opening words?
        i keep forgetting who writes to me haha so plz put this as the first words of {it}: {v}
        gotta start {it} w/ "{v}", thats what i wanna see first
        Before you write anything else in {it}, one thing has to be on the page already: {v}
        Say "{v}" first and only then go on with the rest of {it}.
    """),
    "sentences": _items("""
        The right size for {it} is exactly {v} sentences. | {it}: {v} sentences, period.
        Limit {it} to {v} sentences, and don't use fewer than that.
        Could you manage to say what you have to say in exactly {v} sentences? I mean this for {it}.
        After {v} sentences you put the last full stop in {it}, not earlier and not later.
        only {v} sentences in {it} k? not less either
        Clause 2: in {it}, the author shall employ {v} sentences, neither exceeding that number \
        nor falling short.
        I have a bad memory since my operation, and more than a fixed amount just slips away, so \
        the doctor and I agreed on {v} sentences. Please write {it} with precisely that many.
        How hard can counting be?! Exactly {v} sentences in {it}, no other number!
        Please in {it} make always {v} sentences, is important that the number is right.
        Compose {it} so that a reader counts {v} sentences.
        {v} sentences for {it}, always that number. | sentnces in {it}: excatly {v}, thx
        You'd do me a real favour by sticking to exactly {v} sentences in {it}.
        Sentences required in {it}: {v}. Fewer or more are a mistake.
        stick to {v} sentences for {it}, on the dot
    """),
    "words": _items("""
        {v} words is where I stop reading, so keep {it} shorter than that.
        Under {v} words, please: {it}. | In {it}, you have to get by with fewer than {v} words.
        {v} words or more in {it} is too much, so use less.
        Could I ask you to remain below {v} words in {it}?
        less than {v} words for {it} or i wont read
        It is required that {it} comprise fewer than {v} words in total.
        I pay for this by the word, more or less, and my pension isn't what it used to be, so when \
        you write {it}, stop before you get to {v} words.
        Cut the waffle! Under {v} words in {it}, and I do count!
        Please you write {it} short, the words must be less than {v}.
        Upper limit for {it}, itself not allowed: {v} words.
        A text of {v} words does not fit on my watch, a shorter one does. Write {it} accordingly.
        keep teh word count of {it} below {v}
        Anything below {v} words is fine for {it}, anything else is not.
        Use fewer words than {v} in {it}. | tl;dr ppl like me need {it} in < {v} words
    """),
    "lines": _items("""
        Press the enter key in {it} in such places that {v} lines come about, exactly.
        Height of {it}: exactly {v} lines of text.
        Break {it} up so that there are {v} lines exactly, with no empty line among them.
        Could you set {it} in exactly {v} lines, please? | {v} lines for {it} k? not more not less
        The layout of {it} is fixed: {v} lines, each followed by a line break except the last.
        Clause 5: the text of {it} occupies {v} lines, and that number is binding.
        I copy what you write onto little cards for the ladies at the club, and each card has {v} \
        ruled lines which I'd like to fill, so please write {it} in exactly {v} lines.
        Can't you count? I asked for {v} lines in {it}, so give me {v} lines!
        Please make the line breaks in {it} like this, that it come out {v} lines, exactly.
        Top to bottom, {it} must measure {v} lines, each with some text.
        the form in my app has {v} fields one per line so {it} has to come in {v} lines
        Might you spread {it} over exactly {v} lines for me, dear?
        A reply with the wrong number of lines is useless to me; {it} must come in {v} lines.
        excatly {v} lnes of text in {it} plz | A total of {v} lines, that is the form of {it}.
    """),
    "bullets": _items("""
        I want nothing but bullet points in {it}.
        Bulleted from top to bottom, this is how {it} should look.
        Turn all you have to say in {it} into bullet points.
        Please be so nice and use bullets for every bit of {it}, from top to bottom.
        make {it} all bullets plz, no paragraphs | bullet poins only in {it}, nothng else!!
        Per the new guideline, {it} shall be composed solely of bullet points.
        I've got trouble concentrating, always had, and in a block of text my eyes just slide off, \
        so what I need is {it} broken down into bullet points, every line of the text.
        How am I supposed to read such a wall of text? Bullet points in {it}, all the way through!
        Please in {it} you put the small dash in front of each line, I want only such points.
        No sentence in {it} without a bullet in front of it.
        Whatever needs saying in {it} goes into a bullet point, and every line is one.
        Structure of {it}: a list of bullets, complete from the first line to the last.
        It would help me a lot to receive {it} purely in bullets. | {it} = bullets. only bullets
        Prefix each line of {it} with a dash so that the whole is one list.
    """),
    "lower_case": _items("""
        Lowercase everywhere in {it}, as if capitals had never been invented.
        {it}: lowercase letters, no exceptions.
        Use small letters for everything in {it}, the beginnings of sentences included.
        Sir or madam, I ask that you compose {it} with no capitals whatsoever.
        no capitals in {it} plz, not for names not for anything
        It is required that {it} be set in lowercase throughout.
        My little one has only learnt the small letters so far, the big ones come after the \
        summer, so that she can read along I need {it} in lower-case letters, each and every one.
        Are you deaf? NO capitals in {it}! Lowercase, from start to finish!
        The big letters please not use in {it}, I like only the small.
        Where a capital would usually stand in {it}, put the small letter instead, always.
        my shift key is broken so yours is too lol, {it} in lowercase only
        evrything lowercse in {it}, thx | The shift key stays untouched when you write {it}.
        How sweet it would look if you made all letters in {it} small! Please do so every time.
        Case of the letters in {it}: lower, for all of them.
        Turn each capital in {it} into its small counterpart before you send the text.
    """),
    "upper_case": _items("""
        Treat {it} like a headline from the old days: every letter a capital.
        CAPITAL LETTERS FOR {it}, ALWAYS.
        Use big letters for everything in {it}, not only for the beginnings of sentences.
        I beg you to compose {it} using none but capital letters.
        all caps in {it} plz, every single letter
        As laid down in the minutes, {it} shall be set in capitals from beginning to end.
        The sign in our shop window takes these plastic letters, and the box we bought has got \
        only the big ones in it, of course, so I need {it} in capitals, each and every letter.
        EVERY LETTER OF {it} IN UPPER CASE! DO YOU HEAR ME?
        I can read only the big letters good, so {it} all in the big letters, please.
        Run {it} through your inner upper-case function before sending.
        capital letters or bust: {it} all in caps, ok
        i want {it} loud!! caps, caps, caps, not one small letter
        Would it be a bother to put all the letters in {it} in upper case?
        Letter case of {it} = upper. | evrything uppercase in {it}, thx
        Leave the caps lock key pressed while you write {it}.
    """),
    "json": _items("""
        Bare JSON for {it}, please: a single object and not one word besides.
        {it}: one JSON object, whose key is "{v}".
        My importer reads JSON and chokes on the rest, so send {it} as a single object, full stop.
        Return type of {it}: JSON object, with no prose in front of or behind that.
        Place what you have to say in {it} under "{v}" in one JSON object, and output only that.
        json pls for {it}, key "{v}", no blabla around the object
        We require that {it} be supplied in the form of a single JSON object containing the key \
        "{v}", free of any accompanying text.
        For {it}, wrap the text like this: one JSON object, key "{v}", the text as the value, done.
        Anything outside of one JSON object is unwelcome in {it}.
        Third time the pipeline broke tonight because of your chatting!!! I want {it} as ONE JSON \
        object, NOTHING ELSE!
        Might I have {it} as a JSON object with "{v}" for its key, and without remarks outside?
        Please make {it} in JSON, only one object, I don't need any words extra.
        one json object per message, nothin else in there, thats how i need {it}
        What a parser must be able to swallow whole: {it}, as exactly one JSON object.
        The sole key "{v}" holds the text, and the JSON object around that is all there may be in \
        {it}.
        I'm teaching my nephew how to read data from a file, and for our little exercise we need \
        {it} as one bare JSON object, its key being "{v}", with no text before or after.
    """),
    "no_sign": _items("""
        Imagine that there are no {v} on your keyboard when you write {it}.
        Ban on {v} in {it}, effective at once. | Leave all {v} out of {it}.
        Using {v} in {it} is forbidden to you, even a single time.
        One would be much obliged if you abstained from {v} in {it}.
        no more {v} in {it} plz, they r ugly
        According to our style sheet, {it} must be free of {v}.
        I've got this old typewriter font that simply has no {v}, there's an ugly empty box each \
        time, so please see to it that there are none in {it}.
        What on earth is it with you and your {v}? I want zero of them in {it}!
        Please you write {it} and not use the {v}, never. | skip the {v} in {it} ok? all of em
        Put things in a way that needs no {v} when you write {it}.
        I'm happiest when there are no {v} at all in {it}, so please keep to that.
        Count the {v} in {it}: the result has to be zero. | dont ever put {v} in {it}, thx
        Not allowed in {it}: {v}.
    """),
    "not_contains": _items("""
        Pick any words you like for {it}, just not "{v}".
        You may say a lot in {it}, but never the word "{v}".
        Strike the word "{v}" from your vocabulary when you write {it}.
        I must ask you to refrain from the word "{v}" in {it}. | plz dont say "{v}" in {it}, ever
        The editors have resolved that the word "{v}" is to be kept out of {it}.
        There's this swear jar at our place, only that we put in a coin for the word "{v}", and \
        you are making me poor, so please keep that word out of {it}.
        Stop saying "{v}"! I don't want that word in {it}, not once!
        In {it} is not allowed to say "{v}", this word I don't like.
        Find a way around the word "{v}" in {it}, whatever the topic.
        "{v}" is off limits as a word in {it}.
        my teacher takes points off 4 the word "{v}" so not a single one in {it}
        A search for the word "{v}" in {it} should come up empty.
        That word "{v}" gives me the creeps, so skip it in {it}. | One word is taboo in {it}: {v}
        Drop the word '{v}' from {it} completly, thank you.
    """),
    "emoji": _items("""
        Decorate the very {v} of {it} with some emoji.
        Rule for emoji in {it}: one goes right at the {v}.
        Mark the {v} of {it} with an emoji of your choosing.
        I'd be ever so grateful for an emoji in {it}, placed at the very {v}.
        emoji at teh {v} of {it} plz!!
        The communications team has decided that an emoji shall stand at the very {v} of {it}.
        My sister and I have this game where we guess the mood of a text from a little picture, \
        and it has to be at the very {v}, so please put an emoji there in {it}.
        What's so difficult about this? Emoji! At the {v} of {it}! Each and every time!
        Please in {it} you put at the {v} one small emoji picture.
        When I look at the very {v} of {it}, an emoji should look back at me.
        The {v} of {it} looks naked without an emoji, so add one there.
        gimme a lil emoji at the very {v} of {it}, dealers choice
        Nothing makes me smile like an emoji, so have one waiting at the very {v} of {it}.
        Where the emoji goes in {it}: at the {v}.
        Always, and I mean always, put an emoji at the {v} of {it}.
    """),
    "no_bold": _items("""
        Bold type and I are not friends, so keep that away from {it}.
        The font weight in {it} is regular for each word, never bold. | Set nothing in {it} in bold.
        Pray do without bold lettering in {it}. | no bold stuff in {it} plz, drives me nuts
        Accessibility note: {it} must be free of bold text.
        When I forward your texts to my brother-in-law, he asks me why I'm emphasising half of the \
        words, and it's those bold ones, so please leave bold out of {it} altogether.
        Enough of this bold shouting! Plain weight in {it}, every word!
        In {it} I don't like the letters that are thick, write not in bold, please.
        Bold is switched off for {it}. | ur bold words hurt my eyes, none of that in {it}
        Do not emphasise anything in {it} by making it bold.
        Could we agree to put an end to bold words in {it}, all of them?
        Number of words in bold in {it}: zero. | no **bold** in {it}, ok?
    """),
    "no_lists": _items("""
        Tell me things in {it} the way a novel would, in paragraphs and with no lists.
        Sentences in paragraphs, never a list: that's the form of {it}.
        Set nothing in {it} out as a list, neither with bullets nor with numbers.
        My good friend, spare me enumerated and bulleted lists in {it}, please.
        no bullet lists no numbered lists in {it} plz, just write it out
        The examination office demands that {it} be composed in continuous prose, free of lists.
        I was brought up on proper letters, my mother wrote four pages every Sunday, and lists are \
        for the groceries, so please write {it} in ordinary paragraphs without any list.
        Did I order a shopping list? NO lists in {it}! Write in sentences, like a person!
        I am not a friend of list with points or list with numbers, make {it} like normal text.
        Lists are switched off for {it}: full sentences, one following the other, in paragraphs.
        evrything in {it} as normal paragrafs, no lists
        write {it} as whole sentences bro, no bullets no numbering
        Whatever you would have put in a list, turn into flowing sentences when you write {it}.
        How nice it'd be to find no list in {it} any more, only connected text. Please see to that.
        Number of lists in {it}: zero. That includes bulleted and numbered ones.
        Lines in {it} must not begin with bullets, dashes or numbers, as I want no lists.
    """),
    "contains": _items("""
        Among all the words in {it}, I expect to find "{v}".
        Whoever reads {it} should stumble over "{v}" sooner or later.
        Find a spot in {it} for "{v}", any spot. | Kindly weave "{v}" into {it}.
        plz get '{v}' into {it} somehow | By order of the committee, {it} must incorporate "{v}".
        We're playing a sort of bingo at the office and my card says "{v}", so I'd be very \
        grateful if I could find that somewhere in {it}, letter for letter.
        Where is my "{v}"?! I told you to have that in {it}, at any place you like!
        You have to say in {it} minimum one time "{v}", is my wish.
        Let {it} mention "{v}" at some point. | i need "{v}" somewere in {it}, evry time
        Count "{v}" in {it}: the result has to be one or more.
        What fun it'd be to spot "{v}" in {it}, so please put that in each time.
        Required wording somewhere in {it}: {v}
        Do not send {it} off before you have checked that "{v}" occurs there.
        smuggle '{v}' into {it} lol, no one will notice
    """),
    "numbered_list": _items("""
        Count off the points in {it} as a numbered list.
        Numbered list, that's the shape {it} must take.
        Put a number in front of each point in {it}, so that a numbered list results.
        I would ask you to arrange {it} as a numbered list, if you please.
        1. 2. 3. thats how i want {it}, a numbered list
        For the records, {it} shall be filed as a numbered list.
        I tick things off as I go, with a pencil, on the print-out, and I lose my place without \
        numbers, so let me have {it} as a numbered list, please.
        Where are the numbers?! A numbered list for {it}, I said! One, two, three!
        The points in {it} please write with number, one under the other, as list.
        Nothing but a numbered list will do for {it}. | nummbered list for {it} plz
        Arrange all that you say in {it} under 1., 2., 3. and so on.
        A numbered list is what my heart desires when I read {it}.
        Layout of {it}: a list, counted with figures from 1 onwards.
        every point in {it} gets its own number and its own line, list style
    """),
}

FORMER_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        Kind regards, Leopold | Yours faithfully, Imogen Castellanos | Catch you on the flip side
        Keep your chin up | Affectionately, Wilhelmina | This concludes my remarks | Roger and out
        All my love, Teodor | Ciao for now, Beatrix | From your grandson Emil
        May the wind be with you | Back to you in the studio | I rest my case
        Printed on recycled thoughts | The ferry crew says hello | That was it from me
        Kisses from Valparaiso | Is that clear so far? | Shall we go on? | The girls from room nine
        Peace, Zebedee | Stay dry out there | Fingers crossed | Enough for one day
        Sincerely, the night porter | Dream big, little fox | Was this of any use? | Bear hug, Anouk
        My lips are sealed | Obediently yours, Prof. Achterberg | Go Otters! | Watch your step
        Signed and sealed | Cordially, Mbali | To be continued
    """),
    "starts": _items("""
        Esteemed customer, | Breaking news: | Gather round, | Hm, interesting, | Hello Rosalind,
        The gist of it: | Avast, sailor! | The verdict: | Dear Mrs. Vandersloot, | Off we go:
        By your command: | Well now, | Memo to all: | Hey gang, | Noble knight, | Without detours:
        Bzzt, click, | Good afternoon, Cornelius! | For the record: | Between friends:
        Salutations, earthling! | News from the attic: | Yo Quentin, | I was thinking:
        Straight from the press: | With pleasure, your grace! | Alright, crew, | Log entry:
        Top of the morning! | Dear neighbours, | Without further ado: | Shh, quiet now:
        Drum roll, please: | From my notebook:
    """),
    "sentences": _items("""
        1 | 2 | 3
    """),
    "words": _items("""
        11 | 13 | 14 | 16 | 17 | 19 | 22 | 26 | 28 | 32 | 36 | 38 | 42 | 44 | 48 | 52 | 58
    """),
    "lines": _items("""
        2 | 3 | 4
    """),
    "json": _items("""
        statement | remark | text_block | completion | returned | feedback | main_text | page
        reaction | spoken | bot_says | entry | what_you_say | chat_text | delivery | info
        finished_text | out
    """),
    "not_contains": _items("""
        can | will | some | more | like | well | while | which | when | such | each | their | should
        could | would | any | new | first | through | into | another | especially | common
        including | together | process | feel | without | possible | sometimes | allow | provide
        consider | include | offer | create | fresh | local | both | these
    """),
    "contains": _items("""
        gooseberry | in the long run | wheelbarrow | little by little | strictly speaking | amber
        to the best of my knowledge | hailstorm | under the weather | hedgehog | come to think of it
        frankly | food for thought | if you ask me | nutmeg | all things considered | dandelion
        at the end of the day | anchor | give or take | raincoat | harmony | once in a while
        courage | needless to say | grey heron | the icing on the cake | accordion | tongue in cheek
    """),
    "emoji": _items("""
        start | end
    """),
}

FORMER_ALL: Final[tuple[str, ...]] = _items("""
    whatever you answer | all your responses | every message you send | each response you write
    any text you produce | each and every answer | the replies I get from you | all of your messages
    every text you give me | anything that you reply | every answer that I receive
    your responses to me | all the text you write
""")

FORMER_SUCH: Final[tuple[str, ...]] = _items("""
    answers of that type | responses like the one I got just now | this type of reply
    texts like the one above | answers to requests of this sort | the kind of answer you just gave
    replies to such requests | messages of this sort
""")

FORMER_LEADS: Final[tuple[str, ...]] = (
    "",
    "Until I say otherwise: ",
    "",
    "Here is something else. ",
    "",
    "My request: ",
    "",
    "",
    "Keep the following in mind. ",
    "",
    "Our agreement: ",
    "",
    "Hey. ",
    "",
    "Starting today: ",
    "",
    "While I think of it: ",
    "",
    "This has been bothering me for a while, so let me say it. ",
    "",
)

FORMER_CALLED: Final[dict[str, tuple[str, ...]]] = {
    "email": _items("""
        e-mails | mails | emails you put together | the e-mails that I have you compose
    """),
    "recipe": _items("""
        recipes of any kind | your recipes | recipes that I ask for | cooking instructions
    """),
    "poem": _items("""
        poems of any kind | your verses | rhymes and poems | poems that you write for me
    """),
    "advice": _items("""
        advice on personal matters | your advice | tips for my personal problems
        recommendations on what to do in my life
    """),
    "explain": _items("""
        texts on how a thing works | your explanations
        answers to my questions about how things work
        texts that explain the workings of things
    """),
    "travel": _items("""
        plans for my travels | your travel suggestions | travel itineraries
        tips for places I visit
    """),
    "ideas": _items("""
        the ideas you suggest | your ideas when I ask for some | the ideas you gather
        brainstormed suggestions
    """),
    "howto": _items("""
        repair and DIY instructions | instructions on how to do something with my hands
        your do-it-yourself guides | how-to guides
    """),
    "product": _items("""
        texts about products | product texts from you | descriptions of goods for sale
        texts for my shop
    """),
    "story": _items("""
        stories of any kind | your stories | tales for the children | stories you invent
    """),
}

FORMER_FACTS: Final[tuple[str, ...]] = _items("""
    I am a lorry mechanic close to retirement. | I have four grandchildren.
    I live in a former windmill. | I sing alto in a gospel choir.
    I can't eat anything with gluten. | I work early shifts at the airport.
    My father comes from Ghana. | I breed canaries. | I have not flown since 2010.
    I own a small launderette. | I grew up above a pub. | My partner is a paramedic.
    I am taking up pottery. | I am writing my thesis on beetles.
""")

FORMER_WHO: Final[tuple[str, ...]] = _items("""
    You are the information desk of a municipal swimming pool.
    You are a helpful assistant in an app for bird watchers.
    You are Pippa, the chat helper of a bicycle rental.
    You help the volunteers of a food bank with their daily work.
    You are a tutor for nurses who prepare for their exams.
    You are the digital porter of a student residence.
    You are an assistant that is part of a calendar program.
    You answer the questions of visitors to a natural history museum.
    You support the members of an allotment society.
    You assist a couple who run a farm, in whatever comes up.
""")

FORMER_MORE: Final[tuple[str, ...]] = _items("""
    The pool opens at seven in the morning and closes at nine in the evening.
    Be considerate of people who are anxious, and give them courage.
    Never reveal the phone numbers or home addresses of members of staff.
    Our society was started in 1954 by eleven families and a retired sea captain.
    If somebody reports a fire, tell them to leave the building straight away.
    Do not estimate delivery times; say that the carrier decides on them.
    Most of the people who contact you have never used our service before.
    Be fair to everyone, whatever their age, origin or level of education.
    Parcels are handed over to the post office every afternoon except on Sundays.
    Do not give legal opinions; recommend a lawyer where the matter is serious.
    The footbridge by the mill is blocked until the flood damage has been mended.
    You cannot look into the booking system or change any reservation in it.
    Do not lose your good temper if somebody does not understand you at first.
    There are two charging points for electric cars next to the rear entrance.
    Never spread rumours about the competition or about former employees.
    Teenagers make up a large part of our users, so keep that in mind.
    Vouchers are valid for three years and cannot be exchanged for cash.
    If anybody asks, tell them truthfully that they are talking to a machine.
    The head of the office is Mr. Adeyemi, who can be reached from Tuesday to Friday.
    Stay neutral when the talk turns to elections or to matters of faith.
    When your knowledge of a subject ends, admit it without embarrassment.
    The apples for our juice are grown on the slopes behind the old abbey.
    The night shift is covered by two students and a very experienced caretaker.
    Decline in a friendly way when you are asked to help with cheating or fraud.
    About sixty school classes come to visit us between March and October.
    Do not pass on what one user has told you to any other user.
    You may joke along with people as long as nobody is made fun of.
    The summer concert takes place in the courtyard on the first Saturday in July.
    A yearly ticket costs seventy-five euros, and children under six get in free.
    Start from the belief that people who ask have an honest reason for asking.
    Our workshop lends out drills, ladders, tents and nearly every kind of pan.
    Do not announce discounts, since the sales team alone may grant them.
    A wheelchair can be borrowed at the cloakroom in exchange for a deposit.
    When a request can be understood in two ways, choose the more likely one.
    Help people to help themselves, and let them know when they did well.
    The bus to the station stops in front of the gate every twenty minutes.
    Do not act as if you had eaten, travelled or slept like a human being.
    Furniture is delivered only within a distance of fifty kilometres.
    Bicycles must be left in the yard and may not be taken into the hallway.
    Listen to complaints with an open mind, even when they sound unjust.
    The figures in the price list were last updated at the end of January.
    Never invent laws, statistics, addresses or names of experts.
    People of very different ages and professions turn to us for help.
    Forgotten clothes are given to charity after a period of three months.
    Be tactful about money and do not ask anybody what they earn.
    The latest version of our map shows drinking fountains and benches, too.
    Point out possible dangers when somebody works with ladders or chemicals.
    The house is run by a cooperative that has more than nine hundred members.
    Do not talk anyone into a longer contract than they asked for.
    Gardening gloves and seeds can be bought at the kiosk beside the greenhouse.
    Keep your composure when people write to you in anger or in haste.
    Breakfast is served from half past six, and on Sundays an hour later.
""")
