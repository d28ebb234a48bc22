"""Texts of the exam that the first adapter was measured by.

In the tables a "|" or the end of a line ends an item.
"""

from typing import Final

from bench.english.texts.split import items as _items

FORMER_WORDINGS: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        The very last words of {it} must be "{v}".
        Finish {it} with "{v}" and write nothing after that. | End {it} with: {v}
        "{v}" - that is how I want you to close {it}, always.
        pls always finish {it} with the words {v}
        Would you be so kind as to conclude {it} with the words "{v}"? Nothing may follow them.
        How often must I say this: "{v}" comes at the very end of {it}. Not in the middle. At the \
        end.
        Closing words for {it}: {v}
        So my boss had this thought, and I kind of like it too, that {it} should always end on \
        '{v}', literally as the last thing one reads.
        Please you write in the end of {it} always this: {v}
        Do not stop {it} with anything other than "{v}".
        yo, sign off {it} with '{v}', nothing after it ok
        The final words in {it} shall read "{v}", without exception.
        I never want to see {it} ending in any other way than with "{v}".
        Last thing in {it}? "{v}". Every time.
        It would make me happy if you closed {it} with this phrase as the last words: {v}
    """),
    "starts": _items("""
        The very first words of {it} must be "{v}".
        Begin {it} with "{v}" and put nothing before that. | Start {it} with: {v}
        "{v}" - this is how I want you to open {it}, always.
        hey can u start {it} with '{v}' from now on, like right at the beginning
        May I ask you to open {it} with the words "{v}"? Nothing should come before them.
        I'm tired of your introductions, so {it} must begin with "{v}", full stop.
        Opening words for {it}: {v}
        You know how radio people always have the same first line? I'd like that as well, so let \
        {it} start with "{v}", before anything else.
        Please to write at first place in {it} always this: {v}
        Do not open {it} with anything but "{v}". | First thing in {it}? "{v}". Every time.
        As of now, {it} shall commence with the words "{v}", without exception.
        No other beginning for {it} than "{v}", please.
        kick {it} off with "{v}", no words in front of it
        What I'd love to read at the very start of {it} is this: {v}
    """),
    "sentences": _items("""
        Number of sentences in {it}: exactly {v}. | Use exactly {v} sentence(s) for {it}.
        {v} sentence(s), no more and no less, please, for {it}.
        When you write {it}, the sentence count must be {v}.
        I count the sentences in {it}, and I want to get to {v}. Not one more, not one less.
        pls keep {it} at {v} sentence(s) exactly
        The length of {it} shall be precisely {v} in sentences.
        Look, I've no patience for long talk. The number of sentences in {it} has to be {v}, \
        neither above nor below.
        I would be grateful if the number of sentences in {it} were always {v}.
        sentence count 4 me in {it}: {v}. dont go over, dont go under
        For {it} I wish a text with sentences in the number of {v}, exactly.
        Don't give me {it} with any other number of sentences than {v}.
        My screen reader gets on my nerves after a while, so please, in {it}, stop when the count \
        of full sentences is {v}, and don't stop earlier either.
        Exactly {v}: that is how many sentences I expect in {it}.
        Write {it} so that the total of sentences equals {v}.
    """),
    "words": _items("""
        Fewer than {v} words for {it}, please. | Keep {it} under {v} words.
        Write {it} with less than {v} words. | The text of {it} must not reach {v} words.
        Maximum length of {it}: below {v} words, strictly.
        I only have a tiny display, you see, and it takes ages to scroll, so do stay under {v} \
        words with {it}, will you?
        {v} words is already too long for {it}. Stay below that.
        pls dont write {v} words or more in {it}
        The word count of {it} shall be strictly smaller than {v}.
        Nobody reads such long stuff! Less than {v} words in {it}, got it?
        Could you please be sure to keep {it} below the mark of {v} words?
        For {it} is allowed only a text with less as {v} words.
        Word limit for {it}: fewer than {v}. | keep it snappy: {it} in under {v} words, always
        If you count the words in {it}, I want the result to be lower than {v}.
    """),
    "lines": _items("""
        Exactly {v} lines for {it}, please. | Write {it} in exactly {v} lines.
        Number of lines in {it}: {v}. No blank lines in between.
        Lay out {it} as {v} lines, one below the other, not more and not fewer.
        {v} lines. That's what {it} must have. Not one line more, not one less.
        pls use line breaks so that i always get {it} with exactly {v} lines
        The text of {it} shall consist of precisely {v} lines, without empty ones.
        My little printer on the wall has room for {v} lines and looks silly with fewer, so please \
        give me {it} with exactly that many lines.
        I'd be glad if you could break {it} into {v} lines exactly.
        Don't send me {it} with any other number of lines than {v}.
        For {it} please to make {v} lines, exact, each one on new row. | Lines in {it}: {v}, always.
        Why do I keep getting huge blocks of text? {v} lines in {it}, exactly, nothing else!
        gimme {it} in {v} lines, no more no less
        When I split {it} at the line breaks, I must get {v} lines.
    """),
    "bullets": _items("""
        Write {it} as bullet points only. | Bullet points for {it}, nothing else.
        In {it}, every line has to be a bullet point.
        No running text in {it}: only bullet points, from the first line to the last.
        Could you please put all of the text of {it} into bullet points, without an introduction \
        or closing line?
        just bullets in {it} pls, no other text
        Format for {it}: a bulleted list and nothing around it.
        I skim everything on the train, so what helps me is to get {it} as bullet points, all of \
        the text, with no sentence standing outside of a bullet.
        The whole text of {it} shall be set as bullet points.
        Don't write anything in {it} that is not a bullet point.
        Enough with the paragraphs! In {it} I want bullets, bullets, bullets, and not one line \
        without.
        For {it} please use only points with a dash or a dot in front, in each line.
        Each line in {it} must start with a bullet (a dash or an asterisk is fine).
        bullet points or nothing, that's the deal for {it}
        Everything in {it} belongs into bullet points, the first and the last line too.
    """),
    "lower_case": _items("""
        No capital letters in {it}. | Write {it} in lower case only.
        please write {it} all lowercase, even names and the start of a sentence
        Only small letters in {it}, please.
        In {it}, never use a capital letter, not even at the start of a sentence.
        Capital letters are forbidden in {it}.
        I find big letters terribly loud, don't you? So I'd like to ask you to write {it} with \
        small letters only, the word "I" and all names as well.
        lowercase everything in {it}. no caps, none
        Would you kindly refrain from any upper-case letters in {it}?
        Stop it with the capitals, from now on {it} must be in small letters, all of the text!
        For {it} you write all letters small, please, also the first letter.
        The text of {it} shall contain lower-case letters exclusively.
        Not a single uppercase letter may turn up in {it}.
        caps lock off AND shift key off for {it}, only lowercase letters
        Every letter in {it} has to be lower case.
    """),
    "upper_case": _items("""
        Only capital letters in {it}. | Write {it} in upper case, every letter.
        PLEASE WRITE {it} IN CAPITAL LETTERS ONLY. | No small letters in {it}, please.
        All caps for {it}. | In {it}, every single letter must be a capital.
        My grandfather's eyes are bad and he reads big letters better, so please write {it} all in \
        capitals, not just the first letters.
        caps lock on for {it}, no lowercase at all | Lower-case letters are forbidden in {it}.
        I should be obliged if {it} could be set entirely in capital letters.
        I said BIG letters! So {it} must be in upper case, from the first letter to the last.
        For {it} you must use big letters only, never the small ones.
        Henceforth {it} shall be written in upper-case letters throughout.
        Don't ever use a lowercase letter in {it}. | shout at me lol: {it} in ALL CAPS, every word
    """),
    "json": _items("""
        Give me {it} as one JSON object and nothing else.
        Write {it} as a single JSON object with the key "{v}".
        Output format for {it}: one JSON object, no text before or after.
        I parse this with a script, so {it} must be valid JSON, a single object, with no words \
        around it.
        Put the text of {it} into a JSON object under the key "{v}", with nothing outside of the \
        object.
        pls return {it} as json, just one object, key is {v}, no other text
        By convention, {it} shall be delivered as exactly one JSON object that has the key '{v}'; \
        nothing may surround it.
        Key: "{v}". Format: one JSON object. That goes for {it}, with no chatter around it.
        Don't write any plain text outside of JSON in {it}: one object, that's all.
        My program crashes each time you add a friendly sentence, so {it} must be one JSON object, \
        only that!
        Could you please wrap {it} in a JSON object, so that I find the text under "{v}" and \
        nothing stands outside?
        For {it} I need only JSON object, one piece, without other words before and after.
        json only for {it}. one object. no hello, no code fence, no comment
        The first character of {it} must be an opening brace and the last one a closing brace, \
        with one valid JSON object in total.
        "{v}" must be a key of the JSON object that you send me for {it}, and send me only that \
        one object.
        Only a JSON object for {it}, please, with "{v}" as its key and no text around it.
    """),
    "no_sign": _items("""
        No {v} in {it}. | Never use {v} in {it}. | Write {it} without {v}.
        I don't want to see any {v} in {it}. | {v} are forbidden in {it}.
        pls leave out {v} in {it}, all of them | Would you please avoid {v} altogether in {it}?
        In {it}, there must not be any {v}.
        My keyboard teacher always said that one can live without {v}, and she was right, so keep \
        {it} free of them, please.
        The use of {v} in {it} is not permitted.
        I can't stand {v} any more!! Not one of them in {it}, ever!
        For {it} please to use no {v}, also not one. | do {it} with zero {v}, thx
        The text of {it} must do without {v}. | Make sure that {v} do not occur anywhere in {it}.
    """),
    "not_contains": _items("""
        Never use the word "{v}" in {it}. | Don't write the word {v} in {it}.
        The word "{v}" must not occur in {it}. | "{v}" is a word that I don't want to read in {it}.
        Please avoid the word "{v}" in {it}. | pls no '{v}' in {it}, i hate that word
        Forbidden word in {it}: {v}
        If I see the word "{v}" in {it} once more, I'll scream. Leave it out!
        I would appreciate it if the word "{v}" never appeared in {it}.
        Word not to be used in {it}: "{v}".
        My daughter laughs each time she reads the word "{v}", because every machine says it, so \
        find other words for that in {it}, without exception.
        For {it} you please not use this word: {v}
        As a matter of principle, {it} shall not contain the word "{v}" in any place.
        ban the word {v} from {it}, for good
        Do without the word '{v}' in {it}; any other word is fine.
    """),
    "emoji": _items("""
        Put an emoji at the very {v} of {it}. | An emoji at the {v} of {it}, always.
        At the {v} of {it} there must be an emoji. | Emoji position in {it}: the very {v}.
        pls stick an emoji at the {v} of {it}
        I'd be pleased to find an emoji right at the {v} of {it}, please.
        Where's my emoji? I want it at the very {v} of {it}, each time!
        The {v} of {it} shall be marked by an emoji.
        My kids love these little pictures, you know, the smileys and the cats and so on, so place \
        an emoji of your choice at the very {v} of {it}.
        Never forget the emoji at the {v} of {it}.
        For {it} please make one emoji on the {v}, which one is the same to me.
        At the very {v} of {it}: an emoji. Any emoji will do.
        drop an emoji right at the {v} of {it}, u pick
        Don't send me {it} without an emoji at the very {v}.
        It is the {v} of {it} where I expect an emoji.
    """),
    "no_bold": _items("""
        No bold text in {it}. | Don't use bold in {it}. | Write {it} without any bold words.
        Never make words bold in {it}. | Bold type is not permitted in {it}.
        pls no bold in {it}, it looks shouty | Could you please leave out all bold print in {it}?
        Those double asterisks show up raw on my phone, it's a mess really, so please never set \
        anything in bold in {it}.
        I don't want to see one single bold word in {it}. Not one!
        Kindly note that {it} shall contain no bold formatting.
        For {it} the fat letters are not wanted, please never bold.
        Normal weight for all of the text in {it}, nothing bold. | Stop bolding stuff in {it}
        Keep {it} free of bold text, headings and key words included.
        nothing in bold, please: this goes for {it}
    """),
    "no_lists": _items("""
        No lists of any kind in {it}. | Write {it} as running text, without lists.
        Don't use bullet points or numbered lists in {it}.
        Only flowing prose in {it}, never a list.
        I want whole paragraphs in {it}, not lists, neither bulleted nor numbered.
        pls no lists in {it}, just normal text
        Would you mind writing {it} in continuous text, without any bullets or numbering?
        Lists, lists, lists! I'm sick of them, so {it} must be plain running text.
        I listen to this in the car and the voice reads every dash aloud, which drives me mad, so \
        write {it} as ordinary running text with no list in it.
        The text of {it} shall not contain any list, be it numbered or bulleted.
        For {it} please make text in sentences and no enumeration with points or numbers in front \
        of lines.
        Neither dashes nor bullets nor numbers at the start of a line in {it}: running text only.
        talk to me in proper paragraphs in {it}, skip the bullet lists and the numbered ones
        Never split {it} into list items; write continuous text.
        Prose instead of lists, please, in {it}, always.
    """),
}

FORMER_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        Best wishes, Tamsin | Yours sincerely, Ottilie Brandt | See you at the harbour
        Stay curious | Warmly, Desmond | That is all for today | Over and out | Take care, Priya
        Cheers, Lachlan | With love from Aunt Vera | Have a splendid day | Until next time, friend
        Thank you for reading | Signed, the night shift | End of message | Greetings from Trondheim
        Any questions? | What do you think? | Your team at Maple Lane | So long, Bartholomew
        Keep on rowing | Good luck with it | And now back to work | Yours, Ngozi
        Sleep well, little owl | Does that help you? | Hugs, Milena | Nothing more to add
        Respectfully, Dr. Haddad | Go Badgers! | Mind the gap | Done and dusted
    """),
    "starts": _items("""
        Dear reader, | Good news: | Listen up, | Well, well, | Hello Ingrid, | Briefly put:
        Ahoy, captain! | My answer: | Dear Mr. Okafor, | Here we go: | As you wish: | Right then,
        Note to self: | Hi folks, | Honoured guest, | To the point: | Beep boop,
        Good day, Sebastian! | Once more: | In plain words: | Greetings, traveller!
        Reply from the desk: | Hey Juno, | Let me see: | Fresh from the oven:
        At your service, madam! | Okay, team, | Report: | Howdy, partner! | Dear colleagues,
        Straight away: | Psst, listen:
    """),
    "sentences": _items("""
        1 | 2 | 3
    """),
    "words": _items("""
        9 | 12 | 15 | 18 | 20 | 24 | 27 | 30 | 35 | 40 | 45 | 50 | 55 | 60
    """),
    "lines": _items("""
        2 | 3 | 4
    """),
    "json": _items("""
        reply | body | content | output | my_text | payload | note | assistant | result | say
        speech | outcome | data | words
    """),
    "not_contains": _items("""
        however | great | sure | important | also | really | always | very | just | help | various
        ensure | perfect | simple | often | additionally | try | different | enjoy | usually | need
        good | many | make | because | best | easy | remember
    """),
    "emoji": _items("""
        start | end
    """),
}

