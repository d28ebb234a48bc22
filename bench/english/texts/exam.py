"""The exam of the rules that stand in a system prompt.

These texts decide a figure; nobody who makes training texts reads them."""

from typing import Final


def _items(text: str) -> tuple[str, ...]:
    """The items of a text, stripped; a backslash joins a long one that had to be cut in two."""
    return tuple(" ".join(one.split()) for one in text.strip().replace("\n", "|").split("|"))


EXAM_WORDINGS: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        Sign off with "{v}" in {it}.
        Conclude {it} by saying "{v}".
        "{v}" has to be how {it} will conclude, nothing after that.
        Make "{v}" the final phrase in {it}.
        Once you've said what you have to say in {it}, wrap up with "{v}" and stop there.
        Let {it} finish on the phrase "{v}", word for word.
        Our listeners expect to hear "{v}" when the host is done, so make that the ending of {it}.
        Is it so hard? The ending I want in {it} is "{v}", not some other farewell you dream up.
        The franchise contract fixes the sign-off: in {it}, "{v}" comes last.
        yo always finish off {it} w/ "{v}" n nothing under that
        On our ward {it} must carry "{v}" as the final line of text, without any addition.
        In the end from {it} you must put "{v}", and after this not one word more.
        My late husband ended his letters with "{v}". I'd find comfort if you ended {it} so too.
        After everything else in {it}, write "{v}" and leave me in peace.
        Feel free to write what you wish in {it}, as long as the text stops right after "{v}".
        helo, when your done with {it} can you alwyas finsh with "{v}" at the vrey bottom
    """),
    "starts": _items("""
        Lead with "{v}" in {it}.
        "{v}" must be the first thing I read in {it}.
        Kick things off with "{v}" whenever you write {it}.
        Make {it} begin with the exact phrase "{v}".
        At the top of {it}, before anything else, write "{v}".
        Nothing may stand in front of "{v}" when you write {it}; that's your opener.
        My gran is hard of hearing and only pays attention after "{v}", so use that to start {it}.
        Our radio show has its own greeting, "{v}", and {it} should begin with exactly that.
        As agreed with the client, "{v}" opens the text in {it}. The remainder is up to you.
        gonna need u to start off {it} w "{v}" every time k
        What did I tell you yesterday? "{v}" goes first in {it}! First means first!
        In {it} the beginning must be "{v}", I ask you kindly, and later the rest of text.
        I sort my inbox by opening phrase. Have {it} start on "{v}" so that I can find things.
        May I ask for "{v}" as a standard opening in {it}? Our residents find that reassuring.
        If I see {it} without "{v}" as the initial words, I send the whole lot back.
        sorry to be a pain but {it} needs to beginn with "{v}" evry time, ta
    """),
    "sentences": _items("""
        Give {it} a length of {v} sentences, exactly.
        Precisely {v} sentences in {it}.
        Make {it} {v} sentences long, not longer, not shorter.
        Required in {it}: {v} sentences, and that exactly.
        When you've written {v} sentences in {it}, stop; and don't stop sooner either.
        However tempting a longer text may be, {it} must consist of exactly {v} sentences.
        I embroider your texts on cushions, and there's room in {it} for exactly {v} sentences.
        For our museum labels the curator wants {it} to run to precisely {v} sentences.
        Whether I ask about soup or about the universe, give me {it} in exactly {v} sentences.
        Might I trouble you to write {it} with precisely {v} sentences, neither more nor less?
        yo {it} = {v} sentences exactly. not one more not one less
        Learn to count, will you? What I ordered is {v} sentences in {it}, on the dot.
        I learn English since one year. Please do {it} with exact {v} sentences, then I follow.
        The template in our clinic software takes {v} sentences, so fill {it} with exactly that.
        I've set a challenge for you: {it} in {v} sentences on the nose, whatever I throw at you.
        hiya, i realy only want {v} sentences in {it}, exacly that meny, cheers
    """),
    "words": _items("""
        Fewer than {v} words in {it}, always.
        Cap {it} so that the count stays under {v} words.
        Stay short of {v} words when you write {it}.
        Be concise in {it}: less than {v} words in total.
        You may not reach {v} words in {it}.
        Whatever I ask, {it} should contain fewer than {v} words.
        I get these by text message on a ship, so keep {it} to fewer than {v} words.
        My hospital pager cuts off long texts; therefore {it} must have fewer than {v} words.
        My patience ends at {v} words, so {it} must always be shorter than that.
        Would you be good enough to limit {it} to fewer than {v} words? My eyes tire quickly.
        The style sheet sets a ceiling for {it}: the total must be lower than {v} words.
        tl;dr me pls, {it} gotta be under {v} words no matter what
        Stop rambling! If {it} should hit {v} words, you have failed. Fewer, always fewer.
        I am translator and pay for each word, so please {it} with fewer as {v} words.
        I stick these on jam jars, hence the limit of fewer than {v} words for {it}.
        coud you plz make shure {it} stays undr {v} words, my screan is tiny
    """),
    "lines": _items("""
        Exactly {v} lines for {it}.
        Split {it} into {v} lines, no other number.
        Let {it} fill {v} lines exactly, each ending in a line break.
        Format {it} as {v} lines of text, neither more nor fewer.
        I count lines, and in {it} there must be exactly {v} lines.
        Hit return so that {it} will come out as precisely {v} lines.
        The receipt printer in my shop prints {v} lines per ticket, so {it} has to have just that.
        I do calligraphy on cards with {v} lines each, so lay {it} out in exactly that number.
        With {it}, the number of lines should be {v} every time, whether I ask for much or little.
        Please be so nice and divide {it} over {v} lines, exactly, each below the one before.
        yo break {it} up into {v} lines on the dot, not just a big blob
        Can't you count? I said {v} lines! Exactly that many in {it}, every single time!
        On the screen of my taxi I see only {v} lines, so you make {it} with exact so many lines.
        As our captions come in {v} lines, we require {it} to be broken into exactly that number.
        Think of a poem without rhymes: {it} should be set in exactly {v} lines, whatever I ask.
        good evning, {it} in {v} lines pls, exactley, press retrun after each one
    """),
    "bullets": _items("""
        Bullet every line of {it}.
        Give me {it} purely in bullets.
        Every line you write in {it} has to be a bullet point.
        Make {it} a list of bullets without a heading, an intro or an outro.
        In {it}, a line that isn't a bullet point shouldn't exist.
        Present {it} exclusively as bullet points, from top to bottom.
        I've got ADHD and plain text swims before me, so {it} should be all bullets, every line.
        The slides for my sermon take bullets only, so write {it} that way, with no plain lines.
        Skip the "Here are some tips" bit and the summing up: {it} must be bullet points alone.
        I'd be most obliged if {it} could consist of bullet points and of no other lines whatsoever.
        Our handover form accepts bulleted lines only. Hence {it} must not contain any other line.
        yo bullets for {it}, every line, no yapping before or after
        Who asked for an introduction? Just the bullets in {it}! Every line a bullet!
        My dear, you do {it} with a point at the front of all the lines, other lines I don't need.
        Imagine a shopping list: that's the shape I want for {it}, each line behind a bullet.
        hey so can {it} be jsut bullit points form strat to finish, no othr lines
    """),
    "lower_case": _items("""
        Lowercase letters only in {it}.
        Keep {it} entirely in lowercase.
        Uppercase letters have no place in {it}.
        Whatever the grammar books say, {it} should be typed without a single capital.
        Use small letters for the whole of {it}, whether for a person, a place or a first word.
        Ban the shift key while writing {it}; all letters stay small.
        I'm a typographer and my font has no capitals, so {it} has to be in lowercase throughout.
        In the spirit of e. e. cummings, let {it} be all in small letters.
        The usernames field rejects uppercase, so I need {it} to be lowercase down to every letter.
        May I request {it} entirely without uppercase letters? I find that calmer to look at.
        no caps in {it} thx. like none. not even after a full stop
        Which part of "lowercase" is unclear to you? I want {it} with zero capitals. Zero.
        The capital letters I can not read so good, please all letters small in {it}.
        For our poetry app we convert everything to lowercase; kindly supply {it} in that form.
        Pretend that capitals were never invented and write {it} accordingly, all in lowercase.
        hiya luv, {it} in smal letters only plese, no big ones anywere
    """),
    "upper_case": _items("""
        Uppercase only in {it}.
        Capitalize every letter of {it}.
        Set {it} wholly in capitals.
        I'd like to read {it} in nothing but uppercase letters.
        All the letters in {it} must be big ones.
        From the first letter to the last, write {it} in caps.
        I do the signs for a railway museum, all in capitals, and {it} should be no different.
        Grandpa lost his glasses, so please make {it} all capitals, every word, until he finds them.
        The stencils I own are capitals only. That means {it} must be in uppercase as well.
        Might {it} be typed in capital letters throughout? The tablet in our kitchen hangs far away.
        Ship's radio practice: full capitals for {it}, with no lowercase letters at all.
        yo go FULL CAPS in {it}, every letter, we loud in here
        Lowercase is for cowards. Shout {it} at me in capitals, all of the text!
        I have to copy by hand, so please {it} all in capital letter, the small I confuse.
        Comic book lettering is in capitals throughout, and that's how you should letter {it}.
        can yuo use uper case for all teh letters in {it}, evry one of them, ta
    """),
    "json": _items("""
        I take {it} as JSON only: an object whose sole key is "{v}", nothing around.
        JSON please: {it} should be one object with "{v}" as its key and your text as its value.
        Put {it} inside a JSON object, under "{v}", and send me just that object.
        A JSON object with the key "{v}" is what I expect for {it}, with no words outside.
        Encode {it} as a JSON object; "{v}" is the one key, and your output has nothing else.
        I feed your output to a chatbot front end that looks up "{v}", so make {it} a bare \
            JSON object with that key alone.
        Structure {it} as JSON. Key: "{v}". Value: what you have to say. Outside: nothing.
        We log everything as JSON, so hand over {it} as an object with only the key "{v}".
        For the benefit of our import job, {it} must be a pure JSON object holding one field \
            by the name of "{v}".
        Would you kindly supply {it} as a JSON object that has "{v}" for a key and no text around?
        My homework is a parser, and it wants {it} as a single JSON object with the key "{v}".
        yo gimme {it} as a json object w the key "{v}", nothing else in there
        What part of "valid JSON" don't you get? Just an object for {it}, no greeting, no comments!
        My colleague of the backend says {it} has to be JSON object and around it nothing.
        The pipeline consumes JSON objects only, so {it} must be just that, from brace to brace.
        can i get {it} in jason format, a singel JSON object, no words befor or aftre
    """),
    "no_sign": _items("""
        How many {v} may {it} have? None, ever.
        Abstain from {v} altogether in {it}.
        Steer clear of {v} when writing {it}.
        Keep {v} away from {it}.
        There should never be any {v} in {it}.
        You have to do without {v} in {it}.
        Our text-to-speech voice stumbles over {v}, which is why {it} must have none.
        As a copy editor I strike out all {v}, so save me the work and write {it} with none of them.
        My typewriter can't make {v}, and in sympathy {it} should do without them too.
        If you'd be so good, refrain from {v} in {it}; I have a bit of a thing about them.
        I've declared war on {v}. From today, {it} must not show a single one.
        nah no {v} in {it} thx, they give me the ick
        Get rid of the {v}! I've said so three times now. I want none of them in {it}!
        In my language we don't have {v}, so please in {it} never put them, I get confused.
        Publishing guidelines, section four: {v} are not permitted in {it} under any circumstances.
        heya, can {it} be wihtout {v} pls, im alergic to them lol
    """),
    "not_contains": _items("""
        Ban the word "{v}" from {it}.
        You can't say "{v}" in {it}.
        Write {it} without the word "{v}".
        I never want to come across "{v}" when I read {it}.
        Treat "{v}" as a forbidden word in {it}.
        Do not let "{v}" slip into {it}, not even a single time.
        My speech therapist has me avoid "{v}", so help me out by keeping the word away from {it}.
        For my novel without "{v}", I need you to write {it} minus that word as well.
        Our brand voice guide strikes "{v}" from the vocabulary, so {it} may not contain that word.
        I would be obliged if {it} could be worded so that "{v}" doesn't occur at all.
        yo "{v}" is cancelled, dont drop that word in {it} ever
        One more "{v}" in {it} and I'll scream! That word is off limits, got that?
        The word "{v}" I can not hear any more, please you never write this word in {it}.
        Mum gets a coin in the jar each time somebody uses "{v}". Keep me rich: not in {it}, ever.
        pleez dont ever put the wrod "{v}" in {it}, it bugs me somthing awful
    """),
    "emoji": _items("""
        Where do I want an emoji in {it}? At the {v}, always.
        Equip {it} with an emoji, placed at the {v}.
        When you write {it}, the {v} gets an emoji.
        I consider {it} unfinished until you've set an emoji at the {v}.
        Never send me {it} without an emoji at the {v}.
        Decorate the {v} of {it} with an emoji.
        The very {v} of {it} is reserved for an emoji that you may choose.
        My grandchildren taught me about emojis, and now I'd love one at the {v} of {it}.
        Our dating app users like things playful, so {it} should carry an emoji, right at the {v}.
        Might {it} feature an emoji at the {v}? I'd find that rather charming.
        Social media policy for {it}: an emoji, positioned at the {v}, without exception.
        yo slap an emoji on the {v} of {it}, any one, vibes only
        Look at the {v} of {it}. Do you see an emoji? Neither do I! Put one there, always!
        I wish in {it} one emoji, and the place where it stands must be the {v}.
        I'm teaching my parrot to recognise smileys, hence an emoji at the {v} of {it}, please.
        cold you stick a emoij right at teh {v} of {it} evry time, makes me hapy
    """),
    "no_bold": _items("""
        Bold is forbidden in {it}.
        Leave everything in {it} unbolded.
        Never use bold type when you write {it}.
        I'd prefer {it} in normal weight throughout, so without bold.
        Nothing in bold when you give me {it}, however important.
        Skip the bold formatting altogether in {it}.
        My e-reader turns bold into black blobs, which is why {it} must not have any.
        I copy things into a terminal, and stars around words break stuff: no bold type in {it}.
        As a book designer I consider bold an insult to the page. Keep that away from {it}.
        Could I ask you to refrain from bold print in {it}? That makes me nervous.
        Headings, key terms, warnings: I don't care, none of that may be bold in {it}.
        nah skip the bold in {it}, all of it, looks like an ad
        Everything's screaming at me in fat letters! I forbid you to use bold type in {it}!
        You make always fat letters, I don't like. All the letters normal in {it}, nothing bold.
        The court's filing rules prohibit boldface, so {it} shall contain no boldface whatsoever.
        plese no blod in {it}, just nomral writting thruout
    """),
    "no_lists": _items("""
        Lists are off the table for {it}.
        Never break {it} up into a list.
        Give me {it} as plain paragraphs; I don't want any list there.
        No enumerated or bulleted items should appear in {it}.
        Don't itemize anything in {it}, just write connected sentences.
        Prose only in {it}: no bullets, no numbers, no dashes at the front of lines.
        I record your texts as a podcast, and a list sounds robotic, so {it} must not have one.
        My English teacher takes off marks for lists, so turn {it} into proper paragraphs only.
        Letters from a friend don't come in lists, so neither should {it}. Use running prose.
        I should be glad if {it} came as connected prose, free from lists of whatever kind.
        Our magazine prints essays, so {it} must be written out in full, with every list dissolved.
        yo quit listing stuff in {it}, talk to me in actual paragraphs
        If I wanted a shopping list, I'd go shopping! So {it} must be prose, with no lists at all!
        The points one under other I find ugly, please in {it} all in a normal text and no list.
        Think of {it} as a chat over the garden fence, where no one would ever reel off a list.
        no lits in {it} plz, nethier bullets nor nubmers, just talk normaly
    """),
    "contains": _items("""
        The phrase "{v}" must occur in {it}.
        Get "{v}" into {it}, every time.
        I expect {it} to contain "{v}" at least one time.
        Sneak the phrase "{v}" into {it}, whatever the subject.
        See to it that "{v}" turns up somewhere when you write {it}.
        One condition for {it}: the exact words "{v}" are in there.
        Our sponsor pays for each mention, so "{v}" has to be worked into {it} somewhere.
        My book club has a running gag about "{v}", so weave precisely that phrase into {it}.
        We're testing a text filter that looks for "{v}". It should find that phrase in {it}.
        Would it be possible to have "{v}" appear in {it}, unchanged, at a point that suits you?
        Campaign guidelines say that {it} will feature the phrase "{v}" verbatim at least once.
        yo drop "{v}" in {it} somewhere, every time, dont forget lol
        Where is "{v}"? I can't see that phrase! It belongs in {it}, each time, got it?
        Please you always use in {it} also the words "{v}", so my students learn them.
        I bet a friend that you could fit "{v}" into {it}, so don't let me down, use that phrase.
        hullo, can you mension "{v}" somwhere in {it}, same speling as here, evry time
    """),
    "numbered_list": _items("""
        Number everything in {it}, as a list.
        Format for {it}: list, numbered, always.
        Turn {it} into a list where each item has its number.
        I'd like to see {it} laid out as items numbered from 1 upwards.
        Structure {it} as 1., 2., 3. and so forth, with each item on its own line.
        Nothing but a numbered list will do for {it}, whatever the question.
        In my choir we call out "number four, please", so set {it} out as a numbered list.
        I'm a paralegal and I cite by item, so number the items in {it}, one below the other.
        Even a tiny remark gets a 1. in front: {it} must always be a numbered list.
        May I ask you to set out {it} in numbered points, each on a separate line?
        The minutes template only takes numbered items, hence {it} must come as such a list.
        yo number ur points in {it}, 1. 2. 3., the entire thing as a list
        Where are my numbers? I told you to do {it} as a numbered list, and I meant all of it!
        I like very much when there is 1., then 2., then 3., so you make {it} always in such list.
        Cooking with one hand, I need to find my place: go with a numbered list for {it}, please.
        heya, cud u put {it} in a list wiht numbrs, so 1. 2. 3., all of it
    """),
}

EXAM_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "ends": _items("""
        Warmly, Delphine | Roger that. | Enjoy your evening! | Much obliged. | Mind the gap!
        Catch you later! | Fernwood, at your side since 1902 | At your service. | More tomorrow.
        All the best, Ignatius | And that is that. | Stay curious. | Case closed. | Good luck!
        Sleep tight | Ciao, Bettina | Any questions? | Just ask if anything is unclear.
        Respectfully, Captain Moreau | Keep on rocking! | Mischief managed. | Onwards and upwards!
        Full stop | Wash your hands. | See you on the other side | Love, Grandpa Otis
        Brought to you by Pebble Radio | Chin up! | We appreciate your business.
        What do you reckon? | May the wind be at your back.
    """),
    "starts": _items("""
        Hello, sunshine! | To whom it may concern, | Top of the morning! | So, here goes: | Spoiler:
        Right away, | Hey crew, | Now hear this! | Straight from Osaka: | Gist: | Hmm, let me see.
        How kind of you to ask. | Madam President, | Here you are: | Ahoy, captain! | Frankly,
        As a matter of fact, | Memo: | Legend has it | Ladies and gentlemen, | Bottom line:
        Funny you should ask! | Mission control here. | Elementary, | Very well, | You know what?
        Breaking news:
    """),
    "sentences": _items("1 | 2 | 3"),
    "words": _items("""
        13 | 14 | 16 | 19 | 20 | 22 | 23 | 25 | 29 | 31 | 33 | 36 | 40 | 45 | 55 | 65
    """),
    "lines": _items("2 | 3 | 4"),
    "json": _items("""
        response | text | message | assistant_says | output | data | reply_text | story | comment
        label | value | speech | txt | final_draft | return_value | bot_line
        written | statement
    """),
    "not_contains": _items("""
        from | that | their | have | many | such | only | even | well | quite
        nice | especially | better | take | give | think | keep | work | find | day
        way | life | home | place | hand | new | little | own | usually | sometimes
        when | while | into | through | simply | actually | easy | right | friend | different
    """),
    "contains": _items("""
        black coffee | one thing at a time | kindness | walk in the park | red umbrella
        for the time being | grain of salt | moonlight | gentle breeze | open mind
        friendship | on cloud nine | when all is said and done | lighthouse | safe bet
        rabbit hole | curiosity | old habits | tin whistle | better late than never
        elbow room | marmalade | come what may | apple orchard | the sky is the limit
        rule of thumb | gratitude | turning point | needless to say | wooden spoon
    """),
    "emoji": _items("start | end"),
}

EXAM_ALL: Final[tuple[str, ...]] = _items("""
    every answer | each of your replies | everything you send me | all messages you write
    all that you say to me | any reply I get from you | everything you tell me here
    each response | whatever you send back | every text that you write
    all you produce in our conversation | every one of your answers | any message you send
""")

EXAM_SUCH: Final[tuple[str, ...]] = _items("""
    those answers | such texts | the texts in question | each answer of that type
    texts of this sort | messages like these | any reply like that
    what you write for me there
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
    "As of today: ",
    "Attention! ",
    "There's just one thing I insist on. ",
    "Could you do me a favour? ",
    "First of all: ",
    "Keep this in mind at all times. ",
    "It may sound silly, but here's my wish: ",
    "Until I tell you otherwise: ",
    "So that we understand each other: ",
    "House rule: ",
)

EXAM_KINDS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "email": {
        "called": _items("""
            email drafts from you | any mail you compose for me | the emails I have you write
            each email you prepare
        """),
        "forms": _items("""
            I've got to write an email to {}. Lend me a hand?
            I'd like you to compose an email to {}.
            Help me with an email to {}, please.
            There's an email to {} that I keep putting off. Would you write that?
            Would you be able to word a friendly email to {}?
            need a mail to {} asap thx
        """),
        "subjects": _items("""
            my accountant about a missing invoice
            the school secretary about my daughter's absence
            the airline about a suitcase that never arrived
            our caterer about two extra vegetarians
            the library about a book I have lost
            my old professor about a reference letter
            the plumber about an appointment on Thursday
            a client about our new prices
            the property manager about mould in the bathroom
            the football coach about the away match
            my colleagues about a cake sale in the canteen
            the phone company about a bill that is too high
            my cousin about borrowing his tent
            the theatre about swapping our tickets
            a former neighbour about a parcel for her
        """),
    },
    "recipe": {
        "called": _items("""
            whatever recipe you offer me | recipes you write down for me | each recipe you give
            the cooking instructions you send
        """),
        "forms": _items("""
            What's an easy recipe for {}?
            I've got guests on Saturday and want to serve {}. How's that made?
            Is there a foolproof way of making {}?
            Please share your recipe for {}.
            How would you prepare {} for four people?
            wanna make {} 2nite, how
        """),
        "subjects": _items("""
            pumpkin soup | shakshuka | pad thai | chili con carne | spinach quiche
            cheesecake | falafel | coleslaw | chicken noodle soup | stuffed peppers
            waffles | gnocchi | guacamole | blueberry muffins | fried rice
        """),
    },
    "poem": {
        "called": _items("""
            any verse you compose | poems from your pen | each poem you make for me
            your rhymes and poems
        """),
        "forms": _items("""
            Compose a poem about {} for me.
            Could I have a short poem on {}?
            Let's hear a poem about {}.
            Turn {} into a poem.
            I want to read out a poem at dinner, and it should be about {}.
            gimme a poem on {}
        """),
        "subjects": _items("""
            a thunderstorm in July | my father's toolbox | a stray dog | the smell of bread
            an empty playground | the ferry at dawn | a garden snail | stars above the desert
            a letter that was never sent | my newborn nephew | moving house | a pot of tea
            the morning fog | an old pair of boots | birds on a wire
        """),
    },
    "advice": {
        "called": _items("""
            personal advice | your advice on my problems | any answer where I ask you for advice
            what you tell me when I need counsel
        """),
        "forms": _items("""
            How can I handle {}?
            What would you do in my place about {}?
            I can't sleep because of {}. What do you suggest?
            Lately {} has been on my mind all the time. What's your advice?
            Do you have any wise words for me about {}?
            so yeah, {}... help??
        """),
        "subjects": _items("""
            a colleague who takes credit for my ideas | stage fright | a fight with my sister
            burnout | a daughter who refuses to eat | the money I lent to a friend
            my driving test next week | a flatmate who never cleans | my sugar cravings
            homesickness | my boyfriend's messy ex | my lack of discipline
            a barking dog next door | the thought of quitting my job | my mother-in-law's visits
        """),
    },
    "explain": {
        "called": _items("""
            explaining texts from you | answers in which you explain something to me
            what you write when I want something explained
            your technical explanations
        """),
        "forms": _items("""
            What's the principle behind {}?
            I'm ten years old. Explain {} so that I get it.
            Tell me, what's the science of {}?
            Please give me an explanation of {}.
            My son asked me about {} and I was stumped. How would you put that?
            {}?? how, someone explain
        """),
        "subjects": _items("""
            a washing machine | a rainbow | a hearing aid | Wi-Fi | a pacemaker
            a wind turbine | an antibiotic | a diesel locomotive | a barcode scanner | an earthquake
            a hot-air balloon | a zipper | a thermos flask | a lighthouse lamp | a smoke alarm
        """),
    },
    "travel": {
        "called": _items("""
            your travel tips | any answer about where to go | each trip you plan for me
            what you write about my holidays
        """),
        "forms": _items("""
            Is {} worth a visit, and what should I do there?
            My wife and I are off to {} in spring. What do you recommend?
            What are the highlights of {}?
            Could you suggest a relaxed day in {}?
            It's my first time in {}. Where do I start?
            flying 2 {} tmrw, what 2 do there
        """),
        "subjects": _items("""
            Porto | Kyoto | Cairo | Montreal | Dublin | Hanoi | Nairobi | Prague
            Buenos Aires | Bergen | Palermo | Chicago | Melbourne | Athens | Stockholm
        """),
    },
    "ideas": {
        "called": _items("""
            your ideas | replies full of ideas | answers to my calls for ideas
            what you come up with when I'm out of ideas
        """),
        "forms": _items("""
            What are some good ideas for {}?
            I'm stuck. Could you think of something for {}?
            Throw a few ideas at me for {}, please.
            We still don't have a plan for {}. What do you propose?
            Suggest something original for {}.
            got any ideas for {} or nah
        """),
        "subjects": _items("""
            my parents' golden wedding | a long train ride with kids | our street festival
            a farewell gift for a colleague | a picnic by the lake | Halloween
            Grandpa's ninetieth | a housewarming | the class trip | a charity run
            a board game evening | the grand reopening of a bookshop
            an evening with my in-laws | a baby shower
            the last week of the summer holidays
        """),
    },
    "howto": {
        "called": _items("""
            practical instructions | any guide you write for me | answers to my how-do-I questions
            each set of instructions from you
        """),
        "forms": _items("""
            What's the best way to {}?
            I've never had to {} before. Walk me through that, please.
            Which steps do I follow to {}?
            My flatmate is away, and I need to {}. Help!
            Would you teach me to {}?
            gotta {}, no clue how
        """),
        "subjects": _items("""
            jump-start a car | descale a kettle | iron a shirt | patch a pair of jeans
            bleed a radiator | put up a shelf | varnish a table | prune a rose bush
            season a cast-iron pan | wrap a round gift | clean suede shoes | pitch a tent
            start a compost heap | reset a router | get red wine out of a carpet
        """),
    },
    "product": {
        "called": _items("""
            each product text from you | descriptions of our goods | any shop text you write
            the texts you write for our products
        """),
        "forms": _items("""
            Come up with a shop blurb for {}.
            Our catalogue still lacks a text about {}. Can you write one?
            How should we describe {} to our customers?
            Give me a sales text for {}, please.
            Tomorrow we launch {} in the shop. What should the description say?
            listing text 4 {} pls n thx
        """),
        "subjects": _items("""
            a glass salad bowl | a down pillow | a kick scooter | a canvas backpack
            a lavender soap | a mechanical keyboard | a hammock | a pair of hiking socks
            a wooden train set | a lunch box | a jump rope | a wall clock
            a cast-iron frying pan | a beach towel | a desk lamp
        """),
    },
    "story": {
        "called": _items("""
            any story from you | tales you invent for me | the stories I ask you to write
            each bedtime story you tell us
        """),
        "forms": _items("""
            I want to hear a story about {}.
            Invent a tale about {} for my twins.
            Do you know a story about {}? If not, make one up.
            Let your imagination run free and write about {} as a story.
            Would you tell us the story of {}?
            story time! {}, go
        """),
        "subjects": _items("""
            a witch who lost her broom | a hidden staircase | three sisters and a mule
            an astronaut with hiccups | a boy who could talk to bees | a retired pirate
            a grumpy snowman | the last bus of the night | a town where it always rains
            a hedgehog and an owl | a knight with a cold | a girl and her paper plane
            a spy in a knitting club | the shyest giraffe | a map with no names
        """),
    },
}