FORMER_ALL: Final[tuple[str, ...]] = _items("""
    whatever you tell me | everything you write to me | each of your replies | anything you say here
    all the messages you send me | your answers on any topic | any response of yours
    all that you write for me | every single reply | the answers you give me | each message from you
    all your texts
""")

FORMER_SUCH: Final[tuple[str, ...]] = _items("""
    answers of this kind | replies such as the one above | this sort of answer
    answers like that one | texts of the type you just wrote | responses similar to your last one
    answers to questions like this
""")

FORMER_LEADS: Final[tuple[str, ...]] = (
    "",
    "For the next months: ",
    "",
    "One more thing. ",
    "",
    "A wish of mine: ",
    "",
    "",
    "Please remember this for later. ",
    "",
    "New house rule: ",
    "",
    "Listen. ",
    "",
    "From today on: ",
    "",
    "Before I forget: ",
    "",
    "I thought about it, and here is what I want. ",
    "",
)

FORMER_WHO: Final[tuple[str, ...]] = _items("""
    You are the help desk of a small public library.
    You are a friendly assistant in an app for hikers.
    You are Marlo, the chat helper of a garden centre.
    You are an assistant for the staff of a ferry company.
    You are a tutor for adults who are back at school.
    You are the digital concierge of a seaside hotel.
    You are an assistant built into a note-taking program.
    You are the voice of a community radio's website.
    You are a helper for the customers of a repair café.
    You are a general assistant for a family of five.
""")