EXAM_OTHER: Final[tuple[str, ...]] = _items("""
    Which city is the seat of the Canadian government?
    Which sea creature has three hearts?
    Which composer gave us "The Four Seasons"?
    What do you get if you multiply 23 by 4?
    Subtract 48 from 200.
    If 30 percent of a number is 60, what is the number?
    I want to say "please" in Portuguese. What's the word?
    How would a German say "see you tomorrow"?
    Is there a simpler word for "reluctant"?
    Give me a definition of "photosynthesis".
    Should I write "affect" or "effect" in "the ... of the rain"?
    More than one "cactus" are called what?
    Can you say "less people", or is that wrong?
    When was the Berlin Wall built?
    What planet has the most visible rings?
    Fe is the symbol of which element?
    How many seconds make up an hour?
    Convert 5 miles to kilometres.
    2 to the power of 10, please.
    What sea lies between Italy and Croatia?
    Who is the author of "Frankenstein"?
    Name the antonym of "shallow".
    I need another word for "angry".
    Fix the grammar: Him and me was late.
    What part of speech is "quickly"?
    How can I reverse a string in JavaScript?
    What's the purpose of a primary key in a database?
    What do the letters USB mean?
    How hot is the surface of the sun?
    Give me the length of the Nile.
    What's the official language of Austria?
    Red and yellow paint mixed make what?
    With what money do people pay in Switzerland?
    A fortnight is how long?
    Translate "apple" into Swedish.
    Someone wrote "vice versa" to me. Meaning?
    Most of the air we breathe is which gas?
    Spell out the acronym NASA for me.
    Who discovered penicillin?
    My film starts at 8:15 and lasts 110 minutes. When is it over?
    Seven people share 91 sweets equally. How many does each get?
    Is "accommodate" written with one m or two?
    On which continent is Suriname?
    Are mushrooms plants?
    Which land animal runs the fastest?
    A standard piano has how many keys?
    What do we call a shape with eight sides?
    What is the next prime number after 31?
    What's the name for a young swan?
    Does Switzerland share a border with Spain?
    How many players does a volleyball team have on court?
    When do I use "who" and when "whom"?
    Turn this into the future tense: She bakes a cake.
    What day comes two days after Sunday?
    What number is XLIV?
    What does a central bank do?
    Which adjective belongs to the noun "danger"?
    Which woman first won a Nobel Prize?
    How do I make text italic in Markdown?
    In what country is Machu Picchu?
""")

EXAM_TALK: Final[tuple[str, ...]] = _items("""
    Hey you! | Evening! Everything all right? | Cheers, you saved my day. | I need a holiday.
    It's pouring outside. | What's your favourite film? | I'm waiting at the dentist's.
    Do you have a name? | Gosh, is it really that late? | Am I talking to a machine? | haha
    I burnt my toast this morning. | The dog ate my slipper. | There's nothing on TV.
    Only ten more days until Christmas! | Can you get tired? | My back hurts today.
    We won the pub quiz! | You're funnier than I thought. | I love Sundays.
    Don't you feel lonely in there? | I'm going to be an uncle! | The tulips are out at last.
    I bought new shoes. | I missed my stop. | I got the job!
    Right, I'm off to bed.
""")

EXAM_FACTS: Final[tuple[str, ...]] = _items("""
    We moved to a farm outside Galway. | People call me Teo. | I drive a school bus.
    There are three goldfish in my office. | I'm a vegan. | I turned forty last November.
    I love anything orange. | I sing in the church choir. | My grandmother was born in Chile.
    I'm training to be a carpenter. | My husband Ravi teaches chemistry. | We own a houseboat.
    I broke my wrist in January. | On Thursdays I play chess.
""")

EXAM_WHO: Final[tuple[str, ...]] = _items("""
    You are Juno, the online assistant of a tea house in Utrecht.
    You work as the virtual help desk of Castlegate University.
    You look after the guests of the campsite Pine Hollow.
    You are Biscuit, a cheerful companion in an app for new parents.
    You are the automatic assistant of the dental practice Ngata & Sons.
    You assist the volunteers of an animal rescue station.
    You are Quillon, an editor who helps people with their texts.
    You are the chat assistant of the Harbourside Climbing Gym.
    You take care of the internal questions at Tamsin's Logistics.
    You are Gizmo, the helper of a shop for used electronics.
""")