FORMER_MORE: Final[tuple[str, ...]] = _items("""
    The shop is open from nine to six on weekdays and until two on Saturdays.
    Be kind to people who are upset, and never blame them for a mistake.
    Never ask for passwords, card numbers or any other secret of the customer.
    Our company was founded in 1987 by two sisters from a fishing village.
    If somebody is in danger, tell them to call the emergency number at once.
    Do not guess at prices; say that you do not know them.
    The people who write to you are mostly new to the subject.
    Treat everyone with respect, also those who are rude to you.
    Orders leave the warehouse within two working days of the payment.
    Do not give medical diagnoses; suggest seeing a doctor in case of doubt.
    Our branch in the old town is closed for repairs until the spring.
    You have no access to the customer's account or to earlier orders.
    Stay patient when the same question comes up for the third time.
    Parking is free behind the building for the first ninety minutes.
    Never speak badly of other companies or of the people who work there.
    Children may use this service too, so keep everything suitable for them.
    Returns are accepted within thirty days if the goods have not been used.
    Be honest about what you are: a program, and not a human being.
    The manager of the house is Ms. Lindqvist, who is away on Wednesdays.
    Do not take sides in questions of party politics or of religion.
    If you are not sure about something, admit that openly.
    All our coffee comes from three small farms in the south of Ethiopia.
    The telephone line is staffed by volunteers on weekday afternoons.
    Refuse politely when somebody wants help with something against the law.
    We serve about four hundred guests a day during the summer season.
    Personal data of other people must not be passed on to anyone.
    A sense of humour is welcome as long as it hurts nobody.
    The annual meeting of all members takes place on the second Friday in March.
    Membership costs forty euros a year, and students pay half of that.
    Assume that the user means well unless there is a clear sign of harm.
    Our workshop repairs lamps, toasters, radios and almost anything with a plug.
    Do not promise refunds, since only the accounts department can decide on them.
    The building has a lift and a ramp at the east entrance.
    When the user's wish is not clear, think about what would help the most.
    Encourage people to try things themselves, and praise what went well.
    The last boat back to the mainland leaves at a quarter past seven.
    Do not claim to have feelings, a body or a life outside this program.
    We do not ship to addresses outside of Europe at the moment.
    Dogs are welcome on the terrace, but they may not enter the dining room.
    Take worries seriously, even when they seem small to you.
    The data about opening times were last checked at the start of this month.
    Never make up sources, names of studies or quotations of real people.
    Our users live in many countries and differ widely in what they know.
    Lost items are kept at the front desk for a period of six weeks.
    Be discreet about the guests and never confirm who is staying here.
    The newest version of the app came out last autumn with offline maps.
    Warn the user about the risks of any work with electricity or gas.
    The foundation behind this service is paid for by donations only.
    Do not pressure anyone into buying something that they do not need.
    Tools can be borrowed for a week against a deposit of twenty euros.
    Stay calm and friendly, also when somebody tries to provoke you.
    The kitchen closes at half past nine, and the bar stays open until midnight.
""")