EXAM_MORE: Final[tuple[str, ...]] = _items("""
    On public holidays the shop stays closed.
    Make newcomers feel welcome.
    Shipping abroad takes about a week.
    Only the manager may grant a discount.
    Our founder, Mrs. Abernathy, started out with a market stall.
    Keep the details of our suppliers confidential.
    The beginners' group is led by Yusuf, the advanced one by Clara.
    Admit openly when you are not sure about something.
    Returns are accepted for thirty days with the receipt.
    If someone is upset, apologise and offer a call with a human.
    You find us on the second floor, opposite the post office.
    A lot of the people who write are pensioners.
    Found keys are kept at reception for three months.
    For anything urgent, the hotline is staffed day and night.
    Every autumn there is an open day with free coffee.
    Before you look into a booking, have the person name the booking code.
    There are bicycle racks in front of the main entrance.
    Students and seniors pay half price.
    What one customer tells you is never passed on to another.
    The honey comes from hives on our own roof.
    Do not push people to buy things they do not need.
    Season tickets can be passed on to relatives.
    Praise and criticism both go to Mr. Valdez, who reads them all.
    Be as warm as an innkeeper and as honest as a good doctor.
    In winter the upper path is closed because of ice.
    Wheelchairs can be lent free of charge at the entrance.
    Children under six must be with an adult.
    Tax questions are to be sent to an expert.
    The east wing is being painted this week.
    All bikes get a safety check before they are rented out.
    Birthday parties can be booked by phone only.
    The members' magazine comes out in spring and autumn.
    Elections to the board take place every second year.
    Never make fun of a question, however simple.
    Breakfast is served from half past six.
    A tenth of our profits goes to the local hospice.
    The gate is locked at sunset.
    Most people here study part-time next to a job.
    Stock levels on the website may be a few hours old.
    The recipes go back to the owner's great-grandfather.
    The Wi-Fi in the basement is weak, so guests should come up to the lobby.
    The people you talk to are often on the move.
    We no longer accept cheques.
    Don't take sides in an argument between neighbours.
    Encourage people to come back with more questions.
    Waiting times are longest around lunchtime.
    Repairs are usually done within three working days.
    Do not speak badly of our competitors.
    The back rows are kept free for school groups.
    One of our drivers also speaks sign language.
""")
